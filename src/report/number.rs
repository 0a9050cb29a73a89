//! Numbers as people read them.

use crate::base::calendar::exact;
use crate::result::inference::Estimate;

pub(crate) use crate::base::counted::counted;

/// Digits that show every standard error of a table with at least two significant ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digits {
    Fixed(usize),
    Scientific,
}

impl Digits {
    pub(crate) fn of<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> Self {
        let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
        for estimate in estimates {
            let att = estimate.estimate.map_or(0.0, f64::abs);
            let size = estimate.se.filter(|s| *s > 0.0).or(Some(att).filter(|a| *a > 0.0));
            least = least.min(size.unwrap_or(f64::INFINITY));
            largest = largest.max(att).max(estimate.se.unwrap_or(0.0));
        }
        let order = if least.is_finite() { least.log10().floor().min(1.0) } else { -3.0 };
        if order < -7.0 || largest >= 1e9 {
            return Self::Scientific;
        }
        let usual = if largest >= 1e5 { 2.0 } else { 4.0 };
        Self::Fixed(whole((1.0 - order).max(usual)))
    }

    pub(crate) fn show(self, value: Option<f64>) -> String {
        match (value, self) {
            (None, _) => "NA".into(),
            (Some(v), Self::Fixed(digits)) => {
                let text = format!("{v:.digits$}");
                let zero = text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.'));
                if zero { text.trim_start_matches('-').into() } else { text }
            }
            (Some(v), Self::Scientific) => format!("{v:.4e}"),
        }
    }
}

/// A test statistic.
pub(crate) fn statistic(value: Option<f64>) -> String {
    value.map_or("NA".into(), |value| format!("{value:.4}"))
}

/// The first names of a list with separators between them, and how many more there are.
pub(crate) fn first_of(names: &[impl AsRef<str>], most: usize, separator: &str) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let shown = shown.join(separator);
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A count with commas between thousands.
#[cfg(feature = "plot")]
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let lead = digits.len() % 3;
    let (first, rest) = digits.split_at(lead);
    let threes = rest.as_bytes().chunks(3).map(String::from_utf8_lossy);
    let parts = (lead > 0).then(|| first.into()).into_iter().chain(threes);
    parts.collect::<Vec<_>>().join(",")
}

/// A number with the decimals of its column; one that has no digit among them keeps four significant ones.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = Digits::Fixed(decimals).show(Some(value));
    let is_lost = value != 0.0 && text.chars().all(|c| matches!(c, '0' | '.'));
    if is_lost { short(value) } else { text }
}

/// A value of a regressor or a dose, with six significant digits.
pub(crate) fn point(value: f64) -> String {
    exact(format!("{value:.5e}").parse().unwrap_or(value))
}

/// A number of no unit with four significant digits.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let order = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&order) {
        return format!("{value:.3e}");
    }
    let digits = whole((3.0 - order).max(0.0));
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// `value`, known to be small and not negative, as a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 16")]
fn whole(value: f64) -> usize {
    value as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(att: f64, se: Option<f64>) -> Digits {
        Digits::of(&[Estimate { estimate: Some(att), se, ..Estimate::default() }])
    }

    #[test]
    fn small_standard_errors_get_more_digits() {
        assert_eq!(digits(-0.08, Some(0.02)), Digits::Fixed(4));
        assert_eq!(digits(-0.08, Some(0.00012)), Digits::Fixed(5));
        assert_eq!(digits(3e6, Some(1.5e4)), Digits::Fixed(2));
        assert_eq!(digits(1e12, Some(1.0)), Digits::Scientific);
        assert_eq!(digits(1e-12, Some(1e-13)), Digits::Scientific);
        assert_eq!(digits(0.0, None), Digits::Fixed(4));
        assert_eq!(digits(0.0, Some(0.0)), Digits::Fixed(4));
    }

    #[test]
    fn short_numbers_have_four_significant_digits() {
        let shown = [0.0, 0.5, 1.0, 2.0 / 9.0, 1234.56, 0.000_123_456, 1e-9, 1e7].map(short);
        assert_eq!(shown, ["0", "0.5", "1", "0.2222", "1235", "0.0001235", "1.000e-9", "1.000e7"]);
    }

    #[test]
    fn fixed_numbers_of_a_column_have_the_same_decimals() {
        let shown = [6.18, -0.11, 0.0, 0.000_018_46].map(|value| fixed(value, 4));
        assert_eq!(shown, ["6.1800", "-0.1100", "0.0000", "1.846e-5"]);
    }

    #[test]
    fn points_have_six_significant_digits() {
        let shown = [0.0, 2.0, 0.101_142_431_648, 0.000_010_785_6, -1_234.567_89].map(point);
        assert_eq!(shown, ["0", "2", "0.101142", "0.0000107856", "-1234.57"]);
    }

    #[test]
    #[cfg(feature = "plot")]
    fn counts_are_read_by_thousands() {
        let shown = [0, 7, 12, 999, 1_000, 20_450, 1_999_257].map(grouped);
        assert_eq!(shown, ["0", "7", "12", "999", "1,000", "20,450", "1,999,257"]);
        assert_eq!([1, 2].map(|n| counted(n, "unit", "units")), ["1 unit", "2 units"]);
    }

    #[test]
    fn no_negative_zero() {
        assert_eq!(Digits::Fixed(4).show(Some(-0.00001)), "0.0000");
        assert_eq!(Digits::Fixed(4).show(None), "NA");
    }
}
