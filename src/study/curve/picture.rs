//! The picture of a specification curve.

use super::result::{SpecificationCurve, SpecificationOfCurve, VariedChoice};
use crate::base::options::Band;
use crate::report::foot::percent;
use crate::report::number::counted;
use crate::report::plot::specifications::{Specifications, SpecifiedEffect};

impl SpecificationCurve {
    /// Effects in ascending order, with the values of every choice that has more than one.
    pub(super) fn curve(&self) -> Specifications {
        let choices: Vec<&VariedChoice> =
            self.varied.iter().filter(|choice| choice.values.len() > 1).collect();
        let effect = |of: &SpecificationOfCurve| SpecifiedEffect {
            value: of.estimate.estimate.unwrap_or(f64::NAN),
            interval: of.estimate.ci_lower.zip(of.estimate.ci_upper),
            band: of.estimate.band_lower.zip(of.estimate.band_upper),
            is_main: std::ptr::eq(of, &self.specifications[self.main]),
            values: choices.iter().map(|choice| choice.position(&of.specification)).collect(),
        };
        let failed = self.specifications.len() - self.n_estimated();
        let remarks = (failed > 0).then(|| {
            let failed = counted(failed, "specification", "specifications");
            format!("Not drawn, as they could not be estimated: {failed}.")
        });
        let alike = (self.band == Band::Pointwise).then(|| {
            "Intervals are pointwise; specifications share their data, and are not independent."
                .to_owned()
        });
        Specifications {
            effects: self.ascending().map(effect).collect(),
            choices: choices.iter().map(|choice| (choice.title(), choice.labels())).collect(),
            level: percent(self.alpha),
            title: super::report::TITLE.into(),
            x: counted(self.n_estimated(), "specification", "specifications"),
            y: format!("ATT ({})", self.settings.columns.outcome),
            remarks: alike.into_iter().chain(remarks).collect(),
        }
    }
}
