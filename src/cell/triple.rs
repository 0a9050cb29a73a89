//! Triple differences: which two-by-two comparisons make up a group-time cell, and how their estimates are combined
//! (Ortiz-Villavicencio and Sant'Anna 2025).
//!
//! With one comparison cohort `c`, the effect on the eligible units of group `g` is
//! `DiD(g eligible, g ineligible) + DiD(g eligible, c eligible) - DiD(g eligible, c ineligible)`. Several comparison cohorts give
//! one such estimate each; their combination with the smallest variance has the weights `Ω⁻¹1 / 1'Ω⁻¹1`, where `Ω` is the
//! covariance of their influence values.

use std::collections::HashMap;

use super::estimate::{Estimated, Rows};
use super::influence::{MAX_COLUMNS, cross_moments};
use super::method::Recipe;
use super::plan::{Base, PlanOptions, PlannedCell, Planner};
use crate::error::Result;
use crate::estimates::CellStatus;
use crate::options::BasePeriod;
use crate::panel::{Cohort, Sample};
use crate::pass::Weight;
use crate::solve::symmetric_inverse;
use crate::source::Source;

/// The cells of a triple difference and the two-by-two comparisons that they are made of.
pub(crate) struct TriplePlan {
    /// For results: counts and what is known to fail.
    pub cells: Vec<PlannedCell>,
    /// Comparisons that are estimated.
    pub components: Vec<PlannedCell>,
    parts: Vec<CellParts>,
}

/// Positions of a cell's components.
#[derive(Default)]
struct CellParts {
    own: usize,
    comparisons: Vec<ComparisonParts>,
    /// Comparison cohorts without eligible or without ineligible units.
    missing: Vec<f64>,
}

struct ComparisonParts {
    /// First treated period of the comparison cohort.
    group: f64,
    eligible: usize,
    ineligible: usize,
}

/// What became of the cells.
pub(crate) struct Combined {
    pub cells: Vec<std::result::Result<Estimated, CellStatus>>,
    /// Estimates against each comparison cohort, cell by cell.
    pub comparisons: Vec<TripleEstimate>,
    pub lost: Vec<LostComparison>,
    /// Positions of the cells whose comparison cohorts have equal weights for want of a covariance.
    pub equal: Vec<usize>,
}

/// A comparison cohort that a cell with others could not use.
pub(crate) struct LostComparison {
    /// Position of the cell.
    pub cell: usize,
    /// First treated period of the comparison cohort, +inf if never treated.
    pub group: f64,
    pub reason: CellStatus,
}

/// What a cell can use of its comparison cohorts.
#[derive(Default)]
struct Usable {
    /// Positions among the cell's comparisons.
    positions: Vec<usize>,
    estimates: Vec<TripleEstimate>,
    lost: Vec<LostComparison>,
    /// Whether the weights are equal because there is no covariance to choose them by.
    equal: bool,
}

/// A cell's estimate against one comparison cohort.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TripleEstimate {
    /// Position of the cell.
    pub cell: usize,
    /// First treated period of the comparison cohort, +inf if never treated.
    pub group: f64,
    /// Differences in differences of the treated and eligible units with the ineligible units of their group, the eligible
    /// and the ineligible units of the comparison cohort.
    pub components: [f64; 3],
    /// Weight in the cell's estimate.
    pub weight: f64,
}

impl TripleEstimate {
    /// The triple difference.
    pub fn att(&self) -> f64 {
        SIGNS.iter().zip(self.components).map(|(s, did)| s * did).sum()
    }
}

/// Signs of the three components.
const SIGNS: [f64; 3] = [1.0, 1.0, -1.0];

impl TriplePlan {
    /// All cells, group-major.
    pub fn new(sample: &Sample, options: &PlanOptions) -> Self {
        let first = usize::from(options.base_period == BasePeriod::Varying);
        let mut plan = Self { cells: Vec::new(), components: Vec::new(), parts: Vec::new() };
        for group in &sample.groups {
            for time in first..sample.periods.len() {
                plan.add(&Planner { sample, options, cohort: group.start, time }, group);
            }
        }
        plan
    }

    fn add(&mut self, planner: &Planner<'_>, group: &std::ops::Range<usize>) {
        let Some(found) = Found::new(planner, group) else { return };
        let cell = found.cell(planner, group);
        let mut parts = CellParts { missing: found.missing, ..CellParts::default() };
        if let (Some(own), None) = (found.own, &cell.status) {
            let mut add = |planned: PlannedCell| {
                self.components.push(planned);
                self.components.len() - 1
            };
            parts.own = add(own);
            for (group, eligible, ineligible) in found.comparisons {
                let (eligible, ineligible) = (add(eligible), add(ineligible));
                parts.comparisons.push(ComparisonParts { group, eligible, ineligible });
            }
        }
        self.cells.push(cell);
        self.parts.push(parts);
    }

    /// Combines the components' estimates.
    pub fn combine<S: Source>(
        &self,
        source: &S,
        recipe: &Recipe,
        components: &[std::result::Result<Estimated, CellStatus>],
    ) -> Result<Combined> {
        let find = |(index, (cell, parts)): (usize, (&PlannedCell, &CellParts))| match &cell.status
        {
            Some(status) => Err(status.clone()),
            None => parts.usable(index, components),
        };
        let mut found: Vec<std::result::Result<Usable, CellStatus>> =
            self.cells.iter().zip(&self.parts).enumerate().map(find).collect();
        self.weigh(source, recipe, components, &mut found)?;
        let (mut comparisons, mut lost) = (Vec::new(), Vec::new());
        let is_equal = |(_, usable): &(usize, &std::result::Result<Usable, CellStatus>)| {
            usable.as_ref().is_ok_and(|usable| usable.equal)
        };
        let equal = found.iter().enumerate().filter(is_equal).map(|(cell, _)| cell).collect();
        let combined = |(usable, parts): (std::result::Result<Usable, CellStatus>, &CellParts)| {
            let usable = usable?;
            let weights: Vec<f64> = usable.estimates.iter().map(|e| e.weight).collect();
            let att = usable.estimates.iter().map(|e| e.weight * e.att()).sum();
            let estimated = parts.combine(components, &usable.positions, &weights, att);
            comparisons.extend(usable.estimates);
            lost.extend(usable.lost);
            Ok(estimated)
        };
        let cells = found.into_iter().zip(&self.parts).map(combined).collect();
        Ok(Combined { cells, comparisons, lost, equal })
    }

    /// Weights of the comparison cohorts, where a cell has several.
    fn weigh<S: Source>(
        &self,
        source: &S,
        recipe: &Recipe,
        components: &[std::result::Result<Estimated, CellStatus>],
        found: &mut [std::result::Result<Usable, CellStatus>],
    ) -> Result<()> {
        let several: Vec<(usize, usize)> = (0..)
            .zip(found.iter())
            .filter_map(|(cell, usable)| Some((cell, usable.as_ref().ok()?.positions.len())))
            .filter(|(_, cohorts)| *cohorts > 1)
            .collect();
        let mut start = 0;
        while start < several.len() {
            let (mut end, mut columns) = (start, 0);
            while end < several.len() && (end == start || columns + several[end].1 <= MAX_COLUMNS) {
                columns += several[end].1;
                end += 1;
            }
            let single = |(cell, _): &(usize, usize)| {
                let positions = found[*cell].iter().flat_map(|usable| &usable.positions);
                let combine = |p: &usize| self.parts[*cell].combine(components, &[*p], &[1.0], 0.0);
                positions.map(combine).collect::<Vec<_>>()
            };
            let influences: Vec<Estimated> = several[start..end].iter().flat_map(single).collect();
            let cross = cross_moments(source, &influences, recipe.trim)?;
            let mut first = 0;
            for (cell, k) in &several[start..end] {
                let entry = |e: usize| cross[(first + e / k) * columns + first + e % k];
                if let Ok(usable) = &mut found[*cell] {
                    usable.weigh(*cell, &(0..k * k).map(entry).collect::<Vec<_>>());
                }
                first += k;
            }
            start = end;
        }
        Ok(())
    }
}

/// The components of a cell that the sample has.
struct Found {
    base: Base,
    /// Cohort of the treated and eligible units.
    treated: Option<usize>,
    controls: Vec<usize>,
    own: Option<PlannedCell>,
    comparisons: Vec<(f64, PlannedCell, PlannedCell)>,
    missing: Vec<f64>,
}

impl Found {
    /// `None` if the group has no period before treatment.
    fn new(planner: &Planner<'_>, group: &std::ops::Range<usize>) -> Option<Self> {
        let cohorts = &planner.sample.cohorts;
        let g = planner.sample.group(group);
        let base = planner.base(g)?;
        let find = |value: f64, eligible: bool| {
            cohorts.iter().position(|c| *c == Cohort { group: value, eligible })
        };
        let treated = find(g, true);
        let component = |value: f64, eligible: bool| {
            let planner = Planner { cohort: treated?, ..*planner };
            Some(planner.with_controls(base, vec![find(value, eligible)?]))
        };
        let controls = planner.controls(g, base.period);
        let mut values: Vec<f64> = controls.iter().map(|c| cohorts[*c].group).collect();
        values.dedup();
        let own = component(g, false);
        let (mut comparisons, mut missing) = (Vec::new(), Vec::new());
        for value in values {
            match component(value, true).zip(component(value, false)) {
                Some((eligible, ineligible)) => comparisons.push((value, eligible, ineligible)),
                None => missing.push(value),
            }
        }
        Some(Self { base, treated, controls, own, comparisons, missing })
    }

    /// The cell with its counts, and its status if that is known.
    fn cell(&self, planner: &Planner<'_>, group: &std::ops::Range<usize>) -> PlannedCell {
        let period = None;
        let status = match () {
            () if planner.is_reference(self.base) => Some(CellStatus::Reference),
            () if self.treated.is_none() => Some(CellStatus::NoTreated { period }),
            () if self.own.is_none() || self.comparisons.is_empty() => {
                Some(CellStatus::NoControls { period })
            }
            () => None,
        };
        let components =
            || self.own.iter().chain(self.comparisons.iter().flat_map(|(_, a, b)| [a, b]));
        PlannedCell {
            cohort: self.treated.unwrap_or(group.start),
            time: planner.time,
            base: self.base.period,
            status,
            n_treated: components().map(|c| c.n_treated).next().unwrap_or(0),
            n_control: components().map(|c| c.n_control).sum(),
            controls: self.controls.clone(),
            incomplete_weights: None,
            sides: Vec::new(),
        }
    }
}

impl CellParts {
    /// Estimates against the comparison cohorts that can be used, each of weight one so far.
    fn usable(
        &self,
        cell: usize,
        components: &[std::result::Result<Estimated, CellStatus>],
    ) -> std::result::Result<Usable, CellStatus> {
        let att = |c: usize| components[c].as_ref().map(|e| e.att).map_err(Clone::clone);
        let own = att(self.own)?;
        let mut usable = Usable::default();
        let none = CellStatus::NoControls { period: None };
        for group in &self.missing {
            usable.lost.push(LostComparison { cell, group: *group, reason: none.clone() });
        }
        for (position, comparison) in self.comparisons.iter().enumerate() {
            let group = comparison.group;
            match (att(comparison.eligible), att(comparison.ineligible)) {
                (Ok(eligible), Ok(ineligible)) => {
                    let components = [own, eligible, ineligible];
                    usable.estimates.push(TripleEstimate { cell, group, components, weight: 1.0 });
                    usable.positions.push(position);
                }
                (Err(reason), _) | (_, Err(reason)) => {
                    usable.lost.push(LostComparison { cell, group, reason });
                }
            }
        }
        match usable.lost.pop() {
            Some(last) if usable.positions.is_empty() => Err(last.reason),
            last => {
                usable.lost.extend(last);
                Ok(usable)
            }
        }
    }

    /// The weighted estimate with its influence.
    fn combine(
        &self,
        components: &[std::result::Result<Estimated, CellStatus>],
        usable: &[usize],
        weights: &[f64],
        att: f64,
    ) -> Estimated {
        let mut terms = vec![(SIGNS[0] * weights.iter().sum::<f64>(), self.own)];
        for (position, weight) in usable.iter().zip(weights) {
            let comparison = &self.comparisons[*position];
            terms.push((SIGNS[1] * weight, comparison.eligible));
            terms.push((SIGNS[2] * weight, comparison.ineligible));
        }
        let mut sum = Sum::default();
        let mut combined = Estimated { att, ..Estimated::default() };
        for (scale, component) in terms {
            if let Ok(estimated) = &components[component] {
                combined.not_converged |= estimated.not_converged;
                estimated.rows.iter().for_each(|rows| sum.add(scale, rows));
            }
        }
        combined.rows = sum.rows;
        combined
    }
}

impl Usable {
    /// Weights the estimates by their covariance `Ω`; those without a finite variance are lost.
    fn weigh(&mut self, cell: usize, omega: &[f64]) {
        let k = self.estimates.len();
        let finite: Vec<usize> = (0..k).filter(|j| omega[j * k + j].is_finite()).collect();
        for estimate in (0..k).filter(|j| !finite.contains(j)).map(|j| self.estimates[j]) {
            let reason = CellStatus::Estimator { message: "its variance is not finite".into() };
            self.lost.push(LostComparison { cell, group: estimate.group, reason });
        }
        if !finite.is_empty() {
            self.estimates = finite.iter().map(|j| self.estimates[*j]).collect();
            self.positions = finite.iter().map(|j| self.positions[*j]).collect();
        }
        let omega: Vec<f64> =
            finite.iter().flat_map(|i| finite.iter().map(move |j| omega[i * k + j])).collect();
        let weights =
            (!omega.is_empty()).then(|| smallest_variance(&omega, finite.len())).flatten();
        self.equal = weights.is_none();
        let equal = 1.0 / self.estimates.len() as f64;
        for (j, estimate) in self.estimates.iter_mut().enumerate() {
            estimate.weight = weights.as_ref().map_or(equal, |weights| weights[j]);
        }
    }
}

/// `Ω⁻¹1 / 1'Ω⁻¹1`; `None` if that does not exist.
fn smallest_variance(omega: &[f64], k: usize) -> Option<Vec<f64>> {
    let inverse = symmetric_inverse(omega, k);
    let sums: Vec<f64> = inverse.chunks_exact(k.max(1)).map(|row| row.iter().sum()).collect();
    let total: f64 = sums.iter().sum();
    let weights = || sums.iter().map(|s| s / total).collect();
    (total.is_finite() && total > 0.0).then(weights)
}

/// A sum of influences, in which terms that differ in their linear coefficients only are added up.
#[derive(Default)]
struct Sum {
    rows: Vec<Rows>,
    known: HashMap<Term, usize>,
}

/// What a term of an influence is not linear in.
#[derive(PartialEq, Eq, Hash)]
struct Term {
    stratum: usize,
    x: usize,
    outcome: (usize, Option<usize>),
    w: Weight,
    treated: bool,
    gamma: Option<Vec<u64>>,
    beta: Option<Vec<u64>>,
}

impl Sum {
    fn add(&mut self, scale: f64, rows: &Rows) {
        let bits = |v: &Option<Vec<f64>>| {
            v.as_ref().map(|v| v.iter().map(|v| v.to_bits()).collect::<Vec<u64>>())
        };
        let term = Term {
            stratum: rows.stratum,
            x: rows.x,
            outcome: (rows.leg.post, rows.leg.base),
            w: rows.leg.w,
            treated: rows.leg.treated,
            gamma: bits(&rows.gamma),
            beta: bits(&rows.beta),
        };
        let scaled = |v: &Option<Vec<f64>>| {
            v.as_ref().map(|v| v.iter().map(|v| scale * v).collect::<Vec<f64>>())
        };
        let at = *self.known.entry(term).or_insert_with(|| {
            let mut empty = rows.clone();
            (empty.leg.c, empty.leg.f, empty.leg.h, empty.leg.h_tau) = (0.0, 0.0, 0.0, 0.0);
            (empty.b, empty.e, empty.a) = (None, None, None);
            self.rows.push(empty);
            self.rows.len() - 1
        });
        let sum = &mut self.rows[at];
        sum.leg.c += scale * rows.leg.c;
        sum.leg.f += scale * rows.leg.f;
        sum.leg.h += scale * rows.leg.h;
        sum.leg.h_tau += scale * rows.leg.h_tau;
        for (sum, term) in [(&mut sum.b, &rows.b), (&mut sum.e, &rows.e), (&mut sum.a, &rows.a)] {
            match (sum, scaled(term)) {
                (Some(sum), Some(term)) => crate::pass::add(sum, &term),
                (sum, term) => *sum = sum.take().or(term),
            }
        }
    }
}
