//! Multiplied sums of the bootstrap.

use super::super::kernels::layout::draw_span;
use super::super::kernels::{self, DRAW_UNITS, DRAWS, GROUP, LawWordsLaunch, MultiplierLaw};
use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches, columns_arg, grid, index, launch};
use super::spans::{Span, SpanTable, TilePlaces};
use crate::base::options::Multiplier;
use crate::base::random::{MAMMEN_LOWER, halves, law_levels};
use crate::engine::pass::Multipliers;

/// Multipliers of rows.
pub(crate) struct RowMultipliers {
    pub spec: Multipliers,
    ranks: Buffer,
}

/// Columns that are multiplied.
pub(crate) struct Multiplied<'a> {
    data: &'a Buffer,
    /// Entries from a column to the next.
    stride: usize,
    /// The bases, if the columns are columns of a basis.
    bases: Option<&'a Buffer>,
    group: usize,
    spans: SpanTable,
    items: usize,
}

/// A span of columns that are multiplied.
pub(crate) struct MultipliedSpan {
    /// Where the tiles of its values, or its rows, begin.
    pub tiles: TilePlaces,
    pub columns: usize,
    /// The rank of its first row is at this place among all.
    pub first_rank: usize,
    /// `columns`, or where the columns' basis begins among the bases.
    pub listed: usize,
}

impl<'a> Multiplied<'a> {
    /// No rows yet, of at most so many columns.
    pub(crate) fn new(
        data: &'a Buffer,
        stride: usize,
        bases: Option<&'a Buffer>,
        columns: usize,
    ) -> Self {
        // As few groups as there must be, of equal size.
        let group = columns.div_ceil(columns.div_ceil(GROUP).max(1)).max(1);
        Self { data, stride, bases, group, spans: SpanTable::default(), items: 0 }
    }

    /// Adds a span, whose rows get so many draws; returns its first item.
    pub(crate) fn add(&mut self, rows: &Span, span: &MultipliedSpan, draws: usize) -> usize {
        let item = self.items;
        let cubes = span.columns.div_ceil(self.group) * draws.div_ceil(DRAWS);
        let fields = [
            (draw_span::ITEM, item),
            (draw_span::RANK, span.first_rank),
            (draw_span::COLUMNS, span.listed),
        ];
        self.spans.add(rows, span.tiles, cubes, fields);
        self.items += rows.tiles() * span.columns;
        item
    }
}

impl RowMultipliers {
    /// Of rows with these ranks.
    pub(crate) fn new<R: GpuRuntime>(gpu: &Gpu<R>, spec: Multipliers, ranks: &[&[u64]]) -> Self {
        Self { spec, ranks: gpu.word_halves(ranks) }
    }

    /// Sums of the items, `[items, draws]`.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn sums<R: GpuRuntime>(
        &self,
        work: &Launches<'_, R>,
        columns: &Multiplied<'_>,
    ) -> Buffer {
        let (gpu, spec) = (work.gpu, &self.spec);
        let Multiplied { data, stride, bases, group, ref spans, items } = *columns;
        let (last, levels) = law_levels(spec.law);
        let points = std::iter::once(last).chain(levels.into_iter().map(|l| last + l)).collect();
        let law = match spec.law {
            Multiplier::Mammen => MultiplierLaw::Mammen,
            Multiplier::Rademacher | Multiplier::Gaussian => MultiplierLaw::Rademacher,
            Multiplier::Webb => MultiplierLaw::Webb,
        };
        let [seed_low, seed_high] = halves(spec.seed);
        let [fraction_low, fraction_high] = halves(MAMMEN_LOWER);
        let words = LawWordsLaunch::new(seed_low, seed_high, fraction_low, fraction_high);
        let out = gpu.empty(items * spec.draws);
        let none = gpu.indices(Vec::new());
        // SAFETY: a cube reads values and ranks of the rows of its span, and writes its own draws of `out`.
        unsafe {
            launch!(
                work,
                kernels::multiplied_sums,
                grid(spans.cubes),
                DRAW_UNITS,
                columns_arg(data, stride),
                bases.unwrap_or(&none).arg(),
                self.ranks.arg(),
                gpu.floats(points).arg(),
                spans.arg(gpu, 1),
                out.arg(),
                index(spec.draws),
                words,
                bases.is_some(),
                group,
                law
            );
        }
        out
    }
}
