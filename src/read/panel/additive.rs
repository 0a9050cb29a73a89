//! What looks at the rows find.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::error::Result;

/// What a look at some frames found. Findings add up, and can be sent in any format that carries infinities, so that frames
/// are looked at in any order and anywhere; the default is what no frame shows.
pub(super) trait Additive: Default + Serialize + DeserializeOwned {
    /// Adds what other frames show.
    ///
    /// # Errors
    /// If frames do not go together.
    fn merge(&mut self, other: Self) -> Result<()>;
}
