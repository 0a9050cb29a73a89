//! Fits by workers that exchange nothing but bytes, and what becomes of answers that must not be believed.

mod faults;
mod fits;
mod hostile;
mod influence;
mod messages;
mod replaced;
mod samples;
mod units;
