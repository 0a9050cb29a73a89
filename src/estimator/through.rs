//! Fits through another engine than that of this machine.

use std::fmt::Debug;
use std::time::Instant;

use polars::prelude::DataFrame;

use super::shell::{Estimator, setup};
use super::{AttGt, Ddd, Drdid, DrdidResult, GroupTimeResult, Timings};
use crate::backend::DidBackend;
use crate::condition::Raw;
use crate::error::Result;
use crate::panel::Strata;
use crate::source::Source;

/// An estimator that does not care who holds the rows.
pub(crate) trait Through {
    /// What a fit gives.
    type Result: Debug;

    /// The fit, with the strata where `hold` puts them.
    fn through<R: Raw<Conditioned: Source>>(
        &self,
        data: &DataFrame,
        hold: impl FnOnce(Strata) -> R,
    ) -> Result<Self::Result>;
}

macro_rules! through {
    ($($estimator:ident -> $result:ident),*) => {$(
        impl<B: DidBackend> Through for $estimator<B> {
            type Result = $result;

            fn through<R: Raw<Conditioned: Source>>(
                &self,
                data: &DataFrame,
                hold: impl FnOnce(Strata) -> R,
            ) -> Result<$result> {
                let (setup, start) = (setup(self)?, Instant::now());
                let read = setup.panel(data.into(), start)?;
                let held = setup.held(read, start, |_, strata| hold(strata))?;
                Ok($result { timings: Timings::default(), ..self.estimate(held)? })
            }
        }
    )*};
}

through!(AttGt -> GroupTimeResult, Ddd -> GroupTimeResult, Drdid -> DrdidResult);
