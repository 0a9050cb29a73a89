//! How large the groups of a triple difference must be: as R `triplediff` counts them.

use burn_did::backend::Cpu;
use burn_did::{
    Ddd, DidError, GroupTimeResult,
    group_time::CellStatus,
    options::{EstimationMethod, UnbalancedPanel},
};
use polars::prelude::{DataFrame, df};

use crate::support::but;
use crate::support::frames::with;
use crate::support::splitmix::SplitMix64;

/// A group, eligibility, and the periods of each unit.
type Observed<'a> = (i64, i64, &'a [&'a [i64]]);

/// The units' rows, with random outcomes and six covariates.
fn frame(units: &[Observed<'_>]) -> DataFrame {
    let mut r = SplitMix64(3);
    let (mut id, mut t, mut g, mut q, mut y) = (vec![], vec![], vec![], vec![], vec![]);
    let mut x: [Vec<f64>; 6] = Default::default();
    let mut unit = 0i64;
    for (group, eligible, periods) in units {
        for own in *periods {
            unit += 1;
            let covariates: [f64; 6] = std::array::from_fn(|_| r.bell());
            for period in *own {
                id.push(unit);
                t.push(*period);
                g.push(*group);
                q.push(*eligible);
                y.push(covariates[0] + r.bell());
                x.iter_mut().zip(covariates).for_each(|(x, value)| x.push(value));
            }
        }
    }
    let mut df = df!("id" => id, "t" => t, "g" => g, "q" => q, "y" => y).unwrap();
    for (j, x) in x.into_iter().enumerate() {
        df = with(&df, &format!("x{}", j + 1), x);
    }
    df
}

/// The four subgroups with the same units, but for the treated and ineligible ones.
fn subgroups(all: &[&[i64]], ineligible: &[&[i64]]) -> DataFrame {
    frame(&[(2, 1, all), (2, 0, ineligible), (0, 1, all), (0, 0, all)])
}

fn estimator(unbalanced: UnbalancedPanel) -> Ddd<Cpu> {
    Ddd::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .eligible("q")
        .unbalanced(unbalanced)
        .build()
}

fn sections() -> Ddd<Cpu> {
    but(estimator(UnbalancedPanel::Drop), |e| {
        e.repeated_cross_sections = true;
    })
}

fn fit(estimator: &Ddd<Cpu>, df: &DataFrame) -> burn_did::Result<GroupTimeResult> {
    estimator.fit(df)
}

#[track_caller]
fn assert_estimated(estimator: &Ddd<Cpu>, df: &DataFrame) {
    let fit = fit(estimator, df).unwrap();
    for cell in &fit.cells {
        assert_eq!(cell.status, CellStatus::Estimated, "({}, {})", cell.group, cell.time);
    }
}

#[track_caller]
fn assert_too_small(estimator: &Ddd<Cpu>, df: &DataFrame, found: usize) {
    let error = fit(estimator, df).expect_err("too few");
    let expected = matches!(
        error,
        DidError::SmallGroup { group: "treated and ineligible", size, required: 5 } if size == found
    );
    assert!(expected, "{error}");
}

const BOTH: &[i64] = &[1, 2];
const FIRST: &[i64] = &[1];
const SECOND: &[i64] = &[2];
const THIRD: &[i64] = &[3];
const ALL: &[i64] = &[1, 2, 3];

#[test]
fn five_rows_of_both_periods_together_are_enough() {
    let rows = [FIRST, FIRST, FIRST, SECOND, SECOND, SECOND];
    assert_estimated(&sections(), &subgroups(&rows, &rows[..5]));
    assert_too_small(&sections(), &subgroups(&rows, &rows[1..5]), 4);
}

#[test]
fn five_units_are_enough_that_are_not_always_observed() {
    let rows = estimator(UnbalancedPanel::Rows);
    let few = [BOTH, BOTH, FIRST, SECOND, SECOND];
    assert_estimated(&rows, &subgroups(&[BOTH; 6], &few));
    assert_too_small(&rows, &subgroups(&[BOTH; 6], &few[1..]), 4);
    // Pairs are of units observed in both periods.
    let pairs = estimator(UnbalancedPanel::Pairs);
    assert_too_small(&pairs, &subgroups(&[BOTH; 6], &few), 2);
    let more = [BOTH, BOTH, BOTH, BOTH, BOTH, SECOND];
    assert_estimated(&pairs, &subgroups(&[BOTH; 6], &more));
}

#[test]
fn covariates_ask_for_no_more_units_of_a_group() {
    let many = but(estimator(UnbalancedPanel::Drop), |e| {
        e.covariates = "~ I(x1 + x2 + x3 + x4 + x5 + x6)".into();
        e.method = EstimationMethod::OutcomeRegression;
    });
    assert_estimated(&many, &subgroups(&[BOTH; 5], &[BOTH; 5]));
    assert_too_small(&many, &subgroups(&[BOTH; 5], &[BOTH; 4]), 4);
}

#[test]
fn never_treated_rows_and_units_of_all_periods_count() {
    let with_never = |treated: &[&[i64]], never: &[&[i64]]| {
        frame(&[(2, 1, treated), (2, 0, treated), (0, 1, never), (0, 0, never)])
    };
    let rows = [FIRST, SECOND, THIRD, FIRST, SECOND, THIRD];
    assert_estimated(&sections(), &with_never(&rows, &rows));
    let kept = estimator(UnbalancedPanel::Rows);
    let gaps = [ALL, &[1, 2], &[2, 3]];
    assert_estimated(&kept, &with_never(&[ALL; 6], &gaps));
    let error = fit(&kept, &with_never(&[ALL; 6], &gaps[..2])).expect_err("too few");
    assert!(matches!(error, DidError::SmallNeverTreated { size: 4, required: 5 }), "{error}");
}
