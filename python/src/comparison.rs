//! Results side by side: `etable` and `compare`.

use std::path::PathBuf;

use burn_did::report::{Comparable, Comparison};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::options::Options;
use crate::picture;
use crate::result::Native;
use crate::table::Table;

/// A comparison of results with the names of their columns, and what `show` makes of it.
fn compared<T>(
    models: &[(String, Py<Native>)],
    given: &Options<'_>,
    show: impl FnOnce(Comparison<'_>) -> burn_did::Result<T>,
) -> PyResult<T> {
    let py = given.py();
    let models: Vec<(&str, &dyn Comparable)> = models
        .iter()
        .map(|(name, result)| (name.as_str(), result.get().saved.report() as &dyn Comparable))
        .collect();
    let raised = |error| errors::raised(py, &error);
    let mut comparison = Comparison::new(&models).map_err(raised)?;
    comparison = comparison.keep(given.texts("keep")?.unwrap_or_default());
    comparison = comparison.drop(given.texts("drop")?.unwrap_or_default());
    if let Some(labels) = given.object("labels")? {
        let labels: Vec<(String, String)> = labels
            .extract()
            .map_err(|_| errors::option(py, "`labels` must have pairs of a name and its label"))?;
        for (old, new) in labels {
            comparison = comparison.label(old, new);
        }
    }
    if let Some(stars) = given.word("stars")? {
        comparison = comparison.stars(stars);
    }
    if let Some(below) = given.word("below")? {
        comparison = comparison.below(below);
    }
    if let Some(digits) = given.count("digits")? {
        comparison = comparison.digits(digits);
    }
    if let Some(caption) = given.text("caption")? {
        comparison = comparison.caption(caption);
    }
    if let Some(label) = given.text("tex_label")? {
        comparison = comparison.reference(label);
    }
    comparison = comparison.siunitx(given.is("siunitx")?).facets(given.is("facets")?);
    show(comparison).map_err(raised)
}

/// A table of results side by side: as text, markdown, LaTeX or HTML.
#[pyfunction]
pub(crate) fn compare(
    models: Vec<(String, Py<Native>)>,
    options: &Bound<'_, PyDict>,
) -> PyResult<[String; 4]> {
    let given = Options::new(options)?;
    let shown = compared(&models, &given, |comparison| {
        let table = comparison.table()?;
        Ok([table.to_string(), table.to_markdown(), table.to_latex(), table.to_html()])
    })?;
    given.all_taken()?;
    Ok(shown)
}

/// The rows of a comparison as a table.
#[pyfunction]
pub(crate) fn compare_frame(
    models: Vec<(String, Py<Native>)>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Table> {
    let given = Options::new(options)?;
    compared(&models, &given, |comparison| comparison.to_dataframe()).map(Table::new)
}

/// A picture of results side by side, as SVG.
#[pyfunction]
pub(crate) fn compare_svg(
    models: Vec<(String, Py<Native>)>,
    options: &Bound<'_, PyDict>,
    look: &Bound<'_, PyDict>,
) -> PyResult<String> {
    let given = Options::new(options)?;
    let look = Options::new(look)?;
    let picture = picture::options(&look)?;
    look.all_taken()?;
    compared(&models, &given, |comparison| comparison.to_svg(&picture))
}

/// Draws results side by side to a file.
#[pyfunction]
pub(crate) fn compare_plot(
    models: Vec<(String, Py<Native>)>,
    options: &Bound<'_, PyDict>,
    path: PathBuf,
    look: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let given = Options::new(options)?;
    let look = Options::new(look)?;
    let picture = picture::options(&look)?;
    look.all_taken()?;
    compared(&models, &given, |comparison| comparison.plot_with(path, &picture))
}
