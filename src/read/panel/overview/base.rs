//! Base periods of cohorts, and how the rows of a unit there and in other periods go together.

use serde::{Deserialize, Serialize};

use crate::base::calendar::TimeGrid;

/// Which period the outcomes of a cohort are compared with: the last before its treatment, less the periods of anticipation. Of the
/// never-treated, and of cohorts without such a period, it is a stated one, or the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct BasePeriod {
    pub anticipation: f64,
    pub stated: Option<f64>,
}

impl BasePeriod {
    /// The position of the base period of a group, infinite if never treated, among ascending periods; `None` if it is not one of them.
    pub fn of(&self, group: f64, periods: &[f64], grid: &TimeGrid) -> Option<usize> {
        let before =
            periods.partition_point(|period| grid.elapsed(*period, group) > self.anticipation);
        if group.is_finite() && before > 0 {
            return Some(before - 1);
        }
        match self.stated {
            Some(stated) => periods.iter().position(|period| *period == stated),
            None => (!periods.is_empty()).then_some(0),
        }
    }
}

/// Sums over the pairs of a unit's rows, one in a period and one in the base period of its group, of values less a shift that both share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pairs {
    weight: f64,
    value: f64,
    base: f64,
    both: f64,
}

impl Pairs {
    /// Adds a pair of shifted values with their weights.
    #[inline]
    pub fn add(&mut self, (value, weight): (f64, f64), (base, base_weight): (f64, f64)) {
        let product = weight * base_weight;
        self.weight += product;
        self.value += product * value;
        self.base += product * base;
        self.both += product * value * base;
    }

    pub fn merge(&mut self, other: &Self) {
        self.weight += other.weight;
        self.value += other.value;
        self.base += other.base;
        self.both += other.both;
    }

    /// `Σ w w' (x - mean) (x' - base mean)`, of means less the shift.
    pub fn products(&self, mean: f64, base_mean: f64) -> f64 {
        let cross = self.value * base_mean + self.base * mean;
        self.both - cross + self.weight * mean * base_mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_before_treatment_and_its_anticipation() {
        let periods = [2003.0, 2004.0, 2006.0, 2007.0];
        let grid = TimeGrid::default();
        let of = |anticipation, stated, group| {
            BasePeriod { anticipation, stated }.of(group, &periods, &grid)
        };
        assert_eq!(of(0.0, None, 2006.0), Some(1));
        assert_eq!(of(0.0, None, 2005.0), Some(1));
        assert_eq!(of(2.0, None, 2006.0), Some(0));
        assert_eq!(of(0.0, None, 2003.0), Some(0));
        assert_eq!(of(0.0, Some(2006.0), f64::INFINITY), Some(2));
        assert_eq!(of(0.0, Some(2006.0), 2003.0), Some(2));
        assert_eq!(of(0.0, Some(2005.0), f64::INFINITY), None);
        assert_eq!(BasePeriod::default().of(f64::INFINITY, &[], &grid), None);
    }

    #[test]
    fn bases_are_counted_in_steps_of_the_grid() {
        let periods: Vec<f64> = (0..30).map(|k| 2000.0 + f64::from(k) / 10.0).collect();
        let grid = crate::base::calendar::grid(&periods, &periods);
        let base = BasePeriod { anticipation: 1.0, stated: None };
        for (k, group) in periods.iter().enumerate().skip(11) {
            assert_eq!(base.of(*group, &periods, &grid), Some(k - 11), "{group}");
        }
    }

    #[test]
    fn products_are_around_the_means() {
        let rows = [((1.0, 2.0), (0.5, 1.0)), ((3.0, 1.0), (-1.0, 4.0)), ((0.0, 0.5), (2.0, 2.0))];
        let (mut all, mut parts) = (Pairs::default(), [Pairs::default(); 2]);
        for (i, (now, base)) in rows.into_iter().enumerate() {
            all.add(now, base);
            parts[i % 2].add(now, base);
        }
        let [mut first, second] = parts;
        first.merge(&second);
        let product = |((x, w), (b, v)): ((f64, f64), (f64, f64))| w * v * (x - 1.5) * (b - 0.25);
        let expected: f64 = rows.into_iter().map(product).sum();
        assert!((all.products(1.5, 0.25) - expected).abs() < 1e-14);
        assert!((first.products(1.5, 0.25) - expected).abs() < 1e-14);
    }
}
