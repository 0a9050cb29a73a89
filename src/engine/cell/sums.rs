//! Cross-products of the rows of cells, asked for first and summed together.

use std::collections::{BTreeMap, HashMap};

use super::answers::{self, incomplete};
use super::sides::StratumRows;
use crate::base::error::Result;
use crate::engine::pass::{Gram, GramJob, GramPass, Weight};
use crate::engine::source::Source;

/// What the rows of a sum are weighted by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Weighting<'a> {
    /// Their presence.
    Presence,
    /// Their sampling weights.
    Sampling,
    /// Sampling weights times the trimmed odds of a propensity score with these coefficients, `[k]`.
    Odds(&'a [f64]),
}

/// Cross-products by stratum, covariate version, weight and propensity score, run in batches. All requests for the same sums
/// belong to one batch.
pub(super) struct Sums {
    done: HashMap<GramKey, DoneGram>,
    /// In the order of strata.
    pending: BTreeMap<GramKey, GramJob>,
    k: usize,
    /// Outcome columns.
    columns: usize,
}

type GramKey = (usize, usize, Weight, Option<Vec<u64>>);

/// Sums, and the outcome columns that they were asked for with: the others may be zero.
struct DoneGram {
    gram: Gram,
    outcomes: Vec<usize>,
}

impl Weighting<'_> {
    /// The weight of rows, and the coefficients whose odds multiply it.
    fn of(&self, rows: &StratumRows) -> (Weight, Option<&[f64]>) {
        match self {
            Self::Presence => (rows.presence, None),
            Self::Sampling => (rows.w, None),
            Self::Odds(gamma) => (rows.w, Some(gamma)),
        }
    }

    fn key(&self, rows: &StratumRows) -> GramKey {
        let (w, gamma) = self.of(rows);
        (rows.stratum, rows.x, w, gamma.map(|g| g.iter().map(|g| g.to_bits()).collect()))
    }
}

impl Sums {
    /// No sums yet, of `k` design columns and so many outcome columns.
    pub fn new(k: usize, columns: usize) -> Self {
        Self { done: HashMap::new(), pending: BTreeMap::new(), k, columns }
    }

    /// Asks for sums with these outcome columns.
    pub fn request(&mut self, rows: &StratumRows, weighting: Weighting<'_>, outcomes: &[usize]) {
        let job = self.pending.entry(weighting.key(rows)).or_insert_with(|| {
            let (w, odds) = weighting.of(rows);
            let odds = odds.map(<[f64]>::to_vec);
            GramJob { stratum: rows.stratum, x: rows.x, w, odds, outcomes: Vec::new() }
        });
        for column in outcomes {
            if let Err(at) = job.outcomes.binary_search(column) {
                job.outcomes.insert(at, *column);
            }
        }
    }

    /// Sums what was asked for since the last run, in one pass.
    ///
    /// # Errors
    /// What the source reports, and [`DidError::Engine`](crate::DidError::Engine) if it does not answer every job.
    pub fn run(&mut self, source: &dyn Source, trim: f64) -> Result<()> {
        let (keys, jobs): (Vec<_>, Vec<_>) = std::mem::take(&mut self.pending).into_iter().unzip();
        if jobs.is_empty() {
            return Ok(());
        }
        let pass = GramPass { k: self.k, periods: self.columns, trim, jobs };
        let answers = answers::grams(keys, source.run(&pass)?, self.k, self.columns)?;
        let done = answers.into_iter().zip(pass.jobs);
        self.done.extend(
            done.map(|((key, gram), job)| (key, DoneGram { gram, outcomes: job.outcomes })),
        );
        Ok(())
    }

    /// The sums over some rows; only these outcome columns are read.
    ///
    /// # Errors
    /// [`DidError::Engine`](crate::DidError::Engine) for sums that were not asked for.
    pub fn get(
        &self,
        rows: &StratumRows,
        weighting: Weighting<'_>,
        outcomes: &[usize],
    ) -> Result<&Gram> {
        let asked = |done: &&DoneGram| outcomes.iter().all(|column| done.outcomes.contains(column));
        match self.done.get(&weighting.key(rows)).filter(asked) {
            Some(done) => Ok(&done.gram),
            None => Err(incomplete(format!(
                "nobody asked for stratum {} with {weighting:?} and outcomes {outcomes:?}",
                rows.stratum
            ))),
        }
    }

    /// `Σ w`.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn total(&self, rows: &StratumRows, weighting: Weighting<'_>) -> Result<f64> {
        Ok(self.get(rows, weighting, &[])?.zz[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::error::DidError;
    use crate::engine::cell::fixtures::rows;

    /// Sums of stratum 1 that were asked for with outcome column 2.
    fn sums() -> Sums {
        let mut sums = Sums::new(2, 3);
        let gram = Gram { zz: vec![4.0, 0.0, 0.0, 1.0], ..Gram::zero(2, 3) };
        let key = Weighting::Sampling.key(&rows(1));
        sums.done.insert(key, DoneGram { gram, outcomes: vec![2] });
        sums
    }

    #[test]
    fn requests_for_the_same_sums_are_one_job_with_all_outcomes() {
        let mut sums = Sums::new(2, 3);
        for columns in [[2, 0], [1, 0]] {
            sums.request(&rows(1), Weighting::Sampling, &columns);
        }
        sums.request(&rows(1), Weighting::Odds(&[0.5, 1.0]), &[1]);
        let jobs: Vec<_> = sums.pending.into_values().collect();
        assert_eq!(jobs.len(), 2);
        assert_eq!((jobs[0].odds.as_deref(), &jobs[0].outcomes), (None, &vec![0, 1, 2]));
        assert_eq!(jobs[1].odds.as_deref(), Some(&[0.5, 1.0][..]));
    }

    #[test]
    fn what_was_asked_for_is_found() {
        let sums = sums();
        assert_eq!(sums.get(&rows(1), Weighting::Sampling, &[2]).unwrap().zz[3], 1.0);
        assert_eq!(sums.total(&rows(1), Weighting::Sampling).unwrap(), 4.0);
    }

    #[test]
    fn what_nobody_asked_for_is_an_error_and_not_zero() {
        let sums = sums();
        let lost = [
            sums.get(&rows(0), Weighting::Sampling, &[]),
            sums.get(&rows(1), Weighting::Presence, &[]),
            sums.get(&rows(1), Weighting::Odds(&[0.0, 0.0]), &[]),
            sums.get(&rows(1), Weighting::Sampling, &[1]),
        ];
        assert!(lost.into_iter().all(|sum| matches!(sum, Err(DidError::Engine { .. }))));
    }
}
