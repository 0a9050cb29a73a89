//! From files to an arranged sample that workers can read.

use std::borrow::Cow;
use std::cell::Cell;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::session::{Failure, Session, foreign};
use super::stored::{Decided, Directory, Stored};
use super::task::{Reply, Task};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::pass::SEGMENT;
use crate::read::panel::apart::{
    Arrangement, Ends, FrameLook, Reading, RemoteFrames, RowRange, Take, arrange_apart,
    bucket_shards, cuts, ordered_shards,
};
use crate::read::panel::{Request, Sample, SampleAudit};

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

/// Prepares the sample of some parquet files; `audit` says where its rows come from.
///
/// # Errors
/// As for the same files on one machine, and [`DidError::Engine`] if workers do not answer.
pub(crate) fn prepare(
    session: &Session,
    paths: &[PathBuf],
    audit: SampleAudit,
    request: &Request<'_>,
    options: &PrepareOptions,
) -> Result<(Sample, Stored)> {
    let directory = Directory::new(&options.directory)?;
    let (reading, parts) = Reading::of(paths, request, options.part_rows)?;
    let files = PartedFiles { session, reading: &reading, parts: &parts };
    let shards = files.shards(options, &directory.path)?;
    let shown = Shards { files: &files, shards: &shards, directory: &directory.path };
    let Arrangement { sample, plan, rows, positions, looks } =
        arrange_apart(&shown, audit.clone(), request)?;
    let length = options.segment_rows.unwrap_or(SEGMENT);
    let task = |(shard, position)| Task::Arrange {
        reading: Cow::Borrowed(&reading),
        shard: Cow::<[RowRange]>::Borrowed(shard),
        plan: Cow::Borrowed(&plan),
        position: Cow::Borrowed(position),
        length,
        directory: Cow::Borrowed(&directory.path),
    };
    let tasks: Vec<Task<'_>> = shards.iter().map(Vec::as_slice).zip(&positions).map(task).collect();
    let mut written = Replies::new(tasks.len());
    session.ask_all("arranging", &tasks, &mut |task, reply| match reply {
        Reply::Arranged(file) => written.put(task, file),
        other => Err(foreign(&other)),
    })?;
    let manifest = Manifest::new(&plan, &rows, length, written.all()?)?;
    let decided = Decided { reading, looks, plan, audit };
    Ok((sample, Stored::publish(manifest, decided, directory)?))
}

/// The files in parts.
struct PartedFiles<'a> {
    session: &'a Session,
    reading: &'a Reading,
    parts: &'a [RowRange],
}

impl PartedFiles<'_> {
    /// The rows in shards of whole units, which are written once more if they are in no order.
    fn shards(&self, options: &PrepareOptions, directory: &Path) -> Result<Vec<Vec<RowRange>>> {
        let ends = self.ends(options, directory)?;
        if let Some(shards) = ordered_shards(self.parts, &ends) {
            return Ok(shards);
        }
        let cuts = cuts(self.parts, ends, options.part_rows);
        let tasks = self.of_parts(|part| Task::Split {
            reading: Cow::Borrowed(self.reading),
            part: Cow::Borrowed(part),
            cuts: Cow::Borrowed(&cuts),
            directory: Cow::Borrowed(directory),
        });
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
        let tasks = self.of_parts(|part| Task::Ends {
            reading: Cow::Borrowed(self.reading),
            part: Cow::Borrowed(part),
            directory: Cow::Borrowed(directory),
            influence: options.influence.as_deref().map(Cow::Borrowed),
            precision: options.precision,
        });
        let mut ends = Replies::new(tasks.len());
        self.session.ask_all("reading units", &tasks, &mut |task, reply| match reply {
            Reply::Ends(found) => ends.put(task, found),
            other => Err(foreign(&other)),
        })?;
        ends.all()
    }

    /// An error about a row of a shard, with the row's number in the files.
    fn located(&self, error: DidError) -> DidError {
        let next = Cell::new(0);
        let tasks = self.of_parts(|part| {
            let first_row = next.get();
            next.set(first_row + part.rows);
            let (reading, part) = (Cow::Borrowed(self.reading), Cow::Borrowed(part));
            Task::Check { reading, part, first_row }
        });
        let checked = self.session.ask_all("looking", &tasks, &mut |_, _| Ok(()));
        checked.err().unwrap_or(error)
    }

    fn of_parts<'t>(&'t self, task: impl Fn(&'t RowRange) -> Task<'t>) -> Vec<Task<'t>> {
        self.parts.iter().map(task).collect()
    }
}

/// The shards, which workers look at.
struct Shards<'a> {
    files: &'a PartedFiles<'a>,
    shards: &'a [Vec<RowRange>],
    /// Where they will be arranged.
    directory: &'a Path,
}

impl RemoteFrames for Shards<'_> {
    fn look(&self, look: &FrameLook, take: &mut Take<'_>) -> Result<()> {
        let task = |shard| Task::Show {
            reading: Cow::Borrowed(self.files.reading),
            shard: Cow::Borrowed(shard),
            directory: Cow::Borrowed(self.directory),
            look: Cow::Borrowed(look),
        };
        let tasks: Vec<Task<'_>> = self.shards.iter().map(|shard| task(shard.as_slice())).collect();
        let mut shown = Replies::new(tasks.len());
        let failures =
            self.files.session.ask("looking", &tasks, &mut |task, reply| match reply {
                Reply::Shown(stat) => shown.put(task, stat),
                other => Err(foreign(&other)),
            })?;
        let first = failures.into_iter().next();
        let well = first.as_ref().map_or(tasks.len(), |failure| failure.task);
        shown.first(well)?.into_iter().try_for_each(take)?;
        match first {
            None => Ok(()),
            Some(Failure { of_a_row: true, error, .. }) => Err(self.files.located(error)),
            Some(failure) => Err(failure.error),
        }
    }
}

/// What came back of tasks, by task.
struct Replies<T>(Vec<Option<T>>);

impl<T> Replies<T> {
    fn new(tasks: usize) -> Self {
        Self((0..tasks).map(|_| None).collect())
    }

    fn put(&mut self, task: usize, reply: T) -> Result<()> {
        self.0[task] = Some(reply);
        Ok(())
    }

    fn all(self) -> Result<Vec<T>> {
        let tasks = self.0.len();
        self.first(tasks)
    }

    /// Those of the first tasks.
    fn first(self, tasks: usize) -> Result<Vec<T>> {
        let lost = || DidError::Engine { problem: "a task has no answer".into() };
        self.0.into_iter().take(tasks).collect::<Option<Vec<T>>>().ok_or_else(lost)
    }
}
