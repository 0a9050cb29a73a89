//! What an average leaves out, in words.

use crate::base::calendar::label;
use crate::base::percent::percent;
use crate::estimator::aggregate::{
    Aggregated, AggregationKind, LeftOut, LeftOutCell, Window, listed,
};
use crate::result::inference::Estimate;
use crate::result::settings::Settings;

impl Aggregated {
    /// Where there is no estimate, because all cells were left out or are of groups that have no weight.
    pub(super) fn empty_rows(&self) -> impl Iterator<Item = f64> {
        let rows = self.left_out.iter().flat_map(|l| &l.rows);
        let left_out = rows.filter(|r| r.is_empty()).map(|r| r.at);
        left_out.chain(self.without_share.iter().flat_map(|without| without.rows.iter().copied()))
    }

    /// The rows and, in their order, those that have no estimate because all of their cells were left out or have no weight: where, and
    /// the estimate.
    pub fn rows_with_empty(&self) -> impl Iterator<Item = (f64, Estimate)> {
        let empty = self.empty_rows().map(|at| (at, Estimate::default()));
        let mut all: Vec<(f64, Estimate)> =
            self.rows.iter().map(|r| (r.at, r.estimate)).chain(empty).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.dedup_by(|later, earlier| later.0 == earlier.0);
        all.into_iter()
    }

    /// Share of the weight of the row at an event time, group or period that is on cells that were left out, between 0 and 1.
    #[must_use]
    pub fn left_out_at(&self, at: f64) -> f64 {
        let rows = self.left_out.iter().flat_map(|l| &l.rows);
        rows.filter(|r| r.at == at).map(|r| r.share).fold(0.0, f64::max)
    }

    /// The words that belong beside the overall effect if it is another average than the one asked for.
    pub(crate) fn overall_note(&self) -> Option<String> {
        let share = self.left_out.as_ref().map(|l| l.share).filter(|share| *share > 0.0)?;
        Some(format!("{} of its weight left out", percent(share)))
    }

    /// What is left out and what the window is, line by line: for the foot of tables.
    pub(crate) fn left_out_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(left_out) = &self.left_out {
            notes.extend(groups(left_out, &self.settings));
            notes.extend(self.rows_left_out(left_out));
        }
        notes.extend(self.window.iter().flat_map(|window| self.window_notes(window)));
        notes
    }

    /// What is left out and what the window is, in one line; `None` if nothing was left out.
    #[must_use]
    pub fn left_out_summary(&self) -> Option<String> {
        let frequency = self.settings.frequency;
        let warning = self.left_out.as_ref().map(|l| l.warning().shown(frequency));
        let without_share = self.without_share.as_ref();
        let without_share =
            without_share.map(|w| w.warning(self.aggregation.kind).shown(frequency));
        let said = warning.into_iter().chain(without_share);
        let lines: Vec<String> = said.chain(self.left_out_notes()).collect();
        (!lines.is_empty()).then(|| lines.join(". "))
    }

    fn rows_left_out(&self, left_out: &LeftOut) -> Option<String> {
        let of = match self.aggregation.kind {
            AggregationKind::Simple => return None,
            AggregationKind::Dynamic => "event time",
            AggregationKind::Group => "group",
            AggregationKind::Calendar => "period",
        };
        let row = |r: &crate::group_time::LeftOutRow| {
            let none = if r.is_empty() { " (no estimate)" } else { "" };
            format!("{}: {}{none}", self.shown(r.at), percent(r.share))
        };
        let rows: Vec<String> = left_out.rows.iter().map(row).collect();
        (!rows.is_empty()).then(|| format!("Weight left out by {of}: {}", rows.join(", ")))
    }

    fn window_notes(&self, window: &Window) -> Vec<String> {
        let mut notes = Vec::new();
        if !window.outside.is_empty() {
            notes.push(format!(
                "Overall average over the event times {} (outside the window: {})",
                run(&window.event_times),
                run(&window.outside)
            ));
        }
        if !window.groups.is_empty() {
            let groups: Vec<String> =
                window.groups.iter().map(|g| self.settings.period(*g)).collect();
            notes.push(format!(
                "Not in the overall average, for the window: group {} ({} of the treated weight)",
                groups.join(", "),
                percent(window.treated_share)
            ));
        }
        notes
    }
}

/// Which cells of which groups were left out, and why.
fn groups(left_out: &LeftOut, settings: &Settings) -> Vec<String> {
    let units = if settings.cells_count_rows() { "rows" } else { "units" };
    let lines = |group: &crate::group_time::LeftOutGroup| {
        let cells_of_group = left_out.cells.iter().filter(|c| c.group == group.group);
        let cells: Vec<LeftOutCell> = cells_of_group.cloned().collect();
        let share = percent(group.treated_share);
        let n = group.n_treated;
        let size = match n {
            0 => format!("{share} of the treated weight"),
            _ => format!("{n} treated {units}, {share} of the treated weight"),
        };
        let line = |line: String| format!("Left out ({size}): {line}");
        listed(&cells, settings.frequency).into_iter().map(line).collect::<Vec<_>>()
    };
    left_out.groups.iter().flat_map(lines).collect()
}

/// What an event study that others analyse leaves out.
pub(crate) fn of_study(left_out: &LeftOut, settings: Option<&Settings>) -> Vec<String> {
    let frequency = settings.and_then(|s| s.frequency);
    let mut notes = settings.map_or_else(
        || listed(&left_out.cells, None).iter().map(|l| format!("Left out: {l}")).collect(),
        |settings| groups(left_out, settings),
    );
    let row = |r: &crate::group_time::LeftOutRow| format!("{}: {}", label(r.at), percent(r.share));
    let rows: Vec<String> = left_out.rows.iter().map(row).collect();
    if !rows.is_empty() {
        notes.push(format!("Weight left out by event time: {}", rows.join(", ")));
    }
    notes.insert(0, format!("Warning: {}", left_out.warning().shown(frequency)));
    notes
}

/// Numbers in ascending order, as a range if their steps are equal.
fn run(numbers: &[f64]) -> String {
    let mut steps = numbers.windows(2).map(|w| w[1] - w[0]);
    let step = steps.next();
    let even = steps.all(|s| step.is_some_and(|step| (s - step).abs() <= 1e-9 * step));
    match numbers {
        [first, _, .., last] if even && numbers.len() > 2 => {
            format!("{} to {}", label(*first), label(*last))
        }
        _ => numbers.iter().map(|n| label(*n)).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn even_numbers_are_a_range() {
        assert_eq!(run(&[0.0, 1.0, 2.0]), "0 to 2");
        assert_eq!(run(&[0.0, 1.0]), "0, 1");
        assert_eq!(run(&[0.0, 1.0, 3.0]), "0, 1, 3");
        assert_eq!(run(&[4.0]), "4");
    }
}
