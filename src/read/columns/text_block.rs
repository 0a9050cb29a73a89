//! Texts by their bytes, a block of them at once.

use std::ops::Range;

use super::runs::{SHORT, TextSlice};
use crate::base::spread::halves;

/// Texts of a block, at most.
pub(super) const BLOCK: usize = 128;

/// Bytes of a text in a block, at most.
pub(super) const LONGEST: usize = 32;

/// Words of eight bytes that a text has, at most.
pub(super) const WORDS: usize = LONGEST / 8;

/// The length of a text that is missing.
pub(super) const NO_TEXT: u32 = u32::MAX;

/// Texts by their positions; some may be missing.
pub(crate) trait TextSource: Sync {
    /// Texts that there are, with those that are missing.
    fn count(&self) -> usize;

    fn text(&self, position: usize) -> Option<&str>;

    /// Puts the texts at some positions, at most [`BLOCK`], in a block.
    fn fill(&self, positions: Range<usize>, block: &mut TextBlock) {
        block.fill_by_text(positions, |position| self.text(position));
    }
}

/// Texts of at most [`LONGEST`] bytes, one beside another, so that they are worked on by vectors.
pub(crate) struct TextBlock {
    /// Eight bytes of each text, the first one lowest, then the next eight, and zeros after its end. A longer text has none.
    words: [[u64; BLOCK]; WORDS],
    /// Bytes of each text.
    pub(super) lengths: [u32; BLOCK],
    /// How many of the words are in use; the others are not read.
    used: usize,
}

impl TextBlock {
    /// A block without texts.
    pub fn new() -> Self {
        Self { words: [[0; BLOCK]; WORDS], lengths: [NO_TEXT; BLOCK], used: 0 }
    }

    fn fill_by_text<'t>(
        &mut self,
        positions: Range<usize>,
        text: impl Fn(usize) -> Option<&'t str>,
    ) {
        self.used = WORDS;
        self.words.fill([0; BLOCK]);
        self.lengths.fill(NO_TEXT);
        for (at, position) in positions.enumerate() {
            let Some(text) = text(position) else { continue };
            let mut bytes = [[0; 8]; WORDS];
            if let Some(place) = bytes.as_flattened_mut().get_mut(..text.len()) {
                place.copy_from_slice(text.as_bytes());
            }
            for (words, bytes) in self.words.iter_mut().zip(bytes) {
                words[at] = u64::from_le_bytes(bytes);
            }
            self.lengths[at] = u32::try_from(text.len()).unwrap_or(NO_TEXT - 1);
        }
    }

    /// The words that are in use.
    pub(super) fn words(&self) -> &[[u64; BLOCK]] {
        &self.words[..self.used]
    }
}

impl TextSource for TextSlice<'_> {
    fn count(&self) -> usize {
        self.0.views().len()
    }

    fn text(&self, position: usize) -> Option<&str> {
        self.0.get(position)
    }

    fn fill(&self, positions: Range<usize>, block: &mut TextBlock) {
        let views = &self.0.views()[positions.clone()];
        let (there, _) = self.0.non_null_values_iter().size_hint();
        let all_there = there == self.0.views().len();
        if !all_there || views.iter().any(|view| view.length > SHORT) {
            return block.fill_by_text(positions, |position| self.text(position));
        }
        // Views hold short texts, with zeros after their ends.
        block.used = 2;
        let [first, second, ..] = &mut block.words;
        for (((view, first), second), length) in
            views.iter().zip(&mut *first).zip(&mut *second).zip(&mut block.lengths)
        {
            *first = halves(view.buffer_idx, view.prefix);
            *second = view.offset.into();
            *length = view.length;
        }
        first[views.len()..].fill(0);
        second[views.len()..].fill(0);
        block.lengths[views.len()..].fill(NO_TEXT);
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::StringChunked;

    use super::*;

    /// The texts of a block, as it has them.
    fn held(block: &TextBlock) -> Vec<Option<String>> {
        let text = |at: usize| {
            let length = block.lengths[at];
            let bytes: Vec<u8> = block.words().iter().flat_map(|w| w[at].to_le_bytes()).collect();
            let (text, rest) = bytes.split_at((length as usize).min(bytes.len()));
            assert!(rest.iter().all(|byte| *byte == 0));
            (length != NO_TEXT).then(|| String::from_utf8(text.to_vec()).unwrap())
        };
        (0..BLOCK).map(text).collect()
    }

    #[test]
    fn blocks_have_short_and_long_texts_and_forget_those_before() {
        let mut block = TextBlock::new();
        for texts in [
            &[Some("unit number 00001"), Some("exactly 12 b"), None, Some("")][..],
            &[Some("ä"), Some("exactly 12 b"), Some("")],
            &[Some("a"), None, Some("in all two and thirty characters")],
            &[],
            &[Some("b")],
        ] {
            let column: StringChunked = texts.iter().copied().collect();
            let slice = TextSlice(column.downcast_iter().next().unwrap());
            slice.fill(0..texts.len(), &mut block);
            let expected = texts.iter().map(|text| text.map(str::to_owned));
            let nothing = std::iter::repeat_n(None, BLOCK - texts.len());
            assert!(held(&block).into_iter().eq(expected.chain(nothing)), "{texts:?}");
        }
        let long = "x".repeat(LONGEST + 1);
        let column: StringChunked = [Some(long.as_str())].into_iter().collect();
        TextSlice(column.downcast_iter().next().unwrap()).fill(0..1, &mut block);
        assert_eq!((block.lengths[0], block.words()[0][0]), (33, 0));
    }
}
