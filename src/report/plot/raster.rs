//! PNG files: drawn at a multiple of the size and averaged down, so that edges are smooth.

use std::io::{self, Write};
use std::path::Path;

use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::RGBColor;

use crate::base::error::Result;
use crate::{base::memory, base::written};

use super::failed;
use super::font::Typeface;
use super::options::Colour;
use super::scene::{Scene, Shape, Text};

/// Writes `scene` to `path`.
pub(crate) fn write(scene: &Scene, face: &Typeface, path: &Path) -> Result<()> {
    let pixels = pixels(scene, face)?;
    written::whole(path, |name, file| {
        let size = (scene.width, scene.height);
        let mut backend = BitMapBackend::new(name, size);
        let drawn = backend.blit_bitmap((0, 0), size, &pixels);
        drawn.and_then(|()| backend.present()).map_err(|error| {
            // The encoder says it in the words of a library. A file that has no room for the picture has none for its pixels.
            let again = file.write_all(&pixels).err();
            again.unwrap_or_else(|| io::Error::other(error.to_string()))
        })
    })
}

/// Red, green and blue by pixel, row-major.
pub(crate) fn pixels(scene: &Scene, face: &Typeface) -> Result<Vec<u8>> {
    let factor = match u64::from(scene.width) * u64::from(scene.height) {
        ..2_000_000 => 3,
        2_000_000..8_000_000 => 2,
        _ => 1,
    };
    let (width, height) = (scene.width * factor, scene.height * factor);
    let bytes = 3 * u128::from(width) * u128::from(height);
    memory::check("the picture (`size`)", 2 * bytes, "ask for fewer pixels, or for SVG")?;
    let mut buffer = vec![255; 3 * width as usize * height as usize];
    let mut backend = BitMapBackend::with_buffer(&mut buffer, (width, height));
    for shape in &scene.shapes {
        draw(&mut backend, shape, f64::from(factor))?;
    }
    backend.present().map_err(failed)?;
    drop(backend);
    for shape in &scene.shapes {
        if let Shape::Text(text) = shape {
            write_text(&mut buffer, (width, height), text, face, f64::from(factor));
        }
    }
    Ok(shrunk(&buffer, scene, factor as usize))
}

fn draw(backend: &mut BitMapBackend<'_>, shape: &Shape, factor: f64) -> Result<()> {
    let pixel = |v: f64| (v * factor).round() as i32;
    match shape {
        Shape::Line { from, to, width, colour } => {
            let (across, down) = if (to.y - from.y).abs() > (to.x - from.x).abs() {
                (width / 2.0, 0.0)
            } else {
                (0.0, width / 2.0)
            };
            let corner = (pixel(from.x.min(to.x) - across), pixel(from.y.min(to.y) - down));
            let opposite = (pixel(from.x.max(to.x) + across), pixel(from.y.max(to.y) + down));
            backend.draw_rect(corner, opposite, &rgb(*colour), true)
        }
        Shape::Fill { area, colour } => {
            let corner = (pixel(area.left), pixel(area.top));
            backend.draw_rect(corner, (pixel(area.right), pixel(area.bottom)), &rgb(*colour), true)
        }
        Shape::Disc { centre, radius, colour } => {
            let radius = pixel(*radius).max(1).unsigned_abs();
            backend.draw_circle((pixel(centre.x), pixel(centre.y)), radius, &rgb(*colour), true)
        }
        Shape::Polygon { corners, colour } => {
            let corners = corners.iter().map(|p| (pixel(p.x), pixel(p.y)));
            backend.fill_polygon(corners, &rgb(*colour))
        }
        Shape::Text(_) => Ok(()),
    }
    .map_err(failed)
}

fn write_text(buffer: &mut [u8], size: (u32, u32), text: &Text, face: &Typeface, factor: f64) {
    let (x, y) = ((text.at.x * factor).round() as i32, (text.at.y * factor).round() as i32);
    let Colour(red, green, blue) = text.colour;
    for pixel in face.coverage(text, factor) {
        let (dx, dy) = if text.upright { (pixel.y, -pixel.x) } else { (pixel.x, pixel.y) };
        let (Ok(px), Ok(py)) = (u32::try_from(x + dx), u32::try_from(y + dy)) else { continue };
        if px >= size.0 || py >= size.1 {
            continue;
        }
        let start = 3 * (py as usize * size.0 as usize + px as usize);
        let share = pixel.share.clamp(0.0, 1.0);
        for (channel, ink) in buffer[start..start + 3].iter_mut().zip([red, green, blue]) {
            let mixed = f32::from(*channel) * (1.0 - share) + f32::from(ink) * share;
            *channel = mixed.round() as u8;
        }
    }
}

fn shrunk(buffer: &[u8], scene: &Scene, factor: usize) -> Vec<u8> {
    let (width, height) = (scene.width as usize, scene.height as usize);
    let mut out = Vec::with_capacity(3 * width * height);
    let count = (factor * factor) as u32;
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let at = |i: usize| {
                    let (row, column) = (y * factor + i / factor, x * factor + i % factor);
                    u32::from(buffer[3 * (row * width * factor + column) + channel])
                };
                let sum: u32 = (0..factor * factor).map(at).sum();
                out.push(((sum + count / 2) / count) as u8);
            }
        }
    }
    out
}

fn rgb(Colour(red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}
