//! Aggregations as text, such as `dynamic:min_e=-3,na_rm=true`.

use std::fmt;
use std::str::FromStr;

use super::{Aggregation, AggregationKind};
use crate::base::words::ParseOptionError;

/// The kind, and after a colon what differs from [`Aggregation::new`], with commas in between.
impl fmt::Display for Aggregation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, min_e, max_e, balance_e, na_rm } = self;
        let options: Vec<String> = [
            min_e.map(|e| format!("min_e={e}")),
            max_e.map(|e| format!("max_e={e}")),
            balance_e.map(|e| format!("balance_e={e}")),
            na_rm.then(|| "na_rm=true".to_owned()),
        ]
        .into_iter()
        .flatten()
        .collect();
        match options.is_empty() {
            true => write!(f, "{kind}"),
            false => write!(f, "{kind}:{}", options.join(",")),
        }
    }
}

impl FromStr for Aggregation {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        let (kind, options) = text.split_once(':').unwrap_or((text, ""));
        let mut aggregation = Self::new(kind.parse::<AggregationKind>()?);
        for option in options.split(',').filter(|option| !option.trim().is_empty()) {
            set(&mut aggregation, option)?;
        }
        Ok(aggregation)
    }
}

/// Sets an option of the form `key=value`.
fn set(aggregation: &mut Aggregation, option: &str) -> Result<(), ParseOptionError> {
    let keys =
        "an aggregation's option min_e, max_e, balance_e or na_rm with its value, as in min_e=-3";
    let unknown = || ParseOptionError::new("aggregation", keys, option);
    let (key, value) = option.split_once('=').ok_or_else(unknown)?;
    let value = value.trim();
    let wrong = |option, expected| ParseOptionError::new(option, expected, value);
    let number = |option| {
        let number = value.parse().ok().filter(|e: &f64| e.is_finite());
        number.ok_or_else(|| wrong(option, "a number"))
    };
    match key.trim() {
        "min_e" => aggregation.min_e = Some(number("min_e")?),
        "max_e" => aggregation.max_e = Some(number("max_e")?),
        "balance_e" => {
            let balance = value.parse();
            let balance = balance.map_err(|_| wrong("balance_e", "a whole number, at least 0"))?;
            aggregation.balance_e = Some(balance);
        }
        "na_rm" => {
            let is_left_out = value.to_ascii_lowercase().parse();
            aggregation.na_rm = is_left_out.map_err(|_| wrong("na_rm", "true or false"))?;
        }
        _ => return Err(unknown()),
    }
    Ok(())
}
