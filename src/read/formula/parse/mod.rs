//! Grammar of a formula, expanded into terms as it is read.
//!
//! ```text
//! formula     = [ "~" ] sum
//! sum         = [ sign ] product { sign product }        sign = "+" | "-"
//! product     = interaction { "*" interaction }
//! interaction = power { ":" power }
//! power       = primary [ "^" integer ]                  only after a group: crossing up to that degree
//! primary     = 0 | 1 | name | function "(" arithmetic ")" | "C" "(" name ")" | "(" sum ")"
//! ```

mod arithmetic;
mod indicators;
mod regression;
mod terms;
#[cfg(test)]
mod tests;

use super::ast::{Atom, AtomSource, FormulaTerm};
use super::lex::{self, Dialect, Token, TokenKind};

pub(super) use regression::{effects, regression, regressors};

const MAX_TERMS: usize = 4_096;
const MAX_DEPTH: usize = 64;
const SUPPORTED: &str = "supported are terms joined by + - : * with 0 or 1 for the intercept, I(arithmetic), \
    log, log2, log10, log1p, exp, sqrt, abs, C(column) for a categorical, and i() in regressions";

type Parsed<T> = Result<T, String>;

/// A formula taken apart.
#[derive(Debug, Default)]
pub(super) struct ParsedFormula {
    pub(super) intercept: bool,
    pub(super) variables: Vec<String>,
    pub(super) atoms: Vec<Atom>,
    pub(super) terms: Vec<FormulaTerm>,
}

pub(super) fn parse(text: &str) -> Parsed<ParsedFormula> {
    let mut parser = Parser::new(text, Dialect::Covariates)?;
    if parser.take('~').is_none() && parser.peek().kind == TokenKind::End {
        return Err("it is empty; write `~ 1` for no covariates".to_owned());
    }
    let mut terms = parser.sum()?;
    parser.end()?;
    sort_by_degree(&mut terms, &parser.parts.atoms);
    let parts = ParsedFormula { terms, ..parser.parts };
    if parts.terms.is_empty() && !parts.intercept {
        return Err("it leaves neither covariates nor an intercept; write `~ 1` for no covariates"
            .to_owned());
    }
    Ok(parts)
}

/// Terms of fewer variables first; what `i()` interacts is one.
fn sort_by_degree(terms: &mut [FormulaTerm], atoms: &[Atom]) {
    let is_by = |atom: &&usize| matches!(atoms[**atom].source, AtomSource::By { .. });
    terms.sort_by_key(|term| term.len() - term.iter().filter(is_by).count());
}

struct Parser<'a> {
    dialect: Dialect,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
    operands: usize,
    /// False inside an odd number of subtractions, where `1` removes the intercept.
    adding: bool,
    parts: ParsedFormula,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, dialect: Dialect) -> Parsed<Self> {
        Ok(Self {
            dialect,
            tokens: lex::tokens(text, dialect)?,
            next: 0,
            depth: 0,
            operands: 0,
            adding: true,
            parts: ParsedFormula { intercept: true, ..ParsedFormula::default() },
        })
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.next]
    }

    fn is_next(&self, symbol: char) -> bool {
        self.peek().kind == TokenKind::Symbol(symbol)
    }

    /// The next token; the end is never passed.
    fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn take(&mut self, symbol: char) -> Option<Token<'a>> {
        self.is_next(symbol).then(|| self.advance())
    }

    fn end(&self) -> Parsed<()> {
        let token = self.peek();
        match token.kind {
            TokenKind::End => Ok(()),
            TokenKind::Symbol(')') => Err(format!("`)` at character {} closes nothing", token.at)),
            _ => Err(format!("{}; {SUPPORTED}", misplaced(token))),
        }
    }

    fn close(&mut self, opened: Token<'_>) -> Parsed<()> {
        if self.take(')').is_some() {
            return Ok(());
        }
        let token = self.peek();
        Err(match token.kind {
            TokenKind::End => format!("`(` at character {} is not closed", opened.at),
            _ => format!("{}; {SUPPORTED}", misplaced(token)),
        })
    }

    fn variable(&mut self, name: &str) -> usize {
        let variables = &mut self.parts.variables;
        variables.iter().position(|known| known == name).unwrap_or_else(|| {
            variables.push(name.to_owned());
            variables.len() - 1
        })
    }
}

/// A token where an operator between terms should be.
fn misplaced(token: Token<'_>) -> String {
    let at = token.at;
    match token.kind {
        TokenKind::Symbol('~') => {
            format!(
                "`~` at character {at} makes it two-sided; give only the covariates, as in `~ x1 + x2`"
            )
        }
        TokenKind::Symbol('/') => {
            format!(
                "`/` at character {at} between terms is not supported; write a + a:b, or I(a/b) for a ratio"
            )
        }
        TokenKind::Symbol('|') => {
            format!(
                "`|` at character {at} is not supported here; fixed effects stand once, after the last regressor"
            )
        }
        TokenKind::Symbol('[') => {
            format!("`[` at character {at}: slopes that vary by level are not supported")
        }
        TokenKind::Infix => {
            format!("`{}` at character {at} is not supported; write an interaction a:b", token.text)
        }
        _ => format!("`{}` at character {at} does not follow an operator", token.text),
    }
}
