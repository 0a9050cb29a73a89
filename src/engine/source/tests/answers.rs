//! The ordered merge of answers, and what it refuses.

use crate::base::error::Result;
use crate::engine::backend::Cpu;
use crate::engine::pass::{
    Consumers, Gram, GramJob, GramPass, InfluencePass, KeptRows, LogitJob, LogitPass, Seal,
    Segment, StratumPlan, TILE, Weight,
};
use crate::engine::source::answer::{Answer, LOCAL, Ledger, Merge};
use crate::engine::source::pass::Pass;
use crate::engine::source::upload::put;
use crate::engine::source::{AnyPass, AnyStat, HostStrata, KnownStat};
use crate::read::panel::{Strata, StratumData};

/// Two strata of three and two segments of a tile, whose last tiles are short.
fn strata() -> Vec<StratumData> {
    let mut first = 0;
    let mut stratum = |rows: usize| {
        let value = |i: usize| ((first + i) as f64 * 0.7).sin();
        let columns = |count: usize| (0..count * rows).map(value).collect::<Vec<f64>>();
        let (y, x, w) = (columns(2), columns(1), columns(1).iter().map(|w| w + 1.5).collect());
        let rank = (first as u64..).take(rows).collect();
        first += rows;
        StratumData { rows, y, x, w, rank, cluster: (0..rows as u32).map(|i| i % 3).collect() }
    };
    vec![stratum(2 * TILE + 5), stratum(TILE + 1)]
}

fn jobs() -> GramPass {
    let job = |stratum, w| GramJob { stratum, x: 0, w, odds: None, outcomes: vec![0, 1] };
    let jobs = vec![job(0, Weight::Ones), job(0, Weight::Column(0)), job(1, Weight::Ones)];
    GramPass { k: 2, periods: 2, trim: 0.995, jobs }
}

fn ledger() -> Ledger {
    HostStrata::with_segments(Strata::Resident(strata()), TILE).ledger
}

/// Answers of all segments, in order.
fn answers(pass: &AnyPass) -> Vec<Answer<AnyStat>> {
    let strata = strata();
    let answer = |(segment, seal): &(Segment, Seal)| {
        let (stratum, start) = (segment.stratum, segment.part * TILE);
        let rows = strata[stratum].cut(start, start + seal.rows as usize);
        let chunk = put::<Cpu>(stratum, rows, 2, Default::default(), &Default::default()).unwrap();
        let mut stat = pass.none_of(stratum);
        let kept = pass.accumulate(&chunk, &mut stat).unwrap().into_iter().collect();
        Answer { question: LOCAL, segment: *segment, seal: *seal, stat, kept }
    };
    ledger().entries().iter().map(answer).collect()
}

fn merged(pass: &AnyPass, answers: Vec<Answer<AnyStat>>) -> Result<(AnyStat, Vec<KeptRows>)> {
    let ledger = ledger();
    let mut merge = Merge::new(&ledger, pass, LOCAL);
    let mut kept = Vec::new();
    for answer in answers {
        merge.add(answer, &mut |rows| {
            kept.push(rows);
            Ok(())
        })?;
    }
    Ok((merge.finish()?, kept))
}

/// The whole strata as one chunk each.
fn whole<P: Pass>(pass: &P) -> P::Stat {
    let mut total = pass.none();
    for (stratum, data) in strata().into_iter().enumerate() {
        let chunk = put::<Cpu>(stratum, data, 2, Default::default(), &Default::default()).unwrap();
        let mut part = pass.none_of(stratum);
        pass.accumulate(&chunk, &mut part).unwrap();
        pass.merge(&mut total, stratum, &part).unwrap();
    }
    total
}

#[test]
fn parts_add_up_to_the_whole() {
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    let pass = jobs();
    let (sums, _) = merged(&pass.clone().into(), answers(&pass.clone().into())).unwrap();
    let sums = <Vec<Gram>>::from_any(sums).unwrap();
    assert_eq!(sums.len(), 3);
    for (sum, whole) in sums.iter().zip(whole(&pass)) {
        assert!(near(&sum.zz, &whole.zz) && near(&sum.zy, &whole.zy));
    }
    assert_eq!(sums[2].zz[0], (TILE + 1) as f64, "a job has its own stratum's rows");

    let gamma = vec![0.2, -0.4];
    let job = |stratum, treated| LogitJob {
        stratum,
        x: 0,
        w: Weight::Ones,
        treated,
        gamma: gamma.clone(),
    };
    let pass = LogitPass { k: 2, jobs: vec![job(0, true), job(1, false)], thinning: 1 };
    let AnyStat::Logit(sums) =
        merged(&pass.clone().into(), answers(&pass.clone().into())).unwrap().0
    else {
        panic!("scores")
    };
    for (sum, whole) in sums.iter().zip(whole(&pass)) {
        assert!(near(&sum.score, &whole.score) && near(&sum.hessian, &whole.hessian));
        assert_eq!(sum.max_p, whole.max_p);
    }
}

#[test]
fn answers_are_added_in_order_whatever_order_they_come_in() {
    let pass: AnyPass = jobs().into();
    let in_order = merged(&pass, answers(&pass)).unwrap();
    let mut others = answers(&pass);
    others.reverse();
    others.swap(1, 3);
    assert_eq!(merged(&pass, others).unwrap(), in_order);
}

fn refused(pass: &AnyPass, answers: Vec<Answer<AnyStat>>, problem: &str) {
    let error = merged(pass, answers).expect_err(problem).to_string();
    assert!(error.contains(problem), "{error}");
}

#[test]
fn missing_doubled_and_foreign_answers_are_refused() {
    let pass: AnyPass = jobs().into();
    for missing in 0..5 {
        let mut answers = answers(&pass);
        answers.remove(missing);
        refused(&pass, answers, "did not answer");
    }
    refused(&pass, Vec::new(), "part 0 of stratum 0 did not answer");
    for again in 0..5 {
        let mut answers = answers(&pass);
        answers.insert(5 - again, answers[again].clone());
        refused(&pass, answers, "answered twice");
    }
    let with = |change: &dyn Fn(&mut Answer<AnyStat>)| {
        let mut answers = answers(&pass);
        change(&mut answers[2]);
        answers
    };
    refused(&pass, with(&|a| a.question = 1), "answered another question");
    refused(&pass, with(&|a| a.segment.part = 9), "part 9 of stratum 0 was not asked");
    refused(&pass, with(&|a| a.segment.stratum = 7), "was not asked");
    refused(&pass, with(&|a| a.seal.rows += 1), "answered for other rows");
    refused(&pass, with(&|a| a.seal = Seal::of(&[1, 2, 3, 4, 5])), "answered for other rows");
    let short = |a: &mut Answer<AnyStat>| a.stat = AnyStat::Gram(vec![Gram::zero(2, 2)]);
    refused(&pass, with(&short), "1 statistics were to be added to 2");
    let other = |a: &mut Answer<AnyStat>| a.stat = AnyStat::Logit(Vec::new());
    refused(&pass, with(&other), "the statistic of another");
}

#[test]
fn kept_rows_are_those_of_the_segment() {
    let consumers = Consumers { clusters: Some(3), multipliers: None, keep_rows: true };
    let share = |column| {
        let share = crate::engine::pass::Share { column, w: Weight::Column(0), scale: 1.0 };
        StratumPlan { share: Some(share), ..StratumPlan::default() }
    };
    let pass =
        InfluencePass { columns: 2, trim: 0.995, strata: vec![share(0), share(1)], consumers };
    let pass: AnyPass = pass.into();
    let (_, kept) = merged(&pass, answers(&pass)).unwrap();
    let ranks: Vec<u64> = kept.iter().flat_map(|rows| rows.ranks.clone()).collect();
    assert_eq!(ranks, (0..(3 * TILE + 6) as u64).collect::<Vec<_>>());
    let with = |change: &dyn Fn(&mut KeptRows)| {
        let mut answers = answers(&pass);
        change(&mut answers[1].kept[0]);
        answers
    };
    let other = "kept other rows than it has";
    refused(&pass, with(&|rows| rows.ranks[0] += 1), other);
    refused(&pass, with(&|rows| rows.values.truncate(7)), other);
    refused(&pass, with(&|rows| *rows = KeptRows::default()), other);
}
