//! A picture as a list of shapes in pixels, before it is known what file it becomes.

use super::options::Colour;

pub(crate) const WHITE: Colour = Colour(255, 255, 255);
pub(crate) const INK: Colour = Colour(40, 40, 40);
pub(crate) const MUTED: Colour = Colour(90, 90, 90);
pub(crate) const GRID: Colour = Colour(229, 229, 229);
pub(crate) const STRIP: Colour = Colour(240, 240, 240);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// Axis-parallel rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Which point of a text is at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) words: String,
    /// Horizontally at the anchor, vertically at the middle of a lower-case letter.
    pub(crate) at: Point,
    pub(crate) anchor: Anchor,
    /// Pixels an em.
    pub(crate) size: f64,
    pub(crate) colour: Colour,
    /// Reads upwards.
    pub(crate) upright: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Line { from: Point, to: Point, width: f64, colour: Colour },
    Fill { area: Area, colour: Colour },
    Disc { centre: Point, radius: f64, colour: Colour },
    Polygon { corners: Vec<Point>, colour: Colour },
    Text(Text),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) shapes: Vec<Shape>,
}

impl Scene {
    /// A level or upright line, at least one pixel wide.
    pub(crate) fn line(&mut self, from: Point, to: Point, width: f64, colour: Colour) {
        self.shapes.push(Shape::Line { from, to, width: width.max(1.0), colour });
    }

    /// A level line that fills whole pixels, so that all such lines look alike.
    pub(crate) fn rule(&mut self, from: Point, right: f64, width: f64, colour: Colour) {
        let width = width.round().max(1.0);
        let y = (from.y - width / 2.0).round() + width / 2.0;
        self.line(Point { y, ..from }, Point { x: right, y }, width, colour);
    }

    /// Dashes of length `dash` with gaps two thirds as long, from left to right.
    pub(crate) fn dashed(
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

    /// Dashes of length `dash` with gaps two thirds as long, downwards.
    pub(crate) fn dashed_upright(
        &mut self,
        from: Point,
        bottom: f64,
        width: f64,
        dash: f64,
        colour: Colour,
    ) {
        // Whole pixels across, so that all such lines look alike.
        let width = width.round().max(1.0);
        let from = Point { x: (from.x - width / 2.0).round() + width / 2.0, ..from };
        let mut y = from.y;
        while y < bottom {
            let end = Point { y: (y + dash).min(bottom), ..from };
            self.line(Point { y, ..from }, end, width, colour);
            y += dash.max(1.0) * 5.0 / 3.0;
        }
    }

    pub(crate) fn fill(&mut self, area: Area, colour: Colour) {
        self.shapes.push(Shape::Fill { area, colour });
    }

    pub(crate) fn polygon(&mut self, corners: Vec<Point>, colour: Colour) {
        self.shapes.push(Shape::Polygon { corners, colour });
    }

    /// A line through points from left to right.
    pub(crate) fn curve(&mut self, points: &[Point], width: f64, colour: Colour) {
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

    pub(crate) fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.shapes.push(Shape::Disc { centre, radius, colour });
    }

    pub(crate) fn ring(&mut self, centre: Point, radius: f64, width: f64, colour: Colour) {
        self.disc(centre, radius, colour);
        self.disc(centre, (radius - width).max(0.0), WHITE);
    }

    pub(crate) fn text(
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
