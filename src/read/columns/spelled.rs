//! Codes of short texts, by the numbers that stand for them.

use super::integers::from_integers;
use super::labels::{Codes, Labels, MISSING, code};
use super::spelling::{SpelledLabels, TextNumbers};
use super::text_block::TextSource;

/// In place of the number of a missing text.
const NO_NUMBER: i64 = -1;

/// Codes of texts; `None` if they are too long for numbers.
pub(super) fn by_spelling(texts: &impl TextSource) -> Option<Codes> {
    let by_number = TextNumbers::of(texts)?;
    let numbers = by_number.of_each(texts, NO_NUMBER, |number| number);
    let number = |at: usize| (numbers[at] != NO_NUMBER).then_some(numbers[at]);
    let Codes { codes, labels } = from_integers(numbers.len(), number);
    let Labels::Integers(numbers) = labels else { return None };
    Some(Codes { codes, labels: Labels::Spelled(SpelledLabels::new(numbers, by_number)) })
}

/// Positions of texts that are all there and differ, in the order of the texts; `None` if they are too long for numbers.
pub(super) fn order_by_spelling(texts: &impl TextSource) -> Option<Vec<u32>> {
    let Codes { codes, labels } = by_spelling(texts)?;
    let mut order = vec![MISSING; labels.len()];
    for (position, place) in (0..).zip(&codes) {
        *order.get_mut(*place as usize)? = position;
    }
    (order.len() == codes.len()).then_some(order)
}

/// The numbers of texts, none of them missing, and how many numbers there may be, if these are not more than the texts.
pub(super) fn dense_numbers(texts: &impl TextSource) -> Option<(Vec<u32>, usize)> {
    let by_number = TextNumbers::of(texts)?;
    let places = usize::try_from(by_number.count).ok().filter(|n| *n <= texts.count())?;
    let numbers = by_number.of_each(texts, MISSING, |number| code(number.cast_unsigned()));
    Some((numbers, places))
}

#[cfg(test)]
mod tests {
    use polars::prelude::StringChunked;
    use proptest::collection::vec;
    use proptest::option::of;
    use proptest::prelude::*;

    use super::super::grouped::of_texts;
    use super::super::runs::TextSlice;
    use super::super::text_block::LONGEST;
    use super::*;

    fn column(texts: &[Option<&str>]) -> StringChunked {
        texts.iter().copied().collect()
    }

    /// Whether texts have numbers; if so, codes and labels are those that hashes give.
    fn are_numbers(texts: &[Option<&str>]) -> bool {
        let column = column(texts);
        let piece = TextSlice(column.downcast_iter().next().unwrap());
        let Some(Codes { codes, labels }) = by_spelling(&piece) else { return false };
        assert_eq!(codes, of_texts(&piece).codes, "{texts:?}");
        let Labels::Spelled(labels) = labels else { panic!("labels of numbers") };
        for (code, text) in codes.iter().zip(texts) {
            let text_of_code = (*code != MISSING).then(|| labels.text(*code as usize));
            assert_eq!(text_of_code.as_deref(), *text);
        }
        true
    }

    #[test]
    fn numbers_are_in_the_order_of_the_texts() {
        let written: Vec<String> = (0..30_000_u64)
            .map(|unit| match unit % 3 {
                0 => format!("unit {:05}", unit * 7_919 % 9_973),
                1 => format!("unit {}", unit * unit % 9_973),
                _ => format!("Unit number {:x}", unit % 61),
            })
            .collect();
        let mut texts: Vec<Option<&str>> = written.iter().map(|text| Some(text.as_str())).collect();
        texts.extend([None, Some("unit 1"), Some("unit 10"), None]);
        for kind in 0..3 {
            let own: Vec<Option<&str>> = texts.iter().copied().skip(kind).step_by(3).collect();
            assert!(are_numbers(&own), "{kind}");
        }
        assert!(are_numbers(&texts));
    }

    #[test]
    fn texts_of_every_kind_are_kept_apart() {
        assert!(are_numbers(&[Some("b"), Some(""), None, Some("a"), Some("ab"), Some("b")]));
        assert!(are_numbers(&[Some("\u{1}"), Some("\u{1}\u{1}"), Some("ä"), Some("\u{7f}")]));
        assert!(are_numbers(&[Some("München 12345"), Some("München 12346"), Some("München 1")]));
        assert!(are_numbers(&[Some("one")]) && are_numbers(&[Some("")]) && are_numbers(&[]));
        assert!(are_numbers(&[None, None]));
        let longest = "x".repeat(LONGEST);
        assert!(are_numbers(&[Some(longest.as_str()), Some("x")]));
        assert!(!are_numbers(&[Some(format!("{longest}x").as_str()), Some("x")]));
        assert!(!are_numbers(&[Some("a"), Some("a\0")]));
        assert!(!are_numbers(&[Some("zzzzzzzzzzzzzz"), Some("AAAAAAAAAAAAAA")]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn texts_of_any_bytes_have_the_codes_that_hashes_give(
            own in vec(of("[ab0-9é\u{0}\u{1}]{0,9}"), 0..60),
            prefix in "[a-cß]{0,24}",
        ) {
            let texts: Vec<Option<String>> =
                own.iter().map(|own| Some(format!("{prefix}{}", own.as_ref()?))).collect();
            let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
            let may_be_numbers = are_numbers(&texts);
            let has_zero = texts.iter().flatten().any(|text| text.contains('\0'));
            let longest = texts.iter().flatten().map(|text| text.len()).max().unwrap_or(0);
            prop_assert!(!may_be_numbers || (!has_zero && longest <= LONGEST));
            let column = column(&texts);
            let piece = TextSlice(column.downcast_iter().next().unwrap());
            if let (Some((numbers, places)), true) = (dense_numbers(&piece), texts.iter().all(Option::is_some)) {
                prop_assert!(numbers.iter().all(|number| (*number as usize) < places));
                for (a, x) in texts.iter().zip(&numbers) {
                    for (b, y) in texts.iter().zip(&numbers) {
                        prop_assert_eq!(a.cmp(b), x.cmp(y));
                    }
                }
            }
        }
    }

    #[test]
    fn few_numbers_are_places() {
        let places = |texts: &[&str]| {
            let column: StringChunked = texts.iter().copied().map(Some).collect();
            dense_numbers(&TextSlice(column.downcast_iter().next().unwrap()))
        };
        assert_eq!(places(&["u3", "u1", "u2", "u3"]), Some((vec![2, 0, 1, 2], 3)));
        assert_eq!(places(&["b", "", "b"]), Some((vec![1, 0, 1], 2)));
        assert_eq!(places(&["u1", "u9"]), None);
        assert_eq!(places(&[]), None);
    }
}
