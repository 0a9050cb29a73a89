//! Shares in words.

/// A share in percent, as people read it.
pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0%".into(),
        p if p < 0.1 => "under 0.1%".into(),
        p if p > 99.9 && share < 1.0 => "over 99.9%".into(),
        p if share >= 1.0 || p.fract() == 0.0 => format!("{p:.0}%"),
        p => format!("{p:.1}%"),
    }
}
