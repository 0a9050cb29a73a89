//! What regressions with fixed effects must be invariant to, and what they must say.

use burn_did::backend::Cpu;
use burn_did::{
    DidError, DidWarning, FixedEffects, RegressionResult, SunAbraham,
    regression::{Family, KFixef, Ssc, Vcov},
};
use polars::prelude::*;

use crate::support::frames::{floats, golden_data, map, rows, with};

pub fn data() -> DataFrame {
    golden_data("fepois")
}

pub fn fit(data: &DataFrame, formula: &str) -> RegressionResult {
    try_fit(data, formula).unwrap_or_else(|e| panic!("{formula}: {e}"))
}

pub fn try_fit(data: &DataFrame, formula: &str) -> Result<RegressionResult, DidError> {
    FixedEffects::<Cpu>::builder().formula(formula).build().fit(data)
}

pub fn near(a: f64, b: f64, allowed: f64) {
    assert!((a - b).abs() <= allowed * a.abs().max(b.abs()), "{a} against {b}");
}

#[test]
fn factors_that_add_nothing_add_nothing() {
    let data = data();
    let firms = fit(&data, "y ~ x1 + x2 | firm");
    // A factor nested in another, and the same factor under another name.
    let twice = with(&data, "again", floats(&data, "firm"));
    for formula in
        ["y ~ x1 + x2 | firm + sector", "y ~ x1 + x2 | firm + again", "y ~ x1 + x2 | firm^firm"]
    {
        let found = fit(&twice, formula);
        found
            .coefficients
            .iter()
            .zip(&firms.coefficients)
            .for_each(|(a, b)| near(a.estimate, b.estimate, 1e-9));
    }
    // Of one level: the constant.
    let one = with(&data, "one", vec!["a"; data.height()]);
    let (level, constant) = (fit(&one, "y ~ x1 | one"), fit(&one, "y ~ x1"));
    near(level.coefficients[0].estimate, constant.coefficients[1].estimate, 1e-12);
    near(level.coefficients[0].se.unwrap(), constant.coefficients[1].se.unwrap(), 1e-12);
    assert_eq!((level.df_k, constant.df_k), (2, 2));
    // Exact degrees of freedom see that two identical factors are one.
    let exact = Ssc::default().k_exact(true);
    let config =
        FixedEffects::<Cpu>::builder().formula("y ~ x1 + x2 | firm + again").ssc(exact).build();
    assert_eq!(config.fit(&twice).unwrap().df_k, firms.df_k);
}

#[test]
fn regressors_that_fixed_effects_span_are_named() {
    let data = with(&data(), "constant", vec![3.7; 2400]);
    let data =
        with(&data, "copy", floats(&data, "x1").iter().map(|x| 2.0 * x - 1.0).collect::<Vec<_>>());
    let found = fit(&data, "y ~ x1 + sector + copy + constant + x2 | firm + year");
    assert_eq!(found.dropped, ["sector", "copy", "constant"]);
    assert_eq!(found.names().collect::<Vec<_>>(), ["x1", "x2"]);
    assert!(found.warnings.iter().any(|w| matches!(w, DidWarning::CollinearRegressors { .. })));
    let error = try_fit(&data, "y ~ sector | firm").unwrap_err();
    assert!(matches!(&error, DidError::AllCollinear { columns } if columns == "sector"), "{error}");
    assert_eq!(fit(&data, "y ~ x1 + constant").dropped, ["constant"]);
    // An outcome that fixed effects fit exactly is fine.
    let exact = fit(&data, "sector ~ x1 | firm");
    assert!(exact.coefficients[0].estimate.abs() < 1e-12 && exact.r2.unwrap() > 1.0 - 1e-12);
}

#[test]
fn weights_of_zero_leave_rows_out() {
    let data = data();
    let n = data.height();
    let config =
        || FixedEffects::<Cpu>::builder().formula("y ~ x1 + x2 | firm + year").weights("w");
    let some: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i % 4 != 0))).collect();
    let left: Vec<usize> = (0..n).filter(|i| i % 4 != 0).collect();
    let zeros = config().build().fit(with(&data, "w", some)).unwrap();
    let without = fit(&rows(&data, &left), "y ~ x1 + x2 | firm + year");
    assert_eq!((zeros.n, zeros.audit.rows_weightless), (without.n, n.div_ceil(4)));
    near(zeros.coefficients[0].se.unwrap(), without.coefficients[0].se.unwrap(), 1e-12);
    let huge: Vec<f64> = (0..n).map(|i| if i % 5 == 0 { 1e12 } else { 1.0 }).collect();
    let huge = config().build().fit(with(&data, "w", huge)).unwrap();
    let heavy: Vec<usize> = (0..n).filter(|i| i % 5 == 0).collect();
    let heavy = fit(&rows(&data, &heavy), "y ~ x1 + x2 | firm + year");
    near(huge.coefficients[0].estimate, heavy.coefficients[0].estimate, 1e-6);
    let negative = with(&data, "w", vec![-1.0; n]);
    let error = config().build().fit(&negative).unwrap_err();
    assert!(error.to_string().contains("`w` (weights)"), "{error}");
}

#[test]
fn singletons_are_left_out_until_there_are_none() {
    // Row 3 is alone in `a`; without it row 2 is alone in `b`.
    let data = df!(
        "y" => [1.0, 2.0, 4.0, 3.0, 5.5, 2.5], "x" => [0.3, -1.0, 2.0, 0.7, 0.1, -0.4],
        "a" => [1, 1, 1, 9, 2, 2], "b" => ["u", "u", "v", "v", "u", "u"],
    )
    .unwrap();
    let found = fit(&data, "y ~ x | a + b");
    assert_eq!((found.n, found.n_singletons, found.audit.rows_singleton), (4, 2, 2));
    let config = FixedEffects::<Cpu>::builder().formula("y ~ x | a + b").keep_singletons(true);
    let kept = config.build().fit(&data).unwrap();
    assert_eq!((kept.n, kept.n_singletons), (6, 0));
    near(kept.coefficients[0].estimate, found.coefficients[0].estimate, 1e-10);
}

#[test]
fn indicators_name_their_levels() {
    let data = data();
    let names = |formula: &str| fit(&data, formula).names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names("y ~ i(sector, x1, ref = 3) | year")[3], "sector::4:x1");
    assert_eq!(names("y ~ i(year, ref = c(2000, 2001)) + x1 | firm")[0], "year::2002");
    assert_eq!(names("y ~ i(year, keep = c(2004, 2005)) | firm"), ["year::2004", "year::2005"]);
    // As in fixest the first level is left out, where a constant or fixed effects span the dummies.
    assert_eq!(names("y ~ i(sector)")[1], "sector::1");
    assert_eq!(names("y ~ 0 + i(sector)")[0], "sector::0");
    assert_eq!(
        names("y ~ i(sector, i.year, ref = 0, ref2 = 2000) + x1")[1],
        "sector::1:year::2001"
    );
    let error = try_fit(&data, "y ~ i(year, ref = 1990) | firm").unwrap_err().to_string();
    assert!(
        error.contains("`1990` is no level of `year`") && error.contains("2000, 2001"),
        "{error}"
    );
    let study = fit(&data, "y ~ i(year, ref = 2003) + x1 | firm").event_study("year").unwrap();
    assert_eq!(
        (study.rows.len(), study.rows[3].reference, study.coefficients().len()),
        (8, true, 7)
    );
    assert_eq!(study.covariance()[0][0].sqrt(), study.rows[0].estimate.se.unwrap());
    let svg = study.to_svg(&burn_did::report::PlotOptions::new()).unwrap();
    for words in ["Coefficient (y)", "Before the reference", "After the reference"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(!svg.contains("treatment"));
    assert!(fit(&data, "y ~ i(year) | firm").event_study("x1").is_err());
}

#[test]
fn missing_values_and_other_types_are_handled() {
    let n = 2400;
    let data = data();
    let gap = |i: usize, v: f64| if i.is_multiple_of(100) { f64::NAN } else { v };
    let x1: Vec<f64> =
        floats(&data, "x1").into_iter().enumerate().map(|(i, v)| gap(i, v)).collect();
    let firm: Vec<Option<String>> = floats(&data, "firm")
        .iter()
        .enumerate()
        .map(|(i, f)| (i % 100 != 1).then(|| format!("{f}")))
        .collect();
    let holes = with(&with(&data, "x1", x1), "firm", firm);
    let found = fit(&holes, "y ~ x1 + x2 | firm + year");
    assert_eq!(found.audit.rows_missing, [("x1".to_owned(), 24), ("firm".to_owned(), 24)]);
    assert_eq!((found.audit.rows_in, found.n), (n, n - 48));
    let kept: Vec<usize> = (0..n).filter(|i| i % 100 > 1).collect();
    let direct = fit(&rows(&data, &kept), "y ~ x1 + x2 | firm + year");
    near(found.coefficients[0].se.unwrap(), direct.coefficients[0].se.unwrap(), 1e-9);
    let error = try_fit(&data, "y ~ x9 | firm").unwrap_err().to_string();
    assert!(error.contains("column `x9` (regressor) is not in the data"), "{error}");
    let error = try_fit(&data, "y ~ x1 | plant").unwrap_err().to_string();
    assert!(error.contains("column `plant` (fixed effect)"), "{error}");
    let text = with(&data, "y", vec!["a"; n]);
    assert!(
        try_fit(&text, "y ~ x1 | firm").unwrap_err().to_string().contains("column `y` (outcome)")
    );
    let none = with(&data, "y", vec![f64::NAN; n]);
    assert!(matches!(try_fit(&none, "y ~ x1 | firm"), Err(DidError::EmptySample { .. })));
    let big = with(&data, "firm", (0..n as i64).map(|i| (1 << 60) + i / 2).collect::<Vec<i64>>());
    assert_eq!(fit(&big, "y ~ x1 | firm").absorbed[0].levels, n / 2);
    let negative =
        FixedEffects::<Cpu>::builder().formula("x1 ~ x2 | firm").family(Family::Poisson).build();
    let error = negative.fit(&data).unwrap_err();
    assert!(matches!(error, DidError::Negative { role: "outcome", .. }), "{error}");
}

#[test]
fn separated_rows_are_found() {
    // Where `d` is one every outcome is zero, across levels that have other outcomes.
    let data = data();
    let d: Vec<f64> =
        (0..2400_u32).map(|i| f64::from(u8::from((i + 33).is_multiple_of(40)))).collect();
    let y = floats(&data, "y").iter().zip(&d).map(|(y, d)| y * (1.0 - d)).collect::<Vec<_>>();
    let data = with(&with(&data, "d", d), "y", y);
    let config =
        FixedEffects::<Cpu>::builder().formula("y ~ x1 + d | year").family(Family::Poisson);
    let fit = config.build().fit(&data).unwrap();
    assert_eq!((fit.audit.rows_separated, fit.n), (60, 2340));
    assert_eq!(fit.dropped, ["d"]);
    assert!(
        fit.warnings
            .iter()
            .any(|w| matches!(w, DidWarning::Separated { rows: 60, columns } if columns == &["d"]))
    );
}

/// A design for which the iterative rectifier has no end; a linear program finds the same eight rows.
#[test]
fn rows_that_only_a_newton_step_separates_are_found() {
    let y =
        [0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    let x = [
        61.3, 59.3, 76.4, 78.3, 68.2, 65.2, 85.7, 60.1, 76.4, 72.0, 75.5, 84.2, 66.0, 62.5, 89.7,
        69.2, 58.2, 64.7, 66.8, 80.8, 72.1, 69.9, 77.7, 58.7, 58.7, 75.2, 65.8, 92.2, 89.1, 69.3,
    ];
    let d: Vec<i32> = (0..30).map(|row| i32::from([4, 24, 27].contains(&row))).collect();
    let f =
        [2, 0, 2, 4, 0, 1, 5, 3, 4, 1, 1, 1, 2, 5, 2, 1, 2, 2, 1, 4, 2, 4, 1, 0, 3, 3, 4, 3, 1, 4];
    let g =
        [2, 5, 3, 0, 2, 1, 2, 0, 4, 1, 5, 0, 0, 4, 4, 5, 0, 3, 0, 2, 4, 4, 2, 5, 4, 2, 3, 2, 1, 3];
    let data = df!("y" => &y, "x" => &x, "d" => d, "f" => &f, "g" => &g).unwrap();
    let config =
        FixedEffects::<Cpu>::builder().formula("y ~ x + d | f + g").family(Family::Poisson);
    let fit = config.build().fit(&data).unwrap();
    assert_eq!((fit.n, fit.audit.rows_separated, fit.audit.rows_singleton), (8, 21, 1));
    assert_eq!(fit.dropped, ["d"]);
}

#[test]
fn small_samples_have_the_corrections_asked_for() {
    let data = data();
    let of = |vcov: &Vcov, ssc: Ssc| {
        let config = FixedEffects::<Cpu>::builder()
            .formula("y ~ x1 | firm + year")
            .vcov(vcov.clone())
            .ssc(ssc);
        config.build().fit(&data).unwrap()
    };
    let (usual, n) = (Ssc::default(), 2400.0);
    let ratio = |a: &RegressionResult, b: &RegressionResult| a.vcov[0][0] / b.vcov[0][0];
    let plain = usual.k_adj(false);
    let (iid, without) = (of(&Vcov::Iid, usual), of(&Vcov::Iid, plain));
    near(ratio(&iid, &without), (n - 1.0) / (n - iid.df_k as f64), 1e-12);
    assert_eq!(iid.df_k, 1 + 80 + 8 - 1);
    let none = of(&Vcov::Iid, usual.k_fixef(KFixef::None));
    assert_eq!((none.df_k, none.df_t), (1, n - 1.0));
    let firms = Vcov::cluster(["firm"]);
    let (usual_firms, full) = (of(&firms, usual), of(&firms, usual.k_fixef(KFixef::Full)));
    assert_eq!((usual_firms.df_k, full.df_k, usual_firms.df_t), (1 + 8 - 1 + 1, 88, 79.0));
    near(ratio(&full, &usual_firms), (n - 9.0) / (n - 88.0), 1e-12);
    let unadjusted = of(&firms, usual.g_adj(false));
    near(ratio(&usual_firms, &unadjusted), 80.0 / 79.0, 1e-12);
    // Rows are no clusters: R fixest 0.14.2 has `n / (n - K)` of robust errors from `K.adj` alone.
    let robust = of(&Vcov::Hetero, usual);
    near(ratio(&robust, &of(&Vcov::Hetero, plain)), n / (n - robust.df_k as f64), 1e-12);
    near(ratio(&robust, &of(&Vcov::Hetero, usual.g_adj(false))), 1.0, 1e-15);
    let error =
        FixedEffects::<Cpu>::builder().formula("y ~ x1").vcov(Vcov::cluster(["one"])).build();
    let error = error.fit(with(&data, "one", vec![1.0; 2400])).unwrap_err();
    assert!(matches!(error, DidError::TooFewClusters { .. }), "{error}");
}

#[test]
fn without_never_treated_units_the_last_cohort_is_the_comparison() {
    let data = burn_did::data::mpdta();
    let treated = crate::support::frames::filter(&data, "first.treat", |g| g > 0.0);
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let fit = config.group("first.treat").build().fit(&treated).unwrap();
    let found = |w: &DidWarning| matches!(w, DidWarning::LastCohortAsControl { group: 2007.0 });
    assert!(fit.regression.warnings.iter().any(found));
    assert!(fit.regression.names().all(|name| !name.ends_with("::2007")));
    assert_eq!(fit.event_study.event_times(), [-3.0, -2.0, 0.0, 1.0, 2.0]);
    assert!(fit.regression.dropped.is_empty(), "{:?}", fit.regression.dropped);
    let svg = fit.event_study.to_svg(&burn_did::report::PlotOptions::new()).unwrap();
    assert!(svg.starts_with("<svg"));
}

/// The leverage of fixed effects is that of their indicators, which have the factor for small samples beside.
#[test]
fn leverage_has_that_of_fixed_effects() {
    let data = data();
    let weights: Vec<f64> = (0..2400).map(|i| 0.5 + f64::from(i % 7)).collect();
    let data = with(&data, "w", weights);
    for vcov in [Vcov::Hc2, Vcov::Hc3] {
        for weighted in [false, true] {
            let fit = |formula: &str, ssc: Ssc| {
                let config = FixedEffects::<Cpu>::builder().formula(formula).vcov(vcov.clone());
                let weights = weighted.then(|| "w".to_owned());
                config.ssc(ssc).maybe_weights(weights).build().fit(&data).unwrap()
            };
            for (within, indicators) in [
                ("y ~ x1 + x2 | year", "y ~ x1 + x2 + C(year)"),
                ("y ~ x1 + x2 | firm + year", "y ~ x1 + x2 + C(firm) + C(year)"),
            ] {
                let within = fit(within, Ssc::default());
                let indicators = fit(indicators, Ssc::default().k_adj(false));
                assert!(!within.warnings.contains(&DidWarning::PartialLeverage));
                for (a, b) in within.coefficients.iter().zip(&indicators.coefficients[1..]) {
                    near(a.se.unwrap(), b.se.unwrap(), 1e-9);
                }
            }
        }
    }
    // A factor with more levels than a dense matrix is formed of.
    let row = |i: u32| f64::from(i);
    let fine = with(&data, "fine", (0..2400).map(|i| row(i / 2)).collect::<Vec<_>>());
    let fine = with(&fine, "other", (0..2400).map(|i| row(i * 7_919 % 1_100)).collect::<Vec<_>>());
    let config = FixedEffects::<Cpu>::builder().formula("y ~ x1 | fine + other").vcov(Vcov::Hc3);
    let fit = config.keep_singletons(true).build().fit(&fine).unwrap();
    assert!(fit.warnings.contains(&DidWarning::PartialLeverage));
}

#[test]
fn rows_that_are_fitted_whatever_their_outcome_have_no_leverage_to_divide_by() {
    let data = data();
    let own = |i: usize| f64::from(u8::from(i == 7));
    let data = with(&data, "own", (0..2400).map(own).collect::<Vec<_>>());
    let fit = |vcov: Vcov| {
        let config = FixedEffects::<Cpu>::builder().formula("y ~ x1 + own").vcov(vcov).build();
        config.fit(&data).unwrap()
    };
    for vcov in [Vcov::Hc2, Vcov::Hc3] {
        let found = fit(vcov);
        assert!(found.warnings.contains(&DidWarning::FullLeverage { rows: 1 }));
        assert!(found.coefficients.iter().all(|c| c.se.is_none()) && found.vcov.is_empty());
    }
    assert!(fit(Vcov::Hetero).coefficients[1].se.is_some());
}

#[test]
fn an_outcome_that_is_fitted_exactly_is_said() {
    let data = data();
    let exact = |formula: &str, data: &DataFrame| {
        fit(data, formula).warnings.contains(&DidWarning::ExactFit)
    };
    let sum = floats(&data, "x1").into_iter().zip(floats(&data, "firm")).map(|(x, f)| 2.0 * x + f);
    let data = with(&data, "sum", sum.collect::<Vec<_>>());
    for formula in
        ["sum ~ x1 | firm", "sum ~ x1 | firm + year", "sum ~ x1 + firm", "sector ~ x1 | firm"]
    {
        assert!(exact(formula, &data), "{formula}");
    }
    let nearly: Vec<f64> =
        floats(&data, "sum").iter().zip(floats(&data, "x2")).map(|(s, x)| s + 1e-5 * x).collect();
    let nearly = with(&data, "sum", nearly);
    for formula in ["sum ~ x1 | firm", "sum ~ x1 | firm + year", "y ~ x1 | firm"] {
        assert!(!exact(formula, &nearly), "{formula}");
    }
}

#[test]
fn cohorts_without_a_reference_are_left_out() {
    // Every second year: event time -1 is of the cohorts with an odd year, which are treated between two periods.
    let mpdta = burn_did::data::mpdta();
    let odd =
        crate::support::frames::filter(&mpdta, "year", |year| year != 2006.0 && year != 2004.0);
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").build();
    let odd = crate::support::frames::filter(&odd, "first.treat", |g| g == 0.0 || g == 2007.0);
    let error = config.fit(&odd).unwrap_err().to_string();
    assert!(error.contains("reference event time -1"), "{error}");
    let mut two_before = config.clone();
    two_before.reference = vec![-2.0];
    let fit = two_before.fit(&odd).unwrap();
    assert_eq!(fit.event_study.event_times(), [-4.0, 0.0]);
    assert!(fit.regression.dropped.is_empty());
    // Without 2005 the cohort of 2006 has no year before treatment to be compared with; the others do.
    let without = crate::support::frames::filter(&mpdta, "year", |year| year != 2005.0);
    let fit = config.fit(&without).unwrap();
    let expected = DidWarning::CohortsWithoutReference { cohorts: vec![2006.0] };
    assert!(fit.regression.warnings.contains(&expected), "{:?}", fit.regression.warnings);
    assert!(
        fit.regression.dropped.is_empty() && fit.regression.names().all(|n| !n.contains("2006"))
    );
}

#[test]
fn cohorts_that_nothing_can_be_compared_with_are_refused_with_the_cause() {
    let mpdta = burn_did::data::mpdta();
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").build();
    let one = crate::support::frames::filter(&mpdta, "first.treat", |g| g == 2006.0);
    for reference in [-1.0, -2.0] {
        config.reference = vec![reference];
        let error = config.fit(&one).unwrap_err();
        assert_eq!(error.code(), "no_comparison", "{error}");
    }
    config.reference = vec![-1.0];
    let between = map(&mpdta, "first.treat", |g| if g == 2006.0 { 2005.5 } else { g });
    let error = config.fit(&between).unwrap_err().to_string();
    assert!(error.contains("2005.5") && error.contains("next period of the data"), "{error}");
}
