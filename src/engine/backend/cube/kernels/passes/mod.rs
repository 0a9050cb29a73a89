//! The kernels of the passes over a sample.

mod basis;
mod clusters;
mod columns;
mod fold;
mod influence;
pub(crate) mod layout;
mod multiplier;
mod products;
mod spans;
mod wide_sum;

pub(crate) use self::basis::{MAPPED_DRAWS, PRODUCTS, map_draws, map_products};
pub(crate) use self::clusters::{CLUSTER_UNITS, add_clusters, add_rows};
pub(crate) use self::columns::ColumnsLaunch;
pub(crate) use self::fold::{FOLD_UNITS, OUTPUTS, Start, Summands, add_tiles};
pub(crate) use self::influence::{SHARES, VALUE_UNITS, influence_values, linear_predictors};
pub(crate) use self::multiplier::{
    DRAW_UNITS, DRAWS, GROUP, LawWordsLaunch, MultiplierLaw, multiplied_sums,
};
pub(crate) use self::products::{Form, HEIGHT, PRODUCT_UNITS, WIDTH, tile_products};
pub(crate) use self::spans::SpansLaunch;
