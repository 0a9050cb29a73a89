//! The section of `RESULTS.md` on the cases.

use super::cases;
use super::common::case::Estimator;
use super::common::contestant::{Contestant, LIMIT, MEMORY};
use super::common::results::{digits, mebibytes, table};
use super::common::summary::Summary;
use super::common::tables;

/// What the section says.
pub fn section(summaries: &[Summary]) -> String {
    format!(
        "{}\n{}\n\
         Every fit is in a fresh process, which loads the parquet file into the contestant's own kind of frame and makes a \
         small fit first; only the fit is timed. A process that takes more than {} minutes or {:.0} % of the memory is \
         stopped. Seconds are medians \
         over the runs, memory is the median of the largest resident memory during the fit, with the frame and the \
         interpreter in it, in MiB; `loaded` is what was resident before. Ratios are medians over neighbouring runs of the \
         contestant's value over this crate's: above 1, this crate is faster or leaner. `floor` is the share of the seconds \
         in which the cores read the columns of the case once{}. All estimates are doubly robust with a varying base period; \
         draws are of Mammen's law and come with uniform bands, which diff-diff has for event studies only.\n\n\
         In the cases `d` two groups are compared in two periods (`Drdid`), with a calibrated propensity score (`imp`) or that \
         of maximum likelihood (`trad`); weighted draws estimate everything anew. The cases `t` are triple differences \
         (`Ddd`). The cases `e` are effects by event time from regressions, with standard errors clustered by unit; of a \
         million units, peers run once.\n\n{}\n{}\
         Contestants whose estimates or standard errors are not this crate's get no ratio. Distances are the largest over \
         the cells: of effects relative to the larger of effect and standard error, of standard errors relatively (with \
         draws, both sides have simulation error).\n\n{}\n\
         Contestants:\n\n{}",
        tables::places(summaries),
        not_installed(),
        LIMIT.as_secs() / 60,
        100.0 * MEMORY,
        bandwidth(summaries),
        tables::speeds(summaries),
        joint(summaries),
        tables::agreements(summaries),
        tables::contestants(summaries),
    )
}

/// A line on the packages of R that were not there.
fn not_installed() -> String {
    let packages = cases::OF_R.iter();
    let missing = packages.filter(|(name, script)| Contestant::r(name, script).is_none());
    let missing: Vec<String> = missing.map(|(name, _)| format!("`{name}`")).collect();
    match missing.is_empty() {
        true => String::new(),
        false => format!("Not installed of R in the last runs: {}.\n", missing.join(", ")),
    }
}

/// The bandwidths that floors are of.
fn bandwidth(summaries: &[Summary]) -> String {
    let measured = summaries.iter().filter_map(|summary| summary.measured.bandwidth);
    let range = |of: fn(&super::common::bandwidth::Bandwidth) -> f64| {
        let gigabytes = measured.clone().map(|bandwidth| of(&bandwidth) / 1e9);
        let least = gigabytes.clone().fold(f64::INFINITY, f64::min);
        let most = gigabytes.fold(f64::NEG_INFINITY, f64::max);
        format!("{} to {}", digits(least), digits(most))
    };
    match measured.clone().next() {
        None => String::new(),
        Some(_) => format!(
            ", at the bandwidth of a loop of the bench before each case ({} GB/s read; {} GB/s read and written by copies)",
            range(|bandwidth| bandwidth.read),
            range(|bandwidth| bandwidth.copied),
        ),
    }
}

/// Joint studies beside the slowest of the estimators alone on the same data.
fn joint(summaries: &[Summary]) -> String {
    let row = |study: &Summary| {
        let alone = summaries.iter().filter(|other| {
            other.case.estimator.of_event_times().is_some()
                && other.case.estimator != Estimator::JointStudy
                && other.case.units == study.case.units
        });
        let seconds = |summary: &&Summary| Some(summary.measured.first()?.seconds?[1]);
        let peak = |summary: &Summary| Some(mebibytes(summary.measured.first()?.memory?[1]));
        let found = alone.filter_map(|other| Some((other, seconds(&other)?)));
        let (slowest, longest) = found.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let own = seconds(&study)?;
        Some(vec![
            study.case.name.clone(),
            digits(own),
            peak(study)?,
            slowest.case.name.clone(),
            digits(longest),
            peak(slowest)?,
            digits(own / longest),
        ])
    };
    let studies = summaries.iter().filter(|s| s.case.estimator == Estimator::JointStudy);
    let rows: Vec<Vec<String>> = studies.filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["study", "seconds", "peak", "slowest alone", "its seconds", "its peak", "ratio"];
    format!(
        "Joint studies of eight estimators with the covariance between all their effects, beside the slowest of the cases `e` on \
         the same data (studies estimate pre-trends by imputation, too, and reweighted local projections):\n\n{}\n",
        table(&head, &rows)
    )
}
