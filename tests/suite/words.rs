//! Words of options: what is written is read back, and is the same in messages, JSON and on the command line.

use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use burn_did::{
    Aggregation, DidError, DidWarning,
    audit::Layout,
    doses::{CurveErrors, DoseAggregation, DoseGrid, DoseMethod, DoseTable, DoseTarget},
    group_time::AggregationKind,
    options::{
        Band, BasePeriod, CohortShares, ControlGroup, CovariatePeriod, DrdidMethod,
        EstimationMethod, FixWeights, Frequency, Multiplier, ParseOptionError, Precision,
        Resampling, SharesOf, UnbalancedPanel, Words,
    },
    panel::{BalanceRule, Keep},
    pretrends::PreTest,
    regression::{Family, GDf, KFixef, Solver, Ssc, Stop, Vcov},
    report::Align,
    sensitivity::{Delta, Effect, HonestMethod, Restriction, Search},
    sieve::{SieveBasis, SieveGrid, SieveKnots},
    switching::{EffectsEqual, PredictHeterogeneity, Switchers},
    twfe::{ComparisonKind, TwfeCells, TwfeRegression},
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Every word is in snake case, is read back however it is typed, and is the same to `Display` and serde; no two values share one.
fn check<T: Words + Debug + Serialize + DeserializeOwned>() {
    let mut all = Vec::new();
    for entry in T::WORDS {
        let (value, word) = (entry.value, entry.word);
        assert_eq!(value.to_string(), word);
        assert_eq!(serde_json::to_value(value).unwrap(), word);
        assert_eq!(serde_json::from_value::<T>(word.into()).unwrap(), value);
        for word in [word].iter().chain(entry.aliases) {
            let is_snake = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(word.chars().all(is_snake), "{word}");
            assert_eq!(word.parse(), Ok(value));
            assert_eq!(word.replace('_', "-").to_uppercase().parse(), Ok(value));
            all.push(*word);
        }
        assert!(
            entry.help.ends_with('.') && !entry.help.contains("](") && !entry.help.contains("[`"),
            "{}",
            entry.help
        );
    }
    assert_eq!(T::EXPECTED.split(", ").count(), T::WORDS.len());
    let number = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), number, "{}", T::OPTION);
    let error = "no word".parse::<T>().unwrap_err();
    assert_eq!(
        (error.option, error.expected, error.got.as_str()),
        (T::OPTION, T::EXPECTED, "no word")
    );
}

#[test]
fn every_option_has_words() {
    macro_rules! check_all {
        ($($option:ty)+) => { $(check::<$option>();)+ };
    }
    check_all!(
        AggregationKind Align Band BasePeriod CohortShares ControlGroup CovariatePeriod CurveErrors Delta
        DoseAggregation DoseMethod DoseTable DoseTarget DrdidMethod EstimationMethod Family FixWeights
        BalanceRule Frequency GDf HonestMethod Keep KFixef Layout Multiplier PreTest Precision Resampling Restriction Search SharesOf
        SieveBasis SieveKnots Solver Stop Switchers UnbalancedPanel ComparisonKind TwfeCells TwfeRegression
    );
}

fn read_back<T: Display + FromStr<Err = ParseOptionError> + PartialEq + Debug>(
    value: T,
    text: &str,
) {
    assert_eq!(value.to_string(), text);
    assert_eq!(text.parse(), Ok(value));
}

#[test]
fn options_with_data_are_read_back() {
    read_back(Vcov::Iid, "iid");
    read_back(Vcov::Hetero, "hetero");
    read_back(Vcov::Hc2, "hc2");
    read_back(Vcov::Hc3, "hc3");
    read_back(Vcov::cluster(["firm", "`year, month`"]), "cluster:firm,`year, month`");
    read_back(Ssc::default(), "k_adj=true,k_fixef=nonnested,k_exact=false,g_adj=true,g_df=min");
    read_back(DoseGrid::Even(50), "grid:50");
    read_back(DoseGrid::Quantiles { first: 0.1, last: 0.99, count: 90 }, "quantiles:0.1:0.99:90");
    read_back(DoseGrid::Values(vec![0.1, -2.0, 1e300]), &format!("0.1,-2,{}", 1e300));
    read_back(SieveGrid::Observations, "observations");
    read_back(SieveGrid::Even(50), "grid:50");
    read_back(SieveGrid::Points(vec![vec![0.1], vec![0.2]]), "0.1,0.2");
    read_back(SieveGrid::Points(vec![vec![0.1, 2.0], vec![0.2, 3.0]]), "0.1:2,0.2:3");
    read_back(Effect::First, "first");
    read_back(Effect::Average, "average");
    read_back(Effect::At(2.0), "at:2");
    read_back(Effect::Weights(vec![0.5, 0.5]), "0.5,0.5");
    read_back(EffectsEqual::All, "all");
    read_back(EffectsEqual::Between(2, 4), "2,4");
    read_back(Aggregation::group(), "group");
    read_back(
        Aggregation::dynamic().min_e(-3.0).max_e(5.0).balance_e(2).na_rm(true),
        "dynamic:min_e=-3,max_e=5,balance_e=2,na_rm=true",
    );
    for text in ["x,z", "x,z:1,2"] {
        assert_eq!(text.parse::<PredictHeterogeneity>().unwrap().to_string(), text);
    }
}

#[test]
fn a_text_that_is_no_option_is_an_error_of_configuration() {
    let refused = |text: &str| text.parse::<Vcov>().unwrap_err().to_string();
    assert!(refused("robust").contains("hetero (HC1), hc2 or hc3"));
    assert!(refused("cluster").contains("cluster:firm"));
    assert!(refused("cluster:a,b,c").contains("two"));
    assert!("k_fixef=some".parse::<Ssc>().is_err_and(|e| e.option == "k_fixef"));
    assert!("dynamic:min_e=x".parse::<Aggregation>().is_err_and(|e| e.option == "min_e"));
    let error = DidError::from("some".parse::<ControlGroup>().unwrap_err());
    assert_eq!(
        error.to_string(),
        "`control_group` must be never_treated, not_yet_treated, got some"
    );
}

/// Files of a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .collect()
}

#[test]
fn no_message_leaves_the_number_of_a_word_open() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&src) {
        for (at, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            // A word in a text that ends so.
            let is_word = |end: usize| {
                let before = line[..end].trim_end_matches(|c: char| c.is_ascii_lowercase());
                before.len() < end && before.ends_with(' ') && before.contains('"')
            };
            let open = line.match_indices("(s)").find(|(end, _)| is_word(*end));
            assert_eq!(open, None, "{}:{}: {line}", path.display(), at + 1);
        }
    }
}

#[test]
fn one_of_a_kind_is_said_in_the_singular() {
    let column = || "g".to_owned();
    for (warning, said) in [
        (DidWarning::DroppedRows { rows: 1, columns: Vec::new() }, "dropped 1 row with"),
        (DidWarning::AlreadyTreated { units: 1, anticipation: 0 }, "dropped 1 unit that was"),
        (DidWarning::ZeroGroup { column: column(), rows: 1 }, "is 0 in 1 row, which counts as"),
        (
            DidWarning::MissingGroups { column: column(), rows: 2, units: Some(1) },
            "for 1 unit (2 rows), which counts as",
        ),
        (
            DidWarning::NotConnected { rows: 1, example: "id 4".into() },
            "1 treated row, which cannot be imputed, is left out: no untreated rows connect its fixed",
        ),
        (DidWarning::WeightlessRows { rows: 1 }, "left out 1 row with a weight of zero"),
        (DidWarning::FailedDraws { draws: 1 }, "left out 1 bootstrap draw that"),
        (DidWarning::UnvaryingChanges { estimates: 1 }, "1 estimate has no standard error"),
        (DidWarning::UnvaryingChanges { estimates: 2 }, "2 estimates have no standard error"),
        (DidWarning::Separated { rows: 1, columns: Vec::new() }, "left out 1 row whose outcome"),
    ] {
        assert!(warning.to_string().contains(said), "{warning}");
    }
}
