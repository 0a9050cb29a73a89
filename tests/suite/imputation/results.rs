//! Results in print, in files and in pictures, and what is made of them.

use burn_did::imputation::PretrendTimes;
use burn_did::options::Frequency;
use burn_did::{
    DidWarning, Honest, Imputation, ImputationResult, Pretrends, SavedResult, compare, data,
};

fn fitted() -> ImputationResult {
    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").groups(true).build().fit(data::mpdta()).unwrap()
}

#[test]
fn tables_have_the_numbers_and_what_they_are() {
    let shown = fitted().to_string();
    for words in [
        "Imputation Estimator",
        "Average effect on the treated:",
        "-0.0477",
        "By event time:",
        "By group:",
        "First stage (untreated rows): lemp ~ 1 | countyreal + year",
        "Units: 500, Rows: 2209 untreated, 291 treated",
        "conservative, clustered by countyreal (500 clusters)",
        "Before treatment: coefficients of a regression of untreated rows",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let csv = fitted().to_csv().unwrap();
    assert!(csv.starts_with("kind,term,event_time,estimate,se,"), "{csv}");
    let both = compare(&[("a", &fitted()), ("b", &fitted().event_study())]).to_string();
    assert_eq!(both.matches("Overall ATT").count(), 1, "{both}");
    assert!(both.contains("Event time 3"), "{both}");
}

#[test]
fn saved_results_are_what_they_were_and_parts_must_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let fit = fitted();
    fit.save(&path).unwrap();
    let SavedResult::Imputation(loaded) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(*loaded, fit);
    let mut broken = fit.clone();
    broken.effects.vcov.pop();
    assert!(broken.save(&path).unwrap_err().to_string().contains("`vcov` is not a matrix"));
    let mut broken = fit.clone();
    broken.effects.vcov[0][0] *= 2.0;
    assert!(broken.save(&path).unwrap_err().to_string().contains("root of its variance"));
    let mut broken = fit;
    broken.effects.audit.rows += 1;
    assert!(broken.save(&path).unwrap_err().to_string().contains("audit.rows"));
}

#[test]
fn event_studies_have_one_base_for_sensitivity() {
    let fit = fitted();
    let study = fit.event_study();
    assert_eq!(study.event_times(), [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    let based = study.universal_base();
    assert_eq!(based.event_times(), [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 3.0]);
    let honest = study.honest(Honest::relative_magnitude().m_bar([0.5, 1.0])).unwrap();
    assert!(honest.intervals[1].lower < honest.intervals[0].lower);
    assert!(study.pretrends(Pretrends::new()).is_ok());
    for warning in [DidWarning::LastPeriodAsBase, DidWarning::JumpAtTreatment] {
        assert!(honest.warnings.contains(&warning), "{:?}", honest.warnings);
    }
    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pretrends(PretrendTimes::None).build();
    let without = config.fit(data::mpdta()).unwrap().event_study();
    let refused = without.honest(Honest::smoothness()).unwrap_err().to_string();
    assert!(refused.contains("too (`pretrends`, `--pretrends all`)"), "{refused}");
    // With the covariance of what the differences are of.
    assert!(based.vcov[0][0] > 0.0 && based.vcov[4][5] > 0.0);
}

#[test]
fn dates_are_shown_as_dates() {
    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").groups(true).frequency(Frequency::Year).build();
    let shown = config.fit(data::mpdta()).unwrap().to_string();
    assert!(shown.contains("2006"), "{shown}");
}

#[test]
#[cfg(feature = "plot")]
fn pictures_have_event_times() {
    let picture = fitted().to_svg(&burn_did::report::PlotOptions::new()).unwrap();
    for words in ["Average Effect by Length of Exposure", "Periods since first treatment"] {
        assert!(picture.contains(words), "{words}");
    }
}
