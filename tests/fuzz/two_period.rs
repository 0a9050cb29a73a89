//! `Drdid`: the six estimators of panels and the eight of repeated cross sections.

use std::collections::BTreeMap;

use burn_did::backend::Cpu;
use burn_did::{Drdid, DrdidResult, audit::Layout, options::DrdidMethod};
use polars::prelude::DataFrame;

use crate::formula::Formula;
use crate::group_time::{formula, limits};
use crate::oracle::cells::{Gathered, Shape, gather};
use crate::oracle::linear::dot;
use crate::oracle::sample::{Request, Sample, Timing, Unit, sample};
use crate::oracle::{Did, Failure, Method, Rules, twfe};
use crate::population::{Population, Weighting};
use crate::random::Random;
use crate::records::{Record, frame};
use crate::run::run;
use crate::tally::{Expected, Tally};
use crate::verdict::{Limits, estimate, failed, overlap, refused};

/// A data set and the options of its fits.
struct Design {
    population: Population,
    formula: Formula,
    sections: bool,
    weighted: bool,
    clustered: bool,
    identified: bool,
    trim: f64,
    records: Vec<Record>,
}

/// An estimator.
#[derive(Clone, Copy, Debug)]
struct Estimator {
    method: DrdidMethod,
    efficient: bool,
}

const METHODS: [DrdidMethod; 6] = [
    DrdidMethod::DoublyRobustImproved,
    DrdidMethod::DoublyRobust,
    DrdidMethod::OutcomeRegression,
    DrdidMethod::Ipw,
    DrdidMethod::IpwHorvitzThompson,
    DrdidMethod::Twfe,
];

impl Design {
    fn new(random: &mut Random) -> Self {
        let start = random.pick(&[0.0, 1.0, 2010.0]);
        let periods = vec![start, start + random.pick(&[1.0, 1.0, 3.0])];
        let cohorts =
            vec![(periods[1], random.uniform(0.2, 1.0)), (f64::INFINITY, random.uniform(0.2, 1.0))];
        let mut population = Population::new(random, periods, cohorts);
        if random.chance(0.15) {
            population.absent = 0.05;
        }
        let sections = random.chance(0.5);
        let identified = !sections || random.chance(0.5);
        let mut records = population.rows(random);
        if !identified {
            records.retain(|_| random.chance(0.7));
        }
        let weighted = population.weighting != Weighting::None;
        Self {
            formula: formula(random),
            sections,
            weighted,
            clustered: random.chance(0.3),
            identified,
            trim: random.pick(&[0.995, 0.995, 0.995, 0.9, 0.6]),
            population,
            records,
        }
    }

    fn words(&self) -> String {
        let layout = if self.sections { "repeated cross sections" } else { "panel" };
        format!(
            "{layout}, {} rows, `{}`, trim {}, clustered {}, {:?}",
            self.records.len(),
            self.formula.text,
            self.trim,
            self.clustered,
            self.population
        )
    }

    fn fit(&self, estimator: Estimator, df: &DataFrame) -> burn_did::Result<DrdidResult> {
        Drdid::<Cpu>::builder()
            .outcome("y")
            .maybe_unit(self.identified.then_some("id"))
            .time("t")
            .treatment("d")
            .covariates(self.formula.text)
            .maybe_weights(self.weighted.then_some("w"))
            .maybe_cluster(self.clustered.then_some("cl"))
            .method(estimator.method)
            .locally_efficient(estimator.efficient)
            .repeated_cross_sections(self.sections)
            .trim_level(self.trim)
            .build()
            .fit(df)
    }

    fn request(&self) -> Request {
        Request {
            formula: self.formula,
            weighted: self.weighted,
            clustered: self.clustered,
            triple: false,
            sections: self.sections,
            unbalanced: false,
            pairs: false,
            never_treated: true,
            anticipation: 0.0,
            timing: Timing::TwoPeriods,
            eligible_shares: false,
        }
    }

    /// All estimators of the layout.
    fn estimators(&self) -> Vec<Estimator> {
        let mut all = METHODS.map(|method| Estimator { method, efficient: true }).to_vec();
        if self.sections {
            all.extend(METHODS[..2].iter().map(|m| Estimator { method: *m, efficient: false }));
        }
        all
    }
}

/// What the oracle has for an estimator.
struct Answer {
    did: Did,
    spread: f64,
}

/// The estimate of one estimator, and the rows that it is made of.
fn answer(
    design: &Design,
    sample: &Sample,
    estimator: Estimator,
) -> (Gathered, Result<Answer, Failure>) {
    let constant = design.formula.is_constant();
    let by_rows = estimator.method == DrdidMethod::Twfe && (design.sections || !constant);
    let shape = match (design.sections, by_rows) {
        (true, _) => Shape::Rows { weights: None },
        (false, true) => Shape::Stacked { covariates: 0 },
        (false, false) => Shape::Change { covariates: 0, weights: 0 },
    };
    let gathered = gather(sample, |u: &Unit| Some(u.group.is_finite()), [0, 1], shape);
    let method = match estimator.method {
        DrdidMethod::DoublyRobustImproved => Method::Improved,
        DrdidMethod::DoublyRobust => Method::DoublyRobust,
        DrdidMethod::Ipw => Method::Ipw,
        DrdidMethod::IpwHorvitzThompson => Method::HorvitzThompson,
        DrdidMethod::OutcomeRegression | DrdidMethod::Twfe => Method::Regression,
        other => unimplemented!("{other}"),
    };
    let rules = Rules { method, guarded: false, trim: design.trim, efficient: estimator.efficient };
    let found =
        if by_rows { twfe::estimate(&gathered, sample.constant) } else { gathered.by_row(&rules) };
    let answer = found.map(|did| {
        // Rows of a unit belong together, except in the regression with fixed effects.
        let key = |at: usize| {
            let unit = &sample.units[gathered.unit[at]];
            match (design.clustered, by_rows) {
                (true, _) => unit.cluster,
                (false, true) => at as i64,
                (false, false) => unit.id,
            }
        };
        let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
        for (at, u) in did.u.iter().enumerate() {
            *sums.entry(key(at)).or_default() += u;
        }
        let sums: Vec<f64> = sums.into_values().collect();
        let rows = did.u.len() as f64;
        let factor = if by_rows && !design.clustered { rows / (rows - 1.0) } else { 1.0 };
        let spread = (factor * dot(&sums, &sums)).sqrt();
        Answer { did, spread }
    });
    (gathered, answer)
}

fn compare(
    tally: &mut Tally,
    at: &str,
    got: &DrdidResult,
    (gathered, want): &(Gathered, Result<Answer, Failure>),
    limits: &Limits,
) {
    tally.cells += 1;
    let rows =
        if gathered.rows.post.is_empty() || got.settings.layout == Layout::RepeatedCrossSections {
            1
        } else {
            2
        };
    let counts = (gathered.n_treated / rows, gathered.n_control / rows);
    tally.same(&format!("{at}: rows"), &(got.n_treated, got.n_control), &counts);
    let answer = match want {
        Ok(answer) => answer,
        Err(failure) => return failed(tally, at, &got.status, *failure),
    };
    if !got.status.is_estimated() {
        let (status, att) = (&got.status, answer.did.att);
        return tally.differ(format!("{at}: {status:?}, but the oracle has {att:e}"));
    }
    let Answer { did, spread } = answer;
    if let Some(calibrated) = got.calibrated {
        tally.same(&format!("{at}: calibrated"), &calibrated, &did.calibrated);
    }
    let extreme = if did.extreme { " (a propensity score of nearly one)" } else { "" };
    estimate(tally, &format!("{at}{extreme}"), &got.estimate, did, did.att, *spread, limits);
    overlap(tally, at, got.overlap, did);
    if let (Some(lower), Some(se)) = (got.estimate.ci_lower, got.estimate.se) {
        let want = Expected { value: Some(did.att - 1.96 * se), tolerance: 1e-6 * se };
        tally.close("interval", at, Some(lower), want);
    }
}

fn check(seed: u64) -> Tally {
    let mut random = Random::new(seed, 2);
    let design = Design::new(&mut random);
    let mut tally = Tally::default();
    let df = frame(&design.records, design.population.spelling);
    let mut records = design.records.clone();
    records.retain(|r| !design.identified || r.id.is_some());
    let limits = limits(&records);
    let mut want = sample(&records, &design.request());
    if let Ok(sample) = &mut want {
        let periods: &[usize] = if design.sections { &[0, 1] } else { &[0] };
        if sample.drop_dependent(periods, false).is_none() {
            tally.skip("designs with nearly collinear covariates");
            return tally;
        }
    }
    for estimator in design.estimators() {
        match (design.fit(estimator, &df), &want) {
            (Err(error), want) => refused(&mut tally, &error, want.as_ref().err().copied()),
            (Ok(_), Err(refusal)) => tally.differ(format!("a fit, but the oracle has {refusal:?}")),
            (Ok(got), Ok(sample)) => {
                let want = answer(&design, sample, estimator);
                compare(&mut tally, &format!("{estimator:?}"), &got, &want, &limits);
            }
        }
    }
    tally.described(&design.words())
}

#[test]
fn two_period_effects() {
    run("two-period effects", 300, check);
}
