//! Defaults that estimators share, for their builders and for serde, which asks for functions.

/// One minus the confidence level.
pub(crate) fn five_percent() -> f64 {
    0.05
}

/// The formula.
pub(crate) fn constant() -> String {
    "~ 1".to_owned()
}

/// What is done unless it is turned off.
pub(crate) fn yes() -> bool {
    true
}
