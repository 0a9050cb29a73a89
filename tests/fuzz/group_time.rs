//! `AttGt`: balanced and unbalanced panels and repeated cross sections, with all options.

use burn_did::options::{BasePeriod, ControlGroup, EstimationMethod, FixWeights};

use crate::formula::{CONSTANT, COVARIATES, Formula};
use crate::oracle::cells::{self, Options};
use crate::oracle::sample::{Request, Timing, sample};
use crate::oracle::{Method, Rules};
use crate::population::{Population, Weighting, calendar, cohorts};
use crate::random::Random;
use crate::records::{Record, frame, label};
use crate::run::run;
use crate::support::spec::Spec;
use crate::tally::{Expected, Tally};
use crate::verdict::{Limits, compare, refused};

/// A data set and the options of a fit.
struct Design {
    population: Population,
    formula: Formula,
    spec: Spec,
    records: Vec<Record>,
}

/// A formula: none, one of the short ones, or any.
pub fn formula(random: &mut Random) -> Formula {
    match random.weighted(&[0.3, 0.35, 0.35]) {
        0 => CONSTANT,
        1 => COVARIATES[random.below(4)],
        _ => random.pick(&COVARIATES),
    }
}

/// Values that only show in the largest outcome.
pub fn limits(records: &[Record]) -> Limits {
    let size = records.iter().filter_map(|r| r.y).fold(0.0f64, |m, y| m.max(y.abs()));
    Limits { size }
}

impl Design {
    fn new(random: &mut Random) -> Self {
        let periods = calendar(random, 7);
        let cohorts = cohorts(random, &periods, 0.85);
        let mut population = Population::new(random, periods, cohorts);
        let formula = formula(random);
        let layout = random.weighted(&[0.45, 0.25, 0.3]);
        if layout == 1 || random.chance(0.1) {
            population.absent = random.pick(&[0.03, 0.15, 0.3]);
        }
        let sections = layout == 2;
        let mut records = population.rows(random);
        let identified = !sections || random.chance(0.5);
        if !identified {
            records.retain(|_| random.chance(0.6));
        }
        let weighted = population.weighting != Weighting::None;
        let fixed = [FixWeights::Varying, FixWeights::BasePeriod, FixWeights::FirstPeriod];
        let fix_weights = match (sections, random.below(6)) {
            (false, choice @ 0..3) => Some(fixed[choice]),
            (true, 0) => Some(FixWeights::Varying),
            _ => None,
        };
        let spec = Spec {
            unit: identified.then(|| "id".into()),
            covariates: (!formula.is_constant() || random.chance(0.2)).then(|| formula.text.into()),
            weights: weighted.then(|| "w".into()),
            fix_weights,
            cluster: random.chance(0.3).then(|| "cl".into()),
            control_group: random.pick(&[ControlGroup::NeverTreated, ControlGroup::NotYetTreated]),
            base_period: random.pick(&[BasePeriod::Varying, BasePeriod::Universal]),
            anticipation: random.pick(&[0, 0, 0, 1, 2]),
            method: random.pick(&[
                EstimationMethod::DoublyRobust,
                EstimationMethod::DoublyRobust,
                EstimationMethod::Ipw,
                EstimationMethod::OutcomeRegression,
            ]),
            repeated_cross_sections: sections,
            allow_unbalanced_panel: layout == 1,
            keep_influence: !sections && random.chance(0.3),
            ..Spec::default()
        };
        Self { population, formula, spec, records }
    }

    fn words(&self) -> String {
        let Spec { method, control_group, base_period, anticipation, .. } = &self.spec;
        let layout = match (self.spec.repeated_cross_sections, self.spec.allow_unbalanced_panel) {
            (true, _) => "repeated cross sections",
            (_, true) => "unbalanced panel",
            _ => "balanced panel",
        };
        format!(
            "{layout}, {} rows, {method:?}, {control_group:?}, {base_period:?}, anticipation {anticipation}, `{}`, \
             weights {:?} {:?}, cluster {:?}, {:?}",
            self.records.len(),
            self.formula.text,
            self.spec.weights,
            self.spec.fix_weights,
            self.spec.cluster,
            self.population,
        )
    }

    fn request(&self) -> Request {
        Request {
            formula: self.formula,
            weighted: self.spec.weights.is_some(),
            clustered: self.spec.cluster.is_some(),
            triple: false,
            sections: self.spec.repeated_cross_sections,
            unbalanced: self.spec.allow_unbalanced_panel,
            pairs: false,
            never_treated: self.spec.control_group == ControlGroup::NeverTreated,
            anticipation: f64::from(self.spec.anticipation),
            timing: Timing::Staggered,
            eligible_shares: false,
        }
    }

    fn options(&self) -> Options {
        let method = match self.spec.method {
            EstimationMethod::DoublyRobust => Method::DoublyRobust,
            EstimationMethod::Ipw => Method::Ipw,
            EstimationMethod::OutcomeRegression => Method::Regression,
            other => unimplemented!("{other}"),
        };
        Options {
            control_group: self.spec.control_group,
            base_period: self.spec.base_period,
            anticipation: f64::from(self.spec.anticipation),
            fix_weights: self.spec.fix_weights,
            rules: Rules { method, guarded: true, trim: 0.995, efficient: true },
        }
    }
}

fn check(seed: u64) -> Tally {
    let mut random = Random::new(seed, 1);
    let design = Design::new(&mut random);
    let mut tally = Tally::default();
    let spelling = design.population.spelling;
    let got = design.spec.try_fit(&frame(&design.records, spelling));
    // Rows without a unit are dropped if there is a unit column, also where rows are the units.
    let mut records = design.records.clone();
    records.retain(|r| design.spec.unit.is_none() || r.id.is_some());
    let want = sample(&records, &design.request());
    match (got, want) {
        (Err(error), want) => refused(&mut tally, &error, want.err()),
        (Ok(_), Err(refusal)) => tally.differ(format!("a fit, but the oracle has {refusal:?}")),
        (Ok(got), Ok(sample)) => {
            let want = cells::fit(sample, &design.options(), design.spec.cluster.is_some());
            compare(&mut tally, &got, &want, &limits(&records), &mut random);
            influence(&mut tally, &got, &want, &design);
        }
    }
    tally.described(&design.words())
}

/// Influence values by unit.
fn influence(
    tally: &mut Tally,
    got: &burn_did::GroupTimeResult,
    want: &cells::Fit,
    design: &Design,
) {
    let Some(kept) = &got.influence else { return };
    let n = want.n();
    let limits = limits(&design.records);
    for (j, cell) in want.cells.iter().enumerate() {
        let (Some(u), Some(column)) = (cell.influence(n), kept.columns.get(j)) else { continue };
        let is_reference = cell.did().is_none();
        if is_reference || column.len() != n || limits.is_rounding(want.spread(&u)) {
            continue;
        }
        let largest = u.iter().fold(f64::MIN_POSITIVE, |m, u| m.max(u.abs())) * n as f64;
        for (unit, u) in want.sample.units.iter().zip(&u) {
            let name = label(unit.id, design.population.spelling);
            let found = kept.units.iter().position(|label| *label == name);
            let tolerance = 10.0 * largest * cell.precision();
            let want = Expected { value: Some(u * n as f64), tolerance };
            let at = format!("cell ({}, {}), unit {name}", cell.group, cell.time);
            tally.close("influence", &at, found.map(|i| column[i]), want);
        }
    }
}

#[test]
fn group_time_effects() {
    run("group-time effects", 600, check);
}
