//! Plans and jobs as numbers and indices.

use burn::tensor::DType;

use super::super::kernels::layout::{leg as leg_index, leg_number, setting};
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
    /// The plans.
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
                self.numbers.extend(leg_numbers(leg));
                legs.extend(leg_indices(leg, &plan.props, columns));
            }
            bounds.push(index(legs.len() / leg_index::LEN));
        }
        if let Some(share) = &plan.share {
            // A leg without an outcome whose bracket is the constant `f`.
            let mut numbers = [0.0; leg_number::LEN];
            numbers[leg_number::F] = share.scale;
            let mut indices = [0; leg_index::LEN];
            [indices[leg_index::W_FIRST], indices[leg_index::W_SECOND]] =
                weight_columns(share.w, columns);
            self.numbers.extend(numbers);
            legs.extend(indices);
            bounds.push(index(legs.len() / leg_index::LEN));
        }
        self.legs.extend(bounds);
        self.legs.extend(legs);
        place
    }
}

fn leg_numbers(leg: &Leg) -> [f64; leg_number::LEN] {
    let mut numbers = [0.0; leg_number::LEN];
    numbers[leg_number::C] = leg.c;
    numbers[leg_number::F] = leg.f;
    numbers[leg_number::H] = leg.h;
    numbers[leg_number::H_TAU] = leg.h_tau;
    numbers
}

fn leg_indices(leg: &Leg, props: &[usize], columns: &SampleColumns) -> [u32; leg_index::LEN] {
    let plus_one = |i: Option<usize>| i.map_or(0, |i| index(i) + 1);
    let mut indices = [0; leg_index::LEN];
    indices[leg_index::POST] = plus_one(Some(leg.post));
    indices[leg_index::BASE] = plus_one(leg.base);
    [indices[leg_index::W_FIRST], indices[leg_index::W_SECOND]] = weight_columns(leg.w, columns);
    indices[leg_index::TREATED] = u32::from(leg.treated);
    indices[leg_index::LOG_ODDS] = plus_one(leg.prop.map(|p| props[p]));
    indices[leg_index::BETA] = plus_one(leg.beta);
    indices[leg_index::B] = plus_one(leg.b);
    indices[leg_index::E] = plus_one(leg.e);
    indices[leg_index::A] = plus_one(leg.a);
    indices
}

/// The settings of the odds, which the tables of numbers begin with.
pub(crate) fn odds_settings(dtype: DType, trim: f64) -> Vec<f64> {
    // Finite in single precision, too.
    const ALL: f64 = 1e30;
    let OddsLimits { below, largest } = OddsLimits::new(trim);
    let all = if dtype == DType::F64 { f64::MAX } else { ALL };
    let mut settings = vec![0.0; setting::LEN];
    settings[setting::BOUND] = log_odds_bound(dtype);
    settings[setting::LARGEST] = largest.min(all);
    settings[setting::TRIMMED_FROM] = below.min(all);
    settings
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
