//! The form in which results are saved.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The number of the form in which results are saved. It is written first, so that a result of a later form is refused for
/// that reason. Results without it were saved before there was one, in the same form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SavedFormat;

impl SavedFormat {
    const CURRENT: u64 = 1;
}

impl Serialize for SavedFormat {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_u64(Self::CURRENT)
    }
}

impl<'de> Deserialize<'de> for SavedFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            0 => Err(D::Error::custom("`format` is 0, and the first is 1")),
            1..=Self::CURRENT => Ok(Self),
            newer => Err(D::Error::custom(format!(
                "`format` is {newer}, and this version of burn-did reads up to {}; read it with the version that wrote it, or a newer one",
                Self::CURRENT
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_formats_are_refused_by_name() {
        assert_eq!(serde_json::to_string(&SavedFormat).expect("a number"), "1");
        assert!(serde_json::from_str::<SavedFormat>("1").is_ok());
        for newer in ["2", "0", "18446744073709551615"] {
            let error =
                serde_json::from_str::<SavedFormat>(newer).expect_err("unknown").to_string();
            assert!(error.contains(&format!("`format` is {newer}")), "{error}");
        }
        for wrong in ["-1", "1.5", "\"1\"", "null"] {
            assert!(serde_json::from_str::<SavedFormat>(wrong).is_err(), "{wrong}");
        }
    }
}
