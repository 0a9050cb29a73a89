//! Arithmetic inside a function, with R's precedence.

use super::super::ast::{Expr, Function, Operator};
use super::super::lex::{Token, TokenKind};
use super::{Parsed, Parser, SUPPORTED};

/// Operands, signs and brackets of one expression.
const MAX_OPERANDS: usize = 256;

impl<'a> Parser<'a> {
    pub(super) fn function(&mut self, name: Token<'a>) -> Parsed<Expr> {
        let Some(function) = Function::by_name(name.text) else {
            let called = format!("`{}()` at character {}", name.text, name.at);
            return Err(match name.text {
                "C" | "factor" => format!("{called} is a categorical, which arithmetic cannot use"),
                "sunab" => format!(
                    "{called} is an estimator of its own here: `SunAbraham`, `burn-did sunab`, `did.sunab`"
                ),
                _ => format!("{called} is not supported; {SUPPORTED}"),
            });
        };
        let opened = self.advance();
        let inner = self.arithmetic()?;
        if self.is_next(',') {
            return Err(format!(
                "`,` at character {}: `{}` takes one argument",
                self.peek().at,
                name.text
            ));
        }
        self.close_arithmetic(opened)?;
        Ok(Expr::Call(function, Box::new(inner)))
    }

    fn close_arithmetic(&mut self, opened: Token<'_>) -> Parsed<()> {
        match self.peek().kind {
            TokenKind::Symbol(')') | TokenKind::End => self.close(opened),
            _ => Err(no_arithmetic(self.peek())),
        }
    }

    pub(super) fn arithmetic(&mut self) -> Parsed<Expr> {
        self.chain(Self::factor, &[('+', Operator::Add), ('-', Operator::Subtract)])
    }

    fn factor(&mut self) -> Parsed<Expr> {
        self.chain(Self::signed, &[('*', Operator::Multiply), ('/', Operator::Divide)])
    }

    /// Operands joined from the left by operators of one precedence.
    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Parsed<Expr>,
        operators: &[(char, Operator)],
    ) -> Parsed<Expr> {
        let mut left = operand(self)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.is_next(*symbol)) {
            self.advance();
            left = Expr::Binary(*operator, Box::new(left), Box::new(operand(self)?));
        }
        Ok(left)
    }

    /// A sign binds less tightly than `^`: `-x^2` is `-(x^2)`.
    fn signed(&mut self) -> Parsed<Expr> {
        self.operands += 1;
        if self.operands > MAX_OPERANDS {
            return Err(format!("an expression has more than {MAX_OPERANDS} operands"));
        }
        if self.take('+').is_some() {
            return self.signed();
        }
        if self.take('-').is_some() {
            return Ok(Expr::Negate(Box::new(self.signed()?)));
        }
        let base = self.operand()?;
        if self.take('^').is_none() {
            return Ok(base);
        }
        Ok(Expr::Binary(Operator::Power, Box::new(base), Box::new(self.signed()?)))
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let token = self.advance();
        match token.kind {
            TokenKind::Number(value) => Ok(Expr::Number(value)),
            TokenKind::Name if self.is_next('(') => self.function(token),
            TokenKind::Name if token.text == "." => Err(no_arithmetic(token)),
            TokenKind::Name | TokenKind::Quoted => Ok(Expr::Column(self.variable(token.text))),
            TokenKind::Symbol('(') => {
                let inner = self.arithmetic()?;
                self.close_arithmetic(token)?;
                Ok(Expr::Group(Box::new(inner)))
            }
            _ => Err(no_arithmetic(token)),
        }
    }
}

fn no_arithmetic(token: Token<'_>) -> String {
    let met = match token.kind {
        TokenKind::End => format!("it ends at character {} inside arithmetic", token.at),
        _ => format!("`{}` at character {} is not supported in arithmetic", token.text, token.at),
    };
    let indicator = match token.kind {
        TokenKind::Symbol('=' | '<' | '>' | '!') => {
            "; the indicator of a level is i(year, keep = 2014), and those of all levels are C(year)"
        }
        _ => "",
    };
    format!(
        "{met}, which takes + - * / ^, parentheses, numbers, columns and log, log2, log10, log1p, exp, sqrt, abs{indicator}"
    )
}
