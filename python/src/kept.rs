//! What saved results leave out because it grows with the data, for copies in other processes.

use burn_did::SavedResult;
use burn_did::audit::Influence;
use burn_did::weighting::Scores;
use serde::{Deserialize, Serialize};

/// Influence values, scores and residuals of a result.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    influence: Option<Influence>,
    influence_of_shares: Option<Vec<Vec<f64>>>,
    scores: Option<Scores>,
    residuals: Option<Vec<Option<f64>>>,
}

/// Where a result keeps each of them; `None` where it never does.
struct Places<'a> {
    influence: Option<&'a mut Option<Influence>>,
    influence_of_shares: Option<&'a mut Option<Vec<Vec<f64>>>>,
    scores: Option<&'a mut Option<Scores>>,
    residuals: Option<&'a mut Option<Vec<Option<f64>>>>,
}

fn places(result: &mut SavedResult) -> Places<'_> {
    let (mut influence_of_shares, mut scores, mut residuals) = (None, None, None);
    let influence = match result {
        SavedResult::GroupTime(of) => {
            influence_of_shares = Some(&mut of.influence_of_shares);
            scores = Some(&mut of.scores);
            Some(&mut of.influence)
        }
        SavedResult::Drdid(of) => {
            scores = Some(&mut of.scores);
            Some(&mut of.influence)
        }
        SavedResult::Regression(of) => {
            residuals = Some(&mut of.residuals);
            Some(&mut of.influence)
        }
        SavedResult::Aggregated(of) => Some(&mut of.influence),
        SavedResult::ContDid(of) => Some(&mut of.influence),
        SavedResult::Imputation(of) => Some(&mut of.influence),
        SavedResult::TwoStage(of) => Some(&mut of.influence),
        SavedResult::Stacked(of) => Some(&mut of.influence),
        SavedResult::SunAbraham(of) => Some(&mut of.influence),
        _ => None,
    };
    Places { influence, influence_of_shares, scores, residuals }
}

impl Kept {
    /// What a result keeps.
    pub(crate) fn of(result: &SavedResult) -> Self {
        let mut copy = result.clone();
        let Places { influence, influence_of_shares, scores, residuals } = places(&mut copy);
        Self {
            influence: influence.and_then(Option::take),
            influence_of_shares: influence_of_shares.and_then(Option::take),
            scores: scores.and_then(Option::take),
            residuals: residuals.and_then(Option::take),
        }
    }

    /// Gives it back to the result.
    pub(crate) fn restore(self, result: &mut SavedResult) {
        let Places { influence, influence_of_shares, scores, residuals } = places(result);
        if let Some(place) = influence {
            *place = self.influence;
        }
        if let Some(place) = influence_of_shares {
            *place = self.influence_of_shares;
        }
        if let Some(place) = scores {
            *place = self.scores;
        }
        if let Some(place) = residuals {
            *place = self.residuals;
        }
    }
}
