//! What holds of every estimator: laws × subjects.
//!
//! A law says what a change of the data, of the machine or of an option must do to the numbers of a fit: nothing, or something
//! known. It is one function of a [`Case`](subject::Case), and `law!` makes a test of it for every estimator. An estimator becomes
//! a subject by an implementation of [`Subject`](subject::Subject) and a list of cases in [`subjects`]; it then has all laws.
//! What holds of one estimator alone stands in its own folder.

/// The tests of a law: one for every subject. A law that fits a case very often is held to a
/// `few` cases of each, and one that fits it often to `some`.
macro_rules! law {
    ($law:ident) => {
        law! { $law: att_gt, drdid, ddd, doses, switching, fixed_effects, first_stage, sun_abraham, npiv, projections, stacked, etwfe, twfe, joint_study, specification_curve, explore }
    };
    ($law:ident, few) => {
        law! { $law, crate::laws::few: att_gt, drdid, ddd, doses, switching, fixed_effects, first_stage, sun_abraham, npiv, projections, stacked, etwfe, twfe, joint_study, specification_curve, explore }
    };
    ($law:ident, some) => {
        law! { $law, crate::laws::some: att_gt, drdid, ddd, doses, switching, fixed_effects, first_stage, sun_abraham, npiv, projections, stacked, etwfe, twfe, joint_study, specification_curve, explore }
    };
    ($law:ident: $($subject:ident),+) => {
        law! { $law, std::convert::identity: $($subject),+ }
    };
    ($law:ident, $select:path: $($subject:ident),+) => {
        mod $law {
            $(
                #[test]
                fn $subject() {
                    let cases = $select(crate::laws::subjects::$subject::cases());
                    crate::laws::hold(&cases, super::$law);
                }
            )+
        }
    };
}

mod effects;
mod files;
mod groups;
mod influence;
mod labels;
mod machine;
mod missing;
mod outliers;
mod report;
mod scales;
mod subject;
mod subjects;
mod times;
mod types;
mod weights;

/// Holds the cases of a subject to a law.
fn hold(cases: &[subject::Case], law: fn(&subject::Case, &mut report::Report)) {
    let mut report = report::Report::default();
    for case in cases {
        law(case, &mut report);
    }
    report.finish();
}

/// At most six cases, evenly among all.
fn few(cases: Vec<subject::Case>) -> Vec<subject::Case> {
    at_most(6, cases)
}

/// At most twelve cases, evenly among all.
fn some(cases: Vec<subject::Case>) -> Vec<subject::Case> {
    at_most(12, cases)
}

fn at_most(count: usize, cases: Vec<subject::Case>) -> Vec<subject::Case> {
    let step = cases.len().div_ceil(count);
    cases.into_iter().step_by(step).collect()
}
