//! Time: fractional calendars are counted in steps, and dates are periods.

use burn_did::backend::Cpu;
use burn_did::data::TwoPeriodSimulation;
use burn_did::prelude::Reportable;
use burn_did::{
    Aggregation, AttGt, Bacon, Ddd, DidError, DidWarning, Drdid, GroupTimeResult, Imputation,
    SunAbraham,
    explore::Explore,
    options::{BasePeriod, ControlGroup, Frequency},
};
use polars::prelude::*;

use crate::support::frames::{floats, map, with};
use crate::support::splitmix;

fn panel() -> DataFrame {
    splitmix::panel(42, 240, [3, 4, 6, 0])
}

fn config() -> AttGt<Cpu> {
    AttGt::builder().outcome("y").unit("id").time("t").group("g").build()
}

fn with_frequency(frequency: Frequency) -> AttGt<Cpu> {
    let mut config = config();
    config.frequency = Some(frequency);
    config
}

/// Periods 1 to 6 and groups with whatever `at` makes of them; 0 stays never treated.
fn retimed(at: impl Fn(f64) -> f64) -> DataFrame {
    let df = panel();
    let group = |g: f64| if g == 0.0 { 0.0 } else { at(g) };
    map(&map(&df, "t", &at), "g", group)
}

#[track_caller]
fn assert_same_effects(whole: &GroupTimeResult, other: &GroupTimeResult, per_unit: f64) {
    let effects = |fit: &GroupTimeResult| fit.cells.iter().map(|c| c.estimate).collect::<Vec<_>>();
    assert_eq!(effects(whole), effects(other));
    for aggregation in [Aggregation::dynamic(), Aggregation::dynamic().balance_e(0)] {
        let (a, b) = (whole.aggregate(aggregation).unwrap(), other.aggregate(aggregation).unwrap());
        assert_eq!(a.overall, b.overall);
        assert_eq!(a.rows.len(), b.rows.len());
        for (a, b) in a.rows.iter().zip(&b.rows) {
            assert_eq!((a.at / per_unit, a.estimate), (b.at, b.estimate));
        }
    }
    for aggregation in [Aggregation::simple(), Aggregation::group(), Aggregation::calendar()] {
        let (a, b) = (whole.aggregate(aggregation).unwrap(), other.aggregate(aggregation).unwrap());
        assert_eq!(a.overall, b.overall);
    }
}

fn printed(v: f64, decimals: usize) -> f64 {
    format!("{v:.decimals$}").parse().unwrap()
}

#[test]
fn fractional_calendars_have_the_event_times_of_whole_ones() {
    let expected = config().fit(panel()).unwrap();
    let months = |t: f64| 2004.0 + t / 12.0;
    assert_same_effects(&expected, &fit(&retimed(months)), 12.0);
    for decimals in 2..=4 {
        let rounded = retimed(|t| printed(months(t), decimals));
        assert_same_effects(&expected, &fit(&rounded), 12.0);
    }
    assert_same_effects(&expected, &fit(&retimed(|t| 2004.0 + (t - 0.5) / 12.0)), 12.0);
    assert_same_effects(&expected, &fit(&retimed(|t| 2004.0 + t / 10.0)), 10.0);
    assert_same_effects(&expected, &fit(&retimed(|t| 2004.0 + t / 4.0)), 4.0);
    assert_same_effects(&expected, &fit(&retimed(|t| t * 0.1)), 10.0);
}

fn fit(df: &DataFrame) -> GroupTimeResult {
    config().fit(df).unwrap()
}

#[test]
fn groups_rounded_otherwise_than_periods_are_taken_as_periods() {
    let expected = fit(&retimed(|t| printed(2004.0 + t / 12.0, 4)));
    let df = retimed(|t| printed(2004.0 + t / 12.0, 4));
    for decimals in [2, 3] {
        let groups = map(&df, "g", |g| printed(g, decimals));
        let found = fit(&groups);
        assert_eq!(expected.cells, found.cells);
        let moved = |w: &&DidWarning| matches!(w, DidWarning::MovedGroups { .. });
        assert_eq!(found.warnings.iter().filter(moved).count(), 1, "{:?}", found.warnings);
        assert!(expected.warnings.iter().filter(moved).count() == 0);
    }
}

#[test]
fn anticipation_and_windows_are_counted_on_the_grid() {
    // One unit of time is two periods.
    for (at, per_unit) in [(0.5, 2.0), (1.0 / 12.0, 12.0)] {
        let scale = |t: f64| 2004.0 + t * at;
        let anticipation = if at == 0.5 { 1 } else { 0 };
        let (mut whole, mut scaled) = (config(), config());
        (whole.anticipation, scaled.anticipation) = (2 * anticipation, anticipation);
        for control_group in [ControlGroup::NeverTreated, ControlGroup::NotYetTreated] {
            for base_period in [BasePeriod::Varying, BasePeriod::Universal] {
                for config in [&mut whole, &mut scaled] {
                    (config.control_group, config.base_period) = (control_group, base_period);
                }
                let whole = whole.fit(panel()).unwrap();
                let scaled = scaled.fit(retimed(scale)).unwrap();
                assert_same_effects(&whole, &scaled, per_unit);
            }
        }
    }
    let found = fit(&retimed(|t| printed(2004.0 + t / 12.0, 2)));
    let window = Aggregation::dynamic().min_e(-0.08).max_e(0.17);
    let rows = found.aggregate(window).unwrap().rows;
    let at: Vec<f64> = rows.iter().map(|r| r.at).collect();
    assert_eq!(at, [-1.0 / 12.0, 0.0, 1.0 / 12.0, 2.0 / 12.0]);
}

#[test]
fn saved_results_are_aggregated_alike() {
    let found = fit(&retimed(|t| printed(2004.0 + t / 12.0, 2)));
    let file = std::env::temp_dir().join(format!("burn-did-calendar-{}.json", std::process::id()));
    found.save(&file).unwrap();
    let loaded = GroupTimeResult::load(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let event_study = |fit: &GroupTimeResult| fit.aggregate(Aggregation::dynamic()).unwrap();
    assert_eq!(event_study(&found), event_study(&loaded));
}

#[test]
fn irregular_times_are_merged_within_rounding_and_said_to_be() {
    let times = [0.0, 0.123_456_71, 0.611_112_3, 1.098_767_9, 1.911_111_1, 2.700_000_3, 3.1];
    let df = retimed(|t| times[t as usize]);
    // 0.6111123 - 0.12345671 and 1.0987679 - 0.6111123 agree to six digits.
    let found = fit(&df).aggregate(Aggregation::dynamic()).unwrap();
    for pair in found.rows.windows(2) {
        assert!(pair[1].at - pair[0].at > 1e-7, "{} {}", pair[0].at, pair[1].at);
    }
}

#[test]
fn periods_that_differ_by_rounding_are_refused() {
    let df = panel();
    let mut last = 0.0;
    let jitter = |t: f64| {
        last += 1.0;
        if t == 2.0 && last > 700.0 { 0.5 + 2.0 + 1e-14 } else { t + 0.5 }
    };
    let t: Vec<f64> = floats(&df, "t").into_iter().map(jitter).collect();
    let error = config().fit(with(&df, "t", t)).unwrap_err();
    assert!(matches!(error, DidError::ClosePeriods { .. }), "{error}");
}

/// The panel with dates: period `t` begins `t` periods after December 2006.
fn dated(frequency: Frequency, dtype: &DataType) -> DataFrame {
    let day = |t: f64| -> i32 {
        let date = match frequency {
            Frequency::Year => format!("{}-05-17", 2006 + t as i32),
            Frequency::Quarter => {
                let quarters = t as i32 + 2;
                format!("{}-{:02}-28", 2006 + quarters / 4, 3 * (quarters % 4) + 2)
            }
            Frequency::Month => format!("2007-{:02}-{:02}", t as i32, 7 * t as i32 % 28 + 1),
            Frequency::Week => return 13_500 + 7 * t as i32 - (t as i32 % 3),
            Frequency::Day => return 13_512 + t as i32,
            other => unimplemented!("{other}"),
        };
        (Frequency::Day.period(&date).unwrap() - Frequency::Day.period("1970-01-01").unwrap())
            as i32
    };
    let df = panel();
    let dates = |name: &str| {
        let days = floats(&df, name).into_iter().map(|t| (t != 0.0).then(|| day(t)));
        let days = Series::new(name.into(), days.collect::<Vec<_>>());
        let dates = days.cast(&DataType::Date).unwrap();
        match dtype {
            DataType::Date => dates,
            DataType::String => dates.cast(dtype).unwrap(),
            DataType::Datetime(unit, zone) => {
                let per_day: i64 = match unit {
                    TimeUnit::Nanoseconds => 86_400_000_000_000,
                    TimeUnit::Microseconds => 86_400_000_000,
                    TimeUnit::Milliseconds => 86_400_000,
                };
                let noon =
                    days.cast(&DataType::Int64).unwrap().i64().unwrap() * per_day + per_day / 2;
                let dtype = DataType::Datetime(*unit, zone.clone());
                noon.into_series().cast(&dtype).unwrap()
            }
            _ => unreachable!(),
        }
    };
    let (t, g) = (dates("t"), dates("g"));
    let mut df = df.clone();
    df.with_column(t.into_column()).unwrap();
    df.with_column(g.into_column()).unwrap();
    df
}

#[test]
fn dates_are_periods_of_the_calendar() {
    let expected = fit(&panel());
    let zone = polars::prelude::TimeZone::opt_try_new(Some("Asia/Tokyo")).unwrap();
    let types = [
        DataType::Date,
        DataType::String,
        DataType::Datetime(TimeUnit::Nanoseconds, None),
        DataType::Datetime(TimeUnit::Microseconds, zone),
    ];
    for frequency in [Frequency::Year, Frequency::Quarter, Frequency::Month, Frequency::Day] {
        for dtype in &types {
            let config = with_frequency(frequency);
            let found = config.fit(dated(frequency, dtype)).unwrap();
            assert_same_effects(&expected, &found, 1.0);
        }
    }
}

#[test]
fn results_show_dates() {
    let config = with_frequency(Frequency::Month);
    let mut found = config.fit(dated(Frequency::Month, &DataType::Date)).unwrap();
    let text = format!("{found}\n{}\n{}", found.to_markdown(), found.to_latex());
    assert!(text.contains("2007-03") && !text.contains("24086"), "{text}");
    let frame = found.to_dataframe().unwrap();
    assert_eq!(frame.column("group").unwrap().str().unwrap().get(0), Some("2007-03"));
    let by_group = found.aggregate(Aggregation::group()).unwrap();
    assert!(by_group.to_string().contains("2007-04"));
    assert!(by_group.to_csv().unwrap().contains("rows,group,2007-04,"));
    assert!(by_group.to_svg(&Default::default()).unwrap().contains("2007-04"));
    assert!(found.to_svg(&Default::default()).unwrap().contains("Group 2007-03"));
    let dynamic = found.aggregate(Aggregation::dynamic()).unwrap();
    assert!(dynamic.rows.iter().any(|r| r.at == 0.0) && !dynamic.to_string().contains("2007"));
    let file = std::env::temp_dir().join(format!("burn-did-dates-{}.json", std::process::id()));
    found.save(&file).unwrap();
    let mut loaded = GroupTimeResult::load(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    (found.influence, loaded.influence) = (None, None);
    assert_eq!(found.to_string(), loaded.to_string());
    let march = Frequency::Month.period("2007-03").unwrap();
    assert!(found.contrast(&[((march, march), 1.0)]).is_ok());
    let error = found.contrast(&[((march, 1.0 + march - march), 1.0)]).unwrap_err().to_string();
    assert!(error.contains("group 2007-03"), "{error}");
}

#[test]
fn dates_need_a_frequency_and_a_frequency_needs_dates() {
    let dates = dated(Frequency::Month, &DataType::Date);
    let error = |config: &AttGt<Cpu>, df: &DataFrame| config.fit(df).unwrap_err().to_string();
    let found = error(&config(), &dates);
    assert!(found.contains("`t` (time) has dates") && found.contains("`frequency`"), "{found}");
    let monthly = with_frequency(Frequency::Month);
    let found = error(&monthly, &panel());
    assert!(found.contains("`t` (time) has 1 in row 0") && found.contains("200703"), "{found}");
    let mixed = with(&dates, "g", floats(&panel(), "g"));
    let found = error(&monthly, &mixed);
    assert!(found.contains("`g` (group) has") && found.contains("20070301"), "{found}");
    let found = error(&config(), &mixed);
    assert!(found.contains("`t` (time) has dates"), "{found}");
    let yearly = with_frequency(Frequency::Year);
    let found = error(&yearly, &dates);
    assert!(found.contains("two rows for period 2007") && found.contains("finer"), "{found}");
}

#[test]
fn the_other_estimators_take_dates() {
    let df = TwoPeriodSimulation::builder().units(300).seed(1).build().frame();
    let config = |frequency| {
        let config = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period");
        config.treatment("treated").maybe_frequency(frequency).build()
    };
    let expected = config(None).fit(&df).unwrap();
    let name = |t: f64| if t == floats(&df, "period")[0] { "2007-11-30" } else { "2008-02-01" };
    let dates: Vec<&str> = floats(&df, "period").into_iter().map(name).collect();
    let first = floats(&df, "period").into_iter().fold(f64::INFINITY, f64::min);
    assert!(floats(&df, "period")[0] == first);
    let found = config(Some(Frequency::Quarter)).fit(with(&df, "period", dates));
    assert_eq!(found.unwrap().estimate, expected.estimate);

    let panel = dated(Frequency::Month, &DataType::Date);
    let eligible: Vec<f64> = floats(&panel, "id").into_iter().map(|id| id % 2.0).collect();
    let (whole, panel) = (with(&self::panel(), "e", eligible.clone()), with(&panel, "e", eligible));
    let config = |frequency| {
        let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        config.eligible("e").maybe_frequency(frequency).build()
    };
    let expected = config(None).fit(&whole).unwrap();
    let found = config(Some(Frequency::Month)).fit(&panel).unwrap();
    assert_same_effects(&expected, &found, 1.0);
}

/// What estimators by regression and summaries make of groups that rounding alone tells from periods.
#[test]
fn rounded_groups_are_the_periods_that_they_are_in_regressions() {
    let months = |t: f64| 2004.0 + t / 12.0;
    let exact = retimed(months);
    let rounded = map(&exact, "g", |g| if g == 0.0 { 0.0 } else { printed(g, 6) });
    assert_ne!(floats(&exact, "g"), floats(&rounded, "g"));
    let moved = |warnings: &[DidWarning]| {
        warnings.iter().any(|warning| matches!(warning, DidWarning::MovedGroups { .. }))
    };
    let imputation = Imputation::builder().outcome("y").unit("id").time("t").group("g").build();
    let [a, b] = [&exact, &rounded].map(|frame| imputation.fit(frame).unwrap());
    assert_eq!(a.effects.rows, b.effects.rows);
    assert!(!moved(&a.effects.warnings) && moved(&b.effects.warnings));
    let sunab = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let sunab = sunab.reference([-1.0 / 12.0]).build();
    let [a, b] = [&exact, &rounded].map(|frame| sunab.fit(frame).unwrap());
    assert_eq!(a.event_study.rows, b.event_study.rows);
    assert!(moved(&b.regression.warnings));
    let bacon = Bacon::builder().outcome("y").unit("id").time("t").group("g").build();
    let [a, b] = [&exact, &rounded].map(|frame| bacon.fit(frame).unwrap());
    assert_eq!((a.coefficient, &a.comparisons), (b.coefficient, &b.comparisons));
    assert!(moved(&b.warnings));
    let explore = Explore::builder().outcome("y").unit("id").time("t").group("g").build();
    let [a, b] = [&exact, &rounded].map(|frame| explore.means(frame).unwrap());
    assert_eq!(a.rows, b.rows);
    assert!(!moved(&a.warnings) && moved(&b.warnings));
    assert!(b.to_string().contains("Warning: "), "{b}");
    assert!(moved(&explore.balance(&rounded, ControlGroup::NeverTreated).unwrap().warnings));
    let view = explore.panelview(&rounded).unwrap();
    assert!(moved(&view.warnings));
    let code = view.messages()[0].code.clone();
    assert_eq!(code.as_deref(), Some("moved_groups"));
}
