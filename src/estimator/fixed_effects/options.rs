//! Options of regressions with fixed effects.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Covariance of the coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vcov {
    /// Errors of one variance, independent of each other.
    #[default]
    Iid,
    /// Errors of any variance, independent of each other (HC1).
    #[doc(alias = "HC1")]
    Hetero,
    /// As [`Hetero`](Self::Hetero), with residuals divided by the roots of one minus their leverage: that of the regressors
    /// without their fixed effects, of which a warning tells.
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
}

impl fmt::Display for Vcov {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iid => f.write_str("iid"),
            Self::Hetero => f.write_str("heteroskedasticity-robust (HC1)"),
            Self::Hc2 => f.write_str("heteroskedasticity-robust (HC2)"),
            Self::Hc3 => f.write_str("heteroskedasticity-robust (HC3)"),
            Self::Cluster(factors) => write!(f, "clustered by {}", factors.join(" and ")),
        }
    }
}

/// Corrections for small samples, with the names of R `fixest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ssc {
    /// Whether the covariance is multiplied by `(n - 1) / (n - K)`.
    #[doc(alias = "K.adj")]
    pub k_adj: bool,
    /// Which fixed effects count in `K`.
    #[doc(alias = "K.fixef")]
    pub k_fixef: KFixef,
    /// Whether the rank of the fixed effects counts in `K` in place of their number: of two factors, the levels less the connected
    /// components.
    #[doc(alias = "K.exact")]
    pub k_exact: bool,
    /// Whether the covariance is multiplied by `G / (G - 1)` for `G` clusters, and by `n / (n - 1)` if it is robust to
    /// heteroskedasticity.
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

/// Which fixed effects count among the coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KFixef {
    /// None.
    None,
    /// Those that are not nested in a factor of clusters.
    #[default]
    Nonnested,
    /// All.
    Full,
}

/// How many clusters there are with two factors of clusters, whose covariance has three parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GDf {
    /// The smallest of the numbers, in all parts.
    #[default]
    Min,
    /// Each part's own.
    Conventional,
}

/// Model of the regression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// The outcome, by least squares.
    #[default]
    Gaussian,
    /// The logarithm of the outcome's mean, by Poisson pseudo maximum likelihood.
    #[doc(alias = "fepois")]
    Poisson,
}

impl Family {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "gaussian",
            Self::Poisson => "poisson",
        }
    }
}
