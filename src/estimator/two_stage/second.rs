//! The regressions of the second stage.
//!
//! Those on the treatment, on its event times and on its groups have columns none of which share a row, so that their coefficients are
//! means. A formula has any columns. With `B` the inverse of the cross-products, a coefficient is `Σ p u` with `p = w B x` of each row.

use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::estimator::first_stage::{
    FirstStage, RowWeights, StageReading, StageTerm, Target, event_times, groups, solved,
};
use crate::estimator::fixed_effects::{Basis, Before, inner, regressors};

/// A coefficient, and what its regression predicts for a row of its own.
pub(super) struct Coefficient {
    pub target: Target,
    pub fitted: Predicted,
    /// Whether it is in the result, or only a reference.
    pub is_shown: bool,
}

impl Coefficient {
    /// The weights of cells whose mean it is; none of a formula.
    pub fn mean_of(&self) -> Option<Vec<f64>> {
        match self.fitted {
            Predicted::Mean => self.target.weights.of_cells().map(<[f64]>::to_vec),
            Predicted::Formula => None,
        }
    }
}

pub(super) enum Predicted {
    /// The coefficient itself, on the rows that it is the mean of.
    Mean,
    /// By row, the same for all coefficients of the formula.
    Formula,
}

/// The second stages.
pub(super) struct SecondStages {
    pub coefficients: Vec<Coefficient>,
    /// What the formula predicts, by row.
    pub fitted: Vec<f64>,
    pub warnings: Vec<DidWarning>,
}

/// The means that are coefficients: overall, by event time, by group.
pub(super) fn means(
    stage: &FirstStage<'_>,
    references: &[f64],
    of_groups: bool,
) -> Vec<Coefficient> {
    let sample = stage.sample;
    let mut all: Vec<(Option<Target>, bool)> = Vec::new();
    let overall = Target::mean(sample, StageTerm::Overall, |cell| cell.is_treated());
    all.push((overall, true));
    for treated in [false, true] {
        for at in event_times(sample, treated) {
            let target = Target::mean(sample, StageTerm::EventTime(at), |cell| {
                cell.is_treated() == treated && cell.is_at(at)
            });
            all.push((target, !references.contains(&at)));
        }
    }
    for group in groups(sample).into_iter().filter(|_| of_groups) {
        let target = Target::mean(sample, StageTerm::Group(group), |cell| {
            cell.is_treated() && cell.group == group
        });
        all.push((target, true));
    }
    let coefficient = |(target, is_shown): (Option<Target>, bool)| {
        Some(Coefficient { target: target?, fitted: Predicted::Mean, is_shown })
    };
    all.into_iter().filter_map(coefficient).collect()
}

/// The regression of a formula.
///
/// # Errors
/// [`DidError::Memory`], [`DidError::AllCollinear`], and errors about its columns.
pub(super) fn of_formula(stage: &FirstStage<'_>, reading: &StageReading) -> Result<SecondStages> {
    let mut out = SecondStages { coefficients: vec![], fitted: vec![], warnings: vec![] };
    let Some(second) = &reading.second else { return Ok(out) };
    let (sample, design) = (stage.sample, stage.design());
    let evaluated = &second.regressors;
    let columns = regressors(&evaluated.design(&evaluated.present(&sample.rows))?, &sample.rows)?;
    let bytes = columns.len() as u128 * 4 * 8 * design.rows() as u128;
    memory::check("the second stage", bytes, "use fewer regressors")?;
    let root = |row: usize| design.weight(row).sqrt();
    let weighted = |values: &[f64]| -> Vec<f64> {
        values.iter().enumerate().map(|(row, value)| value * root(row)).collect()
    };
    let scaled: Vec<Vec<f64>> = columns.iter().map(|column| weighted(&column.values)).collect();
    let before: Vec<Before> = scaled
        .iter()
        .map(|column| {
            let size = inner(column, column);
            Before { raw: size, centred: size }
        })
        .collect();
    let basis = Basis::find(scaled, &before, 1e-12, false);
    let names = || columns.iter().map(|column| column.name.clone());
    if basis.kept.is_empty() {
        return Err(DidError::AllCollinear { columns: names().collect::<Vec<_>>().join(", ") });
    }
    if let [only] = columns.as_slice() {
        let rows =
            (0..design.rows()).filter(|row| design.treated[*row] && only.values[*row] == 0.0);
        // The levels of `i()` are meant to be of some rows.
        let is_indicator =
            only.indicator.is_none() && only.values.iter().all(|value| matches!(*value, 0.0 | 1.0));
        let column = only.name.clone();
        out.warnings.extend(match rows.count() {
            rows @ 1.. if is_indicator => Some(DidWarning::TreatedOutside { column, rows }),
            _ => None,
        });
    }
    let (b, bread) = solved(&basis, &weighted(&stage.residuals))?;
    let kept: Vec<&Vec<f64>> = basis.kept.iter().map(|j| &columns[*j].values).collect();
    let combined = |weights: &[f64], row: usize| -> f64 {
        weights.iter().zip(&kept).map(|(weight, column)| weight * column[row]).sum()
    };
    out.fitted = (0..design.rows()).map(|row| combined(&b, row)).collect();
    for (place, j) in basis.kept.iter().enumerate() {
        let own = &bread[place * b.len()..(place + 1) * b.len()];
        let p = (0..design.rows()).map(|row| design.weight(row) * combined(own, row)).collect();
        let term = StageTerm::Coefficient(columns[*j].name.clone());
        out.coefficients.push(Coefficient {
            target: Target { term, weights: RowWeights::Rows(p) },
            fitted: Predicted::Formula,
            is_shown: true,
        });
    }
    if basis.kept.len() < columns.len() {
        let dropped = names().enumerate().filter(|(j, _)| !basis.kept.contains(j));
        let columns = dropped.map(|(_, name)| name).collect();
        out.warnings.push(DidWarning::CollinearRegressors { columns });
    }
    Ok(out)
}
