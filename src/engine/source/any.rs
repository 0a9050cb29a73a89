//! What can be asked of conditioned rows, in a closed list that has a form in bytes. One pass has none, that over draws of whole
//! units: the caller checks [`Source::is_here`](super::Source::is_here) first.

use serde::{Deserialize, Serialize};

use super::answer::Ask;
use super::draws::ReweightedDraws;
use super::pass::Pass;
use crate::base::error::{DidError, Result};
use crate::engine::backend::{AtOnce, DidBackend, Segments};
use crate::engine::pass::{
    Chunk, Gram, GramPass, InfluencePass, InfluenceStat, KeptRows, LogitPass, LogitStat,
    WeightingPass, WeightingStat,
};
#[cfg(feature = "cluster")]
use crate::engine::pass::{Extent, ask};

/// A pass of the closed list.
pub(crate) trait KnownPass: Pass<Stat: KnownStat> + Clone + Into<AnyPass> {}

impl<P: Pass<Stat: KnownStat> + Clone + Into<AnyPass>> KnownPass for P {}

/// A statistic of the closed list.
pub(crate) trait KnownStat: Into<AnyStat> {
    /// # Errors
    /// As the other methods, [`DidError::Engine`] for the statistic of another pass.
    fn from_any(stat: AnyStat) -> Result<Self>;

    fn borrow(stat: &AnyStat) -> Result<&Self>;

    fn borrow_mut(stat: &mut AnyStat) -> Result<&mut Self>;
}

/// The closed list.
macro_rules! passes {
    ($($(#[$about:meta])* $name:ident($pass:ty) -> $(#[$answers:meta])* $stat:ty),* $(,)?) => {
        /// Which pass it is.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        enum PassKind {
            $($(#[$about])* $name($pass),)*
        }

        /// The statistic of any pass.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub(crate) enum AnyStat {
            $($(#[$answers])* $name($stat),)*
        }

        $(
            impl From<$pass> for AnyPass {
                fn from(pass: $pass) -> Self {
                    Self { kind: PassKind::$name(pass), draws: None }
                }
            }

            impl From<$stat> for AnyStat {
                fn from(stat: $stat) -> Self {
                    Self::$name(stat)
                }
            }

            impl KnownStat for $stat {
                fn from_any(stat: AnyStat) -> Result<Self> {
                    if let AnyStat::$name(stat) = stat { Ok(stat) } else { Err(foreign()) }
                }

                fn borrow(stat: &AnyStat) -> Result<&Self> {
                    if let AnyStat::$name(stat) = stat { Ok(stat) } else { Err(foreign()) }
                }

                fn borrow_mut(stat: &mut AnyStat) -> Result<&mut Self> {
                    if let AnyStat::$name(stat) = stat { Ok(stat) } else { Err(foreign()) }
                }
            }
        )*
    };
}

passes! {
    /// Weighted cross-products.
    Gram(GramPass) ->
        /// One entry a job.
        Vec<Gram>,
    /// A Newton step of propensity scores.
    Logit(LogitPass) ->
        /// One entry a job.
        Vec<LogitStat>,
    /// Influence values.
    Influence(InfluencePass) ->
        /// Sums over influence values.
        InfluenceStat,
    /// The weights that estimates give their rows.
    Weighting(WeightingPass) ->
        /// One entry a job.
        Vec<WeightingStat>,
}

/// An expression of the pass, whichever it is.
macro_rules! each {
    ($kind:expr, $pass:ident => $of_pass:expr) => {
        match $kind {
            PassKind::Gram($pass) => $of_pass,
            PassKind::Logit($pass) => $of_pass,
            PassKind::Influence($pass) => $of_pass,
            PassKind::Weighting($pass) => $of_pass,
        }
    };
}

fn foreign() -> DidError {
    DidError::Engine { problem: "a pass was answered by the statistic of another".into() }
}

/// Any pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnyPass {
    kind: PassKind,
    /// Further weight columns of the chunks that it sees.
    draws: Option<ReweightedDraws>,
}

impl AnyPass {
    /// The pass over chunks with further weight columns.
    pub fn reweighted(self, draws: ReweightedDraws) -> Self {
        Self { draws: Some(draws), ..self }
    }

    /// An error unless it asks for what chunks have.
    #[cfg(feature = "cluster")]
    pub fn check(&self, has: &Extent) -> Result<()> {
        let mut has = *has;
        if let Some(draws) = &self.draws {
            ask(draws.is_a_batch() && (has.clustered || !draws.by_cluster))?;
            has.weights += draws.count;
        }
        each!(&self.kind, pass => pass.check(&has))
    }

    /// As [`Pass::NAME`].
    pub fn name(&self) -> &'static str {
        fn name<P: Pass>(_: &P) -> &'static str {
            P::NAME
        }
        each!(&self.kind, pass => name(pass))
    }

    /// As [`Pass::none_of`].
    pub fn none_of(&self, stratum: usize) -> AnyStat {
        each!(&self.kind, pass => pass.none_of(stratum).into())
    }

    /// As [`Pass::accumulate`].
    pub fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut AnyStat,
    ) -> Result<Option<KeptRows>> {
        let reweighted = self.draws.as_ref().map(|draws| draws.reweight(chunk)).transpose()?;
        let chunk = reweighted.as_ref().unwrap_or(chunk);
        each!(&self.kind, pass => pass.accumulate(chunk, KnownStat::borrow_mut(part)?))
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
        each!(&self.kind, pass => {
            let before = before.map(KnownStat::borrow).transpose()?;
            let stats = pass.at_once(device, segments, before)?;
            Ok(stats.map(|stats| stats.into_iter().map(Into::into).collect()))
        })
    }
}

impl Ask for AnyPass {
    type Part = AnyStat;
    type Total = AnyStat;

    fn none(&self, _: usize) -> AnyStat {
        each!(&self.kind, pass => pass.none().into())
    }

    fn reads(&self, stratum: usize) -> bool {
        each!(&self.kind, pass => pass.reads(stratum))
    }

    fn keeps(&self) -> bool {
        match &self.kind {
            PassKind::Influence(pass) => pass.consumers.keep_rows,
            PassKind::Weighting(pass) => pass.keep_rows,
            PassKind::Gram(_) | PassKind::Logit(_) => false,
        }
    }

    fn merge(&self, total: &mut AnyStat, stratum: usize, part: &AnyStat) -> Result<()> {
        each!(&self.kind, pass => {
            pass.merge(KnownStat::borrow_mut(total)?, stratum, KnownStat::borrow(part)?)
        })
    }
}
