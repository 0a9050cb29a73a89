use super::*;
use crate::engine::cell::fixtures::design;

/// Cross-products of rows `(weight, x, y)`; the outcome columns are `0` and `y`.
fn gram(rows: &[(f64, f64, f64)]) -> Gram {
    let mut gram = Gram::zero(2, 2);
    for (w, x, y) in rows {
        for (i, zi) in [1.0, *x].into_iter().enumerate() {
            for (j, zj) in [1.0, *x].into_iter().enumerate() {
                gram.zz[2 * i + j] += w * zi * zj;
            }
            gram.zy[2 * i + 1] += w * zi * y;
        }
    }
    gram
}

const CHANGE: Outcome = Outcome::Change { post: 1, base: 0 };

fn moments(rows: &[(f64, f64, f64)]) -> Moments {
    Moments::new([(&gram(rows), 0.0)], CHANGE, 2)
}

#[test]
fn moments_of_several_strata_are_lifted_to_one_level() {
    let (first, second) = ([(1.0, 0.0, 3.0)], [(2.0, 1.0, 5.0)]);
    let sum = Moments::new([(&gram(&first), 0.0), (&gram(&second), 10.0)], CHANGE, 2);
    let lifted = moments(&[(1.0, 0.0, 3.0), (2.0, 1.0, 15.0)]);
    assert_eq!((&sum.zz, &sum.zd), (&lifted.zz, &lifted.zd));
    assert_eq!((sum.total(), sum.z(), sum.d()), (3.0, &[3.0, 2.0][..], 33.0));
}

#[test]
fn residuals_are_sums_over_rows() {
    let m = moments(&[(1.0, 0.0, 3.0), (2.0, 1.0, 5.0)]);
    // Residuals from 1 + x: 2 and 3; less 1: 1 and 2.
    assert_eq!(m.residual(&[1.0, 1.0]), 1.0 * 2.0 + 2.0 * 3.0);
    assert_eq!(m.residual_z(&[1.0, 1.0], 1.0), [1.0 + 4.0, 4.0]);
}

#[test]
fn a_line_is_found() {
    let info = design(&["x"]);
    let m = moments(&[(1.0, 0.0, 1.0), (2.0, 1.0, 3.0), (0.5, 3.0, 7.0)]);
    let regression = Algebra::new(&info, RankRule::RawColumns).regress(&m).unwrap();
    assert!(regression.beta.iter().zip([1.0, 2.0]).all(|(b, e)| (b - e).abs() < 1e-12));
    // B⁻¹ B e = e.
    let back = regression.solve(&multiply(&m.zz, &[0.5, -1.0]));
    assert!(back.iter().zip([0.5, -1.0]).all(|(b, e)| (b - e).abs() < 1e-12));
}

#[test]
fn a_singular_design_names_its_column() {
    let info = design(&["age"]);
    let constant = moments(&[(1.0, 2.0, 1.0), (1.0, 2.0, 3.0)]);
    let status = Algebra::new(&info, RankRule::RawColumns).regress(&constant).err();
    let named = |status: &CellStatus| matches!(status, CellStatus::SingularDesign { columns, .. } if *columns == ["age"]);
    assert!(status.as_ref().is_some_and(named), "{status:?}");
}

/// A column of zeros is one of rounding errors once it has been centred and scaled.
#[test]
fn a_column_of_zeros_is_named() {
    for (mean, sd) in [(0.3, 0.46), (1.0 / 7.0, 0.35), (1e-3, 0.03), (0.9, 0.3)] {
        let info = DesignInfo { transform: vec![1.0, mean, 0.0, sd], ..design(&["fc"]) };
        for rows in 2..40 {
            let zeros: Vec<(f64, f64, f64)> = (0..rows)
                .map(|i| (1.0 + 0.1 * f64::from(i % 7), -mean / sd, f64::from(i)))
                .collect();
            let status = Algebra::new(&info, RankRule::RawColumns).regress(&moments(&zeros)).err();
            let Some(CellStatus::SingularDesign { columns, .. }) = status else {
                panic!("{mean} {sd} {rows}: {status:?}")
            };
            assert_eq!(columns, ["fc"], "{mean} {sd} {rows}");
        }
    }
}

#[test]
fn a_regression_of_treated_units_says_so() {
    let info = design(&["age"]);
    let constant = moments(&[(1.0, 2.0, 1.0), (1.0, 2.0, 3.0)]);
    let algebra = Algebra::new(&info, RankRule::RawColumns);
    let said = |status: Option<CellStatus>| status.map_or_else(String::new, |s| s.to_string());
    let treated = said(algebra.regress_treated(&constant).err());
    assert!(treated.contains("among the treated units") && treated.contains("`age`"), "{treated}");
    let comparison = said(algebra.regress(&constant).err());
    assert!(comparison.contains("among the comparison units"), "{comparison}");
}

#[test]
fn dropped_columns_have_no_coefficient() {
    let info = design(&["age"]);
    let mut algebra = Algebra::new(&info, RankRule::RawColumns);
    let m = moments(&[(1.0, 2.0, 1.0), (1.0, 2.0, 3.0)]);
    assert_eq!(algebra.drop_collinear(&m.zz, Precision::F64), ["age"]);
    assert!(algebra.is_constant());
    assert_eq!(algebra.regress(&m).unwrap().beta, [2.0, 0.0]);
}

#[test]
fn a_design_without_a_constant_goes_through_the_origin() {
    let info = DesignInfo { intercept: false, ..design(&["x"]) };
    let m = moments(&[(1.0, 1.0, 2.0), (1.0, 2.0, 4.0)]);
    assert_eq!(Algebra::new(&info, RankRule::RawColumns).regress(&m).unwrap().beta, [0.0, 2.0]);
}

#[test]
fn rank_is_judged_in_raw_coordinates() {
    let info = DesignInfo { transform: vec![1.0, 1e9, 0.0, 1.0], ..design(&["year"]) };
    let m = moments(&[(1.0, -1.0, 1.0), (1.0, 1.0, 3.0)]);
    assert!(matches!(
        Algebra::new(&info, RankRule::RawColumns).check_rank(&m.zz),
        Err(CellStatus::SingularDesign { .. })
    ));
}

#[test]
fn a_covariate_far_from_zero_is_singular_as_a_raw_column_alone() {
    let centred = moments(&[(1.0, -1.0, 1.0), (1.0, 0.0, 3.0), (1.0, 1.0, 4.0)]);
    let mut far = design(&["x"]);
    // The columns of `(1, x)` from those of `(1, x - 10⁸)`.
    far.transform = vec![1.0, 1e8, 0.0, 1.0];
    let raw = Algebra::new(&far, RankRule::RawColumns).regress(&centred).err();
    assert!(matches!(raw, Some(CellStatus::SingularDesign { .. })), "{raw:?}");
    let beta = Algebra::new(&far, RankRule::ScaledColumns).regress(&centred).unwrap().beta;
    assert!((beta[1] - 1.5).abs() < 1e-12);
    let constant = moments(&[(1.0, 2.0, 1.0), (1.0, 2.0, 3.0)]);
    assert!(Algebra::new(&far, RankRule::ScaledColumns).regress(&constant).is_err());
}
