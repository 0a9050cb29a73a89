//! Values of options.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use burn_did::{
    Aggregation,
    doses::{CurveErrors, DoseAggregation, DoseGrid, DoseMethod, DoseTarget},
    group_time::AggregationKind,
    options::{
        Band, BasePeriod, CohortShares, ControlGroup, DrdidMethod, EstimationMethod, FixWeights,
        Frequency, Inference, Multiplier, Precision, Resampling, SharesOf, UnbalancedPanel,
    },
    regression::{Family, GDf, KFixef, Solver, Ssc, Vcov},
    sensitivity::{Delta, Effect, HonestMethod, Restriction, Search},
    sieve::{SieveBasis, SieveGrid, SieveKnots},
};
use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};

/// Words for the values of an option. What follows a word in its entry are other spellings of it.
pub(crate) struct Choice<T: 'static>(&'static [(&'static [&'static str], T)]);

impl<T: Copy + PartialEq + Send + Sync + 'static> Choice<T> {
    /// Of these words.
    pub(crate) const fn new(words: &'static [(&'static [&'static str], T)]) -> Self {
        Self(words)
    }

    /// Parser of one of the words.
    pub(crate) fn parser(&self) -> impl TypedValueParser<Value = T> + use<T> {
        let choices = self.0;
        let names = choices
            .iter()
            .map(|(names, _)| PossibleValue::new(names[0]).aliases(names[1..].iter().copied()));
        PossibleValuesParser::new(names).try_map(move |name| {
            let found = choices.iter().find(|(names, _)| names.contains(&name.as_str()));
            found.map(|(_, value)| *value).ok_or("unknown value")
        })
    }

    /// The word for a value.
    pub(crate) fn word(&self, value: T) -> &'static str {
        self.0.iter().find(|(_, v)| *v == value).map_or("", |(names, _)| names[0])
    }
}

pub(crate) const FIX_WEIGHTS: Choice<FixWeights> = Choice(&[
    (&["varying"], FixWeights::Varying),
    (&["base_period", "base-period"], FixWeights::BasePeriod),
    (&["first_period", "first-period"], FixWeights::FirstPeriod),
]);

pub(crate) const FREQUENCY: Choice<Frequency> = Choice(&[
    (&["year"], Frequency::Year),
    (&["quarter"], Frequency::Quarter),
    (&["month"], Frequency::Month),
    (&["week"], Frequency::Week),
    (&["day"], Frequency::Day),
]);

pub(crate) const CONTROL_GROUP: Choice<ControlGroup> = Choice(&[
    (&["nevertreated", "never-treated", "never_treated"], ControlGroup::NeverTreated),
    (&["notyettreated", "not-yet-treated", "not_yet_treated"], ControlGroup::NotYetTreated),
]);

pub(crate) const METHOD: Choice<EstimationMethod> = Choice(&[
    (&["dr", "doubly-robust", "doubly_robust"], EstimationMethod::DoublyRobust),
    (&["ipw"], EstimationMethod::Ipw),
    (&["reg", "outcome-regression", "outcome_regression"], EstimationMethod::OutcomeRegression),
]);

pub(crate) const BASE_PERIOD: Choice<BasePeriod> =
    Choice(&[(&["varying"], BasePeriod::Varying), (&["universal"], BasePeriod::Universal)]);

pub(crate) const MULTIPLIER: Choice<Multiplier> = Choice(&[
    (&["mammen"], Multiplier::Mammen),
    (&["rademacher"], Multiplier::Rademacher),
    (&["webb"], Multiplier::Webb),
    (&["gaussian"], Multiplier::Gaussian),
]);

pub(crate) const PRECISION: Choice<Precision> =
    Choice(&[(&["f64"], Precision::F64), (&["f32"], Precision::F32)]);

pub(crate) const UNBALANCED: Choice<UnbalancedPanel> = Choice(&[
    (&["drop"], UnbalancedPanel::Drop),
    (&["pairs"], UnbalancedPanel::Pairs),
    (&["rows"], UnbalancedPanel::Rows),
]);

pub(crate) const SHARES_OF: Choice<SharesOf> =
    Choice(&[(&["eligible"], SharesOf::Eligible), (&["all"], SharesOf::All)]);

pub(crate) const RESAMPLING: Choice<Resampling> =
    Choice(&[(&["weighted"], Resampling::Weighted), (&["multiplier"], Resampling::Multiplier)]);

pub(crate) const DOSE_RESAMPLING: Choice<Resampling> = Choice(&[
    (&["multiplier"], Resampling::Multiplier),
    (&["empirical", "block"], Resampling::Empirical),
    (&["weighted"], Resampling::Weighted),
]);

/// A two-period estimator, as R's function for it says.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Estimator {
    pub method: DrdidMethod,
    pub locally_efficient: bool,
    pub repeated_cross_sections: bool,
}

impl Estimator {
    const fn new(
        method: DrdidMethod,
        locally_efficient: bool,
        repeated_cross_sections: bool,
    ) -> Self {
        Self { method, locally_efficient, repeated_cross_sections }
    }
}

pub(crate) const ESTIMATOR: Choice<Estimator> = Choice(&[
    (&["drdid_panel"], Estimator::new(DrdidMethod::DoublyRobust, true, false)),
    (&["drdid_imp_panel"], Estimator::new(DrdidMethod::DoublyRobustImproved, true, false)),
    (&["reg_did_panel"], Estimator::new(DrdidMethod::OutcomeRegression, true, false)),
    (&["ipw_did_panel"], Estimator::new(DrdidMethod::IpwHorvitzThompson, true, false)),
    (&["std_ipw_did_panel"], Estimator::new(DrdidMethod::Ipw, true, false)),
    (&["twfe_did_panel"], Estimator::new(DrdidMethod::Twfe, true, false)),
    (&["drdid_rc"], Estimator::new(DrdidMethod::DoublyRobust, true, true)),
    (&["drdid_rc1"], Estimator::new(DrdidMethod::DoublyRobust, false, true)),
    (&["drdid_imp_rc"], Estimator::new(DrdidMethod::DoublyRobustImproved, true, true)),
    (&["drdid_imp_rc1"], Estimator::new(DrdidMethod::DoublyRobustImproved, false, true)),
    (&["reg_did_rc"], Estimator::new(DrdidMethod::OutcomeRegression, true, true)),
    (&["ipw_did_rc"], Estimator::new(DrdidMethod::IpwHorvitzThompson, true, true)),
    (&["std_ipw_did_rc"], Estimator::new(DrdidMethod::Ipw, true, true)),
    (&["twfe_did_rc"], Estimator::new(DrdidMethod::Twfe, true, true)),
]);

pub(crate) const DOSE_TARGET: Choice<DoseTarget> =
    Choice(&[(&["level"], DoseTarget::Level), (&["slope"], DoseTarget::Slope)]);

pub(crate) const DOSE_AGGREGATION: Choice<DoseAggregation> = Choice(&[
    (&["dose"], DoseAggregation::Dose),
    (&["eventstudy", "event-study", "event_study", "dynamic"], DoseAggregation::EventStudy),
]);

pub(crate) const DOSE_METHOD: Choice<DoseMethod> =
    Choice(&[(&["parametric"], DoseMethod::Parametric), (&["cck"], DoseMethod::Cck)]);

pub(crate) const CURVE_ERRORS: Choice<CurveErrors> =
    Choice(&[(&["hc0"], CurveErrors::Hc0), (&["hc1"], CurveErrors::Hc1)]);
pub(crate) const SHARES: Choice<CohortShares> =
    Choice(&[(&["fixed"], CohortShares::Fixed), (&["estimated"], CohortShares::Estimated)]);

pub(crate) const SIEVE_BASIS: Choice<SieveBasis> =
    Choice(&[(&["tensor"], SieveBasis::Tensor), (&["additive"], SieveBasis::Additive)]);

pub(crate) const SIEVE_KNOTS: Choice<SieveKnots> =
    Choice(&[(&["uniform"], SieveKnots::Uniform), (&["quantiles"], SieveKnots::Quantiles)]);

/// Points of one regressor: numbers, or `grid:COUNT`.
pub(crate) fn points(text: &str) -> Result<SieveGrid, String> {
    match doses(text)? {
        DoseGrid::Even(count) => Ok(SieveGrid::Even(count)),
        DoseGrid::Values(values) => {
            Ok(SieveGrid::Points(values.into_iter().map(|v| vec![v]).collect()))
        }
        DoseGrid::Quantiles { .. } => Err("expected points as in 0.1,0.2 or grid:50".into()),
    }
}

/// Doses: numbers, `quantiles:FIRST:LAST:COUNT` or `grid:COUNT`.
pub(crate) fn doses(text: &str) -> Result<DoseGrid, String> {
    fn number<T: FromStr>(text: &str) -> Result<T, String> {
        text.trim().parse().map_err(|_| format!("`{}` is no number", text.trim()))
    }
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let grid = match parts[..] {
        ["grid", count] => DoseGrid::Even(number(count)?),
        ["quantiles", first, last, count] => DoseGrid::Quantiles {
            first: number(first)?,
            last: number(last)?,
            count: number(count)?,
        },
        [_] => DoseGrid::Values(text.split(',').map(number).collect::<Result<_, String>>()?),
        _ => return Err("expected doses as in 0.1,0.2, quantiles:0.1:0.99:90 or grid:50".into()),
    };
    grid.validate().map(|()| grid).map_err(|error| error.to_string())
}

pub(crate) const HONEST_METHOD: Choice<HonestMethod> = Choice(&[
    (&["FLCI", "flci"], HonestMethod::FixedLength),
    (&["Conditional", "conditional", "ARP"], HonestMethod::Conditional),
    (&["C-F", "c-f", "CF"], HonestMethod::ConditionalFixedLength),
    (&["C-LF", "c-lf", "CLF"], HonestMethod::ConditionalLeastFavourable),
]);

pub(crate) const BIAS: Choice<Restriction> = Choice(&[
    (&["positive"], Restriction::PositiveBias),
    (&["negative"], Restriction::NegativeBias),
]);

pub(crate) const MONOTONICITY: Choice<Restriction> = Choice(&[
    (&["increasing"], Restriction::Increasing),
    (&["decreasing"], Restriction::Decreasing),
]);

pub(crate) const SEARCH: Choice<Search> =
    Choice(&[(&["grid"], Search::Grid), (&["bisection"], Search::Bisection)]);

/// A set of violations of parallel trends: sd, rm or sdrm, with R's suffix of a restriction or without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Violations {
    pub delta: Delta,
    pub restriction: Option<Restriction>,
}

impl FromStr for Violations {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let name = lower.strip_prefix("delta").unwrap_or(&lower);
        let sets = [
            ("sdrm", Delta::RelativeSmoothness),
            ("sd", Delta::Smoothness),
            ("rm", Delta::RelativeMagnitude),
        ];
        let found =
            sets.into_iter().find_map(|(set, delta)| Some((name.strip_prefix(set)?, delta)));
        let restriction = |suffix: &str| match suffix {
            "" => Some(None),
            "pb" | "b" => Some(Some(Restriction::PositiveBias)),
            "nb" => Some(Some(Restriction::NegativeBias)),
            "i" | "m" => Some(Some(Restriction::Increasing)),
            "d" => Some(Some(Restriction::Decreasing)),
            _ => None,
        };
        let set = found
            .and_then(|(suffix, delta)| Some(Self { delta, restriction: restriction(suffix)? }));
        set.ok_or_else(|| {
            "expected sd, rm or sdrm, or one of them with a restriction: pb, nb, i or d, as in sdpb"
                .to_owned()
        })
    }
}

/// The parameter of a sensitivity analysis: `first`, `avg` or weights.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EffectSpec(pub Effect);

impl FromStr for EffectSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "first" => Ok(Self(Effect::First)),
            "avg" | "average" => Ok(Self(Effect::Average)),
            weights => {
                let weight = |w: &str| w.trim().parse::<f64>().ok().filter(|w| w.is_finite());
                let weights: Option<Vec<f64>> = weights.split(',').map(weight).collect();
                weights.map(|w| Self(Effect::Weights(w))).ok_or_else(|| {
                    "expected first, avg, or one number per period after the reference, as in 0.5,0.5"
                        .to_owned()
                })
            }
        }
    }
}

/// A whole number of periods.
pub(crate) fn periods(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| "expected a whole number of periods, at least 0".to_owned())
}

/// A finite number of at least 0.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| "expected a number of at least 0".to_owned())
}

/// A finite number.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|v: &f64| v.is_finite());
    value.ok_or_else(|| "expected a number".to_owned())
}

pub(crate) const FAMILY: Choice<Family> =
    Choice(&[(&["gaussian"], Family::Gaussian), (&["poisson"], Family::Poisson)]);

pub(crate) const SOLVER: Choice<Solver> = Choice(&[
    (&["auto"], Solver::Auto),
    (&["cg"], Solver::Cg),
    (&["lsmr"], Solver::Lsmr),
    (&["map"], Solver::Map),
    #[cfg(feature = "schwarz")]
    (&["schwarz"], Solver::Schwarz),
]);

/// The covariance of a regression's coefficients.
pub(crate) fn vcov(text: &str) -> Result<Vcov, String> {
    if let Some(factors) = text.strip_prefix("cluster:").or_else(|| text.strip_prefix("cl:")) {
        let mut quoted = false;
        let comma = |c: char| {
            quoted ^= c == '`';
            c == ',' && !quoted
        };
        let factors: Vec<&str> = factors.split(comma).map(str::trim).collect();
        return match factors.len() {
            1 | 2 if factors.iter().all(|factor| !factor.is_empty()) => Ok(Vcov::cluster(factors)),
            _ => Err("expected one factor of clusters or two, as in cluster:firm,year".to_owned()),
        };
    }
    match text.to_ascii_lowercase().as_str() {
        "iid" => Ok(Vcov::Iid),
        "hetero" | "hc1" => Ok(Vcov::Hetero),
        "hc2" => Ok(Vcov::Hc2),
        "hc3" => Ok(Vcov::Hc3),
        "robust" | "white" => Err("robust standard errors are hetero (HC1), hc2 or hc3".to_owned()),
        "cluster" | "cl" => Err("name the factor of the clusters, as in cluster:firm".to_owned()),
        _ => Err("expected iid, hetero, hc2, hc3, cluster:a or cluster:a,b".to_owned()),
    }
}

/// Corrections of a regression for small samples.
pub(crate) fn ssc(text: &str) -> Result<Ssc, String> {
    let mut ssc = Ssc::default();
    let truth = |value: &str| match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("`{value}` is neither true nor false")),
    };
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("`{pair}` has no `=`, as k_adj=false has"))?;
        match (key.trim().to_ascii_lowercase().as_str(), value.trim()) {
            ("k_adj", value) => ssc.k_adj = truth(value)?,
            ("k_exact", value) => ssc.k_exact = truth(value)?,
            ("g_adj", value) => ssc.g_adj = truth(value)?,
            ("k_fixef", "none") => ssc.k_fixef = KFixef::None,
            ("k_fixef", "nonnested") => ssc.k_fixef = KFixef::Nonnested,
            ("k_fixef", "full") => ssc.k_fixef = KFixef::Full,
            ("g_df", "min") => ssc.g_df = GDf::Min,
            ("g_df", "conventional") => ssc.g_df = GDf::Conventional,
            ("k_fixef", _) => return Err("k_fixef is none, nonnested or full".to_owned()),
            ("g_df", _) => return Err("G_df is min or conventional".to_owned()),
            _ => return Err(format!("`{key}` is none of k_adj, k_fixef, k_exact, G_adj and G_df")),
        }
    }
    Ok(ssc)
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
}

impl FromStr for AggregateSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, options) = text.split_once(':').unwrap_or((text, ""));
        let kind = match kind.trim() {
            "simple" => AggregationKind::Simple,
            "dynamic" | "event" | "eventstudy" | "event-study" | "event_study" => {
                AggregationKind::Dynamic
            }
            "group" => AggregationKind::Group,
            "calendar" => AggregationKind::Calendar,
            other => {
                return Err(format!(
                    "unknown type `{other}`; expected simple, dynamic, group or calendar"
                ));
            }
        };
        let mut aggregation = Aggregation::new(kind);
        for option in options.split(',').filter(|o| !o.trim().is_empty()) {
            set(&mut aggregation, option)?;
        }
        Ok(Self { text: text.to_owned(), aggregation })
    }
}

/// Sets an option of the form `key=value`.
fn set(aggregation: &mut Aggregation, option: &str) -> Result<(), String> {
    let Some((key, value)) = option.split_once('=') else {
        return Err(format!("`{}` is not of the form key=value", option.trim()));
    };
    let (key, value) = (key.trim(), value.trim());
    let bad = |expected| format!("`{key}` must be {expected}, got `{value}`");
    let number = || match value.parse::<f64>() {
        Ok(e) if e.is_finite() => Ok(Some(e)),
        _ => Err(bad("a number")),
    };
    match key {
        "min_e" => aggregation.min_e = number()?,
        "max_e" => aggregation.max_e = number()?,
        "balance_e" => {
            let balance = value.parse().map_err(|_| bad("a whole number, at least 0"))?;
            aggregation.balance_e = Some(balance);
        }
        "na_rm" => {
            let value = value.to_ascii_lowercase();
            aggregation.na_rm = value.parse().map_err(|_| bad("true or false"))?;
        }
        _ => {
            return Err(format!(
                "unknown option `{key}`; expected min_e, max_e, balance_e or na_rm"
            ));
        }
    }
    Ok(())
}
