//! The font that travels with the crate: `DejaVu Sans`, reduced to Latin, Greek and Cyrillic.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont};

use crate::error::{DidError, Result};

use super::scene::{Anchor, Text};

const BYTES: &[u8] = include_bytes!("DejaVuSans-subset.ttf");

/// Half the height of a lower-case letter, in ems.
const HALF_X_HEIGHT: f64 = 0.2735;

#[derive(Debug)]
pub(super) struct Typeface {
    font: FontRef<'static>,
}

/// How much of a pixel a glyph covers, at offsets right of and below the text's anchor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coverage {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) share: f32,
}

impl Typeface {
    pub(super) fn load() -> Result<Self> {
        let font = FontRef::try_from_slice(BYTES).map_err(|e| DidError::Plot(e.to_string()))?;
        Ok(Self { font })
    }

    /// Width in pixels at `size` pixels an em.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        let font = self.font.as_scaled(self.scale(size));
        text.chars().map(|c| f64::from(font.h_advance(font.glyph_id(c)))).sum()
    }

    /// `text`, shortened by an ellipsis to fit `room` pixels.
    pub(super) fn fit(&self, text: &str, size: f64, room: f64) -> String {
        let font = self.font.as_scaled(self.scale(size));
        let advance = |c: char| f64::from(font.h_advance(font.glyph_id(c)));
        let ellipsis = advance('…');
        // Up to the first letter with which the text, or what is kept of it and the ellipsis, is too wide.
        let (mut width, mut kept) = (0.0, 0);
        for (start, c) in text.char_indices() {
            width += advance(c);
            if width > room {
                return text[..kept].to_owned() + "…";
            }
            if !c.is_whitespace() && width + ellipsis <= room {
                kept = start + c.len_utf8();
            }
        }
        text.to_owned()
    }

    /// Pixels that a text covers when everything is drawn `factor` times as large.
    pub(super) fn coverage(&self, text: &Text, factor: f64) -> Vec<Coverage> {
        let size = text.size * factor;
        let scale = self.scale(size);
        let font = self.font.as_scaled(scale);
        let width = self.width(&text.words, size);
        let mut x = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        } as f32;
        let baseline = (size * HALF_X_HEIGHT) as f32;
        let mut pixels = Vec::new();
        for c in text.words.chars() {
            let id = font.glyph_id(c);
            let glyph = id.with_scale_and_position(scale, ab_glyph::point(x, baseline));
            if let Some(outline) = font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                let (left, top) = (corner.x as i32, corner.y as i32);
                outline.draw(|dx, dy, share| {
                    pixels.push(Coverage { x: left + dx as i32, y: top + dy as i32, share });
                });
            }
            x += font.h_advance(id);
        }
        pixels
    }

    fn scale(&self, size: f64) -> PxScale {
        let em = self.font.units_per_em().unwrap_or(2048.0);
        PxScale::from(size as f32 * self.font.height_unscaled() / em)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_letters_that_plots_need() {
        let face = Typeface::load().expect("the font travels with the crate");
        for c in "AaÄéßőΔβЖя−±≤≥→…–“”".chars() {
            assert_ne!(face.font.glyph_id(c).0, 0, "{c}");
        }
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
