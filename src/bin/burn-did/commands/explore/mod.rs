//! A first look at data: `burn-did describe`, `burn-did panelview`, `burn-did means` and `burn-did balance`.

pub(crate) mod balance;
pub(crate) mod describe;
pub(crate) mod means;
pub(crate) mod panelview;

use burn_did::explore::Explore;
use burn_did::options::Frequency;
use clap::Args;

use crate::args::{DataArgs, LONG_FORM, OutputArgs};
use crate::parse::{self, Summands};
use crate::progress::Bar;
use crate::words::OneOf;

/// The data, and which column is what.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
pub(crate) struct ExploreArgs {
    #[command(flatten)]
    pub source: DataArgs,
    /// Period: a number, or a date with --frequency.
    #[arg(long, value_name = "COLUMN", visible_alias = "time")]
    tname: String,
    /// First treated period; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "group", required = true)]
    gname: Option<String>,
    /// Unit; without it, every row is a unit of its own.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit")]
    idname: Option<String>,
    /// Length of a period, if the columns of periods and groups have dates.
    #[arg(long, value_name = "PERIOD", value_parser = OneOf::<Frequency>::all())]
    frequency: Option<Frequency>,
    /// Sampling weights.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights")]
    weightsname: Option<String>,
    /// Limit on the rows held at once in memory (from parquet and CSV files), as in 2GiB; the rest is streamed.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes, help_heading = "Device")]
    memory_budget: Option<u64>,
}

/// Columns that are looked at.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
struct LookedAtArgs {
    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome")]
    yname: Option<String>,
    /// Covariates, as in x1,x2.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_aliases = ["covariates", "xformla"],
        value_parser = Summands::read,
        value_delimiter = ','
    )]
    xname: Vec<Summands>,
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
            .time(&*self.tname)
            .maybe_group(self.gname.clone())
            .maybe_unit(self.idname.clone())
            .maybe_outcome(more.outcome.cloned())
            .covariates(Summands::all(more.covariates))
            .maybe_weights(self.weightsname.clone())
            .maybe_cluster(more.cluster.cloned())
            .maybe_frequency(self.frequency)
            .anticipation(more.anticipation)
            .maybe_memory_budget(self.memory_budget)
            .maybe_missing_values(self.source.na.clone())
            .maybe_alpha(more.alpha)
            .maybe_progress(bar.callback())
            .build();
        Ok(ask(explore)?)
    }
}
