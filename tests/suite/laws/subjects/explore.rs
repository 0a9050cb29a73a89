//! First looks: mean outcomes of cohorts, and how like these are before treatment.

use std::path::Path;

use burn_did::{Data, Result, explore::Explore, options::ControlGroup};

use super::with_gaps;
use crate::laws::report::Within;
use crate::laws::subject::{Case, Change, Numbers, Reported, Subject};
use crate::support::but;
use crate::support::panels::staggered;

/// Sums of pieces are added up piece by piece.
const ROUNDING: Within = Within::Errors(1e-12);

/// What is formed of the rows.
#[derive(Clone, Copy)]
enum Look {
    Means,
    Balance,
}

#[derive(Clone)]
struct Looking {
    options: Explore,
    look: Look,
}

impl Looking {
    fn at(&self, data: Data<'_>) -> Result<Numbers> {
        let estimates = match self.look {
            Look::Means => {
                let rows = self.options.means(data)?.rows;
                let of_row = |row: &burn_did::explore::CohortMean| {
                    let name = format!("{:?} in {}", row.group, row.time);
                    let level = Reported {
                        is_level: true,
                        n: vec![row.n],
                        ..Reported::new(name.clone(), &row.mean)
                    };
                    [level, Reported::new(name, &row.relative)]
                };
                rows.iter().flat_map(of_row).collect()
            }
            Look::Balance => {
                let rows = self.options.balance(data, ControlGroup::NotYetTreated)?.rows;
                let of_row = |row: &burn_did::explore::BalanceRow| {
                    let name = format!("{} of {}", row.variable, row.group);
                    [row.normalized_difference, row.variance_ratio]
                        .map(|value| Reported::of_numbers(name.clone(), value, None))
                };
                rows.iter().flat_map(of_row).collect()
            }
        };
        Ok(Numbers { estimates, rest: vec![], influence: None, group_time: None })
    }
}

impl Subject for Looking {
    fn fit(&self, data: Data<'_>) -> Result<Numbers> {
        self.at(data)
    }

    fn fit_pieces(&self, path: &Path) -> Option<Result<Numbers>> {
        Some(self.at(Data::in_pieces(path)))
    }

    fn change(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Anticipation(periods) => self.options.anticipation = periods,
            Change::MemoryBudget(bytes) => self.options.memory_budget = bytes,
            Change::Weights(column) => self.options.weights = Some(column.to_owned()),
            _ => return false,
        }
        true
    }

    fn copy(&self) -> Box<dyn Subject> {
        Box::new(self.clone())
    }
}

pub fn cases() -> Vec<Case> {
    let plain = Explore::builder().outcome("y").unit("id").time("t").group("g").build();
    let weights = |options: &mut Explore| options.weights = Some("w".into());
    let covariates = |options: &mut Explore| options.covariates = vec!["x1".into(), "x2t".into()];
    [
        ("means", plain.clone(), Look::Means),
        ("means, weighted, unbalanced", but(plain.clone(), weights), Look::Means),
        ("balance", but(plain.clone(), covariates), Look::Balance),
        ("balance, weighted", but(but(plain, covariates), weights), Look::Balance),
    ]
    .map(|(name, options, look)| {
        let weights = options.weights.as_ref().map(|_| "w");
        let is_balance = matches!(look, Look::Balance);
        let frame = if name.contains("unbalanced") { with_gaps } else { staggered };
        Case {
            // Differences in units of deviations have no unit, and variances count rows.
            outcome: (!is_balance).then_some("y"),
            is_normalised: !is_balance,
            counts_units: is_balance,
            counts_rows: true,
            weights,
            rows_are_unique: false,
            effects_cancel: false,
            in_pieces: ROUNDING,
            ..Case::new(name, Looking { options, look }, 160, frame)
        }
    })
    .into()
}
