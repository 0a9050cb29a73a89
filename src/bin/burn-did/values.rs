//! Values of options.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use burn_did::{
    Aggregation, AggregationKind, Band, BasePeriod, ControlGroup, DrdidMethod, EstimationMethod,
    FixWeights, Frequency, Inference, Multiplier, Precision, Resampling, UnbalancedPanel,
};
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;

use crate::json::Number;

/// Parser of one of several words. What follows a name in its entry are other spellings of it.
fn choice<T, const N: usize>(
    choices: [(&'static [&'static str], T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = choices.map(|(names, _)| PossibleValue::new(names[0]).aliases(&names[1..]));
    PossibleValuesParser::new(names).try_map(move |name| {
        let found = choices.iter().find(|(names, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| *value).ok_or("unknown value")
    })
}

pub(crate) fn fix_weights() -> impl TypedValueParser<Value = FixWeights> {
    choice([
        (&["varying"], FixWeights::Varying),
        (&["base_period", "base-period"], FixWeights::BasePeriod),
        (&["first_period", "first-period"], FixWeights::FirstPeriod),
    ])
}

pub(crate) fn frequency() -> impl TypedValueParser<Value = Frequency> {
    choice([
        (&["year"], Frequency::Year),
        (&["quarter"], Frequency::Quarter),
        (&["month"], Frequency::Month),
        (&["week"], Frequency::Week),
        (&["day"], Frequency::Day),
    ])
}

pub(crate) fn control_group() -> impl TypedValueParser<Value = ControlGroup> {
    choice([
        (&["nevertreated", "never-treated", "never_treated"], ControlGroup::NeverTreated),
        (&["notyettreated", "not-yet-treated", "not_yet_treated"], ControlGroup::NotYetTreated),
    ])
}

pub(crate) fn method() -> impl TypedValueParser<Value = EstimationMethod> {
    choice([
        (&["dr", "doubly-robust", "doubly_robust"], EstimationMethod::DoublyRobust),
        (&["ipw"], EstimationMethod::Ipw),
        (&["reg", "outcome-regression", "outcome_regression"], EstimationMethod::OutcomeRegression),
    ])
}

pub(crate) fn base_period() -> impl TypedValueParser<Value = BasePeriod> {
    choice([(&["varying"], BasePeriod::Varying), (&["universal"], BasePeriod::Universal)])
}

pub(crate) fn multiplier() -> impl TypedValueParser<Value = Multiplier> {
    choice([
        (&["mammen"], Multiplier::Mammen),
        (&["rademacher"], Multiplier::Rademacher),
        (&["webb"], Multiplier::Webb),
        (&["gaussian"], Multiplier::Gaussian),
    ])
}

pub(crate) fn precision() -> impl TypedValueParser<Value = Precision> {
    choice([(&["f64"], Precision::F64), (&["f32"], Precision::F32)])
}

pub(crate) fn unbalanced() -> impl TypedValueParser<Value = UnbalancedPanel> {
    choice([
        (&["drop"], UnbalancedPanel::Drop),
        (&["pairs"], UnbalancedPanel::Pairs),
        (&["rows"], UnbalancedPanel::Rows),
    ])
}

pub(crate) fn resampling() -> impl TypedValueParser<Value = Resampling> {
    choice([(&["weighted"], Resampling::Weighted), (&["multiplier"], Resampling::Multiplier)])
}

/// A two-period estimator, as R's function for it says.
#[derive(Clone, Copy)]
pub(crate) struct Estimator {
    pub method: DrdidMethod,
    pub locally_efficient: bool,
    pub repeated_cross_sections: bool,
}

pub(crate) fn estimator() -> impl TypedValueParser<Value = Estimator> {
    use DrdidMethod::{
        DoublyRobust, DoublyRobustImproved, Ipw, IpwHorvitzThompson, OutcomeRegression, Twfe,
    };
    let named = |method, locally_efficient, repeated_cross_sections| Estimator {
        method,
        locally_efficient,
        repeated_cross_sections,
    };
    choice([
        (&["drdid_panel"], named(DoublyRobust, true, false)),
        (&["drdid_imp_panel"], named(DoublyRobustImproved, true, false)),
        (&["reg_did_panel"], named(OutcomeRegression, true, false)),
        (&["ipw_did_panel"], named(IpwHorvitzThompson, true, false)),
        (&["std_ipw_did_panel"], named(Ipw, true, false)),
        (&["twfe_did_panel"], named(Twfe, true, false)),
        (&["drdid_rc"], named(DoublyRobust, true, true)),
        (&["drdid_rc1"], named(DoublyRobust, false, true)),
        (&["drdid_imp_rc"], named(DoublyRobustImproved, true, true)),
        (&["drdid_imp_rc1"], named(DoublyRobustImproved, false, true)),
        (&["reg_did_rc"], named(OutcomeRegression, true, true)),
        (&["ipw_did_rc"], named(IpwHorvitzThompson, true, true)),
        (&["std_ipw_did_rc"], named(Ipw, true, true)),
        (&["twfe_did_rc"], named(Twfe, true, true)),
    ])
}

/// A number in (0, 1).
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|v| *v > 0.0 && *v < 1.0);
    value.ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

/// One minus a confidence level.
pub(crate) fn alpha(text: &str) -> Result<f64, String> {
    let alpha = fraction(text)?;
    let inference = Inference { alpha, bootstrap: None, band: Band::Pointwise };
    inference.validate().map(|()| alpha).map_err(|error| error.to_string())
}

/// Path of a picture.
pub(crate) fn picture() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("png" | "svg") => Ok(path),
            _ => Err(format!("{} must end in .png or .svg", Path::display(&path))),
        }
    })
}

/// Bytes, as in 2000000, 512MB or 4GiB.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end();
    let factor: u64 = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1000_u64.pow(2),
        "gb" => 1000_u64.pow(3),
        "k" | "kib" => 1024,
        "m" | "mib" => 1024_u64.pow(2),
        "g" | "gib" => 1024_u64.pow(3),
        _ => return Err("expected bytes, as in 2000000, 512MB or 4GiB".into()),
    };
    let count: u64 = digits.parse().map_err(|_| "expected a whole number of bytes".to_owned())?;
    count.checked_mul(factor).filter(|b| *b > 0).ok_or_else(|| "out of range".to_owned())
}

/// An aggregation as asked for.
#[derive(Clone, Debug)]
pub(crate) struct AggregateSpec {
    /// As typed.
    pub text: String,
    pub aggregation: Aggregation,
    pub given: Given,
}

/// The options given, for the JSON.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Given {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_e: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_e: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    balance_e: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    na_rm: Option<bool>,
}

impl FromStr for AggregateSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, options) = text.split_once(':').unwrap_or((text, ""));
        let kind = match kind.trim() {
            "simple" => AggregationKind::Simple,
            "dynamic" | "eventstudy" => AggregationKind::Dynamic,
            "group" => AggregationKind::Group,
            "calendar" => AggregationKind::Calendar,
            other => {
                return Err(format!(
                    "unknown type `{other}`; expected simple, dynamic, group or calendar"
                ));
            }
        };
        let mut given = Given::default();
        for option in options.split(',').filter(|o| !o.trim().is_empty()) {
            given.set(option)?;
        }
        let Given { min_e, max_e, balance_e, na_rm } = given;
        let aggregation = Aggregation {
            min_e: min_e.map(|e| e.0),
            max_e: max_e.map(|e| e.0),
            balance_e,
            na_rm: na_rm.unwrap_or_default(),
            ..Aggregation::new(kind)
        };
        Ok(Self { text: text.to_owned(), aggregation, given })
    }
}

impl Given {
    fn set(&mut self, option: &str) -> Result<(), String> {
        let Some((key, value)) = option.split_once('=') else {
            return Err(format!("`{}` is not of the form key=value", option.trim()));
        };
        let (key, value) = (key.trim(), value.trim());
        let bad = |expected| format!("`{key}` must be {expected}, got `{value}`");
        let number = || match value.parse::<f64>() {
            Ok(e) if e.is_finite() => Ok(Some(Number(e))),
            _ => Err(bad("a number")),
        };
        match key {
            "min_e" => self.min_e = number()?,
            "max_e" => self.max_e = number()?,
            "balance_e" => {
                let balance = value.parse().map_err(|_| bad("a whole number, at least 0"))?;
                self.balance_e = Some(balance);
            }
            "na_rm" => {
                let value = value.to_ascii_lowercase();
                self.na_rm = Some(value.parse().map_err(|_| bad("true or false"))?);
            }
            _ => {
                return Err(format!(
                    "unknown option `{key}`; expected min_e, max_e, balance_e or na_rm"
                ));
            }
        }
        Ok(())
    }
}
