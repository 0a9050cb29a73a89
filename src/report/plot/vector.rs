//! SVG documents.

use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle};

use crate::base::error::Result;

use super::failed;
use super::options::Colour;
use super::scene::{Anchor, Point, Scene, Shape, Text};

/// The viewer's fonts in order of choice; the first two have the widths of the crate's own font.
const FAMILY: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";

/// Plotters divides text sizes by this.
const PLOTTERS_EM: f64 = 1.24;

/// Plotters has whole coordinates only: the document counts in tenths of a pixel.
const FINE: u32 = 10;

/// `scene` as an SVG document.
pub(super) fn document(scene: &Scene) -> Result<String> {
    let mut out = String::new();
    let (width, height) = (scene.width, scene.height);
    let fine = (width * FINE, height * FINE);
    let mut backend = SVGBackend::with_string(&mut out, fine);
    for shape in &scene.shapes {
        draw(&mut backend, shape)?;
    }
    backend.present().map_err(failed)?;
    drop(backend);
    let size = |w: u32, h: u32| format!("width=\"{w}\" height=\"{h}\"");
    Ok(out.replacen(&size(fine.0, fine.1), &size(width, height), 1))
}

fn draw(backend: &mut SVGBackend<'_>, shape: &Shape) -> Result<()> {
    match shape {
        Shape::Line { from, to, width, colour } => {
            let stroke_width = length(*width);
            let style = ShapeStyle { color: rgb(*colour).into(), filled: false, stroke_width };
            backend.draw_line(pixel(*from), pixel(*to), &style)
        }
        Shape::Fill { area, colour } => {
            let corner = pixel(Point { x: area.left, y: area.top });
            let opposite = pixel(Point { x: area.right, y: area.bottom });
            backend.draw_rect(corner, opposite, &rgb(*colour), true)
        }
        Shape::Disc { centre, radius, colour } => {
            let radius = length(*radius);
            backend.draw_circle(pixel(*centre), radius, &rgb(*colour), true)
        }
        Shape::Polygon { corners, colour } => {
            backend.fill_polygon(corners.iter().map(|p| pixel(*p)), &rgb(*colour))
        }
        Shape::Text(text) if text.words.is_empty() => Ok(()),
        Shape::Text(text) => {
            let words: String = text.words.chars().map(in_xml).collect();
            backend.draw_text(&words, &text_style(text), pixel(text.at))
        }
    }
    .map_err(failed)
}

/// The character, or a replacement of those that XML 1.0 does not have.
fn in_xml(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn text_style(text: &Text) -> TextStyle<'static> {
    let turn = if text.upright { FontTransform::Rotate270 } else { FontTransform::None };
    let h = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = (FAMILY, text.size * PLOTTERS_EM * f64::from(FINE)).into_font().transform(turn);
    font.color(&rgb(text.colour)).pos(Pos::new(h, VPos::Center))
}

fn pixel(at: Point) -> (i32, i32) {
    let fine = |v: f64| (v * f64::from(FINE)).round() as i32;
    (fine(at.x), fine(at.y))
}

fn length(pixels: f64) -> u32 {
    (pixels * f64::from(FINE)).round().max(1.0) as u32
}

fn rgb(Colour(red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}
