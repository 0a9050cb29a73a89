//! Averages that depend on which of the collinear slopes are left out.

use burn_did::extended::{EtwfeAbsorb, EtwfeEffect, EtwfeScale, SeparatedRows};
use burn_did::regression::Family;
use burn_did::report::Reportable;
use burn_did::{Etwfe, EtwfeResult, backend::Cpu};
use polars::prelude::DataFrame;

use super::etwfe;
use crate::support::but;
use crate::support::frames::{filter, floats, map, with};
use crate::support::panels::staggered;
use crate::support::splitmix::SplitMix64;

/// Units in cities are all treated at some time, and their outcomes `y` rise by one a period whether they are or not. Counts `c` have no
/// effect and no trend.
fn cities() -> DataFrame {
    let df = staggered(240);
    let [ids, groups, times] = ["id", "g", "t"].map(|name| floats(&df, name));
    let urban: Vec<f64> =
        ids.iter().zip(&groups).map(|(id, g)| if *g > 0.0 { id % 2.0 } else { 0.0 }).collect();
    let mut r = SplitMix64(5);
    let y: Vec<f64> = urban.iter().zip(&times).map(|(u, t)| u * t + 0.01 * r.bell()).collect();
    let c: Vec<f64> = ids.iter().map(|_| (4.0 * r.uniform()).floor()).collect();
    with(&with(&with(&df, "urban", urban), "y", y), "c", c)
}

fn with_slopes(name: &str) -> Etwfe<Cpu> {
    but(etwfe(), |config| config.covariates = vec![name.into()])
}

fn says(fit: &EtwfeResult, text: &str) -> bool {
    fit.messages().iter().any(|message| message.to_string().contains(text))
}

const DEPENDS: &str = "it depends on which of the collinear slopes are left out";

#[test]
fn slopes_that_no_untreated_rows_determine_leave_no_average() {
    let df = cities();
    let fit = with_slopes("urban").fit(&df).unwrap();
    assert_eq!(fit.overall.estimate, None);
    assert!(says(&fit, DEPENDS) && says(&fit, "slopes of urban"), "{:?}", fit.messages());
    // R has a number.
    let shown = but(with_slopes("urban"), |config| config.undetermined = true).fit(&df).unwrap();
    assert!(shown.overall.estimate.unwrap() > 0.5, "{:?}", shown.overall);
    assert!(shown.to_string().contains("have values, too"));
    // Slopes that all have untreated rows are no obstacle, nor is one that is a multiple of another.
    let known = with_slopes("x1").fit(&df).unwrap();
    assert!(known.overall.estimate.is_some() && !says(&known, DEPENDS));
    let twice = with(&df, "z", floats(&df, "x1").iter().map(|x| 2.0 * x).collect());
    let twice =
        but(with_slopes("x1"), |config| config.covariates.push("z".into())).fit(twice).unwrap();
    let [a, b] = [&known, &twice].map(|fit| fit.overall.estimate.unwrap());
    assert!((a - b).abs() < 1e-8, "{a} and {b}");
}

#[test]
fn counts_without_effects_have_none() {
    let poisson = |config| {
        but(config, |config: &mut Etwfe<Cpu>| {
            (config.outcome, config.family) = ("c".into(), Family::Poisson);
        })
    };
    let fit = poisson(with_slopes("urban")).fit(cities()).unwrap();
    assert_eq!(fit.overall.estimate, None, "{:?}", fit.overall);
    assert!(says(&fit, DEPENDS));
    // More levels than averages are by, so that each row's effect must be known.
    let df = cities();
    let spread: Vec<f64> = floats(&df, "urban")
        .iter()
        .zip(floats(&df, "id"))
        .map(|(u, id)| u * (1.0 + id % 31.0))
        .collect();
    let many = but(poisson(etwfe()), |config| config.moderator = Some("m".into()));
    let fit = many.fit(with(&df, "m", spread)).unwrap();
    assert!(fit.by_level.is_empty());
    assert_eq!(fit.overall.estimate, None, "{:?}", fit.overall);
}

/// What is known does not depend on what covariates and moderators are counted in.
#[test]
fn units_of_measurement_change_nothing() {
    let df = cities();
    let people: Vec<f64> =
        floats(&df, "id").iter().map(|id| 1.0 + SplitMix64(*id as u64).uniform()).collect();
    let df = with(&df, "people", people);
    let mut known = Vec::new();
    for [scale, size] in [[1.0, 1.0], [1e6, 1.0], [1e-6, 1.0], [1.0, 1e-6], [1.0, 1e6]] {
        let df = map(&map(&df, "people", |x| scale * x), "urban", |x| size * x);
        let config = but(with_slopes("people"), |config| config.moderator = Some("urban".into()));
        let fit = config.fit(df).unwrap();
        let effects =
            fit.by_level.iter().flat_map(|of| &of.by_event_time).chain(&fit.by_event_time);
        known.push(effects.map(|of| of.estimate.estimate.is_some()).collect::<Vec<bool>>());
    }
    assert!(known[0].contains(&false), "{:?}", known[0]);
    assert!(known.windows(2).all(|pair| pair[0] == pair[1]), "{known:?}");
}

/// Rows whose outcomes are all 0 have an effect of minus infinity on the index.
#[test]
fn the_index_of_separated_rows_has_no_average() {
    let df = cities();
    let [groups, times, ids] = ["g", "t", "id"].map(|name| floats(&df, name));
    let m: Vec<f64> = ids.iter().map(|id| (id / 3.0).floor() % 2.0).collect();
    let zero = (0..df.height()).map(|row| match (groups[row], times[row], m[row]) {
        (3.0, 3.0, 1.0) => 0.0,
        _ => 1.0 + (ids[row] + times[row]) % 3.0,
    });
    let df = with(&with(&df, "c", zero.collect()), "m", m.clone());
    let config = but(etwfe(), |config| {
        (config.outcome, config.family, config.scale) =
            ("c".into(), Family::Poisson, EtwfeScale::Link);
        config.moderator = Some("m".into());
    });
    let fit = config.fit(df).unwrap();
    let cell = fit.cells.iter().find(|of| (of.group, of.time) == (Some(3.0), Some(3.0))).unwrap();
    assert_eq!((cell.estimate.estimate, fit.overall.estimate), (None, None));
    assert!(fit.by_event_time.iter().any(|of| of.estimate.estimate.is_some()));
    assert!(
        says(&fit, "separated") && !says(&fit, "which of the collinear"),
        "{:?}",
        fit.messages()
    );
}

/// Levels that differ before treatment are no effects where units are absorbed, and there is a warning where they are not.
#[test]
fn levels_before_treatment_are_warned_of() {
    let df = cities();
    let level: Vec<f64> = floats(&df, "id")
        .iter()
        .zip(floats(&df, "g"))
        .map(|(id, g)| f64::from(u8::from(g == 3.0 && id % 2.0 > 0.0)))
        .collect();
    let m: Vec<f64> = floats(&df, "id").iter().map(|id| id % 2.0).collect();
    let df = with(&with(&df, "y", level), "m", m);
    let config = but(etwfe(), |config| config.moderator = Some("m".into()));
    let text = "take these differences as effects";
    let fit = config.fit(&df).unwrap();
    assert!(fit.overall.estimate.unwrap().abs() < 1e-9 && !says(&fit, text));
    assert!(fit.by_level.iter().all(|of| of.overall.estimate.unwrap().abs() < 1e-9));
    let fit = but(config, |config| config.absorb = EtwfeAbsorb::Cohort).fit(&df).unwrap();
    assert!(
        fit.by_level[1].overall.estimate.unwrap() > 0.1 && says(&fit, text),
        "{:?}",
        fit.messages()
    );
}

/// Weights of thousands of people, and a cohort of one unit, whose slope is zero.
#[test]
fn slopes_of_zero_and_large_weights_leave_averages() {
    let df = staggered(240);
    let [ids, groups] = ["id", "g"].map(|name| floats(&df, name));
    let last = *ids.iter().zip(&groups).find(|(_, g)| **g == 6.0).unwrap().0;
    let beyond: Vec<f64> = ids
        .iter()
        .zip(&groups)
        .filter(|(id, g)| **g == 6.0 && **id != last)
        .map(|(id, _)| *id)
        .collect();
    let df = filter(&df, "id", |id| !beyond.contains(&id));
    let df = map(&df, "w", |w| 1e3 * w);
    // Twice the covariate is left out, and nothing depends on it.
    let df = with(&df, "z", floats(&df, "x1").iter().map(|x| 2.0 * x).collect());
    let config = |names: &[&str]| {
        but(etwfe(), |config| {
            config.weights = Some("w".into());
            config.covariates = names.iter().map(|name| (*name).to_owned()).collect();
        })
    };
    let one = config(&["x1"]).fit(&df).unwrap();
    let both = config(&["x1", "z"]).fit(&df).unwrap();
    let pairs = one.by_event_time.iter().zip(&both.by_event_time);
    for (a, b) in pairs {
        let [a, b] = [a, b].map(|of| of.estimate.estimate.unwrap());
        assert!((a - b).abs() < 1e-7, "{a} and {b}");
    }
}

/// What untreated rows say of slopes they say no more once those of them are left out that are separated.
#[test]
fn rows_that_are_separated_determine_nothing() {
    let df = cities();
    let [groups, times, ids] = ["g", "t", "id"].map(|name| floats(&df, name));
    // In period 4 untreated outcomes are 0 wherever `x` is not, so that nothing finite fits its slope there.
    let x: Vec<f64> = ids.iter().map(|id| f64::from(u8::from(id % 3.0 == 0.0))).collect();
    let count = (0..df.height()).map(|row| {
        let untreated = groups[row] == 0.0 || times[row] < groups[row];
        if untreated && times[row] == 4.0 && x[row] > 0.0 {
            0.0
        } else {
            1.0 + (ids[row] * times[row]) % 4.0
        }
    });
    let df = with(&with(&df, "c", count.collect()), "x", x.clone());
    for scale in [EtwfeScale::Response, EtwfeScale::Link] {
        let config = but(with_slopes("x"), |config| {
            (config.outcome, config.family, config.scale) = ("c".into(), Family::Poisson, scale);
        });
        let fit = config.fit(&df).unwrap();
        assert!(fit.to_string().contains("separat"), "{fit}");
        let cells = fit.cells.iter().filter(|of| of.time == Some(4.0));
        assert!(cells.clone().count() > 0);
        assert!(cells.clone().all(|of| of.estimate.estimate.is_none()), "{scale}: {fit}");
        assert_eq!(fit.overall.estimate, None);
        assert!(fit.cells.iter().any(|of| of.estimate.estimate.is_some()), "{fit}");
    }
}

/// Rows of one level of `x` are separated in a period, and the others are as they would be alone.
#[test]
fn a_period_with_some_separated_rows_has_effects() {
    let df = staggered(240);
    let [groups, times, ids] = ["g", "t", "id"].map(|name| floats(&df, name));
    let in_city = |row: usize| groups[row] != 4.0 && ids[row] % 3.0 == 0.0;
    let is_zero = |row: usize| in_city(row) && times[row] == 5.0;
    let count = |row: usize| if is_zero(row) { 0.0 } else { 1.0 + (ids[row] * times[row]) % 4.0 };
    let rows = 0..df.height();
    let x: Vec<f64> = rows.clone().map(|row| f64::from(u8::from(in_city(row)))).collect();
    let df = with(&with(&df, "c", rows.map(count).collect()), "x", x);
    let fit = |df: &DataFrame, names: Vec<String>| {
        let config = but(with_slopes("x"), |config| {
            (config.outcome, config.family) = ("c".into(), Family::Poisson);
            config.covariates = names;
        });
        config.fit(df).unwrap()
    };
    let all = fit(&df, vec!["x".into()]);
    let others = fit(&filter(&df, "x", |x| x == 0.0), Vec::new());
    assert!(all.to_string().contains("separat"), "{all}");
    let of_four = |fit: &EtwfeResult| -> Vec<EtwfeEffect> {
        fit.cells.iter().filter(|of| of.group == Some(4.0)).cloned().collect()
    };
    let pairs: Vec<_> = of_four(&all).into_iter().zip(of_four(&others)).collect();
    assert!(pairs.len() > 1);
    for (own, alone) in pairs {
        let [a, b] =
            [&own, &alone].map(|of| of.estimate.estimate.unwrap_or_else(|| panic!("{all}")));
        assert!(own.separated.is_none() && (a - b).abs() < 1e-6, "{a} and {b}");
    }
}

/// Without untreated rows that were used, a cohort has no effects, whatever stands in the place of its indicator.
#[test]
fn a_cohort_whose_untreated_rows_are_separated_has_no_effect() {
    let df = staggered(240);
    let [groups, times, ids] = ["g", "t", "id"].map(|name| floats(&df, name));
    let count = |row: usize| match groups[row] == 4.0 && times[row] < 4.0 {
        true => 0.0,
        false => 1.0 + (ids[row] * times[row]) % 4.0,
    };
    let df = with(&df, "c", (0..df.height()).map(count).collect());
    // The same in all rows of a cohort, so that its slope spans the indicator.
    let df = with(&df, "x", groups.iter().map(|g| (g * 1.7).sin()).collect());
    for undetermined in [false, true] {
        for names in [vec![], vec!["x".to_owned()]] {
            let config = but(with_slopes("x"), |config| {
                (config.outcome, config.family) = ("c".into(), Family::Poisson);
                (config.covariates, config.undetermined) = (names.clone(), undetermined);
            });
            let fit = config.fit(&df).unwrap();
            let of_four: Vec<_> = fit.cells.iter().filter(|of| of.group == Some(4.0)).collect();
            assert!(!of_four.is_empty());
            for cell in of_four {
                assert_eq!(cell.separated, Some(SeparatedRows::Untreated), "{names:?}: {fit}");
                assert_eq!(cell.estimate.estimate, None);
            }
            assert!(says(&fit, "all untreated rows of the cohort"), "{:?}", fit.messages());
        }
    }
}
