//! Functions estimated by sieves in print.

#[cfg(feature = "plot")]
mod plot;

use polars::prelude::{Column, DataFrame, df};

use crate::base::calendar::label;
use crate::base::error::Result;
use crate::base::options::Band;
use crate::estimator::npiv::{NpivResult, NpivRow};
use crate::report::declare::{Report, result};
use crate::report::foot;
use crate::report::number::Digits;
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, EstimateColumns, Section, Table, columns};
use crate::result::inference::Estimate;

/// Rows that the table of `Display` shows at most.
const SHOWN: usize = 60;

impl Report for NpivResult {
    fn table(&self) -> Table {
        let [lower, upper] = foot::interval_heads(Band::Uniform, self.config.alpha);
        let mut header = self.config.regressors.clone();
        for name in ["h(x)", "Derivative"] {
            header.extend([name, "Std. Error", &lower, &upper, ""].map(ToOwned::to_owned));
        }
        let h = Digits::of(self.rows.iter().map(|row| &row.h));
        let slope = Digits::of(self.rows.iter().map(|row| &row.derivative));
        let row = |row: &NpivRow| {
            let mut out: Vec<String> =
                row.x.iter().map(|x| label(format!("{x:.5e}").parse().unwrap_or(*x))).collect();
            for (e, digits) in [(&row.h, h), (&row.derivative, slope)] {
                out.extend(columns(e, digits));
            }
            out
        };
        let step = self.rows.len().div_ceil(SHOWN).max(1);
        let five = [vec![Align::Right; 4], vec![Align::Mark]].concat();
        let align = [vec![Align::Right; self.config.regressors.len()], five.clone(), five].concat();
        let rows = self.rows.iter().step_by(step).map(row).collect();
        Table {
            title: "Nonparametric Function by Sieves".into(),
            align,
            sections: vec![Section { caption: None, header, rows }],
            notes: self.notes(step),
            caption: Some(foot::caption("Nonparametric Function by Sieves", &self.config.outcome)),
            label: Some("npiv".into()),
            estimates: [0, 5]
                .map(|i| EstimateColumns::from(self.config.regressors.len() + i))
                .into(),
        }
    }

    #[cfg(feature = "plot")]
    fn picture(&self, _: &PlotOptions) -> Result<Picture> {
        self.curves().map(Picture::Curves)
    }
}

impl NpivResult {
    fn notes(&self, step: usize) -> Vec<String> {
        let config = &self.config;
        let mut notes = vec![foot::SIGNIF.to_owned(), String::new()];
        if step > 1 {
            notes.push(format!("One of {step} of the {} points is shown", self.rows.len()));
        }
        let instruments = if config.instruments.is_empty() {
            "the regressors".to_owned()
        } else {
            config.instruments.join(", ")
        };
        notes.push(format!("Outcome: {}, Instruments: {instruments}", config.outcome));
        let chosen = match &self.choice {
            None => "as given".to_owned(),
            Some(choice) => {
                let compared = choice.compared.iter().map(|(x, _)| x.to_string());
                format!("chosen by the data from {}", compared.collect::<Vec<_>>().join(", "))
            }
        };
        notes.push(format!(
            "Splines of degree {}, Segments: {} ({chosen}), Coefficients: {}",
            config.degree,
            self.x_segments,
            self.coefficients.len()
        ));
        let (draws, seed) = config.draws;
        notes.push(format!("Observations: {}, Bands: {draws} draws, seed {seed}", self.n));
        notes.extend(self.warnings.iter().map(|w| format!("Warning: {w}")));
        notes
    }

    /// One row a point: the regressors, then `h`, `h_se`, `h_lower`, `h_upper`, `derivative`, `derivative_se`, `derivative_lower`,
    /// `derivative_upper`.
    ///
    /// # Errors
    /// [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame, as of regressors with these names.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let column =
            |f: &dyn Fn(&NpivRow) -> Option<f64>| self.rows.iter().map(f).collect::<Vec<_>>();
        let of = |of: fn(&NpivRow) -> &Estimate, part: fn(&Estimate) -> Option<f64>| {
            column(&move |row| part(of(row)))
        };
        let last = df!(
            "h" => of(|r| &r.h, |e| e.att),
            "h_se" => of(|r| &r.h, |e| e.se),
            "h_lower" => of(|r| &r.h, |e| e.ci_lower),
            "h_upper" => of(|r| &r.h, |e| e.ci_upper),
            "derivative" => of(|r| &r.derivative, |e| e.att),
            "derivative_se" => of(|r| &r.derivative, |e| e.se),
            "derivative_lower" => of(|r| &r.derivative, |e| e.ci_lower),
            "derivative_upper" => of(|r| &r.derivative, |e| e.ci_upper),
        )?;
        let regressors = self.config.regressors.iter().enumerate().map(|(j, name)| {
            Column::new(name.as_str().into(), column(&|row| row.x.get(j).copied()))
        });
        let first = DataFrame::new(self.rows.len(), regressors.collect())?;
        Ok(first.hstack(last.columns())?)
    }
}

result!(NpivResult);
