//! Options that several commands share.
//!
//! | options | file |
//! |---|---|
//! | data, and the columns of an estimator | `columns.rs` |
//! | group-time effects, and averages of them | `group_time.rs` |
//! | regressions | `regression.rs` |
//! | level and bootstrap | `inference.rs` |
//! | backend, devices and memory | `device.rs` |
//! | tables of several results | `table.rs` |
//! | what becomes of a result | `output.rs` |
//! | scores and weights | `weighting.rs` |
//! | how a picture looks | `plot.rs` |
//! | panels, and the file that a tool writes | `panel.rs` |

mod columns;
mod device;
mod group_time;
mod inference;
mod output;
mod panel;
mod plot;
mod regression;
mod table;
mod weighting;

pub(crate) use columns::{
    ClusterColumnArgs, CohortArgs, CohortPanelArgs, ColumnArgs, ColumnListArgs, CovariateArgs,
    DataArgs, DateArgs, FormulaArgs, GroupArgs, LONG_FORM, OutcomeArgs, OutcomeColumnArgs,
    PeriodArgs, SummandArgs, WeightArgs,
};
pub(crate) use device::{DeviceArgs, MemoryArgs, RowsInMemoryArgs, UnitRowsArgs, WorkArgs};
pub(crate) use group_time::{
    AGGREGATE, AnticipationArgs, AverageArgs, BandArgs, ComparisonArgs, ControlGroupArgs,
    GroupTimeArgs, GroupTimeOutputArgs,
};
pub(crate) use inference::{BootstrapArgs, InferenceArgs, LevelArgs};
pub(crate) use output::{Format, OutputArgs, ProgressArgs};
pub(crate) use panel::{FrequencyArgs, PanelFormat, PanelKeyArgs, PanelOutputArgs, SpacingArgs};
pub(crate) use plot::PictureArgs;
pub(crate) use regression::{CohortRegressionArgs, LikelihoodArgs, ProjectionArgs, RegressionArgs};
pub(crate) use table::TableArgs;
pub(crate) use weighting::WeightingArgs;
