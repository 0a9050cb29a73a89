//! Pictures of weighting: a love plot, and distributions of scores and covariates by arm.

use std::path::Path;

use super::{alike, name};
use crate::base::error::{DidError, Result};
use crate::estimator::weighting::overlap::OverlapByCell;
use crate::estimator::weighting::{CovariateShares, ScoreShares, WeightedComparison, Weighting};
use crate::report::plot::chart::{Body, Chart, ChartWords, Dot, Facet, Steps, ranked};
use crate::report::plot::{self, Picture, PlotOptions};

/// Differences beyond these ask for attention (Imbens and Rubin 2015, chapter 14).
const LARGE: [f64; 2] = [-0.25, 0.25];

/// Panels of a picture, at most.
const PANELS: usize = 60;

/// What the arms are called in legends of distributions.
const ARMS: [&str; 3] = ["Treated", "Comparison", "Comparison, weighted"];

impl Weighting {
    /// Normalised differences before and after weighting, beside the names of the covariates.
    pub(super) fn love_plot(&self, options: &PlotOptions) -> Result<Picture> {
        let title = "Balance Before and After Weighting";
        let words = ChartWords { title, x_label: "Normalised difference, treated − comparison" };
        let Some(first) = self.comparisons.first().filter(|of| !of.covariates.is_empty()) else {
            return Err(nothing("covariates whose balance could be drawn"));
        };
        let facet = |of: &[WeightedComparison]| {
            let dots = of[0].covariates.iter().enumerate().flat_map(|(name, covariate)| {
                let both = [covariate.normalized_difference, covariate.weighted_difference];
                let dot = move |(rank, value): (usize, Option<f64>)| {
                    Some(Dot { name, value: value.filter(|v| v.abs() < 1e6)?, rank })
                };
                both.into_iter().enumerate().filter_map(dot)
            });
            Facet { dots: dots.collect(), ..Facet::new(name(of, &self.settings), Vec::new()) }
        };
        let facets = panels(alike(&self.comparisons).map(facet))?;
        let names = first.covariates.iter().map(|covariate| covariate.variable.clone()).collect();
        let mut chart = words_alone(&words, facets, options);
        chart.body = Body::Dots(names);
        chart.bounds = LARGE.into();
        if options.show_legend {
            chart.legend = ranked(&["Before weighting", "After weighting"], false);
        }
        chart.remarks = vec!["Dashed: differences of 0.25 standard deviations".into()];
        Ok(Picture::Chart(chart))
    }

    /// How each covariate is distributed over the treated units and over the comparison units, before and after weighting.
    fn distributions(&self, options: &PlotOptions) -> Result<Picture> {
        let words = ChartWords { title: "Covariates by Arm", x_label: "Covariate" };
        let several = alike(&self.comparisons).count() > 1;
        let facets = alike(&self.comparisons).flat_map(|of| {
            let name = name(of, &self.settings);
            of[0].covariates.iter().filter_map(move |covariate| {
                let CovariateShares { lower, width, treated, control, weighted } =
                    covariate.shares.clone()?;
                let steps = [treated, control, weighted].into_iter().enumerate();
                let steps = steps.map(|(rank, heights)| Steps {
                    lower,
                    width,
                    heights,
                    rank,
                    filled: rank == 0,
                });
                let variable = &covariate.variable;
                let title = if several { format!("{variable}: {name}") } else { variable.clone() };
                Some(Facet { steps: steps.collect(), ..Facet::new(title, Vec::new()) })
            })
        });
        let mut chart = words_alone(&words, panels(facets)?, options);
        chart.body = Body::Steps;
        if options.y_label.is_none() {
            chart.y_label = "Part of the arm's weight".into();
        }
        if options.show_legend {
            chart.legend = ranked(&ARMS, true);
        }
        chart.remarks = vec!["The outer steps have what lies beyond 3 standard deviations".into()];
        Ok(Picture::Chart(chart))
    }

    /// Draws how each covariate is distributed over the treated units and over the comparison units, before and after weighting, to a
    /// `.png`, `.svg` or `.pdf` file.
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension, without covariates, and for more panels than a picture has room for;
    /// [`DidError::Io`] if the file cannot be written.
    pub fn plot_distributions(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        plot::write(path.as_ref(), options, || self.distributions(options))
    }
}

/// Distributions of propensity scores by arm, with the score from which comparison units are trimmed.
pub(super) fn scores(of: &OverlapByCell, options: &PlotOptions) -> Result<Picture> {
    if of.trim_level.is_none() {
        return Err(DidError::Plot(format!("the method `{}` has no propensity score", of.method)));
    }
    let words = ChartWords { title: "Propensity Scores by Arm", x_label: "Propensity score" };
    let steps = |shares: &ScoreShares| {
        let arms = [&shares.treated, &shares.control].into_iter().enumerate();
        let steps = arms.map(|(rank, heights)| Steps {
            lower: 0.0,
            width: 1.0 / heights.len().max(1) as f64,
            heights: heights.clone(),
            rank,
            filled: rank == 0,
        });
        steps.collect()
    };
    let facets = alike(&of.comparisons).filter_map(|comparisons| {
        let steps = steps(comparisons[0].scores.as_ref()?);
        Some(Facet { steps, ..Facet::new(name(comparisons, &of.settings), Vec::new()) })
    });
    let facets: Vec<Facet> = facets.collect();
    if facets.is_empty() {
        return Err(nothing(
            "distributions of scores: fit with covariates, and ask for `weighting` (`--weighting`)",
        ));
    }
    let mut chart = words_alone(&words, panels(facets.into_iter())?, options);
    chart.body = Body::Steps;
    chart.bounds = of.trim_level.into_iter().collect();
    if options.y_label.is_none() {
        chart.y_label = "Part of the arm's weight".into();
    }
    if options.show_legend {
        chart.legend = ranked(&ARMS[..2], true);
    }
    if let Some(level) = of.trim_level {
        let whole: usize = of.rows.iter().map(|row| row.overlap.trimmed).sum();
        chart.remarks = vec![format!(
            "Dashed: comparison units are trimmed from {level}; in all cells together these are {whole}"
        )];
    }
    Ok(Picture::Chart(chart))
}

/// A chart whose vertical axis has no label unless one is asked for.
fn words_alone(words: &ChartWords<'_>, facets: Vec<Facet>, options: &PlotOptions) -> Chart {
    let mut chart = Chart::new(words, ("", ""), facets, options);
    if options.y_label.is_none() {
        chart.y_label = String::new();
    }
    chart
}

/// The panels, if a picture has room for them.
fn panels(facets: impl Iterator<Item = Facet>) -> Result<Vec<Facet>> {
    let facets: Vec<Facet> = facets.collect();
    match facets.len() {
        0 => Err(nothing("covariates that vary")),
        1..=PANELS => Ok(facets),
        many => Err(DidError::Plot(format!(
            "{many} panels do not fit in one picture, which has room for {PANELS}; choose cells by `of_cells` (`--group`, `--time`)"
        ))),
    }
}

fn nothing(what: &str) -> DidError {
    DidError::Plot(format!("there are no {what}"))
}
