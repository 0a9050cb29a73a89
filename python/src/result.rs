//! The result of any estimator, as Python holds it.

use std::path::PathBuf;

use burn_did::imputation::StageTerm;
use burn_did::options::Frequency;
use burn_did::report::{Message, Reportable};
use burn_did::weighting::Scores;
use burn_did::{Estimate, SavedResult};
use polars::prelude::{Column, DataFrame, PolarsResult};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::call::Source;
use crate::kept::Kept;
use crate::options::{Options, names};
use crate::picture;
use crate::table::Table;
use crate::{arguments, described, errors, looks};

/// A result of any kind.
#[pyclass(frozen, name = "Native", module = "burn_did._native")]
pub(crate) struct Native {
    pub(crate) saved: SavedResult,
}

/// A factor of fixed effects: its name, its levels and their effects.
type Factor = (String, Vec<String>, Vec<f64>);

/// What makes a copy of a result in another process.
type Reduced<'py> = (Bound<'py, PyAny>, (String, Bound<'py, PyBytes>));

/// A covariance: names of rows and columns, and its rows; empty where an estimate has none.
type Covariance = (Vec<String>, Vec<Vec<Option<f64>>>);

impl Native {
    pub(crate) fn new(saved: SavedResult) -> Self {
        Self { saved }
    }

    fn report(&self) -> &dyn Reportable {
        self.saved.report()
    }

    fn scores_kept(&self) -> Option<&Scores> {
        match &self.saved {
            SavedResult::GroupTime(fit) => fit.scores.as_ref(),
            SavedResult::Drdid(fit) => fit.scores.as_ref(),
            _ => None,
        }
    }

    /// The result as Python shows it, by one of its renderings.
    fn shown(&self, of: impl Fn(&dyn Reportable) -> String) -> String {
        match &self.saved {
            SavedResult::Description(description) => of(&described::in_python(description)),
            saved => arguments::in_python(&of(saved.report())),
        }
    }

    /// What a period is, where results have periods by their names.
    fn frequency(&self) -> Option<Frequency> {
        match &self.saved {
            SavedResult::GroupTime(fit) => fit.settings.frequency,
            SavedResult::Drdid(fit) => fit.settings.frequency,
            SavedResult::Weighting(weighting) => weighting.settings.frequency,
            _ => None,
        }
    }

    /// The weights of effects in a linear combination, by group and period as the result shows them.
    fn weights_of_cells(&self, weights: &Bound<'_, PyAny>) -> PyResult<Vec<((f64, f64), f64)>> {
        let one = |pair: &Bound<'_, PyAny>| {
            let ((group, time), weight): ((Bound<'_, PyAny>, Bound<'_, PyAny>), f64) =
                pair.extract().ok()?;
            let period = |value| looks::period_of(value, self.frequency());
            Some(((period(&group)?, period(&time)?), weight))
        };
        weights
            .try_iter()?
            .map(|pair| {
                let pair = pair?;
                one(&pair).ok_or_else(|| {
                    let message = format!(
                        "`weights` must have a number for pairs of a group and a period as the result shows them, got {}",
                        errors::shown(&pair)
                    );
                    errors::option(weights.py(), &message)
                })
            })
            .collect()
    }
}

fn table(py: Python<'_>, frame: burn_did::Result<DataFrame>) -> PyResult<Table> {
    frame.map(Table::new).map_err(|error| errors::raised(py, &error))
}

fn values(names: &[String], columns: &[Vec<f64>], units: &[String]) -> PolarsResult<DataFrame> {
    let kept = names.iter().zip(columns).filter(|(_, values)| values.len() == units.len());
    let kept = kept.map(|(name, values)| Column::new(name.as_str().into(), values));
    let units_column = Column::new("unit".into(), units);
    DataFrame::new(units.len(), std::iter::once(units_column).chain(kept).collect())
}

/// An effect by a first stage, in one word.
fn term(term: &StageTerm) -> String {
    match term {
        StageTerm::Average(name) | StageTerm::Coefficient(name) => name.clone(),
        StageTerm::EventTime(at) => at.to_string(),
        StageTerm::Group(group) => format!("group({group})"),
        _ => "overall".into(),
    }
}

/// An estimate by the names of its parts, as tables have them.
fn as_dict<'py>(py: Python<'py>, estimate: &Estimate) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("estimate", estimate.estimate)?;
    dict.set_item("se", estimate.se)?;
    dict.set_item("ci_lower", estimate.ci_lower)?;
    dict.set_item("ci_upper", estimate.ci_upper)?;
    dict.set_item("statistic", estimate.statistic())?;
    dict.set_item("p_value", estimate.p_value)?;
    Ok(dict)
}

#[pymethods]
impl Native {
    /// Kind of result, as in saved files.
    #[getter]
    fn kind(&self) -> &'static str {
        self.report().kind()
    }

    fn __str__(&self) -> String {
        self.shown(|report| report.to_string())
    }

    /// A result does not change.
    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    /// The result as JSON and what that leaves out, for copies in other processes.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let kept = postcard::to_allocvec(&Kept::of(&self.saved));
        let kept = kept.map_err(|error| errors::bug(py, &error.to_string()))?;
        let read = py.import("burn_did._native")?.getattr("read_result")?;
        Ok((read, (self.to_json(py)?, PyBytes::new(py, &kept))))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.saved == other.saved
    }

    fn to_html(&self) -> String {
        self.shown(|report| report.to_table().to_html())
    }

    fn to_markdown(&self) -> String {
        self.shown(|report| report.to_markdown())
    }

    fn to_latex(&self) -> String {
        self.shown(|report| report.to_latex())
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.report().to_json()).map_err(|error| errors::raised(py, &error))
    }

    /// One row an estimate.
    fn estimates(&self, py: Python<'_>) -> PyResult<Table> {
        table(py, self.report().to_dataframe())
    }

    /// One row about the fit.
    fn glance(&self, py: Python<'_>) -> PyResult<Table> {
        table(py, self.report().glance())
    }

    /// Warnings: a word for the kind of each, empty for remarks of no kind, and what it says.
    fn warnings(&self) -> Vec<(String, String)> {
        let messages = self.report().messages().into_iter();
        let said = |message: Message| {
            (message.code().unwrap_or_default().to_owned(), arguments::in_python(&message.text))
        };
        messages.map(said).collect()
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.report().save(&path)).map_err(|error| errors::raised(py, &error))
    }

    /// The picture as an SVG document.
    fn to_svg(&self, options: &Bound<'_, PyDict>) -> PyResult<String> {
        let py = options.py();
        let given = Options::new(options)?;
        let picture = picture::options(&given)?;
        given.all_taken()?;
        py.detach(|| self.report().to_svg(&picture)).map_err(|error| errors::raised(py, &error))
    }

    /// Draws the picture to a file.
    fn plot(&self, path: PathBuf, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = options.py();
        let given = Options::new(options)?;
        let picture = picture::options(&given)?;
        given.all_taken()?;
        let drawn = py.detach(|| self.report().plot_with(&path, &picture));
        drawn.map_err(|error| errors::raised(py, &error))
    }

    /// The covariance of the estimates, where the result has one.
    fn vcov(&self, py: Python<'_>) -> PyResult<Option<Covariance>> {
        let known = |rows: &[Vec<f64>]| {
            rows.iter().map(|row| row.iter().copied().map(Some).collect()).collect()
        };
        let at = |rows: &[burn_did::group_time::AggregatedRow]| {
            rows.iter().map(|row| row.at.to_string()).collect()
        };
        let studied = |of: &burn_did::EventStudy| (at(&of.rows), known(&of.vcov));
        let staged = |of: &burn_did::imputation::StageEffects| {
            (of.rows.iter().map(|row| term(&row.term)).collect(), known(&of.vcov))
        };
        let joint = |of: &burn_did::JointStudyResult| {
            let effects = of.estimators.iter().flat_map(|of| {
                let rows = of.event_study.iter().flat_map(|study| &study.rows);
                rows.map(|row| format!("{}:{}", of.estimator, row.at))
            });
            (effects.collect(), known(&of.vcov))
        };
        Ok(Some(match &self.saved {
            SavedResult::GroupTime(of) => {
                let name = |cell: &burn_did::group_time::GroupTimeCell| {
                    format!("att({},{})", cell.group, cell.time)
                };
                let vcov = of.vcov().map_err(|error| errors::raised(py, &error))?;
                (of.cells.iter().map(name).collect(), vcov)
            }
            SavedResult::Aggregated(of) => (at(&of.rows), known(&of.vcov)),
            SavedResult::EventStudy(of) => studied(of),
            SavedResult::SunAbraham(of) => studied(&of.event_study),
            SavedResult::Regression(of) => {
                (of.coefficients.iter().map(|c| c.name.clone()).collect(), known(&of.vcov))
            }
            SavedResult::Multiplegt(of) => {
                let all = of.effects.iter().chain(&of.placebos);
                (all.map(|effect| effect.horizon.to_string()).collect(), of.vcov.clone())
            }
            SavedResult::LocalProjections(of) => studied(&of.event_study()),
            SavedResult::Stacked(of) => studied(&of.event_study()),
            SavedResult::Etwfe(of) => studied(&of.event_study()),
            SavedResult::Imputation(of) => staged(&of.effects),
            SavedResult::TwoStage(of) => staged(&of.effects),
            SavedResult::JointStudy(of) => joint(of),
            SavedResult::SpecificationCurve(of) => {
                let names = (1..=of.specifications.len()).map(|at| at.to_string());
                (names.collect(), known(&of.vcov))
            }
            _ => return Ok(None),
        }))
    }

    /// Influence values by unit, if the fit kept them.
    fn influence(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let Some(kept) = self.saved.influence() else { return Ok(None) };
        let frame = values(&kept.names, &kept.columns, &kept.units);
        table(py, frame.map_err(Into::into)).map(Some)
    }

    /// Propensity scores and weights by unit, if the fit kept them.
    fn scores(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        self.scores_kept().map(|scores| table(py, scores.to_dataframe())).transpose()
    }

    /// A linear combination of effects by group and period, or of coefficients by name.
    fn contrast<'py>(
        &self,
        py: Python<'py>,
        weights: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let raised = |error| errors::raised(py, &error);
        match &self.saved {
            SavedResult::GroupTime(of) => {
                let weights = self.weights_of_cells(weights)?;
                as_dict(py, &of.contrast(&weights).map_err(raised)?)
            }
            SavedResult::Regression(of) => {
                let weights: Vec<(String, f64)> = weights.extract().map_err(|_| {
                    let message = "`weights` must have a number for names of coefficients";
                    errors::option(py, message)
                })?;
                let weights: Vec<(&str, f64)> =
                    weights.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
                as_dict(py, &of.contrast(&weights).map_err(raised)?.as_estimate())
            }
            _ => Err(errors::option(
                py,
                "effects by group and period, and regressions, have contrasts",
            )),
        }
    }

    /// Residuals by row of the data, if the regression kept them; `None` for rows that are not in the sample.
    fn residuals(&self) -> Option<Vec<Option<f64>>> {
        match &self.saved {
            SavedResult::Regression(fit) => fit.residuals.clone(),
            _ => None,
        }
    }

    /// Levels of the fixed effects and their effects, factor by factor, if the regression kept them.
    fn fixed_effects(&self, py: Python<'_>) -> PyResult<Vec<Factor>> {
        let SavedResult::Regression(fit) = &self.saved else { return Ok(Vec::new()) };
        let effects = fit.fixed_effects().map_err(|error| errors::raised(py, &error))?;
        let one = |of: &burn_did::regression::FactorEffects| {
            (of.name.clone(), of.levels.clone(), of.effects.clone())
        };
        Ok(effects.iter().map(one).collect())
    }

    /// Predictions of a regression by row of data.
    fn predict(&self, data: &Bound<'_, PyAny>) -> PyResult<Vec<Option<f64>>> {
        let py = data.py();
        let SavedResult::Regression(fit) = &self.saved else {
            return Err(errors::option(py, "only a regression predicts"));
        };
        let written = fit.to_json().map_err(|error| errors::raised(py, &error))?;
        let data = Source::new(data, |name| names(&written, name))?.data(py)?;
        py.detach(|| fit.predict(data)).map_err(|error| errors::raised(py, &error))
    }

    /// Effects at other doses, with the intervals and the critical values of the fit.
    fn at_doses(&self, py: Python<'_>, doses: Vec<f64>) -> PyResult<Table> {
        let SavedResult::ContDid(fit) = &self.saved else {
            return Err(errors::option(py, "only effects by dose can be had at other doses"));
        };
        let mut other = (**fit).clone();
        other.dose = fit.at(&doses).map_err(|error| errors::raised(py, &error))?;
        table(py, other.to_dataframe())
    }

    /// How the comparison units of each cell are weighted.
    fn overlap(&self, py: Python<'_>) -> PyResult<Self> {
        let overlap = match &self.saved {
            SavedResult::GroupTime(fit) => fit.overlap_by_cell(),
            SavedResult::Drdid(fit) => fit.overlap_by_cell(),
            _ => {
                return Err(errors::option(
                    py,
                    "results of `att_gt`, `ddd` and `drdid` have overlap",
                ));
            }
        };
        Ok(Self::new(SavedResult::Overlap(Box::new(overlap))))
    }

    /// What the estimator's weighting does to the comparison, of one group or period or of all.
    #[pyo3(signature = (group=None, time=None))]
    fn weighting(
        &self,
        py: Python<'_>,
        group: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let period = |name: &str, value: Option<&Bound<'_, PyAny>>| match value {
            None => Ok(None),
            Some(value) => looks::period_of(value, self.frequency()).map(Some).ok_or_else(|| {
                let shown = errors::shown(value);
                let message = format!("`{name}` must be one that the result shows, got {shown}");
                errors::option(py, &message)
            }),
        };
        let (group, time) = (period("group", group)?, period("time", time)?);
        let weighting = match &self.saved {
            SavedResult::GroupTime(fit) => fit.weighting.as_ref(),
            SavedResult::Drdid(fit) => fit.weighting.as_ref(),
            SavedResult::Weighting(weighting) => Some(weighting.as_ref()),
            _ => None,
        };
        let Some(weighting) = weighting else {
            let message = "the fit did not form what its weighting does; fit with `weighting=True`";
            return Err(errors::option(py, message));
        };
        let chosen = weighting.of_cells(group, time).map_err(|error| errors::raised(py, &error))?;
        Ok(Self::new(SavedResult::Weighting(Box::new(chosen))))
    }
}

/// Reads a saved result.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, path: PathBuf) -> PyResult<Native> {
    let saved = py.detach(|| SavedResult::load(path));
    saved.map(Native::new).map_err(|error| errors::raised(py, &error))
}

/// A result from its JSON and what that leaves out.
#[pyfunction]
pub(crate) fn read_result(py: Python<'_>, text: &str, kept: &[u8]) -> PyResult<Native> {
    let saved = py.detach(|| SavedResult::from_json(text));
    let mut saved = saved.map_err(|error| errors::raised(py, &error))?;
    let kept: Kept = postcard::from_bytes(kept).map_err(|error| {
        let message = format!(
            "the copy is of another version of burn_did ({error}); make it again with this one"
        );
        errors::data(py, &message)
    })?;
    kept.restore(&mut saved);
    Ok(Native::new(saved))
}
