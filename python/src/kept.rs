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

/// Where a result keeps each of them beside influence values; `None` where it never does.
struct Places<'a> {
    influence_of_shares: Option<&'a mut Option<Vec<Vec<f64>>>>,
    scores: Option<&'a mut Option<Scores>>,
    residuals: Option<&'a mut Option<Vec<Option<f64>>>>,
}

fn places(result: &mut SavedResult) -> Places<'_> {
    let mut places = Places { influence_of_shares: None, scores: None, residuals: None };
    match result {
        SavedResult::GroupTime(of) => {
            places.influence_of_shares = Some(&mut of.influence_of_shares);
            places.scores = Some(&mut of.scores);
        }
        SavedResult::Drdid(of) => places.scores = Some(&mut of.scores),
        SavedResult::Regression(of) => places.residuals = Some(&mut of.residuals),
        _ => {}
    }
    places
}

impl Kept {
    /// What a result keeps.
    pub(crate) fn of(result: &SavedResult) -> Self {
        let mut copy = result.clone();
        let influence = copy.influence_mut().and_then(Option::take);
        let Places { influence_of_shares, scores, residuals } = places(&mut copy);
        Self {
            influence,
            influence_of_shares: influence_of_shares.and_then(Option::take),
            scores: scores.and_then(Option::take),
            residuals: residuals.and_then(Option::take),
        }
    }

    /// Gives it back to the result.
    pub(crate) fn restore(self, result: &mut SavedResult) {
        if let Some(place) = result.influence_mut() {
            *place = self.influence;
        }
        let Places { influence_of_shares, scores, residuals } = places(result);
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
