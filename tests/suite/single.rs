//! Two-period comparisons and triple differences in single precision: within a thousandth of a standard error of the
//! double-precision fit, and of its size.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{Estimate, Precision};

use crate::support::frames::golden_data;
use crate::support::{ddd, drdid};

const ALLOWED: f64 = 1e-3;

fn compare(id: &str, single: Estimate, double: Estimate, worst: &mut [f64; 2]) {
    let (Some(att), Some(se)) = (double.att, double.se) else {
        assert_eq!(single.se, double.se, "{id}");
        return;
    };
    let own = single.att.zip(single.se);
    let (own_att, own_se) = own.unwrap_or_else(|| panic!("{id}: {single:?}"));
    let off = [(own_att - att).abs() / se, (own_se - se).abs() / se];
    assert!(off[0] <= ALLOWED && off[1] <= ALLOWED, "{id}: {single:?} against {double:?}");
    worst.iter_mut().zip(off).for_each(|(w, o)| *w = w.max(o));
}

/// One case in `every`, on a backend in single precision.
pub fn run_some<B: DidBackend>(every: usize) {
    let mut worst = [0.0; 2];
    let mut count = 0;
    for name in drdid::DATASETS {
        let dataset = drdid::Dataset::load(name);
        let data = golden_data(&dataset.dataset);
        for case in dataset.cases.iter().filter(|c| c.draws.is_none()).step_by(every) {
            let single = dataset.fit::<B>(case, &data, Precision::F32);
            let double = dataset.fit::<Cpu>(case, &data, Precision::F64);
            compare(&case.id, single.estimate, double.estimate, &mut worst);
            count += 1;
        }
    }
    for name in ddd::DATASETS.into_iter().chain(["oracle"]) {
        let dataset = ddd::Dataset::load(name);
        for case in dataset.cases.iter().step_by(every) {
            let data = golden_data(case.data.as_deref().unwrap_or(&dataset.dataset));
            let single = dataset.fit::<B>(case, &data, Precision::F32);
            let double = dataset.fit::<Cpu>(case, &data, Precision::F64);
            for (s, d) in single.cells.iter().zip(&double.cells) {
                compare(&case.id, s.estimate, d.estimate, &mut worst);
            }
            count += 1;
        }
    }
    let [att, se] = worst;
    println!("{count} fits on {}: att within {att:.1e} se, se within {se:.1e}", B::NAME);
}

#[test]
fn golden_cases_on_the_cpu() {
    run_some::<Cpu>(1);
}
