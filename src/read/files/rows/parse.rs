//! Conditions as text.

use std::fmt;
use std::str::FromStr;

use super::condition::{Order, RowCondition, Test};
use crate::base::error::{DidError, Result};

/// The option that has the conditions.
pub(super) const OPTION: &str = "rows";

const EXPECTED: &str = "a column and what is asked of it, such as `year <= 2014`, `state != CA,NY` or `wage is missing`";
const ONE_EACH: &str = "one condition each: give the option once more for another, which must hold as well, and put text with any of `<>=!&|()` between quotation marks";
const ONE_VALUE: &str = "one value after `<`, `<=`, `>` and `>=`";

/// Characters of which none is in a value without quotation marks.
const SPECIAL: [char; 9] = ['<', '>', '=', '!', '&', '|', '(', ')', '`'];

/// Characters of which none is in a name without backticks.
const SIGNS: [char; 4] = ['<', '>', '=', '!'];

impl FromStr for RowCondition {
    type Err = DidError;

    fn from_str(text: &str) -> Result<Self> {
        condition(text)
    }
}

impl fmt::Display for RowCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = &self.column;
        let name = if column.contains(SIGNS) { format!("`{column}`") } else { column.clone() };
        let values = |values: &[String]| {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            values.join(",")
        };
        match &self.test {
            Test::Among(among) => write!(f, "{name} == {}", values(among)),
            Test::NotAmong(among) => write!(f, "{name} != {}", values(among)),
            Test::Ordered(order, value) => {
                write!(f, "{name} {} {}", order.sign(), quoted(value))
            }
            Test::Missing => write!(f, "{name} is missing"),
            Test::Present => write!(f, "{name} is not missing"),
        }
    }
}

/// Reads a condition.
fn condition(text: &str) -> Result<RowCondition> {
    let refused = |expected| DidError::config(OPTION, expected, text);
    let trimmed = text.trim();
    let (column, rest) = match trimmed.strip_prefix('`') {
        Some(inner) => inner.split_once('`').ok_or_else(|| refused(EXPECTED))?,
        None => match trimmed.find(SIGNS) {
            Some(at) => trimmed.split_at(at),
            None => before_is(trimmed).ok_or_else(|| refused(EXPECTED))?,
        },
    };
    let (column, rest) = (column.trim(), rest.trim());
    if column.is_empty() {
        return Err(refused(EXPECTED));
    }
    if column.contains(['&', '|']) && !trimmed.starts_with('`') {
        return Err(refused(ONE_EACH));
    }
    let test = if let Some(missing) = missing(rest) {
        missing
    } else {
        // The longer signs first.
        let signs = ["<=", ">=", "==", "!=", "<", ">", "="];
        let found = signs.iter().find_map(|sign| Some((*sign, rest.strip_prefix(sign)?)));
        let (sign, list) = found.ok_or_else(|| refused(EXPECTED))?;
        let mut values = values(list).map_err(refused)?;
        let mut one = |order| match values.len() {
            1 => Ok(Test::Ordered(order, values.remove(0))),
            _ => Err(refused(ONE_VALUE)),
        };
        match sign {
            "<=" => one(Order::AtMost)?,
            ">=" => one(Order::AtLeast)?,
            "<" => one(Order::Less)?,
            ">" => one(Order::Greater)?,
            "!=" => Test::NotAmong(values),
            _ => Test::Among(values),
        }
    };
    Ok(RowCondition { column: column.to_owned(), test })
}

/// What stands before ` is missing` or ` is not missing`, and that.
fn before_is(text: &str) -> Option<(&str, &str)> {
    let ends = text.char_indices().filter(|(_, c)| c.is_whitespace());
    ends.map(|(at, _)| text.split_at(at)).find(|(_, rest)| missing(rest.trim()).is_some())
}

fn missing(text: &str) -> Option<Test> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["is", "missing"] => Some(Test::Missing),
        ["is", "not", "missing"] => Some(Test::Present),
        _ => None,
    }
}

/// The values of a list.
fn values(list: &str) -> std::result::Result<Vec<String>, &'static str> {
    let (mut out, mut rest) = (Vec::new(), list.trim());
    loop {
        let (value, after) = match rest.strip_prefix(['"', '\'']) {
            Some(inner) => {
                let mark = &rest[..1];
                let (value, after) = inner.split_once(mark).ok_or(EXPECTED)?;
                (value, after.trim_start())
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let value = rest[..end].trim();
                if value.contains(SPECIAL) {
                    return Err(ONE_EACH);
                }
                if value.is_empty() {
                    return Err(EXPECTED);
                }
                (value, &rest[end..])
            }
        };
        out.push(value.to_owned());
        match after.strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None if after.is_empty() => return Ok(out),
            None => return Err(EXPECTED),
        }
    }
}

/// A value as [`values`] reads it.
fn quoted(value: &str) -> String {
    let plain = !value.is_empty()
        && value.trim() == value
        && !value.contains(SPECIAL)
        && !value.contains([',', '"', '\'']);
    match value {
        _ if plain => value.to_owned(),
        _ if value.contains('"') => format!("'{value}'"),
        _ => format!("\"{value}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> RowCondition {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn conditions_are_written_as_they_are_read() {
        for (text, shown) in [
            ("year <= 2014", "year <= 2014"),
            (" year<=2014 ", "year <= 2014"),
            ("state=CA", "state == CA"),
            ("state == CA, New York", "state == CA,New York"),
            ("state != \"CA, USA\",'O'", "state != \"CA, USA\",O"),
            ("firm == \"Smith & Co\"", "firm == \"Smith & Co\""),
            ("said == 'a \"b\"'", "said == 'a \"b\"'"),
            ("log wage > -1.5e-3", "log wage > -1.5e-3"),
            ("`a<b` >= 2", "`a<b` >= 2"),
            ("`year` < 3", "year < 3"),
            ("wage is missing", "wage is missing"),
            ("what is it Is  Not Missing", "what is it is not missing"),
            ("date < 2014-Q1", "date < 2014-Q1"),
            ("name == ''", "name == \"\""),
        ] {
            let condition = read(text);
            assert_eq!(condition.to_string(), shown, "{text}");
            assert_eq!(read(shown), condition, "{text}");
        }
        assert_eq!(read("`a=b` is missing").column(), "a=b");
    }

    #[test]
    fn what_is_no_condition_says_what_one_is() {
        for (text, part) in [
            ("", "`year <= 2014`"),
            ("year", "`year <= 2014`"),
            ("year <=", "`year <= 2014`"),
            ("<= 2014", "`year <= 2014`"),
            ("year == 2014,", "`year <= 2014`"),
            ("year == \"2014", "`year <= 2014`"),
            ("year == \"2014\" 2015", "`year <= 2014`"),
            ("`year < 2014", "`year <= 2014`"),
            ("year < 2014,2015", "one value"),
            ("2000 < year < 2014", "one condition"),
            ("year < 2014 & state == CA", "one condition"),
            ("state %in% c(\"CA\")", "`year <= 2014`"),
            ("state == c(CA,NY)", "one condition"),
        ] {
            let error = text.parse::<RowCondition>().expect_err(text).to_string();
            assert!(error.starts_with("`rows` must be") && error.contains(part), "{text}: {error}");
        }
    }
}
