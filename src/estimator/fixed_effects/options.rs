//! Options of regressions with fixed effects.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::words::{ParseOptionError, words};

/// Covariance of the coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Vcov {
    /// Errors of one variance, independent of each other.
    #[default]
    Iid,
    /// Errors of any variance, independent of each other (HC1).
    #[doc(alias = "HC1")]
    Hetero,
    /// As [`Hetero`](Self::Hetero), with residuals divided by the square root of one minus their leverage. With fixed effects there is no further
    /// factor for small samples, as in R `fixest`. If all factors but the largest have more than 1,000 levels, and by maximum likelihood, the
    /// leverage ignores the fixed effects; a warning says so.
    Hc2,
    /// As [`Hc2`](Self::Hc2), with residuals divided by one minus their leverage.
    Hc3,
    /// Errors independent between the levels of one factor, or of two: columns, or columns together as in `firm^year`.
    #[doc(alias = "CRV1")]
    Cluster(Vec<String>),
}

impl Vcov {
    /// Errors clustered by the levels of one factor or two.
    pub fn cluster(factors: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Cluster(factors.into_iter().map(Into::into).collect())
    }

    /// Whether residuals are divided by what their leverage leaves.
    pub(super) fn takes_leverage(&self) -> bool {
        matches!(self, Self::Hc2 | Self::Hc3)
    }

    /// What people read, such as `clustered by firm and year`.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Iid => "iid".into(),
            Self::Hetero => "heteroskedasticity-robust (HC1)".into(),
            Self::Hc2 => "heteroskedasticity-robust (HC2)".into(),
            Self::Hc3 => "heteroskedasticity-robust (HC3)".into(),
            Self::Cluster(factors) => format!("clustered by {}", factors.join(" and ")),
        }
    }
}

/// `iid`, `hetero`, `hc2`, `hc3`, or `cluster:` and one factor or two with a comma between them.
impl fmt::Display for Vcov {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iid => f.write_str("iid"),
            Self::Hetero => f.write_str("hetero"),
            Self::Hc2 => f.write_str("hc2"),
            Self::Hc3 => f.write_str("hc3"),
            Self::Cluster(factors) => write!(f, "cluster:{}", factors.join(",")),
        }
    }
}

impl FromStr for Vcov {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        let expected = |expected| Err(ParseOptionError::new("vcov", expected, text));
        let (kind, factors) = text.split_once(':').map_or((text, None), |(k, f)| (k, Some(f)));
        match (kind.trim().to_ascii_lowercase().as_str(), factors) {
            ("iid", None) => Ok(Self::Iid),
            ("hetero" | "hc1", None) => Ok(Self::Hetero),
            ("hc2", None) => Ok(Self::Hc2),
            ("hc3", None) => Ok(Self::Hc3),
            ("robust" | "white", None) => expected("hetero (HC1), hc2 or hc3 to be robust"),
            ("cluster" | "cl", None) => {
                expected("followed by the factor of the clusters, as in cluster:firm")
            }
            ("cluster" | "cl", Some(factors)) => match split_outside_ticks(factors) {
                factors if factors.len() <= 2 && factors.iter().all(|f| !f.is_empty()) => {
                    Ok(Self::cluster(factors))
                }
                _ => expected("one factor of clusters or two, as in cluster:firm,year"),
            },
            _ => expected("iid, hetero, hc2, hc3, cluster:a or cluster:a,b"),
        }
    }
}

/// Splits at commas, except for commas between backticks, which belong to a name.
fn split_outside_ticks(text: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let is_separator = |c: char| {
        is_quoted ^= c == '`';
        c == ',' && !is_quoted
    };
    text.split(is_separator).map(str::trim).collect()
}

/// Corrections for small samples, with the names of R `fixest`.
///
/// ```
/// use burn_did::regression::{KFixef, Ssc};
/// let ssc = Ssc::default().k_fixef(KFixef::Full).g_adj(false);
/// assert!(ssc.k_adj && !ssc.g_adj);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Ssc {
    /// Whether the covariance is multiplied by `(n - 1) / (n - K)`, or by `n / (n - K)` if it is robust to heteroskedasticity.
    #[doc(alias = "K.adj")]
    pub k_adj: bool,
    /// Which fixed effects count in `K`.
    #[doc(alias = "K.fixef")]
    pub k_fixef: KFixef,
    /// Whether the rank of the fixed effects counts in `K` in place of their number: of two factors, the levels less the connected
    /// components.
    #[doc(alias = "K.exact")]
    pub k_exact: bool,
    /// Whether the covariance is multiplied by `G / (G - 1)` for `G` clusters.
    #[doc(alias = "G.adj")]
    pub g_adj: bool,
    /// What `G` is with several factors of clusters.
    #[doc(alias = "G.df")]
    pub g_df: GDf,
}

impl Default for Ssc {
    fn default() -> Self {
        Self {
            k_adj: true,
            k_fixef: KFixef::default(),
            k_exact: false,
            g_adj: true,
            g_df: GDf::default(),
        }
    }
}

impl Ssc {
    /// Sets whether the covariance is multiplied by `(n - 1) / (n - K)`.
    #[must_use]
    pub fn k_adj(mut self, k_adj: bool) -> Self {
        self.k_adj = k_adj;
        self
    }

    /// Sets which fixed effects count in `K`.
    #[must_use]
    pub fn k_fixef(mut self, k_fixef: KFixef) -> Self {
        self.k_fixef = k_fixef;
        self
    }

    /// Sets whether the rank of the fixed effects counts in `K` in place of their number.
    #[must_use]
    pub fn k_exact(mut self, k_exact: bool) -> Self {
        self.k_exact = k_exact;
        self
    }

    /// Sets whether the covariance is multiplied by `G / (G - 1)`.
    #[must_use]
    pub fn g_adj(mut self, g_adj: bool) -> Self {
        self.g_adj = g_adj;
        self
    }

    /// Sets what `G` is with several factors of clusters.
    #[must_use]
    pub fn g_df(mut self, g_df: GDf) -> Self {
        self.g_df = g_df;
        self
    }
}

/// As in `k_adj=true,k_fixef=nonnested,k_exact=false,g_adj=true,g_df=min`.
impl fmt::Display for Ssc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { k_adj, k_fixef, k_exact, g_adj, g_df } = self;
        write!(f, "k_adj={k_adj},k_fixef={k_fixef},k_exact={k_exact},g_adj={g_adj},g_df={g_df}")
    }
}

/// Pairs of a name and a value, as `Display` writes them; what is not named has its default.
impl FromStr for Ssc {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        let mut ssc = Self::default();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                ParseOptionError::new("ssc", "pairs of name and value, as k_adj=false", pair)
            })?;
            let truth = |option: &'static str| {
                let truth = value.trim().to_ascii_lowercase().parse();
                truth.map_err(|_| ParseOptionError::new(option, "true or false", value))
            };
            match key.trim().to_ascii_lowercase().replace('.', "_").as_str() {
                "k_adj" => ssc.k_adj = truth("k_adj")?,
                "k_exact" => ssc.k_exact = truth("k_exact")?,
                "g_adj" => ssc.g_adj = truth("g_adj")?,
                "k_fixef" => ssc.k_fixef = value.parse()?,
                "g_df" => ssc.g_df = value.parse()?,
                _ => {
                    let names = "k_adj, k_fixef, k_exact, g_adj or g_df";
                    return Err(ParseOptionError::new("ssc", names, key));
                }
            }
        }
        Ok(ssc)
    }
}

words! {
    /// Which fixed effects count among the coefficients.
    #[derive(Default)]
    pub enum KFixef: "k_fixef" {
        /// None.
        None = "none",
        /// Those that are not nested in a factor of clusters.
        #[default]
        Nonnested = "nonnested",
        /// All.
        Full = "full",
    }
}

words! {
    /// How many clusters there are with two factors of clusters, whose covariance has three parts.
    #[derive(Default)]
    pub enum GDf: "g_df" {
        /// The smallest of the numbers, in all parts.
        #[default]
        Min = "min",
        /// Each part's own.
        Conventional = "conventional",
    }
}

words! {
    /// Model of the regression.
    #[derive(Default)]
    pub enum Family: "family" {
        /// The outcome, by least squares.
        #[default]
        Gaussian = "gaussian",
        /// The logarithm of the outcome's mean, by Poisson pseudo maximum likelihood.
        #[doc(alias = "fepois")]
        Poisson = "poisson",
        /// The logarithm of the odds of an outcome of 1, by maximum likelihood.
        #[doc(alias = "feglm")]
        Logit = "logit",
        /// The standard normal quantile of the probability of an outcome of 1, by maximum likelihood.
        Probit = "probit",
    }
}

/// Values that an outcome can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OutcomeRange {
    pub low: f64,
    pub high: f64,
}

impl OutcomeRange {
    /// Any number.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
}

impl Family {
    /// Whether it is estimated by least squares; else by maximum likelihood, with normal inference.
    pub(crate) fn is_linear(self) -> bool {
        self == Self::Gaussian
    }

    /// What the outcome can be. A finite bound is a mean that no finite coefficient has.
    pub(super) fn range(self) -> OutcomeRange {
        match self {
            Self::Gaussian => OutcomeRange::ALL,
            Self::Poisson => OutcomeRange { low: 0.0, ..OutcomeRange::ALL },
            Self::Logit | Self::Probit => OutcomeRange { low: 0.0, high: 1.0 },
        }
    }
}
