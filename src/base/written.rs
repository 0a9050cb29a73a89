//! Files that were asked for: there as a whole, or as they were before.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::path::Path;

use polars::prelude::PolarsError;

use crate::base::error::{DidError, Result};
use crate::base::temporary::Listed;

/// Beginning of the name under which a file is written, which searches for data pass over.
const PREFIX: &str = ".burn-did-";

/// Has `write` write a file, which it is given open and by a name that has the ending of `path`, and puts it in the place of
/// `path` when it is complete.
///
/// # Errors
/// [`DidError::Io`]; what was there before is then still there.
pub(crate) fn whole(
    path: &Path,
    write: impl FnOnce(&Path, &mut File) -> io::Result<()>,
) -> Result<()> {
    replace(path, write).map_err(|source| failed(path, &source))
}

/// Writes a text.
///
/// # Errors
/// As [`whole`].
pub(crate) fn text(path: &Path, text: &str) -> Result<()> {
    bytes(path, text.as_bytes())
}

/// Writes bytes.
///
/// # Errors
/// As [`whole`].
pub(crate) fn bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    whole(path, |_, file| io::Write::write_all(file, bytes))
}

/// What became of the writing of a table.
pub(crate) fn of_polars(error: PolarsError) -> io::Error {
    match error {
        PolarsError::IO { error, .. } => io::Error::new(error.kind(), error.to_string()),
        other => io::Error::other(other),
    }
}

/// An error unless the folder of a file to be written is there.
///
/// # Errors
/// [`DidError::Io`].
pub fn check_folder(path: &Path) -> Result<()> {
    match missing_folder(path) {
        None => Ok(()),
        Some(folder) => Err(failed(path, &no_folder(folder))),
    }
}

fn no_folder(folder: &Path) -> io::Error {
    let text = format!("there is no folder {}; make it first", folder.display());
    io::Error::new(ErrorKind::NotFound, text)
}

/// The folder of a file to be written, if there is none of that name.
fn missing_folder(path: &Path) -> Option<&Path> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    let is_missing = match fs::metadata(folder) {
        Ok(found) => !found.is_dir(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    is_missing.then_some(folder)
}

/// Why no file can be made beside one to be written, without the hidden name that it would have.
fn no_room(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let text = text.split_once(" at path ").map_or(text.as_str(), |(text, _)| text);
    io::Error::new(error.kind(), format!("nothing can be written to its folder: {text}"))
}

fn failed(path: &Path, source: &io::Error) -> DidError {
    let source = io::Error::new(source.kind(), format!("writing it: {source}"));
    DidError::io(path, source)
}

fn replace(path: &Path, write: impl FnOnce(&Path, &mut File) -> io::Result<()>) -> io::Result<()> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    // What a link leads to is written, and the link stays.
    let path = if is_link { fs::canonicalize(path)? } else { path.to_owned() };
    if let Some(folder) = missing_folder(&path) {
        return Err(no_folder(folder));
    }
    let before = match File::options().write(true).open(&path) {
        Ok(mut file) => {
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                // A device or a pipe has no place that could be taken.
                return write(&path, &mut file);
            }
            Some(metadata)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    let mut builder = tempfile::Builder::new();
    let ending = ending.unwrap_or_default();
    builder.prefix(PREFIX).suffix(&ending);
    #[cfg(unix)]
    builder.permissions(usual());
    let made = builder.tempfile_in(directory.unwrap_or(Path::new(".")));
    let mut temporary = made.map_err(|error| no_room(&error))?;
    let name = temporary.path().to_owned();
    let _listed = Listed::new(&name);
    write(&name, temporary.as_file_mut())?;
    if let Some(before) = before {
        fs::set_permissions(&name, before.permissions())?;
    }
    match temporary.as_file().sync_all() {
        // Not all file systems can.
        Err(error) if !matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput) => {
            Err(error)
        }
        _ => temporary.persist(&path).map(drop).map_err(|error| error.error),
    }
}

/// What others may do with a file as far as the process's mask allows it.
#[cfg(unix)]
fn usual() -> Permissions {
    use std::os::unix::fs::PermissionsExt;
    Permissions::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let name =
            |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let mut names: Vec<String> = fs::read_dir(directory).unwrap().map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn what_fails_leaves_what_was_there() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        for before in [None, Some("old")] {
            if let Some(before) = before {
                fs::write(&path, before).unwrap();
            }
            let error = whole(&path, |_, file| {
                io::Write::write_all(file, b"half")?;
                Err(ErrorKind::StorageFull.into())
            });
            let message = error.unwrap_err().to_string();
            assert!(message.contains("a.json: writing it: "), "{message}");
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            assert_eq!(names(directory.path()).len(), usize::from(before.is_some()));
        }
        text(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(directory.path()), ["a.json"]);
    }

    #[test]
    fn a_folder_that_is_missing_is_named_and_not_what_would_be_hidden_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let (folder, file) = (directory.path().join("none"), directory.path().join("file"));
        fs::write(&file, "").unwrap();
        for folder in [folder, file] {
            let path = folder.join("a.json");
            let message = text(&path, "new").unwrap_err().to_string();
            assert_eq!(check_folder(&path).unwrap_err().to_string(), message);
            let why = format!("a.json: writing it: there is no folder {}; make", folder.display());
            assert!(message.contains(&why) && !message.contains(PREFIX), "{message}");
        }
        assert!(check_folder(&directory.path().join("a.json")).is_ok());
        assert!(check_folder(Path::new("a.json")).is_ok());
        let hidden = format!("Permission denied (os error 13) at path \"/x/{PREFIX}1\"");
        let shown = no_room(&io::Error::other(hidden)).to_string();
        assert_eq!(shown, "nothing can be written to its folder: Permission denied (os error 13)");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("a"), directory.path().join("b"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        text(&path, "one").unwrap();
        let other = directory.path().join("c");
        fs::write(&other, "").unwrap();
        assert_eq!(mode(&path), mode(&other), "as any other file");
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        text(&link, "two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("two", 0o640));
        text(Path::new("/dev/null"), "three").unwrap();
    }
}
