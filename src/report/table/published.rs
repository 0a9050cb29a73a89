//! The form of a table in print: standard errors in parentheses under estimates, and an interval in one column.

use serde::{Deserialize, Serialize};

use super::{Align, Section, Table};

/// Columns of a table that are one estimate with its uncertainty. In markdown and LaTeX they are set as in print: the estimate with its
/// mark, the standard error in parentheses under it, and the interval in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EstimateColumns {
    /// The estimate, and its standard error; `None` for an interval alone.
    pub estimate: Option<(usize, usize)>,
    /// Ends of the interval.
    pub interval: (usize, usize),
    /// Star or footnote mark.
    pub mark: Option<usize>,
}

impl EstimateColumns {
    /// The columns of an estimate with its standard error, or none for an interval alone, of the ends of the interval and of the mark.
    #[must_use]
    pub fn new(
        estimate: Option<(usize, usize)>,
        interval: (usize, usize),
        mark: Option<usize>,
    ) -> Self {
        Self { estimate, interval, mark }
    }

    /// Five columns from `first` on: estimate, standard error, ends of the interval and mark.
    pub(crate) fn from(first: usize) -> Self {
        Self {
            estimate: Some((first, first + 1)),
            interval: (first + 2, first + 3),
            mark: Some(first + 4),
        }
    }
}

/// What a column of the printed table is made of.
#[derive(Clone, Copy)]
enum Printed {
    Plain(usize),
    Estimate(EstimateColumns),
    Interval(EstimateColumns),
}

impl Table {
    /// The table as it is printed; the same if no columns are estimates.
    pub(super) fn published(&self) -> Self {
        if self.estimates.is_empty() {
            return self.clone();
        }
        let columns: Vec<Printed> = (0..self.columns()).filter_map(|c| self.printed(c)).collect();
        let align = columns.iter().map(|column| match column {
            Printed::Plain(c) => self.align(*c),
            _ => Align::Centre,
        });
        let two = self.estimates.iter().any(|e| e.estimate.is_some());
        let note = two.then(|| "Standard errors in parentheses".to_owned());
        Self {
            align: align.collect(),
            sections: self.sections.iter().map(|s| section(s, &columns)).collect(),
            notes: note.into_iter().chain(self.notes.iter().cloned()).collect(),
            estimates: Vec::new(),
            ..self.clone()
        }
    }

    fn printed(&self, column: usize) -> Option<Printed> {
        for e in &self.estimates {
            let (estimate, se) = e.estimate.unzip();
            if estimate == Some(column) {
                return Some(Printed::Estimate(*e));
            }
            if e.interval.0 == column {
                return Some(Printed::Interval(*e));
            }
            if se == Some(column) || e.interval.1 == column || e.mark == Some(column) {
                return None;
            }
        }
        Some(Printed::Plain(column))
    }
}

fn section(section: &Section, columns: &[Printed]) -> Section {
    let lines = |row: &Vec<String>| {
        let above: Vec<String> = columns.iter().map(|c| above(row, *c)).collect();
        let below: Vec<String> = columns.iter().map(|c| below(row, *c)).collect();
        let empty = below.iter().all(String::is_empty);
        [Some(above), (!empty).then_some(below)].into_iter().flatten()
    };
    let header = &section.header;
    let head = |column: &Printed| match *column {
        Printed::Plain(c) => text(header, c).to_owned(),
        Printed::Estimate(e) => {
            e.estimate.map_or(String::new(), |(c, _)| text(header, c).to_owned())
        }
        Printed::Interval(e) => {
            interval_head(text(header, e.interval.0), text(header, e.interval.1))
        }
    };
    Section {
        caption: section.caption.clone(),
        header: if header.is_empty() { Vec::new() } else { columns.iter().map(head).collect() },
        rows: section.rows.iter().flat_map(lines).collect(),
    }
}

fn text(row: &[String], column: usize) -> &str {
    super::cell(row, column).trim()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text != "NA"
}

fn above(row: &[String], column: Printed) -> String {
    let mark = |e: EstimateColumns| e.mark.map_or("", |c| text(row, c));
    match column {
        Printed::Plain(c) => text(row, c).to_owned(),
        Printed::Estimate(e) => {
            let estimate = e.estimate.map_or("", |(c, _)| text(row, c));
            marked(estimate, mark(e))
        }
        Printed::Interval(e) => {
            let (lower, upper) = (text(row, e.interval.0), text(row, e.interval.1));
            let ends = match is_number(lower) || is_number(upper) {
                true => format!("[{lower}, {upper}]"),
                false => String::new(),
            };
            let mark = if e.estimate.is_none() { mark(e) } else { "" };
            marked(&ends, mark)
        }
    }
}

/// Stars stand close to a number, other marks apart from it.
fn marked(text: &str, mark: &str) -> String {
    let apart = if mark.is_empty() || text.is_empty() || mark.starts_with('*') { "" } else { " " };
    format!("{text}{apart}{mark}")
}

fn below(row: &[String], column: Printed) -> String {
    match column {
        Printed::Estimate(EstimateColumns { estimate: Some((_, se)), .. }) => {
            let se = text(row, se);
            if is_number(se) { format!("({se})") } else { String::new() }
        }
        _ => String::new(),
    }
}

/// One head of the two over the ends of an interval, such as `[95% Uniform` and `Conf. Band]`, or `95% CI from` and `to`.
fn interval_head(lower: &str, upper: &str) -> String {
    let words = format!("{lower} {upper}");
    let words = words.trim_start_matches('[').trim_end_matches(']').to_owned();
    let full = [
        (" from to", ""),
        ("Uniform", "uniform"),
        ("Pointwise", "pointwise"),
        ("Robust", "robust"),
        ("Conf. Band", "confidence band"),
        ("Conf. Int.", "confidence interval"),
    ];
    full.iter().fold(words, |words, (short, long)| words.replace(short, long))
}
