//! Gram matrices and logit derivatives: jobs of strata.

use std::ops::Range;

use super::super::kernels::layout::{behind_products, job, product_span};
use super::super::kernels::{Form, Summands};
use super::super::runtime::{Gpu, GpuRuntime, Launches, SampleColumns, index};
use super::fold::{Fold, FoldShape, Tiles};
use super::plan_tables::{odds_settings, weight_columns};
use super::products::{self, Blocks, Factors};
use super::scratch;
use super::spans::{Cut, RowTable, SegmentTable, Span, SpanTable, TilePlaces, batches};
use crate::base::error::Result;
use crate::engine::pass::{Gram, GramJob, LogitJob, LogitStat, WeightSums};

/// Jobs over the strata's rows.
pub(crate) struct Jobs {
    blocks: Blocks,
    k: usize,
    thinning: usize,
    numbers: Vec<f64>,
    entries: Vec<u32>,
    /// Outcome columns.
    periods: usize,
}

/// Which jobs run on which rows, and where their sums go.
pub(crate) struct AskedJobs {
    /// `of` is the position of a span here, `row` the first row of outputs that its sums are added to.
    pub spans: Vec<Span>,
    /// Of each span.
    pub jobs: Vec<Range<usize>>,
    /// Rows of outputs.
    pub rows: usize,
}

impl AskedJobs {
    /// All of so many jobs, of one span.
    pub(crate) fn of_chunk(span: Span, jobs: usize) -> Self {
        Self { spans: vec![span], jobs: std::iter::once(0..jobs).collect(), rows: jobs }
    }
}

impl Jobs {
    /// Of jobs that either all weight by odds or none.
    pub(crate) fn gram<R: GpuRuntime>(
        gpu: &Gpu<R>,
        columns: &SampleColumns,
        k: usize,
        periods: usize,
        jobs: &[GramJob],
        trim: f64,
    ) -> Self {
        let odds = jobs.first().is_some_and(|job| job.odds.is_some());
        debug_assert!(jobs.iter().all(|job| job.odds.is_some() == odds), "jobs of two kinds");
        let mut numbers = odds_settings(gpu.dtype, trim);
        let mut entries = Vec::new();
        for job in jobs {
            numbers.extend(job.odds.iter().flatten());
            entries.extend(entry(columns, k, job.x, weight_columns(job.w, columns), false));
        }
        let form = if odds { Form::Odds } else { Form::Weighted };
        let blocks = Blocks { form, height: k, columns: k + periods };
        Self { blocks, k, thinning: 1, numbers, entries, periods }
    }

    pub(crate) fn logit<R: GpuRuntime>(
        gpu: &Gpu<R>,
        columns: &SampleColumns,
        k: usize,
        jobs: &[LogitJob],
        thinning: usize,
    ) -> Self {
        let mut numbers = odds_settings(gpu.dtype, 1.0);
        let mut entries = Vec::new();
        for job in jobs {
            numbers.extend(&job.gamma);
            let weights = weight_columns(job.w, columns);
            entries.extend(entry(columns, k, job.x, weights, job.treated));
        }
        let blocks = Blocks { form: Form::Logit, height: k, columns: k + 1 };
        Self { blocks, k, thinning, numbers, entries, periods: 0 }
    }

    /// Sums of what is asked, `[rows, entries]`. If the spans are a chunk, sums start from `before`, those of earlier tiles. `None` if
    /// they need more working space than there is.
    pub(crate) fn sums<R: GpuRuntime>(
        &self,
        gpu: &Gpu<R>,
        columns: &SampleColumns,
        asked: &AskedJobs,
        cut: Cut,
        before: Option<Vec<f64>>,
    ) -> Result<Option<Vec<f64>>> {
        let AskedJobs { spans, jobs, rows } = asked;
        let (blocks, rows) = (self.blocks, *rows);
        let parts =
            if blocks.form == Form::Logit { Summands::JobsWithLargest } else { Summands::Jobs };
        let entries = blocks.entries();
        let shape = FoldShape { parts, rows, entries, columns: 0, size: blocks.size() };
        let tile_bytes = |s: &Span| jobs[s.of].len() * entries * gpu.width();
        let spans: Vec<Span> = spans.iter().filter(|s| !jobs[s.of].is_empty()).copied().collect();
        if spans.iter().all(|s| s.rows == 0) {
            return Ok(Some(before.unwrap_or_else(|| vec![0.0; rows * entries])));
        }
        let Some(batches) = batches(&spans, tile_bytes, scratch(gpu), cut) else { return Ok(None) };
        let numbers = gpu.floats(self.numbers.clone());
        let table = gpu.indices(self.entries.clone());
        let factors = Factors {
            data: &columns.data,
            stride: columns.stride,
            numbers: &numbers,
            jobs: &table,
            k: self.k,
            thinning: self.thinning,
        };
        let work = Launches::new(gpu, 2 * batches.len());
        let mut fold = Fold::new(gpu, shape, cut, before);
        for batch in &batches {
            let mut table = SpanTable::default();
            let mut segments = SegmentTable::default();
            let mut rows = RowTable::new(rows);
            for span in batch {
                let jobs_of_span = jobs[span.of].clone();
                let parts = jobs_of_span.len() * blocks.count();
                let used = [
                    (product_span::JOB, jobs_of_span.start),
                    (product_span::BLOCKS, blocks.count()),
                    (product_span::COLUMNS, blocks.columns),
                ];
                let cube = table.add(span, span.places(), parts, used);
                let start = segments.len();
                segments.add(span, TilePlaces { first: cube, step: parts }, 0, 0);
                for job in 0..jobs_of_span.len() {
                    rows.add(span.row + job, start..segments.len(), job * blocks.count());
                }
            }
            let partial = products::launch(&work, &blocks, &factors, &table);
            fold.add(
                &work,
                &Tiles { partial: &partial, rows: &rows, segments: &segments, local: &[] },
            );
        }
        let read = work.read_one(fold.out())?;
        fold.finish(&read).map(Some)
    }

    /// One entry a row of [`sums`](Self::sums).
    pub(crate) fn grams(&self, sums: &[f64]) -> Vec<Gram> {
        let (k, periods) = (self.k, self.periods);
        let gram = |values: &[f64]| {
            let mut gram = Gram::zero(k, periods);
            self.blocks.for_each(values, |i, j, sum| {
                if j >= k {
                    gram.zy[i * periods + j - k] = sum;
                } else {
                    (gram.zz[i * k + j], gram.zz[j * k + i]) = (sum, sum);
                }
            });
            let behind = self.blocks.behind(values);
            gram.weights = WeightSums {
                squares: behind[behind_products::SQUARES],
                trimmed_rows: behind[behind_products::TRIMMED_ROWS],
                trimmed_weight: behind[behind_products::TRIMMED_WEIGHT],
            };
            gram
        };
        sums.chunks_exact(self.blocks.entries()).map(gram).collect()
    }

    /// One entry a row of [`sums`](Self::sums).
    pub(crate) fn logits(&self, sums: &[f64]) -> Vec<LogitStat> {
        let k = self.k;
        let stat = |values: &[f64]| {
            let mut stat = LogitStat::zero(k);
            self.blocks.for_each(values, |i, j, sum| {
                if j == k {
                    stat.score[i] = sum;
                } else {
                    (stat.hessian[i * k + j], stat.hessian[j * k + i]) = (sum, sum);
                }
            });
            if let [odds] = *self.blocks.behind(values) {
                stat.max_p = odds / (1.0 + odds);
            }
            stat
        };
        sums.chunks_exact(self.blocks.entries()).map(stat).collect()
    }

    /// Sums of earlier tiles, in the rows that [`grams`](Self::grams) reads.
    pub(crate) fn of_grams(&self, grams: &[Gram]) -> Vec<f64> {
        let (k, periods) = (self.k, self.periods);
        let row = |gram: &Gram| {
            let WeightSums { squares, trimmed_rows, trimmed_weight } = gram.weights;
            let product = |i: usize, j: usize| {
                if j >= k { gram.zy[i * periods + j - k] } else { gram.zz[i * k + j] }
            };
            let mut behind = [0.0; behind_products::LEN];
            behind[behind_products::SQUARES] = squares;
            behind[behind_products::TRIMMED_ROWS] = trimmed_rows;
            behind[behind_products::TRIMMED_WEIGHT] = trimmed_weight;
            self.blocks.written(product, &behind)
        };
        grams.iter().flat_map(row).collect()
    }

    /// Sums of earlier tiles, in the rows that [`logits`](Self::logits) reads, without the largest odds.
    pub(crate) fn of_logits(&self, stats: &[LogitStat]) -> Vec<f64> {
        let k = self.k;
        let row = |stat: &LogitStat| {
            let derivative =
                |i: usize, j: usize| if j == k { stat.score[i] } else { stat.hessian[i * k + j] };
            self.blocks.written(derivative, &[])
        };
        stats.iter().flat_map(row).collect()
    }
}

/// A job as the kernel reads it.
fn entry(
    columns: &SampleColumns,
    k: usize,
    version: usize,
    weights: [u32; 2],
    treated: bool,
) -> [u32; job::LEN] {
    let mut entry = [0; job::LEN];
    entry[job::X] = index(columns.x + version * (k - 1));
    [entry[job::W_FIRST], entry[job::W_SECOND]] = weights;
    entry[job::TREATED] = u32::from(treated);
    entry
}
