//! Strata whose influence columns are linear in a few others.
//!
//! Without covariates every contribution is `u = w [ (y_post - y_base) c + f ]`: a combination of `w` and of
//! `w (y_p - y_r)` for the outcomes `p` and one reference outcome `r`. A comparison stratum serves many cells, but has few
//! such columns. Their cross-moments and multiplied sums are mapped to those of the influence columns, tile by tile, unless
//! the influence values of a tile are so small beside the basis that rounding would show in their moments.

use crate::base::parallel;
use crate::engine::pass::{Leg, PlanColumn, StratumPlan, Weight};

/// How many times larger the terms of a column's second moment may be than their sum.
pub(crate) const CANCELLATION: f64 = 1e5;

/// Influence columns up to which their cross-moments are formed by one task, and rows of them that one forms of more columns.
const FEW: usize = 128;
const ROWS: usize = 16;

/// The basis, and each influence column as a combination of it.
pub(crate) struct BasisPlan {
    /// Plan of the basis columns, one contribution each.
    pub basis: StratumPlan,
    /// For each influence column the basis columns and their coefficients.
    pub combinations: Vec<Vec<(usize, f64)>>,
}

impl BasisPlan {
    /// The basis of a plan without covariates. If it has one weight, its constant is the first column.
    pub fn of(plan: &StratumPlan) -> Option<Self> {
        if !plan.dots.is_empty() {
            return None;
        }
        let mut linear = Self { basis: StratumPlan::default(), combinations: Vec::new() };
        let reference = plan.columns.iter().flat_map(|c| &c.legs).find_map(|leg| leg.base);
        for column in &plan.columns {
            let mut combination = Vec::new();
            for leg in &column.legs {
                combination.push((linear.constant(leg.w), leg.f));
                // A change is one of two changes from the reference; a level stands alone.
                let base = leg.base.and(reference);
                let outcomes = [(Some(leg.post), leg.c), (leg.base, -leg.c)];
                for (post, c) in outcomes.into_iter().filter_map(|(p, c)| Some((p?, c))) {
                    if base != Some(post) {
                        let term = Leg { post, base, w: leg.w, c: 1.0, ..Leg::default() };
                        combination.push((linear.index(term), c));
                    }
                }
            }
            linear.combinations.push(combination);
        }
        if let Some(share) = &plan.share {
            let combination = vec![(linear.constant(share.w), share.scale)];
            linear.combinations.push(combination);
        }
        Some(linear)
    }

    /// Whether the basis has fewer columns than the plan.
    pub fn is_smaller(&self) -> bool {
        self.basis.columns.len() < self.combinations.len()
    }

    /// The column `w`.
    fn constant(&mut self, w: Weight) -> usize {
        self.index(Leg { w, f: 1.0, ..Leg::default() })
    }

    /// Index of a basis column, which is added if it is new.
    fn index(&mut self, leg: Leg) -> usize {
        let columns = &mut self.basis.columns;
        columns.iter().position(|c| c.legs[0] == leg).unwrap_or_else(|| {
            columns.push(PlanColumn { column: columns.len(), legs: vec![leg] });
            columns.len() - 1
        })
    }

    /// Whether the second moments of the influence columns can be formed of those of the basis: that no terms cancel.
    pub fn is_accurate(&self, basis: &[f64]) -> bool {
        let n = self.basis.columns.len();
        let mut row = vec![0.0; n];
        self.combinations.iter().all(|combination| {
            products(combination, basis, &mut row);
            let size: f64 =
                combination.iter().map(|(b, c)| c.abs() * basis[b * n + b].sqrt()).sum();
            size * size <= CANCELLATION * dot(combination, &row)
        })
    }

    /// Adds the influence columns' cross-moments, from the upper triangle of those of the basis, to the upper triangle of `cross`, which
    /// has the `active` columns among others.
    pub fn add_cross(&self, basis: &[f64], active: &[usize], cross: &mut [f64]) {
        let m = cross.len().isqrt();
        let mut columns: Vec<(usize, &[(usize, f64)])> =
            active.iter().copied().zip(self.combinations.iter().map(Vec::as_slice)).collect();
        columns.sort_by_key(|(column, _)| *column);
        let mut place_of = vec![None; m];
        for (place, (column, _)) in columns.iter().enumerate() {
            place_of[*column] = Some(place);
        }
        let n = self.basis.columns.len();
        let add_row = |column: usize, row_of_all: &mut [f64]| {
            let Some(place) = place_of[column] else { return };
            let mut row = vec![0.0; n];
            products(columns[place].1, basis, &mut row);
            for (other, combination) in &columns[place..] {
                row_of_all[*other] += dot(combination, &row);
            }
        };
        let together = if m < FEW { m } else { ROWS };
        parallel::chunks(cross, (together * m).max(1), |part, rows| {
            for (row, row_of_all) in rows.chunks_exact_mut(m).enumerate() {
                add_row(part * together + row, row_of_all);
            }
        });
    }

    /// Multiplied sums of the influence columns, `[m, R]`, from those of the basis.
    pub fn draws(&self, basis: &[f64], draws: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.combinations.len() * draws];
        for (out, combination) in out.chunks_exact_mut(draws).zip(&self.combinations) {
            for (b, c) in combination {
                for (o, v) in out.iter_mut().zip(&basis[b * draws..(b + 1) * draws]) {
                    *o += c * v;
                }
            }
        }
        out
    }
}

/// The products of a combination with all columns of the basis, from the upper triangle of its cross-moments.
fn products(combination: &[(usize, f64)], basis: &[f64], row: &mut [f64]) {
    let n = row.len();
    for (b, row) in row.iter_mut().enumerate() {
        *row = combination.iter().map(|(a, c)| c * basis[a.min(&b) * n + a.max(&b)]).sum();
    }
}

/// The product of a combination with a column.
fn dot(combination: &[(usize, f64)], column: &[f64]) -> f64 {
    combination.iter().map(|(b, c)| c * column[*b]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Multiplier;
    use crate::engine::backend::host::{HostChunk, Sink, influence};
    use crate::engine::pass::{Consumers, InfluenceStat, Multipliers, Share, TILE};

    const PERIODS: usize = 4;
    const COLUMNS: usize = 24;

    /// Changes and levels with three weights, and a share.
    fn plan() -> StratumPlan {
        let weights = [Weight::Ones, Weight::Column(0), Weight::Product(0, 1)];
        let columns = (0..COLUMNS - 1).map(|j| {
            let leg = |i: usize| Leg {
                post: (i + 1) % PERIODS,
                base: (j % 5 != 0).then_some((i + i / PERIODS % 3 + 2) % PERIODS),
                w: weights[j % 3],
                c: (i as f64 * 0.9).sin(),
                f: (i as f64 * 0.4).cos() / 10.0,
                ..Leg::default()
            };
            let legs = if j % 7 == 0 { vec![leg(j), leg(j + 5)] } else { vec![leg(j)] };
            PlanColumn { column: COLUMNS - 1 - j, legs }
        });
        let share = Share { column: 0, w: Weight::Column(1), scale: 0.02 };
        StratumPlan { columns: columns.collect(), share: Some(share), ..StratumPlan::default() }
    }

    /// Sums over `rows` rows in chunks that end at `ends`.
    fn sums(rows: usize, ends: &[usize], keep_rows: bool) -> InfluenceStat {
        let value = |i: usize, j: usize| (i as f64 * 0.37 + j as f64 * 1.7).sin();
        let multipliers = Multipliers { law: Multiplier::Mammen, seed: 5, draws: 200 };
        let consumers = Consumers { clusters: None, multipliers: Some(multipliers), keep_rows };
        let plan = plan();
        let active = plan.active();
        let sink = Sink { active: &active, consumers: &consumers };
        let mut out = InfluenceStat::zero(COLUMNS, &consumers);
        let mut start = 0;
        for end in ends.iter().copied().chain([rows]) {
            let columns = |count: usize, shift: f64| -> Vec<f64> {
                (0..count).flat_map(|j| (start..end).map(move |i| value(i, j) + shift)).collect()
            };
            let (y, w) = (columns(PERIODS, 0.1), columns(2, 1.5));
            let rank: Vec<u64> = (start..end).map(|i| i as u64 * 3).collect();
            let rows = end - start;
            let chunk = HostChunk { rows, y: &y, x: &[], w: &w, rank: &rank, cluster: &[], k: 1 };
            influence(&chunk, &plan, 0.995, &sink, &mut out);
            start = end;
        }
        out
    }

    /// Kept rows need every column, so that they come with the direct sums.
    #[test]
    fn sums_are_those_of_the_columns_themselves() {
        let linear = BasisPlan::of(&plan()).expect("fewer columns");
        assert!(linear.basis.columns.len() < COLUMNS, "{}", linear.basis.columns.len());
        for rows in [1, 500, TILE + 100] {
            let (mapped, direct) = (sums(rows, &[], false), sums(rows, &[], true));
            for (a, b) in [(&mapped.cross, &direct.cross), (&mapped.draws, &direct.draws)] {
                let scale = b.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * scale));
            }
        }
    }

    /// Far from zero the squares of a basis lose what varies; the influence values do not.
    #[test]
    fn columns_that_cancel_are_formed_themselves() {
        let level = 1e9;
        let rows = TILE + 100;
        let spread = |i: usize| (i as f64 * 0.37).sin();
        let y: Vec<f64> = (0..rows).map(|i| level + spread(i)).collect();
        let leg = |scale: f64| Leg { c: scale, f: -scale * level, ..Leg::default() };
        let column = |column| PlanColumn { column, legs: vec![leg(column as f64 + 1.0)] };
        let plan = StratumPlan { columns: (0..4).map(column).collect(), ..StratumPlan::default() };
        assert!(BasisPlan::of(&plan).is_some_and(|linear| linear.is_smaller()));
        let consumers = Consumers { clusters: None, multipliers: None, keep_rows: false };
        let sink = Sink { active: &plan.active(), consumers: &consumers };
        let mut out = InfluenceStat::zero(4, &consumers);
        let rank = vec![0; rows];
        let chunk = HostChunk { rows, y: &y, x: &[], w: &[], rank: &rank, cluster: &[], k: 1 };
        influence(&chunk, &plan, 0.995, &sink, &mut out);
        let exact: f64 = (0..rows).map(|i| spread(i).powi(2)).sum();
        assert!((out.cross[0] / exact - 1.0).abs() < 1e-6, "{} {exact}", out.cross[0]);
        assert!((out.cross[15] / exact - 16.0).abs() < 1e-5);
    }

    #[test]
    fn sums_depend_neither_on_chunks_nor_on_threads() {
        let rows = 3 * TILE + 17;
        let whole = sums(rows, &[], false);
        assert_eq!(whole, sums(rows, &[TILE, 3 * TILE], false));
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            assert_eq!(whole, pool.install(|| sums(rows, &[], false)));
        }
    }

    #[test]
    fn plans_with_few_columns_or_covariates_have_no_smaller_basis() {
        let few = StratumPlan { columns: plan().columns[..2].to_vec(), ..StratumPlan::default() };
        assert!(!BasisPlan::of(&few).expect("no covariates").is_smaller());
        let dots = vec![crate::engine::pass::Dot { x: 0, v: vec![1.0] }];
        assert!(BasisPlan::of(&StratumPlan { dots, ..plan() }).is_none());
    }
}
