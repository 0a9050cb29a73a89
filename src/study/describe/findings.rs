//! What deserves attention before estimating, in sentences.

use super::result::{CohortDescription, CohortStatus, Description, Irregularity};
use super::uses::clusters;
use crate::base::calendar::Calendar;
use crate::base::error::DidWarning;
use crate::read::panel::overview::Overview;
use crate::read::panel::{is_status, smallest_cohort};
use crate::report::number::counted;
use crate::result::inference::FEW_CLUSTERS;
use crate::study::explore::Explore;

pub(super) fn findings(
    description: &Description,
    options: &Explore,
    overview: &Overview,
    calendar: &Calendar,
) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(status_as_group(description, overview, calendar));
    all.extend(irregular(description));
    all.extend(codes(description, overview, calendar));
    all.extend(comparisons(description, calendar));
    all.extend(small_cohorts(description, options, calendar));
    all.extend(uneven(overview, calendar));
    all.extend(few_clusters(description, overview));
    for (column, units) in &description.varying {
        let handled = match Some(column) == description.weights.as_ref() {
            true => "`fix_weights` says which period's weight counts",
            false => {
                "`att-gt`, `drdid` and `ddd` take its value in the earlier or base period of a comparison; regressions, imputation and stacks \
                 take each row's value"
            }
        };
        let units = counted(*units, "unit", "units");
        all.push(format!("`{column}` changes over time in {units}; {handled}"));
    }
    if !overview.rounded.is_empty() {
        let columns = overview.rounded.join(", ");
        all.push(format!("numbers beyond 2^53 were rounded to double precision: {columns}"));
    }
    all
}

/// Whether the group column is a treatment status.
pub(super) fn is_status_column(overview: &Overview) -> bool {
    let (groups, periods) = (overview.group_values(), overview.periods());
    is_status(groups.iter().copied(), periods.iter().copied())
}

fn status_as_group(
    description: &Description,
    overview: &Overview,
    calendar: &Calendar,
) -> Option<String> {
    let last = overview.periods().last().filter(|_| is_status_column(overview))?;
    let made = match description.group_changes.units {
        0 => "",
        _ => {
            "; `panel::first_treated` (`burn-did panel first-treated`) makes such a column of a treatment in every period"
        }
    };
    Some(format!(
        "`{}` holds only 0 and 1; the group is the period of first treatment, such as {}, in all rows of a unit, and 0 if it is never \
         treated{made}",
        description.group,
        calendar.shown(*last)
    ))
}

fn irregular(description: &Description) -> Vec<String> {
    let Description { duplicates, group_changes, cluster_changes, group, cluster, .. } =
        description;
    let mut all = Vec::new();
    let mut say = |found: &Irregularity, what: &str, remedy: &str| {
        if let Irregularity { units: units @ 1.., example } = found {
            let example = example.as_ref().map_or_else(String::new, |e| format!(", such as {e}"));
            let units = counted(*units, "unit has", "units have");
            all.push(format!("{units} {what}{example}; {remedy}"));
        }
    };
    say(
        duplicates,
        "several rows in a period",
        "most estimators refuse them, and `sunab` and `etwfe` count every row: keep one row per unit and period, or name a unit column that tells the rows apart",
    );
    say(
        group_changes,
        &format!("several values of `{group}`"),
        "most estimators refuse them, and `sunab` and `etwfe` count each row in the cohort that it names: a unit has one first treated period in all its rows",
    );
    say(
        cluster_changes,
        &format!("several values of `{}`", cluster.as_deref().unwrap_or_default()),
        "most estimators refuse them, and regressions with fixed effects take the cluster of each row: a unit stays in one cluster",
    );
    all
}

/// Groups that look like a code, or are taken for one.
fn codes(
    description: &Description,
    overview: &Overview,
    calendar: &Calendar,
) -> impl Iterator<Item = String> {
    // The 1 of a status is no code, and what it is has been said.
    let is_status = is_status_column(overview);
    let doubtful = overview.doubtful_groups(Some(&description.group)).into_iter();
    doubtful
        .filter(move |w| !is_status || !matches!(w, DidWarning::FarGroup { .. }))
        .map(|warning| warning.shown(calendar.frequency))
}

fn comparisons(description: &Description, calendar: &Calendar) -> Option<String> {
    let has = |status: CohortStatus| description.cohorts.iter().any(|c| c.status == status);
    if !has(CohortStatus::Treated) {
        return Some(
            "no cohort is first treated after the first period, so there is no effect to estimate"
                .into(),
        );
    }
    if has(CohortStatus::NeverTreated) || has(CohortStatus::TreatedAfter) {
        return None;
    }
    let treated = description.cohorts.iter().filter(|c| c.status == CohortStatus::Treated);
    let treated: Vec<f64> = treated.filter_map(|cohort| cohort.group).collect();
    if let [only] = treated.as_slice() {
        return Some(format!(
            "nobody is never treated, and all who are not treated from the start are first treated in {}, so that there is nobody to \
             compare them with",
            calendar.shown(*only)
        ));
    }
    description.has_sample().then(|| {
        "nobody is never treated; comparisons are with units not yet treated, up to the treatment of the last cohort".into()
    })
}

fn small_cohorts(
    description: &Description,
    options: &Explore,
    calendar: &Calendar,
) -> Option<String> {
    let required = smallest_cohort(options.covariates.len());
    // As estimators count: rows of a cross section are units of one period.
    let (by_row, periods) = (description.unit.is_none(), description.periods.len().max(1));
    let size = |cohort: &CohortDescription| match by_row {
        true => cohort.rows / periods,
        false => cohort.units,
    };
    let small = description.cohorts.iter().filter(|cohort| size(cohort) < required);
    let small: Vec<String> = small
        .map(|cohort| {
            let name = cohort.group.map_or_else(|| "never treated".into(), |g| calendar.shown(g));
            format!("{name} ({})", size(cohort))
        })
        .collect();
    let what = if by_row { "rows a period" } else { "units" };
    (!small.is_empty()).then(|| {
        format!(
            "cohorts with fewer than {required} {what}: {}; their standard errors are unreliable",
            small.join(", ")
        )
    })
}

/// Few clusters; those in which all units are treated from the start are no part of an estimate.
fn few_clusters(description: &Description, overview: &Overview) -> Option<String> {
    let all = description.n_clusters?;
    let is_left_out = |group: f64| {
        let of = |cohort: &&CohortDescription| cohort.group == Some(group);
        let cohort = description.cohorts.iter().find(of);
        cohort.is_some_and(|cohort| cohort.status == CohortStatus::AlreadyTreated)
    };
    let clusters = clusters(overview, |group| !is_left_out(group));
    let without = match all - clusters {
        0 => String::new(),
        _ => format!(" with units that are not treated from the start, of {all}"),
    };
    let are = if clusters == 1 { "is" } else { "are" };
    (clusters < FEW_CLUSTERS).then(|| {
        let clusters = counted(clusters, "cluster", "clusters");
        format!(
            "there {are} {clusters}{without}; with fewer than {FEW_CLUSTERS}, standard errors may be too small"
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
