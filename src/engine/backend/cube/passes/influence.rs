//! Influence values of the rows of plans, and what sums are formed of.

use super::super::kernels::layout::{predictor_span, value_span};
use super::super::kernels::{self, SHARES, VALUE_UNITS};
use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches, SampleColumns, grid, launch};
use super::basis::PlanBases;
use super::batch::{BatchSpans, SpanColumns};
use super::influence_sums::{InfluenceQuestion, InfluenceSums, Outputs, Summed};
use super::plan_tables::{PlanPlace, PlanTables};
use super::products::Blocks;
use super::scratch;
use super::spans::{Cut, Span, SpanTable, batches};
use super::values::TileValues;
use crate::base::error::Result;
use crate::engine::pass::{StratumPlan, TILE};

/// Launches of a batch, at most.
const LAUNCHES: usize = 9;

/// Plans over a sample's columns. `Span::of` is the position of a span's plan.
pub(crate) struct InfluencePlans<'a, R: GpuRuntime> {
    gpu: &'a Gpu<R>,
    columns: &'a SampleColumns,
    k: usize,
    places: Vec<PlanPlace>,
    active: Vec<Vec<usize>>,
    coefficients: Buffer,
    x_first: Buffer,
    numbers: Buffer,
    legs: Buffer,
    plans: Vec<&'a StratumPlan>,
}

/// What sums are formed of: influence values, or the bases, or bases where these are accurate and else values.
#[derive(Clone, Copy)]
struct Way<'b> {
    values: bool,
    basis: Option<&'b PlanBases<'b>>,
}

impl<'a, R: GpuRuntime> InfluencePlans<'a, R> {
    pub(crate) fn new(
        gpu: &'a Gpu<R>,
        columns: &'a SampleColumns,
        k: usize,
        plans: impl IntoIterator<Item = &'a StratumPlan>,
        trim: f64,
    ) -> Self {
        let mut tables = PlanTables::new(gpu.dtype, trim);
        let mut places = Vec::new();
        let mut active = Vec::new();
        let plans: Vec<&StratumPlan> = plans.into_iter().collect();
        for plan in &plans {
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
            plans,
        }
    }

    /// Bytes of a tile's largest results.
    fn tile_bytes(&self, span: &Span, draws: usize, way: Way<'_>) -> usize {
        let place = &self.places[span.of];
        let mut largest = Blocks::plain(place.columns).entries().max(place.columns * draws);
        if let Some(basis) = way.basis {
            largest = largest.max(basis.tile_entries(span.of, draws));
        }
        if way.values {
            largest = largest.max(TILE * place.columns.max(place.dots));
        }
        largest * self.gpu.width()
    }

    /// Spans with their active columns.
    fn parts(&self, spans: &[Span]) -> BatchSpans<'_> {
        BatchSpans::of(spans, |span| self.active[span.of].as_slice())
    }

    /// Values of the spans' active columns.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    fn values<'p, 'c>(
        &self,
        work: &Launches<'_, R>,
        parts: &'p BatchSpans<'c>,
    ) -> TileValues<'p, 'c> {
        let (gpu, columns) = (self.gpu, self.columns);
        let mut of_dots = SpanTable::default();
        let mut of_values = SpanTable::default();
        for SpanColumns { span, .. } in &parts.0 {
            let place = &self.places[span.of];
            let mut first_dot = 0;
            if place.dots > 0 {
                let fields = [(predictor_span::PREDICTOR, place.first_dot)];
                first_dot = of_dots.add(span, span.places(), place.dots, fields);
            }
            let fields = [
                (value_span::PLAN, place.legs),
                (value_span::PREDICTORS, place.dots),
                (value_span::ITEM, first_dot),
            ];
            of_values.add(span, span.places(), place.columns, fields);
        }
        let dots = gpu.empty(of_dots.cubes * TILE);
        if of_dots.cubes > 0 {
            // SAFETY: rows are those of the spans, and predictors those of their plans; a unit writes entries of its own.
            unsafe {
                launch!(
                    work,
                    kernels::linear_predictors,
                    grid(of_dots.cubes * SHARES),
                    VALUE_UNITS,
                    columns.arg(),
                    self.coefficients.arg(),
                    self.x_first.arg(),
                    of_dots.arg(gpu, SHARES),
                    dots.arg(),
                    self.k
                );
            }
        }
        let buffer = gpu.empty(of_values.cubes * TILE);
        // SAFETY: as before; legs name columns of the data and predictors of their plan.
        unsafe {
            launch!(
                work,
                kernels::influence_values,
                grid(of_values.cubes * SHARES),
                VALUE_UNITS,
                columns.arg(),
                dots.arg(),
                self.numbers.arg(),
                self.legs.arg(),
                of_values.arg(gpu, SHARES),
                buffer.arg()
            );
        }
        TileValues { buffer, stride: TILE, parts }
    }

    /// The values of a tile, `[columns, TILE]`.
    pub(crate) fn tile(&self, span: &Span) -> Result<Buffer> {
        let work = Launches::new(self.gpu, 2);
        let values = self.values(&work, &self.parts(std::slice::from_ref(span))).buffer;
        work.read(&[])?;
        Ok(values)
    }

    /// Sums over the spans, from those `before`: of earlier segments or, if the spans are a chunk, of earlier tiles. `None` if they
    /// need more working space than there is.
    pub(crate) fn sums(
        &self,
        spans: &[Span],
        question: &InfluenceQuestion<'_>,
        cut: Cut,
        before: Option<InfluenceSums>,
    ) -> Result<Option<InfluenceSums>> {
        let sums_alone = question.sums && question.clusters.is_none() && !question.values;
        let basis =
            sums_alone.then(|| PlanBases::of(self.gpu, self.columns, &self.plans)).flatten();
        let basis = basis.as_ref();
        if basis.is_some() {
            let way = Way { values: false, basis };
            let sums = self.formed(spans, question, cut, before.clone(), way)?;
            if !sums.as_ref().is_some_and(|sums| sums.is_marked(question.columns)) {
                return Ok(sums);
            }
        }
        self.formed(spans, question, cut, before, Way { values: true, basis })
    }

    /// [`sums`](Self::sums) in one way.
    fn formed(
        &self,
        spans: &[Span],
        question: &InfluenceQuestion<'_>,
        cut: Cut,
        before: Option<InfluenceSums>,
        way: Way<'_>,
    ) -> Result<Option<InfluenceSums>> {
        let gpu = self.gpu;
        let has_values = |s: &Span| s.rows > 0 && self.places[s.of].columns > 0;
        if !spans.iter().any(has_values) {
            return Ok(Some(before.unwrap_or_else(|| InfluenceSums::zero(question))));
        }
        let tile_bytes = |s: &Span| self.tile_bytes(s, question.draws(), way);
        let Some(batches) = batches(spans, tile_bytes, scratch(gpu), cut) else {
            return Ok(None);
        };
        let Some(mut outputs) = Outputs::new(gpu, question, cut, before) else { return Ok(None) };
        let work = Launches::new(gpu, LAUNCHES * batches.len());
        let mut end = 0;
        for batch in &batches {
            let start = end;
            end += batch.iter().map(|s| s.rows).sum::<usize>();
            // A launch has at least one cube.
            if !batch.iter().any(has_values) {
                continue;
            }
            let parts = self.parts(batch);
            let summands = Summed {
                parts: &parts,
                rows: start..end,
                values: way.values.then(|| self.values(&work, &parts)),
                basis: way.basis.map(|basis| basis.products(&work, &parts)),
            };
            outputs.add(&work, summands);
        }
        outputs.read(work).map(Some)
    }
}
