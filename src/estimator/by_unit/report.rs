//! Effects by event time in print.

use super::effects::EventEffect;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::Digits;
use crate::report::table::{Section, columns};
use crate::report::{facts, foot};

/// A section of effects, with the counts of their regressions.
pub(in crate::estimator) fn effects_section(
    caption: Option<&str>,
    first: &str,
    alpha: f64,
    effects: &[(String, &EventEffect)],
) -> Section {
    let digits = Digits::of(effects.iter().map(|(_, effect)| &effect.estimate));
    let row = |(name, effect): &(String, &EventEffect)| {
        let counts = [effect.n_rows, effect.n_treated].map(|count| match count {
            0 => String::new(),
            count => count.to_string(),
        });
        let own = columns(&effect.estimate, digits);
        std::iter::once(name.clone()).chain(own).chain(counts).collect::<Vec<String>>()
    };
    let [lower, upper] = foot::coefficient_heads(alpha);
    let names = [first, "Estimate", "Std. Error"].map(ToOwned::to_owned);
    let header = names.into_iter().chain([lower, upper, String::new()]);
    let header = header.chain(["Rows", "Treated"].map(ToOwned::to_owned));
    Section {
        caption: caption.map(|caption| format!("{caption}:")),
        header: header.collect(),
        rows: effects.iter().map(row).collect(),
    }
}

/// A table of effects.
pub(in crate::estimator) fn effects_table(
    name: &'static str,
    keys: Vec<Variable>,
    effects: &[&EventEffect],
) -> Estimates {
    let counts = |name: &str, of: fn(&EventEffect) -> usize| {
        Variable::counts(name, effects.iter().map(|effect| Some(of(effect))))
    };
    let [status, reason] = facts::statuses(effects.iter().map(|effect| &effect.status), None);
    Estimates::new(name, keys, effects.iter().map(|effect| effect.estimate)).with([
        status,
        reason,
        counts("n_rows", |effect| effect.n_rows),
        counts("n_treated", |effect| effect.n_treated),
        counts("n_clusters", |effect| effect.n_clusters),
    ])
}
