//! Influence values by unit, which workers write and the driver never sees.
//!
//! A pass leaves them where the rows are: for each segment a file in the directory of the sample, under a name that no other
//! attempt has. What users see is written by tasks of their own, in which the pieces of units that follow on each other, their
//! labels and their values come together; these files get their names once all are believed.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::manifest::{FilePiece, Manifest};
use super::prepared::Prepared;
use super::session::foreign;
use super::stored::Directory;
use super::task::{Finishing, KeptFile, KeptPart, Reply, Task, Unfinished};
use crate::base::error::{DidError, Result};
use crate::base::storage;
use crate::engine::pass::Seal;
use crate::engine::source::InfluenceFiles;
use crate::engine::source::influence::{file_name, occupied};
use crate::engine::source::{KeptApart, KeptColumn, Scale};

/// What a pass kept of a sample.
pub(super) struct KeptSegments {
    pub prepared: Arc<Prepared>,
    /// Of each segment.
    pub files: Vec<KeptFile>,
    /// Where they are.
    pub directory: Directory,
    /// Whether ranks are counted stratum by stratum.
    pub by_stratum: bool,
    /// Where users look for them.
    pub to: PathBuf,
}

impl KeptApart for KeptSegments {
    fn finish(self: Box<Self>, scale: Scale, columns: &[KeptColumn]) -> Result<InfluenceFiles> {
        let Prepared { session, stored, .. } = &*self.prepared;
        let finishing = Finishing { columns: columns.to_vec(), scale };
        let attempts = Directory::new(&self.to)?;
        let groups = stored.manifest.following(self.by_stratum);
        let (mut tasks, mut seals, mut first) = (Vec::new(), Vec::new(), 0);
        for group in groups {
            let parts: Vec<KeptPart> = group
                .into_iter()
                .map(|(entry, piece)| self.part(&stored.manifest, entry, piece))
                .collect::<Result<_>>()?;
            let rows = parts.iter().map(|part| part.rows).sum();
            seals.push(Seal::of_range(first, rows as u64));
            tasks.push(Task::Influence(Unfinished {
                parts,
                first,
                rows,
                finishing: Cow::Borrowed(&finishing),
                directory: Cow::Borrowed(&attempts.path),
            }));
            first += rows as u64;
        }
        let mut written: Vec<Option<PathBuf>> = vec![None; tasks.len()];
        session.ask_all("influence values", &tasks, &mut |task, reply| match reply {
            Reply::Influence(path, seal) if seal == seals[task] => {
                written[task] = Some(path);
                Ok(())
            }
            Reply::Influence(..) => {
                let problem = "influence values were written of other units than asked".into();
                Err(DidError::Engine { problem })
            }
            other => Err(foreign(&other)),
        })?;
        let mut files = Vec::with_capacity(written.len());
        for (number, path) in written.iter().flatten().enumerate() {
            let name = self.to.join(file_name(number, written.len()));
            storage::rename(path, &name).map_err(|source| DidError::io(&name, source))?;
            files.push(name);
        }
        // The pass's leftovers are no longer needed.
        drop(self.directory);
        Ok(InfluenceFiles {
            files,
            units: first as usize,
            names: columns.iter().map(|column| column.name.clone()).collect(),
            estimated: columns.iter().map(|column| !column.from.is_empty()).collect(),
        })
    }
}

impl KeptSegments {
    /// What was kept of a piece of a segment.
    fn part(&self, manifest: &Manifest, entry: usize, piece: usize) -> Result<KeptPart> {
        let KeptFile { path, columns, digests } = &self.files[entry];
        let pieces = &manifest.entries[entry].pieces;
        let before: usize = pieces[..piece].iter().map(|piece| piece.rows).sum();
        let piece_of: &FilePiece = &pieces[piece];
        let row = 8 * (1 + columns.len() as u64);
        Ok(KeptPart {
            path: path.clone(),
            offset: row * before as u64,
            rows: piece_of.rows,
            digest: digests[piece],
            columns: columns.clone(),
            labels: manifest.labels_of(piece_of)?,
        })
    }
}

/// An error unless the directory of a fit's influence values has nothing in it; it is made if it is not there.
///
/// # Errors
/// [`DidError::File`] or [`DidError::Io`].
pub(crate) fn make_room(directory: &Path) -> Result<()> {
    match storage::is_empty(directory) {
        Ok(true) => Ok(()),
        Ok(false) => Err(occupied(directory)),
        Err(source) => Err(DidError::io(directory, source)),
    }
}
