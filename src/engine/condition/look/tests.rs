//! Sums over raw columns: hand-sized, and by pieces.

use super::*;

#[cfg(feature = "cluster")]
/// Of each kind, with these numbers.
impl Look {
    pub(crate) fn examples(numbers: &[f64]) -> Vec<Self> {
        let (mean, centre) = (vec![numbers.to_vec(), Vec::new()], vec![Vec::new(); 3]);
        let covariate = |sum| Self::Covariate(CovariateLook { covariate: 1, covariates: 4, sum });
        let versions = vec![None, Some(7)];
        let doses = |question| Self::Doses(DoseLook { versions: versions.clone(), question });
        let (largest, mean_of) = (numbers[0], numbers[numbers.len() - 1]);
        let standard = numbers.iter().map(|v| (*v, -v)).collect();
        vec![
            Self::Columns(ColumnLook { mean, centre, weights: 2, sampling: 1, squares: true }),
            covariate(CovariateSum::Largest),
            covariate(CovariateSum::Scaled { largest }),
            covariate(CovariateSum::Squares { largest, mean: mean_of }),
            Self::Products(ProductLook {
                strata: 3..9,
                standard,
                lower: Some(numbers.to_vec()),
                sampling: 0,
            }),
            Self::Weights(WeightLook { column: 3, factor: mean_of }),
            doses(DoseQuestion::Range { distinct: 5 }),
            doses(DoseQuestion::Digits { digit: 3, prefixes: vec![0, u64::MAX] }),
        ]
    }
}

#[cfg(feature = "cluster")]
/// Of each kind, with these numbers.
impl LookStat {
    pub(crate) fn examples(numbers: &[f64]) -> Vec<Self> {
        let (y, x, w) = (numbers.to_vec(), Vec::new(), numbers.to_vec());
        let products = Gram { zz: numbers.to_vec(), ..Gram::zero(0, 0) };
        let number = numbers.iter().copied().map(Self::Number);
        let size = numbers.to_vec();
        let rows_y = vec![3.0; numbers.len()];
        let columns = ColumnSums { y, size, x, w, rows_y, rows_x: 3.0 };
        let sums = [Self::Columns(columns), Self::Products(products)];
        let (lowest, highest) = (numbers[0], numbers[numbers.len() - 1]);
        let range = DoseStat::Range { lowest, highest, distinct: numbers.to_vec() };
        let doses = [range, DoseStat::Digits(vec![0, u64::MAX])].map(Self::Doses);
        sums.into_iter().chain(doses).chain(number).collect()
    }
}

/// Two outcomes, two versions of a covariate and a weight.
fn stratum(rows: usize) -> StratumData {
    let column = |j: usize| (0..rows).map(move |i| ((i + 7 * j) as f64 * 0.3).sin());
    let columns = |range: Range<usize>| range.flat_map(column).collect::<Vec<f64>>();
    let rank = (0..rows as u64).collect();
    let (y, x, w) = (columns(0..2), columns(2..4), columns(4..5));
    StratumData { rows, y, x, w, rank, cluster: Vec::new() }
}

fn hand() -> StratumData {
    StratumData {
        rows: 3,
        y: vec![1.0, 2.0, 6.0],
        x: vec![-4.0, 2.0, 0.0, 8.0, 0.0, 0.0],
        w: vec![1.0, 2.0, 3.0],
        rank: vec![0, 1, 2],
        cluster: Vec::new(),
    }
}

fn whole(data: &StratumData) -> Piece<'_> {
    Piece { stratum: 0, first: 0, data, start: 0, rows: data.rows }
}

fn asked(look: &Look, data: &StratumData) -> LookStat {
    let mut stat = look.none(0);
    look.add(&whole(data), &mut stat).expect("its own statistic");
    stat
}

#[test]
fn sums_by_hand() {
    let data = hand();
    let (mean, centre) = (vec![vec![3.0]], vec![vec![1.0, 0.0]]);
    let columns = |squares| {
        let (mean, centre) = (mean.clone(), centre.clone());
        asked(&Look::Columns(ColumnLook { mean, centre, weights: 1, sampling: 1, squares }), &data)
    };
    let sums = |y, size, x: [f64; 2], w| {
        LookStat::Columns(ColumnSums {
            y: vec![y],
            size: vec![size],
            x: x.to_vec(),
            w: vec![w],
            rows_y: vec![3.0],
            rows_x: 3.0,
        })
    };
    assert_eq!(columns(false), sums(0.0, 6.0, [-5.0, 8.0], 6.0));
    assert_eq!(columns(true), sums(14.0, 0.0, [27.0, 64.0], 14.0));
    let covariate =
        |sum| asked(&Look::Covariate(CovariateLook { covariate: 0, covariates: 1, sum }), &data);
    assert_eq!(covariate(CovariateSum::Largest), LookStat::Number(8.0));
    assert_eq!(covariate(CovariateSum::Scaled { largest: 8.0 }), LookStat::Number(0.75));
    let squares = covariate(CovariateSum::Squares { largest: 2.0, mean: 1.0 });
    assert_eq!(squares, LookStat::Number(9.0 + 0.0 + 1.0 + 9.0 + 1.0 + 1.0));
    let weights = asked(&Look::Weights(WeightLook { column: 0, factor: 0.5 }), &data);
    assert_eq!(weights, LookStat::Number(3.0));
    let look = ProductLook { strata: 0..1, standard: vec![(2.0, 2.0)], lower: None, sampling: 1 };
    let LookStat::Products(gram) = asked(&Look::Products(look), &data) else { panic!("products") };
    assert_eq!(gram.zz, [3.0, -4.0, -4.0, 10.0]);
}

#[test]
fn rows_without_weight_take_no_part() {
    let data = StratumData { w: vec![1.0, 0.0, 3.0], ..hand() };
    let heavy = StratumData {
        y: vec![1.0, 1e300, 6.0],
        x: vec![-4.0, 1e300, 0.0, 8.0, -1e300, 0.0],
        ..data.clone()
    };
    let columns = |squares| {
        let (mean, centre) = (vec![vec![3.0]], vec![vec![1.0, 0.0]]);
        Look::Columns(ColumnLook { mean, centre, weights: 0, sampling: 1, squares })
    };
    let (standard, lower) = (vec![(2.0, 2.0)], None);
    let products = ProductLook { strata: 0..1, standard, lower, sampling: 1 };
    for look in [columns(false), columns(true), Look::Products(products)] {
        assert_eq!(asked(&look, &data), asked(&look, &heavy), "{look:?}");
    }
    let LookStat::Columns(sums) = asked(&columns(false), &heavy) else { panic!("columns") };
    assert_eq!((sums.y, sums.rows_y, sums.rows_x), (vec![1.0], vec![2.0], 2.0));
    assert_eq!(sums.x, [-6.0, 8.0]);
}

/// A column that there is not is an error and no zero.
#[test]
fn columns_that_are_not_there_are_refused() {
    let data = hand();
    let columns = |mean: usize, centre: usize, weights| {
        let (mean, centre) = (vec![vec![0.0; mean]], vec![vec![0.0; centre]]);
        Look::Columns(ColumnLook { mean, centre, weights, sampling: 0, squares: false })
    };
    let (sum, standard) = (CovariateSum::Largest, vec![(0.0, 1.0); 3]);
    for look in [
        columns(2, 2, 1),
        columns(1, 3, 1),
        columns(1, 2, 2),
        Look::Covariate(CovariateLook { covariate: 2, covariates: 3, sum }),
        Look::Products(ProductLook { strata: 0..1, standard, lower: None, sampling: 0 }),
        Look::Weights(WeightLook { column: 1, factor: 1.0 }),
    ] {
        let refused = look.add(&whole(&data), &mut look.none(0));
        assert!(matches!(refused, Err(DidError::Engine { .. })), "{look:?}");
    }
}

/// Bit for bit, however the tiles come.
#[test]
fn sums_do_not_depend_on_pieces() {
    let data = stratum(3 * TILE + 11);
    let columns = ColumnLook {
        mean: vec![vec![0.1, -0.2]],
        centre: vec![vec![0.3, 0.0]],
        weights: 1,
        sampling: 1,
        squares: true,
    };
    let covariate = |sum| Look::Covariate(CovariateLook { covariate: 0, covariates: 1, sum });
    for look in [
        Look::Columns(columns),
        covariate(CovariateSum::Largest),
        covariate(CovariateSum::Scaled { largest: 3.0 }),
        covariate(CovariateSum::Squares { largest: 3.0, mean: 0.1 }),
        Look::Products(ProductLook {
            strata: 0..1,
            standard: vec![(0.5, 0.7)],
            lower: Some(vec![0.9]),
            sampling: 1,
        }),
        Look::Weights(WeightLook { column: 0, factor: 1.0 / 3.0 }),
    ] {
        let mut stat = look.none(0);
        for (start, end) in [(0, TILE), (TILE, 3 * TILE), (3 * TILE, data.rows)] {
            let piece = Piece { stratum: 0, first: start, data: &data, start, rows: end - start };
            look.add(&piece, &mut stat).expect("its own statistic");
        }
        assert_eq!(stat, asked(&look, &data), "{look:?}");
    }
}

#[test]
fn segments_are_merged_by_what_is_asked() {
    let covariate = |sum| Look::Covariate(CovariateLook { covariate: 0, covariates: 1, sum });
    let merged = |look: &Look, a, b| {
        let mut stat = LookStat::Number(a);
        look.merge(&mut stat, &LookStat::Number(b)).expect("numbers");
        stat
    };
    assert_eq!(merged(&covariate(CovariateSum::Largest), 3.0, 2.0), LookStat::Number(3.0));
    let scaled = covariate(CovariateSum::Scaled { largest: 1.0 });
    assert_eq!(merged(&scaled, 3.0, 2.0), LookStat::Number(5.0));
    assert!(
        scaled.merge(&mut LookStat::Number(0.0), &LookStat::Products(Gram::zero(1, 0))).is_err()
    );
    let columns =
        |y: usize| LookStat::Columns(ColumnSums { y: vec![0.0; y], ..Default::default() });
    let look = Look::Columns(ColumnLook {
        mean: Vec::new(),
        centre: Vec::new(),
        weights: 0,
        sampling: 0,
        squares: false,
    });
    let error = look.merge(&mut columns(2), &columns(3)).expect_err("other columns").to_string();
    assert!(error.contains("sums of [3, 0, 0] columns"), "{error}");
}
