//! The section of `RESULTS.md` on the cases.

use super::common::contestant::Contestant;
use super::common::summary::Summary;
use super::common::{machine, tables};

/// What the section says.
pub fn section(summaries: &[Summary]) -> String {
    let did = if Contestant::did().is_some() { "" } else { "R `did` was not installed.\n" };
    format!(
        "Machine: {}. Measured: {}. Build: {}.\n{did}\n\
         Every fit is in a fresh process, which loads the parquet file into the contestant's own kind of frame and makes a \
         small fit first; only the fit is timed. Seconds are medians over the runs, memory is the median of the largest \
         resident memory during the fit, with the frame and the interpreter in it, in MiB; `loaded` is what was resident \
         before. Ratios are medians over neighbouring runs of the contestant's value over this crate's: above 1, this crate \
         is faster or leaner. All estimates are doubly robust with a varying base period; draws are of Mammen's law and \
         come with uniform bands, which diff-diff has for event studies only.\n\n\
         In the cases `d` two groups are compared in two periods (`Drdid`), with a calibrated propensity score (`imp`) or that \
         of maximum likelihood (`trad`); weighted draws estimate everything anew. The cases `t` are triple differences \
         (`Ddd`).\n\n{}\n\
         Contestants whose estimates or standard errors are not this crate's get no ratio. Distances are the largest over \
         the cells: of effects relative to the larger of effect and standard error, of standard errors relatively (with \
         draws, both sides have simulation error).\n\n{}\n\
         Contestants:\n\n{}",
        tables::distinct(summaries, |s| &s.machine),
        tables::distinct(summaries, |s| &s.date),
        machine::build(),
        tables::speeds(summaries),
        tables::agreements(summaries),
        tables::contestants(summaries),
    )
}
