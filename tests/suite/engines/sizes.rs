//! Sizes that users choose or mistake: refused with what they need, before anything is allocated.

use std::time::Instant;

use burn_did::backend::Cpu;
use burn_did::data::{TripleSimulation, TwoPeriodSimulation};
use burn_did::{
    Aggregation, AttGt, Data, Ddd, DidError, DidWarning, Drdid, GroupTimeResult,
    options::{
        Band, Bootstrap, ControlGroup, DrdidMethod, FixWeights, Inference, Multiplier, Resampling,
    },
    report::PlotOptions,
};
use polars::prelude::*;

use crate::support::frames::{floats, map, with};
use crate::support::spec::Spec;
use crate::support::splitmix;

/// Draws that no machine has room for.
const TOO_MANY: [usize; 3] = [1_000_000_000_000, 1 << 61, usize::MAX];

const LAWS: [Multiplier; 4] =
    [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb, Multiplier::Gaussian];

fn panel() -> DataFrame {
    splitmix::panel(11, 60, [3, 4, 6, 0])
}

fn drdid() -> (Drdid<Cpu>, DataFrame) {
    let data = TwoPeriodSimulation::builder().units(200).covariates(2).seed(3).build();
    let config = Drdid::builder().outcome("y").unit("id").time("period").treatment("treated");
    (config.covariates("~ x1 + x2").build(), data.frame())
}

fn ddd() -> (Ddd<Cpu>, DataFrame) {
    let data = TripleSimulation::builder().units(400).periods(4).cohorts([3, 4]).build();
    let config = Ddd::builder().outcome("y").unit("id").time("period").group("group");
    (config.eligible("eligible").build(), data.frame())
}

fn assert_no_room<T: std::fmt::Debug>(result: burn_did::Result<T>) {
    let error = result.expect_err("no machine has room for so many draws");
    let message = error.to_string();
    assert!(matches!(error, DidError::Memory { .. }), "{error:?}");
    for word in ["`draws`", "`--biters`", "bytes", "are available", "ask for fewer draws"] {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

#[test]
fn draws_beyond_memory_are_refused() {
    for draws in TOO_MANY {
        for law in LAWS {
            let bootstrap = Some(Bootstrap::draws(draws).multiplier(law));
            for cluster in [None, Some("cl".to_owned())] {
                let spec = Spec { bootstrap, cluster, ..Spec::default() };
                assert_no_room(spec.try_fit(&panel()));
            }
            let (mut config, df) = ddd();
            config.bootstrap = bootstrap;
            assert_no_room(config.fit(&df));
            for resampling in [Resampling::Weighted, Resampling::Multiplier] {
                for method in [DrdidMethod::DoublyRobustImproved, DrdidMethod::Twfe] {
                    let (mut config, df) = drdid();
                    config.bootstrap = bootstrap;
                    (config.resampling, config.method) = (resampling, method);
                    assert_no_room(config.fit(&df));
                }
            }
        }
    }
}

#[test]
fn any_number_of_rows_may_be_a_chunk() {
    let plain = Spec::default().fit(&panel());
    for chunk_rows in [1, 4_097, usize::MAX / 2 + 1, usize::MAX] {
        let spec = Spec { chunk_rows: Some(chunk_rows), ..Spec::default() };
        assert_eq!(spec.fit(&panel()).cells, plain.cells, "{chunk_rows} rows");
    }
}

#[test]
fn any_memory_budget_is_an_answer_or_an_error() {
    let mut config: AttGt<Cpu> =
        AttGt::builder().outcome("y").unit("id").time("t").group("g").build();
    let plain = config.fit(panel()).unwrap();
    for budget in [0, 1, 1 << 20, u64::MAX / 2, u64::MAX] {
        config.memory_budget = Some(budget);
        match config.fit(panel()) {
            Ok(fit) => assert_eq!(fit.cells, plain.cells),
            Err(error) => assert!(matches!(error, DidError::Memory { .. }), "{error}"),
        }
    }
}

#[test]
fn any_anticipation_is_an_answer_or_an_error() {
    for anticipation in [7, u32::MAX - 1, u32::MAX] {
        for control_group in [ControlGroup::NeverTreated, ControlGroup::NotYetTreated] {
            let spec = Spec { anticipation, control_group, ..Spec::default() };
            let error = spec.try_fit(&panel()).unwrap_err();
            let message = error.to_string();
            assert!(matches!(error, DidError::NoValidGroups { .. }), "{error:?}");
            assert!(message.contains(&anticipation.to_string()), "{message}");
        }
    }
}

#[test]
fn any_window_and_seed_is_an_answer_or_an_error() {
    let bootstrap = Some(Bootstrap::draws(50).seed(u64::MAX));
    let fit = Spec { bootstrap, ..Spec::default() }.fit(&panel());
    assert!(fit.cells.iter().all(|c| c.estimate.se.is_some()));
    for bad in [f64::NAN, -f64::NAN] {
        for aggregation in [Aggregation::dynamic().min_e(bad), Aggregation::group().max_e(bad)] {
            let error = fit.aggregate(aggregation).unwrap_err();
            assert!(matches!(error, DidError::Config { .. }), "{error:?}");
        }
    }
    for e in [f64::INFINITY, f64::MAX, 0.0, f64::MIN, f64::NEG_INFINITY] {
        for kind in [Aggregation::simple, Aggregation::dynamic, Aggregation::group] {
            for aggregation in
                [kind().min_e(e), kind().max_e(e), kind().balance_e(u32::MAX).na_rm(true)]
            {
                if let Ok(aggregated) = fit.aggregate(aggregation) {
                    assert!(aggregated.overall.estimate.is_none_or(f64::is_finite));
                }
            }
        }
    }
}

#[test]
fn levels_without_finite_intervals_are_refused() {
    let refused = [0.0, -1.0, 1e-17, 1e-300, f64::MIN_POSITIVE, 9e-11, 1.0 - 1e-12, 1.0, 2.0];
    let fit = Spec::default().fit(&panel());
    for alpha in refused.into_iter().chain([f64::NAN, f64::INFINITY]) {
        let check = |error: DidError| {
            assert!(matches!(error, DidError::Config { option: "alpha", .. }), "{alpha}: {error}");
            assert!(error.to_string().contains("between 1e-10 and 1 - 1e-10"), "{error}");
        };
        check(Spec { alpha, ..Spec::default() }.try_fit(&panel()).unwrap_err());
        let (mut config, df) = drdid();
        config.alpha = alpha;
        check(config.fit(&df).unwrap_err());
        let (mut config, df) = ddd();
        config.alpha = alpha;
        check(config.fit(&df).unwrap_err());
        let inference = Inference::new(alpha).band(Band::Uniform);
        check(fit.aggregate_with(Aggregation::dynamic(), &inference).unwrap_err());
        let mut changed = fit.clone();
        changed.settings.inference.alpha = alpha;
        check(changed.contrast(&[((3.0, 4.0), 1.0)]).unwrap_err());
    }
    let bootstrap = Some(Bootstrap::draws(99));
    for alpha in [1e-10, 1e-7, 0.5, 0.999_999, 1.0 - 1e-10] {
        for spec in [Spec::default(), Spec { bootstrap, band: Band::Uniform, ..Spec::default() }] {
            let fit = Spec { alpha, ..spec }.fit(&panel());
            assert!(fit.critical_value.is_finite());
            for estimate in fit.cells.iter().map(|c| c.estimate) {
                let effect = estimate.estimate.unwrap();
                let (lower, upper) = estimate.interval().unwrap();
                assert!(
                    lower.is_finite() && lower <= effect && effect <= upper && upper.is_finite()
                );
                assert!(
                    estimate.ci_lower.unwrap() <= effect && effect <= estimate.ci_upper.unwrap()
                );
            }
            let path = std::env::temp_dir().join(format!("burn-did-level-{}", std::process::id()));
            fit.save(&path).unwrap();
            let loaded = GroupTimeResult::load(&path);
            std::fs::remove_file(&path).unwrap();
            assert_eq!(loaded.unwrap(), fit);
        }
    }
}

/// Rows with so many distinct periods, in units of two rows each.
fn many_periods(distinct: usize, step: f64) -> DataFrame {
    let rows = 2 * distinct;
    let time: Vec<f64> = (0..rows).map(|r| (r % distinct) as f64 * step + 1.0).collect();
    let group: Vec<f64> = (0..rows).map(|r| [0.0, 5.0 * step][r / 2 % 2]).collect();
    let id: Vec<i64> = (0..rows).map(|r| (r / 2) as i64).collect();
    let y: Vec<f64> = (0..rows).map(|r| ((r * 37) % 101) as f64).collect();
    df!("id" => id, "t" => time, "g" => group, "y" => y).unwrap()
}

fn check_too_many(error: &DidError, column: &str, distinct: &str) {
    let message = error.to_string();
    assert!(matches!(error, DidError::TooManyValues { .. }), "{error:?}");
    for word in [column, distinct, "timestamps", "10000"] {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

#[test]
fn thousands_of_periods_are_a_mistaken_column() {
    for step in [1.0, 0.37, 86_400.0] {
        let df = many_periods(20_000, step);
        for rows in [true, false] {
            let start = Instant::now();
            let spec = Spec {
                repeated_cross_sections: rows,
                allow_unbalanced_panel: !rows,
                ..Spec::default()
            };
            check_too_many(&spec.try_fit(&df).unwrap_err(), "`t` (time)", " 20000 ");
            assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
            let swapped = Spec { time: "id".into(), group: "t".into(), ..spec };
            let few = map(&df, "id", |id| id % 9.0);
            check_too_many(&swapped.try_fit(&few).unwrap_err(), "`t` (group)", " 20000 ");
        }
    }
    // A column of numbers as an indicator is no matter of a grid.
    let (mut config, df) = drdid();
    config.treatment = "x1".into();
    let error = config.fit(&df).unwrap_err();
    assert!(matches!(error, DidError::NotBinary { .. }), "{error}");
    let (mut config, _) = drdid();
    (config.treatment, config.time, config.covariates) = ("id".into(), "t".into(), "~ 1".into());
    let df = map(&many_periods(20_000, 1.0), "t", |t| t % 2.0);
    let error = config.fit(&df).unwrap_err();
    assert!(matches!(error, DidError::NotBinary { .. }), "{error}");
}

#[test]
fn thousands_of_periods_in_pieces_of_files_are_found_early() {
    let directory = std::env::temp_dir().join(format!("burn-did-periods-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut df = many_periods(30_000, 0.5);
    let file = std::fs::File::create(directory.join("a.parquet")).unwrap();
    ParquetWriter::new(file).with_row_group_size(Some(5_000)).finish(&mut df).unwrap();
    let config: AttGt<Cpu> = AttGt::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .allow_unbalanced_panel(true)
        .memory_budget(64 * 4 * 5_000)
        .build();
    let error = config.fit(Data::in_pieces(&directory)).unwrap_err();
    std::fs::remove_dir_all(&directory).unwrap();
    check_too_many(&error, "`t` (time)", "1000");
}

#[test]
fn more_effects_than_memory_holds_are_refused_before_the_work() {
    // Each of 9,000 groups is one row, and so is each period of the never treated.
    let count = 9_000;
    let time: Vec<i64> = (0..2 * count).map(|i| i % count).collect();
    let group: Vec<i64> = (0..2 * count).map(|i| if i < count { i + 1 } else { 0 }).collect();
    let y: Vec<f64> = (0..2 * count).map(|i| (i % 17) as f64).collect();
    let df = df!("t" => time, "g" => group, "y" => y).unwrap();
    let spec = Spec { unit: None, repeated_cross_sections: true, ..Spec::default() };
    let start = Instant::now();
    let error = spec.try_fit(&df).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, DidError::TooManyCells { .. }), "{error:?}");
    for word in ["`t`", "`g`", "9000", "effects", "bytes", "coarser"] {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

/// Memory follows what is observed: the days of four years, with fixed weights of an unbalanced panel.
#[test]
fn many_periods_need_no_table_of_their_pairs() {
    let days = 1_500usize;
    let (mut id, mut t, mut g, mut y, mut w) = (vec![], vec![], vec![], vec![], vec![]);
    for unit in 0..40usize {
        for day in 0..days {
            if (unit * 7 + day) % 97 != 0 {
                id.push(unit as i64);
                t.push(day as i64);
                g.push(if unit % 2 == 0 { 0 } else { 1_200i64 });
                y.push(((unit * 31 + day * 17) % 23) as f64);
                w.push(1.0 + ((unit + day) % 5) as f64);
            }
        }
    }
    let df = df!("id" => id, "t" => t, "g" => g, "y" => y, "w" => w).unwrap();
    let spec = Spec {
        allow_unbalanced_panel: true,
        fix_weights: Some(FixWeights::BasePeriod),
        ..Spec::default().weights("w")
    };
    let fit = spec.fit(&df);
    assert_eq!(fit.cells.len(), days - 1);
    // The pairs of a cell, counted by hand: units of the group seen in the cell's two periods and in the weights'.
    let cell = fit.cells.iter().find(|c| c.time == 1_300.0).unwrap();
    let seen = |unit: usize, day: usize| !(unit * 7 + day).is_multiple_of(97);
    let pairs = |parity: usize, day: usize| {
        (0..40).filter(|u| u % 2 == parity && seen(*u, day) && seen(*u, 1_199)).count()
    };
    assert_eq!(cell.n_treated, pairs(1, 1_300) + pairs(1, 1_199));
    assert_eq!(cell.n_control, pairs(0, 1_300) + pairs(0, 1_199));
}

fn few(warnings: &[DidWarning]) -> Option<usize> {
    warnings.iter().find_map(|w| match w {
        DidWarning::FewClusters { clusters } => Some(*clusters),
        _ => None,
    })
}

#[test]
fn few_clusters_deserve_a_warning_and_one_is_none() {
    let clustered = |clusters: i64| {
        let ids = floats(&panel(), "id");
        with(&panel(), "cl", ids.iter().map(|id| *id as i64 % clusters).collect::<Vec<_>>())
    };
    for (clusters, expected) in [(2, Some(2)), (9, Some(9)), (10, None), (30, None)] {
        let spec = Spec::default().cluster("cl");
        let fit = spec.fit(&clustered(clusters));
        assert_eq!(few(&fit.warnings), expected);
        let text = fit.to_string();
        assert_eq!(text.contains("with fewer than ten they"), expected.is_some(), "{text}");
        let rows = Spec { repeated_cross_sections: true, ..spec };
        assert_eq!(few(&rows.fit(&clustered(clusters)).warnings), expected);
    }
    // Outcomes so large that rounding alone would pass for a standard error.
    let one = map(&clustered(1), "y", |y| y * 1e12);
    for bootstrap in [None, Some(Bootstrap::draws(50))] {
        let spec = Spec { bootstrap, ..Spec::default().cluster("cl") };
        let error = spec.try_fit(&one).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, DidError::TooFewClusters { clusters: 1, .. }), "{error:?}");
        assert!(message.contains("`cl`") && message.contains("finer"), "{message}");
    }
    let mut points: AttGt<Cpu> =
        AttGt::builder().outcome("y").unit("id").time("t").group("g").cluster("cl").build();
    points.point_estimates_only = true;
    let fit = points.fit(clustered(1)).unwrap();
    assert_eq!(few(&fit.warnings), None);

    let by = |df: &DataFrame, clusters: i64| {
        let ids = floats(df, "id");
        with(df, "few", ids.iter().map(|id| *id as i64 % clusters).collect::<Vec<_>>())
    };
    let (mut config, df) = drdid();
    config.cluster = Some("few".into());
    assert_eq!(few(&config.fit(by(&df, 4)).unwrap().warnings), Some(4));
    let error = config.fit(by(&df, 1)).unwrap_err();
    assert!(matches!(error, DidError::TooFewClusters { .. }), "{error:?}");
    let (mut config, df) = ddd();
    config.cluster = Some("few".into());
    assert_eq!(few(&config.fit(by(&df, 4)).unwrap().warnings), Some(4));
    let error = config.fit(by(&df, 1)).unwrap_err();
    assert!(matches!(error, DidError::TooFewClusters { .. }), "{error:?}");
}

#[test]
fn few_units_are_few_clusters() {
    let mut unit = Vec::new();
    let (mut t, mut g, mut y) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..9i64 {
        for period in 1..=3i64 {
            unit.push(i);
            t.push(period);
            g.push(if i < 3 { 2i64 } else { 0 });
            y.push(((i * 13 + period * 7) % 11) as f64);
        }
    }
    let df = df!("id" => unit, "t" => t, "g" => g, "y" => y).unwrap();
    assert_eq!(few(&Spec::default().fit(&df).warnings), Some(9));
}

#[test]
fn names_of_any_length_and_letters_make_a_picture() {
    let fit = Spec::default().fit(&panel());
    let nasty = "a\u{0}b\u{1b}[31m\u{fffe}\u{ffff}\u{b}\u{7f}\u{85}\u{202e}<&\"'>]]>\u{1f600}\n";
    for text in [nasty.to_owned(), nasty.repeat(10_000), "w".repeat(120_000)] {
        let mut named = fit.clone();
        named.settings.outcome.clone_from(&text);
        let study = named.aggregate(Aggregation::dynamic()).unwrap();
        let titled = PlotOptions::new().title(&text).x_label(&text).y_label(&text);
        let start = Instant::now();
        for options in [PlotOptions::new(), titled.clone(), titled.size(300, 200)] {
            for svg in [named.to_svg(&options), study.to_svg(&options)] {
                let svg = svg.unwrap();
                let document = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}"));
                assert!(document.descendants().any(|n| n.has_tag_name("text")));
                assert!(svg.len() < 1_000_000, "{} bytes", svg.len());
            }
        }
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}
