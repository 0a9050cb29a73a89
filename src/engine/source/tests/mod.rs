//! The seam: answers that must not be believed.

mod answers;
