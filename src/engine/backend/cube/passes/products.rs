//! Blocks of cross-products: how many there are, and where a product is.

use super::super::kernels::{self, Form, HEIGHT, PRODUCT_UNITS, WIDTH};
use super::super::runtime::{Buffer, GpuRuntime, Launches, columns_arg, grid, index, launch};
use super::spans::SpanTable;

/// Cross-products of the first `height` of `columns` columns with the columns from themselves on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    pub form: Form,
    pub height: usize,
    pub columns: usize,
}

impl Blocks {
    /// Products of every pair of columns.
    pub(crate) fn plain(columns: usize) -> Self {
        Self { form: Form::Plain, height: columns, columns }
    }

    /// Products of every pair of columns of a basis.
    pub(crate) fn basis(columns: usize) -> Self {
        Self { form: Form::Basis, height: columns, columns }
    }

    /// Rows of a block.
    fn block_height(&self) -> usize {
        let pairs = matches!(self.form, Form::Plain | Form::Basis);
        if self.height == 1 && !pairs { 1 } else { HEIGHT }
    }

    /// Numbers that a cube writes.
    pub(crate) fn size(&self) -> usize {
        self.block_height() * WIDTH + self.form.extra()
    }

    /// First row and column of every block that meets the upper triangle.
    fn corners(&self) -> impl Iterator<Item = [usize; 2]> {
        let (height, columns) = (self.block_height(), self.columns);
        (0..self.height)
            .step_by(height)
            .flat_map(move |i| (i / WIDTH * WIDTH..columns).step_by(WIDTH).map(move |j| [i, j]))
    }

    pub(crate) fn count(&self) -> usize {
        self.corners().count()
    }

    /// Numbers of all blocks.
    pub(crate) fn entries(&self) -> usize {
        self.count() * self.size()
    }

    /// Visits `(i, j, sum)` for `i <= j`.
    pub(crate) fn for_each(&self, values: &[f64], mut visit: impl FnMut(usize, usize, f64)) {
        for ([first_i, first_j], values) in self.corners().zip(values.chunks_exact(self.size())) {
            for (i, row) in (first_i..self.height).zip(self.products_of(values)) {
                for (j, value) in (first_j..self.columns).zip(row) {
                    if i <= j {
                        visit(i, j, *value);
                    }
                }
            }
        }
    }

    /// Rows of a block's products, without what comes behind them.
    fn products_of<'a>(&self, block: &'a [f64]) -> std::slice::ChunksExact<'a, f64> {
        block[..self.block_height() * WIDTH].chunks_exact(WIDTH)
    }

    /// All numbers of the blocks: in each, the products that `value` gives, followed by `behind`.
    pub(crate) fn written(&self, value: impl Fn(usize, usize) -> f64, behind: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; self.entries()];
        for ([first_i, first_j], values) in self.corners().zip(values.chunks_exact_mut(self.size()))
        {
            let products = values[..self.block_height() * WIDTH].chunks_exact_mut(WIDTH);
            for (i, row) in (first_i..self.height).zip(products) {
                for (j, entry) in (first_j..self.columns).zip(row) {
                    if i <= j {
                        *entry = value(i, j);
                    }
                }
            }
            let last = &mut values[self.block_height() * WIDTH..];
            last.iter_mut().zip(behind).for_each(|(entry, value)| *entry = *value);
        }
        values
    }

    /// What comes behind the first block's products: the largest odds ([`Form::Logit`]), or sums of weights.
    pub(crate) fn behind<'a>(&self, values: &'a [f64]) -> &'a [f64] {
        &values[self.block_height() * WIDTH..self.size()]
    }
}

/// The factors of the products.
pub(crate) struct Factors<'a> {
    pub data: &'a Buffer,
    /// Entries from a column to the next.
    pub stride: usize,
    pub numbers: &'a Buffer,
    pub jobs: &'a Buffer,
    /// Design columns `k`; 0 if there is no design.
    pub k: usize,
    /// Only the first of so many equal parts of a tile is read.
    pub thinning: usize,
}

/// Sums of the tiles of all spans, `[cubes, size]`.
#[expect(unsafe_code, reason = "launches are unchecked")]
pub(crate) fn launch<R: GpuRuntime>(
    work: &Launches<'_, R>,
    blocks: &Blocks,
    factors: &Factors<'_>,
    spans: &SpanTable,
) -> Buffer {
    let gpu = work.gpu;
    let out = gpu.empty(spans.cubes * blocks.size());
    let Factors { data, stride, numbers, jobs, k, thinning } = *factors;
    // SAFETY: a cube reads rows of its span, in columns that its jobs name, and writes to its own place of `out`.
    unsafe {
        launch!(
            work,
            kernels::tile_products,
            grid(spans.cubes),
            PRODUCT_UNITS,
            columns_arg(data, stride),
            numbers.arg(),
            jobs.arg(),
            spans.arg(gpu, 1),
            out.arg(),
            index(thinning),
            blocks.form,
            blocks.block_height(),
            k
        );
    }
    out
}
