//! Effects by level of the moderator.

use burn_did::extended::{EtwfeEffect, EtwfeScale};
use burn_did::options::ControlGroup;
use burn_did::regression::{Family, Vcov};
use burn_did::report::Reportable;
use burn_did::{Etwfe, EtwfeResult, SavedResult, backend::Cpu, data};
use polars::prelude::DataFrame;

use super::etwfe;
use crate::by_unit::dense::Dense;
use crate::by_unit::{random, textbook};
use crate::support::but;
use crate::support::frames::{filter, floats, map, with};

#[track_caller]
fn near(a: Option<f64>, b: f64, tolerance: f64) {
    let a = a.unwrap();
    assert!((a - b).abs() <= tolerance * b.abs().max(1e-2), "{a} is not {b}");
}

fn moderated(config: Etwfe<Cpu>) -> Etwfe<Cpu> {
    but(config, |c| c.moderator = Some("m".into()))
}

/// States at the Great Lakes, and how each state is called.
fn lakes() -> DataFrame {
    let states = [17, 18, 26, 27, 36, 39, 42, 55];
    let df = data::mpdta();
    let at_lakes: Vec<bool> = floats(&df, "countyreal")
        .iter()
        .map(|county| states.contains(&((*county / 1000.0) as i32)))
        .collect();
    with(&df, "gls", at_lakes)
}

/// The example of R `etwfe` 0.6.2, with the numbers that its tests have.
#[test]
fn states_at_the_great_lakes_have_the_effects_of_r() {
    let config = Etwfe::<Cpu>::builder().outcome("lemp").time("year").group("first.treat");
    let config = config.covariates(["lpop"]).moderator("gls").vcov(Vcov::cluster(["countyreal"]));
    let fit = config.build().fit(lakes()).unwrap();
    let [outside, at_lakes] = &fit.by_level[..] else { panic!("{:?}", fit.by_level) };
    assert_eq!((outside.level.as_str(), at_lakes.level.as_str()), ("false", "true"));
    near(outside.overall.estimate, -0.060_001_042_607_767_9, 1e-9);
    near(outside.overall.se, 0.034_394_684_541_787_4, 1e-6);
    near(at_lakes.overall.estimate, -0.044_916_578_510_959_7, 1e-9);
    near(at_lakes.overall.se, 0.028_108_648_421_158_2, 1e-6);
    near(outside.overall.p_value, 0.081_074_395_980_070_3, 1e-4);
    let difference = at_lakes.difference.unwrap();
    near(difference.estimate, 0.060_001_042_607_767_9 - 0.044_916_578_510_959_7, 1e-7);
    assert!(outside.difference.is_none() && difference.se.unwrap() > 0.02);
    let text = fit.to_string();
    for line in ["By level of gls:", "true - false", "By time since treatment, gls = true:"] {
        assert!(text.contains(line), "{text}");
    }
}

/// An independent program: the regression on written-out columns, and means of its effects over the rows of a level.
fn compare(df: &DataFrame, config: &Etwfe<Cpu>, fit: &EtwfeResult) -> usize {
    let [ids, times, groups, ys, m, w] =
        ["id", "t", "g", "y", "m", "w"].map(|name| floats(df, name));
    let last = times.iter().copied().fold(0.0, f64::max);
    let n = df.height();
    let group = |i: usize| if groups[i] > last { 0.0 } else { groups[i] };
    let is_treated = |i: usize| group(i) > 0.0 && times[i] >= group(i);
    let is = |holds: bool| f64::from(u8::from(holds));
    let mut cells: Vec<(f64, f64)> =
        (0..n).filter(|i| is_treated(*i)).map(|i| (group(i), times[i])).collect();
    cells.sort_by(|a, b| a.partial_cmp(b).unwrap());
    cells.dedup();
    let mut levels = m.clone();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    // Indicators of all levels but the first, less their means in the cohort and period.
    let centred = |i: usize| -> Vec<f64> {
        let same = |j: &usize| group(*j) == group(i) && times[*j] == times[i];
        let own: Vec<usize> = (0..n).filter(same).collect();
        let share = |level: f64| own.iter().filter(|j| m[**j] == level).count() as f64;
        let value = |level: &f64| is(m[i] == *level) - share(*level) / own.len() as f64;
        levels[1..].iter().map(value).collect()
    };
    let of_row = |i: usize| -> Vec<f64> {
        let own = |cell: &(f64, f64)| is(is_treated(i) && *cell == (group(i), times[i]));
        let x = centred(i);
        let mut row: Vec<f64> = cells.iter().map(own).collect();
        for x in &x {
            row.extend(cells.iter().map(|cell| own(cell) * x));
        }
        for x in &x {
            row.extend((2..=last as usize).map(|t| is(times[i] == t as f64) * x));
        }
        row
    };
    let rows: Vec<Vec<f64>> = (0..n).map(of_row).collect();
    let mut regression = Dense::default();
    let weight = |i: usize| if config.weights.is_some() { w[i] } else { 1.0 };
    for i in 0..n {
        let factors = vec![ids[i] as i64, times[i] as i64];
        regression.push(rows[i].clone(), ys[i], weight(i), factors, ids[i] as i64);
    }
    let dense = regression.fit();
    let rank = regression.rank() as f64;
    let k = cells.len() * levels.len();
    let mut compared = 0;
    for own in &fit.by_level {
        let level = levels[own.level.parse::<usize>().unwrap()];
        let mut check = |of: &EtwfeEffect, holds: &dyn Fn(usize) -> bool| {
            let chosen = |i: &usize| is_treated(*i) && m[*i] == level && holds(*i);
            let (mut total, mut mean) = (0.0, vec![0.0; k]);
            for i in (0..n).filter(chosen) {
                total += weight(i);
                mean.iter_mut().zip(&rows[i]).for_each(|(mean, x)| *mean += weight(i) * x);
            }
            for mean in &mut mean {
                *mean /= total;
            }
            let value: f64 = (0..k).map(|j| mean[j] * dense.coefficients[j]).sum();
            let Some(estimate) = of.estimate.estimate else { return };
            near(Some(estimate), value, 1e-7);
            let pairs = (0..k).flat_map(|a| (0..k).map(move |b| (a, b)));
            let variance: f64 =
                pairs.map(|(a, b)| mean[a] * mean[b] * dense.covariance[a][b]).sum();
            let parameters = fit.regression.df_k as f64;
            let factor = (n as f64 - rank) / (n as f64 - parameters);
            near(of.estimate.se, (variance * factor).sqrt(), 1e-6);
            compared += 1;
        };
        for of in &own.by_event_time {
            check(of, &|i| Some(times[i] - group(i)) == of.event_time);
        }
        for of in &own.by_group {
            check(of, &|i| Some(group(i)) == of.group);
        }
        for of in &own.by_period {
            check(of, &|i| Some(times[i]) == of.time);
        }
        let mut overall = own.by_group[0].clone();
        overall.estimate = own.overall;
        check(&overall, &|_| true);
    }
    compared
}

/// A unit's level by its number, as a number.
fn with_levels(df: &DataFrame, count: u32) -> DataFrame {
    let of = |id: &f64| f64::from((*id as u32 / 2) % count);
    with(df, "m", floats(df, "id").iter().map(of).collect::<Vec<f64>>())
}

/// A column of numbers as text.
fn as_text(df: &DataFrame, column: &str) -> DataFrame {
    let texts = floats(df, column).iter().map(f64::to_string).collect::<Vec<String>>();
    with(df, column, texts)
}

#[test]
fn effects_by_category_are_those_of_the_dense_program() {
    let (mut compared, mut fits) = (0, 0);
    for seed in 1..=8 {
        let df = filter(&random(seed), "g", |g| g == 0.0 || g > 1.0);
        if !floats(&df, "g").contains(&0.0) {
            continue;
        }
        for count in [2, 3] {
            let df = with_levels(&df, count);
            for weights in [None, Some("w")] {
                let config = but(moderated(etwfe()), |c| {
                    c.vcov = Some(Vcov::cluster(["id"]));
                    c.weights = weights.map(str::to_owned);
                });
                let fit = config.fit(as_text(&df, "m")).unwrap();
                compared += compare(&df, &config, &fit);
                fits += 1;
            }
        }
    }
    assert!(fits >= 12 && compared > 200, "{fits} fits, {compared} averages");
}

/// With numbers, text and booleans for two levels, and averages that add up to those of all rows.
#[test]
fn two_levels_are_the_same_however_written() {
    let df = with_levels(&textbook(), 2);
    let config = but(moderated(etwfe()), |c| c.control_group = ControlGroup::NeverTreated);
    let numbers = config.fit(&df).unwrap();
    let text = config.fit(as_text(&df, "m")).unwrap();
    let is_one: Vec<bool> = floats(&df, "m").iter().map(|m| *m == 1.0).collect();
    let booleans = config.fit(with(&df, "m", is_one)).unwrap();
    for other in [&text, &booleans] {
        assert_eq!(other.overall, numbers.overall);
        for (own, of) in other.by_level.iter().zip(&numbers.by_level) {
            assert_eq!((own.overall, &own.by_event_time), (of.overall, &of.by_event_time));
        }
    }
    let names =
        |fit: &EtwfeResult| fit.by_level.iter().map(|own| own.level.clone()).collect::<Vec<_>>();
    assert_eq!(names(&numbers), ["0", "1"]);
    assert_eq!(names(&booleans), ["false", "true"]);
    let sum: f64 = numbers
        .by_level
        .iter()
        .map(|own| own.n_treated as f64 * own.overall.estimate.unwrap())
        .sum();
    near(numbers.overall.estimate, sum / numbers.n_treated as f64, 1e-12);
    // Leads have levels as well, and the reference is one of each.
    let at: Vec<Option<f64>> =
        numbers.by_level[1].by_event_time.iter().map(|of| of.event_time).collect();
    assert_eq!(at, (-5..=3).map(|at| Some(f64::from(at))).collect::<Vec<_>>());
    let study = numbers.event_study_of("1").unwrap();
    assert_eq!(study.rows.len(), 9);
    assert!(study.rows[4].reference && numbers.event_study_of("2").is_none());
    let saved = tempfile::tempdir().unwrap();
    let path = saved.path().join("fit.json");
    numbers.save(&path).unwrap();
    let SavedResult::Etwfe(read) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(read.by_level, numbers.by_level);
}

/// What the never-treated of one level alone would say, nothing says where there are none of it.
#[test]
fn a_level_without_untreated_rows_has_no_effect() {
    let df = with_levels(&textbook(), 2);
    let never_is_zero: Vec<f64> = floats(&df, "g")
        .iter()
        .zip(floats(&df, "m"))
        .map(|(g, m)| if *g == 0.0 { 0.0 } else { m })
        .collect();
    let df = with(&df, "m", never_is_zero);
    let fit = moderated(etwfe()).fit(&df).unwrap();
    // In the last period no cohort is untreated, so that nothing says how the level changes until then.
    let value = |level: usize, at: f64| {
        let effects = &fit.by_level[level].by_period;
        effects.iter().find(|of| of.time == Some(at)).unwrap().estimate.estimate
    };
    assert!(value(0, 6.0).is_none() && value(1, 6.0).is_none());
    assert!(value(0, 5.0).is_some() && value(1, 5.0).is_some());
    assert!(fit.by_level.iter().all(|own| own.overall.estimate.is_none()));
    // The averages of all rows are as without a moderator.
    near(fit.overall.estimate, etwfe().fit(&df).unwrap().overall.estimate.unwrap(), 1e-9);
    let says = "effects by level of m are not told apart at event time 0, 1, 2, 3 (levels 0, 1): ";
    let said: Vec<String> = fit.messages().iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|text| text.starts_with(says)), "{said:?}");
}

/// Which slopes are left out as collinear depends on the order of the categories, and nothing else may.
#[test]
fn no_number_depends_on_the_names_of_the_categories() {
    let (mut known, mut unknown) = (0, 0);
    for seed in 1..=8 {
        let df = filter(&random(seed), "g", |g| g == 0.0 || g > 1.0);
        if !floats(&df, "g").contains(&0.0) {
            continue;
        }
        // Level 2 has no never-treated units.
        let [ids, groups] = ["id", "g"].map(|name| floats(&df, name));
        let level = |(id, g): (&f64, &f64)| match (*id as usize / 2) % 3 {
            2 if *g == 0.0 => 0,
            level => level,
        };
        let levels: Vec<usize> = ids.iter().zip(&groups).map(level).collect();
        let named = |names: [&str; 3]| {
            let texts: Vec<&str> = levels.iter().map(|level| names[*level]).collect();
            with(&df, "m", texts)
        };
        let orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "b", "a"]];
        for controls in [ControlGroup::NotYetTreated, ControlGroup::NeverTreated] {
            for (weights, unweighted) in [(None, false), (Some("w"), false), (Some("w"), true)] {
                let config = but(moderated(etwfe()), |c| {
                    c.control_group = controls;
                    c.weights = weights.map(str::to_owned);
                    c.unweighted_averages = unweighted;
                });
                let fits = orders.map(|names| (names, config.fit(named(names)).unwrap()));
                let numbers = |(names, fit): &([&str; 3], EtwfeResult)| {
                    let of = |effects: &[EtwfeEffect]| -> Vec<Option<f64>> {
                        effects.iter().map(|of| of.estimate.estimate).collect()
                    };
                    let mut all = of(&fit.by_event_time);
                    all.extend([fit.overall.estimate]);
                    for name in names {
                        let own = fit.by_level.iter().find(|own| own.level == *name);
                        all.extend(own.map_or(Vec::new(), |own| of(&own.by_event_time)));
                    }
                    all
                };
                let first = numbers(&fits[0]);
                for fit in &fits[1..] {
                    let other = numbers(fit);
                    assert_eq!(first.len(), other.len());
                    for (a, b) in first.iter().zip(&other) {
                        match (a, b) {
                            (Some(a), Some(b)) => near(Some(*a), *b, 1e-6),
                            (a, b) => assert_eq!(a, b, "seed {seed}"),
                        }
                    }
                }
                known += first.iter().flatten().count();
                unknown += first.iter().filter(|number| number.is_none()).count();
            }
        }
    }
    assert!(known > 100 && unknown > 100, "{known} known, {unknown} unknown");
}

#[test]
fn too_many_levels_are_said() {
    let df = with_levels(&textbook(), 30);
    let fit = moderated(etwfe()).fit(&df).unwrap();
    assert!(fit.by_level.is_empty());
    assert!(fit.to_string().contains("Averages by level of m: none, as it has more than 20"));
}

/// Of counts, effects of the index are coefficients, and those of means by level add up.
#[test]
fn effects_of_the_index_are_averages_of_coefficients() {
    let df = with_levels(&map(&random(4), "y", |y| (1.0 + 0.3 * y).exp().floor()), 2);
    let df = filter(&df, "g", |g| g == 0.0 || g > 1.0);
    let counts = but(moderated(etwfe()), |c| c.family = Family::Poisson);
    let means = counts.fit(&df).unwrap();
    let index = but(counts.clone(), |c| c.scale = EtwfeScale::Link).fit(&df).unwrap();
    let own = &index.cells[0];
    let name = format!("cohort {} in {}", own.group.unwrap(), own.time.unwrap());
    let coefficient = index.regression.coefficient(&name).unwrap();
    near(own.estimate.estimate, coefficient.estimate, 1e-9);
    near(own.estimate.se, coefficient.se.unwrap(), 1e-9);
    assert!(index.to_string().contains("Effects: differences of the linear index"));
    for fit in [&means, &index] {
        let sum: f64 = fit
            .by_level
            .iter()
            .map(|own| own.n_treated as f64 * own.overall.estimate.unwrap())
            .sum();
        near(fit.overall.estimate, sum / fit.n_treated as f64, 1e-9);
    }
    assert_ne!(means.overall.estimate, index.overall.estimate);
    // Without a family there is one scale.
    let linear = |scale| but(moderated(etwfe()), |c| c.scale = scale).fit(&df).unwrap().overall;
    assert_eq!(linear(EtwfeScale::Link), linear(EtwfeScale::Response));
}
