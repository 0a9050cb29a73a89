//! The specification of a study: keys of a `.toml` file in the words of the options of other commands.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use burn_did::joint_study::{StudyEstimator, Variation};
use burn_did::options::{
    Band, BasePeriod, ControlGroup, DecimalMark, EstimationMethod, Frequency, Multiplier,
    RowCondition,
};
use burn_did::pretrends::PreTest;
use burn_did::recipe::Variant;
use burn_did::sensitivity::{Effect, HonestMethod};
use burn_did::{Aggregation, DataFiles, Honest, Pretrends, Study};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::mistakes::{Place, keys_of, parsed};
use crate::commands::honest::Violations;
use crate::defaults;
use crate::error::{CliError, Result};

/// A specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Spec {
    title: Option<String>,
    date: Option<String>,
    data: PathBuf,
    yname: String,
    tname: String,
    idname: Option<String>,
    gname: String,
    xformla: Option<String>,
    weightsname: Option<String>,
    clustervars: Option<String>,
    frequency: Option<Typed<Frequency>>,
    na: Option<Vec<String>>,
    decimal: Option<Typed<DecimalMark>>,
    rows: Option<Vec<Typed<RowCondition>>>,
    anticipation: Option<u32>,
    base_period: Option<Typed<BasePeriod>>,
    #[serde(default)]
    repeated_cross_sections: bool,
    #[serde(default)]
    allow_unbalanced_panel: bool,
    alp: Option<f64>,
    #[serde(default)]
    boot: bool,
    biters: Option<usize>,
    seed: Option<u64>,
    multiplier: Option<Typed<Multiplier>>,
    cband: Option<bool>,
    aggregate: Option<Vec<Typed<Aggregation>>>,
    estimators: Option<Vec<Typed<StudyEstimator>>>,
    vary: Option<String>,
    #[serde(default)]
    two_way: bool,
    estimate: Option<Vec<EstimateSpec>>,
    pretrends: Option<PretrendsSpec>,
    honest: Option<Vec<HonestSpec>>,
}

/// A way to estimate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EstimateSpec {
    name: String,
    est_method: Option<Typed<EstimationMethod>>,
    control_group: Option<Typed<ControlGroup>>,
    base_period: Option<Typed<BasePeriod>>,
    xformla: Option<String>,
}

/// What is asked of pre-trends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PretrendsSpec {
    test: Option<Typed<PreTest>>,
    critical: Option<f64>,
    alp: Option<f64>,
    power: Option<Vec<f64>>,
    slope: Option<Vec<f64>>,
    threshold: Option<f64>,
}

/// A sensitivity analysis.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct HonestSpec {
    delta: Typed<Violations>,
    m: Option<Vec<f64>>,
    mbar: Option<Vec<f64>>,
    method: Option<Typed<HonestMethod>>,
    l_vec: Option<Typed<Effect>>,
    draws: Option<usize>,
    seed: Option<u64>,
}

/// A value that is written as a word.
#[derive(Clone, Debug)]
struct Typed<T>(T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Typed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

impl Spec {
    /// Reads a specification; what is wrong names its line.
    pub(super) fn read(file: &str, text: &str) -> Result<Self> {
        parsed(text, &places()).map_err(|(line, problem, hint)| {
            CliError::usage(format!("{file}, line {line}: {problem}"), hint)
        })
    }

    /// The study that is to be written to a folder.
    pub(super) fn study(self, folder: &Path) -> Result<Study> {
        let of_draws = [
            ("biters", self.biters.is_some()),
            ("seed", self.seed.is_some()),
            ("multiplier", self.multiplier.is_some()),
        ];
        if let Some((name, _)) = of_draws.iter().find(|(_, given)| *given && !self.boot) {
            let problem = format!("`{name}` has no effect without `boot = true`");
            return Err(CliError::usage(
                problem,
                format!("add `boot = true`, or leave out `{name}`"),
            ));
        }
        let bootstrap = self.boot.then(|| {
            let mut bootstrap = defaults::bootstrap();
            bootstrap.draws = self.biters.unwrap_or(bootstrap.draws);
            bootstrap.seed = self.seed.unwrap_or(bootstrap.seed);
            bootstrap.multiplier = self.multiplier.map_or(bootstrap.multiplier, |word| word.0);
            bootstrap
        });
        let band = |uniform| if uniform { Band::Uniform } else { Band::Pointwise };
        let sensitivity = self.honest.map(|all| all.into_iter().map(HonestSpec::options).collect());
        let sensitivity: Option<Result<Vec<Honest>>> = sensitivity;
        let variants = self.estimate.map(|all| all.into_iter().map(EstimateSpec::variant));
        let rows = self.rows.into_iter().flatten().map(|condition| condition.0);
        let data = DataFiles::new(self.data).decimal(self.decimal.map(|mark| mark.0)).rows(rows);
        Ok(Study::builder()
            .maybe_title(self.title)
            .maybe_date(self.date)
            .data(data)
            .folder(folder)
            .outcome(self.yname)
            .time(self.tname)
            .maybe_unit(self.idname)
            .group(self.gname)
            .maybe_covariates(self.xformla)
            .maybe_weights(self.weightsname)
            .maybe_cluster(self.clustervars)
            .maybe_frequency(self.frequency.map(|word| word.0))
            .maybe_missing_values(self.na)
            .maybe_anticipation(self.anticipation)
            .maybe_base_period(self.base_period.map(|word| word.0))
            .repeated_cross_sections(self.repeated_cross_sections)
            .allow_unbalanced_panel(self.allow_unbalanced_panel)
            .maybe_alpha(self.alp)
            .maybe_bootstrap(bootstrap)
            .maybe_band(self.cband.map(band))
            .maybe_aggregations(self.aggregate.map(|all| all.into_iter().map(|word| word.0)))
            .maybe_estimators(self.estimators.map(|all| all.into_iter().map(|word| word.0)))
            .maybe_vary(self.vary.map(|text| Variation::read(&text)).transpose()?)
            .two_way(self.two_way)
            .maybe_variants(variants)
            .maybe_pretrends(self.pretrends.map(PretrendsSpec::options))
            .maybe_sensitivity(sensitivity.transpose()?)
            .build())
    }
}

impl EstimateSpec {
    fn variant(self) -> Variant {
        let mut variant = Variant::new(self.name);
        variant.method = self.est_method.map_or(variant.method, |word| word.0);
        variant.control_group = self.control_group.map_or(variant.control_group, |word| word.0);
        variant.base_period = self.base_period.map(|word| word.0);
        variant.covariates = self.xformla;
        variant
    }
}

impl PretrendsSpec {
    fn options(self) -> Pretrends {
        let mut options = defaults::pretrends();
        options.test = self.test.map_or(options.test, |word| word.0);
        options.critical = self.critical.unwrap_or(options.critical);
        options.alpha = self.alp.unwrap_or(options.alpha);
        options.power = self.power.unwrap_or(options.power);
        options.slopes = self.slope.unwrap_or(options.slopes);
        options.threshold = self.threshold;
        options
    }
}

impl HonestSpec {
    fn options(self) -> Result<Honest> {
        let Violations { delta, restriction } = self.delta.0;
        let smooth = delta == burn_did::sensitivity::Delta::Smoothness;
        let (given, other) = if smooth { (self.m, self.mbar) } else { (self.mbar, self.m) };
        if other.is_some() {
            let (wrong, right) = if smooth { ("mbar", "m") } else { ("m", "mbar") };
            return Err(CliError::usage(
                format!("a table [[honest]] has `{wrong}`, which its `delta` does not have"),
                format!("name the numbers by `{right}`"),
            ));
        }
        let mut options = defaults::honest();
        options.delta = delta;
        options.restriction = restriction;
        options.m = given;
        options.method = self.method.map(|word| word.0);
        options.effect = self.l_vec.map_or(options.effect, |word| word.0);
        options.draws = self.draws.unwrap_or(options.draws);
        options.seed = self.seed.unwrap_or(options.seed);
        Ok(options)
    }
}

/// Where which keys stand.
fn places() -> [Place; 4] {
    [
        Place { name: "the whole study, above the first table", keys: keys_of::<Spec>() },
        Place { name: "[[estimate]]", keys: keys_of::<EstimateSpec>() },
        Place { name: "[pretrends]", keys: keys_of::<PretrendsSpec>() },
        Place { name: "[[honest]]", keys: keys_of::<HonestSpec>() },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "data = 'a.csv'\nyname = 'y'\ntname = 't'\ngname = 'g'\n";

    fn problem(more: &str) -> String {
        let read = Spec::read("a.toml", &format!("{LEAST}{more}"));
        read.and_then(|spec| spec.study(Path::new("out"))).expect_err(more).to_string()
    }

    #[test]
    fn what_is_wrong_names_its_line_and_what_was_meant() {
        for (more, expected) in [
            ("idnam = 'i'", "a.toml, line 5: no key is called `idnam`; did you mean `idname`?"),
            ("colour = 1", "a.toml, line 5: no key is called `colour`"),
            (
                "\nbase-period = 'last'",
                "line 6: `base_period` must be varying, universal, got `last`",
            ),
            (
                "[[estimate]]\nname = 'a'\nest-metod = 'dr'",
                "line 7: no key is called `est-metod`; did you mean `est-method`?",
            ),
            ("[[honest]]\ndelta = 'rm'\nm = [1]", "has `m`, which its `delta` does not have"),
            ("alp = 'x'", "line 5: `alp` must be a number, got the text \"x\""),
            ("biters = -1", "line 5: `biters` must be a whole number that is not negative, got -1"),
            ("two-way = 'yes'", "line 5: `two-way` must be true or false, got the text \"yes\""),
            ("rows = 'a > 1'", "line 5: `rows` must be a list in brackets, got the text \"a > 1\""),
            ("rows = [\n'a > 1',\n2]", "line 7: `rows` must be text in quotation marks, got 2"),
            ("[estimate]\nname = 'a'", "line 5: `estimate` must be tables [[estimate]], each"),
            (
                "[[pretrends]]\nalp = 0.1",
                "line 5: `pretrends` must be one table [pretrends], with one bracket",
            ),
            ("est-method = 'dr'", "line 5: `est-method` is a key of [[estimate]], and not of"),
            ("draws = 99", "line 5: `draws` is a key of [[honest]], and not"),
            ("[[estimate]]\nname = 'a'\nboot = true", "line 7: `boot` is a key of the whole study"),
            ("[[estimate]]\nest-method = 'dr'", "the key `name` is missing"),
            ("alp = ", "line 5: "),
        ] {
            let got = problem(more);
            assert!(got.contains(expected), "{got}\n{expected}");
        }
    }

    #[test]
    fn the_example_has_every_key() {
        let example = include_str!("example.toml");
        let all: String = example
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .fold(String::new(), |text, line| text + line + "\n");
        Spec::read("example.toml", example).expect("the example");
        Spec::read("example.toml", &all).expect("the example with all keys");
        let unknown = format!("zzz = 1\n{example}");
        let message = toml::from_str::<Spec>(&unknown).expect_err("an unknown key").to_string();
        let keys: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        assert!(keys.len() > 20, "{keys:?}");
        for key in keys {
            let named = |line: &str| {
                line.starts_with(&format!("{key} ="))
                    || line == format!("[{key}]")
                    || line == format!("[[{key}]]")
            };
            assert!(all.lines().any(named), "{key}");
        }
    }
}
