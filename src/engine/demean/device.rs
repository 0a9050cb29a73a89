//! Effects found on a device, corrected on the host.
//!
//! The device solves the normal equations of the other factors in its own precision ([`LevelSolver`]), the host forms residuals and
//! `A'r` in double precision and sends the device back to what is left. In single precision a pass of the device ends at a
//! thousandth of the `‖A'r‖` that it began from, which is about what it can do, and what it found is taken only if `‖A'r‖`
//! itself has become smaller. In double precision one pass suffices.
//!
//! The scalars of the device's steps are read some steps at a time and replayed in the rules by which the host's own iteration stops. So
//! the device may have gone a few steps further than these say.

use std::borrow::Cow;
use std::sync::Mutex;

use super::columns::{PassSums, ResidualRoom, Set, add};
use super::conjugate::{ConjugateScalars, Done};
use super::lsmr;
use super::stripes::BlockSums;
use super::sweep::WeightedDesign;
use super::{Column, Demeaner, Place, SOLVING};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::options::Stop;
use crate::base::parallel::held;
use crate::base::progress;
use crate::engine::backend::{LevelDesign, LevelSolver, LevelWeights};

/// Part of the squared `‖A'r‖` at which a pass in single precision ends.
const REDUCTION: f64 = 1e-6;

/// Steps before the first look at their scalars, and between two looks at most.
const LOOK: [usize; 2] = [4, 32];

/// The device and what it holds.
#[derive(Debug)]
pub(super) struct Device {
    solver: Mutex<Box<dyn LevelSolver>>,
    single: bool,
    pub name: String,
    /// What weights are multiplied by: a power of two.
    scale: f64,
}

/// What a pass of the device found.
struct DevicePass<const K: usize> {
    effects: Vec<[f64; K]>,
    courses: [Course; K],
}

impl Device {
    /// `None` if the backend leaves the work to the host.
    pub fn hold(design: &WeightedDesign<'_>, place: &dyn Place) -> Result<Option<Self>> {
        let cells = &design.cells;
        let levels = LevelDesign {
            starts: &cells.starts,
            codes: &cells.codes,
            others: cells.others(),
            levels: cells.width(),
        };
        let single = place.precision() == Precision::F32;
        let scale = scale(design);
        let solver = with_weights(design, scale, |weights| place.levels(&levels, weights))?;
        let held = |solver| Self { solver: Mutex::new(solver), single, name: place.name(), scale };
        Ok(solver.map(held))
    }

    /// The design's weights are others now.
    pub fn weigh(&mut self, design: &WeightedDesign<'_>) -> Result<()> {
        self.scale = scale(design);
        with_weights(design, self.scale, |weights| held(&self.solver).weigh(weights))
    }

    /// Columns that it has room for.
    pub fn columns(&self) -> usize {
        held(&self.solver).columns()
    }

    /// LSMR, in double precision.
    pub fn lsmr<const K: usize>(
        &self,
        design: &WeightedDesign<'_>,
        b: &[[f64; K]],
        tolerance: f64,
        iterations: usize,
    ) -> Result<lsmr::LsmrSolution<K>> {
        lsmr::solve_on(held(&self.solver).as_mut(), design, b, tolerance, iterations)
    }

    /// Solves for the sums of live columns, in at most so many steps.
    fn solve<const K: usize>(
        &self,
        found: &PassSums<K>,
        mut courses: [Course; K],
        iterations: usize,
    ) -> Result<DevicePass<K>> {
        let mut solver = held(&self.solver);
        // Sums of norm about 1, that nothing over- or underflows in single precision: divided by a power of two.
        let units: [f64; K] = std::array::from_fn(|k| power_of_two(found.normal[k].sqrt()));
        let mut sums = vec![0.0; found.sums.len() * K];
        for (out, sum) in sums.chunks_exact_mut(K).zip(&found.sums) {
            for k in (0..K).filter(|k| courses[*k].live()) {
                out[k] = sum[k] / units[k] * self.scale.sqrt();
            }
        }
        solver.begin(&sums, K)?;
        let mut taken = 0;
        while taken < iterations && courses.iter().any(Course::live) {
            progress::tell(SOLVING, taken as u64, iterations as u64);
            let [first, most] = LOOK;
            let count = (taken / 4).clamp(first, most).min(iterations - taken);
            let live = courses.each_ref().map(Course::live);
            for step in solver.steps(&live, count)? {
                for (k, course) in courses.iter_mut().enumerate() {
                    let unit = units[k] * units[k];
                    course.note([
                        unit * step.curvature[k],
                        unit * step.preconditioned[k],
                        unit * step.normal[k],
                    ]);
                }
            }
            courses.iter_mut().for_each(Course::look);
            taken += count;
        }
        let effects = solver.effects()?;
        if effects.len() != sums.len() {
            let problem = format!("{} effects came of {}", effects.len(), sums.len());
            return Err(DidError::Device { device: self.name.clone(), problem });
        }
        let scales = units.map(|unit| unit * self.scale.sqrt());
        let scaled = |e: &[f64]| std::array::from_fn(|k| e[k] * scales[k]);
        Ok(DevicePass { effects: effects.chunks_exact(K).map(scaled).collect(), courses })
    }
}

/// What brings weights that single precision may not hold to about 1.
fn scale(design: &WeightedDesign<'_>) -> f64 {
    if design.weights.cells().is_none() {
        return 1.0;
    }
    let mean = design.weights.lead.iter().sum::<f64>() / design.cells.cells().max(1) as f64;
    let even = (power_of_two(mean).log2() / 2.0).round() * 2.0;
    if even.abs() > 16.0 { (-even).exp2() } else { 1.0 }
}

/// The power of two at or below a positive number.
fn power_of_two(x: f64) -> f64 {
    if x > 0.0 && x.is_finite() { x.log2().floor().exp2() } else { 1.0 }
}

/// Calls `f` with a design's weights, each multiplied by `scale`.
fn with_weights<'s, T>(
    design: &'s WeightedDesign<'_>,
    scale: f64,
    f: impl FnOnce(&LevelWeights<'_>) -> Result<T>,
) -> Result<T> {
    let weights = &design.weights;
    let scaled = |values: &'s [f64]| match scale == 1.0 {
        true => Cow::Borrowed(values),
        false => values.iter().map(|w| scale * w).collect(),
    };
    let cells = weights.cells().map(scaled);
    let [lead, rest, diagonal] =
        [&weights.lead, &weights.rest, &weights.partial].map(|w| scaled(w));
    f(&LevelWeights { cells: cells.as_deref(), lead: &lead, rest: &rest, diagonal: &diagonal })
}

/// A column on its way through a pass of the device.
#[derive(Clone, Debug)]
struct Course {
    scalars: ConjugateScalars,
    /// Whether anything is to be done.
    wanted: bool,
    single: bool,
    tolerance: f64,
    /// Square of the error, and of `‖A'r‖`, that is approached.
    bound: f64,
    /// Square of `‖A'r‖` at the start.
    start: f64,
    /// The smallest eigenvalue that any pass has seen.
    smallest: f64,
    /// Whether the pass has done what one can in single precision.
    reduced: bool,
}

impl Course {
    fn live(&self) -> bool {
        self.wanted && !self.reduced && self.scalars.done.is_none()
    }

    /// Replays a step.
    fn note(&mut self, [curvature, gz, gg]: [f64; 3]) {
        if !self.live() {
            return;
        }
        self.scalars.step(curvature);
        if self.scalars.done.is_some() {
            return;
        }
        if self.single {
            self.scalars.take(gz, gg);
            // What is no number ends it, too.
            self.reduced = !(gz > 0.0 && gg > REDUCTION * self.start);
        } else {
            self.scalars.note(gz, gg, self.tolerance);
        }
    }

    /// Whether a pass in single precision has reached the goal itself.
    fn look(&mut self) {
        if self.single && self.live() && self.scalars.normal <= self.bound {
            self.smallest = self.smallest.min(self.scalars.smallest());
            let error = 2.0 * self.scalars.preconditioned() / self.smallest;
            if error <= self.bound {
                (self.scalars.error, self.scalars.done) = (error, Some(Done::Goal));
            }
        }
    }
}

/// What is known of a column between passes of the device.
#[derive(Clone, Copy, Debug)]
struct ColumnProgress {
    wanted: bool,
    stalled: bool,
    /// What the last pass took from the squares, which is about the squared error before it.
    taken: f64,
    smallest: f64,
}

impl Demeaner<'_> {
    /// Effects by the device, and by the host where the device gets no further.
    pub(super) fn on_device<const K: usize>(
        &self,
        device: &Device,
        set: &mut Set<'_, K>,
        sums: &BlockSums<K>,
        columns: &[Column<'_>],
        room: &mut ResidualRoom,
    ) -> Result<PassSums<K>> {
        let mut left = self.options.iterations;
        let mut passed = self.pass(set, sums, None);
        let mut known: [ColumnProgress; K] = std::array::from_fn(|k| ColumnProgress {
            wanted: k < set.count && passed.normal[k] > set.floor[k],
            stalled: false,
            taken: f64::INFINITY,
            smallest: f64::INFINITY,
        });
        set.stop = known.map(|k| if k.wanted { Stop::Tolerance } else { Stop::AlreadyOrthogonal });
        if known.iter().all(|k| !k.wanted) {
            return Ok(self.pass(set, sums, Some(room)));
        }
        while known.iter().any(|k| k.wanted) {
            let courses = self.courses(device, set, &passed, &known);
            let inner = device.solve(&passed, courses, left)?;
            let before = set.effects.clone();
            add(&mut set.effects, &inner.effects);
            let after = self.pass(set, sums, Some(room));
            let gz = self.preconditioned(&after);
            let mut rejected = [false; K];
            for (k, known) in known.iter_mut().enumerate().filter(|(_, known)| known.wanted) {
                let course = &inner.courses[k];
                set.iterations[k] += course.scalars.count();
                set.passes[k] += 1;
                rejected[k] = after.normal[k].is_nan() || after.normal[k] > passed.normal[k];
                let taken = course.scalars.taken();
                if !rejected[k] && self.reached(course, known, &after, gz[k], k, set.floor[k]) {
                    known.wanted = false;
                } else if rejected[k]
                    || course.scalars.done == Some(Done::Rounding)
                    || after.normal[k] > 0.25 * passed.normal[k]
                {
                    (known.wanted, known.stalled) = (false, true);
                }
                known.taken = taken;
                known.smallest = course.smallest.min(course.scalars.smallest());
            }
            passed = if rejected.contains(&true) {
                for (effect, before) in set.effects.iter_mut().zip(before) {
                    for k in (0..K).filter(|k| rejected[*k]) {
                        effect[k] = before[k];
                    }
                }
                self.pass(set, sums, Some(room))
            } else {
                after
            };
            left -= inner.courses.iter().map(|c| c.scalars.count()).max().unwrap_or(0).min(left);
            if let Some(k) = known.iter().position(|k| k.wanted).filter(|_| left == 0) {
                return Err(self.not_demeaned(set, &columns[k], k, passed.normal[k]));
            }
        }
        let bound = |k: usize| self.options.tolerance.powi(2) * passed.squares[k];
        let beyond = |k: usize| {
            let rounding = 100.0 * set.floor[k];
            let error = 2.0 * self.preconditioned(&passed)[k] / known[k].smallest;
            let left = passed.normal[k].max(error);
            known[k].stalled && passed.normal[k] > rounding && left > bound(k).max(rounding)
        };
        if (0..K).any(beyond) {
            set.host = true;
            return self.iterate(set, sums, columns, room, |passed, goal, left| {
                Ok(self.conjugate(sums, passed, goal, left))
            });
        }
        for k in (0..K).filter(|k| known[*k].stalled) {
            set.stop[k] = Stop::Rounding;
        }
        Ok(passed)
    }

    fn courses<const K: usize>(
        &self,
        device: &Device,
        set: &Set<'_, K>,
        found: &PassSums<K>,
        known: &[ColumnProgress; K],
    ) -> [Course; K] {
        let gz = self.preconditioned(found);
        let tolerance = self.options.tolerance;
        std::array::from_fn(|k| {
            let mut scalars = ConjugateScalars::new(found.squares[k], set.floor[k]);
            if device.single {
                scalars.take(gz[k], found.normal[k]);
            } else {
                scalars.note(gz[k], found.normal[k], tolerance);
            }
            Course {
                scalars,
                wanted: known[k].wanted,
                single: device.single,
                tolerance,
                bound: (tolerance * tolerance * found.squares[k]).max(set.floor[k]),
                start: found.normal[k],
                smallest: known[k].smallest,
                reduced: false,
            }
        })
    }

    /// `g'M g` by column.
    fn preconditioned<const K: usize>(&self, found: &PassSums<K>) -> [f64; K] {
        let mut gz = [0.0; K];
        for (sum, diagonal) in found.sums.iter().zip(&self.design.weights.partial) {
            if *diagonal > 0.0 {
                for k in 0..K {
                    gz[k] += sum[k] * sum[k] / diagonal;
                }
            }
        }
        gz
    }

    /// Whether a column's error and `‖A'r‖` are within the tolerance.
    fn reached<const K: usize>(
        &self,
        course: &Course,
        known: &ColumnProgress,
        after: &PassSums<K>,
        gz: f64,
        k: usize,
        floor: f64,
    ) -> bool {
        let (scalars, normal) = (&course.scalars, after.normal[k]);
        let bound = (self.options.tolerance.powi(2) * after.squares[k]).max(floor);
        if !course.single {
            let error = scalars.error / scalars.normal.max(f64::MIN_POSITIVE);
            return scalars.done == Some(Done::Goal)
                && (normal <= 4.0 * scalars.normal.max(floor) || normal * error.max(1.0) <= bound);
        }
        // By the smallest eigenvalue seen, or by what passes took: the next would take as much less again.
        let taken = scalars.taken();
        let ratio = taken / known.taken;
        let next = if ratio < 1.0 && known.taken.is_finite() {
            taken * ratio / (1.0 - ratio)
        } else {
            f64::INFINITY
        };
        let error = next.min(2.0 * gz / course.smallest.min(scalars.smallest()));
        normal <= bound && error <= bound
    }
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use burn::backend::NdArray;

    use super::*;
    use crate::engine::backend::{BidiagonalProblem, BidiagonalStep, BidiagonalUpdate, LevelStep};
    use crate::engine::demean::{DemeanOptions, Factor, On, Solver};

    /// A device whose effects are this number, whatever it says of its steps.
    #[derive(Debug)]
    struct Broken(f64, usize);

    impl LevelSolver for Broken {
        fn weigh(&mut self, _: &LevelWeights<'_>) -> Result<()> {
            Ok(())
        }

        fn begin(&mut self, sums: &[f64], _: usize) -> Result<()> {
            self.1 = sums.len();
            Ok(())
        }

        fn steps(&mut self, live: &[bool], count: usize) -> Result<Vec<LevelStep>> {
            let of = |value| vec![value; live.len()];
            let step = LevelStep { curvature: of(1.0), preconditioned: of(1e-9), normal: of(1e-9) };
            Ok(vec![step; count])
        }

        fn begin_bidiagonal(&mut self, _: &BidiagonalProblem<'_>) -> Result<()> {
            Ok(())
        }

        fn bidiagonalise(&mut self, _: usize) -> Result<Vec<BidiagonalStep>> {
            Ok(Vec::new())
        }

        fn combine(&mut self, _: &[BidiagonalUpdate]) -> Result<Vec<f64>> {
            Ok(Vec::new())
        }

        fn effects(&mut self) -> Result<Vec<f64>> {
            Ok((0..self.1).map(|i| self.0 * (i % 3) as f64).collect())
        }
    }

    /// Effects that are no numbers, too large, or none are thrown away, and the host finds them.
    #[test]
    fn what_a_device_gets_wrong_the_host_sets_right() {
        let codes = [
            (0..900).map(|i| i / 9).collect(),
            (0..900).map(|i| (i * 7 + i / 9 * 3) % 31).collect(),
        ];
        let levels = [100, 31];
        let factors: Vec<Factor> = codes
            .into_iter()
            .zip(levels)
            .map(|(codes, levels): (Vec<u32>, usize)| Factor { codes, levels })
            .collect();
        let x: Vec<f64> = (0..900).map(|i| f64::from(i * 7 % 13) + f64::from(i % 31)).collect();
        let columns = [Column { name: "x", values: &x }];
        let options = DemeanOptions { tolerance: 1e-10, solver: Solver::Cg, iterations: 1_000 };
        let device = Default::default();
        let [double, single] = [Precision::F64, Precision::F32]
            .map(|precision| On::<NdArray<f32>> { device: &device, precision });
        let demeaner = |place| Demeaner::new(&factors, None, &options, place);
        let right = demeaner(&double).and_then(|d| d.demean(&columns, None)).expect("right");
        assert!(right.device.is_some() && !right.host);
        for effect in [f64::NAN, 1e9, f64::INFINITY, 0.0] {
            let mut broken = demeaner(&single).expect("held");
            if let Some(device) = &mut broken.device {
                device.solver = Mutex::new(Box::new(Broken(effect, 0)));
            }
            let done = broken.demean(&columns, None).expect("by the host");
            assert!(done.host, "{effect}");
            assert_eq!(done.columns[0].stop, Stop::Tolerance, "{effect}");
            for (a, b) in done.residuals[0].iter().zip(&right.residuals[0]) {
                assert!((a - b).abs() < 1e-8, "{effect}: {a} {b}");
            }
        }
    }
}
