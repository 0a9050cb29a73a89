//! Panics of libraries.

use std::panic::{set_hook, take_hook};

/// Says nothing about panics that become an error, which is reported as every error is.
pub(crate) fn keep_caught_ones_quiet() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        if !burn_did::panics_are_caught() {
            usual(panic);
        }
    }));
}
