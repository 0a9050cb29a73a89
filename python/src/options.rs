//! Keyword arguments of Python as values that the library knows. Every error names the argument.

use std::fmt::Display;
use std::str::FromStr;

use burn_did::options::{Band, Bootstrap, Multiplier, Words};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyMapping, PyString};

use crate::errors;

/// Arguments by name, of which each is taken once. `None` is an argument that was not given.
pub(crate) struct Options<'py>(Bound<'py, PyDict>);

/// What a list has, or anything else that gives one thing after the other; not a mapping, whose values would be lost, nor bytes.
fn items<'py>(list: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let is_bytes = list.is_instance_of::<PyBytes>() || list.is_instance_of::<PyByteArray>();
    if is_bytes || list.cast::<PyMapping>().is_ok() {
        return None;
    }
    list.try_iter().ok()?.collect::<PyResult<_>>().ok()
}

impl<'py> Options<'py> {
    pub(crate) fn new(given: &Bound<'py, PyDict>) -> PyResult<Self> {
        Ok(Self(given.copy()?))
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.0.py()
    }

    /// An argument as it was given.
    pub(crate) fn object(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.0.get_item(name)?;
        if value.is_some() {
            self.0.del_item(name)?;
        }
        Ok(value.filter(|value| !value.is_none()))
    }

    fn refused(&self, name: &str, expected: impl Display, got: &Bound<'py, PyAny>) -> PyErr {
        let got = errors::shown(got);
        errors::option(self.py(), &format!("`{name}` must be {expected}, got {got}"))
    }

    fn given<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Bound<'py, PyAny>) -> Option<T>,
    ) -> PyResult<Option<T>> {
        let Some(value) = self.object(name)? else { return Ok(None) };
        read(&value).map(Some).ok_or_else(|| self.refused(name, expected, &value))
    }

    /// What an estimator cannot do without.
    pub(crate) fn needed<T>(&self, name: &str, value: Option<T>) -> PyResult<T> {
        value.ok_or_else(|| errors::option(self.py(), &format!("`{name}` is needed")))
    }

    pub(crate) fn text(&self, name: &str) -> PyResult<Option<String>> {
        self.given(name, "a text", |value| value.extract().ok())
    }

    pub(crate) fn needed_text(&self, name: &str) -> PyResult<String> {
        self.needed(name, self.text(name)?)
    }

    /// One text, or several.
    pub(crate) fn texts(&self, name: &str) -> PyResult<Option<Vec<String>>> {
        self.given(name, "a text or a list of texts", |value| match value.cast::<PyString>() {
            Ok(text) => Some(vec![text.to_string()]),
            Err(_) => value.extract().ok(),
        })
    }

    /// Words for missing values: texts, or numbers as they are written.
    pub(crate) fn missing_values(&self) -> PyResult<Option<Vec<String>>> {
        self.given("missing_values", "a list of texts and numbers", |value| {
            let one = |value: &Bound<'py, PyAny>| value.str().ok().map(|text| text.to_string());
            if value.is_instance_of::<PyString>() {
                return Some(vec![one(value)?]);
            }
            items(value)?.iter().map(one).collect()
        })
    }

    pub(crate) fn number(&self, name: &str) -> PyResult<Option<f64>> {
        self.given(name, "a number", |value| {
            if value.is_instance_of::<PyBool>() {
                return None;
            }
            value.extract().ok()
        })
    }

    pub(crate) fn numbers(&self, name: &str) -> PyResult<Option<Vec<f64>>> {
        self.given(name, "a list of numbers", |value| {
            if let Ok(number) = value.extract::<f64>() {
                return Some(vec![number]);
            }
            items(value)?.iter().map(|item| item.extract().ok()).collect()
        })
    }

    /// Rows of numbers, if that is what was given; else it stays.
    pub(crate) fn rows(&self, name: &str) -> PyResult<Option<Vec<Vec<f64>>>> {
        let value = self.0.get_item(name)?;
        let rows = value.and_then(|value| value.extract().ok());
        if rows.is_some() {
            self.0.del_item(name)?;
        }
        Ok(rows)
    }

    /// A whole number of at least 0.
    pub(crate) fn count<T: TryFrom<u64>>(&self, name: &str) -> PyResult<Option<T>> {
        self.given(name, "a whole number of at least 0", |value| {
            if value.is_instance_of::<PyBool>() {
                return None;
            }
            let whole = value.extract::<u64>().ok().or_else(|| {
                let number = value.extract::<f64>().ok()?;
                let whole =
                    number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "in range"
                )]
                whole.then_some(number as u64)
            })?;
            T::try_from(whole).ok()
        })
    }

    /// A whole number, which may be negative.
    pub(crate) fn whole(&self, name: &str) -> PyResult<Option<i32>> {
        self.given(name, "a whole number", |value| {
            if value.is_instance_of::<PyBool>() {
                return None;
            }
            value.extract().ok()
        })
    }

    pub(crate) fn flag(&self, name: &str) -> PyResult<Option<bool>> {
        self.given(name, "True or False", |value| value.extract().ok())
    }

    /// Whether an argument is true; it is not if it was not given.
    pub(crate) fn is(&self, name: &str) -> PyResult<bool> {
        Ok(self.flag(name)?.unwrap_or_default())
    }

    /// One of the words of an option.
    pub(crate) fn word<T: Words>(&self, name: &str) -> PyResult<Option<T>> {
        self.given(name, T::EXPECTED, |value| value.extract::<String>().ok()?.parse().ok())
    }

    /// Some of the words of an option.
    pub(crate) fn words<T: Words>(&self, name: &str) -> PyResult<Option<Vec<T>>> {
        let expected = format!("a list of words: {}", T::EXPECTED);
        self.given(name, &expected, |value| {
            let given = match value.cast::<PyString>() {
                Ok(text) => vec![text.to_string()],
                Err(_) => value.extract::<Vec<String>>().ok()?,
            };
            given.iter().map(|word| word.parse().ok()).collect()
        })
    }

    /// Uniform bands or pointwise intervals, if `cband` says.
    pub(crate) fn band(&self) -> PyResult<Option<Band>> {
        let cband = self.flag("cband")?;
        Ok(cband.map(|uniform| if uniform { Band::Uniform } else { Band::Pointwise }))
    }

    /// Numbers, or a text that says which, as the library reads either.
    pub(crate) fn listed<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(value) = self.object(name)? else { return Ok(None) };
        let text = if let Ok(text) = value.extract::<String>() {
            text
        } else {
            let one = value.extract::<f64>().map(|number| vec![number]);
            let numbers = one.or_else(|_| {
                value.try_iter()?.map(|item| item?.extract()).collect::<PyResult<Vec<f64>>>()
            });
            let numbers =
                numbers.map_err(|_| self.refused(name, "a text or a list of numbers", &value))?;
            // The shortest digits that are read back as the same number.
            numbers.iter().map(|number| format!("{number:?}")).collect::<Vec<_>>().join(",")
        };
        let read = text.parse().map(Some);
        read.map_err(|error| errors::option(self.py(), &format!("`{name}`: {error}")))
    }

    /// A text that the library reads.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Option<T>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let read = text.parse().map(Some);
        read.map_err(|error| errors::option(self.py(), &format!("`{name}`: {error}")))
    }

    /// The bootstrap, if `boot` asks for one.
    pub(crate) fn bootstrap(&self) -> PyResult<Option<Bootstrap>> {
        let boot = self.is("boot")?;
        let mut bootstrap = Bootstrap::draws(self.count("biters")?.unwrap_or(1000));
        bootstrap = bootstrap.seed(self.count("random_state")?.unwrap_or(0));
        if let Some(multiplier) = self.word::<Multiplier>("multiplier")? {
            bootstrap = bootstrap.multiplier(multiplier);
        }
        Ok(boot.then_some(bootstrap))
    }

    /// The cluster of standard errors beyond the unit. Only where every row is its own unit can it be the unit column.
    pub(crate) fn cluster(
        &self,
        name: &str,
        unit: Option<&str>,
        rows_are_units: bool,
    ) -> PyResult<Option<String>> {
        let mut given = self.texts(name)?.unwrap_or_default();
        given.dedup();
        if given.len() > 1 || !rows_are_units {
            given.retain(|cluster| Some(cluster.as_str()) != unit);
        }
        match given.len() {
            0 | 1 => Ok(given.pop()),
            _ => Err(errors::option(
                self.py(),
                &format!(
                    "`{name}` must be one column beyond the unit; each unit must stay in one cluster, so that one is enough"
                ),
            )),
        }
    }

    /// An error if something was given that nothing here asked for.
    pub(crate) fn all_taken(&self) -> PyResult<()> {
        let left: Vec<String> = self.0.keys().iter().map(|key| key.to_string()).collect();
        match left.first() {
            None => Ok(()),
            Some(name) => Err(errors::option(self.py(), &format!("`{name}` is no argument here"))),
        }
    }

    /// An argument that is called; any other stays.
    pub(crate) fn callable(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.0.get_item(name)?.filter(|value| value.is_callable());
        if value.is_some() {
            self.0.del_item(name)?;
        }
        Ok(value)
    }

    /// All texts that were given, alone or in lists, of the arguments that are asked for.
    pub(crate) fn written(&self, is_asked: impl Fn(&str) -> bool) -> Vec<String> {
        let mut texts = Vec::new();
        for (name, value) in self.0.iter() {
            if name.extract::<String>().is_ok_and(|name| is_asked(&name)) {
                add_texts(&value, &mut texts, 3);
            }
        }
        texts
    }

    /// Both ends of a range, or neither.
    pub(crate) fn both<T>(
        &self,
        (low, high): (&str, &str),
        ends: (Option<T>, Option<T>),
    ) -> PyResult<Option<(T, T)>> {
        let (given, lacks) = match ends {
            (Some(low), Some(high)) => return Ok(Some((low, high))),
            (None, None) => return Ok(None),
            (Some(_), None) => (low, high),
            (None, Some(_)) => (high, low),
        };
        let message = format!("`{given}` goes with `{lacks}`; give both, or neither");
        Err(errors::option(self.py(), &message))
    }
}

/// Adds the texts that a value is or has, in lists of lists of so many levels.
fn add_texts(value: &Bound<'_, PyAny>, texts: &mut Vec<String>, levels: u8) {
    if let Ok(text) = value.cast::<PyString>() {
        texts.push(text.to_string());
    } else if let (Ok(items), 1..) = (value.extract::<Vec<Bound<'_, PyAny>>>(), levels) {
        for item in &items {
            add_texts(item, texts, levels - 1);
        }
    }
}

/// Whether a text names a column: it has the name, and neither letters nor digits beside it that would make it another.
pub(crate) fn names(text: &str, column: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    !column.is_empty()
        && text.match_indices(column).any(|(start, found)| {
            let before = text[..start].chars().next_back();
            let after = text[start + found.len()..].chars().next();
            let apart = |inside: Option<char>, beside: Option<char>| {
                !inside.is_some_and(part) || !beside.is_some_and(part)
            };
            apart(column.chars().next(), before) && apart(column.chars().next_back(), after)
        })
}
