//! Effects by level of the moderator in print.

use super::estimates;
use crate::base::calendar::label;
use crate::base::error::Message;
use crate::estimator::etwfe::{EtwfeEffect, EtwfeLevel, EtwfeResult};
use crate::report::estimates::{Estimates, Variable};
use crate::report::facts;
use crate::report::table::Section;
use crate::result::inference::Estimate;

impl EtwfeResult {
    fn moderator(&self) -> &str {
        self.settings.moderator.as_deref().unwrap_or_default()
    }

    /// Averages by level with their differences from the first, and those of each level by event time.
    pub(super) fn sections_by_level(&self) -> Vec<Section> {
        let Some(first) = self.by_level.first() else { return Vec::new() };
        let name = self.moderator();
        let of = |estimate: Estimate, n_rows: usize| EtwfeEffect {
            estimate,
            n_rows,
            ..EtwfeEffect::default()
        };
        let averages =
            self.by_level.iter().map(|own| (own.level.clone(), of(own.overall, own.n_treated)));
        let differences = self.by_level.iter().filter_map(|own| {
            let less = format!("{} - {}", own.level, first.level);
            Some((less, of(own.difference?, 0)))
        });
        let (names, effects): (Vec<String>, Vec<EtwfeEffect>) = averages.chain(differences).unzip();
        let mut sections =
            vec![self.section(&format!("By level of {name}"), name, &names, &effects)];
        sections.extend(self.by_level.iter().map(|own| {
            let caption = format!("By time since treatment, {name} = {}", own.level);
            let at =
                own.by_event_time.iter().map(|of| of.event_time.map_or_else(String::new, label));
            self.section(&caption, "Event time", &at.collect::<Vec<String>>(), &own.by_event_time)
        }));
        sections
    }

    pub(super) fn estimates_by_level(&self) -> Vec<Estimates> {
        let Some(first) = self.by_level.first() else { return Vec::new() };
        let frequency = self.settings.columns.frequency;
        let levels = |of: Vec<&EtwfeLevel>| {
            Variable::words("level", of.into_iter().map(|of| Some(of.level.as_str())))
        };
        let all: Vec<&EtwfeLevel> = self.by_level.iter().collect();
        let others: Vec<&EtwfeLevel> = self.by_level[1..].iter().collect();
        let differences = others.iter().map(|of| of.difference.unwrap_or_default());
        let base = others.iter().map(|_| Some(first.level.as_str()));
        let mut tables = vec![
            Estimates::new("levels", vec![levels(all.clone())], all.iter().map(|of| of.overall))
                .with([Variable::counts("n_rows", all.iter().map(|of| Some(of.n_treated)))]),
            Estimates::new(
                "level_differences",
                vec![levels(others.clone()), Variable::words("less_level", base)],
                differences,
            ),
        ];
        let mut by = |table: &'static str,
                      of: fn(&EtwfeLevel) -> &Vec<EtwfeEffect>,
                      key: &dyn Fn(&[EtwfeEffect]) -> Variable| {
            let rows =
                all.iter().flat_map(|own| of(own).iter().map(move |effect| (*own, effect.clone())));
            let (own, effects): (Vec<&EtwfeLevel>, Vec<EtwfeEffect>) = rows.unzip();
            tables.push(estimates(table, vec![levels(own), key(&effects)], &effects));
        };
        by("level_event_times", |own| &own.by_event_time, &|of| {
            Variable::numbers("event_time", of.iter().map(|of| of.event_time))
        });
        by("level_groups", |own| &own.by_group, &|of| {
            facts::periods("group", frequency, of.iter().map(|of| of.group))
        });
        by("level_periods", |own| &own.by_period, &|of| {
            facts::periods("time", frequency, of.iter().map(|of| of.time))
        });
        tables
    }

    /// Where averages by level have no value.
    pub(super) fn message_by_level(&self) -> Option<Message> {
        let name = self.settings.moderator.as_ref()?;
        let without = |effects: &[EtwfeEffect]| -> Vec<f64> {
            let lost = effects.iter().filter(|of| of.estimate.estimate.is_none());
            lost.filter_map(|of| of.event_time).collect()
        };
        let mut times: Vec<f64> =
            self.by_level.iter().flat_map(|own| without(&own.by_event_time)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let at = |time: &f64| {
            let lost =
                self.by_level.iter().filter(|own| without(&own.by_event_time).contains(time));
            let levels: Vec<&str> = lost.map(|own| own.level.as_str()).collect();
            (levels.join(", "), label(*time))
        };
        let places: Vec<(String, String)> = times.iter().map(at).collect();
        // Event times with the same levels together.
        let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
        for (levels, time) in &places {
            match found.iter_mut().find(|(own, _)| own == levels) {
                Some((_, times)) => times.push(time),
                None => found.push((levels, vec![time])),
            }
        }
        if found.is_empty() {
            return None;
        }
        let shown =
            |(levels, times): &(&str, Vec<&str>)| format!("{} (levels {levels})", times.join(", "));
        Some(format!(
            "effects by level of {name} are not told apart at event time {}: they depend on {}; slopes are about the means of cohorts, so that all levels of a cohort are concerned; leave such a level out (`rows`, `--rows`), or merge it with another",
            found.iter().map(shown).collect::<Vec<_>>().join("; "), self.left_out()
        ).into())
    }
}
