//! From a chart to shapes: margins, facets, axes.

use crate::base::calendar::shown;
use crate::base::error::{DidError, Result};
use crate::report::number::short;
use crate::report::plot_data::PlotRow;
use crate::report::table::one_line;

use super::axis::Axis;
use super::chart::{Chart, Facet};
use super::font::Typeface;
use super::legend::Legend;
use super::marks::{Marks, Style};
use super::options::PlotOptions;
use super::scene::{Anchor, Area, GRID, INK, MUTED, Point, STRIP, Scene, Shape, Text, WHITE};

/// Text sizes in pixels an em, and the unit of all distances.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    unit: f64,
    title: f64,
    label: f64,
    tick: f64,
}

impl Sizes {
    fn new(unit: f64) -> Self {
        Self { unit, title: 23.0 * unit, label: 18.0 * unit, tick: 15.5 * unit }
    }
}

/// Most lines of remarks; tables have all.
const MOST_REMARKS: usize = 6;

/// Least width and height of a panel in pixels.
const SMALLEST: f64 = 40.0;

#[derive(Debug)]
pub(crate) struct ChartLayout<'a> {
    chart: &'a Chart,
    face: &'a Typeface,
    style: Style<'a>,
    sizes: Sizes,
    columns: usize,
    scene: Scene,
}

/// Draws `chart`.
///
/// # Errors
/// [`DidError::Plot`] if the panels do not fit.
pub(crate) fn scene(chart: &Chart, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
    let facets = chart.facets.len();
    let columns = columns(facets);
    let (usual_width, usual_height) = usual_size(facets, columns);
    let (width, height) = options.size.unwrap_or((usual_width, usual_height));
    let share = |side: u32, usual: u32| f64::from(side) / f64::from(usual);
    let size = share(width, usual_width).min(share(height, usual_height));
    // Letters shrink less than small pictures do, to stay legible.
    let unit = if size < 1.0 { size.powf(0.6) } else { size };
    let layout = ChartLayout {
        chart,
        face,
        style: Style { options, uniform: chart.uniform, robust: chart.robust.is_some() },
        sizes: Sizes::new(unit),
        columns,
        scene: Scene { width, height, shapes: Vec::new() },
    };
    layout.draw()
}

fn columns(facets: usize) -> usize {
    match facets {
        0..=3 => facets.max(1),
        4 => 2,
        5..=9 => 3,
        _ => (facets as f64).sqrt().ceil().min(6.0) as usize,
    }
}

fn usual_size(facets: usize, columns: usize) -> (u32, u32) {
    let rows = facets.div_ceil(columns).clamp(1, 100) as u32;
    match rows {
        _ if facets <= 1 => (1200, 750),
        1 => (1200, 620),
        _ => ((250 * columns as u32 + 100).max(1200), (170 + 270 * rows).min(10_000)),
    }
}

impl ChartLayout<'_> {
    fn draw(mut self) -> Result<Scene> {
        let (width, height) = (f64::from(self.scene.width), f64::from(self.scene.height));
        let page = Area { left: 0.0, top: 0.0, right: width, bottom: height };
        self.scene.fill(page, WHITE);
        let grid = self.margins(page);
        let rows = self.chart.facets.len().div_ceil(self.columns);
        let height = (grid.height() - self.gap() * (rows as f64 - 1.0)) / rows as f64;
        let y = self.y_axis(height);
        let ticks = y.ticks.iter().map(|(_, text)| self.face.width(text, self.sizes.tick));
        let left = grid.left + ticks.fold(0.0, f64::max) + 12.0 * self.sizes.unit;
        let grid = Area { left, ..grid };
        let gaps = self.gap() * (self.columns as f64 - 1.0);
        let x = self.x_axis((grid.width() - gaps) / self.columns as f64);
        let cell = self.cell(grid, 0, rows);
        if cell.width() < SMALLEST || cell.height() < SMALLEST {
            let panels = self.chart.facets.len();
            return Err(DidError::Plot(format!("{panels} panels do not fit; set a larger size")));
        }
        for (index, facet) in self.chart.facets.iter().enumerate() {
            let cell = self.cell(grid, index, rows);
            self.facet(index, facet, cell, &x, &y);
        }
        self.words(page, grid);
        Ok(self.scene)
    }

    /// The page less everything around the facets, tick labels of the vertical axis excepted.
    fn margins(&self, page: Area) -> Area {
        let Sizes { unit, title, label, tick } = self.sizes;
        let if_any = |text: &str, size: f64| if text.is_empty() { 0.0 } else { size };
        let legend = self.legend(page).height() + self.remarks_height(page);
        Area {
            left: 18.0 * unit + if_any(&self.chart.y_label, 1.6 * label),
            top: 20.0 * unit + if_any(&self.chart.title, 1.8 * title),
            right: page.right - 26.0 * unit,
            bottom: page.bottom
                - 14.0 * unit
                - legend
                - if_any(&self.chart.x_label, 1.9 * label)
                - 2.0 * tick,
        }
    }

    fn legend(&self, page: Area) -> Legend<'_> {
        let size = 16.0 * self.sizes.unit;
        Legend::new(&self.chart.legend, self.face, size, page.width() - 40.0 * self.sizes.unit)
    }

    fn gap(&self) -> f64 {
        14.0 * self.sizes.unit
    }

    fn y_axis(&self, height: f64) -> Axis {
        let rows = self.chart.facets.iter().flat_map(|f| &f.rows);
        let traces = self.chart.facets.iter().flat_map(|f| &f.traces);
        let traced = traces.flat_map(|trace| trace.points.iter().map(|(_, value)| *value));
        let overall = self.chart.overall.into_iter();
        let target = (height / (3.4 * self.sizes.tick)).clamp(2.0, 9.0);
        Axis::values(rows.flat_map(PlotRow::extent).chain(traced).chain(overall), target)
    }

    fn x_axis(&self, width: f64) -> Axis {
        let places: Vec<f64> = self.chart.facets.iter().flat_map(Facet::places).collect();
        let frequency = self.chart.frequency;
        let robust = self.chart.robust.is_some();
        let name = |at: &f64| if robust { short(*at) } else { shown(*at, frequency) };
        let names: Vec<String> = places.iter().map(name).collect();
        let widest = names.iter().map(|n| self.face.width(n, self.sizes.tick)).fold(1.0, f64::max);
        let air = if self.columns > 1 { 1.6 } else { 0.9 };
        let most = (width / (widest + air * self.sizes.tick)).max(1.0);
        if self.chart.categories {
            Axis::categories(&names, most)
        } else if let Some(frequency) = frequency {
            Axis::dates(&places, most, frequency)
        } else {
            match &self.chart.robust {
                Some(robust) => Axis { ticks: robust.ticks(most), ..Axis::times(&places, most) },
                None => Axis::times(&places, most),
            }
        }
    }

    fn cell(&self, grid: Area, index: usize, rows: usize) -> Area {
        let (column, row) = ((index % self.columns) as f64, (index / self.columns) as f64);
        let (columns, rows) = (self.columns as f64, rows as f64);
        let width = (grid.width() - self.gap() * (columns - 1.0)) / columns;
        let height = (grid.height() - self.gap() * (rows - 1.0)) / rows;
        let left = grid.left + column * (width + self.gap());
        let top = grid.top + row * (height + self.gap());
        Area { left, top, right: left + width, bottom: top + height }
    }

    fn facet(&mut self, index: usize, facet: &Facet, cell: Area, x: &Axis, y: &Axis) {
        let area = self.strip(facet, cell);
        let up = |value: f64| y.place(value, area.bottom, area.top);
        let Sizes { unit, tick, .. } = self.sizes;
        for (value, text) in &y.ticks {
            let from = Point { x: area.left, y: up(*value) };
            self.scene.rule(from, area.right, unit, GRID);
            if index.is_multiple_of(self.columns) {
                let at = Point { x: area.left - 8.0 * unit, ..from };
                self.scene.text(text, at, Anchor::End, tick, MUTED);
            }
        }
        let zero = Point { x: area.left, y: up(0.0) };
        self.scene.dashed(zero, area.right, 1.2 * unit, 8.0 * unit, INK);
        if let Some(overall) = self.chart.overall {
            let from = Point { x: area.left, y: up(overall) };
            self.scene.rule(from, area.right, 2.0 * unit, MUTED);
        }
        if let Some(value) = self.chart.robust.as_ref().and_then(|r| r.breakdown) {
            let x = x.place(value, area.left, area.right);
            let [from, to] = [area.top, area.bottom].map(|y| Point { x, y });
            self.scene.line(from, to, 2.0 * unit, MUTED);
        }
        self.rows(facet, area, x, &up);
        let labelled = index + self.columns >= self.chart.facets.len();
        self.x_ticks(area, x, labelled);
    }

    /// Draws the facet's title and returns what is left of its cell.
    fn strip(&mut self, facet: &Facet, cell: Area) -> Area {
        if facet.title.is_empty() {
            return cell;
        }
        let size = 16.0 * self.sizes.unit;
        let strip = Area { bottom: cell.top + 1.7 * size, ..cell };
        self.scene.fill(strip, STRIP);
        let centre = Point { x: f64::midpoint(cell.left, cell.right), y: cell.top + 0.85 * size };
        let title = self.face.fit(&facet.title, size, cell.width());
        self.scene.text(&title, centre, Anchor::Middle, size, INK);
        Area { top: strip.bottom, ..cell }
    }

    fn rows(&mut self, facet: &Facet, area: Area, x: &Axis, up: &impl Fn(f64) -> f64) {
        let categories = self.chart.categories;
        let all = facet.places();
        let place = |at: f64| {
            let index = all.partition_point(|other| *other < at) as f64;
            x.place(if categories { index } else { at }, area.left, area.right)
        };
        let places: Vec<f64> = all.iter().map(|at| place(*at)).collect();
        let spacing = places.windows(2).map(|w| (w[1] - w[0]).abs()).fold(f64::INFINITY, f64::min);
        let small = if self.chart.facets.len() > 1 { 0.75 } else { 1.0 };
        let marks = Marks::new(small * self.sizes.unit, spacing.max(1.0));
        for trace in &facet.traces {
            let point = |(at, value): &(f64, f64)| Point { x: place(*at), y: up(*value) };
            let points: Vec<Point> = trace.points.iter().map(point).collect();
            trace.style.trace(&mut self.scene, &points, 0.45 * marks.radius);
        }
        for row in &facet.rows {
            marks.row(&mut self.scene, row, place(row.at), up, &self.style);
        }
        for at in &facet.failed {
            marks.cross(&mut self.scene, Point { x: place(*at), y: up(0.0) }, MUTED);
        }
    }

    fn x_ticks(&mut self, area: Area, x: &Axis, labelled: bool) {
        let Sizes { unit, tick, .. } = self.sizes;
        let (left, right) = (area.left, area.right);
        let corner = Point { x: left, y: area.bottom };
        self.scene.rule(corner, right, 1.2 * unit, MUTED);
        for (value, text) in &x.ticks {
            let from = Point { x: x.place(*value, left, right), y: area.bottom };
            self.scene.line(from, Point { y: from.y + 5.0 * unit, ..from }, 1.5 * unit, MUTED);
            if labelled {
                let at = Point { y: from.y + 1.05 * tick, ..from };
                self.scene.text(text, at, Anchor::Middle, tick, MUTED);
            }
        }
    }

    /// Title, axis labels and legend.
    fn words(&mut self, page: Area, grid: Area) {
        let Sizes { unit, title, label, tick } = self.sizes;
        let room = page.width() - 2.0 * 18.0 * unit;
        let chart = self.chart;
        let wide = self.face.width(&chart.title, title).max(1.0);
        let title = title * (room / wide).clamp(0.65, 1.0);
        let centre = f64::midpoint(grid.left, grid.right);
        let half = self.face.width(&chart.title, title) / 2.0;
        let x = centre.min(page.right - 18.0 * unit - half).max(18.0 * unit + half.min(room / 2.0));
        let text = self.face.fit(&chart.title, title, room);
        let at = Point { x, y: 16.0 * unit + 0.8 * title };
        self.scene.text(&text, at, Anchor::Middle, title, INK);
        let text = self.face.fit(&chart.x_label, label, grid.width());
        let at = Point { x: centre, y: grid.bottom + 2.0 * tick + 0.75 * label };
        self.scene.text(&text, at, Anchor::Middle, label, INK);
        let middle =
            Point { x: 18.0 * unit + 0.6 * label, y: f64::midpoint(grid.top, grid.bottom) };
        self.scene.shapes.push(Shape::Text(Text {
            words: self.face.fit(&chart.y_label, label, grid.height()),
            at: middle,
            anchor: Anchor::Middle,
            size: label,
            colour: INK,
            upright: true,
        }));
        let legend = Legend::new(&chart.legend, self.face, 16.0 * unit, page.width() - 40.0 * unit);
        let remarks = self.remarks_height(page);
        let top = page.bottom - 10.0 * unit - legend.height() - remarks;
        legend.draw(&mut self.scene, centre, top);
        for (index, line) in self.remarks(page).iter().enumerate() {
            let y = page.bottom - 10.0 * unit - remarks + (index as f64 + 0.7) * self.remark_line();
            let at = Point { x: 20.0 * unit, y };
            self.scene.text(line, at, Anchor::Start, self.remark_size(), INK);
        }
    }

    fn remark_size(&self) -> f64 {
        14.0 * self.sizes.unit
    }

    fn remark_line(&self) -> f64 {
        1.4 * self.remark_size()
    }

    fn remarks_height(&self, page: Area) -> f64 {
        self.remarks(page).len() as f64 * self.remark_line()
    }

    /// The chart's remarks in lines that fit on the page.
    fn remarks(&self, page: Area) -> Vec<String> {
        let room = page.width() - 40.0 * self.sizes.unit;
        let mut lines: Vec<String> = Vec::new();
        for remark in &self.chart.remarks {
            let mut line = String::new();
            for word in one_line(remark).split_whitespace() {
                let longer = if line.is_empty() { word.into() } else { format!("{line} {word}") };
                if !line.is_empty() && self.face.width(&longer, self.remark_size()) > room {
                    lines.push(std::mem::replace(&mut line, word.to_owned()));
                } else {
                    line = longer;
                }
            }
            lines.push(line);
        }
        if lines.len() > MOST_REMARKS {
            lines.truncate(MOST_REMARKS);
            lines.iter_mut().skip(MOST_REMARKS - 1).for_each(|last| last.push_str(" …"));
        }
        lines.into_iter().map(|l| self.face.fit(&l, self.remark_size(), room)).collect()
    }
}
