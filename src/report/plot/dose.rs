//! Curves over the dose: the effect above, its slope below, and where the doses are.

use std::path::Path;

use crate::base::error::{DidError, Result};
use crate::base::options::{Band, DoseAggregation};
use crate::base::written;
use crate::estimator::npiv::{NpivResult, NpivRow};
use crate::estimator::{ContDidResult, DoseCurve, DoseRow};
use crate::report::foot::percent;
use crate::report::table::one_line;
use crate::result::inference::{Estimate, pointwise};

use super::axis::Axis;
use super::chart::Chart;
use super::font::Typeface;
use super::options::{Colour, PlotOptions};
use super::scene::{Anchor, Area, GRID, INK, MUTED, Point, Scene, Shape, Text, WHITE};
use super::{ImageFormat, format, layout, raster, vector};

impl ContDidResult {
    /// Draws the curves with their intervals and the doses, or the event study if that was asked for, to a `.png` or `.svg`
    /// file.
    ///
    /// ```no_run
    /// use burn_did::{ContDid, backend::Cpu, data::DoseSimulation};
    ///
    /// let data = DoseSimulation::builder().units(2_000).build().frame();
    /// let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    /// let fit = config.dose("dose").build().fit(&data, &Default::default())?;
    /// fit.plot("curves.svg")?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension or fewer than two doses, [`DidError::Io`] if the file cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        let face = Typeface::load()?;
        save(path.as_ref(), options, &face, || self.scene(options, &face))
    }

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        vector::document(&self.scene(options, &Typeface::load()?)?)
    }

    fn scene(&self, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
        if self.aggregation == DoseAggregation::EventStudy {
            let study = self.dynamic(self.target)?;
            return layout::scene(&Chart::aggregated(&study, options)?, options, face);
        }
        let settings = &self.level.settings;
        let (dose, outcome) = (settings.dose.as_deref().unwrap_or_default(), &settings.outcome);
        let words = CurveWords {
            title: "Effects by Dose".into(),
            x: format!("Dose ({dose})"),
            y: [format!("ATT(d) ({outcome})"), format!("ACRT(d) ({outcome} per unit of dose)")],
            marks: "percentiles of the doses",
        };
        Picture {
            curve: &self.dose,
            marks: &self.knots.percentiles,
            words,
            options,
            face,
            unit: 1.0,
        }
        .scene()
    }
}

impl NpivResult {
    /// Draws the function of its only regressor and the derivative, with their bands, to a `.png` or `.svg` file.
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension, several regressors or fewer than two points, [`DidError::Io`] if the file cannot
    /// be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        let [regressor] = &self.config.regressors[..] else {
            return Err(DidError::Plot(
                "a function of several regressors has no one picture".into(),
            ));
        };
        let row = |row: &NpivRow| DoseRow {
            dose: row.x[0],
            att: row.h,
            acrt: row.derivative,
            extrapolated: 0,
        };
        let curve = DoseCurve {
            rows: self.rows.iter().map(row).collect(),
            critical_att: self.critical_value,
            critical_acrt: self.critical_value_derivative,
            band_att: Band::Uniform,
            band_acrt: Band::Uniform,
            alpha: self.config.alpha,
        };
        let words = CurveWords {
            title: "Function by Sieves".into(),
            x: regressor.clone(),
            y: [format!("h ({})", self.config.outcome), "Derivative".into()],
            marks: "knots",
        };
        let face = Typeface::load()?;
        let marks = &self.breakpoints.concat();
        let picture = Picture { curve: &curve, marks, words, options, face: &face, unit: 1.0 };
        save(path.as_ref(), options, &face, || picture.scene())
    }
}

/// Draws a scene to a file.
fn save(
    path: &Path,
    options: &PlotOptions,
    face: &Typeface,
    scene: impl FnOnce() -> Result<Scene>,
) -> Result<()> {
    let format = format(path)?;
    options.validate()?;
    let scene = scene()?;
    match format {
        ImageFormat::Png => raster::write(&scene, face, path),
        ImageFormat::Svg => written::text(path, &vector::document(&scene)?),
    }
}

/// The two panels of curves.
struct Picture<'a> {
    curve: &'a DoseCurve,
    /// Where there are observations, or knots.
    marks: &'a [f64],
    words: CurveWords,
    options: &'a PlotOptions,
    face: &'a Typeface,
    /// Pixels of the unit of all distances.
    unit: f64,
}

/// What is written around the curves.
struct CurveWords {
    title: String,
    x: String,
    y: [String; 2],
    marks: &'static str,
}

/// One curve.
struct CurvePanel<'a> {
    label: String,
    estimate: fn(&DoseRow) -> &Estimate,
    uniform: bool,
    rows: Vec<&'a DoseRow>,
    /// Half the width of a pointwise interval, in standard errors.
    pointwise: f64,
}

/// Least width and height of a panel in pixels.
const SMALLEST: f64 = 40.0;

/// Size of a picture.
const USUAL: (u32, u32) = (1200, 1000);

impl Picture<'_> {
    fn scene(mut self) -> Result<Scene> {
        let (width, height) = self.options.size.unwrap_or(USUAL);
        let share = |side: u32, usual: u32| f64::from(side) / f64::from(usual);
        let size = share(width, USUAL.0).min(share(height, USUAL.1));
        self.unit = if size < 1.0 { size.powf(0.6) } else { size };
        let unit = self.unit;
        let mut scene = Scene { width, height, shapes: Vec::new() };
        let (right, bottom) = (f64::from(width), f64::from(height));
        scene.fill(Area { left: 0.0, top: 0.0, right, bottom }, WHITE);
        let mut rows: Vec<&DoseRow> = self.curve.rows.iter().collect();
        rows.retain(|row| {
            finite(row.dose) && row.att.att.is_some_and(finite) && row.acrt.att.is_some_and(finite)
        });
        rows.sort_by(|a, b| a.dose.total_cmp(&b.dose));
        if rows.len() < 2 || rows[0].dose == rows[rows.len() - 1].dose {
            return Err(DidError::Plot("curves need effects at two doses at least".into()));
        }
        let [top, below] = self.panels(&rows);
        let (title, label, tick) = (23.0 * unit, 18.0 * unit, 15.5 * unit);
        let word = |set: &Option<String>, default: String| {
            one_line(set.as_ref().unwrap_or(&default)).trim().to_owned()
        };
        let words = word(&self.options.title, self.words.title.clone());
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
        let x = horizontal(&rows, area.width() / (4.0 * tick));
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
        let words = word(&self.options.x_label, self.words.x.clone());
        let end = area.bottom + each + gap;
        let at = Point { x: centre, y: end + 2.0 * tick + 0.75 * label };
        scene.text(&self.face.fit(&words, label, area.width()), at, Anchor::Middle, label, INK);
        if self.options.show_legend {
            self.legend(&mut scene, &top, centre, bottom - 1.3 * label);
        }
        Ok(scene)
    }

    fn panels<'a>(&self, rows: &[&'a DoseRow]) -> [CurvePanel<'a>; 2] {
        let word =
            |set: &Option<String>, default: String| one_line(set.as_ref().unwrap_or(&default));
        let uniform = |band| band == Band::Uniform && self.options.show_band;
        let ([y, slope], rows) = (self.words.y.clone(), rows.to_vec());
        let pointwise = pointwise(self.curve.alpha);
        [
            CurvePanel {
                label: word(&self.options.y_label, y),
                estimate: |row| &row.att,
                uniform: uniform(self.curve.band_att),
                rows: rows.clone(),
                pointwise,
            },
            CurvePanel {
                label: slope,
                estimate: |row| &row.acrt,
                uniform: uniform(self.curve.band_acrt),
                rows,
                pointwise,
            },
        ]
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
        let point = |row: &&DoseRow| {
            let value = (panel.estimate)(row).att?;
            Some(Point { x: along(row.dose), y: up(value) })
        };
        let points: Vec<Point> = panel.rows.iter().filter_map(point).collect();
        scene.curve(&points, 3.2 * unit, colour);
        // A stroke at each percentile of the doses shows where there are many.
        for dose in self.marks.iter().filter(|d| **d >= x.low && **d <= x.high) {
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
        let level = percent(self.curve.alpha);
        let colour = self.options.post;
        let mut entries = vec![(tint(colour, 0.66), format!("{level}% pointwise interval"))];
        if panel.uniform {
            let band = self.options.band.unwrap_or(colour);
            entries.push((tint(band, 0.84), format!("{level}% uniform band")));
        }
        entries.push((MUTED, self.words.marks.to_owned()));
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
        let ends = |row: &&DoseRow| {
            let Estimate { att, se, ci_lower, ci_upper, .. } = *(self.estimate)(row);
            let (low, high) = if uniform {
                (ci_lower?, ci_upper?)
            } else {
                let half = self.pointwise * se?;
                (att? - half, att? + half)
            };
            (finite(low) && finite(high)).then_some((row.dose, low, high))
        };
        self.rows.iter().filter_map(ends).collect()
    }

    fn axis(&self, target: f64) -> Axis {
        let points = self.rows.iter().filter_map(|row| (self.estimate)(row).att);
        let ends =
            [self.ends(false), if self.uniform { self.ends(true) } else { Vec::new() }].concat();
        let ends: Vec<f64> = ends.into_iter().flat_map(|(_, low, high)| [low, high]).collect();
        Axis::values(points.chain(ends), target.clamp(2.0, 9.0))
    }
}

/// The doses, with round ticks.
fn horizontal(rows: &[&DoseRow], most: f64) -> Axis {
    let (low, high) = (rows[0].dose, rows[rows.len() - 1].dose);
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
