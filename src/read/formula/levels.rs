//! Codes and sorted labels of categoricals.

use std::hash::Hash;
use std::sync::Mutex;

use polars::prelude::*;

use super::column::{MISSING, RawColumn};
use super::{BLOCK, MAX_LEVELS};
use crate::base::parallel;

/// Rows that one task encodes.
pub(super) const PART: usize = 16 * BLOCK;

/// Codes of the distinct finite values in numeric order; `None` if there are too many.
pub(super) fn of_numbers(values: &[f64]) -> Option<RawColumn> {
    let parts: Vec<&[f64]> = values.chunks(PART).collect();
    let distinct_in = |part: usize| {
        let finite = parts[part].iter().filter(|value| value.is_finite());
        distinct(finite.map(|value| bits(*value)))
    };
    let mut levels: Vec<f64> =
        union(parts.len(), distinct_in)?.into_iter().map(f64::from_bits).collect();
    levels.sort_unstable_by(f64::total_cmp);
    let code_of: PlHashMap<u64, u32> =
        levels.iter().map(|level| level.to_bits()).zip(0..).collect();
    let mut codes = vec![MISSING; values.len()];
    parallel::chunks(&mut codes, PART, |part, codes| {
        encode(&code_of, parts[part].iter().map(|value| Some(bits(*value))), codes);
    });
    Some(RawColumn::Factor { codes, levels: texts(&levels) })
}

/// Names of levels. Where all are numbers in single precision, they are written as such: 0.1, not 0.10000000149011612.
fn texts(levels: &[f64]) -> Vec<String> {
    let is_single = |level: &f64| f64::from(*level as f32) == *level;
    let single = levels.iter().all(is_single);
    let text = |level: &f64| match single && level.fract() != 0.0 {
        true => (*level as f32).to_string(),
        false => level.to_string(),
    };
    levels.iter().map(text).collect()
}

/// Codes of the distinct strings in the order of their bytes; `None` if there are too many.
pub(super) fn of_strings(column: &StringChunked) -> Option<RawColumn> {
    let parts: Vec<_> = (0..column.len().div_ceil(PART))
        .map(|part| column.slice((part * PART) as i64, PART))
        .collect();
    let distinct_in = |part: usize| distinct(parts[part].iter().flatten());
    let mut levels: Vec<&str> = union(parts.len(), distinct_in)?.into_iter().collect();
    levels.sort_unstable();
    let code_of: PlHashMap<&str, u32> = levels.iter().copied().zip(0..).collect();
    let mut codes = vec![MISSING; column.len()];
    parallel::chunks(&mut codes, PART, |part, codes| {
        encode(&code_of, parts[part].iter(), codes);
    });
    Some(RawColumn::Factor { codes, levels: levels.into_iter().map(str::to_owned).collect() })
}

/// Recodes categories so that the labels in use are sorted; `None` if there are too many.
pub(super) fn of_categories<'a>(
    mut codes: Vec<u32>,
    label: impl Fn(u32) -> Option<&'a str>,
) -> Option<RawColumn> {
    let parts: Vec<&[u32]> = codes.chunks(PART).collect();
    let used = union(parts.len(), |part| distinct(parts[part].iter().copied()))?;
    let mut labels: Vec<(&str, u32)> =
        used.into_iter().filter_map(|code| label(code).map(|label| (label, code))).collect();
    labels.sort_unstable();
    let code_of: PlHashMap<u32, u32> = labels.iter().map(|(_, code)| *code).zip(0..).collect();
    parallel::chunks(&mut codes, PART, |_, codes| {
        let old = codes.to_vec();
        codes.fill(MISSING);
        encode(&code_of, old.into_iter().map(Some), codes);
    });
    let levels = labels.into_iter().map(|(label, _)| label.to_owned()).collect();
    Some(RawColumn::Factor { codes, levels })
}

/// Writes the codes of the values that have one. Runs of a value, usual in panels, cost one look-up.
fn encode<K: Copy + Eq + Hash>(
    code_of: &PlHashMap<K, u32>,
    values: impl Iterator<Item = Option<K>>,
    codes: &mut [u32],
) {
    let mut last = None;
    for (code, value) in codes.iter_mut().zip(values) {
        let Some(value) = value else { continue };
        *code = match last {
            Some((known, code)) if known == value => code,
            _ => code_of.get(&value).copied().unwrap_or(MISSING),
        };
        last = Some((value, *code));
    }
}

pub(super) fn distinct<K: Copy + Eq + Hash>(values: impl Iterator<Item = K>) -> PlHashSet<K> {
    let mut seen = PlHashSet::default();
    let mut last = None;
    for value in values {
        if last != Some(value) {
            seen.insert(value);
            last = Some(value);
        }
    }
    seen
}

/// Values of all parts, unless there are too many.
pub(super) fn union<K: Eq + Hash + Send>(
    parts: usize,
    distinct_in: impl Fn(usize) -> PlHashSet<K> + Sync,
) -> Option<PlHashSet<K>> {
    let union = Mutex::new(PlHashSet::default());
    parallel::map_all(parts, |part| {
        let mut small = distinct_in(part);
        let mut large = parallel::held(&union);
        if large.len() < small.len() {
            std::mem::swap(&mut *large, &mut small);
        }
        large.extend(small);
        (large.len() <= MAX_LEVELS).then_some(())
    })?;
    union.into_inner().ok()
}

/// Bits of a value, the same for both zeros.
fn bits(value: f64) -> u64 {
    (value + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(column: Option<RawColumn>) -> (Vec<u32>, Vec<String>) {
        match column {
            Some(RawColumn::Factor { codes, levels }) => (codes, levels),
            _ => panic!("factor"),
        }
    }

    #[test]
    fn numeric_levels_sort_as_numbers() {
        let values = [10.0, 9.0, f64::NAN, -1.5, 0.0, -0.0, f64::INFINITY, 2000.0];
        let (codes, levels) = parts(of_numbers(&values));
        assert_eq!(levels, ["-1.5", "0", "9", "10", "2000"]);
        assert_eq!(codes, [3, 2, MISSING, 0, 1, 1, MISSING, 4]);
    }

    #[test]
    fn levels_in_single_precision_are_named_as_such() {
        let values = [0.1_f32, 2.5, 1e-7, 3.0].map(f64::from);
        assert_eq!(parts(of_numbers(&values)).1, ["0.0000001", "0.1", "2.5", "3"]);
        assert_eq!(parts(of_numbers(&[0.1, 0.5])).1, ["0.1", "0.5"]);
        assert_eq!(parts(of_numbers(&[f64::from(0.1_f32), 0.1])).1, ["0.1", "0.10000000149011612"]);
    }

    #[test]
    fn long_columns_are_encoded_in_parts() {
        let cycle = |i: usize| i % 3;
        let rows = 0..PART * 2 + 7;
        let names: Vec<String> = rows.clone().map(|i| format!("v{}", cycle(i))).collect();
        let (codes, levels) = parts(of_strings(&StringChunked::new("f".into(), &names)));
        assert_eq!(levels, ["v0", "v1", "v2"]);
        assert!(codes.iter().enumerate().all(|(i, code)| *code as usize == cycle(i)));
        let values: Vec<f64> = rows.map(|i| 5.0 - cycle(i) as f64).collect();
        let (codes, levels) = parts(of_numbers(&values));
        assert_eq!(levels, ["3", "4", "5"]);
        assert!(codes.iter().enumerate().all(|(i, code)| *code as usize == 2 - cycle(i)));
    }

    #[test]
    fn too_many_levels_are_refused() {
        let values: Vec<f64> = (0..=MAX_LEVELS).map(|i| i as f64).collect();
        assert!(of_numbers(&values).is_none());
        assert_eq!(parts(of_numbers(&values[1..])).1.len(), MAX_LEVELS);
    }

    #[test]
    fn empty_columns_have_no_levels() {
        assert_eq!(parts(of_numbers(&[])), (vec![], vec![]));
        assert_eq!(parts(of_strings(&StringChunked::new("f".into(), [""; 0]))), (vec![], vec![]));
    }
}
