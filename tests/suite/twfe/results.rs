//! Results in print, in files and in pictures.

use burn_did::options::Frequency;
use burn_did::{Bacon, BaconResult, SavedResult, TwfeWeights, TwfeWeightsResult, compare, data};

use super::{bacon, random};

fn decomposition() -> BaconResult {
    let config = Bacon::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").build().fit(data::mpdta()).unwrap()
}

fn weights() -> TwfeWeightsResult {
    let config = TwfeWeights::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").build().fit(data::mpdta()).unwrap()
}

#[test]
fn tables_have_the_numbers_and_what_they_are() {
    let shown = decomposition().to_string();
    for words in [
        "Treated vs never treated",
        "Two-way coefficient: -0.0365",
        "clustered by countyreal (500 clusters)",
        "Units: 500, Periods: 5, Rows: 2500",
        "0.5357",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let shown = weights().to_string();
    for words in [
        "Weights: of 7 cells, one is negative, -0.0109; 6 are positive",
        "fixed effects, under parallel trends; cells of cohorts",
        "standard deviation of 0.07666 or more",
        "deviation is 0.8521 or more",
    ] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let both = compare(&[("bacon", &decomposition()), ("weights", &weights())]).to_string();
    assert!(both.contains("Two-way coefficient") && both.contains("Negative weights"), "{both}");
}

#[test]
fn always_treated_controls_are_named() {
    let design = (1..).map(random).find(|design| design.groups.contains(&1.0)).unwrap();
    let fit = bacon().fit(design.frame()).unwrap();
    let shown = fit.to_string();
    assert!(shown.contains("Later vs always treated") && shown.contains("always"), "{shown}");
    assert!(fit.to_csv().unwrap().contains("later_vs_always"));
}

#[test]
fn dates_are_shown_as_dates() {
    let df = data::mpdta();
    let config = Bacon::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").frequency(Frequency::Year).build();
    assert!(config.fit(&df).unwrap().to_string().contains("2006"));
}

#[test]
fn saved_results_whose_parts_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.json");
    let fit = decomposition();
    fit.save(&path).unwrap();
    let SavedResult::Bacon(loaded) = SavedResult::load(&path).unwrap() else { panic!() };
    assert_eq!(*loaded, fit);
    let mut broken = fit;
    broken.comparisons[0].weight += 0.1;
    assert!(broken.save(&path).unwrap_err().to_string().contains("weights that add up to"));
    let mut broken = decomposition();
    broken.comparisons[0].estimate += 0.1;
    assert!(broken.save(&path).unwrap_err().to_string().contains("the coefficient is"));

    let fit = weights();
    fit.save(&path).unwrap();
    assert_eq!(TwfeWeightsResult::load(&path).unwrap(), fit);
    let mut broken = fit;
    broken.sum_positive += 0.1;
    assert!(broken.save(&path).unwrap_err().to_string().contains("add up to"));
}

#[test]
#[cfg(feature = "plot")]
fn pictures_have_their_kinds_and_the_coefficient() {
    let options = burn_did::report::PlotOptions::new();
    let picture = decomposition().to_svg(&options).unwrap();
    for words in ["Earlier vs later treated", "Two-way coefficient (−0.03655)", "2×2 estimate"] {
        assert!(picture.contains(words), "{words}");
    }
    let picture = weights().to_svg(&options).unwrap();
    for words in ["Negative weight", "Periods since first treatment", "Average weight (0.1429)"] {
        assert!(picture.contains(words), "{words}");
    }
}
