//! The method `cck` with doses of few values, and with one that many units have.

use burn_did::doses::{DoseGrid, DoseMethod};
use burn_did::group_time::CellStatus;
use burn_did::{ContDid, ContDidResult, DidWarning, backend::Cpu};
use polars::prelude::*;

use crate::support::but;
use crate::support::frames::{floats, with};
use crate::support::splitmix::SplitMix64;

/// Units in two periods, six of ten of them treated, with doses and effects of these.
fn panel(units: usize, dose: impl Fn(f64) -> f64, effect: impl Fn(f64) -> f64) -> DataFrame {
    let mut random = SplitMix64(11);
    let (mut ids, mut periods, mut groups) = (vec![], vec![], vec![]);
    let (mut ys, mut doses) = (vec![], vec![]);
    for unit in 0..units {
        let treated = random.uniform() < 0.6;
        let d = if treated { dose(random.uniform()) } else { 0.0 };
        let level = random.bell();
        for period in [1, 2] {
            let effect = if treated && period == 2 { effect(d) } else { 0.0 };
            ids.push(unit as i64);
            periods.push(period);
            groups.push(if treated { 2 } else { 0 });
            ys.push(level + effect + 0.5 * random.bell());
            doses.push(d);
        }
    }
    df!("id" => ids, "period" => periods, "group" => groups, "y" => ys, "dose" => doses).unwrap()
}

fn config(doses: &[f64]) -> ContDid<Cpu> {
    but(super::config(), |c| {
        c.method = DoseMethod::Cck;
        c.grid = DoseGrid::Values(doses.into());
    })
}

fn is_collinear(fit: &ContDidResult) -> bool {
    fit.warnings.iter().any(|w| matches!(w, DidWarning::CollinearSieve { .. }))
}

#[track_caller]
fn near(what: &str, a: Option<f64>, b: Option<f64>, shift: f64) {
    let (a, b) = (a.expect(what), b.expect(what));
    assert!((b - a - shift).abs() < 1e-7, "{what}: {a}, {b}, {shift}");
}

/// Ten doses, and an effect of one for each unit of the dose: a constant added to all effects moves levels by it and no slope.
#[test]
fn slopes_do_not_depend_on_the_level_of_effects() {
    let doses = [0.1, 0.3, 0.5, 0.55, 0.8, 1.0];
    let tenths = |u: f64| (10.0 * u).ceil().max(1.0) / 10.0;
    let df = panel(600, tenths, |d| d);
    let treated = |row: usize| floats(&df, "group")[row] * (floats(&df, "period")[row] - 1.0) > 0.0;
    let moved = floats(&df, "y").into_iter().enumerate();
    let moved = moved.map(|(row, y)| if treated(row) { y + 100.0 } else { y }).collect::<Vec<_>>();
    let [one, other] =
        [df.clone(), with(&df, "y", moved)].map(|df| config(&doses).fit(&df).unwrap());
    for (a, b) in one.dose.rows.iter().zip(&other.dose.rows) {
        near("ATT(d)", a.att.estimate, b.att.estimate, 100.0);
        near("its error", a.att.se, b.att.se, 0.0);
        near("ACRT(d)", a.acrt.estimate, b.acrt.estimate, 0.0);
        near("its error", a.acrt.se, b.acrt.se, 0.0);
        assert!((a.att.estimate.unwrap() - a.dose).abs() < 4.0 * a.att.se.unwrap(), "{a:?}");
    }
    near("ACRT", one.overall.acrt.estimate, other.overall.acrt.estimate, 0.0);
    near("its error", one.overall.acrt.se, other.overall.acrt.se, 0.0);
    assert!((one.overall.acrt.estimate.unwrap() - 1.0).abs() < 4.0 * one.overall.acrt.se.unwrap());
    assert!(one.knots.groups[0].breakpoints.len() + 2 <= 10 && !is_collinear(&one));
}

/// Without damping as many functions are compared as in R: what the ten doses do not determine of the chosen curve has no estimate.
#[test]
fn what_the_doses_do_not_determine_has_no_estimate() {
    let tenths = |u: f64| (10.0 * u).ceil().max(1.0) / 10.0;
    let df = panel(600, tenths, |d| if d == 0.5 { 3.0 } else { d });
    let config = but(config(&[0.3, 0.5, 0.55]), |c| c.damping = false);
    let fit = config.fit(&df).unwrap();
    assert!(is_collinear(&fit), "{:?}", fit.warnings);
    let has = |row: usize| fit.dose.rows[row].att.estimate.is_some();
    assert_eq!([has(0), has(1), has(2)], [true, true, false]);
    assert!(fit.dose.rows.iter().all(|row| row.acrt.estimate.is_none()), "{:?}", fit.dose.rows);
    assert_eq!((fit.overall.acrt.estimate, fit.overall.acrt.se), (None, None));
    assert!(fit.overall.att.se.is_some());
    assert_eq!(fit.slope.cells[0].status, CellStatus::NotDetermined);
    assert_eq!(fit.at(&[0.55]).unwrap().rows[0].att.estimate, None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    fit.save(&path).unwrap();
    let saved = ContDidResult::load(&path).unwrap();
    assert_eq!(saved.at(&[0.3, 0.55]).unwrap(), fit.at(&[0.3, 0.55]).unwrap());
    assert!(fit.to_json().unwrap().contains("not_determined"));
}

/// Four of ten treated units have a dose of exactly 1.
#[test]
fn a_dose_that_many_have_is_one_knot() {
    let heaped = |u: f64| if u < 0.4 { 1.0 } else { 0.1 + 1.9 * (u - 0.4) / 0.6 };
    let df = panel(3_000, heaped, |d| (10.0 * d).sin());
    let fit = config(&[0.999, 1.0, 1.001]).fit(&df).unwrap();
    let knots = &fit.knots.groups[0].breakpoints;
    assert!(knots.windows(2).all(|pair| pair[1] - pair[0] > 1e-4), "{knots:?}");
    let merged = |w: &DidWarning| matches!(w, DidWarning::CoincidentKnots { column, .. } if column == "dose");
    assert!(fit.warnings.iter().any(merged) && !is_collinear(&fit), "{:?}", fit.warnings);
    for row in &fit.dose.rows {
        let truth = (10.0 * row.dose).sin();
        assert!((row.att.estimate.unwrap() - truth).abs() < 0.1, "{row:?}");
        assert!(
            (row.acrt.estimate.unwrap() - 10.0 * (10.0 * row.dose).cos()).abs() < 3.0,
            "{row:?}"
        );
    }
}
