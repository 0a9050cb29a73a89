//! What makes the influence value of a row, in the scale of sums.

use serde::{Deserialize, Serialize};

use super::plan::{ProjectionPlan, ProjectionRow, Scratch};
use crate::engine::by_unit::{UnitScores, Units};

/// Influence values of all regressions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProjectionScores {
    pub plan: ProjectionPlan,
    /// By regression.
    pub scores: Vec<Scores>,
}

/// A regression's coefficients and means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Scores {
    /// There is no estimate.
    None,
    /// Of least squares: `w ρ_t (b'x̃)(ỹ - x̃'β)`, of the treatment's row `b` of the inverse cross-products.
    Squares(SquaresScores),
    /// Of regression adjustment: `w (e - att) / W₁` of the treated, and `-w (π_t / W₀_t + c'z̃) e` of controls, with residuals `e` of the
    /// controls' regression.
    Adjusted(AdjustedScores),
}

/// Of least squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SquaresScores {
    /// `b` of the treatment, then of covariates.
    pub loadings: Vec<f64>,
    /// `β` in the same order.
    pub slopes: Vec<f64>,
    /// By base period; none if its rows are not in the regression.
    pub bases: Vec<Option<SquaresBase>>,
}

/// Means of a base period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SquaresBase {
    /// What weights are multiplied by.
    pub factor: f64,
    /// Share of the treated.
    pub share: f64,
    /// Of covariates, then of the outcome's change.
    pub means: Vec<f64>,
}

/// Of regression adjustment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AdjustedScores {
    pub estimate: f64,
    /// Weight of the treated.
    pub treated: f64,
    /// Of covariates.
    pub loadings: Vec<f64>,
    pub slopes: Vec<f64>,
    pub bases: Vec<Option<AdjustedBase>>,
}

/// A base period with controls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AdjustedBase {
    /// The share of the treated that start here, over the weight of the controls.
    pub share: f64,
    /// The controls' means of covariates, then of the outcome's change.
    pub means: Vec<f64>,
}

impl ProjectionScores {
    /// Whether they are ones that a driver would make.
    #[cfg(feature = "cluster")]
    pub fn is_sound(&self) -> bool {
        self.plan.is_sound() && self.scores.len() == self.plan.targets.len()
    }
}

impl UnitScores for ProjectionScores {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        self.plan.scratch()
    }

    fn targets(&self) -> usize {
        self.scores.len()
    }

    fn write(&self, units: &Units<'_>, unit: usize, scratch: &mut Scratch, values: &mut [f64]) {
        if !self.plan.take(units, unit, scratch) {
            return;
        }
        self.plan.each(units, scratch, &mut |row| {
            let Some(score) = self.scores[row.target].of(&row) else { return };
            let value = &mut values[row.target];
            *value = if value.is_nan() { score } else { *value + score };
        });
    }
}

impl Scores {
    /// The influence value of a row; none if it is not in the regression.
    pub fn of(&self, row: &ProjectionRow<'_>) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Squares(scores) => scores.of(row),
            Self::Adjusted(scores) => scores.of(row),
        }
    }
}

impl SquaresScores {
    fn of(&self, row: &ProjectionRow<'_>) -> Option<f64> {
        let base = self.bases[row.base].as_ref()?;
        let treated = f64::from(u8::from(row.treated)) - base.share;
        let mut loading = self.loadings[0] * treated;
        let k = self.slopes.len() - 1;
        let mut residual = row.variables[k] - base.means[k] - self.slopes[0] * treated;
        for j in 0..k {
            let covariate = row.variables[j] - base.means[j];
            loading += self.loadings[j + 1] * covariate;
            residual -= self.slopes[j + 1] * covariate;
        }
        Some(row.weight * base.factor * loading * residual)
    }
}

impl AdjustedScores {
    fn of(&self, row: &ProjectionRow<'_>) -> Option<f64> {
        let base = self.bases[row.base].as_ref()?;
        let k = self.slopes.len();
        let (mut loading, mut residual) = (base.share, row.variables[k] - base.means[k]);
        for j in 0..k {
            let covariate = row.variables[j] - base.means[j];
            loading += self.loadings[j] * covariate;
            residual -= self.slopes[j] * covariate;
        }
        Some(match row.treated {
            true => row.weight * (residual - self.estimate) / self.treated,
            false => -row.weight * loading * residual,
        })
    }
}
