//! What most programs use: `use burn_did::prelude::*;`.
//!
//! ```
//! use burn_did::prelude::*;
//!
//! let effects = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year").group("first.treat");
//! let effects = effects.control_group(ControlGroup::NotYetTreated).build().fit(&burn_did::data::mpdta())?;
//! println!("{}", effects.aggregate(Aggregation::dynamic())?);
//! # Ok::<(), DidError>(())
//! ```

#[cfg(feature = "cpu")]
pub use crate::backend::Cpu;
pub use crate::backend::DidBackend;
pub use crate::doses::{DoseAggregation, DoseGrid, DoseMethod, DoseTarget};
pub use crate::group_time::CellStatus;
pub use crate::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, DrdidMethod, EstimationMethod, FixWeights,
    Frequency, Multiplier, Precision, Resampling, UnbalancedPanel,
};
pub use crate::regression::{Family, Solver, Vcov, etable};
#[cfg(feature = "plot")]
pub use crate::report::PlotOptions;
pub use crate::report::{Comparable, Reportable, compare};
pub use crate::sensitivity::{Delta, Restriction};
pub use crate::switching::{PredictHeterogeneity, Switchers};
pub use crate::{
    Aggregated, Aggregation, AttGt, Bacon, BaconResult, ContDid, ContDidResult, Data, Ddd, Demean,
    DemeanResult, DidError, DidMultiplegt, DidMultiplegtResult, DidWarning, Drdid, DrdidResult,
    Estimate, Estimator, EventStudy, FixedEffects, GroupTimeResult, Honest, HonestResult,
    Imputation, ImputationResult, LocalProjections, LocalProjectionsResult, Npiv, NpivResult,
    Pretrends, PretrendsResult, RegressionResult, SavedResult, Stacked, StackedResult, SunAbraham,
    SunAbrahamResult, TwfeWeights, TwfeWeightsResult, TwoStage, TwoStageResult,
};
