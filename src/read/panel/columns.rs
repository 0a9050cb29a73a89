//! Reading the named columns of a data frame.

use polars::prelude::*;

use super::codes::LabelColumn;
use super::doses::{check_constant, check_sign, doses, filled, first_treated, is_treated};
use super::excerpt::excerpt;
use super::formula::{Evaluated, RawColumn, Texts};
use super::gaps::Gaps;
use super::kinds::kind;
use super::labels::{Codes, MISSING};
use super::missing::MissingValues;
use super::names::not_found;
use super::order::UnitOrder;
use super::periods::periods;
use super::roles::{Roles, Treatment};
use super::small::{MAX_DISTINCT, SmallCodes, Uncodable};
use super::values::{Numbers, Values};
use crate::base::error::{DidError, Result};

/// Rows as read, one entry each: all rows of a frame, or those of some units of a file.
pub(super) struct Rows {
    pub len: usize,
    /// Outcome, NaN if missing.
    pub y: Values,
    pub time: SmallCodes,
    /// First treated period; [`SmallCodes::INFINITE`] if never treated.
    pub group: SmallCodes,
    /// 1 if eligible, else 0.
    pub eligible: Option<SmallCodes>,
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

/// Units and their rows.
pub(super) struct Units {
    pub labels: LabelColumn,
    pub order: UnitOrder,
}

impl Units {
    /// Label of a unit.
    pub fn label(&self, unit: usize) -> String {
        let first = self.order.range(unit).start;
        self.labels.text(self.order.row(first))
    }
}

impl Rows {
    /// Reads the columns of a frame whose first row has the number `first_row` among all rows.
    pub fn read(df: &DataFrame, roles: &Roles, first_row: usize) -> Result<Self> {
        let column = |name: &str, role| find(df, name, role);
        let numbers = |name: &str, role, null| {
            numeric(column(name, role)?.as_materialized_series(), role, null)
        };
        let labels = |name: &Option<String>, role| -> Result<Option<LabelColumn>> {
            let read = |n: &String| match *n == roles.group {
                // The never-treated may be at infinity.
                true => LabelColumn::with_infinities(column(n, role)?, role),
                false => LabelColumn::new(column(n, role)?, role),
            };
            name.as_ref().map(read).transpose()
        };
        if u32::try_from(df.height()).is_err() {
            return Err(DidError::Config {
                option: "data",
                expected: "at most 4,294,967,295 rows",
                got: df.height().to_string(),
            });
        }
        let y = outcomes(df, roles)?;
        let dated = |name: &str, role, null| {
            numeric(&periods(column(name, role)?, role, roles.frequency, first_row)?, role, null)
        };
        let finite = |t: f64| if t.is_finite() { t } else { f64::NAN };
        let time = dated(&roles.time, "time", f64::NAN)?;
        let time = small(&roles.time, "time", time, first_row, finite)?;
        let binary =
            |name: &String, role| binary(name, role, numbers(name, role, f64::NAN)?, first_row);
        let dose = |n: &String| doses(column(n, "dose")?.as_materialized_series());
        let dose = roles.dose.as_ref().map(dose).transpose()?;
        let unit_labels = labels(&roles.unit, "unit")?;
        let role = roles.treatment.role();
        let group = match roles.treatment {
            Treatment::FirstPeriod => {
                groups(&roles.group, dated(&roles.group, role, f64::INFINITY)?, first_row)?
            }
            Treatment::Indicator => binary(&roles.group, role)?.without_zeros(),
            Treatment::Dose => match (&dose, &unit_labels) {
                (Some(dose), Some(labels)) => first_treated(dose, &time, labels),
                _ => {
                    return Err(DidError::Config {
                        option: "group",
                        expected: "a column where rows have no units",
                        got: "none".into(),
                    });
                }
            },
        };
        let eligible = roles.eligible.as_ref().map(|n| binary(n, "eligibility")).transpose()?;
        let weight = |n: &String| {
            let values = numbers(n, "weights", f64::NAN)?.values();
            refuse_negative(n, &values, first_row)?;
            Ok::<_, DidError>(values)
        };
        let w = roles.weights.as_ref().map(weight).transpose()?;
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
            _ => RawColumn::from_series(column(name, "covariate")?.as_materialized_series()),
        };
        let covariates = roles.covariates.evaluate(df.height(), &raw)?;
        let texts = covariates.texts(&|name| {
            df.column(name).is_ok_and(|c| c.dtype().is_categorical() || c.dtype().is_enum())
        });
        let len = df.height();
        let (complete, missing) = (None, Vec::new());
        let is_rounded = |values: Option<&Values>| values.is_some_and(Values::is_rounded);
        let own = [(&Some(roles.outcome.clone()), Some(&y)), (&roles.weights, w.as_ref())];
        let rounded = own.into_iter().filter(|(_, values)| is_rounded(*values));
        let rounded = rounded.filter_map(|(name, _)| name.clone());
        let rounded = rounded.chain(covariates.rounded().iter().cloned()).collect();
        let mut rows = Self {
            len,
            y,
            time,
            group,
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
        if let (Some(dose), Some(units), Some(name)) = (&dose, &rows.units, &roles.dose) {
            check_sign(&rows, dose, name, roles.treatment, first_row)?;
            check_constant(&rows, units, dose, name)?;
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
        if let Some(name) = &roles.unit {
            gaps.mark(name, |row| unit_codes.get(row).is_none_or(|code| *code != MISSING));
        }
        gaps.mark(&roles.time, |row| !self.time.is_missing(row));
        gaps.mark(&roles.group, |row| !self.group.is_missing(row));
        if let (Some(eligible), Some(name)) = (&self.eligible, &roles.eligible) {
            gaps.mark(name, |row| !eligible.is_missing(row));
        }
        gaps.mark(&roles.outcome, finite(&self.y));
        if let (Some(w), Some(name)) = (&self.w, &roles.weights) {
            gaps.mark(name, finite(w));
        }
        if let (Some(cluster), Some(name)) = (&self.cluster, &roles.cluster) {
            gaps.mark(name, |row| cluster.codes[row] != MISSING);
        }
        if let (Some(dose), Some(name)) = (dose, &roles.dose) {
            let untreated = format!("{name} (0 after treatment)");
            gaps.mark(&untreated, |row| {
                dose[row] != 0.0 || !is_treated(&self.group, &self.time, row)
            });
        }
        gaps.mark_covariates(&self.covariates);
        (self.complete, self.missing) = (gaps.complete, gaps.missing);
    }
}

/// Some columns `[columns][rows]`, of the rows in which all have a finite number, and how many rows have not. A weight is also
/// at least 0.
pub(crate) fn complete_numbers(
    df: &DataFrame,
    columns: &[(&str, &'static str)],
    missing: &MissingValues,
) -> Result<(Vec<Vec<f64>>, usize)> {
    let read = |(name, role): &(&str, &'static str)| -> Result<Values> {
        let series = find(df, name, role)?.as_materialized_series();
        let cleaned = missing.clean(series)?.map(|(series, _)| series);
        let values = numeric(cleaned.as_ref().unwrap_or(series), role, f64::NAN)?.values();
        if *role == "weights" {
            refuse_negative(name, &values, 0)?;
        }
        Ok(values)
    };
    let all: Vec<Values> = columns.iter().map(read).collect::<Result<_>>()?;
    let rows = df.height();
    let complete: Vec<usize> =
        (0..rows).filter(|row| all.iter().all(|values| values[*row].is_finite())).collect();
    let kept = |values: &Values| complete.iter().map(|row| values[*row]).collect();
    Ok((all.iter().map(kept).collect(), rows - complete.len()))
}

/// The outcome, NaN if missing.
pub(super) fn outcomes(df: &DataFrame, roles: &Roles) -> Result<Values> {
    let column = find(df, &roles.outcome, "outcome")?.as_materialized_series();
    Ok(numeric(column, "outcome", f64::NAN)?.values())
}

pub(super) fn find<'a>(df: &'a DataFrame, name: &str, role: &'static str) -> Result<&'a Column> {
    let names = || df.get_column_names().into_iter().map(PlSmallStr::as_str);
    df.column(name).map_err(|_| not_found(name, role, names()))
}

/// A numeric or boolean column, with `null` in place of nulls.
pub(super) fn numeric(series: &Series, role: &'static str, null: f64) -> Result<Numbers> {
    Numbers::new(series, null).ok_or_else(|| DidError::ColumnType {
        column: series.name().to_string(),
        role,
        expected: match role {
            "time" => "numbers, or dates with the option `frequency`",
            "group" => {
                "numbers (0 or missing for never treated), or dates with the option `frequency`"
            }
            _ => "numbers",
        },
        got: described(series),
    })
}

/// The type of a column that should be numeric, and what in it is none.
fn described(series: &Series) -> String {
    let kind = kind(series.dtype());
    let Ok(texts) = series.str() else { return kind };
    let mut other = texts.iter().flatten().filter(|text| text.trim().parse::<f64>().is_err());
    other.next().map_or_else(|| kind.clone(), |text| format!("{kind}, as `{}`", excerpt(text)))
}

pub(super) fn small(
    column: &str,
    role: &'static str,
    numbers: Numbers,
    first_row: usize,
    map: impl Fn(f64) -> f64 + Sync,
) -> Result<SmallCodes> {
    SmallCodes::new(&numbers, map).map_err(|problem| match problem {
        Uncodable::TooMany { distinct } => too_many(column, role, distinct),
        Uncodable::Indistinct { row, value } => {
            let (column, row) = (column.to_owned(), first_row + row);
            DidError::TooManyDigits { column, role, value, row, line: None }
        }
    })
}

/// There are more distinct values than a period or group can have.
pub(super) fn too_many(column: &str, role: &'static str, distinct: usize) -> DidError {
    DidError::TooManyValues { column: column.to_owned(), role, distinct, limit: MAX_DISTINCT }
}

/// First treated periods with never treated (0, +inf, null) as +inf.
fn groups(column: &str, numbers: Numbers, first_row: usize) -> Result<SmallCodes> {
    let codes =
        small(column, "group", numbers, first_row, |g| if g == 0.0 { f64::INFINITY } else { g })?;
    if codes.lowest().is_none_or(|g| g > 0.0) {
        return Ok(codes);
    }
    let negative = |code: &u16| codes.value(*code) < 0.0;
    match codes.codes.iter().position(negative) {
        None => Ok(codes),
        Some(row) => Err(negative_group(column, codes.value(codes.codes[row]), first_row + row)),
    }
}

/// A first treated period is negative.
pub(super) fn negative_group(column: &str, value: f64, row: usize) -> DidError {
    DidError::Negative {
        column: column.to_owned(),
        role: "group",
        value,
        row,
        line: None,
        remedy: "it must be a period, or 0, +inf or missing for never treated; if the number stands for that, name it as a missing value (`missing_values`, `--na`)",
    }
}

/// Zeros and ones.
fn binary(
    column: &str,
    role: &'static str,
    numbers: Numbers,
    first_row: usize,
) -> Result<SmallCodes> {
    let is_binary = |v: f64| v.is_nan() || v == 0.0 || v == 1.0;
    let other = |row: usize, value| {
        let (column, row) = (column.to_owned(), first_row + row);
        DidError::NotBinary { column, role, value, row, line: None }
    };
    let Ok(codes) = SmallCodes::new(&numbers, |v| v) else {
        let values = numbers.values();
        let found = values.iter().position(|v| !is_binary(*v)).unwrap_or(0);
        return Err(other(found, values[found]));
    };
    match codes.first_not(&is_binary) {
        None => Ok(codes),
        Some(row) => Err(other(row, codes.value(codes.codes[row]))),
    }
}

pub(super) fn refuse_negative(column: &str, w: &[f64], first_row: usize) -> Result<()> {
    match w.iter().enumerate().find(|(_, w)| **w < 0.0) {
        None => Ok(()),
        Some((row, w)) => Err(DidError::Negative {
            column: column.to_owned(),
            role: "weights",
            value: *w,
            row: first_row + row,
            line: None,
            remedy: "no weight may be negative",
        }),
    }
}
