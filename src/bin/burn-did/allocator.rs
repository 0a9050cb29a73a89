//! The allocator of the program, which keeps memory that was freed for what is allocated next.

/// A fit allocates an array of rows after the other: with the system's allocator each has pages that are new, and cleared.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Gives the kept memory back to the system before a fit is refused for want of it.
pub(crate) fn release_memory_when_short() {
    burn_did::release_memory_by(release);
}

/// Gives the kept memory back to the system.
#[expect(unsafe_code, reason = "it has no arguments, and may be called by any thread at any time")]
pub(crate) fn release() {
    // SAFETY: see the reason above.
    unsafe { libmimalloc_sys::mi_collect(true) }
}
