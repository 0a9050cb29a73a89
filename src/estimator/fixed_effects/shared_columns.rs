//! Columns whose values rows share, and what clusters sum of them.

use std::ops::Range;

use crate::base::parallel;

/// Clusters that one task sums.
pub(super) const TASK_CLUSTERS: usize = 1 << 12;

/// Cross-products of residuals that one task holds, and tasks that hold some, at most.
const HELD: usize = 1 << 16;
const HOLDERS: usize = 256;

/// What is left of a sum, as a part of the sum of its terms' sizes, where rounding is too large a part of it.
const CANCELLED: f64 = 1e-4;

/// Columns whose values many rows share.
///
/// The slots of a pattern follow on each other: a level of the leading factor, such as a unit, has rows at those of one pattern.
pub(super) struct SharedColumns {
    /// Which values each row has.
    pub slots: Vec<u32>,
    /// The pattern of each slot, ascending.
    pub patterns: Vec<u32>,
    /// The values, without the weights, `[k][slots]`.
    pub values: Vec<Vec<f64>>,
    /// Roots of the rows' weights; ones if there are none.
    pub roots: Option<Vec<f64>>,
}

/// What residuals of clusters at the slots of one pattern add up to.
struct Residuals {
    slots: Range<usize>,
    /// Cross-products over clusters, `[slots, slots]`; of the lower triangle only.
    products: Vec<f64>,
}

impl SharedColumns {
    pub fn slot(&self, row: usize) -> usize {
        self.slots[row] as usize
    }

    pub fn root(&self, row: usize) -> f64 {
        self.roots.as_ref().map_or(1.0, |roots| roots[row])
    }

    /// Sums of `f` of the rows' weighted `e`, by slot.
    pub fn by_slot(&self, e: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.values.first().map_or(0, Vec::len)];
        for (row, e) in e.iter().enumerate() {
            sums[self.slot(row)] += f(self.root(row) * e);
        }
        sums
    }

    /// Sums of `values` `[k][slots]` times `e` by cluster: `[k][clusters]`.
    pub fn by_cluster(
        &self,
        values: &[Vec<f64>],
        e: &[f64],
        codes: &[u32],
        clusters: usize,
    ) -> Vec<Vec<f64>> {
        by_cluster(values, &self.slots, |row| self.root(row) * e[row], (codes, clusters))
    }

    /// Cross-products over clusters of the sums of `values` `[k][slots]` times `e`, `[k, k]`, from cross-products of residuals: of clusters
    /// whose rows have the slots of one pattern each, as units have, and that are sorted. None of others, and where digits would be lost.
    ///
    /// With the residuals `e_c` of a cluster at the slots of its pattern `p`, `Σ_c (x_p'e_c)(x_p'e_c)' = Σ_p x_p' (Σ_c e_c e_c') x_p`.
    pub fn products_by_pattern(
        &self,
        values: &[Vec<f64>],
        e: &[f64],
        codes: &[u32],
    ) -> Option<Vec<f64>> {
        let patterns = self.slots_of_patterns();
        let held: usize = patterns.iter().map(|slots| slots.len().pow(2)).sum();
        if held > HELD || !codes.is_sorted() {
            return None;
        }
        let last = codes.last().map_or(0, |code| *code as usize + 1);
        let size = TASK_CLUSTERS.max(last.div_ceil(HOLDERS));
        let tasks = parallel::map(last.div_ceil(size), |task| {
            let own = parallel::part(task, size, last);
            let first = |cluster: usize| codes.partition_point(|code| (*code as usize) < cluster);
            self.residual_products(&patterns, e, codes, first(own.start)..first(own.end))
        });
        let mut total = patterns.into_iter().map(Residuals::new).collect::<Vec<_>>();
        for task in tasks {
            for (sum, part) in total.iter_mut().zip(task?) {
                sum.products.iter_mut().zip(part.products).for_each(|(sum, part)| *sum += part);
            }
        }
        let k = values.len();
        let (mut products, mut sizes) = (vec![0.0; k * k], vec![0.0; k]);
        for residuals in &total {
            residuals.add_to(values, &mut products, &mut sizes);
        }
        let is_precise = (0..k).all(|j| products[j * k + j] >= CANCELLED * sizes[j]);
        is_precise.then_some(products)
    }

    /// The slots of each pattern.
    fn slots_of_patterns(&self) -> Vec<Range<usize>> {
        let mut next = 0;
        let range = |slots: &[u32]| {
            next += slots.len();
            next - slots.len()..next
        };
        self.patterns.chunk_by(|a, b| a == b).map(range).collect()
    }

    /// Cross-products of the residuals of some clusters, by pattern; none if a cluster has rows at the slots of several.
    fn residual_products(
        &self,
        patterns: &[Range<usize>],
        e: &[f64],
        codes: &[u32],
        rows: Range<usize>,
    ) -> Option<Vec<Residuals>> {
        let mut all: Vec<Residuals> = patterns.iter().cloned().map(Residuals::new).collect();
        let longest = patterns.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        let mut of_cluster = vec![0.0; longest];
        let mut row = rows.start;
        for cluster in codes[rows].chunk_by(|a, b| a == b) {
            let own = row..row + cluster.len();
            row = own.end;
            let residuals = all.get_mut(self.patterns[self.slot(own.start)] as usize)?;
            let of_cluster = &mut of_cluster[..residuals.slots.len()];
            of_cluster.fill(0.0);
            for row in own {
                let place = self.slot(row).checked_sub(residuals.slots.start)?;
                *of_cluster.get_mut(place)? += self.root(row) * e[row];
            }
            residuals.add(of_cluster);
        }
        Some(all)
    }
}

/// Sums of `values` `[k][slots]`, of each row its slot's, times scores of rows by cluster, of which there are so many: `[k][clusters]`.
pub(in crate::estimator) fn by_cluster(
    values: &[Vec<f64>],
    slots: &[u32],
    score: impl Fn(usize) -> f64 + Sync,
    (codes, clusters): (&[u32], usize),
) -> Vec<Vec<f64>> {
    if !codes.is_sorted() {
        return parallel::map(values.len(), |j| {
            let mut sums = vec![0.0; clusters];
            for (row, code) in codes.iter().enumerate() {
                sums[*code as usize] += values[j][slots[row] as usize] * score(row);
            }
            sums
        });
    }
    let k = values.len();
    let of_slots = values.first().map_or(0, Vec::len);
    let by_slot: Vec<f64> = (0..of_slots * k).map(|at| values[at % k][at / k]).collect();
    let mut columns = vec![vec![0.0; clusters]; k];
    let mut parts: Vec<Vec<&mut [f64]>> = Vec::new();
    parts.resize_with(clusters.div_ceil(TASK_CLUSTERS), Vec::new);
    for column in &mut columns {
        let own = column.chunks_mut(TASK_CLUSTERS);
        parts.iter_mut().zip(own).for_each(|(part, own)| part.push(own));
    }
    parallel::map_items(parts, |task, part| {
        let own = parallel::part(task, TASK_CLUSTERS, clusters);
        let first = |cluster: usize| codes.partition_point(|code| (*code as usize) < cluster);
        let mut sums = vec![0.0; own.len() * k];
        for row in first(own.start)..first(own.end) {
            let score = score(row);
            let cluster = codes[row] as usize - own.start;
            let x = &by_slot[slots[row] as usize * k..][..k];
            let sums = &mut sums[cluster * k..][..k];
            sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += x * score);
        }
        for (j, column) in part.into_iter().enumerate() {
            column.iter_mut().zip(sums[j..].iter().step_by(k)).for_each(|(to, sum)| *to = *sum);
        }
    });
    columns
}

impl Residuals {
    fn new(slots: Range<usize>) -> Self {
        Self { products: vec![0.0; slots.len().pow(2)], slots }
    }

    /// Adds a cluster.
    fn add(&mut self, e: &[f64]) {
        for (i, (e_i, products)) in
            e.iter().zip(self.products.chunks_exact_mut(e.len())).enumerate()
        {
            products.iter_mut().zip(&e[..=i]).for_each(|(product, e_j)| *product += e_i * e_j);
        }
    }

    /// Adds `x'Ex` of `values` `[k][slots]` to `[k, k]`, and what it would be without signs to the diagonal's `[k]`.
    fn add_to(&self, values: &[Vec<f64>], products: &mut [f64], sizes: &mut [f64]) {
        let (k, t) = (values.len(), self.slots.len());
        let entry = |i: usize, j: usize| self.products[i.max(j) * t + i.min(j)];
        let of_pattern: Vec<&[f64]> =
            values.iter().map(|values| &values[self.slots.clone()]).collect();
        for (a, x) in of_pattern.iter().enumerate() {
            let turned: Vec<f64> =
                (0..t).map(|j| (0..t).map(|i| x[i] * entry(i, j)).sum()).collect();
            for (b, y) in of_pattern.iter().enumerate() {
                products[a * k + b] += turned.iter().zip(*y).map(|(e, y)| e * y).sum::<f64>();
            }
            let size = |i: usize, j: usize| (x[i] * entry(i, j) * x[j]).abs();
            sizes[a] += (0..t * t).map(|at| size(at / t, at % t)).sum::<f64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units with the three slots of one pattern or the two of another, with residuals that add up to zero if `balanced`.
    fn units(balanced: bool) -> (SharedColumns, Vec<f64>, Vec<u32>) {
        let (mut slots, mut e, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        for unit in 0..2 * TASK_CLUSTERS as u32 + 7 {
            let own = if unit % 3 == 0 { 3..5 } else { 0..3 };
            let wave = |slot: u32| (f64::from(unit) * 0.7 + f64::from(slot) * 1.3).sin();
            let mean = own.clone().map(wave).sum::<f64>() / own.len() as f64;
            for slot in own {
                slots.push(slot);
                e.push(wave(slot) - if balanced { mean } else { 0.0 });
                codes.push(unit);
            }
        }
        let values = vec![vec![1.0, 0.5, -0.2, 2.0, 0.1], vec![1.0; 5]];
        (SharedColumns { slots, patterns: vec![0, 0, 0, 1, 1], values, roots: None }, e, codes)
    }

    fn of_sums(shared: &SharedColumns, e: &[f64], codes: &[u32]) -> Vec<f64> {
        let clusters = codes.iter().max().map_or(0, |last| *last as usize + 1);
        let sums = shared.by_cluster(&shared.values, e, codes, clusters);
        let of_pair = |at: usize| sums[at / 2].iter().zip(&sums[at % 2]).map(|(a, b)| a * b).sum();
        (0..4).map(of_pair).collect()
    }

    #[test]
    fn products_by_pattern_are_those_of_the_sums() {
        let (shared, e, codes) = units(false);
        let products = shared.products_by_pattern(&shared.values, &e, &codes).unwrap();
        for (found, wanted) in products.iter().zip(of_sums(&shared, &e, &codes)) {
            assert!((found - wanted).abs() <= 1e-12 * wanted.abs(), "{found} {wanted}");
        }
    }

    /// The second column's sums are zero but for rounding, of which products of residuals would leave more.
    #[test]
    fn products_that_cancel_are_left_to_the_sums() {
        let (shared, e, codes) = units(true);
        assert!(shared.products_by_pattern(&shared.values, &e, &codes).is_none());
        assert!(of_sums(&shared, &e, &codes)[3] < 1e-20);
    }

    #[test]
    fn clusters_of_several_patterns_are_left_to_the_sums() {
        let (shared, e, codes) = units(false);
        let pairs: Vec<u32> = codes.iter().map(|unit| unit / 2).collect();
        assert!(shared.products_by_pattern(&shared.values, &e, &pairs).is_none());
        let backwards: Vec<u32> = codes.iter().rev().copied().collect();
        assert!(shared.products_by_pattern(&shared.values, &e, &backwards).is_none());
    }
}
