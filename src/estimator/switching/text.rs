//! Options of effects of switching treatments as text.

use std::fmt;
use std::str::FromStr;

use super::{EffectsEqual, PredictHeterogeneity};
use crate::base::words::{ParseOptionError, joined};

/// `all`, or the first and the last effect with a comma between them.
impl fmt::Display for EffectsEqual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Between(first, last) => write!(f, "{first},{last}"),
        }
    }
}

impl FromStr for EffectsEqual {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        if text.trim().eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let bounds = text
            .split_once(',')
            .and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
        let (from, to) = bounds.ok_or_else(|| {
            ParseOptionError::new("effects_equal", "all, or two effects as in 2,4", text)
        })?;
        Ok(Self::Between(from, to))
    }
}

/// The columns with commas between them and, unless all effects are meant, a colon and the effects.
impl fmt::Display for PredictHeterogeneity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.covariates.join(","))?;
        match &self.effects[..] {
            [] => Ok(()),
            effects => write!(f, ":{}", joined(effects, ",")),
        }
    }
}

/// As `Display` writes it; -1 or `all` after the colon are all effects.
impl FromStr for PredictHeterogeneity {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> Result<Self, ParseOptionError> {
        let (columns, effects) = text.rsplit_once(':').unwrap_or((text, "all"));
        let covariates =
            columns.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let covariates: Vec<String> = covariates.collect();
        let is_all = |effect: &str| matches!(effect.trim(), "-1" | "all" | "");
        if effects.split(',').any(is_all) {
            return Ok(Self { covariates, effects: Vec::new() });
        }
        let effects = effects.split(',').map(|effect| effect.trim().parse().ok());
        let effects = effects.collect::<Option<Vec<usize>>>().ok_or_else(|| {
            ParseOptionError::new("predict_het", "columns, and effects as in x,z:1,2", text)
        })?;
        Ok(Self { covariates, effects })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_effects() {
        let read = |text: &str| {
            let read = text.parse::<PredictHeterogeneity>().expect("readable");
            (read.covariates.join("|"), read.effects)
        };
        assert_eq!(read("reg:1,2"), ("reg".to_owned(), vec![1, 2]));
        assert_eq!(read("x, z"), ("x|z".to_owned(), vec![]));
        assert_eq!(read("x:-1").1, read("x:all").1);
        assert!("x:one".parse::<PredictHeterogeneity>().is_err());
    }

    #[test]
    fn ranges_of_effects() {
        assert_eq!("all".parse(), Ok(EffectsEqual::All));
        assert_eq!("2, 4".parse(), Ok(EffectsEqual::Between(2, 4)));
        assert!(["2", "2,x"].iter().all(|text| text.parse::<EffectsEqual>().is_err()));
    }
}
