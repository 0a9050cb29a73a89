//! What must happen before a process is ended by a signal, when nothing is dropped.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::base::parallel::held;

/// Files and directories that would be left behind.
static LISTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// What else has to be done.
static TO_DO: Mutex<Vec<Box<dyn FnOnce() + Send>>> = Mutex::new(Vec::new());

/// How often a directory is removed into which somebody may still be writing.
const ATTEMPTS: usize = 5;

/// A path that [`clear_away`] removes for as long as this lives.
#[derive(Debug)]
pub(crate) struct Listed(PathBuf);

impl Listed {
    pub fn new(path: &Path) -> Self {
        held(&LISTED).insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        held(&LISTED).remove(&self.0);
    }
}

/// Has something done by [`clear_away`].
#[cfg(feature = "ballista")]
pub(crate) fn before_the_end(work: impl FnOnce() + Send + 'static) {
    held(&TO_DO).push(Box::new(work));
}

/// For programs that a signal ends: removes the temporary files and directories that this process would leave behind, and says
/// good-bye where it is one of several. The process must end after this.
pub fn clear_away() {
    let work = std::mem::take(&mut *held(&TO_DO));
    for work in work {
        work();
    }
    for path in held(&LISTED).iter() {
        if !path.is_dir() {
            let _ = fs::remove_file(path);
            continue;
        }
        // What cannot be removed is at worst left to the next sweep.
        let _ = (0..ATTEMPTS).any(|_| fs::remove_dir_all(path).is_ok() || !path.exists());
    }
}
