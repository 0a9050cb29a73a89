//! What deserves attention before estimating, in sentences.

use super::result::{CohortStatus, Description, Irregularity};
use crate::base::calendar::Calendar;
use crate::read::panel::overview::Overview;
use crate::read::panel::{is_status, smallest_cohort};
use crate::result::inference::FEW_CLUSTERS;
use crate::study::explore::Explore;

/// A cohort later than the last period by more than this many times the length of the data is taken for a code.
const FAR: f64 = 10.0;

pub(super) fn findings(
    description: &Description,
    options: &Explore,
    overview: &Overview,
    calendar: &Calendar,
) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(status_as_group(description, calendar));
    all.extend(irregular(description));
    all.extend(codes(description, calendar));
    all.extend(comparisons(description));
    all.extend(small_cohorts(description, options, calendar));
    all.extend(uneven(overview, calendar));
    if let Some(clusters) = description.n_clusters.filter(|clusters| *clusters < FEW_CLUSTERS) {
        all.push(format!(
            "there are {clusters} clusters; with fewer than {FEW_CLUSTERS}, standard errors may be too small"
        ));
    }
    for (column, units) in &description.varying {
        let handled = match Some(column) == description.weights.as_ref() {
            true => "`fix_weights` says which period's weight counts",
            false => "estimators take its value in the base period, unless told otherwise",
        };
        all.push(format!("`{column}` changes over time in {units} units; {handled}"));
    }
    if !overview.rounded.is_empty() {
        let columns = overview.rounded.join(", ");
        all.push(format!("numbers beyond 2^53 were rounded to double precision: {columns}"));
    }
    all
}

/// Whether the group column is a treatment status.
fn status_as_group(description: &Description, calendar: &Calendar) -> Option<String> {
    let groups = description.cohorts.iter().map(|cohort| cohort.group.unwrap_or(f64::INFINITY));
    let periods = description.periods.iter().map(|period| period.period);
    let last = description.periods.last()?.period;
    is_status(groups, periods).then(|| {
        format!(
            "`{}` holds only 0 and 1; the group is the period of first treatment, such as {}, in all rows of a unit, and 0 if it is never \
             treated",
            description.group,
            calendar.shown(last)
        )
    })
}

fn irregular(description: &Description) -> Vec<String> {
    let Description { duplicates, group_changes, cluster_changes, group, cluster, .. } =
        description;
    let mut all = Vec::new();
    let mut say = |found: &Irregularity, what: &str, remedy: &str| {
        if let Irregularity { units: units @ 1.., example } = found {
            let example = example.as_ref().map_or_else(String::new, |e| format!(", such as {e}"));
            all.push(format!("{units} units have {what}{example}; {remedy}"));
        }
    };
    say(
        duplicates,
        "several rows in a period",
        "estimators refuse them: keep one row per unit and period, or name a unit column that tells the rows apart",
    );
    say(
        group_changes,
        &format!("several values of `{group}`"),
        "estimators refuse them: a unit has one first treated period in all its rows",
    );
    say(
        cluster_changes,
        &format!("several values of `{}`", cluster.as_deref().unwrap_or_default()),
        "estimators refuse them: a unit stays in one cluster",
    );
    all
}

/// Groups that look like a code for the never-treated.
fn codes(description: &Description, calendar: &Calendar) -> Vec<String> {
    let periods: Vec<f64> = description.periods.iter().map(|period| period.period).collect();
    let (Some(first), Some(last)) = (periods.first(), periods.last()) else { return Vec::new() };
    let length = (last - first).max(1.0);
    let far = |group: &f64| group - last > FAR * length;
    let groups = description.cohorts.iter().filter_map(|cohort| cohort.group).filter(far);
    let said = groups.map(|group| {
        format!(
            "cohort {} is far after the last period {}; if it is a code for never treated, write 0 or leave it empty (its units count as \
             never treated within the data in any case)",
            calendar.shown(group),
            calendar.shown(*last)
        )
    });
    said.collect()
}

fn comparisons(description: &Description) -> Option<String> {
    let has = |status: CohortStatus| description.cohorts.iter().any(|c| c.status == status);
    if !has(CohortStatus::Treated) {
        return Some(
            "no cohort is first treated after the first period, so there is no effect to estimate"
                .into(),
        );
    }
    (!has(CohortStatus::NeverTreated) && !has(CohortStatus::TreatedAfter)).then(|| {
        "nobody is never treated; comparisons are with units not yet treated, up to the treatment of the last cohort".into()
    })
}

fn small_cohorts(
    description: &Description,
    options: &Explore,
    calendar: &Calendar,
) -> Option<String> {
    let required = smallest_cohort(options.covariates.len());
    let small = description.cohorts.iter().filter(|cohort| cohort.units < required);
    let small: Vec<String> = small
        .map(|cohort| {
            let name = cohort.group.map_or_else(|| "never treated".into(), |g| calendar.shown(g));
            format!("{name} ({})", cohort.units)
        })
        .collect();
    (!small.is_empty()).then(|| {
        format!(
            "cohorts with fewer than {required} units: {}; their standard errors are unreliable",
            small.join(", ")
        )
    })
}

/// Periods that are not evenly spaced.
fn uneven(overview: &Overview, calendar: &Calendar) -> Option<String> {
    let periods = overview.periods();
    let steps = || periods.windows(2).map(|pair| pair[1] - pair[0]);
    let step = steps().reduce(f64::min)?;
    let wide = periods.windows(2).find(|pair| pair[1] - pair[0] > 1.5 * step)?;
    let [from, to] = [wide[0], wide[1]].map(|period| calendar.shown(period));
    Some(format!("periods are not evenly spaced: nothing is observed between {from} and {to}"))
}
