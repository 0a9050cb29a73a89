//! Influence values and the sums over them.

use cubecl::prelude::CubeDim;

use super::buffers::{Buffer, Gpu};
use super::fold::{Fold, Shape, Tiles};
use super::kernels::{self, ABSENT, DRAWS, GROUP, Law, Parts, SHARES, UNITS};
use super::products::{self, Blocks, Factors};
use super::slab::Columns;
use super::spans::{Cut, RowTable, SegmentTable, Span, SpanTable, batches};
use super::tables::{PlanPlace, PlanTables, index};
use super::work::{Stamp, Work, grid};
use super::{GpuRuntime, scratch};
use crate::error::Result;
use crate::options::Multiplier;
use crate::pass::{Multipliers, StratumPlan, TILE};
use crate::random::{MAMMEN_LOWER, halves, law_levels};

/// Plans over a sample's columns. `Span::of` is the position of a span's plan.
pub(super) struct Influence<'a, R: GpuRuntime> {
    gpu: &'a Gpu<R>,
    columns: &'a Columns,
    k: usize,
    places: Vec<PlanPlace>,
    active: Vec<Vec<usize>>,
    coefficients: Buffer,
    x_first: Buffer,
    numbers: Buffer,
    legs: Buffer,
}

/// Values of a batch, `[tiles, columns, TILE]`.
struct Values {
    values: Buffer,
    /// First item (a tile's column) of each span.
    items: Vec<usize>,
}

/// Sums over influence values, of all columns of the sample.
pub(super) struct Sums {
    /// Upper triangles, `[rows, m, m]`.
    pub cross: Vec<f64>,
    /// `[rows, m, R]`.
    pub draws: Vec<f64>,
    /// The values, `[tiles, columns, TILE]`, if they are asked for.
    pub values: Vec<f64>,
}

/// What is asked.
pub(super) struct Question<'a> {
    /// Influence columns `m`.
    pub columns: usize,
    /// Statistics: spans are added to that of their `row`.
    pub rows: usize,
    /// Whether products and draws are formed.
    pub sums: bool,
    /// Multipliers, and the rank of every row of the spans, in order.
    pub multipliers: Option<(Multipliers, &'a [&'a [u64]])>,
    /// Whether the values are asked for, of a chunk.
    pub values: bool,
}

impl<'a, R: GpuRuntime> Influence<'a, R> {
    pub(super) fn new<'p>(
        gpu: &'a Gpu<R>,
        columns: &'a Columns,
        k: usize,
        plans: impl IntoIterator<Item = &'p StratumPlan>,
        trim: f64,
    ) -> Self {
        let mut tables = PlanTables::new(gpu.dtype, trim);
        let mut places = Vec::new();
        let mut active = Vec::new();
        for plan in plans {
            places.push(tables.add(plan, columns, k));
            active.push(plan.active());
        }
        let PlanTables { coefficients, x_first, numbers, legs, .. } = tables;
        Self {
            gpu,
            columns,
            k,
            places,
            active,
            coefficients: gpu.floats(coefficients),
            x_first: gpu.indices(x_first),
            numbers: gpu.floats(numbers),
            legs: gpu.indices(legs),
        }
    }

    /// Bytes of a tile's largest results.
    fn tile_bytes(&self, span: &Span, draws: usize) -> usize {
        let place = &self.places[span.of];
        let blocks = Blocks::plain(place.columns).entries();
        let values = TILE * place.columns.max(place.dots);
        let largest = values.max(blocks).max(place.columns * draws);
        largest * self.gpu.width()
    }

    /// Values of the spans' active columns.
    #[expect(
        unsafe_code,
        reason = "every index is bounded by the tables, which are of these columns"
    )]
    fn values(&self, work: &Work<'_, R>, spans: &[Span]) -> Values {
        let (gpu, columns) = (self.gpu, self.columns);
        let mut of_dots = SpanTable::default();
        let mut of_values = SpanTable::default();
        let mut items = Vec::new();
        for span in spans {
            let place = &self.places[span.of];
            let rows = [span.first, TILE];
            let mut first_dot = 0;
            if place.dots > 0 {
                first_dot = of_dots.add(span, rows, place.dots, [place.first_dot, 0, 0]);
            }
            let own = [place.legs, place.dots, first_dot];
            items.push(of_values.add(span, rows, place.columns, own));
        }
        let dots = gpu.empty(of_dots.cubes * TILE);
        if of_dots.cubes > 0 {
            let Stamp { stamps, slot, number } = work.stamp();
            // SAFETY: rows are those of the spans, and predictors those of their plans.
            unsafe {
                kernels::linear_predictors::launch_unchecked::<R>(
                    &gpu.client,
                    grid(of_dots.cubes * SHARES),
                    CubeDim::new_1d(index(UNITS)),
                    columns.data.arg(),
                    self.coefficients.arg(),
                    self.x_first.arg(),
                    gpu.indices(of_dots.entries.clone()).arg(),
                    dots.arg(),
                    stamps,
                    slot,
                    number,
                    of_dots.len(),
                    index(of_dots.cubes * SHARES),
                    index(columns.stride),
                    self.k,
                    gpu.dtype.into(),
                );
            }
        }
        let values = gpu.empty(of_values.cubes * TILE);
        let Stamp { stamps, slot, number } = work.stamp();
        // SAFETY: as above; legs name columns of the data and predictors of their plan.
        unsafe {
            kernels::influence_values::launch_unchecked::<R>(
                &gpu.client,
                grid(of_values.cubes * SHARES),
                CubeDim::new_1d(index(UNITS)),
                columns.data.arg(),
                dots.arg(),
                self.numbers.arg(),
                self.legs.arg(),
                gpu.indices(of_values.entries.clone()).arg(),
                values.arg(),
                stamps,
                slot,
                number,
                of_values.len(),
                index(of_values.cubes * SHARES),
                index(columns.stride),
                gpu.dtype.into(),
            );
        }
        Values { values, items }
    }

    /// The values of a tile, `[columns, TILE]`.
    ///
    /// # Errors
    /// What the device reports.
    pub(super) fn tile(&self, span: &Span) -> Result<Buffer> {
        let work = Work::new(self.gpu, 2);
        let values = self.values(&work, std::slice::from_ref(span)).values;
        work.read(&[])?;
        Ok(values)
    }

    /// Sums over the spans; from `before`, those of earlier tiles, if the spans are a chunk. `None` if they need more working space
    /// than there is.
    ///
    /// # Errors
    /// What the device reports.
    pub(super) fn sums(
        &self,
        spans: &[Span],
        question: &Question<'_>,
        cut: Cut,
        before: Option<[Vec<f64>; 2]>,
    ) -> Result<Option<Sums>> {
        let gpu = self.gpu;
        let (m, rows) = (question.columns, question.rows);
        let spec = question.multipliers.map(|(spec, _)| spec);
        let draws = spec.map_or(0, |s| s.draws);
        let with_columns = |s: &&Span| s.rows > 0 && self.places[s.of].columns > 0;
        let spans: Vec<Span> = spans.iter().filter(with_columns).copied().collect();
        let [before_cross, before_draws] = before.map_or([None, None], |b| b.map(Some));
        if spans.is_empty() {
            return Ok(Some(Sums {
                cross: before_cross.unwrap_or_else(|| vec![0.0; rows * m * m]),
                draws: before_draws.unwrap_or_else(|| vec![0.0; rows * m * draws]),
                values: Vec::new(),
            }));
        }
        let tile_bytes = |s: &Span| self.tile_bytes(s, draws);
        let Some(batches) = batches(&spans, tile_bytes, scratch(gpu), cut) else {
            return Ok(None);
        };
        let work = Work::new(gpu, 6 * batches.len());
        let shape = |parts, entries, size| Shape { parts, rows, entries, columns: m, size };
        let pairs = shape(Parts::Pairs, m * m, Blocks::plain(m).size());
        let mut cross = Fold::new(gpu, pairs, cut, before_cross.clone());
        let mut multiplied = spec.map(|_| {
            Fold::new(gpu, shape(Parts::Draws, m * draws, draws), cut, before_draws.clone())
        });
        let ranks = question.multipliers.map(|(_, ranks)| {
            let words = ranks.iter().copied().flatten().flat_map(|rank| halves(*rank));
            gpu.indices(words.collect())
        });
        let mut kept = Vec::new();
        let mut first_rank = 0;
        for batch in &batches {
            let values = self.values(&work, batch);
            if question.sums {
                self.add_products(&work, batch, &values, m, &mut cross);
            }
            if let (Some(spec), Some(ranks), Some(fold)) = (&spec, &ranks, &mut multiplied) {
                self.add_draws(&work, batch, &values, (spec, ranks, first_rank), m, fold);
            }
            first_rank += batch.iter().map(|s| s.rows).sum::<usize>();
            if question.values {
                kept.push(values.values);
            }
        }
        let mut outputs: Vec<&Buffer> = Vec::new();
        if question.sums {
            outputs.push(cross.out());
        }
        outputs.extend(multiplied.iter().map(Fold::out));
        outputs.extend(&kept);
        let mut read = work.read(&outputs)?.into_iter();
        let mut next =
            || read.next().ok_or_else(|| gpu.failed("fewer results than were asked for"));
        let cross = if question.sums {
            cross.finish(&next()?, before_cross)?
        } else {
            before_cross.unwrap_or_default()
        };
        let draws = match &multiplied {
            Some(fold) => fold.finish(&next()?, before_draws)?,
            None => Vec::new(),
        };
        Ok(Some(Sums { cross, draws, values: read.flatten().collect() }))
    }

    /// Position of every influence column in each span.
    fn local(&self, spans: &[Span], m: usize) -> Vec<u32> {
        let mut local = vec![ABSENT; spans.len() * m];
        for (span, local) in spans.iter().zip(local.chunks_exact_mut(m.max(1))) {
            for (j, column) in self.active[span.of].iter().enumerate() {
                local[*column] = index(j);
            }
        }
        local
    }

    fn add_products(
        &self,
        work: &Work<'_, R>,
        spans: &[Span],
        values: &Values,
        m: usize,
        fold: &mut Fold<'_, R>,
    ) {
        let mut table = SpanTable::default();
        let mut segments = SegmentTable::default();
        let mut rows = RowTable::new(fold.rows());
        for (number, (span, item)) in spans.iter().zip(&values.items).enumerate() {
            let columns = self.places[span.of].columns;
            let blocks = Blocks::plain(columns).count();
            let entries = [item * TILE, columns * TILE];
            let cube = table.add(span, entries, blocks, [0, blocks, columns]);
            let start = segments.len();
            segments.add(span, cube, blocks, number, columns);
            rows.add(span.row, [start, segments.len()], 0);
        }
        let none = self.gpu.indices(Vec::new());
        let factors = Factors {
            data: &values.values,
            stride: TILE,
            numbers: &self.numbers,
            jobs: &none,
            k: 0,
            thinning: 1,
        };
        let partial = products::launch(self.gpu, work, &Blocks::plain(m), &factors, &table);
        let local = self.local(spans, m);
        let tiles = Tiles { partial: &partial, rows: &rows, segments: &segments, local: &local };
        fold.add(work, &tiles);
    }

    fn add_draws(
        &self,
        work: &Work<'_, R>,
        spans: &[Span],
        values: &Values,
        (spec, ranks, mut first_rank): (&Multipliers, &Buffer, usize),
        m: usize,
        fold: &mut Fold<'_, R>,
    ) {
        let mut table = SpanTable::default();
        let mut segments = SegmentTable::default();
        let mut rows = RowTable::new(fold.rows());
        for (number, (span, item)) in spans.iter().zip(&values.items).enumerate() {
            let columns = self.places[span.of].columns;
            let parts = columns.div_ceil(GROUP) * spec.draws.div_ceil(DRAWS);
            let entries = [item * TILE, columns * TILE];
            table.add(span, entries, parts, [*item, first_rank, columns]);
            let start = segments.len();
            segments.add(span, *item, columns, number, columns);
            rows.add(span.row, [start, segments.len()], 0);
            first_rank += span.rows;
        }
        let items = values.values.len() / TILE;
        let values = (&values.values, TILE, items);
        let partial = multiplied(self.gpu, work, values, ranks, spec, &table);
        let local = self.local(spans, m);
        let tiles = Tiles { partial: &partial, rows: &rows, segments: &segments, local: &local };
        fold.add(work, &tiles);
    }
}

/// Multiplied sums of so many items (columns of tiles) of values whose columns are `stride` apart, `[items, draws]`.
#[expect(unsafe_code, reason = "every index is bounded by the spans, which lie in the values")]
fn multiplied<R: GpuRuntime>(
    gpu: &Gpu<R>,
    work: &Work<'_, R>,
    (values, stride, items): (&Buffer, usize, usize),
    ranks: &Buffer,
    spec: &Multipliers,
    spans: &SpanTable,
) -> Buffer {
    let (last, levels) = law_levels(spec.law);
    let points = std::iter::once(last).chain(levels.into_iter().map(|l| last + l)).collect();
    let law = match spec.law {
        Multiplier::Mammen => Law::Mammen,
        Multiplier::Rademacher | Multiplier::Gaussian => Law::Rademacher,
        Multiplier::Webb => Law::Webb,
    };
    let [seed_low, seed_high] = halves(spec.seed);
    let [fraction_low, fraction_high] = halves(MAMMEN_LOWER);
    let out = gpu.empty(items * spec.draws);
    let Stamp { stamps, slot, number } = work.stamp();
    // SAFETY: a cube reads values and ranks of its span's rows and writes its own draws of `out`.
    unsafe {
        kernels::multiplied_sums::launch_unchecked::<R>(
            &gpu.client,
            grid(spans.cubes),
            CubeDim::new_1d(index(DRAWS)),
            values.arg(),
            ranks.arg(),
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
            law,
            gpu.dtype.into(),
        );
    }
    out
}

/// `U U'` of a tile `[m, rows]`, `[m, m]`, and its multiplied sums `[m, R]`.
///
/// # Errors
/// What the device reports.
pub(super) fn of_tile<R: GpuRuntime>(
    gpu: &Gpu<R>,
    tile: &Columns,
    [m, rows]: [usize; 2],
    multipliers: Option<(&Multipliers, &[u64])>,
) -> Result<Vec<f64>> {
    let span = Span { of: 0, row: 0, first: 0, rows };
    let (mut table, mut segments) = (SpanTable::default(), SegmentTable::default());
    let local: Vec<u32> = (0..m).map(index).collect();
    let work = Work::new(gpu, 2);
    let (shape, partial) = if let Some((spec, rank)) = multipliers {
        let parts = m.div_ceil(GROUP) * spec.draws.div_ceil(DRAWS);
        table.add(&span, [0, TILE], parts, [0, 0, m]);
        segments.add(&span, 0, m, 0, m);
        let ranks = gpu.indices(rank.iter().flat_map(|rank| halves(*rank)).collect());
        let entries = m * spec.draws;
        let shape = Shape { parts: Parts::Draws, rows: 1, entries, columns: m, size: spec.draws };
        let values = (&tile.data, tile.stride, m * span.tiles());
        (shape, multiplied(gpu, &work, values, &ranks, spec, &table))
    } else {
        let blocks = Blocks::plain(m);
        table.add(&span, [0, TILE], blocks.count(), [0, blocks.count(), m]);
        segments.add(&span, 0, blocks.count(), 0, m);
        let none = gpu.indices(Vec::new());
        let zero = gpu.floats(Vec::new());
        let factors = Factors {
            data: &tile.data,
            stride: tile.stride,
            numbers: &zero,
            jobs: &none,
            k: 0,
            thinning: 1,
        };
        let size = blocks.size();
        let shape = Shape { parts: Parts::Pairs, rows: 1, entries: m * m, columns: m, size };
        (shape, products::launch(gpu, &work, &blocks, &factors, &table))
    };
    let mut fold = Fold::new(gpu, shape, Cut::Tiles, None);
    let mut rows = RowTable::new(1);
    rows.add(0, [0, segments.len()], 0);
    fold.add(&work, &Tiles { partial: &partial, rows: &rows, segments: &segments, local: &local });
    let read = work.read(&[fold.out()])?;
    fold.finish(&read[0], None)
}

/// The lower triangle from the upper one, of a matrix `[m, m]`.
pub(super) fn mirror(cross: &mut [f64]) {
    let m = cross.len().isqrt();
    for i in 0..m {
        for j in 0..i {
            cross[i * m + j] = cross[j * m + i];
        }
    }
}
