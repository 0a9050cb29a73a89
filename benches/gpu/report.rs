//! The section of `RESULTS.md` on GPUs.

use super::common::summary::Summary;
use super::common::tables;

/// What the section says.
pub fn section(summaries: &[Summary], stages: &str, bandwidth: &str) -> String {
    format!(
        "{}\n\n\
         ModernDiD's published grid, on the same card, after a comparison of two periods and triple differences; frames start \
         and results end in host memory. Seconds, memory (of the host) and ratios are as in the section on the CPU; ratios are to the first contestant of a case.\n\n{}\n\
         Distances from the first contestant's numbers:\n\n{}\n\
         Contestants:\n\n{}\n\
         ### Where the time goes\n\n{stages}\n\
         ### Bandwidth\n{bandwidth}",
        tables::places(summaries),
        tables::speeds(summaries),
        tables::agreements(summaries),
        tables::contestants(summaries),
    )
}
