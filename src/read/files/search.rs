//! Files of a path, of a directory or of a pattern.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{FileFormat, Files, extension, problem};
use crate::base::error::{DidError, Result};
use crate::base::storage::Object;

/// Endings of compressed files, of which CSV files are read with some.
const COMPRESSED: [&str; 8] = ["gz", "bgz", "zst", "bz2", "xz", "lz4", "zip", "7z"];

/// Directories of table formats, whose data files are not all part of the table.
const TABLES: [(&str, &str); 2] = [("_delta_log", "Delta"), (".hoodie", "Hudi")];

pub(super) fn find(path: &Path) -> Result<Files> {
    if let Some(object) = Object::of(path).map_err(|e| io(path, e))? {
        return objects(path, &object);
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            let mut search = FileSearch::default();
            search.walk(path)?;
            search.files(path, "the directory has no CSV, parquet or Stata files")
        }
        Ok(found) => file(path, found.is_file()),
        Err(source) => match pattern(path) {
            Some((literal, pattern)) => expand(path, literal, &pattern),
            None => Err(io(path, source)),
        },
    }
}

fn file(path: &Path, regular: bool) -> Result<Files> {
    let Some(format) = FileFormat::of(path) else {
        if is_compressed(path) {
            return Err(problem(path, "the file is compressed; decompress it first"));
        }
        return Err(DidError::config("data", "a .csv, .parquet or .dta file", path.display()));
    };
    if !regular {
        return Err(problem(path, "neither a file nor a directory"));
    }
    Ok(Files { format, paths: vec![path.to_owned()], decimal: None, rows: Vec::new() })
}

/// The path as a pattern, if it is one, and what exists of it, which stands for itself.
fn pattern(path: &Path) -> Option<(&Path, String)> {
    let text = path.to_str()?;
    if !text.contains(['*', '?', '[']) {
        return None;
    }
    let literal = path.ancestors().skip(1).find(|p| !p.as_os_str().is_empty() && p.exists());
    let Some(literal) = literal else { return Some((Path::new(""), text.to_owned())) };
    let below = path.strip_prefix(literal).ok()?.to_str()?;
    let escaped = PathBuf::from(glob::Pattern::escape(literal.to_str()?));
    Some((literal, escaped.join(below).to_str()?.to_owned()))
}

/// Objects of a path: parquet files.
fn objects(path: &Path, object: &Object) -> Result<Files> {
    let files = objects_of_any_format(path, object)?;
    if files.format == FileFormat::Parquet {
        return Ok(files);
    }
    let text =
        format!("{} are read from directories only; write them to parquet", files.format.called());
    Err(problem(path, text))
}

/// Objects of a name, of a prefix as of a directory, or of a pattern.
fn objects_of_any_format(path: &Path, object: &Object) -> Result<Files> {
    if object.exists().map_err(|e| io(path, e))? {
        return file(path, true);
    }
    let text = path.to_string_lossy();
    let (within, pattern) = match text.find(['*', '?', '[']) {
        None => (text.trim_end_matches('/'), None),
        Some(first) => {
            let pattern = glob::Pattern::new(&text);
            let pattern =
                pattern.map_err(|e| problem(path, format!("not a valid pattern: {e}")))?;
            (text[..first].rsplit_once('/').map_or("", |(within, _)| within), Some(pattern))
        }
    };
    let within = Path::new(within);
    let below = match Object::of(within) {
        Ok(Some(object)) => object.below(),
        Ok(None) => Err(ErrorKind::NotFound.into()),
        Err(error) => Err(error),
    };
    let mut search = FileSearch::default();
    for found in below.map_err(|e| io(path, e))? {
        let Ok(rest) = found.strip_prefix(within) else { continue };
        let names: Vec<_> = rest.iter().map(|name| name.to_string_lossy()).collect();
        if let Some((_, table)) =
            TABLES.iter().find(|(marker, _)| names.iter().any(|n| n == marker))
        {
            return Err(is_table(within, table));
        }
        let hidden = names.iter().any(|name| name.starts_with(['.', '_']));
        let options = glob::MatchOptions { require_literal_separator: true, ..Default::default() };
        let matches =
            |p: &glob::Pattern| found.ancestors().any(|path| p.matches_path_with(path, options));
        if !hidden && pattern.as_ref().is_none_or(matches) {
            search.sort(found);
        }
    }
    if search.empty {
        return Err(io(path, ErrorKind::NotFound.into()));
    }
    search.files(path, "there are no parquet files")
}

/// Files of a pattern, those of the directories it matches included.
fn expand(path: &Path, literal: &Path, pattern: &str) -> Result<Files> {
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..Default::default() };
    let matches = glob::glob_with(pattern, options)
        .map_err(|e| problem(path, format!("not a valid pattern: {e}")))?;
    let underscore = |path: &Path| {
        let below = path.strip_prefix(literal).unwrap_or(path);
        below.components().any(|c| c.as_os_str().to_string_lossy().starts_with('_'))
    };
    let mut search = FileSearch::default();
    for matched in matches {
        let matched = matched.map_err(|e| io(&PathBuf::from(e.path()), e.into()))?;
        if underscore(&matched) && !underscore(path) {
            continue;
        }
        search.add(&matched)?;
    }
    if search.empty {
        return Err(io(path, ErrorKind::NotFound.into()));
    }
    search.files(path, "the pattern matches no CSV, parquet or Stata files")
}

/// What was found below a directory or by a pattern.
struct FileSearch {
    /// With their formats.
    data: Vec<(FileFormat, PathBuf)>,
    compressed: Vec<PathBuf>,
    /// Directories that are open, with links resolved, so that a loop of links has an end.
    open: Vec<PathBuf>,
    empty: bool,
}

impl Default for FileSearch {
    fn default() -> Self {
        Self { data: vec![], compressed: vec![], open: vec![], empty: true }
    }
}

impl FileSearch {
    fn walk(&mut self, directory: &Path) -> Result<()> {
        let resolved = fs::canonicalize(directory).map_err(|e| io(directory, e))?;
        if self.open.contains(&resolved) {
            return Ok(());
        }
        self.open.push(resolved);
        for entry in fs::read_dir(directory).map_err(|e| io(directory, e))? {
            let path = entry.map_err(|e| io(directory, e))?.path();
            let name = name(&path);
            if let Some((_, table)) = TABLES.iter().find(|(marker, _)| *marker == name) {
                return Err(is_table(directory, table));
            }
            if !name.starts_with(['.', '_']) {
                self.add(&path)?;
            }
        }
        self.open.pop();
        Ok(())
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        self.empty = false;
        let format = FileFormat::of(path);
        let found = match fs::metadata(path) {
            Ok(found) => found,
            // A link to nothing matters only if it should be data.
            Err(source) if format.is_some() => return Err(io(path, source)),
            Err(_) => return Ok(()),
        };
        if found.is_dir() {
            return self.walk(path);
        }
        if format.is_some() && !found.is_file() {
            return Err(problem(path, "neither a file nor a directory"));
        }
        self.sort(path.to_owned());
        Ok(())
    }

    /// Adds a file to those of its kind.
    fn sort(&mut self, path: PathBuf) {
        self.empty = false;
        match FileFormat::of(&path) {
            Some(format) => self.data.push((format, path)),
            None if is_compressed(&path) => self.compressed.push(path),
            None => {}
        }
    }

    /// The files in the order of their names.
    fn files(self, path: &Path, none: &str) -> Result<Files> {
        if let Some(compressed) = self.compressed.first() {
            let text = format!("{} is compressed; decompress it first", compressed.display());
            return Err(problem(path, text));
        }
        let Some((format, first)) = self.data.first() else { return Err(problem(path, none)) };
        let format = *format;
        if let Some((other, second)) = self.data.iter().find(|(other, _)| *other != format) {
            let mut both = [(format, first), (*other, second)];
            both.sort_unstable();
            let [one, other] = both.map(|(f, path)| format!("{} ({})", f.called(), path.display()));
            return Err(problem(path, format!("there are {one} and {other}; keep one format")));
        }
        let mut paths: Vec<PathBuf> = self.data.into_iter().map(|(_, path)| path).collect();
        paths.sort_unstable();
        paths.dedup();
        Ok(Files { format, paths, decimal: None, rows: Vec::new() })
    }
}

fn is_table(directory: &Path, table: &str) -> DidError {
    let text = format!(
        "the directory is a {table} table, whose files are not all part of it; read it with a reader for such tables and fit the frame"
    );
    problem(directory, text)
}

/// Whether a file is a compressed data file, as `panel.csv.gz`.
fn is_compressed(path: &Path) -> bool {
    let inner = path.file_stem().map(Path::new);
    extension(path).is_some_and(|e| COMPRESSED.contains(&e.as_str()))
        && inner.is_some_and(|inner| FileFormat::of(inner).is_some())
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

fn io(path: &Path, source: std::io::Error) -> DidError {
    let source = match source.kind() {
        ErrorKind::NotFound => {
            let text = match path.as_os_str() == "-" {
                true => "no such file; data are read from files, and not from standard input",
                false => "no such file",
            };
            std::io::Error::new(ErrorKind::NotFound, text)
        }
        _ => source,
    };
    DidError::io(path, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    fn found(root: &tempfile::TempDir, path: &str) -> Result<Vec<String>> {
        let files = find(&root.path().join(path))?;
        let relative = |p: &PathBuf| p.strip_prefix(root.path()).unwrap().display().to_string();
        Ok(files.paths.iter().map(relative).collect())
    }

    fn error(root: &tempfile::TempDir, path: &str) -> String {
        found(root, path).unwrap_err().to_string()
    }

    #[test]
    fn a_name_that_exists_is_no_pattern() {
        let root = tree(&["data[1].csv", "data1.csv", "a*b.csv", "axb.csv", "what?.csv"]);
        for name in ["data[1].csv", "a*b.csv", "what?.csv", "data1.csv"] {
            assert_eq!(found(&root, name).unwrap(), [name]);
        }
        assert_eq!(found(&root, "data[2-9].csv").unwrap_err().to_string(), {
            format!("{}: no such file", root.path().join("data[2-9].csv").display())
        });
        assert_eq!(found(&root, "data[0-9].csv").unwrap(), ["data1.csv"]);
        assert_eq!(found(&root, "a?b.csv").unwrap(), ["a*b.csv", "axb.csv"]);
    }

    #[test]
    fn a_dash_is_not_standard_input() {
        let message = find(Path::new("-")).unwrap_err().to_string();
        assert!(message.ends_with("not from standard input"), "{message}");
    }

    #[test]
    fn what_exists_of_a_pattern_stands_for_itself() {
        let root = tree(&["d[1]/a.parquet", "d1/b.parquet", "d[1]/sub/c.parquet"]);
        assert_eq!(found(&root, "d[1]/*.parquet").unwrap(), ["d[1]/a.parquet"]);
        assert_eq!(found(&root, "d[1]").unwrap(), ["d[1]/a.parquet", "d[1]/sub/c.parquet"]);
        let all = found(&root, "d*").unwrap();
        assert_eq!(all, ["d1/b.parquet", "d[1]/a.parquet", "d[1]/sub/c.parquet"]);
    }

    #[test]
    fn directories_are_read_without_what_is_hidden() {
        let root = tree(&["s/_SUCCESS", "s/.part.crc", "s/.a.parquet", "s/b/2.PARQUET", "s/1.pq"]);
        assert_eq!(found(&root, "s").unwrap(), ["s/1.pq", "s/b/2.PARQUET"]);
        assert_eq!(found(&root, "s/*").unwrap(), ["s/1.pq", "s/b/2.PARQUET"]);
        assert_eq!(found(&root, "s/.a.parquet").unwrap(), ["s/.a.parquet"]);
    }

    #[test]
    fn directories_that_are_no_data_are_said_to_be_that() {
        let root = tree(&[
            "none/readme.txt",
            "two/a.csv",
            "two/b.parquet",
            "three/c.dta",
            "three/d.csv",
            "zip/a.csv.bz2",
        ]);
        assert!(error(&root, "none").ends_with("the directory has no CSV, parquet or Stata files"));
        assert!(
            error(&root, "none/*").ends_with("the pattern matches no CSV, parquet or Stata files")
        );
        assert!(error(&root, "two").contains("keep one format"));
        let mixed = error(&root, "three");
        assert!(mixed.contains("CSV files (") && mixed.contains("Stata files ("), "{mixed}");
        assert!(error(&root, "zip").contains("decompress"));
        assert!(error(&root, "zip/a.csv.bz2").contains("decompress"));
        assert!(error(&root, "none/readme.txt").contains(".csv, .parquet or .dta"));
        let root = tree(&["t/_delta_log/0.json", "t/a.parquet"]);
        assert!(error(&root, "t").contains("Delta"));
    }

    #[test]
    fn compressed_csv_files_are_read_and_no_others() {
        let root = tree(&["zip/b.csv.GZ", "zip/a.csv.zst", "zip/c.csv", "parquet/a.parquet.gz"]);
        assert_eq!(found(&root, "zip").unwrap(), ["zip/a.csv.zst", "zip/b.csv.GZ", "zip/c.csv"]);
        assert!(error(&root, "parquet").contains("decompress"));
    }

    #[cfg(unix)]
    #[test]
    fn a_loop_of_links_has_an_end() {
        let root = tree(&["d/a.csv"]);
        std::os::unix::fs::symlink(root.path().join("d"), root.path().join("d/again")).unwrap();
        assert_eq!(found(&root, "d").unwrap(), ["d/a.csv"]);
    }
}
