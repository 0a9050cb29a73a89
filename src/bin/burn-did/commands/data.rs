//! `burn-did data`

use std::path::PathBuf;

use burn_did::command_line::path;
use burn_did::data::Teaching;
use burn_did::options::Words;
use clap::Args;

use crate::error::Result;
use crate::output;
use crate::words::OneOf;

/// The field's teaching data: what there is, what the columns are and where they are from, and the data as a file.
#[derive(Args)]
pub(crate) struct DataOutArgs {
    /// The data; without it, all are listed.
    #[arg(value_name = "NAME", value_parser = OneOf::<Teaching>::all())]
    name: Option<Teaching>,
    /// Write the data to this .parquet or .csv file.
    #[arg(long, value_name = "FILE", requires = "name", help_heading = "Output")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &DataOutArgs) -> Result<()> {
    let Some(data) = args.name else {
        let width = Teaching::WORDS.iter().map(|entry| entry.word.len()).max().unwrap_or(0);
        let lines: String = Teaching::WORDS
            .iter()
            .map(|entry| format!("{:width$}  {}\n", entry.word, entry.help))
            .collect();
        return output::results(&lines);
    };
    if let Some(out) = &args.out {
        data.write(out)?;
    }
    let text = data.description();
    output::results(&match &args.out {
        Some(out) => text.replace("DATA", &path(&out.display().to_string())),
        None => text,
    })
}
