//! Names of a CSV file's columns, and what separates them.

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::source::Source;
use crate::base::error::Result;
use crate::read::columns::Wanted;
use crate::read::files::{check_columns, problem};

/// What may separate fields: the first of those that separate most names, and commas if they separate all that are wanted.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Names of a file's columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub names: Vec<String>,
    pub separator: u8,
}

impl Header {
    /// That of a file of which some columns are wanted.
    pub fn read(path: &Path, wanted: &[String]) -> Result<Self> {
        let mut file = BufReader::new(Source::open(path)?);
        loop {
            let mut line = Vec::new();
            if file.read_until(b'\n', &mut line).map_err(|e| file.get_ref().failed(e))? == 0 {
                return Err(problem(path, "the file is empty"));
            }
            let Ok(line) = String::from_utf8(line) else {
                return Err(problem(path, "the header is not in UTF-8; convert the file"));
            };
            let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.contains('\r') {
                return Err(problem(
                    path,
                    "lines end in carriage returns; write them with line feeds",
                ));
            }
            if !line.is_empty() {
                return Self::new(line, wanted).ok_or_else(|| {
                    problem(
                        path,
                        "the quotes of the header do not match; names must be in one line",
                    )
                });
            }
        }
    }

    /// `None` if a quote is not closed.
    fn new(line: &str, wanted: &[String]) -> Option<Self> {
        let read = |separator: &u8| {
            let names = fields(line, char::from(*separator))?;
            // One name is not separated by anything; a quote may be open in it.
            let separates = *separator == SEPARATORS[0] || names.len() > 1;
            separates.then_some(Self { names, separator: *separator })
        };
        let mut all: Vec<Self> = SEPARATORS.iter().filter_map(read).collect();
        let has_all = |header: &Self| wanted.iter().all(|name| header.names.contains(name));
        let by_commas = |header: &Self| header.separator == b',' && has_all(header);
        if !wanted.is_empty() && all.first().is_some_and(by_commas) {
            all.truncate(1);
        }
        let most = all.iter().map(|header| header.names.len()).max()?;
        all.into_iter().find(|header| header.names.len() == most)
    }

    /// Whether numbers may have decimal commas.
    pub fn allows_commas(&self) -> bool {
        self.separator != b','
    }

    /// An error unless the file has all columns of the roles, each once.
    pub fn check(&self, path: &Path, roles: &Wanted, names: &[String], only: bool) -> Result<()> {
        let available: Vec<&str> = self.names.iter().map(String::as_str).collect();
        check_columns(path, &available, roles, only)?;
        match names.iter().find(|name| available.iter().filter(|n| *n == name).count() > 1) {
            None => Ok(()),
            Some(name) => {
                let text = format!("several columns are called `{name}`; rename all but one");
                Err(problem(path, text))
            }
        }
    }

    /// For each field of a record, the column of these names that it belongs to.
    pub fn places(&self, names: &[String]) -> Vec<Option<usize>> {
        let mut places = vec![None; self.names.len()];
        for (column, name) in names.iter().enumerate() {
            if let Some(field) = self.names.iter().position(|n| n == name) {
                places[field] = Some(column);
            }
        }
        places
    }
}

/// The fields of a line; `None` if a quote is not closed.
fn fields(line: &str, separator: char) -> Option<Vec<String>> {
    let mut fields = Vec::new();
    let mut unread = line;
    loop {
        let (field, after) = match unread.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted, separator)?,
            None => match unread.split_once(separator) {
                Some((field, after)) => (field.to_owned(), Some(after)),
                None => (unread.to_owned(), None),
            },
        };
        fields.push(field);
        match after {
            Some(after) => unread = after,
            None => return Some(fields),
        }
    }
}

/// A field up to its closing quote, and what follows the separator after it.
fn quoted_field(quoted: &str, separator: char) -> Option<(String, Option<&str>)> {
    let mut field = String::new();
    let mut unread = quoted;
    loop {
        let (part, after) = unread.split_once('"')?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                unread = more;
            }
            None if after.is_empty() => return Some((field, None)),
            None => return after.strip_prefix(separator).map(|after| (field, Some(after))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(line: &str, wanted: &[&str]) -> Option<(Vec<String>, char)> {
        let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
        Header::new(line, &wanted).map(|header| (header.names, char::from(header.separator)))
    }

    #[test]
    fn names_may_be_quoted() {
        let names = |line: &str| header(line, &[]).unwrap().0;
        assert_eq!(names("a,b c,"), ["a", "b c", ""]);
        assert_eq!(names(r#""a","b,c","d""e",f"#), ["a", "b,c", "d\"e", "f"]);
        assert!(header(r#"a,"b,c"#, &[]).is_none());
        assert!(header(r#""a,b"#, &[]).is_none() && header(r#""a"b,c"#, &[]).is_none());
    }

    #[test]
    fn the_separator_is_that_of_most_names() {
        for (line, wanted, separator) in [
            ("a,b,c", &[][..], ','),
            ("a;b;c", &[], ';'),
            ("a\tb,c\td", &[], '\t'),
            ("a|b", &[], '|'),
            ("a", &[], ','),
            ("a;b,c", &[], ','),
            ("\"a\";\"b,c,d\";\"e\"", &[], ';'),
            ("\"a;b;c\",d", &[], ','),
            ("a;b;c,d", &["d"], ','),
            ("a;b;c,d", &["b"], ';'),
            ("id;log(x,2);y", &["id", "y"], ';'),
        ] {
            assert_eq!(header(line, wanted).unwrap().1, separator, "{line}");
        }
    }
}
