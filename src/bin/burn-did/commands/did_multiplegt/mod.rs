//! `burn-did did-multiplegt`

use burn_did::{
    DidMultiplegt,
    switching::{EffectsEqual, PredictHeterogeneity, Switchers},
};
use clap::Args;

use crate::args::{
    BootstrapArgs, ClusterColumnArgs, DataArgs, FormulaArgs, LONG_FORM, LevelArgs, OutcomeArgs,
    OutputArgs,
};
use crate::defaults;
use crate::error::{CliError, Result};
use crate::words::OneOf;

/// Effects of a treatment that may switch on and off, have doses and change more than once, by the time since a group's first
/// change (de Chaisemartin and D'Haultfœuille 2024).
///
/// Most options have the names of R's `did_multiplegt_dyn`, and columns those of the other commands.
#[derive(Args)]
#[command(mut_arg("data", |arg| arg.help(format!(
    "{LONG_FORM}. Rows of one group and period are averaged with their weights"
))))]
#[command(mut_arg("xformla", |arg| {
    arg.help("Control variables, as in \"~ x1 + log(x2) + C(region)\"").visible_alias("controls")
}))]
#[command(mut_arg("clustervars", |arg| arg.help("Cluster of the standard errors, beyond the group")))]
#[command(mut_arg("plot", |arg| arg.help("Draw effects and placebos to this .png, .svg or .pdf file")))]
pub(crate) struct DidMultiplegtArgs {
    #[command(flatten)]
    source: DataArgs,
    #[command(flatten)]
    outcome: OutcomeArgs,

    /// Group whose treatment changes.
    #[arg(long, value_name = "COLUMN", visible_aliases = ["unit", "group"], help_heading = "Columns")]
    idname: String,
    /// Treatment in every period.
    #[arg(long, value_name = "COLUMN", visible_alias = "treatment", help_heading = "Columns")]
    dname: String,
    #[command(flatten)]
    covariates: FormulaArgs,
    /// Weights of rows.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights", help_heading = "Columns")]
    weightsname: Option<String>,
    #[command(flatten)]
    cluster: ClusterColumnArgs,

    #[command(flatten)]
    estimation: SwitchingArgs,

    /// Test that effects are equal; =2,4 tests those from the second to the fourth.
    #[arg(
        long,
        value_name = "FROM,TO",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "all",
        help_heading = "Inference"
    )]
    effects_equal: Option<EffectsEqual>,
    /// Regress the groups' effects on columns that do not change over time: "x,z:1,2" for effects 1 and 2, "x" or "x:-1" for all.
    #[arg(
        long,
        value_name = "COLUMNS[:EFFECTS]",
        allow_hyphen_values = true,
        help_heading = "Inference"
    )]
    predict_het: Option<PredictHeterogeneity>,
    /// Centre each switcher's change on the mean of the switchers with the same treatment path, where a path has at least two.
    #[arg(long, help_heading = "Inference")]
    less_conservative_se: bool,
    /// With --xformla and groups that start from several treatments, use the variance of R's `DIDmultiplegtDYN` from 2.3.0 on, not that
    /// of 2.2.0; without clusters it is Stata's, too.
    #[arg(long, help_heading = "Inference")]
    separate_control_variance: bool,
    #[command(flatten)]
    bootstrap: BootstrapArgs,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is estimated, and on which groups.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
struct SwitchingArgs {
    /// Effects to estimate.
    #[arg(long, value_name = "L", default_value_t = defaults::did_multiplegt().effects)]
    effects: usize,
    /// Placebos to estimate, at most as many as effects.
    #[arg(
        long,
        value_name = "K",
        visible_alias = "placebos",
        default_value_t = defaults::did_multiplegt().placebos
    )]
    placebo: usize,
    /// Divide each effect by the average cumulative change of its switchers' treatment.
    #[arg(long)]
    normalized: bool,
    /// Estimate effects of switchers in, or of switchers out, only.
    #[arg(long, value_name = "WHICH", value_parser = OneOf::<Switchers>::all())]
    switchers: Option<Switchers>,
    /// Compare with never-switching groups only.
    #[arg(long)]
    only_never_switchers: bool,
    /// Estimate all effects on the same switchers.
    #[arg(long)]
    same_switchers: bool,
    /// Estimate all placebos on the same switchers; requires --same-switchers.
    #[arg(long)]
    same_switchers_pl: bool,
    /// Compare only groups with equal values in these columns, as in region,sector.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    trends_nonparam: Vec<String>,
    /// Allow each group its own linear trend.
    #[arg(long)]
    trends_lin: bool,
    /// For treatments with many values: let trends differ by a polynomial of this degree in the treatment of the first period.
    #[arg(long, value_name = "N", default_value_t = defaults::did_multiplegt().continuous)]
    continuous: usize,
    /// Keep cells from the period on in which a group's treatment has been both above and below its first value.
    #[arg(long, visible_alias = "keep-bidirectional-switchers")]
    dont_drop_larger_lower: bool,
    /// If a group's treatment is missing before its first switch, drop its outcomes from then on.
    #[arg(long, visible_alias = "drop-missing-preswitch")]
    drop_if_d_miss_before_first_switch: bool,
}

/// Runs the command.
pub(crate) fn run(args: &DidMultiplegtArgs) -> Result<()> {
    if args.estimation.same_switchers_pl && !args.estimation.same_switchers {
        return Err(CliError::usage(
            "--same-switchers-pl needs --same-switchers",
            "add --same-switchers",
        ));
    }
    args.output.fitted(&args.source.data, |_| Ok(args.estimator().fit(args.source.files())?))
}

impl DidMultiplegtArgs {
    fn estimator(&self) -> DidMultiplegt {
        let estimation = &self.estimation;
        DidMultiplegt::builder()
            .outcome(&*self.outcome.column.yname)
            .unit(&*self.idname)
            .time(&*self.outcome.period.tname)
            .maybe_frequency(self.outcome.dates.frequency)
            .treatment(&*self.dname)
            .effects(estimation.effects)
            .placebos(estimation.placebo)
            .normalized(estimation.normalized)
            .maybe_effects_equal(self.effects_equal)
            .maybe_switchers(estimation.switchers)
            .only_never_switchers(estimation.only_never_switchers)
            .same_switchers(estimation.same_switchers)
            .same_switchers_placebos(estimation.same_switchers_pl)
            .covariates(&*self.covariates.xformla)
            .trends_nonparam(estimation.trends_nonparam.clone())
            .linear_trends(estimation.trends_lin)
            .continuous(estimation.continuous)
            .maybe_weights(self.weightsname.clone())
            .maybe_cluster(self.cluster.clustervars.clone())
            .less_conservative_se(self.less_conservative_se)
            .keep_bidirectional_switchers(estimation.dont_drop_larger_lower)
            .drop_if_treatment_missing(estimation.drop_if_d_miss_before_first_switch)
            .maybe_predict_heterogeneity(self.predict_het.clone())
            .separate_control_variance(self.separate_control_variance)
            .maybe_bootstrap(self.bootstrap.bootstrap())
            .maybe_missing_values(self.source.na.clone())
            .alpha(self.level.alp)
            .build()
    }
}
