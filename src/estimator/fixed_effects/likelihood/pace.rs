//! Which steps of iterated least squares are exact.
//!
//! The first step is exact, and the last: an iteration ends with an exact step that changes the deviance no more than is tolerated, after
//! another such step. Those between need only come nearer to the maximum. They are approximate as long as they do.

/// Error of an approximate step, as a part of what the step before it changed.
const ERROR: f64 = 0.03;

/// An approximate step gains too little if it changes the deviance by more than this part of what the step before it changed.
const GAIN: f64 = 0.5;

/// What a step came to.
pub(super) struct Taken {
    pub is_exact: bool,
    /// Whether fixed effects are projected out iteratively: else an approximation saves nothing.
    pub is_iterated: bool,
    /// Whether it changed the deviance no more than is tolerated.
    pub is_near: bool,
    pub is_halved: bool,
    /// By how much it changed the deviance, as a part of it.
    pub change: f64,
}

pub(super) struct Pace {
    /// Tolerance of exact steps.
    tolerance: f64,
    /// Steps of which none is approximate any more.
    left: usize,
    /// Whether the next step is exact.
    is_exact: bool,
    was_near: bool,
    change: f64,
}

impl Pace {
    /// Of so many steps, at most.
    pub fn new(tolerance: f64, steps: usize) -> Self {
        Self { tolerance, left: steps / 2, is_exact: true, was_near: false, change: f64::INFINITY }
    }

    /// Tolerance of the next step's projection; none if it is to be exact.
    pub fn approximation(&self) -> Option<f64> {
        let tolerance = ERROR * self.change.sqrt().min(1.0);
        (!self.is_exact).then_some(tolerance.max(self.tolerance))
    }

    /// Whether the iteration ends with this step.
    pub fn ends(&mut self, step: &Taken) -> bool {
        let was_near = std::mem::replace(&mut self.was_near, step.is_near);
        let before = std::mem::replace(&mut self.change, step.change);
        let seemed_near = was_near && step.is_exact;
        self.left = match step.is_iterated && !seemed_near && (step.is_exact || !step.is_halved) {
            true => self.left.saturating_sub(1),
            false => 0,
        };
        let gains = step.is_exact || step.change <= GAIN * before;
        self.is_exact = self.left == 0 || step.is_near || !gains || step.change.is_nan();
        seemed_near && step.is_near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAINED: Taken = Taken {
        is_exact: false,
        is_iterated: true,
        is_near: false,
        is_halved: false,
        change: 1e-3,
    };

    /// After an exact step that changed all.
    fn begun() -> Pace {
        let mut pace = Pace::new(1e-8, 25);
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
        assert!(!pace.ends(&Taken { change: 1e-20, ..GAINED }));
        assert_eq!(pace.approximation(), Some(1e-8));
        assert!(!pace.ends(&Taken { is_near: true, change: 1e-21, ..GAINED }));
        assert_eq!(pace.approximation(), None);
        assert!(pace.ends(&Taken { is_exact: true, is_near: true, change: 1e-22, ..GAINED }));
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
        let near = Taken { is_near: true, ..GAINED };
        for last in [
            vec![Taken { is_halved: true, ..GAINED }],
            vec![Taken { is_iterated: false, is_exact: true, ..GAINED }],
            vec![near, Taken { is_exact: true, ..GAINED }],
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
