//! Golden cases of treatments that switch.

use burn_did::{
    DidMultiplegt, DidMultiplegtResult, Estimate,
    switching::{EffectsEqual, PredictHeterogeneity, Switchers, SwitchingEffect},
};
use serde::Deserialize;
use serde_json::Value;

use super::dataset::Dataset;
use super::frames::golden_json;

/// Numbers of a fit: estimate, standard error, cells and switchers of each effect and placebo.
#[derive(Deserialize)]
pub struct Case {
    pub id: String,
    pub data: String,
    pub options: Value,
    effects: Vec<Row>,
    placebos: Vec<Row>,
    average: Option<(f64, f64)>,
    p_jointplacebo: Option<f64>,
    p_equality_effects: Option<f64>,
    predict_het: Option<Vec<Predictor>>,
}

type Row = (f64, f64, usize, usize);

/// Effect, coefficient, standard error, groups and p-value of the F test.
type Predictor = (i64, f64, f64, usize, f64);

pub fn load(name: &str) -> Vec<Case> {
    golden_json::<Dataset<Case>>(name).cases
}

impl Case {
    /// The estimator of the options, in the words of R and of ModernDiD.
    pub fn estimator(&self) -> DidMultiplegt {
        let o = &self.options;
        let text = |key: &str| o[key].as_str().map(str::to_owned);
        let number = |key: &str| o[key].as_u64().unwrap_or(0) as usize;
        let flag = |key: &str| o[key].as_bool().unwrap_or(false);
        let trends = o["trends_nonparam"].as_array().into_iter().flatten();
        let trends: Vec<&str> = trends.filter_map(Value::as_str).collect();
        let switchers = o["switchers"].as_str().map(|which| match which {
            "in" => Switchers::In,
            _ => Switchers::Out,
        });
        let predict = o["predict_het"].as_array().map(|asked| {
            let covariates: Vec<String> = serde_json::from_value(asked[0].clone()).unwrap();
            let effects: Vec<usize> = serde_json::from_value(asked[1].clone()).unwrap();
            PredictHeterogeneity::new(covariates).effects(effects)
        });
        DidMultiplegt::builder()
            .outcome(text("yname").unwrap())
            .unit(text("idname").unwrap())
            .time(text("tname").unwrap())
            .treatment(text("dname").unwrap())
            .effects(number("effects"))
            .placebos(number("placebo"))
            .normalized(flag("normalized"))
            .maybe_effects_equal(flag("effects_equal").then_some(EffectsEqual::All))
            .maybe_switchers(switchers)
            .only_never_switchers(flag("only_never_switchers"))
            .same_switchers(flag("same_switchers"))
            .same_switchers_placebos(flag("same_switchers_pl"))
            .covariates(text("xformla").unwrap_or("~ 1".into()))
            .trends_nonparam(trends)
            .linear_trends(flag("trends_lin"))
            .continuous(number("continuous"))
            .maybe_weights(text("weightsname"))
            .maybe_cluster(text("cluster"))
            .less_conservative_se(flag("less_conservative_se"))
            .keep_bidirectional_switchers(
                flag("keep_bidirectional_switchers") || flag("dont_drop_larger_lower"),
            )
            .drop_if_treatment_missing(
                flag("drop_missing_preswitch") || flag("drop_if_d_miss_before_first_switch"),
            )
            .maybe_predict_heterogeneity(predict)
            .build()
    }

    /// Whether the standard errors depend on how R pools the variance of controls.
    pub fn has_controls(&self) -> bool {
        self.options["xformla"].is_string()
    }

    /// Panics unless the fit has the numbers of the case.
    pub fn check(&self, fit: &DidMultiplegtResult, tolerance: f64) {
        let close = |what: &str, got: Option<f64>, want: f64| {
            let got = got.unwrap_or(f64::NAN);
            let unit = got.abs().max(want.abs());
            assert!(
                (got - want).abs() <= tolerance * unit,
                "{}, {what}: {got} for {want}",
                self.id
            );
        };
        let both = |what: &str, got: &Estimate, (att, se): (f64, f64)| {
            close(what, got.estimate, att);
            close(&format!("{what} se"), got.se, se);
        };
        let rows = |what: &str, got: &[SwitchingEffect], want: &[Row]| {
            assert_eq!(got.len(), want.len(), "{}: {what}", self.id);
            for (got, (att, se, cells, switchers)) in got.iter().zip(want) {
                let name = format!("{what} {}", got.horizon);
                both(&name, &got.estimate, (*att, *se));
                assert_eq!(
                    (got.n_obs, got.n_switchers),
                    (*cells, *switchers),
                    "{}: {name}",
                    self.id
                );
            }
        };
        rows("effect", &fit.effects, &self.effects);
        rows("placebo", &fit.placebos, &self.placebos);
        if let Some(average) = self.average {
            both("average", &fit.average.unwrap().estimate, average);
        }
        if let Some(p) = self.p_jointplacebo {
            close("joint test of placebos", fit.tests.placebos.map(|wald| wald.p_value), p);
        }
        if let Some(p) = self.p_equality_effects {
            close("test of equality", fit.tests.equal.map(|wald| wald.p_value), p);
        }
        for (got, want) in fit.heterogeneity.iter().zip(self.predict_het.iter().flatten()) {
            assert_eq!((got.effect, got.n), (want.0, want.3), "{}", self.id);
            both("predictor", &got.estimate, (want.1, want.2));
            close("F test", got.p_all, want.4);
        }
        let wanted = self.predict_het.as_ref().map_or(0, Vec::len);
        assert_eq!(fit.heterogeneity.len(), wanted, "{}", self.id);
    }
}
