//! Defaults that estimators share.

/// One minus the confidence level.
pub(crate) const ALPHA: f64 = 0.05;

/// The formula of covariates: none.
pub(crate) const COVARIATES: &str = "~ 1";
