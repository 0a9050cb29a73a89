//! Balance before and after weighting, against sums over the weights by unit.

use burn_did::backend::Cpu;
use burn_did::data::{self, Simulation};
use burn_did::explore::Explore;
use burn_did::options::{ControlGroup, EstimationMethod};
use burn_did::report::PlotOptions;
use burn_did::weighting::{CovariateBalance, OverlapByCell, Weighting};
use burn_did::{AttGt, SavedResult};

use super::{Row, cells, rows};
use crate::support::frames::floats;

/// Weighted mean, and `n / (n - 1)` times the weighted mean of squares around it.
fn moments(values: &[(f64, f64)]) -> (f64, f64) {
    let total: f64 = values.iter().map(|(w, _)| w).sum();
    let mean = values.iter().map(|(w, x)| w * x).sum::<f64>() / total;
    let spread = values.iter().map(|(w, x)| w * (x - mean).powi(2)).sum::<f64>() / total;
    let n = values.len() as f64;
    (mean, spread * n / (n - 1.0))
}

fn near(what: &str, got: Option<f64>, want: f64) {
    let got = got.unwrap_or_else(|| panic!("{what}: nothing"));
    assert!((got - want).abs() < 1e-9 * want.abs().max(1.0), "{what}: {got} for {want}");
}

#[test]
fn balance_is_that_of_the_weights_by_unit() {
    let df = Simulation::builder().units(900).covariates(2).weights(true).seed(8).build().frame();
    let [id, period, weight] = ["id", "period", "weight"].map(|column| floats(&df, column));
    let [x1, x2] = ["x1", "x2"].map(|column| floats(&df, column));
    let raw = |unit: f64, at: f64| {
        let row = (0..id.len()).find(|i| id[*i] == unit && period[*i] == at).unwrap();
        ([x1[row], x2[row], x1[row] * x1[row]], weight[row])
    };
    for method in
        [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression]
    {
        let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
        let config = config.covariates("~ x1 + x2 + I(x1^2)").weights("weight").method(method);
        let config = config.keep_scores(true).weighting(true).build();
        let fit = config.fit(&df).unwrap();
        let weighting = fit.weighting.as_ref().unwrap();
        let scores = rows(fit.scores.as_ref().unwrap());
        let all = cells(&scores);
        assert_eq!(all.len(), weighting.comparisons.len());
        for (rows, comparison) in all.iter().zip(&weighting.comparisons) {
            let at = rows[0].cell[1].min(if rows[0].cell[1] >= rows[0].cell[0] {
                rows[0].cell[0] - 1.0
            } else {
                rows[0].cell[1] - 1.0
            });
            let of = |rows: &[&&Row], own: bool, j: usize| -> Vec<(f64, f64)> {
                let value = |row: &&&Row| {
                    let (x, sampling) = raw(row.unit, at);
                    (if own { row.weight } else { sampling }, x[j])
                };
                rows.iter().map(value).collect()
            };
            let (treated, control): (Vec<&&Row>, Vec<&&Row>) =
                rows.iter().partition(|row| row.treated);
            assert_eq!(
                (comparison.n_treated, comparison.n_control),
                (treated.len(), control.len())
            );
            let total: f64 = control.iter().map(|row| row.weight).sum();
            let squares: f64 = control.iter().map(|row| row.weight * row.weight).sum();
            near("effective size", comparison.effective_control, total * total / squares);
            let negative = control.iter().filter(|row| row.weight < 0.0).count();
            assert_eq!(comparison.negative, negative);
            // No weight is negative: 0, and not its negative.
            let share = comparison.negative_share;
            assert!(negative > 0 || share.to_bits() == 0.0f64.to_bits(), "{share:?}");
            for (j, covariate) in comparison.covariates.iter().enumerate() {
                let (mean_t, variance_t) = moments(&of(&treated, false, j));
                let (mean_c, variance_c) = moments(&of(&control, false, j));
                let (mean_w, variance_w) = moments(&of(&control, true, j));
                let CovariateBalance { variable, .. } = covariate;
                near(variable, covariate.treated_mean, mean_t);
                near(variable, covariate.control_mean, mean_c);
                near(variable, covariate.weighted_mean, mean_w);
                near(variable, covariate.treated_variance, variance_t);
                near(variable, covariate.control_variance, variance_c);
                near(variable, covariate.weighted_variance, variance_w);
                let unit = (0.5 * (variance_t + variance_c)).sqrt();
                near(variable, covariate.normalized_difference, (mean_t - mean_c) / unit);
                near(variable, covariate.weighted_difference, (mean_t - mean_w) / unit);
                near(variable, covariate.weighted_ratio, variance_t / variance_w);
                if method != EstimationMethod::Ipw {
                    assert!(covariate.weighted_difference.unwrap().abs() < 1e-9, "{variable}");
                }
                let shares = covariate.shares.as_ref().unwrap();
                for parts in [&shares.treated, &shares.control, &shares.weighted] {
                    assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{variable}");
                }
            }
            let has_scores = method != EstimationMethod::OutcomeRegression;
            assert_eq!(comparison.scores.is_some(), has_scores);
            if let Some(shares) = &comparison.scores {
                let mut want = vec![0.0; shares.control.len()];
                let bins = want.len() as f64;
                for row in &control {
                    want[(row.score * bins) as usize] += raw(row.unit, at).1;
                }
                let all: f64 = want.iter().sum();
                for (got, want) in shares.control.iter().zip(want) {
                    assert!((got - want / all).abs() < 1e-9);
                }
            }
        }
    }
}

/// The covariate of mpdta does not change, so that the balance of the raw data before treatment is that of the sample.
#[test]
fn before_weighting_it_is_the_balance_of_the_data() {
    let look = Explore::builder().unit("countyreal").time("year").group("first.treat");
    let look = look.covariates(["lpop"]).build();
    let raw = look.balance(data::mpdta(), ControlGroup::NeverTreated).unwrap();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates("~ lpop").weighting(true).build();
    let weighting = config.fit(data::mpdta()).unwrap().weighting.unwrap();
    for row in raw.rows.iter().filter(|row| !row.change) {
        let own = weighting.of_cells(Some(row.group), Some(row.group)).unwrap();
        let covariate = &own.comparisons[0].covariates[0];
        near("treated", covariate.treated_mean, row.treated_mean.unwrap());
        near("difference", covariate.normalized_difference, row.normalized_difference.unwrap());
        near("ratio", covariate.variance_ratio, row.variance_ratio.unwrap());
    }
}

#[test]
fn they_are_saved_printed_and_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates("~ lpop + I(lpop^2)").weighting(true);
    let fit = config.build().fit(data::mpdta()).unwrap();
    let path = directory.path().join("fit.json");
    fit.save(&path).unwrap();
    let SavedResult::GroupTime(loaded) = SavedResult::load(&path).unwrap() else {
        panic!("another kind");
    };
    assert_eq!(*loaded, fit);
    let (weighting, overlap) = (loaded.weighting.clone().unwrap(), loaded.overlap_by_cell());
    for (name, text) in [("weighting", weighting.to_string()), ("overlap", overlap.to_string())] {
        assert!(text.contains("2004") && !text.contains("NaN"), "{name}:\n{text}");
    }
    assert!(weighting.to_latex().contains(r"\label{tab:weighting}"));
    let frame = weighting.to_dataframe().unwrap();
    assert_eq!(frame.height(), 12 * 2 + 12);
    let love = weighting.to_svg(&PlotOptions::new()).unwrap();
    assert!(
        love.contains("lpop") && love.contains("I(lpop^2)") && love.contains("After weighting")
    );
    let scores = overlap.to_svg(&PlotOptions::new()).unwrap();
    assert!(scores.contains("Propensity score") && scores.contains("0.995"));
    let picture = directory.path().join("covariates.svg");
    let one = weighting.of_cells(Some(2004.0), Some(2004.0)).unwrap();
    one.plot_distributions(&picture, &PlotOptions::new()).unwrap();
    assert!(std::fs::read_to_string(&picture).unwrap().contains("weighted"));
    for (path, text) in [("w.json", weighting.to_json()), ("o.json", overlap.to_json())] {
        let path = directory.path().join(path);
        std::fs::write(&path, text.unwrap()).unwrap();
    }
    assert_eq!(Weighting::load(directory.path().join("w.json")).unwrap(), weighting);
    assert_eq!(OverlapByCell::load(directory.path().join("o.json")).unwrap(), overlap);
}
