//! Samples in which curves of a dose, or sieves, are at their limits: groups of few units or few doses, missing doses, small numbers.

use std::path::PathBuf;

use burn_did::{
    ContDidResult, DidWarning, Npiv, NpivResult,
    doses::{CurveErrors, DoseGrid, DoseMethod, DoseTarget},
    options::{Band, Bootstrap, CohortShares},
    sieve::SieveGrid,
};
use polars::prelude::*;

use super::{config, fit, simulation};
use crate::support::but;
use crate::support::frames::{floats, map};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/doses/{name}.csv"))
}

/// The data of a file, blank fields missing.
fn data(name: &str) -> DataFrame {
    let reader = CsvReadOptions::default().with_infer_schema_length(None);
    reader.try_into_reader_with_file_path(Some(path(name))).unwrap().finish().unwrap()
}

/// A fit of a file at these doses.
fn of_file(
    name: &str,
    doses: &[f64],
    change: impl Fn(&mut burn_did::ContDid<burn_did::backend::Cpu>),
) -> ContDidResult {
    let config = but(config(), |c| {
        c.time = "t".into();
        c.group = Some("g".into());
        c.dose = "d".into();
        c.grid = DoseGrid::Values(doses.to_vec());
        change(c);
    });
    fit(&config, &data(name))
}

#[track_caller]
fn near(found: Option<f64>, expected: f64, tolerance: f64) {
    let found = found.unwrap_or(f64::NAN);
    assert!((found - expected).abs() <= tolerance, "{found} against {expected}");
}

/// Groups with effects in the ratio 1 : 2 : -.5; ModernDiD 0.4.1 has .2069, .3535 and .3828 by 8,000 draws.
#[test]
fn shares_of_groups_are_estimates_unless_asked_otherwise() {
    let with = |shares| {
        of_file("shares", &[0.3, 0.5, 0.8], |c| {
            c.degree = 2;
            c.shares = shares;
        })
    };
    for (fit, [att, acrt, overall]) in [
        (with(CohortShares::default()), [0.2065, 0.3490, 0.3844]),
        (with(CohortShares::Fixed), [0.1135, 0.2685, 0.2906]),
    ] {
        near(fit.dose.rows[2].att.se, att, 5e-5);
        near(fit.dose.rows[1].acrt.se, acrt, 5e-5);
        near(fit.overall.acrt.se, overall, 5e-5);
    }
    assert!(!with(CohortShares::Estimated).to_string().contains("given the groups' shares"));
    assert!(with(CohortShares::Fixed).to_string().contains("given the groups' shares"));
}

/// Estimates are those of ModernDiD 0.4.1, which counts each treated unit once.
#[test]
fn knots_are_quantiles_of_units_however_long_they_are_treated() {
    let fit = of_file("knots", &[0.45, 0.55], |c| {
        c.degree = 1;
        c.knots = 1;
    });
    let df = data("knots");
    let (ids, groups, doses) = (floats(&df, "id"), floats(&df, "g"), floats(&df, "d"));
    let mut units: Vec<(u64, f64)> = (0..df.height())
        .filter(|row| groups[*row] > 0.0)
        .map(|row| (ids[row].to_bits(), doses[row]))
        .collect();
    units.sort_by(|a, b| a.partial_cmp(b).unwrap());
    units.dedup_by_key(|(id, _)| *id);
    let mut doses: Vec<f64> = units.iter().map(|(_, dose)| *dose).collect();
    doses.sort_by(f64::total_cmp);
    let half = doses.len() / 2;
    let median =
        if doses.len() % 2 == 1 { doses[half] } else { (doses[half - 1] + doses[half]) / 2.0 };
    near(Some(fit.knots.interior[0]), median, 1e-12);
    near(Some(fit.knots.percentiles[50]), median, 1e-12);
    near(Some(median), 0.5255, 5e-5);
    near(fit.dose.rows[0].acrt.estimate, -0.644, 5e-4);
    near(fit.overall.acrt.estimate, 2.158, 5e-4);
}

/// Four treated units and four coefficients: the curve goes through all of them.
#[test]
fn a_curve_through_all_units_has_no_standard_error() {
    let fit = of_file("edge_treated_4", &[0.3, 0.5, 0.8], |_| {});
    near(fit.dose.rows[1].att.estimate, 1.6638, 5e-5);
    near(fit.overall.att.se, 0.8814, 5e-5);
    let few = |warning: &DidWarning| {
        matches!(warning, DidWarning::FewTreated { units: 4, coefficients: 4, .. })
    };
    assert!(fit.warnings.iter().any(few), "{:?}", fit.warnings);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("fit.json");
    fit.save(&file).unwrap();
    for fit in [&fit, &ContDidResult::load(&file).unwrap()] {
        let rows = fit.dose.rows.iter().flat_map(|row| [row.att, row.acrt]);
        let more = fit.at(&[0.4]).unwrap().rows[0];
        assert!(rows.chain([more.att, more.acrt]).all(|e| e.estimate.is_some() && e.se.is_none()));
        assert!(fit.overall.acrt.estimate.is_some() && fit.overall.acrt.se.is_none());
        let slopes = fit.event_study(DoseTarget::Slope).unwrap();
        assert!(slopes.rows.iter().all(|row| row.estimate.se.is_none()));
        assert!(fit.slope.cells.iter().all(|cell| cell.estimate.se.is_none()));
        assert!(fit.level.cells.iter().all(|cell| cell.estimate.se.is_some()));
    }
    // With a coefficient less there are residuals, which are small.
    let fit = of_file("edge_treated_4", &[0.5], |c| c.degree = 2);
    assert!(fit.dose.rows[0].att.se.is_some() && fit.overall.acrt.se.is_some());
    let few = |warning: &DidWarning| {
        matches!(warning, DidWarning::FewTreated { units: 4, coefficients: 3, .. })
    };
    assert!(fit.warnings.iter().any(few), "{:?}", fit.warnings);
}

#[test]
fn corrected_standard_errors_are_larger_where_units_are_few() {
    let with = |errors| {
        of_file("edge_treated_4", &[0.5], |c| {
            c.degree = 2;
            c.curve_errors = errors;
        })
    };
    let (plain, corrected) = (with(CurveErrors::Hc0), with(CurveErrors::Hc1));
    let [a, b] = [&plain, &corrected].map(|fit| fit.dose.rows[0].acrt);
    // Four units and three coefficients; the slope of a curve has no comparison units.
    assert_eq!(a.estimate, b.estimate);
    near(b.se, 2.0 * a.se.unwrap(), 1e-12);
    assert!(corrected.dose.rows[0].att.se > plain.dose.rows[0].att.se);
    assert_eq!(plain.overall.att, corrected.overall.att);
    assert!(corrected.to_string().contains("HC1") && !plain.to_string().contains("HC1"));
}

/// Group 3 has three doses, too few for a cubic curve. Levels are those of ModernDiD 0.4.1.
#[test]
fn a_group_without_a_curve_keeps_its_level() {
    let [cubic, quadratic] =
        [3, 2].map(|degree| of_file("edge_few_doses_deg3", &[0.3, 0.5], |c| c.degree = degree));
    near(cubic.overall.att.estimate, 0.9245, 5e-5);
    near(cubic.overall.att.se, 0.0971, 5e-5);
    let same = |a: &burn_did::Estimate, b: &burn_did::Estimate| {
        near(a.estimate, b.estimate.unwrap(), 1e-12);
        near(a.se, b.se.unwrap(), 1e-12);
    };
    same(&cubic.overall.att, &quadratic.overall.att);
    let [a, b] = [&cubic, &quadratic].map(|fit| fit.event_study(DoseTarget::Level).unwrap());
    assert_eq!(a.rows.len(), b.rows.len());
    a.rows.iter().zip(&b.rows).for_each(|(a, b)| same(&a.estimate, &b.estimate));
    same(&a.overall.unwrap(), &b.overall.unwrap());
    near(a.overall.unwrap().estimate, 0.9661, 5e-5);
    let levels = cubic.level.cells.iter().filter(|cell| cell.group == 3.0);
    assert!(levels.clone().count() > 0 && levels.clone().all(|cell| cell.status.is_estimated()));
    let slopes = cubic.slope.cells.iter().filter(|cell| cell.group == 3.0);
    assert!(slopes.clone().all(|cell| cell.estimate.estimate.is_none()));
    assert!(cubic.knots.groups.iter().any(|group| group.group == 3.0));
    let warning = cubic.warnings.iter().find_map(|warning| match warning {
        DidWarning::NoCurve { group, share, .. } => Some((*group, *share)),
        _ => None,
    });
    let (group, share) = warning.expect("a warning");
    assert_eq!(group, 3.0);
    assert!((0.3..0.4).contains(&share), "{share}");
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("fit.json");
    cubic.save(&file).unwrap();
    assert_eq!(ContDidResult::load(&file).unwrap().overall, cubic.overall);
}

#[test]
fn rows_without_treatment_need_no_dose() {
    let fit = of_file("edge_never_dose_missing", &[0.5], |_| {});
    near(fit.overall.att.estimate, 0.9005, 5e-5);
    assert!(fit.level.audit.rows_missing.is_empty(), "{:?}", fit.level.audit);
    // Nor do rows before treatment; those from treatment on do.
    let df = simulation(400).frame();
    let (groups, times) = (floats(&df, "group"), floats(&df, "period"));
    let doses = floats(&df, "dose");
    let without = |keep: &dyn Fn(usize) -> bool| {
        let mut changed = df.clone();
        let doses: Vec<Option<f64>> =
            (0..df.height()).map(|row| keep(row).then_some(doses[row])).collect();
        changed.with_column(Column::new("dose".into(), doses)).unwrap();
        changed
    };
    let treated = |row: usize| groups[row] > 0.0 && groups[row] <= times[row];
    let all = super::fit(&config(), &df);
    let fewer = super::fit(&config(), &without(&treated));
    assert_eq!((&all.dose, &all.overall), (&fewer.dose, &fewer.overall));
    let last = floats(&df, "id").into_iter().fold(0.0, f64::max);
    let ids = floats(&df, "id");
    let lost = (0..df.height()).rfind(|row| treated(*row) && ids[*row] < last).unwrap();
    let one = super::fit(&config(), &without(&|row| row != lost));
    assert_eq!(one.level.settings.n_units + 1, all.level.settings.n_units);
}

/// With 20 clusters a band of one dose is its interval.
#[test]
fn intervals_have_the_law_of_bands() {
    let df = burn_did::data::DoseSimulation::builder().units(400).clusters(20).build().frame();
    let with = |band| {
        let config = but(config(), |c| {
            c.cluster = Some("cluster".into());
            c.grid = DoseGrid::Values(vec![0.5]);
            c.band = Some(band);
        });
        fit(&config, &df)
    };
    let (pointwise, uniform) = (with(Band::Pointwise), with(Band::Uniform));
    near(Some(pointwise.dose.critical_att), 2.093_024_054, 1e-8);
    near(Some(uniform.dose.critical_att), pointwise.dose.critical_att, 1e-9);
    let overall = pointwise.overall.att;
    let width = (overall.ci_upper.unwrap() - overall.estimate.unwrap()) / overall.se.unwrap();
    near(Some(width), 2.093_024_054, 1e-8);
}

/// Two periods have one cell; what has a band is the curve.
#[test]
fn a_band_of_one_is_that_of_a_curve_at_one_dose() {
    let df = but(simulation(300), |s| {
        s.periods = 2;
        s.groups = 1;
    })
    .frame();
    let said = |doses: &[f64]| {
        let config = but(config(), |c| {
            c.grid = DoseGrid::Values(doses.to_vec());
            c.band = Some(Band::Uniform);
        });
        let fit = fit(&config, &df);
        for cells in [&fit.level, &fit.slope] {
            assert!(!cells.warnings.contains(&DidWarning::BandOfOne), "{:?}", cells.warnings);
        }
        fit.warnings.contains(&DidWarning::BandOfOne)
    };
    assert!(said(&[0.5]));
    assert!(!said(&[0.2, 0.5, 0.9]));
}

#[test]
fn small_outcomes_have_standard_errors() {
    let df = simulation(300).frame();
    let first = fit(&config(), &df);
    let small = map(&df, "y", |y| y * 1e-9);
    let second = fit(&config(), &small);
    near(second.overall.att.se.map(|se| se * 1e9), first.overall.att.se.unwrap(), 1e-6);
    for (a, b) in first.dose.rows.iter().zip(&second.dose.rows) {
        near(b.att.se.map(|se| se * 1e9), a.att.se.unwrap(), 1e-6);
        near(b.acrt.se.map(|se| se * 1e9), a.acrt.se.unwrap(), 1e-6);
    }
}

/// Which doses are shown has no part in the dimension.
#[test]
fn the_dimension_is_a_matter_of_the_data() {
    let cck = |doses: &[f64]| of_file("cover_cck", doses, |c| c.method = DoseMethod::Cck);
    let many: Vec<f64> = (1..20).map(|i| 0.05 * f64::from(i)).collect();
    let first = cck(&[0.5]);
    for doses in [&[0.1, 0.3, 0.5, 0.7, 0.9][..], &many] {
        let other = cck(doses);
        assert_eq!(first.knots, other.knots);
        assert_eq!(first.overall, other.overall);
        let at = other.at(&[0.5]).unwrap().rows[0].att;
        assert_eq!(
            (first.dose.rows[0].att.estimate, first.dose.rows[0].att.se),
            (at.estimate, at.se)
        );
    }
}

fn npiv(df: &DataFrame, change: impl Fn(&mut Npiv)) -> burn_did::Result<NpivResult> {
    let mut config = Npiv::builder()
        .outcome("y")
        .regressors(["x"])
        .grid(SieveGrid::Points(vec![vec![0.1], vec![0.4], vec![0.7]]))
        .bootstrap(Bootstrap::draws(999))
        .build();
    change(&mut config);
    config.fit(df)
}

/// 784 functions of two instruments for 300 observations, and how many there may be.
#[test]
fn instruments_that_project_nothing_away_are_refused() {
    let df = data("many_iv");
    let with = |segments: Option<(usize, usize)>| {
        npiv(&df, |c| {
            c.instruments = vec!["z1".into(), "z2".into()];
            c.x_segments = segments.map(|s| s.0);
            c.w_segments = segments.map(|s| s.1);
        })
    };
    let refused = with(Some((2, 24))).unwrap_err().to_string();
    assert!(refused.contains("300") && refused.contains("least squares"), "{refused}");
    let many = |fit: &NpivResult| {
        fit.warnings.iter().any(|w| matches!(w, DidWarning::ManyInstruments { .. }))
    };
    assert!(many(&with(Some((2, 6))).unwrap()));
    assert!(!many(&with(Some((2, 2))).unwrap()));
    // Where the data choose, the dimensions that are compared end before.
    let chosen = with(None).unwrap();
    let compared = &chosen.choice.as_ref().unwrap().compared;
    assert!(compared.iter().all(|(_, w)| (w + 4) * (w + 4) < 300), "{compared:?}");
    let undamped = npiv(&df, |c| {
        c.instruments = vec!["z1".into(), "z2".into()];
        c.damping = false;
    });
    assert!(undamped.is_ok());
}

#[test]
fn fewer_functions_of_instruments_than_of_regressors_are_refused() {
    let df = data("many_iv");
    let refused = npiv(&df, |c| {
        c.instruments = vec!["z1".into()];
        c.x_segments = Some(3);
        c.w_degree = 1;
        c.w_segments = Some(1);
    });
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("cannot identify 6 functions"), "{refused}");
}

#[test]
fn rows_of_weight_zero_are_no_observations() {
    let df = data("ne_zero_w");
    let weights = floats(&df, "w");
    let mask: BooleanChunked = weights.iter().map(|w| Some(*w > 0.0)).collect();
    let dropped = df.filter(&mask).unwrap();
    let with = |df: &DataFrame| {
        npiv(df, |c| {
            c.weights = Some("w".into());
            c.knots = burn_did::sieve::SieveKnots::Quantiles;
        })
        .unwrap()
    };
    let (all, fewer) = (with(&df), with(&dropped));
    assert_eq!((&all.rows, all.n, all.x_segments), (&fewer.rows, fewer.n, fewer.x_segments));
    assert_eq!(all.breakpoints, fewer.breakpoints);
    let rows = df.height() - dropped.height();
    assert!(rows > 0 && all.warnings.contains(&DidWarning::WeightlessRows { rows }));
    // One row an observation.
    let observed = npiv(&df, |c| {
        c.weights = Some("w".into());
        c.grid = SieveGrid::Observations;
    });
    assert_eq!(observed.unwrap().rows.len(), dropped.height());
}

#[test]
fn units_of_outcome_and_regressor_carry_over_to_sieves() {
    let df = data("many_iv");
    let with = |df: &DataFrame, x: f64| {
        npiv(df, |c| {
            c.grid =
                SieveGrid::Points([0.1, 0.4, 0.7].iter().map(|point| vec![point * x]).collect());
        })
        .unwrap()
    };
    let first = with(&df, 1.0);
    // Powers of two, so that nothing is rounded.
    let (tiny, huge) = ((-500f64).exp2(), 400f64.exp2());
    for (scaled, y, x) in
        [(map(&df, "y", |v| v * tiny), tiny, 1.0), (map(&df, "x", |v| v * huge), 1.0, huge)]
    {
        let fit = with(&scaled, x);
        assert_eq!(fit.x_segments, first.x_segments);
        near(Some(fit.critical_value), first.critical_value, 1e-9);
        near(Some(fit.critical_value_derivative), first.critical_value_derivative, 1e-9);
        for (a, b) in first.rows.iter().zip(&fit.rows) {
            near(b.h.se.map(|se| se / y), a.h.se.unwrap(), 1e-9);
            near(b.derivative.se.map(|se| se / y * x), a.derivative.se.unwrap(), 1e-9);
        }
    }
}
