//! Regressions in print.

mod demeaned;
mod etable;
#[cfg(feature = "plot")]
mod plot;
mod sun_abraham;

use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::fixed_effects::{
    Absorbed, Coefficient, Family, RegressionResult, RegressionSettings, SolverReport,
};
use crate::report::compare::{Comparable, Term, sample_facts, texts};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, statistic};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions, chart::Chart};
use crate::report::table::{Align, EstimateColumns, Section, Table};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;
use crate::result::sample::weights_note;

#[cfg(feature = "plot")]
use crate::estimator::aggregate::event_study_chart;

pub use etable::etable;

/// Levels of significance and their stars, as in R `fixest`.
const STARS: [(f64, &str); 3] = [(0.01, "***"), (0.05, "**"), (0.1, "*")];

impl Report for RegressionResult {
    const KIND: &'static str = "regression";

    fn table(&self) -> Table {
        let estimates: Vec<Estimate> =
            self.coefficients.iter().map(Coefficient::as_estimate).collect();
        let digits = Digits::of(&estimates);
        let row = |c: &Coefficient| {
            vec![
                c.name.clone(),
                digits.show(Some(c.estimate)),
                digits.show(c.se),
                statistic(c.t),
                foot::p_cell(c.p_value),
                digits.show(c.ci_lower),
                digits.show(c.ci_upper),
                stars(c).to_owned(),
            ]
        };
        let [lower, upper] = foot::coefficient_heads(self.settings.alpha);
        let letter = if self.settings.family.is_linear() { "t" } else { "z" };
        let (value, tail) = (format!("{letter} value"), format!("Pr(>|{letter}|)"));
        let header = ["", "Estimate", "Std. Error", &value, &tail, &lower, &upper, ""];
        let mut align = vec![Align::Left];
        align.resize(7, Align::Right);
        align.push(Align::Mark);
        Table {
            title: self.method().to_owned(),
            align,
            sections: vec![Section {
                caption: None,
                header: header.map(ToOwned::to_owned).into(),
                rows: self.coefficients.iter().map(row).collect(),
            }],
            notes: self.notes(),
            caption: Some(foot::caption(self.method(), &self.settings.outcome)),
            label: Some(format!("feols {}", self.settings.outcome)),
            estimates: vec![EstimateColumns {
                estimate: Some((1, 2)),
                interval: (5, 6),
                mark: Some(7),
            }],
            ..Table::default()
        }
    }

    /// Names in words, and without the statistic, which is the estimate over its standard error.
    fn printed(&self) -> Table {
        let mut table = self.to_table();
        let names = self.printed_names();
        for section in &mut table.sections {
            section.rows.iter_mut().zip(&names).for_each(|(row, name)| row[0].clone_from(name));
            for line in section.rows.iter_mut().chain([&mut section.header]) {
                line.remove(3);
            }
            section.header[3] = "p-value".into();
        }
        table.align.remove(3);
        table.estimates =
            vec![EstimateColumns { estimate: Some((1, 2)), interval: (4, 5), mark: Some(6) }];
        table.notes.retain(|note| !note.starts_with("Solver: "));
        table
    }

    fn estimates(&self) -> Vec<Estimates> {
        let terms = vec![Variable::words("term", self.names().map(Some))];
        let estimates = self.coefficients.iter().map(Coefficient::as_estimate);
        vec![Estimates::new("coefficients", terms, estimates)]
    }

    fn about(&self) -> Vec<Variable> {
        let solver = self.solver.as_ref();
        let iterations = solver.map(|s| s.columns.iter().map(|c| c.iterations).max().unwrap_or(0));
        let names = |absorbed: &[Absorbed]| {
            absorbed.iter().map(|a| a.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let facts_of_regression = [
            Variable::fact("fixed_effects", names(&self.absorbed)),
            Variable::fact("n_rows", self.n),
            Variable::fact("n_singletons", self.n_singletons),
            Variable::fact("df_k", self.df_k),
            Variable::fact("df_t", Some(self.df_t).filter(|df| df.is_finite())),
            Variable::fact("r2", self.r2),
            Variable::fact("r2_adjusted", self.r2_adjusted),
            Variable::fact("r2_within", self.r2_within),
            Variable::fact("rss", self.rss),
            Variable::fact("sigma", self.sigma),
            Variable::fact("log_likelihood", self.log_likelihood),
            Variable::fact("bic", self.bic),
            Variable::fact("squared_correlation", self.squared_correlation),
            Variable::fact("f_stat", self.f.map(|f| f.stat)),
            Variable::fact("f_p_value", self.f.map(|f| f.p_value)),
            Variable::fact("dropped", self.dropped.join(", ")),
            Variable::fact("solver", solver.map(|s| s.solver.as_str())),
            Variable::fact("device", solver.map(|s| s.device.as_str())),
            Variable::fact("iterations", iterations),
            Variable::fact("n_warnings", self.warnings.len()),
        ];
        regression_facts(&self.settings).into_iter().chain(facts_of_regression).collect()
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages_with(&self.audit.files, &self.warnings, None)
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        event_study_chart(&self.first_series()?, options).map(Picture::Chart)
    }
}

impl RegressionResult {
    /// What the regression is, over tables.
    fn method(&self) -> &'static str {
        match (self.settings.family, self.absorbed.is_empty()) {
            (Family::Gaussian, true) => "Ordinary Least Squares",
            (Family::Gaussian, false) => "Least Squares with Fixed Effects",
            (Family::Poisson, true) => "Poisson Regression",
            (Family::Poisson, false) => "Poisson Regression with Fixed Effects",
            (Family::Logit, true) => "Logit Regression",
            (Family::Logit, false) => "Logit Regression with Fixed Effects",
            (Family::Probit, true) => "Probit Regression",
            (Family::Probit, false) => "Probit Regression with Fixed Effects",
        }
    }

    fn notes(&self) -> Vec<String> {
        let settings = &self.settings;
        let mut notes =
            vec!["Signif. codes: `***' 0.01, `**' 0.05, `*' 0.1".to_owned(), String::new()];
        notes.push(format!("Formula: {}", settings.formula));
        if !self.absorbed.is_empty() {
            let shown = self.absorbed.iter().map(|a| format!("{} ({})", a.name, a.levels));
            notes.push(format!("Fixed effects: {}", shown.collect::<Vec<_>>().join(", ")));
        }
        let rows = foot::rows_of_regression(self.n, self.n_singletons);
        notes.push(rows + &weights_note(settings.weights.as_deref()));
        notes.push(format!("Std. Errors: {}{}", settings.vcov.label(), groups(self)));
        let mut quality = Vec::new();
        let mut add = |name: &str, value: Option<f64>| {
            quality.extend(value.map(|value| format!("{name}: {value:.5}")));
        };
        let is_linear = settings.family.is_linear();
        add(if is_linear { "R2" } else { "Pseudo R2" }, self.r2);
        add("Within R2", self.r2_within);
        add("RMSE", is_linear.then(|| (self.rss / self.n as f64).sqrt()));
        add("Adj. Pseudo R2", self.r2_adjusted.filter(|_| !is_linear));
        add("Log-Likelihood", self.log_likelihood);
        add("BIC", self.bic);
        add("Squared Cor.", self.squared_correlation);
        quality.extend(self.f.map(|f| {
            let df2 = f.df2.map_or(String::new(), |df2| format!(" and {df2}"));
            format!("F({}{df2}): {:.4} ({})", f.df1, f.stat, foot::p_equals(f.p_value))
        }));
        if !is_linear && self.log_likelihood.is_none() {
            quality.push("Log-Likelihood: none (outside the range of double precision)".into());
        }
        notes.push(quality.join(", "));
        let iterations =
            |s: &SolverReport| s.columns.iter().map(|c| c.iterations).max().unwrap_or(0);
        let iterated = self.solver.as_ref().map(|s| (s, iterations(s))).filter(|(_, n)| *n > 0);
        if let Some((solver, iterations)) = iterated {
            let device_words = match solver.device.as_str() {
                "host" => String::new(),
                device => format!(" on {device}"),
            };
            notes
                .push(format!("Solver: {}{device_words} ({iterations} iterations)", solver.solver));
        }
        let audit = &self.audit;
        notes.extend(foot::reading(&audit.files, &audit.read_as_missing));
        notes.extend(self.warnings.iter().map(|w| format!("Warning: {w}")));
        notes
    }
}

/// How a regression was made.
fn regression_facts(s: &RegressionSettings) -> Vec<Variable> {
    vec![
        Variable::fact("estimator", s.estimator.as_str()),
        Variable::fact("formula", s.formula.as_str()),
        Variable::fact("outcome", s.outcome.as_str()),
        Variable::fact("weights", s.weights.as_deref()),
        Variable::fact("family", s.family.word()),
        Variable::fact("vcov", s.vcov.to_string()),
        Variable::fact("alpha", s.alpha),
        Variable::fact("backend", s.backend.as_str()),
        Variable::fact("precision", s.precision.word()),
    ]
}

fn groups(fit: &RegressionResult) -> String {
    match fit.clusters.as_slice() {
        [] => String::new(),
        clusters => {
            let numbers: Vec<String> = clusters.iter().map(|(_, n)| n.to_string()).collect();
            let is_one = matches!(clusters, [(_, 1)]);
            let word = if is_one { "cluster" } else { "clusters" };
            format!(" ({} {word})", numbers.join(" and "))
        }
    }
}

fn stars(coefficient: &Coefficient) -> &'static str {
    let p = coefficient.p_value.unwrap_or(1.0);
    STARS.iter().find(|(level, _)| p < *level).map_or("", |(_, stars)| stars)
}

result!(RegressionResult);

impl Comparable for RegressionResult {
    /// Coefficients in the order of the formula, whatever the formulas of other regressions.
    fn terms(&self) -> Vec<Term> {
        let term = |(c, shown): (&Coefficient, String)| {
            let estimate = c.as_estimate();
            Term::new(&c.name, [6.0, 0.0, 0.0], estimate, Band::Pointwise).shown(shown)
        };
        self.coefficients.iter().zip(self.printed_names()).map(term).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let number = |value: f64| format!("{value:.5}");
        let clusters: Vec<String> = self.clusters.iter().map(|(_, n)| n.to_string()).collect();
        let fit = if self.settings.family.is_linear() { "R2" } else { "Pseudo R2" };
        let facts = [
            ("S.E. type", Some(self.settings.vcov.label())),
            ("Clusters", (!clusters.is_empty()).then(|| clusters.join(" and "))),
            ("Observations", Some(self.n.to_string())),
            (fit, self.r2.map(number)),
            ("Within R2", self.r2_within.map(number)),
            ("BIC", self.bic.map(|bic| format!("{bic:.1}"))),
            ("Squared Cor.", self.squared_correlation.map(number)),
        ];
        let facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        // Terms are the rows of the table.
        facts.chain(sample_facts(&[], self.settings.weights.as_ref(), &self.audit.files)).collect()
    }

    fn alpha(&self) -> f64 {
        self.settings.alpha
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }

    fn remarks(&self) -> Vec<String> {
        texts(self.messages())
    }

    fn absorbed(&self) -> Option<Vec<String>> {
        Some(self.absorbed.iter().map(|absorbed| absorbed.name.clone()).collect())
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        event_study_chart(&self.first_series()?, options)
    }
}
