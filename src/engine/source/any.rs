//! What can be asked of conditioned rows, in a closed list that has a form in bytes. One pass has none, that over draws of whole
//! units: whoever asks for it asks [`Source::is_here`](super::Source::is_here) first.

use serde::{Deserialize, Serialize};

use super::pass::Pass;
use super::reweighted::ReweightedDraws;
use crate::base::error::{DidError, Result};
use crate::engine::backend::{AtOnce, DidBackend, Segments};
use crate::engine::pass::{
    Chunk, Gram, GramPass, InfluencePass, InfluenceStat, KeptRows, LogitPass, LogitStat,
};
#[cfg(any(feature = "cluster", test))]
use crate::engine::pass::{Extent, ask};

/// Any pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnyPass {
    pub(super) kind: PassKind,
    /// Further weight columns of the chunks that it sees.
    pub(super) draws: Option<ReweightedDraws>,
}

impl AnyPass {
    /// The pass over chunks with further weight columns.
    pub fn reweighted(self, draws: ReweightedDraws) -> Self {
        Self { draws: Some(draws), ..self }
    }

    /// An error unless it asks for what chunks have.
    ///
    /// # Errors
    /// [`DidError::Engine`], or [`DidError::Memory`] if its sums have no room.
    #[cfg(any(feature = "cluster", test))]
    pub fn check(&self, has: &Extent) -> Result<()> {
        let mut has = *has;
        if let Some(draws) = &self.draws {
            ask(draws.is_a_batch() && (has.clustered || !draws.by_cluster))?;
            has.weights += draws.count;
        }
        match &self.kind {
            PassKind::Gram(pass) => pass.check(&has),
            PassKind::Logit(pass) => pass.check(&has),
            PassKind::Influence(pass) => pass.check(&has),
        }
    }

    /// As [`Pass::NAME`].
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// As [`Pass::none`].
    pub fn none(&self) -> AnyStat {
        self.kind.none()
    }

    /// As [`Pass::reads`].
    pub fn reads(&self, stratum: usize) -> bool {
        self.kind.reads(stratum)
    }

    /// Whether rows are kept beside the statistic.
    pub fn keeps(&self) -> bool {
        self.kind.keeps()
    }

    /// As [`Pass::none_of`].
    pub fn none_of(&self, stratum: usize) -> AnyStat {
        self.kind.none_of(stratum)
    }

    /// As [`Pass::accumulate`].
    pub fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut AnyStat,
    ) -> Result<Option<KeptRows>> {
        match &self.draws {
            None => self.kind.accumulate(chunk, part),
            Some(draws) => self.kind.accumulate(&draws.reweight(chunk)?, part),
        }
    }

    /// As [`Pass::at_once`].
    pub fn at_once<B: DidBackend>(
        &self,
        device: &dyn AtOnce<B>,
        segments: &Segments<'_, B>,
        before: Option<&AnyStat>,
    ) -> Result<Option<Vec<AnyStat>>> {
        if self.draws.is_some() {
            return Ok(None);
        }
        self.kind.at_once(device, segments, before)
    }

    /// As [`Pass::merge`].
    pub fn merge(&self, total: &mut AnyStat, stratum: usize, part: &AnyStat) -> Result<()> {
        self.kind.merge(total, stratum, part)
    }
}

/// Which pass it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum PassKind {
    /// Weighted cross-products.
    Gram(GramPass),
    /// A Newton step of propensity scores.
    Logit(LogitPass),
    /// Influence values.
    Influence(InfluencePass),
}

/// The statistic of any pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum AnyStat {
    /// One entry a job.
    Grams(Vec<Gram>),
    /// One entry a job.
    Logits(Vec<LogitStat>),
    /// Sums over influence values.
    Influence(InfluenceStat),
}

/// The methods of [`Pass`], of whichever it is.
impl PassKind {
    fn name(&self) -> &'static str {
        match self {
            Self::Gram(_) => GramPass::NAME,
            Self::Logit(_) => LogitPass::NAME,
            Self::Influence(_) => InfluencePass::NAME,
        }
    }

    fn none(&self) -> AnyStat {
        match self {
            Self::Gram(pass) => AnyStat::Grams(pass.none()),
            Self::Logit(pass) => AnyStat::Logits(pass.none()),
            Self::Influence(pass) => AnyStat::Influence(pass.none()),
        }
    }

    fn reads(&self, stratum: usize) -> bool {
        match self {
            Self::Gram(pass) => pass.reads(stratum),
            Self::Logit(pass) => pass.reads(stratum),
            Self::Influence(pass) => pass.reads(stratum),
        }
    }

    /// Whether rows are kept beside the statistic.
    fn keeps(&self) -> bool {
        match self {
            Self::Gram(_) | Self::Logit(_) => false,
            Self::Influence(pass) => pass.consumers.keep_rows,
        }
    }

    fn none_of(&self, stratum: usize) -> AnyStat {
        match self {
            Self::Gram(pass) => AnyStat::Grams(pass.none_of(stratum)),
            Self::Logit(pass) => AnyStat::Logits(pass.none_of(stratum)),
            Self::Influence(pass) => AnyStat::Influence(pass.none_of(stratum)),
        }
    }

    fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut AnyStat,
    ) -> Result<Option<KeptRows>> {
        match (self, part) {
            (Self::Gram(pass), AnyStat::Grams(part)) => pass.accumulate(chunk, part),
            (Self::Logit(pass), AnyStat::Logits(part)) => pass.accumulate(chunk, part),
            (Self::Influence(pass), AnyStat::Influence(part)) => pass.accumulate(chunk, part),
            _ => Err(foreign()),
        }
    }

    fn at_once<B: DidBackend>(
        &self,
        device: &dyn AtOnce<B>,
        segments: &Segments<'_, B>,
        before: Option<&AnyStat>,
    ) -> Result<Option<Vec<AnyStat>>> {
        fn any<S>(stats: Option<Vec<S>>, any: fn(S) -> AnyStat) -> Option<Vec<AnyStat>> {
            stats.map(|stats| stats.into_iter().map(any).collect())
        }
        macro_rules! stats {
            ($pass:expr, $kind:path) => {{
                let before = match before {
                    None => None,
                    Some($kind(before)) => Some(before),
                    Some(_) => return Err(foreign()),
                };
                any($pass.at_once(device, segments, before)?, $kind)
            }};
        }
        Ok(match self {
            Self::Gram(pass) => stats!(pass, AnyStat::Grams),
            Self::Logit(pass) => stats!(pass, AnyStat::Logits),
            Self::Influence(pass) => stats!(pass, AnyStat::Influence),
        })
    }

    fn merge(&self, total: &mut AnyStat, stratum: usize, part: &AnyStat) -> Result<()> {
        match (self, total, part) {
            (Self::Gram(pass), AnyStat::Grams(total), AnyStat::Grams(part)) => {
                pass.merge(total, stratum, part)
            }
            (Self::Logit(pass), AnyStat::Logits(total), AnyStat::Logits(part)) => {
                pass.merge(total, stratum, part)
            }
            (Self::Influence(pass), AnyStat::Influence(total), AnyStat::Influence(part)) => {
                pass.merge(total, stratum, part)
            }
            _ => Err(foreign()),
        }
    }
}

fn foreign() -> DidError {
    DidError::Engine { problem: "a pass was answered by the statistic of another".into() }
}

impl From<PassKind> for AnyPass {
    fn from(kind: PassKind) -> Self {
        Self { kind, draws: None }
    }
}

impl From<GramPass> for AnyPass {
    fn from(pass: GramPass) -> Self {
        PassKind::Gram(pass).into()
    }
}

impl From<LogitPass> for AnyPass {
    fn from(pass: LogitPass) -> Self {
        PassKind::Logit(pass).into()
    }
}

impl From<InfluencePass> for AnyPass {
    fn from(pass: InfluencePass) -> Self {
        PassKind::Influence(pass).into()
    }
}

impl TryFrom<AnyStat> for Vec<Gram> {
    type Error = DidError;

    fn try_from(stat: AnyStat) -> Result<Self> {
        if let AnyStat::Grams(grams) = stat { Ok(grams) } else { Err(foreign()) }
    }
}

impl TryFrom<AnyStat> for Vec<LogitStat> {
    type Error = DidError;

    fn try_from(stat: AnyStat) -> Result<Self> {
        if let AnyStat::Logits(logits) = stat { Ok(logits) } else { Err(foreign()) }
    }
}

impl TryFrom<AnyStat> for InfluenceStat {
    type Error = DidError;

    fn try_from(stat: AnyStat) -> Result<Self> {
        if let AnyStat::Influence(sums) = stat { Ok(sums) } else { Err(foreign()) }
    }
}
