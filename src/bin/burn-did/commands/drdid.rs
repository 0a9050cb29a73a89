//! `burn-did drdid`

use burn_did::backend::DidBackend;
use burn_did::{
    Drdid, DrdidResult,
    options::{DrdidMethod, Resampling},
};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::args::{ColumnArgs, CovariateArgs, InferenceArgs, OutputArgs, WeightingArgs, WorkArgs};
use crate::backend::{self, Fit, On};
use crate::configure::{fit_where_asked, with_shared};
use crate::defaults;
use crate::error::{CliError, Result};
use crate::output;
use crate::parse;
use crate::words::OneOf;

/// The effect on the treated from two groups in two periods (Sant'Anna and Zhao 2020), of a panel or of repeated cross
/// sections.
///
/// Most options have the names of R's `DRDID::drdid`, and the words that follow as aliases.
#[derive(Args)]
pub(crate) struct DrdidArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    covariates: CovariateArgs,
    /// Treatment group of the row: 1 if treated (in both periods), else 0.
    #[arg(long, value_name = "COLUMN", visible_aliases = ["treatment", "dname"], help_heading = "Columns")]
    treatname: String,
    /// Estimator, by the name of R's function, or by its method alone, for a panel or for the rows of --repeated-cross-sections; by default
    /// `imp`, as in `drdid_imp_panel` and `drdid_imp_rc`.
    #[arg(
        long,
        visible_alias = "est-method",
        value_name = "NAME",
        value_parser = estimators(),
        help_heading = "Estimation"
    )]
    estimator: Option<Estimator>,
    /// Comparison units with a propensity score of at least this get weight 0.
    #[arg(
        long,
        value_name = "LEVEL",
        default_value_t = defaults::drdid().trim_level,
        value_parser = parse::fraction,
        help_heading = "Estimation"
    )]
    trim_level: f64,
    #[command(flatten)]
    inference: InferenceArgs,
    /// Repeat the estimation with random weights, or multiply influence values.
    #[arg(
        long,
        value_name = "HOW",
        requires = "boot",
        default_value_t = defaults::drdid().resampling,
        value_parser = OneOf::of([Resampling::Weighted, Resampling::Multiplier]),
        help_heading = "Inference"
    )]
    boot_type: Resampling,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    weights: WeightingArgs,
}

/// A two-period estimator, as R's function for it says.
#[derive(Clone, Copy)]
struct Estimator {
    method: DrdidMethod,
    locally_efficient: bool,
    /// Whether rows are units; not said by a method alone.
    repeated_cross_sections: Option<bool>,
}

/// Methods by the words of Python's `est_method`, of which R's `estMethod` has the first two. Not `ipw`, which is normalised for some
/// functions and not for others.
const METHODS: [(&str, DrdidMethod); 6] = [
    ("imp", DrdidMethod::DoublyRobustImproved),
    ("trad", DrdidMethod::DoublyRobust),
    ("reg", DrdidMethod::OutcomeRegression),
    ("std_ipw", DrdidMethod::Ipw),
    ("ipw_horvitz_thompson", DrdidMethod::IpwHorvitzThompson),
    ("twfe", DrdidMethod::Twfe),
];

/// R's functions: the method, whether it is locally efficient, and whether rows are units.
const ESTIMATORS: [(&str, DrdidMethod, bool, bool); 14] = [
    ("drdid_panel", DrdidMethod::DoublyRobust, true, false),
    ("drdid_imp_panel", DrdidMethod::DoublyRobustImproved, true, false),
    ("reg_did_panel", DrdidMethod::OutcomeRegression, true, false),
    ("ipw_did_panel", DrdidMethod::IpwHorvitzThompson, true, false),
    ("std_ipw_did_panel", DrdidMethod::Ipw, true, false),
    ("twfe_did_panel", DrdidMethod::Twfe, true, false),
    ("drdid_rc", DrdidMethod::DoublyRobust, true, true),
    ("drdid_rc1", DrdidMethod::DoublyRobust, false, true),
    ("drdid_imp_rc", DrdidMethod::DoublyRobustImproved, true, true),
    ("drdid_imp_rc1", DrdidMethod::DoublyRobustImproved, false, true),
    ("reg_did_rc", DrdidMethod::OutcomeRegression, true, true),
    ("ipw_did_rc", DrdidMethod::IpwHorvitzThompson, true, true),
    ("std_ipw_did_rc", DrdidMethod::Ipw, true, true),
    ("twfe_did_rc", DrdidMethod::Twfe, true, true),
];

/// Parser of methods and of the names of R's functions.
fn estimators() -> impl TypedValueParser<Value = Estimator> {
    let methods = METHODS.into_iter().map(|(name, _)| name);
    let names: Vec<&str> = methods.chain(ESTIMATORS.iter().map(|(name, ..)| *name)).collect();
    PossibleValuesParser::new(names).try_map(|asked| {
        let method = METHODS.iter().find(|(name, _)| *name == asked);
        let function = ESTIMATORS.iter().find(|(name, ..)| *name == asked);
        let estimator = match (method, function) {
            (Some(&(_, method)), _) => {
                Estimator { method, locally_efficient: true, repeated_cross_sections: None }
            }
            (None, Some(&(_, method, locally_efficient, rows))) => {
                Estimator { method, locally_efficient, repeated_cross_sections: Some(rows) }
            }
            (None, None) => return Err("unknown estimator"),
        };
        Ok(estimator)
    })
}

/// Runs the command.
pub(crate) fn run(args: &DrdidArgs) -> Result<()> {
    let rows = args.covariates.repeated_cross_sections;
    if rows && args.estimator.is_some_and(|e| e.repeated_cross_sections == Some(false)) {
        return Err(CliError::usage(
            "--estimator names a panel estimator, and --repeated-cross-sections is given",
            "leave out one of them, or choose an estimator whose name has `rc`",
        ));
    }
    args.output.check_beside(&args.columns.source.data, args.weights.save_scores.as_ref())?;
    let fit = backend::fit_anywhere(args, &args.work, args.output.quiet)?;
    let emitted = args.output.emit(&fit);
    let scores = args.weights.write(fit.scores.as_ref(), args.output.quiet);
    output::all(std::iter::once(emitted).chain(scores))?;
    // The warnings say why there is none.
    fit.estimate.estimate.map_or(Err(CliError::Said), |_| Ok(()))
}

impl DrdidArgs {
    /// The estimator asked for, or the library's own choice.
    fn chosen(&self) -> Estimator {
        let Drdid { method, locally_efficient, .. } = defaults::drdid();
        let default = Estimator { method, locally_efficient, repeated_cross_sections: None };
        self.estimator.unwrap_or(default)
    }
}

impl Fit for DrdidArgs {
    type Result = DrdidResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<DrdidResult> {
        let chosen = self.chosen();
        let rows =
            chosen.repeated_cross_sections.unwrap_or(self.covariates.repeated_cross_sections);
        let cluster = self.columns.cluster(rows || chosen.method == DrdidMethod::Twfe)?;
        let estimator = with_shared!(Drdid<B>, self, on, cluster: cluster)
            .covariates(&*self.covariates.formula.xformla)
            .repeated_cross_sections(rows)
            .treatment(&*self.treatname)
            .method(chosen.method)
            .locally_efficient(chosen.locally_efficient)
            .trim_level(self.trim_level)
            .resampling(self.boot_type)
            .weighting(self.weights.weighting)
            .keep_scores(self.weights.save_scores.is_some())
            .build();
        fit_where_asked!(estimator, self, on)
    }
}
