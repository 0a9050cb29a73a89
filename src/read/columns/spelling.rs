//! Short texts as numbers in the order of the texts: what differs between them, place by place, is the digits of the number.
//!
//! Most identifiers are a few letters or digits, and many have the same ones at the same places (`firm00017`). Their numbers are coded as
//! those of a column of integers, without hashes and without comparing texts.

use polars::prelude::StringChunked;

use super::runs::{LONGEST, LabelSlice, TextSlice, Words};
use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// Rows whose numbers are formed together.
const BLOCK: usize = 128;

/// What the texts of a column have at each of their places.
#[derive(Clone, Copy)]
pub(crate) struct Spelling {
    /// The smallest and the largest byte at each place; zero where no text is that long.
    smallest: [u8; LONGEST],
    largest: [u8; LONGEST],
    /// Bytes of the shortest and the longest text.
    shortest: usize,
    longest: usize,
}

impl Spelling {
    const NONE: Self =
        Self { smallest: [0; LONGEST], largest: [0; LONGEST], shortest: LONGEST, longest: 0 };

    /// `None` if a text is longer than 32 bytes or has a byte of zero.
    pub fn of_column(column: &StringChunked) -> Option<Self> {
        Self::of_all(column.downcast_iter().map(TextSlice), |_| true)
    }

    /// As [`of_column`](Self::of_column); `None`, too, as soon as some rows have texts that do not suit.
    fn of_all<'t>(
        pieces: impl Iterator<Item = TextSlice<'t>>,
        suits: impl Fn(&Self) -> bool + Sync,
    ) -> Option<Self> {
        let mut all = Self::NONE;
        for piece in pieces {
            let rows = piece.len();
            let of_part = |part| {
                let mut spelling = Self::NONE;
                let rows = parallel::part(part, PART, rows);
                let first = rows.start;
                // Rows of a unit are mostly one after another.
                for row in rows.filter(|row| *row == first || !piece.same(row - 1, *row)) {
                    let Some((words, length)) = piece.words(row) else { continue };
                    let is_known = match &words {
                        Words::Short(words) => spelling.holds(words, length),
                        Words::Long(words) => spelling.holds(words, length),
                    };
                    if !is_known {
                        spelling.widen(words.all(), length)?;
                    }
                }
                suits(&spelling).then_some(spelling)
            };
            all = parallel::map_all(rows.div_ceil(PART), of_part)?.into_iter().fold(all, Self::and);
        }
        Some(all)
    }

    /// Whether a text has nothing new. It is asked of every text, so that eight bytes are compared at once; beyond ASCII, whose bytes have a
    /// bit to spare, the answer is no.
    fn holds<const WORDS: usize>(&self, words: &[u64; WORDS], length: usize) -> bool {
        const SPARE: u64 = (u64::MAX / 255) << 7;
        if length < self.shortest || length > self.longest {
            return false;
        }
        let (smallest, largest) = (self.smallest.as_chunks().0, self.largest.as_chunks().0);
        let has_nothing_new = |at: usize| {
            let (smallest, largest) =
                (u64::from_le_bytes(smallest[at]), u64::from_le_bytes(largest[at]));
            let behind = match length.saturating_sub(8 * at) {
                bytes @ 0..8 => u64::MAX << (8 * bytes),
                _ => 0,
            };
            let word = words[at] | (smallest & behind);
            let are_within =
                (word | SPARE).wrapping_sub(smallest) & (largest | SPARE).wrapping_sub(word);
            (word | smallest | largest) & SPARE == 0 && are_within & SPARE == SPARE
        };
        (0..WORDS).all(has_nothing_new)
    }

    /// Adds a text; `None` if it is too long or has a byte of zero.
    fn widen(&mut self, words: [u64; LONGEST / 8], length: usize) -> Option<()> {
        let bytes = words.map(u64::to_le_bytes);
        let places = self.smallest.iter_mut().zip(&mut self.largest);
        for (byte, (smallest, largest)) in bytes.as_flattened().get(..length)?.iter().zip(places) {
            if *byte == 0 {
                return None;
            }
            *smallest = if *largest == 0 { *byte } else { *byte.min(smallest) };
            *largest = *byte.max(largest);
        }
        self.shortest = self.shortest.min(length);
        self.longest = self.longest.max(length);
        Some(())
    }

    fn and(mut self, other: Self) -> Self {
        for place in 0..LONGEST {
            let [own, others] = [self.smallest[place], other.smallest[place]];
            self.smallest[place] =
                if own.min(others) == 0 { own | others } else { own.min(others) };
            self.largest[place] = self.largest[place].max(other.largest[place]);
        }
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        self
    }

    /// The smallest and the largest byte at each place that a text has.
    pub fn places(&self) -> impl Iterator<Item = (u8, u8)> {
        self.smallest.iter().copied().zip(self.largest).take(self.longest)
    }

    /// Bytes of the shortest and the longest text.
    pub fn lengths(&self) -> (usize, usize) {
        (self.shortest, self.longest)
    }
}

/// A place of texts as a digit of their numbers.
#[derive(Clone, Copy)]
struct Digit {
    place: usize,
    /// The byte that adds nothing to the number, as the end of a text.
    least: u8,
    /// What each byte more adds.
    weight: i64,
    /// Whether all texts have the same there.
    is_constant: bool,
}

/// How texts are numbers.
#[derive(Clone)]
pub(super) struct TextNumbers {
    /// Of all places.
    digits: Vec<Digit>,
    /// Bytes of the shortest text.
    shortest: usize,
    /// Numbers that there may be, from 0.
    pub count: i64,
}

impl TextNumbers {
    /// `None` if texts are too long or their numbers need more than 63 bits.
    pub fn of(piece: &TextSlice<'_>) -> Option<Self> {
        let has_numbers = |spelling: &Spelling| Self::by_places(spelling).is_some();
        Self::by_places(&Spelling::of_all(std::iter::once(*piece), has_numbers)?)
    }

    fn by_places(spelling: &Spelling) -> Option<Self> {
        let mut digits = Vec::with_capacity(spelling.longest);
        let mut count = 1_i64;
        let places: Vec<(u8, u8)> = spelling.places().collect();
        for (place, (smallest, largest)) in places.into_iter().enumerate().rev() {
            // That a text has ended is less than any byte.
            let may_end = spelling.shortest <= place;
            let least = if may_end { smallest - 1 } else { smallest };
            digits.push(Digit { place, least, weight: count, is_constant: least == largest });
            count = count.checked_mul(i64::from(largest - least) + 1)?;
        }
        digits.reverse();
        Some(Self { digits, shortest: spelling.shortest, count })
    }

    /// What `of` makes of the number of each row's text.
    pub fn by_row<T: Copy + Send + Sync>(
        &self,
        piece: &TextSlice<'_>,
        missing: T,
        of: impl Fn(i64) -> T + Sync,
    ) -> Vec<T> {
        let mut numbers = vec![missing; piece.len()];
        parallel::chunks(&mut numbers, PART, |part, numbers| {
            for (block, numbers) in numbers.chunks_mut(BLOCK).enumerate() {
                let first = part * PART + block * BLOCK;
                let mut words = [[0_u64; BLOCK]; LONGEST / 8];
                let mut is_there = [false; BLOCK];
                for (at, row) in (first..first + numbers.len()).enumerate() {
                    let Some((text, _)) = piece.words(row) else { continue };
                    is_there[at] = true;
                    for (words, word) in words.iter_mut().zip(text.all()) {
                        words[at] = word;
                    }
                }
                let mut sums = [0_i64; BLOCK];
                for digit in self.digits.iter().filter(|digit| !digit.is_constant) {
                    let shift = 8 * (digit.place % 8);
                    for (sum, word) in sums.iter_mut().zip(&words[digit.place / 8]) {
                        let more = lowest_byte(word >> shift).saturating_sub(digit.least);
                        *sum += i64::from(more) * digit.weight;
                    }
                }
                for ((out, sum), is_there) in numbers.iter_mut().zip(sums).zip(is_there) {
                    *out = if is_there { of(sum) } else { missing };
                }
            }
        });
        numbers
    }

    fn text(&self, number: i64) -> String {
        let mut rest = number;
        let mut text = Vec::with_capacity(self.digits.len());
        for digit in &self.digits {
            let more = rest / digit.weight;
            if more == 0 && digit.place >= self.shortest {
                break;
            }
            rest %= digit.weight;
            text.push(digit.least.saturating_add(u8::try_from(more).unwrap_or(u8::MAX)));
        }
        String::from_utf8(text).unwrap_or_default()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest byte is asked for")]
fn lowest_byte(word: u64) -> u8 {
    word as u8
}

/// Labels that are known by their numbers.
#[derive(Clone)]
pub(crate) struct SpelledLabels {
    numbers: Vec<i64>,
    texts: TextNumbers,
}

impl SpelledLabels {
    /// Labels that have these numbers.
    pub(super) fn new(numbers: Vec<i64>, texts: TextNumbers) -> Self {
        Self { numbers, texts }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn text(&self, code: usize) -> String {
        self.texts.text(self.numbers[code])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_all_pieces() {
        let [one, other]: [StringChunked; 2] =
            [&[Some("b7"), None][..], &[Some("a12")]].map(|texts| texts.iter().copied().collect());
        let mut all = one;
        all.append(&other).unwrap();
        let spelling = Spelling::of_column(&all).unwrap();
        assert_eq!(spelling.lengths(), (2, 3));
        assert!(spelling.places().eq([(b'a', b'b'), (b'1', b'7'), (b'2', b'2')]));
    }
}
