//! Plots of the coefficients of `i()`.

use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::estimator::fixed_effects::{RegressionEventStudy, RegressionResult};

use crate::estimator::aggregate::report::EVENT_STUDY;
use crate::report::plot::PlotOptions;
use crate::report::plot::chart::{
    ALONE, BESIDE_REFERENCE, Chart, ChartWords, Facet, checked, no_estimate,
};

impl RegressionResult {
    /// The effects of the first `i()`, by the level of its other factor.
    pub(super) fn first_series(&self) -> Result<Vec<(String, RegressionEventStudy)>> {
        // `year:treated::1` is the level 1 of `i(year, i.treated)`.
        let term = |of: &str| of.rsplit_once("::").map_or(of, |(term, _)| term).to_owned();
        let first = self.event_studies().next().map(term).ok_or_else(|| {
            DidError::Plot("the regression has no i(), whose coefficients would be drawn".into())
        })?;
        let title = |of: &str| {
            let level = of.rsplit_once("::").zip(of.split_once(':'));
            level.map_or(String::new(), |((_, level), (_, factor))| {
                let factor = factor.rsplit_once("::").map_or(factor, |(name, _)| name);
                format!("{factor} = {level}")
            })
        };
        let of_first = self.event_studies().filter(|of| term(of) == first);
        of_first.map(|of| Ok((title(of), self.event_study(of)?))).collect()
    }
}

/// Event studies of one regression in a panel each, with a title.
pub(super) fn event_study_chart(
    series: &[(String, RegressionEventStudy)],
    options: &PlotOptions,
) -> Result<Chart> {
    let facet = |(title, study): &(String, RegressionEventStudy)| -> Result<Facet> {
        let failed = study.rows.iter().filter(|r| r.estimate.att.is_none()).map(|r| r.at);
        let facet = Facet::new(title.clone(), checked(study.plot_data())?);
        Ok(Facet { failed: failed.collect(), ..facet })
    };
    let facets = series.iter().map(facet).collect::<Result<Vec<_>>>()?;
    let Some((_, result)) = series.first() else { return Err(no_estimate()) };
    let outcome = &result.settings.outcome;
    let mut chart = match result.axis() {
        None => Chart::new(&EVENT_STUDY, ("ATT", outcome), facets, options),
        Some(column) => {
            let title = format!("Coefficients by {column}");
            let words = ChartWords { title: &title, x_label: column };
            let chart = Chart::new(&words, ("Coefficient", outcome), facets, options);
            let reference = chart.facets.iter().flat_map(|f| &f.rows).any(|r| r.reference);
            Chart { points: if reference { BESIDE_REFERENCE } else { ALONE }, ..chart }
        }
    };
    chart.finish(options, Band::Pointwise, result.settings.alpha);
    Ok(chart)
}
