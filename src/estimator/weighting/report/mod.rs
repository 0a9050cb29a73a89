//! Weighting in print.

mod overlap;
#[cfg(feature = "plot")]
mod plot;

use super::{Against, CovariateBalance, WeightedComparison, Weighting};
use crate::base::calendar::shown;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::report::compare::{Comparable, Term, facts};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::facts as settings_facts;
use crate::report::foot;
use crate::report::number::short;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table, strings};
use crate::result::inference::Estimate;
use crate::result::settings::Settings;

const TITLE: &str = "Balance Before and After the Estimator's Weighting";

impl Report for Weighting {
    const KIND: &'static str = "weighting";

    fn table(&self) -> Table {
        let heads = [
            "",
            "Treated",
            "Comparison",
            "Weighted",
            "Norm. Diff.",
            "Weighted",
            "Var. Ratio",
            "Weighted",
        ];
        let show = |number: Option<f64>| number.map_or_else(|| "-".into(), short);
        let difference = |number: Option<f64>| number.map_or_else(|| "-".into(), shown_difference);
        let row = |of: &CovariateBalance| {
            let means = [of.treated_mean, of.control_mean, of.weighted_mean].map(show);
            let gaps = [of.normalized_difference, of.weighted_difference].map(difference);
            let ratios = [of.variance_ratio, of.weighted_ratio].map(show);
            [vec![of.variable.clone()], means.to_vec(), gaps.to_vec(), ratios.to_vec()].concat()
        };
        let section = |of: &[WeightedComparison]| Section {
            caption: Some(format!("{}: {}", name(of, &self.settings), of[0].sizes())),
            header: strings(&heads),
            rows: of[0].covariates.iter().map(row).collect(),
        };
        let mut align = vec![Align::Right; heads.len()];
        align[0] = Align::Left;
        Table {
            title: TITLE.into(),
            align,
            sections: alike(&self.comparisons).map(section).collect(),
            notes: self.notes(),
            caption: Some(format!("{TITLE}: {}", self.settings.outcome)),
            label: Some("weighting".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let rows: Vec<(&WeightedComparison, &CovariateBalance)> = self
            .comparisons
            .iter()
            .flat_map(|of| of.covariates.iter().map(move |covariate| (of, covariate)))
            .collect();
        let mut keys = self.keys(rows.iter().map(|(of, _)| *of));
        keys.push(Variable::words("variable", rows.iter().map(|(_, c)| Some(c.variable.clone()))));
        let number = |name: &str, of: fn(&CovariateBalance) -> Option<f64>| {
            Variable::numbers(name, rows.iter().map(|(_, covariate)| of(covariate)))
        };
        let differences = rows.iter().map(|(_, covariate)| covariate.estimate());
        let balance = Estimates::new("balance", keys, differences).with([
            number("treated_mean", |of| of.treated_mean),
            number("control_mean", |of| of.control_mean),
            number("weighted_mean", |of| of.weighted_mean),
            number("treated_variance", |of| of.treated_variance),
            number("control_variance", |of| of.control_variance),
            number("weighted_variance", |of| of.weighted_variance),
            number("normalized_difference", |of| of.normalized_difference),
            number("variance_ratio", |of| of.variance_ratio),
            number("weighted_ratio", |of| of.weighted_ratio),
        ]);
        let all = &self.comparisons;
        let count = |name: &str, of: fn(&WeightedComparison) -> usize| {
            Variable::counts(name, all.iter().map(|c| Some(of(c))))
        };
        let comparisons = Estimates::new(
            "comparisons",
            self.keys(all.iter()),
            vec![Estimate::default(); all.len()],
        );
        let comparisons = comparisons.with([
            count("n_treated", |of| of.n_treated),
            count("n_control", |of| of.n_control),
            Variable::numbers("effective_control", all.iter().map(|c| c.effective_control)),
            count("negative", |of| of.negative),
            Variable::numbers("negative_share", all.iter().map(|c| Some(c.negative_share))),
        ]);
        vec![balance, comparisons]
    }

    fn about(&self) -> Vec<Variable> {
        let facts_of_weighting = [
            Variable::fact("weighting_method", self.method.as_str()),
            Variable::fact("trim_level", self.trim_level),
            Variable::fact("n_comparisons", self.comparisons.len()),
        ];
        settings_facts::settings(&self.settings).into_iter().chain(facts_of_weighting).collect()
    }

    fn messages(&self) -> Vec<Message> {
        self.remarks.iter().cloned().map(Message::from).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.love_plot(options)
    }
}

/// A method as tables of estimates name it; those of two periods have no other name.
fn in_words(method: &str) -> String {
    method.parse().map_or_else(|_| method.to_owned(), |known| foot::method_name(known).to_owned())
}

/// A normalised difference; what is left of one that vanishes is rounding.
fn shown_difference(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".into() } else { text }
}

/// Comparisons of neighbouring periods that differ in nothing else, as where neither units nor covariates change: they are shown once.
fn alike(all: &[WeightedComparison]) -> impl Iterator<Item = &[WeightedComparison]> {
    all.chunk_by(|a, b| WeightedComparison { time: b.time, ..a.clone() } == *b)
}

/// The name of comparisons that differ in their period only: it names the first and the last.
fn name(of: &[WeightedComparison], settings: &Settings) -> String {
    match of {
        [] => String::new(),
        [only] => only.name(settings, None),
        [first, .., last] => first.name(settings, last.time),
    }
}

impl WeightedComparison {
    /// Which comparison it is, of periods up to this one.
    fn name(&self, settings: &Settings, last: Option<f64>) -> String {
        let until = last.map_or_else(String::new, |last| format!(" to {}", settings.period(last)));
        let mut name = match self.group.zip(self.time) {
            Some((group, time)) => {
                format!("Group {} in {}{until}", settings.period(group), settings.period(time))
            }
            None => "Treated and comparison units".to_owned(),
        };
        if let Some(Against { group, eligible }) = self.against {
            let eligible = if eligible { "eligible" } else { "ineligible" };
            let whom = match group {
                Some(group) if Some(group) == self.group => format!("its own {eligible} units"),
                Some(group) => format!("{eligible} units of group {}", settings.period(group)),
                None => format!("{eligible} units that are never treated"),
            };
            name = format!("{name} against {whom}");
        }
        if let Some(period) = self.period {
            name = format!("{name}, rows of {}", settings.period(period));
        }
        name
    }

    /// Numbers of units, and what the weighting leaves of them.
    fn sizes(&self) -> String {
        let Self { n_treated, n_control, negative, negative_share, .. } = *self;
        let effective =
            self.effective_control.map_or_else(|| "unknown".into(), |n| format!("{n:.1}"));
        let mut sizes =
            format!("{n_treated} treated, {n_control} comparison, effective {effective}");
        if negative > 0 {
            let share = 100.0 * negative_share;
            sizes += &format!(", {negative} with a negative weight ({share:.1}% of all weight)");
        }
        sizes
    }
}

impl CovariateBalance {
    fn estimate(&self) -> Estimate {
        Estimate { estimate: self.weighted_difference, ..Estimate::default() }
    }
}

impl Weighting {
    /// The columns that tell comparisons apart.
    fn keys<'a>(&self, of: impl Iterator<Item = &'a WeightedComparison> + Clone) -> Vec<Variable> {
        let period = |name: &str, value: fn(&WeightedComparison) -> Option<f64>| {
            self.settings.periods(name, of.clone().map(value))
        };
        let mut keys = Vec::new();
        if self.comparisons.iter().any(|c| c.group.is_some()) {
            keys.extend([period("group", |c| c.group), period("time", |c| c.time)]);
        }
        if self.comparisons.iter().any(|c| c.against.is_some()) {
            let eligible = |c: &WeightedComparison| c.against.map(|against| against.eligible);
            let word = |eligible: bool| if eligible { "eligible" } else { "ineligible" };
            keys.push(period("against_group", |c| c.against.and_then(|against| against.group)));
            keys.push(Variable::words("against", of.clone().map(|c| eligible(c).map(word))));
        }
        if self.comparisons.iter().any(|c| c.period.is_some()) {
            keys.push(period("period", |c| c.period));
        }
        keys
    }

    fn notes(&self) -> Vec<String> {
        let weights = self.settings.weights.as_deref().unwrap_or("none");
        let trimmed = self.trim_level.map_or(String::new(), |level| {
            format!(", Trimmed from a score of: {}", shown(level, None))
        });
        let mut notes = vec![
            "Weighted: comparison units as the estimator weighs them".into(),
            "Norm. Diff.: difference of means over the root of the average variance before weighting".into(),
            format!("Method: {}{trimmed}", in_words(&self.method)),
            format!("Sampling weights: {weights}, Covariates: {}", self.settings.covariates),
        ];
        if let Some(units) = self.settings.comparison_units() {
            notes.insert(3, format!("Comparison units: {units}"));
        }
        notes.extend(self.remarks.iter().map(|remark| format!("Note: {remark}")));
        notes
    }
}

result!(Weighting);

/// The normalised differences that weighting leaves.
impl Comparable for Weighting {
    fn terms(&self) -> Vec<Term> {
        let rows = self.comparisons.iter().flat_map(|of| {
            let name = of.name(&self.settings, None);
            let order = [of.group, of.time].map(|at| at.unwrap_or(0.0));
            (0..).zip(&of.covariates).map(move |(number, covariate)| {
                let order = [order[0], order[1], f64::from(number)];
                let name = format!("{}, {name}", covariate.variable);
                Term::new(name, order, covariate.estimate(), Band::Pointwise)
            })
        });
        rows.collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        facts(&self.settings)
    }

    fn alpha(&self) -> f64 {
        self.settings.inference.alpha
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }
}
