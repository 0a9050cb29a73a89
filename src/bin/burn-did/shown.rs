//! Text from files and arguments as a terminal may be given it.

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

/// As [`escaped`], inside a JSON document: its own escapes in place of those characters that may stand in it as they are.
pub(crate) fn in_json(fragment: &str) -> String {
    let mut out = String::with_capacity(fragment.len());
    for c in fragment.chars() {
        if is_harmless(c) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

fn is_harmless(c: char) -> bool {
    let hidden = matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    );
    !c.is_control() && !hidden
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

    #[test]
    fn json_stays_json() {
        let text = format!("\"{}\"", in_json("a\u{9b}\u{202e}\u{e0041}ß"));
        let back: String = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, "a\u{9b}\u{202e}\u{e0041}ß");
        assert!(text.chars().all(|c| c.is_ascii() || c == 'ß'));
    }
}
