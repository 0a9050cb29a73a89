//! Panels in which all units have all periods.

use std::collections::BTreeMap;

use polars::prelude::*;

use super::change::{CohortChange, PanelChange};
use super::frame::PanelFrame;
use super::keys::PanelKeys;
use super::step::{Plan, Step};
use super::survey::{PeriodSet, Survey, has, set_of};
use crate::base::error::{DidError, Result};
use crate::base::words::words;

words! {
    /// How a panel is balanced.
    #[derive(Default)]
    pub enum BalanceRule: "balance" {
        /// Drops units that lack a period which other units have.
        #[default]
        Units = "units",
        /// Drops periods that some unit lacks.
        Periods = "periods",
        /// Drops periods and units so that many rows are left. Periods go one after another: the one that alone most units lack or, where
        /// there is none, the one that most units lack, and of several the latest. Of these panels the largest is kept.
        Largest = "largest",
        /// Drops nothing and adds the missing rows, without values.
        Fill = "fill",
    }
}

/// A rule that drops rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct BalanceStep(pub BalanceRule);

impl Step for BalanceStep {
    fn name(&self) -> &'static str {
        "balance"
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        survey.add_periods(frame)?;
        survey.add_patterns(frame);
        Ok(())
    }

    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        keys: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>> {
        let numbers = survey.numbers();
        let units = Units(survey.patterns.iter().map(|((_, set), units)| (set, *units)).collect());
        let common = match self.0 {
            BalanceRule::Periods => units.common(&numbers),
            BalanceRule::Largest => units.largest(&numbers),
            BalanceRule::Units | BalanceRule::Fill => numbers.clone(),
        };
        let plan = Kept(set_of(common.iter().copied()));
        let complete = |set: &PeriodSet| plan.is_within(set);
        let mut cohorts: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for ((cohort, set), units) in &survey.patterns {
            let stays = if complete(set) { *units } else { 0 };
            change.units_out += stays;
            if let Some(cohort) = cohort {
                let (before, after) = cohorts.entry(*cohort).or_default();
                (*before, *after) = (*before + units, *after + stays);
            }
        }
        // Positive doubles are ordered as their bits.
        let cohort = |(bits, units)| CohortChange::new(f64::from_bits(bits), keys.frequency, units);
        change.cohorts = cohorts.into_iter().map(cohort).collect();
        if change.units_out == 0 || common.is_empty() {
            return Err(DidError::EmptySample {
                after: "that all units have in common".into(),
                remedy: "keep the largest balanced panel (`largest`), or fill the gaps (`fill`)",
            });
        }
        change.add("Units dropped that lack a period", survey.units - change.units_out);
        change.add("Periods dropped", (numbers.len() - common.len()) as u64);
        if common.len() < numbers.len() {
            let lost = (0..numbers.len()).filter(|rank| !common.contains(&numbers[*rank]));
            change.notes.push(format!("Dropped: {}", survey.named(lost, keys)));
        }
        Ok(Box::new(plan))
    }
}

/// Periods that all units of the result have.
struct Kept(PeriodSet);

impl Kept {
    fn is_within(&self, set: &[u64]) -> bool {
        self.0.iter().enumerate().all(|(at, word)| word & !set.get(at).copied().unwrap_or(0) == 0)
    }
}

impl Plan for Kept {
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        _: &mut PanelChange,
    ) -> Result<DataFrame> {
        let numbers = survey.numbers();
        let rank = survey.ranks(frame);
        let number = |row: usize| numbers[rank(row)];
        let mut keep = vec![false; frame.df.height()];
        for unit in &frame.units {
            if self.is_within(&set_of(unit.rows().map(number))) {
                for row in unit.rows() {
                    keep[row] = has(&self.0, number(row));
                }
            }
        }
        Ok(frame.df.filter(&BooleanChunked::from_slice(PlSmallStr::EMPTY, &keep))?)
    }
}

/// How many units have which periods.
struct Units<'a>(Vec<(&'a PeriodSet, u64)>);

impl Units<'_> {
    /// The periods that all have.
    fn common(&self, numbers: &[u16]) -> Vec<u16> {
        let all = |number: &u16| self.0.iter().all(|(set, _)| has(set, *number));
        numbers.iter().copied().filter(all).collect()
    }

    /// The periods of the largest panel that is met.
    fn largest(&self, numbers: &[u16]) -> Vec<u16> {
        let (mut kept, mut best) = (numbers.to_vec(), (0, Vec::new()));
        while !kept.is_empty() {
            let set = set_of(kept.iter().copied());
            let (mut complete, mut alone, mut lacking) = (0, BTreeMap::new(), BTreeMap::new());
            for (own, units) in &self.0 {
                let word = |at: usize| own.get(at).copied().unwrap_or(0);
                let missing: u32 =
                    (0..set.len()).map(|at| (set[at] & !word(at)).count_ones()).sum();
                if missing == 0 {
                    complete += units;
                    continue;
                }
                for number in kept.iter().filter(|number| !has(own, **number)) {
                    *lacking.entry(*number).or_insert(0) += units;
                    if missing == 1 {
                        *alone.entry(*number).or_insert(0) += units;
                    }
                }
            }
            let rows = complete * kept.len() as u64;
            if rows > best.0 {
                best = (rows, kept.clone());
            }
            let most = |counts: &BTreeMap<u16, u64>| {
                let counted =
                    kept.iter().enumerate().filter_map(|(at, n)| Some((*counts.get(n)?, at)));
                counted.max().map(|(_, at)| at)
            };
            match most(&alone).or_else(|| most(&lacking)) {
                Some(at) => drop(kept.remove(at)),
                None => break,
            }
        }
        best.1
    }
}
