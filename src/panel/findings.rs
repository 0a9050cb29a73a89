//! What a first look at the sample's rows finds, and the second look that fills the strata.

use super::clusters::Clusters;
use super::fill::{Filling, Shape};
use super::inspect::Inspection;
use super::intake::{Request, Visit};
use super::condition::Conditioning;
use super::sample::{DesignInfo, Layout, StratumData, WeightLayout};
use crate::error::Result;

/// Design, weights and clusters of the sample.
pub(super) struct Findings {
    inspection: Inspection,
    clusters: Option<Clusters>,
    names: Vec<String>,
    intercept: bool,
}

impl Findings {
    pub fn new(
        request: &Request<'_>,
        layout: Layout,
        frames: &dyn Fn(&mut Visit<'_>) -> Result<()>,
    ) -> Result<Self> {
        let mut inspection = Inspection::new();
        let mut clusters = request.roles.cluster.as_ref().map(|_| Clusters::default());
        let mut names = Vec::new();
        frames(&mut |rows, grids| {
            inspection.add_levels(rows, grids);
            if let (Some(clusters), Some(codes)) = (&mut clusters, &rows.cluster) {
                clusters.add(codes, grids);
            }
            Ok(())
        })?;
        frames(&mut |rows, grids| {
            if names.is_empty() {
                names = rows.covariates.design(&inspection.present)?.names().to_vec();
            }
            inspection.add_changes(rows, grids, layout)
        })?;
        let intercept = names.first().is_some_and(|n| n == "(Intercept)");
        Ok(Self { inspection, clusters, names, intercept })
    }

    pub fn weights(&self) -> WeightLayout {
        self.inspection.weights()
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
            changes: matches!(request.conditioning, Conditioning::Changes(_)),
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
        strata: &mut [StratumData],
    ) -> Result<Option<Vec<String>>> {
        let keep_labels = request.options.labels && request.roles.unit.is_some();
        let total = strata.iter().map(|s| s.rows).sum();
        let mut labels = keep_labels.then(|| vec![String::new(); total]);
        let mut at = vec![0; strata.len()];
        frames(&mut |rows, grids| {
            let clusters = match (&self.clusters, &rows.cluster) {
                (Some(clusters), Some(codes)) => clusters.numbers(codes),
                _ => Vec::new(),
            };
            let filling = Filling { shape, present: &self.inspection.present, clusters };
            for ((grid, stratum), at) in grids.iter().zip(&mut *strata).zip(&mut at) {
                filling.fill(rows, grid, stratum, *at)?;
                *at += grid.n;
                if let (Some(labels), Some(units)) = (&mut labels, &rows.units) {
                    for (rank, row) in grid.rank.iter().zip(&grid.first) {
                        labels[*rank as usize] = units.labels.text(*row as usize);
                    }
                }
            }
            Ok(())
        })?;
        Ok(labels)
    }
}
