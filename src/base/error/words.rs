//! Warnings in words.

use std::fmt;

use super::DidWarning;
use super::columns::{alike_labels, early_group, nan_groups, unused_words};
use super::construct::named;
use super::parts::{
    ANTICIPATION, BAND_OF_ONE, CLUSTERS, CONTROL_VARIANCE, DRAWS, JUMP_AT_TREATMENT, RANGE,
    UNVARYING, WEIGHTS_OF_PERIODS, WEIGHTS_OF_START, cells_left_out, cohorts_in_place_of_units,
    coincident_knots, collinear_in_effects, crowded_pretest, dates_in_digits, dropped_knots,
    few_clusters, few_clusters_of_groups, few_treated_effects, few_units, groups_without_share,
    influence_not_finite, list, missing_groups, moderator_levels, moved, negligible_errors,
    no_error, no_joint_test, no_standard_error, not_imputed, one_outcome, points_outside,
    rows_with_gaps, separated, treated_outside, trimmed_controls, unbalanced, without_comparison,
};
use crate::base::calendar::{Frequency, label, shown};
use crate::base::counted::{NAMED_COLUMNS, counted, listed};

impl DidWarning {
    pub(super) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        frequency: Option<Frequency>,
    ) -> fmt::Result {
        let name = |period: &f64| shown(*period, frequency);
        match self {
            Self::DroppedRows { rows, columns } => {
                let named = named(columns).map_or_else(String::new, |named| format!(" ({named})"));
                let rows = counted(*rows, "row", "rows");
                write!(f, "dropped {rows} with missing or infinite values{named}")
            }
            Self::RowsWithGaps { rows, columns } => f.write_str(&rows_with_gaps(*rows, columns)),
            Self::LeftOutRows { rows, column } => {
                write!(f, "left out {}: `{column}`", counted(*rows, "row", "rows"))
            }
            Self::AlreadyTreated { units, anticipation } => {
                let units = counted(*units, "unit that was", "units that were");
                write!(f, "dropped {units} already treated in the first period")?;
                match anticipation {
                    0 => Ok(()),
                    periods => write!(f, " (accounting for anticipation = {periods})"),
                }
            }
            Self::Unbalanced { units } => f.write_str(&unbalanced(*units)),
            Self::LastCohortAsControl { group } => write!(
                f,
                "no never-treated units: the cohort first treated in {} is the comparison, and periods from its treatment on are dropped",
                name(group)
            ),
            Self::SmallGroups { groups, single } => {
                let [groups, single] = [groups, single]
                    .map(|cohorts| cohorts.iter().map(name).collect::<Vec<_>>().join(", "));
                f.write_str(&few_units(&groups, &single))
            }
            Self::FarGroup { group, period, .. } if group > period => write!(
                f,
                "cohort {} is far after the last period {}; if it is a code for never treated, {}leave it empty (within the data its units are not treated in any case)",
                name(group),
                name(period),
                if frequency.is_some() { "" } else { "write 0 or " }
            ),
            Self::FarGroup { group, period, column } => {
                f.write_str(&early_group(column, [group, period].map(name), frequency))
            }
            Self::ZeroGroup { column, rows } => write!(
                f,
                "column `{column}` (group) is 0 in {} as never treated, but 0 lies among the periods: if these units are first treated in period 0, add a constant to periods and groups so that all are positive",
                counted(*rows, "row, which counts", "rows, which count")
            ),
            Self::UnusedWords { words } => f.write_str(&unused_words(words)),
            Self::AlikeLabels { column, labels, example } => {
                f.write_str(&alike_labels(column, *labels, example))
            }
            Self::MissingGroups { column, rows, units } => {
                f.write_str(&missing_groups(column, *rows, *units))
            }
            Self::NanGroups { column, rows } => f.write_str(&nan_groups(column, *rows)),
            Self::ChangingGroups { units, example } => write!(
                f,
                "{units} {change} group, such as {example}; each row counts in the cohort that it names: if that is not meant, give the first treated period in all rows of a unit",
                change = if *units == 1 { "unit changes its" } else { "units change their" }
            ),
            Self::RepeatedRows { units, example } => write!(
                f,
                "{units} {have} several rows in a period, such as {example}; each row counts as an observation: if that is not meant, keep one row per unit and period, or name a unit column that tells the rows apart",
                have = if *units == 1 { "unit has" } else { "units have" }
            ),
            Self::MovedGroups { groups } => write!(
                f,
                "groups that differ from a period or another group by rounding only were set to it: {}",
                moved(groups)
            ),
            Self::UnevenPeriods { per_unit } => write!(
                f,
                "periods are near to {per_unit} steps of a unit of time but not evenly spaced; event times count steps of 1/{per_unit}"
            ),
            Self::CrowdedPretest { group, estimates, units, few } => {
                f.write_str(&crowded_pretest(&name(group), *estimates, *units, *few))
            }
            Self::ModeratorLevels { moderator } => f.write_str(&moderator_levels(moderator)),
            Self::DatesInDigits { frequency, by, before, after } => {
                f.write_str(&dates_in_digits([*frequency, *by], *before, *after))
            }
            Self::GroupsBetweenPeriods { groups } => write!(
                f,
                "groups between two periods count as first treated in the next one, together with the groups of that period: {}; where that is not meant, use an estimator that counts time, such as `Imputation`, or change the group column",
                groups.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            Self::MergedEventTimes { event_times } => write!(
                f,
                "periods and groups are not on a regular grid; {} over differences that agree within rounding",
                counted(*event_times, "event time averages", "event times average")
            ),
            Self::RoundedIntegers { columns } => write!(
                f,
                "numbers beyond 2^53, and differences between them, were rounded to double precision: {}; subtract a constant or divide if these digits matter",
                columns.join(", ")
            ),
            Self::TimeVaryingWeights => f.write_str(WEIGHTS_OF_PERIODS),
            Self::WeightsOfStart => f.write_str(WEIGHTS_OF_START),
            Self::FewClusters { clusters } => f.write_str(&few_clusters(*clusters)),
            Self::FewClustersOfGroups { groups } => {
                let groups = groups.iter().map(|(group, clusters)| (name(group), *clusters));
                f.write_str(&few_clusters_of_groups(groups))
            }
            Self::Anticipation => f.write_str(ANTICIPATION),
            Self::FailedCell { group, time, reason } => {
                let (group, time) = (name(group), name(time));
                write!(f, "(group {group}, time {time}) has no estimate: {reason}")
            }
            Self::NoEstimate { reason } => write!(f, "the effect has no estimate: {reason}"),
            Self::NotConverged { group, time } => write!(
                f,
                "the propensity score of (group {}, time {}) did not converge; the last iterate is used",
                name(group),
                name(time)
            ),
            Self::TrimmedControls { cells, worst, units, share } => {
                let worst = worst.as_ref().map(|(group, time)| [name(group), name(time)]);
                f.write_str(&trimmed_controls(*cells, worst, *units, *share))
            }
            Self::FewEffectiveControls { cells, worst, effective, sampling } => {
                let sizes = format!(
                    "the comparison group has an effective sample size of {effective:.1}, and {sampling:.1} before the propensity score weights it"
                );
                match worst {
                    None => write!(f, "{sizes}; few units carry the comparison"),
                    Some((group, time)) => write!(
                        f,
                        "few units carry the comparison in {}; in (group {}, time {}) {sizes}",
                        counted(*cells, "cell", "cells"),
                        name(group),
                        name(time)
                    ),
                }
            }
            Self::MissingWeightPeriod { group, period } => write!(
                f,
                "units not observed in period {} were left out of the cells of group {}, whose weights come from that period",
                name(period),
                name(group)
            ),
            Self::PartialPretest { cells, of } => write!(
                f,
                "the pre-test leaves out {cells} of the {of} pre-treatment cells, which {} no estimate",
                if *cells == 1 { "has" } else { "have" }
            ),
            Self::NoPretest { reason } => {
                write!(f, "parallel-trends pre-test not available: {reason}")
            }
            Self::LargeCriticalValue { value } => write!(
                f,
                "the critical value of the uniform band is {value:.2}, too large to be reliable; this happens with few observations"
            ),
            Self::NarrowBand { value, pointwise } => write!(
                f,
                "the uniform band is narrower than the pointwise intervals (critical values {value:.3} and {pointwise:.3}), which too few draws or too few clusters make it: take more draws, or do without a bootstrap"
            ),
            Self::BandOfOne => f.write_str(BAND_OF_ONE),
            Self::RoughCriticalValue { value, error } => write!(
                f,
                "the critical value {value:.4} of the uniform band may be off by {error:.4}; a bootstrap gives another value"
            ),
            Self::PointwiseInstead { reason } => {
                write!(f, "pointwise intervals are reported instead of a uniform band: {reason}")
            }
            Self::IgnoredOption { option } => {
                write!(f, "`{option}` is ignored by this aggregation")
            }
            Self::CellsLeftOut { cells, of, share, groups, lost } => {
                let groups = groups.iter().map(name).collect::<Vec<_>>().join(", ");
                f.write_str(&cells_left_out([*cells, *of, *lost], *share, &groups))
            }
            Self::NoPostEventTime => f.write_str("no event time after treatment: no overall effect"),
            Self::LostComparison { group, time, comparison, reason } => write!(
                f,
                "ATT({}, {}) leaves out comparison cohort {}: {reason}",
                name(group),
                name(time),
                name(comparison)
            ),
            Self::EqualWeights { group, time } => write!(
                f,
                "(group {}, time {}): the covariance of the estimates against its comparison cohorts cannot be inverted; the cohorts have equal weights",
                name(group),
                name(time)
            ),
            Self::ScoreNotConverged => write!(f, "the propensity score did not converge"),
            Self::NotCalibrated => write!(
                f,
                "no propensity score balances the covariates (overlap is poor); the maximum-likelihood score is used"
            ),
            Self::RowsAsIndependent => write!(
                f,
                "the standard error treats the two rows of a unit as independent, as R DRDID does; name the unit as the cluster column, or use a bootstrap, to avoid this"
            ),
            Self::Collinear { columns } => write!(
                f,
                "covariates that are linear combinations of others were left out: {}",
                listed(columns, NAMED_COLUMNS, "")
            ),
            Self::CollinearRegressors { columns } => write!(
                f,
                "dropped because of collinearity with other regressors or the fixed effects: {}",
                listed(columns, NAMED_COLUMNS, "")
            ),
            Self::CollinearInEffects { columns, effects } => {
                f.write_str(&collinear_in_effects(columns, effects))
            }
            Self::CohortsInPlaceOfUnits { units } => {
                f.write_str(&cohorts_in_place_of_units(*units))
            }
            Self::AlreadyTreatedRows { rows } => write!(
                f,
                "dropped {} of units that were already treated in the first period",
                counted(*rows, "row", "rows")
            ),
            Self::CohortsWithoutReference { cohorts } => write!(
                f,
                "left out cohorts that have no row at a reference event time: {}; other references may be in their periods",
                cohorts.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            Self::RowsWithoutComparison { rows, cohorts, periods } => {
                let rows = counted(*rows, "row", "rows");
                write!(f, "left out {rows} {}", without_comparison([cohorts, periods], name))
            }
            Self::TrimmedCohorts { cohorts } => write!(
                f,
                "left out cohorts whose window around treatment is not inside the data: {}",
                cohorts.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            Self::CohortsWithoutControls { cohorts } => write!(
                f,
                "left out cohorts without controls that are untreated in their window, or without a treated row in it: {}",
                cohorts.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            Self::UnweightedStack => write!(
                f,
                "controls are not weighted: differences between the cohorts' shares among treated and controls stay in the effects, which are biased"
            ),
            Self::IndependentCopies => write!(
                f,
                "copies of a unit in several sub-experiments are taken as independent: standard errors are not valid, and for comparison only"
            ),
            Self::OneOutcome { factor, outcome, levels, rows } => {
                f.write_str(&one_outcome(factor, *outcome, levels, *rows))
            }
            Self::Separated { rows, columns } => f.write_str(&separated(*rows, columns)),
            Self::SeparationUnknown => write!(
                f,
                "some fitted means nearly are 0 or 1, and the search for separated rows did not reach a verdict. If there are some, standard errors are too small, as these rows count, and large coefficients may have no finite value; compare with a regression without levels of few rows"
            ),
            Self::RepairedCovariance => write!(
                f,
                "the two-way clustered covariance had a negative variance; its negative eigenvalues were set to zero"
            ),
            Self::NoVariance { columns } => write!(
                f,
                "no standard error of `{}`: apart from rounding, its scores are zero in every row or add up to zero in every cluster, so that this covariance says nothing of it, and averages of effects that include it count its variance as zero; leave it out, or use another covariance",
                columns.join("`, `")
            ),
            Self::NoJointTest { coefficients, rank } => {
                f.write_str(&no_joint_test(*coefficients, *rank))
            }
            Self::ControlVariance => f.write_str(CONTROL_VARIANCE),
            Self::TreatedOutside { column, rows } => f.write_str(&treated_outside(column, *rows)),
            Self::PartialLeverage => write!(
                f,
                "HC2 and HC3 use the leverage of the regressors and ignore these fixed effects; standard errors are too small where levels have few rows"
            ),
            Self::FullLeverage { rows } => write!(
                f,
                "the regressors fit {} of one exactly, whatever the outcome, and HC2 and HC3 do not exist; use HC1",
                counted(*rows, "row with a leverage", "rows with a leverage")
            ),
            Self::ExactFit => f.write_str(
                "the outcome is fitted exactly, up to rounding; standard errors are meaningless",
            ),
            Self::NoDegreesOfFreedom { rows, parameters } => write!(
                f,
                "{} and {}, or one cluster, leave no degrees of freedom for standard errors",
                counted(*rows, "row", "rows"),
                counted(*parameters, "parameter", "parameters")
            ),
            Self::TimeVaryingCovariates { period } => write!(
                f,
                "covariates change over time within units; each comparison of two periods uses {}. Covariates that the treatment affects bias the estimates",
                period.values()
            ),
            Self::ChangingCovariates { columns } => write!(
                f,
                "covariates change over time within units (`{}`), and every row's own values are used, in treated periods, too. Covariates that the treatment affects, or that move apart between cohorts, bias the effects; use their values from a period before treatment",
                columns.join("`, `")
            ),
            Self::FewerEffects { asked, effects } => write!(
                f,
                "{effects} of {asked} effects can be estimated; for the others, no group that switched has a control"
            ),
            Self::FewerPlacebos { asked, placebos } => write!(
                f,
                "{placebos} of {asked} placebos can be estimated; there are no more placebos than requested effects, estimated effects, or earlier periods of a group"
            ),
            Self::NoSwitchersAt { horizon } => {
                write!(f, "no estimate at event time {horizon}: no switcher has a control there")
            }
            Self::NoChangeOfTreatment { horizon: 0 } => write!(
                f,
                "no average total effect: the treatments of all switchers change by zero on average, so that it cannot be divided by their change"
            ),
            Self::NoChangeOfTreatment { horizon } => write!(
                f,
                "no estimate at event time {horizon}: the treatments of its switchers change by zero on average, so that it cannot be divided by their change"
            ),
            Self::RoundedTreatments { smaller, larger } => write!(
                f,
                "some treatments differ by rounding alone, such as {smaller} and {larger}, and count as different; round the column (where several rows are averaged, after averaging them)"
            ),
            Self::InfiniteValues { columns } => {
                let columns: Vec<String> =
                    columns.iter().map(|(name, count)| format!("{count} of `{name}`")).collect();
                write!(f, "infinite values were treated as missing: {}", columns.join(", "))
            }
            Self::NegligibleErrors { estimates, limit } => {
                f.write_str(&negligible_errors(*estimates, *limit))
            }
            Self::UnvaryingChanges { estimates } => f.write_str(&no_error(*estimates, UNVARYING)),
            Self::ClustersSumToZero { estimates } => f.write_str(&no_error(*estimates, CLUSTERS)),
            Self::UnvaryingDraws { estimates } => f.write_str(&no_error(*estimates, DRAWS)),
            Self::InfiniteVariance { estimates } => f.write_str(&no_error(*estimates, RANGE)),
            Self::InfluenceNotFinite { group, time } => {
                f.write_str(&influence_not_finite(&name(group), &name(time)))
            }
            Self::ConstantControl { column, treatments } => write!(
                f,
                "the control `{column}` has no coefficient for groups whose first treatment level is {}: it changes by the same amount in all groups that are compared",
                list(treatments)
            ),
            Self::NoStandardError { horizons, out_of_range } => {
                f.write_str(&no_standard_error(horizons, *out_of_range))
            }
            Self::CollinearControls { treatments } => write!(
                f,
                "some controls (powers of the first treatment among them) are linear combinations of others, or differ too little between groups to be told apart, among the groups whose first treatment level is {}; of the coefficients that fit equally well, the smallest (of controls in units of their deviation) are used",
                list(treatments)
            ),
            Self::ControlsWithoutRows { treatments } => write!(
                f,
                "groups whose first treatment level is {} were left out: they have no rows to estimate the controls' coefficients from",
                list(treatments)
            ),
            Self::SingularTest { test } => write!(
                f,
                "the test that {test} has a singular covariance; its generalised inverse was used"
            ),
            Self::WithoutEffect { option, reason } => {
                write!(f, "`{option}` has no effect: {reason}")
            }
            Self::DroppedKnots { group, knots } => {
                f.write_str(&dropped_knots(&name(group), *knots))
            }
            Self::Extrapolated { doses, pairs } => write!(
                f,
                "{} beyond the doses of some group ({} of dose and group); curves are extrapolated there as polynomials",
                counted(*doses, "dose of the curve is", "doses of the curve are"),
                counted(*pairs, "pair", "pairs")
            ),
            Self::FewObservations { observations } => write!(
                f,
                "{observations} observations are few for a function of unknown form; its bands are rough"
            ),
            Self::NoCurve { group, reason, share } => write!(
                f,
                "group {} has average effects but no curve: {reason}. ATT(d), ACRT(d) and averages of slopes leave out this group, {:.1}% of the treated units by weight; average effects include it",
                name(group),
                100.0 * share
            ),
            Self::NotImputed { factor, levels, examples, rows } => {
                let named = examples.join(", ");
                let more = if *levels > examples.len() { " and so on" } else { "" };
                let levels = counted(*levels, "level", "levels");
                let [rows, their] = not_imputed(*rows);
                write!(
                    f,
                    "{rows} left out: no untreated row has {their} level of `{factor}` ({levels}: {named}{more})"
                )
            }
            Self::NotConnected { rows, example } => {
                let [rows, their] = not_imputed(*rows);
                write!(
                    f,
                    "{rows} left out: no untreated rows connect {their} fixed effects with each other, as of {example}"
                )
            }
            Self::ConcentratedEffects { effects, effective, example } => write!(
                f,
                "{} on fewer than 30 effective rows, the least on {effective:.1} ({example}); intervals by the normal distribution may be too short there",
                counted(*effects, "average rests", "averages rest")
            ),
            Self::PointsOutside { points } => f.write_str(&points_outside(*points)),
            Self::FewTreatedEffects { effects, units, example } => {
                f.write_str(&few_treated_effects(*effects, *units, example))
            }
            Self::FewTreated { group, units, coefficients } if units <= coefficients => write!(
                f,
                "the curve of group {} goes through every one of its {} with {coefficients} coefficients: ATT(d), ACRT(d) and averages of slopes that include it have no standard error; choose a lower degree or fewer knots",
                name(group),
                counted(*units, "treated unit", "treated units")
            ),
            Self::FewTreated { group, units, coefficients } => write!(
                f,
                "the curve of group {} has {coefficients} coefficients from {units} treated units, fewer than 10 each: standard errors of ATT(d) and ACRT(d) are too small; choose a lower degree or fewer knots, or `curve_errors` (--curve-errors) `hc1`",
                name(group)
            ),
            Self::ManyInstruments { functions, observations } => write!(
                f,
                "the instruments have {functions} functions for {observations} observations: about {:.0}% of the bias of least squares remains; choose fewer segments or instruments",
                100.0 * *functions as f64 / *observations as f64
            ),
            Self::WeightlessRows { rows } => {
                let rows = counted(*rows, "row", "rows");
                write!(f, "left out {rows} with a weight of zero")
            }
            Self::GroupsWithoutShare { groups, event_times, periods } => {
                let [groups, periods] = [groups, periods].map(|all| all.iter().map(name).collect());
                let event_times = event_times.iter().map(|e| label(*e)).collect();
                f.write_str(&groups_without_share(groups, event_times, periods))
            }
            Self::CoincidentKnots { column, segments, distinct } => {
                f.write_str(&coincident_knots(column, *segments, *distinct))
            }
            Self::CollinearSieve { functions, rank } => write!(
                f,
                "the data identify {rank} of the {functions} functions of the sieve: where curves that fit alike differ, as between observed values, there is no estimate; choose fewer segments"
            ),
            Self::DemeaningStopped { column, stop, normal } => write!(
                f,
                "demeaning `{column}` stopped by the {}, with ‖A'r‖ at {normal:.1e} of the column's norm; compare with a smaller tolerance",
                stop.label()
            ),
            Self::FailedDraws { draws } => {
                let draws = counted(*draws, "bootstrap draw", "bootstrap draws");
                write!(f, "left out {draws} that could not be estimated")
            }
            Self::ConvertedBasePeriod => write!(
                f,
                "the base period varies: the coefficients before treatment are changes from period to period, and were summed to effects relative to a universal base"
            ),
            Self::LastPeriodAsBase => f.write_str(
                "the estimates have no base period: the last period before treatment was taken as that of all, so that what the first stage leaves of it was subtracted",
            ),
            Self::JumpAtTreatment => f.write_str(JUMP_AT_TREATMENT),
            Self::AsymmetricCovariance { largest } => {
                write!(f, "the covariance is not symmetric (largest difference {largest:e})")
            }
            Self::IndefiniteCovariance { least } => write!(
                f,
                "the covariance is not positive semidefinite (smallest eigenvalue {least:e})"
            ),
            Self::PowerBelowSize { power, size } => write!(
                f,
                "the test of pre-trends rejects with probability {size:.4} without a violation, so that no slope has the power {power}; ask for a larger one, or for a larger critical value"
            ),
            Self::RestrictionNotUsed => write!(
                f,
                "a fixed-length interval does not use the restriction on the bias; the method c_f does"
            ),
            Self::OpenInterval { m } => write!(
                f,
                "the robust interval at {m} reaches the end of the grid and may be longer; widen the grid"
            ),
            Self::EmptyInterval { m } => write!(
                f,
                "every value on the grid is rejected at {m}: the coefficients before treatment contradict the restriction, or the grid does not cover the interval"
            ),
        }
    }
}
