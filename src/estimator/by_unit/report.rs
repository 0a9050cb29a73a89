//! Effects by event time in print.

use super::effects::EventEffect;
use crate::base::error::Message;
use crate::report::estimates::{Estimates, Variable};
use crate::report::foot;
use crate::report::number::Digits;
use crate::report::table::{Align, EstimateColumns, Section, Table, aligned, columns};

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

/// The table of averages and of the effects by event time that they are of, but for its words.
pub(in crate::estimator) fn event_table(
    averages: Section,
    effects: &[EventEffect],
    alpha: f64,
) -> Table {
    let mut align = aligned(1);
    align.extend([Align::Right, Align::Right]);
    let effects: Vec<(String, &EventEffect)> =
        effects.iter().map(|of| (of.event_time.to_string(), of)).collect();
    Table {
        align,
        sections: vec![averages, effects_section(None, "Event time", alpha, &effects)],
        estimates: vec![EstimateColumns::from(1)],
        ..Table::default()
    }
}

/// The effects by event time as a table of estimates.
pub(in crate::estimator) fn event_estimates(effects: &[EventEffect]) -> Estimates {
    let at = effects.iter().map(|of| Some(of.event_time as f64));
    let rows: Vec<&EventEffect> = effects.iter().collect();
    effects_table("effects", vec![Variable::numbers("event_time", at)], &rows)
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
    Estimates::new(name, keys, effects.iter().map(|effect| effect.estimate)).with([
        Variable::words("status", effects.iter().map(|effect| Some(effect.code()))),
        Variable::words("reason", effects.iter().map(|effect| effect.reason())),
        counts("n_rows", |effect| effect.n_rows),
        counts("n_treated", |effect| effect.n_treated),
        counts("n_clusters", |effect| effect.n_clusters),
    ])
}

/// Which effects, with their names, have no estimate or no standard error, and why.
pub(in crate::estimator) fn unknown<'a>(
    effects: impl Iterator<Item = (String, &'a EventEffect)>,
) -> Vec<Message> {
    let message = |(name, effect): (String, &EventEffect)| {
        let what = if effect.status.is_estimated() { "standard error" } else { "estimate" };
        Some(format!("{name} has no {what}: {}", effect.reason()?).into())
    };
    effects.filter_map(message).collect()
}

/// [`Comparable`](crate::report::Comparable) of effects by event time: what an estimator says of itself, and what follows from its sample.
macro_rules! compared_by_event_time {
    ($result:ty { $($own:tt)* }) => {
        impl $crate::report::Comparable for $result {
            $($own)*

            fn terms(&self) -> Vec<$crate::report::Term> {
                let study = self.event_study().in_time(self.sample.period_length);
                $crate::report::Comparable::terms(&study)
            }

            fn alpha(&self) -> f64 {
                self.alpha
            }

            fn event_times_count(&self) -> Option<&'static str> {
                Some($crate::report::compare::units_of_time(self.sample.columns.frequency))
            }

            fn outcome(&self) -> Option<String> {
                Some(self.sample.columns.outcome.clone())
            }

            fn remarks(&self) -> Vec<String> {
                let length = self.sample.period_length;
                $crate::estimator::aggregate::counted_periods(length).into_iter().collect()
            }

            #[cfg(feature = "plot")]
            fn comparable_chart(
                &self,
                options: &$crate::report::PlotOptions,
            ) -> $crate::Result<$crate::report::plot::chart::Chart> {
                let study = self.event_study().in_time(self.sample.period_length);
                $crate::report::Comparable::comparable_chart(&study, options)
            }
        }
    };
}

pub(in crate::estimator) use compared_by_event_time;
