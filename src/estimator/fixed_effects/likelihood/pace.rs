//! Which steps of iterated least squares are exact.
//!
//! The first step is exact, and the last: an iteration ends with an exact step that changes the deviance no more than is tolerated, after
//! another such step. Those between need only come nearer to the maximum. They are approximate as long as they do.

use super::iterate::Stopping;

/// Error of an approximate step, as a part of what the step before it changed.
const ERROR: f64 = 0.03;

/// An approximate step gains too little if it changes the deviance by more than this part of what the step before it changed.
const GAIN: f64 = 0.5;

/// An approximate step is near the maximum if it changes the deviance by no more than this part of what an exact step may: what is left after it is
/// a part of the change, and after an exact step about the square.
const NEARER: f64 = 1e-3;

/// What a step came to.
pub(super) struct Taken {
    pub is_exact: bool,
    /// Whether fixed effects are projected out iteratively: else an approximation saves nothing.
    pub is_iterated: bool,
    pub is_halved: bool,
    /// By how much it changed the deviance, and what rounding and the projection leave undecided of that.
    pub change: f64,
    pub noise: f64,
    /// The deviance after it.
    pub deviance: f64,
}

pub(super) struct Pace {
    /// Tolerance of the projections of exact steps.
    projection: f64,
    /// By how much the deviance may still change, as a part of it.
    tolerance: f64,
    /// Steps of which none is approximate any more.
    left: usize,
    /// Whether the next step is exact.
    is_exact: bool,
    was_near: bool,
    change: f64,
}

impl Pace {
    /// Of projections with this tolerance when they are exact.
    pub fn new(projection: f64, stopping: Stopping) -> Self {
        Self {
            projection,
            tolerance: stopping.tolerance,
            left: stopping.iterations / 2,
            is_exact: true,
            was_near: false,
            change: f64::INFINITY,
        }
    }

    /// Tolerance of the next step's projection; none if it is to be exact.
    pub fn approximation(&self) -> Option<f64> {
        let tolerance = ERROR * self.change.sqrt().min(1.0);
        (!self.is_exact).then_some(tolerance.max(self.projection))
    }

    /// Whether the iteration ends with this step.
    pub fn ends(&mut self, step: &Taken) -> bool {
        let tolerated = self.tolerance * if step.is_exact { 1.0 } else { NEARER };
        let is_near = !step.is_halved && step.change <= tolerated * step.deviance + step.noise;
        let was_near = std::mem::replace(&mut self.was_near, is_near);
        let change = step.change / step.deviance;
        let before = std::mem::replace(&mut self.change, change);
        let seemed_near = was_near && step.is_exact;
        self.left = match step.is_iterated && !seemed_near && (step.is_exact || !step.is_halved) {
            true => self.left.saturating_sub(1),
            false => 0,
        };
        let gains = step.is_exact || change <= GAIN * before;
        self.is_exact = self.left == 0 || is_near || !gains || change.is_nan();
        seemed_near && is_near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAINED: Taken = Taken {
        is_exact: false,
        is_iterated: true,
        is_halved: false,
        change: 1e-3,
        noise: 0.0,
        deviance: 1.0,
    };

    const NEAR: Taken = Taken { change: 1e-14, ..GAINED };

    /// After an exact step that changed all.
    fn begun() -> Pace {
        let mut pace = Pace::new(1e-8, Stopping { tolerance: 1e-10, iterations: 25 });
        assert_eq!(pace.approximation(), None);
        assert!(!pace.ends(&Taken { is_exact: true, change: f64::INFINITY, ..GAINED }));
        assert_eq!(pace.approximation(), Some(ERROR));
        pace
    }

    #[test]
    fn approximations_become_finer_and_the_last_step_is_exact() {
        let mut pace = begun();
        assert!(!pace.ends(&GAINED));
        assert_eq!(pace.approximation(), Some(ERROR * 1e-3_f64.sqrt()));
        // A change that would do as an exact step's.
        assert!(!pace.ends(&Taken { change: 2e-13, ..GAINED }));
        assert_eq!(pace.approximation(), Some(ERROR * 2e-13_f64.sqrt()));
        assert!(!pace.ends(&NEAR));
        assert_eq!(pace.approximation(), None);
        assert!(pace.ends(&Taken { is_exact: true, change: 1e-11, ..GAINED }));
    }

    #[test]
    fn a_step_that_gains_little_is_followed_by_an_exact_one() {
        let mut pace = begun();
        assert!(!pace.ends(&GAINED));
        assert!(!pace.ends(&Taken { change: 0.9e-3, ..GAINED }));
        assert_eq!(pace.approximation(), None);
        assert!(!pace.ends(&Taken { is_exact: true, change: 1e-3, ..GAINED }));
        assert!(pace.approximation().is_some());
    }

    #[test]
    fn what_an_approximation_does_not_help_is_exact_to_the_end() {
        for last in [
            vec![Taken { is_halved: true, ..GAINED }],
            vec![Taken { is_iterated: false, is_exact: true, ..GAINED }],
            vec![NEAR, Taken { is_exact: true, ..GAINED }],
        ] {
            let mut pace = begun();
            assert!(last.iter().all(|step| !pace.ends(step)));
            for _ in 0..3 {
                assert_eq!(pace.approximation(), None);
                assert!(!pace.ends(&Taken { is_exact: true, ..GAINED }));
            }
        }
    }

    #[test]
    fn the_second_half_of_the_steps_is_exact() {
        let mut pace = begun();
        let mut change = 1.0;
        let approximate = (2..25).take_while(|_| {
            change *= 0.4;
            let is_approximate = pace.approximation().is_some();
            assert!(!pace.ends(&Taken { change, is_exact: !is_approximate, ..GAINED }));
            is_approximate
        });
        assert_eq!(approximate.count(), 11);
    }
}
