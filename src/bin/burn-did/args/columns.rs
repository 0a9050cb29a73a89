//! The data, and the columns that estimators have in common.

use std::path::PathBuf;

use burn_did::DataFiles;
use burn_did::options::{DecimalMark, Frequency, RowCondition};
use clap::Args;

use crate::defaults;
use crate::error::{CliError, Result};
use crate::parse::Summands;
use crate::words::OneOf;

/// Where the data are, and what in them stands for a missing value.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct DataArgs {
    /// CSV, parquet or Stata (.dta) file. Also a directory of such files or, if nothing has that name, a pattern as in "data/*.parquet".
    #[arg(value_name = "DATA", help_heading = None)]
    pub data: PathBuf,
    /// Words and numbers that stand for a missing value in every column, as in NA,-99, besides the empty field; without this,
    /// NA in text, and among numbers also N/A, NaN, null, None, ., #N/A and .a to .z. COLUMN=WORD, as in start=0,start=-1, is a word of one
    /// column that is read, beside those of all.
    #[arg(
        long,
        value_name = "WORDS",
        visible_alias = "missing-values",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub na: Option<Vec<String>>,
    /// What separates decimals in CSV files, where the numbers do not show it.
    #[arg(long, value_name = "MARK", value_parser = OneOf::<DecimalMark>::all())]
    pub decimal: Option<DecimalMark>,
    /// Rows to use: those for which the condition holds, as in "year <= 2014", "state != CA,NY", "date < 2014-03" or "wage is missing". Several
    /// conditions, each with the option, must all hold. A row in which the column is missing meets none but "is missing".
    #[arg(long, value_name = "CONDITION", visible_alias = "subset")]
    pub rows: Vec<RowCondition>,
}

impl DataArgs {
    /// The data, and how they are read.
    pub(crate) fn files(&self) -> DataFiles {
        DataFiles::new(&self.data).decimal(self.decimal).rows(self.rows.iter().cloned())
    }

    /// The data for the workers of a cluster, who take all rows.
    #[cfg(feature = "ballista")]
    pub(crate) fn for_cluster(&self) -> Result<&std::path::Path> {
        match self.rows.is_empty() {
            true => Ok(&self.data),
            false => Err(CliError::usage(
                "--rows is for one machine; the workers of a cluster take all rows",
                "write files that have only these rows, and fit them without --rows",
            )),
        }
    }
}

/// A list of columns.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ColumnListArgs {
    /// Columns of numbers, as in y,x.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    pub columns: Vec<String>,
}

/// What the data of units over periods are.
pub(crate) const LONG_FORM: &str = "CSV, parquet or Stata (.dta) file in long form: one row per unit and period. Also a directory of such files or, if nothing has \
    that name, a pattern as in \"data/*.parquet\"";

/// Outcome.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct OutcomeColumnArgs {
    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome")]
    pub yname: String,
}

/// Unit.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct UnitArgs {
    /// Unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit")]
    pub idname: String,
}

/// Period.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct PeriodArgs {
    /// Period: a number, or a date with --frequency.
    #[arg(long, value_name = "COLUMN", visible_alias = "time")]
    pub tname: String,
}

/// What dates of periods and groups are.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct DateArgs {
    /// Length of a period, if the columns of periods and groups have dates.
    #[arg(long, value_name = "PERIOD", value_parser = OneOf::<Frequency>::all())]
    pub frequency: Option<Frequency>,
}

/// Group, of estimators that compare groups.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct GroupArgs {
    /// Period of first treatment; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "group")]
    pub gname: String,
}

/// Group, of regressions by cohort.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct CohortArgs {
    /// First treated period; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "group")]
    pub gname: String,
}

/// Sampling weights.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct WeightArgs {
    /// Sampling weights.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights")]
    pub weightsname: Option<String>,
}

/// Outcome and period.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct OutcomeArgs {
    #[command(flatten)]
    pub column: OutcomeColumnArgs,
    #[command(flatten)]
    pub period: PeriodArgs,
    #[command(flatten)]
    pub dates: DateArgs,
}

/// Data and columns of the estimators that compare groups.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
pub(crate) struct ColumnArgs {
    #[command(flatten)]
    pub source: DataArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    /// Unit; needed for panels.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit")]
    pub idname: Option<String>,
    #[command(flatten)]
    pub weights: WeightArgs,
    /// Cluster of the standard errors, beyond the unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters", value_delimiter = ',')]
    clustervars: Vec<String>,
}

/// Covariates as a formula.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct FormulaArgs {
    /// Covariates, as in "~ x1 + log(x2) + C(region)".
    #[arg(
        long,
        value_name = "FORMULA",
        visible_alias = "covariates",
        default_value_t = defaults::att_gt().covariates,
        allow_hyphen_values = true
    )]
    pub xformla: String,
}

/// Covariates as a list.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct SummandArgs {
    /// Covariates, as in x1,x2: columns of numbers.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_aliases = ["covariates", "xformla"],
        value_parser = Summands::read,
        value_delimiter = ','
    )]
    pub xname: Vec<Summands>,
}

impl SummandArgs {
    /// The columns.
    pub(crate) fn columns(&self) -> Vec<String> {
        Summands::all(&self.xname)
    }
}

/// Cluster of standard errors.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ClusterColumnArgs {
    /// Cluster, beyond the unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters")]
    pub clustervars: Option<String>,
}

/// Data and columns of panels with cohorts.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
pub(crate) struct CohortPanelArgs {
    #[command(flatten)]
    pub source: DataArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    #[command(flatten)]
    pub unit: UnitArgs,
    #[command(flatten)]
    pub group: GroupArgs,
    #[command(flatten)]
    pub covariates: FormulaArgs,
}

/// Covariates, and rows that are no panel.
#[derive(Args)]
pub(crate) struct CovariateArgs {
    #[command(flatten)]
    pub formula: FormulaArgs,
    /// Treat every row as a unit of its own.
    #[arg(long, help_heading = "Estimation")]
    pub repeated_cross_sections: bool,
}

impl ColumnArgs {
    /// The cluster beyond the unit. Only where every row is its own unit can it be the unit column.
    pub(crate) fn cluster(&self, rows_are_units: bool) -> Result<Option<String>> {
        let mut given: Vec<&String> = self.clustervars.iter().collect();
        given.dedup();
        if given.len() > 1 || !rows_are_units {
            given.retain(|c| Some(*c) != self.idname.as_ref());
        }
        match given[..] {
            [] => Ok(None),
            [cluster] => Ok(Some(cluster.clone())),
            _ => Err(CliError::usage(
                "at most one cluster variable beyond the unit",
                "each unit must stay in one cluster, so that one variable is enough",
            )),
        }
    }
}
