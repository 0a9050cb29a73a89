//! Everything about the strata that must be decided before rows are put into them.

use serde::{Deserialize, Serialize};

use super::changes::Changes;
use super::fill::Filling;
use super::levels::Levels;
use super::request::Request;
use super::rows::Rows;
use super::rules::Rules;
use super::strata::Layout;
use super::stratum::StratumShape;
use crate::read::formula::Design;

/// What a frame must know of all others: with it, and its [`Placement`](super::placement::Placement), a frame is placed and
/// written anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Blueprint {
    pub rules: Rules,
    pub levels: Levels,
    pub shape: StratumShape,
}

impl Blueprint {
    /// The strata's columns follow from those of the design and from what changes over time.
    pub fn new(
        rules: Rules,
        levels: Levels,
        changes: &Changes,
        design: &Design,
        request: &Request<'_>,
    ) -> Self {
        let columns = rules.layout.outcome_columns(rules.periods.len());
        let shape = StratumShape {
            periods: columns,
            versions: if changes.of_covariates() { columns } else { 1 },
            covariates: design.covariates().len(),
            weights: changes.weights(),
            presence: rules.layout == Layout::Unbalanced,
            changes: request.changes,
            clustered: request.roles.cluster.is_some(),
        };
        Self { rules, levels, shape }
    }

    /// What filling the strata with a frame's rows needs.
    pub fn filling(&self, rows: &Rows) -> Filling<'_> {
        let codes = rows.cluster.as_ref().filter(|_| self.shape.clustered);
        let clusters = codes.map(|codes| self.levels.clusters.numbers(codes)).unwrap_or_default();
        Filling { shape: self.shape, present: &self.levels.factors, clusters }
    }
}
