//! Where the iteration may run, whichever the backend: what does not depend on it is compiled once.

use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::{DidBackend, LevelDesign, LevelSolver, LevelWeights};

/// A device.
pub(crate) trait Place: std::fmt::Debug + Sync {
    fn precision(&self) -> Precision;

    /// The backend's name, and the device's.
    fn name(&self) -> String;

    /// # Errors
    /// What [`DidBackend::probe`] finds.
    fn probe(&self) -> Result<()>;

    /// As [`DidBackend::levels`].
    ///
    /// # Errors
    /// Those of [`DidBackend::levels`].
    fn levels(
        &self,
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
    ) -> Result<Option<Box<dyn LevelSolver>>>;
}

/// A backend's device.
#[derive(Debug)]
pub(crate) struct On<'d, B: DidBackend> {
    pub device: &'d B::Device,
    pub precision: Precision,
}

/// No device: the host does all.
#[derive(Debug)]
pub(crate) struct OnHost;

impl Place for OnHost {
    fn precision(&self) -> Precision {
        Precision::F64
    }

    fn name(&self) -> String {
        "host".to_owned()
    }

    fn probe(&self) -> Result<()> {
        Ok(())
    }

    fn levels(
        &self,
        _: &LevelDesign<'_>,
        _: &LevelWeights<'_>,
    ) -> Result<Option<Box<dyn LevelSolver>>> {
        Ok(None)
    }
}

impl<B: DidBackend> Place for On<'_, B> {
    fn precision(&self) -> Precision {
        self.precision
    }

    fn name(&self) -> String {
        format!("{} {:?}", B::NAME, self.device)
    }

    fn probe(&self) -> Result<()> {
        B::probe(self.device, self.precision).map(|_| ())
    }

    fn levels(
        &self,
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
    ) -> Result<Option<Box<dyn LevelSolver>>> {
        B::levels(design, weights, self.device, self.precision)
    }
}
