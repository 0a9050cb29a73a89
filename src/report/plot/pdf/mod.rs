//! PDF documents of one page, all of it as vectors.
//!
//! Letters are those of the crate's font in every viewer, whatever is installed there: the characters that a picture has are embedded,
//! with what they are in Unicode, so that text can be selected and searched.

mod letters;

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};

use letters::Letters;

use super::font::Typeface;
use super::options::Colour;
use super::scene::{Area, Point, Scene, Shape, Text};

/// Points, of 1/72 inch, a pixel, of 1/96 inch.
const POINTS: f32 = 0.75;

/// How far the handles of a Bézier curve are from the ends of a quarter of a circle, in radii.
const QUARTER: f32 = 0.552_284_8;

const CATALOG: i32 = 1;
const PAGES: i32 = 2;
const PAGE: i32 = 3;
const CONTENTS: i32 = 4;
/// First of the fonts and their parts.
const FONTS: i32 = 5;

/// `scene` as a PDF document.
pub(super) fn document(scene: &Scene, face: &Typeface) -> Vec<u8> {
    let texts = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Text(text) => Some(text.words.as_str()),
        _ => None,
    });
    let letters = Letters::of(texts);
    let mut page = Page::new(scene, face, &letters);
    scene.shapes.iter().for_each(|shape| page.draw(shape));

    let mut pdf = Pdf::new();
    pdf.catalog(Ref::new(CATALOG)).pages(Ref::new(PAGES));
    pdf.pages(Ref::new(PAGES)).kids([Ref::new(PAGE)]).count(1);
    pdf.stream(Ref::new(CONTENTS), &page.content.finish());
    let fonts = letters.write(&mut pdf, FONTS, face);
    let mut page = pdf.page(Ref::new(PAGE));
    let [width, height] = [scene.width, scene.height].map(|side| side as f32 * POINTS);
    page.media_box(Rect::new(0.0, 0.0, width, height));
    page.parent(Ref::new(PAGES)).contents(Ref::new(CONTENTS));
    let mut resources = page.resources();
    let mut named = resources.fonts();
    for (index, font) in fonts.into_iter().enumerate() {
        named.pair(Name(letters::name(index).as_bytes()), font);
    }
    named.finish();
    resources.finish();
    page.finish();
    pdf.finish()
}

/// What is on the page, in pixels with heights upwards.
struct Page<'a> {
    content: Content,
    height: f64,
    /// What shapes are filled with at present.
    fill: Option<Colour>,
    stroke: Option<Colour>,
    face: &'a Typeface,
    letters: &'a Letters,
}

impl<'a> Page<'a> {
    fn new(scene: &Scene, face: &'a Typeface, letters: &'a Letters) -> Self {
        let mut content = Content::new();
        content.transform([POINTS, 0.0, 0.0, POINTS, 0.0, 0.0]);
        let height = f64::from(scene.height);
        Self { content, height, fill: None, stroke: None, face, letters }
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { from, to, width, colour } => {
                self.stroke(*colour);
                let ([x1, y1], [x2, y2]) = (self.place(*from), self.place(*to));
                let content = self.content.set_line_width(rounded(*width));
                content.move_to(x1, y1).line_to(x2, y2).stroke();
            }
            Shape::Fill { area, colour } => self.area(*area, *colour),
            Shape::Disc { centre, radius, colour } => self.disc(*centre, *radius, *colour),
            Shape::Polygon { corners, colour } => {
                self.fill(*colour);
                for (index, corner) in corners.iter().enumerate() {
                    let [x, y] = self.place(*corner);
                    match index {
                        0 => self.content.move_to(x, y),
                        _ => self.content.line_to(x, y),
                    };
                }
                self.content.close_path().fill_nonzero();
            }
            Shape::Text(text) => self.text(text),
        }
    }

    fn area(&mut self, area: Area, colour: Colour) {
        self.fill(colour);
        let [x, y] = self.place(Point { x: area.left, y: area.bottom });
        let content = self.content.rect(x, y, rounded(area.width()), rounded(area.height()));
        content.fill_nonzero();
    }

    /// Four Bézier curves.
    fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.fill(colour);
        let ([x, y], r) = (self.place(centre), rounded(radius));
        let k = r * QUARTER;
        self.content.move_to(x + r, y);
        for (dx, dy) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
            // From the direction (dx, dy) to the one a quarter turn on.
            let (ex, ey) = (-dy, dx);
            self.content.cubic_to(
                x + r * dx + k * ex,
                y + r * dy + k * ey,
                x + r * ex + k * dx,
                y + r * ey + k * dy,
                x + r * ex,
                y + r * ey,
            );
        }
        self.content.close_path().fill_nonzero();
    }

    fn text(&mut self, text: &Text) {
        self.fill(text.colour);
        let (start, below) = self.face.origin(text);
        self.content.begin_text();
        let placed = self.face.placed(&text.words, text.size);
        // The letters between two marks follow on each other.
        for piece in placed.chunk_by(|a, b| !a.is_mark && !b.is_mark) {
            let (along, down) = (start + piece[0].along, below - piece[0].raised);
            let (origin, [a, b, c, d]) = if text.upright {
                (Point { x: text.at.x + down, y: text.at.y - along }, [0.0, 1.0, -1.0, 0.0])
            } else {
                (Point { x: text.at.x + along, y: text.at.y + down }, [1.0, 0.0, 0.0, 1.0])
            };
            let [x, y] = self.place(origin);
            self.content.set_text_matrix([a, b, c, d, x, y]);
            for (font, codes) in self.letters.codes(piece.iter().map(|placed| placed.letter)) {
                let name = letters::name(font);
                self.content.set_font(Name(name.as_bytes()), text.size as f32).show(Str(&codes));
            }
        }
        self.content.end_text();
    }

    fn fill(&mut self, colour: Colour) {
        if self.fill.replace(colour) != Some(colour) {
            let [red, green, blue] = shares(colour);
            self.content.set_fill_rgb(red, green, blue);
        }
    }

    fn stroke(&mut self, colour: Colour) {
        if self.stroke.replace(colour) != Some(colour) {
            let [red, green, blue] = shares(colour);
            self.content.set_stroke_rgb(red, green, blue);
        }
    }

    fn place(&self, at: Point) -> [f32; 2] {
        [rounded(at.x), rounded(self.height - at.y)]
    }
}

/// Pixels to the hundredth, which is finer than any printer.
fn rounded(pixels: f64) -> f32 {
    ((pixels * 100.0).round() / 100.0) as f32
}

fn shares(Colour(red, green, blue): Colour) -> [f32; 3] {
    [red, green, blue].map(|channel| (f32::from(channel) / 255.0 * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests;
