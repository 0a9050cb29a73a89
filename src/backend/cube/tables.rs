//! Plans as tables of numbers and indices.

use burn::tensor::DType;
use burn_cubecl::tensor::CubeTensor;

use super::GpuRuntime;
use super::buffers::Gpu;
use crate::backend::default::log_odds_bound;
use crate::pass::{Leg, OddsLimits, StratumPlan, Weight};

/// A stratum's plan on a device.
pub(super) struct PlanTables<R: GpuRuntime> {
    /// Number of predictors.
    pub dots: usize,
    /// Number of active columns.
    pub columns: usize,
    /// Coefficients of the predictors, `[dots, k]`.
    pub coefficients: CubeTensor<R>,
    /// Covariate version of each predictor.
    pub versions: CubeTensor<R>,
    /// Settings of the odds, then `c, f, h, h τ` of each leg.
    pub numbers: CubeTensor<R>,
    /// Bounds of each column's legs, then ten entries a leg.
    pub legs: CubeTensor<R>,
}

impl<R: GpuRuntime> PlanTables<R> {
    pub(super) fn new(gpu: &Gpu<R>, plan: &StratumPlan, k: usize, trim: f64) -> Self {
        let columns = plan.columns.len() + usize::from(plan.share.is_some());
        let mut bounds = vec![0];
        let (mut numbers, mut legs) = (odds_settings(gpu.dtype, trim), Vec::new());
        let mut count = 0;
        for column in &plan.columns {
            for leg in &column.legs {
                numbers.extend([leg.c, leg.f, leg.h, leg.h_tau]);
                legs.extend(leg_indices(leg, &plan.props));
            }
            count += column.legs.len();
            bounds.push(index(count));
        }
        if let Some(share) = &plan.share {
            // A leg without an outcome whose bracket is the constant `f`.
            let [w_first, w_second] = weight_columns(share.w);
            numbers.extend([0.0, share.scale, 0.0, 0.0]);
            legs.extend([0, 0, w_first, w_second, 0, 0, 0, 0, 0, 0]);
            bounds.push(index(count + 1));
        }
        bounds.extend(legs);
        let mut coefficients: Vec<f64> =
            plan.dots.iter().flat_map(|d| d.v.iter().copied()).collect();
        coefficients.resize(coefficients.len().max(k), 0.0);
        Self {
            dots: plan.dots.len(),
            columns,
            coefficients: gpu.floats(coefficients),
            versions: gpu.indices(plan.dots.iter().map(|d| index(d.x)).collect()),
            numbers: gpu.floats(numbers),
            legs: gpu.indices(bounds),
        }
    }
}

fn leg_indices(leg: &Leg, props: &[usize]) -> [u32; 10] {
    let plus_one = |i: Option<usize>| i.map_or(0, |i| index(i) + 1);
    let [w_first, w_second] = weight_columns(leg.w);
    [
        index(leg.post) + 1,
        plus_one(leg.base),
        w_first,
        w_second,
        u32::from(leg.treated),
        plus_one(leg.prop.map(|p| props[p])),
        plus_one(leg.beta),
        plus_one(leg.b),
        plus_one(leg.e),
        plus_one(leg.a),
    ]
}

/// Bound of `|η|`, largest odds, odds from which rows are trimmed.
pub(super) fn odds_settings(dtype: DType, trim: f64) -> Vec<f64> {
    // Finite in single precision, too.
    const ALL: f64 = 1e30;
    let OddsLimits { below, largest } = OddsLimits::new(trim);
    let all = if dtype == DType::F64 { f64::MAX } else { ALL };
    vec![log_odds_bound(dtype), largest.min(all), below.min(all)]
}

/// Weight columns, their indices plus one; 0 is none.
pub(super) fn weight_columns(weight: Weight) -> [u32; 2] {
    match weight {
        Weight::Ones => [0, 0],
        Weight::Column(j) => [index(j) + 1, 0],
        Weight::Product(i, j) => [index(i) + 1, index(j) + 1],
    }
}

/// A count of rows, columns or tiles as kernels take it.
#[expect(clippy::cast_possible_truncation, reason = "chunks have fewer than 2^32 rows")]
pub(super) fn index(i: usize) -> u32 {
    debug_assert!(u32::try_from(i).is_ok(), "{i} does not fit an index");
    i as u32
}
