//! Weighted cross-products: launch and assembly.

use burn_cubecl::tensor::CubeTensor;
use cubecl::prelude::{CubeCount, CubeDim};

use super::GpuRuntime;
use super::buffers::{Gpu, Matrices, address};
use super::kernels::{self, Form, LANES, WIDTH};
use super::tables::{index, weight_columns};
use crate::error::Result;
use crate::pass::{TILE, Weight};

/// Tiles of one launch.
const MAX_TILES: usize = 4096;

/// Launches whose results are read together.
const MAX_LAUNCHES: usize = 64;

/// Bytes of the results read together.
const MAX_BYTES: usize = 1 << 26;

/// Cross-products of the first `height` of `columns` columns with the columns from themselves on.
#[derive(Clone, Copy)]
pub(super) struct Products {
    pub form: Form,
    pub height: usize,
    pub columns: usize,
    /// Design columns `k`; 0 if the columns are those of `y` alone.
    pub k: usize,
    /// Covariate version.
    pub version: usize,
    pub weight: Weight,
    pub treated: bool,
    /// Only the first of so many equal parts of a tile is read.
    pub thinning: usize,
}

/// Sums of one tile.
pub(super) struct TileProducts<'a> {
    products: &'a Products,
    values: &'a [f64],
}

impl Products {
    /// Products of every pair of the columns of `y`.
    pub(super) fn plain(columns: usize) -> Self {
        Self {
            form: Form::Plain,
            height: columns,
            columns,
            k: 0,
            version: 0,
            weight: Weight::Ones,
            treated: false,
            thinning: 1,
        }
    }

    /// Rows of a block of products.
    fn block_height(&self) -> usize {
        if self.height == 1 { 1 } else { 4 }
    }

    fn block_size(&self) -> usize {
        self.block_height() * WIDTH + 1
    }

    /// First row and column of every block that meets the upper triangle.
    fn blocks(&self) -> impl Iterator<Item = [usize; 2]> {
        let (height, columns) = (self.block_height(), self.columns);
        (0..self.height).step_by(height).flat_map(move |i| {
            (0..columns).step_by(WIDTH).filter(move |j| j + WIDTH > i).map(move |j| [i, j])
        })
    }

    /// Numbers of a tile's result.
    fn tile_size(&self) -> usize {
        self.blocks().count() * self.block_size()
    }

    /// Sums of the tiles of `rows` rows from `start` on, to be read with [`Self::tiles`].
    pub(super) fn launch<R: GpuRuntime>(
        &self,
        gpu: &Gpu<R>,
        matrices: &Matrices<R>,
        numbers: &CubeTensor<R>,
        start: usize,
        rows: usize,
    ) -> CubeTensor<R> {
        let tiles = rows.div_ceil(TILE);
        let blocks: Vec<u32> = self.blocks().flatten().map(index).collect();
        let grid = CubeCount::Static(index(blocks.len() / 2), index(tiles), 1);
        let blocks = gpu.indices(blocks);
        let out = gpu.empty([tiles * self.tile_size()]);
        let Matrices { y, x, w } = matrices;
        let [w_first, w_second] = weight_columns(self.weight);
        kernels::tile_products::launch::<R>(
            &gpu.client,
            grid,
            CubeDim::new_1d(index(LANES)),
            address(&[y, x, w, &out]),
            y.clone().into_tensor_arg(),
            x.clone().into_tensor_arg(),
            w.clone().into_tensor_arg(),
            numbers.clone().into_array_arg(),
            blocks.into_array_arg(),
            out.clone().into_array_arg(),
            index(start),
            index(rows),
            index(self.thinning),
            index(self.k),
            index(self.columns),
            index(self.version * self.k.saturating_sub(1)),
            w_first,
            w_second,
            u32::from(self.treated),
            self.form,
            self.block_height(),
            gpu.dtype.into(),
        );
        out
    }

    /// The tiles of a result, in order.
    pub(super) fn tiles<'a>(&'a self, result: &'a [f64]) -> impl Iterator<Item = TileProducts<'a>> {
        result
            .chunks_exact(self.tile_size())
            .map(move |values| TileProducts { products: self, values })
    }
}

/// Launches every job's products, given with their tables of numbers, reads them in few synchronisations, and visits the
/// tiles of each job in order.
pub(super) fn for_tiles<R: GpuRuntime>(
    gpu: &Gpu<R>,
    matrices: &Matrices<R>,
    jobs: &[(Products, CubeTensor<R>)],
    rows: usize,
    mut visit: impl FnMut(usize, &TileProducts<'_>),
) -> Result<()> {
    let mut read = |launched: &mut Vec<(usize, CubeTensor<R>)>| -> Result<()> {
        let (of, sums): (Vec<usize>, Vec<_>) = launched.drain(..).unzip();
        for (job, result) in of.into_iter().zip(gpu.read(sums)?) {
            jobs[job].0.tiles(&result).for_each(|tile| visit(job, &tile));
        }
        Ok(())
    };
    let (mut launched, mut bytes) = (Vec::new(), 0);
    for (job, (products, numbers)) in jobs.iter().enumerate() {
        let tile_bytes = products.tile_size() * gpu.dtype.size();
        let batch = (MAX_BYTES / tile_bytes).clamp(1, MAX_TILES) * TILE;
        for start in (0..rows).step_by(batch) {
            let rows = batch.min(rows - start);
            bytes += rows.div_ceil(TILE) * tile_bytes;
            launched.push((job, products.launch(gpu, matrices, numbers, start, rows)));
            if bytes >= MAX_BYTES || launched.len() == MAX_LAUNCHES {
                read(&mut launched)?;
                bytes = 0;
            }
        }
    }
    if launched.is_empty() { Ok(()) } else { read(&mut launched) }
}

impl TileProducts<'_> {
    /// Visits `(i, j, sum)` for `i <= j`.
    pub(super) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let Products { height, columns, .. } = *self.products;
        let blocks = self.values.chunks_exact(self.products.block_size());
        for ([first_i, first_j], values) in self.products.blocks().zip(blocks) {
            for (i, row) in (first_i..height).zip(values.chunks_exact(WIDTH)) {
                for (j, value) in (first_j..columns).zip(row) {
                    if i <= j {
                        visit(i, j, *value);
                    }
                }
            }
        }
    }

    /// Largest odds of rows with positive weight ([`Form::Logit`]).
    pub(super) fn largest_odds(&self) -> f64 {
        self.values[self.products.block_size() - 1]
    }
}
