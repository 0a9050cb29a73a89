//! A specification curve: effects in ascending order, and below each the choices that it is made by.

use crate::base::error::Result;
use crate::report::table::one_line;

use super::axis::{Axis, Ticks};
use super::chart::{LARGEST, no_estimate};
use super::failed;
use super::font::Typeface;
use super::frame::Frame;
use super::legend::{Legend, LegendEntry, LegendKey};
use super::marks::{Mark, Marks, faint, inner};
use super::options::{Colour, PlotOptions};
use super::scene::{Anchor, Area, GRID, INK, MUTED, Point, Scene, Shape, Text, WHITE};
use super::sizes::Sizes;

/// Effects and the choices behind them.
pub(crate) struct Specifications {
    /// In ascending order of the effects.
    pub(crate) effects: Vec<SpecifiedEffect>,
    /// Choices, each with its values.
    pub(crate) choices: Vec<(String, Vec<String>)>,
    /// Confidence level in percent.
    pub(crate) level: String,
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) remarks: Vec<String>,
}

/// One effect.
pub(crate) struct SpecifiedEffect {
    pub(crate) value: f64,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) band: Option<(f64, f64)>,
    pub(crate) is_main: bool,
    /// Position of its value of each choice; none if it has no such choice.
    pub(crate) values: Vec<Option<usize>>,
}

/// Effects whose interval has 0.
const UNCLEAR: Colour = Colour(150, 150, 150);

/// Width of a picture, and its height without choices.
const WIDTH: u32 = 1200;
const HEIGHT: u32 = 560;

/// Height that a value of a choice adds to a picture without a size.
const ROW: u32 = 25;

/// Least width and height of the areas in pixels, and of a row of dots.
const SMALLEST: f64 = 40.0;
const SMALLEST_ROW: f64 = 5.0;

/// Columns that are narrower have strokes in place of dots.
const NARROW: f64 = 5.0;

impl SpecifiedEffect {
    fn is_drawable(&self) -> bool {
        self.extent().all(|value| value.abs() < LARGEST)
    }

    fn extent(&self) -> impl Iterator<Item = f64> {
        let ends = [self.interval, self.band].into_iter().flatten();
        std::iter::once(self.value).chain(ends.flat_map(|(lower, upper)| [lower, upper]))
    }

    fn colour(&self, options: &PlotOptions) -> Colour {
        match self.interval {
            Some((lower, upper)) if lower > 0.0 || upper < 0.0 => options.post,
            _ => UNCLEAR,
        }
    }
}

/// The scene of a specification curve.
pub(super) fn scene(
    curve: &Specifications,
    options: &PlotOptions,
    face: &Typeface,
) -> Result<Scene> {
    if curve.effects.is_empty() || !curve.effects.iter().all(SpecifiedEffect::is_drawable) {
        return Err(no_estimate());
    }
    let lines = curve.choices.iter().map(|(_, values)| values.len() + 1).sum::<usize>();
    let usual = (WIDTH, HEIGHT + ROW * u32::try_from(lines.min(400)).unwrap_or(400));
    let (width, height) = options.size.unwrap_or(usual);
    // Letters are as in a picture of usual shape.
    let sizes = Sizes::new((width, height.min(850)), (WIDTH, 850), options.text_scale);
    let scene = Scene { width, height, shapes: Vec::new() };
    CurveLayout { curve, options, face, sizes, scene, lines: lines as f64 }.draw()
}

struct CurveLayout<'a> {
    curve: &'a Specifications,
    options: &'a PlotOptions,
    face: &'a Typeface,
    sizes: Sizes,
    scene: Scene,
    /// Lines below the effects: choices and their values.
    lines: f64,
}

impl CurveLayout<'_> {
    fn draw(mut self) -> Result<Scene> {
        let Sizes { unit, title, label, tick, note } = self.sizes;
        let (curve, options, face) = (self.curve, self.options, self.face);
        let (right, bottom) = (f64::from(self.scene.width), f64::from(self.scene.height));
        self.scene.fill(Area { left: 0.0, top: 0.0, right, bottom }, WHITE);
        let word = |set: &Option<String>, default: &str| {
            one_line(set.as_deref().unwrap_or(default)).trim().to_owned()
        };
        let head = word(&options.title, &curve.title);
        let entries = if options.show_legend { self.entries() } else { Vec::new() };
        let legend = Legend::new(&entries, face, note, right - 40.0 * unit);
        let small = 0.875 * note;
        let remarks = curve.remarks.iter();
        let remarks: Vec<String> =
            remarks.flat_map(|remark| face.lines(remark, small, right - 40.0 * unit)).collect();
        let foot = 14.0 * unit + 1.9 * label + legend.height() + 1.4 * small * remarks.len() as f64;
        let top = 20.0 * unit + if head.is_empty() { 0.0 } else { 1.8 * title };
        let room = bottom - top - foot;
        // Half of the room is the effects', if the lines below them need so much.
        let row = (1.5 * tick).min(0.5 * room / self.lines);
        let split = top + room - row * self.lines;
        let ticks = Ticks::along(split - top, tick, options.y_ticks);
        let y = Axis::values(curve.effects.iter().flat_map(SpecifiedEffect::extent), ticks);
        let names = curve.choices.iter().flat_map(|(choice, values)| {
            std::iter::once(face.width(choice, tick))
                .chain(values.iter().map(|value| face.width(value, tick)))
        });
        let numbers = y.ticks.iter().map(|(_, text)| face.width(text, tick) + 1.6 * label);
        let widest = names.chain(numbers).fold(0.0, f64::max).min(0.35 * right);
        let left = (18.0 * unit + widest + 12.0 * unit).round();
        let area =
            Area { left, top, right: (right - 26.0 * unit).round(), bottom: split - 0.6 * tick };
        if area.width() < SMALLEST || area.height() < SMALLEST || row < SMALLEST_ROW {
            return Err(failed("the specifications do not fit; set a larger size"));
        }
        let last = curve.effects.len() as f64 - 1.0;
        let x = Axis { low: -0.7, high: last + 0.7, ticks: Vec::new() };
        let frame = Frame { area, x: &x, y: &y, sizes: self.sizes };
        let spacing = area.width() / (last + 1.4);
        self.main(&frame, spacing, top + room);
        frame.grid(&mut self.scene, options.grid, true);
        self.effects(&frame, spacing);
        self.choices(&frame, spacing, (split, row));
        let centre = f64::midpoint(area.left, area.right);
        let at = Point { x: centre, y: 16.0 * unit + 0.8 * title };
        let head = face.fit(&head, title, 2.0 * (right - 18.0 * unit - centre));
        self.scene.text(&head, at, Anchor::Middle, title, INK);
        let at = Point { x: centre, y: top + room + 0.9 * label };
        let words = face.fit(&word(&options.x_label, &curve.x), label, area.width());
        self.scene.text(&words, at, Anchor::Middle, label, INK);
        self.scene.shapes.push(Shape::Text(Text {
            words: face.fit(&word(&options.y_label, &curve.y), label, area.height()),
            at: Point { x: 18.0 * unit + 0.6 * label, y: f64::midpoint(area.top, area.bottom) },
            anchor: Anchor::Middle,
            size: label,
            colour: INK,
            upright: true,
        }));
        let below = 1.4 * small * remarks.len() as f64;
        let from = bottom - 10.0 * unit - below - legend.height();
        legend.draw(&mut self.scene, centre, from);
        for (index, line) in remarks.iter().enumerate() {
            let y = bottom - 10.0 * unit - below + (index as f64 + 0.7) * 1.4 * small;
            self.scene.text(line, Point { x: 20.0 * unit, y }, Anchor::Start, small, INK);
        }
        Ok(self.scene)
    }

    /// A strip behind the main specification, from effect to choices.
    fn main(&mut self, frame: &Frame<'_>, spacing: f64, bottom: f64) {
        let half = (0.5 * spacing).max(1.5 * self.sizes.unit);
        if let Some(place) = self.curve.effects.iter().position(|effect| effect.is_main) {
            let x = frame.along(place as f64);
            let area = Area { left: x - half, right: x + half, top: frame.area.top, bottom };
            self.scene.fill(area, faint(self.options.pre));
        }
    }

    fn effects(&mut self, frame: &Frame<'_>, spacing: f64) {
        let marks = Marks::new(self.sizes.unit, spacing);
        for (place, effect) in self.curve.effects.iter().enumerate() {
            let (x, colour) = (frame.along(place as f64), effect.colour(self.options));
            let ends = |(lower, upper): (f64, f64)| (frame.up(lower), frame.up(upper));
            if let Some(band) = effect.band.filter(|_| self.options.show_band) {
                let colour = self.options.band.unwrap_or(colour);
                marks.uniform(&mut self.scene, x, ends(band), colour);
            }
            if let Some(interval) = effect.interval.filter(|_| self.options.show_intervals) {
                let (from, to) = ends(interval);
                let width = (0.45 * marks.radius).min(0.8 * spacing);
                // Where intervals are an area, effects stand out of it.
                let colour = if spacing < NARROW { inner(colour) } else { colour };
                self.scene.line(Point { x, y: from }, Point { x, y: to }, width, colour);
            }
            marks.point(&mut self.scene, Point { x, y: frame.up(effect.value) }, colour);
        }
    }

    /// Under each effect a dot in the row of each of its values.
    fn choices(&mut self, frame: &Frame<'_>, spacing: f64, (top, row): (f64, f64)) {
        let (Sizes { unit, tick, .. }, area) = (self.sizes, frame.area);
        let size = tick.min(row / 1.2);
        let room = area.left - 30.0 * unit;
        let mut y = top;
        for (choice, (name, values)) in self.curve.choices.iter().enumerate() {
            let at = Point { x: 18.0 * unit, y: y + 0.62 * row };
            let name = self.face.fit(name, size, room);
            self.scene.text(&name, at, Anchor::Start, size, INK);
            self.scene.rule(Point { x: 18.0 * unit, y: y + 0.1 * row }, area.right, unit, MUTED);
            y += row;
            for (value, name) in values.iter().enumerate() {
                let centre = y + 0.5 * row;
                let at = Point { x: area.left - 8.0 * unit, y: centre };
                self.scene.text(&self.face.fit(name, size, room), at, Anchor::End, size, MUTED);
                self.scene.rule(Point { x: area.left, y: centre }, area.right, unit, GRID);
                for (place, effect) in self.curve.effects.iter().enumerate() {
                    if effect.values.get(choice).copied().flatten() == Some(value) {
                        let at = Point { x: frame.along(place as f64), y: centre };
                        self.dot(at, spacing, row, effect.colour(self.options));
                    }
                }
                y += row;
            }
        }
    }

    fn dot(&mut self, at: Point, spacing: f64, row: f64, colour: Colour) {
        if spacing >= NARROW {
            let radius = (0.28 * row).min(0.4 * spacing);
            return self.scene.disc(at, radius, colour);
        }
        let (dx, dy) = ((0.42 * spacing).max(0.5), 0.3 * row);
        let area = Area { left: at.x - dx, right: at.x + dx, top: at.y - dy, bottom: at.y + dy };
        self.scene.fill(area, colour);
    }

    fn entries(&self) -> Vec<LegendEntry> {
        let (effects, options, level) = (&self.curve.effects, self.options, &self.curve.level);
        let mut entries = Vec::new();
        let mut entry = |key, label: String| entries.push(LegendEntry { key, label });
        let has = |colour: Colour| effects.iter().any(|effect| effect.colour(options) == colour);
        for (colour, words) in [(options.post, "excludes 0"), (UNCLEAR, "contains 0")] {
            if has(colour) {
                let label = format!("{level}% pointwise interval {words}");
                entry(LegendKey::Layer(colour, Mark::Disc), label);
            }
        }
        if options.show_band && effects.iter().any(|effect| effect.band.is_some()) {
            let colour = options.band.unwrap_or(MUTED);
            entry(LegendKey::Uniform(colour), format!("{level}% uniform band"));
        }
        if effects.iter().any(|effect| effect.is_main) {
            entry(LegendKey::Patch(faint(options.pre)), "Main specification".to_owned());
        }
        entries
    }
}
