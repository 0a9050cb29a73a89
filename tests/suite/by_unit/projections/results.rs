//! Results in print, in files and in analyses.

use burn_did::options::Frequency;
use burn_did::projections::ProjectionMethod;
use burn_did::{
    Honest, LocalProjections, LocalProjectionsResult, Pretrends, SavedResult, compare, data,
};

use crate::by_unit::near;

fn fit() -> LocalProjectionsResult {
    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(3).post_window(2);
    config.method(ProjectionMethod::Reweighted).build().fit(data::mpdta()).unwrap()
}

#[test]
fn tables_have_the_numbers_and_what_they_are() {
    let shown = fit().to_string();
    for words in [
        "Pooled effects:",
        "Event time",
        "Method: weighted least squares (periods by treated units)",
        "Control Group: Not Yet Treated, Base: last period before treatment",
        "Outcome: lemp",
        "Units: 500, Periods: 5, Rows: 2500",
        "Std. Errors: clustered by countyreal",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let both = compare(&[("own", &fit()), ("again", &fit())]).to_string();
    assert!(both.contains("Event time -3") && both.contains("reweighted"), "{both}");
    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(1).post_window(0);
    let dated = config.frequency(Frequency::Year).build().fit(data::mpdta()).unwrap();
    assert!(dated.pooled_before.is_none() && dated.effects.len() == 2);
}

#[test]
fn event_studies_have_their_covariance_and_go_to_analyses() {
    let fit = fit();
    let study = fit.event_study();
    assert_eq!(study.event_times(), [-3.0, -2.0, 0.0, 1.0, 2.0]);
    let covariance = study.covariance();
    for (row, se) in covariance.iter().zip(fit.effects.iter().filter_map(|of| of.estimate.se)) {
        let own = covariance.iter().position(|other| other == row).unwrap();
        near(row[own].sqrt(), se, 1e-12);
    }
    assert_eq!(study.overall, Some(fit.pooled.estimate));
    let robust = fit.honest(Honest::relative_magnitude().m_bar([0.5, 1.0])).unwrap();
    assert!(robust.intervals[1].lower < robust.intervals[0].lower);
    assert!(fit.pretrends(Pretrends::new().threshold(0.1)).is_ok());
}

#[test]
fn saved_results_whose_parts_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let fit = fit();
    fit.save(&path).unwrap();
    let SavedResult::LocalProjections(loaded) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(*loaded, fit);
    let mut broken = fit.clone();
    broken.vcov.pop();
    assert!(broken.save(&path).unwrap_err().to_string().contains("`vcov`"));
    let mut broken = fit;
    broken.effects[0].estimate.se = Some(-1.0);
    assert!(broken.save(&path).unwrap_err().to_string().contains("`effects[0]`"));
}

#[test]
#[cfg(feature = "plot")]
fn the_picture_is_that_of_the_event_study() {
    let options = burn_did::report::PlotOptions::new();
    let fit = fit();
    assert_eq!(fit.to_svg(&options).unwrap(), fit.event_study().to_svg(&options).unwrap());
}
