//! One table type, rendered as plain text, markdown, LaTeX or HTML.

mod blocks;
mod columns;
mod html;
mod latex;
mod markdown;
mod published;
mod text;

use serde::{Deserialize, Serialize};

use crate::base::words::words;

pub(crate) use columns::{aligned, columns, strings};
#[cfg(feature = "report")]
pub(crate) use html::escaped;
pub use published::EstimateColumns;

words! {
    /// How a column is set.
    #[derive(Default)]
    pub enum Align: "align" {
        /// Flush left.
        Left = "left",
        /// Flush right, for numbers of the same precision.
        #[default]
        Right = "right",
        /// Centred; flush right in plain text.
        Centre = "centre",
        /// Flush left and close to the column before it, for stars and footnote marks.
        Mark = "mark",
    }
}

/// Rows under a common header.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Section {
    /// Line above the header.
    pub caption: Option<String>,
    /// Column heads; empty for none.
    pub header: Vec<String>,
    /// Cells by row.
    pub rows: Vec<Vec<String>>,
}

impl Section {
    /// No rows under these column heads.
    #[must_use]
    pub fn new(header: impl IntoIterator<Item: Into<String>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Sets the line above the header.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// Adds a row.
    #[must_use]
    pub fn row(mut self, cells: impl IntoIterator<Item: Into<String>>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }
}

/// A table for people: `Display` gives plain text.
///
/// ```
/// use burn_did::report::{Section, Table};
/// let effects = Section::new(["e", "ATT"]).row(["0", "-0.0199"]);
/// let table = Table::new("Effects_1").section(effects);
/// assert_eq!(table.to_string(), "Effects_1\n\n e      ATT\n 0  -0.0199\n");
/// assert!(table.to_latex().contains(r"\caption{Effects\_1}"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct Table {
    /// Title.
    pub title: String,
    /// Alignment by column; columns beyond it are flush right.
    pub align: Vec<Align>,
    /// Blocks of rows, all with the same columns.
    pub sections: Vec<Section>,
    /// Lines at the foot.
    pub notes: Vec<String>,
    /// The title in markdown and LaTeX, if it is another than [`Self::title`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// What `\ref` finds the table by in LaTeX, after `tab:` unless there is a colon in it; without one there is no `\label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether centred columns are aligned on decimal points in LaTeX, by the package `siunitx`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub siunitx: bool,
    /// Columns that markdown and LaTeX set as an estimate with its uncertainty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub estimates: Vec<EstimateColumns>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a block of rows.
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// Adds a line at the foot.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Aligns centred columns on decimal points in LaTeX, by the package `siunitx`.
    pub fn siunitx(mut self, aligned: bool) -> Self {
        self.siunitx = aligned;
        self
    }

    /// The title in markdown and LaTeX.
    fn printed_title(&self) -> &str {
        self.caption.as_ref().unwrap_or(&self.title).trim()
    }

    fn columns(&self) -> usize {
        let rows = |s: &Section| s.rows.iter().map(Vec::len).max().unwrap_or(0).max(s.header.len());
        self.sections.iter().map(rows).max().unwrap_or(0)
    }

    fn align(&self, column: usize) -> Align {
        self.align.get(column).copied().unwrap_or_default()
    }
}

/// One line that is shown as it reads: line breaks and other control characters become spaces, and what turns the direction
/// of text is left out.
pub(crate) fn one_line(text: &str) -> String {
    let shown = text.chars().filter(|c| !turns(*c));
    shown.map(|c| if c.is_control() || is_break(c) { ' ' } else { c }).collect()
}

/// Whether a character marks or overrides the direction of text.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}

fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", String::as_str)
}

#[cfg(test)]
mod tests;
