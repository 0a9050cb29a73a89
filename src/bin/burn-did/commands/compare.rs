//! `burn-did compare`

use std::path::{Path, PathBuf};

use burn_did::group_time::AggregationKind;
use burn_did::report::{Comparable, Comparison, Stars};
use burn_did::{DidError, SavedResult};
use clap::Args;

use super::saved::{event_study, result_or_study};
use crate::args::{AGGREGATE, Format, PictureArgs, TableArgs};
use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;
use crate::output;
use crate::parse;

/// Saved results side by side, of any kind: one column a result, one row an event time, a group, a period or a coefficient, with standard
/// errors in parentheses under the estimates.
///
/// Results of different kinds share the rows that have one name, and must have such a row: event studies of any estimator, and the
/// effect that `honest` analysed, have "Event time 0" and so on, in units of the time column; event times that count periods are
/// converted. Overall effects, and that of `drdid`, have "Overall ATT".
///
/// `burn-did etable` is this command. It has stars where --stars asks for them; `etable` in Python has them by default.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// Results saved with --save, or event studies in the words of R `HonestDiD`.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    /// Names of the columns, in the order of the files; by default the files' names without extension.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    names: Vec<String>,
    /// Compare an average where a result has group-time effects: simple, dynamic, group or calendar, with options as in
    /// `dynamic:balance_e=1`. With dynamic, a regression stands with the event study of its first `i()`, too, and a continuous treatment
    /// with its own.
    #[arg(long, value_name = AGGREGATE)]
    aggregate: Option<AggregateSpec>,
    #[command(flatten)]
    comparison: TableArgs,
    /// Format of the table.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    /// Draw effects by event time, group or period side by side to this .png, .svg or .pdf file: each result with a colour and a mark, and of
    /// one result with group-time effects each group.
    #[arg(long, value_name = "FILE", value_parser = parse::picture(), help_heading = "Picture")]
    plot: Option<PathBuf>,
    /// Draw each result in a panel of its own.
    #[arg(long, requires = "plot", help_heading = "Picture")]
    facets: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Runs the command.
pub(crate) fn run(args: &CompareArgs) -> Result<()> {
    let names = args.names()?;
    args.picture.options()?;
    for file in &args.results {
        output::keep_apart(file, &[args.plot.as_ref()])?;
    }
    let results: Vec<SavedResult> =
        args.results.iter().map(|file| loaded(file)).collect::<Result<_>>()?;
    let has_cells = results.iter().any(|result| matches!(result, SavedResult::GroupTime(_)));
    let results = args.averaged(results)?;
    let models: Vec<(&str, &dyn Comparable)> = names
        .iter()
        .zip(&results)
        .map(|(name, result)| (name.as_str(), result.report() as &dyn Comparable))
        .collect();
    let comparison = args.comparison.applied(Comparison::new(&models)?);
    let text = text(&comparison, args.format).map_err(|error| match error {
        CliError::Did(error @ DidError::Config { option: "models", .. })
            if args.aggregate.is_some() || !has_cells =>
        {
            let hint = "`burn-did compare` of one file shows the rows that the result has";
            CliError::usage(CliError::Did(error).to_string(), hint)
        }
        error => error,
    });
    let table = text.and_then(|text| output::results(&text));
    let comparison = comparison.facets(args.facets);
    let draw = |file: &PathBuf| args.picture.draw_comparison(&comparison, file, false);
    let drawn = args.plot.as_ref().map(draw);
    output::all([table].into_iter().chain(drawn))
}

/// The comparison in a format.
pub(super) fn text(comparison: &Comparison<'_>, format: Format) -> Result<String> {
    Ok(match format {
        Format::Json => comparison.to_json()?,
        Format::Csv => comparison.to_csv()?,
        Format::Table => comparison.table()?.to_string(),
        Format::Markdown => comparison.table()?.to_markdown(),
        Format::Latex => comparison.table()?.to_latex(),
    })
}

/// Reads a result; an error says what a file must be.
fn loaded(file: &Path) -> Result<SavedResult> {
    result_or_study(file).map_err(|error| match error {
        CliError::Did(DidError::Json(error)) => CliError::File {
            problem: error.to_string(),
            hint: "each file must be one that `--save FILE` of an estimating command wrote",
        },
        CliError::Did(error @ DidError::Io { .. }) if is_word_of_stars(file) => CliError::usage(
            error.to_string(),
            "what stars say follows an equals sign, as in --stars=interval",
        ),
        error => error,
    })
}

/// Whether what is taken for a file is a word of `--stars`, which takes none without an equals sign.
fn is_word_of_stars(file: &Path) -> bool {
    file.to_str().is_some_and(|word| word.parse::<Stars>().is_ok())
}

impl CompareArgs {
    /// A name for each result.
    fn names(&self) -> Result<Vec<String>> {
        if !self.names.is_empty() && self.names.len() != self.results.len() {
            let (names, results) = (self.names.len(), self.results.len());
            let problem =
                format!("the number of names (--names) is {names}, and that of results {results}");
            return Err(CliError::usage(problem, "give one for each, as in --names \"(1),(2)\""));
        }
        let stem = |file: &PathBuf| {
            file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
        };
        let names = match self.names.is_empty() {
            true => self.results.iter().map(stem).collect(),
            false => self.names.clone(),
        };
        let twice = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
        match twice {
            Some((_, name)) => Err(CliError::usage(
                format!("two columns would be called {name}"),
                "name each by --names, as in --names \"(1),(2)\"",
            )),
            None => Ok(names),
        }
    }

    /// The results, or what `--aggregate` makes of them.
    fn averaged(&self, results: Vec<SavedResult>) -> Result<Vec<SavedResult>> {
        let Some(spec) = &self.aggregate else { return Ok(results) };
        if !results.iter().any(|result| matches!(result, SavedResult::GroupTime(_))) {
            return Err(CliError::usage(
                "--aggregate averages group-time effects, and no file has any",
                "leave it out",
            ));
        }
        let dynamic = spec.aggregation.kind == AggregationKind::Dynamic;
        let average = |result| {
            Ok(match result {
                SavedResult::GroupTime(fit) => {
                    SavedResult::Aggregated(Box::new(fit.aggregate(spec.aggregation)?))
                }
                SavedResult::Regression(fit) if dynamic => {
                    let needs = "a regression has no i(), whose coefficients would be compared";
                    SavedResult::EventStudy(Box::new(event_study(&fit, needs)?))
                }
                SavedResult::ContDid(fit) if dynamic => {
                    SavedResult::EventStudy(Box::new(fit.event_study(fit.target)?))
                }
                other => other,
            })
        };
        results.into_iter().map(average).collect()
    }
}
