//! Text from files and arguments as a terminal may be given it.

use burn_did::command_line::is_harmless;

/// The text with control characters, and characters that are not seen or turn the direction of text, as escapes such as
/// `\u{1b}`; line breaks too unless they are kept.
pub(crate) fn escaped(text: &str, keep_lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' if keep_lines => out.push(c),
            c if is_harmless(c) => out.push(c),
            c => out.extend(c.escape_default()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_see_no_control_characters() {
        let name = "a\u{1b}[2J\r\n\u{9b}31m\u{202e}é\u{7f}";
        assert_eq!(escaped(name, false), "a\\u{1b}[2J\\r\\n\\u{9b}31m\\u{202e}é\\u{7f}");
        assert_eq!(escaped("two\nlines\t", true), "two\nlines\\t");
        assert_eq!(escaped("größe 价格 میانگین", false), "größe 价格 میانگین");
    }
}
