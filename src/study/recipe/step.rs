//! What a report consists of.

use crate::report::Table;

/// Steps that answer one question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chapter {
    /// Its name in links.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it is for, and what to look at; paragraphs.
    pub about: &'static [&'static str],
    /// Its steps.
    pub steps: Vec<Step>,
}

/// One command, and what it gives.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// Its name in links and of its files.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The command line that gives the same numbers.
    pub command: String,
    /// The table; `None` if it could not be made.
    pub table: Option<Table>,
    /// The picture, if there is one.
    pub picture: Option<StepPicture>,
    /// Warnings in words.
    pub warnings: Vec<String>,
    /// The saved result, if later commands read it.
    pub saved: Option<String>,
    /// Why something could not be made.
    pub errors: Vec<String>,
}

/// A picture of a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepPicture {
    /// As an SVG document.
    pub svg: String,
    /// As a PDF document.
    pub pdf: Vec<u8>,
    /// What it shows, for those who do not see it.
    pub alt: String,
}

/// A number that a reader looks for first, and the step that it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What it is.
    pub name: String,
    /// The number in words.
    pub value: String,
    /// Name of its step.
    pub step: String,
}
