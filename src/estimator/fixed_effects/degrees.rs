//! How many parameters count, and with which factors.

use super::options::{KFixef, Ssc};
use crate::engine::demean::Factor;

/// What counts among the parameters.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::estimator) struct Parameters {
    /// Number of coefficients, including the constant.
    pub k: usize,
    /// Levels of each factor.
    pub levels: Vec<usize>,
    /// Whether each factor is nested in a factor of clusters.
    pub nested: Vec<bool>,
    /// Connected components of two factors, if they are asked for.
    pub components: Option<usize>,
}

impl Parameters {
    /// `K` of the small-sample correction.
    ///
    /// Factors have one level each that follows from the others, but for the first; of several nested in clusters, one level
    /// counts, as the clusters' own mean does.
    pub fn count(&self, ssc: &Ssc) -> usize {
        let all = self.rank(|_| true);
        match ssc.k_fixef {
            KFixef::None => self.k,
            KFixef::Full => self.k + all,
            KFixef::Nonnested => {
                let nested = self.rank(|factor| self.nested[factor]);
                self.k + all - nested + usize::from(nested > 0)
            }
        }
    }

    /// Rank of the dummies of some factors, as it is counted.
    fn rank(&self, counts: impl Fn(usize) -> bool) -> usize {
        let chosen = || (0..self.levels.len()).filter(|factor| counts(*factor));
        let levels: usize = chosen().map(|factor| self.levels[factor]).sum();
        match (chosen().count(), self.components) {
            (0, _) => 0,
            (2, Some(components)) => levels - components,
            (factors, _) => levels + 1 - factors,
        }
    }
}

/// Whether every level of a factor lies in one cluster.
pub(in crate::estimator) fn is_nested(factor: &Factor, clusters: &[u32]) -> bool {
    const NONE: u32 = u32::MAX;
    let mut cluster_of = vec![NONE; factor.levels];
    for (level, cluster) in factor.codes.iter().zip(clusters) {
        let known = &mut cluster_of[*level as usize];
        if *known == NONE {
            *known = *cluster;
        } else if *known != *cluster {
            return false;
        }
    }
    true
}

/// Connected components of two factors: how many there are, and the component of each level of the first and the second factor.
pub(super) fn components(first: &Factor, second: &Factor) -> (usize, [Vec<u32>; 2]) {
    let total = first.levels + second.levels;
    let mut parent: Vec<u32> = (0..total).map(|node| node as u32).collect();
    fn root(parent: &mut [u32], mut node: u32) -> u32 {
        while parent[node as usize] != node {
            let above = parent[parent[node as usize] as usize];
            parent[node as usize] = above;
            node = above;
        }
        node
    }
    let offset = first.levels as u32;
    let mut last = None;
    for (a, b) in first.codes.iter().zip(&second.codes) {
        // Runs of a pair, usual in panels, are one.
        if last == Some((*a, *b)) {
            continue;
        }
        last = Some((*a, *b));
        let (x, y) = (root(&mut parent, *a), root(&mut parent, offset + *b));
        // The smaller number is the root, so that components have the order of the levels.
        parent[x.max(y) as usize] = x.min(y);
    }
    let mut number = vec![u32::MAX; total];
    let mut count = 0;
    let mut of = Vec::with_capacity(total);
    for node in 0..total as u32 {
        let root = root(&mut parent, node) as usize;
        if number[root] == u32::MAX {
            number[root] = count;
            count += 1;
        }
        of.push(number[root]);
    }
    let of_second = of.split_off(first.levels);
    (count as usize, [of, of_second])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted_as_in_fixest() {
        let of = |levels: &[usize], nested: &[bool], components| Parameters {
            k: 2,
            levels: levels.to_vec(),
            nested: nested.to_vec(),
            components,
        };
        let ssc = Ssc::default();
        assert_eq!(of(&[], &[], None).count(&ssc), 2);
        // The specification: 9, 7 and 5 levels; clustered by the first, 18 - 9 + 1 count.
        assert_eq!(of(&[9, 7, 5], &[false; 3], None).count(&ssc), 2 + 19);
        assert_eq!(of(&[9, 7], &[true, false], None).count(&ssc), 2 + 15 - 9 + 1);
        assert_eq!(of(&[9], &[true], None).count(&ssc), 3);
        assert_eq!(of(&[9, 7], &[true, true], None).count(&ssc), 3);
        let (none, full) = (KFixef::None, KFixef::Full);
        assert_eq!(of(&[9, 7], &[true, true], None).count(&Ssc { k_fixef: none, ..ssc }), 2);
        assert_eq!(of(&[9, 7], &[true, true], None).count(&Ssc { k_fixef: full, ..ssc }), 17);
        assert_eq!(of(&[9, 7], &[false; 2], Some(3)).count(&ssc), 2 + 13);
        assert_eq!(of(&[9, 7], &[true, false], Some(3)).count(&ssc), 2 + 13 - 9 + 1);
    }

    #[test]
    fn nesting_and_components() {
        let (fine, coarse) = (Factor::of(&[0, 0, 1, 2, 2]), Factor::of(&[0, 0, 0, 1, 1]));
        assert!(is_nested(&fine, &coarse.codes) && !is_nested(&coarse, &fine.codes));
        let (count, [a, b]) = components(&fine, &coarse);
        assert_eq!((count, a, b), (2, vec![0, 0, 1], vec![0, 1]));
        let (count, _) = components(&Factor::of(&[0, 1, 0]), &Factor::of(&[0, 0, 1]));
        assert_eq!(count, 1);
    }
}
