//! The same mistake in the data is told by every estimator, in the same words.

use burn_did::backend::Cpu;
use burn_did::explore::Explore;
use burn_did::options::ControlGroup;
use burn_did::sieve::SieveGrid;
use burn_did::{
    Aggregation, AttGt, Bacon, DidError, DidWarning, Etwfe, Honest, Imputation, LocalProjections,
    Npiv, Stacked, SunAbraham, TwfeWeights, TwoStage, data,
};
use polars::prelude::DataFrame;

use crate::by_unit::textbook;
use crate::support::frames::{floats, map, rows, with};

/// The warnings of estimators of effects by group, under their names.
fn warned(df: &DataFrame) -> Vec<(&'static str, Vec<DidWarning>)> {
    macro_rules! fitted {
        ($builder:expr) => {
            $builder.outcome("y").unit("id").time("t").group("g").build().fit(df).unwrap()
        };
    }
    vec![
        ("att_gt", fitted!(AttGt::<Cpu>::builder()).warnings),
        ("etwfe", fitted!(Etwfe::<Cpu>::builder()).warnings),
        ("sun_abraham", fitted!(SunAbraham::<Cpu>::builder()).regression.warnings),
        ("imputation", fitted!(Imputation::builder()).effects.warnings),
        ("two_stage", fitted!(TwoStage::builder()).effects.warnings),
        ("stacked", fitted!(Stacked::builder().pre_window(1).post_window(1)).warnings),
        (
            "local_projections",
            fitted!(LocalProjections::builder().pre_window(1).post_window(1)).warnings,
        ),
        ("bacon", fitted!(Bacon::builder()).warnings),
        ("twfe_weights", fitted!(TwfeWeights::builder()).warnings),
    ]
}

/// Holds every estimator to a warning.
#[track_caller]
fn all_warn(df: &DataFrame, is_meant: impl Fn(&DidWarning) -> bool) {
    for (estimator, warnings) in warned(df) {
        assert!(warnings.iter().any(&is_meant), "{estimator}: {warnings:?}");
    }
}

/// Years in place of the periods 1 to 6, and a code for never treated.
fn in_years(df: &DataFrame, code: f64) -> DataFrame {
    let years = map(df, "t", |t| t + 2000.0);
    map(&years, "g", |g| if g > 0.0 { g + 2000.0 } else { code })
}

#[test]
fn codes_of_never_treated_far_from_the_periods() {
    for code in [99.0, 9999.0] {
        let is_far =
            |w: &DidWarning| matches!(w, DidWarning::FarGroup { group, .. } if *group == code);
        let df = in_years(&textbook(), code);
        all_warn(&df, is_far);
        let look = Explore::builder().unit("id").time("t").group("g").outcome("y").build();
        assert!(look.means(&df).unwrap().warnings.iter().any(is_far));
        let balance = look.balance(&df, ControlGroup::NotYetTreated).unwrap();
        assert!(balance.warnings.iter().any(is_far));
    }
}

#[test]
fn groups_that_are_not_numbers_where_nobody_is_never_treated() {
    let df = map(&textbook(), "g", |g| if g > 0.0 { g } else { f64::NAN });
    all_warn(&df, |w| matches!(w, DidWarning::NanGroups { rows: 180, .. }));
}

#[test]
fn units_without_a_group_are_counted() {
    let df = textbook();
    let lost = floats(&df, "id").into_iter().zip(floats(&df, "g"));
    let groups: Vec<f64> = lost.map(|(id, g)| if id == 4.0 { f64::NAN } else { g }).collect();
    all_warn(&with(&df, "g", groups), |w| matches!(w, DidWarning::DroppedRows { rows: 6, .. }));
}

#[test]
fn an_infinite_unit_is_none() {
    let df = textbook();
    let is_lost = |id: f64| id == 7.0 || id == 16.0;
    let infinite = map(&df, "id", |id| if is_lost(id) { f64::INFINITY } else { id });
    let kept: Vec<usize> =
        (0..).zip(floats(&df, "id")).filter(|(_, id)| !is_lost(*id)).map(|(row, _)| row).collect();
    let without = rows(&df, &kept);
    all_warn(&infinite, |w| matches!(w, DidWarning::DroppedRows { rows: 12, .. }));
    let effects = |df: &DataFrame| {
        let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        let sun_abraham = config.build().fit(df).unwrap().event_study.overall;
        let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        let etwfe = config.build().fit(df).unwrap().overall;
        let config = Imputation::builder().outcome("y").unit("id").time("t").group("g");
        let imputation = config.build().fit(df).unwrap().event_study().overall;
        [sun_abraham, Some(etwfe), imputation].map(|of| of.map(|of| (of.estimate, of.se)))
    };
    assert_eq!(effects(&infinite), effects(&without));
}

#[test]
fn weights_of_zero_are_said() {
    let df = textbook();
    let weights: Vec<f64> =
        floats(&df, "id").into_iter().map(|id| if id < 3.0 { 0.0 } else { 1.0 }).collect();
    let df = with(&df, "w", weights);
    let is_said =
        |warnings: &[DidWarning]| warnings.contains(&DidWarning::WeightlessRows { rows: 18 });
    let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    assert!(is_said(&config.weights("w").build().fit(&df).unwrap().warnings));
    let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    assert!(is_said(&config.weights("w").build().fit(&df).unwrap().regression.warnings));
}

#[test]
fn the_outcome_is_no_covariate() {
    macro_rules! refused {
        ($builder:expr) => {
            let config = $builder.outcome("y").unit("id").time("t").group("g").covariates(["y"]);
            let error = config.build().fit(textbook()).unwrap_err();
            let is_refused = matches!(error, DidError::Config { option: "covariates", .. });
            assert!(is_refused && error.to_string().contains("without the outcome"), "{error}");
        };
    }
    refused!(Etwfe::<Cpu>::builder());
    refused!(Stacked::builder().pre_window(1).post_window(1));
    refused!(LocalProjections::builder().pre_window(1).post_window(1));
    refused!(Bacon::builder());
    refused!(TwfeWeights::builder());
    let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let error = config.moderator("y").build().fit(textbook()).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "moderator", .. }), "{error}");
}

#[test]
fn effects_of_single_units_have_a_warning() {
    let df = textbook();
    // Of the first cohort, unit 1 alone is left, which alone has the last event time.
    let is_kept = |(row, id): (usize, f64)| (id == 1.0 || id % 6.0 != 1.0).then_some(row);
    let kept: Vec<usize> = (0..).zip(floats(&df, "id")).filter_map(is_kept).collect();
    let df = rows(&df, &kept);
    let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let single = DidWarning::SmallGroups { groups: vec![3.0], single: vec![3.0] };
    assert!(config.build().fit(&df).unwrap().warnings.contains(&single));
    let config = LocalProjections::builder().outcome("y").unit("id").time("t").group("g");
    let fit = config.pre_window(2).post_window(3).build().fit(&df).unwrap();
    let few = |w: &&DidWarning| matches!(w, DidWarning::FewTreatedEffects { units: 1, .. });
    let warning = fit.warnings.iter().find(few).map(ToString::to_string).unwrap_or_default();
    assert!(warning.contains("the least on 1 treated unit (event time 3)"), "{warning}");
}

#[test]
fn references_at_which_nobody_is_observed_are_said() {
    let is_said = |warnings: &[DidWarning]| {
        warnings.iter().any(|w| w.to_string().contains("no cohort is observed at event time 99"))
    };
    let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let fit = config.reference([-1.0, 99.0]).build().fit(textbook()).unwrap();
    assert!(is_said(&fit.regression.warnings));
    let config = TwoStage::builder().outcome("y").unit("id").time("t").group("g");
    let fit = config.references([-1.0, 99.0]).build().fit(textbook()).unwrap();
    assert!(is_said(&fit.effects.warnings));
}

#[test]
fn options_that_change_nothing_are_said() {
    use burn_did::options::FixWeights;
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let fit = config.clone().fix_weights(FixWeights::FirstPeriod).build().fit(textbook()).unwrap();
    assert!(fit.warnings.iter().any(|w| w.to_string().contains("`fix_weights` has no effect")));
    // Weights that were chosen need no word on which others there are.
    let weights: Vec<f64> = floats(&textbook(), "t").into_iter().map(|t| 1.0 + 0.1 * t).collect();
    let df = with(&textbook(), "w", weights);
    let varies = |w: &DidWarning| matches!(w, DidWarning::TimeVaryingWeights);
    let fit = config.clone().weights("w").build().fit(&df).unwrap();
    assert!(fit.warnings.iter().any(varies));
    let fit = config.weights("w").fix_weights(FixWeights::FirstPeriod).build().fit(&df).unwrap();
    assert!(!fit.warnings.iter().any(varies));
}

#[test]
fn cohorts_in_few_clusters_are_named() {
    let df = textbook();
    let of_row = floats(&df, "id").into_iter().zip(floats(&df, "g"));
    // The fifteen units of cohort 3 are in two clusters, and the others in ten each.
    let clusters: Vec<f64> =
        of_row.map(|(id, g)| 100.0 * g + if g == 3.0 { id % 4.0 } else { id % 60.0 }).collect();
    let df = with(&df, "state", clusters);
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let fit = config.clone().cluster("state").build().fit(&df).unwrap();
    let few = DidWarning::FewClustersOfGroups { groups: vec![(3.0, 2)] };
    assert!(fit.warnings.contains(&few), "{:?}", fit.warnings);
    assert!(few.to_string().ends_with(": 3 (2 clusters)"), "{few}");
    let of_units = config.build().fit(&df).unwrap();
    let is_few = |w: &DidWarning| matches!(w, DidWarning::FewClustersOfGroups { .. });
    assert!(!of_units.warnings.iter().any(is_few));
}

#[test]
fn an_infinite_treatment_is_missing() {
    let df = textbook();
    let rows = floats(&df, "id").into_iter().zip(floats(&df, "t")).zip(floats(&df, "g"));
    let rows: Vec<((f64, f64), f64)> = rows.collect();
    let effects = |lost: f64| {
        let treatment = |((id, t), g): &((f64, f64), f64)| match (*id, *t) {
            (4.0, 3.0) => lost,
            _ => f64::from(u8::from(*g > 0.0 && t >= g)),
        };
        let df = with(&df, "d", rows.iter().map(treatment).collect());
        let config = LocalProjections::builder().outcome("y").unit("id").time("t").treatment("d");
        config.pre_window(2).post_window(1).build().fit(&df).unwrap().effects
    };
    assert_eq!(effects(f64::INFINITY), effects(f64::NAN));
}

#[test]
fn points_beyond_the_data_are_counted() {
    let points = SieveGrid::Points(vec![vec![3.0], vec![1e3], vec![-9.0]]);
    let config = Npiv::builder().outcome("lemp").regressors(["lpop"]).x_segments(1).grid(points);
    let fit = config.build().fit(data::mpdta()).unwrap();
    assert!(fit.warnings.contains(&DidWarning::PointsOutside { points: 2 }), "{:?}", fit.warnings);
}

#[test]
fn event_studies_say_their_weights_and_how_far_apart_event_times_are() {
    let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let fit = config.weights("w").build().fit(textbook()).unwrap();
    assert!(fit.to_string().contains(", Weights: w, Std. Errors: "), "{fit}");
    let df = map(&map(&textbook(), "t", |t| 12.0 * t), "g", |g| 12.0 * g);
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let study = config.build().fit(&df).unwrap().aggregate(Aggregation::dynamic()).unwrap();
    let honest = study.event_study().unwrap().honest(Honest::smoothness().m([0.1])).unwrap();
    let shown = honest.to_string();
    assert!(shown.contains("0 to 36 after, 12 apart"), "{shown}");
    assert!(shown.contains("at most M from one event time to the next"), "{shown}");
}
