//! Warnings of a result.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::calendar::{Frequency, shown};
use crate::demean::Stop;

/// Something a user should know about a result that was nevertheless produced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DidWarning {
    /// Rows left out for missing or non-finite values.
    DroppedRows {
        /// Number of rows.
        rows: usize,
    },
    /// Units (rows, for repeated cross sections) already treated in the first period.
    AlreadyTreated {
        /// Number of units or rows.
        units: usize,
        /// Anticipation in force.
        anticipation: u32,
    },
    /// Units left out to balance the panel.
    Unbalanced {
        /// Number of units.
        units: usize,
    },
    /// No never-treated units: the last cohort takes their place and later periods are dropped.
    LastCohortAsControl {
        /// First treated period of that cohort.
        group: f64,
    },
    /// Cohorts with few units for the number of covariates (0 stands for never treated).
    SmallGroups {
        /// The cohorts.
        groups: Vec<f64>,
    },
    /// Groups that differ from a period, or from another group, by rounding only are taken as that.
    MovedGroups {
        /// The groups, and what they are taken as.
        groups: Vec<(f64, f64)>,
    },
    /// Periods are near to the steps of a regular calendar but not on them; event times count steps.
    UnevenPeriods {
        /// Steps of a unit of time.
        per_unit: f64,
    },
    /// Event times that agree within rounding are one.
    MergedEventTimes {
        /// How many event times are several differences of a period and a group.
        event_times: usize,
    },
    /// Integers too large for double precision were rounded.
    RoundedIntegers {
        /// The columns.
        columns: Vec<String>,
    },
    /// Sampling weights change over time within units.
    TimeVaryingWeights,
    /// Standard errors rest on fewer than ten clusters (units, without a cluster column).
    FewClusters {
        /// Number of clusters.
        clusters: usize,
    },
    /// Never-treated units are assumed never to anticipate.
    Anticipation,
    /// A cell could not be estimated.
    FailedCell {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
        /// Why.
        reason: String,
    },
    /// A propensity score did not converge; its cell uses the last iterate.
    NotConverged {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
    },
    /// Rows of units not observed in the weight's period were left out of a group's cells.
    MissingWeightPeriod {
        /// The group.
        group: f64,
        /// The period.
        period: f64,
    },
    /// The pre-test cannot be reported.
    NoPretest {
        /// Why.
        reason: String,
    },
    /// The critical value of the band is suspiciously large.
    LargeCriticalValue {
        /// The value.
        value: f64,
    },
    /// The critical value of an analytic band is known less exactly than to 0.002.
    RoughCriticalValue {
        /// The value.
        value: f64,
        /// How far it may be off.
        error: f64,
    },
    /// A uniform band could not be formed or was narrower than pointwise intervals; pointwise ones are reported.
    PointwiseInstead {
        /// Why.
        reason: String,
    },
    /// An option has no effect on this aggregation.
    IgnoredOption {
        /// The option.
        option: String,
    },
    /// There is no event time at or after treatment, so there is no overall effect.
    NoPostEventTime,
    /// A comparison cohort of a triple difference could not be used; the cell goes by the others.
    LostComparison {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
        /// First treated period of the comparison cohort, 0 if never treated.
        comparison: f64,
        /// Why.
        reason: String,
    },
    /// The covariance of the estimates against several comparison cohorts could not be inverted; the cohorts have equal
    /// weights.
    EqualWeights {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
    },
    /// The propensity score of a two-period comparison did not converge; the last iterate is used.
    ScoreNotConverged,
    /// No propensity score balances the covariates; the maximum-likelihood one is used.
    NotCalibrated,
    /// The standard error of a panel's fixed-effects regression takes the two rows of a unit as independent.
    RowsAsIndependent,
    /// Covariates that are linear combinations of others were left out.
    Collinear {
        /// Their columns of the design.
        columns: Vec<String>,
    },
    /// Regressors that follow from earlier ones or from the fixed effects were left out.
    CollinearRegressors {
        /// The regressors.
        columns: Vec<String>,
    },
    /// Rows of units that were treated already in the first period were left out.
    AlreadyTreatedRows {
        /// Number of rows.
        rows: usize,
    },
    /// Rows that a Poisson regression fits exactly with a mean of zero were left out.
    Separated {
        /// Number of rows.
        rows: usize,
    },
    /// Whether a Poisson regression fits rows with a mean of zero could not be found out.
    SeparationUnknown,
    /// A covariance by several clusters had a negative variance and was made positive.
    RepairedCovariance,
    /// Leverage is that of the regressors without the fixed effects.
    PartialLeverage,
    /// There are no more rows than parameters, or clusters: nothing is left for standard errors.
    NoDegreesOfFreedom {
        /// Rows of the sample.
        rows: usize,
        /// Parameters.
        parameters: usize,
    },
    /// Covariates change over time within units, and a comparison of two periods uses those of one.
    TimeVaryingCovariates,
    /// There are controls for fewer effects of a treatment that switches than were asked for.
    FewerEffects {
        /// Effects asked for.
        asked: usize,
        /// Effects estimated.
        effects: usize,
    },
    /// There are fewer placebos than were asked for.
    FewerPlacebos {
        /// Placebos asked for.
        asked: usize,
        /// Placebos estimated.
        placebos: usize,
    },
    /// At this event time no switcher has a control.
    NoSwitchersAt {
        /// Event time; negative for placebos.
        horizon: i64,
    },
    /// Some controls are linear combinations of others among the groups of these first treatments.
    CollinearControls {
        /// Treatments in the first period.
        treatments: Vec<f64>,
    },
    /// Groups of these first treatments were left out, as they have no rows to estimate the coefficients of controls from.
    ControlsWithoutRows {
        /// Treatments in the first period.
        treatments: Vec<f64>,
    },
    /// The covariance of the estimates that are tested jointly is singular; its generalised inverse was used.
    SingularTest {
        /// What was tested.
        test: String,
    },
    /// An option has no effect on this fit, or not on all of it.
    WithoutEffect {
        /// The option.
        option: String,
        /// Why.
        reason: String,
    },
    /// Knots outside the range of a group's doses, which the group's curve does without.
    DroppedKnots {
        /// The group.
        group: f64,
        /// Number of knots.
        knots: usize,
    },
    /// Curves were asked for at doses beyond those of some groups, and are continued there.
    Extrapolated {
        /// Doses beyond those of some group.
        doses: usize,
        /// Pairs of such a dose and such a group.
        pairs: usize,
    },
    /// A function is estimated from few observations.
    FewObservations {
        /// Number of observations.
        observations: usize,
    },
    /// Demeaning a column stopped before the tolerance was reached.
    DemeaningStopped {
        /// Name of the column.
        column: String,
        /// Why.
        stop: Stop,
        /// `‖A'r‖` relative to the norm of the column less its mean.
        normal: f64,
    },
    /// The estimator could not be formed in some draws of the bootstrap, which are left out.
    FailedDraws {
        /// Number of draws.
        draws: usize,
    },
    /// Coefficients before treatment were changes from period to period; they were added up to a universal base.
    ConvertedBasePeriod,
    /// The covariance of an event study is not symmetric; the mean of it and its transpose is used.
    AsymmetricCovariance {
        /// Largest difference of two entries that should be equal.
        largest: f64,
    },
    /// The covariance of an event study is not positive semidefinite.
    IndefiniteCovariance {
        /// Its smallest eigenvalue.
        least: f64,
    },
    /// A fixed-length interval takes no account of a sign or a direction of the bias.
    RestrictionNotUsed,
    /// A robust interval goes on beyond the grid.
    OpenInterval {
        /// Its `M`.
        m: f64,
    },
    /// A robust interval is empty on the grid.
    EmptyInterval {
        /// Its `M`.
        m: f64,
    },
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for DidWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, None)
    }
}

/// A warning about periods that may be dates.
struct Dated<'a>(&'a DidWarning, Option<Frequency>);

impl fmt::Display for Dated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}

impl DidWarning {
    /// The warning in words, with periods and groups as dates if they are of the calendar.
    #[must_use]
    pub fn shown(&self, frequency: Option<Frequency>) -> String {
        Dated(self, frequency).to_string()
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, frequency: Option<Frequency>) -> fmt::Result {
        let name = |period: &f64| shown(*period, frequency);
        match self {
            Self::DroppedRows { rows } => {
                write!(f, "dropped {rows} rows due to missing or non-finite data")
            }
            Self::AlreadyTreated { units, anticipation: 0 } => {
                write!(f, "dropped {units} units that were already treated in the first period")
            }
            Self::AlreadyTreated { units, anticipation } => write!(
                f,
                "dropped {units} units that were already treated in the first period (accounting for anticipation = {anticipation})"
            ),
            Self::Unbalanced { units } => write!(
                f,
                "{units} units are missing in some periods; they were dropped to balance the panel"
            ),
            Self::LastCohortAsControl { group } => write!(
                f,
                "no never-treated units: the cohort first treated in {} is the comparison, and periods from its treatment on are dropped",
                name(group)
            ),
            Self::SmallGroups { groups } => write!(
                f,
                "cohorts with very few observations, which may cause estimation problems: {}",
                groups.iter().map(name).collect::<Vec<_>>().join(", ")
            ),
            Self::MovedGroups { groups } => {
                let moved = |(from, to): &(f64, f64)| format!("{from} as {to}");
                let moved: Vec<String> = groups.iter().map(moved).collect();
                write!(
                    f,
                    "groups that differ from a period or another group by rounding only are taken as that: {}",
                    moved.join(", ")
                )
            }
            Self::UnevenPeriods { per_unit } => write!(
                f,
                "periods are near to {per_unit} steps of a unit of time but not evenly spaced; event times count steps of 1/{per_unit}"
            ),
            Self::MergedEventTimes { event_times } => write!(
                f,
                "periods and groups are on no regular grid; {event_times} event time(s) are averages over differences that agree within rounding"
            ),
            Self::RoundedIntegers { columns } => write!(
                f,
                "numbers beyond 2^53 were rounded to double precision, differences between them too: {}; subtract a constant or divide if these matter",
                columns.join(", ")
            ),
            Self::TimeVaryingWeights => {
                write!(
                    f,
                    "sampling weights vary over time within units; each comparison of a panel uses those of one period"
                )
            }
            Self::FewClusters { clusters } => write!(
                f,
                "standard errors rest on {clusters} clusters; with fewer than ten they are often too small"
            ),
            Self::Anticipation => {
                write!(f, "never-treated units are assumed never to anticipate treatment")
            }
            Self::FailedCell { group, time, reason } => {
                let (group, time) = (name(group), name(time));
                write!(f, "(group {group}, time {time}) has no estimate: {reason}")
            }
            Self::NotConverged { group, time } => write!(
                f,
                "the propensity score of (group {}, time {}) did not converge; the last iterate is used",
                name(group),
                name(time)
            ),
            Self::MissingWeightPeriod { group, period } => write!(
                f,
                "units not observed in period {} were left out of the cells of group {}, whose weights come from that period",
                name(period),
                name(group)
            ),
            Self::NoPretest { reason } => write!(f, "no pre-test: {reason}"),
            Self::LargeCriticalValue { value } => write!(
                f,
                "the simultaneous critical value is {value:.2}, arguably too large to be reliable; this happens with few observations"
            ),
            Self::RoughCriticalValue { value, error } => write!(
                f,
                "the simultaneous critical value {value:.4} may be off by {error:.4}; a bootstrap gives another"
            ),
            Self::PointwiseInstead { reason } => {
                write!(f, "pointwise intervals are reported instead of a uniform band: {reason}")
            }
            Self::IgnoredOption { option } => {
                write!(f, "`{option}` is ignored by this aggregation")
            }
            Self::NoPostEventTime => {
                write!(f, "no event time at or after treatment: there is no overall effect")
            }
            Self::LostComparison { group, time, comparison, reason } => write!(
                f,
                "ATT({}, {}) leaves out comparison cohort {}: {reason}",
                name(group),
                name(time),
                name(comparison)
            ),
            Self::EqualWeights { group, time } => write!(
                f,
                "(group {group}, time {time}): the estimates against its comparison cohorts have no covariance that can be inverted; the cohorts have equal weights"
            ),
            Self::ScoreNotConverged => write!(f, "the propensity score did not converge"),
            Self::NotCalibrated => write!(
                f,
                "no propensity score balances the covariates (overlap is poor); the maximum-likelihood one is used"
            ),
            Self::RowsAsIndependent => write!(
                f,
                "the standard error takes the two rows of a unit as independent, as R DRDID does; with the unit as cluster column, or a bootstrap, it does not"
            ),
            Self::Collinear { columns } => write!(
                f,
                "covariates that are linear combinations of others were left out: {}",
                columns.join(", ")
            ),
            Self::CollinearRegressors { columns } => write!(
                f,
                "regressors that follow from earlier ones or from the fixed effects were left out: {}",
                columns.join(", ")
            ),
            Self::AlreadyTreatedRows { rows } => write!(
                f,
                "dropped {rows} rows of units that were already treated in the first period"
            ),
            Self::Separated { rows } => write!(
                f,
                "{rows} rows whose outcome of zero is fitted exactly, by a mean of zero, were left out (separation)"
            ),
            Self::SeparationUnknown => write!(
                f,
                "some fitted means are nearly zero, and whether these rows are separated could not be found out; look at large coefficients with care"
            ),
            Self::RepairedCovariance => write!(
                f,
                "the covariance had a negative variance, as the sum over two factors of clusters can have; its eigenvalues were made positive"
            ),
            Self::PartialLeverage => write!(
                f,
                "HC2 and HC3 use the leverage of the regressors without that of the fixed effects; standard errors are too small where levels have few rows"
            ),
            Self::NoDegreesOfFreedom { rows, parameters } => write!(
                f,
                "{rows} rows and {parameters} parameters, or one cluster, leave nothing for standard errors"
            ),
            Self::TimeVaryingCovariates => write!(
                f,
                "covariates change over time within units; each comparison uses those of one period"
            ),
            Self::FewerEffects { asked, effects } => write!(
                f,
                "{effects} of {asked} effects can be estimated; for more, no group that switched has a control"
            ),
            Self::FewerPlacebos { asked, placebos } => write!(
                f,
                "{placebos} of {asked} placebos can be estimated; there are at most as many as effects asked for, and as many as there are effects and earlier periods of a group"
            ),
            Self::NoSwitchersAt { horizon } => {
                write!(f, "no estimate at event time {horizon}: no switcher has a control there")
            }
            Self::CollinearControls { treatments } => write!(
                f,
                "some controls are linear combinations of others, or do not change, among the groups of first treatment {}; their coefficients are of least squares with the smallest norm",
                list(treatments)
            ),
            Self::ControlsWithoutRows { treatments } => write!(
                f,
                "groups of first treatment {} were left out: they have no rows to estimate the controls' coefficients from",
                list(treatments)
            ),
            Self::SingularTest { test } => write!(
                f,
                "the test that {test} has a singular covariance, whose generalised inverse was used"
            ),
            Self::WithoutEffect { option, reason } => {
                write!(f, "`{option}` has no effect: {reason}")
            }
            Self::DroppedKnots { group, knots } => write!(
                f,
                "{knots} knot(s) outside the range of the doses of group {}, or equal to another, were left out of its curve",
                name(group)
            ),
            Self::Extrapolated { doses, pairs } => write!(
                f,
                "{doses} dose(s) asked for are beyond the doses of some group ({pairs} pairs of dose and group); curves are continued there as polynomials"
            ),
            Self::FewObservations { observations } => write!(
                f,
                "{observations} observations are few for a function of unknown form; its bands are rough"
            ),
            Self::DemeaningStopped { column, stop, normal } => write!(
                f,
                "demeaning `{column}` stopped by the {stop}, with ‖A'r‖ at {normal:.1e} of the column's norm; compare with a smaller tolerance"
            ),
            Self::FailedDraws { draws } => {
                write!(f, "{draws} bootstrap draw(s) could not be estimated and are left out")
            }
            Self::ConvertedBasePeriod => write!(
                f,
                "the base period varies: the coefficients before treatment are changes from period to period, and were added up to those of a universal base"
            ),
            Self::AsymmetricCovariance { largest } => {
                write!(f, "the covariance is not symmetric (largest difference {largest:e})")
            }
            Self::IndefiniteCovariance { least } => write!(
                f,
                "the covariance is not positive semidefinite (smallest eigenvalue {least:e})"
            ),
            Self::RestrictionNotUsed => write!(
                f,
                "a fixed-length interval takes no account of the restriction on the bias; C-F does"
            ),
            Self::OpenInterval { m } => write!(
                f,
                "the interval at M = {m} reaches the end of the grid and may be longer; widen the grid"
            ),
            Self::EmptyInterval { m } => write!(
                f,
                "every value on the grid is rejected at M = {m}: the coefficients before treatment contradict the restriction, or the grid is elsewhere"
            ),
        }
    }
}
