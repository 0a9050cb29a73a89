//! A picture as a list of shapes in pixels, before it is known what file it becomes.

use super::options::Colour;

pub(super) const WHITE: Colour = Colour(255, 255, 255);
pub(super) const INK: Colour = Colour(40, 40, 40);
pub(super) const MUTED: Colour = Colour(90, 90, 90);
pub(super) const GRID: Colour = Colour(229, 229, 229);
pub(super) const STRIP: Colour = Colour(240, 240, 240);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// Axis-parallel rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Which point of a text is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Text {
    pub(super) words: String,
    /// Horizontally at the anchor, vertically at the middle of a lower-case letter.
    pub(super) at: Point,
    pub(super) anchor: Anchor,
    /// Pixels an em.
    pub(super) size: f64,
    pub(super) colour: Colour,
    /// Reads upwards.
    pub(super) upright: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Line { from: Point, to: Point, width: f64, colour: Colour },
    Fill { area: Area, colour: Colour },
    Disc { centre: Point, radius: f64, colour: Colour },
    Polygon { corners: Vec<Point>, colour: Colour },
    Text(Text),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scene {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) shapes: Vec<Shape>,
}

impl Scene {
    /// A level or upright line, at least one pixel wide.
    pub(super) fn line(&mut self, from: Point, to: Point, width: f64, colour: Colour) {
        self.shapes.push(Shape::Line { from, to, width: width.max(1.0), colour });
    }

    /// A level line that fills whole pixels, so that all such lines look alike.
    pub(super) fn rule(&mut self, from: Point, right: f64, width: f64, colour: Colour) {
        let width = width.round().max(1.0);
        let y = (from.y - width / 2.0).round() + width / 2.0;
        self.line(Point { y, ..from }, Point { x: right, y }, width, colour);
    }

    /// Dashes of length `dash` with gaps two thirds as long, from left to right.
    pub(super) fn dashed(
        &mut self,
        from: Point,
        right: f64,
        width: f64,
        dash: f64,
        colour: Colour,
    ) {
        let mut x = from.x;
        while x < right {
            self.rule(Point { x, ..from }, (x + dash).min(right), width, colour);
            x += dash.max(1.0) * 5.0 / 3.0;
        }
    }

    pub(super) fn fill(&mut self, area: Area, colour: Colour) {
        self.shapes.push(Shape::Fill { area, colour });
    }

    pub(super) fn polygon(&mut self, corners: Vec<Point>, colour: Colour) {
        self.shapes.push(Shape::Polygon { corners, colour });
    }

    /// A line through points from left to right.
    pub(super) fn curve(&mut self, points: &[Point], width: f64, colour: Colour) {
        for pair in points.windows(2) {
            let (dx, dy) = (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
            let scale = width / 2.0 / dx.hypot(dy).max(1e-9);
            let (x, y) = (-dy * scale, dx * scale);
            let side = |p: &Point, sign: f64| Point { x: p.x + sign * x, y: p.y + sign * y };
            let corners = vec![
                side(&pair[0], 1.0),
                side(&pair[1], 1.0),
                side(&pair[1], -1.0),
                side(&pair[0], -1.0),
            ];
            self.polygon(corners, colour);
            // Fills the wedge of a bend.
            self.disc(pair[1], width / 2.0, colour);
        }
    }

    pub(super) fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.shapes.push(Shape::Disc { centre, radius, colour });
    }

    pub(super) fn ring(&mut self, centre: Point, radius: f64, width: f64, colour: Colour) {
        self.disc(centre, radius, colour);
        self.disc(centre, (radius - width).max(0.0), WHITE);
    }

    pub(super) fn text(
        &mut self,
        text: &str,
        at: Point,
        anchor: Anchor,
        size: f64,
        colour: Colour,
    ) {
        let words = text.to_owned();
        self.shapes.push(Shape::Text(Text { words, at, anchor, size, colour, upright: false }));
    }
}
