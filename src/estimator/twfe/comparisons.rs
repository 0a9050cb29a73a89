//! The two-by-two comparisons of a balanced panel, and their weights (Goodman-Bacon 2021, theorem 1).
//!
//! Treated cohort `k` is compared with cohort `l` in a window of periods in which the treatment of `l` does not change: those before `l` is
//! treated if it is treated later or never, those since if it was treated before or always. With `n` units, the share `d` of the
//! window's periods in which `k` is treated, and `T` periods in the window, the weight is proportional to
//! `n_k n_l T² d (1 - d)`, which is `N² s (1 - s) d (1 - d)` for `N = (n_k + n_l) T` rows of which `k` has the share `s`.

use crate::base::words::words;

use super::means::{Cohort, CohortMeans};

words! {
    /// Who is compared with whom.
    pub enum ComparisonKind: "kind" {
        /// Treated units with units that are never treated in the sample.
        TreatedVsNever = "treated_vs_never" | "treated_vs_untreated",
        /// Units with units that are treated later.
        EarlierVsLater = "earlier_vs_later",
        /// Units with units that were treated before: the change of these units' effects biases the comparison.
        LaterVsEarlier = "later_vs_earlier",
        /// Units with units that were treated all along; the same bias.
        LaterVsAlways = "later_vs_always",
        /// Units that are treated earlier and later, over all periods, as comparisons with controls are; the same bias.
        BothTreated = "both_treated",
        /// With controls, units that were treated all along with units that never are: no treatment changes, and the estimate is of what controls
        /// predict of the treatment.
        AlwaysVsNever = "always_vs_never",
    }
}

/// A comparison of two cohorts, by their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    pub treated: usize,
    pub control: usize,
    pub kind: ComparisonKind,
    pub estimate: f64,
    pub weight: f64,
}

/// All comparisons, by treated cohort and then by the start of the control's treatment; weights add up to 1.
pub(super) fn comparisons(means: &CohortMeans) -> Vec<Comparison> {
    let sums: Vec<Vec<f64>> = means.cohorts.iter().map(|cohort| running(&cohort.means)).collect();
    let periods = means.periods.len();
    let mut all = Vec::new();
    for (k, treated) in means.cohorts.iter().enumerate() {
        if treated.start == 0 || treated.start == periods {
            continue;
        }
        for (l, control) in means.cohorts.iter().enumerate().filter(|(l, _)| *l != k) {
            let (from, to) = match control.start > treated.start {
                true => (0, control.start),
                false => (control.start, periods),
            };
            let mean = |of: usize, a: usize, b: usize| (sums[of][b] - sums[of][a]) / (b - a) as f64;
            let gap = |a: usize, b: usize| mean(k, a, b) - mean(l, a, b);
            let window = (to - from) as f64;
            let share = (to - treated.start) as f64 / window;
            let units = treated.units as f64 * control.units as f64;
            all.push(Comparison {
                treated: k,
                control: l,
                kind: kind(treated, control, periods),
                estimate: gap(treated.start, to) - gap(from, treated.start),
                weight: units * window * window * share * (1.0 - share),
            });
        }
    }
    let total: f64 = all.iter().map(|of| of.weight).sum();
    for of in &mut all {
        of.weight /= total;
    }
    all
}

fn kind(treated: &Cohort, control: &Cohort, periods: usize) -> ComparisonKind {
    if control.start == periods {
        ComparisonKind::TreatedVsNever
    } else if control.is_always_treated() {
        ComparisonKind::LaterVsAlways
    } else if control.start > treated.start {
        ComparisonKind::EarlierVsLater
    } else {
        ComparisonKind::LaterVsEarlier
    }
}

/// Sums of the first means less the first of all, `[T + 1]`.
fn running(means: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for mean in means {
        sum += mean - means[0];
        sums.push(sum);
    }
    sums
}
