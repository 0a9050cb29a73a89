//! Two-sided formulas of regressions with fixed effects.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ast::{Atom, AtomSource, name_label};
use super::{Formula, parse, problem_in};
use crate::base::error::Result;

/// Columns whose levels together are those of one factor: one column as a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Interaction(Vec<String>);

/// A regression: `outcome ~ regressors | fixed effects`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegressionFormula {
    /// One atom and no constant.
    pub outcome: Formula,
    /// With a constant if the regression has one, or fixed effects in its place.
    pub regressors: Formula,
    pub absorb: Vec<Interaction>,
}

impl Interaction {
    /// Its columns.
    pub fn columns(&self) -> &[String] {
        &self.0
    }

    /// Reads factors as they stand after `|`.
    ///
    /// # Errors
    /// [`DidError::Formula`](crate::DidError::Formula) names the token.
    pub fn parse(text: &str) -> Result<Vec<Self>> {
        let effects = parse::effects(text).map_err(|problem| problem_in(text, problem))?;
        Ok(effects.into_iter().map(Self).collect())
    }
}

impl fmt::Display for Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("^"))
    }
}

impl RegressionFormula {
    /// Reads a formula.
    ///
    /// # Errors
    /// [`DidError::Formula`](crate::DidError::Formula) names the token.
    pub fn parse(text: &str) -> Result<Self> {
        let parsed = parse::regression(text).map_err(|problem| problem_in(text, problem))?;
        Ok(Self {
            outcome: Formula::of_parts(text, parsed.outcome),
            regressors: Formula::of_parts(text, parsed.regressors),
            absorb: parsed.effects.into_iter().map(Interaction).collect(),
        })
    }

    /// From the column of the outcome, the regressors' formula, and fixed effects one by one.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn of(outcome: &str, regressors: &str, absorb: &[String]) -> Result<Self> {
        let mut factors: Vec<Interaction> = Vec::new();
        for text in absorb {
            for factor in Interaction::parse(text)? {
                if !factors.contains(&factor) {
                    factors.push(factor);
                }
            }
        }
        let parts = parse::regressors(regressors, !factors.is_empty())
            .map_err(|problem| problem_in(regressors, problem))?;
        let atom = Atom { label: name_label(outcome), source: AtomSource::Column(0) };
        let outcome = Formula {
            text: outcome.to_owned(),
            intercept: false,
            variables: vec![outcome.to_owned()],
            atoms: vec![atom],
            terms: vec![vec![0]],
        };
        Ok(Self { outcome, regressors: Formula::of_parts(regressors, parts), absorb: factors })
    }

    /// The column of the outcome, or what is calculated from columns as it is written.
    pub fn outcome_label(&self) -> &str {
        match self.outcome.atoms.first() {
            Some(Atom { source: AtomSource::Column(column), .. }) => {
                &self.outcome.variables[*column]
            }
            atom => atom.map_or("", |atom| &atom.label),
        }
    }
}

impl Formula {
    /// Whether there is a constant.
    pub(crate) fn has_constant(&self) -> bool {
        self.intercept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        RegressionFormula::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_three_parts() {
        let parsed =
            RegressionFormula::parse("log(y + 1) ~ x1 + x2:z | worker + firm^`a year`").unwrap();
        assert_eq!(parsed.outcome_label(), "log(y + 1)");
        assert_eq!(parsed.outcome.variables(), ["y"]);
        assert_eq!(parsed.regressors.variables(), ["x1", "x2", "z"]);
        assert_eq!(parsed.absorb[1].columns(), ["firm", "a year"]);
        assert_eq!(parsed.absorb[1].to_string(), "firm^a year");
        let built =
            RegressionFormula::of("y", "x1 + x2:z", &["worker".into(), "firm^`a year`".into()])
                .unwrap();
        assert_eq!(built.absorb, parsed.absorb);
        assert_eq!(built.regressors.terms, parsed.regressors.terms);
        // The name of a column has no backticks, which formulas need.
        assert_eq!(RegressionFormula::parse("`log y` ~ x").unwrap().outcome_label(), "log y");
        assert_eq!(RegressionFormula::of("log y", "x", &[]).unwrap().outcome_label(), "log y");
        assert!(RegressionFormula::parse("y ~ 1").unwrap().absorb.is_empty());
        assert!(RegressionFormula::parse("y ~ x | 0").unwrap().absorb.is_empty());
        assert!(RegressionFormula::parse("y ~ 0 | f").is_ok());
    }

    #[test]
    fn problems_name_the_token() {
        for (text, expected) in [
            ("", "it is empty"),
            ("~ x | f", "no outcome before `~`"),
            ("y", "before a `~`"),
            ("2 ~ x", "`2`, names no column"),
            ("y ~ x | ", "where a fixed effect is expected"),
            ("y ~ x | f +", "where a fixed effect is expected"),
            ("y ~ x | f[z]", "`[` at character 10: slopes"),
            ("y ~ x | f:g", "`:` at character 10 is not supported among fixed effects; write a^b"),
            ("y ~ x | log(f)", "`log()` at character 9 is not supported among fixed effects"),
            ("y ~ x | f | z ~ w", "`|` at character 11: instruments"),
            ("y ~ x ~ z", "`~` at character 7 is one too many"),
            ("y ~ x^2 | f", "write I(x^2)"),
            ("y ~ 0", "neither regressors nor a constant"),
            ("y ~ i() | f", "`i()` at character 5 takes a column name"),
            ("y ~ i(f, bin = 2) | g", "`bin` at character 10 is no argument of i()"),
            ("y ~ i(f, x, 3, 4)", "`4` at character 16"),
            ("y ~ i(f, ref = )", "`)` at character 16 is no level"),
            ("y ~ i(f, ref = c(1, 2)", "`(` at character 6 is not closed"),
            ("y ~ i(f, ref = 'a", "the quote at character 16 is not closed"),
            ("y ~ sw(x, z) | f", "`sw()` at character 5 is not supported"),
        ] {
            let found = problem(text);
            assert!(found.contains(expected), "{text}: {found}");
        }
        let found = RegressionFormula::of("y", "x | f", &[]).unwrap_err().to_string();
        assert!(found.contains("named apart"), "{found}");
    }

    mod random {
        use proptest::prelude::*;

        use super::super::RegressionFormula;

        proptest! {
            #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

            #[test]
            fn nothing_panics(tokens in prop::collection::vec(prop::sample::select(vec![
                "y", "~", "x", "|", "i(", "f", ",", "ref", "=", "-", "1", "c(", ")", "^", "+", "'a'", "[", "]", ":", "*", "(", " ",
            ]), 0..24)) {
                let _ = RegressionFormula::parse(&tokens.concat());
            }
        }
    }
}
