//! Two-period comparisons and triple differences on other backends and in single precision, against the CPU in double
//! precision: estimates in its standard errors, standard errors relatively.

use burn_did::backend::{Cpu, DidBackend};
use burn_did::{Estimate, options::Precision};

use crate::doses::estimates;
use crate::support::frames::golden_data;
use crate::support::{ddd, doses, drdid};

/// Whether there is a device for this precision; says so if not, or fails if the environment variable requires one.
#[cfg(any(feature = "wgpu", feature = "cuda"))]
pub fn usable<B: DidBackend>(precision: Precision, required: &str) -> bool {
    if let Err(error) = B::probe(&Default::default(), precision) {
        assert!(std::env::var_os(required).is_none(), "{error}");
        println!("skipped: {error}");
        return false;
    }
    true
}

/// Largest distance of a precision.
fn allowed(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 1e-3,
        _ => 1e-9,
    }
}

fn compare(id: &str, here: Estimate, cpu: Estimate, allowed: f64, worst: &mut [f64; 2]) {
    let (Some(att), Some(se)) = (cpu.estimate, cpu.se) else {
        assert_eq!(here.se, cpu.se, "{id}");
        return;
    };
    let own = here.estimate.zip(here.se);
    let (own_att, own_se) = own.unwrap_or_else(|| panic!("{id}: {here:?}"));
    let off = [(own_att - att).abs() / se, (own_se - se).abs() / se];
    assert!(off.iter().all(|off| *off <= allowed), "{id}: {here:?} against {cpu:?}");
    worst.iter_mut().zip(off).for_each(|(w, o)| *w = w.max(o));
}

/// One in so many cases of two periods and of triple differences, on a backend.
pub fn two_periods_and_triple_differences<B: DidBackend>(precision: Precision, one_in: usize) {
    let allowed = allowed(precision);
    let mut worst = [0.0; 2];
    let mut count = 0;
    for name in drdid::DATASETS {
        let dataset = drdid::Dataset::load(name);
        let data = golden_data(&dataset.dataset);
        for case in dataset.cases.iter().filter(|c| c.draws.is_none()).step_by(one_in) {
            let here = dataset.fit::<B>(case, &data, precision);
            let cpu = dataset.fit::<Cpu>(case, &data, Precision::F64);
            compare(&case.id, here.estimate, cpu.estimate, allowed, &mut worst);
            count += 1;
        }
    }
    for name in ddd::DATASETS.into_iter().chain(["oracle"]) {
        let dataset = ddd::Dataset::load(name);
        for case in dataset.cases.iter().step_by(one_in) {
            let data = golden_data(case.data.as_deref().unwrap_or(&dataset.dataset));
            let here = dataset.fit::<B>(case, &data, precision);
            let cpu = dataset.fit::<Cpu>(case, &data, Precision::F64);
            for (h, c) in here.cells.iter().zip(&cpu.cells) {
                compare(&case.id, h.estimate, c.estimate, allowed, &mut worst);
            }
            count += 1;
        }
    }
    let [att, se] = worst;
    println!("{count} fits on {}: att within {att:.1e} se, se within {se:.1e}", B::NAME);
}

/// One in so many cases of a continuous treatment, on a backend.
pub fn continuous_treatments<B: DidBackend>(precision: Precision, one_in: usize) {
    let allowed = allowed(precision);
    let (mut worst, mut count) = ([0.0f64; 2], 0);
    for dataset in doses::DATASETS {
        let (data, cases) = doses::golden(dataset);
        for case in cases.iter().step_by(one_in) {
            let mut here = doses::golden_config::<B>(case);
            here.precision = precision;
            let here = here.fit(&data).unwrap();
            let cpu = doses::golden_config::<Cpu>(case).fit(&data).unwrap();
            let (here, cpu) = (estimates(&here), estimates(&cpu));
            assert_eq!(here.len(), cpu.len(), "{}", case["id"]);
            for (own, (name, att, se)) in here.iter().zip(&cpu) {
                let off = [(own.1 - att).abs() / se, (own.2 - se).abs() / se];
                assert!(off.iter().all(|o| *o <= allowed), "{}, {name}: {off:?}", case["id"]);
                worst.iter_mut().zip(off).for_each(|(w, o)| *w = w.max(o));
            }
            count += 1;
        }
    }
    let [att, se] = worst;
    println!("{count} fits on {}: att within {att:.1e} se, se within {se:.1e}", B::NAME);
}

#[test]
fn golden_cases_on_the_cpu_in_single_precision() {
    two_periods_and_triple_differences::<Cpu>(Precision::F32, 3);
}

#[test]
fn golden_cases_of_continuous_treatments_on_the_cpu_in_single_precision() {
    continuous_treatments::<Cpu>(Precision::F32, 3);
}
