//! What messages say of columns as they were read.

use crate::base::calendar::Frequency;
use crate::base::counted::counted;
use crate::base::shell::quoted;

/// The option that names words as missing.
const OF_ALL: &str = "`missing_values`, `--na`";

/// How a column of dates of this role has units that are never treated.
pub(super) fn never_with_dates(column: &str, role: &str, value: &str) -> String {
    if role != "group" {
        return String::new();
    }
    let text = value.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    if text.is_none() && value.parse::<f64>().is_err() {
        // A date by its type, beside which no number stands.
        return "; if the value stands for never treated, leave the field empty".to_owned();
    }
    let word = text.unwrap_or(value);
    // What is cut or escaped is not as it stands in the data.
    let option = match word.ends_with('…') || word.contains('\\') {
        true => OF_ALL.to_owned(),
        false => missing_word(column, word),
    };
    format!(
        "; if the value stands for never treated, write 0, leave the field empty, or name the value as a missing one of this column ({option})"
    )
}

/// About words that were named as missing and occur nowhere.
pub(super) fn unused_words(words: &[String]) -> String {
    let named: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let one_column = match words.iter().any(|word| word.contains('=')) {
        true => "; a word such as `start=0` is one of a column if a column of that name is read",
        false => "",
    };
    format!(
        "no column that was read has {}, named as missing (`missing_values`, `--na`){one_column}",
        named.join(" or ")
    )
}

/// About a cohort that lies far before the first period, in words.
pub(super) fn early_group(
    column: &str,
    [group, period]: [String; 2],
    frequency: Option<Frequency>,
) -> String {
    format!(
        "cohort {group} is far before the first period {period}, so that its units count as treated from the start; if it is a code for never treated, name it as a missing value of its column{} ({})",
        if frequency.is_some() { ", as the data write it" } else { "" },
        missing_word(column, &written(&group, frequency)),
    )
}

/// A period as data mostly write it: as its first day if it is a year or a month.
fn written(period: &str, frequency: Option<Frequency>) -> String {
    match frequency {
        Some(Frequency::Year) => format!("{period}-01-01"),
        Some(Frequency::Month) => format!("{period}-01"),
        _ => period.to_owned(),
    }
}

/// The option that names a word as missing in one column; in all if that cannot be said of one.
pub(crate) fn missing_word(column: &str, word: &str) -> String {
    let cannot_be_said = |text: &str| text.contains([',', '`', '"']);
    if column.is_empty() || column.contains('=') || [column, word].into_iter().any(cannot_be_said) {
        return OF_ALL.to_owned();
    }
    format!("`missing_values`, `--na {}`", quoted(&format!("{column}={word}")))
}

/// About labels that are written nearly as others of their column.
pub(super) fn alike_labels(column: &str, labels: usize, [one, other]: &[String; 2]) -> String {
    format!(
        "column `{column}` has {labels} labels that differ from another only by blanks at their ends, letter case or leading zeros, such as `{one}` and `{other}`; they count as different: write them alike if they are the same"
    )
}

/// About groups that are no numbers, where no unit is never treated.
pub(super) fn nan_groups(column: &str, rows: usize) -> String {
    let rows = counted(rows, "row, which is", "rows, which are");
    format!(
        "column `{column}` (group) is NaN in {rows} left out, and no unit is never treated; if NaN stands for never treated, name it as a missing value of this column ({})",
        missing_word(column, "NaN")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_their_own_word_for_never_treated() {
        let never = |role| never_with_dates("start", role, "`never`");
        assert!(never("group").contains("write 0, leave the field empty"), "{}", never("group"));
        assert!(never("group").ends_with("(`missing_values`, `--na start=never`)"));
        assert_eq!(never("time"), "");
        assert_eq!(missing_word("first treat", "-1"), "`missing_values`, `--na 'first treat=-1'`");
        assert_eq!(missing_word("a=b", "-1"), "`missing_values`, `--na`");
        // A word that is cut is none of the data, and a column of dates has no 0.
        let cut = never_with_dates("start", "group", "`never trea…`");
        assert!(cut.contains("write 0") && cut.ends_with("(`missing_values`, `--na`)"), "{cut}");
        let date = never_with_dates("start", "group", "the date 9 days after 1970-01-01");
        assert!(!date.contains("write 0") && !date.contains("--na"), "{date}");
        let number = never_with_dates("start", "group", "-1");
        assert!(number.ends_with("`--na start=-1`)"), "{number}");
    }
}
