//! The bytes of a CSV file, decompressed, as they are read.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use super::members::Members;
use crate::base::error::{DidError, Result};
use crate::base::storage::Stamp;
use crate::read::files::{PARQUET, problem};

/// First bytes of compressed files.
const GZIP: [u8; 2] = [0x1F, 0x8B];
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The mark at the beginning of a text in UTF-8.
const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Bytes that a decompressor reads at once.
const COMPRESSED: usize = 1 << 18;

/// An open file. It is read and not mapped: a file that gets shorter is then no fault of memory.
pub(super) struct Source {
    path: PathBuf,
    /// Shares its position with the reader.
    file: File,
    stamp: Stamp,
    reader: Box<dyn Read + Send>,
    compressed: bool,
    at_start: bool,
}

impl Source {
    /// Opens a file: plain, or compressed by gzip or zstd, whatever it is called.
    pub fn open(path: &Path) -> Result<Self> {
        let io = |source| DidError::io(path, source);
        let mut file = File::open(path).map_err(io)?;
        let stamp = Stamp::of(&file).map_err(io)?;
        let mut first = Vec::with_capacity(ZSTD.len());
        file.by_ref().take(ZSTD.len() as u64).read_to_end(&mut first).map_err(io)?;
        if first == PARQUET {
            return Err(problem(path, "it begins like a parquet file; name it .parquet"));
        }
        file.rewind().map_err(io)?;
        let again = file.try_clone().map_err(io)?;
        let buffered = |file| BufReader::with_capacity(COMPRESSED, file);
        let compressed = first.starts_with(&GZIP) || first.starts_with(&ZSTD);
        let reader: Box<dyn Read + Send> = if first.starts_with(&GZIP) {
            Box::new(Members::new(buffered(again)))
        } else if compressed {
            Box::new(zstd::Decoder::with_buffer(buffered(again)).map_err(io)?)
        } else {
            Box::new(again)
        };
        Ok(Self { path: path.to_owned(), file, stamp, reader, compressed, at_start: true })
    }

    /// Fills some bytes, but for fewer at the end of the file. A mark at its beginning is left out.
    pub fn fill(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let mut length = self.read(bytes)?;
        if std::mem::take(&mut self.at_start) && bytes[..length].starts_with(&MARK) {
            bytes.copy_within(MARK.len()..length, 0);
            length -= MARK.len();
            length += self.read(&mut bytes[length..])?;
        }
        Ok(length)
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let mut length = 0;
        while length < bytes.len() {
            match self.reader.read(&mut bytes[length..]) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(length)
    }

    pub fn failed(&self, error: io::Error) -> DidError {
        // What the system says has a number.
        if self.compressed && error.raw_os_error().is_none() {
            let text =
                format!("it cannot be decompressed: {error}; the file is damaged or was cut off");
            return problem(&self.path, text);
        }
        DidError::io(&self.path, error)
    }

    /// An error if the file is no longer what it was when it was opened.
    pub fn check_unchanged(&self) -> Result<()> {
        let now = Stamp::of(&self.file).map_err(|source| DidError::io(&self.path, source))?;
        if self.stamp.is_of(&now) {
            return Ok(());
        }
        let text = "the file was changed while it was read; fit again when nobody writes to it";
        Err(problem(&self.path, text))
    }

    /// Bytes of the file as it is stored.
    pub fn stored(&self) -> u64 {
        self.stamp.length()
    }

    /// How many of them were read.
    pub fn position(&mut self) -> u64 {
        self.file.stream_position().unwrap_or_default().min(self.stored())
    }
}

/// Reads byte by byte, as headers are.
impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.reader.read(bytes)
    }
}
