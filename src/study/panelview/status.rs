//! What can be said of a unit in a period.

use crate::base::words::words;

words! {
    /// What can be said of a unit in a period.
    pub enum TreatmentStatus: "status" {
        /// Not observed.
        Missing = "missing",
        /// Observed, and never treated in the data.
        NeverTreated = "never_treated",
        /// Observed before it is first treated.
        NotYetTreated = "not_yet_treated",
        /// Treated.
        Treated = "treated",
        /// Treated, as it is in every period of the data in which it is observed.
        AlwaysTreated = "always_treated",
        /// Observed, and not treated any more.
        Ended = "ended",
    }
}

/// Every status with its letter.
const LETTERS: [(TreatmentStatus, char); 6] = [
    (TreatmentStatus::Missing, '.'),
    (TreatmentStatus::NeverTreated, 'n'),
    (TreatmentStatus::NotYetTreated, 'o'),
    (TreatmentStatus::Treated, 'x'),
    (TreatmentStatus::AlwaysTreated, 'a'),
    (TreatmentStatus::Ended, 'e'),
];

impl TreatmentStatus {
    /// One letter for it: `.` missing, `n` never treated, `o` not yet treated, `x` treated, `a` always treated, `e` not treated any more.
    #[must_use]
    pub fn letter(self) -> char {
        LETTERS.iter().find(|(status, _)| *status == self).map_or('?', |(_, letter)| *letter)
    }

    /// The status of a letter.
    pub(super) fn of(letter: char) -> Option<Self> {
        LETTERS.iter().find(|(_, known)| *known == letter).map(|(status, _)| *status)
    }

    /// All of them, from the lightest to the darkest.
    #[cfg(feature = "plot")]
    pub(super) fn all() -> impl Iterator<Item = Self> {
        LETTERS.into_iter().map(|(status, _)| status)
    }

    /// What a legend calls it.
    #[cfg(feature = "plot")]
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Missing => "Missing",
            Self::NeverTreated => "Never treated",
            Self::NotYetTreated => "Not yet treated",
            Self::Treated => "Treated",
            Self::AlwaysTreated => "Always treated",
            Self::Ended => "Treatment ended",
        }
    }
}

/// Statuses as a text of letters.
pub(super) mod letters {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::TreatmentStatus;

    pub fn serialize<S: Serializer>(
        statuses: &[TreatmentStatus],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&statuses.iter().map(|status| status.letter()).collect::<String>())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<TreatmentStatus>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let status = |letter: char| {
            TreatmentStatus::of(letter)
                .ok_or_else(|| D::Error::custom(format!("`{letter}` is no status of a unit")))
        };
        text.chars().map(status).collect()
    }
}
