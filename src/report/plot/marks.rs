//! Points with their intervals.

use crate::report::plot_data::PlotRow;

use super::options::{Colour, PlotOptions, PlotStyle};
use super::scene::{Area, Point, Scene, WHITE};

/// The form of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Disc,
    Square,
    Upward,
    Downward,
}

/// Sizes of the marks in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub(super) radius: f64,
    thick: f64,
    thin: f64,
    cap: f64,
    mark: Mark,
}

impl Marks {
    /// Marks for points that are `spacing` pixels apart, in a picture scaled by `scale`.
    pub(super) fn new(scale: f64, spacing: f64) -> Self {
        let radius = (6.5 * scale).min(0.3 * spacing).max(1.2);
        // No line is thinner than a pixel, and a pointwise interval is told apart from a band at any size.
        let (thick, thin, cap) = ((0.7 * radius).max(2.0), 0.31 * radius, 0.95 * radius);
        Self { radius, thick, thin, cap, mark: Mark::Disc }
    }

    /// The same marks with points of this form.
    pub(super) fn shaped(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }

    /// The same marks with small points.
    pub(super) fn small(self) -> Self {
        Self { radius: 0.55 * self.radius, ..self }
    }

    /// Width of lines that join points.
    pub(super) fn stroke(&self) -> f64 {
        0.5 * self.radius
    }

    /// A thick stroke: pointwise.
    pub(super) fn pointwise(&self, scene: &mut Scene, x: f64, ends: (f64, f64), colour: Colour) {
        scene.line(Point { x, y: ends.0 }, Point { x, y: ends.1 }, self.thick, colour);
    }

    /// A thin stroke with caps: uniform.
    pub(super) fn uniform(&self, scene: &mut Scene, x: f64, ends: (f64, f64), colour: Colour) {
        scene.line(Point { x, y: ends.0 }, Point { x, y: ends.1 }, self.thin, colour);
        self.caps(scene, x, ends, self.cap, colour);
    }

    fn caps(&self, scene: &mut Scene, x: f64, ends: (f64, f64), reach: f64, colour: Colour) {
        for y in [ends.0, ends.1] {
            let (left, right) = (Point { x: x - reach, y }, Point { x: x + reach, y });
            scene.line(left, right, self.thin, colour);
        }
    }

    pub(super) fn point(&self, scene: &mut Scene, at: Point, colour: Colour) {
        self.shape(scene, at, 1.0, colour);
    }

    /// A point of this size.
    fn shape(&self, scene: &mut Scene, at: Point, size: f64, colour: Colour) {
        let radius = size * self.radius;
        let corners: &[(f64, f64)] = match self.mark {
            Mark::Disc => return scene.disc(at, radius, colour),
            Mark::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Mark::Upward => &[(0.0, -1.3), (1.15, 0.75), (-1.15, 0.75)],
            Mark::Downward => &[(0.0, 1.3), (1.15, -0.75), (-1.15, -0.75)],
        };
        let corner = |(dx, dy): &(f64, f64)| Point { x: at.x + dx * radius, y: at.y + dy * radius };
        scene.polygon(corners.iter().map(corner).collect(), colour);
    }

    pub(super) fn hollow(&self, scene: &mut Scene, at: Point, colour: Colour) {
        if self.mark == Mark::Disc {
            return scene.ring(at, self.radius * 1.05, 0.38 * self.radius, colour);
        }
        self.shape(scene, at, 1.05, colour);
        self.shape(scene, at, 0.55, WHITE);
    }

    /// An average that leaves out some of its cells.
    pub(super) fn diamond(&self, scene: &mut Scene, at: Point, colour: Colour) {
        for (reach, colour) in [(1.45 * self.radius, colour), (0.85 * self.radius, WHITE)] {
            let corner = |dx: f64, dy: f64| Point { x: at.x + dx * reach, y: at.y + dy * reach };
            let corners = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)];
            scene.polygon(corners.map(|(dx, dy)| corner(dx, dy)).into(), colour);
        }
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

    /// A bar from zero; `half` is half its width.
    pub(super) fn bar(&self, scene: &mut Scene, at: Point, zero: f64, half: f64, colour: Colour) {
        let (top, bottom) = (at.y.min(zero), at.y.max(zero));
        let area = Area { left: at.x - half, top, right: at.x + half, bottom };
        scene.fill(area, inner(colour));
    }

    /// The strokes of a row's intervals at horizontal position `x`; `y` turns effects into pixels.
    pub(super) fn intervals(
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
            let ends = (y(lower), y(upper));
            self.pointwise(scene, x, ends, colour);
            if style.options.show_caps {
                let reach = if style.uniform { 0.6 } else { 1.0 } * self.cap;
                self.caps(scene, x, ends, reach, colour);
            }
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

/// Colour of the area of pointwise intervals, and of bars.
pub(super) fn inner(colour: Colour) -> Colour {
    colour.tint(0.66)
}

/// Colour of the area of a uniform band.
pub(super) fn outer(colour: Colour) -> Colour {
    colour.tint(0.84)
}

/// Colour of the interval of an overall effect, on which the lines of the grid are seen.
pub(super) fn faint(colour: Colour) -> Colour {
    colour.tint(0.91)
}

/// Colours that colour-blind readers can tell apart (Okabe and Ito 2008; the last is of Tol 2021).
const PALETTE: [Colour; 8] = [
    Colour(0, 114, 178),
    Colour(213, 94, 0),
    Colour(0, 158, 115),
    Colour(204, 121, 167),
    Colour(230, 159, 0),
    Colour(86, 180, 233),
    Colour(90, 90, 90),
    Colour(136, 34, 85),
];

const FORMS: [Mark; 4] = [Mark::Disc, Mark::Square, Mark::Upward, Mark::Downward];

/// Colour and form of the points of the result of this rank, of several in a panel.
pub(super) fn colour_and_mark(rank: usize) -> (Colour, Mark) {
    // From one round of colours to the next, forms move on by one.
    let round = rank / PALETTE.len();
    (PALETTE[rank % PALETTE.len()], FORMS[(rank + round) % FORMS.len()])
}

/// The options of a picture with the colour of the result of this rank, and the form of its points.
pub(super) fn look(rank: usize, options: &PlotOptions) -> (PlotOptions, Mark) {
    let (colour, mark) = colour_and_mark(rank);
    (PlotOptions { pre: colour, post: colour, band: None, ..options.clone() }, mark)
}

/// Results side by side at places that are `spacing` pixels apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    pub(super) count: usize,
    pub(super) spacing: f64,
}

impl Beside {
    /// Pixels between neighbouring results.
    pub(super) fn step(self) -> f64 {
        0.72 * self.spacing / self.count.max(1) as f64
    }

    /// Pixels by which the result of this rank stands beside its place. Shaded areas lie over each other, a little apart so that equal ones
    /// are seen.
    pub(super) fn shift(self, rank: usize, style: PlotStyle) -> f64 {
        let step = match style {
            PlotStyle::Ribbon => 0.25 * self.step(),
            _ => self.step(),
        };
        (rank as f64 - (self.count as f64 - 1.0) / 2.0) * step
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plot::scene::Shape;

    #[test]
    fn equal_results_do_not_hide_each_other() {
        let beside = Beside { count: 3, spacing: 100.0 };
        for style in [PlotStyle::Ribbon, PlotStyle::Points] {
            let shifts = [0, 1, 2].map(|rank| beside.shift(rank, style));
            assert!(shifts[0] < -5.0 && shifts[1] == 0.0 && shifts[2] > 5.0, "{shifts:?}");
        }
    }

    #[test]
    fn pointwise_intervals_are_thicker_than_bands_at_any_size() {
        let width = |scene: &Scene| match scene.shapes[0] {
            Shape::Line { width, .. } => width,
            _ => 0.0,
        };
        let (ends, colour) = ((1.0, 9.0), Colour(1, 2, 3));
        for spacing in [1.0, 4.0, 8.0, 100.0] {
            let marks = Marks::new(1.0, spacing);
            let [mut thick, mut thin] =
                [(); 2].map(|()| Scene { width: 100, height: 100, shapes: Vec::new() });
            marks.pointwise(&mut thick, 5.0, ends, colour);
            marks.uniform(&mut thin, 5.0, ends, colour);
            assert!(width(&thick) >= 1.9 * width(&thin), "{spacing}");
        }
    }
}
