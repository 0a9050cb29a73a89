//! What averages leave out, in the JSON document.

use burn_did::{Frequency, LeftOut, Window};

use super::Period;
use crate::values::Number;

/// Cells without an estimate that an average was formed without.
#[derive(serde::Serialize)]
pub(crate) struct Omitted {
    share: f64,
    of: usize,
    cells: Vec<Cell>,
    groups: Vec<Group>,
    rows: Vec<Row>,
}

#[derive(serde::Serialize)]
struct Cell {
    group: Period,
    time: Period,
    status: &'static str,
    reason: String,
}

#[derive(serde::Serialize)]
struct Group {
    group: Period,
    treated_share: f64,
    n_treated: usize,
    cells: usize,
    of: usize,
}

#[derive(serde::Serialize)]
struct Row {
    at: Period,
    share: f64,
}

impl Omitted {
    /// `dates`: whether rows are at periods, not at event times.
    pub(crate) fn new(left_out: &LeftOut, frequency: Option<Frequency>, dates: bool) -> Self {
        let period = |p: f64| Period::of(p, frequency);
        let cell = |c: &burn_did::LeftOutCell| Cell {
            group: period(c.group),
            time: period(c.time),
            status: c.status.code(),
            reason: c.status.shown(frequency),
        };
        let group = |g: &burn_did::LeftOutGroup| Group {
            group: period(g.group),
            treated_share: g.treated_share,
            n_treated: g.n_treated,
            cells: g.cells,
            of: g.of,
        };
        let row = |r: &burn_did::LeftOutRow| Row {
            at: Period::of(r.at, frequency.filter(|_| dates)),
            share: r.share,
        };
        Self {
            share: left_out.share,
            of: left_out.of,
            cells: left_out.cells.iter().map(cell).collect(),
            groups: left_out.groups.iter().map(group).collect(),
            rows: left_out.rows.iter().map(row).collect(),
        }
    }
}

/// What a window leaves out of the overall average.
#[derive(serde::Serialize)]
pub(crate) struct Limits {
    event_times: Vec<Number>,
    outside: Vec<Number>,
    groups: Vec<Period>,
    treated_share: f64,
}

impl Limits {
    pub(crate) fn new(window: &Window, frequency: Option<Frequency>) -> Self {
        let numbers = |times: &[f64]| times.iter().map(|e| Number(*e)).collect();
        Self {
            event_times: numbers(&window.event_times),
            outside: numbers(&window.outside),
            groups: window.groups.iter().map(|g| Period::of(*g, frequency)).collect(),
            treated_share: window.treated_share,
        }
    }
}
