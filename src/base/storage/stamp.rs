//! What tells a file from another that was there before under its name.

use std::fs::{File, Metadata};
use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::objects::Version;
use crate::base::segment::digest;

/// A file at a time: its length, when it was written, what its store calls this version of it, and a digest of its footer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    length: u64,
    /// Seconds since 1970, and nanoseconds.
    modified: (i64, u32),
    /// Of an object.
    tag: Option<String>,
    /// Device and number, which other machines may see differently.
    place: Option<(u64, u64)>,
    footer: Option<u64>,
}

impl Stamp {
    /// Of an open file, as it is now.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let modified = metadata.modified()?;
        let modified = match modified.duration_since(UNIX_EPOCH) {
            Ok(after) => (after.as_secs() as i64, after.subsec_nanos()),
            Err(before) => {
                let before = before.duration();
                (-(before.as_secs() as i64), before.subsec_nanos())
            }
        };
        Ok(Self {
            length: metadata.len(),
            modified,
            tag: None,
            place: place(&metadata),
            footer: None,
        })
    }

    /// Of an object in a version.
    pub fn of_version(version: &Version) -> Self {
        let (tag, modified) = version.tag_and_time();
        Self { length: version.length, modified, tag, place: None, footer: None }
    }

    /// With a digest of the bytes that end the file.
    pub fn with_footer(self, footer: &[u8]) -> Self {
        Self { footer: Some(digest(footer)), ..self }
    }

    /// As other machines see it, too.
    #[cfg(feature = "cluster")]
    pub fn shared(self) -> Self {
        Self { place: None, ..self }
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether a file that was found now is the same; what one of the two does not know is not compared.
    pub fn is_of(&self, now: &Self) -> bool {
        fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
            a.zip(b).is_none_or(|(a, b)| a == b)
        }
        (self.length, self.modified, &self.tag) == (now.length, now.modified, &now.tag)
            && agree(self.place, now.place)
            && agree(self.footer, now.footer)
    }
}

#[cfg(unix)]
fn place(found: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn place(_: &Metadata) -> Option<(u64, u64)> {
    None
}

#[cfg(feature = "cluster")]
#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn length_time_footer_and_place_tell_files_apart() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let stamp = |bytes: &[u8], time: SystemTime| {
            std::fs::write(&path, bytes).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
            Stamp::of(&File::open(&path).unwrap()).unwrap()
        };
        let time = UNIX_EPOCH + Duration::new(1_700_000_000, 5);
        let first = stamp(b"abc", time).with_footer(b"abc");
        assert_eq!(first.length(), 3);
        let other = stamp(b"abd", time);
        assert!(first.is_of(&other) && !first.is_of(&other.with_footer(b"abd")));
        assert!(!first.is_of(&stamp(b"abcd", time)));
        assert!(!first.is_of(&stamp(b"abc", time + Duration::from_millis(1))));
        assert!(!first.is_of(&stamp(b"abc", UNIX_EPOCH - Duration::from_secs(3))));
        // Another file with the same bytes and time.
        let copy = directory.path().join("b");
        std::fs::copy(&path, &copy).unwrap();
        std::fs::rename(&copy, &path).unwrap();
        let now = stamp(b"abc", time);
        assert!(!cfg!(unix) || !first.is_of(&now));
        assert!(first.shared().is_of(&now));
    }
}
