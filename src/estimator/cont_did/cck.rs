use super::{ContDid, ContDidResult};
use crate::backend::DidBackend;
use crate::error::Result;
use crate::estimator::setup::Opened;
use crate::source::Source;
pub(super) fn estimate<B: DidBackend, S: Source>(_: &ContDid<B>, _: Opened<S>) -> Result<ContDidResult> {
    Err(super::effects::no_law())
}
