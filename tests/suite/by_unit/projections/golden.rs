//! The numbers of R `lpdid`, corrected where it errs.

use burn_did::LocalProjections;
use burn_did::projections::{ProjectionBase, ProjectionMethod};
use serde::Deserialize;

use super::at;
use crate::by_unit::near;
use crate::support::frames::{golden_data, golden_json};

#[derive(Deserialize)]
struct Case {
    id: String,
    dataset: String,
    columns: [String; 4],
    cluster: Option<String>,
    covariates: Vec<String>,
    window: [i64; 2],
    rw: bool,
    nocomp: bool,
    pmd: Option<u32>,
    pooled: bool,
    dylags: u32,
    names: Vec<i64>,
    estimates: Vec<f64>,
    std_errors: Vec<Option<f64>>,
    n: Vec<usize>,
    adjusted: Option<(Vec<i64>, Vec<f64>, Vec<f64>)>,
}

impl Case {
    fn config(&self) -> LocalProjections {
        let [y, id, t, g] = &self.columns;
        LocalProjections::builder()
            .outcome(y)
            .unit(id)
            .time(t)
            .group(g)
            .pre_window(self.window[0].unsigned_abs() as u32)
            .post_window(self.window[1] as u32)
            .method(if self.rw { ProjectionMethod::Reweighted } else { ProjectionMethod::Variance })
            .base(self.pmd.map_or(ProjectionBase::Last, ProjectionBase::Mean))
            .no_composition_changes(self.nocomp)
            .outcome_lags(self.dylags)
            .covariates(&self.covariates)
            .maybe_cluster(self.cluster.clone())
            .build()
    }
}

#[test]
fn effects_are_those_of_r() {
    let (mut compared, mut adjusted) = (0, 0);
    let cases: Vec<Case> = golden_json("lpdid.json");
    assert_eq!(cases.len(), 14);
    for case in cases {
        println!("{}", case.id);
        let data = golden_data(&case.dataset);
        let mut config = case.config();
        let fit = config.fit(&data).unwrap();
        for (i, name) in case.names.iter().enumerate() {
            let effect = match case.pooled {
                true => &fit.pooled,
                false => fit.effects.iter().find(|effect| effect.event_time == *name).unwrap(),
            };
            if case.dylags > 0 && *name == -2 {
                assert_eq!((effect.estimate.estimate, effect.status.code()), (None, "estimator"));
                continue;
            }
            near(effect.estimate.estimate.unwrap(), case.estimates[i], 1e-9);
            assert_eq!(effect.n_rows, case.n[i], "{name}");
            match case.std_errors[i] {
                Some(se) => near(effect.estimate.se.unwrap(), se, 1e-8),
                None => assert_eq!(effect.status.code(), "reference"),
            }
            compared += 1;
        }
        if let Some((names, estimates, errors)) = &case.adjusted {
            config.method = ProjectionMethod::Adjusted;
            let fit = config.fit(&data).unwrap();
            for (i, name) in names.iter().enumerate() {
                let (estimate, se) = at(&fit, *name);
                near(estimate.unwrap(), estimates[i], 1e-9);
                near(se.unwrap(), errors[i], 1e-8);
                adjusted += 1;
            }
        }
    }
    assert_eq!((compared, adjusted), (81, 6));
}
