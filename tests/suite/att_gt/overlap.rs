//! What is said of the weights of comparison units, against a design whose propensity score is known: with one binary covariate it
//! is the share of treated weight at each value.

use burn_did::backend::Cpu;
use burn_did::{
    AttGt, DidWarning, Drdid, GroupTimeResult,
    group_time::{CellStatus, Overlap},
    options::{DrdidMethod, EstimationMethod},
};
use polars::prelude::{DataFrame, df};

use crate::support::but;
use crate::support::frames::{floats, with};

/// Units of a cell of the covariate: treated, comparison.
type Counts = [usize; 2];

/// A panel of two periods: `x` and `weight` of a unit, and outcomes that are no multiple of them. Treated in period 2.
fn panel(cells: [Counts; 2]) -> DataFrame {
    let (mut id, mut t, mut g, mut d, mut x, mut w, mut y) =
        (vec![], vec![], vec![], vec![], vec![], vec![], vec![]);
    let mut unit = 0i64;
    for (value, counts) in [0.0, 1.0].into_iter().zip(cells) {
        for (treated, count) in [1i64, 0].into_iter().zip(counts) {
            for i in 0..count {
                unit += 1;
                for period in [1i64, 2] {
                    id.push(unit);
                    t.push(period);
                    g.push(2 * treated);
                    d.push(treated);
                    x.push(value);
                    w.push(1.0 + (i % 4) as f64);
                    y.push(((unit * 37 + period * 11) % 23) as f64 + value * period as f64);
                }
            }
        }
    }
    df!("id" => id, "t" => t, "g" => g, "d" => d, "x" => x, "w" => w, "y" => y).unwrap()
}

fn att_gt(method: EstimationMethod, covariates: &str, data: &DataFrame) -> GroupTimeResult {
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.weights("w").method(method).covariates(covariates).build();
    config.fit(data).unwrap()
}

/// The same of one period's rows: scores are shares of the weight at each value of `x`.
fn expected(data: &DataFrame, trim: f64, scored: bool) -> Overlap {
    let [period, d, x, w] = ["t", "d", "x", "w"].map(|column| floats(data, column));
    let rows: Vec<usize> = (0..period.len()).filter(|i| period[*i] == 1.0).collect();
    let sum = |keep: &dyn Fn(usize) -> bool| -> f64 {
        rows.iter().filter(|i| keep(**i)).map(|i| w[*i]).sum()
    };
    let p = |value: f64| sum(&|i| x[i] == value && d[i] == 1.0) / sum(&|i| x[i] == value);
    let largest = |arm: f64| {
        let on = rows.iter().filter(|i| d[**i] == arm).map(|i| p(x[*i]));
        on.fold(0.0, f64::max)
    };
    let odds = |i: usize| match p(x[i]) {
        _ if !scored => 1.0,
        p if p < trim => p / (1.0 - p),
        _ => 0.0,
    };
    let control: Vec<usize> = rows.iter().copied().filter(|i| d[*i] == 0.0).collect();
    let size = |v: &dyn Fn(usize) -> f64| {
        let total: f64 = control.iter().map(|i| v(*i)).sum();
        total * total / control.iter().map(|i| v(*i) * v(*i)).sum::<f64>()
    };
    let trimmed: Vec<usize> = control.iter().copied().filter(|i| odds(*i) == 0.0).collect();
    let share = trimmed.iter().map(|i| w[*i]).sum::<f64>() / sum(&|i| d[i] == 0.0);
    let mut overlap = Overlap::default();
    overlap.largest_score_treated = scored.then(|| largest(1.0));
    overlap.largest_score_control = scored.then(|| largest(0.0));
    overlap.trimmed = trimmed.len();
    overlap.trimmed_share = share;
    overlap.effective_control = Some(size(&|i| w[i] * odds(i)));
    overlap.effective_control_sampling = Some(size(&|i| w[i]));
    overlap
}

fn agree(what: &str, got: Option<Overlap>, want: &Overlap) {
    let got = got.unwrap_or_else(|| panic!("{what}: nothing"));
    assert_eq!(got.trimmed, want.trimmed, "{what}");
    let numbers = |of: &Overlap| {
        let scores = [of.largest_score_treated, of.largest_score_control];
        let sizes = [of.effective_control, of.effective_control_sampling, Some(of.trimmed_share)];
        scores.into_iter().chain(sizes).collect::<Vec<_>>()
    };
    for (a, b) in numbers(&got).into_iter().zip(numbers(want)) {
        let near = match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs(),
            (a, b) => a == b,
        };
        assert!(near, "{what}: {got:?}, not {want:?}");
    }
}

#[test]
fn scores_and_effective_sizes_are_those_of_the_definition() {
    let data = panel([[10, 40], [30, 20]]);
    let scored = expected(&data, 0.995, true);
    assert!(scored.effective_share().unwrap() < 0.95);
    for method in [EstimationMethod::DoublyRobust, EstimationMethod::Ipw] {
        agree("att_gt", att_gt(method, "~ x", &data).cells[0].overlap, &scored);
    }
    let regression = att_gt(EstimationMethod::OutcomeRegression, "~ x", &data);
    agree("regression", regression.cells[0].overlap, &expected(&data, 0.995, false));
    let constant = att_gt(EstimationMethod::DoublyRobust, "~ 1", &with(&data, "x", vec![0.0; 200]));
    let same = with(&data, "x", vec![0.0; 200]);
    agree("constant", constant.cells[0].overlap, &expected(&same, 0.995, true));
}

#[test]
fn trimmed_units_are_counted_and_said() {
    // At x = 1 more than 0.995 of the weight is treated, and less than 0.999.
    let data = panel([[40, 60], [600, 2]]);
    let want = expected(&data, 0.995, true);
    assert!(want.trimmed == 2 && want.largest_score_control.unwrap() < 0.999);
    let fit = att_gt(EstimationMethod::DoublyRobust, "~ x", &data);
    agree("att_gt", fit.cells[0].overlap, &want);
    let worst = Some((2.0, 2.0));
    assert!(fit.warnings.iter().any(|warning| matches!(
        warning,
        DidWarning::TrimmedControls { cells: 1, worst: w, units: 2, .. } if *w == worst
    )));
    assert!(fit.to_string().contains("comparison units with a propensity score of 0.995"));
    let config = Drdid::<Cpu>::builder().outcome("y").unit("id").time("t").treatment("d");
    let config = config.weights("w").covariates("~ x").method(DrdidMethod::DoublyRobust).build();
    let two = config.fit(&data).unwrap();
    agree("drdid", two.overlap, &want);
    let near = |a: Option<f64>, b: Option<f64>| (a.unwrap() - b.unwrap()).abs() < 1e-9;
    let group_time = fit.cells[0].estimate;
    assert!(
        near(two.estimate.estimate, group_time.estimate) && near(two.estimate.se, group_time.se)
    );
    assert!(two.warnings.iter().any(|w| matches!(w, DidWarning::TrimmedControls { .. })));
    // All are kept with a level above their scores.
    let kept = but(config, |config| config.trim_level = 0.9999);
    let kept = kept.fit(&data).unwrap();
    agree("drdid", kept.overlap, &expected(&data, 0.9999, true));
    assert!(!kept.warnings.iter().any(|w| matches!(w, DidWarning::TrimmedControls { .. })));
    let few = |w: &&DidWarning| matches!(w, DidWarning::FewEffectiveControls { .. });
    assert_eq!(kept.warnings.iter().filter(few).count(), 1, "{:?}", kept.overlap);
}

/// The weights put treated units near a score of one, where the counts do not.
#[test]
fn the_unweighted_score_alone_decides_on_overlap() {
    let light = panel([[20, 60], [60, 20]]);
    let weights = |data: &DataFrame, heavy: f64| {
        let [d, x] = ["d", "x"].map(|column| floats(data, column));
        let weight = |i: usize| if d[i] == 1.0 && x[i] == 1.0 { heavy } else { 1.0 };
        with(data, "w", (0..d.len()).map(weight).collect::<Vec<f64>>())
    };
    let data = weights(&light, 1e4);
    for method in [EstimationMethod::DoublyRobust, EstimationMethod::Ipw] {
        let fit = att_gt(method, "~ x", &data);
        assert_eq!(fit.cells[0].status, CellStatus::Estimated);
        agree("weighted", fit.cells[0].overlap, &expected(&data, 0.995, true));
        assert!(fit.cells[0].overlap.unwrap().largest_score_treated.unwrap() > 0.999);
    }
    // The counts violate overlap, and no weight repairs that.
    let heavy = panel([[20, 60], [2_000, 1]]);
    let [d, x] = ["d", "x"].map(|column| floats(&heavy, column));
    let weight = |i: usize| if d[i] == 0.0 && x[i] == 1.0 { 1e4 } else { 1.0 };
    let data = with(&heavy, "w", (0..d.len()).map(weight).collect::<Vec<f64>>());
    let fit = att_gt(EstimationMethod::DoublyRobust, "~ x", &data);
    assert!(matches!(fit.cells[0].status, CellStatus::Overlap { .. }));
    assert_eq!(fit.cells[0].overlap, None);
}
