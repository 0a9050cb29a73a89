//! A few columns at a time: residuals, effects, and what is left of `A'r`.

use std::sync::Mutex;

use super::cells::LevelCells;
use super::conjugate::{Conjugate, Done, Goal, InnerSolution};
use super::factor::{Cholesky, Factorised};
use super::lsmr::{self, Ended};
use super::options::ColumnReport;
use super::schur::{ByCells, Entries, WrittenSchur};
#[cfg(feature = "schwarz")]
use super::schwarz::Preconditioned;
use super::stripes::{self, BlockSums};
use super::sweep::{Residuals, RowSums, residuals};
use super::{Column, DemeanMethod, DemeanedColumns, Demeaner, alternate};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::Stop;
use crate::base::parallel::{self, held};
use crate::base::simd::vectorized;

/// Iterations by passes over the cells after which it pays to write the normal equations out.
const PATIENCE: usize = 12;

/// Maximum restarts from the recomputed residual when it disagrees with the recurrence.
const AGAIN: usize = 8;

/// What rounding leaves of a column, relative to its norm.
const ROUNDING: f64 = 1e-14;

/// Columns on their way.
pub(super) struct Set<'c, const K: usize> {
    x: [&'c [f64]; K],
    /// How many there are; the others are copies of the last.
    pub count: usize,
    /// `Σ w (x - x̄)²`, and 0 where it is rounding.
    squares: [f64; K],
    /// Squares that rounding leaves.
    pub floor: [f64; K],
    /// Effects of the factors beside the leading one.
    pub effects: Vec<[f64; K]>,
    pub iterations: [usize; K],
    /// Passes of a device.
    pub passes: [usize; K],
    /// Whether the host went on where a device got no further.
    pub host: bool,
    pub stop: [Stop; K],
}

/// What a pass over the rows found.
pub(super) struct PassSums<const K: usize> {
    /// `Σ w r²`.
    pub squares: [f64; K],
    /// `‖A'r‖²`.
    pub normal: [f64; K],
    /// `Σ w r` by level of the other factors.
    pub sums: Vec<[f64; K]>,
}

impl Demeaner<'_> {
    /// Demeans the first columns, at most `K`, and says how many.
    pub(super) fn demean_set<const K: usize>(
        &self,
        columns: &[Column<'_>],
        start: Option<&[Vec<f64>]>,
        out: &mut DemeanedColumns,
    ) -> Result<usize> {
        let count = columns.len().min(K);
        let columns = &columns[..count];
        let at = |k: usize| k.min(count - 1);
        let x = std::array::from_fn(|k| columns[at(k)].values);
        let squares = self.squares(columns, &x)?;
        let mut set = Set {
            x,
            count,
            squares: squares.map(|of| of[0]),
            floor: squares.map(|of| of[1]),
            effects: vec![[0.0; K]; self.design.cells.width()],
            iterations: [0; K],
            passes: [0; K],
            host: false,
            stop: [Stop::Exact; K],
        };
        if let Some(start) = start {
            let of_others = self.of_others();
            for (effect, level) in set.effects.iter_mut().zip(of_others) {
                for (k, effect) in effect.iter_mut().enumerate() {
                    *effect = start[at(k)][level];
                }
            }
        }
        let sums = BlockSums::<K>::new(&self.design.cells);
        let mut room = ResidualRoom::new(columns, &self.design.cells);
        let passed = match self.method {
            DemeanMethod::Means => self.pass(&set, &sums, Some(&mut room)),
            DemeanMethod::Balanced => {
                let passed = self.pass(&set, &sums, None);
                let weights = &self.design.weights.rest;
                for ((effect, sum), weight) in set.effects.iter_mut().zip(&passed.sums).zip(weights)
                {
                    for k in 0..K {
                        effect[k] += sum[k] / weight;
                    }
                }
                self.pass(&set, &sums, Some(&mut room))
            }
            DemeanMethod::Cg => match &self.device {
                Some(device) => self.on_device(device, &mut set, &sums, columns, &mut room)?,
                None => {
                    self.iterate(&mut set, &sums, columns, &mut room, |passed, goal, left| {
                        Ok(self.conjugate(&sums, passed, goal, left))
                    })?
                }
            },
            DemeanMethod::Map => {
                self.iterate(&mut set, &sums, columns, &mut room, |passed, goal, left| {
                    let by_cells = ByCells { design: &self.design, sums: &sums };
                    let offsets = &self.design.cells.offsets;
                    Ok(alternate::solve(&by_cells, offsets, &passed.sums, goal, left))
                })?
            }
            #[cfg(feature = "schwarz")]
            DemeanMethod::Schwarz => {
                let schwarz = self.schwarz()?;
                self.iterate(&mut set, &sums, columns, &mut room, |passed, goal, left| {
                    let by_cells = ByCells { design: &self.design, sums: &sums };
                    let mut course = Conjugate::new(&passed.sums, *goal);
                    course.run(&Preconditioned { by_cells, schwarz }, left);
                    Ok(course.end())
                })?
            }
            DemeanMethod::Lsmr => {
                self.lsmr(&mut set, &sums, columns, start)?;
                self.pass(&set, &sums, Some(&mut room))
            }
        };
        self.report(&set, &passed, columns, room, out);
        Ok(count)
    }

    /// Levels of all factors at which those beside the leading one stand.
    pub(super) fn of_others(&self) -> impl Iterator<Item = usize> {
        let mut first = 0;
        let factors: Vec<_> = self
            .factors
            .iter()
            .map(|f| {
                let levels = first..first + f.levels;
                first = levels.end;
                levels
            })
            .collect();
        let lead = self.design.cells.lead;
        factors
            .into_iter()
            .enumerate()
            .filter(move |(f, _)| *f != lead)
            .flat_map(|(_, levels)| levels)
    }

    /// `Σ w (x - x̄)²`, and what rounding leaves of squares, by column.
    fn squares<const K: usize>(
        &self,
        columns: &[Column<'_>],
        x: &[&[f64]; K],
    ) -> Result<[[f64; 2]; K]> {
        let total = self.design.weights.lead.iter().sum::<f64>();
        let means = self.sums(x, |_, x| x).map(|sum| sum / total);
        let squares = self.sums(x, |k, x| (x - means[k]) * (x - means[k]));
        let mut found = [[0.0; 2]; K];
        for (k, found) in found.iter_mut().enumerate() {
            let floor = ROUNDING * ROUNDING * (squares[k] + total * means[k] * means[k]);
            if floor != 0.0 && !(floor.is_finite() && floor > 1e-300) {
                let largest = x[k].iter().fold(0.0, |a: f64, x| a.max(x.abs()));
                let column = columns[k.min(columns.len() - 1)].name.into();
                return Err(DidError::CovariateRange { column, largest });
            }
            *found = [if squares[k] > floor { squares[k] } else { 0.0 }, floor];
        }
        Ok(found)
    }

    /// `Σ w f(x)`, by column.
    fn sums<const K: usize>(
        &self,
        x: &[&[f64]; K],
        f: impl Fn(usize, f64) -> f64 + Sync,
    ) -> [f64; K] {
        const PART: usize = 1 << 14;
        let rows = self.design.cells.rows;
        let weights = self.design.weights.rows.as_deref();
        stripes::total(parallel::map(rows.div_ceil(PART), |p| {
            let part = parallel::part(p, PART, rows);
            let x = x.map(|x| &x[part.clone()]);
            let weights = weights.map(|w| &w[part.clone()]);
            vectorized(
                #[inline(always)]
                || {
                    let mut sums = [0.0; K];
                    for row in 0..part.len() {
                        let weight = weights.map_or(1.0, |w| w[row]);
                        for (k, sum) in sums.iter_mut().enumerate() {
                            *sum += weight * f(k, x[k][row]);
                        }
                    }
                    sums
                },
            )
        }))
    }

    /// A pass over the rows; residuals and effects of the leading factor go to the room, if there is one.
    pub(super) fn pass<const K: usize>(
        &self,
        set: &Set<'_, K>,
        sums: &BlockSums<K>,
        room: Option<&mut ResidualRoom>,
    ) -> PassSums<K> {
        let design = &self.design;
        let blocks = &design.cells.blocks;
        let slots: Vec<Mutex<Residuals<'_, K>>> = match room {
            None => blocks.iter().map(|_| Mutex::default()).collect(),
            Some(ResidualRoom { rows, lead }) => {
                let lengths: Vec<usize> = blocks.iter().map(|b| design.rows_of(b).len()).collect();
                let mut rows = cut(rows, &lengths);
                let lengths: Vec<usize> = blocks.iter().map(|b| b.segments.len()).collect();
                let mut lead = cut(lead, &lengths);
                let slot =
                    |b: usize| Residuals { rows: take(&mut rows, b), effects: take(&mut lead, b) };
                (0..blocks.len()).map(slot).map(Mutex::new).collect()
            }
        };
        let parts: Vec<RowSums<K>> = sums.fill(blocks, |b, block, acc| {
            residuals(design, block, &set.x, &set.effects, &mut held(&slots[b]), acc)
        });
        let mut by_level = vec![[0.0; K]; design.cells.width()];
        sums.add_up(blocks, &mut by_level);
        let mut normal = stripes::total(parts.iter().map(|p| p.lead));
        for (sum, weight) in by_level.iter().zip(&design.weights.rest) {
            for k in 0..K {
                normal[k] += sum[k] * sum[k] / weight;
            }
        }
        PassSums {
            squares: stripes::total(parts.iter().map(|p| p.squares)),
            normal,
            sums: by_level,
        }
    }

    /// Effects by an iteration on the normal equations. It begins anew if the residuals themselves are not as orthogonal to the
    /// factors as it takes them to be.
    pub(super) fn iterate<const K: usize>(
        &self,
        set: &mut Set<'_, K>,
        sums: &BlockSums<K>,
        columns: &[Column<'_>],
        room: &mut ResidualRoom,
        solve: impl Fn(&PassSums<K>, &Goal<K>, usize) -> Result<InnerSolution<K>>,
    ) -> Result<PassSums<K>> {
        let tolerance = self.options.tolerance;
        let mut left = self.options.iterations;
        let mut passed = self.pass(set, sums, None);
        set.stop = [Stop::AlreadyOrthogonal; K];
        for round in 1..=AGAIN {
            let goal = Goal { squares: passed.squares, tolerance, floor: set.floor };
            let inner = solve(&passed, &goal, left)?;
            add(&mut set.effects, &inner.effects);
            for k in 0..K {
                set.iterations[k] += inner.iterations[k];
                if passed.normal[k] > set.floor[k] {
                    set.stop[k] = Stop::Tolerance;
                }
            }
            if let Some(k) = inner.done[..set.count].iter().position(Option::is_none) {
                let error = Some(inner.error[k]).filter(|error| error.is_finite());
                let left = inner.normal[k].max(error.unwrap_or_default());
                return Err(self.not_demeaned(set, &columns[k], k, left));
            }
            left = left.saturating_sub(inner.iterations.into_iter().max().unwrap_or_default());
            let after = self.pass(set, sums, Some(room));
            let mut again = false;
            for k in 0..K {
                let bound = (tolerance * tolerance * after.squares[k]).max(set.floor[k]);
                let error = inner.error[k] / inner.normal[k].max(f64::MIN_POSITIVE);
                let fits = after.normal[k] <= 4.0 * inner.normal[k].max(set.floor[k])
                    || after.normal[k] * error.max(1.0) <= bound;
                if inner.done[k] == Some(Done::Goal) && fits {
                    continue;
                }
                if round == AGAIN || after.normal[k] > 0.25 * passed.normal[k] {
                    set.stop[k] = Stop::Rounding;
                } else {
                    again = true;
                }
            }
            passed = after;
            if !again {
                break;
            }
        }
        Ok(passed)
    }

    pub(super) fn not_demeaned<const K: usize>(
        &self,
        set: &Set<'_, K>,
        column: &Column<'_>,
        k: usize,
        left: f64,
    ) -> DidError {
        DidError::NotDemeaned {
            column: column.name.into(),
            iterations: set.iterations[k],
            normal: (left / set.squares[k]).sqrt().min(1.0),
        }
    }

    /// Conjugate gradients: by passes over the cells at first, and where these take long by the normal equations written out.
    pub(super) fn conjugate<const K: usize>(
        &self,
        sums: &BlockSums<K>,
        found: &PassSums<K>,
        goal: &Goal<K>,
        iterations: usize,
    ) -> InnerSolution<K> {
        let design = &self.design;
        let by_cells = ByCells { design, sums };
        let mut course = Conjugate::new(&found.sums, *goal);
        if !course.run(&by_cells, iterations.min(PATIENCE)) {
            match self.entries.get_or_init(|| Entries::new(design)) {
                Some(entries) => self.written(&mut course, entries, iterations),
                None => course.run(&by_cells, iterations),
            };
        }
        course.end()
    }

    /// Goes on by the normal equations written out, after some steps with a factor of them if that is short.
    fn written<const K: usize>(
        &self,
        course: &mut Conjugate<K>,
        entries: &Entries,
        iterations: usize,
    ) -> bool {
        let written = WrittenSchur { design: &self.design, entries };
        if course.run(&written, iterations.min(2 * PATIENCE)) {
            return true;
        }
        match self.factor.get_or_init(|| Cholesky::new(&self.design, entries)) {
            None => course.run(&written, iterations),
            Some(factor) => {
                course.begin_anew();
                course.run(&Factorised { written, factor }, iterations)
            }
        }
    }

    /// Effects by LSMR.
    fn lsmr<const K: usize>(
        &self,
        set: &mut Set<'_, K>,
        sums: &BlockSums<K>,
        columns: &[Column<'_>],
        start: Option<&[Vec<f64>]>,
    ) -> Result<()> {
        let segments = self.design.cells.segments();
        let mut lead = vec![[0.0; K]; segments];
        if let Some(start) = start {
            let before = self.before_lead();
            for (s, lead) in lead.iter_mut().enumerate() {
                *lead = std::array::from_fn(|k| start[k.min(set.count - 1)][before + s]);
            }
        }
        let b = self.design.means(&set.x, &lead, &set.effects);
        let (tolerance, iterations) = (self.options.tolerance, self.options.iterations);
        let outcome = match &self.device {
            Some(device) => {
                set.passes = [1; K];
                device.lsmr(&self.design, &b, tolerance, iterations)?
            }
            None => lsmr::solve(&self.design, sums, b, tolerance, iterations),
        };
        add(&mut set.effects, &outcome.effects);
        set.iterations = outcome.iterations;
        for (k, column) in columns.iter().enumerate() {
            set.stop[k] = match outcome.ended[k] {
                Some(Ended::Orthogonal) => Stop::AlreadyOrthogonal,
                Some(Ended::Tolerance) => Stop::Tolerance,
                Some(Ended::Rounding) => Stop::Rounding,
                Some(Ended::Condition) => Stop::Condition,
                None => {
                    let normal = outcome.normal[k] * outcome.normal[k];
                    return Err(self.not_demeaned(set, column, k, normal));
                }
            };
        }
        Ok(())
    }

    /// Levels of the factors before the leading one.
    pub(super) fn before_lead(&self) -> usize {
        self.factors[..self.design.cells.lead].iter().map(|f| f.levels).sum()
    }

    /// Moves what was found to where it is returned.
    fn report<const K: usize>(
        &self,
        set: &Set<'_, K>,
        found: &PassSums<K>,
        columns: &[Column<'_>],
        room: ResidualRoom,
        out: &mut DemeanedColumns,
    ) {
        let before = self.before_lead();
        for (k, (lead, column)) in room.lead.into_iter().zip(columns).enumerate() {
            let mut effects: Vec<f64> = set.effects.iter().map(|e| e[k]).collect();
            effects.splice(before..before, lead);
            out.effects.push(effects);
            let relative = (found.normal[k] / set.squares[k]).sqrt();
            let normal_residual = if set.squares[k] > 0.0 { relative } else { 0.0 };
            let stop = set.stop[k];
            // Of a column that is next to nothing without its effects, only what is left of it in all counts.
            let squares = found.squares[k].max(1e-8 * set.squares[k]);
            if matches!(stop, Stop::Rounding | Stop::Condition)
                && found.normal[k] > self.options.tolerance.powi(2) * squares
            {
                let column = column.name.to_string();
                out.warnings.push(DidWarning::DemeaningStopped {
                    column,
                    stop,
                    normal: normal_residual,
                });
            }
            out.columns.push(ColumnReport {
                name: column.name.into(),
                iterations: set.iterations[k],
                passes: set.passes[k],
                stop,
                normal_residual,
            });
        }
        out.host |= set.host;
        out.residuals.extend(room.rows);
    }
}

pub(super) fn add<const K: usize>(effects: &mut [[f64; K]], more: &[[f64; K]]) {
    for (effect, more) in effects.iter_mut().zip(more) {
        for k in 0..K {
            effect[k] += more[k];
        }
    }
}

/// Residuals, and effects of the leading factor, by column.
pub(super) struct ResidualRoom {
    rows: Vec<Vec<f64>>,
    lead: Vec<Vec<f64>>,
}

impl ResidualRoom {
    fn new(columns: &[Column<'_>], cells: &LevelCells) -> Self {
        let zeros = |length: usize| columns.iter().map(|_| vec![0.0; length]).collect();
        Self { rows: zeros(cells.rows), lead: zeros(cells.segments()) }
    }
}

/// Columns cut into consecutive pieces of these lengths.
fn cut<'a>(columns: &'a mut [Vec<f64>], lengths: &[usize]) -> Vec<Vec<&'a mut [f64]>> {
    columns.iter_mut().map(|column| stripes::pieces(column, lengths)).collect()
}

/// A piece of each column, and nothing of those that are not there.
fn take<'a, const K: usize>(
    columns: &mut [Vec<&'a mut [f64]>],
    piece: usize,
) -> [&'a mut [f64]; K] {
    std::array::from_fn(|k| {
        columns.get_mut(k).map(|c| std::mem::take(&mut c[piece])).unwrap_or_default()
    })
}
