//! Characters that may be shown as they are.

/// Whether a character is seen and does not change how others are shown: no control character, and none that is invisible or turns
/// the direction of text.
#[must_use]
pub fn is_harmless(c: char) -> bool {
    let hidden = matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    );
    !c.is_control() && !hidden
}
