//! One panel of a chart: its title, its axes and its effects.

use crate::report::plot::chart::Facet;
use crate::report::plot::frame::Frame;
use crate::report::plot::marks::{Beside, Mark, Marks, Style, look};
use crate::report::plot::options::PlotOptions;
use crate::report::plot::scene::{Anchor, Area, INK, MUTED, Point, STRIP};
use crate::report::plot::series::Series;

use super::ChartLayout;

impl ChartLayout<'_> {
    pub(super) fn facet(&mut self, index: usize, facet: &Facet, frame: &Frame<'_>) {
        let (sizes, options) = (self.sizes, self.style.options);
        let all = self.places();
        let categories = self.chart.categories;
        let along = |at: f64| {
            let index = all.partition_point(|other| *other < at) as f64;
            frame.along(if categories { index } else { at })
        };
        // Where zero is not on the axis, bars and crosses start at its end.
        let up = |effect: f64| frame.up(effect.clamp(frame.y.low, frame.y.high));
        let places: Vec<f64> = facet.places().iter().map(|at| along(*at)).collect();
        let spacing = places.windows(2).map(|w| (w[1] - w[0]).abs()).fold(f64::INFINITY, f64::min);
        let small = if self.chart.facets.len() > 1 { 0.75 } else { 1.0 };
        let scale = small * sizes.unit;
        let muted =
            facet.untreated.then(|| PlotOptions { pre: MUTED, post: MUTED, ..options.clone() });
        let alone = Series {
            facet,
            style: Style { options: muted.as_ref().unwrap_or(options), ..self.style },
            marks: Marks::new(scale, spacing.max(1.0)),
            spacing,
            shift: 0.0,
            outlined: false,
            joined: self.chart.joined,
            missing: MUTED,
            along: &along,
            up: &up,
        };
        // One place has no neighbour to keep apart from.
        let beside = Beside { count: self.chart.layers, spacing: spacing.min(90.0 * sizes.unit) };
        let looks: Vec<(PlotOptions, Mark)> =
            facet.layers.iter().map(|layer| look(layer.rank, options)).collect();
        let marks = Marks::new(scale, (1.5 * beside.step()).max(1.0));
        let layers = facet.layers.iter().zip(&looks);
        let layers = layers.map(|(layer, look)| alone.layer(layer, look, marks, beside));
        let all_series: Vec<Series<'_>> = std::iter::once(alone).chain(layers).collect();
        let treatment = facet.treatment.map(along);
        let left = treatment.unwrap_or(frame.area.left);
        let lines = self.tick_lines(f64::from(self.scene.width));

        let scene = &mut self.scene;
        if let Some(overall) = facet.overall {
            frame.overall_interval(scene, overall, left);
        }
        for series in &all_series {
            series.areas(scene);
        }
        frame.grid(scene, options.grid, index.is_multiple_of(self.columns));
        let starts = all_series
            .iter()
            .filter_map(|series| Some((along(series.facet.treatment?), series.missing)));
        for (x, colour) in starts.filter(|_| options.show_treatment) {
            let (top, unit) = (Point { x, y: frame.area.top }, sizes.unit);
            scene.dashed_upright(top, frame.area.bottom, 1.2 * unit, 6.0 * unit, colour);
        }
        if let Some(overall) = facet.overall {
            frame.overall_line(scene, overall, left);
        }
        if let Some(value) = self.chart.robust.as_ref().and_then(|r| r.breakdown) {
            frame.upright(scene, value, 2.0, MUTED);
        }
        for series in &all_series {
            series.marks(scene);
        }
        let labelled = index + self.columns >= self.chart.facets.len();
        frame.x_ticks(scene, self.face, if labelled { lines } else { 0 });
    }

    /// Draws the facet's title and returns what is left of its cell.
    pub(super) fn strip(&mut self, facet: &Facet, cell: Area) -> Area {
        if facet.title.is_empty() {
            return cell;
        }
        let size = self.sizes.note;
        let strip = Area { bottom: cell.top + 1.7 * size, ..cell };
        self.scene.fill(strip, STRIP);
        let centre = Point { x: f64::midpoint(cell.left, cell.right), y: cell.top + 0.85 * size };
        let title = self.face.fit(&facet.title, size, cell.width());
        self.scene.text(&title, centre, Anchor::Middle, size, INK);
        Area { top: strip.bottom, ..cell }
    }
}
