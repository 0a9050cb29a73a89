//! Points of the multipliers' laws.

use crate::base::options::Multiplier;

/// Value of the last class and the differences of the others from it.
pub(crate) fn law_levels(law: Multiplier) -> (f64, Vec<f64>) {
    let root5 = 5f64.sqrt();
    match law {
        Multiplier::Mammen => ((1.0 + root5) / 2.0, vec![-root5]),
        Multiplier::Rademacher | Multiplier::Gaussian => (-1.0, vec![2.0]),
        Multiplier::Webb => {
            let (high, low) = (1.5f64.sqrt(), 0.5f64.sqrt());
            (-low, [high, 1.0, low, -high, -1.0].map(|v| v + low).to_vec())
        }
    }
}
