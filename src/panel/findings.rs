//! What a first look at the sample's rows finds, and the second look that fills the strata.

use super::clusters::Clusters;
use super::fill::{Filling, Shape};
use super::formula::Evaluated;
use super::inspect::Inspection;
use super::intake::{Request, Visit};
use super::sample::{DesignInfo, Layout, WeightLayout};
use super::store::Store;
use crate::error::Result;

/// Design, weights and clusters of the sample.
pub(super) struct Findings {
    inspection: Inspection,
    clusters: Option<Clusters>,
    names: Vec<String>,
    intercept: bool,
}

impl Findings {
    /// Looks at the rows only as often as there is something to find.
    pub fn new(
        request: &Request<'_>,
        layout: Layout,
        first: &Evaluated,
        frames: &dyn Fn(&mut Visit<'_>) -> Result<()>,
    ) -> Result<Self> {
        let mut inspection = Inspection::new();
        let mut clusters = request.roles.cluster.as_ref().map(|_| Clusters::default());
        if clusters.is_some() || first.has_factors() {
            frames(&mut |rows, grids| {
                inspection.add_levels(rows, grids);
                if let (Some(clusters), Some(codes)) = (&mut clusters, &rows.cluster) {
                    clusters.add(codes, grids);
                }
                Ok(())
            })?;
        }
        let design = first.design(&inspection.present)?;
        let names = design.names().to_vec();
        if !design.covariates().is_empty() || request.roles.weights.is_some() {
            frames(&mut |rows, grids| inspection.add_changes(rows, grids, layout))?;
        }
        let intercept = names.first().is_some_and(|n| n == "(Intercept)");
        Ok(Self { inspection, clusters, names, intercept })
    }

    pub fn weights(&self) -> WeightLayout {
        self.inspection.weights()
    }

    /// Whether no row of the sample has a positive weight.
    pub fn weightless(&self) -> bool {
        self.inspection.weightless()
    }

    pub fn clusters(&self) -> Option<usize> {
        self.clusters.as_ref().map(Clusters::len)
    }

    /// Columns of the strata.
    pub fn shape(&self, periods: usize, layout: Layout, request: &Request<'_>) -> Shape {
        let by_row = layout == Layout::RepeatedCrossSections;
        let columns = if by_row { 1 } else { periods };
        Shape {
            periods: columns,
            versions: if self.inspection.covariates_vary { columns } else { 1 },
            covariates: self.names.len() - usize::from(self.intercept),
            weights: self.inspection.weights(),
            presence: layout == Layout::Unbalanced,
            changes: request.changes,
            clustered: self.clusters.is_some(),
        }
    }

    /// The design before any conditioning.
    pub fn design(&self, shape: Shape) -> DesignInfo {
        let constant = std::iter::once("(Intercept)".to_owned());
        let names = self.names[usize::from(self.intercept)..].iter().cloned();
        let names: Vec<String> = constant.chain(names).collect();
        let k = names.len();
        let transform = (0..k * k).map(|e| f64::from(u8::from(e / k == e % k))).collect();
        DesignInfo { names, intercept: self.intercept, versions: shape.versions, transform }
    }

    /// Fills the strata; returns the units' labels by rank if they are asked for.
    pub fn fill(
        &self,
        shape: Shape,
        request: &Request<'_>,
        frames: &dyn Fn(&mut Visit<'_>) -> Result<()>,
        store: &mut Store,
        units: usize,
    ) -> Result<Option<Vec<String>>> {
        let keep_labels = request.options.labels && request.roles.unit.is_some();
        let mut labels = keep_labels.then(|| vec![String::new(); units]);
        frames(&mut |rows, grids| {
            let clusters = match (&self.clusters, &rows.cluster) {
                (Some(clusters), Some(codes)) => clusters.numbers(codes),
                _ => Vec::new(),
            };
            let filling = Filling { shape, present: &self.inspection.present, clusters };
            store.add(&filling, rows, grids)?;
            if let (Some(labels), Some(units)) = (&mut labels, &rows.units) {
                let members = grids.iter().flat_map(|g| g.rank.iter().zip(&g.first));
                for (rank, row) in members {
                    labels[*rank as usize] = units.labels.text(*row as usize);
                }
            }
            Ok(())
        })?;
        Ok(labels)
    }
}
