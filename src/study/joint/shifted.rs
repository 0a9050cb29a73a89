//! What estimators say of rows in which periods count later than in the data.

use crate::base::error::DidError;

/// Says of a text about rows in which periods are so much later that they are.
pub(super) fn note(text: &mut String, shift: f64) {
    if shift > 0.0 {
        text.push_str(&format!(
            " (with anticipation, periods and event times in this message are {shift} larger than in the data)"
        ));
    }
}

/// An error about such rows, with the same remark where its text may name periods.
pub(super) fn error(mut error: DidError, shift: f64) -> DidError {
    if let DidError::Panel { problem: text } | DidError::EmptyWindow { what: text } = &mut error {
        note(text, shift);
    }
    error
}
