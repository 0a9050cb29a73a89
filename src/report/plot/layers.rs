//! Several results in one picture: side by side in a panel, or one panel each.

use crate::base::calendar::without_rounding;
use crate::base::error::{DidError, Result};

use super::chart::{Chart, Facet, Layer, TIME_SINCE, counted_by};
use super::legend::{LegendEntry, LegendKey};
use super::marks::colour_and_mark;
use super::options::PlotOptions;

/// Results that one panel can show side by side, at most.
const MOST: usize = 12;

/// Charts of several results as one: side by side in panels of the same title, or with `facets` in a panel each.
///
/// # Errors
/// [`DidError::Plot`] for charts of different axes, and for more results than a panel can show.
pub(crate) fn combined(
    mut charts: Vec<(&str, Chart)>,
    facets: bool,
    options: &PlotOptions,
    alpha: f64,
) -> Result<Chart> {
    let several = |charts: &[(&str, Chart)]| charts.iter().any(|(_, c)| c.facets.len() > 1);
    let (many_results, many_panels) = (charts.len() > 1, several(&charts));
    let Some(mut all) = shared(&charts)? else { return Err(nothing()) };
    for facet in charts.iter_mut().flat_map(|(_, chart)| &mut chart.facets) {
        align(facet);
    }
    if !many_results && (facets || !many_panels) {
        return charts.into_iter().next().map(|(_, chart)| chart).ok_or_else(nothing);
    }
    let mut layers: Vec<String> = Vec::new();
    for (name, chart) in charts {
        for facet in chart.facets {
            let title = facet.title.clone();
            let (panel, layer) = match (facets, many_results, many_panels) {
                (true, _, true) => (name.to_owned(), Some(title)),
                (true, _, false) => (name.to_owned(), None),
                (false, true, true) => (title, Some(name.to_owned())),
                (false, true, false) => (String::new(), Some(name.to_owned())),
                (false, false, _) => (String::new(), Some(title)),
            };
            let Some(layer) = layer else {
                all.facets.push(Facet { title: panel, ..facet });
                continue;
            };
            let known = layers.iter().position(|known| *known == layer);
            let rank = known.unwrap_or_else(|| {
                layers.push(layer);
                layers.len() - 1
            });
            let position = all.facets.iter().position(|known| known.title == panel);
            let position = position.unwrap_or_else(|| {
                all.facets.push(Facet::new(panel, Vec::new()));
                all.facets.len() - 1
            });
            all.facets[position]
                .layers
                .push(Layer { facet: Facet { overall: None, ..facet }, rank });
        }
    }
    if layers.len() > MOST {
        let problem =
            format!("{} results do not fit in one panel, which shows {MOST}", layers.len());
        return Err(DidError::Plot(format!(
            "{problem}; draw each in its own panel (`facets`, `--facets`), or fewer"
        )));
    }
    all.facets.iter_mut().for_each(share_treatment);
    if all.event_times {
        share_between(&mut all.facets);
    }
    all.layers = layers.len();
    all.uniform = options.show_band;
    if options.show_legend {
        let look = |(rank, label): (usize, String)| {
            let (colour, mark) = colour_and_mark(rank);
            LegendEntry { key: LegendKey::Layer(colour, mark), label }
        };
        all.legend = layers.into_iter().enumerate().map(look).collect();
        let other_entries = all.entries(options, alpha);
        all.legend.extend(other_entries);
    }
    Ok(all)
}

/// Places that differ for rounding only become one.
fn align(facet: &mut Facet) {
    facet.rows.iter_mut().for_each(|row| row.at = without_rounding(row.at));
    facet.failed.iter_mut().chain(&mut facet.partial).for_each(|at| *at = without_rounding(*at));
}

/// The words that all charts have, around no panels; `None` without charts.
fn shared(charts: &[(&str, Chart)]) -> Result<Option<Chart>> {
    let Some((first_name, first)) = charts.first() else { return Ok(None) };
    for (name, chart) in charts {
        let [one, other] = [first, chart].map(|chart| counted_by(&chart.x_label));
        let is_one_clock = one.is_none() || other.is_none() || one == other;
        let one_axis = chart.x_label == first.x_label
            || chart.event_times && first.event_times && is_one_clock;
        let differ = !one_axis
            || chart.categories != first.categories
            || chart.frequency != first.frequency
            || chart.robust.is_some();
        if differ {
            let by = |chart: &Chart| match chart.frequency {
                Some(frequency) => format!("`{}` ({frequency})", chart.x_label),
                None => format!("`{}`", chart.x_label),
            };
            return Err(DidError::Plot(format!(
                "{first_name} has effects by {} and {name} by {}, which do not stand beside each other",
                by(first),
                by(chart)
            )));
        }
    }
    let all_have = |same: fn(&Chart, &Chart) -> bool| charts.iter().all(|(_, c)| same(c, first));
    let chosen = |same: bool, first: &String, other: &str| {
        if same { first.clone() } else { other.to_owned() }
    };
    // Parameters of several names are effects on the outcome that all have.
    let of_outcome = first.y_label.strip_prefix(first.parameter).unwrap_or_default();
    let is_of = |chart: &Chart| chart.y_label.strip_prefix(chart.parameter) == Some(of_outcome);
    let of_outcome = if charts.iter().all(|(_, c)| is_of(c)) { of_outcome } else { "" };
    let effect = format!("Effect{of_outcome}");
    let y_label = chosen(all_have(|a, b| a.y_label == b.y_label), &first.y_label, &effect);
    let title = chosen(all_have(|a, b| a.title == b.title), &first.title, "Effects Side by Side");
    let x_label = chosen(all_have(|a, b| a.x_label == b.x_label), &first.x_label, TIME_SINCE);
    let remark = |(name, chart): &(&str, Chart)| -> Vec<String> {
        chart.remarks.iter().map(|remark| format!("{name}: {remark}")).collect()
    };
    Ok(Some(Chart {
        title,
        x_label,
        y_label,
        facets: Vec::new(),
        legend: Vec::new(),
        remarks: charts.iter().flat_map(remark).collect(),
        ..first.clone()
    }))
}

/// A panel has one line at treatment if those of its layers that have one agree: effects after treatment alone have none.
fn share_treatment(facet: &mut Facet) {
    let mut lines = facet.layers.iter().filter_map(|layer| layer.facet.treatment);
    let Some(first) = lines.next() else { return };
    if lines.all(|line| line == first) {
        facet.treatment = Some(first);
        facet.layers.iter_mut().for_each(|layer| layer.facet.treatment = None);
    }
}

/// Panels of one axis of event times have the line at treatment of the others, if these agree and it is not between the panel's own effects: effects
/// after treatment alone have none.
fn share_between(facets: &mut [Facet]) {
    let mut lines = facets.iter().filter_map(|facet| facet.treatment);
    let Some(first) = lines.next() else { return };
    let is_beside = |facet: &Facet| facet.places().iter().all(|at| *at > first);
    if lines.all(|line| line == first) {
        let without = facets.iter_mut().filter(|facet| facet.treatment.is_none());
        without.filter(|facet| is_beside(facet)).for_each(|facet| facet.treatment = Some(first));
    }
}

fn nothing() -> DidError {
    DidError::Plot("there is no result to draw".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panel with layers that have lines at treatment, or none.
    fn panel(lines: &[Option<f64>]) -> Facet {
        let mut panel = Facet::new(String::new(), Vec::new());
        for (rank, treatment) in lines.iter().enumerate() {
            let facet = Facet { treatment: *treatment, ..Facet::new(String::new(), Vec::new()) };
            panel.layers.push(Layer { facet, rank });
        }
        share_treatment(&mut panel);
        panel
    }

    #[test]
    fn panels_of_effects_after_treatment_have_the_line_of_the_others() {
        let facet = |places: &[f64], treatment: Option<f64>| Facet {
            failed: places.to_vec(),
            treatment,
            ..Facet::new(String::new(), Vec::new())
        };
        let mut panels = [facet(&[-1.0, 0.0], Some(-0.5)), facet(&[0.0, 1.0], None)];
        share_between(&mut panels);
        assert_eq!(panels[1].treatment, Some(-0.5));
        let mut apart = [facet(&[-1.0, 0.0], Some(-0.5)), facet(&[-2.0, -1.0], None)];
        share_between(&mut apart);
        assert_eq!(apart[1].treatment, None);
    }

    #[test]
    fn lines_that_agree_are_one() {
        let shared = panel(&[None, Some(-0.5), Some(-0.5)]);
        assert_eq!(shared.treatment, Some(-0.5));
        assert!(shared.layers.iter().all(|layer| layer.facet.treatment.is_none()));
        let apart = panel(&[Some(-0.5), Some(0.5), None]);
        assert_eq!(apart.treatment, None);
        assert_eq!(apart.layers[1].facet.treatment, Some(0.5));
        assert_eq!(panel(&[None, None]).treatment, None);
    }
}
