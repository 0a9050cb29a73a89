//! An arranged sample whose segments workers read and look at.

use std::borrow::Cow;
use std::path::PathBuf;

use super::parts::PrepareOptions;
use super::session::{Session, foreign};
use super::stored::Stored;
use super::task::{Reply, Task};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::condition::{Look, LookStat, Raw};
use crate::engine::pass::KeptRows;
use crate::engine::source::{LOCAL, Merge};
use crate::read::panel::apart::CovariateChoice;

/// Tasks that a worker gets of a pass: with more than one, a worker that is slow or dies leaves less to others.
const TASKS: usize = 2;

/// An arranged sample and the workers that read it.
pub(crate) struct Prepared {
    pub(super) session: Session,
    pub(super) stored: Stored,
    pub(super) precision: Precision,
    /// Where influence values go that are kept by unit.
    pub(super) influence: Option<PathBuf>,
    /// The covariates that are used, if not all.
    pub(super) choice: Option<CovariateChoice>,
    pub(super) workers: usize,
    /// Tasks of a look or a pass.
    tasks: usize,
}

impl Prepared {
    /// # Errors
    /// If the engine cannot be asked for its workers.
    pub fn new(session: Session, stored: Stored, options: &PrepareOptions) -> Result<Self> {
        let workers = session.workers()?;
        let tasks = (TASKS * workers).min(stored.ledger.entries().len()).max(1);
        let (precision, influence) = (options.precision, options.influence.clone());
        Ok(Self { session, stored, precision, influence, choice: None, workers, tasks })
    }

    /// With some of the covariates only.
    pub fn with(self, choice: Option<CovariateChoice>) -> Self {
        Self { choice, ..self }
    }

    /// The segments that are read, dealt out to tasks. The same segments are in the same task of every look and pass, so that an
    /// engine can give them to who has read them; a task may have none.
    pub(super) fn deal(&self, reads: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
        let mut dealt = vec![Vec::new(); self.tasks];
        for (number, (segment, _)) in (0u32..).zip(self.stored.ledger.entries()) {
            if reads(segment.stratum) {
                dealt[number as usize % self.tasks].push(number);
            }
        }
        dealt
    }
}

impl Raw for Prepared {
    fn rows(&self) -> Vec<usize> {
        self.stored.ledger.rows()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        let dealt = self.deal(|stratum| look.reads(stratum));
        let task = |segments: &Vec<u32>| Task::Look {
            sample: Cow::Borrowed(&self.stored.sample),
            segments: segments.clone(),
            choice: self.choice.clone(),
            look: Cow::Borrowed(look),
        };
        let tasks: Vec<Task<'_>> = dealt.iter().map(task).collect();
        let mut merge = Merge::new(&self.stored.ledger, look, LOCAL);
        self.session.ask_all("conditioning", &tasks, &mut |_, reply| match reply {
            Reply::Looked(answers) => merge.add_all(answers, &mut none_are_kept),
            other => Err(foreign(&other)),
        })?;
        merge.finish()
    }
}

/// Refuses rows where none are to be kept.
pub(super) fn none_are_kept(_: KeptRows) -> Result<()> {
    Err(DidError::Engine { problem: "nobody takes rows here".into() })
}
