//! Group-time cells: periods compared, comparison cohorts, and where rows, covariates and weights come from
//! (Callaway and Sant'Anna 2021, section 2; base periods as in R `did`).

use crate::estimates::CellStatus;
use crate::options::{BasePeriod, ControlGroup, FixWeights};
use crate::panel::{Layout, Sample, WeightLayout};
use crate::pass::Weight;

/// Rows of one stratum in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Part {
    pub stratum: usize,
    /// Covariate version.
    pub x: usize,
    /// Sampling weight.
    pub w: Weight,
    /// The same rows unweighted.
    pub unit: Weight,
}

/// What is averaged over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// `y[post] - y[base]`.
    Change { post: usize, base: usize },
    /// `y[column]`.
    Level(usize),
}

impl Outcome {
    /// The outcome columns.
    pub fn columns(self) -> Vec<usize> {
        match self {
            Self::Change { post, base } => vec![post, base],
            Self::Level(column) => vec![column],
        }
    }
}

/// Rows of a cell that share an outcome: all units of a panel cell, or one period of a repeated cross section.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub outcome: Outcome,
    pub treated: Vec<Part>,
    pub control: Vec<Part>,
}

/// A cell and the rows it compares.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCell {
    /// Position of the treated cohort.
    pub cohort: usize,
    /// Positions of the cell's period and of the one it is compared with.
    pub time: usize,
    pub base: usize,
    /// Positions of the comparison cohorts.
    pub controls: Vec<usize>,
    pub n_treated: usize,
    pub n_control: usize,
    /// Why nothing is estimated, if that is known from counts alone.
    pub status: Option<CellStatus>,
    /// Period whose weights the cell uses, if rows of units without it are left out.
    pub incomplete_weights: Option<usize>,
    /// One side for a panel; base period and post period for rows.
    pub sides: Vec<Side>,
}

/// Options that decide which cells exist.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanOptions {
    pub control_group: ControlGroup,
    pub base_period: BasePeriod,
    pub anticipation: f64,
    pub fix_weights: Option<FixWeights>,
}

/// All cells, group-major.
pub(crate) fn plan_cells(sample: &Sample, options: &PlanOptions) -> Vec<PlannedCell> {
    let first = match options.base_period {
        BasePeriod::Varying => 1,
        BasePeriod::Universal => 0,
    };
    let cell = |g: usize, t: usize| Planner { sample, options, cohort: g, time: t }.cell();
    sample
        .groups
        .iter()
        .flat_map(|g| (first..sample.periods.len()).filter_map(move |t| cell(g.start, t)))
        .collect()
}

struct Planner<'a> {
    sample: &'a Sample,
    options: &'a PlanOptions,
    cohort: usize,
    time: usize,
}

impl Planner<'_> {
    /// `None` if the group has no period before treatment, which the sample rules exclude.
    fn cell(&self) -> Option<PlannedCell> {
        let Sample { periods, cohorts, .. } = self.sample;
        let g = cohorts[self.cohort].group;
        let long_base = periods.iter().rposition(|t| t + self.options.anticipation < g)?;
        let universal = self.options.base_period == BasePeriod::Universal;
        let post = g <= periods[self.time];
        let base = if post || universal { long_base } else { self.time - 1 };
        let controls = self.controls(g, base);
        let mut cell = PlannedCell {
            cohort: self.cohort,
            time: self.time,
            base,
            status: None,
            incomplete_weights: None,
            n_treated: 0,
            n_control: 0,
            sides: Vec::new(),
            controls,
        };
        if universal && self.time == base {
            cell.status = Some(CellStatus::Reference);
        }
        self.add_sides(&mut cell, long_base);
        Some(cell)
    }

    fn controls(&self, g: f64, base: usize) -> Vec<usize> {
        let Sample { periods, cohorts, .. } = self.sample;
        let threshold = periods[self.time].max(periods[base]) + self.options.anticipation;
        (0..cohorts.len())
            .filter(|c| {
                let other = cohorts[*c].group;
                let not_yet = self.options.control_group == ControlGroup::NotYetTreated
                    && other > threshold
                    && other != g;
                other.is_infinite() || not_yet
            })
            .collect()
    }

    fn add_sides(&self, cell: &mut PlannedCell, long_base: usize) {
        let panel = self.sample.layout == Layout::Balanced
            && self.options.fix_weights != Some(FixWeights::Varying);
        let early = cell.time.min(cell.base);
        if panel {
            let outcome = Outcome::Change { post: cell.time, base: cell.base };
            let part = |c: usize| Part {
                stratum: self.sample.stratum(c, 0),
                x: self.version(early),
                w: self.panel_weight(early, long_base),
                unit: Weight::Ones,
            };
            cell.sides = vec![self.side(outcome, cell, part)];
        } else {
            let sides = [cell.base, cell.time].map(|t| {
                let x = if self.sample.layout == Layout::Balanced { early } else { t };
                let column =
                    if self.sample.layout == Layout::RepeatedCrossSections { 0 } else { t };
                let part = |c: usize| Part {
                    stratum: self.sample.stratum(c, t),
                    x: self.version(x),
                    w: self.row_weight(t, long_base),
                    unit: self.presence(t, long_base),
                };
                self.side(Outcome::Level(column), cell, part)
            });
            cell.sides = sides.into();
        }
        self.count(cell, long_base);
    }

    fn side(&self, outcome: Outcome, cell: &PlannedCell, part: impl Fn(usize) -> Part) -> Side {
        Side {
            outcome,
            treated: vec![part(self.cohort)],
            control: cell.controls.iter().map(|c| part(*c)).collect(),
        }
    }

    /// Covariate version of a period.
    fn version(&self, period: usize) -> usize {
        if self.sample.design.versions > 1 { period } else { 0 }
    }

    /// Weight of a unit of a balanced panel.
    fn panel_weight(&self, early: usize, long_base: usize) -> Weight {
        match (self.sample.weights, self.options.fix_weights) {
            (WeightLayout::Constant, _) => Weight::Ones,
            (WeightLayout::Invariant, _) | (_, Some(FixWeights::FirstPeriod)) => Weight::Column(0),
            (_, Some(FixWeights::BasePeriod)) => Weight::Column(long_base),
            (WeightLayout::Varying, _) => Weight::Column(early),
        }
    }

    /// Weight of a row, where rows are observations.
    fn row_weight(&self, t: usize, long_base: usize) -> Weight {
        match (self.sample.layout, self.sample.weights) {
            (Layout::Unbalanced, WeightLayout::Constant) => self.presence(t, long_base),
            (Layout::Unbalanced, _) => {
                match (self.weight_period(long_base), self.sample.presence) {
                    (Some(j), Some(first)) => Weight::Product(j, first + t),
                    _ => Weight::Column(t),
                }
            }
            (_, WeightLayout::Constant) => Weight::Ones,
            (_, WeightLayout::Invariant) | (Layout::RepeatedCrossSections, _) => Weight::Column(0),
            (Layout::Balanced, WeightLayout::Varying) => Weight::Column(t),
        }
    }

    /// One for rows that are observed (and whose weight is, if it comes from another period).
    fn presence(&self, t: usize, long_base: usize) -> Weight {
        match (self.sample.presence, self.weight_period(long_base)) {
            (None, _) => Weight::Ones,
            (Some(first), Some(j)) if j != t => Weight::Product(first + j, first + t),
            (Some(first), _) => Weight::Column(first + t),
        }
    }

    /// Period whose weight all rows of a unit get, in an unbalanced panel.
    fn weight_period(&self, long_base: usize) -> Option<usize> {
        match self.options.fix_weights {
            Some(FixWeights::BasePeriod) => Some(long_base),
            Some(FixWeights::FirstPeriod) => Some(0),
            Some(FixWeights::Varying) | None => None,
        }
    }

    /// Rows of a cohort in a period that take part in the cell.
    fn rows(&self, cohort: usize, t: usize, long_base: usize) -> usize {
        match (&self.sample.pair_counts, self.weight_period(long_base)) {
            (Some(pairs), Some(j)) => pairs[cohort][t][j],
            _ => self.sample.counts[cohort][t],
        }
    }

    /// Fills in the counts, and the status of a cell with an empty corner.
    fn count(&self, cell: &mut PlannedCell, long_base: usize) {
        let control = |t| cell.controls.iter().map(|c| self.rows(*c, t, long_base)).sum::<usize>();
        let treated = |t| self.rows(self.cohort, t, long_base);
        let periods =
            if cell.sides.len() > 1 { vec![cell.base, cell.time] } else { vec![cell.time] };
        let named = |t: usize| (cell.sides.len() > 1).then(|| self.sample.periods[t]);
        let empty = periods.iter().find_map(|t| match (treated(*t), control(*t)) {
            (0, _) => Some(CellStatus::NoTreated { period: named(*t) }),
            (_, 0) => Some(CellStatus::NoControls { period: named(*t) }),
            _ => None,
        });
        cell.n_treated = periods.iter().map(|t| treated(*t)).sum();
        cell.n_control = periods.iter().map(|t| control(*t)).sum();
        cell.status = cell.status.take().or(empty);
        let cohorts = || cell.controls.iter().chain([&self.cohort]);
        let left_out = |t: usize, c: usize| self.rows(c, t, long_base) < self.sample.counts[c][t];
        let incomplete = periods.iter().any(|t| cohorts().any(|c| left_out(*t, *c)));
        cell.incomplete_weights = self.weight_period(long_base).filter(|_| incomplete);
    }
}
