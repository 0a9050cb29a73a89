//! The JSON of a continuous treatment.

use burn_did::{
    ContDidResult, DoseKnots, DoseMethod, DoseRow, DoseTarget, Estimate, GroupTimeCell, Settings,
    Timings, Wald,
};
use serde_json::Value;

use super::{About, Answer, Omitted, Period, audit};
use crate::formed::{study, warnings_with};

/// Everything about a fit of a continuous treatment.
#[derive(serde::Serialize)]
pub(crate) struct Doses<'a> {
    #[serde(flatten)]
    about: About<'a>,
    dose_method: DoseMethod,
    target: DoseTarget,
    overall: Overall<'a>,
    dose: Vec<Dose>,
    critical_value: Critical,
    cells: Vec<Cell<'a>>,
    wald: Option<Wald>,
    event_study: Option<EventStudy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<OfBoth>,
    knots: &'a DoseKnots,
    audit: Value,
    warnings: Vec<String>,
    timings: Timings,
}

#[derive(serde::Serialize)]
struct Overall<'a> {
    att: &'a Estimate,
    acrt: Response<'a>,
}

/// An average causal response: by its own name, and by that of estimates.
#[derive(serde::Serialize)]
struct Response<'a> {
    acrt: Option<f64>,
    #[serde(flatten)]
    estimate: &'a Estimate,
}

#[derive(serde::Serialize)]
struct Critical {
    att: f64,
    acrt: f64,
}

/// Effects at a dose.
#[derive(serde::Serialize)]
struct Dose {
    d: f64,
    att: Option<f64>,
    att_se: Option<f64>,
    att_lower: Option<f64>,
    att_upper: Option<f64>,
    acrt: Option<f64>,
    acrt_se: Option<f64>,
    acrt_lower: Option<f64>,
    acrt_upper: Option<f64>,
    /// Groups without so small or so large a dose.
    extrapolated: usize,
}

/// A cell: its level, and its slope.
#[derive(serde::Serialize)]
struct Cell<'a> {
    group: Period,
    time: Period,
    #[serde(flatten)]
    estimate: &'a Estimate,
    acrt: Option<f64>,
    acrt_se: Option<f64>,
    acrt_lower: Option<f64>,
    acrt_upper: Option<f64>,
    status: &'static str,
    reason: Option<String>,
    n_treated: usize,
    n_control: usize,
}

/// What the overall effect and the overall slope leave out.
#[derive(serde::Serialize)]
struct OfBoth {
    att: Option<Omitted>,
    acrt: Option<Omitted>,
}

#[derive(serde::Serialize)]
struct EventStudy {
    target: DoseTarget,
    #[serde(flatten)]
    answer: Answer,
}

impl<'a> Doses<'a> {
    pub(crate) fn new(fit: &'a ContDidResult) -> Self {
        let settings = &fit.level.settings;
        let cells = fit.level.cells.iter().zip(&fit.slope.cells);
        let study = study(fit);
        let warnings = warnings_with(fit, study.as_ref().and_then(|study| study.as_ref().ok()));
        let study = study.map(|study| EventStudy {
            target: fit.target,
            answer: match study {
                Ok(study) => Answer::formed(&study, false),
                Err(error) => Answer::Failed { error: error.to_string() },
            },
        });
        let of = |target| {
            let left_out = fit.overall_left_out(target)?;
            Some(Omitted::new(&left_out, settings.frequency, true))
        };
        let both = OfBoth { att: of(DoseTarget::Level), acrt: of(DoseTarget::Slope) };
        let left_out = (both.att.is_some() || both.acrt.is_some()).then_some(both);
        let (att, acrt) = (fit.dose.critical_att, fit.dose.critical_acrt);
        Self {
            about: About::new(settings),
            dose_method: fit.method,
            target: fit.target,
            overall: Overall {
                att: &fit.overall.att,
                acrt: Response { acrt: fit.overall.acrt.att, estimate: &fit.overall.acrt },
            },
            dose: fit.dose.rows.iter().map(Dose::from).collect(),
            critical_value: Critical { att, acrt },
            cells: cells.map(|(level, slope)| Cell::new(level, slope, settings)).collect(),
            wald: fit.cells_of(fit.target).wald,
            event_study: study,
            left_out,
            knots: &fit.knots,
            audit: audit(&fit.level.audit, settings),
            warnings,
            timings: fit.level.timings,
        }
    }
}

impl From<&DoseRow> for Dose {
    fn from(row: &DoseRow) -> Self {
        let (att, acrt) = (row.att, row.acrt);
        Self {
            d: row.dose,
            att: att.att,
            att_se: att.se,
            att_lower: att.ci_lower,
            att_upper: att.ci_upper,
            acrt: acrt.att,
            acrt_se: acrt.se,
            acrt_lower: acrt.ci_lower,
            acrt_upper: acrt.ci_upper,
            extrapolated: row.extrapolated,
        }
    }
}

impl<'a> Cell<'a> {
    fn new(level: &'a GroupTimeCell, slope: &GroupTimeCell, settings: &Settings) -> Self {
        let failed = !level.status.is_estimated();
        let acrt = slope.estimate;
        Self {
            group: Period::new(level.group, settings),
            time: Period::new(level.time, settings),
            estimate: &level.estimate,
            acrt: acrt.att,
            acrt_se: acrt.se,
            acrt_lower: acrt.ci_lower,
            acrt_upper: acrt.ci_upper,
            status: level.status.code(),
            reason: failed.then(|| level.status.shown(settings.frequency)),
            n_treated: level.n_treated,
            n_control: level.n_control,
        }
    }
}
