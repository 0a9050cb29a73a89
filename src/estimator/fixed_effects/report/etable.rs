//! Regressions side by side.

use crate::estimator::fixed_effects::RegressionResult;
use crate::report::Comparable;
use crate::report::compare::{Stars, starred};
use crate::report::table::Table;

/// Regressions side by side, as R `fixest`'s `etable`: coefficients with stars, standard errors in parentheses under them, fixed
/// effects, observations and fit; one column a regression. [`Comparison`](crate::report::Comparison) has options.
///
/// ```
/// use burn_did::{FixedEffects, backend::Cpu, data, regression::etable};
///
/// let fits = ["lemp ~ lpop", "lemp ~ lpop | year"].map(|formula| {
///     let config = FixedEffects::<Cpu>::builder().formula(formula).build();
///     config.fit(&data::mpdta())
/// });
/// let [plain, years] = fits;
/// let table = etable(&[("(1)", &plain?), ("(2)", &years?)]);
/// println!("{table}\n{}", table.to_latex());
/// assert!(table.to_string().contains("Observations"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub fn etable(models: &[(&str, &RegressionResult)]) -> Table {
    let models: Vec<(&str, &dyn Comparable)> =
        models.iter().map(|(name, fit)| (*name, *fit as &dyn Comparable)).collect();
    starred(&models, Stars::Levels)
}
