//! Which columns a first stage needs.

use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::options::Inference;
use crate::estimator::fixed_effects::{CohortColumns, RegressionColumns};
use crate::read::columns::MissingValues;
use crate::read::formula::{Interaction, RegressionFormula, name_label};

/// Options of a first stage, as both estimators have them.
#[derive(Clone, Debug)]
pub(in crate::estimator) struct StageColumns {
    pub outcome: String,
    pub unit: String,
    pub time: String,
    pub group: String,
    pub frequency: Option<Frequency>,
    pub covariates: String,
    /// Fixed effects in the place of those of units and periods; none for these.
    pub absorb: Vec<String>,
    pub trends: bool,
    pub weights: Option<String>,
    pub cluster: Option<String>,
    pub missing_values: Option<Vec<String>>,
    /// Columns with weights of rows in averages.
    pub averages: Vec<String>,
    /// Whether these may be negative, as sums are taken.
    pub sums: bool,
    /// Regressors of a second stage.
    pub second: Option<String>,
    pub alpha: f64,
}

/// The [`StageColumns`] that both estimators have in the same options, without averages and without a second stage.
macro_rules! stage_columns {
    ($options:expr) => {
        $crate::estimator::first_stage::StageColumns {
            outcome: $options.outcome.clone(),
            unit: $options.unit.clone(),
            time: $options.time.clone(),
            group: $options.group.clone(),
            frequency: $options.frequency,
            covariates: $options.covariates.clone(),
            absorb: $options.fixed_effects.clone(),
            trends: $options.trends,
            weights: $options.weights.clone(),
            cluster: $options.cluster.clone(),
            missing_values: $options.missing_values.clone(),
            averages: Vec::new(),
            sums: false,
            second: None,
            alpha: $options.alpha,
        }
    };
}

pub(in crate::estimator) use stage_columns;

/// The columns as formulas.
pub(super) struct Formulas {
    /// Its first two factors are units and periods; `used` are those that are fixed effects.
    pub first: RegressionColumns,
    pub used: Vec<usize>,
    pub second: Option<RegressionColumns>,
}

impl StageColumns {
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        self.formulas()?;
        Inference::new(self.alpha).validate()
    }

    /// The fixed effects as they are written.
    pub fn effects(&self) -> Vec<String> {
        match self.absorb.as_slice() {
            [] => vec![name_label(&self.unit), name_label(&self.time)],
            absorb => absorb.to_vec(),
        }
    }

    /// The first stage in words of a formula.
    pub fn text(&self) -> String {
        let covariates = self.covariates.trim_start_matches('~').trim();
        let trends =
            if self.trends { format!(" + {}[{}]", self.unit, self.time) } else { String::new() };
        format!("{} ~ {covariates} | {}{trends}", self.outcome, self.effects().join(" + "))
    }

    pub fn missing(&self) -> MissingValues {
        MissingValues::new(self.missing_values.as_deref())
    }

    pub(super) fn formulas(&self) -> Result<Formulas> {
        let keys = [name_label(&self.unit), name_label(&self.time)];
        let effects = RegressionFormula::of(&self.outcome, "1", &self.effects())?.absorb;
        if effects.is_empty() {
            let got = format!("[{}]", self.absorb.join(", "));
            return Err(DidError::config("fixed_effects", "at least one fixed effect", got));
        }
        let all: Vec<String> = keys.iter().chain(&self.absorb).cloned().collect();
        let formula = RegressionFormula::of(&self.outcome, &self.covariates, &all)?;
        formula.regressors.check_without(&self.outcome)?;
        let position = |effect: &Interaction| formula.absorb.iter().position(|f| f == effect);
        let used: Vec<usize> = effects.iter().filter_map(position).collect();
        if self.trends && !used.contains(&0) {
            return Err(DidError::config(
                "trends",
                "with fixed effects of the units",
                effects.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + "),
            ));
        }
        let cluster = self.cluster.as_ref().map_or(&self.unit, |cluster| cluster);
        let clusters = Interaction::parse(&name_label(cluster))?;
        let cohorts = Some(CohortColumns {
            cohort: self.group.clone(),
            time: self.time.clone(),
            unit: self.unit.clone(),
            frequency: self.frequency,
        });
        let weights = self.weights.clone();
        let second = |text: &String| -> Result<RegressionColumns> {
            let formula = RegressionFormula::of(&self.outcome, text, &[])?;
            if formula.regressors.variables().is_empty() {
                return Err(DidError::config(
                    "second_stage",
                    "a formula with a regressor, as it has no constant; nothing gives the average effect and event times",
                    text.trim_start_matches("0 + "),
                ));
            }
            Ok(RegressionColumns::predictors(formula))
        };
        Ok(Formulas {
            first: RegressionColumns { formula, weights, clusters, cohorts, with_outcome: true },
            used,
            second: self.second.as_ref().map(second).transpose()?,
        })
    }
}
