//! Group-time cells: which rows they compare (Callaway and Sant'Anna 2021), and their covariance.

use std::collections::BTreeMap;

use burn_did::options::{BasePeriod, ControlGroup, FixWeights};

use super::linear::{dot, gauss};
use super::sample::{Sample, Unit};
use super::{DEGENERATE, Did, Failure, Rows, Rules, panel, sections};

/// Options of group-time effects.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub control_group: ControlGroup,
    pub base_period: BasePeriod,
    pub anticipation: f64,
    pub fix_weights: Option<FixWeights>,
    pub rules: Rules,
}

/// Which rows of a unit take part in a comparison, with whose covariates and weights (positions of periods).
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// The change, if both periods are observed.
    Change { covariates: usize, weights: usize },
    /// Both rows, each with its own weight.
    Stacked { covariates: usize },
    /// The rows observed, with their own weights or those of a period.
    Rows { weights: Option<usize> },
}

/// What became of a cell. Influence is by unit.
#[derive(Clone, Debug)]
pub enum Outcome {
    Reference,
    Estimated(Did),
    Failed(Failure),
}

#[derive(Clone, Debug)]
pub struct Cell {
    pub group: f64,
    pub time: f64,
    pub n_treated: usize,
    pub n_control: usize,
    pub outcome: Outcome,
    /// Factor of the standard error that is shown with the cell.
    pub factor: f64,
}

/// All cells of a sample.
pub struct Fit {
    pub sample: Sample,
    pub cells: Vec<Cell>,
    pub clustered: bool,
}

/// Rows of a comparison with the unit of each, and their counts.
pub struct Gathered {
    pub rows: Rows,
    /// Position of each row's unit.
    pub unit: Vec<usize>,
    pub n_treated: usize,
    pub n_control: usize,
}

/// Rows of units that are treated (`Some(true)`) or comparison (`Some(false)`) in a pair of periods.
pub fn gather(
    sample: &Sample,
    arm: impl Fn(&Unit) -> Option<bool>,
    [base, time]: [usize; 2],
    shape: Shape,
) -> Gathered {
    let mut rows = Rows::default();
    let mut unit = Vec::new();
    let mut push = |at: usize, d: bool, y: f64, w: f64, x: &[f64], post: Option<bool>| {
        unit.push(at);
        rows.d.push(d);
        rows.y.push(y);
        rows.w.push(w);
        rows.raw.push(x.to_vec());
        rows.post.extend(post);
    };
    for (at, u) in sample.units.iter().enumerate() {
        let Some(d) = arm(u) else { continue };
        match shape {
            Shape::Change { covariates, weights } => {
                let (Some(b), Some(t)) = (&u.rows[base], &u.rows[time]) else { continue };
                let (Some(x), Some(w)) = (&u.rows[covariates], &u.rows[weights]) else { continue };
                push(at, d, t.y - b.y, w.w, &x.x, None);
            }
            Shape::Stacked { covariates } => {
                for (period, post) in [(base, false), (time, true)] {
                    let (Some(o), Some(x)) = (&u.rows[period], &u.rows[covariates]) else {
                        continue;
                    };
                    push(at, d, o.y, o.w, &x.x, Some(post));
                }
            }
            Shape::Rows { weights } => {
                for (period, post) in [(base, false), (time, true)] {
                    let Some(o) = &u.rows[period] else { continue };
                    let Some(w) = &u.rows[weights.unwrap_or(period)] else { continue };
                    push(at, d, o.y, w.w, &o.x, Some(post));
                }
            }
        }
    }
    rows.centre(sample.constant);
    let n_treated = rows.d.iter().filter(|d| **d).count();
    let n_control = rows.d.len() - n_treated;
    Gathered { rows, unit, n_treated, n_control }
}

impl Gathered {
    /// The estimate with the influence of every row.
    pub fn by_row(&self, rules: &Rules) -> Result<Did, Failure> {
        if self.rows.post.is_empty() {
            panel::estimate(&self.rows, rules)
        } else {
            sections::estimate(&self.rows, rules)
        }
    }

    /// The estimate with its influence summed by unit.
    pub fn estimate(&self, rules: &Rules, n: usize) -> Result<Did, Failure> {
        let did = self.by_row(rules)?;
        let mut u = vec![0.0; n];
        self.unit.iter().zip(&did.u).for_each(|(at, value)| u[*at] += value);
        Ok(Did { u, ..did })
    }
}

/// Position of the last period before a group's treatment, and its anticipation.
pub fn long_base(sample: &Sample, group: f64, anticipation: f64) -> Option<usize> {
    sample.periods.iter().rposition(|t| t + anticipation < group)
}

/// Whether a unit of another group is not yet treated in a cell.
pub fn not_yet_treated(
    options: &Options,
    sample: &Sample,
    other: f64,
    g: f64,
    at: [usize; 2],
) -> bool {
    let [base, time] = at.map(|p| sample.periods[p]);
    let eligible = other > base.max(time) + options.anticipation && other != g;
    other.is_infinite() || (options.control_group == ControlGroup::NotYetTreated && eligible)
}

/// All cells of group-time effects.
pub fn fit(sample: Sample, options: &Options, clustered: bool) -> Fit {
    let mut cells = Vec::new();
    for g in sample.groups.clone() {
        let Some(long) = long_base(&sample, g, options.anticipation) else { continue };
        let universal = options.base_period == BasePeriod::Universal;
        for time in usize::from(!universal)..sample.periods.len() {
            let post = g <= sample.periods[time];
            let base = if post || universal { long } else { time - 1 };
            cells.push(cell(&sample, options, g, [base, time], long));
        }
    }
    Fit { sample, cells, clustered }
}

fn cell(sample: &Sample, options: &Options, g: f64, at: [usize; 2], long: usize) -> Cell {
    let early = at[0].min(at[1]);
    let shape = match (sample.balanced, options.fix_weights) {
        (true, None) => Shape::Change { covariates: early, weights: early },
        (true, Some(FixWeights::BasePeriod)) => Shape::Change { covariates: early, weights: long },
        (true, Some(FixWeights::FirstPeriod)) => Shape::Change { covariates: early, weights: 0 },
        (true, Some(_)) => Shape::Stacked { covariates: early },
        (false, Some(FixWeights::BasePeriod)) => Shape::Rows { weights: Some(long) },
        (false, Some(FixWeights::FirstPeriod)) => Shape::Rows { weights: Some(0) },
        (false, _) => Shape::Rows { weights: None },
    };
    let arm = |u: &Unit| match u.group == g {
        true => Some(true),
        false => not_yet_treated(options, sample, u.group, g, at).then_some(false),
    };
    let gathered = gather(sample, arm, at, shape);
    let outcome = if at[0] == at[1] {
        Outcome::Reference
    } else {
        match gathered.estimate(&options.rules, sample.units.len()) {
            Ok(did) => Outcome::Estimated(did),
            Err(failure) => Outcome::Failed(failure),
        }
    };
    let Gathered { n_treated, n_control, .. } = gathered;
    Cell { group: g, time: sample.periods[at[1]], n_treated, n_control, outcome, factor: 1.0 }
}

/// A Wald statistic with its degrees of freedom and the condition of its covariance.
pub struct Wald {
    pub stat: f64,
    pub df: usize,
    pub rcond: f64,
}

impl Cell {
    pub fn att(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Reference => Some(0.0),
            Outcome::Estimated(did) => Some(did.att),
            Outcome::Failed(_) => None,
        }
    }

    /// Influence by unit, if there is an estimate.
    pub fn influence(&self, n: usize) -> Option<Vec<f64>> {
        match &self.outcome {
            Outcome::Reference => Some(vec![0.0; n]),
            Outcome::Estimated(did) => Some(did.u.clone()),
            Outcome::Failed(_) => None,
        }
    }

    pub fn did(&self) -> Option<&Did> {
        if let Outcome::Estimated(did) = &self.outcome { Some(did) } else { None }
    }

    /// See [`Did::precision`].
    pub fn precision(&self) -> f64 {
        self.did().map_or(1e-9, Did::precision)
    }

    pub fn is_undecided(&self) -> bool {
        matches!(&self.outcome, Outcome::Failed(Failure::Undecided(_)))
    }
}

impl Fit {
    pub fn n(&self) -> usize {
        self.sample.units.len()
    }

    /// Influence summed by cluster, if there are clusters.
    pub fn grouped(&self, u: &[f64]) -> Vec<f64> {
        if !self.clustered {
            return u.to_vec();
        }
        let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
        for (unit, u) in self.sample.units.iter().zip(u) {
            *sums.entry(unit.cluster).or_default() += u;
        }
        sums.into_values().collect()
    }

    pub fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        dot(&self.grouped(a), &self.grouped(b))
    }

    /// Standard error before the threshold below which there is none.
    pub fn spread(&self, u: &[f64]) -> f64 {
        self.covariance(u, u).sqrt()
    }

    /// Test that all cells before treatment are zero; `None` if there is nothing to test.
    pub fn pre_test(&self) -> Option<Wald> {
        let pre: Vec<(f64, Vec<f64>)> = self
            .cells
            .iter()
            .filter(|c| c.group > c.time)
            .filter_map(|c| Some((c.att()?, c.influence(self.n())?)))
            .filter(|(_, u)| self.spread(u) > DEGENERATE)
            .collect();
        let theta: Vec<f64> = pre.iter().map(|(att, _)| *att).collect();
        let scale: Vec<f64> = pre.iter().map(|(_, u)| self.spread(u)).collect();
        let correlation: Vec<Vec<f64>> = pre
            .iter()
            .zip(&scale)
            .map(|((_, a), s)| {
                let entry = |((_, b), r): (&(f64, Vec<f64>), &f64)| self.covariance(a, b) / s / r;
                pre.iter().zip(&scale).map(entry).collect()
            })
            .collect();
        let t: Vec<f64> = theta.iter().zip(&scale).map(|(t, s)| t / s).collect();
        let (solved, rcond) = gauss(&correlation, &t);
        (!pre.is_empty()).then(|| Wald { stat: dot(&t, &solved), df: pre.len(), rcond })
    }
}
