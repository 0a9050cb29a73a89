//! Saved results of any kind.

use std::path::Path;

use serde::de::Error;

use crate::base::error::Result;
use crate::engine::source::Influence;
use crate::estimator::aggregate::{Aggregated, EventStudy};
use crate::estimator::etwfe::EtwfeResult;
use crate::estimator::fixed_effects::{RegressionResult, SunAbrahamResult};
use crate::estimator::honest::HonestResult;
use crate::estimator::imputation::ImputationResult;
use crate::estimator::local_projections::LocalProjectionsResult;
use crate::estimator::npiv::NpivResult;
use crate::estimator::pretrends::PretrendsResult;
use crate::estimator::stacked::StackedResult;
use crate::estimator::switching::DidMultiplegtResult;
use crate::estimator::twfe::{BaconResult, TwfeWeightsResult};
use crate::estimator::two_stage::TwoStageResult;
use crate::estimator::weighting::{OverlapByCell, Weighting};
use crate::estimator::{ContDidResult, DrdidResult, GroupTimeResult};
use crate::report::Reportable;
use crate::report::contract::Report;
use crate::result::saved;
use crate::study::balance::Balance;
use crate::study::curve::SpecificationCurve;
use crate::study::describe::Description;
use crate::study::joint::JointStudyResult;
use crate::study::means::CohortMeans;
use crate::study::panelview::PanelView;

/// Lists the kinds of results once.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($result:ident)),+ $(,)?) => {
        /// A saved result, of the kind that its file names.
        ///
        /// ```
        /// use burn_did::{AttGt, SavedResult, backend::Cpu, data};
        ///
        /// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        /// let fit = config.group("first.treat").build().fit(&data::mpdta())?;
        /// let path = std::env::temp_dir().join("burn-did-some-result-example.json");
        /// fit.save(&path)?;
        /// let saved = SavedResult::load(&path)?;
        /// assert_eq!(saved.report().kind(), "group_time");
        /// assert!(matches!(saved, SavedResult::GroupTime(loaded) if *loaded == fit));
        /// # std::fs::remove_file(path).unwrap();
        /// # Ok::<(), burn_did::DidError>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[must_use]
        #[non_exhaustive]
        pub enum SavedResult {
            $($(#[$doc])* $kind(Box<$result>)),+
        }

        impl SavedResult {
            /// Reads a saved result.
            ///
            /// # Errors
            /// [`DidError::Io`](crate::DidError::Io), or [`DidError::Json`](crate::DidError::Json) for what is no saved result or one
            /// whose parts do not fit together.
            pub fn load(path: impl AsRef<Path>) -> Result<Self> {
                saved::of_file(path.as_ref(), Self::from_json)
            }

            /// [`load`](Self::load) from a text.
            ///
            /// # Errors
            /// As [`load`](Self::load), less the file.
            pub fn from_json(text: &str) -> Result<Self> {
                match saved::kind_of(text)?.as_str() {
                    $($result::KIND => saved::parse(text, $result::KIND).map(|result| Self::$kind(Box::new(result))),)+
                    kind => Err(serde_json::Error::custom(format!(
                        "`kind` is `{kind}`, which this version of burn-did does not know"
                    ))
                    .into()),
                }
            }

            /// The result, for what all results can do.
            #[must_use]
            pub fn report(&self) -> &dyn Reportable {
                match self {
                    $(Self::$kind(result) => result.as_ref(),)+
                }
            }
        }
    };
}

kinds! {
    /// Effects on groups in periods: of `AttGt` or `Ddd`.
    GroupTime(GroupTimeResult),
    /// Averages of such effects.
    Aggregated(Aggregated),
    /// A two-period comparison.
    Drdid(DrdidResult),
    /// Effects of a continuous treatment.
    ContDid(ContDidResult),
    /// Effects of a treatment that switches.
    Multiplegt(DidMultiplegtResult),
    /// A regression with fixed effects.
    Regression(RegressionResult),
    /// The event study of Sun and Abraham.
    SunAbraham(SunAbrahamResult),
    /// Effects by imputation.
    Imputation(ImputationResult),
    /// Effects by two stages.
    TwoStage(TwoStageResult),
    /// Effects by event time.
    EventStudy(EventStudy),
    /// A sensitivity analysis.
    Honest(HonestResult),
    /// An analysis of pre-trends.
    Pretrends(PretrendsResult),
    /// A function estimated by sieves.
    Npiv(NpivResult),
    /// Effects by event time, by local projections.
    LocalProjections(LocalProjectionsResult),
    /// Extended two-way fixed effects.
    Etwfe(EtwfeResult),
    /// Effects by event time, from a stack of sub-experiments.
    Stacked(StackedResult),
    /// The decomposition of a two-way coefficient.
    Bacon(BaconResult),
    /// The weights of a two-way coefficient on effects.
    TwfeWeights(TwfeWeightsResult),
    /// Several estimators of one sample.
    JointStudy(JointStudyResult),
    /// A study under many specifications.
    SpecificationCurve(SpecificationCurve),
    /// What kind of panel the data are.
    Description(Description),
    /// Who is observed and treated when.
    PanelView(PanelView),
    /// Mean outcomes of cohorts.
    CohortMeans(CohortMeans),
    /// How like cohorts are to their comparison units.
    Balance(Balance),
    /// What an estimator's weighting does to the comparison.
    Weighting(Weighting),
    /// How each cell's comparison units are weighted.
    Overlap(OverlapByCell),
}

/// The place of influence values in a result; none in results that keep none.
macro_rules! influence_of {
    ($result:expr, $($reference:tt)+) => {
        match $result {
            SavedResult::GroupTime(of) => Some($($reference)+ of.influence),
            SavedResult::Aggregated(of) => Some($($reference)+ of.influence),
            SavedResult::Drdid(of) => Some($($reference)+ of.influence),
            SavedResult::ContDid(of) => Some($($reference)+ of.influence),
            SavedResult::Regression(of) => Some($($reference)+ of.influence),
            SavedResult::SunAbraham(of) => Some($($reference)+ of.influence),
            SavedResult::Imputation(of) => Some($($reference)+ of.influence),
            SavedResult::TwoStage(of) => Some($($reference)+ of.influence),
            SavedResult::LocalProjections(of) => Some($($reference)+ of.influence),
            SavedResult::Etwfe(of) => Some($($reference)+ of.influence),
            SavedResult::Stacked(of) => Some($($reference)+ of.influence),
            _ => None,
        }
    };
}

impl SavedResult {
    /// Influence values that the fit kept, if it did: files of results do not have them.
    #[must_use]
    pub fn influence(&self) -> Option<&Influence> {
        influence_of!(self, &)?.as_ref()
    }

    /// Where a result has influence values, to give it those of its fit; none of results that never have any.
    pub fn influence_mut(&mut self) -> Option<&mut Option<Influence>> {
        influence_of!(self, &mut)
    }
}
