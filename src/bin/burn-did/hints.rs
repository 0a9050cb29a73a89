//! What to do about an error, in the words of the command line.

use std::borrow::Cow;

use burn_did::DidError;
use burn_did::command_line::is_harmless;

use crate::written::Written;

/// What makes periods of dates.
const DATES: &str = "add --frequency month, or another";

/// What averages without some of their cells are.
const NA_RM: &str = "na_rm=true, as in dynamic:na_rm=true, averages the cells that are left, which is another average, and says what it leaves out";

/// Options of the library that have another name on the command line.
const FLAGS: &[(&str, &str)] = &[
    ("base", "--pmd"),
    ("covariates", "--xformla or --xname"),
    ("derivative_index", "--deriv-index, which counts from 1,"),
    ("derivative_order", "--deriv-order"),
    ("knots", "--num-knots"),
    ("moderator", "--xvar"),
    ("outcome_lags", "--dylags"),
    ("post_window", "the end of --window, or --kappa-post,"),
    ("pre_window", "the start of --window, or --kappa-pre,"),
    ("reference", "--ref-p"),
    ("references", "--ref"),
    ("stable_periods", "--nonabsorbing-lag"),
    ("w_degree", "--k-w-degree"),
    ("w_segments", "--k-w-segments"),
    ("w_smooth", "--k-w-smooth"),
    ("x_degree", "--j-x-degree"),
    ("x_segments", "--j-x-segments"),
];

/// What to do about an error of the library, where its message does not say so in the words of the command line.
pub(crate) fn hint(error: &DidError) -> Option<Cow<'static, str>> {
    let said = match error {
        DidError::ColumnType { column, role, got, .. } => return of_type(column, role, got),
        DidError::Config { option: "unit", expected: "a column", .. } => {
            "name the unit column by --idname"
        }
        DidError::Config { option: "unit", .. } => {
            "name the unit column by --idname, or add --repeated-cross-sections"
        }
        DidError::Config { option: "effect", .. } => {
            "--l-vec takes one number per period after the reference, --event-time one of the event times after it"
        }
        DidError::Config { option: "variants", .. } => "see the key `name` of [[estimate]]",
        DidError::Config { option: "models", expected, .. } if expected.contains("in common") => {
            "with --aggregate, group-time effects stand beside event studies of other estimators by event time, as in --aggregate dynamic; a decomposition or a diagnostic (`bacon`, `twfe-weights`) has no such rows"
        }
        DidError::Config { option: "data", got, .. } if has_tabs(got) => {
            "rename the file to end in .csv: fields may be separated by tabs, semicolons or bars, too"
        }
        DidError::Config { option: "data", .. } => {
            "convert the file to CSV, parquet or Stata (.dta)"
        }
        DidError::Dates { .. } => DATES,
        DidError::DuplicateRow { remedy, .. } if remedy.contains("deduplicate") => return None,
        DidError::DuplicateRow { .. } => {
            "`burn-did panel deduplicate` keeps one of equal rows; if the same id stands for units of several places, make a column of both, such as state and county, and name it by --idname; only rows that are no panel, with other units in every period, take --repeated-cross-sections without --idname"
        }
        DidError::EmptySample { after, .. } if after.contains("balancing") => {
            "`att-gt` and `ddd` keep units that are missing in some periods with --allow-unbalanced-panel; otherwise add \
             --repeated-cross-sections and leave out --idname"
        }
        DidError::SmallNeverTreated { .. } => "add --control-group not_yet_treated",
        DidError::IndicatorAsGroup { .. } => {
            "name the column with the first treated period by --gname; to compare two groups in two periods by such a column, use \
             `burn-did drdid --treatname`"
        }
        DidError::NotBinary { role: "treatment", .. } => {
            "if the column holds first treated periods, name it by --gname of `burn-did att-gt`"
        }
        DidError::MissingCells { share: Some(0.0), .. } => {
            "na_rm=true, as in dynamic:na_rm=true, averages the cells that are left; these have no weight"
        }
        DidError::MissingCells { remedy, share, .. } => {
            let other = if remedy.contains("knots") {
                "fit the curves with a lower --degree or fewer --num-knots; "
            } else if remedy.contains("outcome regression") {
                "estimate with --est-method reg or fewer covariates in --xformla; "
            } else if remedy.contains("covariates") {
                "leave the covariates named out of --xformla; "
            } else if remedy.contains("control group") {
                "estimate with another --control-group; "
            } else {
                ""
            };
            // Without an estimate there is no cell that is left.
            let averages = if share.is_some_and(|share| share >= 1.0) { "" } else { NA_RM };
            let said = format!("{other}{averages}");
            let said = said.trim_end_matches("; ").to_owned();
            return (!said.is_empty()).then(|| said.into());
        }
        DidError::Config { option, .. } => {
            let (_, flag) = FLAGS.iter().find(|(name, _)| name == option)?;
            return Some(format!("`{option}` is {flag} here").into());
        }
        DidError::Precision { .. } => "add --precision f32",
        DidError::Json(_) => {
            "the file must be one that `--save FILE` of an estimating command wrote; `honest` and `pretrends` also take an event study written by hand, \
             whose form `burn-did help honest` shows"
        }
        _ => return None,
    };
    Some(said.into())
}

/// Whether a file's name says that its fields are separated by tabs, or not what it has.
fn has_tabs(path: &str) -> bool {
    [".tsv", ".tab", ".txt"].iter().any(|ending| path.to_lowercase().ends_with(ending))
}

/// What to do about a column whose type its role cannot take.
fn of_type(column: &str, role: &str, got: &str) -> Option<Cow<'static, str>> {
    // A value of a column of text.
    let text = got.strip_prefix("text, as `").and_then(|rest| rest.strip_suffix('`'))?;
    // Of a number and a word, which stand in one column, the word is to blame.
    let text = text.rsplit("` and `").next()?;
    // Messages escape apostrophes, and blanks that do not break lines.
    let text = text.replace("\\'", "'");
    let text = text.replace("\\u{a0}", "\u{a0}").replace("\\u{202f}", "\u{202f}");
    let is_period = matches!(role, "time" | "group");
    Some(match Written::of(&text) {
        Written::Date if is_period => DATES.into(),
        Written::OtherDate if is_period => {
            format!("write dates as year, month and day, such as 2007-03-01, and {DATES}").into()
        }
        Written::Date | Written::OtherDate => {
            format!("`{text}` looks like a date; see that the option names the column that is meant")
                .into()
        }
        Written::YesNo(yes, no) if role == "group" => {
            let never = if text.to_lowercase() == yes { String::new() } else { format!("; {}", never(column, &text)) };
            format!(
                "if the column says of each period whether a unit is treated in it: write 1 and 0 in place of {yes} and {no}, and `burn-did panel first-treated` makes the first treated period of it{never}"
            )
            .into()
        }
        Written::YesNo(yes, no) if role != "time" => {
            format!("write 1 and 0 in place of {yes} and {no}").into()
        }
        Written::Exponent(number) => {
            format!("write exponents with an E, as {number} in place of {text}").into()
        }
        Written::Named(number) if is_period => {
            format!("write periods as numbers, such as {number} in place of {text}, in the columns of periods and of groups").into()
        }
        Written::Minus(minus, number) => format!(
            "the minus of {text} is another sign (U+{:04X}); write that of the keyboard, as in {number}",
            u32::from(minus)
        )
        .into(),
        Written::Bound if role == "group" => {
            let na = na(column, &text);
            format!(
                "`{text}` does not say in which period these units are first treated; write that period; if it is before the first of the data, any that is earlier; if it is not known: {na} --rows \"{column} is not missing\", which leaves their rows out"
            )
            .into()
        }
        Written::Bound => format!(
            "`{text}` is no number but says what one is near, below or above: such values are censored or rounded, and by what number they may be replaced is yours to decide; {} reads them as missing",
            na(column, &text)
        )
        .into(),
        Written::DecimalComma => {
            "if the commas are decimal ones, add --decimal comma; otherwise write numbers without separators of thousands".into()
        }
        Written::Thousands => "write numbers without separators of thousands".into(),
        Written::Sign(number) => {
            format!("write numbers without a sign of a unit, as {number} in place of {text}").into()
        }
        // A comma stands between the words of --na.
        _ if text.contains(',') && role == "group" => {
            format!("if `{text}` stands for never treated, write 0 or nothing instead").into()
        }
        _ if text.contains(',') => {
            format!("if `{text}` stands for a missing value, write nothing instead").into()
        }
        // Nor can all characters be copied from a terminal.
        _ if !text.chars().all(is_plainly_typed) => {
            "if this stands for a missing value, write nothing instead".into()
        }
        _ if role == "group" => never(column, &text).into(),
        _ => format!(
            "if `{text}` stands for a missing value, name it by {}; in all columns, with all other such words, as in {}: these words take the place of the usual ones",
            na(column, &text),
            na_of_all(&text)
        )
        .into(),
    })
}

/// Whether a character is seen, and told from others that look like it, by who types it anew.
fn is_plainly_typed(c: char) -> bool {
    is_harmless(c) && (c == ' ' || !c.is_whitespace())
}

/// What to do about a word in the column of groups that stands for never treated, or for a group that is not known.
fn never(column: &str, word: &str) -> String {
    let na = na(column, word);
    format!(
        "if `{word}` stands for never treated: {na}; if it is not known when these units were treated: {na} --rows \"{column} is not missing\", which leaves their rows out"
    )
}

/// The option that reads a word as missing in one column, as a shell takes it; in all columns where its name cannot be said.
fn na(column: &str, word: &str) -> String {
    match column.contains(['=', ',', '"']) {
        true => na_of_all(word),
        false => format!("--na \"{column}={word}\""),
    }
}

/// The option that reads a word as missing beside the usual one.
fn na_of_all(word: &str) -> String {
    let words = if word == "NA" { "NA,never".to_owned() } else { format!("{word},NA") };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ',' | '.' | '-' | '_');
    match words.chars().all(is_plain) {
        true => format!("--na {words}"),
        false => format!("--na \"{words}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn says(role: &'static str, text: &str, words: &str) {
        let got = format!("text, as `{text}`");
        let (column, expected) = ("g".to_owned(), "numbers");
        let error = DidError::ColumnType { column, role, expected, got };
        let hint = hint(&error).expect("a hint");
        assert!(hint.contains(words), "{hint}");
    }

    #[test]
    fn options_are_named_as_they_are_typed() {
        use clap::CommandFactory;
        let mut program = crate::program::Cli::command();
        program.build();
        let is_there = |flag: &str| {
            let mut commands = program.get_subcommands();
            commands.any(|command| command.get_arguments().any(|arg| arg.get_long() == Some(flag)))
        };
        for (_, words) in FLAGS {
            let flags = words.split([' ', ',']).filter_map(|word| word.strip_prefix("--"));
            flags.for_each(|flag| assert!(is_there(flag), "{flag}"));
        }
        let (option, expected, got) = ("pre_window", "between 1 and 10000", "0".to_owned());
        let error = DidError::Config { option, expected, got };
        assert!(hint(&error).is_some_and(|hint| hint.contains("--kappa-pre")));
    }

    #[test]
    fn a_word_beside_numbers_is_the_one_to_blame() {
        let got = "text, as `-0.0093` and `abc`".to_owned();
        let (column, role, expected) = ("x".to_owned(), "covariate", "numbers");
        let error = DidError::ColumnType { column, role, expected, got };
        assert!(hint(&error).is_some_and(|hint| hint.contains("--na \"x=abc\"")));
    }

    #[test]
    fn what_is_written_says_what_to_do() {
        says("group", "never", "if `never` stands for never treated: --na \"g=never\"");
        says("group", "missing", "--na \"g=missing\" --rows \"g is not missing\"");
        says("group", "G2007", "such as 2007 in place of G2007");
        says("time", "FY2003", "such as 2003 in place of FY2003");
        says("time", "2003-06-01", DATES);
        says("time", "01/06/2003", "such as 2007-03-01, and add --frequency month");
        for date in ["07/01/03", "01Jul2003", "1-Jul-03", "July 2003", "01.06.2003", "Jul 1, 2003"]
        {
            says("time", date, "such as 2007-03-01, and add --frequency month");
            says("outcome", date, "looks like a date");
        }
        says("treatment", "no", "write 1 and 0 in place of yes and no");
        says("covariate", "F", "write 1 and 0 in place of t and f");
        says("group", "yes", "`burn-did panel first-treated` makes the first treated period of it");
        says("group", "no", "if `no` stands for never treated: --na \"g=no\"");
        says("outcome", "8.461469D+00", "as 8.461469E+00 in place of 8.461469D+00");
        for number in ["4 728 999", "4\u{a0}728\u{202f}999", "12 345", "1 234,56"] {
            says("outcome", number, "write numbers without separators of thousands");
        }
        says("outcome", "lost\u{a0}data", "write nothing instead");
        says("outcome", "mar", "if `mar` stands for a missing value");
        says("outcome", "$8.461", "as 8.461 in place of $8.461");
        says("outcome", "12%", "as 12 in place of 12%");
        says("outcome", "€ 12", "as 12 in place of € 12");
        says("outcome", "\u{2212}8.46", "(U+2212); write that of the keyboard, as in -8.46");
        says("outcome", "\u{2013}0.5", "(U+2013); write that of the keyboard, as in -0.5");
        for bound in ["<5", "≤10", "~5", ">= 3", "10+", "5 or more", "less than 5", "ca. 5"] {
            says("outcome", bound, "yours to decide; --na");
        }
        for bound in
            ["<2004", "pre 2005", "pre-2005", "before 2005", "after 2010", "not before 2010"]
        {
            says("group", bound, "does not say in which period");
        }
        says("group", "grp 2004", "if `grp 2004` stands for never treated");
        says("outcome", "#5", "if `#5` stands for a missing value");
        says("time", "Year 2003", "such as 2003 in place of Year 2003");
        says("outcome", "1,234.5", "separators of thousands");
        says("outcome", "8,461", "--decimal comma");
        says("outcome", "NA", "name it by --na \"g=NA\"; in all columns");
        says("outcome", "NA", "as in --na NA,never:");
        says("outcome", "?", "as in --na \"?,NA\":");
        says("group", "not treated", "--na \"g=not treated\" --rows");
        says("group", "never, so far", "write 0 or nothing instead");
        says("outcome", "none, lost", "write nothing instead");
    }

    #[test]
    fn numbers_written_as_text_need_no_word() {
        let (column, expected) = ("g".to_owned(), "numbers");
        let got = "numbers written as text".to_owned();
        let error = DidError::ColumnType { column, role: "group", expected, got };
        assert_eq!(hint(&error), None);
    }
}
