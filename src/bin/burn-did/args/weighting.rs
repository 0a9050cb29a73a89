//! What the estimator's own weighting does to the comparison.

use std::path::PathBuf;

use burn_did::weighting::Scores;
use clap::Args;

use crate::error::Result;
use crate::messages;
use crate::parse;

/// What is wanted of the estimator's weights.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct WeightingArgs {
    /// Form the balance of the covariates before and after the estimator's weighting, and the distribution of scores, for `burn-did
    /// weighting` and `burn-did overlap` to read from the result that --save writes.
    #[arg(long, requires = "save")]
    pub weighting: bool,
    /// Write propensity scores and the estimator's weights to this .parquet or .csv file: a row for each unit in each cell.
    #[arg(long, value_name = "FILE", value_parser = parse::table_file())]
    pub save_scores: Option<PathBuf>,
}

impl WeightingArgs {
    /// Writes the scores, if they are asked for, and says what is to be known of them.
    pub(crate) fn write(&self, scores: Option<&Scores>, quiet: bool) -> Option<Result<()>> {
        let (file, scores) = self.save_scores.as_ref().zip(scores)?;
        if !quiet {
            scores.remarks().iter().for_each(messages::warning);
        }
        Some(scores.write(file).map_err(Into::into))
    }
}
