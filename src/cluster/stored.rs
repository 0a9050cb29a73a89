//! An arranged sample in files, for one fit or for many.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

use super::manifest::{Manifest, SampleFile};
use super::wire::{decode, encode};
use crate::base::error::{DidError, Result};
use crate::base::parallel::held;
use crate::base::storage;
use crate::base::temporary::{Listed, PrivateDirectory};
use crate::engine::source::Ledger;
use crate::read::files::problem;
use crate::read::panel::apart::{CovariateChoice, Looks, PlacementPlan, Reading, arrange_again};
use crate::read::panel::{Request, Sample, SampleAudit};

/// Number of the form of saved samples.
const FORMAT: u32 = 3;

/// Name of the file that says what a directory's sample is.
const NAME: &str = "sample";

/// An arranged sample, and what it takes to decide it again for another estimate.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(super) sample: SampleFile,
    pub(super) manifest: Arc<Manifest>,
    pub(super) ledger: Ledger,
    /// Bytes of its rows.
    pub(super) bytes: u64,
    decided: Decided,
    directory: Arc<Directory>,
}

/// How a sample's rows were read, what they showed, and where they were put.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Decided {
    pub reading: Reading,
    pub looks: Looks,
    pub plan: PlacementPlan,
    /// Where the rows came from.
    pub audit: SampleAudit,
}

/// What is written of a sample that is kept.
#[derive(Serialize, Deserialize)]
struct SavedSample {
    format: u32,
    sample: SampleFile,
    decided: Decided,
}

impl Stored {
    /// What was written to a directory, as a sample.
    ///
    /// # Errors
    /// [`DidError::Io`].
    pub(super) fn publish(
        manifest: Manifest,
        decided: Decided,
        directory: Directory,
    ) -> Result<Self> {
        let sample = manifest.write(directory.path.join("manifest"))?;
        Ok(Self::new(manifest, sample, decided, directory))
    }

    fn new(manifest: Manifest, sample: SampleFile, decided: Decided, directory: Directory) -> Self {
        let entries = manifest.entries.iter().map(|entry| (entry.segment, entry.seal)).collect();
        let rows: u64 = manifest.entries.iter().map(|entry| entry.seal.rows).sum();
        let (bytes, directory) = (rows * manifest.shape.row_bytes(), Arc::new(directory));
        let (ledger, manifest) = (Ledger::new(manifest.strata, entries), Arc::new(manifest));
        Self { sample, manifest, ledger, bytes, decided, directory }
    }

    /// The sample as it is for a request, with the covariates that are wanted of it if these are not all.
    ///
    /// # Errors
    /// As for a data frame, and [`DidError::Config`] if the request asks for another sample.
    pub fn describe(&self, request: &Request<'_>) -> Result<(Sample, Option<CovariateChoice>)> {
        let Decided { reading, looks, plan, audit } = &self.decided;
        reading.check_same(request)?;
        if request.options.labels && request.roles.unit.is_some() && !plan.keeps_labels() {
            return Err(DidError::config(
                "keep_influence",
                "`false` for a sample that was prepared without the units' labels",
                "`true`; prepare a sample with it",
            ));
        }
        arrange_again((reading, looks, plan), audit.clone(), request)
    }

    /// Where its files are.
    pub(super) fn place(&self) -> &Path {
        &self.directory.path
    }

    /// Keeps the files for another day; returns the file by which they are found.
    ///
    /// # Errors
    /// [`DidError::Io`].
    pub fn keep(&self) -> Result<PathBuf> {
        let path = self.directory.path.join(NAME);
        let (sample, decided) = (self.sample.clone(), self.decided.clone());
        let bytes = encode(&SavedSample { format: FORMAT, sample, decided })?;
        storage::write(&path, &bytes).map_err(|source| DidError::io(&path, source))?;
        self.directory.keep();
        Ok(path)
    }

    /// A sample that was kept.
    ///
    /// # Errors
    /// [`DidError::Io`] or [`DidError::File`].
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = storage::read(path).map_err(|source| DidError::io(path, source))?;
        let other = || problem(path, "not a sample that this version has kept");
        let SavedSample { format, sample, decided } = decode(&bytes).map_err(|_| other())?;
        if format != FORMAT {
            return Err(other());
        }
        let manifest = Manifest::read(&sample)?;
        let directory = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
        let directory = Directory { path: directory, owned: Mutex::default() };
        Ok(Self::new(manifest, sample, decided, directory))
    }
}

/// A directory of files that workers wrote, which goes when nobody needs it any more unless it is to be kept.
#[derive(Debug)]
pub(super) struct Directory {
    pub path: PathBuf,
    /// `None` once it is to stay.
    owned: Mutex<Option<Owned>>,
}

/// Who may enter a directory.
#[derive(Debug)]
enum Owned {
    /// This user alone: among the system's temporary files, where everybody is.
    Privately(PrivateDirectory),
    /// Whoever may enter the directory that was named for it, as executors may have other users.
    AsNamed(#[expect(dead_code, reason = "it is listed for as long as it lives")] Listed),
}

impl Directory {
    /// A new one in a directory that exists.
    ///
    /// # Errors
    /// [`DidError::Io`].
    pub fn new(within: &Path) -> Result<Self> {
        let failed = |source| DidError::io(within, source);
        let (path, owned) = if within == std::env::temp_dir() {
            let directory = PrivateDirectory::new(within).map_err(failed)?;
            (directory.path().to_owned(), Owned::Privately(directory))
        } else {
            let path = storage::fresh_directory(within).map_err(failed)?;
            let listed = Listed::new(&path);
            (path, Owned::AsNamed(listed))
        };
        Ok(Self { path, owned: Mutex::new(Some(owned)) })
    }

    fn keep(&self) {
        if let Some(Owned::Privately(mut directory)) = held(&self.owned).take() {
            directory.keep();
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if let Some(Owned::AsNamed(_)) = held(&self.owned).take() {
            // What cannot be deleted is at worst left behind.
            let _ = storage::remove_directory(&self.path);
        }
    }
}
