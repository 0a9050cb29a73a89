//! The font that travels with the crate: `DejaVu Sans`, reduced to Latin, Greek and Cyrillic.
//!
//! It is there as outlines (`outlines.py` says in what form, and makes them from the font), so that no font format is read.

use std::collections::HashMap;

use ab_glyph_rasterizer::{Point, Rasterizer, point};

use crate::base::error::{DidError, Result};

use super::scene::{Anchor, Text};

const OUTLINES: &[u8] = include_bytes!("DejaVuSans.outlines");

/// Half the height of a lower-case letter, in ems.
const HALF_X_HEIGHT: f64 = 0.2735;

/// Between a character and a mark over it, in ems.
const MARK_GAP: f64 = 0.06;

#[derive(Debug)]
pub(crate) struct Typeface {
    units_per_em: f32,
    glyphs: HashMap<char, Glyph>,
    /// In place of characters that the font does not have.
    unknown: Glyph,
}

/// A character's shape, in units of the font, with heights upwards.
#[derive(Debug, Default)]
struct Glyph {
    advance: f32,
    curves: Vec<Curve>,
}

/// A piece of an outline. Those of a contour follow on each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Curve {
    Line([Point; 2]),
    Quadratic([Point; 3]),
}

impl Curve {
    pub(crate) fn points(&self) -> &[Point] {
        match self {
            Self::Line(points) => points,
            Self::Quadratic(points) => points,
        }
    }
}

/// A character of a text, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) letter: char,
    /// From the start of the text to the character's origin, in pixels.
    pub(crate) along: f64,
    /// How far it is raised above the baseline, in pixels.
    pub(crate) raised: f64,
    /// Whether it is a mark over the character before it.
    pub(crate) is_mark: bool,
}

/// How much of a pixel a glyph covers, at offsets right of and below the text's anchor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) share: f32,
}

/// The characters of a text that the font of pictures lacks, each once: they are drawn as empty boxes.
#[must_use]
pub fn missing_letters(text: &str) -> Vec<char> {
    let Ok(font) = Typeface::load() else { return Vec::new() };
    let lacks = |c: &char| !c.is_control() && !font.glyphs.contains_key(c);
    let mut missing: Vec<char> = text.chars().filter(lacks).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

impl Typeface {
    pub(crate) fn load() -> Result<Self> {
        Self::read(&mut Bytes(OUTLINES))
            .ok_or_else(|| DidError::Plot("the outlines of the font are cut short".into()))
    }

    fn read(bytes: &mut Bytes<'_>) -> Option<Self> {
        let units_per_em = bytes.short()?.into();
        let mut glyphs = HashMap::new();
        for _ in 0..bytes.short()? {
            glyphs.insert(char::from_u32(bytes.long()?)?, Glyph::read(bytes)?);
        }
        let unknown = glyphs.remove(&'\0')?;
        Some(Self { units_per_em, glyphs, unknown })
    }

    fn glyph(&self, c: char) -> &Glyph {
        self.glyphs.get(&c).unwrap_or(&self.unknown)
    }

    /// Units of the font an em.
    pub(crate) fn units_per_em(&self) -> f32 {
        self.units_per_em
    }

    /// A character's advance and outline in units of the font, with heights upwards.
    pub(crate) fn outline(&self, c: char) -> (f32, &[Curve]) {
        let glyph = self.glyph(c);
        (glyph.advance, &glyph.curves)
    }

    /// Where a text starts along its direction, and its baseline below the middle, in pixels from its position.
    pub(crate) fn origin(&self, text: &Text) -> (f64, f64) {
        let width = self.width(&text.words, text.size);
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        (start, text.size * HALF_X_HEIGHT)
    }

    /// Width in pixels of a character at `size` pixels an em.
    fn advance(&self, c: char, size: f64) -> f64 {
        f64::from(self.glyph(c).advance * self.scale(size))
    }

    /// Width in pixels at `size` pixels an em.
    pub(crate) fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|c| self.advance(c, size)).sum()
    }

    /// `text`, shortened by an ellipsis to fit `room` pixels.
    pub(crate) fn fit(&self, text: &str, size: f64, room: f64) -> String {
        let ellipsis = self.advance('…', size);
        // Up to the first letter with which the text, or what is kept of it and the ellipsis, is too wide.
        let (mut width, mut kept) = (0.0, 0);
        for (start, c) in text.char_indices() {
            width += self.advance(c, size);
            if width > room {
                return text[..kept].to_owned() + "…";
            }
            if !c.is_whitespace() && width + ellipsis <= room {
                kept = start + c.len_utf8();
            }
        }
        text.to_owned()
    }

    /// `text` in lines that fit `room` pixels.
    pub(crate) fn lines(&self, text: &str, size: f64, room: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut line = String::new();
        for word in text.split_whitespace() {
            let longer = if line.is_empty() { word.into() } else { format!("{line} {word}") };
            if !line.is_empty() && self.width(&longer, size) > room {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
        lines.into_iter().map(|line| self.fit(&line, size, room)).collect()
    }

    /// The characters of a text with their places. Marks such as the bar of `M\u{304}` are centred over what they belong to, and raised
    /// above it.
    pub(crate) fn placed(&self, words: &str, size: f64) -> Vec<Placed> {
        let scale = f64::from(self.scale(size));
        let (mut along, mut below) = (0.0, None);
        let place = |letter: char| {
            let glyph = self.glyph(letter);
            let ends = glyph.ends().filter(|_| ('\u{300}'..='\u{36f}').contains(&letter));
            let over = below.zip(ends).map(|((start, base), (low, high)): ((f64, &Glyph), _)| {
                let middle = f64::from(base.advance - low.x - high.x) / 2.0;
                let top = base.ends().map_or(0.0, |(_, high)| high.y);
                let room = f64::from(top - low.y) + MARK_GAP * f64::from(self.units_per_em);
                (start + middle * scale, room.max(0.0) * scale)
            });
            if let Some((along, raised)) = over {
                return Placed { letter, along, raised, is_mark: true };
            }
            let start = along;
            below = Some((start, glyph));
            along += f64::from(glyph.advance) * scale;
            Placed { letter, along: start, raised: 0.0, is_mark: false }
        };
        words.chars().map(place).collect()
    }

    /// Pixels that a text covers when everything is drawn `factor` times as large.
    pub(crate) fn coverage(&self, text: &Text, factor: f64) -> Vec<Coverage> {
        let size = text.size * factor;
        let (start, below) = self.origin(text);
        let (start, baseline) = (start * factor, below * factor);
        let mut pixels = Vec::new();
        for Placed { letter, along, raised, .. } in self.placed(&text.words, size) {
            let origin = point((start + along) as f32, (baseline - raised) as f32);
            self.glyph(letter).cover(origin, self.scale(size), &mut pixels);
        }
        pixels
    }

    /// Pixels a unit of the font.
    fn scale(&self, size: f64) -> f32 {
        size as f32 / self.units_per_em
    }
}

impl Glyph {
    fn read(bytes: &mut Bytes<'_>) -> Option<Self> {
        let advance = bytes.short()?.into();
        let curves = (0..bytes.short()?).map(|_| match bytes.byte()? {
            2 => Some(Curve::Line([bytes.point()?, bytes.point()?])),
            3 => Some(Curve::Quadratic([bytes.point()?, bytes.point()?, bytes.point()?])),
            _ => None,
        });
        Some(Self { advance, curves: curves.collect::<Option<_>>()? })
    }

    /// The lower left and the upper right corner of what is drawn of it.
    fn ends(&self) -> Option<(Point, Point)> {
        let all = self.curves.iter().flat_map(|curve| curve.points());
        all.fold(None, |ends: Option<(Point, Point)>, p| {
            let (low, high) = ends.unwrap_or((*p, *p));
            let low = point(low.x.min(p.x), low.y.min(p.y));
            Some((low, point(high.x.max(p.x), high.y.max(p.y))))
        })
    }

    /// Adds the pixels that the glyph covers with its origin at `origin`.
    fn cover(&self, origin: Point, scale: f32, pixels: &mut Vec<Coverage>) {
        let on_page = |p: &Point| point(origin.x + p.x * scale, origin.y - p.y * scale);
        let Some((low, high)) = self.ends() else { return };
        let (low, high) = (on_page(&point(low.x, high.y)), on_page(&point(high.x, low.y)));
        let corner = point(low.x.floor(), low.y.floor());
        let [width, height] = [high.x - corner.x, high.y - corner.y].map(|v| v.ceil() as usize);
        let mut rasterizer = Rasterizer::new(width, height);
        let inside = |p: &Point| on_page(p) - corner;
        for curve in &self.curves {
            match curve {
                Curve::Line([from, to]) => rasterizer.draw_line(inside(from), inside(to)),
                Curve::Quadratic([from, by, to]) => {
                    rasterizer.draw_quad(inside(from), inside(by), inside(to));
                }
            }
        }
        let (left, top) = (corner.x as i32, corner.y as i32);
        rasterizer.for_each_pixel_2d(|dx, dy, share| {
            pixels.push(Coverage { x: left + dx as i32, y: top + dy as i32, share });
        });
    }
}

/// Numbers, one after another; `None` where there are no more.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    fn short(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn long(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn point(&mut self) -> Option<Point> {
        let mut coordinate = || self.take().map(|bytes| f32::from(i16::from_le_bytes(bytes)));
        Some(point(coordinate()?, coordinate()?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Colour;
    use super::super::scene::Point as Place;
    use super::*;

    #[test]
    fn has_the_letters_that_plots_need() {
        let face = Typeface::load().expect("the font travels with the crate");
        for c in "AaÄéßőΔβЖя−±≤≥→…–“”".chars() {
            assert!(face.glyphs.get(&c).is_some_and(|glyph| !glyph.curves.is_empty()), "{c}");
        }
        assert!(face.glyphs[&' '].curves.is_empty() && face.glyphs[&' '].advance > 0.0);
    }

    #[test]
    fn outlines_are_closed_and_read_to_their_end() {
        let mut bytes = Bytes(OUTLINES);
        let face = Typeface::read(&mut bytes).expect("the font travels with the crate");
        assert!(bytes.0.is_empty());
        assert!(Typeface::read(&mut Bytes(&OUTLINES[..OUTLINES.len() - 1])).is_none());
        for (c, glyph) in &face.glyphs {
            let around = glyph.curves.iter().fold(point(0.0, 0.0), |sum, curve| {
                let points = curve.points();
                sum + (points[points.len() - 1] - points[0])
            });
            assert_eq!((around.x, around.y), (0.0, 0.0), "{c}");
        }
    }

    #[test]
    fn letters_cover_what_they_should() {
        let face = Typeface::load().expect("the font travels with the crate");
        let text = |words: &str| Text {
            at: Place { x: 0.0, y: 0.0 },
            words: words.into(),
            size: 100.0,
            anchor: Anchor::Start,
            upright: false,
            colour: Colour(0, 0, 0),
        };
        // A stroke of 0.0981 ems by 0.7290.
        let area: f32 = face.coverage(&text("I"), 1.0).iter().map(|pixel| pixel.share).sum();
        assert!((area - 100.0 * 100.0 * 0.0981 * 0.729).abs() < 10.0, "{area}");
        // A ring has a hole.
        let ring = face.coverage(&text("o"), 1.0);
        let [left, right] = [i32::MAX, i32::MIN];
        let left = ring.iter().map(|pixel| pixel.x).fold(left, i32::min);
        let right = ring.iter().map(|pixel| pixel.x).fold(right, i32::max);
        let centre = ring.iter().find(|p| p.x == i32::midpoint(left, right) && p.y == 0);
        assert!(centre.is_some_and(|pixel| pixel.share.abs() < 1e-3));
    }

    #[test]
    fn marks_stand_over_their_letters() {
        let face = Typeface::load().expect("the font travels with the crate");
        let placed = face.placed("aM\u{304}b", 100.0);
        let [a, m, mark, b] = placed[..] else { panic!("four characters") };
        assert!(mark.is_mark && mark.raised > 10.0 && !m.is_mark, "{mark:?}");
        let (low, high) = face.glyph('\u{304}').ends().expect("a bar");
        let middle = mark.along + f64::from(low.x + high.x) / 2.0 * f64::from(face.scale(100.0));
        assert!((middle - f64::midpoint(m.along, b.along)).abs() < 1e-3, "{middle}");
        assert_eq!((a.along, m.along), (0.0, face.width("a", 100.0)));
        assert!(!face.placed("\u{304}", 10.0)[0].is_mark);
    }

    #[test]
    fn long_titles_are_shortened() {
        let face = Typeface::load().expect("the font travels with the crate");
        let short = face.fit(&"wide ".repeat(40), 20.0, 200.0);
        assert!(short.ends_with('…') && face.width(&short, 20.0) <= 200.0);
        assert_eq!(face.fit("ATT", 20.0, 200.0), "ATT");
        assert_eq!(face.fit("ATT", 20.0, 1.0), "…");
        let whole = face.width("wide wide", 20.0);
        assert_eq!(face.fit("wide wide", 20.0, whole), "wide wide");
        // No space before the ellipsis.
        assert_eq!(face.fit("wide wider", 20.0, face.width("wide …", 20.0)), "wide…");
    }

    #[test]
    fn very_long_titles_take_no_longer_to_fit_than_to_read() {
        let face = Typeface::load().expect("the font travels with the crate");
        let long = "a title of many words ".repeat(1_000_000);
        let start = std::time::Instant::now();
        let short = face.fit(&long, 20.0, 1_000.0);
        assert!(short.len() < 200 && start.elapsed().as_secs() < 5);
    }
}
