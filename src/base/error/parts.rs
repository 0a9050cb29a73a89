//! Parts of the messages of errors.

use std::borrow::Cow;
use std::fmt;

use super::construct::named;
use super::{FileLine, TooFew};
use crate::base::calendar::Frequency;
use crate::base::counted::{NAMED_COLUMNS, counted, listed};
use crate::base::percent::percent;

/// About standard errors with controls and several first treatments.
pub(super) const CONTROL_VARIANCE: &str = "the standard errors are those of R DIDmultiplegtDYN 2.2.0, which are mostly too large with controls and several first treatments; `separate_control_variance` (`--separate-control-variance`) gives those of R from 2.3.0 on, and without clusters those of Stata";

/// About sampling weights that change over time.
pub(super) const WEIGHTS_OF_PERIODS: &str = "sampling weights change over time within units: comparisons of a balanced panel use those of one period (`AttGt`: the earlier of both, unless `fix_weights`, --fix-weights, says otherwise), and elsewhere each row has its own";

/// About never-treated units where others anticipate.
pub(super) const ANTICIPATION: &str =
    "never-treated units are assumed never to anticipate treatment";

/// About sampling weights where the change from a period counts once.
pub(super) const WEIGHTS_OF_START: &str = "sampling weights vary over time within units: a unit counts with its weight in the period in which its treatment starts, or in which it is a control";

/// About rows that lack what is not needed of them.
pub(super) fn rows_with_gaps(rows: usize, columns: &[(String, usize)]) -> String {
    let named = named(columns).map_or_else(String::new, |named| format!(" ({named})"));
    let stay = if rows == 1 { "stays" } else { "stay" };
    let rows = counted(rows, "row", "rows");
    format!(
        "{rows} with missing or infinite values{named} {stay}: a row without a covariate is left out only where treatment starts in its period, one without the outcome only where its outcome is compared"
    )
}

/// About regressors that some regressions leave out.
pub(super) fn collinear_in_effects(columns: &[String], effects: &[String]) -> String {
    format!(
        "dropped because of collinearity with other regressors or the fixed effects, only in the regressions of {}: {}",
        effects.join(", "),
        listed(columns, NAMED_COLUMNS, "")
    )
}

/// About effects of a treatment that switches without a standard error.
pub(super) fn no_standard_error(horizons: &[i64], out_of_range: bool) -> String {
    let event_time = |horizon: &i64| match horizon {
        0 => "of the average total effect".to_owned(),
        _ => format!("at event time {horizon}"),
    };
    let places: Vec<String> = horizons.iter().map(event_time).collect();
    let why = if out_of_range {
        "squares of the outcome are outside the range of double precision; rescale the outcome so that its values are near 1"
    } else {
        "the changes of the outcome that are compared do not vary, so that their variance is zero"
    };
    format!("no standard error {}: {why}", places.join(", "))
}

/// About event studies of imputation and two stages.
pub(super) const JUMP_AT_TREATMENT: &str = "estimates before treatment are what the first stage leaves of rows that it was fitted to, those after it are of rows that it was not. If trends differ linearly, these estimates lie on no line: they are less steep before treatment and jump at it. So M = 0 and slopes do not stand for linear differences in trends, and Mbar compares unlike changes. Analyse the same data by `SunAbraham` (`burn-did sunab`), `LocalProjections` (`burn-did lpdid`), `AttGt` with a universal base (`burn-did att-gt --base-period universal`), or `Etwfe` against never-treated units (`control_group`, `--cgroup never_treated`)";

/// About a band that is an interval.
pub(super) const BAND_OF_ONE: &str = "a uniform band over one estimate is its pointwise interval: it takes several estimates for a band to cover them together";

/// Why estimates have no standard error: outcomes.
pub(super) const UNVARYING: &str = "the outcomes compared do not vary";

/// Why estimates have no standard error: clusters.
pub(super) const CLUSTERS: &str = "what the units of each cluster contribute sums to zero, as where clusters are whole cohorts or outcomes do not vary; cluster by something finer than the treatment, or by units";

/// Why estimates have no standard error: draws.
pub(super) const DRAWS: &str =
    "the bootstrap draws hardly vary; take more draws, or multiply the outcome by a large number";

/// Why estimates have no standard error: the range of numbers.
pub(crate) const RANGE: &str = "squares of the outcome are outside the range of double precision; divide the outcome, so that its values are near 1";

/// About estimates without a standard error.
pub(super) fn no_error(estimates: usize, why: &str) -> String {
    format!("{} no standard error: {why}", counted(estimates, "estimate has", "estimates have"))
}

/// About standard errors up to a limit that counts as rounding.
pub(super) fn negligible_errors(estimates: usize, limit: f64) -> String {
    format!(
        "{} no standard error because it is at most {limit:.2e}, which counts as rounding; multiply the outcome by a number that makes it larger than 1.49e-7",
        counted(estimates, "estimate has", "estimates have")
    )
}

/// About a cell whose influence values are no numbers.
pub(super) fn influence_not_finite(group: &str, time: &str) -> String {
    format!(
        "(group {group}, time {time}) has an estimate and no standard error: the influence values that the estimator gave are not all finite"
    )
}

/// About a second stage that does not know of all treated rows.
pub(super) fn treated_outside(column: &str, rows: usize) -> String {
    format!(
        "`{column}` of the second stage is 0 in {} nothing of its coefficient; if `{column}` is meant to be the treatment, make groups and `{column}` agree",
        counted(
            rows,
            "row that is treated by its group, which says",
            "rows that are treated by their groups, which say"
        )
    )
}

/// About weights on effects that are not those of the regression with effects of units.
pub(super) fn cohorts_in_place_of_units(units: usize) -> String {
    let why = match units {
        0 => "controls or weights may differ between the units of a cohort".to_owned(),
        units => format!("{} missing in some periods", counted(units, "unit is", "units are")),
    };
    format!(
        "{why}: with effects of units in place of cohorts the coefficient and its weights differ; `TwfeCells::Unit` (`--cells unit`) has them"
    )
}

/// About units that are left out of a balanced panel.
pub(super) fn unbalanced(units: usize) -> String {
    let units = counted(units, "unit is", "units are");
    format!(
        "{units} missing in some periods and dropped to balance the panel; where the estimator has the option, `allow_unbalanced_panel` (`--allow-unbalanced-panel`) keeps them, and then compares all rows as pooled cross sections, mostly with larger standard errors"
    )
}

/// About a test that does not exist.
pub(super) fn no_joint_test(coefficients: usize, rank: Option<usize>) -> String {
    let why = match rank.filter(|rank| *rank < coefficients) {
        Some(rank) => format!("with so few clusters the covariance has a rank of at most {rank}"),
        None => "their covariance is singular".to_owned(),
    };
    let coefficients = match coefficients {
        1 => "the coefficient".to_owned(),
        several => format!("the {several} coefficients"),
    };
    format!("no F test of {coefficients}: {why}")
}

/// About groups that are missing beside groups that say that units are never treated.
pub(super) fn missing_groups(column: &str, rows: usize, units: Option<usize>) -> String {
    let count = if units.unwrap_or(rows) == 1 { "counts" } else { "count" };
    let rows = counted(rows, "row", "rows");
    let (missing, others) = match units {
        Some(units) => (format!("for {} ({rows})", counted(units, "unit", "units")), "units"),
        None => (format!("in {rows}"), "rows"),
    };
    format!(
        "column `{column}` (group) is missing {missing}, which {count} as never treated, as the {others} with 0 or infinity there do; R did and Stata's csdid leave such rows out: if it is not known when these units were treated, leave their rows out as well with `--rows \"{column} is not missing\"`"
    )
}

/// Levels that a message names.
const SHOWN: usize = 8;

/// About levels of a fixed effect with one outcome.
pub(super) fn one_outcome(factor: &str, outcome: f64, levels: &[String], rows: usize) -> String {
    let shown: Vec<&str> = levels.iter().take(SHOWN).map(String::as_str).collect();
    let ellipsis = if levels.len() > SHOWN { ", …" } else { "" };
    format!(
        "left out {} of `{factor}` with {}, as every outcome there is {outcome}: {}{ellipsis}",
        counted(levels.len(), "level", "levels"),
        counted(rows, "row", "rows"),
        shown.join(", ")
    )
}

/// So many treated rows that cannot be imputed and are, and whose what it is that they lack.
pub(super) fn not_imputed(rows: usize) -> [String; 2] {
    let one = "treated row, which cannot be imputed, is";
    let several = "treated rows, which cannot be imputed, are";
    let their = if rows == 1 { "its" } else { "their" };
    [counted(rows, one, several), their.to_owned()]
}

/// About comparison units without a weight, with the group and time of the cell that has most of them.
pub(super) fn trimmed_controls(
    cells: usize,
    worst: Option<[String; 2]>,
    units: usize,
    share: f64,
) -> String {
    let is_one = units == 1;
    let units = counted(units, "comparison unit", "comparison units");
    let share = 100.0 * share;
    let left_out = format!("{units} with {share:.2}% of the comparison group's weight");
    match worst {
        None => {
            let theirs = match is_one {
                true => "is trimmed: its propensity score is",
                false => "are trimmed: their propensity score is",
            };
            format!("{left_out} {theirs} at least the trimming level")
        }
        Some([group, time]) => format!(
            "comparison units with a propensity score of 0.995 or more are trimmed in {}, most in (group {group}, time {time}): {left_out}",
            counted(cells, "cell", "cells")
        ),
    }
}

/// The regressors, or else the fixed effects, that tell one outcome from the other.
pub(super) fn separating(columns: &[String]) -> String {
    match columns {
        [] => "the fixed effects separate".to_owned(),
        [one] => format!("{one} separates"),
        several => format!("{} separate", several.join(", ")),
    }
}

/// About rows whose outcome is certain.
pub(super) fn separated(rows: usize, columns: &[String]) -> String {
    let by = match columns {
        [] => String::new(),
        columns => format!(" by {}", columns.join(", ")),
    };
    format!(
        "left out {} whose outcome is fitted exactly, by a mean of 0 (or 1 by logit and probit) (separation{by})",
        counted(rows, "row", "rows")
    )
}

/// About a pre-test of many estimates.
pub(super) fn crowded_pretest(group: &str, estimates: usize, units: usize, few: TooFew) -> String {
    let (of_units, estimates) =
        (counted(units, "unit", "units"), counted(estimates, "estimate", "estimates"));
    let found = match few {
        TooFew::Treated => {
            format!("{estimates} of the group {group}, which has {of_units}")
        }
        TooFew::Comparison => {
            format!("{estimates} of the group {group}, which is compared with {of_units}")
        }
        TooFew::Clusters => {
            format!("{estimates} and {}", counted(units, "cluster", "clusters"))
        }
    };
    format!(
        "the pre-test has {found}: with fewer than ten for each it rejects too often, also if trends are parallel; test fewer, such as those of the event study of several groups (`pretrends`), or count longer periods"
    )
}

/// About an average without some of its cells: how many of how many, and how many of those left out have an estimate.
pub(super) fn cells_left_out([cells, of, lost]: [usize; 3], share: f64, groups: &str) -> String {
    let lost = match lost {
        0 => "",
        _ => ", or are of a group that has none in the window,",
    };
    let (have, are) = if cells == 1 { ("has", "is") } else { ("have", "are") };
    let weight = match share {
        0.0 => "none of the overall average".to_owned(),
        share => format!(
            "{} of the weight of the overall average, which is not the average asked for",
            percent(share)
        ),
    };
    format!(
        "{cells} of the {of} cells of this average {have} no estimate{lost} and {are} left out, of group {groups}: {weight}"
    )
}

/// About levels of a moderator that differ without treatment.
pub(super) fn moderator_levels(moderator: &str) -> String {
    format!(
        "levels of `{moderator}` may differ before treatment, too: without effects of units this regression and that of R etwfe take these differences as effects; absorb units (`unit`, `--idname`) in the Gaussian family, or fit rows of one level alone (`rows`, `--rows`)"
    )
}

/// About periods such as 200712.
pub(super) fn dates_in_digits([frequency, by]: [Frequency; 2], before: f64, after: f64) -> String {
    let apart = after - before;
    format!(
        "periods such as {before} and {after} look like {frequency}s and are counted as numbers, so that these two are {apart} apart; `frequency` (`--frequency {by}`) counts them by the calendar, with groups that are written in the same way"
    )
}

/// A line, or else a row of the data.
pub(super) struct Place<'a>(pub usize, pub &'a Option<Box<FileLine>>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(_, Some(line)) => line.fmt(f),
            Self(row, None) => write!(f, "row {row}"),
        }
    }
}

/// Groups with what they were taken as.
pub(super) fn moved(groups: &[(f64, f64)]) -> String {
    let moved = |(from, to): &(f64, f64)| format!("{from} as {to}");
    groups.iter().map(moved).collect::<Vec<_>>().join(", ")
}

/// Numbers one after another.
pub(super) fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

/// When a column of this role says that nobody is treated, and what can be done.
pub(super) fn nobody_treated(role: &str, anticipating: &str) -> [Cow<'static, str>; 2] {
    match role {
        "dose" => {
            let zero = match anticipating {
                "" => "there",
                _ => "there and in those of anticipation,",
            };
            let when = format!(
                "for the first time after the first period{anticipating}: no unit's dose is 0 {zero} and positive later"
            );
            let remedy = "give the dose that a unit gets in each period, or a column of first treated periods (`group`, `--gname`)";
            [when.into(), remedy.into()]
        }
        _ => {
            let remedy = "add rows of treated units, in which it is 1, or look at the rows that were left out";
            ["in the sample: it is 1 in no row".into(), remedy.into()]
        }
    }
}

/// Cohorts with few units, and which of them are of one.
pub(super) fn few_units(groups: &str, single: &str) -> String {
    let of_one = match single {
        "" => String::new(),
        single => format!(
            "; a single unit does not show how much its effect varies, so that the standard errors of these are too small: {single}"
        ),
    };
    format!("cohorts with few units, whose standard errors are unreliable: {groups}{of_one}")
}

/// About standard errors that rest on few clusters.
pub(super) fn few_clusters(clusters: usize) -> String {
    let clusters = counted(clusters, "cluster", "clusters");
    format!("standard errors rest on {clusters}; with fewer than ten they are often too small")
}

/// About cohorts, by their names, whose units are in so few clusters.
pub(super) fn few_clusters_of_groups(groups: impl Iterator<Item = (String, usize)>) -> String {
    let one = |(group, clusters)| format!("{group} ({})", counted(clusters, "cluster", "clusters"));
    let groups: Vec<String> = groups.map(one).collect();
    format!(
        "cohorts in few clusters, whose standard errors are often too small, whatever the number of their units: {}",
        groups.join(", ")
    )
}

/// About effects of few treated units.
pub(super) fn few_treated_effects(effects: usize, units: usize, example: &str) -> String {
    format!(
        "{} on few treated units, the least on {} ({example}); standard errors of these are often too small",
        counted(effects, "effect rests", "effects rest"),
        counted(units, "treated unit", "treated units")
    )
}

/// About knots that the curve of a group goes without.
pub(super) fn dropped_knots(group: &str, knots: usize) -> String {
    let knots = counted(knots, "knot", "knots");
    format!(
        "the curve of group {group} leaves out {knots} outside the range of the doses or equal to another"
    )
}

/// About points at which a function is extrapolated.
pub(super) fn points_outside(points: usize) -> String {
    let lie = counted(points, "point lies", "points lie");
    format!(
        "{lie} outside the range of the regressors; the function is extrapolated there as a polynomial"
    )
}

/// Units that a group needs without covariates.
const WITHOUT_COVARIATES: usize = 5;

/// Whose need of so many units it is, and what can be done, for a never-treated group.
pub(super) fn few_never_treated(required: usize) -> &'static str {
    match required {
        ..=WITHOUT_COVARIATES => "a comparison needs; use not-yet-treated controls or more data",
        _ => "the covariates need; use not-yet-treated controls or fewer covariates",
    }
}

/// What can be done about a group that needs so many units.
pub(super) fn more_units(required: usize) -> &'static str {
    match required {
        ..=WITHOUT_COVARIATES => "use more data",
        _ => "use fewer covariates or more data",
    }
}

/// What an average without its missing cells leaves out: their share of its weight, where the weights are not given.
pub(super) struct WithoutCells(pub Option<f64>);

impl fmt::Display for WithoutCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(0.0) => f.write_str(
                "; `na_rm` leaves these cells out, which have no weight in the overall average",
            ),
            Some(1.0..) => f.write_str("; no other cell is in the average"),
            Some(share) => write!(
                f,
                "; `na_rm` leaves these cells out, and with them {} of the weight of the overall average",
                percent(share)
            ),
            None => Ok(()),
        }
    }
}

/// Which rows nothing is compared with: those of cohorts, and those in periods, by their names.
pub(super) fn without_comparison(
    cohorts_and_periods: [&Vec<f64>; 2],
    name: impl Fn(&f64) -> String,
) -> String {
    let of = ["of cohorts", "in periods"].into_iter().zip(cohorts_and_periods);
    let listed = of.filter(|(_, values)| !values.is_empty()).map(|(of, values)| {
        let names: Vec<String> = values.iter().map(&name).collect();
        format!("{of} without an untreated row to compare with: {}", names.join(", "))
    });
    listed.collect::<Vec<String>>().join("; ")
}

/// Of groups whose effects have no weight in an average, and the rows that have no estimate without them.
pub(super) fn groups_without_share(
    groups: Vec<String>,
    event_times: Vec<String>,
    periods: Vec<String>,
) -> String {
    let lost = match (event_times.is_empty(), periods.is_empty()) {
        (true, true) => String::new(),
        (false, _) => {
            format!(", and there is no estimate at event time {}", event_times.join(", "))
        }
        (true, false) => format!(", and there is no estimate in period {}", periods.join(", ")),
    };
    format!(
        "the effects of group {} have no weight in this average{lost}: its units have a weight of 0 in the period that the shares of groups are of (a panel's first); weigh them there, or report the cells",
        groups.join(", ")
    )
}

/// Of knots at quantiles that coincide.
pub(super) fn coincident_knots(column: &str, segments: usize, distinct: usize) -> String {
    format!(
        "knots at quantiles of `{column}` coincide, as many rows have one value, and are one knot: {distinct} of {segments} segments have a length"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_without_weight_have_none() {
        let said = |share: f64| WithoutCells(Some(share)).to_string();
        assert!(said(0.25).contains("25% of the weight"), "{}", said(0.25));
        assert!(said(0.0).contains("no weight in the overall average"), "{}", said(0.0));
        assert_eq!(WithoutCells(None).to_string(), "");
    }

    #[test]
    fn cohorts_of_one_unit_are_named() {
        let few = "cohorts with few units, whose standard errors are unreliable: 2005, 2009";
        assert_eq!(few_units("2005, 2009", ""), few);
        assert!(few_units("2005, 2009", "2009").ends_with("too small: 2009"));
    }

    #[test]
    fn covariates_are_named_where_there_are_some() {
        assert!(
            !few_never_treated(5).contains("covariates") && !more_units(5).contains("covariates")
        );
        assert!(
            few_never_treated(6).contains("covariates") && more_units(6).contains("covariates")
        );
    }
}
