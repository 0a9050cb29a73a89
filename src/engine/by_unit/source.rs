//! Who has the rows: this process, or the workers of a cluster.

use super::here::{sums, values};
#[cfg(not(feature = "cluster"))]
use super::pass::UnitPass as KnownUnitPass;
#[cfg(not(feature = "cluster"))]
pub(crate) use super::pass::UnitScores as KnownScores;
use super::values::{Kept, UnitValues};
use crate::base::error::Result;
use crate::read::panel::overview::OpenedRows;

#[cfg(feature = "cluster")]
use super::any::{AnyScores, AnySums, AnyUnitPass, KnownUnitPass};

#[cfg(feature = "cluster")]
pub(crate) use super::any::KnownScores;

/// Rows that can be read again.
pub(crate) enum UnitSource<'a> {
    /// By this process.
    Here(&'a OpenedRows<'a>),
    /// By workers.
    #[cfg(feature = "cluster")]
    There(&'a dyn RemoteUnits),
}

/// Workers that have the rows.
#[cfg(feature = "cluster")]
pub(crate) trait RemoteUnits {
    /// The sums of all units.
    ///
    /// # Errors
    /// What is wrong with the rows, or with the workers.
    fn sums(&self, stage: &'static str, pass: AnyUnitPass) -> Result<AnySums>;

    /// The influence values of all units in order.
    ///
    /// # Errors
    /// As [`sums`](Self::sums).
    fn values(&self, scores: AnyScores, kept: Kept) -> Result<UnitValues>;
}

impl UnitSource<'_> {
    /// The sums of all units.
    ///
    /// # Errors
    /// Errors about a file or a column, and those of workers.
    pub fn sums<P: KnownUnitPass>(&self, pass: &P) -> Result<P::Sums> {
        match self {
            Self::Here(rows) => sums(rows, pass),
            #[cfg(feature = "cluster")]
            Self::There(workers) => P::own(workers.sums(P::NAME, pass.clone().into())?),
        }
    }

    /// The influence values of all units in order.
    ///
    /// # Errors
    /// As [`sums`](Self::sums).
    pub fn values<S: KnownScores>(&self, scores: S, kept: Kept) -> Result<UnitValues> {
        match self {
            Self::Here(rows) => values(rows, &scores, kept),
            #[cfg(feature = "cluster")]
            Self::There(workers) => workers.values(scores.into(), kept),
        }
    }
}
