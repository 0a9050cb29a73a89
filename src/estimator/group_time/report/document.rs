//! Averages as documents, by themselves or with the group-time effects that they average.

use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::base::error::{DidError, Result};
use crate::estimator::aggregate::Aggregated;
use crate::estimator::group_time::GroupTimeResult;
use crate::report::json::{self, Document, Members};
use crate::result::saved;

/// The words in which an average was asked for, and what came of it.
type AskedAverage<'a> = (&'a str, std::result::Result<&'a Aggregated, &'a DidError>);

/// Averages that were asked for, and the cells' covariance.
struct Averages<'a> {
    averages: &'a [AskedAverage<'a>],
    vcov: Option<Vec<Vec<Option<f64>>>>,
}

impl GroupTimeResult {
    /// [`Self::to_json`] with averages: each is a document of its own in the list `aggregates`, under the words it was `asked` for in,
    /// and an `error` with its `code` in its place if it could not be formed; without averages there is no list. With `vcov`, the covariance
    /// of the cells is a matrix beside them.
    ///
    /// # Errors
    /// As [`Self::to_json`], and as [`Self::vcov`].
    pub fn to_json_with(
        &self,
        averages: &[(&str, std::result::Result<&Aggregated, &DidError>)],
        vcov: bool,
    ) -> Result<String> {
        let more = Averages { averages, vcov: vcov.then(|| self.vcov()).transpose()? };
        json::text(&Document { result: self, more })
    }

    /// Writes [`Self::to_json_with`] to a file, as [`Self::save`] writes [`Self::to_json`]; [`Self::load`] reads the effects.
    ///
    /// # Errors
    /// As [`Self::save`], and as [`Self::vcov`].
    pub fn save_with(
        &self,
        path: impl AsRef<Path>,
        averages: &[(&str, std::result::Result<&Aggregated, &DidError>)],
        vcov: bool,
    ) -> Result<()> {
        saved::write(self, &self.to_json_with(averages, vcov)?, path.as_ref())
    }
}

impl Aggregated {
    /// Averages as JSON, each with its description in `asked`. A single average is one document, in the format of [`Self::to_json`];
    /// several are a list of documents. An average that could not be formed is an object with its `error` and the error's `code`.
    ///
    /// # Errors
    /// As [`Self::to_json`].
    pub fn documents(averages: &[(&str, std::result::Result<&Self, &DidError>)]) -> Result<String> {
        match averages {
            [only] => json::text(&Average(only)),
            several => json::text(&several.iter().map(Average).collect::<Vec<Average<'_>>>()),
        }
    }

    /// Writes the average as [`Self::documents`] has it, with its description in `asked`; [`Self::load`] reads it.
    ///
    /// # Errors
    /// As [`Self::save`].
    pub fn save_asked(&self, path: impl AsRef<Path>, asked: &str) -> Result<()> {
        saved::write(self, &Self::documents(&[(asked, Ok(self))])?, path.as_ref())
    }
}

impl Members for Averages<'_> {
    fn write<S: SerializeMap>(&self, map: &mut S) -> std::result::Result<(), S::Error> {
        if let Some(vcov) = &self.vcov {
            map.serialize_entry("vcov", vcov)?;
        }
        if self.averages.is_empty() {
            return Ok(());
        }
        let averages: Vec<Average<'_>> = self.averages.iter().map(Average).collect();
        map.serialize_entry("aggregates", &averages)
    }
}

/// An average, or why it could not be formed.
struct Average<'a>(&'a AskedAverage<'a>);

impl Serialize for Average<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (asked, average) = self.0;
        match average {
            Ok(average) => Document { result: *average, more: Asked(asked) }.serialize(serializer),
            Err(error) => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("asked", asked)?;
                map.serialize_entry("error", &error.to_string())?;
                map.serialize_entry("code", error.code())?;
                map.end()
            }
        }
    }
}

/// The words in which an average was asked for.
struct Asked<'a>(&'a str);

impl Members for Asked<'_> {
    fn write<S: SerializeMap>(&self, map: &mut S) -> std::result::Result<(), S::Error> {
        map.serialize_entry("asked", self.0)
    }
}
