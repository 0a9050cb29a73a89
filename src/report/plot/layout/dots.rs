//! A panel of points beside names, as in a plot of balance.

use crate::report::plot::axis::Axis;
use crate::report::plot::chart::Facet;
use crate::report::plot::frame::Frame;
use crate::report::plot::marks::{Marks, colour_and_mark};
use crate::report::plot::scene::{Anchor, GRID, INK, MUTED, Point};

use super::ChartLayout;

/// Part of the page that names may take.
const NAMES: f64 = 0.3;

impl ChartLayout<'_> {
    /// The names from the top down, shortened where they are long.
    pub(super) fn names_axis(&self, names: &[String]) -> Axis {
        let room = NAMES * f64::from(self.scene.width);
        let tick =
            |(i, name): (usize, &String)| (-(i as f64), self.face.fit(name, self.sizes.tick, room));
        let ticks = names.iter().enumerate().map(tick).collect();
        Axis { low: 0.4 - names.len() as f64, high: 0.6, ticks }
    }

    pub(super) fn dots(&mut self, facet: &Facet, frame: &Frame<'_>, [left, bottom]: [bool; 2]) {
        let (sizes, options) = (self.sizes, self.style.options);
        let bounds = self.chart.bounds.clone();
        let scene = &mut self.scene;
        let spacing = frame.up(-1.0) - frame.up(0.0);
        for (place, name) in &frame.y.ticks {
            let from = Point { x: frame.area.left, y: frame.up(*place) };
            if options.grid.is_level() {
                scene.rule(from, frame.area.right, sizes.unit, GRID);
            }
            if left {
                let at = Point { x: from.x - 8.0 * sizes.unit, ..from };
                scene.text(name, at, Anchor::End, sizes.tick, MUTED);
            }
        }
        for (place, _) in frame.x.ticks.iter().filter(|_| options.grid.is_upright()) {
            frame.upright(scene, *place, 1.0, GRID);
        }
        frame.upright(scene, 0.0, 1.5, INK);
        frame.bounds(scene, &bounds, 1.2, MUTED);
        let small = if self.chart.facets.len() > 1 { 0.8 } else { 1.0 };
        let marks = Marks::new(small * sizes.unit, spacing);
        for dot in &facet.dots {
            let at = Point { x: frame.along(dot.value), y: frame.up(-(dot.name as f64)) };
            let (colour, mark) = colour_and_mark(dot.rank);
            marks.shaped(mark).point(scene, at, colour);
        }
        for name in &facet.failed {
            marks.cross(scene, Point { x: frame.along(0.0), y: frame.up(-name) }, MUTED);
        }
        frame.x_ticks(scene, self.face, usize::from(bottom));
    }
}
