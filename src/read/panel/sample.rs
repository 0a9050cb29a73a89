//! The estimation sample: everything about it but the data.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::base::calendar::Calendar;
use crate::base::error::DidWarning;
use crate::base::options::SharesOf;
use crate::base::splines::Splines;
use crate::read::columns::Label;

use super::audit::SampleAudit;
use super::counts::Pairs;
use super::strata::{Cohort, Layout, StratumTable};

/// The design matrix, in conditioned coordinates.
#[derive(Clone, Debug)]
pub(crate) struct DesignInfo {
    /// Names of the `k` columns; the first is the constant, even if the formula has none.
    pub names: Vec<String>,
    /// Whether the constant is part of the design.
    pub intercept: bool,
    /// Versions of the covariates: 1, or one for each period.
    pub versions: usize,
    /// `[k, k]`, row-major: the raw design is the conditioned one times this matrix.
    pub transform: Vec<f64>,
}

impl DesignInfo {
    /// Number of columns, the constant included.
    pub fn k(&self) -> usize {
        self.names.len()
    }

    /// Whether the design is the constant alone.
    pub fn is_constant(&self) -> bool {
        self.k() == 1
    }
}

/// Where a row's weight comes from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Weight {
    /// One.
    #[default]
    Ones,
    /// A weight column.
    Column(usize),
    /// The product of two weight columns (a unit's weight in one period and its presence in another).
    Product(usize, usize),
}

/// Where sampling weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum WeightLayout {
    /// All equal.
    Constant,
    /// One column, the same in every period.
    Invariant,
    /// One column for each period.
    Varying,
}

/// Doses of the sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Doses {
    /// The splines of each stratum; `None` if its units are never treated or have one dose.
    pub splines: Vec<Option<Splines>>,
    /// Distinct doses of each stratum, counted up to the number of splines.
    pub distinct: Vec<usize>,
    /// Interior knots of all strata.
    pub knots: Vec<f64>,
    /// Knots outside the range of each stratum's doses, which its splines do without.
    pub dropped: Vec<usize>,
    /// Smallest and largest dose.
    pub range: (f64, f64),
    /// Percentiles 0, 1, …, 100 of the doses of the treated units, each counted once.
    pub percentiles: Vec<f64>,
    /// The further quantiles asked for.
    pub quantiles: Vec<f64>,
    /// Splines of a stratum, at most.
    pub functions: usize,
}

/// Everything about the sample but the data.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub layout: Layout,
    /// Periods, ascending.
    pub periods: Vec<f64>,
    /// How periods are counted and shown.
    pub calendar: Calendar,
    /// Whether the sample has two periods and treatment starts in the second, whatever the group column's values.
    pub two_periods: bool,
    /// Cohorts, ascending, never treated (+inf) last.
    pub cohorts: Vec<Cohort>,
    /// Groups that are estimated, as positions of their cohorts.
    pub groups: Vec<Range<usize>>,
    pub strata: StratumTable,
    /// Rows observed, `[cohort][period]`.
    pub counts: Vec<Vec<usize>>,
    /// Units observed in both of two periods; of unbalanced panels whose cells ask for it.
    pub pairs: Option<Pairs>,
    /// Independent observations: units, or rows of repeated cross sections.
    pub n: usize,
    pub design: DesignInfo,
    pub weights: WeightLayout,
    /// Weight columns `W` of a chunk.
    pub weight_columns: usize,
    /// Weight columns before the presence columns of an unbalanced panel.
    pub presence: Option<usize>,
    /// The unit's weight in group shares.
    pub omega: Weight,
    /// `(1/n) Σ ω` of each cohort.
    pub shares: Vec<f64>,
    /// Doses of a continuous treatment, once the columns are conditioned.
    pub doses: Option<Doses>,
    /// What was subtracted from each outcome column of each stratum, in units of the conditioned outcomes.
    pub offsets: Vec<Vec<f64>>,
    pub n_clusters: Option<usize>,
    /// Labels of the clusters.
    pub cluster_labels: Option<Vec<Label>>,
    /// Labels of the units by canonical rank; `None` if rows have none or they are not kept.
    pub labels: Option<Vec<String>>,
    /// Factor by which outcomes were divided.
    pub y_scale: f64,
    /// The largest mean absolute outcome of a stratum in a period; 1 if all are zero.
    pub y_size: f64,
    pub audit: SampleAudit,
    pub warnings: Vec<DidWarning>,
}

impl Sample {
    /// Size of the outcome beside which a standard error is judged: 1 as in R, or that of the means if they are smaller.
    pub fn unit(&self) -> f64 {
        self.y_size.clamp(f64::MIN_POSITIVE, 1.0)
    }

    /// First treated period of an estimated group.
    pub fn group(&self, cohorts: &Range<usize>) -> f64 {
        self.cohorts[cohorts.start].group
    }

    /// Cohorts of a group whose units are counted in its share.
    pub fn counted(
        &self,
        cohorts: &Range<usize>,
        of: SharesOf,
    ) -> impl Iterator<Item = usize> + use<'_> {
        cohorts.clone().filter(move |c| of == SharesOf::All || self.cohorts[*c].eligible)
    }

    /// Stratum of a cohort in a period (any period, for panels).
    pub fn stratum(&self, cohort: usize, period: usize) -> usize {
        self.strata.of(cohort, period)
    }

    /// Outcome columns `P` of a stratum.
    pub fn outcome_columns(&self) -> usize {
        self.layout.outcome_columns(self.periods.len())
    }

    pub fn n_strata(&self) -> usize {
        self.strata.len()
    }
}
