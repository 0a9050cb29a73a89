//! The solvers of fixed effects: a design that a device holds, and the vectors of a solution, which stay there.

mod bidiagonal;
mod conjugate;
mod design;
mod pieces;
mod solver;

pub(super) use self::solver::DeviceSolver;
