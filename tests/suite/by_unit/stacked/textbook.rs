//! Numbers of a small balanced panel, computed elsewhere, and of local projections.

use burn_did::LocalProjections;
use burn_did::projections::ProjectionMethod;

use super::{at, stacked};
use crate::by_unit::textbook;
use crate::support::but;
use crate::support::frames::{golden_data, map};

#[track_caller]
fn near(a: Option<f64>, b: f64) {
    let a = a.unwrap();
    // Numbers have ten decimals, and R's fixed effects are good to about as many.
    assert!((a - b).abs() <= 5e-10, "{a} is not {b}");
}

#[test]
fn effects_are_the_known_ones() {
    let df = textbook();
    let fit = stacked(2, 2).fit(&df).unwrap();
    let cohorts: Vec<f64> = fit.sub_experiments.iter().map(|sub| sub.cohort).collect();
    assert_eq!((cohorts, fit.n_stacked), (vec![3.0, 4.0], 525));
    for (event_time, estimate, se) in [
        (-2, -0.048_676_467_4, 0.129_300_652_2),
        (0, 0.933_816_020_8, 0.121_751_747_5),
        (1, 1.247_303_248_8, 0.127_703_298),
        (2, 1.523_307_665_3, 0.127_912_032_7),
    ] {
        near(at(&fit, event_time).0, estimate);
        near(at(&fit, event_time).1, se);
    }
    near(fit.overall.estimate, 1.234_808_978_3);
    near(fit.overall.se, 0.115_097_128_7);
    let weights = |fit: &burn_did::StackedResult| -> Vec<f64> {
        fit.sub_experiments.iter().map(|sub| sub.control_weights[0]).collect()
    };
    weights(&fit).into_iter().zip([5.0 / 6.0, 1.25]).for_each(|(a, b)| near(Some(a), b));

    let fit = stacked(2, 1).fit(&df).unwrap();
    assert_eq!(fit.n_stacked, 720);
    weights(&fit).into_iter().zip([0.75, 1.0, 1.5]).for_each(|(a, b)| near(Some(a), b));
    for (event_time, estimate, se) in [
        (-2, -0.027_003_269_9, 0.091_684_855_9),
        (0, 0.968_029_774_2, 0.080_271_015_9),
        (1, 1.292_147_144_3, 0.103_981_036_9),
    ] {
        near(at(&fit, event_time).0, estimate);
        near(at(&fit, event_time).1, se);
    }
    near(fit.overall.estimate, 1.130_088_459_3);
    near(fit.overall.se, 0.085_606_655);
    let copies = but(stacked(2, 1), |c| c.independent_copies = true).fit(&df).unwrap();
    near(at(&copies, -2).1, 0.101_414_268_8);
    near(at(&copies, 0).1, 0.083_247_674_4);
    near(at(&copies, 1).1, 0.105_899_883_5);

    let fit = stacked(1, 0).fit(&df).unwrap();
    near(at(&fit, 0).0, 0.984_245_557_1);
    near(at(&fit, 0).1, 0.075_954_013_4);
    let expected = [0.7, 0.875, 7.0 / 6.0, 1.75];
    weights(&fit).into_iter().zip(expected).for_each(|(a, b)| near(Some(a), b));
}

/// The last effect of a window is that of reweighted local projections, which have the same treated and controls.
#[test]
fn the_last_effect_is_that_of_local_projections() {
    let data = [textbook(), golden_data("stag_a"), golden_data("nonever_a")];
    for (number, df) in data.iter().enumerate() {
        // Where a whole window leaves a cohort out, local projections leave it out, too.
        let df = map(df, "g", |g| if g == 1.0 { 0.0 } else { g });
        for post in 0..3 {
            let stack = stacked(1, post).fit(&df).unwrap();
            let mut config = LocalProjections::builder()
                .outcome("y")
                .unit("id")
                .time("t")
                .group("g")
                .pre_window(0)
                .post_window(post)
                .build();
            config.method = ProjectionMethod::Reweighted;
            let projections = config.fit(&df).unwrap();
            let last = projections.effects.last().unwrap();
            let (own, expected) = (at(&stack, i64::from(post)).0.unwrap(), last.estimate.estimate);
            assert!((own - expected.unwrap()).abs() < 1e-10, "{number}: {own} at {post}");
        }
    }
}

#[test]
fn always_treated_units_are_no_controls() {
    let df = textbook();
    // Cohorts 1 and 3 and the never treated: those treated from the start are in no sub-experiment.
    let already = map(&df, "g", |g| if g > 3.0 { 1.0 } else { g });
    let without = crate::support::frames::filter(&already, "g", |g| g != 1.0);
    let [with, without] = [already, without].map(|df| stacked(2, 1).fit(&df).unwrap());
    assert_eq!((with.n_stacked, with.n_clusters), (without.n_stacked, without.n_clusters));
    for (a, b) in with.effects.iter().zip(&without.effects) {
        assert!((a.estimate.estimate.unwrap() - b.estimate.estimate.unwrap()).abs() < 1e-12);
        assert_eq!((a.n_rows, a.n_treated), (b.n_rows, b.n_treated));
    }
}
