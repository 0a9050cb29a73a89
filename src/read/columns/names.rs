//! Columns that are not there: which one may have been meant, and what the data may be instead.

use std::collections::BTreeMap;

use crate::base::counted::{NAMED_COLUMNS, listed};
use crate::base::error::DidError;
use crate::base::near::nearest;

/// There is no such column among those available.
pub(crate) fn not_found<'a>(
    column: &str,
    role: &'static str,
    available: impl Iterator<Item = &'a str>,
) -> DidError {
    let names: Vec<&str> = available.collect();
    let by_period = || (role == "time" || role == "outcome").then(|| of_periods(&names)).flatten();
    let hint = of_stata(column, &names)
        .or_else(|| nearest(column, &names).map(|name| format!("did you mean `{name}`?")))
        .or_else(by_period)
        .map(|hint| format!("{hint} "))
        .unwrap_or_default();
    DidError::ColumnNotFound {
        column: column.to_owned(),
        role,
        hint,
        available: listed(&names, NAMED_COLUMNS, "`"),
    }
}

/// What to write for a column behind one of Stata's operators, as `i.st`, `ib3.st`, `L.y` or `D.y`: it is another one than the column.
fn of_stata(column: &str, names: &[&str]) -> Option<String> {
    let (operator, name) = column.split_once('.')?;
    if !names.contains(&name) {
        return None;
    }
    let of = operator.to_ascii_lowercase();
    let letter = of.chars().next().filter(char::is_ascii)?;
    let number = |from: usize| match &of[from..] {
        "" => Some(1),
        digits => digits.parse::<u32>().ok(),
    };
    let stands = |what: &str, tool: &str, command: &str, periods: String, made: String| {
        format!(
            "`{column}` is how Stata writes {what}: `panel::{tool}` (`burn-did panel {command}`){periods} makes the column `{name}_{made}`, which is to stand in its place."
        )
    };
    let over = |periods: u32| match periods {
        1 => String::new(),
        periods => format!(" over {periods} periods"),
    };
    if matches!(of.as_str(), "l0" | "f0" | "d0" | "s0") {
        return Some(format!("`{column}` is how Stata writes the column itself; write `{name}`."));
    }
    Some(match letter {
        'i' if of == "i"
            || of.strip_prefix("ib").is_some_and(|base| base.parse::<u32>().is_ok()) =>
        {
            format!(
                "`{column}` is how Stata writes indicators of the levels; in a formula write `C({name})`, in a list of columns name an indicator column for each level."
            )
        }
        'c' if of == "c" => {
            format!("`{column}` is how Stata writes a column of numbers; write `{name}`.")
        }
        'l' => {
            let periods = number(1)?;
            stands("a lag", "lag", "lag", over(periods), format!("lag{periods}"))
        }
        'f' => {
            let periods = number(1)?;
            let over = format!(" over -{periods} periods");
            stands("a lead", "lag", "lag", over, format!("lead{periods}"))
        }
        's' => {
            let periods = number(1)?;
            let made = format!("diff{periods}");
            stands("a change", "difference", "difference", over(periods), made)
        }
        'd' => match number(1)? {
            1 => stands("a change", "difference", "difference", String::new(), "diff1".into()),
            times => format!(
                "`{column}` is how Stata writes changes of changes: `panel::difference` (`burn-did panel difference`), {times} times one after the other, makes such a column."
            ),
        },
        _ => return None,
    })
}

/// Says so if there are columns of one name with several years, as data have that are not yet in long form.
fn of_periods(names: &[&str]) -> Option<String> {
    let mut by_stem: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in names {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let year = name[stem.len()..].parse().is_ok_and(|year: u32| (1800..2200).contains(&year));
        if year && name.len() == stem.len() + 4 {
            by_stem.entry(stem).or_default().push(name);
        }
    }
    let of_one = by_stem.into_values().find(|columns| columns.len() > 1)?;
    Some(format!(
        "columns such as `{}` and `{}` look like one column per period: first reshape the data to one row per unit and period (`pivot_longer` in R, `reshape long` in Stata, `melt` in pandas).",
        of_one[0], of_one[1]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(column: &str, role: &'static str, names: &[&str]) -> String {
        not_found(column, role, names.iter().copied()).to_string()
    }

    #[test]
    fn similar_names_are_proposed() {
        let names = ["year", "first.treat", "lemp", "countyreal"];
        for (asked, meant) in [
            ("Year", "year"),
            ("yaer", "year"),
            ("first_treat", "first.treat"),
            ("first.treated", "first.treat"),
            ("county_real", "countyreal"),
        ] {
            let text = message(asked, "time", &names);
            assert!(text.contains(&format!("did you mean `{meant}`? Its columns are")), "{text}");
        }
        let text = message("wage", "outcome", &names);
        assert!(!text.contains("did you mean") && text.contains("columns are `year`"), "{text}");
    }

    #[test]
    fn indicators_of_stata_are_no_numbers() {
        let names = ["st", "lpop"];
        for asked in ["i.st", "ib12.st"] {
            let text = message(asked, "covariate", &names);
            assert!(text.contains("in a formula write `C(st)`, in a list of columns"), "{text}");
            assert!(!text.contains("did you mean"), "{text}");
        }
        let text = message("c.lpop", "covariate", &names);
        assert!(text.contains("is how Stata writes a column of numbers; write `lpop`"), "{text}");
    }

    #[test]
    fn lags_and_changes_of_stata_are_other_columns() {
        for (asked, said) in [
            ("L.lpop", "(`burn-did panel lag`) makes the column `lpop_lag1`"),
            ("l2.lpop", "(`burn-did panel lag`) over 2 periods makes the column `lpop_lag2`"),
            ("F.lpop", "over -1 periods makes the column `lpop_lead1`"),
            ("D.lpop", "(`burn-did panel difference`) makes the column `lpop_diff1`"),
            ("S3.lpop", "over 3 periods makes the column `lpop_diff3`"),
            ("D2.lpop", "2 times one after the other"),
            ("L0.lpop", "is how Stata writes the column itself; write `lpop`"),
            ("f0.lpop", "write `lpop`"),
            ("S0.lpop", "write `lpop`"),
        ] {
            let text = message(asked, "regressor", &["st", "lpop"]);
            assert!(text.contains(said) && !text.contains("did you mean"), "{text}");
        }
        let text = message("l.pop", "regressor", &["st", "lpop"]);
        assert!(text.contains("did you mean `lpop`?"), "{text}");
    }

    #[test]
    fn long_lists_end() {
        let names: Vec<String> = (0..33).map(|i| format!("v{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = message("outcome", "outcome", &names);
        assert!(text.ends_with("`v19`, and 13 more"), "{text}");
    }

    #[test]
    fn wide_data_are_recognised() {
        let wide = ["id", "g", "lemp2003", "lemp2004", "x1", "x2"];
        let text = message("year", "time", &wide);
        assert!(
            text.contains("`lemp2003` and `lemp2004` look like one column per period"),
            "{text}"
        );
        assert!(!message("year", "time", &["id", "x1", "x2", "y2003"]).contains("per period"));
        assert!(!message("w", "weights", &wide).contains("per period"));
    }
}
