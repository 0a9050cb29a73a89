//! Results in print, in files and in analyses.

use burn_did::backend::Cpu;
use burn_did::extended::EtwfeAbsorb;
use burn_did::options::ControlGroup;
use burn_did::regression::Family;
use burn_did::{Etwfe, EtwfeResult, Honest, SavedResult, compare, data};

use crate::support::but;
use crate::support::frames::{floats, permutation, rows, with};

fn fit(control_group: ControlGroup) -> EtwfeResult {
    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").control_group(control_group).build().fit(data::mpdta()).unwrap()
}

#[test]
fn tables_have_the_numbers_and_what_they_are() {
    let fit = fit(ControlGroup::NotYetTreated);
    let shown = fit.to_string();
    for words in [
        "Average effect on the treated:",
        "By time since treatment:",
        "By cohort:",
        "By period:",
        "Control Group: Not Yet Treated, Family: gaussian",
        "Formula: lemp ~ cohorts in periods | countyreal + year",
        "Rows: 2500, Std. Errors: clustered by countyreal",
        "whose shares are taken as known",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    assert_eq!(fit.regression.coefficients[0].name, "cohort 2004 in 2004");
    let both = compare(&[("own", &fit), ("again", &fit)]).to_string();
    assert!(both.contains("Event time 3") && both.contains("gaussian"), "{both}");
}

#[test]
fn numbers_that_stand_for_missing_values_are_those_of_the_data_alone() {
    let fit = |absorb, words: Option<[&str; 2]>| {
        let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        let config = config.group("first.treat").absorb(absorb);
        config.maybe_missing_values(words).build().fit(data::mpdta()).unwrap()
    };
    for absorb in [EtwfeAbsorb::Unit, EtwfeAbsorb::Cohort] {
        // Neither number is in the data but for the code of the never-treated, which are so without a group as well; cohorts are numbered.
        let (plain, named) = (fit(absorb, None), fit(absorb, Some(["0", "1"])));
        assert_eq!(named.overall, plain.overall, "{absorb}");
        assert_eq!(named.by_event_time, plain.by_event_time, "{absorb}");
        assert!(named.warnings.is_empty(), "{:?}", named.warnings);
        assert!(named.to_string().contains("`first.treat` is `0` in 1545 rows"), "{named}");
    }
}

#[test]
fn leads_go_to_analyses() {
    let fit = fit(ControlGroup::NeverTreated);
    let study = fit.event_study();
    assert_eq!(study.event_times(), [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 3.0]);
    let robust = fit.honest(Honest::relative_magnitude().m_bar([0.5, 1.0])).unwrap();
    assert!(robust.intervals[1].lower < robust.intervals[0].lower);
}

#[test]
fn saved_results_whose_parts_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let fit = fit(ControlGroup::NotYetTreated);
    fit.save(&path).unwrap();
    let SavedResult::Etwfe(loaded) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(*loaded, fit);
    let mut broken = fit;
    broken.vcov.pop();
    assert!(broken.save(&path).unwrap_err().to_string().contains("`vcov`"));
}

#[test]
fn no_bit_depends_on_the_order_of_the_rows() {
    let df = data::mpdta();
    let df = with(&df, "w", floats(&df, "lpop").iter().map(|x| 1.0 + x.abs()).collect::<Vec<_>>());
    let counts: Vec<f64> = floats(&df, "lemp").iter().map(|y| y.exp().round()).collect();
    let df = with(&df, "count", counts);
    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates(["lpop"]).build();
    let weighted = but(config.clone(), |c| {
        (c.weights, c.random_shares) = (Some("w".into()), true);
    });
    let moderated = but(weighted.clone(), |c| {
        (c.covariates, c.moderator, c.unit) = (Vec::new(), Some("lpop".into()), None);
    });
    let counted = but(weighted.clone(), |c| {
        (c.outcome, c.family) = ("count".into(), Family::Poisson);
    });
    let mixed = rows(&df, &permutation(df.height(), 1));
    for config in [config, weighted, moderated, counted] {
        let [a, b] = [&df, &mixed].map(|df| config.fit(df).unwrap().to_csv().unwrap());
        assert_eq!(a, b);
    }
}

/// Columns of the data may have the names that the regression would give its own.
#[test]
fn no_column_of_the_data_is_taken_for_the_cohorts() {
    let data = with(&data::mpdta(), ".cohort", floats(&data::mpdta(), "lpop"));
    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").covariates(["lpop"]).build();
    for absorb in [EtwfeAbsorb::Unit, EtwfeAbsorb::Cohort] {
        config.absorb = absorb;
        config.covariates = vec!["lpop".into()];
        let expected = config.fit(&data).unwrap();
        config.covariates = vec![".cohort".into()];
        let renamed = config.fit(&data).unwrap();
        assert_eq!(renamed.overall, expected.overall);
        assert_eq!(renamed.by_event_time, expected.by_event_time);
    }
}
