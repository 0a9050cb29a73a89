//! Terms: sums, crossings and what they are made of.

use super::super::ast::{self, Atom, AtomSource, FormulaTerm};
use super::super::lex::{Dialect, Token, TokenKind};
use super::{MAX_DEPTH, MAX_TERMS, Parsed, Parser, SUPPORTED};

/// What a primary stands for.
enum Primary {
    /// `0` or `1`, where `at` is its position.
    Intercept {
        one: bool,
        at: usize,
    },
    Terms(Vec<FormulaTerm>),
    /// Terms in parentheses.
    Group(Vec<FormulaTerm>),
}

impl<'a> Parser<'a> {
    /// Terms joined by signs; `- term` removes it from those before.
    pub(super) fn sum(&mut self) -> Parsed<Vec<FormulaTerm>> {
        let mut terms = Vec::new();
        let mut sign = self.take('-').or_else(|| self.take('+'));
        loop {
            let subtract = sign.is_some_and(|token| token.text == "-");
            self.adding ^= subtract;
            let flipped = self.sign_of_number();
            let piece = self.product();
            self.adding ^= subtract ^ flipped;
            self.join(&mut terms, piece?, subtract)?;
            sign = match self.peek().kind {
                TokenKind::Symbol('+' | '-') => Some(self.advance()),
                _ => return Ok(terms),
            };
        }
    }

    /// Takes a second sign, as in `x + -1`, which R allows; returns whether it flips the first.
    fn sign_of_number(&mut self) -> bool {
        let after = self.tokens.get(self.next + 1).map(|token| token.kind);
        let signed = matches!(self.peek().kind, TokenKind::Symbol('+' | '-'));
        let flips = signed && self.is_next('-');
        if signed && matches!(after, Some(TokenKind::Number(_))) {
            self.advance();
            self.adding ^= flips;
            return flips;
        }
        false
    }

    fn join(&mut self, terms: &mut Vec<FormulaTerm>, piece: Primary, subtract: bool) -> Parsed<()> {
        let new = match piece {
            Primary::Intercept { .. } => return Ok(()),
            Primary::Terms(new) | Primary::Group(new) => new,
        };
        if subtract {
            terms.retain(|term| !new.contains(term));
            return Ok(());
        }
        merge(terms, new)
    }

    /// `a * b * …`; a lone 0 or 1 sets the intercept.
    fn product(&mut self) -> Parsed<Primary> {
        let piece = self.interaction()?;
        if let Primary::Intercept { one, .. } = piece {
            self.parts.intercept = one == self.adding;
        }
        if !self.is_next('*') {
            return Ok(piece);
        }
        let mut left = crossable(piece)?;
        while self.take('*').is_some() {
            let right = crossable(self.interaction()?)?;
            let crossed = cross(&left, &right)?;
            merge(&mut left, right)?;
            merge(&mut left, crossed)?;
        }
        Ok(Primary::Terms(left))
    }

    fn interaction(&mut self) -> Parsed<Primary> {
        let piece = self.power()?;
        if !self.is_next(':') {
            return Ok(piece);
        }
        let mut left = crossable(piece)?;
        while self.take(':').is_some() {
            let right = crossable(self.power()?)?;
            left = cross(&left, &right)?;
        }
        Ok(Primary::Terms(left))
    }

    fn power(&mut self) -> Parsed<Primary> {
        let start = self.next;
        let base = self.primary()?;
        let Some(caret) = self.take('^') else { return Ok(base) };
        let terms = match base {
            Primary::Group(terms) if terms.len() > 1 => terms,
            _ => {
                let base: String = self.tokens[start..self.next - 1].iter().map(source).collect();
                return Err(format!(
                    "`^` at character {} would only cross `{base}` with itself; write I({base}^2) for a power",
                    caret.at
                ));
            }
        };
        let degree = self.advance();
        match degree.kind {
            TokenKind::Number(value) if value >= 2.0 && value.fract() == 0.0 => {
                let mut crossed = terms.clone();
                // Crossing more often than there are terms adds none.
                for _ in (1..terms.len()).take_while(|degree| (*degree as f64) < value) {
                    crossed = cross(&terms, &crossed)?;
                }
                Ok(Primary::Terms(crossed))
            }
            _ => Err(format!(
                "the degree of crossing after `^` at character {} must be a whole number from 2",
                caret.at
            )),
        }
    }

    fn primary(&mut self) -> Parsed<Primary> {
        let token = self.advance();
        match token.kind {
            TokenKind::Number(0.0) => Ok(Primary::Intercept { one: false, at: token.at }),
            TokenKind::Number(1.0) => Ok(Primary::Intercept { one: true, at: token.at }),
            TokenKind::Number(_) => Err(format!(
                "`{}` at character {} is not a term: only 0 and 1, for the intercept, are; \
                 put arithmetic into I()",
                token.text, token.at
            )),
            TokenKind::Symbol('(') => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(format!("parentheses are nested more than {MAX_DEPTH} deep"));
                }
                let terms = self.sum()?;
                self.close(token)?;
                self.depth -= 1;
                Ok(Primary::Group(terms))
            }
            TokenKind::Name if self.is_next('(') => self.call(token),
            TokenKind::Name if token.text == "." => Err(format!(
                "`.` (all columns) at character {} is not supported; name the covariates",
                token.at
            )),
            TokenKind::Name | TokenKind::Quoted => {
                let variable = self.variable(token.text);
                self.atom(ast::name_label(token.text), AtomSource::Column(variable))
            }
            _ => Err(format!("{}; {SUPPORTED}", no_term(token))),
        }
    }

    /// `I(…)`, `log(…)` and the like, or `C(column)`.
    fn call(&mut self, name: Token<'a>) -> Parsed<Primary> {
        if matches!(name.text, "C" | "factor") {
            return self.categorical(name);
        }
        if name.text == "i" && self.dialect == Dialect::Regression {
            let term = self.indicators(name)?;
            return Ok(Primary::Terms(vec![term]));
        }
        self.operands = 0;
        let expr = self.function(name)?;
        let label = expr.label(&self.parts.variables);
        if !expr.has_columns() {
            return Err(format!("`{label}` at character {} names no column", name.at));
        }
        self.atom(label, AtomSource::Arithmetic(expr))
    }

    fn categorical(&mut self, name: Token<'a>) -> Parsed<Primary> {
        let opened = self.advance();
        let column = self.advance();
        let named = matches!(column.kind, TokenKind::Name | TokenKind::Quoted);
        if !(named && self.is_next(')')) {
            if column.kind == TokenKind::End || named && self.peek().kind == TokenKind::End {
                return Err(format!("`(` at character {} is not closed", opened.at));
            }
            return Err(format!(
                "`{}()` at character {} takes one column name; contrasts are always against the first level",
                name.text, name.at
            ));
        }
        self.close(opened)?;
        let variable = self.variable(column.text);
        let label = format!("{}({})", name.text, ast::name_label(column.text));
        self.atom(label, AtomSource::Factor(variable))
    }

    fn atom(&mut self, label: String, source: AtomSource) -> Parsed<Primary> {
        let index = self.atom_index(label, source)?;
        Ok(Primary::Terms(vec![vec![index]]))
    }

    /// The index of an atom, which is added unless it is known.
    pub(super) fn atom_index(&mut self, label: String, source: AtomSource) -> Parsed<usize> {
        let atoms = &mut self.parts.atoms;
        let known = |atom: &Atom| {
            let indicators = atom.source.is_indicator() || source.is_indicator();
            atom.label == label && (!indicators || atom.source == source)
        };
        let known = atoms.iter().position(known);
        if known.is_none() && atoms.len() == MAX_TERMS {
            return Err(too_many());
        }
        Ok(known.unwrap_or_else(|| {
            atoms.push(Atom { label, source });
            atoms.len() - 1
        }))
    }
}

/// Terms of a piece that is to be crossed with another.
fn crossable(piece: Primary) -> Parsed<Vec<FormulaTerm>> {
    match piece {
        Primary::Intercept { one, at } => Err(format!(
            "`{}` at character {at} is the intercept, which cannot be crossed; write I() for arithmetic, as in I(2 * x)",
            u8::from(one)
        )),
        Primary::Terms(terms) | Primary::Group(terms) if terms.is_empty() => {
            Err("a group that is crossed has no terms".to_owned())
        }
        Primary::Terms(terms) | Primary::Group(terms) => Ok(terms),
    }
}

/// Every term of `left` united with every term of `right`, the left ones outermost.
fn cross(left: &[FormulaTerm], right: &[FormulaTerm]) -> Parsed<Vec<FormulaTerm>> {
    if left.len() * right.len() > MAX_TERMS {
        return Err(too_many());
    }
    let mut crossed = Vec::new();
    for first in left {
        for second in right {
            let mut term = [first.as_slice(), second].concat();
            term.sort_unstable();
            term.dedup();
            merge(&mut crossed, vec![term])?;
        }
    }
    Ok(crossed)
}

fn merge(terms: &mut Vec<FormulaTerm>, new: Vec<FormulaTerm>) -> Parsed<()> {
    for term in new {
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    if terms.len() > MAX_TERMS { Err(too_many()) } else { Ok(()) }
}

fn too_many() -> String {
    format!("it has more than {MAX_TERMS} terms")
}

fn source(token: &Token<'_>) -> String {
    match token.kind {
        TokenKind::Quoted => format!("`{}`", token.text),
        _ => token.text.to_owned(),
    }
}

/// A token where a term should be.
fn no_term(token: Token<'_>) -> String {
    match token.kind {
        TokenKind::End => format!("it ends at character {} where a term is expected", token.at),
        _ => format!("`{}` at character {} is where a term is expected", token.text, token.at),
    }
}
