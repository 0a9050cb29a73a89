//! Values of the command's options.

use burn_did::switching::{EffectsEqual, PredictHeterogeneity, Switchers};

use crate::values::Choice;

pub(super) const SWITCHERS: Choice<Switchers> =
    Choice::new(&[(&["in"], Switchers::In), (&["out"], Switchers::Out)]);

/// `all`, or the first and the last effect.
pub(super) fn effects_equal(text: &str) -> Result<EffectsEqual, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(EffectsEqual::All);
    }
    let bounds = text
        .split_once(',')
        .and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
    let (from, to) = bounds.ok_or("expected all, or two effects as in 2,4")?;
    Ok(EffectsEqual::Between(from, to))
}

/// Columns, and after a colon effects; -1 for all.
pub(super) fn predict_heterogeneity(text: &str) -> Result<PredictHeterogeneity, String> {
    let (columns, effects) = text.rsplit_once(':').unwrap_or((text, "-1"));
    let name = |name: &str| name.trim().to_owned();
    let covariates: Vec<String> =
        columns.split(',').map(name).filter(|name| !name.is_empty()).collect();
    let all = |effect: &str| matches!(effect.trim(), "-1" | "all" | "");
    let effects: Vec<&str> = effects.split(',').collect();
    if effects.iter().any(|effect| all(effect)) {
        return Ok(PredictHeterogeneity { covariates, effects: Vec::new() });
    }
    let number = |effect: &&str| {
        let number = effect.trim().parse();
        number.map_err(|_| format!("`{effect}` is no effect; expected numbers as in x,z:1,2"))
    };
    let effects = effects.iter().map(number).collect::<Result<_, _>>()?;
    Ok(PredictHeterogeneity { covariates, effects })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_effects() {
        let read = |text: &str| {
            let read = predict_heterogeneity(text).expect("readable");
            (read.covariates.join("|"), read.effects)
        };
        assert_eq!(read("reg:1,2"), ("reg".to_owned(), vec![1, 2]));
        assert_eq!(read("x, z"), ("x|z".to_owned(), vec![]));
        assert_eq!(read("x:-1").1, read("x:all").1);
        assert!(predict_heterogeneity("x:one").is_err());
    }

    #[test]
    fn ranges_of_effects() {
        assert_eq!(effects_equal("all"), Ok(EffectsEqual::All));
        assert_eq!(effects_equal("2, 4"), Ok(EffectsEqual::Between(2, 4)));
        assert!(effects_equal("2").is_err() && effects_equal("2,x").is_err());
    }
}
