//! Passes over the chunks: all of a device in one call if the backend can, else segment by segment.

use std::sync::mpsc::sync_channel;
use std::time::Duration;

use super::{HeldRows, Local};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::parallel::held;
use crate::base::threads::{ThreadTask, beside, receive};
use crate::engine::backend::{DeviceWork, DidBackend, Segments};
use crate::engine::pass::{Chunk, Seal, Segment};
use crate::engine::source::answer::{Answer, Ask, LOCAL, Merge};
use crate::engine::source::host::pieces;
use crate::engine::source::{AnyPass, AnyStat, Keep, Source, Work};
use crate::read::panel::Sample;

impl<B: DidBackend> Source for Local<B> {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn backend(&self) -> &str {
        B::NAME
    }

    fn precision(&self) -> Precision {
        self.options.precision
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        work.check_memory(&self.sample, self.options.precision, self.devices.len())
    }

    fn device_work(&self) -> Option<DeviceWork> {
        B::at_once().map(|_| *held(&self.work))
    }

    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        let entries = self.ledger.entries().iter().copied().zip(&self.held).enumerate();
        let wanted: Vec<WantedSegment<'_, B>> = entries
            .filter(|(_, ((segment, _), _))| pass.reads(segment.stratum))
            .map(|(i, (entry, held))| WantedSegment { device: i % self.devices.len(), entry, held })
            .collect();
        let groups = self.groups(&wanted);
        if self.devices.len() == 1
            && let Some(stat) = self.whole(pass, &wanted, &groups)?
        {
            self.count_pass();
            return Ok(stat);
        }
        let mut merge = Merge::new(&self.ledger, pass, LOCAL);
        let mut add = |answer: Answer<AnyStat>| -> Result<()> {
            merge.add(answer, keep)?;
            self.report(pass, merge.rows());
            Ok(())
        };
        if self.devices.len() == 1 {
            self.answers(pass, &wanted, &groups, 0, &mut add)?;
        } else {
            self.answers_of_devices(pass, &wanted, &groups, &mut add)?;
        }
        self.count_pass();
        merge.finish()
    }
}

/// A segment that a pass reads.
struct WantedSegment<'a, B: DidBackend> {
    device: usize,
    entry: (Segment, Seal),
    held: &'a HeldRows<B>,
}

/// Segments that can be read in one call: positions among those that are wanted.
struct SegmentGroup {
    device: usize,
    slab: u64,
    segments: Vec<usize>,
}

impl<B: DidBackend> Local<B> {
    /// What one segment answers.
    fn segment(
        &self,
        pass: &AnyPass,
        (segment, seal): (Segment, Seal),
        held: &HeldRows<B>,
        device: &B::Device,
    ) -> Result<Answer<AnyStat>> {
        let stratum = segment.stratum;
        let mut stat = pass.none_of(stratum);
        let mut kept_rows = Vec::new();
        let mut add = |chunk: &Chunk<B>| -> Result<()> {
            kept_rows.extend(pass.accumulate(chunk, &mut stat)?);
            Ok(())
        };
        let mut read = seal;
        match held {
            HeldRows::Resident(chunks) => chunks.iter().try_for_each(add)?,
            HeldRows::Streamed(first, chunk_rows) => {
                let end = first + seal.rows as usize;
                for start in (*first..end).step_by(*chunk_rows) {
                    let piece = self.strata[stratum].cut(start, (start + chunk_rows).min(end));
                    add(&self.chunk(stratum, piece, device)?)?;
                }
            }
            HeldRows::Spilled => {
                let Some((spill, change)) = &self.spill else {
                    let problem = "a segment is in a file that there is not".into();
                    return Err(DidError::Engine { problem });
                };
                read = Seal::default();
                for piece in pieces(spill, segment) {
                    let mut piece = spill.read(stratum, piece)?;
                    read += Seal::of(&piece.rank);
                    change.apply(stratum, &mut piece)?;
                    add(&self.chunk(stratum, piece, device)?)?;
                }
            }
        }
        Ok(Answer { question: LOCAL, segment, seal: read, stat, kept: kept_rows })
    }

    /// The segments by slab; none if the backend has no calls for many.
    fn groups(&self, wanted: &[WantedSegment<'_, B>]) -> Vec<SegmentGroup> {
        let mut groups: Vec<SegmentGroup> = Vec::new();
        for (position, segment) in wanted.iter().enumerate() {
            let HeldRows::Resident(chunks) = segment.held else { return Vec::new() };
            let [Chunk { slab: Some(slab), .. }] = chunks.as_slice() else { return Vec::new() };
            match groups.iter_mut().find(|g| g.slab == slab.number) {
                Some(group) => group.segments.push(position),
                None => groups.push(SegmentGroup {
                    device: segment.device,
                    slab: slab.number,
                    segments: vec![position],
                }),
            }
        }
        groups
    }

    /// The statistic of all groups, in one call each, where one device holds them.
    fn whole(
        &self,
        pass: &AnyPass,
        wanted: &[WantedSegment<'_, B>],
        groups: &[SegmentGroup],
    ) -> Result<Option<AnyStat>> {
        let mut total = None;
        let mut done = 0;
        for group in groups {
            let stats = self.at_once(pass, wanted, group, (true, total.as_ref()))?;
            let Some(stat) = stats.and_then(|mut stats| stats.pop()) else { return Ok(None) };
            total = Some(stat);
            done += rows(group.segments.iter().map(|i| &wanted[*i]));
            self.report(pass, (done, rows(wanted)));
        }
        Ok(total)
    }

    /// The statistics of a group: one of all together and what is `before` them, or one of each segment.
    fn at_once(
        &self,
        pass: &AnyPass,
        wanted: &[WantedSegment<'_, B>],
        group: &SegmentGroup,
        (together, before): (bool, Option<&AnyStat>),
    ) -> Result<Option<Vec<AnyStat>>> {
        let Some(at_once) = B::at_once() else { return Ok(None) };
        let chunks = group.segments.iter().filter_map(|i| match wanted[*i].held {
            HeldRows::Resident(chunks) => chunks.first(),
            HeldRows::Streamed(..) | HeldRows::Spilled => None,
        });
        let segments = Segments { chunks: chunks.collect(), together };
        let (stats, done) = Self::measured(|| pass.at_once(at_once, &segments, before))?;
        *held(&self.work) += done;
        Ok(stats)
    }

    /// Answers of the segments on one device: in one call a slab if that can be, else one by one.
    fn answers(
        &self,
        pass: &AnyPass,
        wanted: &[WantedSegment<'_, B>],
        groups: &[SegmentGroup],
        device: usize,
        add: &mut dyn FnMut(Answer<AnyStat>) -> Result<()>,
    ) -> Result<()> {
        // A single device was asked for the whole, and could not give it.
        if groups.is_empty() || self.devices.len() == 1 {
            let of_device = |i: &usize| wanted[*i].device == device;
            return self.each(pass, wanted, (0..wanted.len()).filter(of_device), add);
        }
        for group in groups.iter().filter(|g| g.device == device) {
            let positions = group.segments.iter().copied();
            let Some(stats) = self.at_once(pass, wanted, group, (false, None))? else {
                self.each(pass, wanted, positions, add)?;
                continue;
            };
            for (position, stat) in positions.zip(stats) {
                let (segment, seal) = wanted[position].entry;
                add(Answer { question: LOCAL, segment, seal, stat, kept: Vec::new() })?;
            }
        }
        Ok(())
    }

    /// Answers of the segments at these positions, one by one.
    fn each(
        &self,
        pass: &AnyPass,
        wanted: &[WantedSegment<'_, B>],
        positions: impl Iterator<Item = usize>,
        add: &mut dyn FnMut(Answer<AnyStat>) -> Result<()>,
    ) -> Result<()> {
        for WantedSegment { device, entry, held: rows } in positions.map(|i| &wanted[i]) {
            let (answer, done) =
                Self::measured(|| self.segment(pass, *entry, rows, &self.devices[*device]))?;
            // What is uploaded for one pass does not stay.
            *held(&self.work) += DeviceWork { resident_bytes: 0, ..done };
            add(answer)?;
        }
        Ok(())
    }

    /// Each device works on its segments in order, on a thread of its own.
    fn answers_of_devices(
        &self,
        pass: &AnyPass,
        wanted: &[WantedSegment<'_, B>],
        groups: &[SegmentGroup],
        add: &mut dyn FnMut(Answer<AnyStat>) -> Result<()>,
    ) -> Result<()> {
        let mut tasks: Vec<ThreadTask<'_>> = Vec::new();
        let mut results = Vec::new();
        for device in 0..self.devices.len() {
            let (send, result) = sync_channel(1);
            results.push(result);
            tasks.push(Box::new(move || {
                // Nobody listens any more once another device has failed.
                let stopped = || DidError::Engine { problem: "nobody listens".into() };
                let mut give = |answer| send.send(Ok(answer)).map_err(|_| stopped());
                if let Err(error) = self.answers(pass, wanted, groups, device, &mut give) {
                    let _ = send.send(Err(error));
                }
            }));
        }
        beside(tasks, move || {
            for WantedSegment { device, .. } in wanted {
                let stopped = |_| DidError::Device {
                    device: format!("{:?}", self.devices[*device]),
                    problem: "its thread stopped".into(),
                };
                add(receive(&results[*device], Duration::MAX).map_err(stopped)??)?;
            }
            Ok(())
        })
    }

    fn report(&self, pass: &AnyPass, (done, total): (u64, u64)) {
        if let Some(progress) = &self.options.progress {
            progress.report(pass.name(), done, total);
        }
    }

    fn count_pass(&self) {
        held(&self.work).passes += 1;
    }
}

fn rows<'a, B: DidBackend>(segments: impl IntoIterator<Item = &'a WantedSegment<'a, B>>) -> u64 {
    segments.into_iter().map(|segment| segment.entry.1.rows).sum()
}
