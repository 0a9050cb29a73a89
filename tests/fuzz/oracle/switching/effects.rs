//! Effects, placebos and the average, with the influence of each group.

use std::collections::BTreeSet;

use super::{Effect, Found, Sample};
use crate::oracle::linear::dot;

/// A comparison of switchers of one direction with their controls.
struct Part {
    sign: f64,
    weight: f64,
    estimate: f64,
    /// Mean change of the treatment up to the period, and in it.
    cumulative: f64,
    current: f64,
    switchers: Vec<usize>,
    /// Cells of switchers and of their controls.
    cells: BTreeSet<(usize, usize)>,
    u: Vec<f64>,
}

/// Which comparison.
#[derive(Clone, Copy)]
struct At {
    placebo: bool,
    l: usize,
}

/// How many effects and placebos there are.
#[derive(Clone, Copy)]
struct Counts {
    effects: usize,
    placebos: usize,
}

impl Sample<'_> {
    pub(super) fn all(&self, undecided: bool, rcond: f64) -> Option<Found> {
        let asked = self.asked;
        let signs: Vec<f64> = [1.0, -1.0]
            .into_iter()
            .filter(|s| asked.direction == 0 || f64::from(asked.direction) == *s)
            .collect();
        let most = |of: &dyn Fn(usize) -> usize| {
            let groups = (0..self.groups.len()).filter(|g| signs.contains(&self.groups[*g].sign));
            groups.map(of).max().unwrap_or(0)
        };
        let counts = Counts {
            effects: most(&|g| self.horizons(g)).min(asked.effects),
            placebos: most(&|g| self.horizons(g).min(self.groups[g].first.saturating_sub(1)))
                .min(asked.placebos)
                .min(asked.effects),
        };
        if counts.effects == 0 {
            return None;
        }
        let parts = |at: At| -> Vec<Part> {
            signs.iter().map(|sign| self.part(at, *sign, counts)).collect()
        };
        let effects: Vec<Vec<Part>> =
            (1..=counts.effects).map(|l| parts(At { placebo: false, l })).collect();
        let placebos = (1..=counts.placebos).map(|l| parts(At { placebo: true, l }));
        let average = self.average(&effects);
        Some(Found {
            effects: effects.iter().map(|parts| self.combined(parts)).collect(),
            placebos: placebos.map(|parts| self.combined(&parts)).collect(),
            average,
            clusters: self.groups.iter().map(|g| g.cluster).collect(),
            undecided,
            rcond,
        })
    }

    fn horizons(&self, g: usize) -> usize {
        self.groups[g].until.saturating_sub(self.groups[g].first)
    }

    /// Change of the outcome, less what the controls explain.
    fn outcome_change(&self, g: usize, at: At, t: usize) -> Option<f64> {
        let group = &self.groups[g];
        let base = t.checked_sub(at.l)?;
        let effect = self.difference(g, base, t);
        if !at.placebo || group.y[base].is_none() {
            return effect;
        }
        effect.and(self.difference(g, base, base.checked_sub(at.l)?))
    }

    fn difference(&self, g: usize, from: usize, to: usize) -> Option<f64> {
        let group = &self.groups[g];
        let change = group.y[to]? - group.y[from]?;
        let fit = self.fit_of(g);
        let explained = fit.map_or(0.0, |fit| {
            let x = |k: usize| self.control(group, k, from, to);
            (0..self.controls()).map(|k| fit.theta[k] * x(k)).sum::<f64>()
        });
        Some(change - explained)
    }

    fn is_control(&self, g: usize, t: usize) -> bool {
        let first = self.groups[g].first;
        t < first && !(self.asked.only_never && first < self.end)
    }

    /// Controls of a group's cell that have a change.
    fn controls_of(&self, g: usize, at: At, t: usize) -> Vec<usize> {
        let key = self.groups[g].key;
        let others = (0..self.groups.len()).filter(|o| self.groups[*o].key == key);
        others
            .filter(|o| self.is_control(*o, t) && self.outcome_change(*o, at, t).is_some())
            .collect()
    }

    fn weight(&self, groups: &[usize], t: usize) -> f64 {
        groups.iter().map(|g| self.groups[*g].n[t]).sum()
    }

    fn counts_for(&self, g: usize, at: At, counts: Counts) -> bool {
        let group = &self.groups[g];
        if !self.asked.same {
            return true;
        }
        let effects = (1..=counts.effects).all(|l| {
            let (at, t) = (At { placebo: false, l }, group.first - 1 + l);
            l <= self.horizons(g)
                && self.outcome_change(g, at, t).is_some()
                && !self.controls_of(g, at, t).is_empty()
        });
        let placebos = !(at.placebo && self.asked.same_placebos)
            || (1..=counts.placebos).all(|q| {
                let Some(t) = (group.first - 1).checked_sub(q) else { return false };
                let both = |o: usize| {
                    let y = &self.groups[o].y;
                    y[t].is_some() && y.get(t + q).is_some_and(Option::is_some)
                };
                let key = group.key;
                let control =
                    |o: usize| self.groups[o].key == key && self.is_control(o, t) && both(o);
                both(g) && (0..self.groups.len()).any(control)
            });
        effects && placebos
    }

    fn part(&self, at: At, sign: f64, counts: Counts) -> Part {
        let period = |g: usize| self.groups[g].first - 1 + at.l;
        let switches = |g: &usize| {
            let g = *g;
            self.groups[g].sign == sign
                && self.groups[g].first > 0
                && at.l <= self.horizons(g)
                && self.outcome_change(g, at, period(g)).is_some()
                && !self.controls_of(g, at, period(g)).is_empty()
                && self.counts_for(g, at, counts)
        };
        let switchers: Vec<usize> = (0..self.groups.len()).filter(switches).collect();
        let mut part = Part {
            sign,
            weight: switchers.iter().map(|g| self.groups[*g].n[period(*g)]).sum(),
            estimate: 0.0,
            cumulative: 0.0,
            current: 0.0,
            switchers,
            cells: BTreeSet::new(),
            u: vec![0.0; self.groups.len()],
        };
        if part.switchers.is_empty() {
            return part;
        }
        let mut moved = self.fits.iter().map(|_| vec![0.0; self.controls()]).collect::<Vec<_>>();
        // One comparison for each period and set of groups that are compared.
        let places: BTreeSet<(usize, u64, usize)> = part
            .switchers
            .iter()
            .map(|g| (period(*g), self.groups[*g].key.0, self.groups[*g].key.1))
            .collect();
        for (t, level, trend) in places {
            let here: Vec<usize> = part
                .switchers
                .iter()
                .copied()
                .filter(|g| period(*g) == t && self.groups[*g].key == (level, trend))
                .collect();
            let controls = self.controls_of(here[0], at, t);
            self.compare(at, t, &here, &controls, &mut part);
            if self.groups[here[0]].until >= at.l + 2 {
                self.move_controls(at, t, &here, &controls, &mut moved);
            }
        }
        self.correct(&mut part, &moved);
        part
    }

    /// Adds one comparison: switchers `here` with `controls` in period `t`.
    fn compare(&self, at: At, t: usize, here: &[usize], controls: &[usize], part: &mut Part) {
        let change = |g: usize| self.outcome_change(g, at, t).unwrap_or(f64::NAN);
        let n = |g: usize| self.groups[g].n[t];
        let mean = |groups: &[usize]| -> f64 {
            groups.iter().map(|g| n(*g) * change(*g)).sum::<f64>() / self.weight(groups, t)
        };
        let ratio = self.weight(here, t) / self.weight(controls, t);
        for g in here {
            let group = &self.groups[*g];
            part.estimate += n(*g) * (change(*g) - mean(controls)) / part.weight;
            let after: Vec<f64> =
                group.d[group.first..=t].iter().flatten().map(|d| d - group.d1).collect();
            part.cumulative += n(*g) * part.sign * after.iter().sum::<f64>() / part.weight;
            let current = group.d[t].map_or(0.0, |d| d - group.d1);
            part.current += n(*g) * part.sign * current / part.weight;
        }
        let both = [here, controls].concat();
        let count = |groups: &[usize]| -> f64 {
            let clusters: BTreeSet<usize> =
                groups.iter().map(|g| self.groups[*g].cluster).collect();
            clusters.len() as f64
        };
        // Deviation from the mean of the group's own kind if it has two, or else of both kinds.
        let deviation = |g: usize, own: &[usize]| {
            for groups in [own, &both] {
                let n = count(groups);
                if n >= 2.0 {
                    return (n / (n - 1.0)).sqrt() * (change(g) - mean(groups));
                }
            }
            change(g)
        };
        for g in controls {
            part.u[*g] -= ratio * n(*g) * deviation(*g, controls) / part.weight;
            part.cells.insert((*g, t));
        }
        part.cells.extend(here.iter().map(|g| (*g, t)));
        for g in here {
            let new = |g: usize| {
                let group = &self.groups[g];
                let d = group.d[group.first].map_or(0, f64::to_bits);
                (group.first, if self.asked.degree > 0 { 0 } else { d })
            };
            let cohort: Vec<usize> = here.iter().copied().filter(|o| new(*o) == new(*g)).collect();
            part.u[*g] += n(*g) * deviation(*g, &cohort) / part.weight;
        }
    }

    /// Adds the changes of controls of switchers less those of their controls.
    fn move_controls(
        &self,
        at: At,
        t: usize,
        here: &[usize],
        controls: &[usize],
        moved: &mut [Vec<f64>],
    ) {
        let level = self.groups[here[0]].key.0;
        let Some(position) = self.fits.iter().position(|(known, _)| *known == level) else {
            return;
        };
        let (from, to) = if at.placebo { (t - at.l, t - 2 * at.l) } else { (t - at.l, t) };
        let ratio = self.weight(here, t) / self.weight(controls, t);
        for (groups, factor) in [(here, 1.0), (controls, -ratio)] {
            for g in groups {
                let group = &self.groups[*g];
                for (k, sum) in moved[position].iter_mut().enumerate() {
                    *sum += factor * group.n[t] * self.control(group, k, from, to);
                }
            }
        }
    }

    /// Takes off what the coefficients of controls vary by.
    fn correct(&self, part: &mut Part, moved: &[Vec<f64>]) {
        if self.controls() == 0 {
            return;
        }
        let all: f64 = self.fits.iter().map(|(_, fit)| fit.weight).sum();
        let mut explained = 0.0;
        for ((_, fit), moved) in self.fits.iter().zip(moved) {
            let moved: Vec<f64> = moved.iter().map(|m| m / part.weight).collect();
            explained += dot(&moved, &fit.theta);
            let factor = if self.asked.separate { 1.0 } else { all / fit.weight };
            let direction: Vec<f64> =
                fit.inverse.iter().map(|row| factor * dot(row, &moved)).collect();
            for row in &fit.rows {
                part.u[row.group] -= dot(&row.score, &direction);
            }
        }
        for (g, u) in part.u.iter_mut().enumerate() {
            // Not of groups whose outcomes cannot be adjusted.
            if self.groups[g].y.iter().any(Option::is_some) {
                *u += explained / self.scale;
            }
        }
    }

    fn combined(&self, parts: &[Part]) -> Effect {
        let weight: f64 = parts.iter().map(|p| p.weight).sum();
        let mut effect = self.counted(parts.iter());
        if weight <= 0.0 {
            return effect;
        }
        let change: f64 = parts.iter().map(|p| p.weight * p.cumulative).sum::<f64>() / weight;
        let by = if self.asked.normalized { change } else { 1.0 };
        let used = || parts.iter().filter(|p| p.weight > 0.0);
        let sum: f64 = used().map(|p| p.weight * p.sign * p.estimate).sum();
        effect.estimate = Some(sum / weight / by);
        for part in used() {
            let factor = part.sign * part.weight / weight / by;
            effect.u.iter_mut().zip(&part.u).for_each(|(u, v)| *u += factor * v);
        }
        effect
    }

    fn average(&self, effects: &[Vec<Part>]) -> Effect {
        let used = || effects.iter().flatten().filter(|p| p.weight > 0.0);
        let mut effect = self.counted(effects.iter().flatten());
        let dose: f64 = used().map(|p| p.weight * p.current).sum();
        let sum: f64 = used().map(|p| p.weight * p.sign * p.estimate).sum();
        effect.estimate = Some(sum / dose).filter(|a| a.is_finite());
        for part in used() {
            let factor = part.sign * part.weight / dose;
            effect.u.iter_mut().zip(&part.u).for_each(|(u, v)| *u += factor * v);
        }
        effect
    }

    /// Switchers and cells of comparisons.
    fn counted<'b>(&self, parts: impl Iterator<Item = &'b Part>) -> Effect {
        let mut effect = Effect { u: vec![0.0; self.groups.len()], ..Effect::default() };
        let mut cells: BTreeSet<(usize, usize)> = BTreeSet::new();
        for part in parts {
            effect.switchers += part.switchers.len();
            cells.extend(&part.cells);
        }
        effect.rows = cells.len();
        effect
    }
}

impl Found {
    /// Covariance of two estimates, by clusters.
    pub fn covariance(&self, a: &Effect, b: &Effect) -> f64 {
        let most = self.clusters.iter().max().map_or(0, |c| c + 1);
        let sums = |u: &[f64]| {
            let mut sums = vec![0.0; most];
            u.iter().zip(&self.clusters).for_each(|(u, c)| sums[*c] += u);
            sums
        };
        dot(&sums(&a.u), &sums(&b.u))
    }
}
