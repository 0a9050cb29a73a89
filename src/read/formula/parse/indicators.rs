//! `i(column, by, ref = …, keep = …)`: dummies of a column's levels, as in R `fixest`.

use super::super::ast::{AtomSource, Chosen, FormulaTerm, References, Value};
use super::super::lex::{Token, TokenKind};
use super::{Parsed, Parser};

/// Levels that an argument may list.
const MOST_LEVELS: usize = 4_096;

/// What stands in the brackets of `i()`.
#[derive(Default)]
struct Arguments {
    by: Option<(String, bool)>,
    references: Option<References>,
    keep: Vec<Value>,
    references_of_by: References,
    keep_of_by: Vec<Value>,
}

impl<'a> Parser<'a> {
    /// The term of an `i()`: its dummies, and what they are interacted with.
    pub(super) fn indicators(&mut self, name: Token<'a>) -> Parsed<FormulaTerm> {
        let opened = self.advance();
        let factor = self.column_of_i(name)?;
        let given = self.arguments(name)?;
        self.close(opened)?;
        let chosen =
            Chosen { references: given.references.unwrap_or(References::Unsaid), keep: given.keep };
        let column = self.variable(&factor);
        let first = self.atom_index(factor, AtomSource::Indicators { column, chosen })?;
        let Some((by, factor)) = given.by else { return Ok(vec![first]) };
        let chosen = Chosen { references: given.references_of_by, keep: given.keep_of_by };
        let column = self.variable(&by);
        let second = self.atom_index(by, AtomSource::By { column, of: first, factor, chosen })?;
        let mut term = vec![first, second];
        term.sort_unstable();
        Ok(term)
    }

    fn column_of_i(&mut self, name: Token<'a>) -> Parsed<String> {
        let column = self.advance();
        match column.kind {
            TokenKind::Name | TokenKind::Quoted => Ok(column.text.to_owned()),
            _ => Err(format!(
                "`i()` at character {} takes a column name first, as in i(year, treated, ref = 2005)",
                name.at
            )),
        }
    }

    fn arguments(&mut self, name: Token<'a>) -> Parsed<Arguments> {
        let mut given = Arguments::default();
        while self.take(',').is_some() {
            let token = self.peek();
            let named =
                self.tokens.get(self.next + 1).is_some_and(|t| t.kind == TokenKind::Symbol('='));
            if named {
                self.advance();
                self.advance();
                match token.text {
                    "ref" => given.references = Some(self.references()?),
                    "keep" => given.keep = self.values()?,
                    "ref2" => given.references_of_by = self.references()?,
                    "keep2" => given.keep_of_by = self.values()?,
                    other => {
                        return Err(format!(
                            "`{other}` at character {} is no argument of i(), which has ref, keep, ref2 and keep2",
                            token.at
                        ));
                    }
                }
                continue;
            }
            let known = matches!(token.text, "TRUE" | "FALSE" | "c");
            match token.kind {
                TokenKind::Name | TokenKind::Quoted if given.by.is_none() && !known => {
                    self.advance();
                    let factor =
                        token.text.strip_prefix("i.").filter(|_| token.kind == TokenKind::Name);
                    given.by = Some((factor.unwrap_or(token.text).to_owned(), factor.is_some()));
                }
                // As in `fixest`, levels without a name are the references.
                _ if given.references.is_none() => given.references = Some(self.references()?),
                _ => {
                    return Err(format!(
                        "`{}` at character {} is one argument of `i()` at character {} too many",
                        token.text, token.at, name.at
                    ));
                }
            }
        }
        Ok(given)
    }

    fn references(&mut self) -> Parsed<References> {
        let token = self.peek();
        let word = (token.kind == TokenKind::Name).then_some(token.text);
        match word {
            Some("TRUE") => {
                self.advance();
                Ok(References::First)
            }
            Some("FALSE") => {
                self.advance();
                Ok(References::None)
            }
            _ => Ok(References::Given(self.values()?)),
        }
    }

    /// A level, or several as in `c(1, 2)`, `2:4` and `c(1, 3:5)`.
    fn values(&mut self) -> Parsed<Vec<Value>> {
        if !(self.peek().text == "c"
            && self.tokens.get(self.next + 1).is_some_and(|t| t.text == "("))
        {
            return Ok(vec![self.value_or_range()?]);
        }
        self.advance();
        let opened = self.advance();
        let mut values = vec![self.value_or_range()?];
        while self.take(',').is_some() {
            values.push(self.value_or_range()?);
            if values.len() > MOST_LEVELS {
                return Err("it lists more levels than it may".to_owned());
            }
        }
        self.close(opened)?;
        Ok(values)
    }

    /// A level, or a range of whole steps as in R.
    fn value_or_range(&mut self) -> Parsed<Value> {
        let first = self.value()?;
        let Some(colon) = self.take(':') else { return Ok(first) };
        match (first, self.value()?) {
            (Value::Number(from), Value::Number(to)) => Ok(Value::Range { from, to }),
            _ => {
                Err(format!("`:` at character {} is between levels that are no numbers", colon.at))
            }
        }
    }

    fn value(&mut self) -> Parsed<Value> {
        let sign = if self.take('-').is_some() { -1.0 } else { 1.0 };
        let token = self.advance();
        match token.kind {
            TokenKind::Number(value) => Ok(Value::Number(sign * value)),
            TokenKind::Text if sign > 0.0 => Ok(Value::Text(token.text.to_owned())),
            TokenKind::Name if sign > 0.0 && matches!(token.text, "TRUE" | "FALSE") => {
                Ok(Value::Text(token.text.to_owned()))
            }
            TokenKind::End => Err(format!("it ends at character {} inside i()", token.at)),
            _ => Err(format!(
                "`{}` at character {} is no level, which is a number or a text in quotes",
                token.text, token.at
            )),
        }
    }
}
