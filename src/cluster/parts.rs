//! Files in parts, and what workers make of them: shards of whole units.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::{Path, PathBuf};

use super::session::{Failure, Session, foreign};
use super::task::{Reply, Task};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::read::panel::apart::{Ends, RowRange, RowReading, bucket_shards, cuts, ordered_shards};

/// How a sample is prepared.
#[derive(Clone, Debug)]
pub(crate) struct PrepareOptions {
    /// A directory that the driver and all workers see under this name; what is put there goes with the sample.
    pub directory: PathBuf,
    /// Where influence values go that are kept by unit.
    pub influence: Option<PathBuf>,
    pub precision: Precision,
    /// Rows of a part of the files and of a bucket; the usual number if `None`.
    pub part_rows: Option<usize>,
    /// Rows of a segment, a number of tiles; the usual number if `None`.
    pub segment_rows: Option<usize>,
}

/// The task to look for the row of a part that is at fault, whose first has a number among all.
pub(super) type Check<'a> = dyn Fn(&'a RowRange, usize) -> Task<'a> + 'a;

/// The files in parts.
pub(super) struct PartedFiles<'a> {
    pub session: &'a Session,
    pub rows: &'a RowReading,
    pub parts: &'a [RowRange],
    /// Of the arithmetic that devices must do, if they do any.
    pub precision: Option<Precision>,
    pub check: &'a Check<'a>,
}

impl<'a> PartedFiles<'a> {
    /// The rows in shards of whole units, which are written once more if they are in no order.
    pub fn shards(&self, options: &PrepareOptions, directory: &Path) -> Result<Vec<Vec<RowRange>>> {
        let ends = self.ends(options, directory)?;
        if let Some(shards) = ordered_shards(self.parts, &ends) {
            return Ok(shards);
        }
        let cuts = cuts(self.parts, ends, options.part_rows);
        let task = |part| Task::Split {
            rows: Cow::Borrowed(self.rows),
            part: Cow::Borrowed(part),
            cuts: Cow::Borrowed(&cuts),
            directory: Cow::Borrowed(directory),
        };
        let tasks: Vec<Task<'_>> = self.parts.iter().map(task).collect();
        let mut written = Replies::new(tasks.len());
        self.session.ask_all("grouping by unit", &tasks, &mut |task, reply| match reply {
            Reply::Split(path, rows) if rows.iter().sum::<usize>() == self.parts[task].rows => {
                written.put(task, (path, rows))
            }
            Reply::Split(..) => {
                let problem = format!("part {task} was written with other rows than it has");
                Err(DidError::Engine { problem })
            }
            other => Err(foreign(&other)),
        })?;
        Ok(bucket_shards(&written.all()?))
    }

    fn ends(&self, options: &PrepareOptions, directory: &Path) -> Result<Vec<Ends>> {
        let task = |part| Task::Ends {
            rows: Cow::Borrowed(self.rows),
            part: Cow::Borrowed(part),
            directory: Cow::Borrowed(directory),
            influence: options.influence.as_deref().map(Cow::Borrowed),
            precision: self.precision,
        };
        let tasks: Vec<Task<'_>> = self.parts.iter().map(task).collect();
        let mut ends = Replies::new(tasks.len());
        self.session.ask_all("reading units", &tasks, &mut |task, reply| match reply {
            Reply::Ends(found) => ends.put(task, found),
            other => Err(foreign(&other)),
        })?;
        ends.all()
    }

    /// What comes of a task for each shard, in their order.
    ///
    /// # Errors
    /// The problem of the first shard that has one: if it lies in a row, with the row's number in the files.
    pub fn ask<T>(
        &self,
        stage: &'static str,
        tasks: &[Task<'_>],
        of: &dyn Fn(usize, Reply) -> Result<T>,
        take: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let mut replies = Replies::new(tasks.len());
        let failures = self
            .session
            .ask(stage, tasks, &mut |task, reply| replies.put(task, of(task, reply)?))?;
        let first = failures.into_iter().next();
        let well = first.as_ref().map_or(tasks.len(), |failure| failure.task);
        replies.first(well)?.into_iter().try_for_each(take)?;
        match first {
            None => Ok(()),
            Some(Failure { of_a_row: true, error, .. }) => Err(self.located(error)),
            Some(failure) => Err(failure.error),
        }
    }

    /// An error about a row of a shard, with the row's number in the files.
    fn located(&self, error: DidError) -> DidError {
        let next = Cell::new(0);
        let task = |part: &'a RowRange| {
            let first_row = next.get();
            next.set(first_row + part.rows);
            (self.check)(part, first_row)
        };
        let tasks: Vec<Task<'_>> = self.parts.iter().map(task).collect();
        let checked = self.session.ask_all("looking", &tasks, &mut |_, _| Ok(()));
        checked.err().unwrap_or(error)
    }
}

/// What came back of tasks, by task.
pub(super) struct Replies<T>(Vec<Option<T>>);

impl<T> Replies<T> {
    pub fn new(tasks: usize) -> Self {
        Self((0..tasks).map(|_| None).collect())
    }

    pub fn put(&mut self, task: usize, reply: T) -> Result<()> {
        self.0[task] = Some(reply);
        Ok(())
    }

    pub fn all(self) -> Result<Vec<T>> {
        let tasks = self.0.len();
        self.first(tasks)
    }

    /// Those of the first tasks.
    fn first(self, tasks: usize) -> Result<Vec<T>> {
        let lost = || DidError::Engine { problem: "a task has no answer".into() };
        self.0.into_iter().take(tasks).collect::<Option<Vec<T>>>().ok_or_else(lost)
    }
}
