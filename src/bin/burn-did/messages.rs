//! What standard error has: errors with what to do about them, and warnings.
//!
//! People read lines as `error: …` and `hint: …`. Programs that run this one set `BURN_DID_MESSAGES=json`; each message is then an object
//! on a line of its own: its `kind` (`error`, `warning`), the `text`, a `code` where it has one, and for errors a `hint`, or null.

use std::fmt::Display;
use std::io::{Write, stderr};

use burn_did::DidError;
use serde::Serialize;

use crate::error::CliError;
use crate::hints::hint as hint_of;
use crate::shown::escaped;

#[derive(Serialize)]
struct Message<'a> {
    kind: &'a str,
    code: Option<&'a str>,
    text: &'a str,
    hint: Option<&'a str>,
    /// Whether the text is lines that are complete.
    #[serde(skip)]
    lines: bool,
}

impl Message<'_> {
    /// Nobody may be listening.
    fn write(&self) {
        let mut out = stderr().lock();
        let _ = match std::env::var_os("BURN_DID_MESSAGES").is_some_and(|form| form == "json") {
            true => writeln!(out, "{}", self.as_json()),
            false => write!(out, "{}", self.as_lines()),
        };
    }

    fn as_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    fn as_lines(&self) -> String {
        let Self { kind, text, .. } = self;
        let mut lines = match self.lines {
            true => format!("{kind}: {}", escaped(text, true)),
            false => format!("{kind}: {}\n", escaped(text, false)),
        };
        if let Some(hint) = self.hint {
            lines += &format!("hint: {}\n", escaped(hint, false));
        }
        lines
    }
}

/// What is wrong with the command line, in the words of its parser.
pub(crate) fn usage(text: &str, hint: Option<&str>) {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    Message { kind: "error", code: Some("usage"), text, hint, lines: true }.write();
}

/// Says why a command fails, if that was not said before.
pub(crate) fn error(error: &CliError) {
    if matches!(error, CliError::Said) {
        return;
    }
    let (text, code) = (error.to_string(), Some(error.word()));
    let hint = error.hint();
    Message { kind: "error", code, text: &text, hint: hint.as_deref(), lines: false }.write();
}

/// An aggregate that could not be formed.
pub(crate) fn not_formed(aggregate: &str, error: &DidError) {
    let (text, code) = (format!("aggregate {aggregate}: {error}"), Some(error.code()));
    let hint = hint_of(error);
    Message { kind: "error", code, text: &text, hint: hint.as_deref(), lines: false }.write();
}

/// A step of a report that could not be made.
pub(crate) fn not_made(step: &str, error: &str) {
    let text = format!("step {step}: {error}");
    Message { kind: "error", code: Some("step"), text: &text, hint: None, lines: false }.write();
}

/// A warning or remark of a result.
pub(crate) fn remark(message: &burn_did::report::Message) {
    let code = message.code();
    Message { kind: "warning", code, text: &message.text, hint: None, lines: false }.write();
}

/// A warning about the command line or this machine.
pub(crate) fn warning(text: impl Display) {
    remark(&text.to_string().into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_lines_and_programs_objects() {
        let hint = Some("use \u{1b}another");
        let message = Message {
            kind: "error",
            code: Some("no_data"),
            text: "a \"b\"\nc",
            hint,
            lines: false,
        };
        assert_eq!(message.as_lines(), "error: a \"b\"\\nc\nhint: use \\u{1b}another\n");
        let read: serde_json::Value = serde_json::from_str(&message.as_json()).expect("an object");
        assert_eq!(read["text"], "a \"b\"\nc");
        assert_eq!(read["code"], "no_data");
        assert_eq!(read["hint"], "use \u{1b}another");
        assert!(!message.as_json().contains('\n'));
        let usage = Message { text: "no\n\nUsage: x\n", hint: None, lines: true, ..message };
        assert_eq!(usage.as_lines(), "error: no\n\nUsage: x\n");
    }
}
