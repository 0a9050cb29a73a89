//! Reading groups and periods of a treatment that changes.

use std::collections::BTreeMap;

use polars::prelude::DataFrame;

use super::effects::GroupPeriodRows;
use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::read::columns::{
    Gaps, Kind, Label, LabelColumn, Labels, MISSING, MissingValues, PeriodCodes, ReadAsMissing,
    Table, Values, Wanted, lacking,
};
use crate::read::formula::{Formula, RawColumn};

/// The columns of an estimate of switching treatments.
#[derive(Clone, Debug)]
pub(crate) struct SwitchingColumns {
    pub outcome: String,
    pub treatment: String,
    pub unit: String,
    pub time: String,
    /// Periods of the dates in the time column.
    pub frequency: Option<Frequency>,
    pub weights: Option<String>,
    pub cluster: Option<String>,
    pub covariates: Formula,
    /// Columns whose values say which groups are compared with each other.
    pub trends: Vec<String>,
    /// Columns of numbers that effects may be functions of.
    pub traits: Vec<String>,
}

impl SwitchingColumns {
    /// The columns that are read, and what they are for.
    pub fn wanted(&self) -> Wanted {
        Wanted::default()
            .and("outcome", Kind::Value, [&self.outcome])
            .and("time", Kind::Value, [&self.time])
            .and("treatment", Kind::Value, [&self.treatment])
            .and("weights", Kind::Value, &self.weights)
            .and("unit", Kind::Label, [&self.unit])
            .and("cluster", Kind::Label, &self.cluster)
            .and("covariate", Kind::Value, &self.covariates.variables())
            .and("trend group", Kind::Label, &self.trends)
            .and("heterogeneity", Kind::Value, &self.traits)
    }
}

/// Rows with a period and all controls, of groups with an outcome and a treatment, and what became of the others.
pub(crate) struct GroupPeriods {
    pub rows: GroupPeriodRows,
    /// Periods, ascending.
    pub periods: Vec<f64>,
    pub rows_in: usize,
    /// Rows left out for a missing value, under their first such column.
    pub rows_missing: Vec<(String, usize)>,
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Names of the controls' columns.
    pub controls: Vec<String>,
    /// Columns with infinite values, which are taken as missing, and how many, also in groups that are left out.
    pub infinite: Vec<(String, usize)>,
    /// Columns with integers that are too large to be doubles.
    pub rounded: Vec<String>,
    units: LabelColumn,
    clusters: Option<Labels>,
    /// First row of each group.
    first: Vec<u32>,
}

/// No row can be used, given how many each column cost.
pub(super) fn none_left(missing: &[(String, usize)]) -> DidError {
    let after = "with a group, a period, an outcome and a treatment";
    DidError::no_rows(after, missing, "check the columns for nulls and infinities")
}

impl GroupPeriods {
    /// Reads the columns of a frame; an error if no row can be used.
    pub fn read(df: &DataFrame, asked: &SwitchingColumns, missing: &MissingValues) -> Result<Self> {
        let table = Table::read(df, &asked.wanted(), missing, 0)?;
        let time = table.periods(&asked.time, asked.frequency)?;
        let outcome = table.numbers(&asked.outcome, "outcome")?;
        let treatment = table.numbers(&asked.treatment, "treatment")?;
        let unit = asked.unit.as_str();
        let units = table.labels(unit, "unit")?;
        let codes = units.codes();
        let weight = asked.weights.as_ref().map(|name| table.weights(name)).transpose()?;
        let cluster = asked.cluster.as_ref().map(|name| table.labels(name, "cluster"));
        let cluster = cluster.transpose()?.map(|labels| labels.codes());
        let trend = |name| Ok(table.labels(name, "trend group")?.codes().codes);
        let trends: Vec<Vec<u32>> =
            asked.trends.iter().map(|name| trend(name)).collect::<Result<_>>()?;
        let traits = asked.traits.iter().map(|name| table.numbers(name, "heterogeneity"));
        let traits: Vec<Values> = traits.collect::<Result<_>>()?;
        let raw = |name: &str| RawColumn::from_series(table.series(name, "covariate")?);
        let covariates = asked.covariates.evaluate(table.len(), &raw)?;
        let mut gaps = Gaps::new(table.len());
        gaps.mark(unit, |row| codes.codes[row] != MISSING);
        time.mark_missing(&asked.time, &mut gaps);
        for (name, codes) in asked.trends.iter().zip(&trends) {
            gaps.mark(name, |row| codes[row] != MISSING);
        }
        if let (Some(cluster), Some(name)) = (&cluster, &asked.cluster) {
            gaps.mark(name, |row| cluster.codes[row] != MISSING);
        }
        covariates.mark_missing(&mut gaps);
        let mut rows: Vec<u32> = match &gaps.complete {
            None => (0..).take(table.len()).collect(),
            Some(complete) => {
                (0..).zip(complete).filter_map(|(row, all)| all.then_some(row)).collect()
            }
        };
        let is_infinite = |values: &Values| {
            rows.iter().filter(|row| values[**row as usize].is_infinite()).count()
        };
        let columns_of_numbers = [(&asked.outcome, &outcome), (&asked.treatment, &treatment)]
            .into_iter()
            .chain(asked.weights.iter().zip(&weight))
            .chain(asked.traits.iter().zip(&traits));
        let infinite = columns_of_numbers.map(|(name, values)| (name.clone(), is_infinite(values)));
        let infinite: Vec<(String, usize)> = infinite.filter(|(_, count)| *count > 0).collect();
        let needed = [&*outcome, &*treatment];
        let empty_groups =
            leave_out_empty_groups(&mut rows, &codes.codes, codes.labels.len(), needed);
        if rows.is_empty() {
            let numbers = [(&asked.outcome, &outcome), (&asked.treatment, &treatment)];
            let missing = [gaps.missing, lacking(numbers.into_iter())].concat();
            return Err(none_left(&missing));
        }
        let (group, first) = ranked(&rows, &codes.codes, codes.labels.len());
        let design = covariates.design(&covariates.present(&rows))?;
        let columns = design.covariates();
        let control = |column: usize| {
            let mut values = vec![0.0; rows.len()];
            design.fill(column, &rows, &mut values);
            values
        };
        let taken = |values: &Values| -> Vec<f64> {
            let finite = |v: f64| if v.is_finite() { v } else { f64::NAN };
            rows.iter().map(|row| finite(values[*row as usize])).collect()
        };
        let (period, known) = period_ranks(&rows, &time);
        let rounded = [(&asked.outcome, &outcome), (&asked.treatment, &treatment)];
        let rounded = rounded.into_iter().filter(|(_, values)| values.is_rounded());
        let rounded = rounded.map(|(name, _)| name.clone());
        Ok(Self {
            rows: GroupPeriodRows {
                groups: first.len(),
                periods: known.len(),
                outcome: taken(&outcome),
                treatment: taken(&treatment),
                weight: weight.as_ref().map(taken),
                controls: columns.clone().map(control).collect(),
                trend: (!trends.is_empty()).then(|| combined(&rows, &trends)),
                cluster: cluster
                    .as_ref()
                    .map(|c| rows.iter().map(|row| c.codes[*row as usize]).collect()),
                traits: traits.iter().map(taken).collect(),
                group,
                period,
                empty_groups,
            },
            periods: known,
            rows_in: table.len(),
            rows_missing: gaps.missing,
            read_as_missing: table.read_as_missing,
            controls: design.names()[columns].to_vec(),
            infinite,
            rounded: rounded.chain(covariates.rounded().iter().cloned()).collect(),
            units,
            clusters: cluster.map(|codes| codes.labels),
            first,
        })
    }

    /// Labels of the clusters with these codes; `None` without a column of clusters.
    pub fn cluster_labels(&self, codes: &[u32]) -> Option<Vec<Label>> {
        let labels = self.clusters.as_ref()?;
        Some(codes.iter().map(|code| labels.label(*code as usize)).collect())
    }

    /// Label of a group.
    pub fn label(&self, group: u32) -> String {
        self.units.text(self.first[group as usize] as usize)
    }
}

/// Takes out the rows of groups without any outcome, or without any treatment, and counts the groups. As in R this comes first:
/// neither their periods nor what they have twice matters to others.
fn leave_out_empty_groups(
    rows: &mut Vec<u32>,
    codes: &[u32],
    labels: usize,
    needed: [&[f64]; 2],
) -> usize {
    let mut has_row = vec![false; labels];
    let mut has = vec![[false; 2]; labels];
    for row in rows.iter().map(|row| *row as usize) {
        let group = codes[row] as usize;
        has_row[group] = true;
        for (has, values) in has[group].iter_mut().zip(needed) {
            *has |= values[row].is_finite();
        }
    }
    let empty = has_row.iter().zip(&has).filter(|(there, has)| **there && **has != [true; 2]);
    let empty = empty.count();
    if empty > 0 {
        rows.retain(|row| has[codes[*row as usize] as usize] == [true; 2]);
    }
    empty
}

/// Codes of the rows, numbered from 0 in the order of the labels, and the first row of each.
fn ranked(rows: &[u32], codes: &[u32], labels: usize) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![MISSING; labels];
    for row in rows.iter().rev() {
        first[codes[*row as usize] as usize] = *row;
    }
    let mut rank = vec![MISSING; labels];
    let present = first.iter().enumerate().filter(|(_, row)| **row != MISSING);
    for (next, (label, _)) in (0_u32..).zip(present) {
        rank[label] = next;
    }
    first.retain(|row| *row != MISSING);
    (rows.iter().map(|row| rank[codes[*row as usize] as usize]).collect(), first)
}

/// Ranks of the rows' periods, and the periods.
fn period_ranks(rows: &[u32], time: &PeriodCodes) -> (Vec<u32>, Vec<f64>) {
    let code = |row: &u32| time.codes[*row as usize];
    let known = time.finite(rows.iter().map(|row| &time.codes[*row as usize]));
    let mut rank = vec![MISSING; usize::from(u16::MAX) + 1];
    for row in rows {
        rank[usize::from(code(row))] = 0;
    }
    let present = rank.iter_mut().filter(|rank| **rank != MISSING);
    (0_u32..).zip(present).for_each(|(next, rank)| *rank = next);
    (rows.iter().map(|row| rank[usize::from(code(row))]).collect(), known)
}

/// One code for the values of several columns, in their order.
fn combined(rows: &[u32], columns: &[Vec<u32>]) -> Vec<u32> {
    let key = |row: &u32| -> Vec<u32> { columns.iter().map(|c| c[*row as usize]).collect() };
    if let [only] = columns {
        return rows.iter().map(|row| only[*row as usize]).collect();
    }
    let mut known: BTreeMap<Vec<u32>, u32> = rows.iter().map(|row| (key(row), 0)).collect();
    (0_u32..).zip(known.values_mut()).for_each(|(next, code)| *code = next);
    rows.iter().map(|row| known[&key(row)]).collect()
}
