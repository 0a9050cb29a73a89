//! Regressions: `outcome ~ regressors | fixed effects`, as in R `fixest`.
//!
//! ```text
//! regression = arithmetic "~" sum [ "|" effects ]
//! effects    = "0" | effect { "+" effect }
//! effect     = name { "^" name }                         the levels of all names together
//! ```

use super::super::ast::{Atom, AtomSource, Expr};
use super::super::lex::{Dialect, Token, TokenKind};
use super::{Parsed, ParsedFormula, Parser, misplaced, sort_by_degree};

/// Fixed effects, each of the levels of one or several columns together.
pub(in super::super) type Effects = Vec<Vec<String>>;

/// A regression taken apart.
pub(in super::super) struct ParsedRegression {
    pub(in super::super) outcome: ParsedFormula,
    pub(in super::super) regressors: ParsedFormula,
    pub(in super::super) effects: Effects,
}

/// Reads a regression.
pub(in super::super) fn regression(text: &str) -> Parsed<ParsedRegression> {
    let mut parser = Parser::new(text, Dialect::Regression)?;
    if parser.peek().kind == TokenKind::End {
        return Err("it is empty; write `y ~ x | f`".to_owned());
    }
    if parser.is_next('~') {
        return Err("it has no outcome before `~`; write `y ~ x | f`".to_owned());
    }
    let outcome = parser.outcome()?;
    let (regressors, effects) = parser.right_side(false)?;
    Ok(ParsedRegression { outcome, regressors, effects })
}

/// Reads the regressors of a regression whose outcome and fixed effects are given elsewhere.
pub(in super::super) fn regressors(text: &str, absorbed: bool) -> Parsed<ParsedFormula> {
    let mut parser = Parser::new(text, Dialect::Regression)?;
    parser.take('~');
    let (regressors, effects) = parser.right_side(absorbed)?;
    if effects.is_empty() {
        return Ok(regressors);
    }
    Err("it has fixed effects after `|`, which are named apart here".to_owned())
}

/// Reads fixed effects, or clusters, as in `worker + firm^year`.
pub(in super::super) fn effects(text: &str) -> Parsed<Effects> {
    let mut parser = Parser::new(text, Dialect::Regression)?;
    let effects = parser.effects()?;
    parser.end()?;
    Ok(effects)
}

impl<'a> Parser<'a> {
    fn outcome(&mut self) -> Parsed<ParsedFormula> {
        let expr = self.arithmetic()?;
        let token = self.peek();
        match token.kind {
            TokenKind::Symbol('~') => drop(self.advance()),
            TokenKind::End => {
                return Err(format!(
                    "it ends at character {} before a `~`, which stands between outcome and regressors, as in `y ~ x`",
                    token.at
                ));
            }
            _ => return Err(misplaced(token)),
        }
        let label = expr.label(&self.parts.variables);
        if !expr.has_columns() {
            return Err(format!("its outcome, `{label}`, names no column"));
        }
        let source = match expr {
            Expr::Column(variable) => AtomSource::Column(variable),
            expr => AtomSource::Arithmetic(expr),
        };
        let fresh = ParsedFormula { intercept: true, ..ParsedFormula::default() };
        let parts = std::mem::replace(&mut self.parts, fresh);
        let (atoms, terms) = (vec![Atom { label, source }], vec![vec![0]]);
        Ok(ParsedFormula { intercept: false, atoms, terms, ..parts })
    }

    /// What follows `~`; `absorbed` says whether there are fixed effects besides those after `|`.
    fn right_side(&mut self, absorbed: bool) -> Parsed<(ParsedFormula, Effects)> {
        let mut terms = self.sum()?;
        let effects = match self.take('|') {
            Some(_) => self.effects()?,
            None => Vec::new(),
        };
        match self.peek() {
            Token { kind: TokenKind::Symbol('|'), at, .. } => {
                return Err(format!("`|` at character {at}: instruments are not supported"));
            }
            Token { kind: TokenKind::Symbol('~'), at, .. } => {
                return Err(format!("`~` at character {at} is one too many"));
            }
            _ => self.end()?,
        }
        sort_by_degree(&mut terms, &self.parts.atoms);
        let absorbed = absorbed || !effects.is_empty();
        // Factors are coded as with a constant, which fixed effects span.
        self.parts.intercept |= absorbed;
        let parts = ParsedFormula { terms, ..std::mem::take(&mut self.parts) };
        if parts.terms.is_empty() && !parts.intercept {
            return Err("it leaves neither regressors nor a constant nor fixed effects".to_owned());
        }
        Ok((parts, effects))
    }

    fn effects(&mut self) -> Parsed<Effects> {
        if matches!(self.peek().kind, TokenKind::Number(0.0)) {
            self.advance();
            return Ok(Vec::new());
        }
        let mut effects: Effects = Vec::new();
        loop {
            let effect = self.effect()?;
            if !effects.contains(&effect) {
                effects.push(effect);
            }
            if self.take('+').is_none() {
                return Ok(effects);
            }
        }
    }

    fn effect(&mut self) -> Parsed<Vec<String>> {
        let mut columns: Vec<String> = Vec::new();
        loop {
            let token = self.advance();
            let named = matches!(token.kind, TokenKind::Name | TokenKind::Quoted);
            if named && self.is_next('(') {
                return Err(format!(
                    "`{}()` at character {} is not supported among fixed effects, which are columns, or columns together as in firm^year",
                    token.text, token.at
                ));
            }
            if !named {
                let met = match token.kind {
                    TokenKind::End => format!("it ends at character {}", token.at),
                    _ => format!("`{}` at character {} stands", token.text, token.at),
                };
                return Err(format!(
                    "{met} where a fixed effect is expected, as in worker + firm^year"
                ));
            }
            if !columns.iter().any(|known| known == token.text) {
                columns.push(token.text.to_owned());
            }
            match self.peek() {
                Token { kind: TokenKind::Symbol('^'), .. } => drop(self.advance()),
                Token { kind: TokenKind::Symbol('['), at, .. } => {
                    return Err(format!(
                        "`[` at character {at}: slopes that vary by level are not supported"
                    ));
                }
                Token { kind: TokenKind::Symbol('*' | ':'), at, text } => {
                    return Err(format!(
                        "`{text}` at character {at} is not supported among fixed effects; write a^b for their levels together"
                    ));
                }
                _ => return Ok(columns),
            }
        }
    }
}
