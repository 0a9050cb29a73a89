//! Words of options: what is written is read back, and is the same in messages, JSON and on the command line.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use burn_did::{
    Aggregation, DidError,
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
