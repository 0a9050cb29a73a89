//! [`Case`]: a data set and what is asked of it.

use std::path::PathBuf;

use burn_did::data::{
    DoseSimulation, Simulation, SwitchingSimulation, TripleSimulation, TwoPeriodSimulation,
};
use burn_did::options::{ControlGroup, DrdidMethod, Multiplier, Resampling};
use polars::prelude::{ChunkApply, DataFrame, IntoColumn, IntoLazy, PolarsResult, col, lit};
use serde::{Deserialize, Serialize};

use super::designs::Design;

/// Seed of the data, of the order of shuffled rows and of the draws.
pub const SEED: u64 = 1;

/// Units that a scaled case keeps.
const LEAST: usize = 500;

/// An estimator of this crate, and with it the design of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// Group-time effects.
    AttGt,
    /// Two groups in two periods: the estimator, and how a bootstrap draws.
    Drdid(DrdidMethod, Resampling),
    /// Triple differences under staggered adoption.
    Ddd,
    /// Effects of a dose by cubic splines with two knots, at the doses that are the default: how a bootstrap draws.
    ContDid(Resampling),
    /// Effects of a treatment that switches, of groups that switch in: how many effects and placebos.
    DidMultiplegt(usize, usize),
    /// Least squares with fixed effects, of the design that the case is named after.
    Feols,
    /// The same by Poisson pseudo maximum likelihood.
    Fepois,
    /// Effects by event time: by imputation, without pre-trends.
    Imputation,
    /// By two stages, with the last period before treatment as the reference.
    TwoStage,
    /// By extended two-way fixed effects.
    Etwfe,
    /// By the regression of Sun and Abraham.
    SunAbraham,
    /// By the stack with corrective weights, in the window that all cohorts have.
    Stacked,
    /// By local projections weighted by the variance, at all event times.
    LocalProjections,
    /// By all of these, Callaway and Sant'Anna, and de Chaisemartin and D'Haultfœuille at once, with the covariance between them.
    JointStudy,
}

impl Estimator {
    /// Whether it is a regression, whose data have neither units nor periods.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Feols | Self::Fepois)
    }

    /// What effects by event time come from; nothing for other effects.
    pub fn of_event_times(self) -> Option<&'static str> {
        Some(match self {
            Self::AttGt
            | Self::Drdid(..)
            | Self::Ddd
            | Self::ContDid(_)
            | Self::DidMultiplegt(..)
            | Self::Feols
            | Self::Fepois => return None,
            Self::Imputation => "imputation",
            Self::TwoStage => "two stages",
            Self::Etwfe => "extended two-way fixed effects",
            Self::SunAbraham => "Sun and Abraham",
            Self::Stacked => "stack",
            Self::LocalProjections => "local projections",
            Self::JointStudy => "eight estimators at once",
        })
    }
}

/// A data set and what is asked of it: doubly robust, with a varying base period.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case {
    /// Name on the command line and in the tables.
    pub name: String,
    /// What estimates.
    pub estimator: Estimator,
    /// Units of a panel; rows of each period of repeated cross sections.
    pub units: usize,
    /// Number of periods.
    pub periods: u32,
    /// First treated periods.
    pub cohorts: Vec<i64>,
    /// Share of units that are never treated.
    pub never_treated: f64,
    /// Number of covariates, named `x1`, `x2`, ….
    pub covariates: usize,
    /// Whether units are followed over time.
    pub panel: bool,
    /// Comparison units.
    pub control_group: ControlGroup,
    /// Multiplier draws, with uniform bands; analytic standard errors if 0.
    pub draws: usize,
    /// Law of the multipliers; not every contestant has a choice.
    pub law: Multiplier,
    /// Whether the rows are in random order.
    pub shuffled: bool,
    /// Fits one after another, of which the mean time is reported.
    pub repeats: usize,
    /// The order of the rows if they are not shuffled.
    #[serde(default)]
    pub order: Order,
    /// What units are called.
    #[serde(default)]
    pub ids: Ids,
    /// A figure that somebody else published for such data, and on what.
    #[serde(default)]
    pub published: Option<String>,
}

/// The order of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By unit, then by period.
    #[default]
    Units,
    /// By period, then by unit.
    Periods,
    /// By group, then by unit and period.
    Groups,
}

/// The type of the column `id`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ids {
    /// Integers.
    #[default]
    Integers,
    /// Texts of twelve letters.
    Texts,
    /// The same texts as categories.
    Categories,
}

impl Case {
    /// A million units in two periods with two covariates, analytic, by the estimator that is the default of R `DRDID`.
    pub fn two_periods(name: &str) -> Self {
        Self {
            name: name.into(),
            estimator: Estimator::Drdid(DrdidMethod::default(), Resampling::Multiplier),
            units: 1_000_000,
            periods: 2,
            cohorts: vec![2],
            never_treated: 0.5,
            covariates: 2,
            panel: true,
            control_group: ControlGroup::NeverTreated,
            draws: 0,
            law: Multiplier::Mammen,
            shuffled: false,
            order: Order::Units,
            ids: Ids::Integers,
            repeats: 1,
            published: None,
        }
    }

    /// Triple differences of 200,000 units in eight periods with two covariates, analytic.
    pub fn triple(name: &str) -> Self {
        Self {
            estimator: Estimator::Ddd,
            units: 200_000,
            periods: 8,
            cohorts: vec![3, 5, 7],
            never_treated: 0.4,
            ..Self::two_periods(name)
        }
    }

    /// 100,000 units in four periods, of which the treated have a dose; analytic.
    pub fn doses(name: &str, resampling: Resampling) -> Self {
        Self {
            estimator: Estimator::ContDid(resampling),
            units: 100_000,
            periods: 4,
            cohorts: vec![2, 3, 4],
            covariates: 0,
            control_group: ControlGroup::NotYetTreated,
            ..Self::two_periods(name)
        }
    }

    /// 100,000 groups in ten periods whose treatment switches.
    pub fn switching(name: &str) -> Self {
        Self {
            estimator: Estimator::DidMultiplegt(4, 2),
            units: 100_000,
            periods: 10,
            covariates: 0,
            ..Self::two_periods(name)
        }
    }

    /// A regression of so many rows on so many columns.
    pub fn regression(design: &str, estimator: Estimator, rows: usize, columns: usize) -> Self {
        Self {
            estimator,
            units: rows,
            periods: 1,
            covariates: columns,
            ..Self::two_periods(design)
        }
    }

    /// Periods before and after the first treated one that every cohort has.
    pub fn common_window(&self) -> (u32, u32) {
        let (first, last) = self.earliest_and_latest();
        (first - 1, self.periods - last)
    }

    /// Periods before and after the first treated one that some cohort has.
    pub fn longest_window(&self) -> (u32, u32) {
        let (first, last) = self.earliest_and_latest();
        (last - 1, self.periods - first)
    }

    fn earliest_and_latest(&self) -> (u32, u32) {
        let cohorts = self.cohorts.iter().filter_map(|cohort| u32::try_from(*cohort).ok());
        (cohorts.clone().min().unwrap_or(1), cohorts.max().unwrap_or(self.periods))
    }

    /// Names of the covariates.
    pub fn covariate_names(&self) -> Vec<String> {
        (1..=self.covariates).map(|j| format!("x{j}")).collect()
    }

    /// The same questions to fewer units.
    pub fn scaled(mut self, scale: f64) -> Self {
        let scaled = (self.units as f64 * scale).round() as usize;
        self.units = scaled.max(self.units.min(LEAST));
        self
    }

    /// The data, in natural order.
    pub fn frame(&self) -> PolarsResult<DataFrame> {
        Ok(match self.estimator {
            Estimator::Drdid(..) => TwoPeriodSimulation::builder()
                .units(self.units)
                .covariates(self.covariates)
                .repeated_cross_sections(!self.panel)
                .seed(SEED)
                .build()
                .frame(),
            Estimator::Ddd => TripleSimulation::builder()
                .units(self.units)
                .periods(self.periods)
                .cohorts(self.cohorts.clone())
                .never_treated(self.never_treated)
                .covariates(self.covariates)
                .repeated_cross_sections(!self.panel)
                .seed(SEED)
                .build()
                .frame(),
            Estimator::ContDid(_) => DoseSimulation::builder()
                .units(self.units)
                .periods(self.periods as usize)
                .groups(self.cohorts.len())
                .seed(SEED)
                .build()
                .frame(),
            Estimator::DidMultiplegt(..) => {
                let simulation = SwitchingSimulation::builder().groups(self.units);
                let simulation = simulation.periods(self.periods as usize).seed(SEED).build();
                switchers_in(simulation.frame())?
            }
            Estimator::Feols => self.design().regression()?.0,
            Estimator::Fepois => {
                let mut frame = self.design().regression()?.0;
                let mean = frame.column("y")?.f64()?.apply_values(f64::exp);
                frame.with_column(mean.into_column())?;
                frame
            }
            _ => Simulation::builder()
                .units(self.units)
                .periods(self.periods)
                .cohorts(self.cohorts.clone())
                .never_treated(self.never_treated)
                .covariates(self.covariates)
                .repeated_cross_sections(!self.panel)
                .seed(SEED)
                .build()
                .frame(),
        })
    }

    fn design(&self) -> Design {
        Design::new(&self.name, self.units, self.covariates + 1)
    }

    /// One line for a table.
    pub fn describe(&self) -> String {
        let units = thousands(self.units);
        let data = if self.estimator.is_regression() {
            format!("{units} rows")
        } else if self.panel {
            format!("{units} units × {} periods", self.periods)
        } else {
            let rows = thousands(self.units * self.periods as usize);
            format!("repeated cross sections, {rows} rows, {} periods", self.periods)
        };
        let kind = match (self.estimator, self.control_group) {
            (Estimator::Drdid(method, _), _) => method.word().to_owned(),
            (Estimator::DidMultiplegt(effects, placebos), _) => {
                format!("switchers in, {effects} effects and {placebos} placebos")
            }
            (Estimator::Feols, _) => "least squares with fixed effects".to_owned(),
            (Estimator::Fepois, _) => "Poisson with fixed effects".to_owned(),
            (estimator, control) => match (estimator.of_event_times(), control) {
                (Some(name), _) => name.to_owned(),
                (None, ControlGroup::NeverTreated) => "never".to_owned(),
                (None, _) => "not yet".to_owned(),
            },
        };
        let cohorts = match self.estimator {
            Estimator::Drdid(..)
            | Estimator::DidMultiplegt(..)
            | Estimator::Feols
            | Estimator::Fepois => String::new(),
            _ => format!(", {} cohorts", self.cohorts.len()),
        };
        let inference = match (self.draws, self.law) {
            (0, _) => "analytic".to_owned(),
            (draws, law) => match (self.estimator, law) {
                (Estimator::Drdid(_, Resampling::Weighted), _) => {
                    format!("{} weighted draws", thousands(draws))
                }
                (Estimator::ContDid(Resampling::Empirical), _) => {
                    format!("{} draws of units", thousands(draws))
                }
                (_, Multiplier::Mammen) => format!("{} draws", thousands(draws)),
                (_, law) => format!("{} draws, {law:?}", thousands(draws)),
            },
        };
        let triple = match self.estimator {
            Estimator::Ddd => "triple differences, ",
            Estimator::ContDid(_) => "a continuous treatment, ",
            _ => "",
        };
        let order = match (self.shuffled, self.order) {
            (true, _) => ", shuffled",
            (false, Order::Units) => "",
            (false, Order::Periods) => ", by period",
            (false, Order::Groups) => ", by group",
        };
        let ids = match self.ids {
            Ids::Integers => "",
            Ids::Texts => ", ids as text",
            Ids::Categories => ", ids as categories",
        };
        let repeats = match self.repeats {
            1 => String::new(),
            repeats => format!(", mean of {} fits", thousands(repeats)),
        };
        let published = self.published.as_ref().map(|text| format!("; {text}")).unwrap_or_default();
        let k = self.covariates;
        format!(
            "{triple}{data}{cohorts}, k = {k}, {kind}, {inference}{order}{ids}{repeats}{published}"
        )
    }
}

/// The units that switch in: ModernDiD 0.2.0, with which these were first measured, has the right sign of these alone.
fn switchers_in(frame: DataFrame) -> PolarsResult<DataFrame> {
    let start = col("d").first().over([col("id")])?;
    let above = (col("d") - start).min().over([col("id")])?.gt_eq(lit(0.0));
    frame.lazy().filter(above).collect()
}

/// What a contestant is told: its one argument, as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// The parquet file; without one, this crate makes the frame itself.
    pub path: Option<PathBuf>,
    /// Units with `id` up to this make the frame of the fit that warms up, or the first rows of a regression; there is none if this is 0.
    pub small: usize,
    /// Seed of the draws.
    pub seed: u64,
    /// Device or array backend; the contestant's default without.
    pub device: Option<String>,
    /// Whether to take the seconds of each stage too, which only this crate can.
    pub stages: bool,
    /// Whether to fit once more, which only this crate does: the bits must be the same, and the stages are those of this fit.
    #[serde(default)]
    pub again: bool,
}

impl Task {
    /// The case on the data at `path`.
    pub fn new(case: &Case, path: Option<PathBuf>) -> Self {
        let small = if case.panel { 1_000 } else { 1_000 * case.periods as usize };
        let (stages, again) = (false, false);
        Self { case: case.clone(), path, small, seed: SEED, device: None, stages, again }
    }

    /// On this device.
    pub fn on(mut self, device: &str) -> Self {
        self.device = Some(device.to_owned());
        self
    }
}

/// Digits in groups of three.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
