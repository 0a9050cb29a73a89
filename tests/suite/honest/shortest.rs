//! Fixed-length intervals where variables tie or are highly correlated, and event studies at the edge of what can be read.

use burn_did::{
    DidError, EventStudy, Honest,
    sensitivity::{Breakdown, HonestMethod},
};

fn study(name: &str) -> EventStudy {
    EventStudy::import(format!("{}/tests/cases/{name}.json", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn ends(study: &EventStudy, options: Honest) -> [f64; 2] {
    let found = study.honest(options).unwrap().intervals[0];
    [found.lower.unwrap(), found.upper.unwrap()]
}

/// The numbers of two programs for convex problems.
#[test]
fn fixed_length_intervals_are_the_shortest() {
    let close = |found: [f64; 2], want: [f64; 2], tolerance: f64| {
        let near = |i: usize| (found[i] - want[i]).abs() < tolerance;
        assert!(near(0) && near(1), "{found:?} {want:?}");
    };
    let diagonal = study("study_diagonal");
    let honest = diagonal.honest(Honest::smoothness().m([0.3])).unwrap();
    close(ends(&diagonal, Honest::smoothness().m([0.3])), [0.0707, 3.1845], 1e-4);
    assert!(matches!(honest.breakdown, Breakdown::At(m) if (m - 0.3386).abs() < 1e-4));
    let identity = study("study_identity");
    close(ends(&identity, Honest::smoothness().m([0.3])), [0.26005, 4.76152], 2e-5);
    let correlated = study("study_correlated");
    for (m, half) in [(0.0, 0.034_131), (0.01, 0.059_901)] {
        let [lower, upper] = ends(&correlated, Honest::smoothness().m([m]));
        assert!((0.5 * (upper - lower) - half).abs() < 2e-6, "{lower} {upper}");
    }
    let hybrid = Honest::smoothness().m([0.0]).method(HonestMethod::ConditionalFixedLength);
    close(ends(&correlated, hybrid), [0.7765, 0.8742], 2e-4);
}

#[test]
fn the_first_effect_comes_after_the_reference_wherever_it_is() {
    let unit = |i: usize| (0..5).map(|j| if i == j { 0.01 } else { 0.0 }).collect();
    let of = |times: [f64; 5]| {
        let sigma: Vec<Vec<f64>> = (0..5).map(unit).collect();
        let study = EventStudy::new(vec![0.1, 0.2, 0.3, 0.4, 0.5], sigma, 3, 2).unwrap();
        study.at_event_times(times.to_vec()).unwrap()
    };
    // Treatment starts in the period after the reference, 0 in the words of some.
    let shifted = of([-3.0, -2.0, -1.0, 1.0, 2.0]);
    let usual = of([-4.0, -3.0, -2.0, 0.0, 1.0]);
    let options = Honest::relative_magnitude().m_bar([0.5]);
    assert_eq!(ends(&shifted, options.clone()), ends(&usual, options.clone()));
    let found = shifted.honest(options.clone()).unwrap();
    assert_eq!(found.parameter, "effect at event time 1");
    assert!(matches!(shifted.honest(options.at(0.0)), Err(DidError::Config { .. })));
}

#[test]
fn numbers_that_double_precision_cannot_work_with_are_refused() {
    let refused = |result: Result<(), DidError>, words: &str| match result {
        Err(error) => assert!(error.to_string().contains(words), "{error}"),
        Ok(_) => panic!("{words}"),
    };
    let identity = study("study_identity");
    for weight in [1e200, 1e-100] {
        let post = identity.event_times().into_iter().filter(|at| *at >= 0.0);
        let weights: Vec<f64> = post.map(|_| weight).collect();
        let result = identity.honest(Honest::smoothness().weights(weights));
        refused(result.map(|_| ()), "variance of the effect");
    }
    let tiny = |i: usize| (0..3).map(|j| if i == j { 1e-322 } else { 0.0 }).collect();
    refused(
        EventStudy::new(vec![0.0, 0.0, 1.0], (0..3).map(tiny).collect(), 2, 1).map(|_| ()),
        "too small",
    );
    let file = std::env::temp_dir().join("burn-did-event-study-nan.json");
    let text = r#"{"betahat": [NaN, 1], "sigma": [[1, 0], [0, 1]], "num_pre_periods": 1, "num_post_periods": 1}"#;
    std::fs::write(&file, text).unwrap();
    refused(EventStudy::import(&file).map(|_| ()), "no numbers of JSON");
    let level = identity.honest(Honest::smoothness().alpha(-1e-300));
    refused(level.map(|_| ()), "-1e-300");
}
