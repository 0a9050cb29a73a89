//! The legend: entries in centred lines under the plot, so that it never covers a point.

use super::font::Typeface;
use super::marks::{Mark, Marks, faint, inner, outer};
use super::options::Colour;
use super::scene::{Anchor, Area, INK, MUTED, Point, Scene};
use super::traces::TraceStyle;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegendKey {
    Point(Colour),
    /// A point of one of several results.
    Layer(Colour, Mark),
    Hollow(Colour),
    /// A piece of a line.
    Line(Colour),
    /// A bar from zero.
    Bar(Colour),
    /// An average that leaves something out.
    Diamond(Colour),
    /// No estimate.
    Cross(Colour),
    Pointwise(Colour),
    Uniform(Colour),
    /// The shaded area of pointwise intervals.
    Inner(Colour),
    /// The shaded area of a uniform band.
    Outer(Colour),
    /// A level line with its interval around it.
    Overall(Colour),
    Upright(Colour),
    /// Strokes side by side.
    Strokes(Colour),
    Trace(TraceStyle),
    /// An area of this colour, with its ends drawn.
    Patch(Colour),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LegendEntry {
    pub(crate) key: LegendKey,
    pub(crate) label: String,
}

#[derive(Debug)]
pub(crate) struct Legend<'a> {
    lines: Vec<Vec<&'a LegendEntry>>,
    face: &'a Typeface,
    size: f64,
}

impl<'a> Legend<'a> {
    /// Breaks the entries into lines of at most `room` pixels.
    pub(crate) fn new(
        entries: &'a [LegendEntry],
        face: &'a Typeface,
        size: f64,
        room: f64,
    ) -> Self {
        let mut legend = Self { lines: Vec::new(), face, size };
        let mut used = f64::INFINITY;
        for entry in entries {
            let width = legend.entry_width(entry);
            if used + width > room {
                legend.lines.push(Vec::new());
                used = 0.0;
            }
            used += width;
            if let Some(line) = legend.lines.last_mut() {
                line.push(entry);
            }
        }
        legend
    }

    pub(crate) fn height(&self) -> f64 {
        self.lines.len() as f64 * self.line_height()
    }

    /// Draws the lines downwards from `top`, centred on `centre` as far as the page allows.
    pub(crate) fn draw(&self, scene: &mut Scene, centre: f64, top: f64) {
        let right = f64::from(scene.width) - 1.5 * self.size;
        for (index, line) in self.lines.iter().enumerate() {
            let width: f64 = line.iter().map(|e| self.entry_width(e)).sum::<f64>() - self.gap();
            let mut x = (centre - width / 2.0).min(right - width).max(self.size);
            let y = top + (index as f64 + 0.5) * self.line_height();
            for entry in line {
                self.draw_key(scene, entry.key, Point { x: x + self.key_width() / 2.0, y });
                let at = Point { x: x + self.key_width() + 0.35 * self.size, y };
                scene.text(&entry.label, at, Anchor::Start, self.size, INK);
                x += self.entry_width(entry);
            }
        }
    }

    fn draw_key(&self, scene: &mut Scene, key: LegendKey, at: Point) {
        let marks = Marks::new(self.size / 16.0, f64::INFINITY);
        let ends = (at.y - 0.6 * self.size, at.y + 0.6 * self.size);
        match key {
            LegendKey::Point(colour) => marks.point(scene, at, colour),
            LegendKey::Layer(colour, mark) => marks.shaped(mark).point(scene, at, colour),
            LegendKey::Hollow(colour) => marks.hollow(scene, at, colour),
            LegendKey::Pointwise(colour) => marks.pointwise(scene, at.x, ends, colour),
            LegendKey::Uniform(colour) => marks.uniform(scene, at.x, ends, colour),
            LegendKey::Diamond(colour) => marks.diamond(scene, at, colour),
            LegendKey::Trace(style) => {
                let half = 0.6 * self.key_width();
                let ends = [-half, half].map(|dx| Point { x: at.x + dx, ..at });
                style.line(scene, &ends, 0.16 * self.size);
            }
            LegendKey::Cross(colour) => marks.cross(scene, at, colour),
            LegendKey::Line(colour) => {
                let half = self.key_width() / 2.0;
                let ends = [at.x - half, at.x + half].map(|x| Point { x, ..at });
                scene.curve(&ends, marks.stroke(), colour);
            }
            LegendKey::Bar(colour) => self.patch(scene, at, [0.3, 0.5], inner(colour)),
            LegendKey::Inner(colour) => self.patch(scene, at, [0.5, 0.45], inner(colour)),
            LegendKey::Outer(colour) => self.patch(scene, at, [0.5, 0.45], outer(colour)),
            LegendKey::Upright(colour) => {
                let [from, to] = [ends.0, ends.1].map(|y| Point { y, ..at });
                scene.line(from, to, 0.125 * self.size, colour);
            }
            LegendKey::Strokes(colour) => {
                for place in [-0.45, -0.15, 0.15, 0.45] {
                    let x = at.x + place * self.size;
                    let [from, to] = [-0.3, 0.3].map(|dy| Point { x, y: at.y + dy * self.size });
                    scene.line(from, to, 0.06 * self.size, colour);
                }
            }
            LegendKey::Patch(colour) => {
                self.patch(scene, at, [0.5, 0.5], MUTED);
                let edge = 0.06 * self.size;
                let (wide, high) = (0.5 - edge / self.key_width(), 0.5 - edge / self.size);
                self.patch(scene, at, [wide, high], colour);
            }
            LegendKey::Overall(colour) => {
                let half = self.key_width() / 2.0;
                self.patch(scene, at, [0.5, 0.45], faint(colour));
                let from = Point { x: at.x - half, ..at };
                scene.rule(from, at.x + half, 0.125 * self.size, colour);
            }
        }
    }

    /// A rectangle whose halves are these shares of the key's width and of the letters' size.
    fn patch(&self, scene: &mut Scene, at: Point, [wide, high]: [f64; 2], colour: Colour) {
        let (dx, dy) = (wide * self.key_width(), high * self.size);
        let area = Area { left: at.x - dx, top: at.y - dy, right: at.x + dx, bottom: at.y + dy };
        scene.fill(area, colour);
    }

    fn key_width(&self) -> f64 {
        1.2 * self.size
    }

    fn gap(&self) -> f64 {
        1.6 * self.size
    }

    fn line_height(&self) -> f64 {
        1.9 * self.size
    }

    fn entry_width(&self, entry: &LegendEntry) -> f64 {
        let label = self.face.width(&entry.label, self.size);
        self.key_width() + 0.35 * self.size + label + self.gap()
    }
}
