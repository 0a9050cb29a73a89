//! Multiplied sums of the bootstrap; the multipliers' bits are those of the host.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_number, sign};
use super::columns::{Columns, value, value_of_next, weight};
use super::layout::{basis, draw_span};
use super::spans::{Spans, entry, place};
use crate::base::random::{FACTOR_A, FACTOR_C, GROWTH_HIGH, GROWTH_LOW, ROUNDS};
use crate::engine::pass::TILE;

/// Units of a cube.
pub(crate) const DRAW_UNITS: usize = 128;

/// Rows of a step.
const ROWS: usize = 32;

/// Draws that a row's random bits are formed for at once.
const BLOCK: usize = 128;

/// Draws of a word, one a bit.
const WORD_BITS: usize = 32;

/// Words in a block, and draws that a unit adds up; the numbers that the generator gives at once.
const WORDS: usize = BLOCK / WORD_BITS;

/// Sizes of the points of [`MultiplierLaw::Webb`].
const SIZES: usize = 3;

/// Bits of the fraction of [`MultiplierLaw::Mammen`], in two words.
const FRACTION_BITS: u32 = 2 * 32;

/// Redraws of a size of [`MultiplierLaw::Webb`]: one of four is redrawn, so that about `4^-32` remain.
const REDRAWS: u32 = 32;

/// Draws of a cube.
pub(crate) const DRAWS: usize = DRAW_UNITS / ROWS * BLOCK;

/// Influence columns of a cube, at most.
pub(crate) const GROUP: usize = 8;

/// A law with two points, or six.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MultiplierLaw {
    /// Lower point with probability `fraction / 2^64`.
    Mammen,
    /// Signs.
    Rademacher,
    /// Six points.
    Webb,
}

impl MultiplierLaw {
    /// Classes beside the last.
    const fn classes(self) -> usize {
        match self {
            Self::Mammen | Self::Rademacher => 1,
            Self::Webb => 5,
        }
    }
}

/// The words of 32 bits of the seed, and of the fraction of [`MultiplierLaw::Mammen`].
#[derive(CubeType, CubeLaunch)]
pub(crate) struct LawWords {
    pub seed_low: u32,
    pub seed_high: u32,
    pub fraction_low: u32,
    pub fraction_high: u32,
}

/// `Σ_i v_ir u_ij` over each tile of influence values, or of a basis: `[tiles, columns, draws]`.
///
/// The cubes of a tile are blocks of [`DRAWS`] draws, and within them groups of `group` columns. `rank` has the low and
/// the high word of each row's rank. `values` are the point of the last class, then those of the others. Of every 32 rows each unit
/// draws the class masks of one row for a block of draws; then it adds up one draw of each word of a block.
#[cube(launch_unchecked)]
pub(crate) fn multiplied_sums<F: Float>(
    ticket: &mut Ticket,
    data: &Columns<F>,
    bases: &Array<u32>,
    rank: &Array<u32>,
    values: &Array<F>,
    spans: &Spans,
    out: &mut Array<F>,
    draws: u32,
    words: LawWords,
    #[comptime] of_basis: bool,
    #[comptime] group: usize,
    #[comptime] law: MultiplierLaw,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let classes = comptime!(law.classes());
    let unit = UNIT_POS as usize;
    let place = place(spans, cube_number(spans.cubes));
    let basis = entry(spans, &place, draw_span::COLUMNS);
    let mut columns = basis;
    if comptime!(of_basis) {
        columns = bases[basis + basis::COLUMNS] as usize;
    }
    let groups = (columns + comptime!(group - 1)) / group;
    let first_column = place.part % groups * group;
    let own_row = unit % ROWS;
    let own_block = place.part / groups * comptime!(DRAWS / BLOCK) + unit / ROWS;
    let wanted = own_block * BLOCK < draws as usize;
    let first_rank = entry(spans, &place, draw_span::RANK) + place.tile * TILE;
    let mut masks = SharedMemory::<u32>::new(comptime!(classes * WORDS * DRAW_UNITS));
    let mut block = SharedMemory::<F>::new(comptime!(group * ROWS));
    let mut sums = Array::<F>::new(comptime!(group * WORDS));
    #[unroll]
    for s in 0..comptime!(group * WORDS) {
        sums[s] = F::from_int(0);
    }
    for step in 0..(place.rows + comptime!(DRAW_UNITS - 1)) / DRAW_UNITS {
        let mut part = Array::<F>::new(comptime!(group * WORDS));
        #[unroll]
        for s in 0..comptime!(group * WORDS) {
            part[s] = F::from_int(0);
        }
        for substep in 0..comptime!(DRAW_UNITS / ROWS) {
            let start = step * DRAW_UNITS + substep * ROWS;
            if wanted {
                let at = 2 * (first_rank + usize::min(start + own_row, place.rows - 1));
                let bits = bits_of(rank[at], rank[at + 1], own_block as u32, &words);
                share_masks(&bits, &words, &mut masks, law);
            }
            #[unroll]
            for share in 0..comptime!((group * ROWS).div_ceil(DRAW_UNITS)) {
                let place_in_block = share * DRAW_UNITS + unit;
                if place_in_block < comptime!(group * ROWS) {
                    let row = start + place_in_block / group;
                    let column = usize::min(first_column + place_in_block % group, columns - 1);
                    let mut entry = F::from_int(0);
                    if row < place.rows {
                        let at = place.first + row;
                        if comptime!(of_basis) {
                            entry = basis_value::<F>(data, bases, basis, column, at);
                        } else {
                            entry = value::<F>(data, column, at);
                        }
                    }
                    block[place_in_block] = entry;
                }
            }
            // Each unit reads the masks and the values of all rows of the step.
            sync_cube();
            if wanted {
                add_rows::<F>(&masks, &block, values, &mut part, group, law);
            }
            // The next rows' masks and values take the same places.
            sync_cube();
        }
        #[unroll]
        for s in 0..comptime!(group * WORDS) {
            sums[s] += part[s];
        }
    }
    let first_item = entry(spans, &place, draw_span::ITEM) + place.tile * columns;
    #[unroll]
    for word in 0..WORDS {
        let draw = own_block * BLOCK + word * WORD_BITS + own_row;
        if draw < draws as usize {
            #[unroll]
            for j in 0..group {
                let column = first_column + j;
                if column < columns {
                    out[(first_item + column) * draws as usize + draw] = sums[word * group + j];
                }
            }
        }
    }
}

/// Draws the class masks of this unit's row, which the other units read.
#[cube]
fn share_masks(
    bits: &Bits,
    words: &LawWords,
    masks: &mut SharedMemory<u32>,
    #[comptime] law: MultiplierLaw,
) {
    let classes = comptime!(law.classes());
    let unit = UNIT_POS as usize;
    let mut row_masks = Array::<u32>::new(comptime!(classes * WORDS));
    draw_masks(bits, words, &mut row_masks, law);
    #[unroll]
    for class in 0..classes {
        #[unroll]
        for word in 0..WORDS {
            masks[(class * DRAW_UNITS + unit) * WORDS + word] = row_masks[class * WORDS + word];
        }
    }
}

/// Adds the multiplied values of all rows of a step, in this unit's draws: its bit of each word of its block.
#[cube]
fn add_rows<F: Float>(
    masks: &SharedMemory<u32>,
    block: &SharedMemory<F>,
    values: &Array<F>,
    part: &mut Array<F>,
    #[comptime] group: usize,
    #[comptime] law: MultiplierLaw,
) {
    let classes = comptime!(law.classes());
    let unit = UNIT_POS as usize;
    let bit = 1u32 << ((unit % ROWS) as u32);
    let first = unit / ROWS * ROWS;
    for row in 0..ROWS {
        #[unroll]
        for word in 0..WORDS {
            let mut v = values[0];
            #[unroll]
            for class in 0..classes {
                let mask = masks[(class * DRAW_UNITS + first + row) * WORDS + word];
                v = select(mask & bit != 0, values[class + 1], v);
            }
            #[unroll]
            for j in 0..group {
                part[word * group + j] += v * block[row * group + j];
            }
        }
    }
}

/// A column of a basis: the weight, times an outcome less another but for the constant.
#[cube]
fn basis_value<F: Float>(
    data: &Columns<F>,
    bases: &Array<u32>,
    basis: usize,
    column: usize,
    row: usize,
) -> F {
    let w_first = bases[basis + basis::W_FIRST];
    let w_second = bases[basis + basis::W_SECOND];
    let mut product = weight::<F>(data, w_first, w_second, row);
    if column > 0 {
        let outcome = bases[basis + basis::OUTCOMES + column - 1] as usize;
        let reference = bases[basis + basis::REFERENCE];
        let mut change = value::<F>(data, outcome, row);
        if reference > 0 {
            change -= value_of_next::<F>(data, reference, row);
        }
        product *= change;
    }
    product
}

/// The random bits of a row in a block of draws: the first two rounds, as far as the step does not enter them.
#[derive(CubeType)]
struct Bits {
    seed_low: u32,
    seed_high: u32,
    /// Block, with the first key.
    block: u32,
    /// First word after two rounds, but for the step.
    first: u32,
    /// Second word after two rounds.
    second: u32,
    /// Third word after two rounds, but for block and step.
    third: u32,
}

#[cube]
fn bits_of(rank_low: u32, rank_high: u32, block: u32, words: &LawWords) -> Bits {
    let seed_low = words.seed_low;
    let seed_high = words.seed_high;
    let word = u32::mul_hi(rank_low, FACTOR_A) ^ rank_high ^ seed_high;
    Bits {
        seed_low,
        seed_high,
        block: block ^ seed_low,
        first: u32::mul_hi(word, FACTOR_C) ^ (seed_low + GROWTH_LOW),
        second: word * FACTOR_C,
        third: (rank_low * FACTOR_A) ^ (seed_high + GROWTH_HIGH),
    }
}

/// Philox4x32-7 at counter (low word of the rank, block, step, high word of the rank); arithmetic wraps.
#[cube]
fn philox(bits: &Bits, step: u32, out: &mut Array<u32>) {
    let word = u32::mul_hi(step, FACTOR_C) ^ bits.block;
    let mut a = bits.first ^ (step * FACTOR_C);
    let mut b = bits.second;
    let mut c = bits.third ^ u32::mul_hi(word, FACTOR_A);
    let mut d = word * FACTOR_A;
    let mut key_low = bits.seed_low + GROWTH_LOW;
    let mut key_high = bits.seed_high + GROWTH_HIGH;
    #[unroll]
    for _ in 2..ROUNDS {
        key_low += GROWTH_LOW;
        key_high += GROWTH_HIGH;
        let first_high = u32::mul_hi(a, FACTOR_A);
        let first_low = a * FACTOR_A;
        let second_high = u32::mul_hi(c, FACTOR_C);
        let second_low = c * FACTOR_C;
        a = second_high ^ b ^ key_low;
        b = second_low;
        c = first_high ^ d ^ key_high;
        d = first_low;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

/// Class masks of the draws of a block, of one row: for each class [`WORDS`].
#[cube]
fn draw_masks(bits: &Bits, words: &LawWords, out: &mut Array<u32>, #[comptime] law: MultiplierLaw) {
    if comptime!(law == MultiplierLaw::Rademacher) {
        philox(bits, 0u32, out);
    }
    if comptime!(law == MultiplierLaw::Mammen) {
        below(bits, words.fraction_low, words.fraction_high, out);
    }
    if comptime!(law == MultiplierLaw::Webb) {
        webb(bits, out);
    }
}

/// Lanes whose uniform number is below `fraction / 2^64`, compared bit by bit from the highest: those whose first bit that is not
/// the fraction's is 0.
#[cube]
fn below(bits: &Bits, fraction_low: u32, fraction_high: u32, out: &mut Array<u32>) {
    let mut random = Array::<u32>::new(WORDS);
    let mut open = Array::<u32>::new(WORDS);
    #[unroll]
    for word in 0..WORDS {
        open[word] = 0xFFFF_FFFFu32;
        out[word] = 0u32;
    }
    let mut step = 0u32;
    let mut any = 1u32;
    while step < FRACTION_BITS && any != 0 {
        philox(bits, step, &mut random);
        let mut half = fraction_high;
        if step >= comptime!(FRACTION_BITS / 2) {
            half = fraction_low;
        }
        let other = ((half
            >> (comptime!(FRACTION_BITS / 2 - 1) - step % comptime!(FRACTION_BITS / 2)))
            & 1)
            - 1;
        any = 0u32;
        #[unroll]
        for word in 0..WORDS {
            out[word] = (open[word] & !random[word]) | (out[word] & !open[word]);
            open[word] &= random[word] ^ other;
            any |= open[word];
        }
        step += 1;
    }
    #[unroll]
    for word in 0..WORDS {
        out[word] &= !open[word];
    }
}

/// Masks of `+√1.5, +1, +√0.5, -√1.5, -1`: a sign and one of three sizes, redrawn until it is one of three.
#[cube]
fn webb(bits: &Bits, out: &mut Array<u32>) {
    let mut open = Array::<u32>::new(WORDS);
    let mut a = Array::<u32>::new(WORDS);
    let mut b = Array::<u32>::new(WORDS);
    let mut sizes = Array::<u32>::new(comptime!(SIZES * WORDS));
    #[unroll]
    for word in 0..WORDS {
        open[word] = 0xFFFF_FFFFu32;
    }
    #[unroll]
    for word in 0..comptime!(SIZES * WORDS) {
        sizes[word] = 0u32;
    }
    let mut step = 0u32;
    let mut any = 1u32;
    while step < REDRAWS && any != 0 {
        philox(bits, 2 * step + 1, &mut a);
        philox(bits, 2 * step + 2, &mut b);
        any = 0u32;
        #[unroll]
        for word in 0..WORDS {
            sizes[word] |= open[word] & !a[word] & !b[word];
            sizes[word + WORDS] |= open[word] & a[word] & !b[word];
            sizes[word + comptime!(2 * WORDS)] |= open[word] & !a[word] & b[word];
            open[word] &= a[word] & b[word];
            any |= open[word];
        }
        step += 1;
    }
    philox(bits, 0u32, &mut a);
    #[unroll]
    for word in 0..WORDS {
        sizes[word] |= open[word];
        out[word] = sizes[word] & !a[word];
        out[word + WORDS] = sizes[word + WORDS] & !a[word];
        out[word + comptime!(2 * WORDS)] = sizes[word + comptime!(2 * WORDS)] & !a[word];
        out[word + comptime!(3 * WORDS)] = sizes[word] & a[word];
        out[word + comptime!(4 * WORDS)] = sizes[word + WORDS] & a[word];
    }
}
