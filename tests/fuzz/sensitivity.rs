//! `EventStudy::honest`: fixed-length intervals, breakdown values, and the ends of conditional and hybrid intervals.

use burn_did::{
    EventStudy, Honest, HonestResult,
    sensitivity::{Breakdown, Delta, HonestMethod, RobustInterval, Search},
};

use crate::oracle::affine::Estimators;
use crate::oracle::inequalities::{First, Inequalities, Set, relative, smooth};
use crate::oracle::linear::dot;
use crate::random::Random;
use crate::run::run;
use crate::tally::{Expected, Tally};

/// Draws of the oracle for the least favourable test.
const DRAWS: usize = 2_000;
/// Draws of the library.
const LIBRARY_DRAWS: usize = 10_000;
/// How far outside an interval values are tried, in its lengths.
const BEYOND: f64 = 2.0;

/// An event study.
struct Study {
    beta: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    pre: usize,
    l: Vec<f64>,
    kind: &'static str,
    /// Correlation of the coefficients, where it is one number.
    correlation: f64,
}

impl Study {
    fn new(random: &mut Random) -> Self {
        let pre = if random.chance(0.04) { random.between(8, 9) } else { random.between(1, 7) };
        let post = random.between(1, 3);
        let n = pre + post;
        let kind =
            random.pick(&["identity", "diagonal", "common", "common", "decaying", "dense", "walk"]);
        let correlation = match kind {
            "common" => random.pick(&[0.3, 0.5, 0.9, 0.99, 0.999, 0.9999]),
            "decaying" => random.uniform(-0.8, 0.95),
            _ => 0.0,
        };
        let scale = 10f64.powf(random.uniform(-2.0, 1.0));
        let equal = random.chance(0.5);
        let deviations: Vec<f64> = (0..n)
            .map(|_| if equal || kind == "identity" { 1.0 } else { random.uniform(0.5, 2.0) })
            .collect();
        let loadings: Vec<Vec<f64>> =
            (0..n).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
        let entry = |i: usize, j: usize| match kind {
            "common" if i != j => correlation,
            "decaying" => correlation.powi(i.abs_diff(j) as i32),
            "dense" => {
                dot(&loadings[i], &loadings[j]) / n as f64 + f64::from(u8::from(i == j)) * 0.1
            }
            "walk" => (i.min(j) + 1) as f64,
            _ => f64::from(u8::from(i == j)),
        };
        let covariance: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                let unit = |j: usize| scale * scale * deviations[i] * deviations[j];
                (0..n).map(|j| entry(i.min(j), i.max(j)) * unit(j)).collect()
            })
            .collect();
        let trend = random.uniform(-0.5, 0.5);
        let beta = (0..n).map(|i| {
            let effect = if i < pre { 0.0 } else { 3.0 };
            scale * (effect + trend * (i as f64 - pre as f64) + random.normal())
        });
        let beta = beta.collect();
        let mut l = vec![0.0; post];
        match random.below(3) {
            0 => l[0] = 1.0,
            1 => l.fill(1.0 / post as f64),
            _ => l.iter_mut().for_each(|l| *l = random.uniform(-0.5, 1.0)),
        }
        Self { beta, covariance, pre, l, kind, correlation }
    }

    fn words(&self) -> String {
        let Self { beta, covariance, pre, l, kind, correlation } = self;
        format!("{kind} {correlation}, {pre} before, l {l:?}, {beta:?}, {covariance:?}")
    }

    fn honest(&self, options: Honest) -> HonestResult {
        let post = self.l.len();
        let study = EventStudy::new(self.beta.clone(), self.covariance.clone(), self.pre, post);
        study.unwrap().honest(options.weights(self.l.iter().copied())).unwrap()
    }

    fn deviation(&self) -> f64 {
        let post = &self.covariance[self.pre..];
        let of = |(row, l): (&Vec<f64>, &f64)| l * dot(&row[self.pre..], &self.l);
        post.iter().zip(&self.l).map(of).sum::<f64>().sqrt()
    }
}

fn fixed_length(random: &mut Random, study: &Study, tally: &mut Tally) {
    let unit = study.deviation();
    let mut ms = vec![0.0];
    for _ in 0..3 {
        ms.push(unit * 10f64.powf(random.uniform(-4.0, 1.0)));
    }
    let alpha = random.pick(&[0.05, 0.1, 0.01]);
    let estimators = Estimators::new(&study.covariance, study.pre, &study.l);
    let options = Honest::smoothness().m(ms.iter().copied()).alpha(alpha);
    let found = study.honest(options);
    // Digits that the oracle's equations lose.
    let loss = 1e-15 / estimators.rcond;
    for (interval, m) in found.intervals.iter().zip(&ms) {
        tally.cells += 1;
        let want = estimators.shortest(*m, alpha);
        let [lower, upper] = ends(interval);
        let (half, centre) = (0.5 * (upper - lower), 0.5 * (upper + lower));
        let at = format!("M = {m}");
        let tolerance = (1e-8 + loss) * want.half_length + 1e-14 * centre.abs();
        tally.close(
            "half-length",
            &at,
            Some(half),
            Expected { value: Some(want.half_length), tolerance },
        );
        // The length is flat around the best centre, whose weights have half the digits.
        let tolerance = (1e-4 + loss.sqrt()) * want.half_length;
        let value = Some(dot(&want.weights, &study.beta));
        tally.close("centre", &at, Some(centre), Expected { value, tolerance });
    }
    let significant = |m: f64| {
        let best = estimators.shortest(m, alpha);
        dot(&best.weights, &study.beta).abs() > best.half_length
    };
    match found.breakdown {
        Breakdown::At(m) => {
            tally.same(
                "significant below the breakdown value",
                &significant(m * (1.0 - 1e-6)),
                &true,
            );
            let above = significant(m * (1.0 + 3e-4) + 1e-5 * unit);
            tally.same("significant above the breakdown value", &above, &false);
        }
        Breakdown::NotSignificant => tally.same("significant at 0", &significant(0.0), &false),
        Breakdown::AlwaysSignificant(m) => {
            tally.same("significant at all M", &significant(m), &true);
        }
        other => unreachable!("an unknown breakdown value, {other:?}"),
    }
}

fn ends(interval: &RobustInterval) -> [f64; 2] {
    [interval.lower.unwrap_or(f64::NAN), interval.upper.unwrap_or(f64::NAN)]
}

/// The tests whose union is a confidence set, with the first stages that reject less and more than the library's draws may.
struct Union {
    tests: Vec<(Inequalities, [First; 2])>,
    size: f64,
}

impl Union {
    fn new(random: &mut Random, study: &Study, options: &Honest) -> Self {
        let (m, post) = (options.m.as_ref().unwrap()[0], study.l.len());
        let alpha = options.alpha;
        let sets: Vec<Set> = match options.delta {
            Delta::Smoothness => vec![smooth(m, study.pre, post)],
            Delta::RelativeMagnitude => relative(&[-1.0, 1.0], m, study.pre, post),
            Delta::RelativeSmoothness => relative(&[1.0, -2.0, 1.0], m, study.pre, post),
            other => unimplemented!("{other}"),
        };
        let method = options.method.unwrap();
        let kappa = if method == HonestMethod::Conditional { 0.0 } else { alpha / 10.0 };
        let all = options.delta == Delta::Smoothness;
        let draws = if method == HonestMethod::ConditionalLeastFavourable {
            normals(random, &study.covariance)
        } else {
            Vec::new()
        };
        let first = |test: &Inequalities| match method {
            HonestMethod::ConditionalLeastFavourable => {
                let mut values: Vec<f64> = draws.iter().map(|draw| test.largest(draw)).collect();
                values.sort_by(f64::total_cmp);
                let share = 1.0 - kappa;
                let n = DRAWS as f64;
                // Of both numbers of draws.
                let variance = kappa * share * (1.0 / n + 1.0 / LIBRARY_DRAWS as f64);
                let at = |sides: f64| {
                    let rank = (share + sides * 4.5 * variance.sqrt()) * n;
                    First::Largest(values.get(rank as usize).copied().unwrap_or(f64::INFINITY))
                };
                [at(1.0), at(-1.0)]
            }
            HonestMethod::ConditionalFixedLength => {
                let best =
                    Estimators::new(&study.covariance, study.pre, &study.l).shortest(m, kappa);
                let stage =
                    First::Interval { half_length: best.half_length, weights: best.weights };
                [stage.clone(), stage]
            }
            _ => [First::None, First::None],
        };
        let test = |set: &Set| {
            let test = Inequalities::new(set, &study.beta, &study.covariance, &study.l, all);
            let stages = first(&test);
            (test, stages)
        };
        Self {
            tests: sets.iter().map(test).collect(),
            size: if kappa == 0.0 { alpha } else { (alpha - kappa) / (1.0 - kappa) },
        }
    }

    /// Whether a value is accepted, by the tests that reject less or more; `None` where rounding decides.
    fn accepts(&self, theta: f64, strict: bool) -> Option<bool> {
        let verdicts = self
            .tests
            .iter()
            .map(|(test, stages)| test.rejects(theta, self.size, &stages[usize::from(strict)]));
        let mut known = Some(false);
        for verdict in verdicts {
            match verdict {
                Some(false) => return Some(true),
                Some(true) => {}
                None => known = None,
            }
        }
        known
    }
}

/// Draws with a covariance, by its triangular factor.
fn normals(random: &mut Random, covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = covariance.len();
    let mut factor = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest: f64 = covariance[i][j] - known;
            factor[i][j] = if i == j { rest.max(0.0).sqrt() } else { rest / factor[j][j] };
        }
    }
    let normal = |random: &mut Random| {
        // Box and Muller.
        let (u, v) = (random.uniform(1e-300, 1.0), random.uniform(0.0, std::f64::consts::TAU));
        (-2.0 * u.ln()).sqrt() * v.cos()
    };
    (0..DRAWS)
        .map(|_| {
            let z: Vec<f64> = (0..n).map(|_| normal(random)).collect();
            factor.iter().map(|row| dot(row, &z)).collect()
        })
        .collect()
}

fn conditional(random: &mut Random, study: &Study, tally: &mut Tally) {
    let unit = study.deviation();
    let mut deltas = vec![Delta::Smoothness, Delta::RelativeMagnitude];
    if study.pre > 1 {
        deltas.push(Delta::RelativeSmoothness);
    }
    let delta = random.pick(&deltas);
    let smooth = delta == Delta::Smoothness;
    let m = if smooth { unit * random.uniform(0.0, 1.0) } else { random.uniform(0.0, 2.0) };
    let hybrid = if smooth {
        HonestMethod::ConditionalFixedLength
    } else {
        HonestMethod::ConditionalLeastFavourable
    };
    let method = random.pick(&[HonestMethod::Conditional, hybrid, hybrid]);
    let mut options = Honest::smoothness();
    options.delta = delta;
    let options = options.m([m]).method(method).search(Search::Bisection);
    let union = Union::new(random, study, &options);
    let found = study.honest(options);
    tally.cells += 1;
    if union.tests.iter().any(|(test, _)| test.unsure) {
        tally.undecided += 1;
        tally.skip("vertices that rounding decides about");
        return;
    }
    let interval = found.intervals[0];
    let [lower, upper] = ends(&interval);
    let name = format!("{delta:?} {m} {method:?}, [{lower}, {upper}]");
    if interval.lower.is_none() || interval.is_open() || upper - lower < 1e-3 * unit {
        tally.skip("intervals that are empty, open or points");
        return;
    }
    let length = upper - lower;
    let step = 1e-3 * length;
    for (end, out) in [(lower, -1.0), (upper, 1.0)] {
        let mut check =
            |what: &str, theta: f64, strict: bool, want: bool| match union.accepts(theta, strict) {
                None => tally.skip("values that rounding decides about"),
                Some(got) => tally.same(&format!("{name}: {what} {theta}, accepted"), &got, &want),
            };
        check("inside", end - out * step, false, true);
        check("outside", end + out * step, true, false);
        for _ in 0..4 {
            let far = end + out * length * random.uniform(0.01, BEYOND);
            // The set need not be an interval, which bisection takes it to be.
            if union.accepts(far, true) == Some(true) {
                tally.skip("values beyond a gap");
            } else {
                tally.numbers += 1;
            }
        }
    }
}

#[test]
fn sensitivity_studies() {
    let check = |seed: u64| {
        let mut random = Random::new(seed, 6);
        let study = Study::new(&mut random);
        let mut tally = Tally::default();
        fixed_length(&mut random, &study, &mut tally);
        // Vertices are found one subset at a time.
        if study.pre < 6 && study.correlation < 0.95 {
            conditional(&mut random, &study, &mut tally);
        }
        tally.described(&study.words())
    };
    let tally = run("EventStudy", 100, check);
    let gaps = tally.skipped.get("values beyond a gap").copied().unwrap_or(0);
    assert!(tally.numbers > 3 * tally.designs && gaps * 20 < tally.numbers, "{gaps}");
}
