//! The effects of one panel in the style asked for.

use crate::report::plot_data::PlotRow;

use super::chart::{Facet, Layer};
use super::marks::{Beside, Mark, Marks, Style, inner, outer};
use super::options::{Colour, PlotOptions, PlotStyle};
use super::scene::{MUTED, Point, Scene};

/// A row and its horizontal position in pixels.
type Placed<'a> = (&'a PlotRow, f64);

/// The effects of a panel, or of one of several results in it, placed.
#[derive(Clone, Copy)]
pub(super) struct Series<'a> {
    pub(super) facet: &'a Facet,
    pub(super) style: Style<'a>,
    pub(super) marks: Marks,
    /// Pixels between neighbours.
    pub(super) spacing: f64,
    /// Pixels by which the effects stand beside their places.
    pub(super) shift: f64,
    /// Whether shaded intervals have their ends drawn, because those of other results may lie over them.
    pub(super) outlined: bool,
    /// Whether lines join the points in every style, from before to after treatment.
    pub(super) joined: bool,
    /// Colour of what has no estimate, and of the line at treatment.
    pub(super) missing: Colour,
    /// From places of the facet to pixels.
    pub(super) along: &'a dyn Fn(f64) -> f64,
    /// From effects to pixels.
    pub(super) up: &'a dyn Fn(f64) -> f64,
}

impl<'a> Series<'a> {
    /// The same for one of several results.
    pub(super) fn layer(
        self,
        layer: &'a Layer,
        (options, mark): &'a (PlotOptions, Mark),
        marks: Marks,
        beside: Beside,
    ) -> Self {
        Self {
            facet: &layer.facet,
            style: Style { options, ..self.style },
            marks: marks.shaped(*mark),
            spacing: beside.step(),
            shift: beside.shift(layer.rank, options.style),
            outlined: true,
            missing: options.post,
            ..self
        }
    }

    /// What lies under the lines of the grid: bars and shaded intervals.
    pub(super) fn areas(&self, scene: &mut Scene) {
        let rows = self.rows();
        match self.style.options.style {
            PlotStyle::Ribbon => self.ribbons(scene, &rows),
            PlotStyle::Bars if !self.style.robust => self.bars(scene, &rows),
            _ => {}
        }
    }

    /// Lines, strokes and points.
    pub(super) fn marks(&self, scene: &mut Scene) {
        let (rows, style) = (self.rows(), self.style.options.style);
        for trace in &self.facet.traces {
            let point =
                |(at, value): &(f64, f64)| Point { x: (self.along)(*at), y: (self.up)(*value) };
            let points: Vec<Point> = trace.points.iter().map(point).collect();
            trace.style.trace(scene, &points, 0.45 * self.marks.radius);
        }
        let joined = self.joined || matches!(style, PlotStyle::Line | PlotStyle::Ribbon);
        if joined && !self.style.robust {
            self.lines(scene, &rows);
        }
        if self.outlined && style == PlotStyle::Ribbon {
            self.outlines(scene, &rows);
        }
        for run in self.runs(&rows).filter(|run| style != PlotStyle::Ribbon || run.len() == 1) {
            for (row, x) in run {
                self.marks.intervals(scene, row, *x, self.up, &self.style);
            }
        }
        for (row, x) in &rows {
            self.point(scene, row, *x);
        }
        for at in &self.facet.failed {
            let at = Point { x: (self.along)(*at) + self.shift, y: (self.up)(0.0) };
            self.marks.cross(scene, at, self.missing);
        }
    }

    fn rows(&self) -> Vec<Placed<'_>> {
        self.facet.rows.iter().map(|row| (row, (self.along)(row.at) + self.shift)).collect()
    }

    /// Rows between which nothing failed and no treatment starts. Around a common reference they belong together, and where points are joined
    /// and of one colour.
    fn runs<'r, 'p>(&self, rows: &'r [Placed<'p>]) -> impl Iterator<Item = &'r [Placed<'p>]> {
        let failed = |from: f64, to: f64| self.facet.failed.iter().any(|at| from < *at && *at < to);
        let alike = |a: &PlotRow, b: &PlotRow| {
            a.post == b.post || (self.joined && self.style.colour(a) == self.style.colour(b))
        };
        rows.chunk_by(move |(a, _), (b, _)| alike(a, b) && !failed(a.at, b.at))
    }

    /// Lines through the estimates, from before to after treatment only where all are compared with one reference, or none is with any.
    fn lines(&self, scene: &mut Scene, rows: &[Placed<'_>]) {
        let at = |(row, x): &Placed<'_>| Point { x: *x, y: (self.up)(row.estimate) };
        let runs: Vec<&[Placed<'_>]> = self.runs(rows).collect();
        let referred = self.joined || rows.iter().any(|(row, _)| row.reference);
        for pair in runs.windows(2).filter(|_| referred) {
            let (Some(before), Some(after)) = (pair[0].last(), pair[1].first()) else { continue };
            let failed = self.facet.failed.iter().any(|at| before.0.at < *at && *at < after.0.at);
            if !failed {
                let [from, to] = [before, after].map(|(row, _)| self.style.colour(row));
                let colour = if from == to { from } else { MUTED };
                scene.curve(&[at(before), at(after)], self.marks.stroke(), colour);
            }
        }
        for run in runs {
            let points: Vec<Point> = run.iter().map(at).collect();
            scene.curve(&points, self.marks.stroke(), self.style.colour(run[0].0));
        }
    }

    /// Shaded intervals. A single row has no area, and strokes instead.
    fn ribbons(&self, scene: &mut Scene, rows: &[Placed<'_>]) {
        for run in self.runs(rows).filter(|run| run.len() > 1) {
            let colour = self.style.colour(run[0].0);
            if self.style.uniform {
                let band = self.style.options.band.unwrap_or(colour);
                self.area(scene, run, |r| r.band_lower.zip(r.band_upper), outer(band));
            }
        }
        for run in self.runs(rows).filter(|run| run.len() > 1) {
            let colour = self.style.colour(run[0].0);
            self.area(scene, run, |r| r.ci_lower.zip(r.ci_upper), inner(colour));
        }
    }

    /// The ends of shaded intervals.
    fn outlines(&self, scene: &mut Scene, rows: &[Placed<'_>]) {
        for run in self.runs(rows).filter(|run| run.len() > 1) {
            for end in [|row: &PlotRow| row.ci_lower, |row: &PlotRow| row.ci_upper] {
                let points = run.iter().filter_map(|(row, x)| {
                    let value = end(row).or(row.reference.then_some(row.estimate))?;
                    Some(Point { x: *x, y: (self.up)(value) })
                });
                let points: Vec<Point> = points.collect();
                scene.curve(&points, 0.3 * self.marks.stroke(), self.style.colour(run[0].0));
            }
        }
    }

    /// The area between the ends of intervals. A reference has none, and is an interval of length zero.
    fn area(
        &self,
        scene: &mut Scene,
        run: &[Placed<'_>],
        ends: impl Fn(&PlotRow) -> Option<(f64, f64)>,
        colour: Colour,
    ) {
        let ends =
            |row: &PlotRow| ends(row).or(row.reference.then_some((row.estimate, row.estimate)));
        for piece in run.chunk_by(|(a, _), (b, _)| ends(a).is_some() == ends(b).is_some()) {
            let corners: Vec<(f64, f64, f64)> = piece
                .iter()
                .filter_map(|(row, x)| {
                    let (lower, upper) = ends(row)?;
                    Some((*x, (self.up)(lower), (self.up)(upper)))
                })
                .collect();
            match corners[..] {
                [] => {}
                // An area needs two.
                [(x, lower, upper)] => self.marks.pointwise(scene, x, (lower, upper), colour),
                _ => {
                    let lower = corners.iter().map(|(x, y, _)| Point { x: *x, y: *y });
                    let upper = corners.iter().rev().map(|(x, _, y)| Point { x: *x, y: *y });
                    scene.polygon(lower.chain(upper).collect(), colour);
                }
            }
        }
    }

    fn bars(&self, scene: &mut Scene, rows: &[Placed<'_>]) {
        let half = (0.36 * self.spacing).min(12.0 * self.marks.radius);
        for (row, x) in rows {
            let at = Point { x: *x, y: (self.up)(row.estimate) };
            self.marks.bar(scene, at, (self.up)(0.0), half, self.style.colour(row));
        }
    }

    fn point(&self, scene: &mut Scene, row: &PlotRow, x: f64) {
        // Robust intervals have no estimate.
        if self.style.robust && row.post {
            return;
        }
        let colour = self.style.colour(row);
        let at = Point { x, y: (self.up)(row.estimate) };
        if row.reference {
            self.marks.hollow(scene, at, colour);
        } else if self.facet.partial.contains(&row.at) {
            self.marks.diamond(scene, at, colour);
        } else if self.style.options.style != PlotStyle::Ribbon {
            self.marks.point(scene, at, colour);
        } else {
            self.marks.small().point(scene, at, colour);
        }
    }
}
