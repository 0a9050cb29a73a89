//! Words as a shell has them.

/// A word, in quotes where a shell would read it as something else.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./:,=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_read_them_otherwise() {
        assert_eq!(quoted("data/a-1.csv"), "data/a-1.csv");
        assert_eq!(quoted("first treat"), "'first treat'");
        assert_eq!(quoted("o'brien"), r"'o'\''brien'");
    }
}
