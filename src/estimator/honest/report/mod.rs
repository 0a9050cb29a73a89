//! Sensitivity analyses in print.

#[cfg(feature = "plot")]
mod plot;

use crate::base::calendar::label;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::error::{DidWarning, Message};
use crate::base::options::Band;
use crate::estimator::honest::{
    AT_EVENT_TIME, Breakdown, Delta, HonestResult, Restriction, RobustInterval,
};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, short};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions, chart::Chart};
use crate::report::table::{Align, EstimateColumns, Section, Table};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

impl Report for HonestResult {
    const KIND: &'static str = "honest";

    fn table(&self) -> Table {
        let ends = self.intervals.iter().flat_map(|i| [i.lower, i.upper]);
        let ends: Vec<Estimate> =
            ends.map(|end| Estimate { estimate: end, ..Estimate::default() }).collect();
        let digits = Digits::of(ends.iter().chain([&self.original]));
        let m = if self.options.delta.is_relative() { "Mbar" } else { "M" };
        let row = |m: String, lower, upper, method: &str, excludes| {
            let mark = if excludes { "*" } else { "" };
            vec![m, digits.show(lower), digits.show(upper), mark.into(), method.to_owned()]
        };
        let Estimate { ci_lower, ci_upper, .. } = self.original;
        let excludes = self.original.excludes_zero();
        let is_rebased = self.warnings.contains(&DidWarning::LastPeriodAsBase);
        let name = if is_rebased { "Original, less the base" } else { "Original" };
        let original = row(String::new(), ci_lower, ci_upper, name, excludes);
        let robust = self.intervals.iter().map(|i| {
            let open = match i.open {
                [false, false] => "",
                [true, false] => ", open below",
                [false, true] => ", open above",
                [true, true] => ", open on both sides",
            };
            let method = format!("{}{open}", self.method.label());
            row(short(i.m), i.lower, i.upper, &method, i.excludes_zero())
        });
        let level = foot::percent(self.options.alpha);
        let [lower, upper] = [format!("[{level}% Robust"), "Conf. Int.]".into()];
        Table {
            title: "Sensitivity to Violations of Parallel Trends".into(),
            align: vec![Align::Right, Align::Right, Align::Right, Align::Mark, Align::Left],
            sections: vec![Section {
                caption: None,
                header: vec![m.into(), lower, upper, String::new(), "Method".into()],
                rows: std::iter::once(original).chain(robust).collect(),
            }],
            notes: self.notes(m, digits),
            label: Some("sensitivity".into()),
            estimates: vec![EstimateColumns { estimate: None, interval: (1, 2), mark: Some(3) }],
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let robust = &self.intervals;
        let ends = |i: &RobustInterval| Estimate {
            ci_lower: i.lower,
            ci_upper: i.upper,
            ..Estimate::default()
        };
        let m = vec![Variable::numbers("m", robust.iter().map(|i| Some(i.m)))];
        let words = |name: &str, word: &str| Variable::words(name, vec![Some(word); robust.len()]);
        let intervals = Estimates::new("intervals", m, robust.iter().map(ends)).intervals().with([
            Variable::flags("open", robust.iter().map(RobustInterval::is_open)),
            Variable::flags("open_below", robust.iter().map(|i| i.open[0])),
            Variable::flags("open_above", robust.iter().map(|i| i.open[1])),
            words("method", self.method.word()),
            words("delta", &self.name),
        ]);
        vec![Estimates::single("original", Vec::new(), self.original), intervals]
    }

    fn about(&self) -> Vec<Variable> {
        let status = match self.breakdown {
            Breakdown::At(_) => "found",
            Breakdown::NotSignificant => "not_significant",
            Breakdown::AlwaysSignificant(_) => "always_significant",
        };
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        let bound = |which: usize| self.smoothness_bounds.and_then(|bounds| finite(bounds[which]));
        vec![
            Variable::fact("estimator", "honest_did"),
            Variable::fact("delta", self.name.as_str()),
            Variable::fact("method", self.method.word()),
            Variable::fact("parameter", self.parameter.as_str()),
            Variable::fact("alpha", self.options.alpha),
            Variable::fact("breakdown", self.breakdown.value()),
            Variable::fact("breakdown_status", status),
            Variable::fact("m_lower", bound(0)),
            Variable::fact("m_upper", bound(1)),
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

impl HonestResult {
    fn notes(&self, m: &str, digits: Digits) -> Vec<String> {
        let mut notes = self.study.left_out_notes();
        notes.extend(["Signif. codes: `*' interval does not cover 0".to_owned(), String::new()]);
        let (att, se) = (digits.show(self.original.estimate), digits.show(self.original.se));
        notes.push(format!("Parameter: {}, Estimate: {att} (Std. Error {se})", self.parameter));
        notes.push(format!("Restriction: {} ({})", self.restriction(m), self.name));
        notes.push(match self.breakdown {
            Breakdown::At(value) => {
                format!("Breakdown Value: significant up to {m} = {}", short(value))
            }
            Breakdown::NotSignificant => {
                format!("Breakdown Value: none, not significant at {m} = 0")
            }
            Breakdown::AlwaysSignificant(tried) => {
                format!("Breakdown Value: none, significant up to {m} = {}", short(tried))
            }
        });
        if let Some([lower, upper]) = self.smoothness_bounds {
            let upper = short(upper);
            notes.push(match lower.is_finite() {
                true => format!(
                    "M consistent with the periods before treatment: {} to {upper}",
                    short(lower)
                ),
                false => format!(
                    "M before treatment: at most {upper}, and no M up to three standard errors is consistent with these periods"
                ),
            });
        }
        notes.extend(self.study.analysed(&self.warnings));
        notes
    }

    /// What is assumed, in words.
    fn restriction(&self, m: &str) -> String {
        let set = match self.options.delta {
            Delta::Smoothness => {
                let apart = self.study.step().is_some_and(|step| step != 1.0);
                let from = if apart { " from one event time to the next" } else { "" };
                format!("the slope of the difference in trends changes by at most {m}{from}")
            }
            Delta::RelativeMagnitude => {
                format!("changes after treatment are at most {m} times the largest before")
            }
            Delta::RelativeSmoothness => {
                format!("changes of slope after treatment are at most {m} times the largest before")
            }
        };
        let further = match self.options.restriction {
            None => "",
            Some(Restriction::PositiveBias) => "; the bias is not negative",
            Some(Restriction::NegativeBias) => "; the bias is not positive",
            Some(Restriction::Increasing) => "; it does not fall",
            Some(Restriction::Decreasing) => "; it does not rise",
        };
        set + further
    }
}

result!(HonestResult);

/// The effect that is analysed, with its original interval: the robust ones have no estimate. An effect at one event time stands in the row
/// of that time.
impl Comparable for HonestResult {
    fn terms(&self) -> Vec<Term> {
        let time = self.parameter.strip_prefix(AT_EVENT_TIME).and_then(|time| time.parse().ok());
        let axis = self.study.axis().unwrap_or("Event time");
        let (name, order) = match time {
            Some(time) => (format!("{axis} {}", label(time)), [2.0, time, 0.0]),
            None => (self.parameter.clone(), [0.0; 3]),
        };
        vec![Term::new(name, order, self.original, Band::Pointwise)]
    }

    fn outcome(&self) -> Option<String> {
        self.study.outcome()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let breakdown = self.breakdown.value().map_or("none".to_owned(), short);
        vec![
            ("Restriction".to_owned(), self.name.clone()),
            ("Breakdown value".to_owned(), breakdown),
        ]
    }

    fn alpha(&self) -> f64 {
        self.options.alpha
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.study.comparable_chart(options)
    }
}
