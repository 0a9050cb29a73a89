//! The rules on hand-sized strata.

use super::*;
use crate::engine::condition::Piece;
use crate::read::panel::StratumData;

/// Strata in memory, each looked at as one piece.
struct Rows(Vec<StratumData>);

impl Raw for Rows {
    fn rows(&self) -> Vec<usize> {
        self.0.iter().map(|data| data.rows).collect()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        let answer = |(stratum, data): (usize, &StratumData)| {
            let mut stat = look.none(stratum);
            if look.reads(stratum) {
                let piece = Piece { stratum, first: 0, data, start: 0, rows: data.rows };
                look.add(&piece, &mut stat)?;
            }
            Ok(stat)
        };
        self.0.iter().enumerate().map(answer).collect()
    }
}

fn stratum(y: &[f64], x: &[f64], w: &[f64]) -> StratumData {
    let rank = (0..y.len() as u64).collect();
    StratumData {
        rows: y.len(),
        y: y.to_vec(),
        x: x.to_vec(),
        w: w.to_vec(),
        rank,
        cluster: Vec::new(),
    }
}

/// One outcome column; the last stratum is the comparison in every cell.
fn known(rows: &Rows, conditioning: Conditioning, weights: usize) -> KnownColumns {
    let strata = rows.0.len();
    KnownColumns {
        conditioning,
        drops_collinear: false,
        observed: rows.rows().into_iter().map(|rows| vec![rows]).collect(),
        weight_columns: (weights, None),
        rows: rows.rows(),
        reference: strata - 1..strata,
    }
}

fn design(covariates: usize) -> DesignInfo {
    let k = covariates + 1;
    DesignInfo {
        names: (0..k).map(|j| format!("x{j}")).collect(),
        intercept: true,
        versions: 1,
        transform: (0..k * k).map(|e| f64::from(u8::from(e / k == e % k))).collect(),
    }
}

fn found(rows: &Rows, known: &KnownColumns, info: &mut DesignInfo) -> Change {
    find(rows, known, info).expect("a change")
}

const LEVELS: Conditioning = Conditioning::Levels(Precision::F64);

#[test]
fn outcomes_whose_means_are_zero_have_a_size() {
    let size = |y: &[f64]| {
        let rows = Rows(vec![stratum(y, &[], &[]), stratum(&[0.0, 0.0], &[], &[])]);
        found(&rows, &known(&rows, LEVELS, 0), &mut design(0)).y_size
    };
    assert_eq!(size(&[-0.5, 0.5]), 0.5);
    assert_eq!(size(&[0.1, 0.3]), 0.2);
    assert_eq!(size(&[0.0, 0.0]), 1.0);
}

#[test]
fn outcomes_are_centred_by_stratum_and_covariates_standardised_by_the_reference() {
    let rows = Rows(vec![
        stratum(&[1.0, 3.0], &[900.0, 1_100.0], &[]),
        stratum(&[10.0, 20.0, 30.0, 40.0], &[1.0, 3.0, 5.0, 7.0], &[]),
    ]);
    let mut info = design(1);
    let change = found(&rows, &known(&rows, LEVELS, 0), &mut info);
    assert_eq!(change.mean, [[2.0], [25.0]]);
    assert_eq!(change.centre, [[1_000.0], [4.0]]);
    assert_eq!(change.standard, [(4.0, 5f64.sqrt())]);
    assert_eq!((change.weight, change.y_scale, change.lower), (1.0, 1.0, None));
    assert_eq!(info.transform, [1.0, 4.0, 0.0, 5f64.sqrt()]);
}

#[test]
fn what_is_not_invariant_is_left_alone() {
    let rows = Rows(vec![stratum(&[1.0, 3.0], &[5.0, 7.0], &[2.0, 6.0])]);
    let unshifted = Conditioning::Unshifted(Precision::F64);
    let change = found(&rows, &known(&rows, unshifted, 1), &mut design(1));
    assert_eq!((&change.mean[0], change.weight), (&vec![0.0], 0.25));
    assert_eq!(change.standard, [(6.0, 1.0)]);
    let mut info = design(1);
    let change = found(&rows, &known(&rows, Conditioning::Raw, 1), &mut info);
    assert_eq!(change.standard, [(0.0, 1.0)]);
    assert_eq!((change.weight, info.transform), (0.25, design(1).transform));
}

#[test]
fn outcomes_have_a_scale_in_single_precision_only() {
    let rows = Rows(vec![stratum(&[-3.0, 3.0], &[], &[]), stratum(&[-1.0, 1.0], &[], &[])]);
    let levels = Conditioning::Levels(Precision::F32);
    let change = found(&rows, &known(&rows, levels, 0), &mut design(0));
    assert_eq!(change.y_scale, 1.0, "the lower median of 3 and 1");
    assert_eq!(found(&rows, &known(&rows, LEVELS, 0), &mut design(0)).y_scale, 1.0);
}

#[test]
fn extreme_weights_of_one_stratum_do_not_scale_the_others() {
    let usual = || stratum(&[1.0, 2.0], &[], &[2.0, 2.0]);
    let extreme = stratum(&[1.0, 2.0], &[], &[1e150, 1e150]);
    let rows = Rows(vec![extreme, usual(), usual()]);
    assert_eq!(found(&rows, &known(&rows, LEVELS, 1), &mut design(0)).weight, 0.5);
}

#[test]
fn covariates_whose_squares_overflow_are_measured_in_their_own_unit() {
    let huge = [1e200, 2e200, 3e200, 2e200];
    let rows = Rows(vec![stratum(&[0.0; 4], &huge, &[])]);
    let change = found(&rows, &known(&rows, LEVELS, 0), &mut design(1));
    let (mean, sd) = change.standard[0];
    assert!((mean / 2e200 - 1.0).abs() < 1e-15 && (sd / 0.5f64.sqrt() / 1e200 - 1.0).abs() < 1e-15);
    let constant = Rows(vec![stratum(&[0.0; 3], &[0.0; 3], &[])]);
    let change = found(&constant, &known(&constant, LEVELS, 0), &mut design(1));
    assert_eq!(change.standard, [(0.0, 1.0)]);
    let beyond = Rows(vec![stratum(&[0.0; 2], &[1e308, -1e308], &[])]);
    let error = find(&beyond, &known(&beyond, LEVELS, 0), &mut design(1)).expect_err("too large");
    assert!(
        matches!(error, DidError::CovariateRange { ref column, .. } if column == "x1"),
        "{error}"
    );
}

#[test]
fn nearly_collinear_covariates_are_decorrelated() {
    let first: Vec<f64> = (0..60).map(|i| f64::from(i).sin()).collect();
    let close = |apart: f64| first.iter().zip(0..).map(move |(v, i)| v + apart * f64::from(i % 3));
    for (apart, decorrelated) in [(0.5, false), (1e-4, true), (1e-7, true), (0.0, false)] {
        let x: Vec<f64> = first.iter().copied().chain(close(apart)).collect();
        let rows = Rows(vec![stratum(&[0.0; 60], &x, &[])]);
        let mut info = design(2);
        let change = found(&rows, &known(&rows, LEVELS, 0), &mut info);
        assert_eq!(change.lower.is_some(), decorrelated, "{apart}");
        // The way back: the raw covariates from the changed ones.
        let mut data = rows.0[0].clone();
        change.apply(0, &mut data).unwrap();
        for i in 0..60 {
            let z = [1.0, data.x[i], data.x[60 + i]];
            for (j, raw) in [x[i], x[60 + i]].into_iter().enumerate() {
                let back: f64 = (0..3).map(|m| z[m] * info.transform[m * 3 + j + 1]).sum();
                assert!((back - raw).abs() < 1e-12, "{back} {raw}");
            }
        }
    }
}
