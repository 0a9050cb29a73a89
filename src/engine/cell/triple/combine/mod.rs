//! From the estimates of two-by-two comparisons to triple differences with their influence.

use super::plan::{Components, TriplePlan};
use crate::base::error::Result;
use crate::base::solve::symmetric_inverse;
use crate::engine::cell::legs::{MAX_COLUMNS, cross_moments};
use crate::engine::cell::method::Recipe;
use crate::engine::cell::sides::CellResult;
use crate::engine::cell::terms::{CellEstimate, CombinedTerms};
use crate::engine::source::Source;
use crate::result::estimates::{CellStatus, Overlap};

/// What became of the cells.
pub(crate) struct Combined {
    pub cells: Vec<CellResult<CellEstimate>>,
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

/// What a cell can use of its comparison cohorts.
struct Usable<'a> {
    estimates: Vec<Against<'a>>,
    lost: Vec<LostComparison>,
    /// Whether the weights are equal because there is no covariance to choose them by.
    equal: bool,
}

/// The estimate against one comparison cohort, and those that it is made of.
struct Against<'a> {
    triple: TripleEstimate,
    components: [&'a CellEstimate; 3],
}

impl TriplePlan {
    /// Combines the components' estimates.
    ///
    /// # Errors
    /// What the source reports of the pass that forms covariances.
    pub fn combine(
        &self,
        source: &dyn Source,
        recipe: &Recipe,
        components: &[CellResult<CellEstimate>],
    ) -> Result<Combined> {
        let find = |(cell, of_cell): (usize, &CellResult<Components>)| {
            Usable::new(cell, of_cell.as_ref().map_err(Clone::clone)?, components)
        };
        let mut usable_cells: Vec<CellResult<Usable<'_>>> =
            self.of_cell.iter().enumerate().map(find).collect();
        weigh(source, recipe, &mut usable_cells)?;
        let (mut comparisons, mut lost, mut equal) = (Vec::new(), Vec::new(), Vec::new());
        let mut combined = |(cell, usable): (usize, Usable<'_>)| {
            let estimate = usable.combined();
            comparisons.extend(usable.estimates.iter().map(|against| against.triple));
            lost.extend(usable.lost);
            equal.extend(usable.equal.then_some(cell));
            estimate
        };
        let each = usable_cells.into_iter().enumerate();
        let cells = each.map(|(cell, usable)| Ok(combined((cell, usable?)))).collect();
        Ok(Combined { cells, comparisons, lost, equal })
    }
}

/// Weighs the comparison cohorts where a cell has several, by the covariance of the estimates against each.
fn weigh(source: &dyn Source, recipe: &Recipe, found: &mut [CellResult<Usable<'_>>]) -> Result<()> {
    let cells = found
        .iter_mut()
        .enumerate()
        .filter_map(|(cell, usable)| Some((cell, usable.as_mut().ok()?)));
    let mut several: Vec<_> = cells.filter(|(_, usable)| usable.estimates.len() > 1).collect();
    let mut open = several.as_mut_slice();
    while !open.is_empty() {
        let (batch, columns) = first_batch(open);
        let (now, later) = open.split_at_mut(batch);
        open = later;
        let alone = |against: &Against<'_>| combined(std::slice::from_ref(against), &[1.0], 0.0);
        let influences: Vec<CellEstimate> =
            now.iter().flat_map(|(_, usable)| usable.estimates.iter().map(alone)).collect();
        let cross = cross_moments(source, &influences, recipe.trim)?;
        let mut first = 0;
        for (cell, usable) in now {
            let k = usable.estimates.len();
            let entry = |e: usize| cross[(first + e / k) * columns + first + e % k];
            usable.weigh(*cell, &(0..k * k).map(entry).collect::<Vec<_>>());
            first += k;
        }
    }
    Ok(())
}

/// How many of the cells have at most [`MAX_COLUMNS`] columns together, at least one, and how many columns these are.
fn first_batch(cells: &[(usize, &mut Usable<'_>)]) -> (usize, usize) {
    let (mut batch, mut columns) = (0, 0);
    for (_, usable) in cells {
        let wider = columns + usable.estimates.len();
        if batch > 0 && wider > MAX_COLUMNS {
            break;
        }
        (batch, columns) = (batch + 1, wider);
    }
    (batch, columns)
}

/// The weighted estimate with its influence.
fn combined(estimates: &[Against<'_>], weights: &[f64], att: f64) -> CellEstimate {
    let mut sum = CombinedTerms::default();
    let mut not_converged = false;
    let mut overlap: Option<Overlap> = None;
    let mut add = |scale: f64, component: &CellEstimate| {
        not_converged |= component.not_converged;
        if let Some(own) = component.overlap {
            overlap = Some(overlap.map_or(own, |before| before.and(own)));
        }
        component.terms.iter().for_each(|term| sum.add(scale, term));
    };
    // All share the comparison within the group.
    if let Some(Against { components: [own, ..], .. }) = estimates.first() {
        add(SIGNS[0] * weights.iter().sum::<f64>(), own);
    }
    for (against, weight) in estimates.iter().zip(weights) {
        let [_, eligible, ineligible] = against.components;
        add(SIGNS[1] * weight, eligible);
        add(SIGNS[2] * weight, ineligible);
    }
    CellEstimate { att, terms: sum.into_terms(), not_converged, overlap, ..CellEstimate::default() }
}

impl<'a> Usable<'a> {
    /// Estimates against the comparison cohorts that can be used, each of weight one until they are weighed.
    fn new(
        cell: usize,
        of_cell: &Components,
        components: &'a [CellResult<CellEstimate>],
    ) -> CellResult<Self> {
        let estimate = |c: usize| components[c].as_ref().map_err(Clone::clone);
        let treated_change = estimate(of_cell.own)?;
        let none = CellStatus::NoControls { period: None };
        let missing = |group: &f64| LostComparison { cell, group: *group, reason: none.clone() };
        let mut lost: Vec<LostComparison> = of_cell.missing.iter().map(missing).collect();
        let mut estimates = Vec::new();
        for comparison in &of_cell.comparisons {
            let group = comparison.group;
            match (estimate(comparison.eligible), estimate(comparison.ineligible)) {
                (Ok(eligible), Ok(ineligible)) => {
                    let of = [treated_change, eligible, ineligible];
                    let components = of.map(|e| e.att);
                    let triple = TripleEstimate { cell, group, components, weight: 1.0 };
                    estimates.push(Against { triple, components: of });
                }
                (Err(reason), _) | (_, Err(reason)) => {
                    lost.push(LostComparison { cell, group, reason });
                }
            }
        }
        match lost.pop() {
            Some(last) if estimates.is_empty() => Err(last.reason),
            last => {
                lost.extend(last);
                Ok(Self { estimates, lost, equal: false })
            }
        }
    }

    /// Weighs the estimates by their covariance `Ω`, `[m, m]`; those without a finite variance are lost, unless all are.
    fn weigh(&mut self, cell: usize, omega: &[f64]) {
        let k = self.estimates.len();
        let finite: Vec<usize> = (0..k).filter(|j| omega[j * k + j].is_finite()).collect();
        for against in (0..k).filter(|j| !finite.contains(j)).map(|j| &self.estimates[j]) {
            let reason = CellStatus::Estimator { message: "its variance is not finite".into() };
            self.lost.push(LostComparison { cell, group: against.triple.group, reason });
        }
        if !finite.is_empty() {
            let mut position = 0..k;
            self.estimates.retain(|_| position.next().is_some_and(|j| finite.contains(&j)));
        }
        let omega: Vec<f64> =
            finite.iter().flat_map(|i| finite.iter().map(move |j| omega[i * k + j])).collect();
        let weights =
            (!omega.is_empty()).then(|| smallest_variance(&omega, finite.len())).flatten();
        self.equal = weights.is_none();
        let equal = 1.0 / self.estimates.len() as f64;
        for (j, against) in self.estimates.iter_mut().enumerate() {
            against.triple.weight = weights.as_ref().map_or(equal, |weights| weights[j]);
        }
    }

    /// The weighted estimate with its influence.
    fn combined(&self) -> CellEstimate {
        let weights: Vec<f64> = self.estimates.iter().map(|e| e.triple.weight).collect();
        let att = self.estimates.iter().map(|e| e.triple.weight * e.triple.att()).sum();
        combined(&self.estimates, &weights, att)
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

#[cfg(test)]
mod tests;
