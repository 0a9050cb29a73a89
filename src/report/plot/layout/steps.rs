//! A panel of distributions as steps.

use crate::report::plot::axis::{Axis, Ticks};
use crate::report::plot::chart::{Facet, Steps};
use crate::report::plot::frame::Frame;
use crate::report::plot::marks::{colour_and_mark, inner};
use crate::report::plot::scene::{INK, Point};

use super::ChartLayout;

impl ChartLayout<'_> {
    /// The range of a panel's distributions.
    pub(super) fn steps_axis(&self, facet: &Facet, width: f64) -> Axis {
        let ends = |steps: &Steps| [steps.lower, steps.end()];
        let fold = |ends: (f64, f64), v: f64| (ends.0.min(v), ends.1.max(v));
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = facet.steps.iter().flat_map(ends).fold(start, fold);
        let most = (width / (4.0 * self.sizes.tick)).max(2.0);
        let target = self.style.options.x_ticks.map_or(6.0, f64::from).min(most);
        if low < high {
            Axis::between(low, high, Ticks { target, most })
        } else {
            Axis::between(0.0, 1.0, Ticks { target, most })
        }
    }

    pub(super) fn steps(&mut self, facet: &Facet, frame: &Frame<'_>, left: bool) {
        let (sizes, options) = (self.sizes, self.style.options);
        let bounds = self.chart.bounds.clone();
        let scene = &mut self.scene;
        let corners = |steps: &Steps| -> Vec<Point> {
            let point = |at: f64, height: f64| Point { x: frame.along(at), y: frame.up(height) };
            let step = |(i, height): (usize, &f64)| {
                let at = steps.lower + i as f64 * steps.width;
                [point(at, *height), point(at + steps.width, *height)]
            };
            let first = std::iter::once(point(steps.lower, 0.0));
            let inside = steps.heights.iter().enumerate().flat_map(step);
            first.chain(inside).chain([point(steps.end(), 0.0)]).collect()
        };
        for steps in facet.steps.iter().filter(|steps| steps.filled) {
            scene.polygon(corners(steps), inner(colour_and_mark(steps.rank).0));
        }
        frame.grid(scene, options.grid, left);
        for steps in &facet.steps {
            scene.curve(&corners(steps), 2.4 * sizes.unit, colour_and_mark(steps.rank).0);
        }
        frame.bounds(scene, &bounds, 1.6, INK);
        frame.x_ticks(scene, self.face, 1);
    }
}
