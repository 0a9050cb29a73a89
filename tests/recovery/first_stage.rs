//! Imputation and two stages.

use burn_did::imputation::{PretrendTimes, StageEffects, StageTerm};
use burn_did::{Imputation, TwoStage};
use polars::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::coverage::{Draw, check, check_conservative};

const CLUSTERS: usize = 80;
const UNITS: usize = 400;
const PERIODS: usize = 7;

/// The effect of a group in a period: groups differ, and effects grow.
fn effect(group: f64, time: f64) -> f64 {
    0.5 + 0.3 * (time - group) + 0.4 * (group - 4.0)
}

/// Units in clusters that share shocks, with weights; one row in ten is not there.
fn sample(seed: u64) -> DataFrame {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut uniform = || random.random::<f64>();
    let mut columns: [Vec<f64>; 6] = Default::default();
    let normal = |uniform: &mut dyn FnMut() -> f64| {
        (-2.0 * (1.0 - uniform()).ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    };
    let mut shocks = [[0.0; PERIODS]; CLUSTERS];
    for shocks in &mut shocks {
        let mut last = 0.0;
        for shock in shocks.iter_mut() {
            last = 0.5 * last + 0.6 * normal(&mut uniform);
            *shock = last;
        }
    }
    for unit in 0..UNITS {
        let (cluster, level) = (unit % CLUSTERS, normal(&mut uniform));
        let group = [0.0, 3.0, 4.0, 6.0][(4.0 * uniform()) as usize % 4];
        let w = 0.5 + uniform();
        for (t, shock) in shocks[cluster].iter().enumerate() {
            let time = t as f64 + 1.0;
            let treated = group > 0.0 && time >= group;
            let gain = if treated { effect(group, time) } else { 0.0 };
            let y = level + 0.2 * time * time.sqrt() + shock + gain + normal(&mut uniform);
            if uniform() < 0.9 {
                let row = [unit as f64, time, group, y, w, cluster as f64];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
        }
    }
    let [id, t, g, y, w, cl] = columns;
    df!("id" => id, "t" => t, "g" => g, "y" => y, "w" => w, "cl" => cl).unwrap()
}

/// The effects from treatment on, and those before it, with what they are of.
fn draws(df: &DataFrame, effects: &StageEffects) -> Vec<Draw> {
    let column = |name: &str| -> Vec<f64> {
        df.column(name).unwrap().f64().unwrap().into_no_null_iter().collect()
    };
    let [t, g, w] = ["t", "g", "w"].map(column);
    let truth = |is_meant: &dyn Fn(f64) -> bool| {
        let (mut sum, mut weights) = (0.0, 0.0);
        for ((t, g), w) in t.iter().zip(&g).zip(&w) {
            if *g > 0.0 && t >= g && is_meant(t - g) {
                sum += w * effect(*g, *t);
                weights += w;
            }
        }
        sum / weights
    };
    let draw = |row: &burn_did::imputation::StageEffect| {
        let (parameter, truth) = match row.term {
            StageTerm::Overall => ("overall".to_owned(), truth(&|_| true)),
            StageTerm::EventTime(at) if at >= 0.0 => {
                (format!("event time {at}"), truth(&|event| event == at))
            }
            StageTerm::EventTime(at) => (format!("event time {at}"), 0.0),
            _ => return None,
        };
        Some(Draw { parameter, truth, estimate: row.estimate })
    };
    effects.rows.iter().filter_map(draw).collect()
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn imputation() {
    let config = Imputation::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.weights("w").cluster("cl").pretrends(PretrendTimes::At(vec![-2.0, -1.0]));
    let config = config.build();
    check("imputation, weighted, clustered", |seed| {
        let df = sample(seed);
        draws(&df, &config.fit(&df).unwrap().effects)
    });
}

#[test]
#[ignore = "2,000 replications, minutes"]
fn two_stages() {
    let config = TwoStage::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.weights("w").cluster("cl").build();
    // Differences of effects between groups count as noise.
    check_conservative("two stages, weighted, clustered", |seed| {
        let df = sample(seed);
        draws(&df, &config.fit(&df).unwrap().effects)
    });
}
