//! Reading the named columns of a table.

use super::doses::{check_constant, check_sign, doses, filled, first_treated, is_treated};
use super::roles::{Roles, Treatment};
use super::units::{UnitOrder, Units};
use crate::base::error::{DidError, Result};
use crate::read::columns::{
    Codes, Gaps, LabelColumn, MISSING, PeriodCodes, Table, Values, WithoutGroup,
};
use crate::read::formula::{Evaluated, RawColumn, Texts};

/// Behind the name of a dose or a weight whose rows are left out for what it is.
const UNTREATED: &str = " (0 after treatment)";
const WEIGHTLESS: &str = " (0)";

/// Whether rows are left out for a value that is not missing.
pub(super) fn is_left_out(name: &str) -> bool {
    name.ends_with(UNTREATED) || name.ends_with(WEIGHTLESS)
}

/// Rows as read, one entry each: all rows of a frame, or those of some units of a file.
pub(super) struct Rows {
    pub len: usize,
    /// Outcome, NaN if missing.
    pub y: Values,
    pub time: PeriodCodes,
    /// First treated period; [`PeriodCodes::INFINITE`] if never treated.
    pub group: PeriodCodes,
    /// Rows whose first treated period is written as 0, where periods are negative.
    pub zero_groups: usize,
    /// Rows and units without a first treated period.
    pub without_group: WithoutGroup,
    /// 1 if eligible, else 0.
    pub eligible: Option<PeriodCodes>,
    pub w: Option<Values>,
    pub units: Option<Units>,
    pub cluster: Option<Codes>,
    pub covariates: Evaluated,
    /// What the covariates that are text look like.
    pub texts: Texts,
    /// Whether each row has all its values; `None` if all rows do.
    complete: Option<Vec<bool>>,
    /// Rows dropped for a missing or non-finite value, under their first such column.
    pub missing: Vec<(String, usize)>,
    /// Columns with integers that are too large to be doubles.
    pub rounded: Vec<String>,
}

impl Rows {
    /// Reads the columns of a table whose first row has the number `first_row` among all rows.
    pub fn read(table: &Table<'_>, roles: &Roles, first_row: usize) -> Result<Self> {
        let labels = |name: &Option<String>, role| -> Result<Option<LabelColumn>> {
            let read = |n: &String| match *n == roles.group {
                // The never-treated may be at infinity.
                true => table.levels(n, role),
                false => table.labels(n, role),
            };
            name.as_ref().map(read).transpose()
        };
        let y = table.numbers(&roles.outcome, "outcome")?;
        let time = table.periods(&roles.time, roles.frequency)?;
        let dose = |n: &String| doses(table.series(n, "dose")?);
        let dose = roles.dose.as_ref().map(dose).transpose()?;
        let unit_labels = labels(&roles.unit, "unit")?;
        let group = match roles.treatment {
            Treatment::FirstPeriod => table.first_periods(&roles.group, roles.frequency)?,
            Treatment::Indicator => {
                table.binary(&roles.group, roles.treatment.role())?.without_zeros()
            }
            Treatment::Dose => match (&dose, &unit_labels) {
                (Some(dose), Some(labels)) => first_treated(dose, &time, labels),
                _ => {
                    return Err(DidError::config(
                        "group",
                        "a column where rows have no units",
                        "none",
                    ));
                }
            },
        };
        let zero_groups = match roles.treatment {
            Treatment::FirstPeriod => {
                table.zero_groups(&roles.group, roles.frequency, time.lowest())?
            }
            Treatment::Indicator | Treatment::Dose => 0,
        };
        let eligible =
            roles.eligible.as_ref().map(|n| table.binary(n, "eligibility")).transpose()?;
        let w = roles.weights.as_ref().map(|n| table.weights(n)).transpose()?;
        let mut codes = Vec::new();
        let units = unit_labels.map(|labels| {
            let (order, found) = UnitOrder::new(&labels, &time, &group);
            codes = found;
            Units { labels, order }
        });
        let cluster = labels(&roles.cluster, "cluster")?.map(|labels| labels.codes());
        // Which number an untreated row has as its dose does not matter, nor whether it has one, if groups have a column.
        let filled = match (&dose, &roles.dose, roles.treatment) {
            (Some(dose), Some(name), Treatment::FirstPeriod) => {
                filled(name, dose, |row| is_treated(&group, &time, row))
            }
            _ => None,
        };
        let raw = |name: &str| match &filled {
            Some(dose) if name == dose.name().as_str() => RawColumn::from_series(dose),
            _ => RawColumn::from_series(table.series(name, "covariate")?),
        };
        let covariates = roles.covariates.evaluate(table.len(), &raw)?;
        let texts = covariates.texts(&|name| table.is_categorical(name));
        let len = table.len();
        let (complete, missing) = (None, Vec::new());
        let is_rounded = |values: Option<&Values>| values.is_some_and(Values::is_rounded);
        let numeric = [(&Some(roles.outcome.clone()), Some(&y)), (&roles.weights, w.as_ref())];
        let rounded = numeric.into_iter().filter(|(_, values)| is_rounded(*values));
        let rounded = rounded.filter_map(|(name, _)| name.clone());
        let rounded = rounded.chain(covariates.rounded().iter().cloned()).collect();
        let mut rows = Self {
            len,
            y,
            time,
            group,
            zero_groups,
            without_group: WithoutGroup::default(),
            eligible,
            w,
            units,
            cluster,
            covariates,
            texts,
            complete,
            missing,
            rounded,
        };
        rows.find_incomplete(roles, &codes, dose.as_deref());
        if roles.treatment == Treatment::FirstPeriod {
            let (group, complete) = (|row| rows.group.of_row(row), rows.complete.as_deref());
            rows.without_group = table.without_group(&roles.group, group, complete, |holds| {
                rows.units.as_ref().map(|units| units.order.with(holds))
            })?;
        }
        if let (Some(dose), Some(units), Some(name)) = (&dose, &rows.units, &roles.dose) {
            let treated = |row| is_treated(&rows.group, &rows.time, row);
            let by_dose = roles.treatment == Treatment::Dose;
            check_sign(name, dose, first_row, |row| by_dose || treated(row))?;
            check_constant(name, dose, units, |row| rows.is_complete(row) && treated(row))?;
        }
        Ok(rows)
    }

    /// Rows with a positive weight.
    pub fn weighted(&self) -> usize {
        self.w.as_ref().map_or(self.len, |w| w.iter().filter(|w| **w > 0.0).count())
    }

    /// Whether a row's unit is eligible, if there is such a column and it has a value.
    pub fn eligibility(&self, row: usize) -> Option<bool> {
        let eligible = self.eligible.as_ref().filter(|e| !e.is_missing(row))?;
        Some(eligible.value(eligible.codes[row]) == 1.0)
    }

    /// Whether all rows have all their values.
    pub fn all_complete(&self) -> bool {
        self.complete.is_none()
    }

    /// Whether a row has all its values.
    pub fn is_complete(&self, row: usize) -> bool {
        self.complete.as_ref().is_none_or(|complete| complete[row])
    }

    /// Marks rows with a missing or non-finite value, counting each under its first such column.
    fn find_incomplete(&mut self, roles: &Roles, unit_codes: &[u32], dose: Option<&[f64]>) {
        let mut gaps = Gaps::new(self.len);
        fn finite(values: &[f64]) -> impl Fn(usize) -> bool + Sync {
            |row| values[row].is_finite()
        }
        if let Some(name) = roles.unit.as_ref().filter(|_| !unit_codes.is_empty()) {
            gaps.mark(name, |row| unit_codes[row] != MISSING);
        }
        self.time.mark_missing(&roles.time, &mut gaps);
        self.group.mark_missing(&roles.group, &mut gaps);
        if let (Some(eligible), Some(name)) = (&self.eligible, &roles.eligible) {
            eligible.mark_missing(name, &mut gaps);
        }
        gaps.mark(&roles.outcome, finite(&self.y));
        if let (Some(w), Some(name)) = (&self.w, &roles.weights) {
            gaps.mark(name, finite(w));
        }
        if let (Some(cluster), Some(name)) = (&self.cluster, &roles.cluster) {
            gaps.mark(name, |row| cluster.codes[row] != MISSING);
        }
        if let (Some(dose), Some(name)) = (dose, &roles.dose) {
            let untreated = format!("{name}{UNTREATED}");
            gaps.mark(&untreated, |row| {
                dose[row] != 0.0 || !is_treated(&self.group, &self.time, row)
            });
            // Corrections of curves for few units count those with a weight.
            if let (Some(w), Some(name)) = (&self.w, &roles.weights) {
                gaps.mark(&format!("{name}{WEIGHTLESS}"), |row| w[row] != 0.0);
            }
        }
        self.covariates.mark_missing(&mut gaps);
        (self.complete, self.missing) = (gaps.complete, gaps.missing);
    }
}
