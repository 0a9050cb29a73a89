//! Every golden case of R `did`, one test a data set.

use std::collections::HashSet;

use burn_did::backend::Cpu;
use burn_did::options::Precision;

use crate::support::golden::{DATASETS, Dataset, run_dataset};
use crate::support::tolerance::{Rule, SINGLE_PRECISION};

macro_rules! datasets {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            run_dataset::<Cpu>(stringify!($name), Precision::F64, Rule::Reference, 1);
        })*

        const TESTED: &[&str] = &[$(stringify!($name)),*];
    };
}

datasets!(antic_a, collin_a, mpdta, nonever_a, rcs_a, scale_a, small_a, stag_a, tvw_a, unbal_a);

#[test]
fn every_case_is_tested() {
    assert_eq!(TESTED, DATASETS);
    let ids: Vec<String> = DATASETS
        .iter()
        .flat_map(|name| Dataset::load(name).cases)
        .inspect(|case| assert_eq!(case.att.len(), case.se.len(), "{}", case.id))
        .map(|case| case.id)
        .collect();
    assert_eq!(ids.len(), 560);
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 560);
}

/// The rule that devices without double precision are held to.
#[test]
fn single_precision_is_within_a_thousandth_of_a_standard_error() {
    for name in DATASETS {
        run_dataset::<Cpu>(name, Precision::F32, SINGLE_PRECISION, 3);
    }
}
