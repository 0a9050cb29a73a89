//! What regressions with fixed effects give beside their coefficients: effects, predictions, tests, tables.

use burn_did::backend::Cpu;
use burn_did::{
    Demean, DidError, FixedEffects, compare,
    regression::{Family, etable},
};
use polars::prelude::*;

use super::properties::{data, fit, near, try_fit};
use crate::support::frames::{floats, permutation, rows, with};

#[test]
fn fixed_effects_are_recovered_and_predict() {
    let data = data();
    let shuffled = rows(&data, &permutation(data.height(), 5));
    for (formula, family) in [
        ("y ~ x1 + C(sector):x2 + i(year, x2, ref = 2003) | firm + year", Family::Gaussian),
        ("log(y + 1) ~ x1 | firm^year", Family::Gaussian),
        ("y ~ x1 + x2", Family::Gaussian),
        ("y ~ x1 | firm + year + sector", Family::Gaussian),
        ("y ~ x1 + x2 | firm + year", Family::Poisson),
    ] {
        let config = FixedEffects::<Cpu>::builder().formula(formula).family(family);
        let config = config.keep_fixed_effects(true).keep_residuals(true).build();
        let fit = config.fit(&data).unwrap();
        let predicted = fit.predict(&data).unwrap();
        let residuals = fit.residuals.as_ref().unwrap();
        let y = floats(&data, "y");
        let outcome = |y: f64| if formula.starts_with("log") { (y + 1.0).ln() } else { y };
        let mut compared = 0;
        for ((predicted, residual), y) in predicted.iter().zip(residuals).zip(y) {
            let (Some(predicted), Some(residual)) = (predicted, residual) else { continue };
            compared += 1;
            assert!(
                (predicted + residual - outcome(y)).abs() < 1e-7,
                "{formula}: {predicted} {residual} {y}"
            );
        }
        assert_eq!(compared, fit.n, "{formula}");
        assert_eq!(
            fit.predict(&shuffled).unwrap().iter().flatten().count(),
            predicted.iter().flatten().count()
        );
    }
    let config = FixedEffects::<Cpu>::builder()
        .formula("y ~ x1 | firm + year")
        .keep_fixed_effects(true)
        .build();
    let fit = config.fit(&data).unwrap();
    let effects = fit.fixed_effects().unwrap();
    assert_eq!((effects[0].levels.len(), effects[1].levels[0].as_str()), (80, "2000"));
    assert_eq!((effects[1].effects[0], *effects[0].components.iter().max().unwrap()), (0.0, 0));
    // A level that was not in the sample has no prediction; without the effects there is none at all.
    let other = with(&data, "year", vec![1999_i64; data.height()]);
    assert!(fit.predict(&other).unwrap().iter().all(Option::is_none));
    let error = try_fit(&data, "y ~ x1 | firm").unwrap().predict(&data).unwrap_err();
    assert!(error.to_string().contains("keep_fixed_effects"), "{error}");
}

#[test]
fn tests_and_contrasts_of_coefficients() {
    let fit = fit(&data(), "y ~ x1 + x2 | firm");
    let one = fit.wald(&[vec![("x1", 1.0)]]).unwrap();
    near(one.stat, fit.coefficients[0].t.unwrap().powi(2), 1e-12);
    near(one.p_value, fit.coefficients[0].p_value.unwrap(), 1e-6);
    let both = fit.wald(&[vec![("x1", 1.0)], vec![("x2", 1.0)]]).unwrap();
    assert_eq!((both.df1, both.df2), (2, Some(fit.df_t)));
    near(both.stat, fit.f.unwrap().stat, 1e-12);
    let sum = fit.contrast(&[("x1", 1.0), ("x2", 1.0)]).unwrap();
    let variance = fit.vcov[0][0] + fit.vcov[1][1] + 2.0 * fit.vcov[0][1];
    near(sum.se.unwrap(), variance.sqrt(), 1e-12);
    let error = fit.contrast(&[("x1", f64::NAN)]).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "weights", .. }), "{error}");
    let error = fit.contrast(&[("x3", 1.0)]).unwrap_err().to_string();
    assert!(error.contains("`x3`") && error.contains("`x1`"), "{error}");
    assert!(matches!(fit.contrast(&[]), Err(DidError::Config { option: "weights", .. })));
    assert!(matches!(
        fit.wald(&[vec![("x1", 1.0)], vec![("x1", 2.0)]]),
        Err(DidError::Singular { .. })
    ));
}

#[test]
fn columns_without_their_fixed_effects() {
    let data = data();
    let config = Demean::<Cpu>::builder().columns(["y", "x1"]).absorb(["firm", "year"]);
    let done = config.weights("w").build().fit(&data).unwrap();
    let frame = done.to_dataframe().unwrap();
    assert_eq!(frame.get_column_names(), ["y", "x1"]);
    // Weighted sums within levels are zero.
    let (w, firm) = (floats(&data, "w"), floats(&data, "firm"));
    let x = floats(&frame, "x1");
    let sum: f64 = (0..2400).filter(|i| firm[*i] == 5.0).map(|i| w[i] * x[i]).sum();
    assert!(sum.abs() < 1e-7, "{sum}");
    assert_eq!((done.solver.columns.len(), done.levels[0].1), (2, 80));
    let config = Demean::<Cpu>::builder().columns(["y"]).absorb(["firm"]).build();
    let error = config.fit(with(&data, "y", vec!["a"; 2400]));
    assert!(error.unwrap_err().to_string().contains("column `y` (column to demean)"));
}

#[test]
fn tables_of_several_regressions() {
    let data = data();
    let (a, b) = (fit(&data, "y ~ x1"), fit(&data, "y ~ x1 + x2 | firm + year"));
    let table = etable(&[("(1)", &a), ("(2)", &b)]);
    let (text, latex, markdown) = (table.to_string(), table.to_latex(), table.to_markdown());
    for word in ["x1", "firm", "Yes", "No", "Observations", "Within R2", "***"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(
        latex.contains("$^{***}$") && markdown.contains("| firm | No | Yes |"),
        "{latex}\n{markdown}"
    );
    let both = compare(&[("a", &a), ("b", &b)]).to_string();
    assert!(both.contains("S.E. type") && !both.contains('*'), "{both}");
    assert!(b.to_string().contains("Fixed effects: firm (80), year (8)"), "{b}");
}

#[test]
fn the_root_of_the_mean_squared_residual_is_printed() {
    let config = FixedEffects::<Cpu>::builder().formula("y ~ x1 | firm + year");
    let fit = config.keep_residuals(true).build().fit(data()).unwrap();
    let squares: f64 = fit.residuals.iter().flatten().flatten().map(|e| e * e).sum();
    let expected = format!("RMSE: {:.5}", (squares / fit.n as f64).sqrt());
    assert!(fit.to_string().contains(&expected), "{expected}: {fit}");
    assert!(fit.sigma.unwrap() > 1.01 * (fit.rss / fit.n as f64).sqrt());
}

#[test]
fn levels_of_two_columns_are_told_apart_in_predictions() {
    // `x_y` and `z`, `x` and `y_z`: the same if they were merely joined.
    let data = df!(
        "a" => ["x_y", "x_y", "x", "x"].repeat(5),
        "b" => ["z", "z", "y_z", "y_z"].repeat(5),
        "x" => (0..20).map(|i| f64::from(i % 7)).collect::<Vec<_>>(),
        "y" => (0..20).map(|i| f64::from(i % 7 + 10 * (i % 4 / 2))).collect::<Vec<_>>(),
    )
    .unwrap();
    let config = FixedEffects::<Cpu>::builder().formula("y ~ x | a^b").keep_fixed_effects(true);
    let fit = config.build().fit(&data).unwrap();
    let predicted = fit.predict(&data).unwrap();
    for (found, y) in predicted.iter().zip(floats(&data, "y")) {
        assert!((found.unwrap() - y).abs() < 1e-9, "{found:?} {y}");
    }
}
