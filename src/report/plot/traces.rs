//! Lines over estimates: what they might be compared with.

use super::options::Colour;
use super::scene::{Point, Scene};

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trace {
    pub(crate) style: TraceStyle,
    /// Positions and values, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

/// How a line looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceStyle {
    Solid,
    Dashed,
}

impl TraceStyle {
    /// Colours that colour-blind readers can tell apart, and from those of estimates.
    fn colour(self) -> Colour {
        match self {
            Self::Solid => Colour(0, 158, 115),
            Self::Dashed => Colour(204, 121, 167),
        }
    }

    /// Draws a line of this width through points.
    pub(super) fn line(self, scene: &mut Scene, points: &[Point], width: f64) {
        match self {
            Self::Solid => scene.curve(points, width, self.colour()),
            Self::Dashed => {
                for pair in points.windows(2) {
                    self.dashes(scene, pair[0], pair[1], width);
                }
            }
        }
    }

    /// Draws a line with its points marked.
    pub(super) fn trace(self, scene: &mut Scene, points: &[Point], width: f64) {
        self.line(scene, points, width);
        for point in points {
            scene.disc(*point, 1.4 * width, self.colour());
        }
    }

    /// Dashes and gaps of equal length that begin and end with a dash, so that a short line has two.
    fn dashes(self, scene: &mut Scene, from: Point, to: Point, width: f64) {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let count = (dx.hypot(dy) / (8.0 * width)).round().clamp(2.0, 200.0) as usize;
        let at = |part: f64| {
            let share = part / (2.0 * count as f64 - 1.0);
            Point { x: from.x + share * dx, y: from.y + share * dy }
        };
        for dash in 0..count {
            let start = 2.0 * dash as f64;
            scene.curve(&[at(start), at(start + 1.0)], width, self.colour());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plot::scene::Shape;

    #[test]
    fn short_lines_have_dashes() {
        let strokes = |style: TraceStyle| {
            let mut scene = Scene { width: 100, height: 100, shapes: Vec::new() };
            // As long and as wide as in the legend.
            let ends = [0.0, 23.0].map(|x| Point { x, y: 0.0 });
            style.line(&mut scene, &ends, 2.6);
            scene.shapes.iter().filter(|shape| matches!(shape, Shape::Polygon { .. })).count()
        };
        assert_eq!((strokes(TraceStyle::Solid), strokes(TraceStyle::Dashed)), (1, 2));
    }
}
