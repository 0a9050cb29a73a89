//! Moments of the influence values of all effects: in one matrix, or of very many effects in parts.

use super::parts::PartedMoments;
use crate::base::error::Result;
use crate::base::options::Bootstrap;
use crate::engine::cell::{CellEstimate, influence_pass};
use crate::engine::source::{Source, Work};
use crate::estimator::shell::kept::KeptValues;
use crate::estimator::shell::moments::{InfluenceMoments, consumers};
use crate::result::inference::Covariance;

/// Moments of the influence values of the effects and, behind them, of the groups' shares.
pub(crate) enum EffectMoments {
    Whole(InfluenceMoments),
    Parts(PartedMoments),
}

impl EffectMoments {
    /// Of some effects and of the group shares; in parts if they are so [many](Work::is_in_parts) and no digits are lost.
    ///
    /// # Errors
    /// What the source reports, and [`DidError::Memory`](crate::DidError::Memory) for effects that only fit into memory in parts.
    pub fn form<'a>(
        source: &dyn Source,
        estimated: impl ExactSizeIterator<Item = Option<&'a CellEstimate>> + Clone,
        work: &Work<'_>,
        trim: f64,
    ) -> Result<Self> {
        let (sample, precision) = (source.sample(), source.precision());
        if work.is_in_parts(sample, precision) {
            let _span = tracing::info_span!("influence").entered();
            let consumers = consumers(sample, work);
            let effects = estimated.clone();
            let pass = influence_pass(sample, effects, work.shares_of, consumers, precision, trim);
            if let Some(parts) = PartedMoments::form(source, pass)? {
                return Ok(Self::Parts(parts));
            }
            source.check(&Work { parts: false, ..*work })?;
        }
        InfluenceMoments::form(source, estimated, work, trim).map(Self::Whole)
    }

    /// What the columns sum to, where that is more than rounding; else empty.
    pub fn totals(&self) -> &[f64] {
        self.whole().map_or(&[], |whole| &whole.totals)
    }

    /// The values of the effects, if they are kept. They are handed over, once.
    pub fn take_kept(&mut self) -> Option<KeptValues> {
        match self {
            Self::Whole(whole) => whole.kept.take(),
            Self::Parts(_) => None,
        }
    }

    /// The moments, if they are not in parts.
    pub fn whole(&self) -> Option<&InfluenceMoments> {
        match self {
            Self::Whole(whole) => Some(whole),
            Self::Parts(_) => None,
        }
    }

    /// Covariance of the columns. It is handed over, once.
    pub fn covariance(&mut self) -> Covariance {
        match self {
            Self::Whole(whole) => Covariance::Whole(whole.covariance()),
            Self::Parts(parts) => parts.covariance(),
        }
    }

    /// Bootstrap draws `[m, R]` of columns with this covariance.
    pub fn draws(self, covariance: &Covariance, m: usize, bootstrap: &Bootstrap) -> Vec<f64> {
        match self {
            Self::Whole(whole) => whole.draws(&covariance.whole(m), bootstrap),
            Self::Parts(parts) => {
                parts.draws.unwrap_or_else(|| covariance.gaussian_draws(m, bootstrap))
            }
        }
    }
}
