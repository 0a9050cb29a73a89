//! What a worker does with a task.

mod cache;
mod files;
mod kept;

use std::sync::Arc;

use super::engine::TaskRunner;
use super::manifest::SegmentEntry;
use super::task::{Message, Problem, ProblemKind, Reply, Task, UnitAnswer, UnitQuestion};
use super::wire::{decode, digest, encode};
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::base::storage;
use crate::engine::backend::DidBackend;
use crate::engine::condition::{Look, LookStat, Piece};
use crate::engine::pass::KeptRows;
use crate::engine::source::{Answer, Ask, LOCAL};
use crate::read::input::guarded;
use crate::read::panel::StratumData;
use crate::read::panel::apart::{UnitReading, UnitShard};
use cache::{Cache, Held};

/// Does the tasks of this crate on a device, one at a time or several at once.
pub struct Worker<B: DidBackend> {
    name: String,
    device: B::Device,
    cache: Cache<B>,
}

impl<B: DidBackend> std::fmt::Debug for Worker<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} on {:?}", self.name, self.device)
    }
}

impl<B: DidBackend> Worker<B> {
    /// A worker with a name for errors, which keeps segments of up to so many bytes.
    pub fn new(name: String, device: B::Device, memory: u64) -> Self {
        Self { name, device, cache: Cache::new(memory) }
    }

    fn reply(&self, task: &Task<'_>) -> Result<Reply> {
        match task {
            Task::Ends { rows, part, directory, influence, precision } => {
                if let Some(precision) = precision {
                    B::probe(&self.device, *precision)?;
                }
                for directory in std::iter::once(directory).chain(influence) {
                    storage::check_directory(directory)
                        .map_err(|source| DidError::io(directory, source))?;
                }
                Ok(Reply::Ends(rows.ends(part)?))
            }
            Task::Check { reading, part, first_row } => {
                reading.check(part, *first_row)?;
                Ok(Reply::Checked)
            }
            Task::Split { rows, part, cuts, directory } => {
                let path = files::fresh(directory, "bucket", "parquet");
                let buckets = rows.split(part, cuts, &path)?;
                Ok(Reply::Split(path, buckets))
            }
            Task::Show { reading, shard, directory, look } => {
                let shard = self.cache.shard(reading, shard, directory)?;
                Ok(Reply::Shown(shard.look(look)?))
            }
            Task::Arrange { reading, shard, plan, position, length, directory } => {
                let rows = self.cache.take_shard(reading, shard, directory)?;
                let arranged = rows.arrange(plan, position)?;
                drop(rows);
                Ok(Reply::Arranged(files::write(&arranged, *length, directory)?))
            }
            Task::Look { sample, segments, choice, look } => {
                let (choice, manifest) = (choice.as_ref(), self.cache.manifest(sample)?);
                manifest.chosen(choice)?;
                let answers = parallel::map(segments.len(), |i| {
                    let (entry, data) = self.cache.raw(sample, segments[i])?;
                    let Some(choice) = choice else { return looked(look, &entry, &data) };
                    let mut data = Arc::unwrap_or_clone(data);
                    data.x = choice.columns(manifest.shape.covariates, data.rows, &data.x);
                    looked(look, &entry, &data)
                });
                Ok(Reply::Looked(answers.into_iter().collect::<Result<_>>()?))
            }
            Task::Pass { sample, segments, choice, change, k, precision, pass, keep } => {
                let (k, precision) = (*k, *precision);
                let manifest = self.cache.manifest(sample)?;
                manifest.check_pass(pass, change, k, choice.as_ref())?;
                let as_held = Held::new(choice.as_ref(), change, k, precision)?;
                if pass.keeps() != keep.is_some() {
                    let problem = "a pass keeps rows nowhere, or none".into();
                    return Err(DidError::Engine { problem });
                }
                let (mut answers, mut files) = (Vec::with_capacity(segments.len()), Vec::new());
                for segment in segments {
                    let (entry, chunk) =
                        self.cache.chunk(sample, *segment, &as_held, &self.device)?;
                    let mut stat = pass.none_of(entry.segment.stratum);
                    let reads = pass.reads(entry.segment.stratum);
                    let rows = if reads { pass.accumulate(&*chunk, &mut stat)? } else { None };
                    if let Some(directory) = keep {
                        let none = || KeptRows { ranks: chunk.rank.clone(), ..KeptRows::default() };
                        let rows = rows.unwrap_or_else(none);
                        files.push(kept::keep(&rows, &entry, directory)?);
                    }
                    if !reads {
                        continue;
                    }
                    // The ranks were checked when the rows were read.
                    let SegmentEntry { segment, seal, .. } = entry;
                    answers.push(Answer { question: LOCAL, segment, seal, stat, kept: Vec::new() });
                }
                Ok(Reply::Passed(answers, files))
            }
            Task::Influence(work) => {
                let (path, seal) = kept::finish(work)?;
                Ok(Reply::Influence(path, seal))
            }
            Task::Times { reading, part } => Ok(Reply::Times(reading.times(part)?)),
            Task::CheckUnits { reading, part, first_row } => {
                reading.check(part, *first_row)?;
                Ok(Reply::Checked)
            }
            Task::Units { reading, shard, directory, moved, asked } => {
                let shard = self.cache.units(reading, shard, directory, moved)?;
                Ok(Reply::Units(answered(reading, &shard, asked)?))
            }
        }
    }

    fn outcome(&self, task: &[u8]) -> std::result::Result<Reply, Problem> {
        let problem = |error: DidError, kind| Problem { text: error.to_string(), kind };
        let task: Task<'static> =
            decode(task).map_err(|error| problem(error, ProblemKind::Passing))?;
        let reply = guarded("a part of the sample", || self.reply(&task));
        reply.map_err(|error| {
            let kind = kind(&task, &error);
            problem(error, kind)
        })
    }
}

impl<B: DidBackend> TaskRunner for Worker<B> {
    fn run(&self, task: &[u8]) -> Vec<u8> {
        let before = self.cache.bytes_read();
        let outcome = self.outcome(task);
        let bytes_read = self.cache.bytes_read() - before;
        let message = Message {
            question: digest(task),
            worker: self.name.clone(),
            arithmetic: B::NAME.to_owned(),
            bytes_read,
            outcome,
        };
        // What cannot be written is no answer, and is asked for again.
        encode(&message).unwrap_or_default()
    }
}

/// What an error lies in.
fn kind(task: &Task<'_>, error: &DidError) -> ProblemKind {
    match error {
        DidError::Engine { .. } | DidError::Temporary { .. } | DidError::Panicked { .. } => {
            ProblemKind::Passing
        }
        // What others wrote a moment ago may be a moment late on shared storage.
        DidError::Io { .. }
            if matches!(
                task,
                Task::Look { .. }
                    | Task::Pass { .. }
                    | Task::Influence(_)
                    | Task::Show { .. }
                    | Task::Units { .. }
            ) =>
        {
            ProblemKind::Passing
        }
        error if error.names_a_row() => ProblemKind::OfARow,
        _ => ProblemKind::Lasting,
    }
}

/// What the units of a shard answer.
fn answered(
    reading: &UnitReading,
    shard: &UnitShard,
    asked: &UnitQuestion<'_>,
) -> Result<UnitAnswer> {
    Ok(match asked {
        UnitQuestion::FirstValues => UnitAnswer::FirstValues(shard.rows.first_values()),
        UnitQuestion::Overview { shifts, periods } => {
            let overview = reading.overview(shard, shifts, periods)?;
            UnitAnswer::Overview(Box::new(overview), shard.rows.units())
        }
        UnitQuestion::Sums { pass, between } => UnitAnswer::Sums(pass.tiles(&shard.rows, between)?),
        UnitQuestion::Values { scores, kept } => {
            UnitAnswer::Values(scores.values(&shard.rows, *kept)?)
        }
    })
}

/// What a segment answers to a look.
fn looked(look: &Look, entry: &SegmentEntry, data: &StratumData) -> Result<Answer<LookStat>> {
    let (segment, stratum) = (entry.segment, entry.segment.stratum);
    let mut stat = look.none(stratum);
    let piece = Piece { stratum, first: entry.first, data, start: 0, rows: data.rows };
    look.add(&piece, &mut stat)?;
    Ok(Answer { question: LOCAL, segment, seal: entry.seal, stat, kept: Vec::new() })
}
