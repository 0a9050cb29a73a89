//! Plans and jobs as numbers and indices.

use burn_tensor::DType;

use super::super::kernels::LEG;
use super::super::runtime::{SampleColumns, index};
use crate::engine::backend::default::log_odds_bound;
use crate::engine::pass::{Leg, OddsLimits, StratumPlan, Weight};

/// Plans of strata, one behind another.
pub(crate) struct PlanTables {
    /// Coefficients of the predictors, `[dots, k]`.
    pub coefficients: Vec<f64>,
    /// The column of each predictor's first covariate.
    pub x_first: Vec<u32>,
    /// Settings of the odds, then `c, f, h, h τ` of each leg.
    pub numbers: Vec<f64>,
    /// Of each plan: where its numbers begin, bounds of each column's legs, then the legs.
    pub legs: Vec<u32>,
}

/// Where a plan is in the tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlanPlace {
    /// First entry of its legs.
    pub legs: usize,
    /// First predictor.
    pub first_dot: usize,
    /// Number of predictors.
    pub dots: usize,
    /// Number of active columns.
    pub columns: usize,
}

impl PlanTables {
    pub(crate) fn new(dtype: DType, trim: f64) -> Self {
        Self {
            coefficients: Vec::new(),
            x_first: Vec::new(),
            numbers: odds_settings(dtype, trim),
            legs: Vec::new(),
        }
    }

    /// Adds a plan over these columns, with `k` coefficients a predictor.
    pub(crate) fn add(
        &mut self,
        plan: &StratumPlan,
        columns: &SampleColumns,
        k: usize,
    ) -> PlanPlace {
        let place = PlanPlace {
            legs: self.legs.len(),
            first_dot: self.x_first.len(),
            dots: plan.dots.len(),
            columns: plan.columns.len() + usize::from(plan.share.is_some()),
        };
        for dot in &plan.dots {
            self.coefficients.extend(&dot.v);
            self.x_first.push(index(columns.x + dot.x * (k - 1)));
        }
        let (mut bounds, mut legs) = (vec![index(self.numbers.len()), 0], Vec::new());
        for column in &plan.columns {
            for leg in &column.legs {
                self.numbers.extend([leg.c, leg.f, leg.h, leg.h_tau]);
                legs.extend(leg_indices(leg, &plan.props, columns));
            }
            bounds.push(index(legs.len() / LEG));
        }
        if let Some(share) = &plan.share {
            // A leg without an outcome whose bracket is the constant `f`.
            let [w_first, w_second] = weight_columns(share.w, columns);
            self.numbers.extend([0.0, share.scale, 0.0, 0.0]);
            legs.extend([0, 0, w_first, w_second, 0, 0, 0, 0, 0, 0]);
            bounds.push(index(legs.len() / LEG));
        }
        self.legs.extend(bounds);
        self.legs.extend(legs);
        place
    }
}

fn leg_indices(leg: &Leg, props: &[usize], columns: &SampleColumns) -> [u32; LEG] {
    let plus_one = |i: Option<usize>| i.map_or(0, |i| index(i) + 1);
    let [w_first, w_second] = weight_columns(leg.w, columns);
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
pub(crate) fn odds_settings(dtype: DType, trim: f64) -> Vec<f64> {
    // Finite in single precision, too.
    const ALL: f64 = 1e30;
    let OddsLimits { below, largest } = OddsLimits::new(trim);
    let all = if dtype == DType::F64 { f64::MAX } else { ALL };
    vec![log_odds_bound(dtype), largest.min(all), below.min(all)]
}

/// Where the weight columns are among all, plus one; 0 is none.
pub(crate) fn weight_columns(weight: Weight, columns: &SampleColumns) -> [u32; 2] {
    let at = |j: usize| index(columns.w + j) + 1;
    match weight {
        Weight::Ones => [0, 0],
        Weight::Column(j) => [at(j), 0],
        Weight::Product(i, j) => [at(i), at(j)],
    }
}
