//! Periods and groups as small codes, in the order of their values.

use rayon::slice::ParallelSliceMut;

use super::gaps::Gaps;
use super::period_table::{INFINITE, MAX_DISTINCT, MISSING, TableCodes, by_table};
use super::values::Numbers;
use crate::base::parallel;
use crate::base::simd::vectorized;

/// Rows that one task encodes.
const PART: usize = 8_192;

/// Codes there are for whole numbers of a range.
const CODES: usize = 60_000;

/// One code a row.
pub(crate) struct PeriodCodes {
    pub codes: Vec<u16>,
    scale: CodeValues,
}

/// Values of the codes, ascending.
#[derive(Clone)]
enum CodeValues {
    /// `min + code`.
    Offset(f64),
    Listed(Vec<f64>),
}

/// Why values cannot be coded.
#[derive(Debug, PartialEq)]
pub(crate) enum Uncodable {
    /// There are more than [`MAX_DISTINCT`].
    TooMany { distinct: usize },
    /// As a double, the value of a row may be equal to another number.
    Indistinct { row: usize, value: String },
}

/// What a first look at the values found.
#[derive(Clone, Copy)]
struct Range {
    min: f64,
    max: f64,
    integral: bool,
}

impl PeriodCodes {
    /// Code of +infinity.
    pub const INFINITE: u16 = INFINITE;
    /// Code of a missing value.
    pub const MISSING: u16 = MISSING;

    /// Codes of the values after `map`.
    pub fn new(
        numbers: &Numbers,
        map: impl Fn(f64) -> f64 + Sync,
    ) -> std::result::Result<Self, Uncodable> {
        if let Some(TableCodes { codes, min }) = by_table(numbers, &map) {
            return Ok(Self { codes, scale: CodeValues::Offset(min) });
        }
        let mut codes = vec![0; numbers.len()];
        let map_all = |values: &mut [f64]| values.iter_mut().for_each(|value| *value = map(*value));
        let blocks = MappedParts { numbers, map: &map_all };
        let range = blocks
            .map(|values| vectorized_range(&values))
            .into_iter()
            .fold(Range::empty(), Range::join);
        if let Some((row, value)) = numbers.indistinct(range.min.abs().max(range.max.abs())) {
            return Err(Uncodable::Indistinct { row, value });
        }
        let scale = if range.min > range.max {
            CodeValues::Listed(Vec::new())
        } else if range.integral && range.max - range.min < CODES as f64 {
            CodeValues::Offset(range.min)
        } else {
            CodeValues::Listed(distinct(&blocks)?)
        };
        parallel::chunks(&mut codes, PART, |part, codes| {
            let mut last = (f64::NAN, Self::MISSING);
            for (code, value) in codes.iter_mut().zip(blocks.read(part)) {
                if value.to_bits() != last.0.to_bits() {
                    last = (value, scale.code(value));
                }
                *code = last.1;
            }
        });
        let coded = Self { codes, scale };
        match (&coded.scale, range.max - range.min >= MAX_DISTINCT as f64) {
            (CodeValues::Offset(_), true) => {
                let present = distinct_codes(coded.codes.iter());
                let distinct = present.filter(|code| *code < CODES as u16).count();
                if distinct > MAX_DISTINCT {
                    Err(Uncodable::TooMany { distinct })
                } else {
                    Ok(coded)
                }
            }
            _ => Ok(coded),
        }
    }

    /// First row whose value fails `test`.
    pub fn first_not(&self, test: &(dyn Fn(f64) -> bool + Sync)) -> Option<usize> {
        let passes = |code: &u16| test(self.value(*code));
        let parts: Vec<&[u16]> = self.codes.chunks(PART).collect();
        if parallel::all(parts.len(), &|part| parts[part].iter().all(passes)) {
            return None;
        }
        self.codes.iter().position(|code| !passes(code))
    }

    /// The same with +infinity in place of zeros.
    pub fn without_zeros(mut self) -> Self {
        if let Some(zero) = self.scale.find(0.0) {
            parallel::chunks(&mut self.codes, PART, |_, codes| {
                for code in codes {
                    *code = if *code == zero { Self::INFINITE } else { *code };
                }
            });
        }
        self
    }

    /// The same with other values in the place of some, which are pairs of both.
    pub fn replaced(self, pairs: &[(f64, f64)]) -> Self {
        let last = self.codes.iter().filter(|code| **code < Self::INFINITE).max();
        let Some(last) = last.filter(|_| !pairs.is_empty()) else { return self };
        let value = |code: u16| {
            let value = self.value(code);
            pairs.iter().find(|(from, _)| *from == value).map_or(value, |(_, to)| *to)
        };
        let values: Vec<f64> = (0..=*last).map(value).collect();
        let mut listed = values.clone();
        listed.sort_by(f64::total_cmp);
        listed.dedup();
        let place = |value: &f64| listed.partition_point(|v| v.total_cmp(value).is_lt()) as u16;
        let new: Vec<u16> = values.iter().map(place).collect();
        let code = |code: &u16| new.get(usize::from(*code)).copied().unwrap_or(*code);
        Self { codes: self.codes.iter().map(code).collect(), scale: CodeValues::Listed(listed) }
    }

    /// Other codes of the same values.
    pub fn with_codes(&self, codes: Vec<u16>) -> Self {
        Self { codes, scale: self.scale.clone() }
    }

    /// Distinct finite values of some of the codes, ascending.
    pub fn finite<'a>(&self, codes: impl Iterator<Item = &'a u16>) -> Vec<f64> {
        let values = distinct_codes(codes).map(|code| self.value(code));
        values.filter(|value| value.is_finite()).collect()
    }

    /// `f` of the values of some of the codes, by code.
    pub fn of_codes<'a, T: Copy + Default>(
        &self,
        codes: impl Iterator<Item = &'a u16>,
        f: impl Fn(f64) -> T,
    ) -> Vec<T> {
        let mut all = vec![T::default(); usize::from(u16::MAX) + 1];
        for code in distinct_codes(codes) {
            all[usize::from(code)] = f(self.value(code));
        }
        all
    }

    /// Value of a code.
    pub fn value(&self, code: u16) -> f64 {
        match (code, &self.scale) {
            (Self::INFINITE, _) => f64::INFINITY,
            (Self::MISSING, _) => f64::NAN,
            (code, CodeValues::Offset(min)) => min + f64::from(code),
            (code, CodeValues::Listed(values)) => values[usize::from(code)],
        }
    }

    /// Value of a row.
    pub fn of_row(&self, row: usize) -> f64 {
        self.value(self.codes[row])
    }

    /// Smallest value as it was read; it may be negative infinity.
    pub fn lowest(&self) -> Option<f64> {
        match &self.scale {
            CodeValues::Offset(min) => Some(*min),
            CodeValues::Listed(values) => values.first().copied(),
        }
    }

    /// Whether every row has a value.
    pub fn all_there(&self) -> bool {
        let parts: Vec<&[u16]> = self.codes.chunks(PART).collect();
        // No early exit within a part, so that the test is vectorised.
        let are_there =
            |part: usize| parts[part].iter().fold(true, |all, code| all & (*code != Self::MISSING));
        parallel::all(parts.len(), &are_there)
    }

    /// Marks the rows of this column that have no value.
    pub fn mark_missing(&self, name: &str, gaps: &mut Gaps) {
        if !self.all_there() {
            gaps.mark(name, |row| !self.is_missing(row));
        }
    }

    pub fn is_missing(&self, row: usize) -> bool {
        self.codes[row] == Self::MISSING
    }
}

/// Codes that occur, ascending.
fn distinct_codes<'a>(codes: impl Iterator<Item = &'a u16>) -> impl Iterator<Item = u16> {
    const BITS: u16 = u64::BITS as u16;
    let mut present = [0_u64; (u16::MAX / BITS) as usize + 1];
    for code in codes {
        present[usize::from(code / BITS)] |= 1 << (code % BITS);
    }
    (0..).zip(present).filter(|(_, word)| *word != 0).flat_map(|(place, word): (u16, u64)| {
        (0..BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| place * BITS + bit)
    })
}

impl CodeValues {
    /// The code of a value of the scale.
    fn find(&self, value: f64) -> Option<u16> {
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is compared"
            )]
            Self::Offset(min) => Some((value - min) as u16)
                .filter(|code| *code < PeriodCodes::INFINITE && min + f64::from(*code) == value),
            Self::Listed(values) => {
                values.iter().position(|v| *v == value).and_then(|code| u16::try_from(code).ok())
            }
        }
    }

    fn code(&self, value: f64) -> u16 {
        if value == f64::INFINITY {
            return PeriodCodes::INFINITE;
        }
        if value.is_nan() {
            return PeriodCodes::MISSING;
        }
        match self {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            Self::Offset(min) => (value - min) as u16,
            Self::Listed(values) => u16::try_from(values.partition_point(|v| *v < value))
                .unwrap_or(PeriodCodes::MISSING),
        }
    }
}

impl Range {
    fn empty() -> Self {
        Self { min: f64::INFINITY, max: f64::NEG_INFINITY, integral: true }
    }

    #[inline(always)]
    fn of(values: &[f64]) -> Self {
        values.iter().fold(Self::empty(), |range, v| {
            let v = *v;
            let coded = v < f64::INFINITY;
            Self {
                min: if coded { range.min.min(v) } else { range.min },
                max: if coded { range.max.max(v) } else { range.max },
                integral: range.integral && (!coded || v.fract() == 0.0),
            }
        })
    }

    fn join(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            integral: self.integral && other.integral,
        }
    }
}

fn vectorized_range(values: &[f64]) -> Range {
    vectorized(
        #[inline(always)]
        || Range::of(values),
    )
}

/// Mapped values, part by part.
struct MappedParts<'a> {
    numbers: &'a Numbers,
    map: &'a (dyn Fn(&mut [f64]) + Sync),
}

impl MappedParts<'_> {
    fn read(&self, part: usize) -> Vec<f64> {
        let start = part * PART;
        let mut values = vec![0.0; PART.min(self.numbers.len() - start)];
        self.numbers.read(start, &mut values);
        (self.map)(&mut values);
        values
    }

    /// `f` of the parts, in order.
    fn map<T: Send>(&self, f: impl Fn(Vec<f64>) -> T + Sync) -> Vec<T> {
        parallel::map(self.numbers.len().div_ceil(PART), |part| f(self.read(part)))
    }
}

/// Distinct values below infinity, ascending, unless there are too many.
fn distinct(blocks: &MappedParts<'_>) -> Result<Vec<f64>, Uncodable> {
    let sorted = |mut values: Vec<f64>| {
        values.retain(|v| *v < f64::INFINITY);
        // Stable, as that merges what is sorted already.
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let join = |mut a: Vec<f64>, b: Vec<f64>| {
        if a.len() <= MAX_DISTINCT {
            a.extend(b);
        }
        sorted(a)
    };
    let values = blocks.map(sorted).into_iter().fold(Vec::new(), join);
    if values.len() <= MAX_DISTINCT {
        return Ok(values);
    }
    let mut all: Vec<f64> = blocks.map(|values| values).concat();
    all.retain(|v| *v < f64::INFINITY);
    all.par_sort_unstable_by(f64::total_cmp);
    all.dedup();
    Err(Uncodable::TooMany { distinct: all.len() })
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;

    fn codes(values: &[Option<f64>]) -> std::result::Result<PeriodCodes, Uncodable> {
        let series = Series::new("t".into(), values);
        PeriodCodes::new(&Numbers::new(&series, f64::NAN).unwrap(), |v| v)
    }

    #[test]
    fn codes_are_in_the_order_of_the_values() {
        for values in [[2003.0, 1999.0, 2001.0], [0.5, -1e13, 0.25], [-0.0, -7e9, -1.0]] {
            let options: Vec<Option<f64>> = values.into_iter().map(Some).chain([None]).collect();
            let coded = codes(&options).unwrap();
            assert!(coded.codes[1] < coded.codes[2] && coded.codes[2] < coded.codes[0]);
            for (code, value) in coded.codes.iter().zip(values) {
                assert!(coded.value(*code) == value);
            }
            assert!(coded.is_missing(3));
        }
    }

    #[test]
    fn infinities_and_missing_values_have_codes_of_their_own() {
        let coded = codes(&[Some(f64::INFINITY), Some(4.0), Some(f64::NAN)]).unwrap();
        assert_eq!(coded.codes, [PeriodCodes::INFINITE, 0, PeriodCodes::MISSING]);
        assert!(codes(&[None, None]).unwrap().is_missing(1));
        let negative = codes(&[Some(2.0), Some(f64::NEG_INFINITY)]).unwrap();
        assert_eq!((negative.lowest(), negative.codes[1]), (Some(f64::NEG_INFINITY), 0));
    }

    #[test]
    fn zeros_become_infinite_and_other_values_stay() {
        for values in [[0.0, 1.0, -0.0], [1.0, 1.0, 1.0], [0.25, 0.0, -2.5], [-3.0, 0.0, 2.0]] {
            let options: Vec<Option<f64>> = values.into_iter().map(Some).chain([None]).collect();
            let coded = codes(&options).unwrap().without_zeros();
            for (code, value) in coded.codes.iter().zip(values) {
                let expected = if value == 0.0 { f64::INFINITY } else { value };
                assert!(coded.value(*code) == expected, "{values:?}");
            }
            assert!(coded.is_missing(3));
        }
        assert!(codes(&[None]).unwrap().without_zeros().is_missing(0));
    }

    #[test]
    fn the_first_row_that_fails_is_found_in_any_part() {
        let mut values = vec![Some(1.0); 3 * PART + 5];
        let small = |v: f64| v.is_nan() || v < 2.0;
        assert_eq!(codes(&values).unwrap().first_not(&small), None);
        for row in [3 * PART + 4, PART, PART - 1, 0] {
            values[row] = Some(7.0);
            assert_eq!(codes(&values).unwrap().first_not(&small), Some(row));
        }
        values[0] = Some(f64::INFINITY);
        assert_eq!(codes(&values).unwrap().first_not(&small), Some(0));
    }

    #[test]
    fn too_many_values_are_refused() {
        for (count, step) in [(MAX_DISTINCT + 1, 1.0), (20_000, 0.5), (20_000, 3.0), (30_001, 1e9)]
        {
            let many: Vec<Option<f64>> =
                (0..2 * count).map(|i| Some((i % count) as f64 * step)).collect();
            assert_eq!(
                codes(&many).err(),
                Some(Uncodable::TooMany { distinct: count }),
                "{count} values {step} apart"
            );
            assert!(codes(&many[..MAX_DISTINCT]).is_ok());
        }
    }

    #[test]
    fn values_that_doubles_confuse_are_refused() {
        let series = Series::new("t".into(), [Some(1_i64 << 53), Some((1 << 53) + 1), None]);
        let found = PeriodCodes::new(&Numbers::new(&series, f64::NAN).unwrap(), |v| v).err();
        let value = "9007199254740993".to_owned();
        assert_eq!(found, Some(Uncodable::Indistinct { row: 1, value }));
        assert!(codes(&[Some(f64::NEG_INFINITY), Some(1.0)]).is_ok());
    }
}
