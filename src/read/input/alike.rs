//! Labels that are written nearly as others of their column.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use polars::prelude::*;

use crate::base::error::{DidWarning, Result};
use crate::base::parallel;
use crate::read::columns::excerpt;

/// Labels that are looked through in one task.
const PART: usize = 1 << 16;

/// A warning about labels that differ only by blanks at their ends, letter case or leading zeros.
pub(super) fn alike(series: &Series) -> Result<Option<DidWarning>> {
    let may_look_alike = match series.dtype() {
        DataType::Categorical(..) | DataType::Enum(..) => true,
        DataType::String => {
            let labels = series.str()?;
            Marks::of_all(labels).may_look_alike() && share_a_form(labels)
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

/// Labels without those that repeat the one before, as the rows of a unit mostly do.
fn changes(labels: &StringChunked) -> impl Iterator<Item = &str> {
    let mut before = None;
    labels.iter().flatten().filter(move |label| before.replace(*label) != Some(*label))
}

/// Whether different labels have the same form, by their hashes: no label is held.
fn share_a_form(labels: &StringChunked) -> bool {
    let hash = |text: &str| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    let mut known: HashMap<u64, u64> = HashMap::new();
    changes(labels).any(|label| {
        let own = hash(label);
        *known.entry(hash(&form(label))).or_insert(own) != own
    })
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
    capitals: bool,
    small: bool,
    /// A number begins with 0.
    zeros: bool,
    /// Fewest and most digits of a number.
    digits: [usize; 2],
}

impl Marks {
    const NONE: Self =
        Self { doubt: false, capitals: false, small: false, zeros: false, digits: [usize::MAX, 0] };

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
        let any = |is: fn(&u8) -> bool| bytes.iter().any(is);
        let is_number = is_number(label);
        Self {
            doubt: !label.is_ascii() || first.min(last) <= &b' ',
            capitals: any(u8::is_ascii_uppercase),
            small: any(u8::is_ascii_lowercase),
            zeros: is_number && *first == b'0',
            digits: if is_number { [bytes.len(); 2] } else { Self::NONE.digits },
        }
    }

    fn and(self, other: Self) -> Self {
        let [one, more] = [self.digits, other.digits];
        Self {
            doubt: self.doubt || other.doubt,
            capitals: self.capitals || other.capitals,
            small: self.small || other.small,
            zeros: self.zeros || other.zeros,
            digits: [one[0].min(more[0]), one[1].max(more[1])],
        }
    }

    fn may_look_alike(&self) -> bool {
        let [fewest, most] = self.digits;
        self.doubt || (self.capitals && self.small) || (self.zeros && fewest < most)
    }
}

#[cfg(test)]
mod tests {
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
    fn most_columns_need_no_second_look() {
        let marks =
            |labels: &[&str]| Marks::of_all(Series::new("id".into(), labels).str().unwrap());
        for plain in
            [&["id01", "id1"][..], &["001", "010", "A7"], &["1", "12"], &["A B", "C"], &[""]]
        {
            assert!(!marks(plain).may_look_alike(), "{plain:?}");
        }
        // Those of all parts count together.
        let mut many = vec!["a"; 2 * PART];
        many.push("A");
        assert!(marks(&many).may_look_alike());
        assert_eq!(warned(&many), Some((2, ["A".to_owned(), "a".to_owned()])));
    }
}
