//! The kernels of the passes over a sample.

mod basis;
mod clusters;
mod fold;
mod influence;
mod math;
mod multiplier;
mod products;
mod spans;

pub(crate) use self::basis::{MAPPED_DRAWS, NUMBERS, PRODUCTS, map_draws, map_products};
pub(crate) use self::clusters::{CLUSTER_UNITS, add_clusters, add_rows};
pub(crate) use self::fold::{
    ABSENT, FOLD_UNITS, OUTPUTS, SEGMENT_ENTRIES, Start, Summands, add_tiles,
};
pub(crate) use self::influence::{LEG, SHARES, UNITS, influence_values, linear_predictors};
pub(crate) use self::multiplier::{
    DRAWS, GROUP, LANES as DRAW_UNITS, MultiplierLaw, multiplied_sums,
};
pub(crate) use self::products::{Form, HEIGHT, JOB, LANES, WIDTH, tile_products};
pub(crate) use self::spans::SPAN;
