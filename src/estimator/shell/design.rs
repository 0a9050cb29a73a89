//! What an estimator says of itself: the options that all have, as they were given, and how its sample is formed.

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::options::{Band, Bootstrap, FixWeights, Inference, Precision, SharesOf, defaults};
use crate::base::progress::Progress;
use crate::engine::condition::{Conditioning, DoseQuery};
use crate::engine::source::Work;
use crate::estimator::weighting::form::Asked;
use crate::read::formula::Formula;
use crate::read::panel::{FormedCells, StudyDesign, Treatment};

/// The options that every estimator has, as they were given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<'a> {
    pub outcome: &'a str,
    pub unit: Option<&'a str>,
    pub time: &'a str,
    pub frequency: Option<Frequency>,
    /// The formula, of an estimator that may have covariates.
    pub covariates: Option<&'a str>,
    pub weights: Option<&'a str>,
    pub cluster: Option<&'a str>,
    /// Whether rows are units, of an estimator that takes such rows.
    pub repeated_cross_sections: Option<bool>,
    pub missing_values: Option<&'a [String]>,
    pub alpha: f64,
    pub bootstrap: Option<&'a Bootstrap>,
    pub precision: Precision,
    pub keep_influence: bool,
    /// What is asked for of the weights, of an estimator that has them.
    pub weighting: Asked,
    pub chunk_rows: Option<usize>,
    pub memory_budget: Option<u64>,
    pub progress: Option<&'a Progress>,
}

impl<'a> Shared<'a> {
    /// The formula of the covariates.
    pub fn covariates(&self) -> &'a str {
        self.covariates.unwrap_or(defaults::COVARIATES)
    }

    /// Intervals: uniform with a bootstrap and pointwise without, unless asked otherwise.
    pub fn inference(&self, band: Option<Band>) -> Inference {
        let usual = if self.bootstrap.is_some() { Band::Uniform } else { Band::Pointwise };
        let bootstrap = self.bootstrap.copied();
        Inference { alpha: self.alpha, bootstrap, band: band.unwrap_or(usual) }
    }

    /// Cells with their covariance, which may be in parts if there are neither covariates nor clusters nor kept influence values.
    pub fn joint_cells(&self) -> FormedCells {
        let plain = Formula::parse(self.covariates()).is_ok_and(|of| of.variables().is_empty());
        let clustered = self.cluster.is_some_and(|cluster| Some(cluster) != self.unit);
        match plain && !clustered && !self.keep_influence && self.precision == Precision::F64 {
            true => FormedCells::Parts,
            false => FormedCells::Joint,
        }
    }

    /// What is formed of the influence values of so many columns.
    pub fn work(&self, columns: usize) -> Work<'a> {
        Work {
            columns,
            shares_of: SharesOf::default(),
            bootstrap: self.bootstrap,
            keep_influence: self.keep_influence,
            parts: false,
        }
    }

    /// Checks them.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn check(&self) -> Result<()> {
        Formula::parse(self.covariates())?;
        if self.chunk_rows == Some(0) {
            let (expected, got) = ("at least 1", "0".to_owned());
            return Err(DidError::config("chunk_rows", expected, got));
        }
        let expected = match self.repeated_cross_sections {
            _ if self.unit.is_some() => return Ok(()),
            Some(true) => return Ok(()),
            Some(false) => "a column for a panel (or choose repeated cross sections)",
            None => "a column",
        };
        Err(DidError::config("unit", expected, "none"))
    }
}

/// How an estimator's sample is formed, beyond the options that all have.
#[derive(Clone, Debug)]
pub(crate) struct SampleDesign<'a> {
    /// The column that says who is treated, and what it says.
    pub group: &'a str,
    pub treatment: Treatment,
    pub study: StudyDesign,
    /// The column of eligibility, in triple differences.
    pub eligible: Option<&'a str>,
    /// The column of a continuous treatment's dose, and what is to be known of it.
    pub dose: Option<(&'a str, DoseQuery)>,
    pub allow_unbalanced: bool,
    /// Whether it matters which units are observed in both of two periods.
    pub pairs: bool,
    pub fix_weights: Option<FixWeights>,
    /// Whether rows are independent observations, so that even the unit is a cluster beyond them.
    pub independent_rows: bool,
    /// How the data may be conditioned, given the device's precision.
    pub conditioning: fn(Precision) -> Conditioning,
    pub cells: FormedCells,
}

impl<'a> SampleDesign<'a> {
    /// A balanced panel whose column `group` has first treated periods, conditioned on changes, with all cells jointly.
    pub fn new(group: &'a str, study: StudyDesign) -> Self {
        Self {
            group,
            treatment: Treatment::FirstPeriod,
            study,
            eligible: None,
            dose: None,
            allow_unbalanced: false,
            pairs: false,
            fix_weights: None,
            independent_rows: false,
            conditioning: Conditioning::Changes,
            cells: FormedCells::Joint,
        }
    }

    /// Whether collinear covariates are dropped, as `DRDID` and `triplediff` do. R `did` keeps every covariate.
    pub fn drops_collinear(&self) -> bool {
        match self.study {
            StudyDesign::Staggered(_) => false,
            StudyDesign::TwoPeriods(_) | StudyDesign::Triple(_) => true,
        }
    }
}
