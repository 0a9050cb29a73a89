//! Multiplied sums of the bootstrap.

use cubecl::prelude::CubeDim;

use super::super::kernels::{self, DRAW_UNITS, DRAWS, GROUP, MultiplierLaw};
use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches, Stamp, grid, index};
use super::spans::{Span, SpanTable};
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
    /// The bases, if the columns are of those.
    bases: Option<&'a Buffer>,
    group: usize,
    spans: SpanTable,
    items: usize,
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

    /// Adds a span of `columns` columns, whose values begin at `entries` and whose ranks at `first_rank`; `own` are as many columns or
    /// where their basis begins. Returns its first item.
    pub(crate) fn add(
        &mut self,
        span: &Span,
        entries: [usize; 2],
        columns: usize,
        [first_rank, own]: [usize; 2],
        draws: usize,
    ) -> usize {
        let item = self.items;
        let cubes = columns.div_ceil(self.group) * draws.div_ceil(DRAWS);
        self.spans.add(span, entries, cubes, [item, first_rank, own]);
        self.items += span.tiles() * columns;
        item
    }
}

impl RowMultipliers {
    /// Of rows with these ranks.
    pub(crate) fn new<R: GpuRuntime>(gpu: &Gpu<R>, spec: Multipliers, ranks: &[&[u64]]) -> Self {
        let words = ranks.iter().copied().flatten().flat_map(|rank| halves(*rank)).collect();
        Self { spec, ranks: gpu.indices(words) }
    }

    /// Sums of the items, `[items, draws]`.
    #[expect(unsafe_code, reason = "every index is bounded by the spans, which lie in the columns")]
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
        let out = gpu.empty(items * spec.draws);
        let none = gpu.indices(Vec::new());
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: a cube reads values and ranks of its span's rows and writes its own draws of `out`.
        unsafe {
            kernels::multiplied_sums::launch_unchecked::<R>(
                &gpu.client,
                grid(spans.cubes),
                CubeDim::new_1d(index(DRAW_UNITS)),
                data.arg(),
                bases.unwrap_or(&none).arg(),
                self.ranks.arg(),
                gpu.floats(points).arg(),
                gpu.indices(spans.entries.clone()).arg(),
                out.arg(),
                stamps,
                slot,
                number,
                spans.len(),
                index(spans.cubes),
                index(stride),
                index(spec.draws),
                seed_low,
                seed_high,
                fraction_low,
                fraction_high,
                bases.is_some(),
                group,
                law,
                gpu.dtype.into(),
            );
        }
        out
    }
}
