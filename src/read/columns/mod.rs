//! Columns of a data frame as numbers, codes of labels and codes of periods, whatever they are for.
//!
//! | a column | file |
//! |---|---|
//! | which are asked for, and names that are not there | `wanted.rs`, `names.rs` |
//! | by what it is for | `table.rs` |
//! | what stands for a missing value, and rows that have one | `missing.rs`, `missing_words.rs`, `read_as_missing.rs`, `token.rs`, `gaps.rs` |
//! | numbers, weights, indicators, first treated periods | `values.rs`, `numbers.rs` |
//! | labels of units and clusters, and codes of them | `labels.rs`, `codes.rs`, `integers.rs`, `wide.rs`, `categories.rs`, `spelled.rs`, `spelling.rs`, `text_block.rs`, `grouped.rs` |
//! | the order of the rows | `row_order.rs`, `runs.rs` |
//! | periods, and codes of them | `periods.rs`, `period_codes.rs`, `period_table.rs` |
//! | in messages | `kinds.rs`, `excerpt.rs` |

mod categories;
mod codes;
mod excerpt;
mod gaps;
mod grouped;
mod integers;
mod kinds;
mod labels;
mod missing;
mod missing_words;
mod names;
mod numbers;
mod period_codes;
mod period_table;
mod periods;
mod read_as_missing;
mod row_order;
mod runs;
mod spelled;
mod spelling;
mod table;
mod text_block;
mod token;
mod total_order;
mod values;
mod wanted;
mod wide;
mod without_group;

pub(crate) use categories::CategoryTexts;
pub(crate) use codes::LabelColumn;
pub(crate) use excerpt::excerpt;
pub(crate) use gaps::Gaps;
pub(crate) use integers::from_integers;
pub(crate) use kinds::{different, kind, kinds};
pub(crate) use labels::{Codes, Label, Labels, MISSING, code, ordered_key};
pub(crate) use missing::MissingValues;
pub(crate) use missing_words::MissingWords;
pub(crate) use numbers::too_many;
pub(crate) use period_codes::PeriodCodes;
pub(crate) use period_table::MAX_DISTINCT;
pub use read_as_missing::ReadAsMissing;
pub(crate) use read_as_missing::{TokenCounts, add_counts};
pub(crate) use row_order::{RowOrder, StridedRows};
pub(crate) use spelling::Spelling;
pub(crate) use table::{CompleteNumbers, Table};
pub(crate) use text_block::TextSource;
pub(crate) use token::{Token, rounded};
pub(crate) use total_order::total_order;
pub(crate) use values::{Numbers, Values, lacking};
pub(crate) use wanted::{Kind, Wanted};
pub(crate) use without_group::WithoutGroup;
