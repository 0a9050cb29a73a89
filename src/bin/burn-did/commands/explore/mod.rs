//! A first look at data: `burn-did describe`, `burn-did panelview`, `burn-did means` and `burn-did balance`.

pub(crate) mod balance;
pub(crate) mod describe;
pub(crate) mod means;
pub(crate) mod panelview;

use burn_did::explore::Explore;
use clap::Args;

use crate::args::{
    DataArgs, DateArgs, LONG_FORM, OutputArgs, PeriodArgs, RowsInMemoryArgs, SummandArgs,
    WeightArgs,
};
use crate::parse::Summands;
use crate::progress::Bar;

/// The data, and which column is what.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub source: DataArgs,
    #[command(flatten)]
    period: PeriodArgs,
    /// First treated period; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "group", required = true)]
    gname: Option<String>,
    /// Unit; without it, every row is a unit of its own.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit")]
    idname: Option<String>,
    #[command(flatten)]
    dates: DateArgs,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    memory: RowsInMemoryArgs,
}

/// Columns that are looked at.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("xname", |arg| arg.help("Covariates, as in x1,x2")))]
struct LookedAtArgs {
    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome")]
    yname: Option<String>,
    #[command(flatten)]
    covariates: SummandArgs,
}

/// Columns besides those that every look at data needs.
#[derive(Default)]
struct More<'a> {
    outcome: Option<&'a String>,
    covariates: &'a [Summands],
    cluster: Option<&'a String>,
    anticipation: u32,
    alpha: Option<f64>,
}

impl ExploreArgs {
    /// Looks at the data, with a line of progress.
    fn look<T>(
        &self,
        more: &More<'_>,
        output: &OutputArgs,
        ask: impl FnOnce(Explore) -> burn_did::Result<T>,
    ) -> crate::error::Result<T> {
        output.check(&self.source.data)?;
        let bar = Bar::new(output.quiet);
        let explore = Explore::builder()
            .time(&*self.period.tname)
            .maybe_group(self.gname.clone())
            .maybe_unit(self.idname.clone())
            .maybe_outcome(more.outcome.cloned())
            .covariates(Summands::all(more.covariates))
            .maybe_weights(self.weights.weightsname.clone())
            .maybe_cluster(more.cluster.cloned())
            .maybe_frequency(self.dates.frequency)
            .anticipation(more.anticipation)
            .maybe_memory_budget(self.memory.memory_budget)
            .maybe_missing_values(self.source.na.clone())
            .maybe_alpha(more.alpha)
            .maybe_progress(bar.callback())
            .build();
        Ok(ask(explore)?)
    }
}
