//! The command line that gives what a step gives.

use std::fmt;
use std::path::Path;

use super::options::{Study, Variant};
use crate::base::options::{Band, Bootstrap, ControlGroup};
use crate::base::shell;
use crate::base::words::joined;
use crate::estimator::aggregate::Aggregation;
use crate::estimator::honest::{Delta, Effect, Honest, Restriction};
use crate::estimator::pretrends::Pretrends;
use crate::read::input::DataFiles;
use crate::study::curve::Variation;

/// A command line, word by word.
#[derive(Clone, Debug)]
pub(super) struct Command(Vec<String>);

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl Command {
    fn new(name: &str) -> Self {
        Self(vec!["burn-did".into(), name.into()])
    }

    fn file(mut self, path: &Path) -> Self {
        self.0.push(shell::path(&path.display().to_string()));
        self
    }

    fn option(mut self, name: &str, value: Option<impl fmt::Display>) -> Self {
        self.0.extend(value.map(|value| shell::option(name, &value.to_string())));
        self
    }

    fn flag(mut self, name: &str, given: bool) -> Self {
        if given {
            self.0.push(format!("--{name}"));
        }
        self
    }

    /// With an option unless its value is the default.
    fn unless<T: fmt::Display + PartialEq>(self, name: &str, value: T, default: T) -> Self {
        let given = Some(value).filter(|value| *value != default);
        self.option(name, given)
    }

    /// With the data, and which rows of them are taken.
    fn data(self, data: &DataFiles) -> Self {
        let start = self.file(data.path());
        data.conditions().iter().fold(start, |command, rows| command.option("rows", Some(rows)))
    }

    /// With numbers, if there are any.
    fn numbers(self, name: &str, numbers: &[f64]) -> Self {
        self.option(name, (!numbers.is_empty()).then(|| joined(numbers, ",")))
    }

    /// With the picture that a step draws.
    pub(super) fn drawn(self, study: &Study, step: &str) -> Self {
        self.option("plot", Some(study.picture(step).display()))
    }

    /// With covariates to look at.
    pub(super) fn columns(self, columns: &[String]) -> Self {
        self.option("xname", (!columns.is_empty()).then(|| columns.join(",")))
    }
}

impl Study {
    /// Where the picture of a step is.
    pub(super) fn picture(&self, step: &str) -> std::path::PathBuf {
        self.folder.join("pictures").join(format!("{step}.svg"))
    }

    /// Where the saved result of a step is.
    pub(super) fn saved(&self, step: &str) -> std::path::PathBuf {
        self.folder.join("results").join(format!("{step}.json"))
    }

    /// A first look at the data by a command.
    pub(super) fn look(&self, name: &str) -> Command {
        Command::new(name)
            .data(&self.data)
            .option("tname", Some(&self.time))
            .option("gname", Some(&self.group))
            .option("idname", self.unit.as_ref())
            .option("yname", Some(&self.outcome))
            .option("frequency", self.frequency)
            .option("weightsname", self.weights.as_ref())
            .option("na", self.missing_values.as_ref().map(|words| words.join(",")))
            .option("decimal", self.data.decimal_mark())
    }

    pub(super) fn describe(&self, columns: &[String]) -> Command {
        let command = self.look("describe").columns(columns);
        let command = command.option("clustervars", self.cluster.as_ref());
        command.unless("anticipation", self.anticipation, 0)
    }

    pub(super) fn means(&self, relative: bool) -> Command {
        let command = self.look("means").unless("anticipation", self.anticipation, 0);
        let command = command.unless("alp", self.alpha, crate::base::options::defaults::ALPHA);
        command.flag("relative", relative)
    }

    pub(super) fn balance(&self, columns: &[String], control_group: ControlGroup) -> Command {
        let command = self.look("balance").columns(columns);
        let command = command.unless("control-group", control_group, ControlGroup::default());
        command.unless("anticipation", self.anticipation, 0)
    }

    /// Group-time effects, saved.
    pub(super) fn att_gt(&self, variant: &Variant, step: &str) -> Command {
        let base = variant.base_period.unwrap_or(self.base_period);
        let covariates = variant.covariates.as_ref().unwrap_or(&self.covariates);
        let default = crate::base::options::defaults::COVARIATES;
        let mut command = Command::new("att-gt")
            .data(&self.data)
            .option("yname", Some(&self.outcome))
            .option("tname", Some(&self.time))
            .option("idname", self.unit.as_ref())
            .option("gname", Some(&self.group))
            .unless("xformla", covariates.as_str(), default)
            .option("frequency", self.frequency)
            .option("weightsname", self.weights.as_ref())
            .option("clustervars", self.cluster.as_ref())
            .option("na", self.missing_values.as_ref().map(|words| words.join(",")))
            .option("decimal", self.data.decimal_mark())
            .option("est-method", Some(variant.method))
            .option("control-group", Some(variant.control_group))
            .unless("base-period", base, crate::base::options::BasePeriod::default())
            .unless("anticipation", self.anticipation, 0)
            .flag("repeated-cross-sections", self.repeated_cross_sections)
            .flag("allow-unbalanced-panel", self.allow_unbalanced_panel)
            .unless("alp", self.alpha, crate::base::options::defaults::ALPHA)
            .flag("weighting", self.weighs(variant))
            .flag("cband", self.band == Some(Band::Uniform))
            .flag("no-cband", self.band == Some(Band::Pointwise));
        if let Some(Bootstrap { draws, seed, multiplier, .. }) = self.bootstrap {
            command = command.flag("boot", true).option("biters", Some(draws));
            command = command.option("seed", Some(seed)).option("multiplier", Some(multiplier));
        }
        // They are options, with their hyphens and spaces.
        command.0.extend(self.device_options.clone());
        command.drawn(self, step).option("save", Some(self.saved(step).display()))
    }

    /// A command on a two-way regression.
    pub(super) fn two_way(&self, name: &str) -> Command {
        if name != "bacon" {
            return self.look(name);
        }
        // The decomposition has no weights.
        let unweighted = Self { weights: None, ..self.clone() };
        let command = unweighted.look(name).option("clustervars", self.cluster.as_ref());
        command.unless("alp", self.alpha, crate::base::options::defaults::ALPHA)
    }

    /// Several estimators, or all combinations of choices.
    pub(super) fn several(&self, vary: &[Variation]) -> Command {
        let main = &self.variants[0];
        let covariates = main.covariates.as_ref().unwrap_or(&self.covariates);
        let default = crate::base::options::defaults::COVARIATES;
        let estimators = joined(&self.asked_estimators(), ",");
        let window = self.event_study();
        let mut command = self
            .look("study")
            .unless("xformla", covariates.as_str(), default)
            .option("clustervars", self.cluster.as_ref())
            .option("estimators", Some(estimators))
            .option("control-group", Some(main.control_group))
            .unless("anticipation", self.anticipation, 0)
            .option("min-e", window.min_e)
            .option("max-e", window.max_e)
            .option("vary", (!vary.is_empty()).then(|| joined(vary, ",")))
            .unless("alp", self.alpha, crate::base::options::defaults::ALPHA)
            .flag("cband", self.band == Some(Band::Uniform));
        command.0.extend(self.device_options.clone());
        command
    }

    /// What a command makes of saved effects.
    pub(super) fn of_saved(&self, name: &str, main: &str) -> Command {
        Command::new(name).file(&self.saved(main))
    }

    /// An average of saved effects.
    pub(super) fn aggregate(&self, main: &str, aggregation: Aggregation) -> Command {
        let command = self.of_saved("aggregate", main);
        command.option("aggregate", Some(aggregation))
    }

    /// Saved effects side by side.
    pub(super) fn compare(&self, steps: &[(&str, String)], aggregation: Aggregation) -> Command {
        let mut command = Command::new("compare");
        for (_, step) in steps {
            command = command.file(&self.saved(step));
        }
        let names: Vec<&str> = steps.iter().map(|(name, _)| *name).collect();
        command.option("names", Some(names.join(","))).option("aggregate", Some(aggregation))
    }

    /// An analysis of the main event study.
    fn analysis(&self, name: &str, main: &str) -> Command {
        let command = self.of_saved(name, main);
        command.unless("aggregate", self.event_study(), Aggregation::dynamic())
    }

    pub(super) fn pretrends(&self, main: &str) -> Command {
        let (asked, default) = (&self.pretrends, Pretrends::new());
        let mut command = self.analysis("pretrends", main);
        command = command.unless("test", asked.test, default.test);
        command = command.unless("critical", asked.critical, default.critical);
        command = command.unless("alp", asked.alpha, default.alpha);
        if asked.power != default.power {
            command = command.numbers("power", &asked.power);
        }
        command = command.numbers("slope", &asked.slopes);
        let violations = asked.violations.as_deref().unwrap_or_default();
        command.numbers("violations", violations).option("threshold", asked.threshold)
    }

    /// A sensitivity analysis.
    pub(super) fn honest(&self, main: &str, asked: &Honest) -> Command {
        let default = Honest::relative_magnitude();
        let set = set(asked.delta, asked.restriction);
        let m = if asked.delta == Delta::Smoothness { "m" } else { "mbar" };
        let mut command = self.analysis("honest", main).option("delta", Some(set));
        command = command.numbers(m, asked.m.as_deref().unwrap_or_default());
        command = match &asked.effect {
            Effect::At(time) => command.option("event-time", Some(time)),
            other => command.unless("l-vec", other.to_string(), Effect::First.to_string()),
        };
        command = command.option("method", asked.method).option("kappa", asked.kappa);
        command = command.option("grid-points", asked.grid_points);
        if let Some((lower, upper)) = asked.grid {
            command = command.option("grid-lb", Some(lower)).option("grid-ub", Some(upper));
        }
        command = command.unless("search", asked.search, default.search);
        command.unless("draws", asked.draws, default.draws).unless("seed", asked.seed, default.seed)
    }
}

/// The name of a set of violations on the command line.
pub(super) fn set(delta: Delta, restriction: Option<Restriction>) -> String {
    let name = match delta {
        Delta::Smoothness => "sd",
        Delta::RelativeMagnitude => "rm",
        Delta::RelativeSmoothness => "sdrm",
    };
    let suffix = match restriction {
        None => "",
        Some(Restriction::PositiveBias) => "pb",
        Some(Restriction::NegativeBias) => "nb",
        Some(Restriction::Increasing) => "i",
        Some(Restriction::Decreasing) => "d",
    };
    format!("{name}{suffix}")
}

/// The commands of all steps as a script.
pub(super) fn script(folder: &Path, commands: &[&str]) -> String {
    let within = |name: &str| shell::path(&folder.join(name).display().to_string());
    let mut out = String::from("#!/bin/sh\n");
    out.push_str("# All steps of the report, in its order. Run it where the report was made: paths are relative to that folder.\n");
    out.push_str(&format!("set -e\nmkdir -p {} {}\n", within("results"), within("pictures")));
    for command in commands {
        out.extend([command, "\n"]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_named_where_they_are_not_the_default() {
        let study =
            Study::builder().data("a b.csv").folder("out").outcome("y").time("t").group("g");
        let study =
            study.unit("id").covariates("~ x").alpha(0.1).bootstrap(Bootstrap::draws(99)).build();
        let command = study.att_gt(&study.variants[0], "dr").to_string();
        let expected = "burn-did att-gt 'a b.csv' --yname y --tname t --idname id --gname g --xformla '~ x' \
            --est-method doubly_robust --control-group never_treated --alp 0.1 --weighting --boot --biters 99 --seed 0 \
            --multiplier rademacher --plot out/pictures/dr.svg --save out/results/dr.json";
        assert_eq!(command, expected);
        let asked =
            Honest::smoothness().restriction(Restriction::NegativeBias).m([0.0, 0.5]).average();
        assert_eq!(
            study.honest("dr", &asked).to_string(),
            "burn-did honest out/results/dr.json --delta sdnb --m 0,0.5 --l-vec average"
        );
    }
}
