//! Regressions with fewer rows than columns, whose cross-products are singular but for rounding.

use burn_did::backend::Cpu;
use burn_did::{Drdid, group_time::CellStatus, options::DrdidMethod};

use crate::formula::Raw;
use crate::random::Random;
use crate::records::{Record, Spelling, frame};

/// Rows of two periods, of which the treated have one in the first.
fn rows(random: &mut Random) -> Vec<Record> {
    let mut row = |t: f64, treated: bool| Record {
        id: None,
        t: Some(t),
        g: Some(if treated { 2.0 } else { f64::INFINITY }),
        y: Some(random.normal()),
        w: None,
        cluster: None,
        eligible: None,
        raw: Raw { x1: Some(10.0 + 20.0 * random.normal()), ..Raw::default() },
    };
    let counts = [(1.0, true, 1), (2.0, true, 20), (1.0, false, 20), (2.0, false, 20)];
    counts.iter().flat_map(|(t, d, n)| vec![(*t, *d); *n]).map(|(t, d)| row(t, d)).collect()
}

#[test]
fn one_row_is_too_few_for_a_slope() {
    let mut random = Random::new(1, 8);
    for design in 0..200 {
        let df = frame(&rows(&mut random), Spelling::default());
        let fit = Drdid::<Cpu>::builder()
            .outcome("y")
            .time("t")
            .treatment("d")
            .covariates("~ x1")
            .method(DrdidMethod::DoublyRobust)
            .repeated_cross_sections(true)
            .build()
            .fit(&df)
            .unwrap();
        let singular = matches!(fit.status, CellStatus::SingularDesign { .. });
        assert!(singular, "design {design}: {:?} {:?}", fit.status, fit.estimate);
    }
}
