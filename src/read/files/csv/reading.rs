//! Pieces of files read on all cores, column by column.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use super::file::CsvFile;
use super::kinds::Mode;
use super::part::{ColumnPart, PartBuilder, PartValues};
use super::pieces::{Piece, Pieces};
use super::scanner::{FieldPlace, Mistake, Scanned, Scanner};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::parallel::{self, held};
use crate::base::progress::Progress;
use crate::read::columns::{Kind, MissingWords};
use crate::read::files::{DecimalMark, problem};

/// Memory is asked for whenever so much more is held.
const ASKED: u64 = 1 << 27;

const REMEDY: &str = "write the data to parquet, from which panels are streamed";

/// The columns that are read, and how.
pub(super) struct Reading<'a> {
    pub files: &'a [CsvFile<'a>],
    pub columns: &'a [CsvColumn],
    /// What separates decimals, if somebody said so.
    pub decimal: Option<DecimalMark>,
    /// Bytes of a piece.
    pub size: usize,
    pub progress: Option<&'a Progress>,
}

/// A column that is asked for.
pub(super) struct CsvColumn {
    pub name: String,
    /// What counts of it.
    pub kind: Kind,
    /// What stands for a missing value.
    pub missing: MissingWords,
}

/// What was read of a piece.
pub(super) struct ReadPiece {
    file: usize,
    number: usize,
    pub rows: usize,
    lines: usize,
    /// A column each; none of a column that was not read.
    pub parts: Vec<Option<ColumnPart>>,
    /// Stored bytes that were read when this piece was.
    position: u64,
}

/// A piece, or the number of one and why it cannot be read.
type Answer = std::result::Result<ReadPiece, (usize, Box<Failure>)>;

enum Failure {
    Error(DidError),
    /// In a file, at a line counted from the beginning of the piece.
    Mistake {
        file: usize,
        line: usize,
        mistake: Mistake,
    },
}

impl Reading<'_> {
    /// All pieces, in order; columns without a mode are left out.
    ///
    /// # Errors
    /// The first of the files.
    pub fn pieces(&self, modes: &[Option<Mode>]) -> Result<Vec<ReadPiece>> {
        let paths = self.files.iter().map(|file| file.path).collect();
        let pieces = Mutex::new(Pieces::new(paths, self.size));
        let texts: Vec<AtomicBool> = modes.iter().map(|_| AtomicBool::new(false)).collect();
        let stopped = AtomicBool::new(false);
        let total: u64 = self.files.iter().map(|file| file.bytes).sum();
        let work = |answers: &Sender<Answer>| {
            let mut piece = Piece::default();
            while !stopped.load(Ordering::Relaxed) {
                let (found, position) = {
                    let mut pieces = held(&pieces);
                    (pieces.next(&mut piece), pieces.read())
                };
                let answer = match found {
                    Ok(false) => break,
                    Ok(true) => self.read(&piece, modes, &texts, position),
                    Err(error) => Err((usize::MAX, Box::new(Failure::Error(error)))),
                };
                let failed = answer.is_err();
                if answers.send(answer).is_err() || failed {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
        };
        let (mut read, mut failures) = (Vec::new(), Vec::new());
        let (mut bytes, mut asked) = (0, 0);
        let mut take = |answer: Answer| match answer {
            Err(failure) => failures.push(failure),
            Ok(piece) => {
                bytes += piece.parts.iter().flatten().map(ColumnPart::bytes).sum::<u64>();
                if bytes > asked + ASKED {
                    asked = bytes;
                    // As much again will be needed.
                    let room = memory::check("the columns of a CSV file", ASKED.into(), REMEDY);
                    if let Err(error) = room {
                        failures.push((piece.number, Box::new(Failure::Error(error))));
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
                if let Some(progress) = self.progress {
                    progress.report("reading", piece.position, total);
                }
                read.push(piece);
            }
        };
        parallel::sending(total as usize > self.size, &work, &mut take);
        read.sort_unstable_by_key(|piece| piece.number);
        match failures.into_iter().min_by_key(|(number, _)| *number) {
            None => Ok(read),
            Some((number, failure)) => Err(self.error(*failure, &held(&pieces), |file| {
                let before = read.iter().filter(|p| p.file == file && p.number < number);
                before.map(|piece| piece.lines).sum()
            })),
        }
    }

    /// Hands over all pieces in order, some together.
    ///
    /// # Errors
    /// The first of the files, and those of `take`.
    pub fn rounds(
        &self,
        modes: &[Option<Mode>],
        together: usize,
        stage: &'static str,
        take: &mut dyn FnMut(Vec<ReadPiece>) -> Result<()>,
    ) -> Result<()> {
        let mut pieces = Pieces::new(self.files.iter().map(|file| file.path).collect(), self.size);
        let texts: Vec<AtomicBool> = modes.iter().map(|_| AtomicBool::new(false)).collect();
        let total: u64 = self.files.iter().map(|file| file.bytes).sum();
        let mut lines = vec![0; self.files.len()];
        let mut round: Vec<Piece> = (0..together).map(|_| Piece::default()).collect();
        loop {
            let (mut filled, mut ended) = (0, None);
            while ended.is_none() && filled < together {
                match pieces.next(&mut round[filled]) {
                    Ok(true) => filled += 1,
                    Ok(false) => ended = Some(Ok(())),
                    Err(error) => ended = Some(Err(error)),
                }
            }
            let position = pieces.read();
            let read =
                parallel::map(filled, |piece| self.read(&round[piece], modes, &texts, position));
            let mut good = Vec::with_capacity(filled);
            for piece in read {
                let piece = piece.map_err(|(_, failure)| {
                    self.error(*failure, &pieces, |file: usize| lines[file])
                })?;
                lines[piece.file] += piece.lines;
                good.push(piece);
            }
            take(good)?;
            if let Some(progress) = self.progress {
                progress.report(stage, position, total);
            }
            if let Some(ended) = ended {
                return ended;
            }
        }
    }

    /// A failure as an error, where so many lines of a file are before the piece. It matters only if nobody wrote to the file meanwhile.
    fn error(
        &self,
        failure: Failure,
        pieces: &Pieces<'_>,
        lines_before: impl Fn(usize) -> usize,
    ) -> DidError {
        match failure {
            Failure::Error(error) => error,
            Failure::Mistake { file, line, mistake } => pieces.changed().unwrap_or_else(|| {
                problem(self.files[file].path, mistake.at(1 + line + lines_before(file)))
            }),
        }
    }

    fn read(
        &self,
        piece: &Piece,
        modes: &[Option<Mode>],
        texts: &[AtomicBool],
        position: u64,
    ) -> Answer {
        let (file, number) = (piece.file, piece.number);
        let failed = |(line, mistake)| (number, Box::new(Failure::Mistake { file, line, mistake }));
        // What is known to be text need not be typed.
        let known = |(mode, is_text): (&Option<Mode>, &AtomicBool)| match mode {
            Some(Mode::Typed) if is_text.load(Ordering::Relaxed) => Some(Mode::Text),
            mode => *mode,
        };
        let modes: Vec<Option<Mode>> = modes.iter().zip(texts).map(known).collect();
        let (mut parts, rows, lines) = self.columns(piece, &modes).map_err(failed)?;
        let is_mixed = |part: &Option<ColumnPart>| {
            part.as_ref().is_some_and(|part| matches!(part.values, PartValues::Mixed))
        };
        if parts.iter().any(is_mixed) {
            let again = |part| is_mixed(part).then_some(Mode::Text);
            let modes: Vec<Option<Mode>> = parts.iter().map(again).collect();
            modes.iter().zip(texts).filter(|(mode, _)| mode.is_some()).for_each(|(_, is_text)| {
                is_text.store(true, Ordering::Relaxed);
            });
            let (read, ..) = self.columns(piece, &modes).map_err(failed)?;
            for (part, read) in parts.iter_mut().zip(read).filter(|(_, read)| read.is_some()) {
                *part = read;
            }
        }
        Ok(ReadPiece { file, number, rows, lines, parts, position })
    }

    /// Columns of a piece, its rows and its lines.
    fn columns(
        &self,
        piece: &Piece,
        modes: &[Option<Mode>],
    ) -> Scanned<(Vec<Option<ColumnPart>>, usize, usize)> {
        let CsvFile { header, places, commas, .. } = &self.files[piece.file];
        let (separator, fields) = (header.separator, header.names.len());
        let builders = modes.iter().zip(self.columns).map(|(mode, column)| {
            mode.map(|mode| PartBuilder::new(&column.missing, column.kind, *commas, mode))
        });
        let mut builders: Vec<Option<PartBuilder<'_>>> = builders.collect();
        let mut scanner = Scanner::new(piece.bytes(), separator);
        if piece.has_header {
            scanner.record(fields, &mut |_, _| {})?;
        }
        let bytes = piece.bytes();
        // Looked at once if all of it is text.
        let whole = std::str::from_utf8(bytes).ok();
        let unreadable = Cell::new(None);
        let mut take = |field: usize, FieldPlace { bytes: place, doubled }: FieldPlace| {
            let Some(Some(column)) = places.get(field).copied() else { return };
            let Some(builder) = &mut builders[column] else { return };
            let text = match whole {
                Some(whole) => whole.get(place),
                None => std::str::from_utf8(&bytes[place]).ok(),
            };
            match text {
                None => unreadable.set(Some(column)),
                Some(text) if doubled => builder.push(&text.replace("\"\"", "\"")),
                Some(text) => builder.push(text),
            }
        };
        let mut rows = 0;
        while scanner.record(fields, &mut take)? {
            if let Some(column) = unreadable.get() {
                let column = self.columns[column].name.clone();
                return Err((scanner.first_line, Mistake::NotUtf8 { column }));
            }
            rows += 1;
        }
        let parts = builders.into_iter().map(|builder| builder.map(PartBuilder::finish)).collect();
        Ok((parts, rows, scanner.lines))
    }
}
