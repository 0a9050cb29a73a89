//! The instruction set, chosen at run time.

/// Runs `f` compiled for the best instruction set of this machine. A closure has to be `#[inline(always)]`: what is not
/// inlined here is compiled for the least.
pub(crate) fn vectorized<R>(f: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(f)
}
