//! Chapters on other estimators: what a two-way regression averages, several estimators of one sample, and all combinations of choices.

use super::run::{Plan, Run, said};
use crate::estimator::twfe::{Bacon, TwfeWeights};
use crate::report::foot::p_value;

/// What the chapter on the two-way regression is for.
pub(super) const TWO_WAY: &str = "A regression with effects of units and periods compares every cohort with every other, also with those that are treated \
    already. Large weights of such comparisons, and negative weights of effects, say why it need not estimate an average effect.";

/// What the chapter on other estimators is for.
pub(super) const ESTIMATORS: &str = "Estimators that are right under heterogeneous effects, on the same sample, with a test for each two that they agree; and the \
    effect under all combinations of the choices that were asked for. All of them share the assumption of parallel trends.";

/// Goodman-Bacon's comparisons, and the weights of effects, if they are asked for.
pub(super) fn two_way(run: &mut Run<'_>) {
    let study = run.study;
    let Some(unit) = study.unit.as_ref().filter(|_| study.two_way) else { return };
    let plan = Plan {
        name: "bacon".into(),
        title: match &study.weights {
            None => "Comparisons of two cohorts each".into(),
            Some(weights) => {
                format!("Comparisons of two cohorts each, without the weights {weights}")
            }
        },
        command: study.two_way("bacon").drawn(study, "bacon"),
        alt: Some("Each comparison's estimate and its weight in the regression".into()),
    };
    let config = Bacon::builder().outcome(&*study.outcome).unit(&**unit).time(&*study.time);
    let config = config.group(&*study.group).maybe_cluster(study.cluster.clone());
    let config = config.maybe_frequency(study.frequency).alpha(study.alpha);
    let config = config.maybe_missing_values(study.missing_values.clone());
    let config = config.maybe_memory_budget(study.memory_budget).build();
    let made = said(config.fit(study.data.clone()));
    run.show(plan, made);
    let plan = Plan {
        name: "twfe-weights".into(),
        title: "Weights of the effects by group and period".into(),
        command: study.two_way("twfe-weights").drawn(study, "twfe-weights"),
        alt: Some("Weights of effects in the regression, by group and period".into()),
    };
    let config = TwfeWeights::builder().outcome(&*study.outcome).unit(&**unit).time(&*study.time);
    let config = config.group(&*study.group).maybe_weights(study.weights.clone());
    let config = config.maybe_frequency(study.frequency);
    let config = config.maybe_missing_values(study.missing_values.clone());
    let config = config.maybe_memory_budget(study.memory_budget).build();
    let made = said(config.fit(study.data.clone()));
    run.show(plan, made);
}

/// Several estimators side by side, and the specification curve, if they are asked for.
pub(super) fn estimators(run: &mut Run<'_>) {
    let study = run.study;
    if !study.estimators.is_empty() {
        let plan = Plan {
            name: "estimators".into(),
            title: "Effects by time since treatment".into(),
            command: study.several(&[]).drawn(study, "estimators"),
            alt: Some("Event studies of all estimators side by side, with intervals".into()),
        };
        let made = said((run.fit.joint)());
        run.show(plan, made);
    }
    if study.vary.is_empty() {
        return;
    }
    let plan = Plan {
        name: "specifications".into(),
        title: "All combinations of choices".into(),
        command: study.several(&study.vary).drawn(study, "specifications"),
        alt: Some("Effects in ascending order, and below each the choices behind it".into()),
    };
    let made = said((run.fit.curve)());
    let Some(curve) = run.show(plan, made) else { return };
    if let Some(tests) = curve.tests {
        let p = p_value(tests.median_p_value);
        let p = if p.starts_with('<') { p } else { format!("= {p}") };
        let value = format!(
            "{} of {} significant with one sign; test that the median is zero: p {p}",
            tests.n_significant, tests.n
        );
        let times = curve.event_times_in_words();
        run.find(format!("Specifications, averages over {times}"), value, "specifications");
    }
}
