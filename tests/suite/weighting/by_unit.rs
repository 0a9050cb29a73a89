//! Scores and weights by unit: they give the estimates back, and are those of the definitions.

use burn_did::backend::Cpu;
use burn_did::data::{self, Simulation, TripleSimulation, TwoPeriodSimulation};
use burn_did::options::{ControlGroup, DrdidMethod, EstimationMethod, UnbalancedPanel};
use burn_did::{AttGt, Data, Ddd, Drdid, GroupTimeResult};
use polars::prelude::*;

use super::{Row, base, cells, outcomes, rows, weighted_difference};
use crate::support::but;
use crate::support::frames::{floats, map, permutation, rows as reordered, with};

const METHODS: [EstimationMethod; 3] =
    [EstimationMethod::DoublyRobust, EstimationMethod::Ipw, EstimationMethod::OutcomeRegression];

const MPDTA: [&str; 3] = ["countyreal", "year", "lemp"];

fn mpdta(method: EstimationMethod) -> AttGt<Cpu> {
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates("~ lpop").method(method);
    config.keep_scores(true).weighting(true).build()
}

/// The weighted differences of all cells are their estimates.
fn gives_back(what: &str, fit: &GroupTimeResult, df: &DataFrame, columns: [&str; 3]) {
    let of = outcomes(df, columns);
    let scores = rows(fit.scores.as_ref().unwrap());
    let estimated: Vec<_> = fit.cells.iter().filter(|c| c.status.is_estimated()).collect();
    let all = cells(&scores);
    assert_eq!(all.len(), estimated.len(), "{what}");
    for (rows, cell) in all.iter().zip(estimated) {
        assert_eq!(rows[0].cell[..2], [cell.group, cell.time], "{what}");
        let found = weighted_difference(rows, &of, base(cell.group, cell.time), cell.time);
        let want = cell.estimate.estimate.unwrap();
        assert!((found - want).abs() < 1e-9, "{what}, {:?}: {found} for {want}", rows[0].cell);
    }
}

#[test]
fn weights_give_the_estimates_back() {
    let simulated = |missing: f64| {
        let simulation = Simulation::builder().units(600).covariates(2).weights(true).seed(3);
        simulation.attrition(missing).build().frame()
    };
    let (balanced, unbalanced) = (simulated(0.0), simulated(0.1));
    for method in METHODS {
        let fit = mpdta(method).fit(data::mpdta()).unwrap();
        gives_back("mpdta", &fit, &data::mpdta(), MPDTA);
        let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
        let config = config.covariates("~ x1 + x2 + I(x1^2)").weights("weight").method(method);
        let config = config.control_group(ControlGroup::NotYetTreated).keep_scores(true).build();
        let columns = ["id", "period", "y"];
        gives_back("weighted", &config.fit(&balanced).unwrap(), &balanced, columns);
        let rows = but(config, |config| config.allow_unbalanced_panel = true);
        gives_back("unbalanced", &rows.fit(&unbalanced).unwrap(), &unbalanced, columns);
    }
}

#[test]
fn weights_of_two_periods_give_the_estimates_back() {
    let df = TwoPeriodSimulation::builder().units(800).weights(true).seed(5).build().frame();
    let of = outcomes(&df, ["id", "period", "y"]);
    let period = floats(&df, "period");
    let first = period.iter().copied().fold(f64::INFINITY, f64::min);
    for method in [
        DrdidMethod::DoublyRobustImproved,
        DrdidMethod::DoublyRobust,
        DrdidMethod::OutcomeRegression,
        DrdidMethod::Ipw,
        DrdidMethod::IpwHorvitzThompson,
        DrdidMethod::Twfe,
    ] {
        for (level, rows_are_units) in [(0.995, false), (0.6, false), (0.995, true), (0.6, true)] {
            let config =
                Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
            let config = config.covariates("~ x1 + x2 + x3").weights("weight").method(method);
            let config = config.trim_level(level).keep_scores(true);
            let fit = config.repeated_cross_sections(rows_are_units).build().fit(&df).unwrap();
            let scores = rows(fit.scores.as_ref().unwrap());
            let found =
                weighted_difference(&scores.iter().collect::<Vec<&Row>>(), &of, first, first + 1.0);
            let want = fit.estimate.estimate.unwrap();
            let what = format!("{method}, trimmed from {level}, {rows_are_units}");
            assert!((found - want).abs() < 1e-8, "{what}: {found} for {want}");
            let trimmed = scores.iter().filter(|row| row.trimmed).count();
            assert_eq!(trimmed, fit.overlap.map_or(0, |overlap| overlap.trimmed), "{what}");
        }
    }
}

#[test]
fn weights_of_triple_differences_give_each_comparison_back() {
    let df = TripleSimulation::builder().units(1_500).periods(4).cohorts([3, 4]).seed(2).build();
    let df = df.frame();
    let of = outcomes(&df, ["id", "period", "y"]);
    for method in METHODS {
        let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
        let config = config.eligible("eligible").covariates("~ x1 + x2").method(method);
        let config = config.control_group(ControlGroup::NotYetTreated).keep_scores(true);
        let fit = config.unbalanced(UnbalancedPanel::Drop).build().fit(&df).unwrap();
        let scores = rows(fit.scores.as_ref().unwrap());
        let found: Vec<([f64; 4], f64)> = cells(&scores)
            .iter()
            .map(|rows| {
                let [group, time, ..] = rows[0].cell;
                (rows[0].cell, weighted_difference(rows, &of, base(group, time), time))
            })
            .collect();
        let did = |cell: [f64; 4]| found.iter().find(|(key, _)| *key == cell).unwrap().1;
        let comparisons = fit.comparisons.as_ref().unwrap();
        assert!(comparisons.len() >= 6);
        for c in comparisons {
            let other = c.comparison.unwrap_or(f64::INFINITY);
            for (cell, want) in [
                ([c.group, c.time, c.group, 0.0], c.treated_ineligible),
                ([c.group, c.time, other, 1.0], c.untreated_eligible),
                ([c.group, c.time, other, 0.0], c.untreated_ineligible),
            ] {
                let got = did(cell);
                assert!((got - want).abs() < 1e-9, "{method}, {cell:?}: {got} for {want}");
            }
        }
    }
}

/// The logistic likelihood's coefficients of a constant and one covariate, by Newton's method.
fn logit(x: &[f64], treated: &[bool]) -> (f64, f64) {
    let (mut a, mut b) = (0.0, 0.0);
    for _ in 0..50 {
        let (mut score, mut info) = ([0.0; 2], [0.0; 3]);
        for (x, d) in x.iter().zip(treated) {
            let p = 1.0 / (1.0 + (-(a + b * x)).exp());
            let (residual, v) = (f64::from(u8::from(*d)) - p, p * (1.0 - p));
            score = [score[0] + residual, score[1] + residual * x];
            info = [info[0] + v, info[1] + v * x, info[2] + v * x * x];
        }
        let determinant = info[0] * info[2] - info[1] * info[1];
        a += (info[2] * score[0] - info[1] * score[1]) / determinant;
        b += (info[0] * score[1] - info[1] * score[0]) / determinant;
    }
    (a, b)
}

#[test]
fn scores_and_weights_are_those_of_the_definitions() {
    let df = data::mpdta();
    let [unit, year, lpop] = ["countyreal", "year", "lpop"].map(|column| floats(&df, column));
    let lpop_of = |id: f64| {
        let first = (0..unit.len()).find(|i| unit[*i] == id && year[*i] == 2003.0);
        lpop[first.unwrap()]
    };
    for method in METHODS {
        let fit = mpdta(method).fit(&df).unwrap();
        for cell in cells(&rows(fit.scores.as_ref().unwrap())) {
            let x: Vec<f64> = cell.iter().map(|row| lpop_of(row.unit)).collect();
            let treated: Vec<bool> = cell.iter().map(|row| row.treated).collect();
            let n = treated.iter().filter(|d| **d).count() as f64;
            let mean = |arm: bool| {
                let own: Vec<f64> =
                    x.iter().zip(&treated).filter(|(_, d)| **d == arm).map(|(x, _)| *x).collect();
                (own.iter().sum::<f64>() / own.len() as f64, own)
            };
            let ((mean_t, _), (mean_c, of_c)) = (mean(true), mean(false));
            let squares: f64 = of_c.iter().map(|x| (x - mean_c).powi(2)).sum();
            let (a, b) = logit(&x, &treated);
            let odds = |x: f64| (a + b * x).exp();
            let total: f64 = of_c.iter().map(|x| odds(*x)).sum();
            let weighted: f64 = of_c.iter().map(|x| odds(*x) * x).sum::<f64>() / total;
            for (row, x) in cell.iter().zip(&x) {
                if method == EstimationMethod::OutcomeRegression {
                    assert!(row.score.is_nan());
                } else {
                    let p = odds(*x) / (1.0 + odds(*x));
                    assert!((row.score - p).abs() < 1e-9, "{} for {p}", row.score);
                }
                // Chattopadhyay and Zubizarreta (2023), eq. 2, with one covariate.
                let implied = |target: f64, from: f64| (target - from) * (x - mean_c) / squares;
                let want = match (row.treated, method) {
                    (true, _) => 1.0 / n,
                    (_, EstimationMethod::Ipw) => odds(*x) / total,
                    (_, EstimationMethod::OutcomeRegression) => {
                        1.0 / of_c.len() as f64 + implied(mean_t, mean_c)
                    }
                    _ => odds(*x) / total + implied(mean_t, weighted),
                };
                assert!((row.weight - want).abs() < 1e-10, "{method}: {} for {want}", row.weight);
            }
        }
    }
}

#[test]
fn the_file_does_not_depend_on_the_order_of_rows_or_on_pieces() {
    let directory = tempfile::tempdir().unwrap();
    let written = |fit: &GroupTimeResult, name: &str| {
        let path = directory.path().join(name);
        fit.scores.as_ref().unwrap().write(&path).unwrap();
        std::fs::read(path).unwrap()
    };
    let df = data::mpdta();
    let config = mpdta(EstimationMethod::DoublyRobust);
    let fit = config.fit(&df).unwrap();
    let other = config.fit(reordered(&df, &permutation(df.height(), 4))).unwrap();
    for name in ["a.csv", "a.parquet"] {
        assert_eq!(written(&fit, name), written(&other, &format!("b{name}")), "{name}");
    }
    assert_eq!(fit.weighting, other.weighting);
    let file = directory.path().join("mpdta.parquet");
    ParquetWriter::new(std::fs::File::create(&file).unwrap()).finish(&mut df.clone()).unwrap();
    let pieces = config.fit(Data::in_pieces(&file)).unwrap();
    assert_eq!(pieces.scores, fit.scores);
    assert_eq!(pieces.weighting, fit.weighting);
    let csv = String::from_utf8(written(&fit, "c.csv")).unwrap();
    assert!(
        csv.starts_with("unit,unit_group,group,time,treated,score,trimmed,weight\n17005,2004,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), fit.scores.as_ref().unwrap().len() + 1);
}

#[test]
fn units_without_weight_have_no_row_and_labels_stay_text() {
    let df = data::mpdta();
    let names: Vec<String> = floats(&df, "countyreal").iter().map(|id| format!("c{id}")).collect();
    let df = map(&with(&df, "countyreal", names), "year", |year| year);
    let weight: Vec<f64> =
        floats(&df, "lpop").iter().map(|lpop| if *lpop > 5.0 { 0.0 } else { 1.0 }).collect();
    let df = with(&df, "w", weight);
    let config = but(mpdta(EstimationMethod::Ipw), |config| config.weights = Some("w".into()));
    let fit = config.fit(&df).unwrap();
    let frame = fit.scores.as_ref().unwrap().to_dataframe().unwrap();
    assert_eq!(frame.column("unit").unwrap().dtype(), &DataType::String);
    let first = &fit.cells[0];
    assert!(first.n_treated + first.n_control > 200);
    let is_first = |column: &str, value: f64| -> Vec<bool> {
        floats(&frame, column).into_iter().map(|own| own == value).collect()
    };
    let (group, time) = (is_first("group", first.group), is_first("time", first.time));
    let rows = group.iter().zip(&time).filter(|(group, time)| **group && **time).count();
    assert!(rows > 0 && rows < first.n_treated + first.n_control, "{rows}");
}
