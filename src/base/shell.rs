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

/// A path, which a program does not take for an option.
#[must_use]
pub fn path(path: &str) -> String {
    if path.starts_with('-') { quoted(&format!("./{path}")) } else { quoted(path) }
}

/// An option with its value, which a program does not take for another option.
#[must_use]
pub fn option(name: &str, value: &str) -> String {
    let is_like_an_option = value.starts_with('-') && value.parse::<f64>().is_err();
    let between = if is_like_an_option { '=' } else { ' ' };
    format!("--{name}{between}{}", quoted(value))
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

    #[test]
    fn values_are_no_options() {
        assert_eq!([path("a b.csv"), path("-a.csv")], ["'a b.csv'", "./-a.csv"]);
        assert_eq!(option("yname", "y"), "--yname y");
        assert_eq!([option("yname", "-y"), option("min-e", "-3")], ["--yname=-y", "--min-e -3"]);
    }
}
