//! Directories that their owner alone can enter.

use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::Builder;

use super::ending::Listed;

/// Beginning of the names of all.
const PREFIX: &str = "burn-did-";

/// A file that is locked for as long as the directory has an owner.
const LOCK: &str = ".owner";

/// Directories that are younger may not have their lock yet.
const YOUNG: Duration = Duration::from_secs(60);

/// A directory in another that nobody else can enter or read. It goes with its value, when the process is ended by a signal
/// ([`clear_away`](super::clear_away)), and, if the process was killed, when the next one makes such a directory.
#[derive(Debug)]
pub(crate) struct PrivateDirectory {
    path: PathBuf,
    /// `None` once it is to stay.
    owned: Option<(File, Listed)>,
}

impl PrivateDirectory {
    /// A new one, after those were removed that have lost their owner.
    pub fn new(within: &Path) -> io::Result<Self> {
        sweep(within);
        let mut builder = Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        builder.permissions(of_the_owner());
        let directory = builder.tempdir_in(within)?;
        let lock = File::create_new(directory.path().join(LOCK))?;
        // Where files cannot be locked, nothing is swept.
        let _ = lock.lock();
        let path = directory.keep();
        let owned = Some((lock, Listed::new(&path)));
        Ok(Self { path, owned })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it where it is.
    pub fn keep(&mut self) {
        if self.owned.take().is_some() {
            let _ = fs::remove_file(self.path.join(LOCK));
        }
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        if self.owned.is_some() {
            // What cannot be removed is at worst left to the next sweep.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(unix)]
fn of_the_owner() -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(0o700)
}

/// Removes directories whose owners were killed: their locks are free.
fn sweep(within: &Path) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_ours && is_stale(&entry.path(), YOUNG) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a directory had an owner, and has none now.
fn is_stale(directory: &Path, young: Duration) -> bool {
    let lock = directory.join(LOCK);
    let is_file = fs::symlink_metadata(&lock).is_ok_and(|found| found.is_file());
    let age = fs::metadata(&lock).and_then(|found| found.modified());
    let old = age.is_ok_and(|made| made.elapsed().is_ok_and(|age| age >= young));
    is_file && old && File::open(&lock).is_ok_and(|lock| lock.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_enter() {
        use std::os::unix::fs::PermissionsExt;
        let within = tempfile::tempdir().unwrap();
        let directory = PrivateDirectory::new(within.path()).unwrap();
        let mode = fs::metadata(directory.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_directory_goes_unless_it_is_kept() {
        let within = tempfile::tempdir().unwrap();
        let gone = PrivateDirectory::new(within.path()).unwrap();
        let mut kept = PrivateDirectory::new(within.path()).unwrap();
        fs::write(gone.path().join("a"), "a").unwrap();
        fs::write(kept.path().join("a"), "a").unwrap();
        kept.keep();
        let paths = [gone.path().to_owned(), kept.path().to_owned()];
        drop((gone, kept));
        assert!(!paths[0].exists() && paths[1].exists());
        assert_eq!(fs::read_dir(&paths[1]).unwrap().count(), 1);
    }

    #[test]
    fn what_has_lost_its_owner_is_stale() {
        let within = tempfile::tempdir().unwrap();
        let owned = PrivateDirectory::new(within.path()).unwrap();
        let (now, other) = (Duration::ZERO, within.path().join("burn-did-other"));
        assert!(!is_stale(owned.path(), now));
        // As after a kill: the lock goes with the process, and nothing is dropped.
        fs::create_dir(&other).unwrap();
        assert!(!is_stale(&other, now), "it never had an owner");
        fs::write(other.join(LOCK), "").unwrap();
        assert!(is_stale(&other, now) && !is_stale(&other, YOUNG));
        let file = File::options().write(true).open(other.join(LOCK)).unwrap();
        file.set_modified(std::time::SystemTime::now() - 2 * YOUNG).unwrap();
        drop(file);
        let next = PrivateDirectory::new(within.path()).unwrap();
        assert!(!other.exists() && owned.path().exists() && next.path().exists());
    }
}
