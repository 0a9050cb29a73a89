//! What a result says of how it was made: the comparison units that were used, and covariates that change over time.

use burn_did::backend::Cpu;
use burn_did::{
    Aggregation, AttGt, Ddd, DidWarning, Etwfe, GroupTimeResult, Imputation, LocalProjections,
    SunAbraham, compare, data,
    options::{BasePeriod, ControlGroup, CovariatePeriod, UnbalancedPanel},
    report::Comparable,
};
use polars::prelude::DataFrame;

use crate::support::frames::{floats, golden_data, rows};

fn att_gt(data: &DataFrame, covariates: &str, control: ControlGroup) -> GroupTimeResult {
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.covariates(covariates).control_group(control).build();
    config.fit(data).unwrap()
}

fn ddd() -> Ddd<Cpu> {
    let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    config.eligible("q").control_group(ControlGroup::NotYetTreated).build()
}

#[test]
fn tables_name_the_comparison_units_that_were_used() {
    let data = golden_data("nonever_a");
    let never = att_gt(&data, "~ 1", ControlGroup::NeverTreated);
    assert_eq!(never.settings.last_cohort(), Some(7.0));
    let last = "Control Group: Last Cohort (7), ";
    assert!(never.to_string().contains(last), "{never}");
    let average = never.aggregate(Aggregation::simple()).unwrap();
    assert!(average.to_string().contains(last), "{average}");
    let frame = never.glance().unwrap();
    let shown = frame.column("control_group").unwrap().str().unwrap().get(0).unwrap().to_owned();
    assert_eq!(shown, "Last Cohort (7)");
    let not_yet = att_gt(&data, "~ 1", ControlGroup::NotYetTreated);
    assert!(not_yet.to_string().contains("Control Group: Not Yet Treated, Last Cohort (7), "));
    let triple = ddd().fit(golden_data("ddd_oracle_nonever")).unwrap();
    assert!(triple.settings.last_cohort().is_some());
    assert!(triple.to_string().contains("Control Group: Not Yet Treated, Last Cohort ("));
    let some = att_gt(&golden_data("stag_a"), "~ 1", ControlGroup::NeverTreated);
    assert_eq!(some.settings.last_cohort(), None);
    assert!(some.to_string().contains("Control Group: Never Treated, "));
}

#[test]
fn comparisons_say_where_averages_and_leads_differ() {
    let data = data::mpdta();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let cells = config.group("first.treat").build().fit(&data).unwrap();
    let cs = cells.aggregate(Aggregation::dynamic()).unwrap();
    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").control_group(ControlGroup::NotYetTreated);
    let etwfe = config.build().fit(&data).unwrap();
    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    let imputation = config.group("first.treat").build().fit(&data).unwrap();
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let sun = config.group("first.treat").build().fit(&data).unwrap();
    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let lp = config.group("first.treat").pre_window(2).post_window(1).build().fit(&data).unwrap();
    let all: [(&str, &dyn Comparable); 5] = [
        ("CS", &cs),
        ("ETWFE", &etwfe),
        ("Imputation", &imputation),
        ("Sun-Abraham", &sun),
        ("LP-DiD", &lp),
    ];
    let table = compare(&all);
    let text = table.to_string();
    assert!(text.contains("Not Yet Treated") && !text.contains("_treated"), "{text}");
    let notes = table.notes;
    let averages = "Overall ATT: over event times that count alike for CS; \
        over treated rows for ETWFE, Imputation, Sun-Abraham; \
        over event times that count alike, of units that have them all for LP-DiD";
    let leads = "Before treatment: relative to the period before each for CS; \
        not relative to the reference period for Imputation; \
        relative to the reference period for Sun-Abraham, LP-DiD";
    assert!(notes.iter().any(|note| note == averages), "{notes:?}");
    assert!(notes.iter().any(|note| note == leads), "{notes:?}");
    // With anticipation the reference is another.
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").anticipation(1).base_period(BasePeriod::Universal);
    let early = config.build().fit(&data).unwrap().aggregate(Aggregation::dynamic()).unwrap();
    let notes = compare(&[("early", &early), ("Sun-Abraham", &sun)]).notes;
    let leads = "Before treatment: relative to event time -2 for early; \
        relative to the reference period for Sun-Abraham";
    assert!(notes.iter().any(|note| note == leads), "{notes:?}");
    // Results that average alike, and have no leads in a row, need no word.
    let alike = compare(&[("ETWFE", &etwfe), ("Imputation", &imputation)]).notes;
    assert!(alike.iter().all(|note| !note.contains("Overall") && !note.contains("Before")));
}

#[test]
fn cohorts_of_one_unit_are_named() {
    let data = data::mpdta();
    let [units, groups] = ["countyreal", "first.treat"].map(|name| floats(&data, name));
    let one = units[groups.iter().position(|group| *group == 2004.0).unwrap()];
    let is_kept = |row: &usize| groups[*row] != 2004.0 || units[*row] == one;
    let kept: Vec<usize> = (0..units.len()).filter(is_kept).collect();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let fit = config.group("first.treat").build().fit(rows(&data, &kept)).unwrap();
    let named = fit.warnings.iter().find_map(|warning| match warning {
        DidWarning::SmallGroups { groups, single } => Some([groups.clone(), single.clone()]),
        _ => None,
    });
    assert_eq!(named, Some([vec![2004.0], vec![2004.0]]));
    let text = fit.to_string();
    assert!(text.contains("standard errors are unreliable: 2004; a single unit"), "{text}");
}

/// Which period's covariates are used, by the warning; `None` without one.
fn period(fit: &GroupTimeResult) -> Option<CovariatePeriod> {
    fit.warnings.iter().find_map(|warning| match warning {
        DidWarning::TimeVaryingCovariates { period } => Some(*period),
        _ => None,
    })
}

#[test]
fn covariates_that_change_over_time_are_said() {
    let data = golden_data("stag_a");
    let never = ControlGroup::NeverTreated;
    assert_eq!(period(&att_gt(&data, "~ x1", never)), None);
    let fit = att_gt(&data, "~ x1 + x3", never);
    assert_eq!(period(&fit), Some(CovariatePeriod::Earlier));
    assert!(fit.to_string().contains("uses their values in the earlier period"));
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.covariates("~ x1 + x3").allow_unbalanced_panel(true).build();
    let order: Vec<usize> = (0..data.height()).filter(|row| !row.is_multiple_of(29)).collect();
    let gaps = rows(&data, &order);
    let unbalanced = config.fit(&gaps).unwrap();
    assert_eq!(period(&unbalanced), Some(CovariatePeriod::Row));

    let data = golden_data("ddd_oracle_panel");
    let of = |change: fn(&mut Ddd<Cpu>)| {
        let mut config = ddd();
        config.covariates = "~ v1".into();
        change(&mut config);
        period(&config.fit(&data).unwrap())
    };
    assert_eq!(of(|config| config.covariates = "~ x1".into()), None);
    assert_eq!(of(|_| {}), Some(CovariatePeriod::Base));
    assert_eq!(of(|config| config.covariates_of_cell = true), Some(CovariatePeriod::Cell));
    assert_eq!(
        of(|config| config.unbalanced = UnbalancedPanel::Pairs),
        Some(CovariatePeriod::Base)
    );
}
