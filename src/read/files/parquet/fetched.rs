//! Of a parquet file in an object store only what is wanted is fetched: into a file without a name that has the object's length, and
//! holes where nothing was fetched.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::base::parallel::held;
use crate::base::storage::{Object, Stamp, Version};

/// Bytes at the end that are fetched at once, in the hope that the metadata are among them.
const TAIL: u64 = 1 << 16;
/// Bytes of the length of the metadata and of the format's mark, which end a file.
const END: u64 = 8;
/// Ranges with gaps of at most so many bytes are fetched as one.
const GAP: u64 = 1 << 20;

/// Bytes of metadata that are kept for the next reads of the same objects.
const KEPT: usize = 32 << 20;

/// What was fetched of an object.
pub(super) struct Fetched {
    object: Object,
    version: Version,
    file: File,
}

impl Fetched {
    /// The object's metadata.
    pub(super) fn footer(object: Object) -> io::Result<Self> {
        let version = object.version()?;
        let file = tempfile::tempfile()?;
        file.set_len(version.length)?;
        let fetched = Self { object, version, file };
        let name = fetched.object.name();
        let known = held(&FOOTERS).get(&name, &fetched.version);
        let footer = match known {
            Some(footer) => footer,
            None => {
                let footer: Arc<[u8]> = fetched.fetch_footer()?.into();
                held(&FOOTERS).add(name, fetched.version.clone(), Arc::clone(&footer));
                footer
            }
        };
        fetched.write(fetched.version.length - footer.len() as u64, &footer)?;
        Ok(fetched)
    }

    /// The object in the version that is fetched.
    pub(super) fn stamp(&self) -> Stamp {
        Stamp::of_version(&self.version)
    }

    /// As a file, with holes where nothing was fetched.
    pub(super) fn file(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Adds some of its bytes; all ranges are asked for at the same time.
    pub(super) fn add(&self, ranges: Vec<Range<u64>>) -> io::Result<()> {
        let mut write = |start, bytes: &[u8]| self.write(start, bytes);
        self.object.ranges_of(&self.version, &joined(ranges), &mut write)
    }

    /// The object's end, with all metadata.
    fn fetch_footer(&self) -> io::Result<Vec<u8>> {
        let length = self.version.length;
        let tail = length.saturating_sub(TAIL)..length;
        let bytes = self.fetch(&tail)?;
        let Some(end) = bytes.len().checked_sub(END as usize) else { return Ok(bytes) };
        let size = [bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3]];
        let start = length.saturating_sub(END + u64::from(u32::from_le_bytes(size)));
        if start >= tail.start {
            return Ok(bytes);
        }
        let mut all = self.fetch(&(start..tail.start))?;
        all.extend(bytes);
        Ok(all)
    }

    fn fetch(&self, range: &Range<u64>) -> io::Result<Vec<u8>> {
        self.object.range_of(&self.version, range.start, range.end - range.start)
    }

    fn write(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(start))?;
        file.write_all(bytes)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(())
    }
}

/// Metadata of objects that were read before.
static FOOTERS: Mutex<Footers<Version>> = Mutex::new(Footers::new());

/// Ends of objects in a version, the last used at the back.
struct Footers<V> {
    entries: VecDeque<(String, V, Arc<[u8]>)>,
    bytes: usize,
}

impl<V: PartialEq> Footers<V> {
    const fn new() -> Self {
        Self { entries: VecDeque::new(), bytes: 0 }
    }

    fn get(&mut self, name: &str, version: &V) -> Option<Arc<[u8]>> {
        let at = self.entries.iter().position(|(n, v, _)| n == name && v == version)?;
        let entry = self.entries.remove(at)?;
        let footer = Arc::clone(&entry.2);
        self.entries.push_back(entry);
        Some(footer)
    }

    /// Adds the end of an object, in place of that of another version.
    fn add(&mut self, name: String, version: V, footer: Arc<[u8]>) {
        self.entries.retain(|(n, ..)| *n != name);
        self.entries.push_back((name, version, footer));
        self.bytes = self.entries.iter().map(|(.., footer)| footer.len()).sum();
        while self.bytes > KEPT
            && let Some((.., oldest)) = self.entries.pop_front()
        {
            self.bytes -= oldest.len();
        }
    }
}

/// The ranges in their order, with those as one that are next to each other.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(GAP) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footers_are_those_of_a_version_and_the_last_used() {
        let mut footers = Footers::new();
        let of = |length: usize| Arc::<[u8]>::from(vec![0; length]);
        footers.add("a".into(), 1, of(10));
        assert_eq!(footers.get("a", &2), None, "written anew");
        assert_eq!(footers.get("b", &1), None);
        footers.add("a".into(), 2, of(20));
        assert_eq!((footers.get("a", &1), footers.bytes), (None, 20));
        footers.add("b".into(), 1, of(KEPT - 30));
        assert_eq!(footers.get("a", &2), Some(of(20)));
        footers.add("c".into(), 1, of(20));
        assert_eq!(footers.get("b", &1), None, "not used for longest");
        assert_eq!((footers.get("a", &2), footers.bytes), (Some(of(20)), 40));
    }

    #[test]
    fn neighbours_are_fetched_as_one() {
        let far = 3 * GAP;
        let ranges = vec![far..far + 5, 0..10, 4..6, 10 + GAP..20 + GAP, far + 2..far + 9];
        assert_eq!(joined(ranges), [0..20 + GAP, far..far + 9]);
        assert!(joined(Vec::new()).is_empty());
    }
}
