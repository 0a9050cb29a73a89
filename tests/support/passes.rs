//! Passes over chunks of random data, to be timed.
#![allow(dead_code, unreachable_pub, reason = "each user takes a part")]

use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use burn_did::backend::DidBackend;
use burn_did::options::Multiplier;
use burn_did::pass::{Chunk, Consumers, GramJob, LogitJob, Multipliers, Weight};

use super::sample::{self, Sample};

/// A pass over some chunks.
pub struct NamedPass {
    /// Name in a table.
    pub name: &'static str,
    /// Values of a row that the pass must read at least once.
    pub values: usize,
    run: Box<dyn Fn()>,
}

/// The passes of a fit, each over all chunks.
pub fn passes<B: DidBackend>(
    sample: &Sample,
    chunks: Vec<Chunk<B>>,
    draws: usize,
) -> Vec<NamedPass> {
    let (periods, covariates) = (sample.periods, sample.k - 1);
    let plan = sample.plan();
    let gamma = sample.coefficients(0, 1.0);
    let w = Weight::Column(0);
    let gram = |odds| {
        let outcomes = (0..periods).collect();
        GramJob::new(0, 0, w, odds, outcomes)
    };
    let (plain, weighted) = (gram(None), gram(Some(gamma.clone())));
    let logit = LogitJob::new(0, 0, w, false, gamma);
    let covariance = Consumers::default();
    let multipliers = Multipliers::new(Multiplier::Mammen, 1, draws);
    let bootstrap = covariance.multipliers(multipliers);
    let chunks = Rc::new(chunks);
    let (a, b, c, d, e) = (chunks.clone(), chunks.clone(), chunks.clone(), chunks.clone(), chunks);
    let bootstrap_plan = plan.clone();
    let of_gram = periods + covariates + 1;
    let of_influence = periods + sample.versions * covariates + 2;
    vec![
        NamedPass {
            name: "cross-products",
            values: of_gram,
            run: Box::new(move || drop(black_box(sample::gram(&a, &plain, periods)))),
        },
        NamedPass {
            name: "cross-products, odds",
            values: of_gram,
            run: Box::new(move || drop(black_box(sample::gram(&b, &weighted, periods)))),
        },
        NamedPass {
            name: "logit",
            values: covariates + 1,
            run: Box::new(move || drop(black_box(sample::logit(&c, &logit, 1)))),
        },
        NamedPass {
            name: "influence, covariance",
            values: of_influence,
            run: Box::new(move || drop(black_box(sample::influence(&d, &plan, covariance)))),
        },
        NamedPass {
            name: "influence, bootstrap",
            values: of_influence,
            run: Box::new(move || {
                drop(black_box(sample::influence(&e, &bootstrap_plan, bootstrap)));
            }),
        },
    ]
}

impl NamedPass {
    /// Runs the pass.
    pub fn once(&self) {
        (self.run)();
    }
}

/// The fastest of three runs after one that compiles.
pub fn milliseconds(pass: &NamedPass) -> f64 {
    pass.once();
    let run = |_| {
        let start = Instant::now();
        pass.once();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..3).map(run).fold(f64::INFINITY, f64::min)
}
