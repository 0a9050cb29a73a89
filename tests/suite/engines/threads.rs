//! Fits that share the machine's threads with others.

use burn_did::AttGt;
use burn_did::backend::Cpu;
use burn_did::data::Simulation;
use rayon::prelude::*;

/// All threads of the pool wait for threads of devices, which need the pool.
#[test]
fn several_devices_inside_a_parallel_iterator() {
    let df = Simulation::builder().units(20_000).covariates(2).seed(1).build().frame();
    let estimator = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let estimator = estimator.covariates("~ x1 + x2").chunk_rows(2_000).build();
    let fit = |_| estimator.fit_on_devices(&df, &[Default::default(); 3]).unwrap().cells;
    let fits = 2 * rayon::current_num_threads();
    let spread: Vec<_> = (0..fits).into_par_iter().map(fit).collect();
    let alone = estimator.fit(&df).unwrap().cells;
    assert!(spread.iter().all(|cells| *cells == alone));
}
