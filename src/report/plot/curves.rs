//! A curve above its slope, and where the observations are.

use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::report::foot::percent;
use crate::report::table::one_line;
use crate::result::inference::Estimate;

use super::axis::Axis;
use super::font::Typeface;
use super::options::{Colour, PlotOptions};
use super::scene::{Anchor, Area, GRID, INK, MUTED, Point, Scene, Shape, Text, WHITE};

/// A curve and its slope.
pub(crate) struct Curves {
    pub(crate) points: Vec<CurvePoint>,
    /// What the intervals of the curve and of the slope are.
    pub(crate) bands: [Band; 2],
    /// One minus the confidence level.
    pub(crate) alpha: f64,
    /// Where there are observations, or knots.
    pub(crate) marks: Vec<f64>,
    pub(crate) words: CurveWords,
}

/// The curve and its slope at one place.
pub(crate) struct CurvePoint {
    pub(crate) at: f64,
    pub(crate) estimates: [Estimate; 2],
}

/// What is written around the curves.
pub(crate) struct CurveWords {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: [String; 2],
    pub(crate) marks: &'static str,
}

/// The two panels as they are laid out.
struct CurveLayout<'a> {
    curves: &'a Curves,
    options: &'a PlotOptions,
    face: &'a Typeface,
    /// Pixels of the unit of all distances.
    unit: f64,
}

/// One curve.
struct CurvePanel<'a> {
    label: String,
    /// Which of the two estimates of a point it shows.
    which: usize,
    uniform: bool,
    points: Vec<&'a CurvePoint>,
}

/// Least width and height of a panel in pixels.
const SMALLEST: f64 = 40.0;

/// Size of a picture.
const USUAL: (u32, u32) = (1200, 1000);

/// The scene of a curve and its slope.
pub(super) fn scene(curves: &Curves, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
    let (width, height) = options.size.unwrap_or(USUAL);
    let share = |side: u32, usual: u32| f64::from(side) / f64::from(usual);
    let size = share(width, USUAL.0).min(share(height, USUAL.1));
    let unit = if size < 1.0 { size.powf(0.6) } else { size };
    CurveLayout { curves, options, face, unit }.scene(width, height)
}

impl CurveLayout<'_> {
    fn scene(&self, width: u32, height: u32) -> Result<Scene> {
        let unit = self.unit;
        let mut scene = Scene { width, height, shapes: Vec::new() };
        let (right, bottom) = (f64::from(width), f64::from(height));
        scene.fill(Area { left: 0.0, top: 0.0, right, bottom }, WHITE);
        let mut points: Vec<&CurvePoint> = self.curves.points.iter().collect();
        points.retain(|point| {
            finite(point.at) && point.estimates.iter().all(|e| e.estimate.is_some_and(finite))
        });
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        if points.len() < 2 || points[0].at == points[points.len() - 1].at {
            return Err(DidError::Plot("curves need effects at two doses at least".into()));
        }
        let [top, below] = self.panels(&points);
        let (title, label, tick) = (23.0 * unit, 18.0 * unit, 15.5 * unit);
        let word = |set: &Option<String>, default: String| {
            one_line(set.as_ref().unwrap_or(&default)).trim().to_owned()
        };
        let words = word(&self.options.title, self.curves.words.title.clone());
        let head = 20.0 * unit + if words.is_empty() { 0.0 } else { 1.8 * title };
        let foot = 14.0 * unit + 2.0 * tick + 1.9 * label + 2.2 * label;
        let gap = 2.4 * tick;
        let each = (bottom - head - foot - gap) / 2.0;
        let axes = [&top, &below].map(|panel| panel.axis(each / (3.4 * tick)));
        let ticks = axes.iter().flat_map(|axis| &axis.ticks);
        let widest = ticks.map(|(_, text)| self.face.width(text, tick)).fold(0.0, f64::max);
        let left = 18.0 * unit + 1.6 * label + widest + 12.0 * unit;
        let area = Area { left, top: head, right: right - 26.0 * unit, bottom: head + each };
        if area.width() < SMALLEST || each < SMALLEST {
            return Err(DidError::Plot("two panels do not fit; set a larger size".into()));
        }
        let x = horizontal(&points, area.width() / (4.0 * tick));
        for (index, (panel, y)) in [&top, &below].into_iter().zip(&axes).enumerate() {
            let shift = index as f64 * (each + gap);
            let area = Area { top: area.top + shift, bottom: area.bottom + shift, ..area };
            self.panel(&mut scene, panel, area, &x, y);
        }
        let centre = f64::midpoint(area.left, area.right);
        let at = Point { x: centre, y: 16.0 * unit + 0.8 * title };
        scene.text(
            &self.face.fit(&words, title, right - 36.0 * unit),
            at,
            Anchor::Middle,
            title,
            INK,
        );
        let words = word(&self.options.x_label, self.curves.words.x.clone());
        let end = area.bottom + each + gap;
        let at = Point { x: centre, y: end + 2.0 * tick + 0.75 * label };
        scene.text(&self.face.fit(&words, label, area.width()), at, Anchor::Middle, label, INK);
        if self.options.show_legend {
            self.legend(&mut scene, &top, centre, bottom - 1.3 * label);
        }
        Ok(scene)
    }

    fn panels<'a>(&self, points: &[&'a CurvePoint]) -> [CurvePanel<'a>; 2] {
        let [upper, lower] = self.curves.words.y.clone();
        let asked = self.options.y_label.as_ref().unwrap_or(&upper);
        let mut labels = [one_line(asked), lower];
        [0, 1].map(|which| CurvePanel {
            label: std::mem::take(&mut labels[which]),
            which,
            uniform: self.curves.bands[which] == Band::Uniform && self.options.show_band,
            points: points.to_vec(),
        })
    }

    fn panel(&self, scene: &mut Scene, panel: &CurvePanel<'_>, area: Area, x: &Axis, y: &Axis) {
        let (unit, tick, label) = (self.unit, 15.5 * self.unit, 18.0 * self.unit);
        let up = |value: f64| y.place(value, area.bottom, area.top);
        let along = |dose: f64| x.place(dose, area.left, area.right);
        for (value, text) in &y.ticks {
            let from = Point { x: area.left, y: up(*value) };
            scene.rule(from, area.right, unit, GRID);
            let at = Point { x: area.left - 8.0 * unit, ..from };
            scene.text(text, at, Anchor::End, tick, MUTED);
        }
        let colour = self.options.post;
        if panel.uniform {
            let band = self.options.band.unwrap_or(colour);
            self.ribbon(scene, &panel.ends(true), (&along, &up), tint(band, 0.84));
        }
        self.ribbon(scene, &panel.ends(false), (&along, &up), tint(colour, 0.66));
        scene.dashed(Point { x: area.left, y: up(0.0) }, area.right, 1.2 * unit, 8.0 * unit, INK);
        let point = |point: &&CurvePoint| {
            let value = point.estimates[panel.which].estimate?;
            Some(Point { x: along(point.at), y: up(value) })
        };
        let points: Vec<Point> = panel.points.iter().filter_map(point).collect();
        scene.curve(&points, 3.2 * unit, colour);
        // A stroke at each percentile of the doses shows where there are many.
        for dose in self.curves.marks.iter().filter(|d| **d >= x.low && **d <= x.high) {
            let from = Point { x: along(*dose), y: area.bottom };
            scene.line(from, Point { y: area.bottom - 9.0 * unit, ..from }, unit, MUTED);
        }
        scene.rule(Point { x: area.left, y: area.bottom }, area.right, 1.2 * unit, MUTED);
        for (value, text) in &x.ticks {
            let from = Point { x: along(*value), y: area.bottom };
            scene.line(from, Point { y: from.y + 5.0 * unit, ..from }, 1.5 * unit, MUTED);
            let at = Point { y: from.y + 1.05 * tick, ..from };
            scene.text(text, at, Anchor::Middle, tick, MUTED);
        }
        scene.shapes.push(Shape::Text(Text {
            words: self.face.fit(&panel.label, label, area.height()),
            at: Point { x: 18.0 * unit + 0.6 * label, y: f64::midpoint(area.top, area.bottom) },
            anchor: Anchor::Middle,
            size: label,
            colour: INK,
            upright: true,
        }));
    }

    /// The area between the lower and the upper ends.
    fn ribbon(
        &self,
        scene: &mut Scene,
        ends: &[(f64, f64, f64)],
        (along, up): (&dyn Fn(f64) -> f64, &dyn Fn(f64) -> f64),
        colour: Colour,
    ) {
        let lower = ends.iter().map(|(dose, low, _)| Point { x: along(*dose), y: up(*low) });
        let upper =
            ends.iter().rev().map(|(dose, _, high)| Point { x: along(*dose), y: up(*high) });
        if ends.len() > 1 {
            scene.polygon(lower.chain(upper).collect(), colour);
        }
    }

    fn legend(&self, scene: &mut Scene, panel: &CurvePanel<'_>, centre: f64, y: f64) {
        let (unit, size) = (self.unit, 16.0 * self.unit);
        let level = percent(self.curves.alpha);
        let colour = self.options.post;
        let mut entries = vec![(tint(colour, 0.66), format!("{level}% pointwise interval"))];
        if panel.uniform {
            let band = self.options.band.unwrap_or(colour);
            entries.push((tint(band, 0.84), format!("{level}% uniform band")));
        }
        entries.push((MUTED, self.curves.words.marks.to_owned()));
        let width = |text: &str| 34.0 * unit + self.face.width(text, size) + 28.0 * unit;
        let total: f64 = entries.iter().map(|(_, text)| width(text)).sum();
        let mut left = centre - total / 2.0;
        for (position, (colour, text)) in entries.iter().enumerate() {
            if position + 1 == entries.len() {
                for i in 0..4 {
                    let x = left + (4.0 + 6.0 * f64::from(i)) * unit;
                    let from = Point { x, y: y + 5.0 * unit };
                    scene.line(from, Point { y: y - 5.0 * unit, ..from }, unit, *colour);
                }
            } else {
                let (top, bottom) = (y - 7.0 * unit, y + 7.0 * unit);
                scene.fill(Area { left, top, right: left + 26.0 * unit, bottom }, *colour);
            }
            scene.text(text, Point { x: left + 34.0 * unit, y }, Anchor::Start, size, INK);
            left += width(text);
        }
    }
}

impl CurvePanel<'_> {
    /// Dose, lower and upper end of the uniform band or of the pointwise intervals.
    fn ends(&self, uniform: bool) -> Vec<(f64, f64, f64)> {
        let ends = |point: &&CurvePoint| {
            let Estimate { ci_lower, ci_upper, band_lower, band_upper, .. } =
                point.estimates[self.which];
            let (low, high) = match uniform {
                true => (band_lower?, band_upper?),
                false => (ci_lower?, ci_upper?),
            };
            (finite(low) && finite(high)).then_some((point.at, low, high))
        };
        self.points.iter().filter_map(ends).collect()
    }

    fn axis(&self, target: f64) -> Axis {
        let points = self.points.iter().filter_map(|point| point.estimates[self.which].estimate);
        let ends =
            [self.ends(false), if self.uniform { self.ends(true) } else { Vec::new() }].concat();
        let ends: Vec<f64> = ends.into_iter().flat_map(|(_, low, high)| [low, high]).collect();
        Axis::values(points.chain(ends), target.clamp(2.0, 9.0))
    }
}

/// The horizontal axis, with round ticks.
fn horizontal(points: &[&CurvePoint], most: f64) -> Axis {
    let (low, high) = (points[0].at, points[points.len() - 1].at);
    Axis::between(low, high, most.clamp(2.0, 12.0))
}

fn finite(value: f64) -> bool {
    value.abs() < 1e290
}

/// A colour mixed with white.
fn tint(Colour(red, green, blue): Colour, white: f64) -> Colour {
    let mix = |c: u8| (f64::from(c) * (1.0 - white) + 255.0 * white).round() as u8;
    Colour(mix(red), mix(green), mix(blue))
}
