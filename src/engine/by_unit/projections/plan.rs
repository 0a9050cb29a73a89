//! Which rows of a unit are in which regression.

use serde::{Deserialize, Serialize};

use crate::base::options::{ControlGroup, ProjectionBase};
#[cfg(feature = "cluster")]
use crate::engine::by_unit::LONGEST;
use crate::engine::by_unit::{NEVER, Series, Timeline, Units};

/// A regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Target {
    /// Of the outcome at an event time less the base.
    At(i64),
    /// Of the mean outcome from the first treated period to the last event time, less the base.
    Post,
    /// Of the mean outcome from the second period before treatment back to the first event time, less the base.
    Pre,
}

impl Target {
    /// What its effect is called.
    pub fn name(self) -> String {
        match self {
            Self::At(event_time) => format!("event time {event_time}"),
            Self::Post => pooled_name("after treatment"),
            Self::Pre => pooled_name("before treatment"),
        }
    }
}

/// What a pooled effect is called.
pub(crate) fn pooled_name(part: &str) -> String {
    format!("pooled effect {part}")
}

/// Which units and outcomes are compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProjectionRules {
    pub pre_window: u32,
    pub post_window: u32,
    pub control_group: ControlGroup,
    pub base: ProjectionBase,
    pub no_composition_changes: bool,
    pub outcome_lags: u32,
    pub stable_periods: Option<u32>,
}

/// The regressions, and what their rows are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProjectionPlan {
    pub rules: ProjectionRules,
    pub timeline: Timeline,
    pub targets: Vec<Target>,
    /// What covariates are less by at each place, `[covariate][place]`.
    pub centres: Vec<Vec<f64>>,
}

/// What rows of a unit are formed in.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub series: Series,
    /// Covariates and lagged changes, then the change of the outcome.
    variables: Vec<f64>,
}

/// A row of a regression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectionRow<'a> {
    /// Number of the regression.
    pub target: usize,
    /// Place of the period in which treatment starts, or might.
    pub base: usize,
    pub treated: bool,
    pub weight: f64,
    /// Covariates and lagged changes, then the change of the outcome.
    pub variables: &'a [f64],
}

impl ProjectionRules {
    /// The regressions.
    pub fn targets(&self) -> Vec<Target> {
        let (pre, post) = (i64::from(self.pre_window), i64::from(self.post_window));
        let last = if self.base == ProjectionBase::Last { -2 } else { -1 };
        let mut targets: Vec<Target> = (-pre..=last).chain(0..=post).map(Target::At).collect();
        targets.push(Target::Post);
        targets.extend((pre >= 2).then_some(Target::Pre));
        targets
    }
}

impl ProjectionPlan {
    /// Number of covariates and lagged changes.
    pub fn regressors(&self) -> usize {
        self.centres.len() + self.rules.outcome_lags as usize
    }

    /// Whether it is one that a driver would make.
    #[cfg(feature = "cluster")]
    pub fn is_sound(&self) -> bool {
        let ProjectionRules { pre_window, post_window, outcome_lags, stable_periods, .. } =
            self.rules;
        let lengths = [pre_window, post_window, outcome_lags, stable_periods.unwrap_or(0)];
        self.timeline.is_sound()
            && lengths.into_iter().all(|length| length <= LONGEST)
            && self.targets == self.rules.targets()
            && self.centres.iter().all(|centres| centres.len() == self.timeline.steps)
    }

    pub fn scratch(&self) -> Scratch {
        let variables = vec![0.0; self.regressors() + 1];
        Scratch { series: Series::new(&self.timeline), variables }
    }

    /// Takes the rows of a unit, and says whether it has any.
    pub fn take(&self, units: &Units<'_>, unit: usize, scratch: &mut Scratch) -> bool {
        scratch.series.take(units.rows, &units.numbers, unit, &self.timeline)
    }

    /// Calls `visit` with every row of the unit taken.
    pub fn each(
        &self,
        units: &Units<'_>,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(ProjectionRow<'_>),
    ) {
        let Scratch { series, variables } = scratch;
        let absorbing = self.rules.stable_periods.is_none();
        for base in 1..self.timeline.steps {
            if absorbing && series.start < base {
                return;
            }
            let is_there = series.row(base).is_some() && series.row(base - 1).is_some();
            if !is_there || self.rules.no_composition_changes && !self.is_complete(series, base) {
                continue;
            }
            let Some(before) = self.before(series, base) else { continue };
            let mut formed = None;
            for (target, of) in self.targets.iter().enumerate() {
                let Some(treated) = self.arm(series, base, *of) else { continue };
                let Some(outcome) = self.outcome(series, base, *of) else { continue };
                if !*formed.get_or_insert_with(|| self.form(units, series, base, variables)) {
                    break;
                }
                variables[self.regressors()] = outcome - before;
                let weight = series.weight[base];
                visit(ProjectionRow {
                    target,
                    base,
                    treated,
                    weight,
                    variables: variables.as_slice(),
                });
            }
        }
    }

    fn post(&self) -> usize {
        self.rules.post_window as usize
    }

    /// Whether the unit is observed up to the last event time.
    fn is_complete(&self, series: &Series, base: usize) -> bool {
        (base..=base + self.post()).all(|place| series.outcome(Some(place)).is_some())
    }

    /// Whether lagged changes among the covariates add up to every change of a regression: they are between outcomes from `outcome_lags` plus one
    /// periods before treatment to the last.
    pub fn is_identity(&self, target: Target) -> bool {
        let lags = u64::from(self.rules.outcome_lags);
        let before = match self.rules.base {
            ProjectionBase::Last => 1,
            ProjectionBase::Mean(periods) => u64::from(periods),
            ProjectionBase::AllBefore => return false,
        };
        let farthest = match target {
            Target::At(steps) if steps < 0 => steps.unsigned_abs(),
            Target::Pre => u64::from(self.rules.pre_window),
            Target::At(_) | Target::Post => return false,
        };
        lags > 0 && farthest.max(before) <= lags + 1
    }

    /// The outcome before.
    fn before(&self, series: &Series, base: usize) -> Option<f64> {
        match self.rules.base {
            ProjectionBase::Last => series.outcome(Some(base - 1)),
            ProjectionBase::Mean(periods) => {
                let periods = periods as usize;
                mean((1..=periods).map(|back| series.outcome(base.checked_sub(back))))
            }
            ProjectionBase::AllBefore => {
                let observed = (0..base).map(|place| series.outcome(Some(place)));
                mean(observed.filter(Option::is_some))
            }
        }
    }

    /// The outcome after, or farther before.
    fn outcome(&self, series: &Series, base: usize, target: Target) -> Option<f64> {
        let at = |steps: i64| {
            let place = i64::try_from(base).ok()?.checked_add(steps)?;
            series.outcome(usize::try_from(place).ok())
        };
        match target {
            Target::At(steps) => at(steps),
            Target::Post => mean((0..=i64::from(self.rules.post_window)).map(at)),
            Target::Pre => mean((2..=i64::from(self.rules.pre_window)).map(|back| at(-back))),
        }
    }

    /// Whether the unit is treated in a regression, or a control; nothing if it is neither.
    fn arm(&self, series: &Series, base: usize, target: Target) -> Option<bool> {
        let (back, ahead) = match target {
            Target::At(steps) if steps < 0 => (steps.unsigned_abs(), 0),
            Target::At(steps) => (0, steps.unsigned_abs()),
            Target::Post => (0, u64::from(self.rules.post_window)),
            Target::Pre => (u64::from(self.rules.pre_window), 0),
        };
        let (back, ahead) = (usize::try_from(back).ok()?, usize::try_from(ahead).ok()?);
        let last = base + if self.rules.no_composition_changes { self.post() } else { ahead };
        let never = self.rules.control_group == ControlGroup::NeverTreated;
        if let Some(stable) = self.rules.stable_periods {
            return switching(series, (stable as usize).max(back), base, last, never);
        }
        match series.start {
            start if start == base => Some(true),
            NEVER => Some(false),
            start => (!never && start > last).then_some(false),
        }
    }

    /// Forms covariates and lagged changes, and says whether all are observed.
    fn form(&self, units: &Units<'_>, series: &Series, base: usize, variables: &mut [f64]) -> bool {
        let Some(row) = series.row(base) else { return false };
        for (j, centres) in self.centres.iter().enumerate() {
            let covariate = units.numbers[j + 1][row];
            if !covariate.is_finite() {
                return false;
            }
            variables[j] = covariate - centres[base];
        }
        let first = self.centres.len();
        (1..=self.rules.outcome_lags as usize).all(|lag| {
            let later = series.outcome(base.checked_sub(lag));
            let earlier = series.outcome(base.checked_sub(lag + 1));
            let change = later.zip(earlier).map(|(later, earlier)| later - earlier);
            change.map(|change| variables[first + lag - 1] = change).is_some()
        })
    }
}

/// Whether a treatment that may end starts at `base`, after `stable` periods without, and goes on to `last`; or does not change from the
/// first to the last of these.
fn switching(
    series: &Series,
    stable: usize,
    base: usize,
    last: usize,
    never: bool,
) -> Option<bool> {
    let from = base.checked_sub(stable)?;
    let window = series.treated.get(from..=last)?;
    if window.iter().any(|treated| treated.is_nan()) {
        return None;
    }
    let (before, after) = window.split_at(base - from);
    let all = |part: &[f64], value: f64| part.iter().all(|treated| *treated == value);
    match () {
        () if all(before, 0.0) && all(after, 1.0) => Some(true),
        () if never => series.treated.iter().all(|t| t.is_nan() || *t == 0.0).then_some(false),
        () => all(window, window[0]).then_some(false),
    }
}

/// The mean of what must all be there.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value?;
        count += 1.0;
    }
    (count > 0.0).then(|| sum / count)
}
