//! `burn-did simulate npiv`

use burn_did::data::CurveSimulation;
use clap::Args;

use super::{DrawArgs, WriteArgs};
use crate::error::Result;

/// A curve of a regressor that is endogenous, and an instrument, for `npiv`.
///
/// Columns: id, y, x (the regressor), w (the instrument); x and w are uniform on (0, 1).
#[derive(Args)]
pub(crate) struct NpivArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Height of the curve, a sine.
    #[arg(long, value_name = "HEIGHT", default_value_t = 1.0, allow_hyphen_values = true)]
    amplitude: f64,
    /// Half waves of the curve between 0 and 1.
    #[arg(long, value_name = "N", default_value_t = 1.0, allow_hyphen_values = true)]
    frequency: f64,
    /// Strength of the instrument: the correlation of the latent normals behind instrument and regressor.
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    strength: f64,
    /// Share of the regressor's own part in the error; 0 for a regressor that is exogenous.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    endogeneity: f64,
    /// Standard deviation of the error.
    #[arg(long, value_name = "SD", default_value_t = 0.5)]
    noise: f64,
    #[command(flatten)]
    output: WriteArgs,
}

impl NpivArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = CurveSimulation::builder()
            .units(self.draw.units)
            .seed(self.draw.seed)
            .amplitude(self.amplitude)
            .frequency(self.frequency)
            .strength(self.strength)
            .endogeneity(self.endogeneity)
            .noise(self.noise)
            .build();
        self.output.write(&simulation)
    }
}
