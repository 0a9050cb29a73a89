//! Short texts as numbers in the order of the texts: what differs between them, place by place, is the digits of the number.
//!
//! Most identifiers are a few letters or digits, and many have the same ones at the same places (`firm00017`). Their numbers are coded as
//! those of a column of integers, without hashes and without comparing texts.

use polars::prelude::StringChunked;

use super::runs::TextSlice;
use super::text_block::{BLOCK, LONGEST, NO_TEXT, TextBlock, TextSource, WORDS};
use crate::base::parallel;
use crate::base::simd::vectorized;

/// Texts that one task looks at.
const PART: usize = 64 * BLOCK;

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
        column.downcast_iter().try_fold(Self::NONE, |all, piece| {
            Some(all.and(Self::of(&TextSlice(piece), |_| true)?))
        })
    }

    /// As [`of_column`](Self::of_column); `None`, too, as soon as some of the texts do not suit.
    pub fn of(texts: &impl TextSource, suits: impl Fn(&Self) -> bool + Sync) -> Option<Self> {
        let count = texts.count();
        let of_part = |part| {
            let (mut found, mut block) = (Found::NOTHING, TextBlock::new());
            let positions = parallel::part(part, PART, count);
            for first in positions.clone().step_by(BLOCK) {
                texts.fill(first..positions.end.min(first + BLOCK), &mut block);
                found.add(&block)?;
            }
            Some(found.spelling()).filter(&suits)
        };
        let parts = parallel::map_all(count.div_ceil(PART), of_part)?;
        Some(parts.into_iter().fold(Self::NONE, Self::and))
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

/// Bytes that are compared at once: the same places of four words.
const LANES: usize = 32;

/// What the texts of some blocks have at each of their places.
struct Found {
    /// One less than the smallest byte, so that zeros after the end of a text are more than any.
    smallest_less_one: [[u8; LANES]; WORDS],
    largest: [[u8; LANES]; WORDS],
    shortest: u32,
    /// One more than the length of the longest text, zero if there is none.
    longest_and_one: u32,
}

impl Found {
    const NOTHING: Self = Self {
        smallest_less_one: [[u8::MAX; LANES]; WORDS],
        largest: [[0; LANES]; WORDS],
        shortest: NO_TEXT,
        longest_and_one: 0,
    };

    /// Adds the texts of a block; `None` if one is too long or has a byte of zero.
    fn add(&mut self, block: &TextBlock) -> Option<()> {
        let mut bytes_of_texts = 0;
        for length in &block.lengths {
            self.shortest = self.shortest.min(*length);
            self.longest_and_one = self.longest_and_one.max(length.wrapping_add(1));
            bytes_of_texts += if *length == NO_TEXT { 0 } else { u64::from(*length) };
        }
        if self.longest_and_one as usize > LONGEST + 1 {
            return None;
        }
        let extremes = self.smallest_less_one.iter_mut().zip(&mut self.largest);
        let mut bytes_found = 0;
        for (words, (smallest, largest)) in block.words().iter().zip(extremes) {
            let bytes = words.map(u64::to_le_bytes);
            let mut found = [0_u8; LANES];
            for bytes in bytes.as_flattened().as_chunks::<LANES>().0 {
                let lanes = smallest.iter_mut().zip(&mut *largest).zip(&mut found);
                for (byte, ((smallest, largest), found)) in bytes.iter().zip(lanes) {
                    *smallest = byte.wrapping_sub(1).min(*smallest);
                    *largest = *byte.max(largest);
                    *found += u8::from(*byte != 0);
                }
            }
            bytes_found += found.iter().map(|found| u64::from(*found)).sum::<u64>();
        }
        (bytes_found == bytes_of_texts).then_some(())
    }

    fn spelling(&self) -> Spelling {
        let mut spelling = Spelling {
            shortest: LONGEST.min(self.shortest as usize),
            longest: (self.longest_and_one as usize).saturating_sub(1),
            ..Spelling::NONE
        };
        for place in 0..LONGEST {
            let lanes = || (0..LANES / 8).map(|word| place % 8 + 8 * word);
            let smallest = lanes().map(|lane| self.smallest_less_one[place / 8][lane]).min();
            let largest = lanes().map(|lane| self.largest[place / 8][lane]).max();
            spelling.smallest[place] = smallest.unwrap_or(u8::MAX).wrapping_add(1);
            spelling.largest[place] = largest.unwrap_or(0);
        }
        spelling
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

impl Digit {
    /// Adds what a digit is worth to the numbers of texts with these words.
    #[inline(always)]
    fn add(&self, words: &[u64; BLOCK], numbers: &mut [i64; BLOCK]) {
        let shift = 8 * (self.place % 8);
        let more = |word: &u64| lowest_byte(word >> shift).saturating_sub(self.least);
        match u32::try_from(self.weight) {
            // Processors multiply halves of words by vectors.
            Ok(weight) => {
                for (number, word) in numbers.iter_mut().zip(words) {
                    *number += (u64::from(more(word)) * u64::from(weight)).cast_signed();
                }
            }
            Err(_) => {
                for (number, word) in numbers.iter_mut().zip(words) {
                    *number += i64::from(more(word)) * self.weight;
                }
            }
        }
    }
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
    pub fn of(texts: &impl TextSource) -> Option<Self> {
        let has_numbers = |spelling: &Spelling| Self::by_places(spelling).is_some();
        Self::by_places(&Spelling::of(texts, has_numbers)?)
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

    /// What `of` makes of the number of each text.
    pub fn of_each<T: Copy + Send + Sync>(
        &self,
        texts: &impl TextSource,
        missing: T,
        of: impl Fn(i64) -> T + Sync,
    ) -> Vec<T> {
        let count = texts.count();
        let mut all = vec![missing; count];
        parallel::chunks(&mut all, PART, |part, all| {
            let mut block = TextBlock::new();
            for (own, all) in all.chunks_mut(BLOCK).enumerate() {
                let first = part * PART + own * BLOCK;
                texts.fill(first..first + all.len(), &mut block);
                let numbers = self.numbers(&block);
                for ((out, number), length) in all.iter_mut().zip(numbers).zip(block.lengths) {
                    *out = if length == NO_TEXT { missing } else { of(number) };
                }
            }
        });
        all
    }

    /// The numbers of the texts of a block.
    fn numbers(&self, block: &TextBlock) -> [i64; BLOCK] {
        let words = block.words();
        vectorized(
            #[inline(always)]
            || {
                let mut numbers = [0; BLOCK];
                for digit in self.digits.iter().filter(|digit| !digit.is_constant) {
                    if let Some(words) = words.get(digit.place / 8) {
                        digit.add(words, &mut numbers);
                    }
                }
                numbers
            },
        )
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
