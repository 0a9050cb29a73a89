//! The plot of a continuous treatment: the curves with their intervals and the doses, or the event study if that was asked for.

use crate::base::error::Result;
use crate::base::options::DoseAggregation;
use crate::estimator::cont_did::{ContDidResult, DoseRow};
use crate::report::plot::curves::{CurvePoint, CurveWords, Curves};
use crate::report::plot::{Picture, PlotOptions};

impl ContDidResult {
    pub(super) fn drawn(&self, options: &PlotOptions) -> Result<Picture> {
        if self.aggregation == DoseAggregation::EventStudy {
            return self.dynamic(self.target)?.chart(options).map(Picture::Chart);
        }
        let settings = &self.level.settings;
        let (dose, outcome) = (settings.dose().unwrap_or_default(), &settings.outcome);
        let point = |row: &DoseRow| CurvePoint { at: row.dose, estimates: [row.att, row.acrt] };
        Ok(Picture::Curves(Curves {
            points: self.dose.rows.iter().map(point).collect(),
            bands: [self.dose.band_att, self.dose.band_acrt],
            alpha: self.dose.alpha,
            marks: self.knots.percentiles.clone(),
            overall: [Some(self.overall.att), Some(self.overall.acrt)],
            words: CurveWords {
                title: "Effects by Dose".into(),
                x: match dose.to_lowercase().as_str() {
                    "dose" => "Dose".into(),
                    _ => format!("Dose ({dose})"),
                },
                y: [format!("ATT(d) ({outcome})"), format!("ACRT(d) ({outcome} per unit of dose)")],
                marks: "Percentiles of the doses",
            },
        }))
    }
}
