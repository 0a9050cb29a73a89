//! Effects found on a device against those of the host, for any backend and precision.

use burn::backend::NdArray;

use super::{Column, DemeanOptions, DemeanedColumns, Demeaner, Factor, On, Solver};
use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::base::options::Stop;
use crate::engine::backend::DidBackend;

/// Rows sorted by the first factor.
pub(crate) struct Rows {
    name: &'static str,
    factors: Vec<Factor>,
    weights: Option<Vec<f64>>,
    columns: Vec<Vec<f64>>,
}

/// Uniform numbers from a counter.
fn noise(seed: u64, i: usize) -> f64 {
    let mut z = (seed << 32).wrapping_add(i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

impl Rows {
    /// Rows with these levels, by factor; those of the first in order.
    fn new(name: &'static str, codes: &[Vec<u32>], weighted: bool, columns: usize) -> Self {
        let n = codes[0].len();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|i| codes.iter().map(|c| c[*i]).collect::<Vec<u32>>());
        let factor = |codes: &Vec<u32>| {
            let mut distinct = codes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let code = |i: &usize| distinct.partition_point(|d| *d < codes[*i]) as u32;
            Factor { codes: order.iter().map(code).collect(), levels: distinct.len() }
        };
        let factors: Vec<Factor> = codes.iter().map(factor).collect();
        let column = |j: usize| {
            let value = |i: usize| {
                let of_levels = |(f, factor): (usize, &Factor)| {
                    5.0 * noise(100 + f as u64 + 10 * j as u64, factor.codes[i] as usize)
                };
                let effects: f64 = factors.iter().enumerate().map(of_levels).sum();
                effects + noise(j as u64, i) - 0.5
            };
            (0..n).map(value).collect()
        };
        let weights = weighted.then(|| (0..n).map(|i| 0.2 + noise(77, i)).collect());
        let columns = (0..columns).map(column).collect();
        Self { name, factors, weights, columns }
    }

    /// Networks with one, some and many levels, in which levels hang together well or badly.
    pub(crate) fn all() -> Vec<Self> {
        let draw = |n: usize, levels: usize, seed| -> Vec<u32> {
            (0..n).map(|i| (noise(seed, i) * levels as f64) as u32).collect()
        };
        let counted =
            |n: usize, each: usize| -> Vec<u32> { (0..n).map(|i| (i / each) as u32).collect() };
        let panel = counted(3_000, 6);
        let years: Vec<u32> = (0..3_000).map(|i| ((i + i / 40) % 7) as u32).collect();
        // Workers move between neighbouring firms of a chain.
        let firms = |n: usize, each: usize, firms: usize| -> Vec<u32> {
            let workers = n / each;
            let firm = |i: usize| i / each * firms / workers + usize::from(i.is_multiple_of(each));
            (0..n).map(|i| firm(i) as u32).collect()
        };
        vec![
            Self::new("two factors", &[draw(2_000, 60, 1), draw(2_000, 25, 2)], false, 1),
            Self::new("weights", &[draw(2_000, 60, 1), draw(2_000, 25, 2)], true, 3),
            Self::new(
                "three factors",
                &[panel.clone(), years.clone(), draw(3_000, 40, 3)],
                true,
                10,
            ),
            Self::new(
                "few levels",
                &[draw(30_000, 9, 4), draw(30_000, 2, 5), draw(30_000, 4, 6)],
                false,
                2,
            ),
            Self::new("one level", &[panel.clone(), vec![0; 3_000], years], true, 2),
            Self::new("chain", &[counted(900, 3), firms(900, 3, 120)], false, 2),
            Self::new("long chain", &[counted(1_200, 4), firms(1_200, 4, 240)], true, 3),
            Self::new(
                "a cell a level",
                &[(0..500).collect(), (0..500).map(|i| i / 2).collect()],
                false,
                1,
            ),
        ]
    }

    fn demean<B: DidBackend>(
        &self,
        device: &B::Device,
        precision: Precision,
        options: &DemeanOptions,
    ) -> Result<DemeanedColumns> {
        let weights = self.weights.as_deref();
        let place = On::<B> { device, precision };
        let demeaner = Demeaner::new(&self.factors, weights, options, &place)?;
        demeaner.demean(&self.named(), None)
    }

    fn named(&self) -> Vec<Column<'_>> {
        self.columns.iter().map(|values| Column { name: "x", values }).collect()
    }

    fn host(&self, tolerance: f64) -> DemeanedColumns {
        let options = DemeanOptions { tolerance, ..DemeanOptions::default() };
        self.demean::<NdArray<f64>>(&Default::default(), Precision::F64, &options)
            .expect("demeaned")
    }
}

/// Largest distance of residuals, relative to their norm by column.
fn distance(a: &DemeanedColumns, b: &DemeanedColumns) -> f64 {
    let of = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let norm = b.iter().map(|x| x * x).sum::<f64>().sqrt();
        let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        worst / norm.max(1e-9)
    };
    a.residuals.iter().zip(&b.residuals).map(of).fold(0.0, f64::max)
}

/// Residuals of every design are the host's, whatever the device computes in.
pub(crate) fn agree_with_the_host<B: DidBackend>(device: &B::Device, precision: Precision) {
    for rows in Rows::all() {
        let host = rows.host(1e-13);
        for (tolerance, close) in [(1e-8, 1e-8), (1e-12, 1e-11)] {
            let options = DemeanOptions { tolerance, solver: Solver::Cg, iterations: 100_000 };
            let done = rows.demean::<B>(device, precision, &options).expect("demeaned");
            let apart = distance(&done, &host);
            let report = &done.columns[0];
            assert!(done.device.is_some(), "{}", rows.name);
            assert!(apart < close, "{}: {apart:e} at {tolerance:e}, {report:?}", rows.name);
        }
    }
}

/// LSMR takes the steps that it takes on the host, in double precision; in single precision it is the host's.
pub(crate) fn take_the_steps_of_lsmr<B: DidBackend>(device: &B::Device, precision: Precision) {
    for rows in Rows::all() {
        let options = DemeanOptions { tolerance: 1e-11, solver: Solver::Lsmr, iterations: 100_000 };
        let done = rows.demean::<B>(device, precision, &options).expect("demeaned");
        let host = rows
            .demean::<NdArray<f64>>(&Default::default(), Precision::F64, &options)
            .expect("demeaned");
        let apart = distance(&done, &host);
        let steps =
            |of: &DemeanedColumns| of.columns.iter().map(|c| c.iterations).max().unwrap_or(0);
        assert_eq!(done.device.is_some(), precision == Precision::F64, "{}", rows.name);
        assert!(apart < 1e-8, "{}: {apart:e}", rows.name);
        assert!(steps(&done) <= steps(&host) * 11 / 10 + 2, "{}", rows.name);
    }
}

/// Other weights, and effects to begin with, as in iterated least squares.
pub(crate) fn begin_anew_with_other_weights<B: DidBackend>(
    device: &B::Device,
    precision: Precision,
) {
    let mut rows = Rows::new(
        "weights that change",
        &[(0..4_000).map(|i| i / 5).collect(), (0..4_000).map(|i| (i * i / 7 + i) % 53).collect()],
        true,
        2,
    );
    let options = DemeanOptions { tolerance: 1e-11, solver: Solver::Cg, iterations: 10_000 };
    let factors = rows.factors.clone();
    let first = rows.weights.clone();
    let place = On::<B> { device, precision };
    let mut demeaner = Demeaner::new(&factors, first.as_deref(), &options, &place).expect("held");
    let mut start = demeaner.demean(&rows.named(), None).expect("demeaned").effects;
    for factor in [1e-9, 1e6] {
        let weights: Vec<f64> = (0..4_000).map(|i| factor * (0.5 + noise(9, i))).collect();
        demeaner.weigh(weights.clone()).expect("weighed");
        rows.weights = Some(weights);
        let done = demeaner.demean(&rows.named(), Some(&start)).expect("demeaned");
        let apart = distance(&done, &rows.host(1e-13));
        assert!(apart < 1e-10, "{apart:e}");
        start = done.effects;
    }
    let again = demeaner.demean(&rows.named(), Some(&start)).expect("demeaned");
    assert!(again.columns.iter().all(|c| c.iterations < 20), "{:?}", again.columns);
}

/// What does not converge, and what needs no step.
pub(crate) fn stop_as_they_should<B: DidBackend>(device: &B::Device, precision: Precision) {
    let mut all = Rows::all();
    let chain = all.remove(5);
    let few = DemeanOptions { tolerance: 1e-8, solver: Solver::Cg, iterations: 7 };
    let error = chain.demean::<B>(device, precision, &few).expect_err("seven steps are too few");
    assert!(matches!(error, DidError::NotDemeaned { iterations: 7, .. }), "{error}");
    let mut simple = all.remove(0);
    let residual = simple.host(1e-13).residuals.remove(0);
    simple.columns = vec![residual, vec![0.0; 2_000], vec![3.0; 2_000]];
    let options = DemeanOptions::default();
    let done = simple.demean::<B>(device, precision, &options).expect("demeaned");
    for (column, residuals) in done.columns.iter().zip(&done.residuals).skip(1) {
        assert_eq!((column.stop, column.iterations), (Stop::AlreadyOrthogonal, 0));
        assert!(residuals.iter().all(|r| r.abs() < 1e-12));
    }
    assert!(done.columns[0].iterations < 12, "{:?}", done.columns[0]);
}

#[test]
fn tensor_operations_in_single_precision_agree_with_the_host() {
    agree_with_the_host::<NdArray<f32>>(&Default::default(), Precision::F32);
}

#[test]
fn tensor_operations_in_double_precision_agree_with_the_host() {
    agree_with_the_host::<NdArray<f32>>(&Default::default(), Precision::F64);
}

#[test]
fn tensor_operations_take_the_steps_of_lsmr() {
    for precision in [Precision::F64, Precision::F32] {
        take_the_steps_of_lsmr::<NdArray<f32>>(&Default::default(), precision);
    }
}

#[test]
fn tensor_operations_take_other_weights() {
    for precision in [Precision::F32, Precision::F64] {
        begin_anew_with_other_weights::<NdArray<f32>>(&Default::default(), precision);
        stop_as_they_should::<NdArray<f32>>(&Default::default(), precision);
    }
}
