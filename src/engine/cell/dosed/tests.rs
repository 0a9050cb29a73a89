//! Five treated units with three doses, followed by hand: splines of degree one have a knot at each dose, so that curves are
//! the means of the units of a dose.

use super::*;
use crate::base::options::{Precision, SharesOf};
use crate::base::splines::Splines;
use crate::engine::backend::Cpu;
use crate::engine::cell::fixtures::{cell, design, rows, sample};
use crate::engine::cell::{Outcome, influence_pass};
use crate::engine::pass::{Consumers, KeptRows};
use crate::engine::source::{AnyPass, AnyStat, Ask, Keep, Work, put};
use crate::read::panel::{Layout, StratumData};

const DOSES: [f64; 5] = [1.0, 1.0, 2.0, 2.0, 3.0];

/// Strata in memory.
struct Strata {
    sample: Sample,
    strata: Vec<StratumData>,
}

impl Source for Strata {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn backend(&self) -> &str {
        "test"
    }

    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn check(&self, _: &Work<'_>) -> Result<()> {
        Ok(())
    }

    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        let (k, device) = (self.sample.design.k(), Default::default());
        let mut total = pass.none(self.strata.len());
        let strata = self.strata.iter().cloned().enumerate();
        for (stratum, data) in strata.filter(|(stratum, _)| pass.reads(*stratum)) {
            let chunk = put::<Cpu>(stratum, data, k, Precision::F64, &device)?;
            let mut part = pass.none_of(stratum);
            pass.accumulate(&chunk, &mut part)?.into_iter().try_for_each(&mut *keep)?;
            pass.merge(&mut total, stratum, &part)?;
        }
        Ok(total)
    }
}

/// Changes 2 and 4 at dose 1, 6 and 9 (of weight 2) at dose 2, 10 at dose 3; without treatment 1 and 2.5 (of weight 2). The
/// means are 3, 8 and 10, and 2.
fn strata() -> Strata {
    let stratum = |first: u64, changes: &[f64], x: &[&[f64]], w: &[f64]| {
        let rows = changes.len();
        let y = [vec![7.0; rows], changes.iter().map(|change| 7.0 + change).collect()].concat();
        let rank = (first..).take(rows).collect();
        StratumData { rows, y, x: x.concat(), w: w.to_vec(), rank, cluster: Vec::new() }
    };
    // The second and the third spline, and their slopes to the right of a knot.
    let x: [&[f64]; 4] = [
        &[0.0, 0.0, 1.0, 1.0, 0.0],
        &[0.0, 0.0, 0.0, 0.0, 1.0],
        &[1.0, 1.0, -1.0, -1.0, -1.0],
        &[0.0, 0.0, 1.0, 1.0, 1.0],
    ];
    let splines = Splines::new(1, &[1.0, 2.0, 3.0]).unwrap();
    for (unit, dose) in DOSES.iter().enumerate() {
        let own = [splines.row(*dose, 0), splines.row(*dose, 1)];
        assert_eq!([own[0][1], own[0][2], own[1][1], own[1][2]], x.map(|column| column[unit]));
    }
    let doses = Doses {
        splines: vec![Some(splines), None],
        distinct: vec![3, 0],
        functions: 3,
        ..Doses::default()
    };
    let treated = stratum(0, &[2.0, 4.0, 6.0, 9.0, 10.0], &x, &[1.0, 1.0, 1.0, 2.0, 1.0]);
    let control = stratum(5, &[1.0, 2.5], &[&[0.0; 8]], &[1.0, 2.0]);
    let sample = Sample {
        design: design(&["B2", "B3", "B2'", "B3'"]),
        doses: Some(doses),
        weight_columns: 1,
        ..sample(Layout::Balanced, &[1.0, 2.0], &[2.0, f64::INFINITY])
    };
    Strata { sample, strata: vec![treated, control] }
}

const HC0: Option<CurveErrors> = Some(CurveErrors::Hc0);

fn planned() -> PlannedCell {
    let side = Side {
        outcome: Outcome::Change { post: 1, base: 0 },
        treated: vec![rows(0)],
        control: vec![rows(1)],
    };
    cell(vec![side], 5, 2)
}

fn solved(source: &Strata, curves: Option<CurveErrors>) -> DoseCell {
    dose_cells(source, &[planned()], curves).unwrap().remove(0).unwrap()
}

/// Influence values `[7]` of estimates, by rank.
fn influence(source: &Strata, estimates: &[&CellEstimate]) -> Vec<Vec<f64>> {
    let consumers = Consumers { clusters: None, multipliers: None, keep_rows: true };
    let cells = estimates.iter().copied().map(Some);
    let pass = influence_pass(
        &source.sample,
        cells,
        SharesOf::Eligible,
        consumers,
        Precision::F64,
        UNTRIMMED,
    );
    let mut values = vec![vec![0.0; 7]; pass.columns];
    let mut keep = |kept: KeptRows| -> Result<()> {
        let columns = kept.columns.iter().zip(kept.values.chunks_exact(kept.ranks.len()));
        for (column, own) in columns {
            for (rank, value) in kept.ranks.iter().zip(own) {
                values[*column][*rank as usize] = *value;
            }
        }
        Ok(())
    };
    let source: &dyn Source = source;
    source.run_keeping(&pass, &mut keep).unwrap();
    values.truncate(estimates.len());
    values
}

#[track_caller]
fn assert_near(got: &[f64], expected: &[f64]) {
    let far = |(got, expected): (&f64, &f64)| (got - expected).abs() > 1e-13;
    let any = got.len() != expected.len() || got.iter().zip(expected).any(far);
    assert!(!any, "{got:?}\n{expected:?}");
}

#[test]
fn the_curve_goes_through_the_means_of_the_doses() {
    let cell = solved(&strata(), HC0);
    let own = cell.curve.unwrap();
    let coefficients: Vec<f64> = own.coefficients.iter().map(|c| c.att).collect();
    assert_near(&coefficients, &[3.0 - 2.0, 8.0 - 3.0, 10.0 - 3.0]);
    let splines = Splines::new(1, &[1.0, 2.0, 3.0]).unwrap();
    let curve = |dose: f64, order: usize| {
        let mut row = splines.row(dose, order);
        // The constant takes the place of the first spline.
        row[0] = if order == 0 { 1.0 } else { 0.0 };
        dot(&row, &coefficients)
    };
    // ATT(1), ATT(2), ATT(2.5) and ATT(3); ACRT between the doses.
    let levels = [1.0, 2.0, 2.5, 3.0].map(|dose| curve(dose, 0));
    assert_near(&levels, &[1.0, 6.0, 7.0, 8.0]);
    assert_near(&[curve(1.5, 1), curve(2.5, 1)], &[5.0, 2.0]);
    // 40 over a weight of 6, less 2; slopes 5 of weight 2 and 2 of weight 4.
    assert_near(&[cell.att.att, own.acrt.att], &[40.0 / 6.0 - 2.0, (2.0 * 5.0 + 4.0 * 2.0) / 6.0]);
}

#[test]
fn influence_is_that_of_means_and_their_differences() {
    let source = strata();
    let cell = solved(&source, HC0);
    let curve = cell.curve.unwrap();
    let all: Vec<&CellEstimate> =
        [&cell.att, &curve.acrt].into_iter().chain(&curve.coefficients).collect();
    let values = influence(&source, &all);
    // Deviations from the mean 20/3 over the weight of all; of the others from 2, with a minus.
    let ninths = [-7.0, -4.0, -1.0, 7.0, 5.0, 3.0, -3.0].map(|v| v / 9.0);
    assert_near(&values[0], &ninths);
    // The slope less its mean 3, over 6; and residuals -1, 1, -2, 1, 0 in -1/3 of the first two means and 2/3 of the last.
    let eighteenths = [9.0, 3.0, 1.0, -10.0, -3.0, 0.0, 0.0].map(|v| v / 18.0);
    assert_near(&values[1], &eighteenths);
    let (half, third, thirds) = (0.5, 1.0 / 3.0, 2.0 / 3.0);
    assert_near(&values[2], &[-half, half, 0.0, 0.0, 0.0, third, -third]);
    assert_near(&values[3], &[half, -half, -thirds, thirds, 0.0, 0.0, 0.0]);
    assert_near(&values[4], &[half, -half, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

/// Five units and three coefficients: residuals are `√(5 / 2)` times as large, and what is no residual stays.
#[test]
fn corrected_errors_have_larger_residuals() {
    let source = strata();
    let [plain, corrected] = [CurveErrors::Hc0, CurveErrors::Hc1].map(|errors| {
        let curve = solved(&source, Some(errors)).curve.unwrap();
        let all: Vec<&CellEstimate> =
            std::iter::once(&curve.acrt).chain(&curve.coefficients).collect();
        influence(&source, &all)
    });
    let factor = 2.5f64.sqrt();
    let scaled = |values: &[f64], treated: usize| -> Vec<f64> {
        let own = values.iter().enumerate();
        own.map(|(row, v)| if row < treated { factor * v } else { *v }).collect()
    };
    for j in 1..4 {
        assert_near(&corrected[j], &scaled(&plain[j], 5));
    }
    // Slopes less their mean, over the weight of 6.
    let slopes = [2.0, 2.0, -1.0, -2.0, -1.0].map(|slope| slope / 6.0);
    let residuals = plain[0].iter().zip(slopes).map(|(u, slope)| u - slope);
    let expected: Vec<f64> = residuals.zip(slopes).map(|(u, slope)| factor * u + slope).collect();
    assert_near(&corrected[0][..5], &expected);
}

#[test]
fn without_curves_there_is_the_average_effect_alone() {
    let cell = solved(&strata(), None);
    let curve = cell.curve.unwrap();
    assert_near(&[cell.att.att, curve.acrt.att], &[14.0 / 3.0, 0.0]);
    assert!(curve.coefficients.is_empty() && curve.acrt.terms.is_empty());
}

#[test]
fn the_mean_of_cells_has_the_mean_influence() {
    let source = strata();
    let cell = solved(&source, HC0);
    let coefficients = cell.curve.unwrap().coefficients;
    let mean = average([&coefficients[0], &coefficients[1]].into_iter());
    assert_near(&[mean.att], &[3.0]);
    let sixth = 1.0 / 6.0;
    let values = influence(&source, &[&mean]);
    assert_near(&values[0], &[0.0, 0.0, -2.0 * sixth, 2.0 * sixth, 0.0, sixth, -sixth]);
}

#[test]
fn doses_must_be_as_many_as_splines_and_the_sample_must_have_them() {
    let mut source = strata();
    let status = |source: &Strata| {
        let cell = solved(source, HC0);
        // The average effect needs no curve.
        assert_near(&[cell.att.att], &[14.0 / 3.0]);
        cell.curve.expect_err("no curve")
    };
    if let Some(doses) = &mut source.sample.doses {
        doses.distinct[0] = 2;
    }
    assert!(matches!(status(&source), CellStatus::FewDoses { distinct: 2, needed: 3 }));
    source.sample.doses = None;
    assert!(matches!(status(&source), CellStatus::Estimator { .. }));
}
