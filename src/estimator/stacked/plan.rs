//! Which rows of a unit are in which sub-experiment.

use super::options::Stacked;
use crate::base::counted::counted;
use crate::base::error::{DidError, Result};
use crate::base::options::ControlGroup;
use crate::estimator::by_unit::{NEVER, Opened, Series, Timeline, Units};

/// The sub-experiments, and what their rows are.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub options: &'a Stacked,
    pub timeline: Timeline,
    /// Places at which the treated of each sub-experiment are first treated, ascending.
    pub cohorts: Vec<usize>,
    /// The same of cohorts whose window is not inside the data.
    pub trimmed: Vec<usize>,
    /// What the outcome and covariates are less by.
    centres: Vec<f64>,
}

/// What rows of a unit are formed in.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    pub series: Series,
    /// Covariates, then the outcome.
    variables: Vec<f64>,
}

/// A row of the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    /// Number of the sub-experiment.
    pub sub: usize,
    /// Periods since the start of the window.
    pub event: usize,
    pub treated: bool,
    pub weight: f64,
    /// Covariates, then the outcome.
    pub variables: &'a [f64],
}

impl<'a> Plan<'a> {
    /// # Errors
    /// [`DidError::EmptyWindow`] if no cohort has a whole window.
    pub fn new(options: &'a Stacked, opened: &Opened<'_>, timeline: Timeline) -> Result<Self> {
        let (pre, post) = (options.pre_window as usize, options.post_window as usize);
        let is_period = |place: usize| timeline.of_periods().any(|(known, _)| known == place);
        let whole = |start: &usize| *start >= pre && (start - pre..=start + post).all(is_period);
        let inside = timeline.cohorts().into_iter().filter(|start| *start > 0);
        let (cohorts, trimmed): (Vec<usize>, Vec<usize>) = inside.partition(whole);
        if cohorts.is_empty() {
            let what = match trimmed.is_empty() {
                true => format!(
                    "no unit's treatment starts after the first of the {} periods: see column `{}`",
                    opened.overview.periods().len(),
                    options.group
                ),
                false => format!(
                    "no cohort is observed from {} before its treatment to {post} after it; choose a shorter window, or count observed periods (`rank_periods`){}",
                    counted(pre, "period", "periods"),
                    opened.also()
                ),
            };
            return Err(DidError::EmptyWindow { what });
        }
        let centres = (0..=options.covariates.len()).map(|number| opened.centre_of_all(number));
        Ok(Self { centres: centres.collect(), options, timeline, cohorts, trimmed })
    }

    /// Event times of the window.
    pub fn events(&self) -> usize {
        (self.options.pre_window + self.options.post_window) as usize + 1
    }

    /// The base's number among the event times.
    pub fn base(&self) -> usize {
        self.options.pre_window as usize - 1
    }

    pub fn covariates(&self) -> usize {
        self.options.covariates.len()
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
    pub fn each(&self, units: &Units<'_>, scratch: &mut Scratch, visit: &mut dyn FnMut(Row<'_>)) {
        let Scratch { series, variables } = scratch;
        let k = self.covariates();
        for (sub, cohort) in self.cohorts.iter().enumerate() {
            let Some(treated) = self.arm(series.start, *cohort) else { continue };
            let first = cohort - self.options.pre_window as usize;
            for event in 0..self.events() {
                let place = first + event;
                let Some(row) = series.row(place) else { continue };
                for (j, variable) in variables.iter_mut().take(k).enumerate() {
                    *variable = units.numbers[j + 1][row] - self.centres[j + 1];
                }
                variables[k] = series.outcome[place] - self.centres[0];
                let weight = series.weight[place];
                visit(Row { sub, event, treated, weight, variables: variables.as_slice() });
            }
        }
    }

    /// Whether units first treated at a place are the treated of a sub-experiment, or controls; nothing if they are neither.
    fn arm(&self, start: usize, cohort: usize) -> Option<bool> {
        let never = self.options.control_group == ControlGroup::NeverTreated;
        match start {
            start if start == cohort => Some(true),
            NEVER => Some(false),
            start => {
                let last = cohort + self.options.post_window as usize;
                (!never && start > last).then_some(false)
            }
        }
    }
}
