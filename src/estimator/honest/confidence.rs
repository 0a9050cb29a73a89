//! The values of the parameter that tests accept.

use super::delta::{Delta, Restriction, polyhedra};
use super::identified::identified_set;
use super::options::{HonestMethod, Search};
use super::setup::{StudySetup, Tests};
use crate::base::parallel;
use crate::base::solve::dot;

/// Standard errors between the identified set and the ends of the grid.
const MARGIN: f64 = 20.0;
/// Points of a grid if nothing is said.
const POINTS: usize = 1000;
/// How many times its points a grid goes on at an end that is accepted.
const EXTENT: usize = 10;
/// Points that are tested together.
const PART: usize = 16;
/// Width of the last bracket of a bisection, in steps of the grid.
const BRACKET: f64 = 1e-6;

/// Evenly spaced values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EvenGrid {
    lower: f64,
    upper: f64,
    points: usize,
    /// Whether it may go on where its ends are accepted.
    extends: bool,
}

/// The smallest and the largest accepted value; `None` if there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ConfidenceSet {
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    /// Whether the set goes on beyond what was tested, below and above.
    pub open: [bool; 2],
}

impl EvenGrid {
    fn step(&self) -> f64 {
        (self.upper - self.lower) / (self.points - 1) as f64
    }

    fn at(&self, i: usize) -> f64 {
        if i + 1 == self.points {
            return self.upper;
        }
        self.lower + i as f64 * self.step()
    }

    /// Moved by a whole number of steps, so that its middle is near `centre`, if that is outside.
    fn with(self, centre: f64) -> Self {
        if (self.lower..=self.upper).contains(&centre) {
            return self;
        }
        let step = self.step();
        let shift = ((centre - 0.5 * (self.lower + self.upper)) / step).round() * step;
        let (lower, upper) = (self.lower + shift, self.upper + shift);
        // Where the step is below what can be told apart at the centre.
        if lower < upper { Self { lower, upper, ..self } } else { self }
    }
}

/// R's grid for one `M`, moved to where the parameter is if it is elsewhere.
pub(super) fn grid(setup: &StudySetup<'_>, m: f64) -> EvenGrid {
    let StudySetup { study, options, l, .. } = setup;
    let points = options.grid_points.unwrap_or(POINTS);
    let extends = options.grid_points.is_none();
    if let Some((lower, upper)) = options.grid {
        return EvenGrid { lower, upper, points, extends: false };
    }
    let (pre, post) = (study.pre(), study.post());
    let coefficients = study.values();
    let fixed = |alpha| setup.frontier.as_ref().map(|f| f.shortest(m, alpha));
    if setup.method == HonestMethod::ConditionalFixedLength
        && let Some(fixed) = fixed(options.first_level())
    {
        let [lower, upper] = fixed.interval(coefficients);
        return EvenGrid { lower, upper, points, extends: false };
    }
    let margin = MARGIN * setup.deviation;
    let mut grid = EvenGrid { lower: -margin, upper: margin, points, extends };
    // Where the parameter is by extrapolation from the periods before treatment.
    let centre = match options.delta {
        Delta::RelativeMagnitude => setup.estimate,
        Delta::RelativeSmoothness => {
            let periods: f64 = l.iter().zip(1u32..).map(|(l, j)| f64::from(j) * l).sum();
            setup.estimate + periods * coefficients[pre - 1]
        }
        Delta::Smoothness => {
            let set = polyhedra(options.delta, options.restriction, m, pre, post);
            let parallel_trends = identified_set(&set, &vec![0.0; pre + post], l);
            let finite = parallel_trends.filter(|set| set.iter().all(|end| end.is_finite()));
            if let Some([lower, upper]) = finite {
                // As in R, which turns the signs of this set once more.
                let turned = options.restriction == Some(Restriction::NegativeBias) && post > 1;
                let [lower, upper] = if turned { [-upper, -lower] } else { [lower, upper] };
                grid.lower += lower;
                grid.upper += upper;
            }
            fixed(options.alpha).map_or(setup.estimate, |f| dot(&f.weights, coefficients))
        }
    };
    grid.with(centre)
}

/// The values that are accepted.
pub(super) fn confidence_set(tests: &Tests, grid: &EvenGrid, search: Search) -> ConfidenceSet {
    match search {
        Search::Grid => all_points(tests, grid),
        Search::Bisection => bisected(tests, grid),
    }
}

/// Tests every point, and goes on from ends that are accepted.
fn all_points(tests: &Tests, grid: &EvenGrid) -> ConfidenceSet {
    let of = |part: usize| -> Vec<bool> {
        parallel::part(part, PART, grid.points).map(|i| tests.accept(grid.at(i))).collect()
    };
    let accepted = parallel::map(grid.points.div_ceil(PART), of).concat();
    let first = accepted.iter().position(|a| *a);
    let Some((first, last)) = first.zip(accepted.iter().rposition(|a| *a)) else {
        return ConfidenceSet::default();
    };
    let mut ends = [grid.at(first), grid.at(last)];
    let mut open = [first == 0, last + 1 == grid.points];
    for (end, direction) in [(0, -1.0), (1, 1.0)] {
        let extra_points = if open[end] && grid.extends { EXTENT * grid.points } else { 0 };
        for _ in 0..extra_points {
            let next = ends[end] + direction * grid.step();
            if !tests.accept(next) {
                open[end] = false;
                break;
            }
            ends[end] = next;
        }
        // Where one end is given up, the other is not looked for.
        if open[end] && grid.extends {
            break;
        }
    }
    ConfidenceSet { lower: Some(ends[0]), upper: Some(ends[1]), open }
}

/// Takes the set to be an interval: finds an accepted value near the middle, steps outward until one is rejected, and bisects.
fn bisected(tests: &Tests, grid: &EvenGrid) -> ConfidenceSet {
    let middle = grid.points / 2;
    let outward = (0..grid.points).map(|i| {
        let offset = i.div_ceil(2);
        if i % 2 == 0 { middle.checked_add(offset) } else { middle.checked_sub(offset) }
    });
    let mut seeds = outward.flatten().filter(|i| *i < grid.points).map(|i| grid.at(i));
    let Some(seed) = seeds.find(|theta| tests.accept(*theta)) else {
        return ConfidenceSet::default();
    };
    let reach = if grid.extends { EXTENT as f64 * (grid.upper - grid.lower) } else { 0.0 };
    let limits = [grid.lower - reach, grid.upper + reach];
    let mut open = [false; 2];
    let ends = [-1.0, 1.0].map(|direction| {
        let limit = if direction < 0.0 { limits[0] } else { limits[1] };
        let (mut inside, mut stride) = (seed, grid.step());
        let mut outside = loop {
            let next = inside + direction * stride;
            let next = if direction < 0.0 { next.max(limit) } else { next.min(limit) };
            if !tests.accept(next) {
                break next;
            }
            inside = next;
            if next == limit {
                open[usize::from(direction > 0.0)] = true;
                return next;
            }
            stride *= 2.0;
        };
        while (outside - inside).abs() > BRACKET * grid.step() {
            let middle = 0.5 * (inside + outside);
            if middle == inside || middle == outside {
                break;
            }
            if tests.accept(middle) { inside = middle } else { outside = middle }
        }
        inside
    });
    ConfidenceSet { lower: Some(ends[0]), upper: Some(ends[1]), open }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimator::aggregate::EventStudy;
    use crate::estimator::honest::coefficients::EventCoefficients;
    use crate::estimator::honest::options::Honest;

    /// Ends of the grid at `M = 0.5` of coefficients that are zero with variance one.
    fn ends(restriction: Restriction, post: usize) -> [f64; 2] {
        let n = 2 + post;
        let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
        let study = EventStudy::new(vec![0.0; n], (0..n).map(unit).collect(), 2, post);
        let study =
            study.and_then(|study| EventCoefficients::of(&study)).expect("it fits together");
        let options = Honest::smoothness().method(HonestMethod::Conditional);
        let options = options.restriction(restriction);
        let mut l = vec![0.0; post];
        l[0] = 1.0;
        let setup = StudySetup::new(&study, &options, l).expect("a variance");
        let grid = grid(&setup, 0.5);
        [grid.lower, grid.upper]
    }

    #[test]
    fn the_identified_set_of_a_negative_bias_is_turned_as_in_r() {
        for (restriction, post, expected) in [
            (Restriction::PositiveBias, 1, [-20.5, 20.0]),
            (Restriction::PositiveBias, 2, [-20.5, 20.0]),
            (Restriction::NegativeBias, 1, [-20.0, 20.5]),
            (Restriction::NegativeBias, 2, [-20.5, 20.0]),
        ] {
            let found = ends(restriction, post);
            let near = |i: usize| (found[i] - expected[i]).abs() < 1e-9;
            assert!(near(0) && near(1), "{restriction:?} {post}: {found:?}");
        }
    }
}
