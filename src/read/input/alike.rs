//! Labels that are written nearly as others of their column.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use polars::prelude::*;

use crate::base::error::{DidWarning, Result};
use crate::base::parallel;
use crate::read::columns::{CategoryTexts, Spelling, TextSource, excerpt};

/// Labels that are looked through in one task.
const PART: usize = 1 << 16;

/// A warning about labels that differ only by blanks at their ends, letter case or leading zeros.
pub(super) fn alike(series: &Series) -> Result<Option<DidWarning>> {
    let may_look_alike = match series.dtype() {
        // Of all categories, whether they occur or not: they are mostly fewer than the rows.
        DataType::Categorical(_, mapping) | DataType::Enum(_, mapping) => {
            let texts = CategoryTexts(mapping);
            some_may(Spelling::of(&texts, |_| true), || {
                Cow::Owned((0..texts.count()).map(|category| texts.text(category)).collect())
            })
        }
        DataType::String => {
            let labels = series.str()?;
            some_may(Spelling::of_column(labels), || Cow::Borrowed(labels))
        }
        _ => false,
    };
    if !may_look_alike {
        return Ok(None);
    }
    let labels = series.unique()?.cast(&DataType::String)?;
    let mut forms: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for label in labels.str()?.iter().flatten() {
        forms.entry(form(label)).or_default().push(label);
    }
    let mut several: Vec<Vec<&str>> = forms.into_values().filter(|all| all.len() > 1).collect();
    for all in &mut several {
        all.sort_unstable();
    }
    let labels = several.iter().map(Vec::len).sum();
    let Some([one, other, ..]) = several.first().map(Vec::as_slice) else { return Ok(None) };
    let example = [one, other].map(|label| excerpt(label));
    Ok(Some(DidWarning::AlikeLabels { column: series.name().to_string(), labels, example }))
}

/// Whether some labels may look alike.
fn some_may<'l>(
    spelling: Option<Spelling>,
    labels: impl FnOnce() -> Cow<'l, StringChunked>,
) -> bool {
    if spelling.is_some_and(|spelling| all_differ(&spelling)) {
        return false;
    }
    let labels = labels();
    Marks::of_all(&labels).may_look_alike() && share_a_form(&labels)
}

/// Whether what labels have at each place tells that none looks like another: no blanks or letters of which nothing is known here, no place with a
/// letter in both cases, and no numbers of several lengths that may begin with 0.
fn all_differ(labels: &Spelling) -> bool {
    let has_both_cases = |(smallest, largest): (u8, u8)| {
        let capital = smallest.max(b'A');
        capital <= b'Z' && capital.to_ascii_lowercase() <= largest
    };
    let (shortest, longest) = labels.lengths();
    let may_begin_with_0 = labels.places().next().is_some_and(|(least, _)| least <= b'0');
    let is_plain = |(smallest, largest): (u8, u8)| smallest > b' ' && largest.is_ascii();
    labels.places().all(|place| is_plain(place) && !has_both_cases(place))
        && (shortest == longest || !may_begin_with_0)
}

/// Labels without those that repeat the one before, as the rows of a unit mostly do.
fn changes(labels: &StringChunked) -> impl Iterator<Item = &str> {
    let mut before = None;
    labels.iter().flatten().filter(move |label| before.replace(*label) != Some(*label))
}

/// Whether different labels have the same form, by their hashes: no label is held.
fn share_a_form(labels: &StringChunked) -> bool {
    let rows = labels.len();
    let parts = parallel::map(rows.div_ceil(PART), |part| {
        let part = parallel::part(part, PART, rows);
        let labels = labels.slice(part.start as i64, part.len());
        sorted(
            changes(&labels).map(|label| LabelHash { form: hash(&form(label)), own: hash(label) }),
        )
    });
    let ranges = parts.len();
    let differ = |range: usize| {
        let of_range = parts.iter().flat_map(|part| {
            let first = part.partition_point(|label| label.range(ranges) < range);
            part[first..].iter().take_while(|label| label.range(ranges) == range)
        });
        sorted(of_range.copied()).windows(2).all(|pair| pair[0].form != pair[1].form)
    };
    !parallel::all(ranges, &differ)
}

/// Hashes of a label's form and of the label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LabelHash {
    form: u64,
    own: u64,
}

impl LabelHash {
    /// In which of so many equal ranges of hashes the form lies.
    fn range(self, ranges: usize) -> usize {
        ((u128::from(self.form) * ranges as u128) >> u64::BITS) as usize
    }
}

fn sorted(labels: impl Iterator<Item = LabelHash>) -> Vec<LabelHash> {
    let mut labels: Vec<LabelHash> = labels.collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What labels have in common that look alike.
fn form(label: &str) -> String {
    let trimmed = label.trim();
    match trimmed.trim_start_matches('0') {
        "" if is_number(trimmed) => "0".to_owned(),
        digits if is_number(trimmed) => digits.to_owned(),
        _ => trimmed.to_lowercase(),
    }
}

fn is_number(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a column's labels have, without which none can look like another: most columns are done with one look at their letters.
#[derive(Clone, Copy)]
struct Marks {
    /// Blanks at an end, or letters of which nothing is known here.
    doubt: bool,
    /// Which letters are there as capitals, and which as small ones: a bit each.
    letters: [u32; 2],
    /// A number begins with 0.
    zeros: bool,
    /// Fewest and most digits of a number.
    digits: [usize; 2],
}

impl Marks {
    const NONE: Self =
        Self { doubt: false, letters: [0; 2], zeros: false, digits: [usize::MAX, 0] };

    fn of_all(labels: &StringChunked) -> Self {
        let rows = labels.len();
        let parts = parallel::map(rows.div_ceil(PART), |part| {
            let part = parallel::part(part, PART, rows);
            let labels = labels.slice(part.start as i64, part.len());
            changes(&labels).fold(Self::NONE, |marks, label| marks.and(Self::of(label)))
        });
        parts.into_iter().fold(Self::NONE, Self::and)
    }

    fn of(label: &str) -> Self {
        let bytes = label.as_bytes();
        let [Some(first), Some(last)] = [bytes.first(), bytes.last()] else { return Self::NONE };
        let mut letters = [0; 2];
        for letter in bytes.iter().filter(|byte| byte.is_ascii_alphabetic()) {
            letters[usize::from(letter.is_ascii_lowercase())] |= 1 << (letter & 31);
        }
        let is_number = is_number(label);
        Self {
            doubt: !label.is_ascii() || first.min(last) <= &b' ',
            letters,
            zeros: is_number && *first == b'0',
            digits: if is_number { [bytes.len(); 2] } else { Self::NONE.digits },
        }
    }

    fn and(self, other: Self) -> Self {
        let [one, more] = [self.digits, other.digits];
        Self {
            doubt: self.doubt || other.doubt,
            letters: [self.letters[0] | other.letters[0], self.letters[1] | other.letters[1]],
            zeros: self.zeros || other.zeros,
            digits: [one[0].min(more[0]), one[1].max(more[1])],
        }
    }

    fn may_look_alike(&self) -> bool {
        let [fewest, most] = self.digits;
        let [capitals, small] = self.letters;
        self.doubt || capitals & small != 0 || (self.zeros && fewest < most)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn warned(labels: &[&str]) -> Option<(usize, [String; 2])> {
        match alike(&Series::new("id".into(), labels)).unwrap() {
            Some(DidWarning::AlikeLabels { labels, example, .. }) => Some((labels, example)),
            _ => None,
        }
    }

    #[test]
    fn labels_look_alike_but_for_blanks_case_and_zeros() {
        assert_eq!(warned(&["a", "b", "a", "a b", "10", "1"]), None);
        assert_eq!(warned(&["New York", "ny", "New York", "new york state"]), None);
        let found = |labels: &[&str]| warned(labels).unwrap();
        let pair = |one: &str, other: &str| [one.to_owned(), other.to_owned()];
        assert_eq!(found(&["a", "a ", "b"]), (2, pair("a", "a ")));
        assert_eq!(found(&["a\u{a0}", "a"]), (2, pair("a", "a\\u{a0}")));
        assert_eq!(found(&["é", "É"]), (2, pair("É", "é")));
        assert_eq!(found(&["z", "Z", "z", "01", "1", "001"]), (5, pair("001", "01")));
        assert_eq!(warned(&["0", "00", ""]), Some((2, pair("0", "00"))));
    }

    #[test]
    fn categories_look_alike_where_they_occur() {
        let texts = Series::new("id".into(), ["a", "b", "A", "a"]);
        let frozen = FrozenCategories::new(["c", "C", "b", "a", "A"]).unwrap();
        let own = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U8);
        for dtype in [DataType::from_frozen_categories(frozen), DataType::from_categories(own)] {
            let categories = texts.cast(&dtype).unwrap();
            let found = alike(&categories).unwrap();
            let expected = ["A".to_owned(), "a".to_owned()];
            assert!(
                matches!(found, Some(DidWarning::AlikeLabels { labels: 2, example, .. }) if example == expected),
                "{dtype}"
            );
            assert_eq!(alike(&categories.head(Some(2))).unwrap(), None, "{dtype}");
        }
    }

    #[test]
    fn places_tell_that_labels_differ() {
        let differ = |labels: &[&str]| {
            let labels = Series::new("id".into(), labels);
            all_differ(&Spelling::of_column(labels.str().unwrap()).unwrap())
        };
        for labels in [
            &["Unit01", "Unit17", "Unit17"][..],
            &["001", "010"],
            &["A7", "B", ""],
            &["1", "12"],
            &["Aa", "Ab"],
            &[],
        ] {
            assert!(differ(labels) && warned(labels).is_none(), "{labels:?}");
        }
        for labels in [&["a", "A"][..], &["xM", "Xa"], &["Zz", "aZ"], &["01", "1"], &["a ", "b "]] {
            assert!(!differ(labels), "{labels:?}");
        }
        // Letters beyond ASCII and control characters need the second look.
        assert!(!differ(&["é", "e"]) && !differ(&["a\u{1}", "a"]));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn labels_that_look_alike_are_found_whatever_their_places_are(
            labels in vec("[abABz0-2é ]{0,3}", 0..12),
        ) {
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            let distinct: BTreeSet<&str> = labels.iter().copied().collect();
            let forms: BTreeSet<String> = distinct.iter().map(|label| form(label)).collect();
            prop_assert_eq!(warned(&labels).is_some(), forms.len() < distinct.len());
        }
    }

    #[test]
    fn most_columns_need_no_second_look() {
        let marks =
            |labels: &[&str]| Marks::of_all(Series::new("id".into(), labels).str().unwrap());
        for plain in
            [&["id01", "id1"][..], &["001", "010", "A7"], &["1", "12"], &["A b", "C"], &[""]]
        {
            assert!(!marks(plain).may_look_alike(), "{plain:?}");
        }
        // Those of all parts count together.
        let mut many = vec!["a"; 2 * PART];
        many.push("A");
        assert!(marks(&many).may_look_alike());
        assert_eq!(warned(&many), Some((2, ["A".to_owned(), "a".to_owned()])));
        let mut many: Vec<String> = (0..3 * PART).map(|unit| format!("Aa{unit}")).collect();
        let warned =
            |labels: &[String]| warned(&labels.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(warned(&many), None);
        many.push("aA1".to_owned());
        assert_eq!(warned(&many), Some((2, ["Aa1".to_owned(), "aA1".to_owned()])));
    }
}
