//! From a chart to shapes: margins, panels, axes.

mod dots;
mod panel;
mod steps;

use crate::base::calendar::shown;
use crate::base::counted::counted;
use crate::base::error::{DidError, Result};

use crate::report::plot::axis::{Axis, Ticks};
use crate::report::plot::chart::{Body, Chart, Dot, Facet};
use crate::report::plot::font::Typeface;
use crate::report::plot::frame::{Frame, TICK_LINE};
use crate::report::plot::legend::Legend;
use crate::report::plot::marks::Style;
use crate::report::plot::options::PlotOptions;
use crate::report::plot::scene::{Anchor, Area, INK, Point, Scene, Shape, Text, WHITE};
use crate::report::plot::sizes::Sizes;

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
    let usual = match &chart.body {
        Body::Dots(names) => size_of_dots(facets, columns, names.len()),
        Body::Rows | Body::Steps => usual_size(facets, columns),
    };
    let (width, height) = options.size.unwrap_or(usual);
    let layout = ChartLayout {
        chart,
        face,
        style: Style { options, uniform: chart.uniform, robust: chart.robust.is_some() },
        sizes: Sizes::new((width, height), usual, options.text_scale),
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

/// A size that has a line of letters for each name.
fn size_of_dots(facets: usize, columns: usize, names: usize) -> (u32, u32) {
    let rows = facets.div_ceil(columns).clamp(1, 100) as u32;
    let panel = (60 + 26 * names.clamp(3, 300) as u32).max(160);
    ((250 * columns as u32 + 300).max(1200), (170 + panel * rows).clamp(480, 10_000))
}

impl ChartLayout<'_> {
    fn draw(mut self) -> Result<Scene> {
        let (width, height) = (f64::from(self.scene.width), f64::from(self.scene.height));
        let page = Area { left: 0.0, top: 0.0, right: width, bottom: height };
        self.scene.fill(page, WHITE);
        let grid = self.margins(page);
        let rows = self.chart.facets.len().div_ceil(self.columns);
        let height = (grid.height() - self.row_gap() * (rows as f64 - 1.0)) / rows as f64;
        let y = self.y_axis(height);
        let ticks = y.ticks.iter().map(|(_, text)| self.face.width(text, self.sizes.tick));
        let left = grid.left + ticks.fold(0.0, f64::max) + 12.0 * self.sizes.unit;
        let grid = Area { left, ..grid };
        let gaps = self.gap() * (self.columns as f64 - 1.0);
        let x = self.x_axis((grid.width() - gaps) / self.columns as f64);
        let cell = self.cell(grid, 0, rows);
        if cell.width() < SMALLEST || cell.height() < SMALLEST {
            let panels = counted(self.chart.facets.len(), "panel does", "panels do");
            let remedy = "set a larger size or smaller letters (`text_scale`)";
            return Err(DidError::Plot(format!("{panels} not fit; {remedy}")));
        }
        for (index, facet) in self.chart.facets.iter().enumerate() {
            let cell = self.cell(grid, index, rows);
            let left = index.is_multiple_of(self.columns);
            let lowest = index + self.columns >= self.chart.facets.len();
            let steps = self.chart.body == Body::Steps;
            let own = steps.then(|| self.steps_axis(facet, cell.width()));
            let (area, x) = (self.strip(facet, cell), own.as_ref().unwrap_or(&x));
            let frame = Frame { area, x, y: &y, sizes: self.sizes };
            match self.chart.body {
                Body::Rows => self.facet(index, facet, &frame),
                Body::Dots(_) => self.dots(facet, &frame, [left, lowest]),
                Body::Steps => self.steps(facet, &frame, left),
            }
        }
        self.words(page, grid);
        Ok(self.scene)
    }

    /// The page less everything around the facets, tick labels of the vertical axis excepted.
    fn margins(&self, page: Area) -> Area {
        let Sizes { unit, title, label, tick, .. } = self.sizes;
        let if_any = |text: &str, size: f64| if text.is_empty() { 0.0 } else { size };
        let legend = self.legend(page).height() + self.remarks_height(page);
        let lines = self.tick_lines(page.width()) as f64;
        Area {
            left: 18.0 * unit + if_any(&self.chart.y_label, 1.6 * label),
            top: 20.0 * unit + if_any(&self.chart.title, 1.8 * title),
            right: page.right - 26.0 * unit,
            bottom: page.bottom
                - 14.0 * unit
                - legend
                - if_any(&self.chart.x_label, 1.9 * label)
                - (0.8 + TICK_LINE * lines) * tick,
        }
    }

    /// Lines that the labels under the horizontal axis take.
    fn tick_lines(&self, page: f64) -> usize {
        let Some(robust) = &self.chart.robust else { return 1 };
        let Sizes { unit, label, tick, .. } = self.sizes;
        let room = page - 44.0 * unit - 1.6 * label - 6.0 * tick;
        let axis = Axis { ticks: robust.ticks(), ..Axis::times(&robust.places(), 1.0) };
        axis.lines(room, |text| self.face.width(text, tick) + 0.6 * tick)
    }

    fn legend(&self, page: Area) -> Legend<'_> {
        let room = page.width() - 40.0 * self.sizes.unit;
        Legend::new(&self.chart.legend, self.face, self.sizes.note, room)
    }

    fn gap(&self) -> f64 {
        14.0 * self.sizes.unit
    }

    /// Pixels between rows of panels; each panel of distributions has the labels of its own axis below it.
    fn row_gap(&self) -> f64 {
        let labels = if self.chart.body == Body::Steps { 2.0 * self.sizes.tick } else { 0.0 };
        self.gap() + labels
    }

    fn y_axis(&self, height: f64) -> Axis {
        if let Body::Dots(names) = &self.chart.body {
            return self.names_axis(names);
        }
        let values = self.chart.facets.iter().flat_map(Facet::values);
        let ticks = Ticks::along(height, self.sizes.tick, self.style.options.y_ticks);
        if self.chart.levels { Axis::levels(values, ticks) } else { Axis::values(values, ticks) }
    }

    /// Where rows of any panel are, ascending.
    fn places(&self) -> Vec<f64> {
        let mut places: Vec<f64> = self.chart.facets.iter().flat_map(Facet::places).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }

    fn x_axis(&self, width: f64) -> Axis {
        if let Body::Dots(_) = self.chart.body {
            let dots = self.chart.facets.iter().flat_map(|f| &f.dots);
            let values = dots.map(|dot: &Dot| dot.value).chain(self.chart.bounds.iter().copied());
            let most = (width / (3.6 * self.sizes.tick)).max(2.0);
            let target = self.style.options.x_ticks.map_or(7.0, f64::from).min(most);
            return Axis::values(values, Ticks { target, most });
        }
        let places = self.places();
        let frequency = self.chart.frequency;
        let name = |at: &f64| shown(*at, frequency);
        let names: Vec<String> = places.iter().map(name).collect();
        let widest = names.iter().map(|n| self.face.width(n, self.sizes.tick)).fold(1.0, f64::max);
        let air = if self.columns > 1 { 1.6 } else { 0.9 };
        let most = (width / (widest + air * self.sizes.tick)).max(1.0);
        let most = self.style.options.x_ticks.map_or(most, |ticks| most.min(f64::from(ticks)));
        if self.chart.categories {
            return Axis::categories(&names, most);
        }
        match (frequency, &self.chart.robust) {
            (Some(frequency), _) => Axis::dates(&places, most, frequency),
            // Each interval is named.
            (None, Some(robust)) => Axis { ticks: robust.ticks(), ..Axis::times(&places, most) },
            (None, None) => Axis::times(&places, most),
        }
    }

    fn cell(&self, grid: Area, index: usize, rows: usize) -> Area {
        let (column, row) = ((index % self.columns) as f64, (index / self.columns) as f64);
        let (columns, rows) = (self.columns as f64, rows as f64);
        let width = (grid.width() - self.gap() * (columns - 1.0)) / columns;
        let height = (grid.height() - self.row_gap() * (rows - 1.0)) / rows;
        let left = grid.left + column * (width + self.gap());
        let top = grid.top + row * (height + self.row_gap());
        Area { left, top, right: left + width, bottom: top + height }
    }

    /// Title, axis labels and legend.
    fn words(&mut self, page: Area, grid: Area) {
        let Sizes { unit, title, label, tick, .. } = self.sizes;
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
        let lines = self.tick_lines(page.width()) as f64;
        let y = grid.bottom + (0.8 + TICK_LINE * lines) * tick + 0.75 * label;
        let at = Point { x: centre, y };
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
        let legend =
            Legend::new(&chart.legend, self.face, self.sizes.note, page.width() - 40.0 * unit);
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
        0.875 * self.sizes.note
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
        let remarks = self.chart.remarks.iter();
        let lines = remarks.flat_map(|remark| self.face.lines(remark, self.remark_size(), room));
        let mut lines: Vec<String> = lines.collect();
        if lines.len() > MOST_REMARKS {
            lines.truncate(MOST_REMARKS);
            lines.iter_mut().skip(MOST_REMARKS - 1).for_each(|last| last.push_str(" …"));
        }
        lines.into_iter().map(|l| self.face.fit(&l, self.remark_size(), room)).collect()
    }
}
