//! Choices that are varied.

use std::fmt;

use crate::base::error::{DidError, Result};
use crate::base::options::{BasePeriod, ControlGroup, EstimationMethod};
use crate::base::words::{Words, joined, words};
use crate::study::joint::SampleFilter;

words! {
    /// A choice that specifications differ in, besides the estimator.
    pub enum StudyChoice: "vary" {
        /// Comparison units, where an estimator has the choice: never treated, or not yet.
        ControlGroup = "control_group",
        /// Base period of Callaway and Sant'Anna: universal or varying.
        BasePeriod = "base_period",
        /// Two-by-two estimator of Callaway and Sant'Anna: doubly robust, by weighting, by regression.
        Method = "est_method" | "method",
        /// Periods before treatment in which units may already react: 0 and 1, if no numbers are given.
        Anticipation = "anticipation",
        /// Covariates: every subset of the formula's terms, if no formulas are given.
        Covariates = "covariates" | "xformla",
        /// Rows: all, and all without each cohort in turn; or filters, as `all`, `without:2004`, or a column of 0 and 1.
        Sample = "sample",
    }
}

/// A choice with its values; no value stands for all that there are. The first value is that of the main specification.
///
/// ```
/// use burn_did::joint_study::Variation;
/// use burn_did::options::ControlGroup;
///
/// let read = Variation::read("control_group, anticipation=0,1,2, covariates=~1,~lpop")?;
/// assert_eq!(read[0], Variation::ControlGroup(Vec::<ControlGroup>::new()));
/// assert_eq!(read[1], Variation::Anticipation(vec![0, 1, 2]));
/// assert_eq!(read[2].to_string(), "covariates=~1,~lpop");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Variation {
    /// Comparison units; both without values.
    ControlGroup(Vec<ControlGroup>),
    /// Base periods; both without values.
    BasePeriod(Vec<BasePeriod>),
    /// Two-by-two estimators; all without values.
    Method(Vec<EstimationMethod>),
    /// Periods of anticipation; 0 and 1 without values.
    Anticipation(Vec<u32>),
    /// Formulas, which take the place of the study's own; without values every subset of the terms of the study's covariates.
    Covariates(Vec<String>),
    /// Filters; without values all rows, and all rows without each cohort in turn.
    Sample(Vec<SampleFilter>),
}

impl Variation {
    /// The choice with all its values.
    #[must_use]
    pub fn all(choice: StudyChoice) -> Self {
        match choice {
            StudyChoice::ControlGroup => Self::ControlGroup(Vec::new()),
            StudyChoice::BasePeriod => Self::BasePeriod(Vec::new()),
            StudyChoice::Method => Self::Method(Vec::new()),
            StudyChoice::Anticipation => Self::Anticipation(Vec::new()),
            StudyChoice::Covariates => Self::Covariates(Vec::new()),
            StudyChoice::Sample => Self::Sample(Vec::new()),
        }
    }

    /// The choice.
    #[must_use]
    pub fn choice(&self) -> StudyChoice {
        match self {
            Self::ControlGroup(_) => StudyChoice::ControlGroup,
            Self::BasePeriod(_) => StudyChoice::BasePeriod,
            Self::Method(_) => StudyChoice::Method,
            Self::Anticipation(_) => StudyChoice::Anticipation,
            Self::Covariates(_) => StudyChoice::Covariates,
            Self::Sample(_) => StudyChoice::Sample,
        }
    }

    /// Choices as they are written on the command line: names, each alone or with `=` and its values, separated by commas.
    ///
    /// # Errors
    /// [`DidError::Config`] for what is no choice, or no value of one.
    pub fn read(text: &str) -> Result<Vec<Self>> {
        let mut read: Vec<(StudyChoice, Vec<String>)> = Vec::new();
        for item in outside_brackets(text, ',') {
            let item = item.trim();
            let (name, first) = match item.split_once('=') {
                Some((name, first)) => (name, Some(first)),
                None => (item, None),
            };
            match (name.parse::<StudyChoice>(), read.last_mut()) {
                (Ok(choice), _) => {
                    let first = first.map(|first| first.trim().to_owned());
                    read.push((choice, first.into_iter().collect()));
                }
                // One more value of a choice that has some.
                (Err(_), Some((_, values))) if !values.is_empty() => values.push(item.to_owned()),
                (Err(_), _) => return Err(DidError::config("vary", StudyChoice::EXPECTED, item)),
            }
        }
        read.iter().map(|(choice, values)| Self::of(*choice, values)).collect()
    }

    fn of(choice: StudyChoice, values: &[String]) -> Result<Self> {
        Ok(match choice {
            StudyChoice::ControlGroup => {
                Self::ControlGroup(parsed(values, ControlGroup::EXPECTED)?)
            }
            StudyChoice::BasePeriod => Self::BasePeriod(parsed(values, BasePeriod::EXPECTED)?),
            StudyChoice::Method => Self::Method(parsed(values, EstimationMethod::EXPECTED)?),
            StudyChoice::Anticipation => {
                Self::Anticipation(parsed(values, "`anticipation=` with whole numbers, as 0,1,2")?)
            }
            StudyChoice::Covariates => Self::Covariates(values.to_vec()),
            StudyChoice::Sample => {
                Self::Sample(parsed(values, "`all`, `without:` with a cohort, or a column")?)
            }
        })
    }
}

/// As [`Variation::read`] reads it.
impl fmt::Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.choice().word())?;
        let values = match self {
            Self::ControlGroup(values) => joined(values, ","),
            Self::BasePeriod(values) => joined(values, ","),
            Self::Method(values) => joined(values, ","),
            Self::Anticipation(values) => joined(values, ","),
            Self::Covariates(values) => joined(values, ","),
            Self::Sample(values) => joined(values, ","),
        };
        if values.is_empty() { Ok(()) } else { write!(f, "={values}") }
    }
}

fn parsed<T: std::str::FromStr>(values: &[String], expected: &'static str) -> Result<Vec<T>> {
    let value = |text: &String| text.parse().map_err(|_| DidError::config("vary", expected, text));
    values.iter().map(value).collect()
}

/// The parts of a text between separators that are in no brackets.
pub(super) fn outside_brackets(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if letter == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
