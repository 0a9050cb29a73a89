//! Moments of few normals in a box, by Gauss–Legendre quadrature of every `Y` but the last within its interval.

use super::Truncated;
use super::interval::{Interval, density};
use super::ordered::Ordered;
use crate::base::parallel;

/// Nodes of the rules that are tried one after another. The difference of the last two is the error that is stated.
const NODES: [usize; 8] = [4, 6, 9, 13, 19, 28, 42, 63];

/// Error at which no finer rule is tried.
const PRECISE: f64 = 1e-8;

/// How far from its most probable value a normal is followed.
const FAR: f64 = 9.0;

/// Moments of the normals in the box, by rules of at most so many points. The error is infinite if only one rule has so few.
pub(super) fn moments(ordered: &Ordered, most_points: usize) -> Truncated {
    let k = ordered.len();
    if k == 1 {
        return Truncated { error: 0.0, ..by_rule(ordered, 1) };
    }
    let points = |nodes: usize| (1..k).fold(1, |points: usize, _| points.saturating_mul(nodes));
    let has_few = |nodes: &&usize| points(**nodes) <= most_points;
    let mut best = by_rule(ordered, NODES[0]);
    for nodes in NODES.iter().skip(1).take_while(has_few) {
        let finer = by_rule(ordered, *nodes);
        let error = best.distance(&finer);
        best = Truncated { error, ..finer };
        if error <= PRECISE {
            break;
        }
    }
    best
}

impl Truncated {
    /// The largest difference of the probability and the means; infinite if only one has means.
    fn distance(&self, other: &Self) -> f64 {
        let means = match (&self.mean, &other.mean) {
            (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
            (None, None) => 0.0,
            _ => f64::INFINITY,
        };
        means.max((self.probability - other.probability).abs())
    }
}

/// By one rule for every `Y` but the last.
fn by_rule(ordered: &Ordered, nodes: usize) -> Truncated {
    let k = ordered.len();
    let rule = legendre(nodes);
    let start = || Sums { ordered, rule: &rule, mass: 0.0, y: vec![0.0; k], at: vec![0.0; k] };
    let total = if k == 1 {
        let mut sums = start();
        sums.add(0, 1.0);
        sums
    } else {
        let of_node = |node: usize| {
            let mut sums = start();
            sums.add_node(0, node, 1.0);
            sums
        };
        parallel::map(nodes, of_node).into_iter().fold(start(), |mut total, own| {
            total.mass += own.mass;
            total.y.iter_mut().zip(&own.y).for_each(|(sum, own)| *sum += own);
            total
        })
    };
    let y: Vec<f64> = total.y.iter().map(|y| y / total.mass).collect();
    let mean = Some(ordered.means(&y)).filter(|mean| mean.iter().all(|mean| mean.is_finite()));
    Truncated { probability: total.mass, mean, error: f64::INFINITY }
}

/// Sums over nodes: of the weight, and of the weight times each of `Y`.
struct Sums<'a> {
    ordered: &'a Ordered,
    /// Nodes within (-1, 1) with their weights.
    rule: &'a [(f64, f64)],
    mass: f64,
    y: Vec<f64>,
    /// The node of each `Y`.
    at: Vec<f64>,
}

impl Sums<'_> {
    /// Adds all nodes of `Y_i` and of those after it, given those before it, whose weight is `weight`.
    fn add(&mut self, i: usize, weight: f64) {
        if i + 1 < self.ordered.len() {
            (0..self.rule.len()).for_each(|node| self.add_node(i, node, weight));
            return;
        }
        let (lower, upper) = self.ordered.ends(i, &self.at);
        let interval = Interval::new(lower, upper);
        if interval.mass > 0.0 {
            self.at[i] = interval.mean();
            let weight = weight * interval.mass;
            self.y.iter_mut().zip(&self.at).for_each(|(sum, y)| *sum += weight * y);
            self.mass += weight;
        }
    }

    /// Adds one node of `Y_i`, with all of those after it.
    fn add_node(&mut self, i: usize, node: usize, weight: f64) {
        let (lower, upper) = self.ordered.ends(i, &self.at);
        // Where the density is largest, and as far from there as it matters.
        let mode = 0.0_f64.max(lower).min(upper);
        let (lower, upper) = (lower.max(mode - FAR), upper.min(mode + FAR));
        let half = 0.5 * (upper - lower);
        let (place, share) = self.rule[node];
        self.at[i] = f64::midpoint(lower, upper) + half * place;
        let weight = weight * share * half * density(self.at[i]);
        if weight > 0.0 {
            self.add(i + 1, weight);
        }
    }
}

/// Nodes and weights of the Gauss–Legendre rule on (-1, 1), by Newton steps on the Legendre polynomial.
fn legendre(n: usize) -> Vec<(f64, f64)> {
    let polynomial = |x: f64| {
        let (mut before, mut value) = (0.0, 1.0);
        for j in 0..n {
            let j = j as f64;
            let next = ((2.0 * j + 1.0) * x * value - j * before) / (j + 1.0);
            (before, value) = (value, next);
        }
        (value, n as f64 * (before - x * value) / (1.0 - x * x))
    };
    let node = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        for _ in 0..10 {
            let (value, slope) = polynomial(x);
            x -= value / slope;
        }
        let slope = polynomial(x).1;
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}
