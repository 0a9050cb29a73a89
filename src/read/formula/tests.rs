//! Designs that R's `model.matrix` gives, derived by hand from its rules.

use proptest::prelude::*;

use super::{Design, Evaluated, Formula, RawColumn};
use crate::base::error::{DidError, Result};

const ROWS: usize = 6;

/// ```text
/// row  x  z    f  g  b      k
/// 0    1  0.5  b  u  TRUE   10
/// 1    2  1.5  a  v  FALSE  9
/// 2    3  2.5  c  u  TRUE   10
/// 3    4  3.5  a  u  FALSE  9
/// 4    5  4.5  b  v  FALSE  2
/// 5    6  5.5  c  v  TRUE   2
/// ```
fn column(name: &str) -> Result<RawColumn> {
    let factor = |codes: [u32; ROWS], levels: &[&str]| RawColumn::Factor {
        codes: codes.to_vec(),
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
    };
    Ok(match name {
        "x" => RawColumn::Numeric(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0].into()),
        "z" => RawColumn::Numeric(vec![0.5, 1.5, 2.5, 3.5, 4.5, 5.5].into()),
        "k" | "a year" => RawColumn::Numeric(vec![10.0, 9.0, 10.0, 9.0, 2.0, 2.0].into()),
        "f" => factor([1, 0, 2, 0, 1, 2], &["a", "b", "c"]),
        "g" => factor([0, 1, 0, 0, 1, 1], &["u", "v"]),
        "b" => factor([1, 0, 1, 0, 0, 1], &["FALSE", "TRUE"]),
        _ => {
            return Err(DidError::ColumnNotFound {
                column: name.to_owned(),
                role: "covariate",
                hint: String::new(),
                available: "x, z, f, g, b, k".to_owned(),
            });
        }
    })
}

fn evaluated(text: &str) -> Evaluated {
    Formula::parse(text).unwrap().evaluate(ROWS, &column).unwrap()
}

fn design(evaluated: &Evaluated, rows: &[u32]) -> Result<Design> {
    evaluated.design(&evaluated.present(rows))
}

fn values(design: &Design, index: usize, rows: &[u32]) -> Vec<f64> {
    let mut out = vec![f64::NAN; rows.len()];
    design.fill(index, rows, &mut out);
    out
}

/// Compares names and columns on rows `rows`.
fn check_rows(text: &str, rows: &[u32], expected: &[(&str, &[f64])]) {
    let design = design(&evaluated(text), rows).unwrap();
    let names: Vec<_> = expected.iter().map(|(name, _)| *name).collect();
    assert_eq!(design.names(), names, "{text}");
    assert_eq!(design.width(), names.len());
    for (index, (name, column)) in expected.iter().enumerate() {
        assert_eq!(values(&design, index, rows), *column, "{text}: {name}");
    }
}

fn check(text: &str, expected: &[(&str, &[f64; ROWS])]) {
    let expected: Vec<(&str, &[f64])> = expected.iter().map(|(n, c)| (*n, c.as_slice())).collect();
    check_rows(text, &[0, 1, 2, 3, 4, 5], &expected);
}

const ONE: &[f64; ROWS] = &[1.0; ROWS];
const X: &[f64; ROWS] = &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const FA: &[f64; ROWS] = &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
const FB: &[f64; ROWS] = &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
const FC: &[f64; ROWS] = &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
const GU: &[f64; ROWS] = &[1.0, 0.0, 1.0, 1.0, 0.0, 0.0];
const GV: &[f64; ROWS] = &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
const XFA: &[f64; ROWS] = &[0.0, 2.0, 0.0, 4.0, 0.0, 0.0];
const XFB: &[f64; ROWS] = &[1.0, 0.0, 0.0, 0.0, 5.0, 0.0];
const XFC: &[f64; ROWS] = &[0.0, 0.0, 3.0, 0.0, 0.0, 6.0];
const FA_GU: &[f64; ROWS] = &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
const FB_GU: &[f64; ROWS] = &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
const FC_GU: &[f64; ROWS] = &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
const FA_GV: &[f64; ROWS] = &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const FB_GV: &[f64; ROWS] = &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
const FC_GV: &[f64; ROWS] = &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

#[test]
fn intercept_and_numeric_terms() {
    check("~ 1", &[("(Intercept)", ONE)]);
    check("~ x - 1", &[("x", X)]);
    let square = &[1.0, 4.0, 9.0, 16.0, 25.0, 36.0];
    check("~ x + I(x^2)", &[("(Intercept)", ONE), ("x", X), ("I(x^2)", square)]);
    let xz = &[0.5, 3.0, 7.5, 14.0, 22.5, 33.0];
    let log = &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5].map(f64::ln);
    check("~ log(z) + x:z", &[("(Intercept)", ONE), ("log(z)", log), ("x:z", xz)]);
}

#[test]
fn factors_have_treatment_contrasts() {
    check("~ f", &[("(Intercept)", ONE), ("fb", FB), ("fc", FC)]);
    check("~ f + x", &[("(Intercept)", ONE), ("fb", FB), ("fc", FC), ("x", X)]);
    check("~ C(f) + g", &[("(Intercept)", ONE), ("C(f)b", FB), ("C(f)c", FC), ("gv", GV)]);
    check("~ b", &[("(Intercept)", ONE), ("bTRUE", &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0])]);
}

#[test]
fn numeric_levels_are_in_numeric_order() {
    let (nine, ten) = (FA, &[1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    check("~ C(k)", &[("(Intercept)", ONE), ("C(k)9", nine), ("C(k)10", ten)]);
    let names = [("(Intercept)", ONE), ("factor(`a year`)9", nine), ("factor(`a year`)10", ten)];
    check("~ factor(`a year`)", &names);
}

#[test]
fn without_an_intercept_the_first_factor_is_complete() {
    check("~ 0 + f", &[("fa", FA), ("fb", FB), ("fc", FC)]);
    check("~ 0 + f + g", &[("fa", FA), ("fb", FB), ("fc", FC), ("gv", GV)]);
    check("~ x + g + f - 1", &[("x", X), ("gu", GU), ("gv", GV), ("fb", FB), ("fc", FC)]);
    check(
        "~ 0 + b",
        &[("bFALSE", &[0.0, 1.0, 0.0, 1.0, 1.0, 0.0]), ("bTRUE", &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0])],
    );
}

#[test]
fn interactions_of_a_number_with_a_factor() {
    check(
        "~ x*f",
        &[("(Intercept)", ONE), ("x", X), ("fb", FB), ("fc", FC), ("x:fb", XFB), ("x:fc", XFC)],
    );
    check("~ f:x", &[("(Intercept)", ONE), ("fa:x", XFA), ("fb:x", XFB), ("fc:x", XFC)]);
    check("~ 0 + f:x", &[("fa:x", XFA), ("fb:x", XFB), ("fc:x", XFC)]);
    check("~ x + x:f", &[("(Intercept)", ONE), ("x", X), ("x:fb", XFB), ("x:fc", XFC)]);
    // Differs from R, whose three columns x:fa, x:fb, x:fc sum to x.
    check("~ 0 + x + x:f", &[("x", X), ("x:fb", XFB), ("x:fc", XFC)]);
    check(
        "~ f + f:x",
        &[
            ("(Intercept)", ONE),
            ("fb", FB),
            ("fc", FC),
            ("fa:x", XFA),
            ("fb:x", XFB),
            ("fc:x", XFC),
        ],
    );
}

#[test]
fn interactions_of_factors() {
    check(
        "~ f*g",
        &[
            ("(Intercept)", ONE),
            ("fb", FB),
            ("fc", FC),
            ("gv", GV),
            ("fb:gv", FB_GV),
            ("fc:gv", FC_GV),
        ],
    );
    // No margin is in the model, so both factors are complete, as in R; the first varies fastest.
    check(
        "~ f:g",
        &[
            ("(Intercept)", ONE),
            ("fa:gu", FA_GU),
            ("fb:gu", FB_GU),
            ("fc:gu", FC_GU),
            ("fa:gv", FA_GV),
            ("fb:gv", FB_GV),
            ("fc:gv", FC_GV),
        ],
    );
    // f is the margin that remains without g: g has contrasts in f:g, and f is complete.
    check(
        "~ f + f:g",
        &[
            ("(Intercept)", ONE),
            ("fb", FB),
            ("fc", FC),
            ("fa:gv", FA_GV),
            ("fb:gv", FB_GV),
            ("fc:gv", FC_GV),
        ],
    );
    check(
        "~ 0 + f*g",
        &[("fa", FA), ("fb", FB), ("fc", FC), ("gv", GV), ("fb:gv", FB_GV), ("fc:gv", FC_GV)],
    );
}

#[test]
fn marginality_looks_into_earlier_terms() {
    let names =
        |text: &str| design(&evaluated(text), &[0, 1, 2, 3, 4, 5]).unwrap().names().to_vec();
    let third = ["fb:gv:bTRUE", "fc:gv:bTRUE"];
    assert!(names("~ f*g*b").ends_with(&third.map(str::to_owned)));
    assert_eq!(names("~ f*g*b").len(), 12);
    // b is in f:b, an earlier term, so g has contrasts; f is not in any, so b is complete.
    let expected = ["(Intercept)", "fa:bFALSE", "fb:bFALSE", "fc:bFALSE"];
    assert_eq!(names("~ f:b + b:g")[..4], expected);
    assert_eq!(names("~ f:b + b:g")[7..], ["bFALSE:gv", "bTRUE:gv"]);
    assert_eq!(names("~ x:f:g").len(), 7);
}

#[test]
fn levels_are_those_of_the_kept_rows() {
    // Without rows 1 and 3, f has no level a, and k none of 9.
    let rows = [0, 2, 4, 5];
    check_rows("~ f", &rows, &[("(Intercept)", &[1.0; 4]), ("fc", &[0.0, 1.0, 0.0, 1.0])]);
    check_rows(
        "~ 0 + C(k):x",
        &rows,
        &[("C(k)2:x", &[0.0, 0.0, 5.0, 6.0]), ("C(k)10:x", &[1.0, 3.0, 0.0, 0.0])],
    );
    // One level left: absorbed by the intercept, or a column of ones without it.
    check_rows("~ f + x", &[1, 3], &[("(Intercept)", &[1.0; 2]), ("x", &[2.0, 4.0])]);
    check_rows("~ 0 + f", &[3, 1], &[("fa", &[1.0; 2])]);
}

#[test]
fn any_rows_in_any_order_can_be_filled() {
    let design = design(&evaluated("~ x*f"), &[0, 1, 2, 3, 4, 5]).unwrap();
    assert_eq!(values(&design, 4, &[4, 4, 1, 0]), [5.0, 5.0, 0.0, 1.0]);
    assert_eq!(values(&design, 1, &[]), [0.0; 0]);
    fn shared<T: Send + Sync + Clone>(_: &T) {}
    shared(&design);
    shared(&evaluated("~ x"));
}

#[test]
fn missing_values_are_reported() {
    let evaluated = evaluated("~ log(x - 2.5) + sqrt(z - 1) + f");
    let missing: Vec<bool> = (0..ROWS).map(|row| evaluated.blame(row).is_some()).collect();
    assert_eq!(missing, [true, true, false, false, false, false]);
    assert!(evaluated.blame(0).is_some() && evaluated.blame(5).is_none());
    assert_eq!(evaluated.blame(0), Some("log(x - 2.5)"));
    assert_eq!(evaluated.blame(2), None);
    assert!(evaluated.blame(99).is_none());
}

#[test]
fn too_many_columns_are_refused() {
    let rows: Vec<u32> = (0..300).collect();
    let column =
        |_: &str| Ok(RawColumn::Numeric((0..300).map(f64::from).collect::<Vec<_>>().into()));
    let error = |text: &str| {
        let evaluated = Formula::parse(text).unwrap().evaluate(300, &column).unwrap();
        design(&evaluated, &rows).unwrap_err().to_string()
    };
    assert_eq!(
        error("C(u):C(v)"),
        "formula `C(u):C(v)`: `C(u):C(v)` brings the design to more than 65536 columns"
    );
    assert!(error("C(u):x:C(v):C(w):C(a):C(b):C(c):C(d):C(e)").contains("65536"));
}

#[test]
fn the_formula_is_kept_as_text() {
    let formula = Formula::parse("~ x+log( z )").unwrap();
    assert_eq!(formula.to_string(), "~ x+log( z )");
    let json = serde_json::to_string(&formula).unwrap();
    assert_eq!(json, "\"~ x+log( z )\"");
    assert_eq!(serde_json::from_str::<Formula>(&json).unwrap(), formula);
    let error = serde_json::from_str::<Formula>("\"x^2\"").unwrap_err().to_string();
    assert!(error.contains("write I(x^2)"), "{error}");
}

#[test]
fn questions_about_a_formula() {
    let formula = |text: &str| Formula::parse(text).unwrap();
    assert!(formula("~ 1").terms.is_empty());
    assert!(!formula("~ x").terms.is_empty());
    assert!(formula("~ x").intercept);
    assert!(!formula("~ 0 + x").intercept);
    assert_eq!(formula("~ log(x) + x*C(f)").variables(), ["x", "f"]);
    let error = Formula::parse("poly(x, 2)").unwrap_err();
    assert!(error.to_string().starts_with("formula `poly(x, 2)`: `poly()` at character 1"));
    let error = formula("~ nowhere").evaluate(ROWS, &column).unwrap_err();
    assert!(matches!(error, DidError::ColumnNotFound { column, .. } if column == "nowhere"));
}

/// Value of one piece of a column's name, such as `x` or `fb`, in a row.
fn piece(name: &str, row: usize) -> f64 {
    match name {
        "(Intercept)" => 1.0,
        "x" | "z" => match column(name) {
            Ok(RawColumn::Numeric(values)) => values[row],
            _ => panic!("{name}"),
        },
        "log(x)" => piece("x", row).ln(),
        _ => {
            let (source, level) =
                name.strip_prefix("C(k)").map_or(name.split_at(1), |level| ("k", level));
            let found = match column(source).unwrap() {
                RawColumn::Numeric(values) => values[row].to_string(),
                RawColumn::Factor { codes, levels } => levels[codes[row] as usize].clone(),
            };
            f64::from(u8::from(found == level))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every column is the product of the pieces of its name.
    #[test]
    fn columns_are_what_they_are_called(
        pieces in prop::collection::vec((
            prop::sample::select(vec!["+", "+", "*", ":", "-"]),
            prop::sample::select(vec!["x", "z", "f", "g", "b", "C(k)", "log(x)", "(x+f)", "(f*g)"]),
        ), 1..6),
        intercept in prop::sample::select(vec!["1", "0"]),
        rows in prop::collection::vec(0..ROWS as u32, 0..10),
    ) {
        let sum: String = pieces.iter().skip(1).map(|(sign, term)| format!("{sign}{term}")).collect();
        let text = format!("{}{sum}+{intercept}", pieces[0].1);
        if let Ok(formula) = Formula::parse(&text) {
            let design = design(&formula.evaluate(ROWS, &column).unwrap(), &rows).unwrap();
            prop_assert_eq!(design.names().len(), design.width());
            for (index, name) in design.names().iter().enumerate() {
                let product = |row: &u32| name.split(':').map(|p| piece(p, *row as usize)).product();
                let expected: Vec<f64> = rows.iter().map(product).collect();
                let found = values(&design, index, &rows);
                let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs();
                prop_assert!(found.iter().zip(&expected).all(close), "{}: {}", text, name);
            }
        }
    }
}
