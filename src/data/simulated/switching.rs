//! Treatments that switch.

use super::truth::{Truth, rounded};
use super::{Parts, Simulate, check};
use crate::base::error::Result;
use crate::data::switching::SwitchingSimulation;

/// Mean size of the first switch, of 1 or 2.
const SWITCH: f64 = 1.5;

/// Mean effect in the period of the first switch. What switches once more goes back as often as it goes on, so that the mean change of
/// the treatment stays what it was.
const AT_ONCE: f64 = SWITCH;

/// Mean effect in later periods: of the treatment and of half that of the period before.
const LATER: f64 = 1.5 * SWITCH;

impl Simulate for SwitchingSimulation {
    fn estimator(&self) -> &'static str {
        "did-multiplegt"
    }

    fn validate(&self) -> Result<()> {
        check::sizes(self.groups, self.periods)?;
        check::at_least("periods", 4, self.periods)?;
        check::at_least("groups_per_cluster", 1, self.groups_per_cluster)?;
        check::shares(&[("missing", self.missing)])
    }

    fn drawn(&self) -> (usize, usize) {
        (self.groups, self.periods)
    }

    fn parts(&self) -> Parts<'_> {
        self.rows_of_units()
    }

    /// `effect` and `placebo` by the number of periods since the one before the first switch, and the `average` effect per unit of
    /// treatment of the effects up to that.
    fn truths(&self) -> Vec<Truth> {
        let horizons = self.periods.saturating_sub(2);
        let effect = |l: usize| if l == 1 { AT_ONCE } else { LATER };
        // First switches are as frequent in every period from the third on, of which the last `l - 1` do not show effect `l`.
        let switchers = |l: usize| (horizons + 1 - l) as f64;
        let mut truths: Vec<Truth> =
            (1..=horizons).map(|l| Truth::by_event("effect", l as i64, effect(l))).collect();
        let placebos = (1..=horizons.saturating_sub(1)).map(|l| -(l as i64));
        truths.extend(placebos.map(|l| Truth::by_event("placebo", l, 0.0)));
        truths.extend((1..=horizons).map(|last| {
            let total: f64 = (1..=last).map(|l| switchers(l) * effect(l)).sum();
            let change: f64 = (1..=last).map(|l| switchers(l) * SWITCH).sum();
            Truth::by_event("average", last as i64, rounded(total / change))
        }));
        truths
    }

    fn options(&self) -> Vec<String> {
        let horizons = self.periods.saturating_sub(2).clamp(1, 3);
        let clusters = usize::from(self.groups_per_cluster > 1);
        let mut words = super::common(false, false, clusters);
        words.extend(["--dname", "d", "--effects"].map(str::to_owned));
        words.push(horizons.to_string());
        if horizons > 1 {
            words.extend(["--placebo".to_owned(), (horizons - 1).to_string()]);
        }
        words
    }

    fn notes(&self) -> Vec<String> {
        let note = "The truth is that of data without missing treatments.";
        (self.missing > 0.0).then(|| note.to_owned()).into_iter().collect()
    }
}
