//! What the data show before there are rules: all that these are decided from.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::additive::Additive;
use super::audit::SampleAudit;
use super::frame::Frame;
use super::mistakes::{status_as_group, zero_groups};
use super::patterns::Pattern;
use super::request::Request;
use super::roles::{Roles, Treatment};
use super::rules::{Rules, SampleExtent};
use super::sizes::check_cells;
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::columns::{MAX_DISTINCT, ReadAsMissing, WithoutGroup, add_counts, too_many};
#[cfg(feature = "cluster")]
use crate::read::formula::Formula;
use crate::read::formula::{Kinds, Texts};

/// Counts of rows and units.
///
/// Its size is that of what differs between units, not of their number: the distinct patterns of observed periods. Where
/// nearly every unit of a long unbalanced panel has a pattern of its own, that grows with the number of units all the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Survey {
    /// Rows read.
    rows: usize,
    /// Rows with a positive weight.
    pub weighted: usize,
    /// Units of each pattern.
    pub units: BTreeMap<Pattern, usize>,
    /// Kinds of the covariates; `None` of no rows.
    pub kinds: Option<Kinds>,
    texts: Texts,
    read_as_missing: Vec<ReadAsMissing>,
    /// Rows with a missing or non-finite value, by their first such column.
    rows_missing: Vec<(String, usize)>,
    /// Columns with integers that are too large to be doubles.
    rounded: Vec<String>,
    /// Bits of the distinct periods, and of the groups but for the never treated.
    periods: BTreeSet<u64>,
    groups: BTreeSet<u64>,
    /// Rows whose first treated period is written as 0, where periods are negative.
    zero_groups: usize,
    /// Rows and units without a first treated period; behind a pointer, as messages have other parts that are small.
    without_group: Box<WithoutGroup>,
}

impl Survey {
    /// What a frame shows.
    pub fn of(frame: &Frame) -> Self {
        let Frame { rows, patterns, read_as_missing } = frame;
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect();
        let (periods, groups) = if rows.all_complete() {
            (bits(&patterns.periods), bits(&patterns.groups))
        } else {
            (
                bits(&rows.time.finite(rows.time.codes.iter())),
                bits(&rows.group.finite(rows.group.codes.iter())),
            )
        };
        Self {
            rows: rows.len,
            weighted: rows.weighted(),
            units: patterns.counts(),
            kinds: Some(rows.covariates.kinds()),
            texts: rows.texts.clone(),
            read_as_missing: read_as_missing.clone(),
            rows_missing: rows.missing.clone(),
            rounded: rows.rounded.clone(),
            periods,
            groups,
            zero_groups: rows.zero_groups,
            without_group: Box::new(rows.without_group),
        }
    }

    /// # Errors
    /// [`DidError::TooManyValues`] if there are too many distinct periods or groups.
    pub fn check_values(&self, roles: &Roles) -> Result<()> {
        for (found, column, role) in [
            (&self.periods, &roles.time, "time"),
            (&self.groups, &roles.group, roles.treatment.role()),
        ] {
            if found.len() > MAX_DISTINCT {
                return Err(too_many(column, role, found.len()));
            }
        }
        Ok(())
    }

    /// The survey restricted to atoms of these kinds, for another formula whose atoms the survey's formula contains.
    ///
    /// # Errors
    /// The column for which rows are missing that such a formula would not miss.
    #[cfg(feature = "cluster")]
    pub fn select(
        &self,
        (formula, other): (&Formula, &Formula),
        kinds: Kinds,
        roles: &Roles,
    ) -> std::result::Result<Self, String> {
        let names = roles.wanted().names();
        let (known, wanted) = (formula.needs(), other.needs());
        let is_lost = |name: &str| {
            known.contains(&name) && !wanted.contains(&name) && !names.iter().any(|n| n == name)
        };
        if let Some((name, _)) = self.rows_missing.iter().find(|(name, _)| is_lost(name)) {
            return Err(name.clone());
        }
        let mut survey = Self {
            kinds: Some(kinds),
            texts: self.texts.select(&other.variables()),
            ..self.clone()
        };
        survey.read_as_missing.retain(|entry| !is_lost(&entry.column));
        survey.rounded.retain(|column| !is_lost(column));
        Ok(survey)
    }

    /// The rules of the sample; `audit` says where the rows come from.
    pub fn rules(&self, request: &Request<'_>, mut audit: SampleAudit) -> Result<Rules> {
        self.texts.check()?;
        audit.rows_in += self.rows;
        audit.rows_missing.clone_from(&self.rows_missing);
        add_counts(&mut audit.read_as_missing, &self.read_as_missing);
        if request.roles.treatment == Treatment::FirstPeriod {
            self.without_group.mark(&request.roles.group, &mut audit.read_as_missing);
        }
        if let Some(column) = request.roles.weights.as_ref().filter(|_| self.weighted == 0) {
            let problem = format!(
                "all weights of the {} rows are zero or missing; give a positive weight to the rows that count",
                audit.rows_in
            );
            return Err(DidError::Weights { column: column.clone(), problem });
        }
        let check = |extent: &SampleExtent| check_cells(extent, request);
        let mut rules = Rules::new(&self.units, &request.options, audit, &check)
            .map_err(|error| self.explained(error, request))?;
        for warning in &mut rules.warnings {
            if let DidWarning::FarGroup { column, .. } = warning {
                column.clone_from(&request.roles.group);
            }
        }
        let periods = self.units.keys().flat_map(|pattern| &pattern.periods).copied();
        let zeros = zero_groups(&request.roles.group, self.zero_groups, periods);
        rules.warnings.extend(zeros.filter(|_| !rules.two_periods));
        // Rows are what is counted where they are no panel.
        let is_panel = !request.options.repeated_cross_sections;
        let units = self.without_group.units.filter(|_| is_panel);
        let without_group = WithoutGroup { units, ..*self.without_group };
        let groups = self.units.keys().map(|pattern| pattern.cohort.group);
        let periods = self.units.keys().flat_map(|pattern| &pattern.periods).copied();
        rules.warnings.extend(without_group.warnings(&request.roles.group, groups, periods));
        if !self.rounded.is_empty() {
            rules.warnings.push(DidWarning::RoundedIntegers { columns: self.rounded.clone() });
        }
        Ok(rules)
    }
}

impl Survey {
    /// An error about groups that are 0 and 1 says so.
    fn explained(&self, error: DidError, request: &Request<'_>) -> DidError {
        let Roles { group, treatment, frequency, .. } = request.roles;
        let groups = self.units.keys().map(|pattern| pattern.cohort.group);
        let no_group =
            matches!(error, DidError::NoValidGroups { .. } | DidError::TooFewPeriods { .. });
        let periods = self.units.keys().flat_map(|pattern| &pattern.periods).copied();
        match (error, *treatment) {
            (error, Treatment::FirstPeriod) if no_group => {
                status_as_group(group, groups, periods, *frequency).unwrap_or(error)
            }
            (DidError::NoValidGroups { anticipating }, treatment) => DidError::NobodyTreated {
                column: group.clone(),
                role: treatment.role(),
                anticipating,
            },
            (error, _) => error,
        }
    }
}

impl Additive for Survey {
    fn merge(&mut self, other: Self) -> Result<()> {
        match (&self.kinds, &other.kinds) {
            (Some(known), Some(more)) => known.check_same(more)?,
            (None, _) => {
                *self = other;
                return Ok(());
            }
            (Some(_), None) => return Ok(()),
        }
        self.rows += other.rows;
        self.weighted += other.weighted;
        for (pattern, units) in other.units {
            *self.units.entry(pattern).or_default() += units;
        }
        self.texts.join(&other.texts);
        add_counts(&mut self.read_as_missing, &other.read_as_missing);
        for (column, rows) in other.rows_missing {
            match self.rows_missing.iter_mut().find(|(known, _)| *known == column) {
                Some((_, count)) => *count += rows,
                None => self.rows_missing.push((column, rows)),
            }
        }
        for column in other.rounded {
            if !self.rounded.contains(&column) {
                self.rounded.push(column);
            }
        }
        self.periods.extend(other.periods);
        self.groups.extend(other.groups);
        self.zero_groups += other.zero_groups;
        self.without_group.add(*other.without_group);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;
    use crate::read::panel::fixture::{NEVER, frame, request, roles, sent, staggered};
    use crate::read::panel::strata::Cohort;

    /// Two complete units and one without an outcome in its first period.
    const ROWS: [(i64, f64, f64, f64); 6] = [
        (1, 1.0, 2.0, 0.5),
        (1, 2.0, 2.0, 1.5),
        (2, 1.0, 2.0, 2.5),
        (2, 2.0, 2.0, 3.5),
        (3, 1.0, NEVER, f64::NAN),
        (3, 2.0, NEVER, 5.5),
    ];

    fn survey(df: &DataFrame, roles: &Roles) -> Survey {
        Survey::of(&Frame::new(df, request(roles, staggered()).reader()).unwrap())
    }

    fn pattern(group: f64, periods: &[f64]) -> Pattern {
        Pattern { cohort: Cohort { group, eligible: true }, periods: periods.to_vec() }
    }

    #[test]
    fn rows_and_patterns_are_counted() {
        let found = survey(&frame(&ROWS), &roles("~ 1"));
        assert_eq!((found.rows, found.weighted), (6, 6));
        let expected = [(pattern(2.0, &[1.0, 2.0]), 2), (pattern(NEVER, &[2.0]), 1)];
        assert_eq!(found.units, BTreeMap::from(expected));
        assert_eq!(found.rows_missing, [("y".to_owned(), 1)]);
        assert_eq!((found.periods.len(), found.groups.len()), (2, 1));
    }

    #[test]
    fn frames_add_up() {
        let roles = roles("~ 1");
        let (whole, parts) = (survey(&frame(&ROWS), &roles), [0..2, 2..6]);
        let [first, second] = parts.map(|rows| sent(&survey(&frame(&ROWS[rows]), &roles)));
        let mut ascending = Survey::default();
        ascending.merge(first.clone()).unwrap();
        ascending.merge(second.clone()).unwrap();
        ascending.merge(Survey::default()).unwrap();
        assert_eq!(ascending, whole);
        let mut descending = second;
        descending.merge(first).unwrap();
        assert_eq!(descending, whole);
    }

    #[test]
    fn values_of_incomplete_rows_count_as_values() {
        let rows = [(1, 1.0, 2.0, 0.5), (1, 2.0, 2.0, 1.5), (2, 7.0, 5.0, f64::NAN)];
        let found = survey(&frame(&rows), &roles("~ 1"));
        assert_eq!((found.periods.len(), found.groups.len()), (3, 2));
    }

    #[test]
    fn too_many_values_of_all_frames_are_refused() {
        let roles = roles("~ 1");
        let mut found = survey(&frame(&ROWS), &roles);
        assert!(found.check_values(&roles).is_ok());
        found.groups = (0..=MAX_DISTINCT as u64).collect();
        let error = found.check_values(&roles).unwrap_err();
        assert!(matches!(error, DidError::TooManyValues { distinct: 10_001, .. }), "{error}");
    }

    #[test]
    fn frames_whose_covariates_differ_in_kind_do_not_add_up() {
        let with = |values: Column| {
            let mut df = frame(&ROWS[..2]);
            df.with_column(values).unwrap();
            survey(&df, &roles("~ x"))
        };
        let mut numbers = with(Column::new("x".into(), [1.0, 2.0]));
        let categories = with(Column::new("x".into(), ["a", "b"]));
        assert!(matches!(numbers.merge(categories), Err(DidError::ColumnType { .. })));
    }

    #[test]
    fn weights_that_are_all_zero_are_refused() {
        let mut df = frame(&ROWS);
        df.with_column(Column::new("w".into(), [0.0; 6])).unwrap();
        let roles = Roles { weights: Some("w".into()), ..roles("~ 1") };
        let found = survey(&df, &roles);
        assert_eq!(found.weighted, 0);
        let error = found.rules(&request(&roles, staggered()), SampleAudit::default()).unwrap_err();
        assert!(error.to_string().contains("all weights of the 6 rows are zero"), "{error}");
    }
}
