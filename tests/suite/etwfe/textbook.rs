//! Numbers of a small balanced panel from pyfixest and R `etwfe`.

use burn_did::backend::Cpu;
use burn_did::extended::EtwfeAbsorb;
use burn_did::options::ControlGroup;
use burn_did::regression::{Family, Vcov};
use burn_did::{Estimate, Etwfe, EtwfeResult, data};
use polars::prelude::DataFrame;

use super::etwfe;
use crate::by_unit::textbook;
use crate::support::but;
use crate::support::frames::{floats, with};

#[track_caller]
fn near(a: Option<f64>, b: f64, tolerance: f64) {
    let a = a.unwrap();
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

#[track_caller]
fn is(own: &Estimate, estimate: f64, se: f64) {
    near(own.estimate, estimate, 1e-9);
    near(own.se, se, 2e-9);
}

/// With counts `c`.
fn frame() -> DataFrame {
    let df = textbook();
    let [u, t, y] = ["id", "t", "y"].map(|name| floats(&df, name));
    let count =
        |i: usize| (2.5 + 2.0 * (0.3 * y[i]).exp() + 1.5 * (3.3 * u[i] + 7.7 * t[i]).sin()).floor();
    with(&df, "c", (0..df.height()).map(count).collect::<Vec<f64>>())
}

fn hetero() -> Etwfe<Cpu> {
    but(etwfe(), |c| c.vcov = Some(Vcov::Hetero))
}

fn cell(fit: &EtwfeResult, group: f64, time: f64) -> &Estimate {
    let own = fit.cells.iter().find(|c| c.group == Some(group) && c.time == Some(time));
    &own.unwrap().estimate
}

#[test]
fn averages_are_the_known_ones() {
    let df = frame();
    let fit = hetero().fit(&df).unwrap();
    assert_eq!(fit.cells.len(), 10);
    is(cell(&fit, 3.0, 3.0), 0.937_089_204_8, 0.116_233_949_6);
    is(cell(&fit, 3.0, 4.0), 1.271_735_475_3, 0.147_024_891_5);
    is(cell(&fit, 4.0, 4.0), 0.995_726_689_6, 0.130_514_232_5);
    is(cell(&fit, 5.0, 5.0), 0.990_217_895_9, 0.126_008_712_2);
    is(&fit.overall, 1.272_812_035_804_297_8, 0.068_017_267_172_917_3);
    let groups = [
        (1.389_768_100_6, 0.111_536_663_1),
        (1.278_358_519_5, 0.097_485_773_3),
        (1.159_000_681, 0.105_382_607_7),
        (1.015_971_035, 0.149_049_109_2),
    ];
    assert_eq!(fit.by_group.len(), groups.len());
    fit.by_group.iter().zip(groups).for_each(|(of, (b, se))| is(&of.estimate, b, se));
    let events = [
        (0.984_751_206_3, 0.065_176_862_4),
        (1.294_919_624_1, 0.083_539_505_5),
        (1.547_642_125_7, 0.105_641_423_4),
        (1.809_072_409_1, 0.159_904_955_9),
    ];
    assert_eq!(fit.by_event_time.len(), events.len());
    fit.by_event_time.iter().zip(events).for_each(|(of, (b, se))| is(&of.estimate, b, se));
    let periods = [0.937_089_204_8, 1.133_731_082_5, 1.272_211_046_6, 1.426_733_962_1];
    fit.by_period.iter().zip(periods).for_each(|(of, b)| near(of.estimate.estimate, b, 1e-9));

    let se = |config: &Etwfe<Cpu>| config.fit(&df).unwrap().overall.se;
    near(se(&but(etwfe(), |c| c.vcov = Some(Vcov::Iid))), 0.065_470_446_494_673_74, 1e-9);
    near(se(&etwfe()), 0.074_552_621_277_641_45, 1e-9);
    let cohorts = but(hetero(), |c| c.absorb = EtwfeAbsorb::Cohort);
    near(se(&cohorts), 0.088_554_403_492_639, 1e-9);
    near(se(&but(hetero(), |c| c.unit = None)), 0.088_554_403_492_639, 1e-9);
}

#[test]
fn covariates_and_moderators_are_those_of_r() {
    let df = frame();
    let fit = but(hetero(), |c| c.covariates = vec!["x".into()]).fit(&df).unwrap();
    is(&fit.overall, 1.296_806_732_525_485_7, 0.060_569_647_582_058_1);
    assert_eq!(fit.regression.coefficients.len(), 25);
    let fit = but(hetero(), |c| c.moderator = Some("x".into())).fit(&df).unwrap();
    near(fit.overall.estimate, 1.272_812_035_8, 1e-9);
    near(fit.overall.se, 0.060_465_69, 1e-8);
    assert_eq!(fit.regression.coefficients.len(), 25);
}

#[test]
fn leads_against_the_never_treated_are_the_known_ones() {
    let never = but(hetero(), |c| c.control_group = ControlGroup::NeverTreated);
    let fit = never.fit(frame()).unwrap();
    assert_eq!(fit.cells.len(), 20);
    is(&fit.overall, 1.253_529_555_108_229_7, 0.090_746_541_731_934_18);
    let events = [
        0.060_738_671_5,
        0.037_031_335,
        0.046_680_802_2,
        -0.022_745_186,
        0.0,
        0.978_287_395_9,
        1.276_377_181_2,
        1.514_296_638_2,
        1.764_421_147_3,
    ];
    let at: Vec<f64> = fit.by_event_time.iter().filter_map(|of| of.event_time).collect();
    assert_eq!(at, [-5.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
    fit.by_event_time.iter().zip(events).for_each(|(of, b)| near(of.estimate.estimate, b, 1e-9));
    assert!(fit.by_event_time[4].reference);
}

#[test]
fn counts_are_those_of_poisson_regressions() {
    let counts = but(hetero(), |c| {
        c.outcome = "c".into();
        c.family = Family::Poisson;
    });
    let fit = counts.fit(frame()).unwrap();
    let own = fit.regression.coefficient("cohort 3 in 3").unwrap();
    near(Some(own.estimate), 0.227_962_837_8, 1e-8);
    near(own.se, 0.078_765_526_1, 1e-8);
    near(fit.overall.estimate, 1.400_127_341_067_347_2, 1e-8);
    near(fit.overall.se, 0.210_444_577_789_951_7, 1e-8);
    let events = [0.899_453_027_1, 1.421_993_647_9, 1.704_059_070_7, 2.729_362_217_1];
    fit.by_event_time.iter().zip(events).for_each(|(of, b)| near(of.estimate.estimate, b, 1e-8));
}

#[test]
fn the_teen_employment_data_have_the_average_of_r() {
    let config = Etwfe::<Cpu>::builder().outcome("lemp").time("year").group("first.treat");
    let config = config.covariates(["lpop"]).vcov(Vcov::cluster(["countyreal"])).build();
    let fit = config.fit(data::mpdta()).unwrap();
    let overall = fit.overall;
    near(overall.estimate, -0.050_627_033_1, 1e-9);
    near(overall.se, 0.012_497_254_7, 1e-8);
    // R's law is the normal one.
    near(overall.ci_lower, -0.075_121_2, 1e-7);
    near(overall.ci_upper, -0.026_132_9, 1e-7);
    near(overall.p_value, 5.10e-5, 1e-7);
}
