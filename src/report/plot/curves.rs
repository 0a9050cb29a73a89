//! A curve above its slope, and where the observations are.

use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::report::foot::percent;
use crate::report::table::one_line;
use crate::result::inference::Estimate;

use super::axis::{Axis, Ticks};
use super::chart::{LARGEST, Overall};
use super::font::Typeface;
use super::frame::Frame;
use super::legend::{Legend, LegendEntry, LegendKey};
use super::marks::{Marks, inner, outer};
use super::options::{Colour, PlotOptions};
use super::scene::{Anchor, Area, INK, MUTED, Point, Scene, Shape, Text, WHITE};
use super::sizes::Sizes;

/// A curve and its slope.
pub(crate) struct Curves {
    pub(crate) points: Vec<CurvePoint>,
    /// What the intervals of the curve and of the slope are.
    pub(crate) bands: [Band; 2],
    /// One minus the confidence level.
    pub(crate) alpha: f64,
    /// Where there are observations, or knots.
    pub(crate) marks: Vec<f64>,
    /// Averages of the curve and of the slope, if there are.
    pub(crate) overall: [Option<Estimate>; 2],
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
    sizes: Sizes,
}

/// One curve.
struct CurvePanel<'a> {
    label: String,
    /// Which of the two estimates of a point it shows.
    which: usize,
    uniform: bool,
    overall: Option<Overall>,
    /// Ascending by place.
    points: Vec<&'a CurvePoint>,
}

/// Least width and height of a panel in pixels.
const SMALLEST: f64 = 40.0;

/// Size of a picture.
const USUAL: (u32, u32) = (1200, 1000);

/// The scene of a curve and its slope.
pub(super) fn scene(curves: &Curves, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
    let (width, height) = options.size.unwrap_or(USUAL);
    let sizes = Sizes::new((width, height), USUAL, options.text_scale);
    CurveLayout { curves, options, face, sizes }.scene(width, height)
}

impl CurveLayout<'_> {
    fn scene(&self, width: u32, height: u32) -> Result<Scene> {
        let Sizes { unit, title, label, tick, note } = self.sizes;
        let mut scene = Scene { width, height, shapes: Vec::new() };
        let (right, bottom) = (f64::from(width), f64::from(height));
        scene.fill(Area { left: 0.0, top: 0.0, right, bottom }, WHITE);
        let mut points: Vec<&CurvePoint> =
            self.curves.points.iter().filter(|point| finite(point.at)).collect();
        points.sort_by(|a, b| a.at.total_cmp(&b.at));
        let panels = self.panels(&points);
        if panels.iter().any(|panel| panel.runs().all(|run| run.len() < 2)) {
            return Err(DidError::Plot("curves need effects at two doses at least".into()));
        }
        let word = |set: &Option<String>, default: &str| {
            one_line(set.as_deref().unwrap_or(default)).trim().to_owned()
        };
        let words = word(&self.options.title, &self.curves.words.title);
        let entries = self.entries(&panels);
        let legend = Legend::new(&entries, self.face, note, right - 40.0 * unit);
        let head = 20.0 * unit + if words.is_empty() { 0.0 } else { 1.8 * title };
        let foot = 14.0 * unit + 2.0 * tick + 1.9 * label + legend.height();
        let gap = 2.4 * tick;
        let each = (bottom - head - foot - gap) / 2.0;
        let axes = panels.each_ref().map(|panel| {
            Axis::values(panel.values(), Ticks::along(each, tick, self.options.y_ticks))
        });
        let ticks = axes.iter().flat_map(|axis| &axis.ticks);
        let widest = ticks.map(|(_, text)| self.face.width(text, tick)).fold(0.0, f64::max);
        let left = 18.0 * unit + 1.6 * label + widest + 12.0 * unit;
        let area = Area { left, top: head, right: right - 26.0 * unit, bottom: head + each };
        if area.width() < SMALLEST || each < SMALLEST {
            return Err(DidError::Plot("two panels do not fit; set a larger size".into()));
        }
        let x = self.horizontal(&points, area.width());
        for (index, (panel, y)) in panels.iter().zip(&axes).enumerate() {
            let shift = index as f64 * (each + gap);
            let area = Area { top: area.top + shift, bottom: area.bottom + shift, ..area };
            self.panel(&mut scene, panel, area, &x, y);
        }
        let centre = f64::midpoint(area.left, area.right);
        let at = Point { x: centre, y: 16.0 * unit + 0.8 * title };
        let words = self.face.fit(&words, title, 2.0 * (right - 18.0 * unit - centre));
        scene.text(&words, at, Anchor::Middle, title, INK);
        let words = word(&self.options.x_label, &self.curves.words.x);
        let end = area.bottom + each + gap;
        let at = Point { x: centre, y: end + 2.0 * tick + 0.75 * label };
        scene.text(&self.face.fit(&words, label, area.width()), at, Anchor::Middle, label, INK);
        legend.draw(&mut scene, centre, bottom - 10.0 * unit - legend.height());
        Ok(scene)
    }

    /// The horizontal axis of `width` pixels, with round ticks.
    fn horizontal(&self, points: &[&CurvePoint], width: f64) -> Axis {
        let (low, high) = (points[0].at, points[points.len() - 1].at);
        let most = width / (4.0 * self.sizes.tick);
        let target = self.options.x_ticks.map_or(12.0, f64::from).min(most).max(2.0);
        Axis::between(low, high, Ticks { target, most: most.max(2.0) })
    }

    fn panels<'a>(&self, points: &[&'a CurvePoint]) -> [CurvePanel<'a>; 2] {
        let [upper, lower] = self.curves.words.y.clone();
        let asked = self.options.y_label.as_ref().unwrap_or(&upper);
        let mut labels = [one_line(asked), lower];
        [0, 1].map(|which| CurvePanel {
            label: std::mem::take(&mut labels[which]),
            which,
            uniform: self.curves.bands[which] == Band::Uniform && self.options.show_band,
            overall: self.curves.overall[which]
                .as_ref()
                .and_then(|overall| Overall::new(overall, self.options)),
            points: points.to_vec(),
        })
    }

    fn panel(&self, scene: &mut Scene, panel: &CurvePanel<'_>, area: Area, x: &Axis, y: &Axis) {
        let Sizes { unit, label, .. } = self.sizes;
        let frame = Frame { area, x, y, sizes: self.sizes };
        let colour = self.options.post;
        if let Some(overall) = panel.overall {
            frame.overall_interval(scene, overall, area.left);
        }
        if panel.uniform {
            ribbon(scene, panel, true, &frame, outer(self.options.band.unwrap_or(colour)));
        }
        ribbon(scene, panel, false, &frame, inner(colour));
        frame.grid(scene, self.options.grid, true);
        if let Some(overall) = panel.overall {
            frame.overall_line(scene, overall, area.left);
        }
        for run in panel.runs() {
            let place =
                |(at, value): &(f64, f64)| Point { x: frame.along(*at), y: frame.up(*value) };
            let points: Vec<Point> = run.iter().map(place).collect();
            scene.curve(&points, 3.2 * unit, colour);
        }
        let marks = Marks::new(unit, f64::INFINITY);
        for at in panel.failed() {
            marks.cross(scene, Point { x: frame.along(at), y: frame.up(0.0) }, MUTED);
        }
        // A stroke at each percentile of the doses shows where there are many.
        for dose in self.curves.marks.iter().filter(|d| **d >= x.low && **d <= x.high) {
            let from = Point { x: frame.along(*dose), y: area.bottom };
            scene.line(from, Point { y: area.bottom - 9.0 * unit, ..from }, unit, MUTED);
        }
        frame.x_ticks(scene, self.face, 1);
        scene.shapes.push(Shape::Text(Text {
            words: self.face.fit(&panel.label, label, area.height()),
            at: Point { x: 18.0 * unit + 0.6 * label, y: f64::midpoint(area.top, area.bottom) },
            anchor: Anchor::Middle,
            size: label,
            colour: INK,
            upright: true,
        }));
    }

    fn entries(&self, panels: &[CurvePanel<'_>]) -> Vec<LegendEntry> {
        if !self.options.show_legend {
            return Vec::new();
        }
        let level = percent(self.curves.alpha);
        let colour = self.options.post;
        let mut entries = vec![(LegendKey::Inner(colour), format!("{level}% pointwise interval"))];
        if panels.iter().any(|panel| panel.uniform) {
            let band = self.options.band.unwrap_or(colour);
            entries.push((LegendKey::Outer(band), format!("{level}% uniform band")));
        }
        if panels.iter().any(|panel| panel.overall.is_some()) {
            let label = format!("Overall effect, {level}% interval");
            entries.push((LegendKey::Overall(MUTED), label));
        }
        if panels.iter().any(|panel| panel.failed().next().is_some()) {
            entries.push((LegendKey::Cross(MUTED), "No estimate".into()));
        }
        if !self.curves.marks.is_empty() {
            entries.push((LegendKey::Strokes(MUTED), self.curves.words.marks.to_owned()));
        }
        entries.into_iter().map(|(key, label)| LegendEntry { key, label }).collect()
    }
}

/// The area between the lower and the upper ends, wherever there are both.
fn ribbon(
    scene: &mut Scene,
    panel: &CurvePanel<'_>,
    uniform: bool,
    frame: &Frame<'_>,
    colour: Colour,
) {
    let ends: Vec<_> =
        panel.points.iter().map(|point| (point.at, panel.ends(point, uniform))).collect();
    for run in ends.chunk_by(|(_, a), (_, b)| a.is_some() == b.is_some()) {
        let corners = run.iter().filter_map(|(at, ends)| Some((frame.along(*at), (*ends)?)));
        let lower = corners.clone().map(|(x, (low, _))| Point { x, y: frame.up(low) });
        let upper = corners.rev().map(|(x, (_, high))| Point { x, y: frame.up(high) });
        let corners: Vec<Point> = lower.chain(upper).collect();
        if corners.len() > 2 {
            scene.polygon(corners, colour);
        }
    }
}

impl CurvePanel<'_> {
    fn value(&self, point: &CurvePoint) -> Option<f64> {
        point.estimates[self.which].estimate.filter(|value| finite(*value))
    }

    /// Lower and upper end of the uniform band or of the pointwise interval.
    fn ends(&self, point: &CurvePoint, uniform: bool) -> Option<(f64, f64)> {
        let Estimate { ci_lower, ci_upper, band_lower, band_upper, .. } =
            point.estimates[self.which];
        let ends = if uniform { band_lower.zip(band_upper) } else { ci_lower.zip(ci_upper) };
        ends.filter(|(low, high)| finite(*low) && finite(*high))
    }

    /// Places and values between which no estimate is missing.
    fn runs(&self) -> impl Iterator<Item = Vec<(f64, f64)>> {
        let there = |point: &&CurvePoint| self.value(point).is_some();
        self.points.chunk_by(move |a, b| there(a) == there(b)).map(|run| {
            run.iter().filter_map(|point| Some((point.at, self.value(point)?))).collect()
        })
    }

    /// Where there is no estimate.
    fn failed(&self) -> impl Iterator<Item = f64> {
        self.points.iter().filter(|point| self.value(point).is_none()).map(|point| point.at)
    }

    /// All values that the vertical axis has to have room for.
    fn values(&self) -> impl Iterator<Item = f64> {
        let overall = self.overall.iter().flat_map(Overall::values);
        let points = self.points.iter().flat_map(|point| {
            let band = self.ends(point, true).filter(|_| self.uniform);
            let ends = [self.ends(point, false), band].into_iter().flatten();
            ends.flat_map(|(low, high)| [low, high]).chain(self.value(point))
        });
        points.chain(overall)
    }
}

fn finite(value: f64) -> bool {
    value.abs() < LARGEST
}
