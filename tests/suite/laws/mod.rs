//! What holds of every estimator: laws × subjects.
//!
//! A law says what a change of the data, of the machine or of an option must do to the numbers of a fit: nothing, or something
//! known. It is one function of a [`Case`](subject::Case), and `law!` makes a test of it for every estimator. An estimator becomes
//! a subject by an implementation of [`Subject`](subject::Subject) and a list of cases in [`subjects`]; it then has all laws.
//! What holds of one estimator alone stands in its own folder.

/// The tests of a law: one for every subject.
macro_rules! law {
    ($law:ident) => {
        law! { $law: att_gt, drdid, ddd, doses, switching, fixed_effects, sun_abraham, npiv }
    };
    ($law:ident: $($subject:ident),+) => {
        mod $law {
            $(
                #[test]
                fn $subject() {
                    crate::laws::hold(crate::laws::subjects::$subject::cases(), super::$law);
                }
            )+
        }
    };
}

mod files;
mod influence;
mod labels;
mod machine;
mod outliers;
mod report;
mod scales;
mod subject;
mod subjects;
mod times;
mod types;
mod weights;

/// Holds the cases of a subject to a law.
fn hold(cases: Vec<subject::Case>, law: fn(&subject::Case, &mut report::Report)) {
    let mut report = report::Report::default();
    for case in &cases {
        law(case, &mut report);
    }
    report.finish();
}
