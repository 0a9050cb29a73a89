//! Every order and every answer as bytes and back, with numbers that are none.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use polars::prelude::{Column, DataFrame, DataType};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fits::{Shared, workers};
use crate::base::error::Result;
use crate::base::options::{Multiplier, Precision};
use crate::base::parallel::held;
use crate::cluster::engine::{Engine, OnAnswer};
use crate::cluster::manifest::SampleFile;
use crate::cluster::task::{
    Finishing, KeptFile, KeptPart, Message, Problem, ProblemKind, Reply, Task, Unfinished,
};
use crate::cluster::threads::ThreadWorkers;
use crate::cluster::wire::{TAIL, decode, digest, encode, sealed};
use crate::cluster::{Cluster, PrepareOptions, Session};
use crate::data::Simulation;
use crate::engine::backend::Cpu;
use crate::engine::condition::{Change, Look, LookStat};
use crate::engine::pass::{
    Bins, Consumers, Dot, Gram, GramJob, GramPass, InfluencePass, InfluenceStat, KeptRows, Leg,
    LogitJob, LogitPass, LogitStat, Multipliers, PlanColumn, Seal, Segment, Share, StratumPlan,
    TILE, Weight, WeightSums, WeightingJob, WeightingPass,
};
use crate::engine::source::{Answer, AnyPass, AnyStat, KeptColumn, ReweightedDraws};
use crate::estimator::AttGt;
use crate::estimator::local_projections::LocalProjections;
use crate::estimator::shell::through::remotely;
use crate::estimator::stacked::Stacked;

/// Numbers whose bits a text or a rounding would change.
pub(super) fn awkward() -> Vec<f64> {
    let quiet = f64::from_bits(0x7FF8_0000_DEAD_BEEF);
    let signalling = f64::from_bits(0xFFF0_0000_0000_0001);
    let odd = [0.1 + 0.2, f64::MIN_POSITIVE / 3.0, -0.0, f64::MAX];
    odd.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY, quiet, signalling]).collect()
}

fn sample() -> SampleFile {
    SampleFile { path: "/shared/a b/sample.manifest".into(), digest: u64::MAX }
}

fn message(outcome: std::result::Result<Reply, Problem>) -> Message {
    let (worker, arithmetic) = ("executor 7".into(), "ndarray".into());
    Message { question: 1 << 63, worker, arithmetic, bytes_read: 1 << 40, outcome }
}

/// Values are compared by their bytes, in which nothing is equal but equal bits.
fn travels<T: Serialize + DeserializeOwned + Debug>(value: &T) {
    let bytes = encode(value).unwrap();
    let back: T = decode(&bytes).unwrap();
    assert_eq!(encode(&back).unwrap(), bytes);
    assert_eq!(format!("{back:?}"), format!("{value:?}"));
}

pub(super) fn passes() -> Vec<AnyPass> {
    let job = |stratum, w, odds| GramJob { stratum, x: 1, w, odds, outcomes: vec![0, 3] };
    let jobs = vec![
        job(0, Weight::Ones, None),
        job(2, Weight::Column(1), Some(awkward())),
        job(2, Weight::Product(0, 4), Some(Vec::new())),
    ];
    let gram = GramPass { k: 8, periods: 4, trim: f64::NAN, jobs };
    let (w, gamma) = (Weight::Column(2), awkward());
    let jobs = vec![LogitJob { stratum: 3, x: 0, w, treated: true, gamma }];
    let logit = LogitPass { k: 8, jobs, thinning: 16 };
    let leg = Leg { prop: Some(1), c: f64::NAN, f: -0.0, h: f64::INFINITY, ..Leg::default() };
    let plan = StratumPlan {
        dots: vec![Dot { x: 2, v: awkward() }],
        props: vec![0],
        columns: vec![PlanColumn { column: 5, legs: vec![leg.clone(), leg] }],
        share: Some(Share { column: 6, w: Weight::Ones, scale: 1e-300 }),
    };
    let multipliers = Some(Multipliers { law: Multiplier::Webb, seed: u64::MAX, draws: 999 });
    let consumers = Consumers { clusters: Some(70_000), multipliers, keep_rows: true };
    let strata = vec![StratumPlan::default(), plan];
    let influence = InfluencePass { columns: 7, trim: 0.995, strata, consumers };
    let mut passes = vec![
        AnyPass::from(gram),
        AnyPass::from(logit),
        AnyPass::from(influence),
        AnyPass::from(weighting()),
    ];
    let draws = ReweightedDraws::batches(9, 40, true).last().expect("three batches");
    let reweighted = |pass: &AnyPass| pass.clone().reweighted(draws.clone());
    let reweighted: Vec<AnyPass> = passes.iter().map(reweighted).collect();
    passes.extend(reweighted);
    passes
}

fn weighting() -> WeightingPass {
    let job = WeightingJob {
        stratum: 3,
        x: 1,
        w: Weight::Product(0, 2),
        control: true,
        sign: -1.0,
        post: 2,
        base: Some(1),
        gamma: Some(awkward()),
        c: f64::NAN,
        h: -0.0,
        b: None,
        t: Some(Vec::new()),
    };
    let bins = vec![vec![Bins { lower: f64::NEG_INFINITY, width: 0.1 }; 7]];
    let (k, trim) = (8, 0.995);
    WeightingPass { k, trim, transform: awkward(), bins, keep_rows: true, jobs: vec![job] }
}

fn stats() -> Vec<AnyStat> {
    let sums = || InfluenceStat { cross: awkward(), clusters: Vec::new(), draws: awkward() };
    let weights = WeightSums { squares: f64::NAN, trimmed_rows: -0.0, ..WeightSums::default() };
    let gram = Gram { zz: awkward(), zy: awkward(), weights };
    let logit = LogitStat { score: awkward(), hessian: awkward(), max_p: f64::NAN };
    vec![
        AnyStat::Gram(vec![gram.clone(), Gram::zero(2, 3), gram]),
        AnyStat::Logit(vec![logit]),
        AnyStat::Influence(sums()),
        AnyStat::Weighting(vec![weighting().zero(&weighting().jobs[0])]),
        AnyStat::Gram(Vec::new()),
    ]
}

fn answer<S>(stat: S) -> Answer<S> {
    let ranks = vec![0, 1 << 32, u64::MAX];
    let segment = Segment { stratum: 12, part: 300 };
    let seal = Seal::of(&ranks);
    let (clusters, columns, values) = (vec![0, 7, u32::MAX], vec![0, 9], awkward()[..6].to_vec());
    let kept = vec![KeptRows { ranks, clusters, columns, values }];
    Answer { question: u64::MAX - 1, segment, seal, stat, kept }
}

#[test]
fn every_pass_and_every_statistic_keeps_its_bits() {
    for (pass, precision) in passes().iter().zip([Precision::F64, Precision::F32].iter().cycle()) {
        travels(&Task::Pass {
            sample: Cow::Owned(sample()),
            segments: vec![0, 7, u32::MAX],
            choice: None,
            change: Cow::Owned(Change::example(&awkward())),
            k: 9,
            precision: *precision,
            pass: Cow::Borrowed(pass),
            keep: Some(Cow::Borrowed("/shared/a b".as_ref())),
        });
    }
    let answers = stats().into_iter().map(answer).collect();
    let (path, digests) = ("/shared/kept.bin".into(), vec![0, u64::MAX]);
    let kept = KeptFile { path, columns: vec![0, 9], digests };
    travels(&message(Ok(Reply::Passed(answers, vec![kept]))));
}

/// Work on influence values, with a column that is a sum and one that is none.
pub(super) fn unfinished() -> Unfinished<'static> {
    let column = |name: &str, from: &[usize]| KeptColumn { name: name.into(), from: from.to_vec() };
    let columns = vec![column("att(2004,2005)", &[0, 2, 1]), column("att", &[])];
    let (path, labels) = ("/nowhere/kept.bin".into(), Some(("/nowhere/labels.bin".into(), 7)));
    let part = KeptPart { path, offset: 1 << 33, rows: 3, digest: 5, columns: vec![0, 2], labels };
    Unfinished {
        parts: vec![part],
        first: 1 << 40,
        rows: 3,
        finishing: Cow::Owned(Finishing { columns, scale: (f64::MIN_POSITIVE, 0.1 + 0.2) }),
        directory: Cow::Borrowed("/nowhere/influence".as_ref()),
    }
}

#[test]
fn work_on_influence_values_keeps_its_bits() {
    travels(&Task::Influence(unfinished()));
    let seal = Seal::of(&[1, 2]);
    travels(&message(Ok(Reply::Influence("s3://bucket/a b.parquet".into(), seal))));
}

#[test]
fn every_look_every_answer_to_it_and_the_change_keep_their_bits() {
    for look in Look::examples(&awkward()) {
        let (sample, look) = (Cow::Owned(sample()), Cow::Owned(look));
        travels(&Task::Look { sample, segments: vec![3], choice: None, look });
    }
    let answers = LookStat::examples(&awkward()).into_iter().map(answer).collect();
    travels(&message(Ok(Reply::Looked(answers))));
}

/// An engine that writes what goes through it once more, and notes what that is.
struct Noting {
    engine: ThreadWorkers,
    kinds: Mutex<BTreeSet<String>>,
}

impl Noting {
    fn note(&self, of: &str, value: &impl Debug) {
        let text = format!("{value:?}");
        let kind = text.split(|c: char| !c.is_alphanumeric()).next().expect("a name");
        held(&self.kinds).insert(format!("{of} {kind}"));
    }
}

impl Engine for Noting {
    fn workers(&self) -> Result<usize> {
        self.engine.workers()
    }

    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        on_answer: &mut OnAnswer<'_>,
    ) -> Result<()> {
        for bytes in tasks {
            let task: Task<'static> = decode(bytes)?;
            assert_eq!(encode(&task)?, *bytes);
            travels(&task);
            self.note("task", &task);
        }
        self.engine.map(stage, tasks, &mut |number, bytes| {
            let message: Message = decode(&bytes).unwrap();
            assert_eq!(encode(&message).unwrap(), bytes);
            travels(&message);
            match &message.outcome {
                Ok(reply) => self.note("reply", reply),
                Err(problem) => self.note("reply", problem),
            }
            on_answer(number, bytes)
        })
    }
}

/// Messages between driver and workers, for unordered rows whose values are kept, and for rows with an error in one of them.
#[test]
fn every_order_and_every_answer_of_fits_keeps_its_bits() {
    let simulation = Simulation::builder().units(300).periods(4).cohorts([3, 4]).covariates(1);
    let data = simulation.clusters(30).build().frame();
    let data = data.sort(["y"], Default::default()).unwrap();
    let group = data.column("group").unwrap().cast(&DataType::Float64).unwrap();
    let mut group: Vec<Option<f64>> = group.f64().unwrap().iter().collect();
    group[700] = Some(-3.0);
    let mut wrong = data.clone();
    wrong.with_column(Column::new("group".into(), group)).unwrap();
    let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let estimator = named.covariates("~ x1").cluster("cluster").keep_influence(true).build();
    let engine = Arc::new(Noting { engine: workers(2), kinds: Mutex::default() });
    let fits = |data: &DataFrame| {
        let shared = Shared::new(data, 2, 300);
        let influence = shared.directory().join("influence");
        std::fs::create_dir(&influence).unwrap();
        let options = PrepareOptions {
            directory: shared.directory().to_owned(),
            influence: Some(influence),
            precision: Precision::F64,
            part_rows: Some(300),
            segment_rows: Some(TILE),
        };
        remotely(&estimator, shared.path(), Session::new(engine.clone()), &options).is_ok()
    };
    assert!(fits(&data) && !fits(&wrong));
    let by_unit = |data: &DataFrame, weights: Option<&str>| {
        let shared = Shared::new(data, 3, 300);
        let cluster = Cluster::of(engine.clone()).with_directory(shared.directory());
        let named = LocalProjections::builder().outcome("y").unit("id").time("period");
        let named = named.group("group").covariates(["x1"]).cluster("cluster");
        let named = named.maybe_weights(weights).pre_window(1).post_window(0);
        named.build().fit_cluster(&cluster, shared.path()).is_ok()
    };
    assert!(by_unit(&data, None) && !by_unit(&data, Some("y")));
    let stacks = Stacked::builder().outcome("y").unit("id").time("period").group("group");
    let (shared, stacks) = (Shared::new(&data, 3, 300), stacks.pre_window(1).post_window(0));
    let cluster = Cluster::of(engine.clone()).with_directory(shared.directory());
    assert!(stacks.build().fit_cluster(&cluster, shared.path()).is_ok());
    let tasks = [
        "Arrange",
        "Check",
        "CheckUnits",
        "Ends",
        "Influence",
        "Look",
        "Pass",
        "Show",
        "Split",
        "Times",
        "Units",
    ];
    let replies = [
        "Arranged",
        "Checked",
        "Ends",
        "Influence",
        "Looked",
        "Passed",
        "Problem",
        "Shown",
        "Split",
        "Times",
        "Units",
    ];
    let all: BTreeSet<String> = tasks
        .map(|kind| format!("task {kind}"))
        .into_iter()
        .chain(replies.map(|kind| format!("reply {kind}")))
        .collect();
    assert_eq!(*held(&engine.kinds), all);
}

#[test]
fn problems_keep_their_words() {
    for kind in [ProblemKind::Lasting, ProblemKind::OfARow, ProblemKind::Passing] {
        travels(&message(Err(Problem { text: "column `y` ≠ number".into(), kind })));
    }
}

#[test]
fn a_message_takes_little_more_than_its_numbers() {
    let numbers = vec![0.3; 10_000];
    let stat = InfluenceStat { cross: numbers, clusters: Vec::new(), draws: Vec::new() };
    assert!(encode(&AnyStat::Influence(stat)).unwrap().len() < 80_000 + 40);
}

/// Damage is found by the digest; bytes with a right digest that mean something else, by the form.
#[test]
fn damaged_messages_are_errors() {
    let message = encode(&answer(stats().remove(0))).unwrap();
    for at in 0..message.len() {
        for bit in [0, 3, 7] {
            let mut damaged = message.clone();
            damaged[at] ^= 1 << bit;
            assert!(decode::<Answer<AnyStat>>(&damaged).is_err(), "byte {at}, bit {bit}");
        }
        assert!(decode::<Answer<AnyStat>>(&message[..at]).is_err(), "{at} bytes");
    }
    let twice = [message.clone(), message.clone()].concat();
    assert!(decode::<Answer<AnyStat>>(&twice).is_err());
    assert!(decode::<Answer<LookStat>>(&message).is_err());
    assert!(decode::<Task<'static>>(&message).is_err());
}

/// Another build may mean something else by the same bytes.
#[test]
fn messages_of_other_builds_are_errors() {
    let mut bytes = encode(&answer(stats().remove(0))).unwrap();
    bytes.truncate(bytes.len() - TAIL);
    let signed = |mut bytes: Vec<u8>| {
        bytes.extend(digest(&bytes).to_le_bytes());
        bytes
    };
    let other = signed([bytes.clone(), 7u64.to_le_bytes().to_vec()].concat());
    for other in [other, signed(bytes)] {
        let error = decode::<Answer<AnyStat>>(&other).unwrap_err().to_string();
        assert!(error.contains("another build of burn-did"), "{error}");
    }
}

/// A length that is not followed by as many numbers must not be believed when memory is taken.
#[test]
fn absurd_lengths_are_errors_and_take_no_memory() {
    // Influence sums whose cross-moments are said to be 2^63 numbers.
    let mut bytes = vec![2];
    bytes.extend([0x80; 9]);
    bytes.push(1);
    assert!(decode::<AnyStat>(&sealed(bytes.clone())).is_err());
    bytes.extend([0; 64]);
    assert!(decode::<AnyStat>(&sealed(bytes)).is_err());
    assert!(decode::<AnyStat>(&sealed(vec![250])).is_err());
    assert!(decode::<AnyStat>(&sealed(Vec::new())).is_err());
    for seed in 0..2_000u64 {
        let noise: Vec<u8> =
            (0..seed % 60).map(|i| (crate::engine::pass::mix(seed << 8 | i) >> 32) as u8).collect();
        // What noise may mean by chance is at least as short as it.
        if let Ok(stat) = decode::<AnyStat>(&sealed(noise.clone())) {
            assert!(encode(&stat).unwrap().len() <= noise.len() + 24);
        }
    }
}
