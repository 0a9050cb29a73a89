//! One panel of a chart: its title, grid, effects and ticks.

use crate::report::plot::axis::Axis;
use crate::report::plot::chart::Facet;
use crate::report::plot::marks::{Marks, faint};
use crate::report::plot::options::Colour;
use crate::report::plot::scene::{Anchor, Area, GRID, INK, MUTED, Point, STRIP};
use crate::report::plot::series::Series;
use crate::report::plot::sizes::Sizes;

use super::{ChartLayout, TICK_LINE};

impl ChartLayout<'_> {
    pub(super) fn facet(&mut self, index: usize, facet: &Facet, cell: Area, x: &Axis, y: &Axis) {
        let area = self.strip(facet, cell);
        let up = |value: f64| y.place(value, area.bottom, area.top);
        let all = facet.places();
        let categories = self.chart.categories;
        let along = |at: f64| {
            let index = all.partition_point(|other| *other < at) as f64;
            x.place(if categories { index } else { at }, area.left, area.right)
        };
        let places: Vec<f64> = all.iter().map(|at| along(*at)).collect();
        let spacing = places.windows(2).map(|w| (w[1] - w[0]).abs()).fold(f64::INFINITY, f64::min);
        let small = if self.chart.facets.len() > 1 { 0.75 } else { 1.0 };
        let marks = Marks::new(small * self.sizes.unit, spacing.max(1.0));
        let series = Series { facet, style: self.style, marks, spacing, along: &along, up: &up };
        let treatment = facet.treatment.map(along);
        let after = Area { left: treatment.unwrap_or(area.left), ..area };

        if let Some((lower, upper)) = facet.overall.and_then(|overall| overall.interval) {
            let (top, bottom) = (up(upper), up(lower));
            self.scene.fill(Area { top, bottom, ..after }, faint(MUTED));
        }
        series.areas(&mut self.scene);
        self.grid(area, x, y, index.is_multiple_of(self.columns));
        if let Some(x) = treatment.filter(|_| self.style.options.show_treatment) {
            let (top, unit) = (Point { x, y: area.top }, self.sizes.unit);
            self.scene.dashed_upright(top, area.bottom, 1.2 * unit, 6.0 * unit, MUTED);
        }
        if let Some(overall) = facet.overall {
            let from = Point { x: after.left, y: up(overall.estimate) };
            self.scene.rule(from, area.right, 2.0 * self.sizes.unit, MUTED);
        }
        if let Some(value) = self.chart.robust.as_ref().and_then(|r| r.breakdown) {
            self.upright(x.place(value, area.left, area.right), area, 2.0, MUTED);
        }
        series.marks(&mut self.scene);
        self.x_ticks(area, x, index + self.columns >= self.chart.facets.len());
    }

    /// Draws the facet's title and returns what is left of its cell.
    fn strip(&mut self, facet: &Facet, cell: Area) -> Area {
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

    /// Lines at the ticks of the axes and at zero, and the labels of the vertical axis.
    fn grid(&mut self, area: Area, x: &Axis, y: &Axis, labelled: bool) {
        let Sizes { unit, tick, .. } = self.sizes;
        let grid = self.style.options.grid;
        let up = |value: f64| Point { x: area.left, y: y.place(value, area.bottom, area.top) };
        for (value, text) in &y.ticks {
            let from = up(*value);
            if grid.is_level() {
                self.scene.rule(from, area.right, unit, GRID);
            }
            if labelled {
                let at = Point { x: area.left - 8.0 * unit, ..from };
                self.scene.text(text, at, Anchor::End, tick, MUTED);
            }
        }
        for (value, _) in x.ticks.iter().filter(|_| grid.is_upright()) {
            self.upright(x.place(*value, area.left, area.right), area, 1.0, GRID);
        }
        self.scene.dashed(up(0.0), area.right, 1.2 * unit, 8.0 * unit, INK);
    }

    /// An upright line from end to end, of a width in the unit of distances.
    fn upright(&mut self, x: f64, area: Area, width: f64, colour: Colour) {
        let [from, to] = [area.top, area.bottom].map(|y| Point { x, y });
        self.scene.line(from, to, width * self.sizes.unit, colour);
    }

    fn x_ticks(&mut self, area: Area, x: &Axis, labelled: bool) {
        let Sizes { unit, tick, .. } = self.sizes;
        let (left, right) = (area.left, area.right);
        let corner = Point { x: left, y: area.bottom };
        self.scene.rule(corner, right, 1.2 * unit, MUTED);
        let lines = self.tick_lines(f64::from(self.scene.width));
        for (position, (value, text)) in x.ticks.iter().enumerate() {
            let from = Point { x: x.place(*value, left, right), y: area.bottom };
            self.scene.line(from, Point { y: from.y + 5.0 * unit, ..from }, 1.5 * unit, MUTED);
            if labelled {
                let line = (position % lines) as f64;
                let at = Point { y: from.y + (1.05 + TICK_LINE * line) * tick, ..from };
                self.scene.text(text, at, Anchor::Middle, tick, MUTED);
            }
        }
    }
}
