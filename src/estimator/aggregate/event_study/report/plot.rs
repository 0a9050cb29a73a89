//! The plot of effects by event time.

use crate::base::error::Result;
use crate::estimator::aggregate::EventStudy;
use crate::report::plot::PlotOptions;
use crate::report::plot::chart::{
    ALONE, BESIDE_REFERENCE, Chart, ChartWords, Facet, checked, no_estimate,
};
use crate::result::settings::Settings;

/// Event studies of one fit in a panel each, with a title.
pub(crate) fn event_study_chart(
    series: &[(String, EventStudy)],
    options: &PlotOptions,
) -> Result<Chart> {
    let facet = |(title, study): &(String, EventStudy)| -> Result<Facet> {
        let facet = Facet::new(title.clone(), checked(study.plot_data())?);
        Ok(Facet { failed: study.failed(), ..facet })
    };
    let facets = series.iter().map(facet).collect::<Result<Vec<_>>>()?;
    let Some((_, study)) = series.first() else { return Err(no_estimate()) };
    let outcome = study.provenance.outcome().unwrap_or("effect");
    let parameter = study.provenance.settings().map_or("ATT", Settings::parameter);
    let mut chart = match study.axis() {
        None => Chart::new(&EVENT_STUDY, (parameter, outcome), facets, options),
        Some(column) => {
            let title = format!("Coefficients by {column}");
            let words = ChartWords { title: &title, x_label: column };
            let chart = Chart::new(&words, ("Coefficient", outcome), facets, options);
            let reference = chart.facets.iter().flat_map(|f| &f.rows).any(|r| r.reference);
            Chart { points: if reference { BESIDE_REFERENCE } else { ALONE }, ..chart }
        }
    };
    chart.finish(options, study.band, study.alpha);
    Ok(chart)
}

/// What is written around an event study.
pub(crate) const EVENT_STUDY: ChartWords<'static> = ChartWords {
    title: "Average Effect by Length of Exposure",
    x_label: "Periods since first treatment",
};
