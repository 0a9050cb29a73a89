//! Which rows of a unit are in which sub-experiment.

use serde::{Deserialize, Serialize};

use crate::base::options::ControlGroup;
#[cfg(feature = "cluster")]
use crate::engine::by_unit::LONGEST;
use crate::engine::by_unit::{NEVER, Series, Timeline, Units};

/// The sub-experiments, and what their rows are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StackPlan {
    pub pre_window: u32,
    pub post_window: u32,
    pub control_group: ControlGroup,
    pub timeline: Timeline,
    /// Places at which the treated of each sub-experiment are first treated, ascending.
    pub cohorts: Vec<usize>,
    /// What the outcome and covariates are less by.
    pub centres: Vec<f64>,
}

/// What rows of a unit are formed in.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub series: Series,
    /// Covariates, then the outcome.
    variables: Vec<f64>,
}

/// A row of the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackRow<'a> {
    /// Number of the sub-experiment.
    pub sub: usize,
    /// Periods since the start of the window.
    pub event: usize,
    pub treated: bool,
    pub weight: f64,
    /// Covariates, then the outcome.
    pub variables: &'a [f64],
}

impl StackPlan {
    /// Whether it is one that a driver would make.
    #[cfg(feature = "cluster")]
    pub fn is_sound(&self) -> bool {
        let (pre, post) = (self.pre_window as usize, self.post_window as usize);
        let is_inside = |cohort: &usize| {
            *cohort >= pre
                && cohort.checked_add(post).is_some_and(|last| last < self.timeline.steps)
        };
        self.timeline.is_sound()
            && (1..=LONGEST).contains(&self.pre_window)
            && self.post_window <= LONGEST
            && self.cohorts.len() <= self.timeline.steps
            && self.cohorts.iter().all(is_inside)
            && !self.centres.is_empty()
    }

    /// Event times of the window.
    pub fn events(&self) -> usize {
        (self.pre_window + self.post_window) as usize + 1
    }

    /// The base's number among the event times.
    pub fn base(&self) -> usize {
        self.pre_window as usize - 1
    }

    pub fn covariates(&self) -> usize {
        self.centres.len() - 1
    }

    pub fn scratch(&self) -> Scratch {
        let variables = vec![0.0; self.centres.len()];
        Scratch { series: Series::new(&self.timeline), variables }
    }

    /// Takes the rows of a unit, and says whether it has any.
    pub fn take(&self, units: &Units<'_>, unit: usize, scratch: &mut Scratch) -> bool {
        scratch.series.take(units.rows, &units.numbers, unit, &self.timeline)
    }

    /// Calls `visit` with every copy of the rows of the unit taken.
    pub fn each(
        &self,
        units: &Units<'_>,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(StackRow<'_>),
    ) {
        let Scratch { series, variables } = scratch;
        let k = self.covariates();
        for (sub, cohort) in self.cohorts.iter().enumerate() {
            let Some(treated) = self.arm(series.start, *cohort) else { continue };
            let first = cohort - self.pre_window as usize;
            for event in 0..self.events() {
                let place = first + event;
                let Some(row) = series.row(place) else { continue };
                for (j, variable) in variables.iter_mut().take(k).enumerate() {
                    *variable = units.numbers[j + 1][row] - self.centres[j + 1];
                }
                variables[k] = series.outcome[place] - self.centres[0];
                let weight = series.weight[place];
                visit(StackRow { sub, event, treated, weight, variables: variables.as_slice() });
            }
        }
    }

    /// Whether units first treated at a place are the treated of a sub-experiment, or controls; nothing if they are neither.
    fn arm(&self, start: usize, cohort: usize) -> Option<bool> {
        let never = self.control_group == ControlGroup::NeverTreated;
        match start {
            start if start == cohort => Some(true),
            NEVER => Some(false),
            start => {
                let last = cohort + self.post_window as usize;
                (!never && start > last).then_some(false)
            }
        }
    }
}
