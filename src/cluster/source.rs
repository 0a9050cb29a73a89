//! A prepared sample as a source: its segments are read, changed and summed by workers.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::kept::KeptSegments;
use super::prepared::{Prepared, none_are_kept};
use super::session::foreign;
use super::stored::Directory;
use super::task::{KeptFile, Reply, Task};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::condition::Change;
use crate::engine::pass::{InfluencePass, InfluenceStat};
use crate::engine::source::{
    AnyPass, AnyStat, Ask, ClusterWork, InfluenceApart, Keep, KnownStat, LOCAL, Merge, RawSource,
    Source, Work,
};
use crate::read::panel::{Layout, Sample};

/// The conditioned sample.
pub(crate) struct Remote {
    prepared: Arc<Prepared>,
    sample: Sample,
    change: Change,
    backend: String,
}

impl RawSource for Prepared {
    fn condition(self: Box<Self>, sample: Sample, change: Change) -> Result<Box<dyn Source>> {
        let backend = self.session.arithmetic();
        Ok(Box::new(Remote { prepared: Arc::from(self), sample, change, backend }))
    }
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
        let Prepared { session, stored, workers, .. } = &*self.prepared;
        let (workers, bytes_arranged) = (*workers as u64, stored.bytes);
        Some(ClusterWork { workers, bytes_arranged, ..session.work() })
    }

    fn is_here(&self) -> bool {
        false
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        // What is kept by unit is kept elsewhere.
        let work = Work { keep_influence: false, ..*work };
        work.check_memory(&self.sample, self.prepared.precision, self.prepared.workers)
    }

    fn answer(&self, pass: &AnyPass, _: &mut Keep<'_>) -> Result<AnyStat> {
        if pass.keeps() {
            let problem = "rows of a cluster are kept where they are".into();
            return Err(DidError::Engine { problem });
        }
        self.pass(pass, None, &mut |_, _| Ok(()))
    }

    fn keep_apart(&self, pass: &InfluencePass) -> Result<Option<InfluenceApart>> {
        let Prepared { stored, influence, .. } = &*self.prepared;
        let to = influence
            .clone()
            .ok_or_else(|| DidError::config("keep_influence", KEPT_NOWHERE, "true"))?;
        let directory = Directory::new(stored.place())?;
        let mut files = vec![None; stored.manifest.entries.len()];
        let stat =
            self.pass(&pass.clone().into(), Some(&directory.path), &mut |segment, kept| {
                let (file, entry) = (files.get_mut(segment), stored.manifest.entries.get(segment));
                match (file, entry) {
                    (Some(file), Some(entry)) if entry.pieces.len() == kept.digests.len() => {
                        *file = Some(kept);
                        Ok(())
                    }
                    _ => Err(DidError::Engine { problem: "a segment kept other pieces".into() }),
                }
            })?;
        let files: Option<Vec<KeptFile>> = files.into_iter().collect();
        let lost = || DidError::Engine { problem: "a segment kept nothing".into() };
        let by_stratum = self.sample.layout == Layout::RepeatedCrossSections;
        let (prepared, files) = (Arc::clone(&self.prepared), files.ok_or_else(lost)?);
        let segments = KeptSegments { prepared, files, directory, by_stratum, to };
        Ok(Some((InfluenceStat::from_any(stat)?, Box::new(segments))))
    }
}

/// What a fit must do whose influence values are kept.
pub(crate) const KEPT_NOWHERE: &str = "`false`, or a directory for the values named (`Cluster::with_influence`, `--influence`), on a cluster";

impl Remote {
    /// The statistic of all rows. With a directory to `keep` them in, what workers leave there of each segment goes to `take`, by
    /// the segment's number.
    fn pass(
        &self,
        pass: &AnyPass,
        keep: Option<&Path>,
        take: &mut dyn FnMut(usize, KeptFile) -> Result<()>,
    ) -> Result<AnyStat> {
        let Prepared { session, stored, precision, choice, .. } = &*self.prepared;
        let dealt = self.prepared.deal(|stratum| keep.is_some() || pass.reads(stratum));
        let task = |segments: &Vec<u32>| Task::Pass {
            sample: Cow::Borrowed(&stored.sample),
            segments: segments.clone(),
            choice: choice.clone(),
            change: Cow::Borrowed(&self.change),
            k: self.sample.design.k(),
            precision: *precision,
            pass: Cow::Borrowed(pass),
            keep: keep.map(Cow::Borrowed),
        };
        let tasks: Vec<Task<'_>> = dealt.iter().map(task).collect();
        let mut merge = Merge::new(&stored.ledger, pass, LOCAL).keeping_apart();
        session.ask_all(pass.name(), &tasks, &mut |task, reply| match reply {
            Reply::Passed(answers, kept) => {
                let expected = if keep.is_some() { dealt[task].len() } else { 0 };
                if kept.len() != expected {
                    let problem = "a pass kept rows of other segments".into();
                    return Err(DidError::Engine { problem });
                }
                merge.add_all(answers, &mut none_are_kept)?;
                let segments = dealt[task].iter().map(|segment| *segment as usize);
                segments.zip(kept).try_for_each(|(segment, kept)| take(segment, kept))
            }
            other => Err(foreign(&other)),
        })?;
        merge.finish()
    }
}
