//! GPU.
fn main() {}
