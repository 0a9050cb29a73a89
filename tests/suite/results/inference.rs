//! What can be done with a result: saving, contrasts, tests, bands and bootstrap laws.

use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use burn_did::{
    Aggregation, AttGt, DidError, GroupTimeResult,
    options::{Band, Bootstrap, Inference, Multiplier},
};

use crate::support::spec::Spec;
use crate::support::splitmix;

fn fit(spec: Spec) -> GroupTimeResult {
    spec.fit(&splitmix::panel(42, 240, [3, 4, 6, 0]))
}

fn all_aggregations() -> [Aggregation; 5] {
    [
        Aggregation::simple(),
        Aggregation::dynamic(),
        Aggregation::dynamic().balance_e(1),
        Aggregation::group(),
        Aggregation::calendar(),
    ]
}

#[test]
fn a_saved_result_aggregates_to_the_same_numbers() {
    let bootstrap = Some(Bootstrap::draws(199).seed(5));
    for spec in [Spec::default(), Spec { bootstrap, band: Band::Uniform, ..Spec::default() }] {
        let result = fit(spec.covariates("~ x1"));
        let path = std::env::temp_dir().join(format!("burn-did-saved-{}.json", std::process::id()));
        result.save(&path).unwrap();
        let loaded = GroupTimeResult::load(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        for aggregation in all_aggregations() {
            let (a, b) = (result.aggregate(aggregation), loaded.aggregate(aggregation));
            assert_eq!(a.unwrap(), b.unwrap());
        }
    }
    let other = std::env::temp_dir().join(format!("burn-did-other-{}.json", std::process::id()));
    std::fs::write(&other, "{}").unwrap();
    assert!(matches!(GroupTimeResult::load(&other), Err(DidError::Json(_))));
    std::fs::remove_file(&other).unwrap();
    let error = GroupTimeResult::load("no such file.json").unwrap_err();
    assert!(matches!(&error, DidError::Io { .. }) && error.to_string().contains("no such file"));
}

#[test]
fn contrasts_and_joint_tests_follow_from_the_covariance() {
    let result = fit(Spec::default().covariates("~ x1"));
    let (a, b) = ((3.0, 4.0), (4.0, 4.0));
    let at =
        |cell: (f64, f64)| result.cells.iter().position(|c| (c.group, c.time) == cell).unwrap();
    let v = result.vcov().unwrap();
    let entry = |i: (f64, f64), j: (f64, f64)| v[at(i)][at(j)].unwrap();
    let difference = result.contrast(&[(a, 1.0), (b, -1.0)]).unwrap();
    let variance = entry(a, a) + entry(b, b) - 2.0 * entry(a, b);
    assert!((difference.se.unwrap() - variance.sqrt()).abs() < 1e-12);
    let test = result.joint_test(&[vec![(a, 1.0), (b, -1.0)]]).unwrap();
    let squared = difference.statistic().unwrap().powi(2);
    assert!((test.stat - squared).abs() < 1e-9 * squared && test.df == 1);
    assert!((test.p_value - difference.p_value.unwrap()).abs() < 1e-9);

    let pre: Vec<_> = result
        .cells
        .iter()
        .filter(|c| c.group > c.time)
        .map(|c| vec![((c.group, c.time), 1.0)])
        .collect();
    let wald = result.wald.unwrap();
    let again = result.joint_test(&pre).unwrap();
    assert!((wald.stat - again.stat).abs() < 1e-9 && wald.df == again.df);
    assert!(result.test_post_effects().unwrap().p_value < 1e-6);
    assert_eq!(result.test_equal_groups().unwrap().df, 2);
    let twice = result.joint_test(&[vec![(a, 1.0)], vec![(a, 2.0)]]).unwrap_err();
    assert!(matches!(twice, DidError::Singular { .. }), "{twice}");
    let absent = result.contrast(&[((3.0, 99.0), 1.0)]).unwrap_err();
    assert!(absent.to_string().contains("99"), "{absent}");
    let nothing = result.contrast(&[]).unwrap_err();
    assert!(nothing.to_string().contains("`weights` must be at least one"), "{nothing}");
    for weight in [f64::NAN, f64::INFINITY] {
        let error = result.contrast(&[(a, weight)]).unwrap_err();
        assert!(matches!(error, DidError::Config { option: "weights", .. }), "{error}");
    }
}

#[test]
fn group_aggregation_equals_its_contrast() {
    let result = fit(Spec::default());
    let groups = result.aggregate(Aggregation::group()).unwrap();
    for row in &groups.rows {
        let post: Vec<_> =
            result.cells.iter().filter(|c| c.group == row.at && c.time >= row.at).collect();
        let share = 1.0 / post.len() as f64;
        let terms: Vec<_> = post.iter().map(|c| ((c.group, c.time), share)).collect();
        let by_hand = result.contrast(&terms).unwrap();
        assert!((by_hand.se.unwrap() - row.estimate.se.unwrap()).abs() < 1e-12);
        assert!((by_hand.estimate.unwrap() - row.estimate.estimate.unwrap()).abs() < 1e-12);
    }
}

#[test]
fn every_law_of_the_bootstrap_gives_the_analytic_standard_errors() {
    let analytic = fit(Spec::default().covariates("~ x1"));
    let clustered = fit(Spec::default().covariates("~ x1").cluster("cl"));
    for multiplier in
        [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb, Multiplier::Gaussian]
    {
        let bootstrap = Some(Bootstrap::draws(8_000).seed(7).multiplier(multiplier));
        let spec = Spec { bootstrap, band: Band::Uniform, ..Spec::default().covariates("~ x1") };
        let drawn = fit(spec.clone());
        let drawn_by_cluster = fit(spec.cluster("cl"));
        // Two-point multipliers of 30 clusters of very unequal size are far from normal.
        let pairs = [(&analytic, &drawn, 0.05), (&clustered, &drawn_by_cluster, 0.25)];
        for (expected, drawn, tolerance) in pairs {
            for (a, b) in expected.cells.iter().zip(&drawn.cells) {
                let ratio = b.estimate.se.unwrap() / a.estimate.se.unwrap();
                assert!((ratio - 1.0).abs() < tolerance, "{multiplier:?} {ratio}");
            }
            let rows = |r: &GroupTimeResult| r.aggregate(Aggregation::dynamic()).unwrap().rows;
            for (a, b) in rows(expected).iter().zip(rows(drawn)) {
                let ratio = b.estimate.se.unwrap() / a.estimate.se.unwrap();
                assert!((ratio - 1.0).abs() < tolerance, "{multiplier:?} aggregate {ratio}");
            }
        }
    }
}

#[test]
fn the_analytic_band_agrees_with_the_bootstrap_band() {
    let spec = Spec { band: Band::Uniform, ..Spec::default().covariates("~ x1") };
    let analytic = fit(spec.clone());
    let gaussian = Bootstrap::draws(40_000).multiplier(Multiplier::Gaussian);
    let drawn = fit(Spec { bootstrap: Some(gaussian), ..spec.clone() });
    assert_eq!((analytic.band, drawn.band), (Band::Uniform, Band::Uniform));
    assert!((analytic.critical_value - drawn.critical_value).abs() < 0.03);
    let dynamic = |r: &GroupTimeResult| r.aggregate(Aggregation::dynamic()).unwrap().critical_value;
    assert!((dynamic(&analytic) - dynamic(&drawn)).abs() < 0.03);
    // Few clusters: the t law is wider.
    let few = fit(spec.cluster("cl"));
    assert!(few.critical_value > analytic.critical_value + 0.05);
}

#[test]
fn levels_and_bands_can_change_after_the_fit() {
    let result = fit(Spec::default());
    let wide = Inference::new(0.01);
    let rows = result.aggregate_with(Aggregation::dynamic(), &wide).unwrap();
    assert!((rows.critical_value - 2.575_829).abs() < 1e-5);
    let wrong = wide.alpha(1.5);
    assert!(matches!(
        result.aggregate_with(Aggregation::simple(), &wrong),
        Err(DidError::Config { option: "alpha", .. })
    ));
}

#[test]
fn point_estimates_only() {
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.point_estimates_only(true).build();
    let result = config.fit(splitmix::panel(42, 240, [3, 4, 6, 0])).unwrap();
    let full = fit(Spec::default());
    for (a, b) in result.cells.iter().zip(&full.cells) {
        assert_eq!((a.estimate.estimate, a.estimate.se), (b.estimate.estimate, None));
    }
    let error = result.aggregate(Aggregation::simple()).unwrap_err();
    assert!(matches!(error, DidError::NoInfluence { .. }), "{error}");
    assert!(result.vcov().unwrap().into_iter().flatten().all(|v| v.is_none()));
}

#[test]
fn several_devices_give_the_bits_of_one() {
    // The never-treated are more than one segment of rows.
    let simulation =
        Simulation::builder().units(700_000).periods(3).cohorts(vec![2, 3]).covariates(1);
    let df = simulation.build().frame();
    let fit = AttGt::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates("~ x1")
        .bootstrap(Bootstrap::draws(20))
        .build();
    let one = fit.fit(&df).unwrap();
    for devices in 2..=3 {
        let several = fit.fit_on_devices(&df, &vec![Default::default(); devices]).unwrap();
        assert_eq!(one.cells, several.cells);
        assert_eq!(one.vcov().unwrap(), several.vcov().unwrap());
    }
    let none = fit.fit_on_devices(&df, &[]).unwrap_err();
    assert!(matches!(none, DidError::Config { option: "devices", .. }));
}

#[test]
fn a_memory_budget_changes_nothing_but_memory() {
    let simulation = Simulation::builder().units(30_000).covariates(2).build();
    let df = simulation.frame();
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let mut config = config.covariates("~ x1 + x2").bootstrap(Bootstrap::draws(99)).build();
    let whole = config.fit(&df).unwrap();
    config.memory_budget = Some(800_000);
    let streamed = config.fit(&df).unwrap();
    assert_eq!(whole.cells, streamed.cells);
    assert_eq!(whole.vcov().unwrap(), streamed.vcov().unwrap());
    config.memory_budget = Some(1_000);
    let error = config.fit(&df).unwrap_err();
    assert!(matches!(error, DidError::Memory { .. }), "{error}");
}
