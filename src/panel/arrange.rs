//! The kept rows as strata: units in canonical order, periods contiguous.

use rayon::prelude::*;

use super::codes::MISSING;
use super::columns::Roles;
use super::condition::{Conditioning, centre_outcomes, condition_covariates};
use super::formula::Design;
use super::ingest::{SampleOptions, Selection};
use super::sample::{DesignInfo, Layout, Panel, Sample, StratumData, WeightLayout};
use super::weights;
use crate::error::{DidError, DidWarning, Result};
use crate::options::{ControlGroup, FixWeights};

/// Raw rows of one stratum: `[P][n]`, `MISSING` where a unit is not observed.
pub(super) struct Grid {
    pub rows: Vec<u32>,
    /// As `rows`, with a unit's first observed row in place of missing ones.
    pub filled: Vec<u32>,
    pub n: usize,
    pub rank: Vec<u32>,
}

impl Grid {
    pub fn periods(&self) -> usize {
        self.rows.len() / self.n.max(1)
    }
}

/// Arranges the selection as a panel.
pub(super) fn arrange(
    selection: Selection,
    roles: &Roles,
    options: &SampleOptions,
    fix_weights: Option<FixWeights>,
    conditioning: Conditioning,
) -> Result<Panel> {
    let layout = match (options.repeated_cross_sections, selection.balanced) {
        (true, _) => Layout::RepeatedCrossSections,
        (false, true) => Layout::Balanced,
        (false, false) => Layout::Unbalanced,
    };
    let kept: Vec<u32> =
        (0u32..).zip(&selection.keep).filter_map(|(i, k)| k.then_some(i)).collect();
    let design = selection.raw.covariates.design(&kept)?;
    let mut grids = match layout {
        Layout::RepeatedCrossSections => cross_section_grids(&selection),
        Layout::Balanced | Layout::Unbalanced => unit_grids(&selection),
    };
    if layout == Layout::RepeatedCrossSections {
        sort_canonically(&selection, &design, &mut grids);
    }
    let counts = counts(&selection, layout, &grids);
    check_sizes(&selection, roles, options, &counts)?;
    let (weight_layout, presence, omega, columns) = weights::columns(&selection, layout, &grids);
    let mut strata: Vec<StratumData> = grids.iter().map(|g| outcomes(&selection, g)).collect();
    for (stratum, w) in strata.iter_mut().zip(columns) {
        stratum.w = w;
    }
    let weights_vary = weights::layout_of(&selection, &grids) == WeightLayout::Varying;
    let n_clusters = fill_clusters(&selection, &grids, &mut strata);
    let n = grids.iter().map(|g| g.n).sum();
    let shares = weights::shares(&strata, omega, selection.cohorts.len(), layout, n);
    let pair_counts = (layout == Layout::Unbalanced && fix_weights.is_some())
        .then(|| pair_counts(&grids, selection.periods.len()));
    let mut info = fill_covariates(&design, &grids, &mut strata);
    condition_covariates(&mut info, &mut strata, conditioning);
    let y_scale =
        centre_outcomes(layout, &mut strata, &counts, selection.periods.len(), conditioning);
    let labels = labels(&selection, &grids);
    let Selection { periods, cohorts, groups, mut audit, mut warnings, .. } = selection;
    if weights_vary && layout != Layout::RepeatedCrossSections {
        warnings.push(DidWarning::TimeVaryingWeights);
    }
    if options.anticipation > 0 {
        warnings.push(DidWarning::Anticipation);
    }
    small_groups(roles, &cohorts, &counts, &mut warnings);
    audit.rows = counts.iter().flatten().sum();
    audit.units = n;
    audit.never_treated = never_treated(&cohorts, layout, &strata, periods.len());
    audit.periods.clone_from(&periods);
    audit.covariates = info.names[usize::from(!info.intercept)..].to_vec();
    let sample = Sample {
        layout,
        periods,
        cohorts,
        groups,
        counts,
        pair_counts,
        n,
        design: info,
        weights: weight_layout,
        presence,
        omega,
        shares,
        n_clusters,
        labels,
        y_scale,
        audit,
        warnings,
    };
    Ok(Panel { sample, strata })
}

/// One grid a cohort, units in the order of their labels.
fn unit_grids(s: &Selection) -> Vec<Grid> {
    let periods = s.periods.len();
    let Some(order) = &s.order else { return Vec::new() };
    let mut units: Vec<Vec<(usize, u32)>> = vec![Vec::new(); s.cohorts.len()];
    let mut rank = 0u32;
    for u in 0..order.units() {
        if let Some(row) = order.unit(u).iter().find(|i| s.keep[**i as usize]) {
            units[s.cohort[*row as usize] as usize].push((u, rank));
            rank += 1;
        }
    }
    units
        .into_par_iter()
        .map(|units| {
            let n = units.len();
            let mut rows = vec![MISSING; periods * n];
            let mut filled = vec![MISSING; n];
            for (i, (u, _)) in units.iter().enumerate() {
                for row in order.unit(*u).iter().filter(|r| s.keep[**r as usize]) {
                    rows[s.period[*row as usize] as usize * n + i] = *row;
                    if filled[i] == MISSING {
                        filled[i] = *row;
                    }
                }
            }
            let filled = rows
                .iter()
                .enumerate()
                .map(|(e, r)| if *r == MISSING { filled[e % n] } else { *r })
                .collect();
            Grid { rows, filled, n, rank: units.into_iter().map(|(_, r)| r).collect() }
        })
        .collect()
}

/// One grid a cohort and period.
fn cross_section_grids(s: &Selection) -> Vec<Grid> {
    let periods = s.periods.len();
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); s.cohorts.len() * periods];
    for (i, keep) in (0u32..).zip(&s.keep) {
        if *keep {
            let (cohort, period) = (s.cohort[i as usize], s.period[i as usize]);
            rows[cohort as usize * periods + period as usize].push(i);
        }
    }
    rows.into_iter()
        .map(|rows| Grid { n: rows.len(), filled: Vec::new(), rank: Vec::new(), rows })
        .collect()
}

/// Puts the rows of repeated cross sections in an order that does not depend on the data frame's: by unit where there is
/// one, else by content (rows equal in content are interchangeable).
fn sort_canonically(s: &Selection, design: &Design, grids: &mut [Grid]) {
    grids.par_iter_mut().for_each(|grid| match &s.raw.unit {
        Some(unit) => {
            let code = |r: &u32| unit.codes[*r as usize];
            if !grid.rows.is_sorted_by_key(code) {
                grid.rows.par_sort_unstable_by_key(code);
            }
        }
        None => sort_by_content(s, design, &mut grid.rows),
    });
    let mut rank = 0u32;
    for grid in grids {
        grid.rank = (rank..).take(grid.n).collect();
        rank += u32::try_from(grid.n).unwrap_or(0);
        grid.filled.clone_from(&grid.rows);
    }
}

fn sort_by_content(s: &Selection, design: &Design, rows: &mut [u32]) {
    let columns: Vec<Vec<f64>> = (0..design.width())
        .map(|j| {
            let mut column = vec![0.0; rows.len()];
            design.fill(j, rows, &mut column);
            column
        })
        .collect();
    let weight = |r: u32| s.raw.w.as_ref().map_or(1.0, |w| w[r as usize]);
    let cluster = |r: u32| s.raw.cluster.as_ref().map_or(0, |c| c.codes[r as usize]);
    let mut order: Vec<(u32, u32)> = (0u32..).zip(rows.iter().copied()).collect();
    order.par_sort_unstable_by(|(i, r), (j, q)| {
        let y = |r: u32| s.raw.y[r as usize];
        y(*r)
            .total_cmp(&y(*q))
            .then_with(|| weight(*r).total_cmp(&weight(*q)))
            .then_with(|| cluster(*r).cmp(&cluster(*q)))
            .then_with(|| {
                columns
                    .iter()
                    .map(|c| c[*i as usize].total_cmp(&c[*j as usize]))
                    .find(|o| o.is_ne())
                    .unwrap_or(std::cmp::Ordering::Equal)
            })
    });
    for (row, (_, sorted)) in rows.iter_mut().zip(order) {
        *row = sorted;
    }
}

/// Rows observed, `[cohort][period]`.
fn counts(s: &Selection, layout: Layout, grids: &[Grid]) -> Vec<Vec<usize>> {
    let periods = s.periods.len();
    match layout {
        Layout::RepeatedCrossSections => {
            grids.chunks(periods).map(|g| g.iter().map(|g| g.n).collect()).collect()
        }
        Layout::Balanced => grids.iter().map(|g| vec![g.n; periods]).collect(),
        Layout::Unbalanced => grids
            .iter()
            .map(|g| {
                g.rows
                    .chunks(g.n.max(1))
                    .map(|rows| rows.iter().filter(|r| **r != MISSING).count())
                    .collect()
            })
            .collect(),
    }
}

/// Units observed in both periods, `[cohort][period][other period]`.
fn pair_counts(grids: &[Grid], periods: usize) -> Vec<Vec<Vec<usize>>> {
    let observed = |g: &Grid, t: usize, i: usize| g.rows[t * g.n + i] != MISSING;
    let both =
        |g: &Grid, t, j| (0..g.n).filter(|i| observed(g, t, *i) && observed(g, j, *i)).count();
    grids
        .par_iter()
        .map(|g| (0..periods).map(|t| (0..periods).map(|j| both(g, t, j)).collect()).collect())
        .collect()
}

/// Average rows a period, as R `did` measures cohorts.
fn cohort_size(counts: &[usize]) -> f64 {
    counts.iter().sum::<usize>() as f64 / counts.len() as f64
}

/// The never-treated group must be large enough for the covariates if it is the only comparison.
fn check_sizes(
    s: &Selection,
    roles: &Roles,
    options: &SampleOptions,
    counts: &[Vec<usize>],
) -> Result<()> {
    let required = roles.covariates.variables().len() + 5;
    let never = s.cohorts.iter().position(|g| g.is_infinite());
    let size = never.map_or(0.0, |c| cohort_size(&counts[c]));
    let too_small = size < required as f64 && options.control_group == ControlGroup::NeverTreated;
    if too_small {
        return Err(DidError::SmallNeverTreated { size: size as usize, required });
    }
    Ok(())
}

fn small_groups(
    roles: &Roles,
    cohorts: &[f64],
    counts: &[Vec<usize>],
    warnings: &mut Vec<DidWarning>,
) {
    let required = (roles.covariates.variables().len() + 5) as f64;
    let groups: Vec<f64> = cohorts
        .iter()
        .zip(counts)
        .filter(|(_, counts)| cohort_size(counts) < required)
        .map(|(g, _)| if g.is_finite() { *g } else { 0.0 })
        .collect();
    if !groups.is_empty() {
        warnings.push(DidWarning::SmallGroups { groups });
    }
}

fn never_treated(cohorts: &[f64], layout: Layout, strata: &[StratumData], periods: usize) -> usize {
    let Some(never) = cohorts.iter().position(|g| g.is_infinite()) else { return 0 };
    match layout {
        Layout::RepeatedCrossSections => {
            strata[never * periods..(never + 1) * periods].iter().map(|s| s.rows).sum()
        }
        Layout::Balanced | Layout::Unbalanced => strata[never].rows,
    }
}

fn outcomes(s: &Selection, grid: &Grid) -> StratumData {
    let y = grid
        .rows
        .par_iter()
        .map(|r| if *r == MISSING { 0.0 } else { s.raw.y[*r as usize] })
        .collect();
    StratumData { rows: grid.n, y, rank: grid.rank.clone(), ..StratumData::default() }
}

/// Clusters present in the sample, numbered in the order of their labels.
fn fill_clusters(s: &Selection, grids: &[Grid], strata: &mut [StratumData]) -> Option<usize> {
    let cluster = s.raw.cluster.as_ref()?;
    let mut dense = vec![MISSING; cluster.labels.len()];
    for (code, keep) in cluster.codes.iter().zip(&s.keep) {
        if *keep {
            dense[*code as usize] = 0;
        }
    }
    let mut next = 0;
    for d in dense.iter_mut().filter(|d| **d == 0) {
        *d = next;
        next += 1;
    }
    for (grid, stratum) in grids.iter().zip(strata) {
        stratum.cluster = grid.filled[..grid.n]
            .iter()
            .map(|r| dense[cluster.codes[*r as usize] as usize])
            .collect();
    }
    Some(next as usize)
}

/// Design columns other than the constant, in one version if no unit's covariates change over time.
fn fill_covariates(design: &Design, grids: &[Grid], strata: &mut [StratumData]) -> DesignInfo {
    let names = design.names();
    let intercept = names.first().is_some_and(|n| n == "(Intercept)");
    let columns: Vec<usize> = (usize::from(intercept)..design.width()).collect();
    let varying = columns.par_iter().any(|j| grids.iter().any(|g| varies(design, *j, g)));
    let versions = if varying { grids.first().map_or(1, Grid::periods) } else { 1 };
    let kx = columns.len();
    for (grid, stratum) in grids.iter().zip(strata) {
        let n = grid.n;
        stratum.x = vec![0.0; versions * kx * n];
        if n > 0 {
            stratum.x.par_chunks_mut(n).enumerate().for_each(|(c, out)| {
                let (version, j) = (c / kx, c % kx);
                design.fill(columns[j], &grid.filled[version * n..(version + 1) * n], out);
            });
        }
    }
    let constant = std::iter::once("(Intercept)".to_owned());
    let names: Vec<String> =
        constant.chain(names[usize::from(intercept)..].iter().cloned()).collect();
    let k = names.len();
    let transform = (0..k * k).map(|e| f64::from(u8::from(e / k == e % k))).collect();
    DesignInfo { names, intercept, versions, transform }
}

/// Whether a column changes over time within some unit of the grid.
fn varies(design: &Design, column: usize, grid: &Grid) -> bool {
    const STEP: usize = 1024;
    let (mut first, mut other) = (vec![0.0; STEP], vec![0.0; STEP]);
    for start in (0..grid.n).step_by(STEP) {
        let end = (start + STEP).min(grid.n);
        let (first, other) = (&mut first[..end - start], &mut other[..end - start]);
        design.fill(column, &grid.filled[start..end], first);
        for p in 1..grid.periods() {
            design.fill(column, &grid.filled[p * grid.n + start..p * grid.n + end], other);
            if first != other {
                return true;
            }
        }
    }
    false
}

/// Label codes by canonical rank.
fn labels(s: &Selection, grids: &[Grid]) -> Option<(super::codes::Labels, Vec<u32>)> {
    let unit = s.raw.unit.as_ref()?;
    let mut codes = vec![0; grids.iter().map(|g| g.n).sum()];
    for grid in grids {
        for (rank, row) in grid.rank.iter().zip(&grid.filled[..grid.n]) {
            codes[*rank as usize] = unit.codes[*row as usize];
        }
    }
    Some((unit.labels.clone(), codes))
}

/// The weight of a kept row; 1 without a weight column.
pub(super) fn row_weight(s: &Selection, row: u32) -> f64 {
    s.raw.w.as_ref().map_or(1.0, |w| w[row as usize])
}
