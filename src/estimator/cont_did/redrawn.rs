//! A bootstrap that estimates everything anew: from units, or clusters, drawn with replacement, or with random weights.
//!
//! A draw is the sample with weights times how often units were drawn, so that the cells of 16 draws come out of one pass. The
//! splines keep their knots: where knots are does not matter to first order, as the knots of the sample are one choice of many.

use super::effects::{InfluenceColumns, SolvedDoseCell};
use crate::base::error::{DidError, Result};
use crate::base::options::{Bootstrap, CurveErrors, Resampling};
use crate::engine::cell::{PlannedCell, StratumRows, dose_cells_and_totals};
use crate::engine::pass::Weight;
use crate::engine::source::{Reweighted, ReweightedDraws, Source};
use crate::read::panel::Sample;

/// Deviations of the estimates in the draws.
pub(super) struct Redrawn {
    /// Of the columns' estimates and of the groups' shares, `[m, count]`.
    pub deviations: Vec<f64>,
    pub count: usize,
    /// Draws in which something could not be estimated that the sample has an estimate of.
    pub failed: usize,
}

impl Redrawn {
    /// # Errors
    /// What the source reports, [`DidError::Config`] on a cluster, and [`DidError::Doses`] if half of the draws fail.
    pub fn new(
        source: &dyn Source,
        planned: &[PlannedCell],
        columns: &InfluenceColumns,
        bootstrap: &Bootstrap,
        resampling: Resampling,
    ) -> Result<Self> {
        let Bootstrap { seed, draws, .. } = *bootstrap;
        let sample = source.sample();
        // Only estimates are drawn, so standard errors are not needed.
        let curves = Some(CurveErrors::Hc0);
        let all: Vec<PlannedCell> =
            planned.iter().filter(|cell| cell.status.is_none()).cloned().collect();
        let shares: Vec<StratumRows> =
            sample.groups.iter().flat_map(|group| group.clone()).map(|c| rows(sample, c)).collect();
        let (cells, totals) = dose_cells_and_totals(source, &all, curves, &shares)?;
        let whole = Estimands { columns, planned, sample };
        let of_sample = whole.of(&cells, &totals, &totals).ok_or_else(lost)?;
        let batches: Box<dyn Iterator<Item = ReweightedDraws>> = match resampling {
            Resampling::Empirical if !source.is_here() => {
                return Err(DidError::config(
                    "resampling",
                    "`multiplier` or `weighted` on a cluster, whose workers know no units but their own",
                    "empirical",
                ));
            }
            Resampling::Empirical => Box::new(ReweightedDraws::redrawn(seed, draws, sample)?),
            Resampling::Weighted | Resampling::Multiplier => {
                Box::new(ReweightedDraws::batches(seed, draws, sample.n_clusters.is_some()))
            }
        };
        let mut drawn: Vec<Vec<f64>> = Vec::with_capacity(draws);
        for batch in batches {
            let source = Reweighted { source, draws: batch };
            let (count, first) = (source.draws.count, sample.weight_columns);
            let times =
                |rows: &StratumRows, r| StratumRows { w: product(rows.w, first + r), ..*rows };
            let cells: Vec<PlannedCell> = (0..count)
                .flat_map(|r| all.iter().map(move |cell| (r, cell)))
                .map(|(r, cell)| reweighted(cell, |rows| times(rows, r)))
                .collect();
            let rows: Vec<StratumRows> =
                (0..count).flat_map(|r| shares.iter().map(move |rows| times(rows, r))).collect();
            let (solved, found) = dose_cells_and_totals(&source, &cells, curves, &rows)?;
            for r in 0..count {
                let solved = &solved[r * all.len()..(r + 1) * all.len()];
                let found = &found[r * shares.len()..(r + 1) * shares.len()];
                drawn.extend(whole.of(solved, found, &totals));
            }
        }
        let (count, failed) = (drawn.len(), draws - drawn.len());
        if count <= failed {
            let problem = format!(
                "{failed} of {draws} bootstrap draws could not be estimated, as of groups of few units; use the multiplier bootstrap or analytic standard errors"
            );
            return Err(DidError::Doses { problem });
        }
        let deviation =
            |(j, value): (usize, &f64)| drawn.iter().map(move |d| d[j] - value).collect();
        let rows: Vec<Vec<f64>> = of_sample.iter().enumerate().map(deviation).collect();
        Ok(Self { deviations: rows.concat(), count, failed })
    }
}

/// The estimands in terms of the solved cells.
struct Estimands<'a> {
    columns: &'a InfluenceColumns,
    planned: &'a [PlannedCell],
    sample: &'a Sample,
}

impl Estimands<'_> {
    /// The columns' estimates and the groups' shares, from the cells without a status and the summed weights of cohorts in the
    /// draw and in the sample; `None` if something has no estimate.
    fn of(&self, solved: &[SolvedDoseCell], totals: &[f64], whole: &[f64]) -> Option<Vec<f64>> {
        let mut solved = solved.iter();
        let cell = |plan: &PlannedCell| match &plan.status {
            Some(status) => Some(Err(status.clone())),
            None => solved.next().cloned(),
        };
        let cells: Vec<SolvedDoseCell> = self.planned.iter().map(cell).collect::<Option<_>>()?;
        let mut values = self.columns.values_in(&cells)?;
        let mut totals = totals.iter().zip(whole);
        for group in &self.sample.groups {
            let mut share = 0.0;
            for cohort in group.clone() {
                let (total, whole) = totals.next()?;
                share +=
                    self.sample.shares[cohort] * if *whole > 0.0 { total / whole } else { 0.0 };
            }
            values.push(share);
        }
        Some(values)
    }
}

/// The units of a cohort, with their weights in group shares.
fn rows(sample: &Sample, cohort: usize) -> StratumRows {
    let stratum = sample.stratum(cohort, 0);
    StratumRows { stratum, x: 0, w: sample.omega, presence: Weight::Ones }
}

/// The cell with other weights.
fn reweighted(cell: &PlannedCell, weight: impl Fn(&StratumRows) -> StratumRows) -> PlannedCell {
    let mut cell = cell.clone();
    for rows in cell.sides.iter_mut().flat_map(|s| s.treated.iter_mut().chain(&mut s.control)) {
        *rows = weight(rows);
    }
    cell
}

/// A weight times the weight of a draw.
fn product(weight: Weight, draw: usize) -> Weight {
    match weight {
        Weight::Ones => Weight::Column(draw),
        // Products occur in unbalanced panels only, which this estimator does not accept.
        Weight::Column(j) | Weight::Product(j, _) => Weight::Product(j, draw),
    }
}

fn lost() -> DidError {
    DidError::Engine { problem: "the sample's estimates are not there a second time".into() }
}

#[cfg(test)]
mod tests {
    use polars::prelude::{Column, DataFrame};

    use crate::base::options::{Bootstrap, CohortShares, Resampling};
    use crate::base::random::times_drawn;
    use crate::data::DoseSimulation;
    use crate::engine::backend::Cpu;
    use crate::{ContDid, ContDidResult, doses::DoseTarget};

    fn fit(df: &DataFrame, clusters: bool, draws: Option<usize>) -> ContDidResult {
        let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period");
        let config = config.group("group").dose("dose").weights("weight").degree(2).knots(1);
        let empirical = Resampling::Empirical;
        let mut config = config
            .maybe_bootstrap(draws.map(|draws| Bootstrap::draws(draws).seed(8)))
            .resampling(if draws.is_some() { empirical } else { Resampling::Multiplier })
            .maybe_cluster(clusters.then_some("cluster"))
            .shares(CohortShares::Estimated)
            .build();
        config.chunk_rows = Some(64);
        config.fit(df).expect("a fit")
    }

    fn floats(df: &DataFrame, name: &str) -> Vec<f64> {
        let column = df.column(name).expect("a column").cast(&polars::prelude::DataType::Float64);
        column.expect("numbers").f64().expect("numbers").iter().flatten().collect()
    }

    /// A draw is a fit with weights times how often units, or clusters, were drawn, if knots are where they were.
    #[test]
    fn draws_are_fits_of_the_units_that_were_drawn() {
        let draws = 19;
        let simulation = DoseSimulation::builder().units(240).weights(true).clusters(12).seed(4);
        let df = simulation.build().frame();
        let (ids, weights) = (floats(&df, "id"), floats(&df, "weight"));
        let clusters = floats(&df, "cluster");
        for (by, units) in [(false, 240), (true, 12)] {
            let (base, drawn) = (fit(&df, by, None), fit(&df, by, Some(draws)));
            assert_eq!(drawn.dose.rows[3].att.estimate, base.dose.rows[3].att.estimate);
            for draw in [0, 7, 18] {
                let times = times_drawn(8, draw, units);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "labels"
                )]
                let unit =
                    |row: usize| if by { clusters[row] as usize } else { ids[row] as usize - 1 };
                // Rows without a weight would be left out, and knots would move.
                let times = |row: usize| f64::from(times[unit(row)]).max(1e-13);
                let new: Vec<f64> = (0..ids.len()).map(|row| weights[row] * times(row)).collect();
                let mut df = df.clone();
                df.with_column(Column::new("weight".into(), new)).expect("a column");
                let again = fit(&df, by, None);
                for target in [DoseTarget::Level, DoseTarget::Slope] {
                    let [own, of_base, of_draw] =
                        [&drawn, &base, &again].map(|f| f.cells_of(target));
                    let found = own.effects.joint.draws.as_ref().expect("draws");
                    for (cell, (a, b)) in of_draw.cells.iter().zip(&of_base.cells).enumerate() {
                        let expected =
                            a.estimate.estimate.zip(b.estimate.estimate).map(|(a, b)| a - b);
                        let found = found[cell * draws + draw as usize];
                        let expected = expected.expect("estimates");
                        assert!((found - expected).abs() < 1e-9, "{cell}: {found} {expected}");
                    }
                }
            }
        }
    }
}
