//! Solvers against an independent projection, and what must not change a residual.

use burn::backend::NdArray;

use super::{Column, DemeanOptions, DemeanedColumns, Demeaner, Factor, On, Solver};
use crate::base::error::DidError;
use crate::base::options::{Precision, Stop};

type Cpu = NdArray<f64>;

#[cfg(not(feature = "schwarz"))]
const SOLVERS: [Solver; 4] = [Solver::Auto, Solver::Cg, Solver::Lsmr, Solver::Map];
#[cfg(feature = "schwarz")]
const SOLVERS: [Solver; 5] = [Solver::Auto, Solver::Cg, Solver::Lsmr, Solver::Map, Solver::Schwarz];

/// Rows of some factors in canonical order, with weights and columns.
#[derive(Clone)]
struct Rows {
    codes: Vec<Vec<u32>>,
    weights: Option<Vec<f64>>,
    columns: Vec<Vec<f64>>,
}

impl Rows {
    fn factors(&self) -> Vec<Factor> {
        let factor = |codes: &Vec<u32>| {
            let mut distinct = codes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let code = |c: &u32| distinct.partition_point(|d| d < c) as u32;
            Factor { codes: codes.iter().map(code).collect(), levels: distinct.len() }
        };
        self.codes.iter().map(factor).collect()
    }

    /// Sorted by the codes of a factor, then of the others.
    fn sorted_by(&self, lead: usize) -> (Self, Vec<usize>) {
        let mut order: Vec<usize> = (0..self.codes[0].len()).collect();
        order.sort_by_key(|i| {
            (self.codes[lead][*i], self.codes.iter().map(|c| c[*i]).collect::<Vec<_>>())
        });
        let put = |v: &Vec<f64>| order.iter().map(|i| v[*i]).collect::<Vec<f64>>();
        let codes = self.codes.iter().map(|c| order.iter().map(|i| c[*i]).collect()).collect();
        let columns = self.columns.iter().map(put).collect();
        (Self { codes, weights: self.weights.as_ref().map(put), columns }, order)
    }

    fn demean(&self, solver: Solver, tolerance: f64) -> DemeanedColumns {
        self.try_demean(&DemeanOptions { solver, tolerance, iterations: 100_000 })
            .expect("demeaned")
    }

    fn try_demean(&self, options: &DemeanOptions) -> crate::Result<DemeanedColumns> {
        let factors = self.factors();
        let place = On::<Cpu> { device: &Default::default(), precision: Precision::F64 };
        let demeaner = Demeaner::new(&factors, self.weights.as_deref(), options, &place)?;
        let columns: Vec<Column<'_>> =
            self.columns.iter().map(|values| Column { name: "x", values }).collect();
        demeaner.demean(&columns, None)
    }

    /// The residuals by Gram-Schmidt over all indicators, twice: an independent way, for few levels.
    fn projected(&self) -> Vec<Vec<f64>> {
        let n = self.codes[0].len();
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]);
        let dot = |a: &[f64], b: &[f64]| (0..n).map(|i| weight(i) * a[i] * b[i]).sum::<f64>();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let take = |basis: &[Vec<f64>], x: &mut [f64]| {
            for _ in 0..3 {
                for b in basis {
                    let share = dot(b, x);
                    for (x, b) in x.iter_mut().zip(b) {
                        *x -= share * b;
                    }
                }
            }
        };
        for factor in self.factors() {
            for level in 0..factor.levels as u32 {
                let mut x: Vec<f64> =
                    factor.codes.iter().map(|c| f64::from(u8::from(*c == level))).collect();
                let before = dot(&x, &x);
                take(&basis, &mut x);
                let after = dot(&x, &x);
                if after > 1e-18 * before {
                    for x in &mut x {
                        *x /= after.sqrt();
                    }
                    basis.push(x);
                }
            }
        }
        let mut columns = self.columns.clone();
        for x in &mut columns {
            take(&basis, x);
        }
        columns
    }
}

fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
}

/// The design of section 12 of the notes on LSMR: three factors and weights, 60 rows.
fn example(weighted: bool) -> Rows {
    let row = |i: usize| {
        let t = i as f64;
        let (f1, f2, f3) = ((7 * i + 3) % 9, (i * i + 2 * i) % 7, (i / 4) % 5);
        let x = (1.7 * t + 0.3).sin();
        let z = (0.9 * (i * i) as f64 / 7.0 + 0.1).cos();
        let noise = 0.3 * (12.9898 * t + 78.233).sin();
        let y = 0.5 * x - 0.3 * z + 0.1 * f1 as f64 - 0.2 * f2 as f64 + noise;
        ([f1 as u32, f2 as u32, f3 as u32], 1.0 + 0.5 * (0.37 * t).sin().powi(2), [y, x, z])
    };
    let rows: Vec<_> = (0..60).map(row).collect();
    Rows {
        codes: (0..3).map(|f| rows.iter().map(|r| r.0[f]).collect()).collect(),
        weights: weighted.then(|| rows.iter().map(|r| r.1).collect()),
        columns: (0..3).map(|c| rows.iter().map(|r| r.2[c]).collect()).collect(),
    }
}

/// Numbers without a pattern, in -1 to 1.
fn noise(seed: u64, index: usize) -> f64 {
    let mut x = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ seed.wrapping_mul(0xD1B5_4A32_D192_ED03);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn pick(seed: u64, index: usize, levels: usize) -> u32 {
    ((noise(seed, index) + 1.0) / 2.0 * levels as f64) as u32
}

/// Workers who seldom change to a near firm; with years, if there are to be three factors.
fn network(workers: usize, years: usize, firms: usize, three: bool) -> Rows {
    let n = workers * years;
    let (mut codes, mut firm) = (vec![Vec::with_capacity(n); 2 + usize::from(three)], 0);
    for i in 0..n {
        let (worker, year) = (i / years, i % years);
        if year == 0 {
            firm = worker * firms / workers;
        } else if noise(1, i) > 0.7 {
            firm = (firm + 1 + pick(2, i, 3) as usize) % firms;
        }
        codes[0].push(worker as u32);
        codes[1].push(firm as u32);
        if three {
            codes[2].push(year as u32);
        }
    }
    let column = |seed: u64| {
        let value = |i: usize| {
            noise(seed, i) + noise(seed + 7, i / years) + f64::from(codes[1][i]) / firms as f64
        };
        (0..n).map(value).collect()
    };
    let columns = (0..5).map(|k| column(10 + k)).collect();
    let weights = Some((0..n).map(|i| 1.5 + noise(5, i)).collect());
    let rows = Rows { codes, weights, columns };
    rows.sorted_by(0).0
}

/// Units in periods, every unit in each.
fn panel(units: usize, periods: usize) -> Rows {
    let n = units * periods;
    let codes = vec![
        (0..n).map(|i| (i / periods) as u32).collect(),
        (0..n).map(|i| (i % periods) as u32).collect(),
    ];
    let columns =
        (0..2).map(|k| (0..n).map(|i| noise(k, i) + (i % periods) as f64).collect()).collect();
    Rows { codes, weights: None, columns }
}

#[test]
fn the_published_example_to_its_digits() {
    let unweighted = [0.073_657_562_594, 0.375_207_063_543, -0.617_274_130_724, -0.576_991_480_059];
    let weighted = [0.130_862_346_951, 0.437_599_790_053, -0.604_841_999_378, -0.553_131_461_126];
    for (weights, expected) in [(false, unweighted), (true, weighted)] {
        let (rows, order) = example(weights).sorted_by(0);
        for solver in SOLVERS {
            // The published numbers are those of this tolerance, and good to about as much.
            let out = rows.demean(solver, 1e-11);
            for (i, expected) in expected.iter().enumerate() {
                let at = order.iter().position(|r| *r == i).expect("row");
                let got = out.residuals[0][at];
                assert!(
                    (got - expected).abs() < 1e-10,
                    "{solver:?}, row {i}: {got} and {expected}"
                );
            }
        }
    }
}

#[test]
fn lsmr_takes_the_steps_of_the_published_example() {
    let out = example(false).sorted_by(0).0.demean(Solver::Lsmr, 1e-10);
    assert_eq!(
        (out.columns[0].iterations, out.columns[0].stop, out.solver),
        (12, Stop::Tolerance, "lsmr")
    );
}

#[test]
fn all_solvers_project() {
    let designs = [
        example(true).sorted_by(0).0,
        network(40, 6, 12, false),
        network(40, 6, 12, true),
        panel(15, 4),
        Rows { weights: Some((0..60).map(|i| 1.0 + f64::from(i % 4)).collect()), ..panel(15, 4) },
    ];
    for (d, rows) in designs.iter().enumerate() {
        let expected = rows.projected();
        for solver in SOLVERS {
            let out = rows.demean(solver, 1e-12);
            let worst = distance(&out.residuals, &expected);
            assert!(worst < 1e-9, "design {d}, {solver:?} ({}): off by {worst:e}", out.solver);
            assert!(out.warnings.is_empty());
            let factors = rows.factors();
            for ((column, residual), effects) in
                rows.columns.iter().zip(&out.residuals).zip(&out.effects)
            {
                for (i, (x, r)) in column.iter().zip(residual).enumerate() {
                    let (mut fitted, mut first) = (0.0, 0);
                    for factor in &factors {
                        fitted += effects[first + factor.codes[i] as usize];
                        first += factor.levels;
                    }
                    assert_eq!(effects.len(), first);
                    assert!((x - fitted - r).abs() < 1e-9, "effects add up to what was taken");
                }
            }
        }
    }
}

#[test]
fn a_looser_tolerance_is_kept_on_hard_networks() {
    let rows = network(600, 5, 160, true);
    let exact = rows.demean(Solver::Cg, 1e-13);
    for (solver, allowed) in [(Solver::Auto, 1e-8), (Solver::Map, 3e-8)] {
        let out = rows.demean(solver, 1e-8);
        for (k, (a, b)) in out.residuals.iter().zip(&exact.residuals).enumerate() {
            let norm =
                |f: &dyn Fn(usize) -> f64| (0..a.len()).map(|i| f(i).powi(2)).sum::<f64>().sqrt();
            let relative = norm(&|i| a[i] - b[i]) / norm(&|i| b[i]);
            assert!(
                relative < allowed,
                "{solver:?}, column {k}: {relative:e}, {:?}",
                out.columns[k]
            );
        }
    }
}

#[test]
fn means_for_one_factor_and_closed_form_for_balanced_panels() {
    let mut rows = panel(20, 5);
    let out = rows.demean(Solver::Auto, 1e-8);
    assert_eq!(
        (out.solver, out.columns[0].stop, out.columns[0].iterations),
        ("balanced", Stop::Exact, 0)
    );
    assert!(out.columns.iter().all(|c| c.normal_residual < 1e-15));
    let weight = |i: usize| [1.0, 2.0, 4.0, 0.5, 1.0][i % 5] * [1.0, 3.0][i / 5 % 2];
    rows.weights = Some((0..100).map(weight).collect());
    let out = rows.demean(Solver::Auto, 1e-8);
    assert_eq!(out.solver, "balanced");
    assert!(distance(&out.residuals, &rows.projected()) < 1e-13);
    rows.weights.as_mut().expect("weights")[7] *= 1.001;
    let out = rows.demean(Solver::Auto, 1e-12);
    assert_eq!(out.solver, "cg");
    assert!(distance(&out.residuals, &rows.projected()) < 1e-11);
    rows.codes.pop();
    for solver in SOLVERS {
        let out = rows.demean(solver, 1e-8);
        assert_eq!((out.solver, out.columns[0].stop), ("means", Stop::Exact));
        assert!(distance(&out.residuals, &rows.projected()) < 1e-13);
    }
}

#[test]
fn columns_that_need_nothing() {
    for solver in [Solver::Cg, Solver::Lsmr, Solver::Map] {
        let mut rows = network(40, 6, 12, true);
        let orthogonal = rows.projected().swap_remove(0);
        let absorbed = rows.codes[1].iter().map(|c| f64::from(*c).sqrt()).collect();
        let n = orthogonal.len();
        rows.columns = vec![orthogonal.clone(), vec![0.0; n], vec![3.7; n], absorbed];
        let out = rows.demean(solver, 1e-10);
        let stops: Vec<Stop> = out.columns.iter().map(|c| c.stop).collect();
        assert!(distance(&out.residuals[..1], &[orthogonal]) < 1e-12, "{solver:?}");
        assert_eq!(stops[1], Stop::AlreadyOrthogonal, "{solver:?}");
        for residual in &out.residuals[1..] {
            assert!(residual.iter().all(|r| r.abs() < 1e-8), "{solver:?}: {stops:?}");
        }
        assert_eq!(out.columns[1].normal_residual, 0.0);
    }
}

#[test]
fn factors_that_repeat_nest_or_are_constant_change_nothing() {
    let two = network(40, 6, 12, false);
    let expected = two.projected();
    let n = expected[0].len();
    let same = two.codes[1].clone();
    let nested: Vec<u32> = two.codes[0].iter().map(|w| w / 7).collect();
    for more in [same, nested, vec![0; n]] {
        let mut rows = two.clone();
        rows.codes.push(more);
        for solver in SOLVERS {
            let worst = distance(&rows.demean(solver, 1e-12).residuals, &expected);
            assert!(worst < 1e-9, "{solver:?}: {worst:e}");
        }
    }
    // Every row a level of its own: nothing is left.
    let mut rows = two.clone();
    rows.codes.insert(0, (0..n as u32).collect());
    for solver in SOLVERS {
        let out = rows.demean(solver, 1e-8);
        assert!(out.residuals.iter().flatten().all(|r| r.abs() < 1e-12), "{solver:?}");
    }
}

#[test]
fn any_order_of_factors_and_scale_of_columns() {
    let rows = network(200, 5, 30, true);
    let expected = rows.demean(Solver::Auto, 1e-12).residuals;
    let mut other = rows.clone();
    other.codes.rotate_left(1);
    assert!(distance(&other.demean(Solver::Auto, 1e-12).residuals, &expected) < 1e-10);
    let mut other = rows.clone();
    let scale = 2.0_f64.powi(40);
    other.columns.iter_mut().flatten().for_each(|x| *x *= scale);
    let mut scaled = other.demean(Solver::Auto, 1e-12).residuals;
    scaled.iter_mut().flatten().for_each(|x| *x /= scale);
    assert_eq!(scaled, expected, "a power of two changes no digit");
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    // Several blocks, and firms that share workers all over.
    let mut rows = network(8_000, 6, 3_000, true);
    rows.codes[1] = (0..48_000).map(|i| pick(9, i, 3_000)).collect();
    rows.columns.truncate(3);
    for solver in SOLVERS {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            pool.install(|| rows.demean(solver, 1e-8))
        };
        let (one, three) = (run(1), run(3));
        assert_eq!(one.residuals, three.residuals, "{solver:?}");
        assert_eq!(one.columns, three.columns, "{solver:?}");
    }
}

#[test]
fn weights_of_all_magnitudes() {
    let mut rows = network(60, 6, 15, true);
    rows.weights =
        Some((0..360).map(|i| if i % 11 == 0 { 1e12 } else { 1.0 + noise(3, i) / 2.0 }).collect());
    let expected = rows.projected();
    for solver in [Solver::Auto, Solver::Cg] {
        let out = rows.demean(solver, 1e-10);
        let weights = rows.weights.as_ref().expect("weights");
        for (k, (residual, expected)) in out.residuals.iter().zip(&expected).enumerate() {
            let norm = |f: &dyn Fn(usize) -> f64| {
                (0..360).map(|i| weights[i] * f(i).powi(2)).sum::<f64>().sqrt()
            };
            let relative = norm(&|i| residual[i] - expected[i]) / norm(&|i| rows.columns[k][i]);
            assert!(relative < 1e-9, "{solver:?}: {relative:e}, {:?}", out.columns[k]);
        }
    }
}

#[test]
fn what_does_not_converge_says_so() {
    let mut rows = network(3_000, 5, 800, false);
    rows.columns.truncate(1);
    for solver in [Solver::Cg, Solver::Lsmr, Solver::Map] {
        let error = rows.try_demean(&DemeanOptions { solver, tolerance: 1e-10, iterations: 7 });
        match error {
            Err(DidError::NotDemeaned { column, iterations, normal }) => {
                assert_eq!(column, "x");
                assert!((6..=7).contains(&iterations) && normal > 1e-10 && normal <= 1.0);
            }
            other => panic!("{solver:?}: {:?}", other.map(|o| o.columns)),
        }
    }
    rows.columns[0][3] = 1e200;
    let error = rows.try_demean(&DemeanOptions::default());
    assert!(matches!(error, Err(DidError::CovariateRange { .. })));
    rows.codes[0].reverse();
    rows.codes[1].swap(0, 50);
    let error = rows.try_demean(&DemeanOptions::default());
    assert!(matches!(error, Err(DidError::Engine { .. })));
}

#[test]
fn no_limit_is_exceeded() {
    // Two sweeps are enough for the panel, and no number here is for the network.
    for (rows, enough) in [(panel(15, 4), 2), (network(600, 5, 160, true), usize::MAX)] {
        for solver in [Solver::Cg, Solver::Lsmr, Solver::Map] {
            for limit in 1..8 {
                let options = DemeanOptions { solver, tolerance: 1e-10, iterations: limit };
                match rows.try_demean(&options) {
                    Ok(out) => {
                        assert!(out.columns.iter().all(|c| c.iterations <= limit), "{solver:?}");
                        assert!(limit >= enough || solver != Solver::Map, "{limit}");
                    }
                    Err(DidError::NotDemeaned { iterations, normal, .. }) => {
                        assert!(iterations <= limit && normal.is_finite(), "{solver:?}: {limit}");
                        assert!(limit < enough || solver != Solver::Map, "{limit}");
                    }
                    Err(other) => panic!("{solver:?}: {other}"),
                }
            }
        }
    }
}

#[test]
fn a_warm_start_is_where_it_ended() {
    let rows = network(500, 5, 90, true);
    let factors = rows.factors();
    let columns: Vec<Column<'_>> =
        rows.columns.iter().map(|values| Column { name: "x", values }).collect();
    for solver in [Solver::Cg, Solver::Lsmr] {
        let options = DemeanOptions { solver, tolerance: 1e-10, iterations: 10_000 };
        let place = On::<Cpu> { device: &Default::default(), precision: Precision::F64 };
        let weights = rows.weights.as_deref();
        let mut demeaner = Demeaner::new(&factors, weights, &options, &place).expect("prepared");
        let cold = demeaner.demean(&columns, None).expect("cold");
        let warm = demeaner.demean(&columns, Some(&cold.effects)).expect("warm");
        assert!(warm.columns[0].iterations * 3 < cold.columns[0].iterations, "{solver:?}");
        assert!(distance(&warm.residuals, &cold.residuals) < 1e-7, "{solver:?}");
        demeaner.weigh(vec![1.0; rows.columns[0].len()]).expect("other weights");
        let unweighted = Rows { weights: None, ..rows.clone() }.demean(solver, 1e-10);
        let warm = demeaner.demean(&columns, Some(&cold.effects)).expect("warm");
        assert!(distance(&warm.residuals, &unweighted.residuals) < 1e-6, "{solver:?}");
    }
}
