//! Coefficients of periods before treatment, from a regression of untreated rows alone.
//!
//! They have no part in the effects: the regression has its own covariance, clustered, with the factor for small samples of R's
//! `fixest`.

use super::options::{Imputation, PretrendTimes};
use crate::base::error::Result;
use crate::engine::demean::Factor;
use crate::estimator::first_stage::{
    CellRegression, Estimated, FirstStage, Influences, StageTerm, event_times,
};
use crate::estimator::fixed_effects::{Parameters, Ssc, fine, is_nested};

/// The event times whose coefficients are estimated, ascending.
pub(super) fn times(config: &Imputation, stage: &FirstStage<'_>) -> Vec<f64> {
    let mut times = match &config.pretrends {
        PretrendTimes::None => Vec::new(),
        PretrendTimes::At(times) => times.iter().map(|at| stage.sample.event_time(*at)).collect(),
        PretrendTimes::All => event_times(stage.sample, false).into_iter().skip(1).collect(),
    };
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| fine(*a) == fine(*b));
    times
}

/// The coefficients at these event times; their influence values join those of the effects.
///
/// # Errors
/// Those of the normal equations, and [`crate::DidError::Memory`].
pub(super) fn coefficients(
    stage: &FirstStage<'_>,
    times: &[f64],
    influences: &mut Influences,
) -> Result<Vec<Estimated>> {
    if times.is_empty() {
        return Ok(Vec::new());
    }
    let sample = stage.sample;
    let indicator = |at: &f64| -> Vec<f64> {
        sample.cells.iter().map(|cell| f64::from(u8::from(cell.is_at(*at)))).collect()
    };
    let indicators: Vec<Vec<f64>> = times.iter().map(indicator).collect();
    let CellRegression { coefficients, parameters } = stage.regress_on_cells(&indicators)?;
    let factor = small_sample(stage, parameters);
    let mut all = Vec::with_capacity(times.len());
    for ((time, indicator), coefficient) in times.iter().zip(&indicators).zip(coefficients) {
        let cells = indicator.iter().zip(&sample.totals.rows);
        let rows = cells.map(|(is_at, rows)| is_at * rows).sum::<f64>() as usize;
        let (value, influence) = match coefficient {
            Some((value, psi)) => {
                influences.push(psi, factor);
                (Ok(value), Some(influences.psi.len() - 1))
            }
            None if rows == 0 => (Err("no untreated row is there".into()), None),
            None => {
                let why = "fixed effects, covariates or other periods determine it";
                (Err(why.into()), None)
            }
        };
        let term = StageTerm::EventTime(*time);
        all.push(Estimated { term, value, rows, unknown: None, influence });
    }
    Ok(all)
}

/// `G / (G - 1) (N - 1) / (N - K)` of a regression of untreated rows with so many coefficients.
fn small_sample(stage: &FirstStage<'_>, k: usize) -> f64 {
    let (sample, design) = (stage.sample, stage.design());
    let untreated = |codes: &[u32], first: usize| -> Vec<u32> {
        let rows = codes.iter().zip(&design.treated).filter(|(_, treated)| !**treated);
        rows.map(|(code, _)| code - first as u32).collect()
    };
    let clusters = untreated(&sample.clusters, 0);
    let lead = std::iter::once((&design.lead, 0, design.leads));
    let rest = design.rest.iter().zip(design.offsets.windows(2));
    let factors = lead.chain(rest.map(|(codes, at)| (codes, at[0], at[1] - at[0])));
    let (levels, nested): (Vec<usize>, Vec<bool>) = factors
        .map(|(codes, first, levels)| {
            let factor = Factor { codes: untreated(codes, first), levels };
            (levels, is_nested(&factor, &clusters))
        })
        .unzip();
    let slopes = if design.slope.is_some() && !nested[0] { design.leads } else { 0 };
    let parameters = Parameters { k: k + slopes, levels, nested, components: None };
    let (n, k) = (clusters.len() as f64, parameters.count(&Ssc::default()) as f64);
    let mut occurs = vec![false; sample.n_clusters];
    for cluster in &clusters {
        occurs[*cluster as usize] = true;
    }
    let g = occurs.into_iter().filter(|occurs| *occurs).count() as f64;
    g / (g - 1.0) * (n - 1.0) / (n - k)
}
