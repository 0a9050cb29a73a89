//! Continuous treatments: what bad data and options get.

use burn_did::backend::Cpu;
use burn_did::data::DoseSimulation;
use burn_did::{
    ContDid, Data, DidError, DidWarning,
    doses::{DoseAggregation, DoseGrid, DoseMethod},
    group_time::CellStatus,
    options::{Band, Bootstrap, Multiplier},
};
use polars::prelude::*;

use crate::support::but;
use crate::support::frames::{floats, map, with};

fn config() -> ContDid<Cpu> {
    ContDid::builder().outcome("y").unit("id").time("period").group("group").dose("dose").build()
}

fn data() -> DataFrame {
    DoseSimulation::builder().units(300).seed(8).build().frame()
}

fn error(config: &ContDid<Cpu>, df: &DataFrame) -> DidError {
    config.fit(df).expect_err("it is bad")
}

/// The dose of every row changed.
fn doses(df: &DataFrame, f: impl Fn(usize, f64, f64, f64) -> f64) -> DataFrame {
    let (dose, group, period) = (floats(df, "dose"), floats(df, "group"), floats(df, "period"));
    let new: Vec<f64> = (0..df.height()).map(|i| f(i, dose[i], group[i], period[i])).collect();
    with(df, "dose", new)
}

#[test]
fn options_out_of_range_are_refused() {
    let df = data();
    let bad: Vec<(&str, ContDid<Cpu>)> = vec![
        ("degree", but(config(), |c| c.degree = 0)),
        ("knots", but(config(), |c| c.knots = 51)),
        ("dvals", but(config(), |c| c.grid = DoseGrid::Even(0))),
        ("dvals", but(config(), |c| c.grid = DoseGrid::Values(vec![f64::INFINITY]))),
        (
            "aggregation",
            but(config(), |c| {
                c.method = DoseMethod::Cck;
                c.aggregation = DoseAggregation::EventStudy;
            }),
        ),
        ("unit", but(config(), |c| c.unit = None)),
    ];
    for (option, config) in bad {
        let found = error(&config, &df).to_string();
        assert!(found.contains(&format!("`{option}`")), "{option}: {found}");
    }
}

/// The first row from this one on whose unit is treated then.
fn treated(df: &DataFrame, from: usize) -> usize {
    let (group, period) = (floats(df, "group"), floats(df, "period"));
    let is_treated = |row: &usize| group[*row] > 0.0 && group[*row] <= period[*row];
    (from..df.height()).find(is_treated).unwrap()
}

#[test]
fn rows_of_negative_doses_are_rows_of_the_files() {
    let row = treated(&data(), 1_003);
    let df = doses(&data(), |i, d, _, _| if i == row { -0.5 } else { d });
    for (df, expected) in [(&df, row), (&df.reverse(), df.height() - 1 - row)] {
        let folder = tempfile::tempdir().unwrap();
        for (i, mut half) in [df.slice(0, 500), df.slice(500, usize::MAX)].into_iter().enumerate() {
            let file = std::fs::File::create(folder.path().join(format!("{i}.parquet"))).unwrap();
            ParquetWriter::new(file).with_row_group_size(Some(200)).finish(&mut half).unwrap();
        }
        for budget in [None, Some(20_000)] {
            let config = but(config(), |c| c.memory_budget = budget);
            let found = config.fit(Data::in_pieces(folder.path())).unwrap_err();
            let same =
                matches!(found, DidError::Negative { role: "dose", row, .. } if row == expected);
            assert!(same, "{found}");
        }
    }
}

#[test]
fn doses_that_cannot_be_are_named() {
    let df = data();
    let negative = treated(&df, 17);
    let found = error(&config(), &doses(&df, |i, d, _, _| if i == negative { -0.5 } else { d }));
    let named = matches!(found, DidError::Negative { role: "dose", row, .. } if row == negative);
    assert!(named, "{found}");
    let varying = doses(&df, |_, d, g, t| if g == 2.0 && t == 4.0 { d + 0.1 } else { d });
    let found = error(&config(), &varying);
    assert!(matches!(&found, DidError::TimeVarying { role: "dose", .. }), "{found}");
    let texts = with(&df, "dose", vec!["much"; df.height()]);
    let found = error(&config(), &texts);
    assert!(matches!(&found, DidError::ColumnType { role: "dose", .. }), "{found}");
    let found = error(&config(), &with(&df, "dose", vec![true; df.height()]));
    assert!(matches!(&found, DidError::ColumnType { role: "dose", .. }), "{found}");
    let found = error(&config(), &df.drop("dose").unwrap());
    assert!(matches!(&found, DidError::ColumnNotFound { role: "dose", .. }), "{found}");
    let never = error(&but(config(), |c| c.group = None), &map(&df, "dose", |_| 0.0));
    assert!(matches!(never, DidError::NobodyTreated { role: "dose", .. }), "{never}");
    let said = never.to_string();
    assert!(said.contains("column `dose`") && !said.contains("status of 0 and 1"), "{said}");
    let early = doses(&df, |_, d, g, t| if g == 2.0 && t >= 2.0 { d } else { 0.0 });
    let anticipating = but(config(), |c| (c.group, c.anticipation) = (None, 1));
    let said = error(&anticipating, &early).to_string();
    assert!(said.contains("(with 1 periods of anticipation): no unit's dose is 0"), "{said}");
    // Rows without treatment need no dose, so that comparison units are left.
    let all = error(&config(), &map(&df, "dose", |_| f64::NAN)).to_string();
    assert!(all.contains("no group is first treated"), "{all}");
}

#[test]
fn treated_units_without_a_dose_are_left_out_and_counted() {
    let df = data();
    let (ids, group) = (floats(&df, "id"), floats(&df, "group"));
    let treated = (0..df.height()).find(|row| group[*row] == 3.0).unwrap();
    let zero = doses(&df, |i, d, _, _| if ids[i] == ids[treated] { 0.0 } else { d });
    let fit = config().fit(&zero).unwrap();
    let full = config().fit(&df).unwrap();
    assert_eq!(fit.level.settings.n_units + 1, full.level.settings.n_units);
    let expected = [("dose (0 after treatment)".to_owned(), 2)];
    assert_eq!(fit.level.audit.rows_missing, expected);
    assert!(fit.warnings.contains(&DidWarning::Unbalanced { units: 1 }), "{:?}", fit.warnings);
    // The dose of a row with treatment is needed, that of others is not.
    let times = floats(&df, "period");
    for (with_treatment, expected) in [(true, vec![("dose".to_owned(), 1)]), (false, Vec::new())] {
        let is_it = |row: &usize| group[*row] == 3.0 && (times[*row] >= 3.0) == with_treatment;
        let row = (0..df.height()).find(is_it).unwrap();
        let missing = doses(&df, |i, d, _, _| if i == row { f64::NAN } else { d });
        let fit = config().fit(&missing).unwrap();
        assert_eq!(fit.level.audit.rows_missing, expected);
    }
}

#[test]
fn groups_with_few_doses_have_no_curve_and_the_others_do() {
    let df = data();
    let few = doses(&df, |_, d, g, _| if g == 3.0 { (3.0 * d).ceil() } else { d });
    let fit = config().fit(&few).unwrap();
    let own = fit.slope.cells.iter().filter(|cell| cell.group == 3.0);
    for cell in own {
        let few = CellStatus::FewDoses { distinct: 4, needed: 4 };
        let fewer = matches!(cell.status, CellStatus::FewDoses { needed: 4, .. });
        assert!(
            cell.status == CellStatus::Estimated || fewer || cell.status == few,
            "{:?}",
            cell.status
        );
    }
    let one = doses(&df, |_, d, g, _| if g == 3.0 { 0.7 } else { d });
    let fit = config().fit(&one).unwrap();
    let status = |g: f64| &fit.slope.cells.iter().find(|c| c.group == g).unwrap().status;
    assert_eq!(status(3.0), &CellStatus::FewDoses { distinct: 1, needed: 4 });
    assert_eq!(status(2.0), &CellStatus::Estimated);
    assert_eq!(fit.knots.groups.iter().map(|g| g.group).collect::<Vec<_>>(), [2.0, 4.0]);
    assert!(fit.level.cells.iter().all(|c| c.status == CellStatus::Estimated));
    assert!(fit.warnings.iter().any(|w| matches!(w, DidWarning::NoCurve { group: 3.0, .. })));
    assert!(fit.overall.att.se.is_some() && fit.dose.rows.iter().all(|r| r.att.se.is_some()));
    let all = doses(&df, |_, d, _, _| d.ceil());
    let found = error(&config(), &all).to_string();
    assert!(found.contains("distinct dose"), "{found}");
}

#[test]
fn knots_and_doses_outside_a_groups_range_are_said() {
    let df = data();
    let apart = doses(&df, |_, d, g, _| if g == 4.0 { d + 5.0 } else { d });
    let knots = but(config(), |c| {
        c.knots = 2;
        c.grid = DoseGrid::Values(vec![0.5, 5.5]);
    });
    let fit = knots.fit(&apart).unwrap();
    assert!(
        fit.warnings.contains(&DidWarning::DroppedKnots { group: 4.0, knots: 1 }),
        "{:?}",
        fit.warnings
    );
    assert!(
        fit.warnings.contains(&DidWarning::Extrapolated { doses: 2, pairs: 3 }),
        "{:?}",
        fit.warnings
    );
    assert_eq!(fit.dose.rows.iter().map(|r| r.extrapolated).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn the_data_choose_dimensions_of_two_groups_in_two_periods_only() {
    let cck = but(config(), |c| c.method = DoseMethod::Cck);
    let found = error(&cck, &data()).to_string();
    assert!(found.contains("two of each"), "{found}");
    // It draws coefficients, so that another law of multipliers would be ignored.
    let webb = Bootstrap::draws(100).multiplier(Multiplier::Webb);
    let found = error(&but(cck.clone(), |c| c.bootstrap = Some(webb)), &data()).to_string();
    assert!(found.contains("`bootstrap multiplier`"), "{found}");
    let two = DoseSimulation::builder().units(400).periods(2).groups(1).seed(1).build().frame();
    let fit = cck.fit(&two).unwrap();
    let without = but(cck, |c| c.comparison_noise = false).fit(&two).unwrap();
    for (a, b) in fit.dose.rows.iter().zip(&without.dose.rows) {
        assert_eq!((a.att.estimate, a.acrt.se), (b.att.estimate, b.acrt.se));
        assert!(a.att.se > b.att.se);
    }
}

#[test]
fn mixed_words_for_missing_doses_are_read_as_missing() {
    let df = data();
    let (groups, times) = (floats(&df, "group"), floats(&df, "period"));
    let is_treated = |row: &usize| groups[*row] > 0.0 && groups[*row] <= times[*row];
    let treated = (0..df.height()).find(is_treated).unwrap();
    let texts: Vec<String> = floats(&df, "dose")
        .iter()
        .enumerate()
        .map(|(i, d)| if i == treated { "NA".into() } else { d.to_string() })
        .collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("doses.csv");
    let mut out = with(&df, "dose", texts);
    CsvWriter::new(std::fs::File::create(&path).unwrap()).finish(&mut out).unwrap();
    let fit = config().fit(path.as_path()).unwrap();
    assert_eq!(fit.level.audit.rows_missing, [("dose".to_owned(), 1)]);
}

/// Slopes in a dose of large numbers are small, and so are their standard errors: they are no rounding.
#[test]
fn slopes_in_doses_of_any_size_have_standard_errors() {
    let df = data();
    let at = |scale: f64| {
        let config = but(config(), |c| c.grid = DoseGrid::Values(vec![0.3 * scale, 0.8 * scale]));
        config.fit(map(&df, "dose", |d| d * scale)).unwrap()
    };
    let (one, large) = (at(1.0), at(1e9));
    let same = |a: Option<f64>, b: Option<f64>| {
        let (a, b) = (a.unwrap(), b.expect("a standard error") * 1e9);
        assert!((b / a - 1.0).abs() < 1e-6, "{a} and {b}");
    };
    same(one.overall.acrt.se, large.overall.acrt.se);
    for (a, b) in one.dose.rows.iter().zip(&large.dose.rows) {
        same(a.acrt.se, b.acrt.se);
    }
    for (a, b) in one.slope.cells.iter().zip(&large.slope.cells) {
        same(a.estimate.se, b.estimate.se);
    }
    let [a, b] =
        [&one, &large].map(|fit| fit.event_study(burn_did::doses::DoseTarget::Slope).unwrap());
    for (a, b) in a.rows.iter().zip(&b.rows) {
        same(a.estimate.se, b.estimate.se);
    }
    // And so it stays when the result is read back.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("large.json");
    large.save(&path).unwrap();
    let saved = burn_did::ContDidResult::load(&path).unwrap();
    assert_eq!(saved.event_study(burn_did::doses::DoseTarget::Slope).unwrap().rows, b.rows);
}

#[test]
fn curves_that_few_doses_do_not_determine_are_refused_or_said() {
    let two = DoseSimulation::builder().units(300).periods(2).groups(1).seed(1).build().frame();
    let cck = but(config(), |c| c.method = DoseMethod::Cck);
    let few = error(&cck, &doses(&two, |_, d, _, _| (2.0 * d).ceil())).to_string();
    assert!(few.contains("distinct dose") && few.contains("4 coefficients"), "{few}");
    let rounded = doses(&two, |_, d, _, _| (10.0 * d).ceil());
    let fit = cck.fit(&rounded).unwrap();
    let chosen = fit.knots.groups[0].breakpoints.len() + 2;
    let said = fit.warnings.iter().any(|w| matches!(w, DidWarning::CollinearSieve { .. }));
    assert_eq!(said, chosen > 10, "{chosen}: {:?}", fit.warnings);
    let treated = floats(&two, "group");
    let keep: Vec<usize> = (0..two.height())
        .scan(0, |n, row| {
            *n += usize::from(treated[row] > 0.0);
            Some((row, *n))
        })
        .filter(|(row, n)| treated[*row] == 0.0 || *n <= 40)
        .map(|(row, _)| row)
        .collect();
    let fit = cck.fit(crate::support::frames::rows(&two, &keep)).unwrap();
    let expected = DidWarning::FewObservations { observations: 20 };
    assert!(fit.warnings.contains(&expected), "{:?}", fit.warnings);
}

/// Intervals of many doses take the room of these, and are those of a few; the joint law of many has no room, which is said.
#[test]
fn many_doses_have_intervals_and_no_band() {
    let fit = config().fit(data()).unwrap();
    let doses: Vec<f64> = (0..100_000).map(|i| 0.1 + 1e-5 * f64::from(i)).collect();
    let some: Vec<f64> = doses.iter().step_by(10_000).copied().collect();
    let (many, few) = (fit.at(&doses).unwrap(), fit.at(&some).unwrap());
    assert!(many.rows.iter().step_by(10_000).eq(&few.rows));
    let uniform = fit.level.settings.inference.band(Band::Uniform);
    let refused = fit.at_with(&doses, &uniform).unwrap_err();
    assert!(matches!(refused, DidError::Memory { .. }), "{refused}");
    assert!(refused.to_string().contains("pointwise intervals"), "{refused}");
}

#[test]
fn intervals_and_bands_have_the_same_standard_errors() {
    let doses = [0.2, 0.5, 0.9];
    for bootstrap in [None, Some(Bootstrap::draws(999).seed(2))] {
        let config = but(config(), |c| c.bootstrap = bootstrap);
        let fit = config.fit(data()).unwrap();
        let of = |band| {
            let inference = fit.level.settings.inference.band(band);
            fit.at_with(&doses, &inference).unwrap()
        };
        for (a, b) in of(Band::Pointwise).rows.iter().zip(&of(Band::Uniform).rows) {
            assert_eq!((a.att.estimate, a.att.se), (b.att.estimate, b.att.se));
            assert_eq!((a.acrt.estimate, a.acrt.se), (b.acrt.estimate, b.acrt.se));
            assert_eq!((a.att.ci_lower, a.att.ci_upper), (b.att.ci_lower, b.att.ci_upper));
            assert!(a.att.band_upper.is_none() && b.att.ci_upper < b.att.band_upper);
        }
    }
}
