//! The seam: answers that must not be believed, and an engine of several workers that exchanges nothing but bytes.

mod answers;
mod fits;
mod loopback;
mod messages;
