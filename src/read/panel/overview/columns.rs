//! The columns of a panel that is looked at, as they are read.

use polars::prelude::DataFrame;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::base::BasePeriod;
use super::sums::Moments;
use crate::base::calendar::{Frequency, moved_groups};
use crate::base::error::{DidError, Result};
use crate::read::columns::{
    Codes, Gaps, Kind, MISSING, MissingValues, PeriodCodes, ReadAsMissing, Table, Values, Wanted,
    WithoutGroup,
};
use crate::read::panel::doses::first_treated;
use crate::read::panel::units::{UnitOrder, Units};

/// Values of a variable of which the shift is the median.
const SHIFTED_BY: usize = 101;

/// Which column is what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PanelColumns {
    /// Without one, every row is a unit.
    pub unit: Option<String>,
    pub time: String,
    /// First treated period.
    pub group: Option<String>,
    /// Treatment in every period, 0 if untreated, from which the groups follow if they have no column.
    pub treatment: Option<String>,
    pub outcome: Option<String>,
    pub weights: Option<String>,
    pub cluster: Option<String>,
    /// Numbers or text.
    pub covariates: Vec<String>,
    pub frequency: Option<Frequency>,
    /// Whether rows without the outcome or without a covariate that is a number are looked at, too. What they lack is not finite there.
    pub keeps_gaps: bool,
    /// With which base periods the rows of the outcome are paired.
    pub base: Option<BasePeriod>,
    /// Patterns of observed periods and treatment that are kept, at most.
    pub most_patterns: usize,
    /// What is summed up of numbers.
    pub moments: Moments,
    /// Whether their changes from the period before are, too.
    pub changes: bool,
}

/// A covariate: a number, or a label whose changes are counted.
pub(super) enum Covariate {
    Number(Values),
    Label(Codes),
}

/// The columns of a frame.
pub(super) struct ColumnsRead {
    pub rows: usize,
    pub time: PeriodCodes,
    pub group: PeriodCodes,
    /// Rows whose first treated period is written as 0, where periods are negative.
    pub zero_groups: usize,
    /// Rows and units without a first treated period.
    pub without_group: WithoutGroup,
    /// Groups that rounding alone tells from a period or another group, with what they are taken as.
    pub moved: Vec<(f64, f64)>,
    pub treatment: Option<Values>,
    pub units: Option<Units>,
    pub weights: Option<(String, Values)>,
    pub cluster: Option<(String, Codes)>,
    pub outcome: Option<(String, Values)>,
    pub covariates: Vec<(String, Covariate)>,
    pub read_as_missing: Vec<ReadAsMissing>,
    pub rounded: Vec<String>,
    /// Periods of the rows that lack at most the outcome or covariates, ascending.
    pub placed_periods: Vec<f64>,
    /// Whether rows have all that is needed of them.
    complete: Option<Vec<bool>>,
    missing: Vec<(String, usize)>,
    keeps_gaps: bool,
}

/// Rows that are looked at though they lack the outcome or a covariate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowsWithGaps {
    pub rows: usize,
    /// Those without a value, by column; a row counts for each.
    pub columns: Vec<(String, usize)>,
}

/// The first finite values of each number column in the order of units, of which sums are shifted by the median.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FirstValues(Vec<Vec<f64>>);

impl FirstValues {
    /// Adds those of units that come after.
    pub fn append(&mut self, more: Self) {
        self.0.resize(self.0.len().max(more.0.len()), Vec::new());
        for (own, more) in self.0.iter_mut().zip(more.0) {
            let room = SHIFTED_BY.saturating_sub(own.len());
            own.extend(more.into_iter().take(room));
        }
    }

    /// Whether later values change nothing.
    pub fn are_all(&self) -> bool {
        self.0.iter().all(|values| values.len() >= SHIFTED_BY)
    }

    /// What values are less by in sums: the median of these for levels, nothing for changes.
    pub fn shifts(self, columns: &PanelColumns) -> Vec<f64> {
        let middle = |mut few: Vec<f64>| {
            few.truncate(SHIFTED_BY);
            few.sort_by(f64::total_cmp);
            few.get(few.len() / 2).copied().unwrap_or(0.0)
        };
        let levels: Vec<f64> = self.0.into_iter().map(middle).collect();
        let changes = vec![0.0; if columns.changes { levels.len() } else { 0 }];
        [levels, changes].concat()
    }
}

impl PanelColumns {
    pub fn wanted(&self) -> Wanted {
        Wanted::default()
            .and("outcome", Kind::Value, &self.outcome)
            .and("time", Kind::Value, [&self.time])
            .and("group", Kind::Value, &self.group)
            .and("treatment", Kind::Value, &self.treatment)
            .and("weights", Kind::Value, &self.weights)
            .and("unit", Kind::Label, &self.unit)
            .and("cluster", Kind::Label, &self.cluster)
            .and("covariate", Kind::Value, &self.covariates)
    }

    /// Their names, in the order in which rows are asked for what they hold.
    pub fn names(&self) -> Vec<&String> {
        let Self { unit, time, group, treatment, outcome, weights, cluster, covariates, .. } = self;
        let named = unit.iter().chain([time]).chain(group).chain(treatment).chain(outcome);
        named.chain(weights).chain(cluster).chain(covariates).collect()
    }

    /// Whether rows whose first has the number `first_row` among all rows have columns that can be read.
    ///
    /// # Errors
    /// If a column is not what it is asked for.
    pub fn check(&self, df: &DataFrame, missing: &MissingValues, first_row: usize) -> Result<()> {
        ColumnsRead::read(df, self, missing, None, first_row).map(drop)
    }
}

impl ColumnsRead {
    /// Groups that are `moved` are known where the frame does not have all periods.
    pub fn read(
        df: &DataFrame,
        columns: &PanelColumns,
        missing: &MissingValues,
        moved: Option<&[(f64, f64)]>,
        first_row: usize,
    ) -> Result<Self> {
        let table = Table::read(df, &columns.wanted(), missing, first_row)?;
        let named = |name: &Option<String>, read: &dyn Fn(&str) -> Result<Values>| {
            name.as_ref().map(|name| read(name).map(|values| (name.clone(), values))).transpose()
        };
        let outcome = named(&columns.outcome, &|name| table.numbers(name, "outcome"))?;
        let time = table.periods(&columns.time, columns.frequency)?;
        let weights = named(&columns.weights, &|name| table.weights(name))?;
        let unit_labels =
            columns.unit.as_ref().map(|name| table.labels(name, "unit")).transpose()?;
        let treatment =
            columns.treatment.as_ref().map(|name| table.numbers(name, "treatment")).transpose()?;
        // An infinite treatment is none: its row is left out, and says nothing of when treatment starts.
        let treatment =
            treatment.map(|values| match values.iter().any(|value| value.is_infinite()) {
                true => {
                    let known = |value: &f64| if value.is_finite() { *value } else { f64::NAN };
                    values.iter().map(known).collect::<Vec<f64>>().into()
                }
                false => values,
            });
        let group = match (&columns.group, &treatment, &unit_labels) {
            (Some(name), ..) => table.first_periods(name, columns.frequency)?,
            (None, Some(treatment), Some(labels)) => {
                let size: Vec<f64> = treatment.iter().map(|treatment| treatment.abs()).collect();
                first_treated(&size, &time, labels)
            }
            _ => {
                let expected = "a column, or `treatment` with a `unit`";
                return Err(DidError::config("group", expected, "none"));
            }
        };
        let all_periods = time.finite(time.codes.iter());
        let moved = match moved {
            Some(moved) => moved.to_vec(),
            None => moved_groups(&all_periods, &group.finite(group.codes.iter())),
        };
        let group = group.replaced(&moved);
        let zeros = |name: &String| table.zero_groups(name, columns.frequency, time.lowest());
        let zero_groups = columns.group.as_ref().map_or(Ok(0), zeros)?;
        let codes = |name: &String| table.labels(name, "cluster").map(|labels| labels.codes());
        let cluster =
            columns.cluster.as_ref().map(|name| codes(name).map(|codes| (name.clone(), codes)));
        let cluster = cluster.transpose()?;
        let covariate = |name: &String| -> Result<(String, Covariate)> {
            let dtype = table.series(name, "covariate")?.dtype().clone();
            let covariate =
                match dtype.is_primitive_numeric() || dtype.is_bool() || dtype.is_decimal() {
                    true => Covariate::Number(table.numbers(name, "covariate")?),
                    false => Covariate::Label(table.levels(name, "covariate")?.codes()),
                };
            Ok((name.clone(), covariate))
        };
        let covariates: Vec<_> = columns.covariates.iter().map(covariate).collect::<Result<_>>()?;

        let rows = table.len();
        let (mut complete, mut placed, mut each) = (Gaps::new(rows), Gaps::new(rows), Vec::new());
        let mut mark = |name: &str, places: bool, usable: &(dyn Fn(usize) -> bool + Sync)| {
            let lost = (0..rows).into_par_iter().filter(|row| !usable(*row)).count();
            if lost > 0 {
                each.push((name.to_owned(), lost));
                complete.mark(name, usable);
                if places {
                    placed.mark(name, usable);
                }
            }
        };
        let mut unit_codes = Vec::new();
        let units = unit_labels.map(|labels| {
            let (order, codes) = UnitOrder::new(&labels, &time, &group);
            unit_codes = codes;
            Units { labels, order }
        });
        if let Some(name) = &columns.unit {
            mark(name, true, &|row| unit_codes.get(row).is_none_or(|code| *code != MISSING));
        }
        mark(&columns.time, true, &|row| !time.is_missing(row));
        if let Some(name) = &columns.group {
            mark(name, true, &|row| !group.is_missing(row));
        }
        if let (Some(name), Some(treatment)) = (&columns.treatment, &treatment) {
            mark(name, true, &|row| treatment[row].is_finite());
        }
        let needed_outcome = outcome.iter().filter(|_| !columns.keeps_gaps);
        let numbers =
            needed_outcome.map(|of| (of, false)).chain(weights.iter().map(|of| (of, true)));
        for ((name, values), places) in numbers {
            let values: &[f64] = values;
            mark(name, places, &|row| values[row].is_finite());
        }
        if let Some((name, codes)) = &cluster {
            mark(name, true, &|row| codes.codes[row] != MISSING);
        }
        for (name, covariate) in &covariates {
            match covariate {
                Covariate::Number(_) if columns.keeps_gaps => {}
                Covariate::Number(values) => {
                    let values: &[f64] = values;
                    mark(name, false, &|row| values[row].is_finite());
                }
                Covariate::Label(codes) => mark(name, false, &|row| codes.codes[row] != MISSING),
            }
        }
        let placed_periods = match placed.complete {
            None => all_periods,
            Some(placed) => {
                let codes = time.codes.iter().zip(placed).filter(|(_, placed)| *placed);
                time.finite(codes.map(|(code, _)| code))
            }
        };
        let without_group = |name: &String| {
            let complete = complete.complete.as_deref();
            table.without_group(
                name,
                |row| group.of_row(row),
                complete,
                |holds| units.as_ref().map(|units| units.order.with(holds)),
            )
        };
        let without_group = columns.group.as_ref().map(without_group).transpose()?;
        let numbers = covariates.iter().filter_map(|(name, covariate)| match covariate {
            Covariate::Number(values) => Some((name, values)),
            Covariate::Label(_) => None,
        });
        let numbers =
            outcome.iter().chain(&weights).map(|(name, values)| (name, values)).chain(numbers);
        let rounded =
            numbers.filter(|(_, values)| values.is_rounded()).map(|(name, _)| name.clone());
        Ok(Self {
            rounded: rounded.collect(),
            read_as_missing: table.read_as_missing.clone(),
            placed_periods,
            rows,
            time,
            group,
            zero_groups,
            without_group: without_group.unwrap_or_default(),
            moved,
            treatment,
            units,
            weights,
            cluster,
            outcome,
            covariates,
            complete: complete.complete,
            missing: each,
            keeps_gaps: columns.keeps_gaps,
        })
    }

    /// The number columns: the outcome, then the covariates that are numbers.
    pub fn numbers(&self) -> Vec<(&str, &Values)> {
        let outcome = self.outcome.iter().map(|(name, values)| (name.as_str(), values));
        let covariates = self.covariates.iter().filter_map(|(name, covariate)| match covariate {
            Covariate::Number(values) => Some((name.as_str(), values)),
            Covariate::Label(_) => None,
        });
        outcome.chain(covariates).collect()
    }

    /// The first finite values of each number column.
    pub fn first_values(&self) -> FirstValues {
        let numbers = self.numbers();
        let rows = || -> Box<dyn Iterator<Item = usize> + '_> {
            match &self.units {
                Some(units) => Box::new((0..units.order.units()).flat_map(|u| units.order.unit(u))),
                None => Box::new(0..self.rows),
            }
        };
        let first = |values: &Values| {
            let finite = rows().map(|row| values[row]).filter(|value| value.is_finite());
            finite.take(SHIFTED_BY).collect()
        };
        FirstValues(numbers.iter().map(|(_, values)| first(values)).collect())
    }

    pub fn is_complete(&self, row: usize) -> bool {
        self.complete.as_ref().is_none_or(|complete| complete[row])
    }

    /// Rows without some of the values that are needed.
    pub fn incomplete(&self) -> usize {
        let incomplete = |complete: &Vec<bool>| complete.iter().filter(|c| !**c).count();
        self.complete.as_ref().map_or(0, incomplete)
    }

    /// Rows without a value, by column.
    pub fn missing(&self) -> Vec<(String, usize)> {
        self.missing.clone()
    }

    /// Rows that are looked at without some of the numbers.
    pub fn gaps(&self) -> RowsWithGaps {
        if !self.keeps_gaps {
            return RowsWithGaps::default();
        }
        let numbers = self.numbers();
        let count = |lacks: &(dyn Fn(usize) -> bool + Sync)| {
            let rows = (0..self.rows).into_par_iter();
            rows.filter(|row| self.is_complete(*row) && lacks(*row)).count()
        };
        let of = |(name, values): &(&str, &Values)| {
            ((*name).to_owned(), count(&|row| !values[row].is_finite()))
        };
        let columns: Vec<_> = numbers.iter().map(of).filter(|(_, rows)| *rows > 0).collect();
        if columns.is_empty() {
            return RowsWithGaps::default();
        }
        let lacks = |row: usize| numbers.iter().any(|(_, values)| !values[row].is_finite());
        RowsWithGaps { rows: count(&lacks), columns }
    }
}
