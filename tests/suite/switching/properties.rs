//! What must hold of effects of treatments that switch, whatever the data.

use burn_did::data::SwitchingSimulation;
use burn_did::{
    Aggregation, AttGt, DidError, DidMultiplegt, DidMultiplegtResult, DidWarning,
    backend::Cpu,
    compare,
    options::{BasePeriod, Bootstrap, ControlGroup},
    switching::{EffectsEqual, PredictHeterogeneity, Switchers, SwitchingEffect},
};
use polars::prelude::*;

use crate::support::but;

fn data() -> DataFrame {
    SwitchingSimulation::builder().groups(300).missing(0.03).seed(5).build().frame()
}

fn config() -> DidMultiplegt {
    DidMultiplegt::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .treatment("d")
        .effects(3)
        .placebos(2)
        .build()
}

fn all(fit: &DidMultiplegtResult) -> Vec<SwitchingEffect> {
    fit.effects.iter().chain(&fit.placebos).chain(&fit.average).copied().collect()
}

fn assert_same(a: &DidMultiplegtResult, b: &DidMultiplegtResult, scale: f64, tolerance: f64) {
    for (a, b) in all(a).iter().zip(all(b)) {
        let pairs = [
            (a.estimate.estimate, b.estimate.estimate, scale),
            (a.estimate.se, b.estimate.se, scale.abs()),
        ];
        for (a, b, scale) in pairs {
            let (a, b) = (a.unwrap() * scale, b.unwrap());
            assert!((a - b).abs() <= tolerance * a.abs().max(b.abs()), "{a} against {b}");
        }
        assert_eq!((a.n_obs, a.n_switchers), (b.n_obs, b.n_switchers));
    }
}

/// The rows of group 3 as those of another group, with other columns.
fn another<const N: usize>(data: &DataFrame, columns: [Expr; N]) -> DataFrame {
    let copy = data.clone().lazy().filter(col("id").eq(lit(3)));
    copy.with_column(lit(1_000_000).cast(DataType::Int64).alias("id"))
        .with_columns(columns)
        .collect()
        .unwrap()
}

#[test]
fn rows_twice_are_averaged() {
    let data = SwitchingSimulation::builder().groups(300).seed(5).build().frame();
    let once = config().fit(&data).unwrap();
    let twice = config().fit(data.vstack(&data).unwrap()).unwrap();
    assert_eq!(twice.audit.dropped.rows_averaged, 2 * data.height());
    assert_same(&once, &twice, 1.0, 1e-12);
}

#[test]
fn a_treatment_turned_round_turns_switchers_round() {
    let mut data = SwitchingSimulation::builder().groups(300).seed(5).build().frame();
    let plain = config().fit(&data).unwrap();
    let d = data.column("d").unwrap().f64().unwrap();
    let d: Float64Chunked = d.iter().map(|d| d.map(|d| 7.0 - d)).collect();
    data.with_column(d.with_name("d".into()).into_column()).unwrap();
    let turned = config().fit(&data).unwrap();
    assert_eq!(plain.audit.switchers_in, turned.audit.switchers_out);
    assert!(plain.audit.switchers_in > 0 && plain.audit.switchers_out > 0);
    assert_same(&plain, &turned, -1.0, 1e-10);
    let one = |switchers, data: &DataFrame| {
        let config = but(config(), |c| c.switchers = Some(switchers));
        config.fit(data).unwrap()
    };
    let (fall, rise) = (one(Switchers::Out, &data), one(Switchers::In, &data));
    let total = fall.effects[0].n_switchers + rise.effects[0].n_switchers;
    assert_eq!(total, turned.effects[0].n_switchers);
}

/// Without covariates, a binary treatment that stays on is what group-time effects are of.
#[test]
fn an_absorbing_treatment_has_the_event_study_of_group_time_effects() {
    let simulation = burn_did::data::Simulation::builder().units(600).seed(2).build();
    let mut data = simulation.frame();
    let (group, time) = ("group", "period");
    let g = data.column(group).unwrap().cast(&DataType::Float64).unwrap();
    let t = data.column(time).unwrap().cast(&DataType::Float64).unwrap();
    let pairs = g.f64().unwrap().iter().zip(t.f64().unwrap().iter());
    let on = pairs.map(|(g, t)| {
        let first = g.filter(|g| *g > 0.0 && g.is_finite()).unwrap_or(f64::INFINITY);
        f64::from(u8::from(t.unwrap() >= first))
    });
    let d: Vec<f64> = on.collect();
    data.with_column(Column::new("d".into(), d)).unwrap();
    let switching = but(config(), |c| {
        c.effects = 1;
        c.placebos = 1;
    })
    .fit(&data)
    .unwrap();
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time(time).group(group);
    let config =
        config.control_group(ControlGroup::NotYetTreated).base_period(BasePeriod::Universal);
    let fit = config.build().fit(&data).unwrap();
    let events = fit.aggregate(Aggregation::dynamic()).unwrap();
    let at_zero = events.rows.iter().find(|row| row.at == 0.0).unwrap();
    let (a, b) =
        (at_zero.estimate.estimate.unwrap(), switching.effects[0].estimate.estimate.unwrap());
    assert!((a - b).abs() < 1e-10 * a.abs().max(1.0), "{a} against {b}");
    let table = compare(&[("ATT(g, t)", &events), ("Switching", &switching)]).to_string();
    assert!(table.contains("Event time 0") && table.contains("Event time -2"), "{table}");
}

#[test]
fn event_times_are_in_order_with_their_covariance() {
    let fit = config().fit(data()).unwrap();
    let study = fit.event_study();
    assert_eq!(study.event_times(), [-3.0, -2.0, 0.0, 1.0, 2.0]);
    let reference = study.rows.iter().find(|row| row.reference).unwrap();
    assert_eq!((reference.at, reference.estimate.estimate), (-1.0, Some(0.0)));
    for (j, row) in study.rows.iter().enumerate().filter(|(_, row)| !row.reference) {
        let rows = fit.effects.iter().chain(&fit.placebos);
        let effect = rows.clone().find(|e| e.horizon as f64 == row.at + 1.0).unwrap();
        assert_eq!(row.estimate, effect.estimate);
        assert!((study.vcov[j][j].sqrt() - effect.estimate.se.unwrap()).abs() < 1e-15);
    }
    assert_eq!(Some(study.covariance()[0][4]), fit.vcov[4][2]);
}

#[test]
fn the_bootstrap_repeats_and_is_near_the_analytic_errors() {
    let data = SwitchingSimulation::builder().groups(600).groups_per_cluster(2).seed(9).build();
    let data = data.frame();
    let config = but(config(), |c| c.cluster = Some("cluster".into()));
    let analytic = config.fit(&data).unwrap();
    let drawn = |seed| {
        let bootstrap = Some(Bootstrap::draws(300).seed(seed));
        but(config.clone(), |c| c.bootstrap = bootstrap).fit(&data).unwrap()
    };
    let (first, other) = (drawn(1), drawn(2));
    assert_eq!(all(&first), all(&drawn(1)));
    assert_ne!(first.effects[0].estimate.se, other.effects[0].estimate.se);
    for (a, b) in all(&analytic).iter().zip(all(&first)) {
        assert_eq!(a.estimate.estimate, b.estimate.estimate);
        let ratio = b.estimate.se.unwrap() / a.estimate.se.unwrap();
        assert!((0.75..1.2).contains(&ratio), "{ratio}");
    }
}

#[test]
fn results_are_shown_saved_and_drawn() {
    let asked = PredictHeterogeneity::new(["region"]);
    let config = but(config(), |c| {
        c.predict_heterogeneity = Some(asked);
        c.effects_equal = Some(EffectsEqual::Between(1, 2));
    });
    let fit = config.fit(data()).unwrap();
    let table = fit.to_string();
    for word in [
        "Effects:",
        "Placebos:",
        "Average total effect",
        "region (-2)",
        "Left out:",
        "effects are equal",
    ] {
        assert!(table.contains(word), "{word} in\n{table}");
    }
    assert_eq!(fit.tests.equal.unwrap().df, 1);
    assert!(fit.to_latex().contains(r"\toprule") && fit.to_markdown().contains('|'));
    assert_eq!(fit.to_dataframe().unwrap().height(), 11);
    assert_eq!(fit.to_csv().unwrap().lines().count(), 12);
    let at: Vec<f64> = fit.plot_data().iter().map(|row| row.at).collect();
    assert_eq!(at, [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    assert!(fit.to_svg(&Default::default()).unwrap().starts_with("<svg"));
    let path = std::env::temp_dir().join(format!("burn-did-{}-switching.json", std::process::id()));
    fit.save(&path).unwrap();
    assert_eq!(DidMultiplegtResult::load(&path).unwrap(), fit);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"horizon\":1,", "\"horizon\":5,")).unwrap();
    let error = DidMultiplegtResult::load(&path).unwrap_err().to_string();
    assert!(error.contains("`effects[0]` has the horizon 5"), "{error}");
    std::fs::remove_file(path).unwrap();
}

/// Rows of four groups, `(id, period, d, y)`: two never switch, one switches in period 3, and one as `last`.
fn small(last: [Option<f64>; 4]) -> DataFrame {
    let treatments =
        [[Some(0.0); 4], [Some(0.0); 4], [Some(0.0), Some(0.0), Some(1.0), Some(1.0)], last];
    let rows = || (0..4usize).flat_map(|g| (0..4usize).map(move |t| (g, t)));
    df!(
        "id" => rows().map(|(g, _)| g as i64).collect::<Vec<_>>(),
        "period" => rows().map(|(_, t)| t as i64).collect::<Vec<_>>(),
        "d" => rows().map(|(g, t)| treatments[g][t]).collect::<Vec<_>>(),
        "y" => rows().map(|(g, t)| (g * g) as f64 + [0.0, 1.0, 3.0, 4.5][t] * (1.0 + g as f64 / 10.0)
            + if g == 2 && t > 1 { 2.0 } else { 0.0 }).collect::<Vec<_>>(),
    )
    .unwrap()
}

#[test]
fn rules_for_missing_treatments_and_both_directions_are_told() {
    let effects = but(config(), |c| {
        c.effects = 2;
        c.placebos = 0;
    });
    let audit = |last| effects.fit(small(last)).unwrap().audit;
    // The date of the switch is not known.
    let unknown = audit([Some(0.0), None, None, Some(1.0)]);
    assert_eq!(
        (unknown.dropped.groups_of_unknown_switch, unknown.dropped.outcomes_of_unknown_switch),
        (1, 3)
    );
    assert_eq!(unknown.never_switchers, 3);
    // It is known in spite of a gap before and after.
    let filled = audit([Some(0.0), Some(0.0), Some(1.0), None]);
    assert_eq!((filled.dropped.treatments_filled, filled.dropped.groups_of_unknown_switch), (1, 0));
    let within = audit([Some(0.0), None, Some(0.0), Some(1.0)]);
    assert_eq!((within.dropped.treatments_filled, within.switchers_in), (1, 2));
    let strict = but(effects.clone(), |c| c.drop_if_treatment_missing = true);
    let strict = strict.fit(small([Some(0.0), None, Some(0.0), Some(1.0)])).unwrap().audit;
    assert_eq!(strict.dropped.outcomes_after_missing_treatment, 3);
    let ends = audit([None, Some(0.0), Some(0.0), None]);
    assert_eq!(
        (ends.dropped.outcomes_before_treatment, ends.dropped.outcomes_after_treatment),
        (1, 1)
    );
    // Above and below the first treatment.
    let both = audit([Some(0.0), Some(1.0), Some(-1.0), Some(1.0)]);
    assert_eq!((both.dropped.groups_bidirectional, both.dropped.cells_bidirectional), (1, 2));
    let back = audit([Some(0.0), Some(1.0), Some(0.0), Some(0.0)]);
    assert_eq!((back.dropped.groups_bidirectional, back.switchers_in), (0, 2));
    let kept = but(effects.clone(), |c| c.keep_bidirectional_switchers = true);
    let kept = kept.fit(small([Some(0.0), Some(1.0), Some(-1.0), Some(0.0)])).unwrap().audit;
    assert_eq!((kept.dropped.groups_bidirectional, kept.dropped.groups_without_direction), (0, 1));
}

#[test]
fn what_cannot_be_estimated_is_an_error_or_a_warning() {
    let error = |config: DidMultiplegt, data: &DataFrame| config.fit(data).unwrap_err();
    let plain = small([Some(0.0); 4]);
    let one = but(config(), |c| {
        c.effects = 1;
        c.placebos = 0;
    });
    let none = but(one.clone(), |c| c.switchers = Some(Switchers::Out));
    assert!(matches!(error(none, &plain), DidError::NoSwitchers { .. }));
    let constant = plain.clone().lazy().with_column(lit(1.0).alias("d")).collect().unwrap();
    let found = error(one.clone(), &constant).to_string();
    assert!(
        found.contains("column `d` (treatment)") && found.contains("in each period"),
        "{found}"
    );
    let empty = plain.clone().lazy().with_column(lit(f64::NAN).alias("y")).collect().unwrap();
    assert!(matches!(error(one.clone(), &empty), DidError::EmptySample { .. }));
    let absent = but(one.clone(), |c| c.treatment = "dose".into());
    assert!(error(absent, &plain).to_string().contains("column `dose` (treatment)"));
    let cluster = but(one.clone(), |c| c.cluster = Some("period".into()));
    let found = error(cluster, &plain).to_string();
    assert!(found.contains("`period` (cluster) changes over time within unit 0"), "{found}");
    let trends = but(one.clone(), |c| c.trends_nonparam = vec!["period".into()]);
    assert!(error(trends, &plain).to_string().contains("(trend group)"));
    let placebos = but(one.clone(), |c| c.same_switchers_placebos = true);
    assert!(matches!(error(placebos, &plain), DidError::Config { .. }));
    let negative = plain.clone().lazy().with_column(lit(-1.0).alias("w")).collect().unwrap();
    let weighted = but(one, |c| c.weights = Some("w".into()));
    let refused = error(weighted.clone(), &negative);
    assert!(matches!(refused, DidError::Negative { role: "weights", .. }), "{refused}");
    let zero = plain.clone().lazy().with_column(lit(0.0).alias("w")).collect().unwrap();
    assert!(matches!(error(weighted, &zero), DidError::Weights { .. }));
    let many = but(config(), |c| {
        c.effects = 9;
        c.placebos = 9;
    })
    .fit(&plain)
    .unwrap();
    assert_eq!((many.effects.len(), many.placebos.len()), (2, 1));
    let told = |wanted: &dyn Fn(&DidWarning) -> bool| many.warnings.iter().any(wanted);
    assert!(told(&|w| matches!(w, DidWarning::FewerEffects { asked: 9, effects: 2 })));
    assert!(told(&|w| matches!(w, DidWarning::FewerPlacebos { asked: 9, placebos: 1 })));
    assert!(told(&|w| matches!(w, DidWarning::FewClusters { clusters: 4 })));
}

#[test]
fn what_has_no_effect_or_no_estimate_is_told() {
    let told = |fit: &DidMultiplegtResult, wanted: &dyn Fn(&DidWarning) -> bool| {
        assert!(fit.warnings.iter().any(wanted), "{:?}", fit.warnings);
    };
    let data = data();
    // A test of more effects than there are, and a regression on the same column twice.
    let range = Some(EffectsEqual::Between(2, 9));
    let fit = but(config(), |c| c.effects_equal = range).fit(&data).unwrap();
    assert!(fit.tests.equal.is_none());
    told(
        &fit,
        &|w| matches!(w, DidWarning::WithoutEffect { option, .. } if option == "effects_equal"),
    );
    let twice = PredictHeterogeneity::new(["region", "region"]).effects([1]);
    let fit = but(config(), |c| c.predict_heterogeneity = Some(twice));
    let fit = fit.fit(&data).unwrap();
    assert!(fit.heterogeneity.iter().all(|row| row.estimate.estimate.is_none()));
    told(
        &fit,
        &|w| matches!(w, DidWarning::WithoutEffect { option, .. } if option == "predict_heterogeneity: effect 1"),
    );
    // Infinite numbers.
    let infinite = when(col("id").eq(lit(3))).then(lit(f64::INFINITY)).otherwise(col("y"));
    let infinite = data.clone().lazy().with_column(infinite.alias("y")).collect().unwrap();
    let count = data.column("id").unwrap().i64().unwrap().iter().filter(|id| *id == Some(3));
    let count = count.count();
    let fit = config().fit(&infinite).unwrap();
    told(
        &fit,
        &|w| matches!(w, DidWarning::InfiniteValues { columns } if *columns == [("y".to_owned(), count)]),
    );
    let one = but(config(), |c| {
        c.effects = 1;
        c.placebos = 0;
    });
    // One switcher goes up by one; another goes down by one first, and up by more afterwards.
    let turning = small([Some(0.0), Some(0.0), Some(-1.0), Some(3.0)]);
    let turns = but(one.clone(), |c| {
        c.normalized = true;
        c.keep_bidirectional_switchers = true;
    });
    let fit = turns.fit(&turning).unwrap();
    assert!(fit.effects[0].estimate.estimate.is_none() && fit.effects[0].n_switchers == 2);
    for horizon in [0, 1] {
        told(&fit, &|w| *w == DidWarning::NoChangeOfTreatment { horizon });
    }
    // Treatments that are one but for rounding, and one draw.
    let start = when(col("d").eq(lit(0.0)))
        .then(when(col("id").eq(lit(0))).then(lit(0.1 + 0.2)).otherwise(lit(0.3)))
        .otherwise(col("d"));
    let up = small([Some(0.0), Some(0.0), Some(1.0), Some(1.0)]);
    let rounded = up.lazy().with_column(start.alias("d")).collect().unwrap();
    let fit = one.fit(&rounded).unwrap();
    told(&fit, &|w| matches!(w, DidWarning::RoundedTreatments { smaller, .. } if *smaller == 0.3));
    let draw = but(one, |c| c.bootstrap = Some(Bootstrap::draws(1)));
    assert!(matches!(draw.fit(&rounded), Err(DidError::Config { option: "bootstrap draws", .. })));
}

#[test]
fn groups_without_an_outcome_or_a_treatment_leave_nothing_behind() {
    let data = data();
    let plain = config().fit(&data).unwrap();
    let spaced = |expr: Expr| expr.cast(DataType::Int64).alias("period");
    let wide = data.clone().lazy().with_columns([spaced(col("period") * lit(2))]);
    let wide = wide.collect().unwrap();
    for column in ["y", "d"] {
        let missing = || lit(f64::NAN).alias(column);
        // Periods that no other group has.
        let between = another(&data, [spaced(col("period") * lit(2) + lit(1)), missing()]);
        let fit = config().fit(wide.vstack(&between).unwrap()).unwrap();
        assert_eq!((all(&fit), fit.vcov.clone()), (all(&plain), plain.vcov.clone()));
        assert_eq!(
            fit.audit.periods,
            plain.audit.periods.iter().map(|t| 2.0 * t).collect::<Vec<_>>()
        );
        assert_eq!(fit.audit.dropped.groups_empty, 1);
        // Rows twice, with which cells without a treatment would count for nothing.
        let twice = another(&data, [missing()]);
        let twice = data.vstack(&twice).unwrap().vstack(&twice).unwrap();
        let fit = config().fit(&twice).unwrap();
        assert_eq!((all(&fit), fit.vcov.clone()), (all(&plain), plain.vcov.clone()));
        assert_eq!((fit.audit.dropped.groups_empty, fit.audit.dropped.rows_averaged), (1, 0));
    }
}

#[test]
fn what_effects_are_regressed_on_may_begin_in_any_period() {
    let data = data();
    let asked = PredictHeterogeneity::new(["region"]);
    let config = but(config(), |c| c.predict_heterogeneity = Some(asked));
    let plain = config.fit(&data).unwrap();
    // A group of its own treatment, with which none is compared, was seen five periods earlier.
    let earlier = (col("period") - lit(5)).cast(DataType::Int64).alias("period");
    let early = another(&data, [earlier, lit(99.0).alias("d")]);
    let fit = config.fit(data.vstack(&early).unwrap()).unwrap();
    assert_eq!(
        fit.audit.dropped.groups_without_variation,
        1 + plain.audit.dropped.groups_without_variation
    );
    assert!(fit.heterogeneity.iter().all(|row| row.estimate.estimate.is_some()));
    assert_eq!((fit.heterogeneity, fit.warnings), (plain.heterogeneity, plain.warnings));
}

#[test]
fn columns_that_are_constant_in_cohorts_predict_nothing() {
    // Ten groups that switch in period 3, ten in period 4, and ten that do not; a tenth is not the mean of ten of them.
    let rows = || (0..30_u32).flat_map(|g| (1..=5_u32).map(move |t| (g, t)));
    let data = |within: f64| {
        df!(
            "id" => rows().map(|(g, _)| g).collect::<Vec<_>>(),
            "period" => rows().map(|(_, t)| t).collect::<Vec<_>>(),
            "d" => rows().map(|(g, t)| f64::from(u8::from(g < 20 && t >= 3 + g / 10))).collect::<Vec<_>>(),
            "y" => rows().map(|(g, t)| f64::from((7 * g + 3 * t * t) % 11)).collect::<Vec<_>>(),
            "z" => rows().map(|(g, _)| [0.1, 0.7, 0.3][g as usize / 10] + within * f64::from(g % 3)).collect::<Vec<_>>(),
        )
        .unwrap()
    };
    let asked = PredictHeterogeneity::new(["z"]).effects([1]);
    let config = but(config(), |c| {
        c.predict_heterogeneity = Some(asked);
        c.effects = 1;
        c.placebos = 0;
    });
    for (within, is_estimated) in [(0.0, false), (1e-15, false), (1e-9, true)] {
        let fit = config.fit(data(within)).unwrap();
        let row = &fit.heterogeneity[0];
        assert_eq!((row.n, row.estimate.estimate.is_some()), (20, is_estimated), "{within}");
        let told = fit.warnings.iter().any(
            |w| matches!(w, DidWarning::WithoutEffect { option, .. } if option == "predict_heterogeneity: effect 1"),
        );
        assert_eq!(told, !is_estimated);
    }
}
