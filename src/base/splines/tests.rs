use serde::Deserialize;

use super::Splines;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    degree: usize,
    breakpoints: Vec<f64>,
    order: usize,
    x: Vec<f64>,
    rows: Vec<Vec<f64>>,
}

#[test]
fn values_and_derivatives_are_those_of_scipy() {
    let golden = include_str!("../../../tests/golden/bsplines.json");
    let golden: Golden = serde_json::from_str(golden).unwrap();
    assert!(golden.cases.len() > 20);
    for case in golden.cases {
        let splines = Splines::new(case.degree, &case.breakpoints).unwrap();
        let largest = case.rows.iter().flatten().fold(1.0f64, |l, v| l.max(v.abs()));
        for (x, expected) in case.x.iter().zip(&case.rows) {
            let row = splines.row(*x, case.order);
            for (got, expected) in row.iter().zip(expected) {
                let error = (got - expected).abs();
                assert!(
                    error <= 1e-13 * expected.abs().max(1.0).max(1e-2 * largest),
                    "degree {}, order {}, x {x}: {got} against {expected}",
                    case.degree,
                    case.order
                );
            }
        }
    }
}

#[test]
fn values_add_up_to_one_and_derivatives_to_zero() {
    let splines = Splines::new(3, &[0.0, 0.2, 0.7, 1.0]).unwrap();
    assert_eq!((splines.len(), splines.degree(), splines.range()), (6, 3, (0.0, 1.0)));
    for x in [-0.3, 0.0, 0.1, 0.2, 0.65, 1.0, 1.4] {
        let sum = |order| splines.row(x, order).iter().sum::<f64>();
        assert!((sum(0) - 1.0).abs() < 1e-12 && sum(1).abs() < 1e-11 && sum(2).abs() < 1e-9);
    }
    assert_eq!(splines.row(1.0, 0)[5], 1.0);
    assert!(splines.row(0.5, 4).iter().all(|v| *v == 0.0));
}

#[test]
fn breakpoints_must_ascend() {
    for bad in [&[][..], &[1.0], &[1.0, 1.0], &[1.0, 0.0], &[0.0, f64::NAN], &[0.0, f64::INFINITY]]
    {
        assert!(Splines::new(3, bad).is_none(), "{bad:?}");
    }
    let splines = Splines::new(2, &[0.0, 0.5, 1.0]).unwrap();
    assert_eq!(splines.breakpoints(), [0.0, 0.5, 1.0]);
    assert!(splines.is_valid());
    let saved = serde_json::to_string(&splines).unwrap();
    assert_eq!(serde_json::from_str::<Splines>(&saved).unwrap(), splines);
    let broken: Splines = serde_json::from_str(r#"{"degree":2,"knots":[0.0,1.0]}"#).unwrap();
    assert!(!broken.is_valid());
}
