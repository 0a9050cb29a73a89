//! What estimators would use of the data.

use super::result::SampleOfDesign;
use crate::base::calendar::Calendar;
use crate::base::error::DidError;
use crate::base::options::ControlGroup;
use crate::read::panel::overview::Overview;
use crate::read::panel::{Layout, SampleAudit, SampleOptions, Staggered, StudyDesign};
use crate::report::number::counted;
use crate::study::explore::Explore;

/// The options of a design, as the command line has them.
pub(super) fn words(control_group: ControlGroup, allow_unbalanced: bool) -> String {
    let mut words = format!("--control-group {control_group}");
    if allow_unbalanced {
        words.push_str(" --allow-unbalanced-panel");
    }
    words
}

/// Samples of both comparison groups, of balanced units and, if that is not all, of all units.
pub(super) fn designs(
    options: &Explore,
    layout: Layout,
    overview: &Overview,
    calendar: &Calendar,
) -> Vec<SampleOfDesign> {
    let allowed: &[bool] = if layout == Layout::Unbalanced { &[false, true] } else { &[false] };
    let irregular = irregular(options, overview);
    let groups = [ControlGroup::NeverTreated, ControlGroup::NotYetTreated];
    let designs = groups.into_iter().flat_map(|group| allowed.iter().map(move |all| (group, *all)));
    let sample = |(control_group, allow_unbalanced): (ControlGroup, bool)| {
        let design = Staggered { control_group, anticipation: options.anticipation };
        let asked = SampleOptions {
            design: StudyDesign::Staggered(design),
            repeated_cross_sections: layout == Layout::RepeatedCrossSections,
            allow_unbalanced,
            pairs: false,
            labels: false,
        };
        let words = words(control_group, allow_unbalanced);
        let used = overview.used(&asked, options.covariates.len());
        match irregular.clone().map_or_else(|| used.map_err(|error| error.to_string()), Err) {
            Ok(audit) => used_by(words, &audit, overview, calendar),
            Err(refused) => SampleOfDesign {
                options: words,
                units: 0,
                rows: 0,
                periods: Vec::new(),
                groups: Vec::new(),
                left_out: Vec::new(),
                refused: Some(refused),
            },
        }
    };
    designs.map(sample).collect()
}

/// Why every design refuses the rows, if it does.
fn irregular(options: &Explore, overview: &Overview) -> Option<String> {
    let found = &overview.found;
    let all = [
        (found.duplicates.units, "several rows in a period"),
        (found.group_changes.units, "several first treated periods"),
        (found.cluster_changes.units, "several clusters"),
    ];
    if let Some((units, what)) = all.into_iter().find(|(units, _)| *units > 0) {
        return Some(format!("{} {what}", counted(units, "unit has", "units have")));
    }
    let column = options.cluster.clone()?;
    let clusters = clusters(overview, |_| true);
    (clusters < 2).then(|| DidError::TooFewClusters { column, clusters }.to_string())
}

/// Clusters of the groups that count.
pub(super) fn clusters(overview: &Overview, counts: impl Fn(f64) -> bool) -> usize {
    let groups = overview.group_values().iter().zip(&overview.found.groups);
    let counted = groups.filter(|(value, _)| counts(**value));
    let mut all: Vec<_> = counted.flat_map(|(_, group)| &group.clusters).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn used_by(
    options: String,
    audit: &SampleAudit,
    overview: &Overview,
    calendar: &Calendar,
) -> SampleOfDesign {
    let mut left_out = Vec::new();
    let mut say = |number: usize, one: &str, several: &str, what: &str| {
        if number > 0 {
            left_out.push(format!("{} {what}", counted(number, one, several)));
        }
    };
    let already = audit.units_already_treated;
    say(already, "unit", "units", "treated in the first period or before");
    say(audit.units_unbalanced, "unit that misses", "units that miss", "a period");
    say(
        audit.rows_after_last_cohort,
        "row",
        "rows",
        "from the treatment of the last cohort on, where nobody is never treated",
    );
    for (group, reason) in &audit.cohorts_lost {
        left_out.push(format!("no effect of cohort {}: {reason}", calendar.shown(*group)));
    }
    let lost: Vec<String> = overview
        .periods()
        .iter()
        .filter(|period| !audit.periods.contains(period))
        .map(|period| calendar.shown(*period))
        .collect();
    if !lost.is_empty() {
        left_out.push(format!("periods {}", lost.join(", ")));
    }
    SampleOfDesign {
        options,
        units: audit.units,
        rows: audit.rows,
        periods: audit.periods.clone(),
        groups: audit.groups.clone(),
        left_out,
        refused: None,
    }
}
