//! What is asked of the frames before there is a sample.

use super::changes::Changes;
use super::levels::Levels;
use super::request::Request;
use super::rules::Rules;
use super::survey::Survey;
use crate::base::error::Result;

/// Whoever can look at the frames, wherever they are.
pub(super) trait FrameSource {
    /// What all frames show before there are rules.
    fn survey(&self, request: &Request<'_>) -> Result<Survey>;

    /// Levels and clusters of the rows of the sample.
    fn levels(&self, rules: &Rules, request: &Request<'_>) -> Result<Levels>;

    /// What changes over time, where these levels are in the sample.
    fn changes(&self, rules: &Rules, levels: &Levels, request: &Request<'_>) -> Result<Changes>;
}
