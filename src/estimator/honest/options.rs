//! Options of a sensitivity analysis.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::delta::{Delta, Restriction};
use crate::base::counted::counted;
use crate::base::error::{DidError, Result};
use crate::base::options::defaults::ALPHA;
use crate::base::words::{ParseOptionError, joined, numbers, words};

/// Largest `M̄`: beyond it sums lose the other moments.
const LARGEST_RATIO: f64 = 1e6;

words! {
    /// How robust intervals are formed.
    pub enum HonestMethod: "method" {
        /// The shortest fixed-length interval around an affine estimator; for smoothness only.
        FixedLength = "flci",
        /// A conditional test of moment inequalities (Andrews, Roth and Pakes 2023).
        Conditional = "conditional" | "arp",
        /// The conditional test after a fixed-length interval of a small level; for smoothness only.
        ConditionalFixedLength = "c_f" | "cf",
        /// The conditional test after a least favourable test of a small level.
        ConditionalLeastFavourable = "c_lf" | "clf",
    }
}

impl HonestMethod {
    /// R `HonestDiD`'s name: `FLCI`, `Conditional`, `C-F` or `C-LF`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::FixedLength => "FLCI",
            Self::Conditional => "Conditional",
            Self::ConditionalFixedLength => "C-F",
            Self::ConditionalLeastFavourable => "C-LF",
        }
    }
}

/// What the effect at one event time is called in words, before the time.
pub(crate) const AT_EVENT_TIME: &str = "effect at event time ";

/// The parameter: a linear combination of effects after treatment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// The effect in the period in which treatment starts: at event time 0, or at the first after the reference where that is 0 or later, as
    /// with coefficients by calendar year.
    First,
    /// The effect at an event time; 0 is the period in which treatment starts.
    At(f64),
    /// The average over event times at and after the start of treatment.
    Average,
    /// Weights of all coefficients after the reference period.
    Weights(Vec<f64>),
}

/// `first`, `average`, `at:TIME`, or the weights with commas between them.
impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::At(time) => write!(f, "at:{time}"),
            Self::Average => f.write_str("average"),
            Self::Weights(weights) => f.write_str(&joined(weights, ",")),
        }
    }
}

impl FromStr for Effect {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseOptionError> {
        let finite = |numbers: &Vec<f64>| numbers.iter().all(|number| number.is_finite());
        let effect = match text.trim() {
            "first" => Some(Self::First),
            "average" | "avg" => Some(Self::Average),
            other => match other.strip_prefix("at:") {
                Some(time) => time.trim().parse().ok().map(Self::At),
                None => numbers(other, ',').filter(finite).map(Self::Weights),
            },
        };
        let expected =
            "first, average, at:TIME, or one number per period after the reference, as in 0.5,0.5";
        effect.ok_or_else(|| ParseOptionError::new("effect", expected, text))
    }
}

words! {
    /// How the confidence set of a test is found.
    pub enum Search: "search" {
        /// Every point of a grid is tested, as R does. The ends are points of the grid.
        Grid = "grid",
        /// The set is taken to be an interval, whose ends are bisected.
        Bisection = "bisection",
    }
}

/// A sensitivity analysis of an event study (Rambachan and Roth 2023). What is `None` follows from the event study.
///
/// ```
/// use burn_did::{Honest, sensitivity::{HonestMethod, Restriction}};
/// let options = Honest::smoothness()
///     .m([0.0, 0.01, 0.02])
///     .restriction(Restriction::PositiveBias)
///     .method(HonestMethod::ConditionalLeastFavourable)
///     .average();
/// # assert_eq!(options.m.as_deref(), Some(&[0.0, 0.01, 0.02][..]));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(alias = "createSensitivityResults")]
#[doc(alias = "createSensitivityResults_relativeMagnitudes")]
#[non_exhaustive]
pub struct Honest {
    /// What is assumed of the difference in trends.
    pub delta: Delta,
    /// A further restriction on it.
    pub restriction: Option<Restriction>,
    /// How intervals are formed: by default `FLCI` for smoothness, `C-F` for smoothness with a restriction, and `C-LF` for relative
    /// sets.
    pub method: Option<HonestMethod>,
    /// The `M` or `M̄`. By default ten from 0: to 2 for relative sets; to the upper bound of the change of slope before treatment for
    /// smoothness, and with one period before treatment to its standard error.
    #[doc(alias = "Mvec")]
    #[doc(alias = "Mbarvec")]
    pub m: Option<Vec<f64>>,
    /// The parameter.
    #[doc(alias = "l_vec")]
    pub effect: Effect,
    /// One minus the confidence level.
    pub alpha: f64,
    /// Level of the first stage of hybrid methods; a tenth of `alpha` by default.
    #[doc(alias = "hybrid_kappa")]
    pub kappa: Option<f64>,
    /// How confidence sets of tests are found.
    pub search: Search,
    /// Points of the grid. By default 1000, and the grid goes on beyond its ends where these are accepted; a grid of a given number
    /// of points ends where R's does, and an interval that reaches its end is said to be open.
    pub grid_points: Option<usize>,
    /// Ends of the grid. By default as in R: 20 standard errors around the identified set under parallel trends, and for `C-F`
    /// the fixed-length interval. Where the estimate is outside, the grid is moved to it.
    pub grid: Option<(f64, f64)>,
    /// Draws for the critical value of the least favourable test. They simulate a normal law, whatever the bootstrap of the event study
    /// was, and are therefore no [`Bootstrap`](crate::options::Bootstrap). R draws 1000, which leaves a standard error of 0.15 in it.
    pub draws: usize,
    /// Seed of the draws.
    pub seed: u64,
}

impl Honest {
    fn new(delta: Delta) -> Self {
        Self {
            delta,
            restriction: None,
            method: None,
            m: None,
            effect: Effect::First,
            alpha: ALPHA,
            kappa: None,
            search: Search::Grid,
            grid_points: None,
            grid: None,
            draws: 10_000,
            seed: 0,
        }
    }

    /// `Δ^SD(M)`: the slope of the difference in trends changes by at most `M` a period.
    #[must_use]
    pub fn smoothness() -> Self {
        Self::new(Delta::Smoothness)
    }

    /// `Δ^RM(M̄)`: violations after treatment are at most `M̄` times the largest before.
    #[must_use]
    pub fn relative_magnitude() -> Self {
        Self::new(Delta::RelativeMagnitude)
    }

    /// `Δ^SDRM(M̄)`: changes of slope after treatment are at most `M̄` times the largest before.
    #[must_use]
    pub fn relative_smoothness() -> Self {
        Self::new(Delta::RelativeSmoothness)
    }

    /// Sets the `M` of a smoothness restriction.
    #[must_use]
    pub fn m(mut self, m: impl IntoIterator<Item = f64>) -> Self {
        self.m = Some(m.into_iter().collect());
        self
    }

    /// Sets the `M̄` of relative magnitudes; the same as [`m`](Self::m).
    #[must_use]
    pub fn m_bar(self, m_bar: impl IntoIterator<Item = f64>) -> Self {
        self.m(m_bar)
    }

    /// Sets how intervals are formed.
    #[must_use]
    pub fn method(mut self, method: HonestMethod) -> Self {
        self.method = Some(method);
        self
    }

    /// Adds a restriction on the sign of the bias, or on its direction.
    #[must_use]
    pub fn restriction(mut self, restriction: Restriction) -> Self {
        self.restriction = Some(restriction);
        self
    }

    /// Asks for the effect at an event time.
    #[must_use]
    pub fn at(mut self, event_time: f64) -> Self {
        self.effect = Effect::At(event_time);
        self
    }

    /// Asks for the average effect.
    #[must_use]
    pub fn average(mut self) -> Self {
        self.effect = Effect::Average;
        self
    }

    /// Asks for a weighted sum of the effects, one weight a period after the reference.
    #[must_use]
    pub fn weights(mut self, weights: impl IntoIterator<Item = f64>) -> Self {
        self.effect = Effect::Weights(weights.into_iter().collect());
        self
    }

    /// Sets one minus the confidence level.
    #[must_use]
    pub fn alpha(mut self, alpha: f64) -> Self {
        self.alpha = alpha;
        self
    }

    /// Sets the level of the first stage of hybrid methods.
    #[must_use]
    pub fn kappa(mut self, kappa: f64) -> Self {
        self.kappa = Some(kappa);
        self
    }

    /// Sets how confidence sets are found.
    #[must_use]
    pub fn search(mut self, search: Search) -> Self {
        self.search = search;
        self
    }

    /// Sets the number of points of the grid.
    #[must_use]
    pub fn grid_points(mut self, points: usize) -> Self {
        self.grid_points = Some(points);
        self
    }

    /// Sets the ends of the grid.
    #[must_use]
    pub fn grid(mut self, lower: f64, upper: f64) -> Self {
        self.grid = Some((lower, upper));
        self
    }

    /// Sets the number of draws of the least favourable test, and their seed.
    #[must_use]
    pub fn draws(mut self, draws: usize, seed: u64) -> Self {
        (self.draws, self.seed) = (draws, seed);
        self
    }

    /// The method; by default, the R package's choice.
    pub(crate) fn chosen_method(&self) -> HonestMethod {
        let default = match (self.delta, self.restriction) {
            (Delta::Smoothness, None) => HonestMethod::FixedLength,
            (Delta::Smoothness, Some(_)) => HonestMethod::ConditionalFixedLength,
            _ => HonestMethod::ConditionalLeastFavourable,
        };
        self.method.unwrap_or(default)
    }

    /// Level of the first stage.
    pub(crate) fn first_level(&self) -> f64 {
        self.kappa.unwrap_or(self.alpha / 10.0)
    }

    /// An error if an option is out of its range.
    pub(crate) fn validate(&self) -> Result<()> {
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Err(DidError::config("alpha", "between 0 and 1", format!("{:?}", self.alpha)));
        }
        let kappa = self.first_level();
        if !(kappa > 0.0 && kappa < self.alpha) {
            return Err(DidError::config("kappa", "between 0 and alpha", format!("{kappa:?}")));
        }
        if let Some(m) = &self.m {
            if m.is_empty() {
                return Err(DidError::config("m", "at least one number", "none"));
            }
            if let Some(wrong) = m.iter().find(|m| !(m.is_finite() && **m >= 0.0)) {
                return Err(DidError::config("m", "numbers of at least 0", format!("{wrong:?}")));
            }
            let large = m.iter().find(|m| self.delta.is_relative() && **m > LARGEST_RATIO);
            if let Some(large) = large {
                return Err(DidError::config(
                    "m",
                    "at most 1,000,000 for relative sets",
                    format!("{large:?}"),
                ));
            }
        }
        if let Some(points) = self.grid_points.filter(|p| !(2..=1_000_000).contains(p)) {
            return Err(DidError::config("grid_points", "between 2 and 1,000,000", points));
        }
        if !(100..=1_000_000).contains(&self.draws) {
            return Err(DidError::config("draws", "between 100 and 1,000,000", self.draws));
        }
        if let Some((lower, upper)) = self.grid
            && !(lower < upper && lower.is_finite() && upper.is_finite())
        {
            return Err(DidError::config(
                "grid",
                "two ascending numbers",
                format!("{lower} and {upper}"),
            ));
        }
        let method = self.chosen_method();
        let for_smoothness =
            matches!(method, HonestMethod::FixedLength | HonestMethod::ConditionalFixedLength);
        if self.delta.is_relative() && for_smoothness {
            let expected = "conditional or c_lf, as relative sets have no fixed-length interval";
            return Err(DidError::config("method", expected, method.to_string()));
        }
        Ok(())
    }

    /// Weights of the coefficients after the reference period, and what they are in words. `times` are those after the reference
    /// period, which is at `reference`.
    pub(crate) fn parameter(&self, times: &[f64], reference: f64) -> Result<(Vec<f64>, String)> {
        let unit = |j: usize| (0..times.len()).map(|i| f64::from(u8::from(i == j))).collect();
        let at = |time: f64| match times.iter().position(|t| *t == time) {
            Some(j) => Ok((unit(j), format!("{AT_EVENT_TIME}{time}"))),
            None => {
                let times: Vec<String> = times.iter().map(f64::to_string).collect();
                let got = format!("{time}; the event times are {}", times.join(", "));
                Err(DidError::config("effect", "an event time after the reference period", got))
            }
        };
        match &self.effect {
            Effect::First => at(if reference >= 0.0 { times[0] } else { 0.0 }),
            Effect::At(time) => at(*time),
            Effect::Average => {
                let count = times.iter().filter(|t| **t >= 0.0).count();
                if count == 0 {
                    let got = "none at or after treatment".to_owned();
                    return Err(DidError::config("effect", "an average of event times", got));
                }
                let weight = |t: &f64| if *t >= 0.0 { 1.0 / count as f64 } else { 0.0 };
                Ok((times.iter().map(weight).collect(), "average effect after treatment".into()))
            }
            Effect::Weights(weights) => {
                if weights.len() != times.len() || weights.iter().any(|w| !w.is_finite()) {
                    let periods = counted(times.len(), "period", "periods");
                    let got = format!("{weights:?} for {periods}");
                    return Err(DidError::config(
                        "effect",
                        "one number per period after the reference",
                        got,
                    ));
                }
                if weights.iter().all(|w| *w == 0.0) {
                    return Err(DidError::config(
                        "effect",
                        "weights that are not all zero",
                        format!("{weights:?}"),
                    ));
                }
                let words: Vec<String> = weights.iter().map(ToString::to_string).collect();
                Ok((weights.clone(), format!("sum of effects weighted {}", words.join(", "))))
            }
        }
    }
}
