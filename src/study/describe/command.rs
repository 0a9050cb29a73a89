//! The command to run next.

use super::findings::is_status_column;
use super::result::{CohortDescription, CohortStatus, Description};
use super::uses::words;
use crate::base::options::ControlGroup;
use crate::base::shell;
use crate::read::files::DecimalMark;
use crate::read::panel::Layout;
use crate::read::panel::overview::Overview;
use crate::study::explore::Explore;

/// The command that estimates group-time effects of the data with all columns that were named; empty if they have none.
pub(super) fn suggested(
    description: &Description,
    options: &Explore,
    overview: &Overview,
    decimal: Option<DecimalMark>,
) -> String {
    if let (Some(unit), true) = (&options.unit, is_status_column(overview))
        && description.group_changes.units > 0
    {
        // Before anything is estimated, the first treated periods are to be found.
        let frequency = options.frequency;
        let frequency = frequency.map_or_else(String::new, |f| format!(" --frequency {f}"));
        let columns = [("idname", unit), ("tname", &options.time), ("dname", &description.group)];
        let columns = columns.map(|(option, name)| shell::option(option, name)).join(" ");
        return format!(
            "burn-did panel first-treated {} {columns}{frequency} --out FILE",
            data(description, decimal)
        );
    }
    let Some((control_group, allow_unbalanced)) = design(description) else { return String::new() };
    let mut words = vec!["burn-did att-gt".to_owned(), data(description, decimal)];
    let mut option = |name: &str, value: Option<&String>| {
        if let Some(value) = value {
            words.push(shell::option(name, value));
        }
    };
    let outcome = options.outcome.clone().unwrap_or_else(|| "OUTCOME".into());
    option("yname", Some(&outcome));
    option("tname", Some(&options.time));
    option("idname", options.unit.as_ref());
    option("gname", Some(&description.group));
    option("frequency", options.frequency.map(|frequency| frequency.to_string()).as_ref());
    option("weightsname", options.weights.as_ref());
    option("clustervars", options.cluster.as_ref());
    if !options.covariates.is_empty() {
        let names: Vec<String> = options.covariates.iter().map(|name| in_formula(name)).collect();
        option("xformla", Some(&format!("~ {}", names.join(" + "))));
    }
    if options.anticipation > 0 {
        option("anticipation", Some(&options.anticipation.to_string()));
    }
    option("na", options.missing_values.as_ref().map(|words| words.join(",")).as_ref());
    if control_group != ControlGroup::NeverTreated {
        words.push(format!("--control-group {control_group}"));
    }
    if description.layout == Layout::RepeatedCrossSections {
        words.push("--repeated-cross-sections".into());
    }
    if allow_unbalanced {
        words.push("--allow-unbalanced-panel".into());
    }
    words.join(" ")
}

/// Comparison group, and whether units may miss periods: what suits the data, or else what is closest to it and has a sample.
fn design(description: &Description) -> Option<(ControlGroup, bool)> {
    let never = |cohort: &CohortDescription| {
        matches!(cohort.status, CohortStatus::NeverTreated | CohortStatus::TreatedAfter)
    };
    let mut groups = [ControlGroup::NeverTreated, ControlGroup::NotYetTreated];
    if !description.cohorts.iter().any(never) {
        groups.reverse();
    }
    let few_complete = 2 * description.units_in_all_periods < description.n_units;
    let unbalanced = description.layout == Layout::Unbalanced && few_complete;
    let has_sample = |(group, all): &(ControlGroup, bool)| {
        let words = words(*group, *all);
        description.designs.iter().any(|of| of.options == words && of.refused.is_none())
    };
    let designs =
        groups.into_iter().flat_map(|group| [unbalanced, !unbalanced].map(|all| (group, all)));
    designs.into_iter().find(has_sample)
}

/// The data, and which rows of them are taken, as the command line has them.
fn data(description: &Description, decimal: Option<DecimalMark>) -> String {
    let mut words = vec![path(description)];
    words.extend(decimal.map(|mark| format!("--decimal {mark}")));
    let left_out = description.files.chosen.iter().flat_map(|chosen| &chosen.left_out);
    words.extend(left_out.map(|left_out| shell::option("rows", &left_out.condition)));
    words.join(" ")
}

fn path(description: &Description) -> String {
    match description.files.paths.as_slice() {
        [] => "DATA".to_owned(),
        [only] => shell::path(only),
        [first, ..] => {
            let folder = std::path::Path::new(first).parent().unwrap_or(std::path::Path::new(""));
            shell::path(&folder.display().to_string())
        }
    }
}

/// A name as formulas have it.
fn in_formula(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '.');
    if starts && name.chars().all(plain) { name.to_owned() } else { format!("`{name}`") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_a_formula_would_read_them_otherwise() {
        assert_eq!(
            [in_formula("a.b_1"), in_formula("1a"), in_formula("a b")],
            ["a.b_1", "`1a`", "`a b`"]
        );
    }
}
