//! Files whose units workers are asked one by one.
//!
//! Sums are of tiles of units, and a tile may begin in one shard and end in another: the tiles that lie within shards are summed first, and
//! what a shard has of a tile that began before it is added to the sums of its beginning. So they have the bits of one machine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::parts::{PartedFiles, PrepareOptions};
use super::session::{Session, foreign};
use super::stored::Directory;
use super::task::{Reply, Task, UnitAnswer, UnitQuestion};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::engine::by_unit::{
    AnyScores, AnySums, AnyTiles, AnyUnitPass, Between, Kept, RemoteUnits, SUMS_REMEDY, UNIT_TILE,
    UnitValues, VALUES,
};
use crate::read::columns::MissingValues;
use crate::read::panel::apart::{RowRange, UnitReading};
use crate::read::panel::overview::{Overview, PanelColumns, TimesFound, shifts};

/// Shards of whole units that workers can read.
pub(crate) struct RemoteRows<'a> {
    session: &'a Session,
    reading: UnitReading,
    parts: Vec<RowRange>,
    shards: Vec<RemoteShard>,
    moved: Vec<(f64, f64)>,
    directory: Directory,
}

/// Rows of whole units.
struct RemoteShard {
    ranges: Vec<RowRange>,
    /// Units with a usable row.
    units: usize,
    /// Those of the shards before.
    before: usize,
}

impl RemoteShard {
    /// Units that belong to a tile that began before.
    fn head(&self) -> usize {
        self.units.min(self.before.next_multiple_of(UNIT_TILE) - self.before)
    }
}

/// Has workers look at the rows of some parquet files, for columns that are not paired with base periods and keep no patterns.
///
/// # Errors
/// As for the same files on one machine, and [`DidError::Engine`] if workers do not answer.
pub(crate) fn open_units<'a>(
    session: &'a Session,
    paths: &[PathBuf],
    columns: &PanelColumns,
    missing: &MissingValues,
    options: &PrepareOptions,
) -> Result<(RemoteRows<'a>, Overview)> {
    let directory = Directory::new(&options.directory)?;
    let (reading, parts) = UnitReading::of(paths, columns, missing, options.part_rows)?;
    let (shards, moved) = (Vec::new(), Vec::new());
    let mut rows = RemoteRows { session, reading, parts, shards, moved, directory };
    let shards = rows.with_files(|files| files.shards(options, &rows.directory.path))?;
    let shard = |ranges| RemoteShard { ranges, units: 0, before: 0 };
    rows.shards = shards.into_iter().map(shard).collect();
    let times = rows.times()?;
    rows.moved = times.moved();
    let overview = rows.look(&times.periods)?;
    Ok((rows, overview))
}

impl RemoteRows<'_> {
    fn with_files<T>(&self, work: impl FnOnce(&PartedFiles<'_>) -> Result<T>) -> Result<T> {
        let check = |part, first_row| Task::CheckUnits {
            reading: Cow::Borrowed(&self.reading),
            part: Cow::Borrowed(part),
            first_row,
        };
        work(&PartedFiles {
            session: self.session,
            rows: &self.reading.rows,
            parts: &self.parts,
            precision: None,
            check: &check,
        })
    }

    /// Asks shards, which are named by their numbers, and hands over what they answer in that order.
    fn ask<T>(
        &self,
        stage: &'static str,
        questions: Vec<(usize, UnitQuestion<'_>)>,
        of: &dyn Fn(usize, UnitAnswer) -> Result<T>,
        take: &mut dyn FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let task = |(shard, asked): (usize, _)| Task::Units {
            reading: Cow::Borrowed(&self.reading),
            shard: Cow::Borrowed(&self.shards[shard].ranges),
            directory: Cow::Borrowed(&self.directory.path),
            moved: Cow::Borrowed(&self.moved),
            asked,
        };
        let tasks: Vec<Task<'_>> = questions.into_iter().map(task).collect();
        let reply = |task: usize, reply: Reply| match reply {
            Reply::Units(answer) => of(task, answer),
            other => Err(foreign(&other)),
        };
        self.with_files(|files| files.ask(stage, &tasks, &reply, take))
    }

    fn times(&self) -> Result<TimesFound> {
        let task =
            |part| Task::Times { reading: Cow::Borrowed(&self.reading), part: Cow::Borrowed(part) };
        let tasks: Vec<Task<'_>> = self.parts.iter().map(task).collect();
        let reply = |_: usize, reply: Reply| match reply {
            Reply::Times(found) => Ok(found),
            other => Err(foreign(&other)),
        };
        let mut all = TimesFound::default();
        let mut take = |found| {
            all.add(found);
            Ok(())
        };
        self.with_files(|files| files.ask("reading periods", &tasks, &reply, &mut take))?;
        Ok(all)
    }

    /// What all units show; the number of each shard's units is known afterwards.
    fn look(&mut self, periods: &[f64]) -> Result<Overview> {
        let of = |_: usize, answer: UnitAnswer| match answer {
            UnitAnswer::FirstValues(found) => Ok(found),
            other => Err(foreign(&Reply::Units(other))),
        };
        let questions = (0..self.shards.len()).map(|shard| (shard, UnitQuestion::FirstValues));
        let mut first: Vec<Vec<f64>> = Vec::new();
        self.ask("reading", questions.collect(), &of, &mut |found| {
            first.resize(first.len().max(found.len()), Vec::new());
            first.iter_mut().zip(found).for_each(|(first, found)| first.extend(found));
            Ok(())
        })?;
        let shifts = shifts(first);
        let question = |shard| {
            let (shifts, periods) = (Cow::Borrowed(&*shifts), Cow::Borrowed(periods));
            (shard, UnitQuestion::Overview { shifts, periods })
        };
        let of = |shard: usize, answer: UnitAnswer| match answer {
            UnitAnswer::Overview(overview, units) => {
                let rows: usize = self.shards[shard].ranges.iter().map(|range| range.rows).sum();
                match overview.rows == rows && units <= rows {
                    true => Ok((overview, units)),
                    false => Err(other_rows()),
                }
            }
            other => Err(foreign(&Reply::Units(other))),
        };
        let (mut all, mut units) = (Overview::default(), Vec::new());
        let questions = (0..self.shards.len()).map(question).collect();
        self.ask("reading", questions, &of, &mut |(overview, of_shard)| {
            units.push(of_shard);
            all.merge(*overview)
        })?;
        let mut before = 0;
        for (shard, units) in self.shards.iter_mut().zip(units) {
            (shard.units, shard.before) = (units, before);
            before += units;
        }
        all.finish();
        all.check_rows()?;
        Ok(all)
    }

    /// Sums of tiles of some units of shards.
    fn tiles(
        &self,
        stage: &'static str,
        pass: &AnyUnitPass,
        asked: Vec<(usize, Between)>,
        take: &mut dyn FnMut(AnyTiles),
    ) -> Result<()> {
        let units = |(_, between): &(usize, Between)| {
            between.before.as_ref().map_or(0, |(filled, _)| *filled) + between.units.len()
        };
        let expected: Vec<usize> = asked.iter().map(units).collect();
        let question =
            |(shard, between)| (shard, UnitQuestion::Sums { pass: Cow::Borrowed(pass), between });
        let of = |task: usize, answer: UnitAnswer| match answer {
            UnitAnswer::Sums(tiles)
                if tiles.full.len() == expected[task] / UNIT_TILE
                    && tiles.rest.0 == expected[task] % UNIT_TILE =>
            {
                Ok(tiles)
            }
            UnitAnswer::Sums(_) => Err(other_rows()),
            other => Err(foreign(&Reply::Units(other))),
        };
        self.ask(stage, asked.into_iter().map(question).collect(), &of, &mut |tiles| {
            take(tiles);
            Ok(())
        })
    }
}

impl RemoteUnits for RemoteRows<'_> {
    fn sums(&self, stage: &'static str, pass: AnyUnitPass) -> Result<AnySums> {
        let with_units: Vec<usize> =
            (0..self.shards.len()).filter(|shard| self.shards[*shard].units > 0).collect();
        let all: usize = self.shards.iter().map(|shard| shard.units).sum();
        let tiles = (all / UNIT_TILE + 2) as u128;
        // Of full tiles, and of those that are not.
        let held = tiles + self.shards.len() as u128;
        memory::check(stage, held * pass.bytes(), SUMS_REMEDY)?;
        let mut full: BTreeMap<usize, AnySums> = BTreeMap::new();
        // By shard, the units of the tile that it ends in, and their sums.
        let mut ends: Vec<Option<(usize, AnySums)>> = vec![None; with_units.len()];
        let shard = |at: usize| &self.shards[with_units[at]];

        let within = |at: &usize| shard(*at).head() < shard(*at).units;
        let within: Vec<usize> = (0..with_units.len()).filter(within).collect();
        let between = |at: &usize| {
            let units = shard(*at).head()..shard(*at).units;
            (with_units[*at], Between { units, before: None })
        };
        let mut next = within.iter();
        self.tiles(stage, &pass, within.iter().map(between).collect(), &mut |tiles| {
            let Some(at) = next.next() else { return };
            let first = (shard(*at).before + shard(*at).head()) / UNIT_TILE;
            full.extend((first..).zip(tiles.full));
            ends[*at] = Some(tiles.rest);
        })?;

        // What is left of tiles that began before, once the sums of their beginning are known.
        let mut open: Vec<usize> =
            (0..with_units.len()).filter(|at| shard(*at).head() > 0).collect();
        while !open.is_empty() {
            let (ready, later): (Vec<usize>, Vec<usize>) =
                open.into_iter().partition(|at| ends[at - 1].is_some());
            if ready.is_empty() {
                return Err(other_rows());
            }
            let between = |at: &usize| {
                let before = ends[at - 1].take();
                (with_units[*at], Between { units: 0..shard(*at).head(), before })
            };
            let asked = ready.iter().map(between).collect();
            let mut next = ready.iter();
            self.tiles(stage, &pass, asked, &mut |tiles| {
                let Some(at) = next.next() else { return };
                full.extend((shard(*at).before / UNIT_TILE..).zip(tiles.full));
                ends[*at].get_or_insert(tiles.rest);
            })?;
            open = later;
        }

        let mut total = pass.none();
        let last = ends.pop().flatten().map(|(_, sums)| sums);
        if full.len() != all / UNIT_TILE {
            return Err(other_rows());
        }
        for sums in full.into_values().chain(last) {
            pass.merge(&mut total, sums)?;
        }
        Ok(total)
    }

    fn values(&self, scores: AnyScores, kept: Kept) -> Result<UnitValues> {
        let mut all = UnitValues::new(scores.targets(), kept);
        let question =
            |shard| (shard, UnitQuestion::Values { scores: Cow::Borrowed(&scores), kept });
        let of = |_: usize, answer: UnitAnswer| match answer {
            UnitAnswer::Values(values) if values.are_of(scores.targets(), kept) => Ok(values),
            UnitAnswer::Values(_) => Err(other_rows()),
            other => Err(foreign(&Reply::Units(other))),
        };
        let questions = (0..self.shards.len()).map(question).collect();
        self.ask(VALUES, questions, &of, &mut |values| {
            all.append(values);
            Ok(())
        })?;
        Ok(all)
    }
}

fn other_rows() -> DidError {
    DidError::Engine { problem: "a shard answered for other units than it has".into() }
}
