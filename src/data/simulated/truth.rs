//! What estimates of simulated data should be.

use std::fmt;

use polars::prelude::{Column, DataFrame};
use serde::{Deserialize, Serialize};

/// A parameter of a simulation and its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Truth {
    /// The parameter: `att` of a group in a period, `event_study`, `overall_simple`, `effect`, `dose_att`, `function`, `coefficient`, …
    pub parameter: String,
    /// The term, of a coefficient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
    /// First treated period of the cohort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<i64>,
    /// Period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<i64>,
    /// Periods since treatment began; of treatments that switch, since the period before the first switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_time: Option<i64>,
    /// Dose, or value of the regressor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The true value.
    pub value: f64,
}

impl Truth {
    pub(super) fn new(parameter: &str, value: f64) -> Self {
        let parameter = parameter.to_owned();
        Self { parameter, term: None, group: None, time: None, event_time: None, at: None, value }
    }

    /// ATT(g, t).
    pub(super) fn att(group: i64, time: i64, value: f64) -> Self {
        Self { group: Some(group), time: Some(time), ..Self::new("att", value) }
    }

    pub(super) fn by_event(parameter: &str, event_time: i64, value: f64) -> Self {
        Self { event_time: Some(event_time), ..Self::new(parameter, value) }
    }

    pub(super) fn at(parameter: &str, at: f64, value: f64) -> Self {
        Self { at: Some(at), ..Self::new(parameter, value) }
    }

    pub(super) fn coefficient(term: &str, value: f64) -> Self {
        Self { term: Some(term.to_owned()), ..Self::new("coefficient", value) }
    }

    /// The parameter as a person writes it: `ATT(3, 4)`, `event_study 0`, `dose_att 0.5`.
    #[must_use]
    pub fn name(&self) -> String {
        match (self.group, self.time, self.event_time, self.at, &self.term) {
            (Some(group), Some(time), ..) => format!("ATT({group}, {time})"),
            (Some(group), ..) => format!("{} {group}", self.parameter),
            (_, Some(time), ..) => format!("{} {time}", self.parameter),
            (_, _, Some(event), ..) => format!("{} {event}", self.parameter),
            (_, _, _, Some(at), _) => format!("{} {at}", self.parameter),
            (_, _, _, _, Some(term)) => format!("{} {term}", self.parameter),
            _ => self.parameter.clone(),
        }
    }

    /// One row a parameter: `parameter`, `term`, `group`, `time`, `event_time`, `at`, `value`; null where a parameter has none.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn frame(truths: &[Self]) -> crate::Result<DataFrame> {
        let texts: Vec<&str> = truths.iter().map(|truth| &*truth.parameter).collect();
        let terms: Vec<Option<&str>> = truths.iter().map(|truth| truth.term.as_deref()).collect();
        let whole = |of: fn(&Self) -> Option<i64>| truths.iter().map(of).collect::<Vec<_>>();
        let columns = vec![
            Column::new("parameter".into(), texts),
            Column::new("term".into(), terms),
            Column::new("group".into(), whole(|truth| truth.group)),
            Column::new("time".into(), whole(|truth| truth.time)),
            Column::new("event_time".into(), whole(|truth| truth.event_time)),
            Column::new("at".into(), truths.iter().map(|truth| truth.at).collect::<Vec<_>>()),
            Column::new("value".into(), truths.iter().map(|truth| truth.value).collect::<Vec<_>>()),
        ];
        Ok(DataFrame::new(truths.len(), columns)?)
    }
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.value)
    }
}

/// A number without the last digits of its arithmetic, as 0.15 of 3 times 0.05.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}
