//! Effects by event time of each estimator, with the influence of the clusters on them.

use super::sample::{StudyRows, StudySample};
use super::steps::Steps;
use super::{JointStudy, Specification, StudyEstimator, shifted};
use crate::base::calendar::TimeGrid;
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Message, Result};
use crate::base::options::{ControlGroup, Inference};
use crate::engine::backend::DidBackend;
use crate::engine::source::Influence;
use crate::estimator::AttGt;
use crate::estimator::aggregate::{AggregatedRow, Aggregation, EventStudy};
use crate::estimator::etwfe::Etwfe;
use crate::estimator::fixed_effects::{SunAbraham, Vcov};
use crate::estimator::imputation::Imputation;
use crate::estimator::local_projections::{LocalProjections, ProjectionMethod};
use crate::estimator::stacked::{StackEffects, Stacked};
use crate::estimator::two_stage::TwoStage;
use crate::read::columns::Label;
use crate::read::formula::Formula;
use crate::result::fit_notes::FitNotes;
use crate::result::inference::ClusterInfluence;

/// What an estimator gives.
pub(in crate::study) struct FittedStudy {
    pub study: EventStudy,
    /// By row of the study, `[rows][clusters]`, in the scale of sums; empty for references and for effects without a standard error.
    pub influence: Vec<Vec<f64>>,
    /// Rows in the estimates.
    pub n_rows: usize,
    /// Warnings of the fit.
    pub warnings: Vec<Message>,
}

/// What is fitted, and to what.
pub(in crate::study) struct Fitting<'a, B: DidBackend> {
    pub(super) config: &'a JointStudy<B>,
    pub(super) specification: &'a Specification,
    pub(super) sample: &'a StudySample,
    /// The rows that the specification uses.
    pub(super) rows: &'a StudyRows,
    device: &'a B::Device,
}

/// A builder with the columns and options of the study that all estimators take.
macro_rules! of_study {
    ($fitting:ident, $builder:expr) => {
        $builder
            .outcome(&*$fitting.config.outcome)
            .unit(&*$fitting.config.unit)
            .time(&*$fitting.config.time)
            .group(&*$fitting.config.group)
            .maybe_weights($fitting.config.weights.clone())
            .maybe_frequency($fitting.rows.frequency)
            .alpha($fitting.config.alpha)
            // Its rows are without them.
            .missing_values(Vec::<String>::new())
    };
}

/// Fits an estimator with a first stage on untreated rows.
macro_rules! with_first_stage {
    ($estimator:ident, $fitting:ident) => {{
        let estimator = of_study!($fitting, $estimator::builder())
            .covariates(&*$fitting.specification.covariates)
            .cluster(&*$fitting.sample.cluster)
            .keep_influence(true)
            .build();
        let fit = estimator.fit(&$fitting.rows.frame)?;
        let (study, kept) = (fit.event_study(), fit.influence.as_ref().ok_or_else(foreign)?);
        let influence = by_event_time($fitting.sample, &study, kept)?;
        let n_rows = fit.effects.settings.n_untreated + fit.effects.settings.n_treated;
        FittedStudy { study, influence, n_rows, warnings: $fitting.messages(&fit.effects.warnings) }
    }};
}

impl<B: DidBackend> Fitting<'_, B> {
    /// The effects of a specification.
    ///
    /// # Errors
    /// Those of the estimator, and those of its rows.
    pub fn of(
        config: &JointStudy<B>,
        specification: &Specification,
        sample: &StudySample,
        device: &B::Device,
    ) -> Result<FittedStudy> {
        let used = sample.of(config, specification)?;
        let rows = used.as_ref().unwrap_or(&sample.rows);
        // Estimators have codes of the clusters, of which the user knows nothing.
        let (code, column) = (&sample.cluster, config.clustered_by());
        let fitting = Fitting { config, specification, sample, rows, device };
        let of_data = |error: DidError| shifted::error(error.renamed(code, column), rows.shift);
        let mut fitted = fitting.fit().map_err(of_data)?;
        fitted.study.provenance.rename_clusters(code, column);
        Ok(fitted)
    }

    fn fit(&self) -> Result<FittedStudy> {
        let fitted = match self.specification.estimator {
            StudyEstimator::CallawaySantAnna => self.callaway_santanna()?,
            StudyEstimator::SunAbraham => self.sun_abraham()?,
            StudyEstimator::Imputation => with_first_stage!(Imputation, self),
            StudyEstimator::TwoStage => with_first_stage!(TwoStage, self),
            StudyEstimator::Etwfe => self.etwfe()?,
            StudyEstimator::Stacked => self.stacked()?,
            StudyEstimator::LocalProjections => self.local_projections()?,
            StudyEstimator::DidMultiplegt => self.did_multiplegt()?,
        };
        fitted.usable(self.config, self.rows.shift, &Steps::of(self.rows).grid)
    }

    fn messages<'w>(&self, warnings: impl IntoIterator<Item = &'w DidWarning>) -> Vec<Message> {
        let message = |warning: &DidWarning| {
            let Message { code, mut text } = match warning {
                // A study has no option that keeps them.
                DidWarning::Unbalanced { units } => Message {
                    code: Some(warning.code().into()),
                    text: format!(
                        "{} missing in some periods and left out by this estimator of the study",
                        counted(*units, "unit is", "units are")
                    ),
                },
                other => shifted::warning(other, self.rows.shift)
                    .unwrap_or_else(|| other.clone())
                    .renamed(&self.sample.cluster, self.config.clustered_by())
                    .message(self.config.frequency),
            };
            if shifted::names_times(warning) {
                shifted::note(&mut text, self.rows.shift);
            }
            Message { code, text }
        };
        // The study says so once.
        let of_data = |warning: &&DidWarning| {
            matches!(warning, DidWarning::MissingGroups { .. } | DidWarning::NanGroups { .. })
        };
        warnings.into_iter().filter(|warning| !of_data(warning)).map(message).collect()
    }

    /// Comparison units; those of the study if the estimator has no choice.
    pub(super) fn control_group(&self) -> ControlGroup {
        self.specification.control_group.unwrap_or(self.config.control_group)
    }
}

impl FittedStudy {
    /// The rows with an estimate, and references, whose event times were asked for; influence only where there is a standard error.
    ///
    /// Event times count from `shift` periods before the first treated one, in steps of the grid, so that they are equal for all estimators.
    fn usable<B: DidBackend>(
        mut self,
        config: &JointStudy<B>,
        shift: f64,
        grid: &TimeGrid,
    ) -> Result<Self> {
        let at = |at: f64| grid.in_steps(at - shift);
        self.study.rows.iter_mut().for_each(|row| row.at = at(row.at));
        if let Some(universal) = &mut self.study.universal {
            universal.rows.iter_mut().for_each(|(event_time, ..)| *event_time = at(*event_time));
            universal.retain(|event_time| config.is_in_window(event_time, grid));
        }
        let is_usable = |row: &AggregatedRow| {
            config.is_in_window(row.at, grid) && (row.reference || row.estimate.estimate.is_some())
        };
        let keep: Vec<bool> = self.study.rows.iter().map(is_usable).collect();
        retain(&mut self.study.rows, &keep);
        retain(&mut self.influence, &keep);
        retain(&mut self.study.vcov, &keep);
        for row in &mut self.study.vcov {
            retain(row, &keep);
        }
        for (column, row) in self.influence.iter_mut().zip(&self.study.rows) {
            if row.reference || row.estimate.se.is_none() {
                column.clear();
            }
        }
        // Averages of other event times are not those of the window, and the result has the warnings.
        (self.study.overall, self.study.fit_notes) = (None, FitNotes::default());
        if self.study.rows.iter().any(|row| !row.reference) {
            return Ok(self);
        }
        Err(DidError::EmptyWindow {
            what: "there is no effect that can be estimated at an event time of the window".into(),
        })
    }
}

fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    values.retain(|_| keep.next().is_some_and(|keep| *keep));
}

/// Influence values by the codes of the clusters, from those of an estimator's own clusters.
pub(super) fn by_code(sample: &StudySample, influence: &ClusterInfluence) -> Result<Vec<Vec<f64>>> {
    let code = |label: &Label| match label {
        Label::Integer(code) => {
            usize::try_from(*code).ok().filter(|code| *code < sample.n_clusters)
        }
        Label::Wide(_) | Label::Text(_) => None,
    };
    let codes: Option<Vec<usize>> = influence.clusters.iter().map(code).collect();
    let codes = codes.ok_or_else(foreign)?;
    let placed = |column: &Vec<f64>| {
        let mut values = vec![0.0; if column.is_empty() { 0 } else { sample.n_clusters }];
        codes.iter().zip(column).for_each(|(code, value)| values[*code] = *value);
        values
    };
    Ok(influence.columns.iter().map(placed).collect())
}

pub(super) fn foreign() -> DidError {
    DidError::Engine { problem: "an estimator has clusters that are not in the sample".into() }
}

/// Influence values on the scale of one cluster, whose clusters are named by their codes.
fn named(influence: &Influence) -> Result<ClusterInfluence> {
    let label = |text: &String| text.parse().map(Label::Integer).map_err(|_| foreign());
    let clusters: Vec<Label> = influence.units.iter().map(label).collect::<Result<_>>()?;
    let n = clusters.len() as f64;
    let column = |column: &Vec<f64>| column.iter().map(|value| value / n).collect();
    Ok(ClusterInfluence { clusters, columns: influence.columns.iter().map(column).collect() })
}

impl<B: DidBackend> Fitting<'_, B> {
    fn callaway_santanna(&self) -> Result<FittedStudy> {
        let Self { config, specification, sample, rows, device } = self;
        let estimator = of_study!(self, AttGt::<B>::builder())
            .covariates(&*specification.covariates)
            .cluster(&*sample.cluster)
            .control_group(self.control_group())
            .maybe_base_period(specification.base_period)
            .maybe_method(specification.method)
            .anticipation(if rows.shift > 0.0 { 0 } else { specification.anticipation })
            .keep_by_cluster(true)
            .precision(config.precision)
            .build();
        let fit = estimator.fit_on(&rows.frame, device)?;
        let dynamic = Aggregation::dynamic();
        let inference = Inference::new(config.alpha);
        let aggregated = fit.aggregate_with(dynamic, &inference)?;
        let influence = fit.influence_of(dynamic)?.ok_or_else(foreign)?;
        let study = aggregated.event_study()?;
        let influence = by_code(sample, &influence)?;
        let warnings = self.messages(fit.warnings.iter().chain(&aggregated.warnings));
        Ok(FittedStudy { study, influence, n_rows: fit.settings.n_rows, warnings })
    }

    fn sun_abraham(&self) -> Result<FittedStudy> {
        let Self { config, specification, sample, rows, device } = self;
        // The period before treatment, which is not the year before where periods are further apart.
        let estimator = of_study!(self, SunAbraham::<B>::builder())
            .reference([-Steps::of(rows).least])
            .covariates(&*specification.covariates)
            .vcov(Vcov::cluster([sample.cluster.as_str()]))
            .keep_influence(true)
            .precision(config.precision)
            .build();
        let fit = estimator.fit_on(&rows.frame, device)?;
        let influence = fit.influence.as_ref().ok_or_else(foreign)?;
        let influence = by_code(sample, &named(influence)?)?;
        let mut warnings = self.messages(&fit.regression.warnings);
        if fit.regression.n_singletons > 0 {
            let rows = counted(fit.regression.n_singletons, "row is", "rows are");
            let lost = format!("{rows} left out that alone have a unit or a period (singletons)");
            warnings.push(lost.into());
        }
        Ok(FittedStudy { study: fit.event_study, influence, n_rows: fit.regression.n, warnings })
    }

    fn etwfe(&self) -> Result<FittedStudy> {
        let Self { config, specification, sample, rows, device } = self;
        let estimator = of_study!(self, Etwfe::<B>::builder())
            .covariates(columns(&specification.covariates)?)
            .control_group(self.control_group())
            .vcov(Vcov::cluster([sample.cluster.as_str()]))
            .keep_influence(true)
            .precision(config.precision)
            .build();
        let fit = estimator.fit_on(&rows.frame, device)?;
        let influence = by_code(sample, &named(fit.influence.as_ref().ok_or_else(foreign)?)?)?;
        let warnings = self.messages(fit.warnings.iter().chain(&fit.regression.warnings));
        Ok(FittedStudy { study: fit.event_study(), influence, n_rows: fit.regression.n, warnings })
    }

    fn stacked(&self) -> Result<FittedStudy> {
        let Self { specification, sample, rows, .. } = self;
        let steps = Steps::of(rows);
        let elapsed = |from: &f64, to: &f64| steps.grid.elapsed(*from, *to);
        let whole = match (rows.periods.first(), rows.periods.last(), rows.cohorts.as_slice()) {
            (Some(first), Some(last), [earliest, .., latest]) => {
                (elapsed(first, earliest), elapsed(latest, last))
            }
            (Some(first), Some(last), [only]) => (elapsed(first, only), elapsed(only, last)),
            _ => (1.0, 0.0),
        };
        let (before, after) = window(self, &steps, whole);
        let estimator = of_study!(self, Stacked::builder())
            .pre_window(before)
            .post_window(after)
            .control_group(self.control_group())
            .covariates(columns(&specification.covariates)?)
            .cluster(&*sample.cluster)
            // Effects of all sub-experiments together leave period effects in the residuals, and standard errors of differences grow with these.
            .effects(StackEffects::SubExperiment)
            .build();
        let (fit, influence) = estimator.fit_with_influence(&rows.frame)?;
        let influence = by_code(sample, &influence.ok_or_else(foreign)?)?;
        let (n_rows, warnings) = (fit.sample.n_used(), self.messages(&fit.warnings));
        let study = fit.event_study().in_time(Some(steps.of_all(rows)?));
        Ok(FittedStudy { study, influence, n_rows, warnings })
    }

    fn local_projections(&self) -> Result<FittedStudy> {
        let Self { specification, sample, rows, .. } = self;
        let steps = Steps::of(rows);
        let longest = match (rows.periods.first(), rows.periods.last()) {
            (Some(first), Some(last)) => steps.grid.elapsed(*first, *last),
            _ => 0.0,
        };
        let (before, after) = window(self, &steps, (longest, longest));
        let covariates = columns(&specification.covariates)?;
        let estimator = of_study!(self, LocalProjections::builder())
            .pre_window(before)
            .post_window(after)
            .method(match covariates.is_empty() {
                true => ProjectionMethod::Reweighted,
                false => ProjectionMethod::Adjusted,
            })
            .control_group(self.control_group())
            .covariates(covariates)
            .cluster(&*sample.cluster)
            .build();
        let (fit, influence) = estimator.fit_with_influence(&rows.frame)?;
        let influence = by_code(sample, &influence.ok_or_else(foreign)?)?;
        let (n_rows, warnings) = (fit.sample.n_used(), self.messages(&fit.warnings));
        let study = fit.event_study().in_time(Some(steps.of_all(rows)?));
        Ok(FittedStudy { study, influence, n_rows, warnings })
    }
}

/// Periods before treatment and the last after it, of a window that was asked for or of this one.
fn window<B: DidBackend>(
    fitting: &Fitting<'_, B>,
    steps: &Steps,
    otherwise: (f64, f64),
) -> (u32, u32) {
    let (before, after) = otherwise;
    let Fitting { config, rows, .. } = fitting;
    let [least, most] = config.ends(&steps.grid);
    let before = least.map_or(before, |least| -least - rows.shift);
    let after = most.map_or(after, |most| most + rows.shift);
    // Windows that are too wide are refused by the estimators.
    (steps.within(before).max(1), steps.within(after))
}

/// The columns of a sum of columns, which is what some estimators take in place of a formula.
fn columns(formula: &str) -> Result<Vec<String>> {
    let columns = Formula::parse(formula)?.variables();
    let terms = formula.trim().trim_start_matches('~').split('+');
    let terms = terms.map(|term| term.trim().trim_matches('`')).filter(|term| *term != "1");
    match terms.clone().all(|term| columns.iter().any(|column| column == term)) {
        true => Ok(columns),
        false => {
            let expected = "columns joined by `+` for `etwfe`, `stacked` and `lpdid`; leave these out, or form the columns before";
            Err(DidError::config("covariates", expected, formula))
        }
    }
}

/// The influence of the clusters on the rows of an event study, from columns that are named by event times.
fn by_event_time(
    sample: &StudySample,
    study: &EventStudy,
    kept: &Influence,
) -> Result<Vec<Vec<f64>>> {
    let ClusterInfluence { clusters, columns } = named(kept)?;
    let at = |name: &String| name.parse::<f64>().ok();
    let column = |row: &AggregatedRow| {
        let place = kept.names.iter().position(|name| at(name) == Some(row.at));
        place.map_or_else(Vec::new, |place| columns[place].clone())
    };
    let columns = study.rows.iter().map(column).collect();
    by_code(sample, &ClusterInfluence { clusters, columns })
}
