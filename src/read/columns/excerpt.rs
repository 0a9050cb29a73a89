//! Values of the data in messages.

/// Characters shown, at most.
const SHOWN: usize = 40;

/// The beginning of a text in one line, without what a terminal would obey.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_control_characters() {
        assert_eq!(excerpt("n.a."), "n.a.");
        assert_eq!(excerpt("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(excerpt(&"x\n".repeat(50)), format!("{}…", "x\\n".repeat(20)));
    }
}
