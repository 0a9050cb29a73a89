//! Tools that bring a panel into shape.

use burn_did::panel::{self, Base, FillGaps, FirstTreated, PanelKeys, PanelTool, ToWide};
use polars::prelude::{Column, DataFrame, DataType, PolarsResult};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::Call;
use crate::errors;
use crate::options::Options;
use crate::table::Table;

/// The tool of a name.
fn tool(name: &str, keys: &PanelKeys, options: &Options<'_>) -> PyResult<PanelTool> {
    let columns = || {
        let columns = options.texts("columns")?;
        options.needed("columns", columns)
    };
    let periods = || Ok::<_, PyErr>(options.whole("periods")?.unwrap_or(1));
    Ok(match name {
        "first_treated" => {
            let mut first = FirstTreated::builder()
                .never_as_zero(options.is("never_as_zero")?)
                .keep_first(options.is("keep_first")?)
                .missing_as_unknown(options.is("missing_as_unknown")?)
                .first_observed(options.is("first_observed")?)
                .build();
            first.name = options.text("name")?.unwrap_or(first.name);
            panel::first_treated(keys, options.needed_text("treatname")?, first)
        }
        "balance" => {
            let rule = options.word("rule")?;
            panel::balance(keys, options.needed("rule", rule)?)
        }
        "fill_gaps" => {
            let filled = FillGaps::builder()
                .all_periods(options.is("all_periods")?)
                .carry_constant(options.is("carry_constant")?)
                .build();
            panel::fill_gaps(keys, filled)
        }
        "deduplicate" => {
            let keep = options.word("strategy")?;
            panel::deduplicate(keys, options.needed("strategy", keep)?)
        }
        "lag" => panel::lag(keys, columns()?, periods()?),
        "difference" => panel::difference(keys, columns()?, periods()?),
        "long_difference" => {
            let base = match crate::looks::period(options, "base", keys.frequency)? {
                Some(period) => Base::Period(period),
                None => Base::BeforeTreatment,
            };
            panel::long_difference(keys, columns()?, base)
        }
        "to_wide" => {
            let mut wide = ToWide::builder().maybe_columns(options.texts("columns")?).build();
            wide.names = options.text("names")?.unwrap_or(wide.names);
            panel::to_wide(keys, wide)
        }
        other => return Err(errors::option(options.py(), &format!("there is no tool {other:?}"))),
    })
}

/// Categories without an order as texts, which all that read a table have; those in an order keep it.
fn with_texts(mut frame: DataFrame) -> burn_did::Result<DataFrame> {
    let is_unordered = |column: &&Column| matches!(column.dtype(), DataType::Categorical(..));
    let texts = frame.columns().iter().filter(is_unordered).map(|c| c.cast(&DataType::String));
    for column in texts.collect::<PolarsResult<Vec<_>>>()? {
        frame.with_column(column)?;
    }
    Ok(frame)
}

/// What a tool makes of a panel, and a report on it.
#[pyfunction]
pub(crate) fn panel_tool(
    data: &Bound<'_, PyAny>,
    name: &str,
    options: &Bound<'_, PyDict>,
) -> PyResult<(Table, String)> {
    let call = Call::with_all_columns(data, options)?;
    let given = &call.options;
    let keys = PanelKeys::builder()
        .unit(given.needed_text("idname")?)
        .time(given.needed_text("tname")?)
        .maybe_group(given.text("gname")?)
        .maybe_frequency(given.word("frequency")?)
        .maybe_missing_values(given.missing_values()?)
        .progress(call.progress())
        .build();
    let tool = tool(name, &keys, given)?;
    let (frame, change) = call.run(move |data| {
        let (frame, change) = tool.apply(data)?;
        Ok((with_texts(frame)?, change))
    })?;
    Ok((Table::new(frame), change.to_string()))
}
