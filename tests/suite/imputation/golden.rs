//! The numbers of R `didimputation`, of a dense program, and of the data that the specification writes down.

use burn_did::imputation::{CellAverages, PretrendTimes, StageTerm};
use burn_did::{Imputation, TwoStage};
use polars::prelude::*;
use serde::Deserialize;

use super::{imputation, near, of, two_stage, written};
use crate::support::frames::{floats, golden_data, golden_json, golden_path, with};

/// R's fixed effects are good to about 5e-11.
const TOLERANCE: f64 = 1e-9;

#[derive(Deserialize)]
struct Golden {
    imputation: Vec<Case>,
    two_stage: Vec<TwoStageCase>,
}

/// What cases of both estimators have.
#[derive(Deserialize)]
pub(super) struct Common {
    pub(super) id: String,
    pub(super) dataset: String,
    pub(super) columns: [String; 4],
    pub(super) fe: Vec<String>,
    pub(super) covariates: Vec<String>,
    pub(super) weights: Option<String>,
    pub(super) cluster: Option<String>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(flatten)]
    common: Common,
    horizon: Option<Horizon>,
    pretrends: Option<Vec<f64>>,
    wtr: Option<String>,
    r: Numbers,
    dense: Numbers,
    leave_out: Vec<f64>,
}

#[derive(Deserialize)]
struct TwoStageCase {
    #[serde(flatten)]
    common: Common,
    second_stage: String,
    r#ref: Vec<String>,
    r: Numbers,
}

/// `true` for all, or a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Horizon {
    All(bool),
    At(Vec<f64>),
}

#[derive(Deserialize)]
pub(super) struct Numbers {
    pub(super) names: Vec<String>,
    pub(super) estimates: Vec<f64>,
    pub(super) std_errors: Option<Vec<f64>>,
    pub(super) vcov: Option<Vec<Vec<f64>>>,
}

impl Common {
    pub(super) fn frame(&self) -> DataFrame {
        let df = golden_data(&self.dataset);
        if self.dataset != "stag_a" {
            return df;
        }
        let columns = ["t", "g", "w"].map(|name| floats(&df, name));
        let [t, g, w] = &columns;
        let weight = |row: usize| if g[row] > 0.0 && t[row] >= g[row] { w[row] } else { 0.0 };
        with(&df, "wtrw", (0..df.height()).map(weight).collect::<Vec<f64>>())
    }

    pub(super) fn covariates(&self) -> String {
        match self.covariates.is_empty() {
            true => "~ 1".into(),
            false => format!("~ {}", self.covariates.join(" + ")),
        }
    }
}

impl Case {
    fn config(&self) -> Imputation {
        let Common { columns: [y, id, t, g], fe, weights, cluster, .. } = &self.common;
        let pretrends = self.pretrends.clone().map_or(PretrendTimes::None, PretrendTimes::At);
        let horizons = match &self.horizon {
            Some(Horizon::At(times)) => Some(times.clone()),
            Some(Horizon::All(true)) | None => None,
            Some(Horizon::All(false)) => panic!("no horizon is false"),
        };
        Imputation::builder()
            .outcome(y)
            .unit(id)
            .time(t)
            .group(g)
            .fixed_effects(fe)
            .covariates(self.common.covariates())
            .maybe_weights(weights.clone())
            .maybe_cluster(cluster.clone())
            .maybe_horizons(horizons)
            .pretrends(pretrends)
            .averages(self.wtr.clone())
            .build()
    }

    fn term(&self, name: &str) -> StageTerm {
        match name {
            "treat" => StageTerm::Overall,
            name if self.wtr.as_deref() == Some(name) => StageTerm::Average(name.into()),
            time => StageTerm::EventTime(time.parse().unwrap()),
        }
    }
}

#[test]
fn effects_are_those_of_r_and_of_a_dense_program() {
    let cases = golden_json::<Golden>("imputation.json").imputation;
    assert_eq!(cases.len(), 17);
    for case in cases {
        println!("{}", case.common.id);
        let df = case.common.frame();
        let config = case.config();
        let fit = config.fit(&df).unwrap();
        let mut as_r = config.clone();
        as_r.cell_averages = CellAverages::Row;
        let as_r = as_r.fit(&df).unwrap();
        for (index, name) in case.r.names.iter().enumerate() {
            let (estimate, se) = of(&as_r.effects, &case.term(name));
            near(estimate, case.r.estimates[index], TOLERANCE);
            if let Some(errors) = &case.r.std_errors {
                near(se, errors[index], TOLERANCE);
            }
        }
        let mut left_out = config.clone();
        left_out.leave_out = true;
        let left_out = left_out.fit(&df).unwrap();
        let (dense, rows) = (&case.dense, &fit.effects.rows);
        let place =
            |name: &String| rows.iter().position(|row| row.term == case.term(name)).unwrap();
        for (index, name) in dense.names.iter().enumerate() {
            let (estimate, se) = of(&fit.effects, &case.term(name));
            near(estimate, dense.estimates[index], TOLERANCE);
            near(se, dense.std_errors.as_ref().unwrap()[index], TOLERANCE);
            near(of(&left_out.effects, &case.term(name)).1, case.leave_out[index], TOLERANCE);
            for (other, covariance) in dense.names.iter().zip(&dense.vcov.as_ref().unwrap()[index])
            {
                let own = fit.effects.vcov[place(name)][place(other)];
                assert!((own - covariance).abs() <= 1e-8 * se * se, "{own} is not {covariance}");
            }
        }
    }
}

#[test]
fn second_stages_are_those_of_r() {
    let cases = golden_json::<Golden>("imputation.json").two_stage;
    assert_eq!(cases.len(), 16);
    for case in cases {
        println!("{}", case.common.id);
        let Common { columns: [y, id, t, g], fe, weights, cluster, .. } = &case.common;
        let references = case.r#ref.iter().filter(|at| *at != "Inf").map(|at| at.parse().unwrap());
        let config = TwoStage::builder()
            .outcome(y)
            .unit(id)
            .time(t)
            .group(g)
            .fixed_effects(fe)
            .covariates(case.common.covariates())
            .maybe_weights(weights.clone())
            .maybe_cluster(cluster.clone())
            .references(references)
            .groups(true)
            .build();
        let fit = config.fit(case.common.frame()).unwrap();
        // Names such as `treat::1`, `rel::-2` and `.g::3:treat`.
        let term = |name: &String| {
            let level = name.split("::").nth(1).unwrap().split(':').next().unwrap();
            let level: f64 = level.parse().unwrap();
            match case.second_stage.as_str() {
                "static" => StageTerm::Overall,
                "event" => StageTerm::EventTime(level),
                _ => StageTerm::Group(level),
            }
        };
        let rows = &fit.effects.rows;
        let place = |name| rows.iter().position(|row| row.term == term(name)).unwrap();
        for (index, name) in case.r.names.iter().enumerate() {
            let (estimate, se) = of(&fit.effects, &term(name));
            near(estimate, case.r.estimates[index], TOLERANCE);
            near(se, case.r.std_errors.as_ref().unwrap()[index], 1e-8);
            for (other, covariance) in
                case.r.names.iter().zip(&case.r.vcov.as_ref().unwrap()[index])
            {
                let own = fit.effects.vcov[place(name)][place(other)];
                assert!((own - covariance).abs() <= 1e-7 * se * se, "{own} is not {covariance}");
            }
        }
        let event_times = rows.iter().filter(|row| matches!(row.term, StageTerm::EventTime(_)));
        if case.second_stage == "event" {
            assert_eq!(event_times.count(), case.r.names.len());
        }
    }
}

#[test]
fn second_stages_of_the_data_that_the_specification_writes_down() {
    let df = written::frame();
    let mut config = two_stage();
    config.groups = true;
    let fit = config.fit(&df).unwrap();
    near(of(&fit.effects, &StageTerm::Overall).1, 0.074_439_348_5, TOLERANCE);
    let expected = [
        (-5.0, 0.024_787_305_2, 0.068_469_869_4),
        (-4.0, -0.002_742_086_8, 0.067_846_654_2),
        (-3.0, 0.024_262_466_6, 0.047_585_164_8),
        (-2.0, -0.024_874_803_9, 0.041_608_699_4),
        (-1.0, 0.001_852_171, 0.033_776_942_6),
        (0.0, 0.984_751_206_3, 0.065_897_667_1),
        (1.0, 1.294_919_624_1, 0.091_549_556_2),
        (2.0, 1.547_642_125_7, 0.110_319_304_5),
        (3.0, 1.809_072_409_1, 0.145_864_934_7),
    ];
    for (time, value, error) in expected {
        let (estimate, se) = of(&fit.effects, &StageTerm::EventTime(time));
        near(estimate, value, 1e-7);
        near(se, error, TOLERANCE);
    }
    let expected = [
        (3.0, 1.389_768_100_6, 0.130_206_137_3),
        (4.0, 1.278_358_519_5, 0.117_116_378_3),
        (5.0, 1.159_000_681, 0.104_178_709_6),
        (6.0, 1.015_971_035, 0.149_867_446_4),
    ];
    for (group, value, error) in expected {
        let (estimate, se) = of(&fit.effects, &StageTerm::Group(group));
        near(estimate, value, TOLERANCE);
        near(se, error, TOLERANCE);
    }
    let se = |change: &dyn Fn(&mut TwoStage)| {
        let mut config = two_stage();
        change(&mut config);
        of(&config.fit(&df).unwrap().effects, &StageTerm::Overall).1
    };
    near(se(&|c| c.weights = Some("w".into())), 0.075_364_936_6, TOLERANCE);
    near(se(&|c| c.cluster = Some("cl".into())), 0.047_166_401_1, 1e-8);
    let both = se(&|c| {
        c.weights = Some("w".into());
        c.cluster = Some("cl".into());
    });
    near(both, 0.046_214_994_105, TOLERANCE);
    near(se(&|c| c.covariates = "~ xt".into()), 0.055_174_98, 1e-7);
}

#[test]
fn effects_of_the_data_that_the_specification_writes_down() {
    let df = written::frame();
    let fit = imputation().fit(&df).unwrap();
    let (estimate, se) = of(&fit.effects, &StageTerm::Overall);
    near(estimate, 1.272_812_035_8, TOLERANCE);
    near(se, 0.073_098_409_5, TOLERANCE);
    let expected = [
        (0.984_751_206_3, 0.065_754_651_6, 0.069_618_324_4),
        (1.294_919_624_1, 0.091_460_876_2, 0.096_597_494_6),
        (1.547_642_125_7, 0.110_314_187_3, 0.116_691_530_1),
        (1.809_072_409_1, 0.145_864_934_7, 0.153_771_399_5),
    ];
    let mut config = imputation();
    config.leave_out = true;
    let left_out = config.fit(&df).unwrap();
    near(of(&left_out.effects, &StageTerm::Overall).1, 0.076_881_969_2, TOLERANCE);
    for (time, (value, error, error_left_out)) in expected.into_iter().enumerate() {
        let term = StageTerm::EventTime(time as f64);
        let (estimate, se) = of(&fit.effects, &term);
        near(estimate, value, TOLERANCE);
        near(se, error, TOLERANCE);
        near(of(&left_out.effects, &term).1, error_left_out, TOLERANCE);
    }
    config.cluster = Some("cl".into());
    near(of(&config.fit(&df).unwrap().effects, &StageTerm::Overall).1, 0.049_048_545_2, TOLERANCE);
    config.leave_out = false;
    near(of(&config.fit(&df).unwrap().effects, &StageTerm::Overall).1, 0.035_149_305_5, TOLERANCE);
    let mut config = imputation();
    config.covariates = "~ xt".into();
    let (estimate, se) = of(&config.fit(&df).unwrap().effects, &StageTerm::Overall);
    near(estimate, 1.296_715_974, TOLERANCE);
    near(se, 0.052_866_777_5, TOLERANCE);
    let mut config = imputation();
    config.weights = Some("w".into());
    let (estimate, se) = of(&config.fit(&df).unwrap().effects, &StageTerm::Overall);
    near(estimate, 1.271_799_566_8, TOLERANCE);
    near(se, 0.074_527_287_1, TOLERANCE);
    let mut config = imputation();
    config.pretrends = PretrendTimes::At(vec![-3.0, -2.0, -1.0]);
    let fit = config.fit(&df).unwrap();
    let expected = [
        (-3.0, 0.007_899_927_6, 0.105_305_325_1),
        (-2.0, -0.052_991_258, 0.121_059_034),
        (-1.0, -0.030_572_650_3, 0.138_605_738_6),
    ];
    for (time, value, error) in expected {
        let (estimate, se) = of(&fit.effects, &StageTerm::EventTime(time));
        near(estimate, value, 1e-8);
        near(se, error, 1e-8);
    }
    let mut config = imputation();
    config.fixed_effects = vec!["g".into(), "t".into()];
    near(of(&config.fit(&df).unwrap().effects, &StageTerm::Overall).1, 0.073_098_409_5, TOLERANCE);
    config.leave_out = true;
    near(of(&config.fit(&df).unwrap().effects, &StageTerm::Overall).1, 0.077_216_296_2, TOLERANCE);
}

/// The simulated data sets `df_het` of R `didimputation` and `did2s`, with the numbers of their pages.
#[test]
fn the_examples_of_the_packages_have_their_numbers() {
    let data = |package: &str| golden_path(&format!("df_het_{package}.parquet"));
    let config = Imputation::builder().outcome("dep_var").unit("unit").time("year").group("g");
    let fit = config.build().fit(data("didimputation").as_path()).unwrap();
    let near = |value: f64, expected: f64, rounded: f64| {
        assert!((value - expected).abs() <= 0.5 * rounded, "{value} is not {expected}");
    };
    let (estimate, se) = of(&fit.effects, &StageTerm::Overall);
    near(estimate, 2.262_952, 1e-6);
    near(se, 0.031_396_84, 1e-8);
    let (estimate, se) = of(&fit.effects, &StageTerm::EventTime(0.0));
    near(estimate, 1.513_142_01, 1e-7);
    near(se, 0.075_477_36, 1e-8);
    let config = TwoStage::builder().outcome("dep_var").unit("unit").time("year").group("g");
    let config = config.fixed_effects(["state", "year"]).cluster("state").build();
    let fit = config.fit(data("did2s").as_path()).unwrap();
    let (estimate, se) = of(&fit.effects, &StageTerm::Overall);
    near(estimate, 2.152, 1e-3);
    near(se, 0.047_6, 1e-4);
}
