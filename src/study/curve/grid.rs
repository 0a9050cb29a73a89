//! The specifications that the combinations of choices are.

use super::result::VariedChoice;
use super::vary::{Variation, outside_brackets};
use crate::base::calendar::shown;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::base::options::{BasePeriod, ControlGroup, EstimationMethod};
use crate::engine::backend::DidBackend;
use crate::study::joint::{JointStudy, SampleFilter, Specification};

/// What all combinations of choices are.
pub(super) struct Grid {
    /// Different specifications, the main one first.
    pub specifications: Vec<Specification>,
    /// Combinations, of which some are the same for estimators without a choice.
    pub combinations: usize,
    /// The choices with their values.
    pub varied: Vec<VariedChoice>,
}

/// Values of every choice, one at least.
struct Values {
    control_groups: Vec<ControlGroup>,
    base_periods: Vec<BasePeriod>,
    methods: Vec<EstimationMethod>,
    anticipations: Vec<u32>,
    covariates: Vec<String>,
    samples: Vec<SampleFilter>,
}

impl Grid {
    /// The grid of a study with these cohorts.
    ///
    /// # Errors
    /// [`DidError::Config`] for a choice or a value that is given twice, or covariates that cannot be varied; [`DidError::Memory`] for more
    /// specifications than have a covariance that fits into memory.
    pub fn new<B: DidBackend>(
        config: &JointStudy<B>,
        vary: &[Variation],
        cohorts: &[f64],
    ) -> Result<Self> {
        if vary.is_empty() {
            return Err(DidError::config("vary", "at least one choice", "none"));
        }
        let mut values = Values {
            control_groups: vec![config.control_group],
            base_periods: vec![BasePeriod::Universal],
            methods: vec![EstimationMethod::DoublyRobust],
            anticipations: vec![config.anticipation],
            covariates: vec![config.covariates.clone()],
            samples: vec![SampleFilter::All],
        };
        let mut varied = vec![VariedChoice::new("estimators", &config.estimators)];
        for (index, variation) in vary.iter().enumerate() {
            let choice = variation.choice();
            if vary[..index].iter().any(|other| other.choice() == choice) {
                return Err(DidError::config(
                    "vary",
                    "each choice once",
                    format!("`{choice}` twice"),
                ));
            }
            values.take(config, variation, cohorts)?;
            varied.push(values.of(variation)?);
        }
        let sizes = varied.iter().map(|choice| choice.values.len() as u128);
        let combinations = sizes.fold(1, u128::saturating_mul);
        check_size(combinations)?;
        let mut specifications: Vec<Specification> = Vec::new();
        for specification in values.combined(config) {
            if !specifications.contains(&specification) {
                specifications.push(specification);
            }
        }
        let combinations = usize::try_from(combinations).unwrap_or(usize::MAX);
        Ok(Self { specifications, combinations, varied })
    }

    /// A warning if the study's own formula of covariates is that of no specification.
    pub fn replaced(&self, covariates: &str) -> Option<DidWarning> {
        let bare = |formula: &str| -> Vec<String> {
            let word = |term: &str| term.split_whitespace().collect::<String>();
            terms(formula).into_iter().map(word).filter(|term| !term.is_empty()).collect()
        };
        let own = bare(covariates);
        let is_own = |of: &Specification| bare(&of.covariates) == own;
        (!own.is_empty() && !self.specifications.iter().any(is_own)).then(|| {
            DidWarning::WithoutEffect {
                option: "covariates".into(),
                reason: format!(
                    "the formulas of `vary` take its place, and `{covariates}` is none of them; name it first there for it to be the main specification"
                ),
            }
        })
    }
}

fn check_size(specifications: u128) -> Result<()> {
    let needed = specifications.saturating_mul(specifications).saturating_mul(8);
    memory::check(
        "the covariance of all specifications",
        needed,
        "vary fewer choices, or give fewer values, as in `covariates=~1,~x`",
    )
}

impl Values {
    /// Takes the values of a choice.
    fn take<B: DidBackend>(
        &mut self,
        config: &JointStudy<B>,
        variation: &Variation,
        cohorts: &[f64],
    ) -> Result<()> {
        match variation {
            Variation::ControlGroup(given) => {
                let all =
                    [config.control_group, ControlGroup::NeverTreated, ControlGroup::NotYetTreated];
                self.control_groups = or(given, all);
            }
            Variation::BasePeriod(given) => {
                self.base_periods = or(given, [BasePeriod::Universal, BasePeriod::Varying]);
            }
            Variation::Method(given) => {
                use EstimationMethod::{DoublyRobust, Ipw, OutcomeRegression};
                self.methods = or(given, [DoublyRobust, Ipw, OutcomeRegression]);
            }
            Variation::Anticipation(given) => {
                self.anticipations = or(given, [config.anticipation, 0, 1]);
            }
            Variation::Covariates(given) if given.is_empty() => {
                self.covariates = subsets(&config.covariates)?;
            }
            Variation::Covariates(given) => self.covariates.clone_from(given),
            Variation::Sample(given) => {
                let without =
                    cohorts.iter().map(|g| SampleFilter::Without(shown(*g, config.frequency)));
                self.samples = or(given, std::iter::once(SampleFilter::All).chain(without));
            }
        }
        Ok(())
    }

    /// The values of a choice in words.
    fn of(&self, variation: &Variation) -> Result<VariedChoice> {
        let name = variation.choice().word();
        let varied = match variation {
            Variation::ControlGroup(_) => VariedChoice::new(name, &self.control_groups),
            Variation::BasePeriod(_) => VariedChoice::new(name, &self.base_periods),
            Variation::Method(_) => VariedChoice::new(name, &self.methods),
            Variation::Anticipation(_) => VariedChoice::new(name, &self.anticipations),
            Variation::Covariates(_) => VariedChoice::new(name, &self.covariates),
            Variation::Sample(_) => VariedChoice::new(name, &self.samples),
        };
        for (index, value) in varied.values.iter().enumerate() {
            if varied.values[..index].contains(value) {
                let got = format!("`{value}` of `{name}` twice");
                return Err(DidError::config("vary", "each value once", got));
            }
        }
        Ok(varied)
    }

    /// All combinations, estimators last to change.
    fn combined<B: DidBackend>(&self, config: &JointStudy<B>) -> Vec<Specification> {
        let each =
            |before: Vec<Specification>, n: usize, set: &dyn Fn(&mut Specification, usize)| {
                let many = before.into_iter().flat_map(|specification| {
                    (0..n).map(move |value| (specification.clone(), value))
                });
                let set = |(mut specification, value): (Specification, usize)| {
                    set(&mut specification, value);
                    specification
                };
                many.map(set).collect::<Vec<_>>()
            };
        let all = config.estimators.iter().map(|of| config.specification(*of)).collect();
        let all = each(all, self.samples.len(), &|s, v| s.sample = self.samples[v].clone());
        let all = each(all, self.covariates.len(), &|s, v| {
            s.covariates.clone_from(&self.covariates[v]);
        });
        let all = each(all, self.anticipations.len(), &|s, v| {
            s.anticipation = self.anticipations[v];
        });
        let all = each(all, self.control_groups.len(), &|s, v| {
            s.control_group = s.control_group.map(|_| self.control_groups[v]);
        });
        let all = each(all, self.base_periods.len(), &|s, v| {
            s.base_period = s.base_period.map(|_| self.base_periods[v]);
        });
        each(all, self.methods.len(), &|s, v| s.method = s.method.map(|_| self.methods[v]))
    }
}

/// The values that were given, or all different ones.
fn or<T: Clone + PartialEq>(given: &[T], all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut values = given.to_vec();
    if values.is_empty() {
        for value in all {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    values
}

/// Terms of a formula, less the constant.
fn terms(formula: &str) -> Vec<&str> {
    let text = formula.trim().trim_start_matches('~');
    outside_brackets(text, '+').into_iter().map(str::trim).filter(|term| *term != "1").collect()
}

/// Formulas of all subsets of the terms of a formula, the whole formula first and none last.
///
/// # Errors
/// [`DidError::Config`] if there are no terms.
fn subsets(formula: &str) -> Result<Vec<String>> {
    let terms = terms(formula);
    if terms.iter().all(|term| term.is_empty()) {
        let expected =
            "a formula with terms to vary, as `~ x1 + x2`, or formulas after `covariates=`";
        return Err(DidError::config("covariates", expected, formula));
    }
    let n = terms.len();
    check_size(1u128.checked_shl(n as u32).unwrap_or(u128::MAX))?;
    let formula = |set: usize| {
        let chosen = terms.iter().enumerate().filter(|(at, _)| set >> (n - 1 - at) & 1 == 1);
        let chosen: Vec<&str> = chosen.map(|(_, term)| *term).collect();
        if chosen.is_empty() { "~ 1".to_owned() } else { format!("~ {}", chosen.join(" + ")) }
    };
    let mut sets: Vec<usize> = (0..1usize << n).rev().collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
    Ok(sets.into_iter().map(formula).collect())
}
