//! The numbers of the R functions of the authors' tutorial.

use burn_did::Stacked;
use burn_did::stacks::StackEffects;
use serde::Deserialize;

use crate::by_unit::near;
use crate::support::frames::{golden_data, golden_json};

#[derive(Deserialize)]
struct Case {
    id: String,
    dataset: String,
    columns: [String; 4],
    cluster: Option<String>,
    covariates: Vec<String>,
    kappa: [u32; 2],
    copies: bool,
    sub: bool,
    event_times: Vec<i64>,
    estimates: Vec<f64>,
    std_errors: Vec<f64>,
    vcov: Vec<Vec<f64>>,
    att: f64,
    att_se: f64,
    n: usize,
    sub_exp: Vec<f64>,
    control_weights: Vec<(f64, i64, f64)>,
}

#[test]
fn effects_are_those_of_r() {
    let cases: Vec<Case> = golden_json("stacked.json");
    assert_eq!(cases.len(), 11);
    for case in cases {
        println!("{}", case.id);
        let [y, id, t, g] = &case.columns;
        let config = Stacked::builder().outcome(y).unit(id).time(t).group(g);
        let config = config.pre_window(case.kappa[0]).post_window(case.kappa[1]);
        let config = config.covariates(&case.covariates).maybe_cluster(case.cluster);
        let effects = if case.sub { StackEffects::SubExperiment } else { StackEffects::Pooled };
        let config = config.effects(effects).independent_copies(case.copies).build();
        let fit = config.fit(golden_data(&case.dataset)).unwrap();
        assert_eq!(fit.n_stacked, case.n);
        let cohorts: Vec<f64> = fit.sub_experiments.iter().map(|sub| sub.cohort).collect();
        assert_eq!(cohorts, case.sub_exp);
        let place = |at: i64| fit.effects.iter().position(|of| of.event_time == at).unwrap();
        for (i, event_time) in case.event_times.iter().enumerate() {
            let effect = &fit.effects[place(*event_time)].estimate;
            near(effect.estimate.unwrap(), case.estimates[i], 1e-9);
            near(effect.se.unwrap(), case.std_errors[i], 1e-8);
            for (j, other) in case.event_times.iter().enumerate() {
                let own = fit.vcov[place(*event_time)][place(*other)];
                let size = case.std_errors[i] * case.std_errors[j];
                assert!((own - case.vcov[i][j]).abs() <= 1e-7 * size);
            }
        }
        near(fit.overall.estimate.unwrap(), case.att, 1e-9);
        near(fit.overall.se.unwrap(), case.att_se, 1e-8);
        for (cohort, event_time, weight) in case.control_weights {
            let sub = fit.sub_experiments.iter().find(|sub| sub.cohort == cohort).unwrap();
            near(sub.control_weights[place(event_time)], weight, 1e-9);
        }
    }
}
