//! Analyses of pre-trends in print.

#[cfg(feature = "plot")]
mod plot;

use crate::base::calendar::label;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::pretrends::{
    EquivalenceTest, Hypothesis, PreTest, PretrendsAlternative, PretrendsResult, PretrendsRow,
};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, short};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, Section, Table, strings};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

/// What the rows of the equivalence tests are of.
const MAXIMUM: &str = "maximum";
const MEAN: &str = "mean";

impl Report for PretrendsResult {
    const KIND: &'static str = "pretrends";

    fn table(&self) -> Table {
        let digits = Digits::of(self.study.rows.iter().map(|row| &row.estimate));
        let mut sections = vec![self.power_section()];
        sections.extend(self.alternatives.iter().map(|of| self.expectations(of, digits)));
        sections.push(self.equivalence_section(digits));
        Table {
            title: "Power of the Test of Pre-Trends".into(),
            align: [vec![Align::Left], vec![Align::Right; 4]].concat(),
            sections,
            notes: self.notes(),
            label: Some("pretrends".into()),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let all = &self.alternatives;
        let numbers = |name: &str, of: fn(&PretrendsAlternative) -> Option<f64>| {
            Variable::numbers(name, all.iter().map(of))
        };
        let of_power = |power: f64| Estimate { estimate: Some(power), ..Estimate::default() };
        let names = Variable::words("alternative", all.iter().map(|of| Some(of.name())));
        let power = Estimates::new("power", vec![names], all.iter().map(|of| of_power(of.power)))
            .with([
                numbers("slope", |of| of.slope),
                numbers("bayes_factor", |of| Some(of.bayes_factor)),
                numbers("likelihood_ratio", |of| Some(of.likelihood_ratio)),
                numbers("error", |of| Some(of.error)),
            ]);
        vec![power, self.period_estimates(), self.equivalence_estimates()]
    }

    fn about(&self) -> Vec<Variable> {
        let options = &self.options;
        let (maximum, mean) = (&self.equivalence.maximum, &self.equivalence.mean);
        let critical = Some(options.critical).filter(|_| options.test == PreTest::Individual);
        vec![
            Variable::fact("estimator", "pretrends"),
            Variable::fact("test", options.test.word()),
            Variable::fact("critical", critical),
            Variable::fact("alpha", options.alpha),
            Variable::fact("size", self.size),
            Variable::fact("passed", self.passed),
            Variable::fact("n_before", self.equivalence.periods.len()),
            Variable::fact("threshold", options.threshold),
            Variable::fact("smallest_threshold_maximum", maximum.smallest_threshold),
            Variable::fact("smallest_threshold_mean", mean.smallest_threshold),
            Variable::fact("n_warnings", self.warnings.len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages(&self.warnings, self.study.frequency())
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.chart(options).map(Picture::Chart)
    }
}

impl PretrendsAlternative {
    /// What the violation is, in a few words.
    fn name(&self) -> String {
        match (self.hypothesis, self.slope) {
            (Hypothesis::Power(power), _) => format!("slope of power {}%", short(100.0 * power)),
            (Hypothesis::Slope, Some(slope)) => format!("slope {}", short(slope)),
            (Hypothesis::Slope | Hypothesis::Violations, _) => "given violations".into(),
        }
    }

    /// The same as a title, with the slope.
    fn title(&self) -> String {
        let power = short((1e4 * self.power).round() / 100.0);
        match self.slope {
            Some(slope) => format!("Slope {} (power {power}%)", short(slope)),
            None => format!("Given violations (power {power}%)"),
        }
    }
}

impl PretrendsResult {
    fn power_section(&self) -> Section {
        let row = |of: &PretrendsAlternative| {
            let slope = of.slope.map_or(String::new(), short);
            let power = format!("{:.4}", of.power);
            vec![of.name(), slope, power, short(of.bayes_factor), short(of.likelihood_ratio)]
        };
        Section {
            caption: None,
            header: strings(&["Violation", "Slope", "Power", "Bayes Factor", "Likelihood Ratio"]),
            rows: self.alternatives.iter().map(row).collect(),
        }
    }

    /// The coefficient of the event study at an event time.
    fn estimate_at(&self, row: &PretrendsRow) -> Estimate {
        let row_of_study =
            self.study.rows.iter().find(|row_of_study| row_of_study.at == row.event_time);
        row_of_study.map_or_else(Estimate::default, |row_of_study| row_of_study.estimate)
    }

    fn expectations(&self, of: &PretrendsAlternative, digits: Digits) -> Section {
        let row = |row: &PretrendsRow| {
            let Estimate { estimate, se, .. } = self.estimate_at(row);
            let numbers = [estimate, se, Some(row.violation), row.after_passing];
            let numbers = numbers.map(|number| digits.show(number));
            std::iter::once(label(row.event_time)).chain(numbers).collect()
        };
        let header = ["Event time", "Estimate", "Std. Error", "Violation", "After Passing"];
        Section {
            caption: Some(format!("{}:", of.title())),
            header: strings(&header),
            rows: of.rows.iter().map(row).collect(),
        }
    }

    fn equivalence_section(&self, digits: Digits) -> Section {
        let row = |name: String, test: &EquivalenceTest| {
            let numbers = [test.estimate, test.se, test.smallest_threshold];
            let numbers = numbers.map(|number| digits.show(Some(number)));
            let p_value = test.p_value.map_or(String::new(), foot::p_value);
            std::iter::once(name).chain(numbers).chain([p_value]).collect::<Vec<String>>()
        };
        let level = short(100.0 * self.options.alpha);
        let p_value = if self.options.threshold.is_some() { "p-value" } else { "" };
        Section {
            caption: Some(format!(
                "Equivalence before the reference period, at the level {level}%:"
            )),
            header: strings(&["", "Absolute Value", "Std. Error", "Smallest Threshold", p_value]),
            rows: vec![
                row("Largest coefficient".into(), &self.equivalence.maximum),
                row("Mean coefficient".into(), &self.equivalence.mean),
            ],
        }
    }

    fn period_estimates(&self) -> Estimates {
        let rows =
            || self.alternatives.iter().flat_map(|of| of.rows.iter().map(move |row| (of, row)));
        let keys = vec![
            Variable::words("alternative", rows().map(|(of, _)| Some(of.name()))),
            Variable::numbers("event_time", rows().map(|(_, row)| Some(row.event_time))),
        ];
        Estimates::new("periods", keys, rows().map(|(_, row)| self.estimate_at(row))).with([
            Variable::numbers("violation", rows().map(|(_, row)| Some(row.violation))),
            Variable::numbers("after_passing", rows().map(|(_, row)| row.after_passing)),
        ])
    }

    fn equivalence_estimates(&self) -> Estimates {
        let tests = [(MAXIMUM, &self.equivalence.maximum), (MEAN, &self.equivalence.mean)];
        let tests = tests.map(|(name, test)| {
            (name, None, [test.estimate, test.se, test.smallest_threshold], test.p_value)
        });
        let periods = self.equivalence.periods.iter().map(|period| {
            let numbers = [period.estimate.abs(), period.se, period.smallest_threshold];
            ("period", Some(period.event_time), numbers, None)
        });
        let rows: Vec<_> = tests.into_iter().chain(periods).collect();
        let keys = vec![
            Variable::words("of", rows.iter().map(|(name, ..)| Some(*name))),
            Variable::numbers("event_time", rows.iter().map(|(_, at, ..)| *at)),
        ];
        let estimate = |[estimate, se, _]: [f64; 3]| Estimate {
            estimate: Some(estimate),
            se: Some(se),
            ..Estimate::default()
        };
        Estimates::new("equivalence", keys, rows.iter().map(|row| estimate(row.2))).with([
            Variable::numbers("smallest_threshold", rows.iter().map(|row| Some(row.2[2]))),
            Variable::numbers("equivalence_p_value", rows.iter().map(|row| row.3)),
        ])
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.study.left_out_notes();
        let passes = if self.passed { "pass" } else { "do not pass" };
        notes.push(format!(
            "Test: {}; it rejects with probability {:.4} without a violation. The estimates {passes} it.",
            self.test(),
            self.size
        ));
        notes.push(
            "After Passing: expected estimates under the violation if the test passes and there are no effects".into(),
        );
        if let Some(threshold) = self.options.threshold {
            let is_negligible = |test: &EquivalenceTest| {
                let negligible = test.p_value.is_some_and(|p| p <= self.options.alpha);
                if negligible { "concluded" } else { "not concluded" }
            };
            notes.push(format!(
                "Violations of at most {}: {} of all periods, {} of their mean",
                short(threshold),
                is_negligible(&self.equivalence.maximum),
                is_negligible(&self.equivalence.mean)
            ));
        }
        let error = self.alternatives.iter().map(|of| of.error).fold(0.0, f64::max);
        if error > 5e-5 {
            notes.push(format!("Error of numerical integration: up to {}", short(error)));
        }
        notes.extend(self.study.analysed(&self.warnings));
        notes
    }

    /// The test in words.
    fn test(&self) -> String {
        match self.options.test {
            PreTest::Individual => format!("every |t| at most {}", short(self.options.critical)),
            PreTest::Joint => {
                format!("Wald test of all coefficients at the level {}", short(self.options.alpha))
            }
        }
    }
}

result!(PretrendsResult);

/// The slopes of linear violations.
impl Comparable for PretrendsResult {
    fn terms(&self) -> Vec<Term> {
        let term = |(index, of): (usize, &PretrendsAlternative)| {
            let slope = Estimate { estimate: of.slope, ..Estimate::default() };
            Term::new(of.name(), [index as f64, 0.0, 0.0], slope, Band::Pointwise)
        };
        self.alternatives.iter().enumerate().map(term).collect()
    }

    fn outcome(&self) -> Option<String> {
        self.study.outcome()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let smallest = short(self.equivalence.maximum.smallest_threshold);
        vec![
            ("Test of pre-trends".to_owned(), self.test()),
            ("Smallest threshold of equivalence".to_owned(), smallest),
        ]
    }

    fn alpha(&self) -> f64 {
        self.options.alpha
    }
}
