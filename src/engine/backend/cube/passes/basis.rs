//! Sums over influence values without the values: in designs without covariates they are linear in a constant and a few changes
//! of outcomes, whose sums are formed straight from the sample and mapped to those of the influence columns, tile by tile.

use super::super::kernels::layout::{basis as basis_list, mapped_span, mapping, product_span};
use super::super::kernels::{self, MAPPED_DRAWS, PRODUCTS};
use super::super::runtime::{
    Buffer, Gpu, GpuRuntime, Launches, SampleColumns, grid, index, launch,
};
use super::batch::{BatchSpans, Partial};
use super::draws::{Multiplied, MultipliedSpan, RowMultipliers};
use super::plan_tables::weight_columns;
use super::products::{self, Blocks, Factors};
use super::spans::{SpanTable, TilePlaces};
use crate::engine::backend::basis::{BasisPlan, CANCELLATION};
use crate::engine::pass::StratumPlan;

/// The bases of plans over a sample's columns, and the plans' columns as combinations of them.
pub(crate) struct PlanBases<'a> {
    columns: &'a SampleColumns,
    places: Vec<BasisPlace>,
    lists: Buffer,
    combinations: Buffer,
    numbers: Buffer,
}

/// Where a plan's basis is in the tables.
#[derive(Clone, Copy, Debug)]
struct BasisPlace {
    list: usize,
    combinations: usize,
    /// Columns of the basis.
    columns: usize,
}

/// Sums of a batch's bases.
pub(crate) struct OfBatch<'b> {
    basis: &'b PlanBases<'b>,
    products: Buffer,
    /// First cube of each part's products.
    firsts: Vec<usize>,
}

impl<'a> PlanBases<'a> {
    /// The bases, in double precision, if every plan has one weight, either changes or levels, and at most one column fewer than its basis.
    pub(crate) fn of<R: GpuRuntime>(
        gpu: &Gpu<R>,
        columns: &'a SampleColumns,
        plans: &[&StratumPlan],
    ) -> Option<Self> {
        if !gpu.doubles() {
            return None;
        }
        let (mut places, mut lists, mut combinations) = (Vec::new(), Vec::new(), Vec::new());
        let mut numbers = vec![0.0; mapping::LEN];
        numbers[mapping::MARK] = f64::MAX;
        numbers[mapping::CANCELLATION] = CANCELLATION;
        for plan in plans {
            let linear = BasisPlan::of(plan)?;
            let count = linear.basis.columns.len();
            if count > linear.combinations.len() + 1 {
                return None;
            }
            places.push(BasisPlace {
                list: lists.len(),
                combinations: combinations.len(),
                columns: count,
            });
            if count > 0 {
                lists.extend(list(&linear.basis, columns)?);
            }
            combinations.push(index(numbers.len()));
            let mut terms = Vec::new();
            combinations.push(0);
            for column in &linear.combinations {
                terms.extend(column.iter().map(|(of, _)| index(*of)));
                numbers.extend(column.iter().map(|(_, coefficient)| coefficient));
                combinations.push(index(terms.len()));
            }
            combinations.extend(terms);
        }
        let (lists, combinations) = (gpu.indices(lists), gpu.indices(combinations));
        Some(Self { columns, places, lists, combinations, numbers: gpu.floats(numbers) })
    }

    /// Numbers formed of a tile's basis.
    pub(crate) fn tile_entries(&self, plan: usize, draws: usize) -> usize {
        let columns = self.places[plan].columns;
        Blocks::basis(columns).entries().max(columns * draws)
    }

    /// Products of every pair of a basis' columns.
    pub(crate) fn products<R: GpuRuntime>(
        &'a self,
        work: &Launches<'_, R>,
        parts: &BatchSpans<'_>,
    ) -> OfBatch<'a> {
        let mut table = SpanTable::default();
        let mut firsts = Vec::new();
        let mut width = 0;
        for part in &parts.0 {
            let BasisPlace { list, columns, .. } = self.places[part.span.of];
            let blocks = Blocks::basis(columns).count();
            let fields = [
                (product_span::JOB, list),
                (product_span::BLOCKS, blocks),
                (product_span::COLUMNS, columns),
            ];
            firsts.push(table.add(&part.span, part.span.places(), blocks, fields));
            width = width.max(columns);
        }
        let factors = Factors {
            data: &self.columns.data,
            stride: self.columns.stride,
            numbers: &self.numbers,
            jobs: &self.lists,
            k: 1,
            thinning: 1,
        };
        let products = products::launch(work, &Blocks::basis(width), &factors, &table);
        OfBatch { basis: self, products, firsts }
    }
}

impl OfBatch<'_> {
    /// Products of every pair of influence columns, which replace those in `direct` where no terms cancel. Without `direct`, the product
    /// with itself of a column whose terms cancel becomes [`f64::MAX`].
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn map_products<R: GpuRuntime>(
        &self,
        work: &Launches<'_, R>,
        parts: &BatchSpans<'_>,
        direct: Option<Partial>,
    ) -> Partial {
        let (gpu, basis) = (work.gpu, self.basis);
        let mark = u32::from(direct.is_none());
        let partial = direct.unwrap_or_else(|| {
            let (places, cubes) = parts.pairs();
            Partial { buffer: gpu.empty(cubes * PRODUCTS), places }
        });
        let mut table = SpanTable::default();
        for ((part, first), mapped) in parts.0.iter().zip(&self.firsts).zip(&partial.places) {
            let BasisPlace { combinations, columns, .. } = basis.places[part.span.of];
            let products = TilePlaces { first: *first, step: Blocks::basis(columns).count() };
            let fields = [
                (mapped_span::COMBINATIONS, combinations),
                (mapped_span::BASIS, columns),
                (mapped_span::COLUMNS, part.active.len()),
            ];
            table.add(&part.span, products, mapped.step, fields);
        }
        // SAFETY: a cube reads the products and combinations of its tile, which the spans name, and writes a block of its own.
        unsafe {
            launch!(
                work,
                kernels::map_products,
                grid(table.cubes),
                PRODUCTS,
                self.products.arg(),
                basis.numbers.arg(),
                basis.combinations.arg(),
                table.arg(gpu, 1),
                partial.buffer.arg(),
                mark
            );
        }
        partial
    }

    /// Multiplied sums of influence columns, of rows whose ranks begin at the `first_rank`-th, which replace those in `direct` where no
    /// terms cancel. Without `direct`, sums of columns whose terms cancel are undefined.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn draws<R: GpuRuntime>(
        &self,
        work: &Launches<'_, R>,
        parts: &BatchSpans<'_>,
        draws: &RowMultipliers,
        mut first_rank: usize,
        direct: Option<Partial>,
    ) -> Partial {
        let (gpu, basis) = (work.gpu, self.basis);
        let count = draws.spec.draws;
        let SampleColumns { data, stride, .. } = basis.columns;
        let width = parts.0.iter().map(|part| basis.places[part.span.of].columns).max();
        let mut columns = Multiplied::new(data, *stride, Some(&basis.lists), width.unwrap_or(0));
        let mut table = SpanTable::default();
        for (part, first) in parts.0.iter().zip(&self.firsts) {
            let BasisPlace { list, combinations, columns: of_basis } = basis.places[part.span.of];
            let tiles = part.span.places();
            let span = MultipliedSpan { tiles, columns: of_basis, first_rank, listed: list };
            let item = columns.add(&part.span, &span, count);
            let fields = [
                (mapped_span::COMBINATIONS, combinations),
                (mapped_span::BASIS, of_basis),
                (mapped_span::PRODUCTS, *first),
            ];
            let sums = TilePlaces { first: item, step: of_basis };
            table.add(&part.span, sums, part.active.len(), fields);
            first_rank += part.span.rows;
        }
        let sums = draws.sums(work, &columns);
        let partial = direct.unwrap_or_else(|| {
            let buffer = gpu.empty(parts.items() * count);
            Partial { buffer, places: parts.columns() }
        });
        // SAFETY: a cube reads the sums, products and combinations of its tile, which the spans name, and writes the draws of its own column.
        unsafe {
            launch!(
                work,
                kernels::map_draws,
                grid(table.cubes),
                MAPPED_DRAWS,
                self.products.arg(),
                sums.arg(),
                basis.numbers.arg(),
                basis.combinations.arg(),
                table.arg(gpu, 1),
                partial.buffer.arg(),
                index(count)
            );
        }
        partial
    }
}

/// A basis as the kernels read it. `None` if it has several weights or levels beside changes.
fn list(basis: &StratumPlan, columns: &SampleColumns) -> Option<Vec<u32>> {
    let mut legs = basis.columns.iter().map(|column| &column.legs[0]);
    let constant = legs.next()?;
    let outcomes: Vec<_> = legs.collect();
    let base = outcomes.first().and_then(|leg| leg.base);
    if outcomes.iter().any(|leg| leg.base != base || leg.w != constant.w) {
        return None;
    }
    let mut list = vec![0; basis_list::OUTCOMES];
    [list[basis_list::W_FIRST], list[basis_list::W_SECOND]] = weight_columns(constant.w, columns);
    list[basis_list::REFERENCE] = base.map_or(0, |base| index(base) + 1);
    list[basis_list::COLUMNS] = index(outcomes.len()) + 1;
    list.extend(outcomes.iter().map(|leg| index(leg.post)));
    Some(list)
}
