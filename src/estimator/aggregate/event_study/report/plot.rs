//! The plot of effects by event time.

use crate::base::error::Result;
use crate::estimator::aggregate::{EventStudy, LeftOut, Provenance};
use crate::report::plot::PlotOptions;
use crate::report::plot::chart::{
    ALONE, BESIDE_REFERENCE, Chart, ChartWords, Facet, Overall, TIME_SINCE, axis, checked,
    no_estimate, since_treatment,
};
use crate::result::settings::Settings;

/// Event studies of one fit in a panel each, with a title.
pub(crate) fn event_study_chart(
    series: &[(String, EventStudy)],
    options: &PlotOptions,
) -> Result<Chart> {
    let facet = |(title, study): &(String, EventStudy)| -> Result<Facet> {
        let facet = Facet::new(title.clone(), checked(study.plot_data())?);
        let facet = Facet {
            failed: study.failed(),
            partial: study.left_out.iter().flat_map(LeftOut::partial).collect(),
            // Of one event time it is the effect once more.
            overall: study
                .overall
                .as_ref()
                .filter(|_| facet.rows.len() > 1)
                .and_then(|overall| Overall::new(overall, options)),
            ..facet
        };
        Ok(Facet { treatment: study.treatment_line(&facet), ..facet })
    };
    let facets = series.iter().map(facet).collect::<Result<Vec<_>>>()?;
    let Some((_, study)) = series.first() else { return Err(no_estimate()) };
    let mut chart = match study.axis() {
        None => {
            let times: Vec<f64> = study.rows.iter().map(|row| row.at).collect();
            let x_label = since_treatment(&times, study.calendar());
            let is_slope = study.provenance.settings().is_some_and(Settings::is_of_slopes);
            let title = if is_slope { SLOPES } else { EVENT_STUDY.title };
            let words = ChartWords { title, x_label };
            let chart = Chart::new(&words, study.measured(), facets, options);
            Chart { event_times: true, ..chart }
        }
        Some(column) => {
            let title = format!("Coefficients by {column}");
            let words = ChartWords { title: &title, x_label: column };
            let chart = Chart::new(&words, study.measured(), facets, options);
            let reference = chart.facets.iter().flat_map(|f| &f.rows).any(|r| r.reference);
            Chart { points: if reference { BESIDE_REFERENCE } else { ALONE }, ..chart }
        }
    };
    chart.finish(options, study.band, study.alpha);
    Ok(chart)
}

impl EventStudy {
    /// What the effects are, and of which outcome, for an axis.
    pub(crate) fn measured(&self) -> (&'static str, String) {
        match &self.provenance {
            Provenance::Given => ("Effect", String::new()),
            Provenance::Effects(settings) => axis(settings),
            Provenance::Regression(regression) => {
                let parameter = if self.axis().is_some() { "Coefficient" } else { "ATT" };
                (parameter, regression.outcome.clone())
            }
        }
    }

    /// Where the line at treatment is: between the last period before and the first after it, or at the reference if the event times
    /// count from that of a regression.
    fn treatment_line(&self, facet: &Facet) -> Option<f64> {
        if self.axis().is_some() {
            let reference = self.rows.iter().rfind(|r| r.reference && !self.is_post(r.at));
            return reference.map(|row| row.at);
        }
        let first = facet.places().into_iter().find(|at| self.is_post(*at))?;
        // Event times count from treatment, whether there is an estimate at 0 or not.
        facet.boundary(if self.column().is_none() { first.min(0.0) } else { first })
    }
}

/// The title of an event study of slopes in a dose.
const SLOPES: &str = "Average Slope by Length of Exposure";

/// What is written around an event study.
pub(crate) const EVENT_STUDY: ChartWords<'static> =
    ChartWords { title: "Average Effect by Length of Exposure", x_label: TIME_SINCE };
