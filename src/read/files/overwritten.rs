//! Whether what is to be written is among what is read.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::Files;

/// The file of `input` that writing `output` would destroy: the same one, also by another name. `input` is a path as data have
/// it: a file, a directory or a pattern.
#[must_use]
pub fn overwritten(input: &Path, output: &Path) -> Option<PathBuf> {
    let found = fs::metadata(output).ok()?;
    let files = Files::find(input).map_or_else(|_| vec![input.to_owned()], |files| files.paths);
    files.into_iter().find(|file| is_same(file, output, &found))
}

#[cfg(unix)]
fn is_same(file: &Path, _: &Path, output: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: &Metadata| (found.dev(), found.ino());
    output.is_file() && fs::metadata(file).is_ok_and(|found| identity(&found) == identity(output))
}

#[cfg(not(unix))]
fn is_same(file: &Path, name: &Path, _: &Metadata) -> bool {
    fs::canonicalize(file).ok().zip(fs::canonicalize(name).ok()).is_some_and(|(a, b)| a == b)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_any_name() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("d")).unwrap();
        for name in ["d/a.csv", "d/b.csv", "other.json"] {
            fs::write(at(name), "x\n1\n").unwrap();
        }
        std::os::unix::fs::symlink(at("d/a.csv"), at("link.json")).unwrap();
        fs::hard_link(at("d/b.csv"), at("hard.json")).unwrap();
        for (input, output, is) in [
            ("d/a.csv", "d/a.csv", true),
            ("d/a.csv", "d/../d/a.csv", true),
            ("d/a.csv", "link.json", true),
            ("d", "hard.json", true),
            ("d/*.csv", "hard.json", true),
            ("other.json", "other.json", true),
            ("d", "other.json", false),
            ("d/a.csv", "new.json", false),
            ("no such file", "other.json", false),
        ] {
            assert_eq!(overwritten(&at(input), &at(output)).is_some(), is, "{input} {output}");
        }
        assert!(overwritten(Path::new("/dev/null"), Path::new("/dev/null")).is_none());
    }
}
