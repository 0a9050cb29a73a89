//! Files that were compressed by gzip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

/// The text of a file: of one member, or of several one after another, as parallel compressors and `cat` write them. Zeros after the last are
/// padding, as tapes and block devices have it.
pub(super) struct Members {
    /// `None` at the end, and after an error.
    member: Option<GzDecoder<BufReader<File>>>,
}

impl Members {
    pub fn new(file: BufReader<File>) -> Self {
        Self { member: Some(GzDecoder::new(file)) }
    }
}

impl Read for Members {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while !bytes.is_empty()
            && let Some(member) = &mut self.member
        {
            let read = member.read(bytes)?;
            if read > 0 {
                return Ok(read);
            }
            let rest = self.member.take().map(GzDecoder::into_inner);
            self.member = rest.map(after_padding).transpose()?.flatten().map(GzDecoder::new);
        }
        Ok(0)
    }
}

/// The rest of a file after its next zeros, if there is any.
fn after_padding(mut file: BufReader<File>) -> io::Result<Option<BufReader<File>>> {
    loop {
        let next = match file.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            next => next?,
        };
        if next.is_empty() {
            return Ok(None);
        }
        let zeros = next.iter().take_while(|byte| **byte == 0).count();
        let ended = zeros == next.len();
        file.consume(zeros);
        if !ended {
            return Ok(Some(file));
        }
    }
}
