//! Whether a pass that came from elsewhere asks for what a sample has: kernels trust their indices.

use super::{
    COVARIATE_BINS, GramPass, InfluencePass, Leg, LogitPass, StratumPlan, TILE, Weight,
    WeightingJob, WeightingPass,
};
use crate::base::error::{DidError, Result};
use crate::base::memory;

/// What the chunks of a sample have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub strata: usize,
    /// Design columns, the constant included.
    pub k: usize,
    /// Covariate versions.
    pub versions: usize,
    /// Outcome columns.
    pub outcomes: usize,
    /// Weight columns.
    pub weights: usize,
    /// Whether rows have clusters.
    pub clustered: bool,
}

impl Extent {
    fn has_weight(&self, weight: Weight) -> bool {
        match weight {
            Weight::Ones => true,
            Weight::Column(i) => i < self.weights,
            Weight::Product(i, j) => i.max(j) < self.weights,
        }
    }

    /// An error unless jobs are ordered by strata that there are, and all hold `well`.
    fn jobs<J>(
        &self,
        jobs: &[J],
        stratum: impl Fn(&J) -> usize,
        well: impl Fn(&J) -> bool,
    ) -> Result<()> {
        let ordered = jobs.is_sorted_by_key(&stratum);
        ask(ordered && jobs.iter().all(|job| stratum(job) < self.strata && well(job)))
    }
}

impl GramPass {
    /// # Errors
    /// [`DidError::Engine`] if it asks for what there is not.
    pub fn check(&self, has: &Extent) -> Result<()> {
        ask(self.k == has.k && self.periods == has.outcomes)?;
        let sums = self.jobs.len() as u128 * (has.k * (has.k + has.outcomes)) as u128;
        memory::check("the cross-products of a pass", 8 * sums, "use fewer covariates")?;
        has.jobs(
            &self.jobs,
            |job| job.stratum,
            |job| {
                job.x < has.versions
                    && has.has_weight(job.w)
                    && job.odds.as_ref().is_none_or(|odds| odds.len() == has.k)
                    && job.outcomes.iter().all(|outcome| *outcome < has.outcomes)
            },
        )
    }
}

impl LogitPass {
    /// # Errors
    /// [`DidError::Engine`] if it asks for what there is not.
    pub fn check(&self, has: &Extent) -> Result<()> {
        ask(self.k == has.k && (1..=TILE).contains(&self.thinning))?;
        let well = |job: &super::LogitJob| {
            job.x < has.versions && has.has_weight(job.w) && job.gamma.len() == has.k
        };
        has.jobs(&self.jobs, |job| job.stratum, well)
    }
}

impl InfluencePass {
    /// # Errors
    /// [`DidError::Engine`] if it asks for what there is not, [`DidError::Memory`] if its sums have no room.
    pub fn check(&self, has: &Extent) -> Result<()> {
        let (m, consumers) = (self.columns as u128, &self.consumers);
        let draws = consumers.multipliers.map_or(0, |multipliers| multipliers.draws);
        let sums = m * (m + consumers.clusters.unwrap_or(0) as u128 + draws as u128);
        memory::check("the sums of a pass", 8 * sums, "ask for fewer draws or effects")?;
        ask(consumers.clusters.is_none() || has.clustered)?;
        ask(self.strata.len() == has.strata)?;
        self.strata.iter().try_for_each(|plan| ask(plan.is_of(self.columns, has)))
    }
}

impl WeightingPass {
    /// # Errors
    /// [`DidError::Engine`] if it asks for what there is not, [`DidError::Memory`] if its sums have no room.
    pub fn check(&self, has: &Extent) -> Result<()> {
        ask(self.k == has.k && self.transform.len() == has.k * has.k)?;
        let sums = self.jobs.len() as u128 * (2 * has.k * (has.k + COVARIATE_BINS)) as u128;
        memory::check("the sums under weights", 8 * sums, "use fewer covariates")?;
        let counted = self.bins.is_empty() || self.bins.len() == self.jobs.len();
        ask(counted && self.bins.iter().all(|bins| bins.len() == has.k - 1))?;
        let of_design = |v: &Option<Vec<f64>>| v.as_ref().is_none_or(|v| v.len() == has.k);
        let well = |job: &WeightingJob| {
            job.x < has.versions
                && has.has_weight(job.w)
                && job.post < has.outcomes
                && job.base.is_none_or(|base| base < has.outcomes)
                && [&job.gamma, &job.b, &job.t].into_iter().all(of_design)
        };
        has.jobs(&self.jobs, |job| job.stratum, well)
    }
}

impl StratumPlan {
    fn is_of(&self, columns: usize, has: &Extent) -> bool {
        let dots = self.dots.len();
        self.dots.iter().all(|dot| dot.x < has.versions && dot.v.len() == has.k)
            && self.props.iter().all(|prop| *prop < dots)
            && self.active().iter().all(|column| *column < columns)
            && self.share.is_none_or(|share| has.has_weight(share.w))
            && self.columns.iter().flat_map(|column| &column.legs).all(|leg| self.has(leg, has))
    }

    fn has(&self, leg: &Leg, has: &Extent) -> bool {
        leg.post < has.outcomes
            && leg.base.is_none_or(|base| base < has.outcomes)
            && has.has_weight(leg.w)
            && leg.prop.is_none_or(|prop| prop < self.props.len())
            && [leg.beta, leg.b, leg.e, leg.a].iter().flatten().all(|dot| *dot < self.dots.len())
    }
}

/// An error unless the pass asks for what there is.
pub(crate) fn ask(well: bool) -> Result<()> {
    if well {
        return Ok(());
    }
    Err(DidError::Engine { problem: "a pass asks for what the sample has not".into() })
}
