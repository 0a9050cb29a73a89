//! Coefficients of an event study with their covariance: all that a sensitivity analysis needs.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::bounds;
use super::dense::DenseMatrix;
use super::options::Honest;
use super::result::HonestDid;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::solve::least_eigenvalue;
use crate::estimator::aggregate::LeftOut;
use crate::result::saved::text as text_of;

/// Asymmetry, and negative eigenvalues, up to this part of the largest variance are rounding.
const ROUNDING: f64 = 1e-10;
/// Variances, and their products, stay within double precision between these.
pub(super) const SMALLEST_VARIANCE: f64 = 1e-150;
pub(super) const LARGEST_VARIANCE: f64 = 1e150;
/// How far steps between event times may differ, relative to them.
const UNEVEN: f64 = 1e-6;

/// Coefficients of an event study with their covariance, of any estimator. The reference period, where the coefficient is 0 by
/// construction, is left out.
///
/// ```
/// use burn_did::{EventStudy, Honest};
///
/// // Two periods before the reference period and one after it.
/// let covariance = vec![vec![0.04, 0.01, 0.0], vec![0.01, 0.03, 0.0], vec![0.0, 0.0, 0.02]];
/// let study = EventStudy::new(vec![0.1, -0.05, 1.0], covariance, 2, 1)?;
/// let honest = study.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?;
/// assert!(honest.intervals[1].lower < honest.intervals[0].lower);
/// println!("{honest}");
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Given", into = "Given")]
#[must_use]
pub struct EventStudy {
    given: Given,
    covariance: DenseMatrix,
}

/// An event study as it is written, in the words of R `HonestDiD`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Given {
    betahat: Vec<f64>,
    sigma: Vec<Vec<f64>>,
    num_pre_periods: usize,
    num_post_periods: usize,
    /// Event times of the coefficients; the first after the reference period is the one in which treatment starts if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event_times: Option<Vec<f64>>,
    /// Cells without an estimate that the coefficients were averaged without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

impl TryFrom<Given> for EventStudy {
    type Error = DidError;

    fn try_from(given: Given) -> Result<Self> {
        let Given { betahat, sigma, num_pre_periods, num_post_periods, event_times, left_out } =
            given;
        let study = Self::new(betahat, sigma, num_pre_periods, num_post_periods)?;
        let study = study.with_left_out(left_out);
        match event_times {
            Some(times) => study.at_event_times(times),
            None => Ok(study),
        }
    }
}

impl From<EventStudy> for Given {
    fn from(study: EventStudy) -> Self {
        study.given
    }
}

/// Whether steps between event times differ by more than rounding.
pub(super) fn are_uneven(steps: impl Iterator<Item = f64>) -> bool {
    let ends = |[least, largest]: [f64; 2], step: f64| [least.min(step), largest.max(step)];
    let [least, largest] = steps.fold([f64::INFINITY, 0.0], ends);
    largest - least > UNEVEN * largest
}

/// A coefficient without a variance, and one that it has a covariance with, by more than rounding.
fn covarying_constant(covariance: &DenseMatrix) -> Option<(usize, usize)> {
    let n = covariance.columns;
    let rounding = ROUNDING * (0..n).map(|i| covariance.at(i, i)).fold(0.0, f64::max);
    let constant = (0..n).filter(|i| covariance.at(*i, *i) == 0.0);
    let mut pairs = constant.flat_map(|i| (0..n).map(move |j| (i, j)));
    pairs.find(|(i, j)| covariance.at(*i, *j).abs() > rounding)
}

fn wrong<T>(problem: impl Into<String>) -> Result<T> {
    Err(DidError::EventStudy { problem: problem.into() })
}

impl EventStudy {
    /// An event study of consecutive periods, of which `pre` come before the reference period and `post` after it.
    ///
    /// `coefficients` are in order of time, `[pre + post]`, and `covariance` is theirs, `[pre + post][pre + post]`.
    ///
    /// # Errors
    /// [`DidError::EventStudy`] if the dimensions do not fit together, there is no period before or after the reference, a number is
    /// missing, infinite or no variance, or a coefficient without a variance has a covariance.
    pub fn new(
        coefficients: Vec<f64>,
        covariance: Vec<Vec<f64>>,
        pre: usize,
        post: usize,
    ) -> Result<Self> {
        let n = coefficients.len();
        if pre == 0 || post == 0 {
            return wrong(format!(
                "it has {pre} period(s) before the reference period and {post} after it; a sensitivity analysis needs at least one of each"
            ));
        }
        if pre.checked_add(post) != Some(n) {
            return wrong(format!(
                "{n} coefficient(s) are not {pre} before and {post} after the reference period"
            ));
        }
        if covariance.len() != n || covariance.iter().any(|row| row.len() != n) {
            let columns = covariance.iter().map(Vec::len).find(|c| *c != n).unwrap_or(n);
            let rows = covariance.len();
            return wrong(format!(
                "the covariance of {n} coefficients is {rows} by {columns}, not {n} by {n}"
            ));
        }
        if let Some(j) = coefficients.iter().position(|b| !b.is_finite()) {
            return wrong(format!("coefficient {} is {}", j + 1, coefficients[j]));
        }
        for (i, row) in covariance.iter().enumerate() {
            if let Some(j) = row.iter().position(|v| !v.is_finite()) {
                return wrong(format!(
                    "the covariance in row {}, column {} is {}",
                    i + 1,
                    j + 1,
                    row[j]
                ));
            }
            if row[i] < 0.0 {
                return wrong(format!("the variance of coefficient {} is {}", i + 1, row[i]));
            }
        }
        let largest = covariance.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
        if largest > f64::MAX.sqrt() || coefficients.iter().any(|b| b.abs() > f64::MAX.sqrt()) {
            return wrong(
                "its numbers overflow when they are multiplied; divide the outcome by a larger unit",
            );
        }
        let positive = (0..n).filter(|i| covariance[*i][*i] > 0.0);
        if let Some(i) = positive.into_iter().find(|i| covariance[*i][*i] < SMALLEST_VARIANCE) {
            return wrong(format!(
                "the variance of coefficient {} is {:e}, too small for double precision; divide the outcome by a smaller unit",
                i + 1,
                covariance[i][i]
            ));
        }
        let matrix = DenseMatrix::from_fn(n, n, |i, j| 0.5 * (covariance[i][j] + covariance[j][i]));
        if let Some((i, j)) = covarying_constant(&matrix) {
            let (value, i, j) = (matrix.at(i, j), i + 1, j + 1);
            return wrong(format!(
                "coefficient {i} has no variance, but a covariance of {value} with coefficient {j}; see where the covariance comes from"
            ));
        }
        let given = Given {
            betahat: coefficients,
            sigma: covariance,
            num_pre_periods: pre,
            num_post_periods: post,
            event_times: None,
            left_out: None,
        };
        Ok(Self { given, covariance: matrix })
    }

    /// Reads an event study from JSON: `betahat`, `sigma`, `num_pre_periods`, `num_post_periods`, and `event_times` if they are given.
    ///
    /// ```
    /// use burn_did::EventStudy;
    ///
    /// let path = std::env::temp_dir().join("burn-did-event-study-example.json");
    /// let text = r#"{"betahat": [0.1, 1], "sigma": [[0.04, 0], [0, 0.02]], "num_pre_periods": 1, "num_post_periods": 1}"#;
    /// std::fs::write(&path, text).unwrap();
    /// assert_eq!(EventStudy::load(&path)?.coefficients(), [0.1, 1.0]);
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Io`], [`DidError::Json`], and as [`new`](Self::new).
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let text = text_of(path.as_ref())?;
        let given: Given = match serde_json::from_str(&text) {
            Ok(given) => given,
            Err(cause) if text.contains("NaN") || text.contains("Infinity") => {
                return wrong(format!(
                    "`NaN` and `Infinity` are no numbers of JSON ({cause}); give estimates and variances for all event times, or leave out those that have none"
                ));
            }
            Err(cause) => return Err(cause.into()),
        };
        given.try_into()
    }

    /// Says at which event times the coefficients are, for tables and to find an effect by its event time: consecutive, with a gap
    /// for the reference between those before it and those after it. Treatment starts at 0.
    ///
    /// # Errors
    /// [`DidError::EventStudy`] for another number of event times, or if they do not ascend in equal steps around the reference.
    pub fn at_event_times(mut self, times: Vec<f64>) -> Result<Self> {
        let n = self.given.betahat.len();
        let ascends = |w: &[f64]| w[0] < w[1];
        if times.len() != n
            || times.iter().any(|t| !t.is_finite())
            || !times.windows(2).all(ascends)
        {
            let count = times.len();
            return wrong(format!("{count} event times must be {n} numbers in ascending order"));
        }
        let pre = self.pre();
        let step = |i: usize| {
            let periods = if i == pre { 2.0 } else { 1.0 };
            (times[i] - times[i - 1]) / periods
        };
        if are_uneven((1..n).map(step)) {
            let (last, first) = (times[pre - 1], times[pre]);
            let times: Vec<String> = times.iter().map(ToString::to_string).collect();
            let times = times.join(", ");
            return wrong(format!(
                "the event times {times} are not consecutive, with the reference period alone left out between {last} and {first}; give a coefficient for every period, evenly spaced"
            ));
        }
        self.given.event_times = Some(times);
        Ok(self)
    }

    /// Cells without an estimate that the coefficients were averaged without; `None` if nothing was left out.
    #[must_use]
    pub fn left_out(&self) -> Option<&LeftOut> {
        self.given.left_out.as_ref()
    }

    /// The event study of averages that leave out cells.
    pub(super) fn with_left_out(mut self, left_out: Option<LeftOut>) -> Self {
        self.given.left_out = left_out;
        self
    }

    /// Robust intervals and the breakdown value.
    ///
    /// # Errors
    /// [`DidError::Config`] for options that do not fit each other or the event study.
    pub fn honest(&self, options: Honest) -> Result<HonestDid> {
        super::analysis::analyse(self, options)
    }

    /// Periods before the reference period.
    #[must_use]
    pub fn pre(&self) -> usize {
        self.given.num_pre_periods
    }

    /// Periods after the reference period.
    #[must_use]
    pub fn post(&self) -> usize {
        self.given.num_post_periods
    }

    /// Coefficients in order of time, without the reference period.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.given.betahat
    }

    /// Event times of the coefficients: as said, or with the reference period at -1.
    #[must_use]
    pub fn event_times(&self) -> Vec<f64> {
        let at = |i: usize| {
            if i < self.pre() {
                i as f64 - self.pre() as f64 - 1.0
            } else {
                (i - self.pre()) as f64
            }
        };
        self.given
            .event_times
            .clone()
            .unwrap_or_else(|| (0..self.given.betahat.len()).map(at).collect())
    }

    /// Event time of the reference period.
    pub(super) fn reference(&self) -> f64 {
        let (times, pre) = (self.event_times(), self.pre());
        0.5 * (times[pre - 1] + times[pre])
    }

    /// The `M` of `Δ^SD(M)` that the periods before treatment are consistent with, each at the level `1 - alpha`: a lower bound
    /// by a conditional test, and an upper bound of the largest change of slope. `None` with one period before the reference.
    ///
    /// The lower bound is infinite if no `M` up to three of the largest standard errors is accepted.
    #[must_use]
    #[doc(alias = "DeltaSD_lowerBound_Mpre")]
    #[doc(alias = "DeltaSD_upperBound_Mpre")]
    pub fn smoothness_bounds(&self, alpha: f64) -> Option<[f64; 2]> {
        let inside = alpha > 0.0 && alpha < 1.0;
        (self.pre() > 1 && inside).then(|| [bounds::lower(self, alpha), bounds::upper(self, alpha)])
    }

    /// Covariance, symmetric.
    pub(crate) fn covariance(&self) -> &DenseMatrix {
        &self.covariance
    }

    /// What is odd about the covariance.
    pub(super) fn warnings(&self) -> Vec<DidWarning> {
        let (sigma, n) = (&self.given.sigma, self.given.betahat.len());
        let scale = (0..n).map(|i| sigma[i][i]).fold(0.0, f64::max);
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let asymmetry = pairs.map(|(i, j)| (sigma[i][j] - sigma[j][i]).abs()).fold(0.0, f64::max);
        let mut warnings: Vec<DidWarning> =
            self.left_out().map(DidWarning::left_out).into_iter().collect();
        if asymmetry > ROUNDING * scale {
            warnings.push(DidWarning::AsymmetricCovariance { largest: asymmetry });
        }
        let flat = self.covariance.rows().flatten().copied().collect::<Vec<_>>();
        let least = least_eigenvalue(&flat, n);
        if least < -ROUNDING * scale {
            warnings.push(DidWarning::IndefiniteCovariance { least });
        }
        warnings
    }
}
