//! The tables that the host writes and the kernels read: where each entry is, and how many there are of it.
//!
//! Tables are flat, of numbers or of 32-bit indices, and name an entry of theirs by its offset from where it begins. A column *plus
//! one* is a column's index plus one, or 0 for no column.

/// A span: consecutive rows of a stratum, whose tiles a launch covers. Spans are in the order of their cubes.
///
/// Behind the entries named here each kernel has up to three of its own: [`product_span`], [`draw_span`], [`predictor_span`],
/// [`value_span`], [`mapped_span`].
pub(crate) mod span {
    /// First cube.
    pub(crate) const CUBE: usize = 0;
    /// First row of the first tile, or the first of what the kernel reads in the place of rows.
    pub(crate) const FIRST: usize = 1;
    /// Rows.
    pub(crate) const ROWS: usize = 2;
    /// From a tile's first row, or what is in its place, to the next tile's.
    pub(crate) const STEP: usize = 3;
    /// Cubes of a tile.
    pub(crate) const PARTS: usize = 4;
    /// Entries of a span.
    pub(crate) const LEN: usize = 8;
}

/// A span of `tile_products`, whose cubes are the blocks of its jobs.
pub(crate) mod product_span {
    /// First job, or where the span's basis begins among the jobs.
    pub(crate) const JOB: usize = 5;
    /// Blocks of a job.
    pub(crate) const BLOCKS: usize = 6;
    /// Columns that are multiplied.
    pub(crate) const COLUMNS: usize = 7;
}

/// A span of `multiplied_sums`, whose cubes are blocks of draws and, within these, groups of columns.
pub(crate) mod draw_span {
    /// First item of the output, which is a tile's column.
    pub(crate) const ITEM: usize = 5;
    /// Rank of the first row.
    pub(crate) const RANK: usize = 6;
    /// Columns; of a basis where it begins among the bases.
    pub(crate) const COLUMNS: usize = 7;
}

/// A span of `linear_predictors`, whose cubes are its predictors.
pub(crate) mod predictor_span {
    /// First predictor.
    pub(crate) const PREDICTOR: usize = 5;
}

/// A span of `influence_values`, whose cubes are its influence columns.
pub(crate) mod value_span {
    /// Where its plan begins.
    pub(crate) const PLAN: usize = 5;
    /// Predictors of a tile.
    pub(crate) const PREDICTORS: usize = 6;
    /// First item of the predictors, which is a tile's predictor.
    pub(crate) const ITEM: usize = 7;
}

/// A span of `map_products` or `map_draws`, which read sums of a basis in the place of rows.
pub(crate) mod mapped_span {
    /// Where its combinations begin.
    pub(crate) const COMBINATIONS: usize = 5;
    /// Columns of its basis.
    pub(crate) const BASIS: usize = 6;
    /// Of `map_products`, whose cubes are blocks: influence columns.
    pub(crate) const COLUMNS: usize = 7;
    /// Of `map_draws`, whose cubes are influence columns: first cube of the products of its basis.
    pub(crate) const PRODUCTS: usize = 7;
}

/// A job: what is formed of a stratum's rows. Its `k` coefficients are in the table of numbers, behind the settings of the odds.
pub(crate) mod job {
    /// Column of the first covariate.
    pub(crate) const X: usize = 0;
    /// First of the two columns, plus one, whose product is the weight.
    pub(crate) const W_FIRST: usize = 1;
    /// Second of them.
    pub(crate) const W_SECOND: usize = 2;
    /// 1 if the rows are treated.
    pub(crate) const TREATED: usize = 3;
    /// Entries of a job.
    pub(crate) const LEN: usize = 4;
}

/// A basis: the constant and outcomes, less one of them, times a weight.
pub(crate) mod basis {
    /// First of the two columns, plus one, whose product is the weight.
    pub(crate) const W_FIRST: usize = 0;
    /// Second of them.
    pub(crate) const W_SECOND: usize = 1;
    /// The outcome, plus one, that is subtracted.
    pub(crate) const REFERENCE: usize = 2;
    /// How many columns there are, with the constant.
    pub(crate) const COLUMNS: usize = 3;
    /// The outcomes, from here on.
    pub(crate) const OUTCOMES: usize = 4;
}

/// A plan: the influence columns as sums of legs. Combinations of a basis' columns have the same form, with terms for legs.
pub(crate) mod plan {
    /// Where the numbers of its first leg, or the coefficient of its first term, are in the table of numbers.
    pub(crate) const NUMBERS: usize = 0;
    /// First leg of each column, and one past the last; the legs follow.
    pub(crate) const BOUNDS: usize = 1;
}

/// The indices of a leg. A predictor is given plus one, as columns are.
pub(crate) mod leg {
    /// Outcome.
    pub(crate) const POST: usize = 0;
    /// Outcome that is subtracted.
    pub(crate) const BASE: usize = 1;
    /// First of the two columns whose product is the weight.
    pub(crate) const W_FIRST: usize = 2;
    /// Second of them.
    pub(crate) const W_SECOND: usize = 3;
    /// 1 if the rows are treated.
    pub(crate) const TREATED: usize = 4;
    /// Predictor of the log-odds.
    pub(crate) const LOG_ODDS: usize = 5;
    /// Predictor `z'β`.
    pub(crate) const BETA: usize = 6;
    /// Predictor `z'b`.
    pub(crate) const B: usize = 7;
    /// Predictor `z'e`.
    pub(crate) const E: usize = 8;
    /// Predictor `z'a`.
    pub(crate) const A: usize = 9;
    /// Entries of a leg.
    pub(crate) const LEN: usize = 10;
}

/// The numbers of a leg.
pub(crate) mod leg_number {
    /// `c`.
    pub(crate) const C: usize = 0;
    /// `f`.
    pub(crate) const F: usize = 1;
    /// `h`.
    pub(crate) const H: usize = 2;
    /// `h τ`.
    pub(crate) const H_TAU: usize = 3;
    /// Numbers of a leg.
    pub(crate) const LEN: usize = 4;
}

/// The settings of the odds, at the start of the numbers of jobs and of plans.
pub(crate) mod setting {
    /// Bound of `|η|`.
    pub(crate) const BOUND: usize = 0;
    /// Largest odds.
    pub(crate) const LARGEST: usize = 1;
    /// Odds from which rows are trimmed.
    pub(crate) const TRIMMED_FROM: usize = 2;
    /// Settings.
    pub(crate) const LEN: usize = 3;
}

/// The settings of mapped sums, at the start of the coefficients of combinations.
pub(crate) mod mapping {
    /// A number that no sum hides.
    pub(crate) const MARK: usize = 0;
    /// How many times larger the terms of a column's second moment may be than their sum.
    pub(crate) const CANCELLATION: usize = 1;
    /// Settings.
    pub(crate) const LEN: usize = 2;
}

/// What a cube of `tile_products` writes behind its products of weighted columns; zeros follow.
pub(crate) mod behind_products {
    /// Sum of squared weights.
    pub(crate) const SQUARES: usize = 0;
    /// Number of trimmed rows.
    pub(crate) const TRIMMED_ROWS: usize = 1;
    /// Weight of the trimmed rows.
    pub(crate) const TRIMMED_WEIGHT: usize = 2;
    /// Sums.
    pub(crate) const LEN: usize = 3;
}

/// A segment, whose tiles `add_tiles` adds in order.
pub(crate) mod segment {
    /// First cube of its first tile.
    pub(crate) const CUBE: usize = 0;
    /// Cubes of a tile.
    pub(crate) const PARTS: usize = 1;
    /// Tiles.
    pub(crate) const TILES: usize = 2;
    /// Number of its span.
    pub(crate) const SPAN: usize = 3;
    /// Influence columns of its span.
    pub(crate) const COLUMNS: usize = 4;
    /// Entries of a segment.
    pub(crate) const LEN: usize = 5;
}

/// A row of outputs of `add_tiles`.
pub(crate) mod output_row {
    /// First segment.
    pub(crate) const FIRST: usize = 0;
    /// One past the last segment.
    pub(crate) const END: usize = 1;
    /// The part of each tile that is added first.
    pub(crate) const PART: usize = 2;
    /// Entries of a row.
    pub(crate) const LEN: usize = 3;
}

/// In the table of columns' positions: of a column that a span has not.
pub(crate) const ABSENT: u32 = u32::MAX;
