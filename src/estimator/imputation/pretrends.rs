//! Coefficients of periods before treatment, from a regression of untreated rows alone.
//!
//! They have no part in the effects: the regression has its own covariance, clustered, with the factor for small samples of R's
//! `fixest`.

use super::options::{Imputation, PretrendTimes};
use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::engine::demean::Factor;
use crate::estimator::first_stage::{
    Estimated, FirstStage, Influences, StageTerm, event_times, solved,
};
use crate::estimator::fixed_effects::{Basis, Before, Parameters, Ssc, fine, inner, is_nested};

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
    let (sample, design) = (stage.sample, stage.design());
    let bytes = (times.len() as u128 + 2) * 24 * design.rows() as u128;
    memory::check(
        "the regression of pre-trends",
        bytes,
        "ask for fewer event times (`pretrends`)",
    )?;
    let indicator = |at: &f64| -> Vec<f64> {
        sample.cells.iter().map(|cell| f64::from(u8::from(cell.is_at(*at)))).collect()
    };
    let indicators: Vec<Vec<f64>> = times.iter().map(indicator).collect();
    let untreated: Vec<u32> =
        (0..).zip(&design.treated).filter(|(_, treated)| !**treated).map(|(row, _)| row).collect();
    let rows = |at: usize| {
        let is_there = |row: &&u32| indicators[at][sample.cell[**row as usize] as usize] != 0.0;
        untreated.iter().filter(is_there).count()
    };
    let counts: Vec<usize> = (0..times.len()).map(rows).collect();
    let mut columns = stage.weighted_covariates();
    let own = columns.len();
    let mut before: Vec<Before> = columns
        .iter()
        .map(|column| {
            let size = inner(column, column);
            Before { raw: size, centred: size }
        })
        .collect();
    for (column, size) in stage.weighted_cells(&indicators)? {
        columns.push(column);
        before.push(size);
    }
    let y = stage.weighted(&stage.residuals);
    let basis = Basis::find(columns.clone(), &before, 1e-8, true);
    let (b, bread) = solved(&basis, &y)?;
    let k = b.len();
    let mut residuals = y;
    for (j, b) in basis.kept.iter().zip(&b) {
        residuals.iter_mut().zip(&columns[*j]).for_each(|(e, x)| *e -= b * x);
    }
    let clusters: Vec<u32> = untreated.iter().map(|row| sample.clusters[*row as usize]).collect();
    let factor = small_sample(stage, &untreated, &clusters, k);
    let places: Vec<Option<usize>> = (own..own + times.len())
        .map(|column| basis.kept.iter().position(|kept| *kept == column))
        .collect();
    let influence_of = |place: usize| {
        let mut psi = vec![0.0; sample.n_clusters];
        let kept: Vec<&[f64]> = basis.kept.iter().map(|j| columns[*j].as_slice()).collect();
        let weights = &bread[place * k..(place + 1) * k];
        for (row, (e, cluster)) in residuals.iter().zip(&clusters).enumerate() {
            let x: f64 =
                weights.iter().zip(&kept).map(|(weight, column)| weight * column[row]).sum();
            psi[*cluster as usize] += x * e;
        }
        psi
    };
    let psi = parallel::map(times.len(), |at| places[at].map(influence_of));
    let estimate = |((at, time), psi): ((usize, &f64), Option<Vec<f64>>)| {
        let term = StageTerm::EventTime(*time);
        let rows = counts[at];
        let Some((place, psi)) = places[at].zip(psi) else {
            let why = match rows {
                0 => "no untreated row is there",
                _ => "fixed effects, covariates or other periods determine it",
            };
            return Estimated {
                term,
                value: Err(why.into()),
                rows,
                unknown: None,
                influence: None,
            };
        };
        influences.push(psi, factor);
        let influence = Some(influences.psi.len() - 1);
        Estimated { term, value: Ok(b[place]), rows, unknown: None, influence }
    };
    Ok(times.iter().enumerate().zip(psi).map(estimate).collect())
}

/// `G / (G - 1) (N - 1) / (N - K)` of a regression with so many coefficients.
fn small_sample(stage: &FirstStage<'_>, untreated: &[u32], clusters: &[u32], k: usize) -> f64 {
    let design = stage.design();
    let codes = |codes: &[u32], first: usize| -> Vec<u32> {
        untreated.iter().map(|row| codes[*row as usize] - first as u32).collect()
    };
    let lead = Factor { codes: codes(&design.lead, 0), levels: design.leads };
    let rest = design
        .rest
        .iter()
        .zip(design.offsets.windows(2))
        .map(|(of, at)| Factor { codes: codes(of, at[0]), levels: at[1] - at[0] });
    let factors: Vec<Factor> = std::iter::once(lead).chain(rest).collect();
    let nested: Vec<bool> = factors.iter().map(|factor| is_nested(factor, clusters)).collect();
    let slopes = if design.slope.is_some() && !nested[0] { design.leads } else { 0 };
    let levels = factors.iter().map(|factor| factor.levels).collect();
    let parameters = Parameters { k: k + slopes, levels, nested, components: None };
    let (n, k) = (untreated.len() as f64, parameters.count(&Ssc::default()) as f64);
    let mut known = clusters.to_vec();
    known.sort_unstable();
    known.dedup();
    let g = known.len() as f64;
    g / (g - 1.0) * (n - 1.0) / (n - k)
}
