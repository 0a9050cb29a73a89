//! Continuous treatments: golden numbers, an independent program, influence values that are derivatives, and draws.

use burn_did::data::DoseSimulation;
use burn_did::{
    doses::{DoseGrid, DoseMethod, DoseTarget},
    options::{Band, BasePeriod, Bootstrap, CohortShares, ControlGroup, Multiplier, Resampling},
};
use polars::prelude::*;
use serde_json::Value;

use super::{config, estimates, fit, simulation};
use crate::support::but;
use crate::support::doses::{DATASETS, golden, golden_config, numbers, words};
use crate::support::frames::{floats, golden_json, rows, with};

#[track_caller]
fn near(what: &str, ours: Option<f64>, theirs: f64, unit: f64, tolerance: f64) {
    let ours = ours.unwrap_or(f64::NAN);
    let off = (ours - theirs).abs() / unit.abs().max(theirs.abs());
    assert!(off <= tolerance, "{what}: {ours} against {theirs}, off by {off:e}");
}

/// Estimates of moderndid 0.2.0 and, with knots, of 0.4.1, to 1e-8; standard errors where it has analytic ones. Where the data choose the
/// dimension, it is compared at the doses that are shown and not damped, as there.
#[test]
fn golden_cases() {
    let mut checked = 0;
    for dataset in DATASETS {
        let (df, cases) = golden(dataset);
        for case in &cases {
            let id = case["id"].as_str().unwrap();
            let (target, .., method) = words(case);
            let fit = fit(&golden_config(case), &df);
            checked += 1;
            if let Some(study) = case.get("event_study") {
                let ours = fit.event_study(target).unwrap();
                for row in study.as_array().unwrap() {
                    let row = numbers(row);
                    let own = ours.rows.iter().find(|r| r.at == row[0]).unwrap();
                    near(id, own.estimate.estimate, row[1], 1e-3, 1e-8);
                }
                near(
                    id,
                    ours.overall.unwrap().estimate,
                    case["overall"].as_f64().unwrap(),
                    1e-3,
                    1e-8,
                );
                continue;
            }
            let doses = numbers(&case["dose"]);
            assert_eq!(fit.dose.rows.len(), doses.len(), "{id}");
            let check = |key: &str, ours: &dyn Fn(usize) -> Option<f64>| {
                for (at, theirs) in numbers(&case[key]).into_iter().enumerate() {
                    near(&format!("{id}, {key}, {}", doses[at]), ours(at), theirs, 1e-3, 1e-8);
                }
            };
            check("dose", &|at| Some(fit.dose.rows[at].dose));
            check("att_d", &|at| fit.dose.rows[at].att.estimate);
            check("acrt_d", &|at| fit.dose.rows[at].acrt.estimate);
            near(id, fit.overall.att.estimate, case["overall_att"].as_f64().unwrap(), 1e-3, 1e-8);
            near(id, fit.overall.acrt.estimate, case["overall_acrt"].as_f64().unwrap(), 1e-3, 1e-8);
            if method == DoseMethod::Cck {
                check("att_d_se", &|at| fit.dose.rows[at].att.se);
                check("acrt_d_se", &|at| fit.dose.rows[at].acrt.se);
                let se = case["overall_acrt_se"].as_f64().unwrap();
                near(id, fit.overall.acrt.se, se, 1e-3, 1e-8);
            }
        }
    }
    assert_eq!(checked, 36);
}

/// The oracle's data in long form.
fn oracle_data(data: &Value) -> DataFrame {
    let (mut id, mut period) = (Vec::new(), Vec::new());
    let mut columns: [Vec<f64>; 5] = Default::default();
    for (unit, y) in data["y"].as_array().unwrap().iter().enumerate() {
        for (t, y) in numbers(y).into_iter().enumerate() {
            id.push(unit as i64);
            period.push(t as i64 + 1);
            let of = |key: &str| data[key][unit].as_f64().unwrap();
            let values = [y, of("g"), of("d"), of("w"), of("c")];
            columns.iter_mut().zip(values).for_each(|(column, v)| column.push(v));
        }
    }
    let [y, group, dose, weight, cluster] = columns;
    let cluster: Vec<i64> = cluster.into_iter().map(|c| c as i64).collect();
    df!("id" => id, "period" => period, "y" => y, "group" => group, "dose" => dose, "weight" => weight, "cluster" => cluster)
        .unwrap()
}

/// An independent dense program: estimates, standard errors with weights and clusters, event studies, knots.
#[test]
fn oracle() {
    let golden: Value = golden_json("cont_did_oracle.json");
    for case in golden["cases"].as_array().unwrap() {
        let data = case["data"].as_str().unwrap();
        let df = oracle_data(&golden["data"][data]);
        let is = |key: &str| case[key] == true;
        let what = format!("{data}, degree {}, knots {}", case["degree"], case["knots"]);
        let doses = numbers(&golden["doses"][data]);
        let expected = &case["numbers"];
        for shares in [CohortShares::Fixed, CohortShares::Estimated] {
            let config = but(config(), |c| {
                c.degree = case["degree"].as_u64().unwrap() as usize;
                c.knots = case["knots"].as_u64().unwrap() as usize;
                c.grid = DoseGrid::Values(doses.clone());
                c.shares = shares;
                c.anticipation = case["anticipation"].as_u64().unwrap() as u32;
                c.weights = is("weighted").then(|| "weight".into());
                c.cluster = is("clustered").then(|| "cluster".into());
                if is("never") {
                    c.control_group = ControlGroup::NeverTreated;
                }
                if is("universal") {
                    c.base_period = BasePeriod::Universal;
                }
            });
            let fit = fit(&config, &df);
            let own = &expected[if shares == CohortShares::Fixed { "fixed" } else { "estimated" }];
            for (key, of) in [
                ("curve", (|r| &r.att) as fn(&burn_did::doses::DoseRow) -> &burn_did::Estimate),
                ("slope", |r| &r.acrt),
            ] {
                let (values, errors) = (numbers(&own[key][0]), numbers(&own[key][1]));
                for (at, row) in fit.dose.rows.iter().enumerate() {
                    let what = format!("{what}, {shares:?} {key} at {}", row.dose);
                    near(&what, of(row).estimate, values[at], errors[at], 1e-9);
                    near(&what, of(row).se, errors[at], errors[at], 1e-9);
                }
            }
            // The average effect has the uncertainty of the shares in either case.
            for (key, own, estimate) in
                [("att", &expected["estimated"], fit.overall.att), ("acrt", own, fit.overall.acrt)]
            {
                let se = own[key][1][0].as_f64().unwrap();
                near(
                    &format!("{what}, {key}"),
                    estimate.estimate,
                    own[key][0][0].as_f64().unwrap(),
                    se,
                    1e-9,
                );
                near(&format!("{what}, {key}"), estimate.se, se, se, 1e-9);
            }
            for (cell, (level, slope)) in expected["cells"]
                .as_array()
                .unwrap()
                .iter()
                .zip(fit.level.cells.iter().zip(&fit.slope.cells))
            {
                let cell = numbers(cell);
                assert_eq!((level.group, level.time), (cell[0], cell[1]), "{what}");
                for (estimate, value, se) in
                    [(level.estimate, cell[2], cell[3]), (slope.estimate, cell[4], cell[5])]
                {
                    let what = format!("{what}, ({}, {})", cell[0], cell[1]);
                    near(&what, estimate.estimate, value, se.max(1e-3), 1e-9);
                    near(&what, estimate.se.or(Some(0.0)), se, 1e-3, 1e-9);
                }
            }
            for (target, key) in [(DoseTarget::Level, "att"), (DoseTarget::Slope, "acrt")] {
                let study = fit.event_study(target).unwrap();
                let theirs = &expected["event_study"][key];
                for (row, theirs) in study.rows.iter().zip(theirs["rows"].as_array().unwrap()) {
                    let theirs = numbers(theirs);
                    let what = format!("{what}, {key} at {}", row.at);
                    assert_eq!(row.at, theirs[0], "{what}");
                    near(&what, row.estimate.estimate, theirs[1], theirs[2].max(1e-3), 1e-9);
                    near(&what, row.estimate.se.or(Some(0.0)), theirs[2], 1e-3, 1e-9);
                }
                let overall = numbers(&theirs["overall"]);
                near(&what, study.overall.unwrap().estimate, overall[0], overall[1], 1e-9);
                near(&what, study.overall.unwrap().se, overall[1], overall[1], 1e-9);
            }
            let knots = numbers(&expected["knots"]);
            for (ours, theirs) in fit.knots.interior.iter().zip(&knots) {
                near("knots", Some(*ours), *theirs, 1.0, 1e-14);
            }
            assert_eq!(fit.knots.interior.len(), knots.len());
        }
    }
}

/// The influence of a unit is the derivative of an estimate in the logarithm of its weight: the squares of these numerical
/// derivatives, by cluster, add up to the squared standard error, of every estimate.
#[test]
fn standard_errors_are_those_of_numerical_derivatives() {
    const STEP: f64 = 1e-4;
    let units = 90;
    let df = simulation(units).frame();
    let weights = floats(&df, "weight");
    let ids = floats(&df, "id");
    let clusters = floats(&df, "cluster");
    for clustered in [false, true] {
        let config = but(config(), |c| {
            c.weights = Some("weight".into());
            c.cluster = clustered.then(|| "cluster".into());
            c.shares = CohortShares::Estimated;
            c.degree = 2;
            c.knots = 1;
        });
        let base = estimates(&fit(&config, &df));
        let mut influence = vec![vec![0.0; units]; base.len()];
        for unit in 0..units {
            let moved = |step: f64| {
                let own = ids.iter().zip(&weights);
                let new: Vec<f64> = own
                    .map(|(id, w)| if *id == unit as f64 + 1.0 { w * step.exp() } else { *w })
                    .collect();
                estimates(&fit(&config, &with(&df, "weight", new)))
            };
            let row = ids.iter().position(|id| *id == unit as f64 + 1.0).unwrap();
            let at = if clustered { clusters[row] as usize } else { unit };
            for (j, (up, down)) in moved(STEP).iter().zip(&moved(-STEP)).enumerate() {
                influence[j][at] += (up.1 - down.1) / (2.0 * STEP);
            }
        }
        for ((name, _, se), influence) in base.iter().zip(&influence) {
            let numerical = influence.iter().map(|u| u * u).sum::<f64>().sqrt();
            assert!((numerical / se - 1.0).abs() < 1e-6, "{name}: {se} against {numerical}");
        }
    }
}

#[test]
fn influence_values_are_kept_and_have_the_standard_errors() {
    let df = simulation(200).frame();
    let fit = fit(&but(config(), |c| c.keep_influence = true), &df);
    let influence = fit.influence.as_ref().unwrap();
    let cells = fit.level.cells.len();
    let coefficients = 4 * fit.knots.groups.len();
    assert_eq!(influence.columns.len(), 2 * cells + coefficients);
    let all = fit.level.cells.iter().chain(&fit.slope.cells);
    for (cell, column) in all.zip(&influence.columns) {
        let n = influence.units.len() as f64;
        let se = column.iter().map(|v| v * v).sum::<f64>().sqrt() / n;
        assert!((se / cell.estimate.se.unwrap() - 1.0).abs() < 1e-10);
    }
}

#[test]
fn a_bootstrap_agrees_with_analytic_standard_errors_and_gives_bands() {
    let df = simulation(2_000).frame();
    let analytic = fit(&config(), &df);
    for multiplier in [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Gaussian] {
        let bootstrap = Bootstrap::draws(4_000).seed(2).multiplier(multiplier);
        let drawn = fit(&but(config(), |c| c.bootstrap = Some(bootstrap)), &df);
        assert_eq!((drawn.dose.band_att, analytic.dose.band_att), (Band::Uniform, Band::Pointwise));
        for (a, b) in estimates(&analytic).iter().zip(&estimates(&drawn)) {
            assert!((b.2 / a.2 - 1.0).abs() < 0.08, "{multiplier:?}, {}: {} and {}", a.0, a.2, b.2);
        }
        let uniform = fit(&but(config(), |c| c.band = Some(Band::Uniform)), &df);
        for (a, b) in [
            (uniform.dose.critical_att, drawn.dose.critical_att),
            (uniform.dose.critical_acrt, drawn.dose.critical_acrt),
        ] {
            assert!(a > 1.96 && (a / b - 1.0).abs() < 0.05, "{a} and {b}");
        }
    }
}

#[test]
fn draws_of_units_agree_with_analytic_standard_errors() {
    let df = simulation(2_000).frame();
    for resampling in [Resampling::Empirical, Resampling::Weighted] {
        let plain = but(config(), |c| {
            c.weights = Some("weight".into());
            c.shares = CohortShares::Estimated;
        });
        let drawn = but(plain.clone(), |c| {
            c.bootstrap = Some(Bootstrap::draws(999).seed(3));
            c.resampling = resampling;
        });
        let (analytic, drawn) = (fit(&plain, &df), fit(&drawn, &df));
        for (a, b) in estimates(&analytic).iter().zip(&estimates(&drawn)) {
            assert!((a.1 - b.1).abs() < 1e-12 * a.2.max(1.0), "{}", a.0);
            assert!((b.2 / a.2 - 1.0).abs() < 0.13, "{resampling:?}, {}: {a:?} {b:?}", a.0);
        }
        assert!(drawn.dose.critical_att > 1.96 && drawn.dose.band_att == Band::Uniform);
    }
}

#[test]
fn draws_without_an_estimate_are_left_out_and_said() {
    // Five units of the last group: four splines of some draws have too few doses.
    let df = DoseSimulation::builder().units(300).seed(2).build().frame();
    let (group, id) = (floats(&df, "group"), floats(&df, "id"));
    let mut last: Vec<f64> =
        id.iter().zip(&group).filter(|(_, g)| **g == 4.0).map(|(i, _)| *i).collect();
    last.dedup();
    let draws = |units: usize| {
        let kept = &last[..units];
        let some: Vec<usize> =
            (0..df.height()).filter(|row| group[*row] != 4.0 || kept.contains(&id[*row])).collect();
        let config = but(config(), |c| {
            c.degree = 2;
            c.bootstrap = Some(Bootstrap::draws(99));
            c.resampling = Resampling::Empirical;
        });
        config.fit(rows(&df, &some))
    };
    let fitted = draws(6).unwrap();
    let failed = fitted.warnings.iter().find_map(|w| match w {
        burn_did::DidWarning::FailedDraws { draws } => Some(*draws),
        _ => None,
    });
    let failed = failed.expect("some draws fail");
    assert!(failed > 0 && failed < 50, "{failed}");
    let kept = fitted.level.settings.inference.bootstrap.unwrap().draws;
    assert_eq!(kept + failed, 99);
    let few = draws(3).unwrap_err().to_string();
    assert!(few.contains("bootstrap draws could not be estimated"), "{few}");
}
