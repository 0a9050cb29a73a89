//! What kind of panel it is.

use burn_did::audit::Layout;
use burn_did::explore::{CohortStatus, Description, Explore};
use burn_did::options::Frequency;
use burn_did::{AttGt, Data, DidError, SavedResult, backend::Cpu, data};
use polars::prelude::*;

use super::{explore, panel, parquet, shuffled};

fn with(df: &DataFrame, name: &str, values: [f64; 14]) -> DataFrame {
    let mut df = df.clone();
    df.with_column(Column::new(name.into(), values)).unwrap();
    df
}

fn said(description: &Description, words: &str) -> bool {
    description.findings.iter().any(|finding| finding.contains(words))
}

#[test]
fn counts_are_those_of_the_rows() {
    let found = explore().describe(panel()).unwrap();
    assert_eq!((found.n_rows, found.n_complete, found.n_units), (14, 14, 5));
    assert_eq!(found.layout, Layout::Unbalanced);
    let cohorts: Vec<_> =
        found.cohorts.iter().map(|c| (c.group, c.units, c.rows, c.status)).collect();
    use CohortStatus::{AlreadyTreated, NeverTreated, Treated};
    let expected = [
        (Some(1.0), 1, 3, AlreadyTreated),
        (Some(2.0), 1, 3, Treated),
        (Some(3.0), 2, 5, Treated),
        (None, 1, 3, NeverTreated),
    ];
    assert_eq!(cohorts, expected);
    let periods: Vec<_> =
        found.periods.iter().map(|p| (p.rows, p.treated, p.entering, p.leaving)).collect();
    assert_eq!(periods, [(5, 1, 5, 0), (4, 2, 0, 0), (5, 4, 0, 0)]);
    assert_eq!((found.units_in_all_periods, found.units_with_gaps), (4, 1));
    assert_eq!((found.units_entering_late, found.units_leaving_early), (0, 0));
}

#[test]
fn weights_and_clusters_are_counted_by_cohort() {
    let mut look = explore();
    look.weights = Some("w".into());
    look.cluster = Some("c".into());
    look.covariates = vec!["x".into(), "c".into()];
    let found = look.describe(panel()).unwrap();
    let shares: Vec<f64> = found.cohorts.iter().map(|c| c.weight_share.unwrap()).collect();
    assert_eq!(shares, [1.0 / 9.0, 1.0 / 9.0, 3.0 / 9.0, 4.0 / 9.0]);
    let clusters: Vec<_> = found.cohorts.iter().map(|c| c.clusters.unwrap()).collect();
    assert_eq!((clusters, found.n_clusters), (vec![1, 1, 2, 1], Some(2)));
    assert_eq!(found.varying, [("x".to_owned(), 1)]);
    assert!(said(&found, "`x` changes over time in 1 unit;"), "{:?}", found.findings);
    assert!(said(&found, "regressions, imputation and stacks take each row's value"));
    assert!(said(&found, "there are 2 clusters;"));
    // Unit 4 is treated from the start.
    let apart = ["a", "a", "a", "a", "a", "a", "b", "b", "c", "c", "c", "b", "b", "b"];
    let mut three = panel();
    three.with_column(Column::new("c".into(), apart)).unwrap();
    let found = look.describe(three).unwrap();
    assert_eq!(found.n_clusters, Some(3));
    assert!(said(
        &found,
        "there are 2 clusters with units that are not treated from the start, of 3;"
    ));
}

/// As estimators have it: units react as many periods before they are treated.
#[test]
fn the_status_of_a_cohort_takes_anticipation_into_account() {
    let late = [2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0, 5.0, 5.0, 5.0];
    let late = with(&panel(), "g", late);
    let mut look = explore();
    let statuses = |look: &Explore| {
        let cohorts = look.describe(&late).unwrap().cohorts;
        cohorts.iter().map(|cohort| cohort.status).collect::<Vec<_>>()
    };
    use CohortStatus::{AlreadyTreated, Treated, TreatedAfter};
    assert_eq!(statuses(&look), [Treated, Treated, TreatedAfter, TreatedAfter]);
    look.anticipation = 1;
    assert_eq!(statuses(&look), [AlreadyTreated, Treated, Treated, TreatedAfter]);
}

#[test]
fn what_estimators_refuse_is_counted_and_named() {
    let double = panel().vstack(&panel().slice(3, 2)).unwrap();
    let found = explore().describe(&double).unwrap();
    assert_eq!((found.duplicates.units, found.duplicates.example.as_deref()), (1, Some("2 in 1")));
    assert!(said(&found, "1 unit has several rows in a period, such as 2 in 1"));
    let changing =
        with(&panel(), "g", [2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    let found = explore().describe(&changing).unwrap();
    assert_eq!((found.group_changes.units, found.group_changes.example.as_deref()), (1, Some("1")));
    let mut look = explore();
    look.cluster = Some("y".into());
    assert_eq!(look.describe(panel()).unwrap().cluster_changes.units, 5);
}

#[test]
fn a_status_and_a_code_are_named_as_what_they_are() {
    let years =
        with(&panel(), "t", [4.0, 5.0, 6.0, 4.0, 5.0, 6.0, 4.0, 6.0, 4.0, 5.0, 6.0, 4.0, 5.0, 6.0]);
    let status = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let found = explore().describe(with(&years, "g", status)).unwrap();
    assert!(said(&found, "`g` holds only 0 and 1"), "{:?}", found.findings);
    // No command is proposed that would be refused.
    assert_eq!(found.command, "");
    let switches = [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let found = explore().describe(with(&years, "g", switches)).unwrap();
    assert!(said(&found, "`burn-did panel first-treated`"), "{:?}", found.findings);
    let command = "burn-did panel first-treated DATA --idname id --tname t --dname g --out FILE";
    assert_eq!(found.command, command);
    let code = [2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 9999.0, 9999.0, 9999.0];
    let found = explore().describe(with(&panel(), "g", code)).unwrap();
    assert!(said(&found, "cohort 9999 is far after the last period 3"), "{:?}", found.findings);
    assert_eq!(found.cohorts.last().unwrap().status, CohortStatus::TreatedAfter);
}

#[test]
fn groups_of_zero_are_doubtful_where_zero_is_a_period() {
    let moved = |by: f64| {
        let t = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
        let df = with(&panel(), "t", t.map(|t| t + by));
        let found = explore().describe(&df).unwrap();
        found.findings.into_iter().find(|finding| finding.contains("is 0 in"))
    };
    let said = moved(-2.0).unwrap();
    assert!(said.contains("column `g` (group) is 0 in 3 rows"), "{said}");
    assert!(said.contains("add a constant to periods and groups"), "{said}");
    assert_eq!([moved(0.0), moved(-1.0)], [None, None]);
}

#[test]
fn one_cohort_alone_has_no_comparison_and_no_command() {
    let alone = explore().describe(with(&panel(), "g", [3.0; 14])).unwrap();
    assert!(alone.designs.iter().all(|design| design.refused.is_some()), "{:?}", alone.designs);
    assert!(said(&alone, "are first treated in 3, so that there is nobody to compare them with"));
    assert!(!said(&alone, "up to the treatment of the last cohort"), "{:?}", alone.findings);
    assert_eq!(alone.command, "");
    let shown = alone.to_string();
    assert!(shown.contains("nobody is left to compare with"), "{shown}");
    assert!(!shown.contains("To estimate"), "{shown}");
    let two = [2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0];
    let late = |g: [f64; 14]| {
        let t = [2.0, 3.0, 4.0, 2.0, 3.0, 4.0, 2.0, 4.0, 2.0, 3.0, 4.0, 2.0, 3.0, 4.0];
        explore().describe(with(&with(&panel(), "t", t), "g", g)).unwrap()
    };
    let both = late(two.map(|g| g + 1.0));
    assert!(said(&both, "up to the treatment of the last cohort"), "{:?}", both.findings);
    assert!(both.command.ends_with("--control-group not_yet_treated"), "{}", both.command);
}

#[test]
fn the_designs_use_what_the_estimator_uses() {
    {
        let (frame, unit, group) = (data::mpdta(), "countyreal", "first.treat");
        let look = Explore::builder().unit(unit).time("year").group(group).outcome("lemp").build();
        let found = look.describe(&frame).unwrap();
        let fit = AttGt::<Cpu>::builder().outcome("lemp").unit(unit).time("year").group(group);
        let audit = fit.build().fit(&frame).unwrap().audit;
        let design = &found.designs[0];
        assert_eq!(design.options, "--control-group never_treated");
        assert_eq!((design.units, design.rows), (audit.units, audit.rows));
        assert_eq!((&design.periods, &design.groups), (&audit.periods, &audit.groups));
    }
    let fit = |unbalanced| {
        let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        config.allow_unbalanced_panel(unbalanced).build().fit(panel())
    };
    let found = explore().describe(panel()).unwrap();
    let options: Vec<&str> = found.designs.iter().map(|d| d.options.as_str()).collect();
    let expected = [
        "never_treated",
        "never_treated --allow-unbalanced-panel",
        "not_yet_treated",
        "not_yet_treated --allow-unbalanced-panel",
    ];
    assert_eq!(options, expected.map(|words| format!("--control-group {words}")));
    for (design, unbalanced) in found.designs[..2].iter().zip([false, true]) {
        let error = fit(unbalanced).unwrap_err().to_string();
        assert_eq!(design.refused.as_ref(), Some(&error));
        assert!(error.contains("the never-treated group has 1 unit,"), "{error}");
    }
    for design in &found.designs[2..] {
        assert!(design.left_out.iter().any(|what| what.contains("treated in the first period")));
    }
    assert!(found.designs[2].left_out.iter().any(|what| what == "1 unit that misses a period"));
    // The command has options with a sample.
    assert!(found.command.ends_with("--gname g --control-group not_yet_treated"));
}

#[test]
fn what_estimators_refuse_has_no_sample_and_no_command() {
    let refused = |found: &Description, words: &str| {
        let of = |design: &burn_did::explore::SampleOfDesign| {
            design.refused.as_ref().is_some_and(|why| why.contains(words))
        };
        assert!(found.designs.iter().all(of), "{:?}", found.designs);
        assert_eq!(found.command, "");
    };
    let double = panel().vstack(&panel().slice(3, 2)).unwrap();
    refused(&explore().describe(double).unwrap(), "1 unit has several rows in a period");
    let mut look = explore();
    look.cluster = Some("k".into());
    let one = with(&panel(), "k", [7.0; 14]);
    refused(&look.describe(one).unwrap(), "`k` (cluster) has 1 cluster");
    // Rows of cross sections are units of a period.
    let mut rows = explore();
    rows.unit = None;
    let found = rows.describe(panel()).unwrap();
    assert!(found.designs[0].refused.is_some() && found.designs[1].refused.is_none());
    assert!(said(&found, "fewer than 5 rows a period: 1 (1), 2 (1), 3 (1), never treated (1)"));
}

#[test]
fn missing_values_are_counted_for_every_column() {
    let mut df = panel();
    let y: Vec<Option<f64>> = (0..14).map(|row| (row != 2).then_some(f64::from(row))).collect();
    df.with_column(Column::new("y".into(), y)).unwrap();
    let mut look = explore();
    look.covariates = vec!["x".into()];
    let x =
        [1.0, 1.0, f64::NAN, 2.0, 2.0, 2.0, 4.0, 4.0, f64::NAN, f64::NAN, f64::NAN, 0.0, 0.0, 0.0];
    let found = look.describe(with(&df, "x", x)).unwrap();
    assert_eq!(found.missing, [("y".to_owned(), 1), ("x".to_owned(), 4)]);
    assert_eq!((found.n_complete, found.n_units), (10, 4));
    assert_eq!(found.units_leaving_early, 1);
    let none = with(&panel(), "y", [f64::NAN; 14]);
    assert!(matches!(explore().describe(&none), Err(DidError::EmptySample { .. })));
}

#[test]
fn order_and_pieces_change_nothing() {
    let mut look = explore();
    look.weights = Some("w".into());
    look.cluster = Some("c".into());
    look.covariates = vec!["x".into()];
    let whole = look.describe(panel()).unwrap();
    assert_eq!(look.describe(shuffled(&panel())).unwrap(), whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    for frame in [panel(), shuffled(&panel())] {
        parquet(&frame, &path, 4);
        for budget in [None, Some(64)] {
            look.memory_budget = budget;
            let pieces = look.describe(Data::in_pieces(&path)).unwrap();
            let command = pieces.command.replace(&path.display().to_string(), "DATA");
            assert_eq!(command, whole.command);
            let mut pieces = pieces;
            (pieces.files, pieces.command) = (whole.files.clone(), command);
            assert_eq!(pieces, whole);
        }
    }
}

#[test]
fn rows_can_be_units() {
    let mut look = explore();
    look.unit = None;
    let found = look.describe(panel()).unwrap();
    assert_eq!((found.layout, found.n_units), (Layout::RepeatedCrossSections, 14));
    assert!(found.command.ends_with("--repeated-cross-sections"), "{}", found.command);
}

#[test]
fn dates_are_periods() {
    let dates = ["2020-01-31", "2020-02-29", "2020-03-31"];
    let t: Vec<&str> = [0, 1, 2, 0, 1, 2, 0, 2, 0, 1, 2, 0, 1, 2].map(|i| dates[i]).into();
    let g: Vec<Option<&str>> =
        [1, 1, 1, 2, 2, 2, 2, 2, 0, 0, 0, 3, 3, 3].map(|i| dates.get(i).copied()).into();
    let mut df = panel();
    df.with_column(Column::new("t".into(), t)).unwrap();
    df.with_column(Column::new("g".into(), g)).unwrap();
    let mut look = explore();
    look.frequency = Some(Frequency::Month);
    let shown = look.describe(&df).unwrap().to_string();
    assert!(shown.contains("2020-02") && shown.contains("--frequency month"), "{shown}");
}

#[test]
fn it_is_shown_saved_and_drawn() {
    let found = explore().describe(panel()).unwrap();
    let shown = found.to_string();
    for words in [
        "never treated",
        "1 (always treated)",
        "What att-gt would use",
        "To estimate: burn-did att-gt DATA",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(found.to_latex().contains("toprule") && found.to_markdown().contains("| Entering"));
    assert_eq!(found.to_dataframe().unwrap().height(), 4 + 3 + 4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("description.json");
    found.save(&path).unwrap();
    let SavedResult::Description(loaded) = SavedResult::load(&path).unwrap() else {
        panic!("another kind")
    };
    assert_eq!(*loaded, found);
    found.plot(folder.path().join("rollout.svg")).unwrap();
    let mut changed = found;
    changed.n_units = 6;
    assert!(changed.save(&path).unwrap_err().to_string().contains("n_units"));
}

#[test]
fn columns_that_are_not_there_are_named() {
    let mut look = explore();
    look.time = "tt".into();
    let error = look.describe(panel()).unwrap_err().to_string();
    assert!(error.contains("`tt` (time)"), "{error}");
}
