//! Errors and warnings made in many places.

use std::path::Path;

use super::{DidError, DidWarning};

/// Fewer clusters than these leave standard errors unsure.
const FEW_CLUSTERS: usize = 10;

impl DidWarning {
    /// A warning if standard errors are from few clusters.
    pub(crate) fn few_clusters(clusters: usize) -> Option<Self> {
        (clusters < FEW_CLUSTERS).then_some(Self::FewClusters { clusters })
    }

    /// A warning if groups were taken as a period, or as another group, from which rounding alone tells them.
    pub(crate) fn moved_groups(moved: &[(f64, f64)]) -> Option<Self> {
        (!moved.is_empty()).then(|| Self::MovedGroups { groups: moved.to_vec() })
    }
}

impl DidError {
    /// An option that has a value it cannot have.
    pub(crate) fn config(option: &'static str, expected: &'static str, got: impl ToString) -> Self {
        Self::Config { option, expected, got: got.to_string() }
    }

    /// The error with the column `from` by the name `to`.
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Self {
        if let Self::TimeVarying { column, .. } | Self::TooFewClusters { column, .. } = &mut self
            && *column == from
        {
            to.clone_into(column);
        }
        self
    }

    /// A file that could not be read or written.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), source }
    }
}
