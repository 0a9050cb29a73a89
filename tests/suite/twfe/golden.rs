//! The numbers of R `bacondecomp` and `TwoWayFEWeights`.

use burn_did::twfe::{ComparisonKind, TwfeCells, TwfeRegression};
use burn_did::{Bacon, TwfeWeights};
use serde::Deserialize;

use super::near;
use crate::support::frames::{golden_data, golden_json, golden_path};

/// R's fixed effects are good to about 5e-11.
const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
struct Golden {
    bacon: Vec<Decomposition>,
    weights: Vec<Weights>,
}

#[derive(Deserialize)]
struct Decomposition {
    id: String,
    dataset: String,
    columns: [String; 4],
    treated: Vec<f64>,
    untreated: Vec<Option<f64>>,
    estimates: Vec<f64>,
    weights: Vec<f64>,
    twfe: f64,
    covariates: Vec<String>,
    #[serde(rename = "Omega")]
    omega: Option<f64>,
    beta_hat_w: Option<f64>,
}

#[derive(Deserialize)]
struct Weights {
    id: String,
    dataset: String,
    columns: [String; 4],
    r#type: TwfeRegressionName,
    cells: TwfeCells,
    covariates: Vec<String>,
    weights: Option<String>,
    beta: f64,
    nr_plus: usize,
    nr_minus: usize,
    sum_plus: f64,
    sum_minus: f64,
    sensibility: f64,
    sensibility2: Option<f64>,
    #[serde(default)]
    rows: Vec<(f64, f64, f64)>,
}

/// R's words.
#[derive(Deserialize)]
enum TwfeRegressionName {
    #[serde(rename = "feTR")]
    FeTr,
    #[serde(rename = "feS")]
    FeS,
    #[serde(rename = "fdTR")]
    FdTr,
    #[serde(rename = "fdS")]
    FdS,
}

fn golden() -> Golden {
    golden_json("twfe.json")
}

#[test]
fn decompositions_are_those_of_r() {
    let golden = golden().bacon;
    assert_eq!(golden.len(), 5);
    for case in golden {
        let [y, id, t, g] = &case.columns;
        let config = Bacon::builder().outcome(y).unit(id).time(t).group(g);
        let config = config.covariates(&case.covariates).build();
        let fit = config.fit(golden_data(&case.dataset)).unwrap();
        assert_eq!(fit.comparisons.len(), case.treated.len(), "{}", case.id);
        for (index, treated) in case.treated.iter().enumerate() {
            let own = fit
                .comparisons
                .iter()
                .find(|of| of.treated == *treated && of.control == case.untreated[index]);
            let own = own.unwrap_or_else(|| panic!("{}: {treated} is missing", case.id));
            near(own.estimate, case.estimates[index], TOLERANCE);
            near(own.weight, case.weights[index], TOLERANCE);
        }
        near(fit.coefficient.estimate.unwrap(), case.twfe, TOLERANCE);
        assert_eq!(fit.within.map(|within| within.weight).is_some(), case.omega.is_some());
        if let (Some(within), Some(omega)) = (fit.within, case.omega) {
            near(within.weight, omega, TOLERANCE);
            near(within.estimate.unwrap(), case.beta_hat_w.unwrap(), 1e-7);
        }
    }
}

/// Castle doctrine laws (Cheng and Hoekstra 2013): the weights that Goodman-Bacon (2021) prints.
#[test]
fn castle_doctrine_has_the_printed_weights() {
    let config = Bacon::builder().outcome("l_homicide").unit("sid").time("year").group("g");
    let fit = config.build().fit(golden_path("castle.csv").as_path()).unwrap();
    let weight = |kind: ComparisonKind| {
        let own = fit.sums.iter().find(|of| of.kind == kind).unwrap();
        (own.weight * 1e3).round() / 1e3
    };
    let kinds = [
        ComparisonKind::EarlierVsLater,
        ComparisonKind::LaterVsEarlier,
        ComparisonKind::TreatedVsNever,
    ];
    assert_eq!(kinds.map(weight), [0.060, 0.032, 0.908]);
    near(fit.coefficient.estimate.unwrap(), 0.081_811_616_930_647, 1e-9);
}

#[test]
fn weights_are_those_of_r() {
    let golden = golden().weights;
    assert_eq!(golden.len(), 9);
    for case in golden {
        println!("{}", case.id);
        let [y, id, t, g] = &case.columns;
        let regression = match case.r#type {
            TwfeRegressionName::FeTr => TwfeRegression::FeTr,
            TwfeRegressionName::FeS => TwfeRegression::FeSOfR,
            TwfeRegressionName::FdTr => TwfeRegression::FdTr,
            TwfeRegressionName::FdS => TwfeRegression::FdS,
        };
        let config = TwfeWeights::builder().outcome(y).unit(id).time(t).group(g);
        let config = config.covariates(&case.covariates).maybe_weights(case.weights);
        let config = config.regression(regression).cells(case.cells).build();
        let fit = config.fit(golden_data(&case.dataset)).unwrap();
        assert_eq!((fit.n_positive, fit.n_negative), (case.nr_plus, case.nr_minus));
        near(fit.coefficient, case.beta, TOLERANCE);
        near(fit.sum_positive, case.sum_plus, TOLERANCE);
        near(fit.sum_negative, case.sum_minus, TOLERANCE);
        near(fit.sd_zero_average.unwrap(), case.sensibility, TOLERANCE);
        assert_eq!(fit.sd_opposite_sign.is_some(), case.sensibility2.is_some());
        if let Some((own, reference)) = fit.sd_opposite_sign.zip(case.sensibility2) {
            near(own, reference, TOLERANCE);
        }
        for (group, time, weight) in case.rows {
            let row = fit.rows.iter().find(|row| row.group == group && row.time == time);
            near(row.unwrap().weight, weight, TOLERANCE);
        }
    }
}
