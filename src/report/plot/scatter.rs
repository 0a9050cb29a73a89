//! Points of several kinds in a plane, with a level line.

use crate::base::error::{DidError, Result};
use crate::report::number::short;
use crate::report::table::one_line;

use super::axis::{Axis, Ticks};
use super::chart::LARGEST;
use super::font::Typeface;
use super::frame::Frame;
use super::legend::{Legend, LegendEntry, LegendKey};
use super::marks::{Mark, Marks, colour_and_mark};
use super::options::PlotOptions;
use super::scene::{Anchor, Area, INK, MUTED, Point, Scene, Shape, Text, WHITE};
use super::sizes::Sizes;

/// Points, kind by kind.
pub(crate) struct Scatter {
    pub(crate) kinds: Vec<ScatterKind>,
    /// A level line and what it is.
    pub(crate) line: Option<(f64, String)>,
    /// Whether horizontal places are whole numbers, such as periods.
    pub(crate) whole: bool,
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
}

/// Points that look alike.
pub(crate) struct ScatterKind {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Points are beyond the axis if they are so many times the distance between the quartiles of all away from these.
const FAR: f64 = 10.0;

/// Least width and height of the area in pixels.
const SMALLEST: f64 = 40.0;

/// Size of a picture.
const USUAL: (u32, u32) = (1200, 800);

/// The scene of the points.
pub(super) fn scene(scatter: &Scatter, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
    let (width, height) = options.size.unwrap_or(USUAL);
    let sizes = Sizes::new((width, height), USUAL, options.text_scale);
    let Sizes { unit, title, label, tick, note } = sizes;
    let mut scene = Scene { width, height, shapes: Vec::new() };
    let (right, bottom) = (f64::from(width), f64::from(height));
    scene.fill(Area { left: 0.0, top: 0.0, right, bottom }, WHITE);
    let points = || scatter.kinds.iter().flat_map(|kind| kind.points.iter().filter(drawable));
    if points().next().is_none() {
        return Err(DidError::Plot("there is no point that can be drawn".into()));
    }
    let word = |set: &Option<String>, default: &str| {
        one_line(set.as_deref().unwrap_or(default)).trim().to_owned()
    };
    let words = word(&options.title, &scatter.title);
    let beyond = Beyond::new(points().map(|(_, y)| *y).collect());
    let mut entries = if options.show_legend { scatter.entries() } else { Vec::new() };
    // Said with or without a legend.
    entries.extend(beyond.entry());
    let legend = Legend::new(&entries, face, note, right - 40.0 * unit);
    let head = 20.0 * unit + if words.is_empty() { 0.0 } else { 1.8 * title };
    let foot = 14.0 * unit + 2.0 * tick + 1.9 * label + legend.height();
    let area_height = bottom - head - foot;
    let line = scatter.line.iter().map(|(value, _)| *value);
    let values = points().map(|(_, y)| *y).filter(|y| beyond.side(*y).is_none()).chain(line);
    let y = Axis::values(values, Ticks::along(area_height, tick, options.y_ticks));
    let widest = y.ticks.iter().map(|(_, text)| face.width(text, tick)).fold(0.0, f64::max);
    let left = 18.0 * unit + 1.6 * label + widest + 12.0 * unit;
    let area = Area { left, top: head, right: right - 26.0 * unit, bottom: head + area_height };
    if area.width() < SMALLEST || area_height < SMALLEST {
        return Err(DidError::Plot("the points do not fit; set a larger size".into()));
    }
    let most = (area.width() / (4.0 * tick)).max(2.0);
    let target = options.x_ticks.map_or(10.0, f64::from).min(most).max(2.0);
    let places: Vec<f64> = points().map(|(x, _)| *x).collect();
    let x = match scatter.whole {
        true => Axis::times(&places, target),
        false => Axis::values(places.iter().copied(), Ticks { target, most }),
    };
    let frame = Frame { area, x: &x, y: &y, sizes };
    frame.grid(&mut scene, options.grid, true);
    if let Some((value, _)) = scatter.line {
        let from = Point { x: area.left, y: frame.up(value) };
        scene.rule(from, area.right, 2.5 * unit, MUTED);
    }
    let spacing = area.width() / (places.len() as f64).sqrt();
    for (rank, kind) in scatter.kinds.iter().enumerate() {
        let (colour, mark) = colour_and_mark(rank);
        let marks = Marks::new(unit, spacing).shaped(mark);
        for (x, y) in kind.points.iter().filter(drawable) {
            let at = |y: f64| Point { x: frame.along(*x), y };
            match beyond.side(*y) {
                None => marks.point(&mut scene, at(frame.up(*y)), colour),
                Some(side) => {
                    let inside = 1.6 * marks.radius;
                    let y =
                        if side == Mark::Upward { area.top + inside } else { area.bottom - inside };
                    marks.shaped(side).hollow(&mut scene, at(y), colour);
                }
            }
        }
    }
    frame.x_ticks(&mut scene, face, 1);
    let centre = f64::midpoint(area.left, area.right);
    let at = Point { x: centre, y: 16.0 * unit + 0.8 * title };
    let words = face.fit(&words, title, 2.0 * (right - 18.0 * unit - centre));
    scene.text(&words, at, Anchor::Middle, title, INK);
    let at = Point { x: centre, y: area.bottom + 2.0 * tick + 0.75 * label };
    let words = word(&options.x_label, &scatter.x);
    scene.text(&face.fit(&words, label, area.width()), at, Anchor::Middle, label, INK);
    scene.shapes.push(Shape::Text(Text {
        words: face.fit(&word(&options.y_label, &scatter.y), label, area_height),
        at: Point { x: 18.0 * unit + 0.6 * label, y: f64::midpoint(area.top, area.bottom) },
        anchor: Anchor::Middle,
        size: label,
        colour: INK,
        upright: true,
    }));
    legend.draw(&mut scene, centre, bottom - 10.0 * unit - legend.height());
    Ok(scene)
}

impl Scatter {
    fn entries(&self) -> Vec<LegendEntry> {
        let kind = |(rank, kind): (usize, &ScatterKind)| {
            let (colour, mark) = colour_and_mark(rank);
            LegendEntry { key: LegendKey::Layer(colour, mark), label: kind.label.clone() }
        };
        let line = self
            .line
            .iter()
            .map(|(_, label)| LegendEntry { key: LegendKey::Line(MUTED), label: label.clone() });
        self.kinds.iter().enumerate().map(kind).chain(line).collect()
    }
}

/// Heights that would press all others together.
struct Beyond {
    /// The lowest and highest that the axis has.
    ends: (f64, f64),
    /// Those beyond, ascending.
    values: Vec<f64>,
}

impl Beyond {
    fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let quartile = |quarters: usize| values.get(quarters * values.len() / 4).copied();
        let ends = match quartile(1).zip(quartile(3)) {
            Some((low, high)) if high > low => {
                let far = FAR * (high - low);
                (low - far, high + far)
            }
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        values.retain(|value| *value < ends.0 || *value > ends.1);
        Self { ends, values }
    }

    /// Which way a height is beyond the axis, if it is.
    fn side(&self, value: f64) -> Option<Mark> {
        match value {
            _ if value > self.ends.1 => Some(Mark::Upward),
            _ if value < self.ends.0 => Some(Mark::Downward),
            _ => None,
        }
    }

    fn entry(&self) -> Option<LegendEntry> {
        let shown = |value: &f64| short(*value).replace('-', "−");
        let values = match self.values.as_slice() {
            [] => return None,
            [only] => shown(only),
            [first, .., last] => {
                format!("{} from {} to {}", self.values.len(), shown(first), shown(last))
            }
        };
        let key = LegendKey::Layer(MUTED, Mark::Upward);
        Some(LegendEntry { key, label: format!("Beyond the axis: {values}") })
    }
}

fn drawable((x, y): &&(f64, f64)) -> bool {
    x.abs() < LARGEST && y.abs() < LARGEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_far_from_the_others_does_not_press_them_together() {
        let beyond = Beyond::new(vec![0.1, 0.3, 0.2, 90.0, 0.4, 0.2, -7.0]);
        let sides = [0.4, 2.2, 90.0, -7.0].map(|y| beyond.side(y));
        assert_eq!(sides, [None, None, Some(Mark::Upward), Some(Mark::Downward)]);
        let said = beyond.entry().map(|entry| entry.label);
        assert_eq!(said.as_deref(), Some("Beyond the axis: 2 from −7 to 90"));
        let one = Beyond::new(vec![0.1, 0.3, 0.2, 90.0, 0.4, 0.2]).entry().map(|e| e.label);
        assert_eq!(one.as_deref(), Some("Beyond the axis: 90"));
    }

    #[test]
    fn few_points_and_equal_ones_are_all_inside() {
        for values in [vec![], vec![5.0], vec![1.0, 2.0, 3.0, 100.0], vec![1.0, 1.0, 1.0, 1.0, 9.0]]
        {
            assert_eq!(Beyond::new(values).entry(), None);
        }
    }
}
