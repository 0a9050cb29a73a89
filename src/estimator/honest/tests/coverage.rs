//! How often confidence sets hold the ends of the identified set, over normal draws of the coefficients.
//!
//! `cargo test --release --lib -- --ignored --nocapture honest::tests::coverage` prints what `tests/recovery/RESULTS.md` keeps.
#![allow(clippy::print_stdout, reason = "prints what it reached")]

use super::*;
use crate::base::parallel;
use crate::base::random::standard_normals;
use crate::base::solve::semidefinite_factor;
use crate::estimator::honest::delta::polyhedra;
use crate::estimator::honest::identified::identified_set;
use crate::estimator::honest::setup::StudySetup;

const REPLICATIONS: usize = 4_000;

/// What must be reached: 95 % less three binomial standard deviations.
const LEAST: f64 = 0.94;

/// A bias before and after treatment, three periods and two; the effects are 0.3 and 0.4.
fn check(name: &str, bias: [f64; 5], options: &Honest, m: f64) {
    let effects = [0.0, 0.0, 0.0, 0.3, 0.4];
    let truth: Vec<f64> = bias.iter().zip(effects).map(|(b, e)| b + e).collect();
    let example = example(2);
    let rows = example.covariance();
    let (factor, rank) = semidefinite_factor(&rows.concat(), 5);
    let (l, _) = options.parameter(&example.event_times()[3..], -1.0).expect("a parameter");
    let sets = polyhedra(options.delta, options.restriction, m, 3, 2);
    let ends = identified_set(&sets, &truth, &l).expect("a bias of the set");
    let effect = dot(&l, &effects[3..]);
    assert!(ends[0] <= effect + 1e-9 && effect <= ends[1] + 1e-9, "{name}: {ends:?}");
    let covered = |replication: usize| {
        let mut z = vec![0.0; rank];
        standard_normals(7, u32::try_from(replication).unwrap_or(0), &mut z);
        let draw = (0..5).map(|i| truth[i] + dot(&factor[i * rank..][..rank], &z));
        let study = EventStudy::new(draw.collect(), rows.clone(), 3, 2);
        let study = study.and_then(|study| EventCoefficients::of(&study)).expect("a study");
        // Each with a critical value of its own, as its users have.
        let options = options.clone().draws(1000, replication as u64);
        let setup = StudySetup::new(&study, &options, l.clone()).expect("a setup");
        match setup.fixed_length(m) {
            Some([lower, upper]) => ends.map(|end| lower <= end && end <= upper),
            None => {
                let tests = setup.tests(m);
                ends.map(|end| tests.accept(end))
            }
        }
    };
    let covered: Vec<[bool; 2]> = parallel::map(REPLICATIONS, covered);
    let share = |i: usize| covered.iter().filter(|c| c[i]).count() as f64 / REPLICATIONS as f64;
    let (lower, upper) = (share(0), share(1));
    let method = options.chosen_method().label();
    println!(
        "{name:34} {:12} {method:12} [{:6.3}, {:6.3}] {:6.1} % {:6.1} %",
        options.delta.name(options.restriction),
        ends[0],
        ends[1],
        100.0 * lower,
        100.0 * upper
    );
    assert!(lower >= LEAST && upper >= LEAST, "{name}: {lower} {upper}");
}

#[test]
#[ignore = "4,000 replications of two dozen designs, minutes"]
fn sets_hold_the_ends_of_the_identified_set() {
    use HonestMethod::{
        Conditional, ConditionalFixedLength, ConditionalLeastFavourable, FixedLength,
    };
    println!(
        "{:34} {:12} {:12} {:16} {:>8} {:>8}",
        "bias", "set", "method", "identified", "lower", "upper"
    );
    let none = [0.0; 5];
    let line = [-0.3, -0.2, -0.1, 0.1, 0.2];
    let jump = [0.2, 0.0, 0.0, 0.2, 0.4];
    let bend = [-0.3, -0.2, -0.1, 0.15, 0.35];
    for method in [Conditional, ConditionalLeastFavourable] {
        let relative = || Honest::relative_magnitude().method(method);
        check("none", none, &relative(), 1.0);
        check("a line", line, &relative(), 1.0);
        check("a line, average", line, &relative().average(), 1.0);
        check("as large as the earliest", jump, &relative(), 1.0);
        let positive = relative().restriction(Restriction::PositiveBias);
        check("a line, sign known", line, &positive, 1.0);
        let bent = Honest::relative_smoothness().method(method);
        check("as bent as before", [-0.25, -0.2, -0.1, 0.15, 0.45], &bent, 1.0);
    }
    for method in [FixedLength, Conditional, ConditionalFixedLength, ConditionalLeastFavourable] {
        let smooth = || Honest::smoothness().method(method);
        check("a line", line, &smooth(), 0.0);
        check("a line that bends", bend, &smooth(), 0.05);
        check("a line that bends, average", bend, &smooth().average(), 0.05);
    }
}
