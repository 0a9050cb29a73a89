//! What is asked of unit data, and the small additive statistics that are the answers.
//!
//! Everything that touches rows of strata on a device is one of four passes: weighted cross-products ([`GramJob`]), a Newton
//! step of propensity scores ([`LogitJob`]), influence values ([`StratumPlan`]) and, on request, the weights that estimates give their rows. Here are their data; backends say how
//! they are formed of a chunk, and a source asks all chunks. Fixed effects are solved for beside them, by a
//! [`LevelSolver`](crate::engine::backend::LevelSolver). Notation for shapes: `n` rows of a chunk, `P` outcome columns,
//! `k` design columns *including* a leading constant that is never stored, `V` covariate versions, `m` influence columns,
//! `R` bootstrap draws, `C` clusters.

#[cfg(feature = "cluster")]
mod check;
mod chunk;
mod gram;
mod influence;
mod jobs;
mod logit;
mod odds;
mod stat;
mod weighting;

pub use crate::base::random::Multipliers;
pub use crate::base::segment::TILE;
#[cfg(feature = "cluster")]
pub(crate) use crate::base::segment::mix;
pub(crate) use crate::base::segment::{SEGMENT, Seal, Segment};
pub use crate::read::panel::Weight;
#[cfg(feature = "cluster")]
pub(crate) use check::{Extent, ask};
pub use chunk::{Chunk, Slab};
pub(crate) use gram::GramPass;
pub use gram::{Gram, GramJob, WeightSums};
pub(crate) use influence::InfluencePass;
pub use influence::{Consumers, Dot, InfluenceStat, KeptRows, Leg, PlanColumn, Share, StratumPlan};
pub(crate) use jobs::of_stratum;
pub(crate) use logit::LogitPass;
pub use logit::{LogitJob, LogitStat};
pub(crate) use odds::OddsLimits;
pub use odds::UNTRIMMED;
pub(crate) use stat::{Stat, add};
pub(crate) use weighting::{
    Bins, COVARIATE_BINS, KEPT, SCORE_BINS, WeightingJob, WeightingPass, WeightingStat,
};
