//! Which units the shares of groups count in averages of triple differences.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which units of a group its share counts when effects of [`Ddd`](crate::Ddd) are averaged over groups.
///
/// The effects are those on eligible units. Only with [`SharesOf::Eligible`] is their average the mean effect over treated units; the
/// other choice gives a group with few eligible units the weight of all its units.
///
/// ```
/// use burn_did::options::SharesOf;
/// assert_eq!(SharesOf::default().to_string(), "eligible");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharesOf {
    /// The eligible units of the group: its treated units (Ortiz-Villavicencio and Sant'Anna 2025, eqs. 2.3 and 4.13).
    #[default]
    Eligible,
    /// All units of the group, as in R `triplediff` 0.2.4.
    All,
}

impl SharesOf {
    /// Short name: `eligible` or `all`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Eligible => "eligible",
            Self::All => "all",
        }
    }
}

impl fmt::Display for SharesOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
