//! Rows of coloured cells: what rows of many sizes are in each of some periods.

use crate::base::calendar::{Frequency, shown};
use crate::base::error::{DidError, Result};
use crate::report::number::grouped;
use crate::report::table::one_line;

use super::font::Typeface;
use super::legend::{Legend, LegendEntry, LegendKey};
use super::options::{Colour, PlotOptions};
use super::scene::{Anchor, Area, INK, MUTED, Point, Scene, Shape, Text, WHITE};
use super::sizes::Sizes;

/// Size of a picture.
const USUAL: (u32, u32) = (1200, 850);

/// Least width and height of the cells together, in pixels.
const SMALLEST: f64 = 40.0;

/// Cells of at least this many pixels have lines between them.
const APART: f64 = 7.0;

/// Cells by row and period. Rows stand in blocks; the height of a row is as its size.
pub(crate) struct Mosaic {
    pub(crate) words: MosaicWords,
    pub(crate) columns: Vec<f64>,
    pub(crate) frequency: Option<Frequency>,
    /// Kinds of cells, with their colours.
    pub(crate) kinds: Vec<(&'static str, Colour)>,
    pub(crate) blocks: Vec<MosaicBlock>,
    /// Whether every row is drawn, however small.
    pub(crate) whole: bool,
    pub(crate) remarks: Vec<String>,
    pub(crate) show_legend: bool,
}

/// Rows under one label.
pub(crate) struct MosaicBlock {
    pub(crate) label: String,
    pub(crate) rows: Vec<MosaicRow>,
}

/// Some units with the same cells.
pub(crate) struct MosaicRow {
    pub(crate) size: usize,
    /// Kinds, by column.
    pub(crate) cells: Vec<usize>,
}

/// What is written around the cells.
pub(crate) struct MosaicWords {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    /// What a size counts.
    pub(crate) one: &'static str,
    pub(crate) several: &'static str,
    /// What a row is.
    pub(crate) kind: &'static str,
}

/// Where rows are, in pixels from the top.
struct Heights {
    /// Ends of the rows of each block.
    ends: Vec<Vec<f64>>,
    /// What a reader must know of them.
    remark: String,
}

impl Mosaic {
    /// Places the rows on `height` pixels.
    fn heights(&self, height: f64) -> Heights {
        let sizes = || self.blocks.iter().flat_map(|block| block.rows.iter().map(|row| row.size));
        let total: usize = sizes().sum();
        let MosaicWords { one, several, kind, .. } = self.words;
        let per_pixel = total as f64 / height;
        if self.whole {
            let least = (14.0_f64).min(height / sizes().count().max(1) as f64);
            let raised = |size: usize| size as f64 / per_pixel < least;
            let floors = sizes().filter(|size| raised(*size)).count() as f64 * least;
            let not_raised: usize = sizes().filter(|size| !raised(*size)).sum();
            let scale = (height - floors) / (not_raised as f64).max(1.0);
            let height_of = |size: usize| if raised(size) { least } else { size as f64 * scale };
            let remark = match sizes().any(raised) {
                true => format!(
                    "Heights are as the number of {several}, but for the smallest {kind}s, which are drawn higher."
                ),
                false => format!("Heights are as the number of {several}."),
            };
            return Heights { ends: self.ends(height_of), remark };
        }
        let places = self.ends(|size| size as f64 / per_pixel);
        // Whole pixels, so that no row is a blur of its neighbours.
        let ends: Vec<Vec<f64>> =
            places.iter().map(|ends| ends.iter().map(|end| end.round()).collect()).collect();
        if per_pixel <= 1.0 {
            return Heights { ends, remark: format!("Each row is one {one}.") };
        }
        let (mut lost, mut units, mut last) = (0, 0, 0.0);
        for (block, ends) in self.blocks.iter().zip(&ends) {
            for (row, end) in block.rows.iter().zip(ends) {
                if *end <= last {
                    (lost, units) = (lost + 1, units + row.size);
                }
                last = *end;
            }
        }
        let counted = |count: usize, one: &str, several: &str| {
            format!("{} {}", grouped(count), if count == 1 { one } else { several })
        };
        let each = counted(per_pixel.round() as usize, one, several);
        let mut remark = format!("A row of one pixel stands for {each}.");
        if lost > 0 {
            let rows = counted(lost, kind, &format!("{kind}s"));
            let share = 100.0 * units as f64 / total.max(1) as f64;
            let units = counted(units, one, several);
            remark += &format!(" Too few for a row: {rows} of {units} together ({share:.1}%).");
        }
        Heights { ends, remark }
    }

    /// Where rows end that have these heights.
    fn ends(&self, height: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
        let mut end = 0.0;
        let mut next = |row: &MosaicRow| {
            end += height(row.size);
            end
        };
        self.blocks.iter().map(|block| block.rows.iter().map(&mut next).collect()).collect()
    }

    /// Kinds that some cell has.
    fn entries(&self) -> Vec<LegendEntry> {
        if !self.show_legend {
            return Vec::new();
        }
        let rows = || self.blocks.iter().flat_map(|block| &block.rows);
        let present = |kind: usize| rows().any(|row| row.cells.contains(&kind));
        let kinds = self.kinds.iter().enumerate().filter(|(kind, _)| present(*kind));
        let entry = |(_, (label, colour)): (usize, &(&'static str, Colour))| LegendEntry {
            key: LegendKey::Patch(*colour),
            label: (*label).to_owned(),
        };
        kinds.map(entry).collect()
    }
}

/// Draws a mosaic.
///
/// # Errors
/// [`DidError::Plot`] if it does not fit.
pub(super) fn scene(mosaic: &Mosaic, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
    let (width, height) = options.size.unwrap_or(USUAL);
    let sizes = Sizes::new((width, height), USUAL, options.text_scale);
    let scene = Scene { width, height, shapes: Vec::new() };
    MosaicLayout { mosaic, options, face, sizes, scene }.draw()
}

struct MosaicLayout<'a> {
    mosaic: &'a Mosaic,
    options: &'a PlotOptions,
    face: &'a Typeface,
    sizes: Sizes,
    scene: Scene,
}

impl MosaicLayout<'_> {
    fn draw(mut self) -> Result<Scene> {
        let Sizes { unit, title, label, tick, note } = self.sizes;
        let (right, bottom) = (f64::from(self.scene.width), f64::from(self.scene.height));
        self.scene.fill(Area { left: 0.0, top: 0.0, right, bottom }, WHITE);
        let (mosaic, face) = (self.mosaic, self.face);
        let word = |set: &Option<String>, default: &str| {
            one_line(set.as_deref().unwrap_or(default)).trim().to_owned()
        };
        let head = word(&self.options.title, &mosaic.words.title);
        let [x, y] = [
            word(&self.options.x_label, &mosaic.words.x),
            word(&self.options.y_label, &mosaic.words.y),
        ];
        let entries = mosaic.entries();
        let legend = Legend::new(&entries, face, note, right - 40.0 * unit);
        let labels = mosaic.blocks.iter().map(|block| face.width(&block.label, tick));
        let widest = labels.fold(0.0, f64::max).min(0.3 * right);
        let if_any = |text: &str, size: f64| if text.is_empty() { 0.0 } else { size };
        let small = 0.875 * note;
        let remarks = |heights: &Heights| -> Vec<String> {
            let all = std::iter::once(&heights.remark).chain(&mosaic.remarks);
            all.flat_map(|remark| face.lines(remark, small, right - 40.0 * unit)).collect()
        };
        // The remark has as many lines however high the rows are.
        let lines = remarks(&mosaic.heights(bottom)).len() as f64;
        let foot = legend.height() + 1.4 * small * lines;
        let area = Area {
            left: (18.0 * unit + if_any(&y, 1.6 * label) + widest + 12.0 * unit).round(),
            top: (20.0 * unit + if_any(&head, 1.8 * title)).round(),
            right: (right - 26.0 * unit).round(),
            bottom: (bottom - 14.0 * unit - foot - if_any(&x, 1.9 * label) - 2.0 * tick).round(),
        };
        if area.width() < SMALLEST || area.height() < SMALLEST {
            return Err(DidError::Plot("the picture is too small; set a larger size".into()));
        }
        let heights = mosaic.heights(area.height());
        let end = heights.ends.iter().flatten().copied().fold(0.0, f64::max);
        let area = Area { bottom: area.top + end, ..area };
        self.cells(area, &heights);
        self.blocks(area, &heights);
        self.columns(area);
        let centre = f64::midpoint(area.left, area.right);
        let at = Point { x: centre, y: 16.0 * unit + 0.8 * title };
        let room = 2.0 * (right - 18.0 * unit - centre);
        self.scene.text(&face.fit(&head, title, room), at, Anchor::Middle, title, INK);
        let at = Point { x: centre, y: area.bottom + 2.0 * tick + 0.75 * label };
        self.scene.text(&face.fit(&x, label, area.width()), at, Anchor::Middle, label, INK);
        self.scene.shapes.push(Shape::Text(Text {
            words: face.fit(&y, label, area.height()),
            at: Point { x: 18.0 * unit + 0.6 * label, y: f64::midpoint(area.top, area.bottom) },
            anchor: Anchor::Middle,
            size: label,
            colour: INK,
            upright: true,
        }));
        let top = bottom - 10.0 * unit - foot;
        legend.draw(&mut self.scene, centre, top);
        for (index, line) in remarks(&heights).iter().enumerate() {
            let y = top + legend.height() + (index as f64 + 0.7) * 1.4 * small;
            let at = Point { x: 20.0 * unit, y };
            self.scene.text(line, at, Anchor::Start, small, INK);
        }
        Ok(self.scene)
    }

    /// Left end of a column.
    fn edge(&self, area: Area, column: usize) -> f64 {
        let share = column as f64 / self.mosaic.columns.len().max(1) as f64;
        (area.left + share * area.width()).round()
    }

    /// The cells, those of one kind beside and below each other as one area.
    fn cells(&mut self, area: Area, heights: &Heights) {
        let (mosaic, columns) = (self.mosaic, self.mosaic.columns.len());
        let apart = self.edge(area, 1) - area.left >= APART;
        let mut top = 0.0;
        for (block, ends) in mosaic.blocks.iter().zip(&heights.ends) {
            let mut rows = block.rows.iter().zip(ends).peekable();
            while let Some((row, end)) = rows.next() {
                let mut end = *end;
                if end <= top {
                    continue;
                }
                // Rows that vanish do not part those that look alike.
                while let Some((_, next)) =
                    rows.next_if(|(next, below)| **below <= end || next.cells == row.cells)
                {
                    end = end.max(*next);
                }
                let mut start = 0;
                for run in row.cells.chunk_by(|a, b| a == b) {
                    let (left, right) =
                        (self.edge(area, start), self.edge(area, start + run.len()));
                    let colour = mosaic.kinds.get(run[0]).map_or(WHITE, |(_, colour)| *colour);
                    let cell = Area { left, right, top: area.top + top, bottom: area.top + end };
                    self.scene.fill(cell, colour);
                    start += run.len();
                }
                top = end;
            }
        }
        if apart {
            for column in 1..columns {
                let x = self.edge(area, column);
                let [from, to] = [area.top, area.bottom].map(|y| Point { x, y });
                self.scene.line(from, to, 1.0, WHITE);
            }
        }
        self.between_units(area, heights);
    }

    /// Lines between rows of one unit each, where there is room.
    fn between_units(&mut self, area: Area, heights: &Heights) {
        if self.mosaic.whole {
            return;
        }
        let sizes = self.mosaic.blocks.iter().flat_map(|block| &block.rows).map(|row| row.size);
        let total: usize = sizes.sum();
        let end = heights.ends.iter().flatten().copied().fold(0.0, f64::max);
        let step = end / total.max(1) as f64;
        if step >= APART {
            for unit in 1..total {
                let y = area.top + (unit as f64 * step).round();
                self.scene.line(Point { x: area.left, y }, Point { x: area.right, y }, 1.0, WHITE);
            }
        }
    }

    /// Lines between the blocks, and their labels where these do not meet.
    fn blocks(&mut self, area: Area, heights: &Heights) {
        let Sizes { unit, tick, .. } = self.sizes;
        let (mut top, mut free) = (0.0, f64::NEG_INFINITY);
        let room = area.left - 12.0 * unit;
        for (index, (block, ends)) in self.mosaic.blocks.iter().zip(&heights.ends).enumerate() {
            let Some(end) = ends.last().copied().filter(|end| *end > top) else { continue };
            let y = area.top + f64::midpoint(top, end);
            if y - 0.5 * tick >= free {
                let at = Point { x: area.left - 8.0 * unit, y };
                let label = self.face.fit(&block.label, tick, room);
                self.scene.text(&label, at, Anchor::End, tick, MUTED);
                free = y + 0.5 * tick;
            }
            if index > 0 {
                let y = area.top + top;
                let from = Point { x: area.left - 5.0 * unit, y };
                self.scene.rule(from, area.right, 1.2 * unit, INK);
            }
            top = end;
        }
        let corners = [(area.left, area.top), (area.right, area.bottom)];
        for (x, y) in corners {
            let (from, to) = (Point { x: area.left, y }, area.right);
            self.scene.rule(from, to, 1.2 * unit, MUTED);
            let [from, to] = [area.top, area.bottom].map(|y| Point { x, y });
            self.scene.line(from, to, 1.2 * unit, MUTED);
        }
    }

    /// Labels of as many columns as there is room for.
    fn columns(&mut self, area: Area) {
        let Sizes { unit, tick, .. } = self.sizes;
        let (columns, frequency) = (&self.mosaic.columns, self.mosaic.frequency);
        let names: Vec<String> = columns.iter().map(|at| shown(*at, frequency)).collect();
        let widest = names.iter().map(|name| self.face.width(name, tick)).fold(1.0, f64::max);
        let most = (area.width() / (widest + 0.9 * tick)).max(1.0);
        let most = self.options.x_ticks.map_or(most, |ticks| most.min(f64::from(ticks)));
        let step = (names.len() as f64 / most).ceil().max(1.0) as usize;
        for (column, name) in names.iter().enumerate().step_by(step) {
            let x = f64::midpoint(self.edge(area, column), self.edge(area, column + 1));
            let from = Point { x, y: area.bottom };
            self.scene.line(from, Point { x, y: area.bottom + 5.0 * unit }, 1.5 * unit, MUTED);
            // The last label ends on the page.
            let end = f64::from(self.scene.width) - 4.0 * unit;
            let x = x.min(end - self.face.width(name, tick) / 2.0);
            let at = Point { x, y: area.bottom + 1.05 * tick };
            self.scene.text(name, at, Anchor::Middle, tick, MUTED);
        }
    }
}
