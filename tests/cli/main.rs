//! The binary.
#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod att_gt;
#[cfg(feature = "ballista")]
mod cluster;
mod compare;
mod data;
mod dates;
mod did_multiplegt;
mod doses;
mod elsewhere;
mod etwfe;
mod explore;
mod feols;
mod files;
mod first_stage;
mod golden;
mod help;
mod honest;
mod hostile;
mod kinds;
mod left_out;
mod lpdid;
mod missing_groups;
mod missing_words;
mod mistakes;
mod moving;
mod panel;
mod pictures;
mod pretrends;
mod remedies;
mod report;
mod rows;
mod run;
mod saved;
mod simulate;
mod stacked;
mod study;
mod study_of_several;
mod sunab;
mod teaching;
mod temporary;
mod told;
mod twfe;
mod two_periods;
mod weighting;
