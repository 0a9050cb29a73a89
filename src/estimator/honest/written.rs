//! Event studies in the words of R `HonestDiD`.

use std::path::Path;

use serde::Deserialize;

use crate::base::error::Result;
use crate::estimator::aggregate::{EventStudy, wrong};
use crate::report::contract::Report;
use crate::result::saved;

#[derive(Deserialize)]
struct HonestDidInput {
    betahat: Vec<f64>,
    sigma: Vec<Vec<f64>>,
    num_pre_periods: usize,
    num_post_periods: usize,
    event_times: Option<Vec<f64>>,
}

impl EventStudy {
    /// Reads an event study from JSON: one of this crate's, or in the words of R `HonestDiD`: `betahat`, `sigma`, `num_pre_periods`,
    /// `num_post_periods`, and `event_times` if they are given.
    ///
    /// ```
    /// use burn_did::EventStudy;
    ///
    /// let path = std::env::temp_dir().join("burn-did-event-study-example.json");
    /// let text = r#"{"betahat": [0.1, 1], "sigma": [[0.04, 0], [0, 0.02]], "num_pre_periods": 1, "num_post_periods": 1}"#;
    /// std::fs::write(&path, text).unwrap();
    /// assert_eq!(EventStudy::import(&path)?.coefficients(), [0.1, 1.0]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Io`](crate::DidError::Io), [`DidError::Json`](crate::DidError::Json), and as [`new`](Self::new).
    pub fn import(path: impl AsRef<Path>) -> Result<Self> {
        saved::of_file(path.as_ref(), Self::from_json)
    }

    /// [`import`](Self::import) from a text.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn from_json(text: &str) -> Result<Self> {
        let kind = saved::kind_of(text);
        if kind.is_ok() || !text.contains("\"betahat\"") {
            return kind.and_then(|_| saved::parse(text, Self::KIND));
        }
        match serde_json::from_str::<HonestDidInput>(text) {
            Ok(input) => input.study(),
            Err(cause) if text.contains("NaN") || text.contains("Infinity") => wrong(format!(
                "`NaN` and `Infinity` are no numbers of JSON ({cause}); give estimates and variances for all event times, or leave out those that have none"
            )),
            Err(cause) => Err(cause.into()),
        }
    }
}

impl HonestDidInput {
    fn study(self) -> Result<EventStudy> {
        let (pre, post) = (self.num_pre_periods, self.num_post_periods);
        let study = EventStudy::new(self.betahat, self.sigma, pre, post)?;
        match self.event_times {
            Some(times) => study.at_event_times(times),
            None => Ok(study),
        }
    }
}
