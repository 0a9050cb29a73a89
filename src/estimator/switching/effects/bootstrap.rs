//! Bootstrap by drawing groups, or clusters, with replacement.

use super::estimate::reweighted;
use super::options::SwitchingOptions;
use super::plan::EffectPlan;
use super::rules::Unusable;
use super::sample::SwitchingSample;
use crate::base::parallel;

/// Estimates of all draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnEstimates {
    /// Effects, placebos and the average of each draw; `None` where a draw has no switchers or no controls.
    pub estimates: Vec<Vec<Option<f64>>>,
}

/// Draws with replacement; `uniform` is a number in (0, 1) by draw and position. Groups drawn several times are as many groups.
///
/// Estimates are functions of weighted sums, so a draw is the sample with weights times the numbers of times that groups were
/// drawn. Which cells are compared is not decided again.
pub(crate) fn draw(
    sample: &SwitchingSample,
    options: &SwitchingOptions,
    draws: usize,
    uniform: &(dyn Fn(usize, usize) -> f64 + Sync),
) -> Result<DrawnEstimates, Unusable> {
    let plan = EffectPlan::new(sample, options)?;
    let units = sample.clusters();
    let unit = |g: usize| sample.cluster.as_ref().map_or(g, |cluster| cluster[g] as usize);
    let estimates = |draw: usize| {
        let mut times = vec![0_u32; units];
        for position in 0..units {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below n")]
            let drawn = (uniform(draw, position) * units as f64) as usize;
            times[drawn.min(units - 1)] += 1;
        }
        let mut weight = sample.weight.clone();
        for (g, row) in weight.chunks_exact_mut(sample.periods).enumerate() {
            let factor = f64::from(times[unit(g)]);
            for weight in row {
                *weight *= factor;
            }
        }
        reweighted(sample, options, &plan, &weight)
    };
    Ok(DrawnEstimates { estimates: parallel::map_telling("bootstrap", draws, estimates) })
}
