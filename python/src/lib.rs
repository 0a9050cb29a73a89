//! The compiled half of the Python package `burn_did`, whose other half gives these functions their names, arguments and documentation.
//!
//! Each function takes its data and a dictionary of arguments, makes an estimator of the library of them, fits on a thread beside Python
//! and gives a [`Native`](result::Native) or a [`Table`](table::Table).

mod analyses;
mod anywhere;
mod arguments;
mod arrow_type;
mod call;
mod callback;
mod categories;
mod columns;
mod comparison;
mod described;
mod doses;
mod engine;
mod errors;
mod example_data;
mod extended;
mod files;
mod first_stage;
mod frame;
mod group_time;
mod joint;
mod kept;
mod looks;
mod options;
mod panel;
mod picture;
mod regressions;
mod result;
mod switching;
mod table;
mod two_periods;
mod two_way;
mod windows;
mod work;
mod worker;

// The command line, which `python -m burn_did` runs in this process. Its files name each other from the root of their crate.
#[path = "../../src/bin/burn-did/allocator.rs"]
mod allocator;
#[path = "../../src/bin/burn-did/args/mod.rs"]
mod args;
#[path = "../../src/bin/burn-did/backend.rs"]
mod backend;
#[path = "../../src/bin/burn-did/commands/mod.rs"]
mod commands;
#[path = "../../src/bin/burn-did/configure.rs"]
mod configure;
#[path = "../../src/bin/burn-did/defaults.rs"]
mod defaults;
#[path = "../../src/bin/burn-did/elsewhere/mod.rs"]
mod elsewhere;
#[path = "../../src/bin/burn-did/error.rs"]
mod error;
#[path = "../../src/bin/burn-did/formed.rs"]
mod formed;
#[path = "../../src/bin/burn-did/hints.rs"]
mod hints;
#[path = "../../src/bin/burn-did/messages.rs"]
mod messages;
#[path = "../../src/bin/burn-did/output.rs"]
mod output;
#[path = "../../src/bin/burn-did/panics.rs"]
mod panics;
#[path = "../../src/bin/burn-did/parse.rs"]
mod parse;
#[path = "../../src/bin/burn-did/program.rs"]
mod program;
#[path = "../../src/bin/burn-did/progress.rs"]
mod progress;
#[path = "../../src/bin/burn-did/shown.rs"]
mod shown;
#[path = "../../src/bin/burn-did/signals.rs"]
mod signals;
#[path = "../../src/bin/burn-did/words.rs"]
mod words;
#[path = "../../src/bin/burn-did/written.rs"]
mod written;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs a command line, whose first word is the name of the program, and gives the exit status.
#[pyfunction]
fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| program::run(&arguments))
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::analyses::{event_study, given_event_study, honest_did, pretrends};
    #[pymodule_export]
    use crate::anywhere::{Sample, Workers, prepare};
    #[pymodule_export]
    use crate::call::devices;
    #[pymodule_export]
    use crate::columns::named_columns;
    #[pymodule_export]
    use crate::comparison::{compare, compare_frame, compare_plot, compare_svg};
    #[pymodule_export]
    use crate::doses::{cont_did, npiv};
    #[pymodule_export]
    use crate::example_data::{load_data, simulate, teaching_data};
    #[pymodule_export]
    use crate::extended::etwfe;
    #[pymodule_export]
    use crate::files::PyDataFiles;
    #[pymodule_export]
    use crate::first_stage::{did2s, imputation};
    #[pymodule_export]
    use crate::group_time::{aggte, att_gt, ddd};
    #[pymodule_export]
    use crate::joint::{joint_study, specification_curve};
    #[pymodule_export]
    use crate::looks::{balance, describe, means, panelview};
    #[pymodule_export]
    use crate::panel::panel_tool;
    #[pymodule_export]
    use crate::regressions::{demean, feglm, sunab};
    #[pymodule_export]
    use crate::result::{Native, load, read_result};
    #[pymodule_export]
    use crate::switching::did_multiplegt;
    #[pymodule_export]
    use crate::table::{Table, read_table};
    #[pymodule_export]
    use crate::two_periods::drdid;
    #[pymodule_export]
    use crate::two_way::{bacon, twfe_weights};
    #[pymodule_export]
    use crate::windows::{lpdid, stacked};
    #[pymodule_export]
    use crate::worker::run_task;

    #[pymodule_export]
    use crate::run;

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn prepared(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::work::keep_caught_panics_quiet();
        super::allocator::release_memory_when_short();
        module.add("BUILD", burn_did::cluster::BUILD)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
