//! What a result says in words.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

use super::DidWarning;
use crate::base::calendar::Frequency;

/// A warning or remark of a result in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
#[non_exhaustive]
pub struct Message {
    /// The word for its kind, as [`DidWarning::code`] and [`DidError::code`](crate::DidError::code) give it; none for a remark of no such kind.
    pub code: Option<Cow<'static, str>>,
    /// What it says, with periods as people read them.
    pub text: String,
}

/// A message as it is saved; earlier versions saved the text alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Coded { code: Option<String>, text: String },
}

impl From<Written> for Message {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text.into(),
            Written::Coded { code, text } => Self { code: code.map(Cow::Owned), text },
        }
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self { code: None, text }
    }
}

impl Message {
    /// The message with what it is about in front.
    #[must_use]
    pub fn about(self, subject: impl Display) -> Self {
        Self { text: format!("{subject}: {}", self.text), ..self }
    }

    /// The code, if it has one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl DidWarning {
    /// The warning in words, with periods as this frequency names them.
    pub(crate) fn message(&self, frequency: Option<Frequency>) -> Message {
        Message { code: Some(self.code().into()), text: self.shown(frequency) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_saved_and_as_a_text() {
        let warning =
            DidWarning::DroppedRows { rows: 3, columns: Vec::new() }.message(None).about("etwfe");
        let saved = serde_json::to_string(&warning).expect("a message is written");
        assert_eq!(serde_json::from_str::<Message>(&saved).expect("it is read"), warning);
        assert_eq!(warning.code(), Some("dropped_rows"));
        assert!(warning.to_string().starts_with("etwfe: dropped 3 "), "{warning}");
        let earlier: Message = serde_json::from_str("\"no row\"").expect("texts are read");
        assert_eq!((earlier.code(), earlier.text.as_str()), (None, "no row"));
    }
}
