//! Points with their intervals.

use crate::report::plot_data::PlotRow;

use super::options::{Colour, PlotOptions};
use super::scene::{Point, Scene};

/// Sizes of the marks in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) radius: f64,
    thick: f64,
    thin: f64,
    cap: f64,
}

impl Marks {
    /// Marks for points that are `spacing` pixels apart, in a picture scaled by `scale`.
    pub(super) fn new(scale: f64, spacing: f64) -> Self {
        let radius = (6.5 * scale).min(0.3 * spacing).max(1.2);
        Self { radius, thick: 0.7 * radius, thin: 0.31 * radius, cap: 0.95 * radius }
    }

    /// A thick stroke without caps: pointwise.
    pub(super) fn pointwise(&self, scene: &mut Scene, x: f64, ends: (f64, f64), colour: Colour) {
        scene.line(Point { x, y: ends.0 }, Point { x, y: ends.1 }, self.thick, colour);
    }

    /// A thin stroke with caps: uniform.
    pub(super) fn uniform(&self, scene: &mut Scene, x: f64, ends: (f64, f64), colour: Colour) {
        scene.line(Point { x, y: ends.0 }, Point { x, y: ends.1 }, self.thin, colour);
        for y in [ends.0, ends.1] {
            let (left, right) = (Point { x: x - self.cap, y }, Point { x: x + self.cap, y });
            scene.line(left, right, self.thin, colour);
        }
    }

    pub(super) fn point(&self, scene: &mut Scene, at: Point, colour: Colour) {
        scene.disc(at, self.radius, colour);
    }

    pub(super) fn hollow(&self, scene: &mut Scene, at: Point, colour: Colour) {
        scene.ring(at, self.radius * 1.05, 0.38 * self.radius, colour);
    }

    /// Where there is no estimate.
    pub(super) fn cross(&self, scene: &mut Scene, at: Point, colour: Colour) {
        let reach = 0.95 * self.radius;
        for sign in [-1.0, 1.0] {
            let from = Point { x: at.x - reach, y: at.y - sign * reach };
            let to = Point { x: at.x + reach, y: at.y + sign * reach };
            scene.curve(&[from, to], 0.45 * self.radius, colour);
        }
    }

    /// One row at horizontal position `x`; `y` turns effects into pixels.
    pub(super) fn row(
        &self,
        scene: &mut Scene,
        row: &PlotRow,
        x: f64,
        y: impl Fn(f64) -> f64,
        style: &Style<'_>,
    ) {
        let colour = style.colour(row);
        if let Some((lower, upper)) = row.band_lower.zip(row.band_upper).filter(|_| style.uniform) {
            self.uniform(scene, x, (y(lower), y(upper)), style.options.band.unwrap_or(colour));
        }
        if let Some((lower, upper)) = row.ci_lower.zip(row.ci_upper) {
            self.pointwise(scene, x, (y(lower), y(upper)), colour);
        }
        if style.robust && row.post {
            return;
        }
        let at = Point { x, y: y(row.estimate) };
        if row.reference {
            self.hollow(scene, at, colour);
        } else {
            self.point(scene, at, colour);
        }
    }
}

/// What decides how a row looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style<'a> {
    pub(super) options: &'a PlotOptions,
    /// Whether there is a uniform band to draw.
    pub(super) uniform: bool,
    /// Whether rows after the first have an interval and no estimate.
    pub(super) robust: bool,
}

impl Style<'_> {
    pub(super) fn colour(&self, row: &PlotRow) -> Colour {
        if row.post { self.options.post } else { self.options.pre }
    }
}
