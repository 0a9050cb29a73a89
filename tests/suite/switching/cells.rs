//! Rounding in cells of groups and periods: controls that do not vary within them, and rows that are averaged.

use burn_did::{DidMultiplegt, DidMultiplegtResult, DidWarning};
use polars::prelude::*;

use crate::support::but;
use crate::support::frames::{floats, with};

fn path(name: &str) -> String {
    format!("{}/tests/cases/{name}.csv", env!("CARGO_MANIFEST_DIR"))
}

fn config() -> DidMultiplegt {
    DidMultiplegt::builder().outcome("y").unit("id").time("t").treatment("d").effects(2).build()
}

fn read(name: &str) -> DataFrame {
    let file = std::fs::File::open(path(name)).unwrap();
    CsvReader::new(file).finish().unwrap()
}

fn near(fit: &DidMultiplegtResult, numbers: &[(f64, f64)]) {
    assert_eq!(fit.effects.len(), numbers.len());
    for (effect, (att, se)) in fit.effects.iter().zip(numbers) {
        let found = (effect.estimate.estimate.unwrap(), effect.estimate.se.unwrap());
        assert!((found.0 - att).abs() < 5.1e-5 && (found.1 - se).abs() < 5.1e-5, "{found:?} {att}");
    }
}

fn same(a: &DidMultiplegtResult, b: &DidMultiplegtResult) {
    let rows = |fit: &DidMultiplegtResult| [fit.effects.clone(), fit.placebos.clone()].concat();
    for (a, b) in rows(a).iter().zip(rows(b)) {
        let pairs = [(a.estimate.estimate, b.estimate.estimate), (a.estimate.se, b.estimate.se)];
        for (a, b) in pairs {
            let (a, b) = (a.unwrap(), b.unwrap());
            assert!((a - b).abs() < 1e-11 * b.abs().max(1.0), "{a} {b}");
        }
    }
}

fn constant(fit: &DidMultiplegtResult) -> Vec<String> {
    let name = |w: &DidWarning| match w {
        DidWarning::ConstantControl { column, .. } => Some(column.clone()),
        _ => None,
    };
    fit.warnings.iter().filter_map(name).collect()
}

/// R's numbers with the control `x` alone.
#[test]
fn controls_that_change_alike_in_all_groups_have_no_coefficient() {
    let data = read("common_control");
    let of = |covariates: &str| {
        but(config(), |c| {
            c.covariates = covariates.into();
            c.placebos = 1;
        })
    };
    let alone = of("~ x").fit(&data).unwrap();
    near(&alone, &[(1.9321, 0.1012), (1.9874, 0.1373)]);
    assert!(constant(&alone).is_empty());
    let both = of("~ x + nat").fit(&data).unwrap();
    same(&both, &alone);
    assert_eq!(constant(&both), ["nat"]);
    // Labels in the opposite order put other groups first, and round differently.
    let turned = data.clone().lazy().with_column((lit(31) - col("id")).alias("id"));
    same(&of("~ x + nat").fit(turned.collect().unwrap()).unwrap(), &alone);
    // A computed column has the same values but for rounding.
    let noise = (col("nat") * lit(3.0) + col("id") * lit(1e-14)) / lit(3.0);
    let noisy = data.clone().lazy().with_column(noise.alias("nat")).collect().unwrap();
    same(&of("~ x + nat").fit(&noisy).unwrap(), &alone);
    same(&of("~ nat").fit(&data).unwrap(), &of("~ 1").fit(&data).unwrap());
    // A control that varies by little is one.
    let little = col("nat") + col("x") * lit(1e-6);
    let little = data.lazy().with_column(little.alias("nat")).collect().unwrap();
    let fit = of("~ nat").fit(&little).unwrap();
    assert!(constant(&fit).is_empty());
    let off =
        fit.effects[0].estimate.estimate.unwrap() - alone.effects[0].estimate.estimate.unwrap();
    assert!(off.abs() < 1e-6, "{off}");
}

#[test]
fn controls_of_a_trend_group_have_no_coefficient() {
    let data = read("region_control");
    let fit = |covariates: &str| {
        let trends_nonparam = vec!["region".into()];
        but(config(), |c| {
            c.covariates = covariates.into();
            c.trends_nonparam = trends_nonparam;
        })
        .fit(&data)
        .unwrap()
    };
    let alone = fit("~ x");
    near(&alone, &[(1.9060, 0.0949), (1.9623, 0.1019)]);
    same(&fit("~ x + unemp"), &alone);
    assert_eq!(constant(&fit("~ x + unemp")), ["unemp"]);
}

/// The doses times ten are integers, whose means are exact.
#[test]
fn doses_that_repeat_are_told_from_different_ones() {
    let data = read("repeated_doses");
    let tens: Vec<f64> = floats(&data, "d").iter().map(|d| (10.0 * d).round()).collect();
    let tenfold = with(&data, "d", tens);
    let config = but(config(), |c| {
        c.continuous = 1;
        c.effects = 1;
    });
    let fit = config.fit(&data).unwrap();
    near(&fit, &[(1.6433, 0.3731)]);
    same(&fit, &config.fit(&tenfold).unwrap());
}

#[test]
fn rows_of_one_treatment_have_that_treatment() {
    let config = but(config(), |c| {
        c.unit = "state".into();
        c.time = "year".into();
        c.treatment = "mw".into();
    });
    let fit = config.fit(read("rows_of_states")).unwrap();
    near(&fit, &[(1.0326, 0.1361), (1.1289, 0.0942)]);
    assert_eq!((fit.effects[0].n_switchers, fit.audit.groups), (18, 30));
    // With weights, integers too.
    let weighted = but(self::config(), |c| {
        c.unit = "g".into();
        c.weights = Some("w".into());
        c.effects = 1;
    });
    let fit = weighted.fit(read("weighted_rows")).unwrap();
    near(&fit, &[(2.0536, 0.0730)]);
    assert_eq!((fit.audit.switchers_in, fit.audit.switchers_out), (18, 0));
}

/// The same share of treated rows is the same treatment, however many rows there are and whatever they weigh.
#[test]
fn equal_shares_are_equal_treatments() {
    let (mut id, mut t, mut d, mut y, mut w) = (vec![], vec![], vec![], vec![], vec![]);
    for group in 0..12_i64 {
        for period in 0..4_i64 {
            let treated = if group % 3 > 0 && period > group % 3 { 7 } else { 3 };
            let (copies, weight) = ((group + period) % 3 + 1, 0.1 + 0.07 * (period + group) as f64);
            for row in 0..10 * copies {
                id.push(group);
                t.push(period);
                d.push(f64::from(u8::from(row < treated * copies)));
                y.push(((13 * group + 7 * period * period + row) % 11) as f64);
                w.push(weight);
            }
        }
    }
    let data = df!("id" => id, "t" => t, "d" => d, "y" => y, "w" => w).unwrap();
    let fit = but(config(), |c| c.weights = Some("w".into())).fit(&data).unwrap();
    let (never, switch) = (fit.audit.never_switchers, fit.audit.switchers_in);
    assert_eq!((never, switch, fit.audit.dropped.groups_without_variation), (4, 8, 0));
    assert!(!fit.warnings.iter().any(|w| matches!(w, DidWarning::RoundedTreatments { .. })));
}

#[test]
fn treatments_that_cancel_have_no_direction_at_any_level() {
    // Up by 1.1 and down by 1.1 from 5.85: the mean is that number but for rounding.
    let path = |g: i64| match g {
        0 => [5.85, 5.85 + 1.1, 5.85 - 1.1],
        1 => [5.85, 5.85, 6.85],
        _ => [5.85; 3],
    };
    let cells = || (0..12_i64).flat_map(|g| (0..3_usize).map(move |t| (g, t)));
    let data = df!(
        "id" => cells().map(|(g, _)| g).collect::<Vec<_>>(),
        "t" => cells().map(|(_, t)| t as i64).collect::<Vec<_>>(),
        "d" => cells().map(|(g, t)| path(g)[t]).collect::<Vec<_>>(),
        "y" => cells().map(|(g, t)| ((7 * g + 5) * (t as i64 + 1) % 13) as f64).collect::<Vec<_>>(),
    );
    let config = but(config(), |c| {
        c.keep_bidirectional_switchers = true;
        c.effects = 1;
    });
    let fit = config.fit(data.unwrap()).unwrap();
    assert_eq!(fit.audit.dropped.groups_without_direction, 1);
}

#[test]
fn estimates_without_a_standard_error_say_why() {
    let data = read("common_control");
    let why = |fit: &DidMultiplegtResult| {
        let of = |w: &DidWarning| match w {
            DidWarning::NoStandardError { horizons, out_of_range } => {
                Some((horizons.clone(), *out_of_range))
            }
            _ => None,
        };
        fit.warnings.iter().find_map(of)
    };
    let all = vec![1, 2, 0];
    for factor in [1e300, 1e-300] {
        let scaled = data.clone().lazy().with_column(col("y") * lit(factor)).collect().unwrap();
        let fit = config().fit(&scaled).unwrap();
        assert!(floats(&scaled, "y")[0].is_finite() && fit.effects[0].estimate.se.is_none());
        assert_eq!(why(&fit), Some((all.clone(), true)));
    }
    let fit = but(config(), |c| c.outcome = "d".into()).fit(&data).unwrap();
    assert_eq!(why(&fit), Some((all, false)));
    assert_eq!(why(&config().fit(&data).unwrap()), None);
}
