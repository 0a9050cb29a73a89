//! Fits with some of the covariates that a sample was arranged with.

use serde::{Deserialize, Serialize};

use super::looks::Looks;
use crate::base::error::{DidError, Result};
use crate::read::formula::{Formula, Present};
use crate::read::panel::levels::Levels;
use crate::read::panel::roles::Roles;
use crate::read::panel::stratum::StratumShape;

/// Which covariates of an arranged sample a fit has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CovariateChoice {
    /// Their versions: all, or the first if these covariates do not change over time.
    versions: usize,
    /// Their places.
    covariates: Vec<usize>,
}

impl CovariateChoice {
    pub(super) fn new(versions: usize, covariates: Vec<usize>) -> Self {
        Self { versions, covariates }
    }

    /// Whether rows of this shape have them.
    pub fn is_of(&self, shape: &StratumShape) -> bool {
        [1, shape.versions].contains(&self.versions)
            && self.covariates.len() <= shape.covariates
            && self.covariates.iter().all(|place| *place < shape.covariates)
    }

    /// What rows of this shape become.
    pub fn shape(&self, shape: StratumShape) -> StratumShape {
        StratumShape { versions: self.versions, covariates: self.covariates.len(), ..shape }
    }

    /// Their columns, of the columns of so many covariates.
    pub fn columns(&self, covariates: usize, rows: usize, x: &[f64]) -> Vec<f64> {
        let places = (0..self.versions)
            .flat_map(|v| self.covariates.iter().map(move |place| (v * covariates + place) * rows));
        places.flat_map(|start| &x[start..start + rows]).copied().collect()
    }
}

impl Looks {
    /// What would have been found for a formula, and the places of its covariates among those of the formula that was looked
    /// for.
    ///
    /// # Errors
    /// [`DidError::Config`] if it has others, or if rows were left out that it would not leave out.
    pub(super) fn select(&self, roles: &Roles, other: &Formula) -> Result<(Self, Vec<usize>)> {
        let formula = &roles.covariates;
        let refused = |what: &str| {
            let problem =
                format!("`{other}` for a sample that was prepared with `{formula}`, {what}");
            DidError::config("covariates", EXPECTED, problem)
        };
        let lacks = |column: &str| refused(&format!("and has no column `{column}`"));
        let none = || refused("and has no rows");
        let kinds = self.survey.kinds.as_ref().ok_or_else(none)?;
        let places = kinds.places(other).map_err(|column| lacks(&column))?;
        let selected = kinds.select(&places);
        let factors = match selected.has_factors() {
            true => self.levels.factors.select(&places),
            false => Present::default(),
        };
        let arranged = formula.design(kinds, &self.levels.factors)?;
        let wanted = other.design(&selected, &factors)?;
        let arranged = &arranged.names()[arranged.covariates()];
        let position = |name: &String| {
            let mut places = (0..arranged.len()).filter(|position| arranged[*position] == *name);
            match (places.next(), places.next()) {
                (Some(position), None) => Ok(position),
                _ => Err(lacks(name)),
            }
        };
        let covariates: Vec<usize> =
            wanted.names()[wanted.covariates()].iter().map(position).collect::<Result<_>>()?;
        let others = Roles { covariates: other.clone(), ..roles.clone() };
        let survey = self.survey.select((formula, other), selected, &others);
        let survey = survey.map_err(|column| {
            refused(&format!("for which rows were left out that have no `{column}`"))
        })?;
        let levels = Levels { factors, ..self.levels.clone() };
        Ok((Self { survey, levels, changes: self.changes.select(&covariates) }, covariates))
    }
}

/// What a formula may be.
const EXPECTED: &str = "of columns that the sample was prepared with, or another sample";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::panel::WeightLayout;

    fn shape() -> StratumShape {
        StratumShape {
            periods: 2,
            versions: 2,
            covariates: 3,
            weights: WeightLayout::Constant,
            presence: false,
            changes: true,
            clustered: false,
        }
    }

    #[test]
    fn columns_are_of_all_versions_or_of_the_first() {
        // Two versions of three covariates of two rows.
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let of = |versions, covariates: &[usize]| {
            let choice = CovariateChoice::new(versions, covariates.to_vec());
            assert!(choice.is_of(&shape()));
            choice.columns(3, 2, &x)
        };
        assert_eq!(of(1, &[2, 0]), [4.0, 5.0, 0.0, 1.0]);
        assert_eq!(of(2, &[1]), [2.0, 3.0, 8.0, 9.0]);
        assert!(of(1, &[]).is_empty());
        let chosen = CovariateChoice::new(1, vec![1]).shape(shape());
        assert_eq!((chosen.versions, chosen.covariates, chosen.periods), (1, 1, 2));
    }

    #[test]
    fn choices_of_other_rows_are_known() {
        for choice in [(3, vec![0]), (2, vec![3]), (2, vec![0, 1, 2, 0])] {
            assert!(!CovariateChoice::new(choice.0, choice.1).is_of(&shape()));
        }
    }
}
