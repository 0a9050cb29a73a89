//! Effects of a continuous treatment as a column of a comparison.

use crate::base::calendar::exact;
#[cfg(feature = "plot")]
use crate::base::error::Result;
use crate::base::options::{Band, DoseAggregation};
use crate::estimator::cont_did::{ContDidResult, DoseCurve, DoseRow};
use crate::report::compare::{
    Comparable, OVER_EVENT_TIMES, Term, before_treatment, facts, rows_chosen, texts, units_of_time,
};
use crate::report::contract::Report;
use crate::report::foot::errors;
use crate::report::number::point;
#[cfg(feature = "plot")]
use crate::report::plot::{PlotOptions, chart::Chart};

/// The overall effects, with the curves at the doses of the fit, or with the event study if that was asked for.
///
/// ```
/// use burn_did::{ContDid, backend::Cpu, compare, data::DoseSimulation};
///
/// let data = DoseSimulation::builder().units(600).seed(1).build().frame();
/// let fit = |degree: usize| {
///     let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
///     config.dose("dose").degree(degree).build().fit(&data)
/// };
/// let (square, cubic) = (fit(2)?, fit(3)?);
/// assert!(compare(&[("Square", &square), ("Cubic", &cubic)]).to_string().contains("Overall ACRT"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
impl Comparable for ContDidResult {
    fn terms(&self) -> Vec<Term> {
        if self.aggregation == DoseAggregation::EventStudy
            && let Ok(study) = self.event_study(self.target)
        {
            return study.terms();
        }
        let term = |name: &str, order, estimate, band| Term::new(name, order, estimate, band);
        let at = |of: &str, row: &DoseRow, rank: f64, estimate, band| {
            term(&format!("{of}({})", exact(row.dose)), [rank, row.dose, 0.0], estimate, band)
                .shown(format!("{of}({})", point(row.dose)))
        };
        let DoseCurve { band_att, band_acrt, .. } = self.dose;
        let curves = self.dose.rows.iter().flat_map(|row| {
            let att = at("ATT", row, 6.0, row.att, band_att);
            [att, at("ACRT", row, 7.0, row.acrt, band_acrt)]
        });
        let (overall, pointwise) = (&self.overall, Band::Pointwise);
        [
            term("Overall ATT", [0.0; 3], overall.att, pointwise),
            term("Overall ACRT", [0.0, 1.0, 0.0], overall.acrt, pointwise),
        ]
        .into_iter()
        .chain(curves)
        .collect()
    }

    fn facts(&self) -> Vec<(String, String)> {
        let mut facts = facts(&self.level.settings);
        facts.extend(rows_chosen(self.level.audit.files.chosen.as_ref()));
        facts.push(("Degree".into(), self.knots.degree.to_string()));
        facts.push(("Interior knots".into(), self.knots.interior.len().to_string()));
        facts
    }

    fn alpha(&self) -> f64 {
        match self.aggregation {
            DoseAggregation::Dose => self.dose.alpha,
            DoseAggregation::EventStudy => self.level.settings.inference.alpha,
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.left_out_notes().into_iter().chain(texts(self.messages())).collect()
    }

    fn standard_errors(&self) -> Option<String> {
        let settings = &self.level.settings;
        Some(format!("{}{}", errors(settings, None), self.more_errors()))
    }

    fn event_times_count(&self) -> Option<&'static str> {
        Some(units_of_time(self.level.settings.frequency))
    }

    fn overall_averages(&self) -> Option<String> {
        Some(match self.aggregation {
            DoseAggregation::Dose => "over doses".to_owned(),
            DoseAggregation::EventStudy => OVER_EVENT_TIMES.to_owned(),
        })
    }

    fn before_treatment(&self) -> Option<String> {
        before_treatment(&self.level.settings)
    }

    fn outcome(&self) -> Option<String> {
        Some(self.level.settings.outcome.clone())
    }

    #[cfg(feature = "plot")]
    fn comparable_chart(&self, options: &PlotOptions) -> Result<Chart> {
        self.event_study(self.target)?.comparable_chart(options)
    }
}
