//! Functions estimated by sieves in print.

#[cfg(feature = "plot")]
mod plot;

use std::cmp::Ordering;

use crate::base::calendar::exact;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::npiv::{NpivResult, NpivRow};
use crate::report::compare::{Comparable, Term};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, point};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, EstimateColumns, Section, Table, columns};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

/// Rows that the table of `Display` shows at most.
const SHOWN: usize = 60;

impl Report for NpivResult {
    const KIND: &'static str = "npiv";

    fn table(&self) -> Table {
        let [lower, upper] = foot::interval_heads(Band::Uniform, self.settings.alpha);
        let mut header = self.settings.regressors.clone();
        for name in ["h(x)", "Derivative"] {
            header.extend([name, "Std. Error", &lower, &upper, ""].map(ToOwned::to_owned));
        }
        let h = Digits::of(self.rows.iter().map(|row| &row.h));
        let slope = Digits::of(self.rows.iter().map(|row| &row.derivative));
        let row = |row: &NpivRow| {
            let mut out: Vec<String> = row.x.iter().copied().map(point).collect();
            for (e, digits) in [(&row.h, h), (&row.derivative, slope)] {
                out.extend(columns(e, digits));
            }
            out
        };
        let step = self.rows.len().div_ceil(SHOWN).max(1);
        let five = [vec![Align::Right; 4], vec![Align::Mark]].concat();
        let align =
            [vec![Align::Right; self.settings.regressors.len()], five.clone(), five].concat();
        let rows = self.by_regressors().into_iter().step_by(step).map(row).collect();
        Table {
            title: "Nonparametric Function by Sieves".into(),
            align,
            sections: vec![Section { caption: None, header, rows }],
            notes: self.notes(step),
            caption: Some(foot::caption(
                "Nonparametric Function by Sieves",
                &self.settings.outcome,
            )),
            label: Some("npiv".into()),
            estimates: [0, 5]
                .map(|i| EstimateColumns::from(self.settings.regressors.len() + i))
                .into(),
            ..Table::default()
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let regressor = |(j, name): (usize, &String)| {
            Variable::numbers(name, self.rows.iter().map(|row| row.x.get(j).copied()))
        };
        let keys: Vec<Variable> =
            self.settings.regressors.iter().enumerate().map(regressor).collect();
        let table = |name: &'static str, of: fn(&NpivRow) -> Estimate| {
            let estimates = self.rows.iter().map(of);
            let statuses = facts::curve_statuses(estimates.clone().map(|e| e.estimate));
            Estimates::new(name, keys.clone(), estimates).with(statuses)
        };
        vec![table("function", |row| row.h), table("derivative", |row| row.derivative)]
    }

    fn about(&self) -> Vec<Variable> {
        let settings = &self.settings;
        let (draws, seed) = settings.draws;
        let instruments = if settings.instruments.is_empty() {
            &settings.regressors
        } else {
            &settings.instruments
        };
        vec![
            Variable::fact("estimator", "npiv"),
            Variable::fact("outcome", settings.outcome.as_str()),
            Variable::fact("regressors", settings.regressors.join(", ")),
            Variable::fact("instruments", instruments.join(", ")),
            Variable::fact("degree", settings.degree),
            Variable::fact("x_segments", self.x_segments),
            Variable::fact("w_segments", self.w_segments),
            Variable::fact("n_coefficients", self.coefficients.len()),
            Variable::fact("n_rows", self.n),
            Variable::fact("rows_missing", self.rows_missing),
            Variable::fact("alpha", settings.alpha),
            Variable::fact("critical_value", self.critical_value),
            Variable::fact("critical_value_derivative", self.critical_value_derivative),
            Variable::fact("bootstrap_draws", draws),
            Variable::fact("bootstrap_seed", seed),
            Variable::fact("n_warnings", self.warnings.len()),
        ]
    }

    fn messages(&self) -> Vec<Message> {
        facts::messages(&self.warnings, None)
    }

    #[cfg(feature = "plot")]
    fn picture(&self, _: &PlotOptions) -> Result<Picture> {
        self.curves().map(Picture::Curves)
    }
}

impl NpivResult {
    /// The points by the first regressor, then by the others, whatever the order of the data's rows.
    fn by_regressors(&self) -> Vec<&NpivRow> {
        let mut rows: Vec<&NpivRow> = self.rows.iter().collect();
        rows.sort_by(|a, b| {
            let pairs = a.x.iter().zip(&b.x).map(|(a, b)| a.total_cmp(b));
            pairs.fold(Ordering::Equal, Ordering::then)
        });
        rows
    }

    fn notes(&self, step: usize) -> Vec<String> {
        let settings = &self.settings;
        let mut notes = vec![foot::SIGNIF.to_owned(), String::new()];
        if step > 1 {
            notes.push(format!("Shown: one in {step} of the {} points", self.rows.len()));
        }
        let instruments = if settings.instruments.is_empty() {
            "the regressors".to_owned()
        } else {
            settings.instruments.join(", ")
        };
        notes.push(format!("Outcome: {}, Instruments: {instruments}", settings.outcome));
        let chosen = match &self.choice {
            None => "as given".to_owned(),
            Some(choice) => {
                let compared = choice.compared.iter().map(|(x, _)| x.to_string());
                format!("chosen by the data from {}", compared.collect::<Vec<_>>().join(", "))
            }
        };
        notes.push(format!(
            "Splines of degree {}, Segments: {} ({chosen}), Coefficients: {}",
            settings.degree,
            self.x_segments,
            self.coefficients.len()
        ));
        let (draws, seed) = settings.draws;
        notes.push(format!("Observations: {}, Bands: {draws} draws, seed {seed}", self.n));
        notes.extend(foot::reading(&self.files, &[]));
        notes.extend(self.warnings.iter().map(|w| format!("Warning: {w}")));
        notes
    }
}

result!(NpivResult);

impl Comparable for NpivResult {
    fn terms(&self) -> Vec<Term> {
        let at = |row: &NpivRow, digits: fn(f64) -> String| {
            row.x.iter().map(|x| digits(*x)).collect::<Vec<String>>().join(", ")
        };
        let term = |name: &str, rank: f64, row: &NpivRow, estimate| {
            Term::new(
                format!("{name}({})", at(row, exact)),
                [rank, row.x.first().copied().unwrap_or_default(), 0.0],
                estimate,
                Band::Uniform,
            )
            .shown(format!("{name}({})", at(row, point)))
        };
        let both = |row| [term("h", 8.0, row, row.h), term("Derivative", 9.0, row, row.derivative)];
        self.rows.iter().flat_map(both).collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![
            ("Segments".to_owned(), self.x_segments.to_string()),
            ("Rows".to_owned(), self.n.to_string()),
        ]
    }

    fn alpha(&self) -> f64 {
        self.settings.alpha
    }

    fn outcome(&self) -> Option<String> {
        Some(self.settings.outcome.clone())
    }
}
