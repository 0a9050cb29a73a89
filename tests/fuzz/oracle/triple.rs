//! Triple differences (Ortiz-Villavicencio and Sant'Anna 2025): three comparisons for each cohort that a cell is held against.

use burn_did::options::{BasePeriod, ControlGroup};

use super::cells::{
    Cell, Fit, Gathered, Options, Outcome, Shape, gather, long_base, not_yet_treated,
};
use super::linear::{dot, gauss};
use super::sample::{Sample, Unit};
use super::{Did, Failure, Rules};

/// Options of triple differences.
#[derive(Clone, Copy, Debug)]
pub struct TripleOptions {
    pub control_group: ControlGroup,
    pub base_period: BasePeriod,
    pub covariates_of_cell: bool,
    /// Whether cells of an unbalanced panel use the units observed in both periods.
    pub pairs: bool,
    pub rules: Rules,
}

/// The estimate against one cohort.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Position of the cell.
    pub cell: usize,
    pub cohort: f64,
    pub components: [f64; 3],
    pub att: f64,
    pub weight: f64,
    pub loss: f64,
    pub extreme: bool,
    limit: bool,
    /// Standard error of the estimate against this cohort.
    pub spread: f64,
    u: Vec<f64>,
}

/// All cells, and the estimates against each cohort.
pub fn fit(sample: Sample, options: &TripleOptions, clustered: bool) -> (Fit, Vec<Comparison>) {
    let universal = options.base_period == BasePeriod::Universal && !sample.two_periods;
    let (mut cells, mut comparisons) = (Vec::new(), Vec::new());
    for g in &sample.groups {
        let Some(long) = long_base(&sample, *g, 0.0) else { continue };
        for time in usize::from(!universal)..sample.periods.len() {
            let post = *g <= sample.periods[time];
            let base = if post || universal { long } else { time - 1 };
            let target = Target { sample: &sample, options, g: *g, at: [base, time] };
            let (mut cell, mut found) = target.cell();
            if (sample.two_periods || found.len() > 1) && !clustered {
                let n = sample.units.len() as f64;
                cell.factor = (n / (n - 1.0)).sqrt();
            }
            for c in &mut *found {
                c.cell = cells.len();
            }
            cells.push(cell);
            comparisons.extend(found);
        }
    }
    (Fit { sample, cells, clustered }, comparisons)
}

struct Target<'a> {
    sample: &'a Sample,
    options: &'a TripleOptions,
    g: f64,
    at: [usize; 2],
}

impl Target<'_> {
    fn has(&self, group: f64, eligible: bool) -> bool {
        self.sample.units.iter().any(|u| u.group == group && u.eligible == eligible)
    }

    /// The eligible units of the group and some others.
    fn against(&self, group: f64, eligible: bool) -> Gathered {
        let [base, time] = self.at;
        let from = if self.options.covariates_of_cell { time } else { base };
        let shape = if self.sample.balanced || self.options.pairs {
            Shape::Change { covariates: from, weights: from }
        } else {
            Shape::Rows { weights: None }
        };
        let arm = |u: &Unit| match (u.group, u.eligible) {
            (g, true) if g == self.g => Some(true),
            (g, q) if g == group && q == eligible => Some(false),
            _ => None,
        };
        let mut gathered = gather(self.sample, arm, self.at, shape);
        gathered.rows.scaled_rank = true;
        gathered
    }

    /// Cohorts to compare with, ascending, with both kinds of units or not.
    fn cohorts(&self) -> Vec<f64> {
        let options = Options {
            control_group: self.options.control_group,
            base_period: self.options.base_period,
            anticipation: 0.0,
            fix_weights: None,
            rules: self.options.rules,
        };
        let mut cohorts: Vec<f64> = self
            .sample
            .units
            .iter()
            .map(|u| u.group)
            .filter(|other| not_yet_treated(&options, self.sample, *other, self.g, self.at))
            .collect();
        cohorts.sort_by(f64::total_cmp);
        cohorts.dedup();
        cohorts
    }

    fn cell(&self) -> (Cell, Vec<Comparison>) {
        let [base, time] = self.at;
        let cohorts = self.cohorts();
        let treated = self.has(self.g, true);
        let own = (treated && self.has(self.g, false)).then(|| self.against(self.g, false));
        let usable = |c: &f64| treated && self.has(*c, true) && self.has(*c, false);
        let others: Vec<(f64, [Gathered; 2])> = cohorts
            .iter()
            .filter(|c| usable(c))
            .map(|c| (*c, [true, false].map(|eligible| self.against(*c, eligible))))
            .collect();
        let all = || own.iter().chain(others.iter().flat_map(|(_, pair)| pair));
        let mut cell = Cell {
            group: self.g,
            time: self.sample.periods[time],
            n_treated: all().map(|part| part.n_treated).next().unwrap_or(0),
            n_control: all().map(|part| part.n_control).sum(),
            outcome: Outcome::Reference,
            factor: 1.0,
        };
        if base == time {
            return (cell, Vec::new());
        }
        let found = match &own {
            _ if !treated => Err(Failure::NoTreated),
            Some(own) if !others.is_empty() => self.estimate(own, &others),
            _ => Err(Failure::NoControls),
        };
        match found {
            Ok((did, comparisons)) => {
                cell.outcome = Outcome::Estimated(did);
                (cell, comparisons)
            }
            Err(failure) => {
                cell.outcome = Outcome::Failed(failure);
                (cell, Vec::new())
            }
        }
    }

    fn estimate(
        &self,
        own: &Gathered,
        others: &[(f64, [Gathered; 2])],
    ) -> Result<(Did, Vec<Comparison>), Failure> {
        let n = self.sample.units.len();
        let did = |part: &Gathered| part.estimate(&self.options.rules, n);
        let undecided = |f: &Failure| matches!(f, Failure::Undecided(_));
        let own = did(own)?;
        let (mut found, mut lost) = (Vec::new(), None);
        for (cohort, [eligible, ineligible]) in others {
            let pair = [did(eligible), did(ineligible)];
            if let Some(failure) =
                pair.iter().filter_map(|d| d.as_ref().err()).find(|f| undecided(f))
            {
                return Err(*failure);
            }
            match pair {
                [Ok(eligible), Ok(ineligible)] => {
                    found.push(Comparison::new(*cohort, [&own, &eligible, &ineligible]));
                }
                [Err(failure), _] | [_, Err(failure)] => lost = Some(failure),
            }
        }
        if let (true, Some(failure)) = (found.is_empty(), lost) {
            return Err(failure);
        }
        let rcond = weigh(&mut found);
        if rcond < 1e-10 {
            return Err(Failure::Undecided("weights of cohorts from a nearly singular covariance"));
        }
        let loss = found.iter().map(|c| c.loss).fold(0.0, f64::max);
        // Of the influence that the weights come from, 300 times as the other losses.
        let weights = if own.scored { 2e-10 } else { 1e-11 };
        let combined = Did {
            att: found.iter().map(|c| c.weight * c.att).sum(),
            u: (0..n).map(|i| found.iter().map(|c| c.weight * c.u[i]).sum()).collect(),
            loss: if found.len() > 1 { (loss + weights) / rcond } else { loss },
            scored: own.scored,
            extreme: found.iter().any(|c| c.extreme),
            limit: found.iter().any(|c| c.limit),
            calibrated: true,
            overlap: None,
        };
        Ok((combined, found))
    }
}

impl Comparison {
    fn new(cohort: f64, [own, eligible, ineligible]: [&Did; 3]) -> Self {
        let u = |i: usize| own.u[i] + eligible.u[i] - ineligible.u[i];
        let u: Vec<f64> = (0..own.u.len()).map(u).collect();
        Self {
            cell: 0,
            cohort,
            components: [own.att, eligible.att, ineligible.att],
            att: own.att + eligible.att - ineligible.att,
            weight: 1.0,
            loss: own.loss.max(eligible.loss).max(ineligible.loss),
            extreme: own.extreme || eligible.extreme || ineligible.extreme,
            limit: own.limit || eligible.limit || ineligible.limit,
            spread: dot(&u, &u).sqrt(),
            u,
        }
    }
}

/// Weights of smallest variance, `Ω⁻¹1 / 1'Ω⁻¹1`; the condition of the correlation.
fn weigh(found: &mut [Comparison]) -> f64 {
    if found.len() < 2 {
        return 1.0;
    }
    let entry = |a: &Comparison, b: &Comparison| dot(&a.u, &b.u) / a.spread / b.spread;
    let correlation: Vec<Vec<f64>> =
        found.iter().map(|a| found.iter().map(|b| entry(a, b)).collect()).collect();
    let ones: Vec<f64> = found.iter().map(|c| 1.0 / c.spread).collect();
    let (solved, rcond) = gauss(&correlation, &ones);
    let sums: Vec<f64> = solved.iter().zip(&ones).map(|(s, o)| s * o).collect();
    let total: f64 = sums.iter().sum();
    found.iter_mut().zip(&sums).for_each(|(c, s)| c.weight = s / total);
    rcond
}
