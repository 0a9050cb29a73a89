//! Tasks and answers as bytes: every bit of a number survives, also of an infinite one or one that is none.
//!
//! A message is the `postcard` form of a closed type, followed by the build of who wrote it and a digest of both. Bytes that were
//! damaged, cut or of another type on the way are an error, whatever they look like, and so are those of another build, which
//! may mean something else or compute it in another way.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::error::{DidError, Result};
pub(super) use crate::base::segment::digest;

/// Bytes of a digest.
const DIGEST: usize = 8;

/// Bytes after those of the value.
#[cfg(test)]
pub(super) const TAIL: usize = 2 * DIGEST;

/// What tells builds of this crate apart: its version, and a digest of its source. Messages of another build are refused, so that an
/// engine can compare this before it gives a worker any work.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("BURN_DID_SOURCE"));

/// A message.
pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    Ok(sealed(postcard::to_allocvec(value).map_err(|e| unreadable(&e.to_string()))?))
}

/// The bytes of a value as a message.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.extend(digest(BUILD.as_bytes()).to_le_bytes());
    bytes.extend(digest(&bytes).to_le_bytes());
    bytes
}

/// What a message says.
///
/// # Errors
/// [`DidError::Engine`] if the bytes are not what was sent, or not of this type.
pub(super) fn decode<T: DeserializeOwned>(message: &[u8]) -> Result<T> {
    let whole = message.split_last_chunk::<DIGEST>();
    let (bytes, sent) = whole.ok_or_else(|| unreadable("it is too short"))?;
    if digest(bytes).to_le_bytes() != *sent {
        return Err(unreadable("it was damaged on the way"));
    }
    let (bytes, version) =
        bytes.split_last_chunk::<DIGEST>().ok_or_else(|| unreadable("it is too short"))?;
    if digest(BUILD.as_bytes()).to_le_bytes() != *version {
        return Err(unreadable(&format!(
            "it comes from another build of burn-did than {BUILD} here; all machines must have the same"
        )));
    }
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(unreadable(&format!("{} bytes are left over", rest.len()))),
        Err(error) => Err(unreadable(&error.to_string())),
    }
}

fn unreadable(problem: &str) -> DidError {
    DidError::Engine { problem: format!("a message cannot be read: {problem}") }
}
