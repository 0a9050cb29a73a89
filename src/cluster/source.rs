//! A prepared sample as a source: its segments are read, changed and summed by workers.

use std::borrow::Cow;

use super::session::{Session, foreign};
use super::stored::Stored;
use super::task::{Reply, Task};
use crate::condition::{Change, Look, LookStat, Raw};
use crate::error::{DidError, Result};
use crate::options::Precision;
use crate::panel::Sample;
use crate::pass::KeptRows;
use crate::source::{AnyPass, AnyStat, ClusterWork, HERE, Keep, Merge, Source, Work};

/// Tasks that a worker gets of a pass: with more than one, a worker that is slow or dies leaves less to others.
const TASKS: usize = 2;

/// The conditioned sample.
pub(crate) struct Remote {
    prepared: Prepared,
    sample: Sample,
    change: Change,
    backend: String,
}

/// An arranged sample and the workers that read it.
pub(crate) struct Prepared {
    session: Session,
    stored: Stored,
    precision: Precision,
    workers: usize,
    /// Tasks of a look or a pass.
    tasks: usize,
}

impl Prepared {
    /// # Errors
    /// If the engine cannot be asked for its workers.
    pub fn new(session: Session, stored: Stored, precision: Precision) -> Result<Self> {
        let workers = session.workers()?;
        let tasks = (TASKS * workers).min(stored.ledger.entries().len()).max(1);
        Ok(Self { session, stored, precision, workers, tasks })
    }

    /// The segments that are read, dealt out to tasks. The same segments are in the same task of every look and pass, so that an
    /// engine can give them to who has read them; a task may have none.
    fn deal(&self, reads: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
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
    type Conditioned = Remote;

    fn rows(&self) -> Vec<usize> {
        self.stored.ledger.rows()
    }

    fn answer(&self, look: &Look) -> Result<Vec<LookStat>> {
        let dealt = self.deal(|stratum| look.reads(stratum));
        let task = |segments: &Vec<u32>| Task::Look {
            sample: Cow::Borrowed(&self.stored.sample),
            segments: segments.clone(),
            look: Cow::Borrowed(look),
        };
        let tasks: Vec<Task<'_>> = dealt.iter().map(task).collect();
        let mut merge = Merge::new(&self.stored.ledger, look, HERE);
        self.session.ask_all("conditioning", &tasks, &mut |_, reply| match reply {
            Reply::Looked(answers) => merge.add_all(answers, &mut none_are_kept),
            other => Err(foreign(&other)),
        })?;
        merge.finish()
    }

    fn condition(self, sample: Sample, change: Change) -> Result<Remote> {
        let backend = self.session.arithmetic();
        Ok(Remote { prepared: self, sample, change, backend })
    }
}

fn none_are_kept(_: KeptRows) -> Result<()> {
    Err(DidError::Engine { problem: "a look keeps no rows".into() })
}

impl Source for Remote {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn backend(&self) -> &str {
        &self.backend
    }

    fn precision(&self) -> Precision {
        self.prepared.precision
    }

    fn cluster_work(&self) -> Option<ClusterWork> {
        let Prepared { session, stored, workers, .. } = &self.prepared;
        let (workers, bytes_arranged) = (*workers as u64, stored.bytes);
        Some(ClusterWork { workers, bytes_arranged, ..session.work() })
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        work.check_memory(&self.sample, self.prepared.workers)
    }

    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        let Prepared { session, stored, precision, .. } = &self.prepared;
        let dealt = self.prepared.deal(|stratum| pass.reads(stratum));
        let task = |segments: &Vec<u32>| Task::Pass {
            sample: Cow::Borrowed(&stored.sample),
            segments: segments.clone(),
            change: Cow::Borrowed(&self.change),
            k: self.sample.design.k(),
            precision: *precision,
            pass: Cow::Borrowed(pass),
        };
        let tasks: Vec<Task<'_>> = dealt.iter().map(task).collect();
        let mut merge = Merge::new(&stored.ledger, pass, HERE);
        session.ask_all(pass.name(), &tasks, &mut |_, reply| match reply {
            Reply::Passed(answers) => merge.add_all(answers, keep),
            other => Err(foreign(&other)),
        })?;
        merge.finish()
    }
}
