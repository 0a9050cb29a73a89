//! What surrounds effects: grid, ticks, labels of ticks, and the overall effect.

use super::axis::Axis;
use super::chart::Overall;
use super::font::Typeface;
use super::marks::faint;
use super::options::{Colour, PlotGrid};
use super::scene::{Anchor, Area, GRID, INK, MUTED, Point, Scene};
use super::sizes::Sizes;

/// Height of a line of labels under the horizontal axis, in ems.
pub(super) const TICK_LINE: f64 = 1.2;

/// An area with its axes.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) area: Area,
    pub(super) x: &'a Axis,
    pub(super) y: &'a Axis,
    pub(super) sizes: Sizes,
}

impl Frame<'_> {
    /// From places to pixels.
    pub(super) fn along(&self, place: f64) -> f64 {
        self.x.place(place, self.area.left, self.area.right)
    }

    /// From effects to pixels.
    pub(super) fn up(&self, effect: f64) -> f64 {
        self.y.place(effect, self.area.bottom, self.area.top)
    }

    /// Lines at the ticks of the axes and at zero, and the labels of the vertical axis.
    pub(super) fn grid(&self, scene: &mut Scene, grid: PlotGrid, labelled: bool) {
        let (Sizes { unit, tick, .. }, area) = (self.sizes, self.area);
        for (value, text) in &self.y.ticks {
            let from = Point { x: area.left, y: self.up(*value) };
            if grid.is_level() {
                scene.rule(from, area.right, unit, GRID);
            }
            if labelled {
                let at = Point { x: area.left - 8.0 * unit, ..from };
                scene.text(text, at, Anchor::End, tick, MUTED);
            }
        }
        for (place, _) in self.x.ticks.iter().filter(|_| grid.is_upright()) {
            self.upright(scene, *place, 1.0, GRID);
        }
        if (self.y.low..=self.y.high).contains(&0.0) {
            let zero = Point { x: area.left, y: self.up(0.0) };
            scene.dashed(zero, area.right, 1.2 * unit, 8.0 * unit, INK);
        }
    }

    /// An upright line from end to end; its width is in the unit of distances.
    pub(super) fn upright(&self, scene: &mut Scene, place: f64, width: f64, colour: Colour) {
        let x = self.along(place);
        let [from, to] = [self.area.top, self.area.bottom].map(|y| Point { x, y });
        scene.line(from, to, width * self.sizes.unit, colour);
    }

    /// Dashed upright lines at the bounds that the axis has; their width is in the unit of distances.
    pub(super) fn bounds(&self, scene: &mut Scene, bounds: &[f64], width: f64, colour: Colour) {
        let unit = self.sizes.unit;
        for bound in bounds.iter().filter(|bound| (self.x.low..=self.x.high).contains(*bound)) {
            let top = Point { x: self.along(*bound), y: self.area.top };
            scene.dashed_upright(top, self.area.bottom, width * unit, 6.0 * unit, colour);
        }
    }

    /// The horizontal axis. Labels of neighbours take turns on `lines`; none are written if there are none. They stay in the panel, and one that would
    /// overlap the label before it is left out.
    pub(super) fn x_ticks(&self, scene: &mut Scene, face: &Typeface, lines: usize) {
        let Sizes { unit, tick, .. } = self.sizes;
        let Area { left, right, bottom, .. } = self.area;
        let corner = Point { x: left, y: bottom };
        scene.rule(corner, right, 1.2 * unit, MUTED);
        let mut ends = vec![f64::NEG_INFINITY; lines];
        for (position, (value, text)) in self.x.ticks.iter().enumerate() {
            let from = Point { x: self.along(*value), ..corner };
            scene.line(from, Point { y: from.y + 5.0 * unit, ..from }, 1.5 * unit, MUTED);
            let Some(line) = position.checked_rem(lines) else { continue };
            let half = face.width(text, tick) / 2.0;
            let x = from.x.min(right - half).max(left + half);
            if x - half > ends[line] {
                ends[line] = x + half;
                let y = from.y + (1.05 + TICK_LINE * line as f64) * tick;
                scene.text(text, Point { x, y }, Anchor::Middle, tick, MUTED);
            }
        }
    }

    /// The interval of an overall effect, from `left` on.
    pub(super) fn overall_interval(&self, scene: &mut Scene, overall: Overall, left: f64) {
        if let Some((lower, upper)) = overall.interval {
            let (top, bottom) = (self.up(upper), self.up(lower));
            scene.fill(Area { left, top, bottom, ..self.area }, faint(MUTED));
        }
    }

    /// The line at an overall effect, from `left` on.
    pub(super) fn overall_line(&self, scene: &mut Scene, overall: Overall, left: f64) {
        let from = Point { x: left, y: self.up(overall.estimate) };
        scene.rule(from, self.area.right, 2.0 * self.sizes.unit, MUTED);
    }
}
