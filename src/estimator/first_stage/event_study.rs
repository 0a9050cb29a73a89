//! Effects by event time as an event study.

use super::effects::{StageEffects, StageTerm};
use super::influence::Influences;
use crate::base::options::Band;
use crate::estimator::aggregate::{
    AggregatedRow, EventStudy, Provenance, RegressionProvenance, UniversalBase, reference_row,
};
use crate::estimator::fixed_effects::combine;
use crate::result::fit_notes::FitNotes;

/// Means of residuals before treatment and of effects after it, by event time, whose first stage is the same: less that of the last
/// period before treatment they are an event study with this period as the base of all.
pub(in crate::estimator) struct Base {
    /// Event times, ascending.
    pub times: Vec<f64>,
    pub values: Vec<f64>,
    pub influences: Influences,
}

impl Base {
    /// The event study; none without periods before or after treatment.
    pub fn study(&self) -> Option<UniversalBase> {
        let k = self.times.len();
        let base = self.times.iter().rposition(|at| *at < 0.0)?;
        let less = |i: usize| {
            let mut row = vec![0.0; k];
            row[i] += 1.0;
            row[base] -= 1.0;
            row
        };
        let rows: Vec<Vec<f64>> = (0..k).map(less).collect();
        let (values, variances) = combine(&rows, &self.values, &self.influences.covariance());
        let row = |(i, at): (usize, &f64)| (*at, values[i], i == base);
        (base > 0 && base + 1 < k).then(|| UniversalBase {
            rows: self.times.iter().enumerate().map(row).collect(),
            vcov: variances.chunks(k).map(<[f64]>::to_vec).collect(),
            left_out: None,
        })
    }
}

/// The event study of effects by event time.
pub(in crate::estimator) fn event_study(effects: &StageEffects, errors: &str) -> EventStudy {
    let mut rows: Vec<(AggregatedRow, Option<usize>)> = Vec::new();
    for (index, effect) in effects.rows.iter().enumerate() {
        if let StageTerm::EventTime(at) = effect.term {
            let row = AggregatedRow { at, estimate: effect.estimate, reference: false };
            rows.push((row, Some(index)));
        }
    }
    rows.extend(effects.references.iter().map(|at| (reference_row(*at), None)));
    rows.sort_by(|a, b| a.0.at.total_cmp(&b.0.at));
    let entry =
        |a: Option<usize>, b: Option<usize>| a.zip(b).map_or(0.0, |(a, b)| effects.vcov[a][b]);
    let overall = effects.get(&StageTerm::Overall).map(|effect| effect.estimate);
    let settings = &effects.settings;
    EventStudy {
        vcov: rows.iter().map(|a| rows.iter().map(|b| entry(a.1, b.1)).collect()).collect(),
        rows: rows.into_iter().map(|(row, _)| row).collect(),
        overall: overall.filter(|overall| overall.estimate.is_some()),
        band: Band::Pointwise,
        alpha: settings.alpha,
        left_out: None,
        provenance: Provenance::Regression(RegressionProvenance {
            formula: settings.formula.clone(),
            outcome: settings.columns.outcome.clone(),
            vcov: format!("{errors}, clustered by {}", settings.cluster),
            weights: settings.columns.weights.clone(),
            n: settings.n_untreated + settings.n_treated,
            n_singletons: 0,
            column: None,
            frequency: settings.columns.frequency,
            of_untreated: true,
        }),
        fit_notes: FitNotes::new(
            &effects.audit.files,
            &effects.warnings,
            settings.columns.frequency,
        ),
        universal: effects.base.clone(),
    }
}
