//! Files that several machines see: those of a directory that they share, and objects.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::objects::{Object, Upload};

/// A file that is being written.
#[derive(Debug)]
pub(crate) enum Writer {
    File(File),
    Object(Box<Upload>),
}

/// Begins a file.
pub(crate) fn create(path: &Path) -> io::Result<Writer> {
    Ok(match Object::of(path)? {
        None => Writer::File(File::create(path)?),
        Some(object) => Writer::Object(Box::new(object.create()?)),
    })
}

impl Writer {
    /// Others can read it when this returns.
    pub fn finish(self) -> io::Result<()> {
        match self {
            // Whoever reads it may be on another machine.
            Self::File(file) => file.sync_all(),
            Self::Object(upload) => upload.finish(),
        }
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Object(upload) => upload.put(bytes).map(|()| bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut writer = create(path)?;
    writer.write_all(bytes)?;
    writer.finish()
}

/// Bytes of a file.
pub(crate) fn length(path: &Path) -> io::Result<u64> {
    match Object::of(path)? {
        None => Ok(fs::metadata(path)?.len()),
        Some(object) => object.length(),
    }
}

/// All that is in a file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    match Object::of(path)? {
        None => fs::read(path),
        Some(object) => object.range(0, object.length()?),
    }
}

/// So many bytes of a file.
pub(crate) fn range(path: &Path, start: u64, length: usize) -> io::Result<Vec<u8>> {
    match Object::of(path)? {
        None => {
            let mut bytes = vec![0; length];
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        Some(object) => object.range(start, length as u64),
    }
}

/// The path as others can use it, who are in other directories.
pub(crate) fn whole(path: &Path) -> PathBuf {
    match super::split(path) {
        None => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        Some(_) => path.to_owned(),
    }
}

/// A directory in another that nobody uses yet.
pub(crate) fn fresh_directory(within: &Path) -> io::Result<PathBuf> {
    const PREFIX: &str = "burn-did-";
    if Object::of(within)?.is_some() {
        let chance = rand::random::<u128>();
        return Ok(within.join(format!("{PREFIX}{chance:032x}")));
    }
    Ok(tempfile::Builder::new().prefix(PREFIX).tempdir_in(within)?.keep())
}

/// An error unless it is a directory; object stores have none, so that any name will do.
pub(crate) fn check_directory(path: &Path) -> io::Result<()> {
    if Object::of(path)?.is_some() || fs::metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(io::ErrorKind::NotADirectory.into())
}

/// Whether there are no files in a directory, which is made if it is not there.
pub(crate) fn is_empty(path: &Path) -> io::Result<bool> {
    match Object::of(path)? {
        None => {
            fs::create_dir_all(path)?;
            Ok(fs::read_dir(path)?.next().is_none())
        }
        Some(object) => Ok(object.below()?.is_empty()),
    }
}

/// Gives a file another name in the same directory or store.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match (Object::of(from)?, Object::of(to)?) {
        (None, None) => fs::rename(from, to),
        (Some(from), Some(to)) => from.rename(&to),
        _ => Err(io::ErrorKind::CrossesDevices.into()),
    }
}

/// Removes a directory and what is below it.
pub(crate) fn remove_directory(path: &Path) -> io::Result<()> {
    match Object::of(path)? {
        None => fs::remove_dir_all(path),
        Some(object) => object.delete_below(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_directories() {
        let within = tempfile::tempdir().unwrap();
        let directory = fresh_directory(within.path()).unwrap();
        check_directory(&directory).unwrap();
        let path = directory.join("a");
        write(&path, b"0123456789").unwrap();
        assert_eq!(length(&path).unwrap(), 10);
        assert_eq!(read(&path).unwrap(), b"0123456789");
        assert_eq!(range(&path, 3, 4).unwrap(), b"3456");
        assert_eq!(range(&path, 8, 4).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(check_directory(&path).is_err());
        assert!(!is_empty(&directory).unwrap());
        let other = directory.join("b");
        rename(&path, &other).unwrap();
        assert_eq!(read(&other).unwrap(), b"0123456789");
        assert!(read(&path).is_err());
        assert!(is_empty(&directory.join("new")).unwrap());
        remove_directory(&directory).unwrap();
        assert!(check_directory(&directory).is_err());
    }

    #[test]
    fn paths_of_object_stores_stay_as_they_are() {
        let path = Path::new("s3://bucket/panel/a.parquet");
        assert_eq!(whole(path), path);
        assert!(whole(Path::new("panel")).is_absolute());
        assert!(whole(Path::new("http://panel")).is_absolute());
    }

    #[cfg(not(feature = "object-store"))]
    #[test]
    fn builds_without_object_stores_say_so() {
        let error = read(Path::new("s3://bucket/a")).unwrap_err();
        assert!(error.to_string().contains("feature `object-store`"));
    }
}
