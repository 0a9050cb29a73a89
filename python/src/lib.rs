//! The compiled half of the Python package `burn_did`, whose other half gives these functions their names, arguments and documentation.
//!
//! Each function takes its data and a dictionary of arguments, makes an estimator of the library of them, fits on a thread beside Python
//! and gives a [`Native`](result::Native) or a [`Table`](table::Table).

mod anywhere;
mod arrow_type;
mod call;
mod engine;
mod errors;
mod frame;
mod group_time;
mod options;
mod result;
mod table;
mod words;
mod work;
mod worker;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("BUILD", burn_did::cluster::BUILD)?;
    module.add_class::<anywhere::Sample>()?;
    module.add_class::<anywhere::Workers>()?;
    module.add_class::<result::Native>()?;
    module.add_class::<table::Table>()?;
    module.add_function(wrap_pyfunction!(anywhere::prepare, module)?)?;
    module.add_function(wrap_pyfunction!(call::devices, module)?)?;
    module.add_function(wrap_pyfunction!(group_time::aggte, module)?)?;
    module.add_function(wrap_pyfunction!(group_time::att_gt, module)?)?;
    module.add_function(wrap_pyfunction!(result::from_json, module)?)?;
    module.add_function(wrap_pyfunction!(result::load, module)?)?;
    module.add_function(wrap_pyfunction!(worker::run_task, module)?)?;
    Ok(())
}
