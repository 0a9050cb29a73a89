//! What all looks found.

use serde::{Deserialize, Serialize};

use crate::read::panel::changes::Changes;
use crate::read::panel::levels::Levels;
use crate::read::panel::survey::Survey;

/// What all looks at the shards found together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Looks {
    pub(super) survey: Survey,
    pub(super) levels: Levels,
    pub(super) changes: Changes,
}
