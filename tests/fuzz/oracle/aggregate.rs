//! Averages of cells with their influence, that of the estimated group shares written out unit by unit (Callaway and Sant'Anna
//! 2021, section 4.2; conventions of R `did`).

use burn_did::{Aggregation, group_time::AggregationKind};

use super::cells::{Cell, Fit, Outcome};

/// An average with its influence by unit.
#[derive(Clone, Debug)]
pub struct Average {
    pub value: f64,
    pub u: Vec<f64>,
}

/// A row of an aggregation.
#[derive(Clone, Debug)]
pub struct Row {
    pub at: f64,
    pub average: Average,
    pub reference: bool,
}

/// An aggregation.
#[derive(Clone, Debug, Default)]
pub struct Aggregated {
    pub rows: Vec<Row>,
    pub overall: Option<Average>,
}

/// Why there is no aggregation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    MissingCells,
    EmptyWindow,
}

struct Selected<'a> {
    fit: &'a Fit,
    options: Aggregation,
    cells: Vec<&'a Cell>,
    /// Periods and groups.
    calendar: Vec<f64>,
    /// What is averaged.
    value: &'a dyn Fn(&Cell) -> f64,
}

/// The aggregation of a fit's cells.
pub fn aggregate(fit: &Fit, options: Aggregation) -> Result<Aggregated, Refusal> {
    let cells: Vec<&Cell> = fit.cells.iter().filter(|c| c.att().is_some()).collect();
    if cells.is_empty() || (cells.len() < fit.cells.len() && !options.na_rm) {
        return Err(Refusal::MissingCells);
    }
    averaged(fit, options, cells, &|c| c.att().unwrap_or(0.0))
}

/// The shares of an average's weight that are on cells which the average without the missing ones does not use, if some without an estimate
/// are among them: the average of an indicator of these cells over all.
pub fn left_out(fit: &Fit, options: Aggregation) -> Option<Aggregated> {
    let all = || fit.cells.iter().collect::<Vec<&Cell>>();
    let is_missing = |c: &Cell| f64::from(u8::from(c.att().is_none()));
    let missing = averaged(fit, options, all(), &is_missing).ok()?;
    if missing.weightless() {
        return Some(missing);
    }
    let available: Vec<&Cell> = all().into_iter().filter(|c| c.att().is_some()).collect();
    let is_used = |own: &Cell| {
        let is = |c: &Cell| f64::from(u8::from(std::ptr::eq(own, c)));
        averaged(fit, options, available.clone(), &is).is_ok_and(|average| !average.weightless())
    };
    let used: Vec<&Cell> = available.iter().copied().filter(|c| is_used(c)).collect();
    let is_out = |c: &Cell| f64::from(u8::from(!used.iter().any(|used| std::ptr::eq(*used, c))));
    averaged(fit, options, all(), &is_out).ok()
}

fn averaged(
    fit: &Fit,
    options: Aggregation,
    cells: Vec<&Cell>,
    value: &dyn Fn(&Cell) -> f64,
) -> Result<Aggregated, Refusal> {
    let mut calendar = fit.sample.periods.clone();
    if options.na_rm {
        // Groups that are left out, and in averages by group those without a cell in the window, take no place.
        let longest = options.max_e.unwrap_or(f64::INFINITY);
        let counts = |c: &&&Cell| c.time >= c.group && c.time <= c.group + longest;
        let by_group = options.kind == AggregationKind::Group;
        calendar.extend(cells.iter().filter(|c| !by_group || counts(c)).map(|c| c.group));
    } else {
        calendar.extend(&fit.sample.groups);
    }
    calendar.sort_by(f64::total_cmp);
    calendar.dedup();
    let selected = Selected { fit, options, cells, calendar, value };
    let aggregated = match options.kind {
        AggregationKind::Simple => selected.simple(),
        AggregationKind::Group => selected.group()?,
        AggregationKind::Dynamic => selected.dynamic(),
        AggregationKind::Calendar => selected.calendar(),
        other => unimplemented!("{other}"),
    };
    let nothing = aggregated.rows.is_empty() && aggregated.overall.is_none();
    if nothing { Err(Refusal::EmptyWindow) } else { Ok(aggregated) }
}

impl Aggregated {
    /// Whether what is averaged is 0 in all cells with a weight.
    fn weightless(&self) -> bool {
        let rows = self.rows.iter().map(|row| &row.average);
        rows.chain(&self.overall).all(|average| average.value == 0.0)
    }
}

impl Selected<'_> {
    /// Place among periods and groups.
    fn place(&self, time: f64) -> f64 {
        self.calendar.iter().filter(|c| **c < time).count() as f64
    }

    fn in_window(&self, c: &Cell) -> bool {
        let elapsed = self.place(c.time) - self.place(c.group);
        elapsed >= 0.0 && self.options.max_e.is_none_or(|m| elapsed <= m)
    }

    fn of_cell(&self, c: &Cell) -> (f64, Average) {
        let n = self.fit.n();
        let u = c.influence(n).unwrap_or_else(|| vec![0.0; n]);
        (c.group, Average { value: (self.value)(c), u })
    }

    /// Mean by the groups' shares; `None` without weight.
    fn by_share(&self, terms: &[(f64, Average)]) -> Option<Average> {
        let n = self.fit.n();
        let shares: Vec<f64> = terms.iter().map(|(g, _)| self.fit.sample.share(*g)).collect();
        let total: f64 = shares.iter().sum();
        if terms.is_empty() || total <= 0.0 {
            return None;
        }
        let value = terms.iter().zip(&shares).map(|((_, t), p)| p * t.value).sum::<f64>() / total;
        let mut u = vec![0.0; n];
        for (i, unit) in self.fit.sample.units.iter().enumerate() {
            // Influence of the shares: h_k = ω 1{counted in g_k} - p_k.
            let own = |g: f64| self.fit.sample.shares(unit, g);
            let h = |g: f64, p: f64| if own(g) { unit.omega - p } else { -p };
            let all: f64 = terms.iter().zip(&shares).map(|((g, _), p)| h(*g, *p)).sum();
            for ((g, term), p) in terms.iter().zip(&shares) {
                let of_share = h(*g, *p) / total - all * p / (total * total);
                u[i] += p / total * term.u[i] + of_share * term.value / n as f64;
            }
        }
        Some(Average { value, u })
    }

    fn mean_of(&self, keep: impl Fn(&Cell) -> bool) -> Option<Average> {
        let terms: Vec<_> =
            self.cells.iter().filter(|c| keep(c)).map(|c| self.of_cell(c)).collect();
        self.by_share(&terms)
    }

    fn simple(&self) -> Aggregated {
        Aggregated { rows: Vec::new(), overall: self.mean_of(|c| self.in_window(c)) }
    }

    fn group(&self) -> Result<Aggregated, Refusal> {
        let mut rows = Vec::new();
        for g in &self.fit.sample.groups {
            let own: Vec<&&Cell> = self.cells.iter().filter(|c| c.group == *g).collect();
            let kept: Vec<Average> =
                own.iter().filter(|c| self.in_window(c)).map(|c| self.of_cell(c).1).collect();
            let longest = self.options.max_e.unwrap_or(f64::INFINITY);
            let available = own.iter().any(|c| c.time >= *g && c.time <= g + longest);
            if kept.is_empty() || (self.options.na_rm && !available) {
                if self.options.na_rm {
                    continue;
                }
                return Err(Refusal::EmptyWindow);
            }
            rows.push(Row { at: *g, average: plain(&kept), reference: false });
        }
        let terms: Vec<(f64, Average)> = rows.iter().map(|r| (r.at, r.average.clone())).collect();
        let overall = self.by_share(&terms);
        if overall.is_none() {
            return Err(Refusal::EmptyWindow);
        }
        Ok(Aggregated { rows, overall })
    }

    fn dynamic(&self) -> Aggregated {
        let Aggregation { min_e, max_e, .. } = self.options;
        let last = self.cells.iter().map(|c| c.time).fold(f64::NEG_INFINITY, f64::max);
        let balance = self.options.balance_e.map(f64::from);
        let included = |c: &Cell| balance.is_none_or(|b| last - c.group >= b);
        let wanted = |e: f64| {
            let balanced = |b: f64| e <= b && e >= b - last + self.calendar[0];
            balance.is_none_or(balanced)
                && min_e.is_none_or(|m| e >= m)
                && max_e.is_none_or(|m| e <= m)
        };
        let event = |c: &Cell| c.time - c.group;
        let events = self.cells.iter().filter(|c| included(c)).map(|c| event(c));
        let mut events: Vec<f64> = events.filter(|e| wanted(*e)).collect();
        events.sort_by(f64::total_cmp);
        events.dedup();
        let row = |e: f64| {
            let at = |c: &Cell| included(c) && event(c) == e;
            let is_reference = |c: &Cell| matches!(c.outcome, Outcome::Reference);
            let reference = self.cells.iter().filter(|c| at(c)).all(|c| is_reference(c));
            Some(Row { at: e, average: self.mean_of(at)?, reference })
        };
        let rows: Vec<Row> = events.into_iter().filter_map(row).collect();
        let post: Vec<Average> =
            rows.iter().filter(|r| r.at >= 0.0).map(|r| r.average.clone()).collect();
        let overall = (!post.is_empty()).then(|| plain(&post));
        Aggregated { rows, overall }
    }

    fn calendar(&self) -> Aggregated {
        let mut times: Vec<f64> =
            self.cells.iter().filter(|c| c.group <= c.time).map(|c| c.time).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let row = |t: f64| {
            let average = self.mean_of(|c| c.group <= c.time && c.time == t)?;
            Some(Row { at: t, average, reference: false })
        };
        let rows: Vec<Row> = times.into_iter().filter_map(row).collect();
        let all: Vec<Average> = rows.iter().map(|r| r.average.clone()).collect();
        let overall = (!all.is_empty()).then(|| plain(&all));
        Aggregated { rows, overall }
    }
}

/// Mean with equal weights.
fn plain(terms: &[Average]) -> Average {
    let count = terms.len() as f64;
    let n = terms.first().map_or(0, |t| t.u.len());
    Average {
        value: terms.iter().map(|t| t.value).sum::<f64>() / count,
        u: (0..n).map(|i| terms.iter().map(|t| t.u[i]).sum::<f64>() / count).collect(),
    }
}
