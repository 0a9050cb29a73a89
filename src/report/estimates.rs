//! Estimates as columns: what frames, CSV, JSON and comparisons are made from.

use polars::prelude::{Column, CsvWriter, DataFrame, DataType, SerWriter, polars_err};
use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};

use crate::base::error::Result;
use crate::result::inference::Estimate;

/// Integers from here on have neighbours that are the same number in double precision.
pub(crate) const LARGEST_INTEGER: f64 = 9_007_199_254_740_992.0;

/// The values of a column; what does not exist is `None`.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Numbers(Vec<Option<f64>>),
    Counts(Vec<Option<u64>>),
    Integers(Vec<Option<i64>>),
    Flags(Vec<Option<bool>>),
    Words(Vec<Option<String>>),
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    name: String,
    values: Values,
}

/// Estimates of one kind: each with its keys, such as group and time, and further columns.
#[derive(Clone, Debug)]
pub struct Estimates {
    /// Name in documents, and of the rows in frames of several tables.
    name: &'static str,
    /// Whether there is one estimate by design, which is an object in documents and not a list of one.
    is_single: bool,
    /// Whether there is nothing but an interval.
    is_interval: bool,
    keys: Vec<Variable>,
    estimates: Vec<Estimate>,
    extra: Vec<Variable>,
}

impl Values {
    /// Values without any, of the same type.
    fn none(&self, len: usize) -> Self {
        match self {
            Self::Numbers(_) => Self::Numbers(vec![None; len]),
            Self::Counts(_) => Self::Counts(vec![None; len]),
            Self::Integers(_) => Self::Integers(vec![None; len]),
            Self::Flags(_) => Self::Flags(vec![None; len]),
            Self::Words(_) => Self::Words(vec![None; len]),
        }
    }

    /// The values as words.
    fn words(self) -> Vec<Option<String>> {
        fn shown<T: ToString>(values: Vec<Option<T>>) -> Vec<Option<String>> {
            values.into_iter().map(|value| value.map(|value| value.to_string())).collect()
        }
        match self {
            Self::Numbers(values) => shown(values),
            Self::Counts(values) => shown(values),
            Self::Integers(values) => shown(values),
            Self::Flags(values) => shown(values),
            Self::Words(values) => values,
        }
    }

    /// These values and more below them, as words if they are not of one type.
    fn and(self, more: Self) -> Self {
        fn join<T>(mut first: Vec<T>, more: Vec<T>) -> Vec<T> {
            first.extend(more);
            first
        }
        match (self, more) {
            (Self::Numbers(a), Self::Numbers(b)) => Self::Numbers(join(a, b)),
            (Self::Counts(a), Self::Counts(b)) => Self::Counts(join(a, b)),
            (Self::Integers(a), Self::Integers(b)) => Self::Integers(join(a, b)),
            (Self::Flags(a), Self::Flags(b)) => Self::Flags(join(a, b)),
            (a, b) => Self::Words(join(a.words(), b.words())),
        }
    }

    fn column(self, name: &str) -> Column {
        match self {
            Self::Numbers(values) => Column::new(name.into(), values),
            Self::Counts(values) => Column::new(name.into(), values),
            Self::Integers(values) => Column::new(name.into(), values),
            Self::Flags(values) => Column::new(name.into(), values),
            Self::Words(values) => Column::new(name.into(), values),
        }
    }
}

macro_rules! values_from {
    ($($own:ty => $variant:ident),+ $(,)?) => {$(
        impl From<$own> for Values {
            fn from(value: $own) -> Self {
                Self::$variant(vec![Some(value.into())])
            }
        }

        impl From<Option<$own>> for Values {
            fn from(value: Option<$own>) -> Self {
                Self::$variant(vec![value.map(Into::into)])
            }
        }
    )+};
}

values_from!(f64 => Numbers, u32 => Counts, u64 => Counts, bool => Flags, &str => Words, String => Words);

impl From<usize> for Values {
    fn from(value: usize) -> Self {
        Self::Counts(vec![Some(value as u64)])
    }
}

impl From<Option<usize>> for Values {
    fn from(value: Option<usize>) -> Self {
        Self::Counts(vec![value.map(|value| value as u64)])
    }
}

impl Variable {
    /// A fact: a column of one row.
    pub(crate) fn fact(name: &str, value: impl Into<Values>) -> Self {
        Self { name: name.to_owned(), values: value.into() }
    }

    pub(crate) fn numbers(name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values = Values::Numbers(values.into_iter().collect());
        Self { name: name.to_owned(), values }
    }

    pub(crate) fn counts(name: &str, values: impl IntoIterator<Item = Option<usize>>) -> Self {
        let values = values.into_iter().map(|value| value.map(|value| value as u64));
        Self { name: name.to_owned(), values: Values::Counts(values.collect()) }
    }

    pub(crate) fn integers(name: &str, values: impl IntoIterator<Item = i64>) -> Self {
        let values = Values::Integers(values.into_iter().map(Some).collect());
        Self { name: name.to_owned(), values }
    }

    pub(crate) fn flags(name: &str, values: impl IntoIterator<Item = bool>) -> Self {
        let values = Values::Flags(values.into_iter().map(Some).collect());
        Self { name: name.to_owned(), values }
    }

    pub(crate) fn words<T: Into<String>>(
        name: &str,
        values: impl IntoIterator<Item = Option<T>>,
    ) -> Self {
        let values = values.into_iter().map(|value| value.map(Into::into));
        Self { name: name.to_owned(), values: Values::Words(values.collect()) }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Estimates {
    /// Estimates with their intervals, and with their bands if there are any.
    pub(crate) fn new(
        name: &'static str,
        keys: Vec<Variable>,
        estimates: impl IntoIterator<Item = Estimate>,
    ) -> Self {
        let estimates = estimates.into_iter().collect();
        let (is_single, is_interval) = (false, false);
        Self { name, is_single, is_interval, keys, estimates, extra: Vec::new() }
    }

    /// One estimate that there is one of by design.
    pub(crate) fn single(name: &'static str, keys: Vec<Variable>, estimate: Estimate) -> Self {
        Self { is_single: true, ..Self::new(name, keys, [estimate]) }
    }

    /// With these columns behind the estimates.
    pub(crate) fn with(mut self, extra: impl IntoIterator<Item = Variable>) -> Self {
        self.extra.extend(extra);
        self
    }

    /// Intervals without anything else.
    pub(crate) fn intervals(self) -> Self {
        Self { is_interval: true, ..self }
    }

    /// Under another name.
    pub(crate) fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    fn len(&self) -> usize {
        self.estimates.len()
    }

    /// All columns: keys, estimates, and what else is known.
    fn columns(&self) -> Vec<Variable> {
        let numbers = |name: &str, of: &dyn Fn(&Estimate) -> Option<f64>| {
            Variable::numbers(name, self.estimates.iter().map(of))
        };
        let mut columns = self.keys.clone();
        if !self.is_interval {
            columns.extend([numbers("estimate", &|e| e.estimate), numbers("se", &|e| e.se)]);
        }
        columns.push(numbers("ci_lower", &|e| e.ci_lower));
        columns.push(numbers("ci_upper", &|e| e.ci_upper));
        if self.estimates.iter().any(|e| e.band_lower.is_some()) {
            columns.push(numbers("band_lower", &|e| e.band_lower));
            columns.push(numbers("band_upper", &|e| e.band_upper));
        }
        if !self.is_interval {
            let statistic = numbers("statistic", &Estimate::statistic);
            columns.extend([numbers("p_value", &|e| e.p_value), statistic]);
        }
        columns.extend(self.extra.iter().cloned());
        columns
    }
}

/// Tables below each other; the first column names them if there are several. A column that a table does not have is null there.
pub(crate) fn frame(tables: &[Estimates]) -> Result<DataFrame> {
    let several = tables.len() > 1;
    let mut all: Vec<Variable> = Vec::new();
    let mut rows = 0;
    for table in tables {
        let name = Variable::words("table", vec![Some(table.name); table.len()]);
        let columns = several.then_some(name).into_iter().chain(table.columns());
        let mut columns: Vec<Variable> = columns.collect();
        distinct(&columns)?;
        for known in &mut all {
            let position = columns.iter().position(|column| column.name == known.name);
            let more = match position {
                Some(position) => columns.remove(position).values,
                None => known.values.none(table.len()),
            };
            let before = std::mem::replace(&mut known.values, Values::Flags(Vec::new()));
            known.values = before.and(more);
        }
        let blank = |column: Variable| {
            let before = column.values.none(rows);
            Variable { values: before.and(column.values), ..column }
        };
        all.extend(columns.into_iter().map(blank));
        rows += table.len();
    }
    let columns = all.into_iter().map(|column| column.values.column(&column.name));
    Ok(DataFrame::new(rows, columns.collect())?)
}

/// An error if two columns have one name, as of a regressor that is called `estimate`.
fn distinct(columns: &[Variable]) -> Result<()> {
    for (index, column) in columns.iter().enumerate() {
        if columns[..index].iter().any(|earlier| earlier.name == column.name) {
            return Err(polars_err!(Duplicate: "two columns are called {}", column.name).into());
        }
    }
    Ok(())
}

/// Facts as a frame of one row.
pub(crate) fn row(facts: Vec<Variable>) -> Result<DataFrame> {
    let columns = facts.into_iter().map(|fact| fact.values.column(&fact.name));
    Ok(DataFrame::new(1, columns.collect())?)
}

/// A frame as CSV, with empty fields for null; columns of whole numbers have no fractions.
pub(crate) fn csv(mut frame: DataFrame) -> Result<String> {
    let columns = frame.columns().iter().map(whole).collect::<Result<Vec<Column>>>()?;
    frame = DataFrame::new(frame.height(), columns)?;
    let mut out = Vec::new();
    CsvWriter::new(&mut out).finish(&mut frame)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// A column as integers if all of its numbers are.
fn whole(column: &Column) -> Result<Column> {
    let is_whole = |value: f64| value.fract() == 0.0 && value.abs() < LARGEST_INTEGER;
    match column.f64() {
        Ok(numbers) if numbers.iter().flatten().all(is_whole) => Ok(column.cast(&DataType::Int64)?),
        _ => Ok(column.clone()),
    }
}

/// A value of a column, for documents.
struct Cell<'a>(&'a Values, usize);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self(values, row) = *self;
        match values {
            Values::Numbers(v) => v[row].filter(|v| v.is_finite()).serialize(serializer),
            Values::Counts(v) => v[row].serialize(serializer),
            Values::Integers(v) => v[row].serialize(serializer),
            Values::Flags(v) => v[row].serialize(serializer),
            Values::Words(v) => v[row].serialize(serializer),
        }
    }
}

/// A row of columns as an object.
struct Row<'a>(&'a [Variable], usize);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for column in self.0 {
            map.serialize_entry(&column.name, &Cell(&column.values, self.1))?;
        }
        map.end()
    }
}

/// Facts as an object.
pub(crate) struct Facts(pub Vec<Variable>);

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Row(&self.0, 0).serialize(serializer)
    }
}

impl Serialize for Estimates {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let columns = self.columns();
        if self.is_single {
            return Row(&columns, 0).serialize(serializer);
        }
        let mut rows = serializer.serialize_seq(Some(self.len()))?;
        (0..self.len()).try_for_each(|row| rows.serialize_element(&Row(&columns, row)))?;
        rows.end()
    }
}

impl Estimates {
    /// Name in documents.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(name: &'static str, key: &str) -> Estimates {
        let estimate = Estimate::new(Some(1.0), Some(0.5), 2.0);
        Estimates::new(name, vec![Variable::numbers(key, [Some(1.0), None])], [estimate; 2])
    }

    #[test]
    fn tables_stand_below_each_other() {
        let one = frame(&[two("a", "x")]).expect("a frame");
        assert_eq!(one.get_column_names()[..2], ["x", "estimate"]);
        let mut banded = two("b", "y");
        banded.estimates.iter_mut().for_each(|estimate| *estimate = estimate.with_band(3.0));
        let all = frame(&[two("a", "x"), banded]).expect("a frame");
        assert_eq!((all.height(), all.get_column_names()[0].as_str()), (4, "table"));
        assert_eq!(all.column("y").expect("a column").null_count(), 3);
        assert_eq!(all.column("band_lower").expect("a column").null_count(), 2);
        assert_eq!(all.column("ci_lower").expect("a column").null_count(), 0);
        assert!(frame(&[two("a", "estimate")]).is_err());
    }

    #[test]
    fn documents_have_null_for_what_does_not_exist() {
        let infinite = Estimate { estimate: Some(f64::INFINITY), ..Estimate::default() };
        let table = Estimates::single("a", vec![Variable::fact("n", 3_usize)], infinite);
        let text = serde_json::to_string(&table).expect("JSON");
        assert!(text.starts_with("{\"n\":3,\"estimate\":null,\"se\":null"), "{text}");
        let text = serde_json::to_string(&two("a", "x").intervals()).expect("JSON");
        assert_eq!(text.matches("\"ci_lower\":0.0").count(), 2);
        assert!(!text.contains("estimate"));
    }
}
