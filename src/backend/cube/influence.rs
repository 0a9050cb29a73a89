//! Influence values and the sums over them.

use cubecl::prelude::CubeDim;

use super::buffers::{Buffer, Gpu};
use super::clusters::ClusterSums;
use super::fold::{Fold, Shape, Tiles};
use super::kernels::{self, ABSENT, DRAWS, GROUP, Law, SHARES, UNITS};
use super::products::{self, Blocks, Factors};
use super::slab::Columns;
use super::spans::{Cut, RowTable, SegmentTable, Span, SpanTable, batches};
use super::tables::{PlanPlace, PlanTables, index};
use super::work::{Stamp, Work, grid};
use super::{GpuRuntime, scratch};
use crate::error::Result;
use crate::options::Multiplier;
use crate::pass::{InfluenceStat, Multipliers, StratumPlan, TILE};
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

/// Values of spans, tile by tile, in columns that are `stride` apart.
pub(super) struct Values<'a> {
    pub buffer: Buffer,
    pub stride: usize,
    pub parts: Vec<Part<'a>>,
}

/// A span and its values.
pub(super) struct Part<'a> {
    pub span: Span,
    /// First item, which is a tile's column.
    item: usize,
    /// First entry, and from a tile to the next.
    pub entries: [usize; 2],
    /// Which influence columns there are values of.
    pub active: &'a [usize],
}

/// Sums over influence values, of all columns of the sample.
pub(super) struct Sums {
    /// Upper triangles, `[rows, m, m]`.
    pub cross: Vec<f64>,
    /// `[rows, m, R]`.
    pub draws: Vec<f64>,
    /// Sums by cluster, `[m, C]`, if they are asked for.
    pub clusters: Vec<f64>,
    /// The values, `[tiles, columns, TILE]`, if they are asked for.
    pub values: Vec<f64>,
}

impl Sums {
    /// Those of earlier rows.
    pub(super) fn of(stat: &InfluenceStat) -> Self {
        let InfluenceStat { cross, clusters, draws } = stat.clone();
        Self { cross, draws, clusters, values: Vec::new() }
    }
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
    /// Number of clusters `C` to sum within, and the cluster of every row of the spans, in order.
    pub clusters: Option<(usize, &'a [u32])>,
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
    fn values(&self, work: &Work<'_, R>, spans: &[Span]) -> Values<'_> {
        let (gpu, columns) = (self.gpu, self.columns);
        let mut of_dots = SpanTable::default();
        let mut of_values = SpanTable::default();
        let mut parts = Vec::new();
        for span in spans {
            let place = &self.places[span.of];
            let rows = [span.first, TILE];
            let mut first_dot = 0;
            if place.dots > 0 {
                first_dot = of_dots.add(span, rows, place.dots, [place.first_dot, 0, 0]);
            }
            let own = [place.legs, place.dots, first_dot];
            let item = of_values.add(span, rows, place.columns, own);
            let entries = [item * TILE, place.columns * TILE];
            parts.push(Part { span: *span, item, entries, active: &self.active[span.of] });
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
        let buffer = gpu.empty(of_values.cubes * TILE);
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
                buffer.arg(),
                stamps,
                slot,
                number,
                of_values.len(),
                index(of_values.cubes * SHARES),
                index(columns.stride),
                gpu.dtype.into(),
            );
        }
        Values { buffer, stride: TILE, parts }
    }

    /// The values of a tile, `[columns, TILE]`.
    ///
    /// # Errors
    /// What the device reports.
    pub(super) fn tile(&self, span: &Span) -> Result<Buffer> {
        let work = Work::new(self.gpu, 2);
        let values = self.values(&work, std::slice::from_ref(span)).buffer;
        work.read(&[])?;
        Ok(values)
    }

    /// Sums over the spans, from those `before`: of earlier segments or, if the spans are a chunk, of earlier tiles. `None` if they
    /// need more working space than there is.
    ///
    /// # Errors
    /// What the device reports.
    pub(super) fn sums(
        &self,
        spans: &[Span],
        question: &Question<'_>,
        cut: Cut,
        before: Option<Sums>,
    ) -> Result<Option<Sums>> {
        let gpu = self.gpu;
        let (m, rows) = (question.columns, question.rows);
        let spec = question.multipliers.map(|(spec, _)| spec);
        let draws = spec.map_or(0, |s| s.draws);
        let n_clusters = question.clusters.map_or(0, |(count, _)| count);
        let has_values = |s: &Span| s.rows > 0 && self.places[s.of].columns > 0;
        if !spans.iter().any(has_values) {
            return Ok(Some(before.unwrap_or_else(|| Sums {
                cross: vec![0.0; rows * m * m],
                draws: vec![0.0; rows * m * draws],
                clusters: vec![0.0; m * n_clusters],
                values: Vec::new(),
            })));
        }
        let [mut before_cross, mut before_draws, before_clusters] = match before {
            None => [None, None, None],
            Some(Sums { cross, draws, clusters, .. }) => [cross, draws, clusters].map(Some),
        };
        let tile_bytes = |s: &Span| self.tile_bytes(s, draws);
        let Some(batches) = batches(spans, tile_bytes, scratch(gpu), cut) else {
            return Ok(None);
        };
        let work = Work::new(gpu, 6 * batches.len());
        let mut cross =
            question.sums.then(|| Fold::new(gpu, Shape::pairs(rows, m), cut, before_cross.take()));
        let mut multiplied =
            spec.map(|_| Fold::new(gpu, Shape::draws(rows, m, draws), cut, before_draws.take()));
        let ranks = question.multipliers.map(|(_, ranks)| rank_words(gpu, ranks));
        let mut clustered = match question.clusters {
            None => None,
            Some((count, cluster)) => {
                let before = before_clusters.as_deref();
                let Some(sums) = ClusterSums::new(gpu, [m, count], before) else { return Ok(None) };
                Some((sums, cluster))
            }
        };
        let mut kept = Vec::new();
        let mut end = 0;
        for batch in &batches {
            let start = end;
            end += batch.iter().map(|s| s.rows).sum::<usize>();
            // A launch has at least one cube.
            if !batch.iter().any(has_values) {
                continue;
            }
            let values = self.values(&work, batch);
            if let Some(fold) = &mut cross {
                values.add_products(&work, &self.numbers, fold);
            }
            if let (Some(spec), Some(ranks), Some(fold)) = (&spec, &ranks, &mut multiplied) {
                values.add_draws(&work, spec, (ranks, start), fold);
            }
            if let Some((sums, cluster)) = &mut clustered {
                sums.add(&work, &values, &cluster[start..end]);
            }
            if question.values {
                kept.push(values.buffer);
            }
        }
        let folds = cross.iter().chain(&multiplied).map(Fold::out);
        let by_cluster = clustered.iter().map(|(sums, _)| sums.out());
        let outputs: Vec<&Buffer> = folds.chain(by_cluster).chain(&kept).collect();
        let mut read = work.read(&outputs)?.into_iter();
        let mut next =
            || read.next().ok_or_else(|| gpu.failed("fewer results than were asked for"));
        let mut finish = |fold: Option<Fold<'_, R>>, before: Option<Vec<f64>>| match fold {
            None => Ok(before.unwrap_or_default()),
            Some(fold) => fold.finish(&next()?),
        };
        let cross = finish(cross, before_cross)?;
        let draws = finish(multiplied, before_draws)?;
        let clusters = match clustered {
            None => Vec::new(),
            Some((sums, _)) => sums.finish(&next()?)?,
        };
        Ok(Some(Sums { cross, draws, clusters, values: read.flatten().collect() }))
    }
}

impl Values<'_> {
    /// Position in each part of each of `m` influence columns.
    pub(super) fn local(&self, m: usize) -> Vec<u32> {
        let mut local = vec![ABSENT; self.parts.len() * m];
        for (number, part) in self.parts.iter().enumerate() {
            for (j, column) in part.active.iter().enumerate() {
                local[number * m + column] = index(j);
            }
        }
        local
    }

    /// Adds the products of every pair of columns. `numbers` may be any: they are not read.
    fn add_products<R: GpuRuntime>(
        &self,
        work: &Work<'_, R>,
        numbers: &Buffer,
        fold: &mut Fold<'_, R>,
    ) {
        let mut table = SpanTable::default();
        let mut places = Vec::new();
        for Part { span, entries, active, .. } in &self.parts {
            let blocks = Blocks::plain(active.len()).count();
            let cube = table.add(span, *entries, blocks, [0, blocks, active.len()]);
            places.push([cube, blocks]);
        }
        let none = work.gpu.indices(Vec::new());
        let factors = Factors {
            data: &self.buffer,
            stride: self.stride,
            numbers,
            jobs: &none,
            k: 0,
            thinning: 1,
        };
        let blocks = Blocks::plain(fold.shape().columns);
        let partial = products::launch(work, &blocks, &factors, &table);
        self.add(work, &partial, &places, fold);
    }

    /// Adds the multiplied sums, of rows whose ranks begin at the `first_rank`-th.
    fn add_draws<R: GpuRuntime>(
        &self,
        work: &Work<'_, R>,
        spec: &Multipliers,
        (ranks, mut first_rank): (&Buffer, usize),
        fold: &mut Fold<'_, R>,
    ) {
        let mut table = SpanTable::default();
        let mut places = Vec::new();
        for Part { span, item, entries, active } in &self.parts {
            let columns = active.len();
            let cubes = columns.div_ceil(GROUP) * spec.draws.div_ceil(DRAWS);
            table.add(span, *entries, cubes, [*item, first_rank, columns]);
            places.push([*item, columns]);
            first_rank += span.rows;
        }
        let partial = multiplied(work, self, ranks, spec, &table);
        self.add(work, &partial, &places, fold);
    }

    /// Adds sums of tiles, given for each part by its first and how many there are of a tile.
    fn add<R: GpuRuntime>(
        &self,
        work: &Work<'_, R>,
        partial: &Buffer,
        places: &[[usize; 2]],
        fold: &mut Fold<'_, R>,
    ) {
        let Shape { rows, columns: m, .. } = fold.shape();
        let mut rows = RowTable::new(rows);
        let mut segments = SegmentTable::default();
        for (number, (part, [first, count])) in self.parts.iter().zip(places).enumerate() {
            let start = segments.len();
            segments.add(&part.span, *first, *count, number, part.active.len());
            rows.add(part.span.row, [start, segments.len()], 0);
        }
        let local = self.local(m);
        fold.add(work, &Tiles { partial, rows: &rows, segments: &segments, local: &local });
    }
}

/// Multiplied sums of the values' items, `[items, draws]`.
#[expect(unsafe_code, reason = "every index is bounded by the spans, which lie in the values")]
fn multiplied<R: GpuRuntime>(
    work: &Work<'_, R>,
    values: &Values<'_>,
    ranks: &Buffer,
    spec: &Multipliers,
    spans: &SpanTable,
) -> Buffer {
    let gpu = work.gpu;
    let (last, levels) = law_levels(spec.law);
    let points = std::iter::once(last).chain(levels.into_iter().map(|l| last + l)).collect();
    let law = match spec.law {
        Multiplier::Mammen => Law::Mammen,
        Multiplier::Rademacher | Multiplier::Gaussian => Law::Rademacher,
        Multiplier::Webb => Law::Webb,
    };
    let [seed_low, seed_high] = halves(spec.seed);
    let [fraction_low, fraction_high] = halves(MAMMEN_LOWER);
    let items = values.parts.iter().map(|p| p.span.tiles() * p.active.len()).sum::<usize>();
    let out = gpu.empty(items * spec.draws);
    let Stamp { stamps, slot, number } = work.stamp();
    // SAFETY: a cube reads values and ranks of its span's rows and writes its own draws of `out`.
    unsafe {
        kernels::multiplied_sums::launch_unchecked::<R>(
            &gpu.client,
            grid(spans.cubes),
            CubeDim::new_1d(index(DRAWS)),
            values.buffer.arg(),
            ranks.arg(),
            gpu.floats(points).arg(),
            gpu.indices(spans.entries.clone()).arg(),
            out.arg(),
            stamps,
            slot,
            number,
            spans.len(),
            index(spans.cubes),
            index(values.stride),
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
    tile: Columns,
    [m, rows]: [usize; 2],
    multipliers: Option<(&Multipliers, &[u64])>,
) -> Result<Vec<f64>> {
    let active: Vec<usize> = (0..m).collect();
    let span = Span { of: 0, row: 0, first: 0, rows };
    let part = Part { span, item: 0, entries: [0, TILE], active: &active };
    let values = Values { buffer: tile.data, stride: tile.stride, parts: vec![part] };
    let work = Work::new(gpu, 2);
    let shape = multipliers.map_or(Shape::pairs(1, m), |(s, _)| Shape::draws(1, m, s.draws));
    let mut fold = Fold::new(gpu, shape, Cut::Tiles, None);
    if let Some((spec, ranks)) = multipliers {
        values.add_draws(&work, spec, (&rank_words(gpu, &[ranks]), 0), &mut fold);
    } else {
        values.add_products(&work, &gpu.floats(Vec::new()), &mut fold);
    }
    let read = work.read(&[fold.out()])?;
    fold.finish(&read[0])
}

/// The words of ranks on the device.
fn rank_words<R: GpuRuntime>(gpu: &Gpu<R>, ranks: &[&[u64]]) -> Buffer {
    gpu.indices(ranks.iter().copied().flatten().flat_map(|rank| halves(*rank)).collect())
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
