//! A comparison as a data frame, CSV and JSON.

use polars::prelude::DataFrame;
use serde::Serialize;

use crate::base::error::Result;
use crate::report::estimates::{Estimates, Facts, Variable, csv, frame};
use crate::report::json;
use crate::result::inference::Estimate;
use crate::result::saved::FORMAT;

use super::comparable::{Comparable, Term};
use super::comparison::Comparison;
use super::notes;
use super::rows::{Row, gathered};

/// A model in a document.
#[derive(Serialize)]
struct Model<'a> {
    name: &'a str,
    outcome: Option<String>,
    fixed_effects: Option<Vec<String>>,
    alpha: f64,
    /// How standard errors were made.
    standard_errors: Option<String>,
    facts: Facts,
    estimates: Estimates,
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    kind: &'static str,
    format: u64,
    models: Vec<Model<'a>>,
    /// What is to be known of rows in which several models stand.
    remarks: Vec<String>,
}

impl Comparison<'_> {
    /// One row an estimate of a model: `model` and `term`, then what [`to_dataframe`](crate::AttGt) of any result has of an
    /// estimate. A term has its label if there is one.
    ///
    /// # Errors
    /// As [`table`](Self::table), and [`DidError::Polars`](crate::DidError::Polars) if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let terms = self.terms();
        let models = self.selected(&self.rows(&terms)?);
        let names = self.models.iter().map(|(name, _)| name);
        let names = names.zip(&models).flat_map(|(name, own)| vec![Some(name.as_str()); own.len()]);
        let (rows, estimates): (Vec<String>, Vec<Estimate>) =
            models.iter().flatten().cloned().unzip();
        let keys = vec![Variable::words("model", names), terms_of(rows)];
        frame(&[Estimates::new("estimates", keys, estimates)])
    }

    /// [`to_dataframe`](Self::to_dataframe) as CSV, with empty fields for null.
    ///
    /// # Errors
    /// As [`to_dataframe`](Self::to_dataframe).
    pub fn to_csv(&self) -> Result<String> {
        csv(self.to_dataframe()?)
    }

    /// One object a model: its `name`, `outcome`, `standard_errors`, `facts`, `estimates` and `remarks`, beside others. The `remarks` of the document are of rows in which
    /// several models stand, such as overall effects that average differently.
    ///
    /// # Errors
    /// As [`table`](Self::table), and [`DidError::Json`](crate::DidError::Json) if the document cannot be formed.
    pub fn to_json(&self) -> Result<String> {
        let terms = self.terms();
        let rows = self.rows(&terms)?;
        let models = self.models.iter().zip(self.selected(&rows));
        let models = models.map(|((name, model), own)| self.model(name, *model, own)).collect();
        let remarks = notes::differences(&self.models, &self.selection, &rows);
        json::text(&Document { kind: "comparison", format: FORMAT, models, remarks })
    }

    fn model<'m>(
        &self,
        name: &'m str,
        model: &dyn Comparable,
        own: Vec<(String, Estimate)>,
    ) -> Model<'m> {
        let facts = model.facts();
        let facts = facts.iter().filter(|(fact, _)| self.selection.has_fact(fact));
        let facts = facts.map(|(fact, value)| Variable::fact(fact, value.as_str())).collect();
        let (rows, estimates): (Vec<String>, Vec<Estimate>) = own.into_iter().unzip();
        Model {
            name,
            outcome: model.outcome(),
            fixed_effects: model.absorbed(),
            alpha: model.alpha(),
            standard_errors: model.standard_errors(),
            facts: Facts(facts),
            estimates: Estimates::new("estimates", vec![terms_of(rows)], estimates),
            remarks: model.remarks(),
        }
    }

    /// The rows of the table.
    fn rows<'t>(&self, terms: &'t [Vec<Term>]) -> Result<Vec<Row<'t>>> {
        self.check(terms)?;
        Ok(self.selection.selected(gathered(terms)))
    }

    /// The estimates of each model that are in these rows, with their names.
    fn selected(&self, rows: &[Row<'_>]) -> Vec<Vec<(String, Estimate)>> {
        let mut models = vec![Vec::new(); self.models.len()];
        for row in rows {
            let label = self.selection.label(&[row.name, row.shown]);
            let name = if label == row.shown { row.name } else { &label };
            for (own, term) in models.iter_mut().zip(&row.terms) {
                own.extend(term.map(|term| (name.to_owned(), term.estimate)));
            }
        }
        models
    }
}

fn terms_of(rows: Vec<String>) -> Variable {
    Variable::words("term", rows.into_iter().map(Some))
}
