//! Digests of the data.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::base::error::{DidError, Result};
use crate::base::storage::Object;
use crate::read::files::Files;

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// A file of the data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileDigest {
    /// Its path, as the data were named.
    pub path: String,
    /// Its SHA-256 in hexadecimal digits; `None` for an object of an object store, which is not read for it.
    pub sha256: Option<String>,
}

/// The digests of all files of a path.
pub(super) fn of(path: &Path) -> Result<Vec<FileDigest>> {
    let files = Files::find(path)?.paths;
    files
        .iter()
        .map(|file| {
            let remote = Object::of(file).map_err(|source| DidError::io(file, source))?.is_some();
            let sha256 = if remote { None } else { Some(of_file(file)?) };
            Ok(FileDigest { path: file.display().to_string(), sha256 })
        })
        .collect()
}

fn of_file(path: &Path) -> Result<String> {
    let failed = |source| DidError::io(path, source);
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let (mut digest, mut block) = (Sha256::new(), vec![0; BLOCK]);
    loop {
        match file.read(&mut block).map_err(failed)? {
            0 => break,
            read => digest.update(&block[..read]),
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "abc").unwrap();
        // The example of FIPS 180-4.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of(&path).unwrap()[0].sha256.as_deref(), Some(known));
    }
}
