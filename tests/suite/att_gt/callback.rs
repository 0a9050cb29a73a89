//! User-supplied two-by-two estimators: the built-in ones written again as plain loops give the built-in results.

use burn_did::backend::Cpu;
use burn_did::{
    AttGt, DidError, DidWarning,
    group_time::{CellStatus, PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate},
    options::EstimationMethod,
};

use crate::support::frames::filter;
use crate::support::splitmix;

/// Weighted difference in means of changes, or of levels in two periods.
struct Means;

fn mean(y: &[f64], w: &[f64]) -> f64 {
    y.iter().zip(w).map(|(y, w)| y * w).sum::<f64>() / w.iter().sum::<f64>()
}

/// Adds `sign · w (y - mean) / Σ w` to the influence of the chosen observations; returns `sign · mean`.
fn add_corner(y: &[f64], w: &[f64], chosen: &[bool], sign: f64, influence: &mut [f64]) -> f64 {
    let w: Vec<f64> = w.iter().zip(chosen).map(|(w, c)| if *c { *w } else { 0.0 }).collect();
    let (centre, total) = (mean(y, &w), w.iter().sum::<f64>());
    for ((out, y), w) in influence.iter_mut().zip(y).zip(&w) {
        *out += sign * w * (y - centre) / total;
    }
    sign * centre
}

impl TwoByTwo for Means {
    fn panel(&self, cell: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
        let change: Vec<f64> = cell.y1.iter().zip(cell.y0).map(|(a, b)| a - b).collect();
        let mut influence = vec![0.0; change.len()];
        let att = [(1.0, 1.0), (0.0, -1.0)]
            .into_iter()
            .map(|(d, sign)| {
                let chosen: Vec<bool> = cell.d.iter().map(|v| *v == d).collect();
                add_corner(&change, cell.w, &chosen, sign, &mut influence)
            })
            .sum();
        let n = change.len() as f64;
        for i in &mut influence {
            *i *= n;
        }
        Ok(TwoByTwoEstimate::new(att, influence))
    }

    fn repeated(&self, cell: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
        let mut influence = vec![0.0; cell.y.len()];
        let mut att = 0.0;
        for (d, post, sign) in
            [(1.0, 1.0, 1.0), (1.0, 0.0, -1.0), (0.0, 1.0, -1.0), (0.0, 0.0, 1.0)]
        {
            let pairs = cell.d.iter().zip(cell.post);
            let chosen: Vec<bool> = pairs.map(|(a, b)| *a == d && *b == post).collect();
            att += add_corner(cell.y, cell.w, &chosen, sign, &mut influence);
        }
        let n = cell.y.len() as f64;
        for i in &mut influence {
            *i *= n;
        }
        Ok(TwoByTwoEstimate::new(att, influence))
    }
}

fn config(change: impl FnOnce(&mut AttGt<Cpu>)) -> AttGt<Cpu> {
    let mut config = AttGt::builder().outcome("y").unit("id").time("t").group("g").build();
    change(&mut config);
    config
}

#[track_caller]
fn same_as_built_in(config: &AttGt<Cpu>, df: &polars::prelude::DataFrame) {
    let built_in = config.fit(df).unwrap();
    let own = config.fit_with(df, &Means).unwrap();
    assert_eq!(built_in.cells.len(), own.cells.len());
    for (a, b) in built_in.cells.iter().zip(&own.cells) {
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-10 * (1.0 + a.abs()), "{a} {b}"),
            (a, b) => assert_eq!(a, b),
        };
        near(a.estimate.estimate, b.estimate.estimate);
        near(a.estimate.se, b.estimate.se);
        assert_eq!((a.n_treated, a.n_control), (b.n_treated, b.n_control));
    }
    let wald = |r: &burn_did::GroupTimeResult| r.wald.map(|w| w.stat);
    assert!((wald(&built_in).unwrap() - wald(&own).unwrap()).abs() < 1e-7);
    let aggregate = |r: &burn_did::GroupTimeResult| {
        r.aggregate(burn_did::Aggregation::dynamic()).unwrap().overall.se.unwrap()
    };
    assert!((aggregate(&built_in) - aggregate(&own)).abs() < 1e-10);
}

#[test]
fn means_on_every_layout() {
    let df = splitmix::panel(42, 240, [3, 4, 6, 0]);
    same_as_built_in(&config(|_| ()), &df);
    same_as_built_in(&config(|c| c.weights = Some("w".into())), &df);
    same_as_built_in(&config(|c| c.cluster = Some("cl".into())), &df);
    same_as_built_in(&config(|c| c.repeated_cross_sections = true), &df);
    let unbalanced = filter(&df, "keep", |k| k == 1.0);
    same_as_built_in(&config(|c| c.allow_unbalanced_panel = true), &unbalanced);
}

/// Outcome regression on the design that is handed over, without influence values of its own.
struct Fails;

impl TwoByTwo for Fails {
    fn panel(&self, cell: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
        assert_eq!(cell.x.len(), 2 * cell.d.len(), "a constant and one covariate");
        assert!(cell.x[..cell.d.len()].iter().all(|x| *x == 1.0));
        Err("not today".into())
    }

    fn repeated(&self, cell: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
        Ok(TwoByTwoEstimate::new(0.0, vec![0.0; cell.y.len() - 1]))
    }
}

#[test]
fn failures_of_the_estimator_are_the_cells_status() {
    let df = splitmix::panel(42, 240, [3, 4, 6, 0]);
    let mut config = config(|c| c.covariates = "~ x1".into());
    let fit = config.fit_with(&df, &Fails).unwrap();
    for cell in &fit.cells {
        assert_eq!(cell.status, CellStatus::Estimator { message: "not today".into() });
        assert_eq!(cell.estimate.se, None);
    }
    config.repeated_cross_sections = true;
    let error = config.fit_with(&df, &Fails).unwrap_err();
    assert!(matches!(error, DidError::Callback { .. }), "{error}");
    assert_eq!(fit.settings.method(), None::<EstimationMethod>);
}

/// An effect, and influence values that are no numbers.
struct Unsure;

impl TwoByTwo for Unsure {
    fn panel(&self, cell: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
        Ok(TwoByTwoEstimate::new(1.5, vec![f64::NAN; cell.d.len()]))
    }

    fn repeated(&self, cell: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
        Ok(TwoByTwoEstimate::new(1.5, vec![f64::INFINITY; cell.d.len()]))
    }
}

#[test]
fn an_effect_without_influence_values_stays_and_has_no_standard_error() {
    let df = splitmix::panel(42, 240, [3, 4, 6, 0]);
    for (repeated_cross_sections, keep_influence) in [(false, false), (false, true), (true, false)]
    {
        let config = config(|c| {
            c.repeated_cross_sections = repeated_cross_sections;
            c.keep_influence = keep_influence;
        });
        let fit = config.fit_with(&df, &Unsure).unwrap();
        for cell in &fit.cells {
            assert_eq!((cell.estimate.estimate, cell.estimate.se), (Some(1.5), None));
            let of_cell = DidWarning::InfluenceNotFinite { group: cell.group, time: cell.time };
            assert!(fit.warnings.contains(&of_cell), "{:?}", fit.warnings);
        }
        assert_eq!(fit.wald, None);
        let average = fit.aggregate(burn_did::Aggregation::dynamic()).unwrap();
        let overall = average.overall;
        assert!(overall.estimate.is_some_and(|mean| (mean - 1.5).abs() < 1e-12));
        assert_eq!(overall.se, None);
    }
}

#[test]
fn failures_of_all_cells_of_large_groups_are_a_result() {
    let df = splitmix::panel(42, 1200, [3, 4, 6, 0]);
    for keep_influence in [false, true] {
        let config = config(|c| {
            c.covariates = "~ x1".into();
            c.keep_influence = keep_influence;
        });
        let fit = config.fit_with(&df, &Fails).unwrap();
        let failed = CellStatus::Estimator { message: "not today".into() };
        assert!(fit.cells.iter().all(|cell| cell.status == failed));
    }
}
