//! Effects of treatments that switch, from the definitions of de Chaisemartin and D'Haultfoeuille (2024) and their web appendix:
//! loops over groups and periods, and a comparison at a time.

mod effects;
mod regression;

use std::collections::BTreeSet;

use regression::{Fitted, Row};

/// Cells `[group][period]`, and what a fit asks for.
pub struct Panel {
    /// Mean outcome, `None` if missing.
    pub y: Vec<Vec<Option<f64>>>,
    /// Treatment.
    pub d: Vec<Vec<f64>>,
    /// Weight of all rows.
    pub n: Vec<Vec<f64>>,
    /// Controls that vary within cells, `[control][group][period]`.
    pub controls: Vec<Vec<Vec<f64>>>,
    /// Trend group and cluster of each group.
    pub trend: Vec<usize>,
    pub cluster: Option<Vec<usize>>,
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub effects: usize,
    pub placebos: usize,
    pub normalized: bool,
    /// 1 for switchers in, -1 for switchers out, 0 for both.
    pub direction: i8,
    pub only_never: bool,
    pub same: bool,
    pub same_placebos: bool,
    /// Degree of the polynomial in the first treatment.
    pub degree: usize,
    pub keep_bidirectional: bool,
    pub separate: bool,
}

/// An effect or placebo.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    pub estimate: Option<f64>,
    pub switchers: usize,
    pub rows: usize,
    /// Influence of each group.
    pub u: Vec<f64>,
}

/// Effects, placebos and the average.
pub struct Found {
    pub effects: Vec<Effect>,
    pub placebos: Vec<Effect>,
    pub average: Effect,
    /// Cluster of each group that is left, or the group.
    pub clusters: Vec<usize>,
    /// Whether rank was a matter of rounding.
    pub undecided: bool,
    /// Reciprocal condition of the controls' regressions.
    pub rcond: f64,
}

/// A group after the rules; periods count from 0.
struct Group {
    /// First treatment, by which groups are compared (0 for all if it is continuous), and trend group.
    key: (u64, usize),
    d1: f64,
    /// First switch, `end` if there is none.
    first: usize,
    /// Period after the last with a control.
    until: usize,
    sign: f64,
    y: Vec<Option<f64>>,
    d: Vec<Option<f64>>,
    n: Vec<f64>,
    cluster: usize,
    /// Which of the panel's groups.
    of: usize,
}

/// What the rules leave.
struct Sample<'a> {
    groups: Vec<Group>,
    panel: &'a Panel,
    asked: &'a Asked,
    /// Groups of cells in which the first switch varies.
    scale: f64,
    end: usize,
    /// By first treatment.
    fits: Vec<(u64, Fitted)>,
}

/// `None` if nothing can be estimated.
pub fn estimate(panel: &Panel, asked: &Asked) -> Option<Found> {
    let mut sample = Sample::new(panel, asked)?;
    let (undecided, rcond) = sample.adjust();
    sample.all(undecided, rcond)
}

impl<'a> Sample<'a> {
    fn new(panel: &'a Panel, asked: &'a Asked) -> Option<Self> {
        let periods = panel.d.first()?.len();
        let mut groups: Vec<Group> = Vec::new();
        for of in 0..panel.d.len() {
            if panel.y[of].iter().all(Option::is_none) {
                continue;
            }
            let d1 = panel.d[of][0];
            let mut group = Group {
                key: (if asked.degree > 0 { 0 } else { d1.to_bits() }, panel.trend[of]),
                d1,
                first: periods,
                until: 0,
                sign: 0.0,
                y: panel.y[of].clone(),
                d: panel.d[of].iter().copied().map(Some).collect(),
                n: panel.n[of].clone(),
                cluster: panel.cluster.as_ref().map_or(of, |c| c[of]),
                of,
            };
            let (mut above, mut below) = (false, false);
            for t in 0..periods {
                let d = panel.d[of][t];
                (above, below) = (above || d > d1, below || d < d1);
                if above && below && !asked.keep_bidirectional {
                    group.remove(t);
                } else if d != d1 {
                    group.first = group.first.min(t);
                }
            }
            groups.push(group);
        }
        let keys: Vec<(u64, usize)> = groups.iter().map(|g| g.key).collect();
        let firsts = |key: (u64, usize)| -> BTreeSet<usize> {
            groups.iter().filter(|g| g.key == key).map(|g| g.first).collect()
        };
        let varies: Vec<bool> = keys.iter().map(|key| firsts(*key).len() > 1).collect();
        let mut kept = varies.iter();
        groups.retain(|_| *kept.next().unwrap());
        let scale = groups.len() as f64;
        // Periods without a group that has not switched.
        let mut end = 0;
        for t in 0..periods {
            let there: BTreeSet<(u64, usize)> =
                groups.iter().filter(|g| t < g.first && g.d[t].is_some()).map(|g| g.key).collect();
            for g in groups.iter_mut().filter(|g| !there.contains(&g.key)) {
                g.remove(t);
            }
            if groups.iter().any(|g| g.d[t].is_some()) {
                end = t + 1;
            }
        }
        for g in &mut groups {
            g.first = g.first.min(end);
        }
        let untils: Vec<usize> = groups
            .iter()
            .map(|g| groups.iter().filter(|o| o.key == g.key).map(|o| o.first).max().unwrap_or(0))
            .collect();
        for (g, until) in groups.iter_mut().zip(untils) {
            g.until = until;
            if g.first < until {
                let after: Vec<f64> = g.d[g.first..until].iter().flatten().copied().collect();
                let mean = after.iter().map(|d| d - g.d1).sum::<f64>() / after.len() as f64;
                // That of changes which cancel is rounding.
                g.sign = if mean.abs() < 1e-9 { 0.0 } else { mean.signum() };
            }
        }
        groups.retain(|g| g.first >= g.until || g.sign != 0.0);
        (!groups.is_empty()).then_some(Self { groups, panel, asked, scale, end, fits: Vec::new() })
    }

    /// Change of a control from one period to another; the polynomial's terms come last.
    fn control(&self, g: &Group, k: usize, from: usize, to: usize) -> f64 {
        let given = self.panel.controls.len();
        if k < given {
            let x = &self.panel.controls[k][g.of];
            return x[to] - x[from];
        }
        // Term p of period j is d1^p from j on.
        let (j, p) = ((k - given) / self.asked.degree + 1, (k - given) % self.asked.degree + 1);
        let at = |t: usize| if t >= j { g.d1.powi(p as i32) } else { 0.0 };
        at(to) - at(from)
    }

    fn controls(&self) -> usize {
        self.panel.controls.len() + self.asked.degree * (self.end.max(1) - 1)
    }

    /// First differences before the switch of groups with a first treatment: group and period.
    fn before(&self, level: u64) -> Vec<(usize, usize)> {
        let groups = (0..self.groups.len()).filter(|g| self.groups[*g].key.0 == level);
        let of = |g: usize| {
            let group = &self.groups[g];
            let there = move |t: &usize| group.y[*t].is_some() && group.y[*t - 1].is_some();
            (1..group.first).filter(there).map(move |t| (g, t))
        };
        groups.flat_map(of).collect()
    }

    /// Those of them in the same trend group and period.
    fn alike(&self, rows: &[(usize, usize)], at: (usize, usize)) -> Vec<(usize, usize)> {
        let key = self.groups[at.0].key;
        rows.iter().copied().filter(|(g, t)| *t == at.1 && self.groups[*g].key == key).collect()
    }

    fn mean(&self, rows: &[(usize, usize)], of: &dyn Fn(usize, usize) -> f64) -> f64 {
        let weight: f64 = rows.iter().map(|(g, t)| self.groups[*g].n[*t]).sum();
        rows.iter().map(|(g, t)| self.groups[*g].n[*t] * of(*g, *t)).sum::<f64>() / weight
    }

    fn change(&self, g: usize, t: usize) -> f64 {
        let y = &self.groups[g].y;
        y[t].unwrap_or(f64::NAN) - y[t - 1].unwrap_or(f64::NAN)
    }

    /// Regresses on the controls. Returns whether rank was a matter of rounding, and the smallest reciprocal condition.
    fn adjust(&mut self) -> (bool, f64) {
        let (mut undecided, mut least) = (false, 1.0_f64);
        let levels: BTreeSet<u64> = self.groups.iter().map(|g| g.key.0).collect();
        let controls = self.controls();
        for level in levels.into_iter().filter(|_| controls > 0) {
            let of_level = |g: &&Group| g.key.0 == level;
            let firsts: BTreeSet<usize> =
                self.groups.iter().filter(of_level).map(|g| g.first).collect();
            if firsts.len() < 2 {
                continue;
            }
            match regression::fit(&self.rows(level), controls) {
                None => {
                    for lost in self.groups.iter_mut().filter(|g| g.key.0 == level) {
                        lost.y.fill(None);
                    }
                }
                Some((fitted, rcond)) => {
                    undecided |= rcond < 1e-7;
                    least = least.min(rcond);
                    self.fits.push((level, fitted));
                }
            }
        }
        (undecided, least)
    }

    fn fit_of(&self, g: usize) -> Option<&Fitted> {
        let level = self.groups[g].key.0;
        self.fits.iter().find(|(known, _)| *known == level).map(|(_, fit)| fit)
    }

    /// Rows of the regression of a first treatment.
    fn rows(&self, level: u64) -> Vec<Row> {
        let rows = self.before(level);
        let of = |(g, t): &(usize, usize)| {
            let (g, t) = (*g, *t);
            let alike = self.alike(&rows, (g, t));
            let x = |g: usize, t: usize, k: usize| self.control(&self.groups[g], k, t - 1, t);
            let centred = |k: usize| {
                // Of numbers that are all the same, nothing is left.
                let constant = alike.iter().all(|(o, s)| x(*o, *s, k) == x(g, t, k));
                if constant { 0.0 } else { x(g, t, k) - self.mean(&alike, &|g, t| x(g, t, k)) }
            };
            Row {
                group: g,
                x: (0..self.controls()).map(centred).collect(),
                change: self.change(g, t),
                centred: self.change(g, t) - self.mean(&alike, &|g, t| self.change(g, t)),
                weight: self.groups[g].n[t],
                count: alike.len(),
            }
        };
        rows.iter().map(of).collect()
    }
}

impl Group {
    fn remove(&mut self, t: usize) {
        (self.y[t], self.d[t], self.n[t]) = (None, None, 0.0);
    }
}
