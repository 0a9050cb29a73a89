//! Answers of segments, and how one is sure that every segment has answered once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Keep;
use crate::base::error::{DidError, Result};
use crate::engine::condition::{Look, LookStat};
use crate::engine::pass::{KeptRows, Seal, Segment};

/// What can be asked of every segment: a look or a pass.
pub(crate) trait Ask {
    /// Statistic of a segment.
    type Part;

    /// Statistic of all of them.
    type Total;

    /// The statistic of no rows of a sample with so many strata.
    fn none(&self, strata: usize) -> Self::Total;

    /// Whether anything of this stratum is read.
    fn reads(&self, stratum: usize) -> bool;

    /// Whether rows are kept beside the statistic.
    fn keeps(&self) -> bool;

    /// Adds the statistic of a stratum's next segment.
    ///
    /// # Errors
    /// [`DidError::Engine`] if it has another kind or size.
    fn merge(&self, total: &mut Self::Total, stratum: usize, part: &Self::Part) -> Result<()>;
}

impl Ask for Look {
    type Part = LookStat;
    type Total = Vec<LookStat>;

    fn none(&self, strata: usize) -> Vec<LookStat> {
        (0..strata).map(|stratum| self.none(stratum)).collect()
    }

    fn reads(&self, stratum: usize) -> bool {
        self.reads(stratum)
    }

    fn keeps(&self) -> bool {
        false
    }

    fn merge(&self, total: &mut Vec<LookStat>, stratum: usize, part: &LookStat) -> Result<()> {
        self.merge(&mut total[stratum], part)
    }
}

/// What a segment answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer<S> {
    /// Digest of what was asked, as it arrived; [`LOCAL`] where nothing travels.
    pub question: u64,
    /// Who answers.
    pub segment: Segment,
    /// The rows that the statistic sums over.
    pub seal: Seal,
    /// The statistic.
    pub stat: S,
    /// Rows that are kept.
    pub kept: Vec<KeptRows>,
}

/// In place of a question's digest where it is put within a process.
pub(crate) const LOCAL: u64 = 0;

/// All segments of a sample in order, and what the rows of each are known by.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    strata: usize,
    entries: Vec<(Segment, Seal)>,
}

impl Ledger {
    /// Of so many strata; `entries` are in the order of segments.
    pub fn new(strata: usize, entries: Vec<(Segment, Seal)>) -> Self {
        debug_assert!(entries.is_sorted_by_key(|(segment, _)| *segment), "segments out of order");
        Self { strata, entries }
    }

    /// The segments in order.
    pub fn entries(&self) -> &[(Segment, Seal)] {
        &self.entries
    }

    /// Rows of each stratum.
    pub fn rows(&self) -> Vec<usize> {
        let mut rows = vec![0; self.strata];
        for (segment, seal) in &self.entries {
            rows[segment.stratum] += seal.rows as usize;
        }
        rows
    }
}

/// Adds up the answers to one question, in the order of the segments whatever order they come in.
pub(crate) struct Merge<'a, Q: Ask> {
    question: &'a Q,
    digest: u64,
    /// Whether answers have the rows that are kept.
    keeps: bool,
    /// Segments that are to answer, in order.
    wanted: Vec<(Segment, Seal)>,
    /// How many of them have been added.
    added: usize,
    /// Rows of those, and of all.
    rows: (u64, u64),
    /// Answers that came before an earlier segment's.
    early: BTreeMap<Segment, Answer<Q::Part>>,
    total: Q::Total,
}

impl<'a, Q: Ask> Merge<'a, Q> {
    /// Nothing is answered yet; `digest` tells the question from others.
    pub fn new(ledger: &Ledger, question: &'a Q, digest: u64) -> Self {
        let reads = |entry: &&(Segment, Seal)| question.reads(entry.0.stratum);
        let wanted: Vec<_> = ledger.entries.iter().filter(reads).copied().collect();
        let rows = (0, wanted.iter().map(|(_, seal)| seal.rows).sum());
        let total = question.none(ledger.strata);
        let (keeps, early) = (question.keeps(), BTreeMap::new());
        Self { question, digest, keeps, wanted, added: 0, rows, early, total }
    }

    /// Rows that are kept stay where they are.
    #[cfg(feature = "cluster")]
    pub fn keeping_apart(self) -> Self {
        Self { keeps: false, ..self }
    }

    /// Rows of the segments that have been added, and of all that are to answer.
    pub fn rows(&self) -> (u64, u64) {
        self.rows
    }

    /// Adds an answer, and those that have waited for it. Rows that are kept go to `keep` in the order of the segments.
    ///
    /// # Errors
    /// [`DidError::Engine`] for an answer to something else, of other rows, or of a segment that has answered before or was
    /// not asked; and what `keep` returns.
    pub fn add(&mut self, answer: Answer<Q::Part>, keep: &mut Keep<'_>) -> Result<()> {
        self.check(&answer)?;
        self.early.insert(answer.segment, answer);
        while let Some((next, _)) = self.wanted.get(self.added) {
            let Some(answer) = self.early.remove(next) else { break };
            self.question.merge(&mut self.total, next.stratum, &answer.stat)?;
            self.added += 1;
            self.rows.0 += answer.seal.rows;
            answer.kept.into_iter().try_for_each(&mut *keep)?;
        }
        Ok(())
    }

    /// As [`add`](Self::add), of several: all of them, or none if one is refused.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    #[cfg(feature = "cluster")]
    pub fn add_all(&mut self, answers: Vec<Answer<Q::Part>>, keep: &mut Keep<'_>) -> Result<()> {
        let mut segments = std::collections::BTreeSet::new();
        for answer in &answers {
            self.check(answer)?;
            if !segments.insert(answer.segment) {
                let problem = format!("{:?} answered twice at once", answer.segment);
                return Err(DidError::Engine { problem });
            }
        }
        answers.into_iter().try_for_each(|answer| self.add(answer, keep))
    }

    fn check(&self, answer: &Answer<Q::Part>) -> Result<()> {
        let Answer { question, segment, seal, kept, .. } = answer;
        let Segment { stratum, part } = segment;
        let refused = |what: &str| -> Result<()> {
            let problem = format!("part {part} of stratum {stratum} {what}");
            Err(DidError::Engine { problem })
        };
        if *question != self.digest {
            return refused("answered another question");
        }
        let Ok(at) = self.wanted.binary_search_by_key(segment, |(segment, _)| *segment) else {
            return refused("was not asked");
        };
        if at < self.added || self.early.contains_key(segment) {
            return refused("answered twice");
        }
        if *seal != self.wanted[at].1 {
            return refused("answered for other rows than it has");
        }
        let mut sealed = Seal::default();
        for rows in kept {
            sealed += Seal::of(&rows.ranks);
        }
        let whole = |rows: &KeptRows| {
            let n = rows.ranks.len();
            rows.values.len() == rows.columns.len() * n && [0, n].contains(&rows.clusters.len())
        };
        let expected = if self.keeps { *seal } else { Seal::default() };
        if sealed != expected || !kept.iter().all(whole) {
            return refused("kept other rows than it has");
        }
        Ok(())
    }

    /// The statistic of all segments.
    ///
    /// # Errors
    /// [`DidError::Engine`] if one has not answered.
    pub fn finish(self) -> Result<Q::Total> {
        match self.wanted.get(self.added) {
            None => Ok(self.total),
            Some((Segment { stratum, part }, _)) => {
                let problem = format!("part {part} of stratum {stratum} did not answer");
                Err(DidError::Engine { problem })
            }
        }
    }
}
