//! One chapter after another.

use super::chapters::CHAPTERS;
use super::options::Study;
use super::run::{Fits, Run};
use super::step::{Chapter, Finding};

/// All chapters that have steps, and the numbers that are looked for first.
pub(super) fn all(study: &Study, fit: &Fits<'_>) -> (Vec<Chapter>, Vec<Finding>) {
    let (fits, steps, findings) = (Vec::new(), Vec::new(), Vec::new());
    let mut run = Run { study, fit, fits, findings, steps };
    let mut chapters = Vec::new();
    let total = CHAPTERS.len() as u64;
    for (done, opening) in (0..).zip(&CHAPTERS) {
        if let Some(progress) = &study.progress {
            progress.report(opening.name, done, total);
        }
        (opening.fill)(&mut run);
        let steps = std::mem::take(&mut run.steps);
        if !steps.is_empty() {
            let (name, title, about) = (opening.name, opening.title, opening.about);
            chapters.push(Chapter { name, title, about, steps });
        }
    }
    (chapters, run.findings)
}
