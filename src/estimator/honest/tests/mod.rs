//! Numbers of the whole analysis: from R `HonestDiD`, from theory, and properties that they must have.

use super::*;
use crate::base::solve::dot;
use crate::estimator::aggregate::EventStudy;

mod coverage;

/// An example for which independent programs agree on the numbers below.
fn example(post: usize) -> EventStudy {
    let factor = [
        vec![0.10, 0.0, 0.0, 0.0, 0.0],
        vec![0.03, 0.09, 0.0, 0.0, 0.0],
        vec![0.02, 0.02, 0.08, 0.0, 0.0],
        vec![0.01, 0.015, 0.02, 0.11, 0.0],
        vec![0.0, 0.01, 0.015, 0.03, 0.12],
    ];
    let n = 3 + post;
    let entry = |i: usize, j: usize| dot(&factor[i], &factor[j]);
    let covariance = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    EventStudy::new([-0.06, 0.04, -0.02, 0.30, 0.42][..n].to_vec(), covariance, 3, post)
        .expect("it fits together")
}

/// The example with other effects.
fn moved(by: f64) -> EventStudy {
    let mut coefficients = example(2).coefficients();
    coefficients[3..].iter_mut().for_each(|b| *b += by);
    let rows = example(2).covariance();
    EventStudy::new(coefficients, rows, 3, 2).expect("it fits together")
}

fn intervals(post: usize, options: Honest) -> Vec<[f64; 2]> {
    let result = example(post).honest(options).expect("an analysis");
    let ends = result.intervals.iter().map(|i| [i.lower, i.upper].map(|e| e.unwrap_or(f64::NAN)));
    ends.collect()
}

fn near(found: [f64; 2], expected: [f64; 2], tolerance: f64) {
    let near = |i: usize| (found[i] - expected[i]).abs() <= tolerance;
    assert!(near(0) && near(1), "{found:?} {expected:?}");
}

#[test]
fn original_intervals_take_parallel_trends_for_granted() {
    for (options, expected) in [
        (Honest::smoothness(), [0.078_038_946_264_435_47, 0.521_961_053_735_564_6]),
        (Honest::smoothness().average(), [0.174_190_659_139_567_33, 0.545_809_340_860_432_6]),
    ] {
        let result = example(2).honest(options.m([0.0])).expect("an analysis");
        let ends = [result.original.ci_lower, result.original.ci_upper];
        near(ends.map(|e| e.unwrap_or(f64::NAN)), expected, 1e-10);
    }
}

#[test]
fn fixed_length_intervals_agree_with_a_conic_solver() {
    // moderndid 0.2.0, whose solver's optimum is good to about 1e-8 of its length and to 1e-4 of its centre.
    let first = intervals(2, Honest::smoothness().m([0.0, 0.05, 0.1, 0.2]));
    for (found, expected) in first.iter().zip([
        [0.051_865_947_969_098_35, 0.520_624_537_960_158_2],
        [0.017_556_349_019_619_72, 0.594_309_658_880_976_6],
        [-0.051_974_035_456_430_37, 0.648_569_141_487_737_9],
        [-0.176_030_137_844_442_27, 0.736_030_252_351_740_5],
    ]) {
        near(*found, expected, 1e-4);
        let lengths = [found[1] - found[0], expected[1] - expected[0]];
        assert!((lengths[0] - lengths[1]).abs() < 4e-7, "{lengths:?}");
    }
    let average = intervals(2, Honest::smoothness().average().m([0.05, 0.2]));
    near(average[0], [0.025_228_597_711_005_55, 0.701_407_664_924_951_2], 2e-5);
    near(average[1], [-0.356_966_814_144_583_1, 1.016_966_918_579_233_2], 2e-5);
}

#[test]
fn fixed_length_intervals_of_exact_lines_have_the_least_variance() {
    // Without bias the half-length is 1.96 times the smallest standard deviation, by hand from a linear system.
    let fixed = intervals(2, Honest::smoothness().m([0.0]))[0];
    assert!(
        (0.5 * (fixed[1] - fixed[0]) - 1.959_963_984_540_054 * 0.119_583_403_907_673_55).abs()
            < 1e-9
    );
}

#[test]
fn conditional_intervals_agree_with_r() {
    let conditional =
        |options: Honest| intervals(2, options.method(HonestMethod::Conditional).grid_points(1000));
    let step = 40.0 * 0.1133 / 999.0;
    let first = conditional(Honest::smoothness().m([0.05, 0.1]));
    near(first[0], [-0.062_566_225_150_844_09, 0.623_344_983_910_259_8], 1.01 * step);
    near(first[1], [-0.101_794_658_873_866_52, 0.660_481_623_856_017_8], 1.01 * step);
    let average = conditional(Honest::smoothness().average().m([0.05]));
    near(average[0], [-0.085_916_002_473_665_38, 0.749_267_463_433_128_1], 1.01 * step);
    let relative = conditional(Honest::relative_magnitude().m([0.5, 1.0]));
    near(relative[0], [0.031_772_855_328_794_62, 0.576_450_284_536_704_8], 3.0 * step);
    near(relative[1], [-0.049_928_764_802_391_61, 0.667_229_856_904_697_9], 3.0 * step);
    let average = conditional(Honest::relative_magnitude().average().m([0.5, 1.0]));
    near(average[0], [0.087_393_018_075_099_47, 0.649_748_090_906_174_1], 3.0 * step);
    near(average[1], [-0.094_992_410_951_195_04, 0.839_732_912_808_564_7], 3.0 * step);
}

#[test]
fn hybrids_agree_with_r() {
    let c_f = Honest::smoothness().method(HonestMethod::ConditionalFixedLength).m([0.05]);
    near(intervals(2, c_f)[0], [-0.047_346_757_651_069_83, 0.621_079_030_811_203_1], 2e-3);
    let c_lf = Honest::smoothness().method(HonestMethod::ConditionalLeastFavourable).m([0.05]);
    near(intervals(2, c_lf)[0], [-0.0579, 0.6187], 6e-3);
}

#[test]
fn one_post_period_has_no_nuisance_parameter() {
    let conditional = Honest::smoothness().method(HonestMethod::Conditional).m([0.05]);
    near(intervals(1, conditional.clone())[0], [-0.1420, 0.6540], 5e-3);
    // Twice the effect is as significant as the effect.
    let twice = intervals(1, conditional.weights([2.0]))[0];
    near(twice, [-0.2840, 1.3080], 1e-2);
    let relative = Honest::relative_smoothness().m([1.0]);
    near(intervals(1, relative)[0], [-0.3439, 0.8227], 0.04);
}

#[test]
fn bisection_finds_what_the_grid_finds() {
    for options in [
        Honest::relative_magnitude().m([0.5, 1.0]),
        Honest::relative_smoothness().m([0.5]),
        Honest::smoothness().m([0.05]).method(HonestMethod::Conditional),
        Honest::smoothness().m([0.05]).restriction(Restriction::Increasing),
    ] {
        let grid = intervals(2, options.clone());
        let bisected = intervals(2, options.search(Search::Bisection));
        for (grid, bisected) in grid.iter().zip(&bisected) {
            near(*grid, *bisected, 5e-3);
            assert!(bisected[0] <= grid[0] + 1e-9 && bisected[1] >= grid[1] - 1e-9);
        }
    }
}

#[test]
fn larger_violations_and_fewer_restrictions_widen_intervals() {
    let by_m = intervals(2, Honest::relative_magnitude().m([0.0, 0.5, 1.0, 2.0]));
    assert!(by_m.windows(2).all(|w| w[1][0] <= w[0][0] && w[1][1] >= w[0][1]), "{by_m:?}");
    let free = intervals(2, Honest::relative_magnitude().m([1.0]))[0];
    let positive =
        intervals(2, Honest::relative_magnitude().m([1.0]).restriction(Restriction::PositiveBias))
            [0];
    // A bias that is not negative does not hide a larger effect.
    assert!(positive[1] < free[1] && (positive[0] - free[0]).abs() < 0.03, "{positive:?} {free:?}");
}

#[test]
fn signs_and_units_do_not_matter() {
    let study = example(2);
    let scaled = |factor: f64| {
        let coefficients = study.coefficients().iter().map(|b| factor * b).collect();
        let covariance = study.covariance();
        let covariance = covariance
            .iter()
            .map(|row| row.iter().map(|v| factor * factor * v).collect())
            .collect();
        EventStudy::new(coefficients, covariance, 3, 2).expect("it fits together")
    };
    for options in [
        Honest::relative_magnitude().m([1.0]),
        Honest::smoothness().m([0.05]),
        Honest::smoothness().m([0.05]).method(HonestMethod::ConditionalFixedLength),
    ] {
        let smooth = options.delta == Delta::Smoothness;
        let own = intervals(2, options.clone())[0];
        for factor in [1e-6, 1e6, -1.0] {
            let m = if smooth { 0.05 * f64::abs(factor) } else { 1.0 };
            let result = scaled(factor).honest(options.clone().m([m])).expect("an analysis");
            let i = result.intervals[0];
            let mut ends = [i.lower, i.upper].map(|e| e.unwrap_or(f64::NAN) / factor);
            ends.sort_unstable_by(f64::total_cmp);
            near(ends, own, if factor < 0.0 { 5e-3 } else { 1e-6 });
        }
    }
}

#[test]
fn far_estimates_are_found() {
    // A hundred standard errors from zero, where a grid around zero has nothing.
    let at = |effect: f64| {
        let options = Honest::relative_magnitude().m([1.0]).search(Search::Bisection);
        let result = moved(effect).honest(options).expect("an analysis");
        [result.intervals[0].lower, result.intervals[0].upper].map(|e| e.unwrap_or(f64::NAN))
    };
    near(at(11.0).map(|e| e - 11.0), at(0.0), 1e-6);
    near(at(-1e6).map(|e| e + 1e6), at(0.0), 1e-6);
}

#[test]
fn grids_that_cut_an_interval_say_so() {
    let options = Honest::relative_magnitude().m([1.0]);
    let cut = example(2).honest(options.clone().grid(0.0, 0.5)).expect("an analysis");
    assert!(cut.intervals[0].is_open() && cut.warnings.len() == 1, "{:?}", cut.warnings);
    // The end of a grid that leaves out zero is no evidence against zero.
    let above = example(2).honest(options.clone().grid(0.01, 0.5)).expect("an analysis");
    let interval = above.intervals[0];
    assert!(interval.open[0] && interval.lower.is_some_and(|lower| lower > 0.0), "{interval:?}");
    assert!(!interval.excludes_zero());
    assert!(above.to_string().contains(", open "), "{above}");
    let empty = example(2).honest(options.grid(50.0, 51.0)).expect("an analysis");
    assert_eq!((empty.intervals[0].lower, empty.warnings.len()), (None, 1));
    // A fixed-length first stage ends where its own grid does, and nowhere else.
    let fixed = Honest::smoothness().m([0.05]).method(HonestMethod::ConditionalFixedLength);
    let whole = example(2).honest(fixed.clone()).expect("an analysis");
    assert!(!whole.intervals[0].is_open() && whole.warnings.is_empty(), "{:?}", whole.warnings);
    let cut = example(2).honest(fixed.grid(0.0, 0.5)).expect("an analysis");
    assert!(cut.intervals[0].is_open() && cut.warnings.len() == 1, "{:?}", cut.warnings);
}

#[test]
fn moments_without_variance_are_known() {
    // All coefficients are multiples of one number, whose second differences are zero. In -2.5, -1, 0, 1 - θ the first second difference
    // is -0.5 and the second -θ, whatever the draw.
    let v = [2.0, 1.0, -1.0];
    let covariance = v.map(|a| v.map(|b| a * b).to_vec()).to_vec();
    let study = EventStudy::new(vec![-2.5, -1.0, 1.0], covariance, 2, 1).expect("it fits together");
    let conditional = Honest::smoothness().method(HonestMethod::Conditional);
    let interval = |options: Honest| study.honest(options).expect("an analysis").intervals[0];
    assert_eq!(interval(conditional.clone().m([0.1])).lower, None);
    let relative = Honest::relative_smoothness().m([1.0]);
    for (options, end) in [
        (conditional.m([0.6]), 0.6),
        (relative.clone().method(HonestMethod::Conditional), 0.5),
        (relative, 0.5),
    ] {
        let found = interval(options.grid_points(1000));
        near([found.lower, found.upper].map(|e| e.unwrap_or(f64::NAN)), [-end, end], 0.05);
    }
}

#[test]
fn the_breakdown_value_separates_significant_from_other_intervals() {
    for options in [
        Honest::relative_magnitude(),
        Honest::relative_magnitude().method(HonestMethod::Conditional),
        Honest::smoothness(),
        Honest::smoothness().average().method(HonestMethod::ConditionalFixedLength),
    ] {
        let study = example(2);
        let result = study.honest(options.clone()).expect("an analysis");
        let Some(value) = result.breakdown.value() else { panic!("{:?}", result.breakdown) };
        let around = options.m([value, value * 1.001]).search(Search::Bisection);
        let result = study.honest(around).expect("an analysis");
        let excluded: Vec<bool> =
            result.intervals.iter().map(RobustInterval::excludes_zero).collect();
        assert_eq!(excluded, [true, false], "{value} {:?}", result.intervals);
    }
    let average = example(2).honest(Honest::smoothness().average()).expect("an analysis");
    let at_zero = Honest::smoothness().weights([1.0, -1.0]);
    let none = example(2).honest(at_zero).expect("an analysis");
    assert_eq!(none.breakdown, Breakdown::NotSignificant);
    assert!(average.breakdown.value().is_some_and(|v| v > 0.05));
    // A bias that is not positive cannot explain a positive effect away, whatever its size.
    let negative = Honest::relative_magnitude().m([1.0]).restriction(Restriction::NegativeBias);
    let always = moved(1.0).honest(negative).expect("an analysis").breakdown;
    assert!(matches!(always, Breakdown::AlwaysSignificant(_)), "{always:?}");
}

#[test]
fn the_breakdown_value_does_not_depend_on_the_numbers_asked_for() {
    for (options, large) in [
        (Honest::relative_magnitude().method(HonestMethod::Conditional), 1e6),
        (Honest::smoothness(), 1e9),
    ] {
        let value = |m: [f64; 2]| {
            let found = example(2).honest(options.clone().m(m)).expect("an analysis").breakdown;
            found.value().unwrap_or_else(|| panic!("{found:?}"))
        };
        let (near, far) = (value([0.0, 1.0]), value([0.0, large]));
        assert!((near - far).abs() <= 2e-4 * near, "{near} {far}");
    }
    let overflows = example(2).honest(Honest::relative_magnitude().m([1e300]));
    assert!(matches!(overflows, Err(crate::base::error::DidError::Config { option: "m", .. })));
}

#[test]
fn every_set_and_method_gives_an_interval_around_the_identified_set() {
    use Restriction::{Decreasing, Increasing, NegativeBias, PositiveBias};
    let restrictions =
        [None, Some(PositiveBias), Some(NegativeBias), Some(Increasing), Some(Decreasing)];
    for delta in [Delta::Smoothness, Delta::RelativeMagnitude, Delta::RelativeSmoothness] {
        for restriction in restrictions {
            for method in [
                HonestMethod::Conditional,
                HonestMethod::ConditionalLeastFavourable,
                HonestMethod::ConditionalFixedLength,
            ] {
                if delta.is_relative() && method == HonestMethod::ConditionalFixedLength {
                    continue;
                }
                for post in [1, 2] {
                    let options = Honest { delta, restriction, ..Honest::smoothness() };
                    let options = options.method(method).m([0.3]).draws(1000, 1).grid_points(100);
                    let found = intervals(post, options)[0];
                    assert!(
                        found[1] - found[0] > 0.05,
                        "{delta:?} {restriction:?} {method:?} {found:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let one = || vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let refused = |study: crate::base::error::Result<EventStudy>, words: &str| {
        let error = study.expect_err("it does not fit").to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(EventStudy::new(vec![1.0, 2.0], one(), 2, 0), "no period after");
    refused(EventStudy::new(vec![1.0, 2.0], one(), 2, 1), "2 coefficients are not 2");
    refused(EventStudy::new(vec![1.0, 2.0], one(), usize::MAX, 3), "coefficients are not");
    refused(EventStudy::new(vec![1.0, 2.0, 3.0], one(), 2, 1), "not 3 by 3");
    refused(EventStudy::new(vec![1.0, f64::NAN], one(), 1, 1), "coefficient 2 is NaN");
    refused(EventStudy::new(vec![1.0, 1e200], one(), 1, 1), "overflow");
    let infinite = vec![vec![1.0, f64::INFINITY], vec![0.0, 1.0]];
    refused(EventStudy::new(vec![1.0, 2.0], infinite, 1, 1), "row 1, column 2");
    let negative = vec![vec![-1.0, 0.0], vec![0.0, 1.0]];
    refused(EventStudy::new(vec![1.0, 2.0], negative, 1, 1), "variance of coefficient 1");
    let times = EventStudy::new(vec![1.0, 2.0], one(), 1, 1).expect("it fits together");
    refused(times.clone().at_event_times(vec![0.0]), "event times");
    refused(times.clone().at_event_times(vec![0.0, f64::NAN]), "event times");
    let unit = |i: usize| (0..3).map(|j| f64::from(u8::from(i == j))).collect();
    let three = EventStudy::new(vec![0.0, 0.0, 1.0], (0..3).map(unit).collect(), 2, 1);
    let three = three.expect("it fits together");
    refused(three.clone().at_event_times(vec![-5.0, -2.0, 0.0]), "-5, -2, 0 are not consecutive");
    refused(three.clone().at_event_times(vec![-2.0, -1.0, 0.0]), "left out between -1 and 0");
    assert!(three.at_event_times(vec![-6.0, -4.0, 0.0]).is_ok());
    let off_diagonal = vec![vec![0.0, 0.0, 0.0], vec![0.0, 0.0, 1.0], vec![0.0, 1.0, 0.0]];
    let crossed = EventStudy::new(vec![0.0, 1.0, 1.0], off_diagonal, 1, 2);
    refused(crossed, "coefficient 2 has no variance, but a covariance of 1 with coefficient 3");
    for (options, words) in [
        (Honest::smoothness().m([-1.0]), "`m`"),
        (Honest::smoothness().m([]), "`m`"),
        (Honest::smoothness().alpha(1.0), "`alpha`"),
        (Honest::smoothness().kappa(0.05), "`kappa`"),
        (Honest::smoothness().grid_points(1), "`grid_points`"),
        (Honest::smoothness().grid(1.0, 0.0), "`grid`"),
        (Honest::smoothness().draws(1, 0), "`draws`"),
        (Honest::smoothness().at(7.0), "`effect`"),
        (Honest::smoothness().weights([0.0]), "`effect`"),
        (Honest::smoothness().weights([1.0, 2.0]), "`effect`"),
        (Honest::relative_magnitude().method(HonestMethod::FixedLength), "`method`"),
        (Honest::relative_smoothness(), "DeltaSDRM needs 2"),
    ] {
        let error = times.honest(options).expect_err("it does not fit").to_string();
        assert!(error.contains(words), "{error}");
    }
    let flat = EventStudy::new(vec![1.0, 2.0], vec![vec![1.0, 0.0], vec![0.0, 0.0]], 1, 1);
    let error = flat.expect("it fits together").honest(Honest::smoothness()).expect_err("flat");
    assert!(error.to_string().contains("no variance"), "{error}");
}

#[test]
fn odd_covariances_are_said_and_do_no_harm() {
    let skewed = vec![vec![1.0, 0.1, 0.0], vec![0.0, 1.0, 0.2], vec![0.0, 0.2, 1.0]];
    let study = EventStudy::new(vec![0.1, 0.2, 3.0], skewed, 2, 1).expect("it fits together");
    let result = study.honest(Honest::relative_magnitude().m([0.5])).expect("an analysis");
    assert_eq!(result.warnings.len(), 1);
    // Coefficients before treatment that are one: the polyhedra's moments are degenerate.
    let ones = vec![vec![1.0; 3]; 3];
    let study = EventStudy::new(vec![1.0, 1.0, 1.0], ones, 2, 1).expect("it fits together");
    for delta in [Delta::RelativeMagnitude, Delta::RelativeSmoothness, Delta::Smoothness] {
        for method in [HonestMethod::Conditional, HonestMethod::ConditionalLeastFavourable] {
            let options = Honest { delta, ..Honest::smoothness().method(method).m([0.0, 1.0]) };
            let result = study.honest(options.draws(1000, 0).grid_points(50));
            assert!(result.is_ok(), "{result:?}");
        }
    }
    let refused = study.honest(Honest::smoothness().m([1.0]));
    assert!(refused.is_ok() || refused.is_err_and(|e| e.to_string().contains("singular")));
}

#[test]
fn results_survive_json_and_threads() {
    let result = example(2).honest(Honest::relative_magnitude().m([0.5])).expect("an analysis");
    let text = serde_json::to_string(&result).expect("plain numbers");
    let back: HonestResult = serde_json::from_str(&text).expect("own output");
    assert_eq!(back, result);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    let alone = one.install(|| example(2).honest(Honest::relative_magnitude().m([0.5])));
    assert_eq!(alone.expect("an analysis"), result);
    assert!(
        EventStudy::from_json(
            r#"{"betahat":[1],"sigma":[[1]],"num_pre_periods":1,"num_post_periods":1}"#
        )
        .is_err()
    );
}
