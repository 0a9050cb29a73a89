//! From files and data frames to the validated estimation sample.
//!
//! - Lives here: reading of CSV, parquet and Stata files, formulas, columns, and the panel with its strata.
//! - May import: `base`.
//! - Must not import: `engine` or anything above it. Columns stay as they were read; what is computed of them is asked of a source.
//!
//! Its folders; each imports only from the ones above it:
//!
//! | room | what |
//! |---|---|
//! | `columns` | one column: numbers, codes, labels, periods, missing values |
//! | `formula` | terms of a formula, and the columns of a design |
//! | `files` | CSV and parquet files as frames of the columns wanted |
//! | `input` | whatever the user gives as data |
//! | `panel` | the estimation sample: rules, strata, and the place of each row |

pub(crate) mod columns;
pub(crate) mod files;
pub(crate) mod formula;
pub(crate) mod input;
pub(crate) mod panel;
