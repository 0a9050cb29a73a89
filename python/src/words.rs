//! Arguments that several functions have.

use burn_did::options::Band;
use pyo3::prelude::*;

use crate::options::Options;

/// Uniform bands or pointwise intervals, if `cband` says.
pub(crate) fn band(options: &Options<'_>) -> PyResult<Option<Band>> {
    let cband = options.flag("cband")?;
    Ok(cband.map(|uniform| if uniform { Band::Uniform } else { Band::Pointwise }))
}
