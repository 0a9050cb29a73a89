use super::*;
use crate::report::plot::scene::{Anchor, INK, WHITE};

fn picture(words: &[&str]) -> Scene {
    let mut scene = Scene { width: 400, height: 200, shapes: Vec::new() };
    scene.fill(Area { left: 0.0, top: 0.0, right: 400.0, bottom: 200.0 }, WHITE);
    let from = Point { x: 10.0, y: 50.0 };
    scene.line(from, Point { x: 300.0, ..from }, 2.0, Colour(255, 0, 0));
    scene.disc(from, 5.0, INK);
    for words in words {
        scene.text(words, from, Anchor::Middle, 20.0, INK);
    }
    scene
}

fn document_of(scene: &Scene) -> Vec<u8> {
    document(scene, &Typeface::load().expect("the font travels with the crate"))
}

/// The document's bytes as letters.
fn text(document: &[u8]) -> String {
    document.iter().map(|byte| char::from(*byte)).collect()
}

#[test]
fn a_document_has_its_parts() {
    let document = document_of(&picture(&["ATT (lemp)"]));
    let text = text(&document);
    assert!(text.starts_with("%PDF-1.") && text.trim_end().ends_with("%%EOF"));
    assert!(text.contains("/MediaBox [0 0 300 150]") && text.contains("/Count 1"), "{text}");
    assert!(text.contains("1 0 0 RG\n2 w\n10 150 m\n300 150 l\nS"), "{text}");
    assert!(text.contains("(ATT (lemp)) Tj"), "{text}");
}

#[test]
fn the_table_of_objects_is_right() {
    let document = document_of(&picture(&["a", "−0.5 é"]));
    let whole = text(&document);
    let start = whole.rsplit("startxref").next().expect("where the table is");
    let table: usize = start.trim().lines().next().expect("a number").parse().expect("a number");
    let lines = text(&document[table..]);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "xref");
    let count: usize = lines[1].split(' ').nth(1).expect("a count").parse().expect("a number");
    for (number, line) in lines[3..].iter().take(count - 1).enumerate() {
        let offset: usize = line.split(' ').next().expect("an offset").parse().expect("a number");
        let head = format!("{} 0 obj", number + 1);
        assert!(document[offset..].starts_with(head.as_bytes()), "{line}");
    }
}

#[test]
fn letters_are_embedded_with_what_they_are() {
    let document = text(&document_of(&picture(&["−1 é"])));
    assert!(document.contains("/Subtype /Type3"));
    assert!(document.contains("/u2212") && document.contains("/u00E9"), "{document}");
    // The minus sign is the first that is not ASCII.
    assert!(document.contains("<80> <2212>") && document.contains("<81> <00E9>"), "{document}");
}

#[test]
fn marks_are_placed_by_themselves() {
    let document = text(&document_of(&picture(&["M\u{304} = 1"])));
    assert!(document.contains("<80> <0304>"), "{document}");
    assert_eq!(document.matches(" Tm").count(), 3);
}

#[test]
fn many_characters_take_several_fonts() {
    let words: String = ('\u{400}'..'\u{4c0}').collect();
    let document = text(&document_of(&picture(&[&words, "a"])));
    assert_eq!(document.matches("/Subtype /Type3").count(), 2);
    assert!(document.contains("/F1 20 Tf"), "{document}");
}

#[test]
fn a_picture_without_words_is_one() {
    assert!(text(&document_of(&picture(&[]))).contains("%%EOF"));
}
