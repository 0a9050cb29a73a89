//! Many fits at once, as a simulation has them.

use burn_did::backend::Cpu;
use burn_did::{AttGt, data};
use rayon::prelude::*;

/// A thread that waits for work of its fit would begin other fits within it, and run out of stack.
#[test]
fn fits_in_a_parallel_iterator_stay_on_their_threads() {
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates("~ lpop").build();
    let frame = data::mpdta();
    let alone = config.fit(&frame).expect("a fit");
    let same = (0..400).into_par_iter().all(|_| {
        let fit = config.fit(&frame).expect("a fit");
        let values = |cells: &[burn_did::group_time::GroupTimeCell]| -> Vec<Option<f64>> {
            cells.iter().flat_map(|c| [c.estimate.estimate, c.estimate.se]).collect()
        };
        values(&fit.cells) == values(&alone.cells)
    });
    assert!(same);
}
