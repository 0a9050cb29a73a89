//! From files to an arranged sample that workers can read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::parts::{PartedFiles, PrepareOptions, Replies};
use super::session::{Session, foreign};
use super::stored::{Decided, Directory, Stored};
use super::task::{Reply, Task};
use crate::base::error::Result;
use crate::engine::pass::SEGMENT;
use crate::read::panel::apart::{
    Arrangement, FrameLook, Reading, RemoteFrames, RowRange, Take, arrange_apart,
};
use crate::read::panel::{Request, Sample, SampleAudit};

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
    let check = |part, first_row| Task::Check {
        reading: Cow::Borrowed(&reading),
        part: Cow::Borrowed(part),
        first_row,
    };
    let files = PartedFiles {
        session,
        rows: &reading.rows,
        parts: &parts,
        precision: Some(options.precision),
        check: &check,
    };
    let shards = files.shards(options, &directory.path)?;
    let shown =
        Shards { files: &files, reading: &reading, shards: &shards, directory: &directory.path };
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

/// The shards, which workers look at.
struct Shards<'a> {
    files: &'a PartedFiles<'a>,
    reading: &'a Reading,
    shards: &'a [Vec<RowRange>],
    /// Where they will be arranged.
    directory: &'a Path,
}

impl RemoteFrames for Shards<'_> {
    fn look(&self, look: &FrameLook, take: &mut Take<'_>) -> Result<()> {
        let task = |shard| Task::Show {
            reading: Cow::Borrowed(self.reading),
            shard: Cow::Borrowed(shard),
            directory: Cow::Borrowed(self.directory),
            look: Cow::Borrowed(look),
        };
        let tasks: Vec<Task<'_>> = self.shards.iter().map(|shard| task(shard.as_slice())).collect();
        let shown = |_: usize, reply: Reply| match reply {
            Reply::Shown(stat) => Ok(stat),
            other => Err(foreign(&other)),
        };
        self.files.ask("looking", &tasks, &shown, take)
    }
}
