//! Trends that differ exactly linearly: every path that is analysed is a line through its reference, or a warning says that it is none.

use burn_did::backend::Cpu;
use burn_did::options::{BasePeriod, ControlGroup};
use burn_did::{
    AttGt, DidError, DidMultiplegt, DidWarning, Etwfe, EventStudy, Honest, Imputation,
    LocalProjections, Pretrends, Stacked, SunAbraham, TwoStage,
};
use polars::prelude::{DataFrame, df};

/// What outcomes of treated units gain on the others in a period.
const SLOPE: f64 = 0.1;
const PERIODS: i32 = 8;

/// Units that are first treated in these periods, or never (0), so many pairs of each. Noise is that of one unit of a pair with the
/// sign reversed in the other, so that means of cohorts have none and standard errors exist; treatment has no effect.
fn panel(cohorts: &[(i32, usize)]) -> DataFrame {
    let (mut id, mut t, mut g, mut d, mut y) = (vec![], vec![], vec![], vec![], vec![]);
    let pairs = cohorts.iter().flat_map(|(group, pairs)| vec![*group; *pairs]);
    for (pair, group) in (0_i32..).zip(pairs) {
        for (unit, sign) in [(2 * pair, 1.0), (2 * pair + 1, -1.0)] {
            for period in 1..=PERIODS {
                let wave = (f64::from(pair) * 12.9898 + f64::from(period) * 78.233).sin();
                let noise = sign * (43_758.545 * wave).fract();
                let trend = if group > 0 { SLOPE * f64::from(period - group) } else { 0.0 };
                id.push(unit);
                t.push(period);
                g.push(group);
                d.push(i32::from(group > 0 && period >= group));
                y.push(trend + 0.02 * noise);
            }
        }
    }
    df!("id" => id, "t" => t, "g" => g, "d" => d, "y" => y).unwrap()
}

fn imputed(data: &DataFrame) -> EventStudy {
    let config = Imputation::builder().outcome("y").unit("id").time("t").group("g").build();
    config.fit(data).unwrap().event_study()
}

fn in_two_stages(data: &DataFrame) -> EventStudy {
    let config = TwoStage::builder().outcome("y").unit("id").time("t").group("g").build();
    config.fit(data).unwrap().event_study()
}

fn switching(data: &DataFrame, normalized: bool) -> EventStudy {
    let config = DidMultiplegt::builder().outcome("y").unit("id").time("t").treatment("d");
    let config = config.effects(2).placebos(2).only_never_switchers(true).normalized(normalized);
    config.build().fit(data).unwrap().event_study()
}

/// The event studies of estimators whose comparison units are never treated.
fn against_never_treated(data: &DataFrame) -> Vec<(&'static str, EventStudy)> {
    let att_gt = |base: BasePeriod| {
        let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        config.base_period(base).build().fit(data).unwrap().event_study().unwrap()
    };
    let sunab = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g").build();
    let etwfe = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let etwfe = etwfe.control_group(ControlGroup::NeverTreated).build();
    vec![
        ("att_gt, universal", att_gt(BasePeriod::Universal)),
        ("att_gt, varying", att_gt(BasePeriod::Varying)),
        ("sunab", sunab.fit(data).unwrap().event_study),
        ("etwfe", etwfe.fit(data).unwrap().event_study()),
        ("did_multiplegt", switching(data, false)),
        ("imputation", imputed(data)),
        ("two_stage", in_two_stages(data)),
    ]
}

/// The path is the line, and the interval for linear violations has the true effect in its middle; or there is the warning.
fn check(name: &str, study: &EventStudy) {
    let honest = study.honest(Honest::smoothness().m([0.0])).unwrap();
    let pretrends = study.pretrends(Pretrends::new().slope(SLOPE)).unwrap();
    let says = |warnings: &[DidWarning]| warnings.contains(&DidWarning::JumpAtTreatment);
    let jumps = matches!(name, "imputation" | "two_stage");
    assert_eq!((says(&honest.warnings), says(&pretrends.warnings)), (jumps, jumps), "{name}");
    if jumps {
        // Whatever is made of the event study before it is analysed.
        let based = study.universal_base().honest(Honest::smoothness().m([0.0])).unwrap();
        assert_eq!(based.warnings, [DidWarning::JumpAtTreatment], "{name}");
        assert!(honest.to_string().contains("jump at it"), "{honest}");
        assert!(pretrends.to_string().contains("`SunAbraham`"), "{pretrends}");
        return;
    }
    let based = study.universal_base();
    for (at, found) in based.event_times().into_iter().zip(based.coefficients()) {
        let line = SLOPE * (at + 1.0);
        assert!((found - line).abs() < 1e-9, "{name} at {at}: {found} is not {line}");
    }
    let ends = [honest.intervals[0].lower.unwrap(), honest.intervals[0].upper.unwrap()];
    assert!((ends[0] + ends[1]).abs() < 1e-7 && ends[0] < ends[1], "{name}: {ends:?}");
}

#[test]
fn paths_are_lines_or_a_warning_says_that_they_are_not() {
    let data = panel(&[(5, 10), (0, 30)]);
    for (name, study) in against_never_treated(&data) {
        check(name, &study);
    }
    let projections = LocalProjections::builder().outcome("y").unit("id").time("t").group("g");
    let projections = projections.pre_window(4).post_window(3).build();
    check("lpdid", &projections.fit(&data).unwrap().event_study());
    let stacked = Stacked::builder().outcome("y").unit("id").time("t").group("g");
    let stacked = stacked.pre_window(4).post_window(3).build();
    check("stacked", &stacked.fit(&data).unwrap().event_study());
    // Cohorts that are treated in different periods.
    for (name, study) in against_never_treated(&panel(&[(4, 10), (6, 14), (0, 30)])) {
        check(name, &study);
    }
}

/// The formula of the page of estimands.
#[test]
fn residuals_are_flattened_before_treatment_and_jump_at_it() {
    let data = panel(&[(5, 10), (0, 30)]);
    let (share, mean, base) = (0.25, -2.5 * SLOPE, -SLOPE);
    for study in [imputed(&data), in_two_stages(&data)] {
        let based = study.universal_base();
        assert_eq!(based.event_times(), [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0, 3.0]);
        for (at, found) in based.event_times().into_iter().zip(based.coefficients()) {
            let line = SLOPE * at - base;
            let want = if at < 0.0 { (1.0 - share) * line } else { line + share * (base - mean) };
            assert!((found - want).abs() < 1e-9, "{at}: {found} is not {want}");
        }
    }
}

#[test]
fn normalized_effects_are_refused() {
    let study = switching(&panel(&[(5, 10), (0, 30)]), true);
    let refused = |error: DidError| {
        assert_eq!(error.code(), "event_study");
        let said = error.to_string();
        assert!(said.contains("where these changes differ"), "{said}");
        assert!(said.contains("fit without `normalized`"), "{said}");
    };
    refused(study.honest(Honest::smoothness().m([0.0])).unwrap_err());
    refused(study.pretrends(Pretrends::new()).unwrap_err());
    assert_eq!(study.smoothness_bounds(0.05), None);
}
