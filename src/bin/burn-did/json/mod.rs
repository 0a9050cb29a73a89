//! The JSON document of results.

mod dose;
mod left_out;
mod npiv;
mod regression;

use std::io;

use burn_did::{
    Aggregated, AggregationKind, DidError, DidWarning, DrdidResult, Estimate, Frequency,
    GroupTimeCell, GroupTimeResult, Overlap, SampleAudit, Settings, Timings, TripleComparison,
    Wald,
};
use serde::ser::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer as Writer};

use crate::formed::Formed;
use crate::shown::in_json;
use crate::values::{Given, Number};

pub(crate) use dose::Doses;
pub(crate) use left_out::{Limits, Omitted};
pub(crate) use npiv::Function;
pub(crate) use regression::{Regression, Within};

/// A period or group: a number, or its name if it is of the calendar.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Period {
    Number(Number),
    Date(String),
}

impl Period {
    pub(crate) fn new(period: f64, settings: &Settings) -> Self {
        Self::of(period, settings.frequency)
    }

    pub(crate) fn of(period: f64, frequency: Option<Frequency>) -> Self {
        match frequency {
            // 0 stands for never treated.
            Some(frequency) if period != 0.0 => Self::Date(frequency.shown(period)),
            _ => Self::Number(Number(period)),
        }
    }
}

/// What happened to the rows, with groups and periods as people read them.
pub(crate) fn audit(audit: &SampleAudit, settings: &Settings) -> Value {
    let mut value = serde_json::to_value(audit).map_or(Value::Null, whole);
    let named = |periods: &[f64]| -> Value {
        periods.iter().map(|period| Value::from(settings.period(*period))).collect()
    };
    if let (Some(_), Value::Object(fields)) = (settings.frequency, &mut value) {
        let lost = audit.cohorts_lost.iter();
        let lost = lost.map(|(g, reason)| Value::from(vec![settings.period(*g), reason.clone()]));
        fields.insert("cohorts_lost".to_owned(), lost.collect());
        fields.insert("groups".to_owned(), named(&audit.groups));
        if !audit.groups_after.is_empty() {
            let after = audit.groups_after.iter();
            let named = |(g, units): &(f64, usize)| {
                Value::from(vec![Value::from(settings.period(*g)), Value::from(*units)])
            };
            fields.insert("groups_after".to_owned(), after.map(named).collect());
        }
        fields.insert("periods".to_owned(), named(&audit.periods));
    }
    value
}

/// Everything about a fit.
#[derive(serde::Serialize)]
pub(crate) struct Fit<'a> {
    #[serde(flatten)]
    about: About<'a>,
    control_group: String,
    critical_value: f64,
    wald: Option<Wald>,
    cells: Vec<Cell<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparisons: Option<Comparisons>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vcov: Option<Vec<Vec<Option<f64>>>>,
    aggregates: Vec<Aggregate<'a>>,
    audit: Value,
    warnings: Vec<String>,
    timings: Timings,
}

impl<'a> Fit<'a> {
    pub(crate) fn new(fit: &'a GroupTimeResult, aggregates: &'a [Formed], vcov: bool) -> Self {
        let own = fit.warnings.iter().map(|w| w.shown(fit.settings.frequency));
        Self {
            about: About::new(&fit.settings),
            control_group: fit.settings.comparison_units(),
            critical_value: fit.critical_value,
            wald: fit.wald,
            cells: fit.cells.iter().map(|c| Cell::new(c, &fit.settings)).collect(),
            comparisons: Comparisons::new(fit),
            vcov: vcov.then(|| fit.vcov()),
            aggregates: aggregates.iter().map(|a| Aggregate::new(a, vcov)).collect(),
            audit: audit(&fit.audit, &fit.settings),
            warnings: own.chain(warnings(aggregates)).collect(),
            timings: fit.timings,
        }
    }
}

/// Aggregations of a saved fit.
#[derive(serde::Serialize)]
pub(crate) struct Aggregates<'a> {
    #[serde(flatten)]
    about: About<'a>,
    control_group: String,
    aggregates: Vec<Aggregate<'a>>,
    warnings: Vec<String>,
}

impl<'a> Aggregates<'a> {
    pub(crate) fn new(fit: &'a GroupTimeResult, aggregates: &'a [Formed], vcov: bool) -> Self {
        Self {
            about: About::new(&fit.settings),
            control_group: fit.settings.comparison_units(),
            aggregates: aggregates.iter().map(|a| Aggregate::new(a, vcov)).collect(),
            warnings: warnings(aggregates).collect(),
        }
    }
}

#[derive(serde::Serialize)]
pub(crate) struct About<'a> {
    estimator: &'a str,
    backend: &'a str,
    precision: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency: Option<Frequency>,
    n_units: usize,
    n_rows: usize,
}

impl<'a> About<'a> {
    pub(crate) fn new(s: &'a Settings) -> Self {
        let (estimator, backend, precision) = (&s.estimator, &s.backend, &s.precision);
        let (frequency, n_units, n_rows) = (s.frequency, s.n_units, s.n_rows);
        Self { estimator, backend, precision, frequency, n_units, n_rows }
    }
}

#[derive(serde::Serialize)]
struct Cell<'a> {
    group: Period,
    time: Period,
    #[serde(flatten)]
    estimate: &'a Estimate,
    status: &'static str,
    reason: Option<String>,
    n_treated: usize,
    n_control: usize,
    overlap: Option<&'a Overlap>,
}

impl<'a> Cell<'a> {
    fn new(cell: &'a GroupTimeCell, settings: &Settings) -> Self {
        let failed = !cell.status.is_estimated();
        Self {
            group: Period::new(cell.group, settings),
            time: Period::new(cell.time, settings),
            estimate: &cell.estimate,
            status: cell.status.code(),
            reason: failed.then(|| cell.status.shown(settings.frequency)),
            n_treated: cell.n_treated,
            n_control: cell.n_control,
            overlap: cell.overlap.as_ref(),
        }
    }
}

/// What triple differences are made of: one comparison in two periods, else a list.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Comparisons {
    TwoPeriods(Differences),
    Staggered(Vec<Comparison>),
}

/// Differences in differences of the treated and eligible units (4) with the treated and ineligible (3), the untreated and
/// eligible (2), and the untreated and ineligible ones (1).
#[derive(serde::Serialize)]
struct Differences {
    #[serde(rename = "4v3")]
    treated_ineligible: f64,
    #[serde(rename = "4v2")]
    untreated_eligible: f64,
    #[serde(rename = "4v1")]
    untreated_ineligible: f64,
}

#[derive(serde::Serialize)]
struct Comparison {
    group: Period,
    time: Period,
    /// 0 if never treated.
    comparison: Period,
    #[serde(flatten)]
    differences: Differences,
    att: f64,
    weight: f64,
}

impl Comparisons {
    fn new(fit: &GroupTimeResult) -> Option<Self> {
        match fit.comparisons.as_deref().unwrap_or_default() {
            [] => None,
            [only] if fit.audit.periods.len() == 2 => {
                Some(Self::TwoPeriods(Differences::new(only)))
            }
            all => Some(Self::Staggered(
                all.iter().map(|c| Comparison::new(c, &fit.settings)).collect(),
            )),
        }
    }
}

impl Differences {
    fn new(c: &TripleComparison) -> Self {
        let TripleComparison {
            treated_ineligible, untreated_eligible, untreated_ineligible, ..
        } = *c;
        Self { treated_ineligible, untreated_eligible, untreated_ineligible }
    }
}

impl Comparison {
    fn new(c: &TripleComparison, settings: &Settings) -> Self {
        Self {
            group: Period::new(c.group, settings),
            time: Period::new(c.time, settings),
            comparison: Period::new(c.comparison.unwrap_or(0.0), settings),
            differences: Differences::new(c),
            att: c.att,
            weight: c.weight,
        }
    }
}

/// Everything about a two-period comparison.
#[derive(serde::Serialize)]
pub(crate) struct TwoPeriods<'a> {
    #[serde(flatten)]
    about: About<'a>,
    method: String,
    #[serde(flatten)]
    estimate: &'a Estimate,
    critical_value: f64,
    status: &'static str,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<bool>,
    n_treated: usize,
    n_control: usize,
    overlap: Option<&'a Overlap>,
    audit: Value,
    warnings: Vec<String>,
    timings: Timings,
}

impl<'a> TwoPeriods<'a> {
    pub(crate) fn new(fit: &'a DrdidResult) -> Self {
        Self {
            about: About::new(&fit.settings),
            method: fit.estimator_name(),
            estimate: &fit.estimate,
            critical_value: fit.critical_value,
            status: fit.status.code(),
            reason: (!fit.status.is_estimated()).then(|| fit.status.shown(fit.settings.frequency)),
            calibrated: fit.calibrated,
            n_treated: fit.n_treated,
            n_control: fit.n_control,
            overlap: fit.overlap.as_ref(),
            audit: audit(&fit.audit, &fit.settings),
            warnings: fit.warnings.iter().map(|w| w.shown(fit.settings.frequency)).collect(),
            timings: fit.timings,
        }
    }
}

#[derive(serde::Serialize)]
struct Aggregate<'a> {
    r#type: &'static str,
    options: &'a Given,
    #[serde(flatten)]
    answer: Answer,
}

#[derive(serde::Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Formed {
        overall: Interval,
        critical_value: f64,
        rows: Vec<Row>,
        #[serde(skip_serializing_if = "Option::is_none")]
        vcov: Option<Vec<Vec<f64>>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<Box<Omitted>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<Box<Limits>>,
    },
    Failed {
        error: String,
    },
}

#[derive(serde::Serialize)]
pub(crate) struct Interval {
    att: Option<f64>,
    se: Option<f64>,
    ci_lower: Option<f64>,
    ci_upper: Option<f64>,
}

#[derive(serde::Serialize)]
pub(crate) struct Row {
    at: Period,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_time: Option<Number>,
    #[serde(flatten)]
    estimate: Interval,
}

impl<'a> Aggregate<'a> {
    fn new(formed: &'a Formed, vcov: bool) -> Self {
        let answer = match &formed.result {
            Ok(aggregated) => Answer::formed(aggregated, vcov),
            Err(error) => Answer::Failed { error: DidError::to_string(error) },
        };
        let r#type = formed.spec.aggregation.kind.name();
        Self { r#type, options: &formed.spec.given, answer }
    }
}

impl Answer {
    /// `vcov`: with the covariance of the rows.
    pub(crate) fn formed(aggregated: &Aggregated, vcov: bool) -> Self {
        let frequency = aggregated.settings.frequency;
        let kind = aggregated.aggregation.kind;
        let dates = matches!(kind, AggregationKind::Group | AggregationKind::Calendar);
        let dynamic = kind == AggregationKind::Dynamic;
        let row = |r: &burn_did::AggregatedRow| Row {
            at: Period::of(r.at, frequency.filter(|_| dates)),
            event_time: dynamic.then_some(Number(r.at)),
            estimate: Interval::from(r.estimate),
        };
        let left_out = aggregated.left_out.as_ref();
        let window = aggregated.window.as_ref();
        Self::Formed {
            overall: Interval::from(aggregated.overall),
            critical_value: aggregated.critical_value,
            rows: aggregated.rows.iter().map(row).collect(),
            vcov: vcov.then(|| aggregated.vcov.clone()),
            left_out: left_out.map(|left_out| Omitted::new(left_out, frequency, dates).into()),
            window: window.map(|window| Limits::new(window, frequency).into()),
        }
    }
}

impl From<Estimate> for Interval {
    fn from(Estimate { att, se, ci_lower, ci_upper, .. }: Estimate) -> Self {
        Self { att, se, ci_lower, ci_upper }
    }
}

/// Warnings of the aggregations, with the aggregation they belong to.
fn warnings(aggregates: &[Formed]) -> impl Iterator<Item = String> {
    aggregates.iter().flat_map(|formed| {
        let aggregated = formed.result.as_ref().ok();
        let shown = |a: &Aggregated| {
            let shown = |w: &DidWarning| w.shown(a.settings.frequency);
            a.warnings.iter().map(shown).collect::<Vec<_>>()
        };
        let warnings = aggregated.map(shown).unwrap_or_default().into_iter();
        warnings.map(|w| format!("aggregate {}: {w}", formed.spec.text))
    })
}

/// Numbers without fractions as integers.
fn whole(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(whole).collect(),
        Value::Object(map) => map.into_iter().map(|(k, v)| (k, whole(v))).collect(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(float) => serde_json::to_value(Number(float)).unwrap_or(Value::Null),
            None => Value::Number(number),
        },
        other => other,
    }
}

/// The document as text: one line a cell and an aggregation.
pub(crate) fn text(document: &impl Serialize) -> Result<String, DidError> {
    let mut out = Vec::new();
    document.serialize(&mut Writer::with_formatter(&mut out, Lines { depth: 0, filled: false }))?;
    out.push(b'\n');
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Breaks lines down to this depth.
const BROKEN: usize = 2;

/// Like pretty printing, but what is deep inside stays on one line.
struct Lines {
    depth: usize,
    filled: bool,
}

impl Lines {
    fn open<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        writer.write_all(bracket)
    }

    fn close<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        if self.depth <= BROKEN && self.filled {
            self.depth -= 1;
            self.line(writer)?;
        } else {
            self.depth -= 1;
        }
        self.filled = true;
        writer.write_all(bracket)
    }

    fn item<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.depth <= BROKEN {
            self.line(writer)?;
        }
        self.filled = true;
        Ok(())
    }

    fn line<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Lines {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(in_json(fragment).as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.item(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(if self.depth <= BROKEN { b": " } else { b":" })
    }
}
