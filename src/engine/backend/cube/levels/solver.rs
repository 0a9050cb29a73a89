//! The solver of fixed effects: a design on the device, and the vectors of the solution that is under way.

use std::fmt;

use super::super::runtime::{GpuRuntime, Launches, guarded, meter};
use super::bidiagonal::LanczosBuffers;
use super::conjugate::ConjugateBuffers;
use super::design::DeviceDesign;
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::{
    BidiagonalProblem, BidiagonalStep, BidiagonalUpdate, LevelDesign, LevelSolver, LevelStep,
    LevelWeights,
};

/// Solves for the levels' effects on a device.
pub(crate) struct DeviceSolver<R: GpuRuntime> {
    design: DeviceDesign<R>,
    vectors: Vectors,
}

/// The vectors of the solution that is under way.
enum Vectors {
    None,
    /// Of conjugate gradients.
    Conjugate(Box<ConjugateBuffers>),
    /// Of LSMR.
    Lanczos(Box<LanczosBuffers>),
}

impl<R: GpuRuntime> DeviceSolver<R> {
    /// Holds a design; nothing is solved yet.
    pub(crate) fn hold(
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
        device: &R::Device,
        precision: Precision,
    ) -> Result<Self> {
        let design = DeviceDesign::hold(design, weights, device, precision)?;
        Ok(Self { design, vectors: Vectors::None })
    }
}

impl<R: GpuRuntime> fmt::Debug for DeviceSolver<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSolver").field("device", &self.design.device).finish_non_exhaustive()
    }
}

impl<R: GpuRuntime> LevelSolver for DeviceSolver<R> {
    fn columns(&self) -> usize {
        self.design.most
    }

    fn weigh(&mut self, weights: &LevelWeights<'_>) -> Result<()> {
        self.design.weigh(weights)
    }

    fn begin(&mut self, sums: &[f64], columns: usize) -> Result<()> {
        let before = match std::mem::replace(&mut self.vectors, Vectors::None) {
            Vectors::Conjugate(before) => Some(*before),
            Vectors::Lanczos(_) | Vectors::None => None,
        };
        let design = &self.design;
        let begun = guarded::<R, _>(&design.device, || design.conjugate(sums, columns, before))?;
        self.vectors = Vectors::Conjugate(Box::new(begun));
        meter::note(|done| done.passes += 1);
        Ok(())
    }

    fn steps(&mut self, live: &[bool], count: usize) -> Result<Vec<LevelStep>> {
        match &mut self.vectors {
            Vectors::Conjugate(at) => self.design.advance_conjugate(at, live, count),
            Vectors::Lanczos(_) | Vectors::None => Ok(Vec::new()),
        }
    }

    fn begin_bidiagonal(&mut self, problem: &BidiagonalProblem<'_>) -> Result<()> {
        self.vectors = Vectors::None;
        let design = &self.design;
        let begun = guarded::<R, _>(&design.device, || design.lanczos(problem))?;
        self.vectors = Vectors::Lanczos(Box::new(begun));
        meter::note(|done| done.passes += 1);
        Ok(())
    }

    fn bidiagonalise(&mut self, count: usize) -> Result<Vec<BidiagonalStep>> {
        match &mut self.vectors {
            Vectors::Lanczos(at) => self.design.advance_lanczos(at, count),
            Vectors::Conjugate(_) | Vectors::None => Ok(Vec::new()),
        }
    }

    fn combine(&mut self, updates: &[BidiagonalUpdate]) -> Result<Vec<f64>> {
        match &mut self.vectors {
            Vectors::Lanczos(at) => self.design.combine_lanczos(at, updates),
            Vectors::Conjugate(_) | Vectors::None => Ok(Vec::new()),
        }
    }

    fn effects(&mut self) -> Result<Vec<f64>> {
        let design = &self.design;
        let read = |buffer| {
            guarded::<R, _>(&design.device, || Launches::new(&design.gpu, 1).read_one(buffer))
        };
        match &self.vectors {
            Vectors::None => Ok(Vec::new()),
            Vectors::Conjugate(at) => read(&at.effects),
            Vectors::Lanczos(at) => Ok(read(&at.x)?[design.leading * at.columns..].to_vec()),
        }
    }
}
