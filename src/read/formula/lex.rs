//! Tokens of a formula.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    /// A bare name.
    Name,
    /// A name in backticks, which `text` does not include.
    Quoted,
    /// An operator or bracket; `**` is read as `^`.
    Symbol(char),
    /// R's `%in%` and the like.
    Infix,
    /// A text in quotes, which `text` does not include; of regressions only.
    Text,
    /// After the last token.
    End,
}

/// A token and where it starts, in characters counted from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// The kind of formula, which decides its syntax.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Dialect {
    /// Covariates alone.
    Covariates,
    /// A regression with its outcome and fixed effects, which has `|`, `=`, brackets and texts besides.
    Regression,
}

/// Tokens of `text`, the last one being [`TokenKind::End`].
pub(super) fn tokens(text: &str, dialect: Dialect) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = Vec::new();
    let mut unread = text;
    let mut at = 1;
    loop {
        let trimmed = unread.trim_start();
        at += unread[..unread.len() - trimmed.len()].chars().count();
        unread = trimmed;
        let Some(first) = unread.chars().next() else { break };
        let (kind, length) = match dialect {
            Dialect::Covariates => token(unread, first, at)?,
            Dialect::Regression => regression_token(unread, first, at)?,
        };
        let text = match kind {
            TokenKind::Quoted | TokenKind::Text => &unread[1..length - 1],
            _ => &unread[..length],
        };
        tokens.push(Token { kind, text, at });
        at += unread[..length].chars().count();
        unread = &unread[length..];
    }
    tokens.push(Token { kind: TokenKind::End, text: "", at });
    Ok(tokens)
}

/// As [`token`], with the symbols that only regressions have.
fn regression_token(rest: &str, first: char, at: usize) -> Result<(TokenKind, usize), String> {
    match first {
        '|' | '=' | '[' | ']' => Ok((TokenKind::Symbol(first), 1)),
        '"' | '\'' => match rest[1..].find(first) {
            Some(length) => Ok((TokenKind::Text, length + 2)),
            None => Err(format!("the quote at character {at} is not closed")),
        },
        _ => token(rest, first, at),
    }
}

/// Kind and length in bytes of the token that `rest` starts with.
fn token(rest: &str, first: char, at: usize) -> Result<(TokenKind, usize), String> {
    let second = rest[first.len_utf8()..].chars().next();
    match first {
        '0'..='9' => number(rest, at),
        '.' if second.is_some_and(|c| c.is_ascii_digit()) => number(rest, at),
        c if in_name(c) => Ok((TokenKind::Name, rest.find(|c| !in_name(c)).unwrap_or(rest.len()))),
        '`' => match rest[1..].find('`') {
            None => Err(format!("the backtick at character {at} is not closed")),
            Some(0) => Err(format!("the backticks at character {at} hold no name")),
            Some(length) => Ok((TokenKind::Quoted, length + 2)),
        },
        '*' if second == Some('*') => Ok((TokenKind::Symbol('^'), 2)),
        '+' | '-' | '*' | '/' | '^' | ':' | '(' | ')' | ',' | '~' => {
            Ok((TokenKind::Symbol(first), 1))
        }
        '%' => match rest[1..].find('%') {
            Some(length) => Ok((TokenKind::Infix, length + 2)),
            None => Err(unexpected(first, at)),
        },
        _ => Err(unexpected(first, at)),
    }
}

fn unexpected(character: char, at: usize) -> String {
    // Stata's interactions.
    let instead = match character {
        '#' => {
            "write `a:b` for `a#b`, `a * b` for `a##b` and `I(x^2)` for `c.x#c.x`, with `C(a)` for a column of levels; "
        }
        _ => "",
    };
    format!(
        "`{character}` at character {at} is not supported; {instead}put a column name that has such characters in backticks"
    )
}

fn number(rest: &str, at: usize) -> Result<(TokenKind, usize), String> {
    let digits = |from: usize| {
        rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| from + length)
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let last = digits(end + 1 + sign);
        if last > end + 1 + sign {
            end = last;
        }
    }
    match rest[..end].parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((TokenKind::Number(value), end)),
        _ => Err(format!("`{}` at character {at} is not a finite number", &rest[..end])),
    }
}

fn in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Whether a name needs no backticks.
pub(super) fn is_bare_name(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = match characters.next() {
        Some('.') => !characters.next().is_some_and(|c| c.is_ascii_digit()),
        Some(first) => in_name(first) && !first.is_ascii_digit(),
        None => false,
    };
    starts && name.chars().all(in_name) && name != "."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text, Dialect::Covariates).unwrap().iter().map(|t| t.kind).collect()
    }

    #[test]
    fn numbers_names_and_symbols() {
        use TokenKind::*;
        assert_eq!(kinds("1.5e-3"), [Number(0.0015), End]);
        assert_eq!(kinds(".5"), [Number(0.5), End]);
        assert_eq!(kinds("2e"), [Number(2.0), Name, End]);
        assert_eq!(kinds("x.1**2"), [Name, Symbol('^'), Number(2.0), End]);
        assert_eq!(kinds("a %in% b"), [Name, Infix, Name, End]);
        assert_eq!(kinds(".x"), [Name, End]);
    }

    #[test]
    fn positions_count_characters() {
        let tokens = tokens("größe + `ein Feld` * ß", Dialect::Covariates).unwrap();
        let found: Vec<_> = tokens.iter().map(|t| (t.text, t.at)).collect();
        assert_eq!(
            found,
            [("größe", 1), ("+", 7), ("ein Feld", 9), ("*", 20), ("ß", 22), ("", 23)]
        );
    }

    #[test]
    fn what_cannot_be_a_token() {
        let tokens = |text| tokens(text, Dialect::Covariates);
        assert!(tokens("a + `b").unwrap_err().contains("backtick at character 5"));
        assert!(tokens("``").unwrap_err().contains("no name"));
        assert!(tokens("a > 1").unwrap_err().contains("`>` at character 3"));
        assert!(tokens("I(x^1e999)").unwrap_err().contains("finite"));
    }

    #[test]
    fn regressions_have_more_tokens() {
        let tokens = |text| tokens(text, Dialect::Regression);
        let found = tokens("i(f, ref = 'a b') | g[x]").unwrap();
        let texts: Vec<_> = found.iter().map(|t| t.text).collect();
        assert_eq!(
            texts,
            ["i", "(", "f", ",", "ref", "=", "a b", ")", "|", "g", "[", "x", "]", ""]
        );
        assert_eq!(found[6].kind, TokenKind::Text);
        assert!(tokens("i(f, ref = \"a)").unwrap_err().contains("quote at character 12"));
    }

    #[test]
    fn names_that_need_backticks() {
        for name in ["x", "first.treat", ".x", "_x", "größe", "x2"] {
            assert!(is_bare_name(name), "{name}");
        }
        for name in ["2x", ".2", ".", "", "a b", "a-b"] {
            assert!(!is_bare_name(name), "{name}");
        }
    }
}
