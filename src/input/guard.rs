//! The last resort against libraries that panic on what they read.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{DidError, Result};

/// What `work` returns while it reads `what`, with a panic as an error.
pub(crate) fn guarded<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // Nothing that `work` could leave half done is used after an error.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        Err(DidError::Panicked { what: what.to_owned(), problem: message(&*payload) })
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "it stopped without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_that_says_what_was_read() {
        let error = guarded("a.csv", || -> Result<()> { panic!("not implemented") }).unwrap_err();
        assert!(error.to_string().starts_with("reading a.csv: not implemented; "), "{error}");
        let error = guarded("a.csv", || -> Result<()> { panic!("type {}", 3) }).unwrap_err();
        assert!(error.to_string().contains("type 3"), "{error}");
        assert!(guarded("a.csv", || Ok(1)).is_ok_and(|one| one == 1));
    }
}
