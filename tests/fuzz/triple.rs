//! `Ddd`: two periods and staggered adoption, all layouts and comparison cohorts.

use burn_did::backend::Cpu;
use burn_did::{
    Ddd, GroupTimeResult,
    options::{BasePeriod, ControlGroup, EstimationMethod, SharesOf, UnbalancedPanel},
};
use polars::prelude::DataFrame;

use crate::formula::Formula;
use crate::group_time::{formula, limits};
use crate::oracle::cells::Fit;
use crate::oracle::sample::{Request, Timing, sample};
use crate::oracle::triple::{Comparison, TripleOptions, fit};
use crate::oracle::{Method, Rules};
use crate::population::{Population, Weighting, calendar, cohorts};
use crate::random::Random;
use crate::records::{Record, frame};
use crate::run::run;
use crate::tally::{Expected, Tally};
use crate::verdict::{Limits, compare, refused, relative, skipped};

/// A data set and the options of a fit.
struct Design {
    population: Population,
    formula: Formula,
    weighted: bool,
    clustered: bool,
    identified: bool,
    sections: bool,
    unbalanced: UnbalancedPanel,
    control_group: ControlGroup,
    base_period: BasePeriod,
    method: EstimationMethod,
    covariates_of_cell: bool,
    shares_of: SharesOf,
    records: Vec<Record>,
}

impl Design {
    fn new(random: &mut Random) -> Self {
        let two = random.chance(0.25);
        let periods = calendar(random, if two { 2 } else { 6 });
        let cohorts = if two {
            vec![(periods[1], random.uniform(0.4, 1.0)), (f64::INFINITY, random.uniform(0.4, 1.0))]
        } else {
            cohorts(random, &periods, 0.85)
        };
        let mut population = Population::new(random, periods, cohorts);
        population.units = population.units.max(60);
        // Four subgroups share the overlap.
        population.selection = population.selection.min(1.5);
        let layout = random.weighted(&[0.5, 0.25, 0.25]);
        if layout == 1 || random.chance(0.1) {
            population.absent = random.pick(&[0.03, 0.15]);
        }
        let unbalanced = match layout {
            1 => random.pick(&[UnbalancedPanel::Pairs, UnbalancedPanel::Rows]),
            _ => UnbalancedPanel::Drop,
        };
        let (sections, weighted) = (layout == 2, population.weighting != Weighting::None);
        let records = population.rows(random);
        Self {
            formula: formula(random),
            weighted,
            clustered: random.chance(0.3),
            identified: !sections || random.chance(0.5),
            sections,
            unbalanced,
            control_group: random.pick(&[ControlGroup::NeverTreated, ControlGroup::NotYetTreated]),
            base_period: random.pick(&[BasePeriod::Varying, BasePeriod::Universal]),
            method: random.pick(&[
                EstimationMethod::DoublyRobust,
                EstimationMethod::Ipw,
                EstimationMethod::OutcomeRegression,
            ]),
            covariates_of_cell: random.chance(0.2),
            shares_of: if random.chance(0.75) { SharesOf::Eligible } else { SharesOf::All },
            population,
            records,
        }
    }

    fn words(&self) -> String {
        format!(
            "{:?}, sections {}, {:?}, {:?}, {:?}, `{}`, of cell {}, shares of {}, clustered {}, {:?}",
            self.unbalanced,
            self.sections,
            self.method,
            self.control_group,
            self.base_period,
            self.formula.text,
            self.covariates_of_cell,
            self.shares_of,
            self.clustered,
            self.population
        )
    }

    fn fit(&self, df: &DataFrame) -> burn_did::Result<GroupTimeResult> {
        Ddd::<Cpu>::builder()
            .outcome("y")
            .maybe_unit(self.identified.then_some("id"))
            .time("t")
            .group("g")
            .eligible("q")
            .covariates(self.formula.text)
            .covariates_of_cell(self.covariates_of_cell)
            .shares_of(self.shares_of)
            .maybe_weights(self.weighted.then_some("w"))
            .maybe_cluster(self.clustered.then_some("cl"))
            .control_group(self.control_group)
            .base_period(self.base_period)
            .method(self.method)
            .repeated_cross_sections(self.sections)
            .unbalanced(self.unbalanced)
            .build()
            .fit(df)
    }

    fn request(&self) -> Request {
        Request {
            formula: self.formula,
            weighted: self.weighted,
            clustered: self.clustered,
            triple: true,
            sections: self.sections,
            unbalanced: self.unbalanced != UnbalancedPanel::Drop,
            pairs: self.unbalanced == UnbalancedPanel::Pairs,
            never_treated: self.control_group == ControlGroup::NeverTreated,
            anticipation: 0.0,
            timing: Timing::Either,
            eligible_shares: self.shares_of == SharesOf::Eligible,
        }
    }

    fn options(&self) -> TripleOptions {
        let method = match self.method {
            EstimationMethod::DoublyRobust => Method::DoublyRobust,
            EstimationMethod::Ipw => Method::Ipw,
            EstimationMethod::OutcomeRegression => Method::Regression,
            other => unimplemented!("{other}"),
        };
        TripleOptions {
            control_group: self.control_group,
            base_period: self.base_period,
            covariates_of_cell: self.covariates_of_cell,
            pairs: self.unbalanced == UnbalancedPanel::Pairs,
            rules: Rules { method, guarded: false, trim: 0.995, efficient: true },
        }
    }
}

/// Estimates against each comparison cohort.
fn comparisons(
    tally: &mut Tally,
    got: &GroupTimeResult,
    want: &[Comparison],
    fit: &Fit,
    limits: &Limits,
) {
    let skipped = skipped(fit);
    let skips = |group: f64, time: f64| {
        fit.cells.iter().zip(&skipped).any(|(c, s)| *s && c.group == group && c.time == time)
    };
    let got: Vec<_> =
        got.comparisons.iter().flatten().filter(|c| !skips(c.group, c.time)).collect();
    let want: Vec<_> = want.iter().filter(|c| !skipped[c.cell]).collect();
    tally.same("comparisons", &got.len(), &want.len());
    for (got, want) in got.iter().zip(&want) {
        let cell = &fit.cells[want.cell];
        let at = format!("({}, {}) against {}", cell.group, cell.time, want.cohort);
        let cohort = Some(want.cohort).filter(|c| c.is_finite());
        let labels = (cell.group, cell.time, cohort);
        tally.same(&at, &(got.group, got.time, got.comparison), &labels);
        let parts = [got.treated_ineligible, got.untreated_eligible, got.untreated_ineligible];
        for (part, wanted) in parts.into_iter().zip(want.components) {
            tally.close(
                "component",
                &at,
                Some(part),
                limits.estimate(wanted, want.spread, want.loss),
            );
        }
        let att = limits.estimate(want.att, want.spread, want.loss);
        tally.close("estimate against a cohort", &at, Some(got.att), att);
        let tolerance = want.weight.abs().max(1.0)
            * (10.0 * cell.precision() + relative(cell.did().map_or(0.0, |d| d.loss)));
        let weight = Expected { value: Some(want.weight), tolerance };
        tally.close("weight of a cohort", &at, Some(got.weight), weight);
    }
}

fn check(seed: u64) -> Tally {
    let mut random = Random::new(seed, 3);
    let design = Design::new(&mut random);
    let mut tally = Tally::default();
    let got = design.fit(&frame(&design.records, design.population.spelling));
    let mut records = design.records.clone();
    records.retain(|r| !design.identified || r.id.is_some());
    let want = sample(&records, &design.request());
    match (got, want) {
        (Err(error), want) => refused(&mut tally, &error, want.err()),
        (Ok(_), Err(refusal)) => tally.differ(format!("a fit, but the oracle has {refusal:?}")),
        (Ok(got), Ok(mut sample)) => {
            let base = [usize::from(design.covariates_of_cell)];
            let all: Vec<usize> = (0..sample.periods.len()).collect();
            let one = sample.two_periods && sample.balanced;
            let periods = if one { base.as_slice() } else { all.as_slice() };
            // Others take no part in the cell.
            let pairs = design.unbalanced == UnbalancedPanel::Pairs && !design.sections;
            let complete = sample.two_periods && pairs;
            if sample.drop_dependent(periods, complete).is_none() {
                tally.skip("designs with nearly collinear covariates");
                return tally;
            }
            let limits = limits(&records);
            let (want, against) = fit(sample, &design.options(), design.clustered);
            compare(&mut tally, &got, &want, &limits, &mut random);
            comparisons(&mut tally, &got, &against, &want, &limits);
        }
    }
    tally.described(&design.words())
}

#[test]
fn triple_differences() {
    run("triple differences", 300, check);
}
