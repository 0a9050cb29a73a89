//! Sensitivity analyses in print.

#[cfg(feature = "plot")]
mod plot;

use polars::prelude::{DataFrame, df};

use crate::base::error::{DidWarning, Result};
use crate::estimator::aggregate::report::left_out;
use crate::estimator::honest::{Breakdown, Delta, HonestDid, Restriction, RobustInterval};
use crate::report::declare::{Report, result};
use crate::report::foot;
use crate::report::number::{Digits, short};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, EstimateColumns, Section, Table};
use crate::result::inference::Estimate;

impl Report for HonestDid {
    fn table(&self) -> Table {
        let ends = self.intervals.iter().flat_map(|i| [i.lower, i.upper]);
        let ends: Vec<Estimate> =
            ends.map(|end| Estimate { att: end, ..Estimate::default() }).collect();
        let digits = Digits::of(ends.iter().chain([&self.original]));
        let m = if self.options.delta.is_relative() { "Mbar" } else { "M" };
        let row = |m: String, lower, upper, method: &str, excludes| {
            let mark = if excludes { "*" } else { "" };
            vec![m, digits.show(lower), digits.show(upper), mark.into(), method.to_owned()]
        };
        let Estimate { ci_lower, ci_upper, .. } = self.original;
        let excludes = self.original.excludes_zero();
        let original = row(String::new(), ci_lower, ci_upper, "Original", excludes);
        let robust = self
            .intervals
            .iter()
            .map(|i| row(short(i.m), i.lower, i.upper, self.method.name(), i.excludes_zero()));
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

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.chart(options).map(Picture::Chart)
    }
}

impl HonestDid {
    fn notes(&self, m: &str, digits: Digits) -> Vec<String> {
        let settings = self.study.provenance.settings();
        let left_out = self.study.left_out.as_ref();
        let mut notes = left_out.map_or_else(Vec::new, |l| left_out::of_study(l, settings));
        notes.extend(["Signif. codes: `*' interval does not cover 0".to_owned(), String::new()]);
        let (att, se) = (digits.show(self.original.att), digits.show(self.original.se));
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
            let (lower, upper) = (short(lower), short(upper));
            notes.push(format!(
                "M consistent with the periods before treatment: {lower} to {upper}"
            ));
        }
        if let Some(settings) = settings {
            let (outcome, covariates) = (&settings.outcome, &settings.covariates);
            notes.push(format!("Outcome: {outcome}, Covariates: {covariates}"));
            notes.push(foot::sample(settings));
        }
        let frequency = settings.and_then(|s| s.frequency);
        let said = |w: &&DidWarning| !matches!(w, DidWarning::CellsLeftOut { .. });
        let warnings = self.warnings.iter().filter(said);
        notes.extend(warnings.map(|w| format!("Warning: {}", w.shown(frequency))));
        notes
    }

    /// What is assumed, in words.
    fn restriction(&self, m: &str) -> String {
        let set = match self.options.delta {
            Delta::Smoothness => {
                format!("the slope of the difference in trends changes by at most {m}")
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

    /// One row an interval, the original first: `m` (null for the original), `lower`, `upper`, `open`, `method`, `delta`. What does not
    /// exist is null.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let of = |original: Option<f64>, of: fn(&RobustInterval) -> Option<f64>| {
            std::iter::once(original).chain(self.intervals.iter().map(of)).collect::<Vec<_>>()
        };
        let robust = self.intervals.len();
        let method = self.method.name();
        let name = self.name.as_str();
        Ok(df!(
            "m" => of(None, |i| Some(i.m)),
            "lower" => of(self.original.ci_lower, |i| i.lower),
            "upper" => of(self.original.ci_upper, |i| i.upper),
            "open" => std::iter::once(false).chain(self.intervals.iter().map(|i| i.open)).collect::<Vec<_>>(),
            "method" => std::iter::once("Original").chain(std::iter::repeat_n(method, robust)).collect::<Vec<_>>(),
            "delta" => std::iter::once(None).chain(std::iter::repeat_n(Some(name), robust)).collect::<Vec<_>>(),
        )?)
    }
}

result!(HonestDid);
