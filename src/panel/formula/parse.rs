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

use super::ast::{self, Atom, Expr, Function, Operator, Source, Term};
use super::lex::{self, Kind, Token};

const MAX_TERMS: usize = 4_096;
const MAX_DEPTH: usize = 64;
/// Operands, signs and brackets of one arithmetic expression.
const MAX_OPERANDS: usize = 256;
const SUPPORTED: &str = "supported are terms joined by + - : * with 0 or 1 for the intercept, I(arithmetic), \
    log, log2, log10, log1p, exp, sqrt, abs, and C(column) for a categorical";

type Parsed<T> = Result<T, String>;

/// A formula taken apart.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) intercept: bool,
    pub(super) variables: Vec<String>,
    pub(super) atoms: Vec<Atom>,
    pub(super) terms: Vec<Term>,
}

pub(super) fn parse(text: &str) -> Parsed<Parts> {
    let mut parser = Parser {
        tokens: lex::tokens(text)?,
        next: 0,
        depth: 0,
        operands: 0,
        adding: true,
        parts: Parts { intercept: true, variables: vec![], atoms: vec![], terms: vec![] },
    };
    if parser.take('~').is_none() && parser.peek().kind == Kind::End {
        return Err("it is empty; write `~ 1` for no covariates".to_owned());
    }
    let mut terms = parser.sum()?;
    parser.end()?;
    terms.sort_by_key(Vec::len);
    let parts = Parts { terms, ..parser.parts };
    if parts.terms.is_empty() && !parts.intercept {
        return Err("it leaves neither covariates nor an intercept; write `~ 1` for no covariates"
            .to_owned());
    }
    Ok(parts)
}

/// What a primary stands for.
enum Piece {
    /// `0` or `1`, where `at` is its position.
    Intercept {
        one: bool,
        at: usize,
    },
    Terms(Vec<Term>),
    /// Terms in parentheses.
    Group(Vec<Term>),
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
    operands: usize,
    /// False inside an odd number of subtractions, where `1` removes the intercept.
    adding: bool,
    parts: Parts,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.next]
    }

    fn is_next(&self, symbol: char) -> bool {
        self.peek().kind == Kind::Symbol(symbol)
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
            Kind::End => Ok(()),
            Kind::Symbol(')') => Err(format!("`)` at character {} closes nothing", token.at)),
            _ => Err(format!("{}; {SUPPORTED}", misplaced(token))),
        }
    }

    fn close(&mut self, opened: Token<'_>) -> Parsed<()> {
        if self.take(')').is_some() {
            return Ok(());
        }
        let token = self.peek();
        Err(match token.kind {
            Kind::End => format!("`(` at character {} is not closed", opened.at),
            _ => format!("{}; {SUPPORTED}", misplaced(token)),
        })
    }

    /// Terms joined by signs; `- term` removes it from those before.
    fn sum(&mut self) -> Parsed<Vec<Term>> {
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
                Kind::Symbol('+' | '-') => Some(self.advance()),
                _ => return Ok(terms),
            };
        }
    }

    /// Takes a second sign, as in `x + -1`, which R allows; returns whether it flips the first.
    fn sign_of_number(&mut self) -> bool {
        let after = self.tokens.get(self.next + 1).map(|token| token.kind);
        let signed = matches!(self.peek().kind, Kind::Symbol('+' | '-'));
        let flips = signed && self.is_next('-');
        if signed && matches!(after, Some(Kind::Number(_))) {
            self.advance();
            self.adding ^= flips;
            return flips;
        }
        false
    }

    fn join(&mut self, terms: &mut Vec<Term>, piece: Piece, subtract: bool) -> Parsed<()> {
        let new = match piece {
            Piece::Intercept { .. } => return Ok(()),
            Piece::Terms(new) | Piece::Group(new) => new,
        };
        if subtract {
            terms.retain(|term| !new.contains(term));
            return Ok(());
        }
        merge(terms, new)
    }

    /// `a * b * …`; a lone 0 or 1 sets the intercept.
    fn product(&mut self) -> Parsed<Piece> {
        let piece = self.interaction()?;
        if let Piece::Intercept { one, .. } = piece {
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
        Ok(Piece::Terms(left))
    }

    fn interaction(&mut self) -> Parsed<Piece> {
        let piece = self.power()?;
        if !self.is_next(':') {
            return Ok(piece);
        }
        let mut left = crossable(piece)?;
        while self.take(':').is_some() {
            let right = crossable(self.power()?)?;
            left = cross(&left, &right)?;
        }
        Ok(Piece::Terms(left))
    }

    fn power(&mut self) -> Parsed<Piece> {
        let start = self.next;
        let base = self.primary()?;
        let Some(caret) = self.take('^') else { return Ok(base) };
        let terms = match base {
            Piece::Group(terms) if terms.len() > 1 => terms,
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
            Kind::Number(value) if value >= 2.0 && value.fract() == 0.0 => {
                let mut crossed = terms.clone();
                // Crossing more often than there are terms adds none.
                for _ in 1..(value.min(terms.len() as f64) as usize) {
                    crossed = cross(&terms, &crossed)?;
                }
                Ok(Piece::Terms(crossed))
            }
            _ => Err(format!(
                "the degree of crossing after `^` at character {} must be a whole number from 2",
                caret.at
            )),
        }
    }

    fn primary(&mut self) -> Parsed<Piece> {
        let token = self.advance();
        match token.kind {
            Kind::Number(value) if value == 0.0 || value == 1.0 => {
                Ok(Piece::Intercept { one: value == 1.0, at: token.at })
            }
            Kind::Number(_) => Err(format!(
                "`{}` at character {} is not a term: only 0 and 1, for the intercept, are; \
                 put arithmetic into I()",
                token.text, token.at
            )),
            Kind::Symbol('(') => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(format!("parentheses are nested more than {MAX_DEPTH} deep"));
                }
                let terms = self.sum()?;
                self.close(token)?;
                self.depth -= 1;
                Ok(Piece::Group(terms))
            }
            Kind::Name if self.is_next('(') => self.call(token),
            Kind::Name if token.text == "." => Err(format!(
                "`.` (all columns) at character {} is not supported; name the covariates",
                token.at
            )),
            Kind::Name | Kind::Quoted => {
                let variable = self.variable(token.text);
                self.atom(ast::name_label(token.text), Source::Column(variable))
            }
            _ => Err(format!("{}; {SUPPORTED}", no_term(token))),
        }
    }

    /// `I(…)`, `log(…)` and the like, or `C(column)`.
    fn call(&mut self, name: Token<'a>) -> Parsed<Piece> {
        if matches!(name.text, "C" | "factor") {
            return self.categorical(name);
        }
        self.operands = 0;
        let expr = self.function(name)?;
        let label = expr.label(&self.parts.variables);
        if !expr.has_columns() {
            return Err(format!("`{label}` at character {} names no column", name.at));
        }
        self.atom(label, Source::Arithmetic(expr))
    }

    fn categorical(&mut self, name: Token<'a>) -> Parsed<Piece> {
        let opened = self.advance();
        let column = self.advance();
        if !matches!(column.kind, Kind::Name | Kind::Quoted) || !self.is_next(')') {
            if self.tokens[self.next..].iter().all(|token| token.kind != Kind::Symbol(')')) {
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
        self.atom(label, Source::Factor(variable))
    }

    fn variable(&mut self, name: &str) -> usize {
        let variables = &mut self.parts.variables;
        variables.iter().position(|known| known == name).unwrap_or_else(|| {
            variables.push(name.to_owned());
            variables.len() - 1
        })
    }

    fn atom(&mut self, label: String, source: Source) -> Parsed<Piece> {
        let atoms = &mut self.parts.atoms;
        let known = atoms.iter().position(|atom| atom.label == label);
        if known.is_none() && atoms.len() == MAX_TERMS {
            return Err(too_many());
        }
        let index = known.unwrap_or_else(|| {
            atoms.push(Atom { label, source });
            atoms.len() - 1
        });
        Ok(Piece::Terms(vec![vec![index]]))
    }

    fn function(&mut self, name: Token<'a>) -> Parsed<Expr> {
        let Some(function) = Function::by_name(name.text) else {
            let found = format!("`{}()` at character {}", name.text, name.at);
            return Err(match name.text {
                "C" | "factor" => format!("{found} is a categorical, which arithmetic cannot use"),
                _ => format!("{found} is not supported; {SUPPORTED}"),
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
            Kind::Symbol(')') | Kind::End => self.close(opened),
            _ => Err(no_arithmetic(self.peek())),
        }
    }

    fn arithmetic(&mut self) -> Parsed<Expr> {
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
            Kind::Number(value) => Ok(Expr::Number(value)),
            Kind::Name if self.is_next('(') => self.function(token),
            Kind::Name if token.text == "." => Err(no_arithmetic(token)),
            Kind::Name | Kind::Quoted => Ok(Expr::Column(self.variable(token.text))),
            Kind::Symbol('(') => {
                let inner = self.arithmetic()?;
                self.close_arithmetic(token)?;
                Ok(Expr::Group(Box::new(inner)))
            }
            _ => Err(no_arithmetic(token)),
        }
    }
}

/// Terms of a piece that is to be crossed with another.
fn crossable(piece: Piece) -> Parsed<Vec<Term>> {
    match piece {
        Piece::Intercept { one, at } => Err(format!(
            "`{}` at character {at} is the intercept, which cannot be crossed; write I() for arithmetic, as in I(2 * x)",
            u8::from(one)
        )),
        Piece::Terms(terms) | Piece::Group(terms) if terms.is_empty() => {
            Err("a group that is crossed has no terms".to_owned())
        }
        Piece::Terms(terms) | Piece::Group(terms) => Ok(terms),
    }
}

/// Every term of `left` united with every term of `right`, the left ones outermost.
fn cross(left: &[Term], right: &[Term]) -> Parsed<Vec<Term>> {
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

fn merge(terms: &mut Vec<Term>, new: Vec<Term>) -> Parsed<()> {
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
        Kind::Quoted => format!("`{}`", token.text),
        _ => token.text.to_owned(),
    }
}

/// A token where an operator between terms should be.
fn misplaced(token: Token<'_>) -> String {
    let at = token.at;
    match token.kind {
        Kind::Symbol('~') => {
            format!(
                "`~` at character {at} makes it two-sided; give only the covariates, as in `~ x1 + x2`"
            )
        }
        Kind::Symbol('/') => {
            format!("`/` at character {at} between terms is not supported; write a + a:b, or I(a/b) for a ratio")
        }
        Kind::Infix => {
            format!("`{}` at character {at} is not supported; write an interaction a:b", token.text)
        }
        _ => format!("`{}` at character {at} does not follow an operator", token.text),
    }
}

/// A token where a term should be.
fn no_term(token: Token<'_>) -> String {
    match token.kind {
        Kind::End => format!("it ends at character {} where a term is expected", token.at),
        _ => format!("`{}` at character {} is where a term is expected", token.text, token.at),
    }
}

fn no_arithmetic(token: Token<'_>) -> String {
    let found = match token.kind {
        Kind::End => format!("it ends at character {} inside arithmetic", token.at),
        _ => format!("`{}` at character {} is not supported in arithmetic", token.text, token.at),
    };
    format!(
        "{found}, which takes + - * / ^, parentheses, numbers, columns and log, log2, log10, log1p, exp, sqrt, abs"
    )
}
