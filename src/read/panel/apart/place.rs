//! Rows of a shard in their places.

use serde::{Deserialize, Serialize};

use super::reading::Shard;
use crate::base::error::{DidError, Result};
use crate::read::formula::Present;
use crate::read::panel::blueprint::Blueprint;
use crate::read::panel::canonical::sort_by_content;
use crate::read::panel::placement::Placement;
use crate::read::panel::request::Request;
use crate::read::panel::rules::Rules;
use crate::read::panel::stratum::{StratumData, StratumShape};

/// The strata, as needed to assign rows to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlacementPlan {
    blueprint: Blueprint,
    by_content: bool,
    /// Whether the units' labels are kept beside their rows.
    labels: bool,
}

/// Where a shard's rows are in the sample, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    placement: Placement,
    /// By stratum.
    rows: Vec<usize>,
}

/// The rows of a shard.
pub(crate) struct ArrangedShard {
    /// By stratum.
    pub strata: Vec<Arranged>,
    /// Labels of the units of the strata's rows, one stratum after the other, if they are kept.
    pub labels: Option<Vec<String>>,
}

/// Rows of a stratum, one after another.
pub(crate) struct Arranged {
    /// The first one's row in the stratum.
    pub start: usize,
    pub data: StratumData,
}

impl PlacementPlan {
    pub(super) fn new(blueprint: Blueprint, request: &Request<'_>) -> Self {
        let blueprint = Blueprint { rules: blueprint.rules.for_placing(), ..blueprint };
        let labels = request.options.labels && request.roles.unit.is_some();
        Self { blueprint, by_content: request.sorts_by_content(), labels }
    }

    /// Whether it has the rows of another where that one has them, with some of its covariates, among which there are these
    /// levels.
    pub(super) fn is_within(&self, other: &Self, factors: &Present) -> bool {
        let Blueprint { rules, levels, shape } = &self.blueprint;
        let Blueprint { rules: own, levels: known, shape: arranged } = &other.blueprint;
        let StratumShape { versions, covariates, .. } = *shape;
        rules == own
            && (&levels.clusters, &levels.factors) == (&known.clusters, factors)
            && *shape == StratumShape { versions, covariates, ..*arranged }
            && self.by_content == other.by_content
    }

    /// Whether the units' labels are kept.
    pub fn keeps_labels(&self) -> bool {
        self.labels
    }

    /// Whether rows were placed by these rules.
    pub(super) fn has_rules(&self, rules: &Rules) -> bool {
        self.blueprint.rules == rules.for_placing()
    }

    /// Columns of the strata.
    pub fn shape(&self) -> StratumShape {
        self.blueprint.shape
    }
}

impl Position {
    pub(super) fn new(placement: Placement, rows: Vec<usize>) -> Self {
        Self { placement, rows }
    }
}

impl Shard {
    /// The rows by stratum, in canonical order.
    ///
    /// # Errors
    /// If they are others than were surveyed.
    pub fn arrange(&self, plan: &PlacementPlan, position: &Position) -> Result<ArrangedShard> {
        let frame = &self.frame;
        let PlacementPlan { blueprint, by_content, labels } = plan;
        let grids = frame.place(&blueprint.rules);
        if !grids.iter().map(|grid| grid.n).eq(position.rows.iter().copied()) {
            let problem = "a shard has other rows than when it was surveyed: files have changed";
            return Err(DidError::Engine { problem: problem.into() });
        }
        let filling = blueprint.filling(&frame.rows);
        let mut arranged = Vec::with_capacity(grids.len());
        for (stratum, grid) in grids.iter().enumerate() {
            let mut data = blueprint.shape.stratum(grid.n);
            let rank = position.placement.first_rank[stratum];
            filling.fill(&frame.rows, grid, rank, &mut data, 0)?;
            if *by_content {
                // Shards are cut between outcomes, so that an order within them is one of all.
                sort_by_content(&mut data);
            }
            arranged.push(Arranged { start: position.placement.start[stratum], data });
        }
        let labels = frame.rows.units.as_ref().filter(|_| *labels).map(|units| {
            let rows = grids.iter().flat_map(|grid| &grid.first);
            rows.map(|row| units.labels.text(*row as usize)).collect()
        });
        Ok(ArrangedShard { strata: arranged, labels })
    }
}
