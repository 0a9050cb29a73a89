//! The characters of a picture as fonts of its document.

use std::collections::HashMap;

use pdf_writer::types::{SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};

use crate::report::plot::font::{Curve, Typeface};

/// Codes that a font has for characters that are not ASCII.
const FREE: usize = 128;

/// Which character has which code of which font: ASCII its own code of the first, others the free codes from 128 on.
pub(super) struct Letters {
    codes: HashMap<char, (usize, u8)>,
    fonts: Vec<Vec<(u8, char)>>,
}

/// The name of a font on the page.
pub(super) fn name(font: usize) -> String {
    format!("F{font}")
}

impl Letters {
    /// The characters of all texts.
    pub(super) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut letters = Self { codes: HashMap::new(), fonts: Vec::new() };
        let mut others = 0;
        for c in texts.flat_map(str::chars) {
            if letters.codes.contains_key(&c) {
                continue;
            }
            let (font, code) = match u8::try_from(c).ok().filter(u8::is_ascii) {
                Some(code) => (0, code),
                None => {
                    others += 1;
                    ((others - 1) / FREE, (FREE + (others - 1) % FREE) as u8)
                }
            };
            letters.codes.insert(c, (font, code));
            letters.fonts.resize_with(letters.fonts.len().max(font + 1), Vec::new);
            letters.fonts[font].push((code, c));
        }
        letters.fonts.iter_mut().for_each(|font| font.sort_unstable());
        letters
    }

    /// Characters in pieces of one font each.
    pub(super) fn codes(&self, words: impl Iterator<Item = char>) -> Vec<(usize, Vec<u8>)> {
        let mut pieces: Vec<(usize, Vec<u8>)> = Vec::new();
        for (font, code) in words.filter_map(|c| self.codes.get(&c)) {
            match pieces.last_mut() {
                Some((last, codes)) if last == font => codes.push(*code),
                _ => pieces.push((*font, vec![*code])),
            }
        }
        pieces
    }

    /// Writes the fonts, whose parts are numbered from `next` on, and returns where they are.
    pub(super) fn write(&self, pdf: &mut Pdf, next: i32, face: &Typeface) -> Vec<Ref> {
        let mut numbers = (next..).map(Ref::new);
        let mut number = || numbers.next().unwrap_or(Ref::new(next));
        let mut written = Vec::new();
        for letters in &self.fonts {
            let [font, unicode] = [number(), number()];
            let shapes: Vec<(u8, String, Ref)> =
                letters.iter().map(|(code, c)| (*code, glyph_name(*c), number())).collect();
            for ((_, c), (_, _, shape)) in letters.iter().zip(&shapes) {
                pdf.stream(*shape, &shape_of(*c, face));
            }
            pdf.cmap(unicode, &in_unicode(letters));
            let (first, last) = (letters[0].0, letters[letters.len() - 1].0);
            let width = |code| {
                let letter = letters.iter().find(|(letter, _)| *letter == code);
                letter.map_or(0.0, |(_, c)| face.outline(*c).0)
            };
            let mut dictionary = pdf.type3_font(font);
            let em = 1.0 / face.units_per_em();
            // An empty box does not bound anything.
            dictionary.bbox(Rect::new(0.0, 0.0, 0.0, 0.0));
            dictionary.matrix([em, 0.0, 0.0, em, 0.0, 0.0]);
            let mut procedures = dictionary.char_procs();
            for (_, name, shape) in &shapes {
                procedures.pair(Name(name.as_bytes()), *shape);
            }
            procedures.finish();
            let mut encoding = dictionary.encoding_custom();
            let mut differences = encoding.differences();
            for (code, name, _) in &shapes {
                differences.consecutive(*code, [Name(name.as_bytes())]);
            }
            differences.finish();
            encoding.finish();
            dictionary.first_char(first).last_char(last);
            dictionary.widths((first..=last).map(width));
            dictionary.resources();
            dictionary.to_unicode(unicode);
            dictionary.finish();
            written.push(font);
        }
        written
    }
}

fn glyph_name(c: char) -> String {
    format!("u{:04X}", u32::from(c))
}

/// The procedure that draws a character.
fn shape_of(c: char, face: &Typeface) -> Vec<u8> {
    let (advance, curves) = face.outline(c);
    let ends = |which: fn(f32, f32) -> f32, of: fn(&Curve) -> Vec<f32>| {
        curves.iter().flat_map(of).reduce(which).unwrap_or(0.0)
    };
    let x = |curve: &Curve| curve.points().iter().map(|p| p.x).collect::<Vec<f32>>();
    let y = |curve: &Curve| curve.points().iter().map(|p| p.y).collect::<Vec<f32>>();
    let mut content = Content::new();
    content.start_shape_glyph(
        advance,
        ends(f32::min, x),
        ends(f32::min, y),
        ends(f32::max, x),
        ends(f32::max, y),
    );
    let mut last = None;
    for curve in curves {
        let points = curve.points();
        let (from, to) = (points[0], points[points.len() - 1]);
        if last != Some(from) {
            content.move_to(from.x, from.y);
        }
        match curve {
            Curve::Line(_) => content.line_to(to.x, to.y),
            Curve::Quadratic([_, by, _]) => {
                // The cubic curve that is the same.
                let third = |end: f32, by: f32| ((end + 2.0 * by) / 3.0 * 10.0).round() / 10.0;
                content.cubic_to(
                    third(from.x, by.x),
                    third(from.y, by.y),
                    third(to.x, by.x),
                    third(to.y, by.y),
                    to.x,
                    to.y,
                )
            }
        };
        last = Some(to);
    }
    if !curves.is_empty() {
        content.fill_nonzero();
    }
    content.finish().into_vec()
}

/// What codes are in Unicode.
fn in_unicode(letters: &[(u8, char)]) -> Vec<u8> {
    let info = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"UCS"), supplement: 0 };
    let mut map = UnicodeCmap::<u8>::new(Name(b"Letters"), info);
    for (code, c) in letters {
        map.pair(*code, *c);
    }
    map.finish().into_vec()
}
