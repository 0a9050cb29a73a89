use super::interval::density;
use super::*;

use statrs::function::erf::erfc;

fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

fn correlation(k: usize, rho: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..k * k).map(|e| if e / k == e % k { 1.0 } else { rho(e / k, e % k) }).collect()
}

/// The box of `|Z + shift_j| ≤ c`.
fn around(shifts: &[f64], c: f64) -> (Vec<f64>, Vec<f64>) {
    let ends = |c: f64| shifts.iter().map(|shift| c - shift).collect();
    (ends(-c), ends(c))
}

#[test]
fn one_normal_has_closed_forms() {
    for (lower, upper) in [(-1.96, 1.96), (-0.3, 2.0), (3.0, 5.0), (-9.0, -8.0), (-40.0, 1.0)] {
        let found = truncated(&[1.0], &[lower], &[upper], Effort::Full);
        let exact = if lower > 0.0 { cdf(-lower) - cdf(-upper) } else { cdf(upper) - cdf(lower) };
        assert!((found.probability / exact - 1.0).abs() < 1e-12, "{lower} {upper}: {found:?}");
        let mean = (density(lower) - density(upper)) / exact;
        assert!((found.mean.expect("a mean")[0] - mean).abs() < 1e-9, "{lower} {upper}");
        assert_eq!(found.error, 0.0);
    }
    // 40 standard deviations away there is nothing in double precision.
    let none = truncated(&[1.0], &[40.0], &[44.0], Effort::Full);
    assert_eq!((none.probability, none.mean), (0.0, None));
}

/// Independent given their common part, so that one integral is left.
fn equicorrelated(rho: f64, lower: &[f64], upper: &[f64]) -> (f64, Vec<f64>) {
    let (k, nodes) = (lower.len(), 4_000);
    let (width, sd) = (18.0 / f64::from(nodes), (1.0 - rho).sqrt());
    let (mut probability, mut mean) = (0.0, vec![0.0; k]);
    for node in 0..nodes {
        let common = -9.0 + (f64::from(node) + 0.5) * width;
        let ends = |j: usize| [lower[j], upper[j]].map(|end| (end - rho.sqrt() * common) / sd);
        let masses: Vec<f64> = (0..k).map(|j| cdf(ends(j)[1]) - cdf(ends(j)[0])).collect();
        let weight = width * density(common) * masses.iter().product::<f64>();
        probability += weight;
        for j in (0..k).filter(|_| weight > 0.0) {
            let [a, b] = ends(j).map(density);
            mean[j] += weight * (rho.sqrt() * common + sd * (a - b) / masses[j]);
        }
    }
    (probability, mean.iter().map(|mean| mean / probability).collect())
}

#[test]
fn equicorrelated_normals_match_the_integral_over_their_common_part() {
    for (k, rho, most) in [(2, 0.5, 1e-8), (3, 0.95, 1e-8), (5, 0.5, 1e-8), (10, 0.7, 5e-4)] {
        let shifts: Vec<f64> = (0..k).map(|j| 0.3 * j as f64).collect();
        let (lower, upper) = around(&shifts, 1.96);
        let found = truncated(&correlation(k, |_, _| rho), &lower, &upper, Effort::Full);
        let (probability, mean) = equicorrelated(rho, &lower, &upper);
        let allowed = 1.5 * found.error + 1e-10;
        assert!(found.error < most, "{k} {rho}: a stated error of {}", found.error);
        let off = (found.probability - probability).abs();
        assert!(off <= allowed, "{k} {rho}: {off} beyond {allowed}");
        for (a, b) in found.mean.expect("means").iter().zip(&mean) {
            assert!((a - b).abs() <= allowed, "{k} {rho}: {a} {b}, allowed {allowed}");
        }
    }
}

#[test]
fn means_obey_the_formula_of_tallis() {
    // E[Z; box] = -R (F(upper) - F(lower)), with F_j(c) the density of Z_j at c times the probability of the others' box given it.
    let k = 4;
    let r = correlation(k, |i, j| 0.6_f64.powi(i.abs_diff(j) as i32));
    let (lower, upper) = around(&[0.2, 1.0, -0.4, 1.5], 1.96);
    let found = truncated(&r, &lower, &upper, Effort::Full);
    let face = |j: usize, c: f64| {
        let others: Vec<usize> = (0..k).filter(|i| *i != j).collect();
        let given = |a: usize, b: usize| r[a * k + b] - r[a * k + j] * r[j * k + b];
        let sd = |i: usize| given(i, i).sqrt();
        let pairs = others.iter().flat_map(|a| others.iter().map(move |b| (*a, *b)));
        let conditional: Vec<f64> = pairs.map(|(a, b)| given(a, b) / (sd(a) * sd(b))).collect();
        let ends = |of: &[f64]| -> Vec<f64> {
            others.iter().map(|i| (of[*i] - r[i * k + j] * c) / sd(*i)).collect()
        };
        let rest = truncated(&conditional, &ends(&lower), &ends(&upper), Effort::Full);
        density(c) * rest.probability
    };
    let faces: Vec<f64> = (0..k).map(|j| face(j, lower[j]) - face(j, upper[j])).collect();
    let mean = found.mean.expect("means");
    for i in 0..k {
        let tallis: f64 = (0..k).map(|j| r[i * k + j] * faces[j]).sum::<f64>() / found.probability;
        assert!((mean[i] - tallis).abs() < 1e-9, "{i}: {} {tallis}", mean[i]);
    }
}

#[test]
fn quadrature_and_lattice_agree() {
    let r = correlation(5, |i, j| 0.5 + 0.4 * 0.7_f64.powi(i.abs_diff(j) as i32));
    let (lower, upper) = around(&[0.5, 0.4, 0.3, 0.2, 0.1], 1.96);
    let ordered = Ordered::new(&r, &lower, &upper);
    let (exact, found) =
        (quadrature::moments(&ordered, 200_000), lattice::moments(&ordered, Effort::Little));
    let off = (exact.probability - found.probability).abs();
    assert!(off <= 1.5 * found.error && found.error < 1e-3, "{off} {}", found.error);
}

#[test]
fn numbers_are_the_same_in_every_run() {
    let r = correlation(9, |i, j| 0.8_f64.powi(i.abs_diff(j) as i32));
    let (lower, upper) = around(&[0.5; 9], 1.96);
    let value = || truncated(&r, &lower, &upper, Effort::Little).probability.to_bits();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    assert_eq!(value(), pool.install(value));
}
