//! Warnings of a result.

use serde::{Deserialize, Serialize};

use crate::base::calendar::Frequency;
use crate::base::options::covariates::CovariatePeriod;
use crate::base::options::stop::Stop;

/// What there are too few of for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TooFew {
    /// Treated units, or rows of repeated cross sections.
    Treated,
    /// Units that the treated are compared with.
    Comparison,
    /// Clusters.
    Clusters,
}

/// Something a user should know about a result that was nevertheless produced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum DidWarning {
    /// Rows left out for missing or non-finite values.
    DroppedRows {
        /// Number of rows.
        rows: usize,
        /// Columns with such values, and how many rows each cost; a row may count for several. Empty in results of earlier versions.
        #[serde(default)]
        columns: Vec<(String, usize)>,
    },
    /// Rows that lack the outcome or a covariate stay, and serve where these are not needed.
    RowsWithGaps {
        /// Number of rows.
        rows: usize,
        /// Columns with missing or infinite values, and how many of these rows lack each; a row may count for several.
        columns: Vec<(String, usize)>,
    },
    /// Rows left out for a value that is not missing.
    LeftOutRows {
        /// Number of rows.
        rows: usize,
        /// The column, with the value.
        column: String,
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
    /// Cohorts with few units: fewer than 5, and one more for each covariate (0 stands for never treated).
    SmallGroups {
        /// The cohorts.
        groups: Vec<f64>,
        /// Those of a single unit.
        #[serde(default)]
        single: Vec<f64>,
    },
    /// Cohorts whose units are in few of the clusters: fewer than 5.
    FewClustersOfGroups {
        /// The cohorts, with the number of their clusters.
        groups: Vec<(f64, usize)>,
    },
    /// A group is so far from all periods that it looks like a code for something else.
    FarGroup {
        /// The group.
        group: f64,
        /// The first or the last period, which is nearest to it.
        period: f64,
        /// Name of the group column; empty in results of older versions.
        #[serde(default)]
        column: String,
    },
    /// Groups of 0 count as never treated, and 0 lies among the periods.
    ZeroGroup {
        /// Name of the group column.
        column: String,
        /// Rows in which it is 0.
        rows: usize,
    },
    /// Words that were named as missing occur in no column that was read.
    UnusedWords {
        /// The words.
        words: Vec<String>,
    },
    /// Labels of units, clusters or fixed effects differ from another of their column only by blanks at their ends, letter case or leading zeros.
    AlikeLabels {
        /// Name of the column.
        column: String,
        /// How many labels.
        labels: usize,
        /// Two of them.
        example: [String; 2],
    },
    /// Groups are missing beside groups of 0 or infinity; both count as never treated.
    MissingGroups {
        /// Name of the group column.
        column: String,
        /// Rows in which it is missing.
        rows: usize,
        /// Their units; none where rows are counted, as they have no units or are no panel.
        units: Option<usize>,
    },
    /// Groups are NaN, so that rows are left out, and no unit is never treated.
    NanGroups {
        /// Name of the group column.
        column: String,
        /// Rows in which it is NaN.
        rows: usize,
    },
    /// Units change their group, and each row counts in the cohort that it names.
    ChangingGroups {
        /// Number of units.
        units: usize,
        /// One of them.
        example: String,
    },
    /// Units have several rows in a period, each of which counts as an observation.
    RepeatedRows {
        /// Number of units.
        units: usize,
        /// One of them, with the period.
        example: String,
    },
    /// Groups that differ from a period, or from another group, by rounding only were set to it.
    MovedGroups {
        /// The groups, and what they are taken as.
        groups: Vec<(f64, f64)>,
    },
    /// Periods are near to the steps of a regular calendar but not on them; event times count steps.
    UnevenPeriods {
        /// Steps of a unit of time.
        per_unit: f64,
    },
    /// The pre-test has so many estimates of a group beside its units that it rejects too often.
    CrowdedPretest {
        /// The group with most estimates beside its units.
        group: f64,
        /// Its estimates before treatment; those of all groups if clusters are too few.
        estimates: usize,
        /// How many there are of what there are too few.
        units: usize,
        /// What there are too few of.
        few: TooFew,
    },
    /// Effects differ by a moderator whose levels may differ without treatment, too, as no effects of units are absorbed.
    ModeratorLevels {
        /// The moderator.
        moderator: String,
    },
    /// Periods look like dates that are written as one number, and are counted as numbers.
    DatesInDigits {
        /// What the dates are.
        frequency: Frequency,
        /// The longest periods that tell them apart.
        by: Frequency,
        /// The last period of a year.
        before: f64,
        /// The first one of the next.
        after: f64,
    },
    /// Groups between two periods count as first treated in the next one, as effects are by the number of periods.
    GroupsBetweenPeriods {
        /// The groups.
        groups: Vec<f64>,
    },
    /// Event times that agree within rounding were merged.
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
    /// The same; units count with their weight in the period in which treatment starts, or might.
    WeightsOfStart,
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
    /// The comparison of two periods has no estimate.
    NoEstimate {
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
    /// Comparison units with a propensity score at the trimming level or above were left out.
    TrimmedControls {
        /// Cells in which units were trimmed.
        cells: usize,
        /// Group and period of the cell that loses the largest share of the comparison group's weight; `None` in a comparison of two
        /// periods.
        worst: Option<(f64, f64)>,
        /// Units trimmed there.
        units: usize,
        /// Their share of the comparison group's sampling weight.
        share: f64,
    },
    /// The odds of the propensity score leave less than a tenth of the comparison group's effective sample size.
    FewEffectiveControls {
        /// Cells in which they do.
        cells: usize,
        /// Group and period of the cell that loses most; `None` in a comparison of two periods.
        worst: Option<(f64, f64)>,
        /// Effective sample size there.
        effective: f64,
        /// The same by the sampling weights alone.
        sampling: f64,
    },
    /// Rows of units not observed in the weight's period were left out of a group's cells.
    MissingWeightPeriod {
        /// The group.
        group: f64,
        /// The period.
        period: f64,
    },
    /// The pre-test leaves out cells that have no estimate.
    PartialPretest {
        /// Number of cells that are not tested.
        cells: usize,
        /// Number of cells before treatment.
        of: usize,
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
    /// The band is narrower than the pointwise intervals, which only too few draws can make it.
    NarrowBand {
        /// The band's critical value.
        value: f64,
        /// That of the intervals.
        pointwise: f64,
    },
    /// A uniform band was asked for and is over one estimate.
    BandOfOne,
    /// The critical value of an analytic band is less accurate than 0.1 %.
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
    /// Cells without an estimate were left out of an average, which therefore differs from the requested one.
    CellsLeftOut {
        /// Number of cells.
        cells: usize,
        /// Number of cells of the average asked for.
        of: usize,
        /// Share of the weight of the overall average that is on these cells, between 0 and 1.
        share: f64,
        /// Their groups.
        groups: Vec<f64>,
        /// How many of them have an estimate, but are of a group that has none in the window.
        #[serde(default)]
        lost: usize,
    },
    /// Treated rows cannot be imputed, as no untreated row has their level of a fixed effect: of units that are always treated, say, or of
    /// periods in which all are.
    NotImputed {
        /// The fixed effect.
        factor: String,
        /// Number of levels.
        levels: usize,
        /// Some of them.
        examples: Vec<String>,
        /// Rows that are left out.
        rows: usize,
    },
    /// Treated rows cannot be imputed, as no untreated rows connect the levels of their fixed effects.
    NotConnected {
        /// Rows that are left out.
        rows: usize,
        /// The levels of one of them.
        example: String,
    },
    /// Averages of effects rest on few rows, so that the normal approximation is unsure.
    ConcentratedEffects {
        /// Number of averages.
        effects: usize,
        /// Effective number of rows, `(Σw)² / Σw²`, of the average that rests on the fewest.
        effective: f64,
        /// What it is of.
        example: String,
    },
    /// Some effects of a regression rest on few treated units: fewer than 5, and one more for each covariate.
    FewTreatedEffects {
        /// How many effects.
        effects: usize,
        /// Treated units of the effect that has fewest.
        units: usize,
        /// What that effect is of.
        example: String,
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
    /// No propensity score balances the covariates; the maximum-likelihood score is used.
    NotCalibrated,
    /// The standard error of a panel's fixed-effects regression treats the two rows of a unit as independent.
    RowsAsIndependent,
    /// Covariates that are linear combinations of others were left out.
    Collinear {
        /// Their columns of the design.
        columns: Vec<String>,
    },
    /// Regressors were left out because they are collinear with earlier ones or with the fixed effects.
    CollinearRegressors {
        /// The regressors.
        columns: Vec<String>,
    },
    /// Regressors were left out of the regressions of some effects, in which they are collinear with others or with the fixed effects.
    CollinearInEffects {
        /// The regressors.
        columns: Vec<String>,
        /// Names of the effects.
        effects: Vec<String>,
    },
    /// The panel is unbalanced, so that a regression with effects of cohorts has another coefficient than one with effects of units.
    CohortsInPlaceOfUnits {
        /// Units that are not observed in all periods; none where controls or weights may differ between units.
        units: usize,
    },
    /// Rows of units that were treated already in the first period were left out.
    AlreadyTreatedRows {
        /// Number of rows.
        rows: usize,
    },
    /// Cohorts without a row at the event times that others are compared with were left out.
    CohortsWithoutReference {
        /// First treated periods of the cohorts.
        cohorts: Vec<f64>,
    },
    /// Rows were left out of cohorts and periods that no untreated row ties to the others: nothing says what their outcomes would be without
    /// treatment.
    RowsWithoutComparison {
        /// Number of rows.
        rows: usize,
        /// First treated periods of the cohorts.
        cohorts: Vec<f64>,
        /// The periods.
        periods: Vec<f64>,
    },
    /// Cohorts whose window around treatment is not inside the data were left out of a stack.
    TrimmedCohorts {
        /// First treated periods of the cohorts.
        cohorts: Vec<f64>,
    },
    /// Cohorts without controls that are untreated in their window were left out of a stack.
    CohortsWithoutControls {
        /// First treated periods of the cohorts.
        cohorts: Vec<f64>,
    },
    /// The controls of a stack are not weighted, so that differences between cohorts stay in the effects.
    UnweightedStack,
    /// Copies of a unit in a stack are taken as independent.
    IndependentCopies,
    /// Levels of a fixed effect whose outcomes are all 0, or all 1, were left out of a Poisson, logit or probit regression.
    OneOutcome {
        /// The fixed effect.
        factor: String,
        /// The outcome.
        outcome: f64,
        /// The levels.
        levels: Vec<String>,
        /// Number of their rows.
        rows: usize,
    },
    /// Rows that regressors fit exactly with a mean of 0, or of 1, were left out of a Poisson, logit or probit regression.
    Separated {
        /// Number of rows.
        rows: usize,
        /// The regressors; none if fixed effects separate the rows.
        #[serde(default)]
        columns: Vec<String>,
    },
    /// The search for rows that a Poisson, logit or probit regression fits with a mean of 0, or of 1, did not reach a verdict.
    SeparationUnknown,
    /// A two-way clustered covariance had a negative variance; its negative eigenvalues were set to zero.
    RepairedCovariance,
    /// Scores of coefficients are zero in every row or add up to zero in every cluster, so that these have no standard errors.
    NoVariance {
        /// Names of the coefficients.
        columns: Vec<String>,
    },
    /// There is no F test, as the covariance of the coefficients is singular.
    NoJointTest {
        /// Number of tested coefficients.
        coefficients: usize,
        /// Upper bound on the rank of a clustered covariance; `None` without clusters.
        rank: Option<usize>,
    },
    /// The only regressor of a second stage is 0 in rows that are treated.
    TreatedOutside {
        /// The regressor, which holds 0 and 1.
        column: String,
        /// Number of rows.
        rows: usize,
    },
    /// With controls and several first treatments, the standard errors are those of R `DIDmultiplegtDYN` 2.2.0, which later versions do not have.
    ControlVariance,
    /// Leverage ignores the fixed effects, which have too many levels for a dense matrix or are of a maximum-likelihood fit.
    PartialLeverage,
    /// The regressors fit rows exactly, whatever their outcome, so that HC2 and HC3 do not exist.
    FullLeverage {
        /// Number of rows.
        rows: usize,
    },
    /// The residuals of the outcome are rounding errors.
    ExactFit,
    /// There are at least as many parameters as rows, or one cluster: no degrees of freedom are left for standard errors.
    NoDegreesOfFreedom {
        /// Rows of the sample.
        rows: usize,
        /// Parameters.
        parameters: usize,
    },
    /// Covariates change over time within units.
    TimeVaryingCovariates {
        /// Which period's values a comparison of two periods uses.
        #[serde(default)]
        period: CovariatePeriod,
    },
    /// Covariates of a regression change over time within units: each row has its own values, in treated periods, too.
    ChangingCovariates {
        /// Their columns.
        columns: Vec<String>,
    },
    /// A switching treatment has controls for fewer effects than were requested.
    FewerEffects {
        /// Effects requested.
        asked: usize,
        /// Effects estimated.
        effects: usize,
    },
    /// There are fewer placebos than were requested.
    FewerPlacebos {
        /// Placebos requested.
        asked: usize,
        /// Placebos estimated.
        placebos: usize,
    },
    /// At this event time no switcher has a control.
    NoSwitchersAt {
        /// Event time; negative for placebos.
        horizon: i64,
    },
    /// The treatments of an effect's switchers change by zero on average, so that it cannot be divided by their change.
    NoChangeOfTreatment {
        /// Event time; negative for placebos, 0 for the average.
        horizon: i64,
    },
    /// Some treatments differ by rounding alone, and count as different.
    RoundedTreatments {
        /// One of them.
        smaller: f64,
        /// Another.
        larger: f64,
    },
    /// Infinite values are treated as missing.
    InfiniteValues {
        /// The columns, and how many values of each.
        columns: Vec<(String, usize)>,
    },
    /// Standard errors are missing because they are as small as rounding errors of outcomes near 1 are.
    NegligibleErrors {
        /// How many estimates this concerns.
        estimates: usize,
        /// The largest such standard error.
        limit: f64,
    },
    /// Standard errors are missing because the outcomes that are compared do not vary, apart from rounding.
    UnvaryingChanges {
        /// How many estimates this concerns.
        estimates: usize,
    },
    /// Standard errors are missing because what the units of each cluster contribute sums to zero.
    ClustersSumToZero {
        /// How many estimates this concerns.
        estimates: usize,
    },
    /// Standard errors are missing because bootstrap draws do not vary.
    UnvaryingDraws {
        /// How many estimates this concerns.
        estimates: usize,
    },
    /// Standard errors are missing because squares of the outcome are outside the range of double precision.
    InfiniteVariance {
        /// How many estimates this concerns.
        estimates: usize,
    },
    /// A cell has an estimate and no standard error, as a user-supplied estimator gave influence values that are not finite.
    InfluenceNotFinite {
        /// Group of the cell.
        group: f64,
        /// Period of the cell.
        time: f64,
    },
    /// A control is the same for all groups that are compared, in every period, so that it has no coefficient.
    ConstantControl {
        /// Its column of the design.
        column: String,
        /// Treatments in the first period for which it is.
        treatments: Vec<f64>,
    },
    /// Effects of a treatment that switches have an estimate and no standard error.
    NoStandardError {
        /// Event times; negative for placebos, 0 for the average.
        horizons: Vec<i64>,
        /// Whether squares of the outcome are beyond double precision; if not, there is no variation.
        out_of_range: bool,
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
    /// An option has no effect on this fit, or on a part of it.
    WithoutEffect {
        /// The option.
        option: String,
        /// Why.
        reason: String,
    },
    /// Knots outside the range of a group's doses were dropped from the group's curve.
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
    /// A group has average effects but no curve: averages of curves and slopes are over the other groups.
    NoCurve {
        /// The group.
        group: f64,
        /// Why it has none.
        reason: String,
        /// Its share of the treated units, by weight.
        share: f64,
    },
    /// A function was asked for at points outside the range of the regressors.
    PointsOutside {
        /// Number of points.
        points: usize,
    },
    /// The curve of a group has few treated units for its coefficients.
    FewTreated {
        /// The group.
        group: f64,
        /// Its treated units.
        units: usize,
        /// Coefficients of its curve.
        coefficients: usize,
    },
    /// Instruments have many functions for the number of observations: part of the bias of least squares remains.
    ManyInstruments {
        /// Functions of the instruments that the data tell apart.
        functions: usize,
        /// Number of observations.
        observations: usize,
    },
    /// Rows with a weight of zero do not count as observations.
    WeightlessRows {
        /// Number of rows.
        rows: usize,
    },
    /// Groups have effects and no weight in averages, because their units have a weight of 0 where shares are measured.
    GroupsWithoutShare {
        /// First treated periods.
        groups: Vec<f64>,
        /// Event times that have no estimate without them.
        event_times: Vec<f64>,
        /// Calendar periods that have no estimate without them.
        periods: Vec<f64>,
    },
    /// Knots at quantiles coincide, because many observations have one value, and are one knot.
    CoincidentKnots {
        /// The regressor, instrument or dose.
        column: String,
        /// Segments asked for, or chosen.
        segments: usize,
        /// Segments between knots that differ.
        distinct: usize,
    },
    /// The data do not tell apart all functions of a sieve: what other curves that fit alike have otherwise has no estimate.
    CollinearSieve {
        /// Number of functions.
        functions: usize,
        /// Number of combinations of them that the data tell apart.
        rank: usize,
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
    /// Effects of imputation or two stages, which have no base period, were taken less the mean of what the first stage leaves of the last
    /// period before treatment.
    LastPeriodAsBase,
    /// Effects of imputation or two stages before treatment are of rows that the first stage was fitted to, those after it of rows that
    /// it was not: where trends differ linearly, their path is no line, and jumps at treatment.
    JumpAtTreatment,
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
    /// A test of pre-trends rejects more often without a violation than it is asked to with one.
    PowerBelowSize {
        /// The power that was asked for.
        power: f64,
        /// How often it rejects without a violation.
        size: f64,
    },
    /// A fixed-length interval does not use a restriction on the sign or direction of the bias.
    RestrictionNotUsed,
    /// A robust interval may extend beyond the grid.
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
