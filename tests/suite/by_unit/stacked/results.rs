//! Results in print, in files and in analyses.

use burn_did::{Honest, Pretrends, SavedResult, Stacked, StackedResult, compare, data};

use crate::by_unit::near;

fn fit() -> StackedResult {
    let config = Stacked::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(2).post_window(1);
    config.build().fit(data::mpdta()).unwrap()
}

#[test]
fn tables_have_the_numbers_and_what_they_are() {
    let shown = fit().to_string();
    for words in [
        "Average effect after treatment:",
        "Event time",
        "Control Group: Not Treated in the Window, Weights of Controls: corrective",
        "Cohorts (weights of their controls): 2006 (",
        "Outcome: lemp",
        "Std. Errors: clustered by countyreal",
        "left out cohorts whose window around treatment is not inside the data: 2004, 2007",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let both = compare(&[("own", &fit()), ("again", &fit())]).to_string();
    assert!(both.contains("Event time -2") && both.contains("corrective"), "{both}");
}

#[test]
fn event_studies_have_their_covariance_and_go_to_analyses() {
    let fit = fit();
    let study = fit.event_study();
    assert_eq!(study.event_times(), [-2.0, 0.0, 1.0]);
    let own = study.covariance()[1][1].sqrt();
    near(own, fit.effects[2].estimate.se.unwrap(), 1e-12);
    assert_eq!(study.overall, Some(fit.overall));
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
    let SavedResult::Stacked(loaded) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(*loaded, fit);
    let mut broken = fit.clone();
    broken.vcov.pop();
    assert!(broken.save(&path).unwrap_err().to_string().contains("`vcov`"));
    let mut broken = fit;
    broken.sub_experiments[0].control_weights[0] = -1.0;
    assert!(broken.save(&path).unwrap_err().to_string().contains("`sub_experiments[0]`"));
}

#[test]
#[cfg(feature = "plot")]
fn the_picture_is_that_of_the_event_study() {
    let options = burn_did::report::PlotOptions::new();
    let fit = fit();
    assert_eq!(fit.to_svg(&options).unwrap(), fit.event_study().to_svg(&options).unwrap());
}
