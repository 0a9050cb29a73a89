//! The weights of an estimate's rows on the host.

use std::ops::Range;

use super::linear::linear;
use super::logistic::{propensity, trimmed_odds};
use super::products::{Columns, products};
use super::{BLOCK, BlockDesign, HostChunk, blocks, for_tiles};
use crate::base::error::Result;
use crate::engine::pass::{
    Bins, COVARIATE_BINS, KEPT, OddsLimits, SCORE_BINS, Stat, UNTRIMMED, WeightingJob,
    WeightingPass, WeightingStat,
};

/// Adds the chunk's sums to `out`, one entry a job; returns the score, the weight and whether it is trimmed of every row, one after another
/// for each job, if they are kept. A row without sampling weight has no weight, which is NaN.
pub(crate) fn weighting(
    chunk: &HostChunk<'_>,
    pass: &WeightingPass,
    jobs: &Range<usize>,
    out: &mut [WeightingStat],
) -> Result<Vec<f64>> {
    let columns = KEPT * jobs.len();
    let mut kept_values = vec![0.0; if pass.keep_rows { columns * chunk.rows } else { 0 }];
    let mut done = Ok(());
    for_tiles(
        chunk.rows,
        |tile| TileWeights::new(chunk, pass, jobs, &tile),
        |tile, part| {
            if done.is_ok() {
                done = out.merge(&part.stats);
            }
            for (column, values) in part.kept.chunks_exact(tile.len()).enumerate() {
                let start = column * chunk.rows + tile.start;
                kept_values[start..start + tile.len()].copy_from_slice(values);
            }
        },
    );
    done.map(|()| kept_values)
}

/// Sums of a tile and what is kept of it.
struct TileWeights {
    stats: Vec<WeightingStat>,
    /// `[jobs][KEPT][rows]`.
    kept: Vec<f64>,
}

/// Columns of a block.
struct Block<'a> {
    z: &'a [&'a [f64]],
    w: [f64; BLOCK],
    score: [f64; BLOCK],
    /// Whether the row is trimmed.
    trimmed: [bool; BLOCK],
    s: [f64; BLOCK],
}

impl TileWeights {
    fn new(
        chunk: &HostChunk<'_>,
        pass: &WeightingPass,
        jobs: &Range<usize>,
        tile: &Range<usize>,
    ) -> Self {
        let mut stats: Vec<WeightingStat> =
            pass.jobs[jobs.clone()].iter().map(|job| pass.zero(job)).collect();
        let rows = tile.len();
        let mut kept_values = vec![0.0; if pass.keep_rows { KEPT * jobs.len() * rows } else { 0 }];
        let mut design = BlockDesign::default();
        for range in blocks(tile) {
            let n = range.len();
            design.start(&range);
            for (index, (job, stat)) in pass.jobs[jobs.clone()].iter().zip(&mut stats).enumerate() {
                let z = design.columns(chunk, job.x);
                let block = Block::new(chunk, job, z, &range, OddsLimits::new(pass.trim));
                block.add(chunk, job, &range, stat);
                if let Some(bins) = pass.bins.get(jobs.start + index) {
                    block.count(pass, bins, n, &mut stat.covariates);
                }
                if pass.keep_rows {
                    let first = range.start - tile.start;
                    block.keep(&mut kept_values[KEPT * index * rows..], rows, first..first + n);
                }
            }
        }
        Self { stats, kept: kept_values }
    }
}

impl<'a> Block<'a> {
    fn new(
        chunk: &HostChunk<'_>,
        job: &WeightingJob,
        z: &'a [&'a [f64]],
        range: &Range<usize>,
        limits: OddsLimits,
    ) -> Self {
        let n = range.len();
        let mut block = Block {
            z,
            w: [0.0; BLOCK],
            score: [f64::NAN; BLOCK],
            trimmed: [false; BLOCK],
            s: [0.0; BLOCK],
        };
        chunk.weights(job.w, range, &mut block.w[..n]);
        let mut slopes = [0.0; BLOCK];
        if let Some(b) = &job.b {
            linear(b, &z[1..], &mut slopes[..n]);
        }
        let mut log_odds = [0.0; BLOCK];
        let mut tilts = [0.0; BLOCK];
        if let Some(gamma) = &job.gamma {
            linear(gamma, &z[1..], &mut log_odds[..n]);
        }
        if let Some(t) = &job.t {
            linear(t, &z[1..], &mut tilts[..n]);
        }
        let untrimmed = OddsLimits::new(UNTRIMMED);
        for i in 0..n {
            let mut s = job.c + slopes[i];
            if job.gamma.is_some() {
                let odds = trimmed_odds(log_odds[i], limits);
                block.score[i] = propensity(log_odds[i]).0;
                block.trimmed[i] = job.control && odds == 0.0;
                s -= job.h * odds;
                if job.t.is_some() {
                    s += tilts[i] * trimmed_odds(log_odds[i], untrimmed);
                }
            }
            block.s[i] = if block.w[i] == 0.0 { 0.0 } else { job.sign * block.w[i] * s };
        }
        block
    }

    /// Adds the rows to the sums.
    fn add(
        &self,
        chunk: &HostChunk<'_>,
        job: &WeightingJob,
        range: &Range<usize>,
        stat: &mut WeightingStat,
    ) {
        let (n, k) = (range.len(), self.z.len());
        let mut weighted = vec![0.0; k * BLOCK];
        for (weights, sums) in [&self.w, &self.s].into_iter().zip(stat.zz.chunks_exact_mut(k * k)) {
            for (z, out) in self.z.iter().zip(weighted.chunks_exact_mut(BLOCK)) {
                for ((out, weight), z) in out.iter_mut().zip(weights).zip(*z) {
                    *out = weight * z;
                }
            }
            let weighted = Columns { data: &weighted, stride: BLOCK, count: k };
            products(weighted, self.z, 0, sums);
        }
        let post = chunk.outcome(job.post, range);
        let base = job.base.map(|base| chunk.outcome(base, range));
        for i in 0..n {
            if self.w[i] == 0.0 {
                continue;
            }
            let s = self.s[i];
            stat.rows += 1.0;
            stat.outcome += s * (post[i] - base.map_or(0.0, |base| base[i]));
            stat.squares += s * s;
            if s < 0.0 {
                stat.negative_rows += 1.0;
                stat.negative += s;
            }
            if !stat.scores.is_empty() {
                stat.scores[bin(self.score[i] * SCORE_BINS as f64, SCORE_BINS)] += self.w[i];
            }
        }
    }

    /// Counts the raw covariates.
    fn count(&self, pass: &WeightingPass, bins: &[Bins], n: usize, counts: &mut [f64]) {
        let (k, all) = (pass.k, (pass.k - 1) * COVARIATE_BINS);
        let (by_w, by_s) = counts.split_at_mut(all);
        for (j, own) in bins.iter().enumerate() {
            let raw: Vec<f64> = (0..k).map(|i| pass.transform[i * k + j + 1]).collect();
            let mut values = [0.0; BLOCK];
            linear(&raw, &self.z[1..], &mut values[..n]);
            for (i, value) in values[..n].iter().enumerate().filter(|(i, _)| self.w[*i] != 0.0) {
                let at = j * COVARIATE_BINS + bin((value - own.lower) / own.width, COVARIATE_BINS);
                by_w[at] += self.w[i];
                by_s[at] += self.s[i];
            }
        }
    }

    /// Writes the score, the weight and whether it is trimmed of the rows to three columns.
    fn keep(&self, kept: &mut [f64], rows: usize, range: Range<usize>) {
        let n = range.len();
        let mut columns = kept.chunks_exact_mut(rows).map(|column| &mut column[range.clone()]);
        let mut next = || columns.next().into_iter().flatten();
        next().zip(&self.score[..n]).for_each(|(out, score)| *out = *score);
        let of_row = self.w.iter().zip(&self.s);
        next().zip(of_row).for_each(|(out, (w, s))| *out = if *w == 0.0 { f64::NAN } else { *s });
        let flag = |trimmed: &bool| f64::from(u8::from(*trimmed));
        next().zip(&self.trimmed[..n]).for_each(|(out, trimmed)| *out = flag(trimmed));
    }
}

/// The part among so many that a place is in, which is the nearest for places beyond.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped, and what is no number is counted in the first part"
)]
fn bin(place: f64, bins: usize) -> usize {
    (place.floor().max(0.0) as usize).min(bins - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::pass::Weight;

    /// Two covariate-free rows by hand, one of which is trimmed, and one without weight.
    #[test]
    fn sums_and_rows_are_those_of_the_definition() {
        let (y, x, w) = ([1.0, 2.0, 5.0], [0.0, 6.0, 1.0], [2.0, 1.0, 0.0]);
        let chunk =
            HostChunk { rows: 3, y: &y, x: &x, w: &w, rank: &[0, 1, 2], cluster: &[], k: 2 };
        let job = WeightingJob {
            stratum: 0,
            x: 0,
            w: Weight::Column(0),
            control: true,
            sign: -1.0,
            post: 0,
            base: None,
            gamma: Some(vec![0.0, 1.0]),
            c: 0.25,
            h: 0.5,
            b: Some(vec![0.0, 1.0]),
            t: None,
        };
        let pass = WeightingPass {
            k: 2,
            trim: 0.9,
            transform: vec![1.0, 10.0, 0.0, 2.0],
            bins: vec![vec![Bins { lower: 9.0, width: 1.0 }]],
            keep_rows: true,
            jobs: vec![job],
        };
        let mut out = vec![pass.zero(&pass.jobs[0])];
        let kept = weighting(&chunk, &pass, &(0..1), &mut out).expect("equal sizes");
        // s = -w (c + x - q / 2), with odds of 1, and of 0 where they are trimmed.
        let s = [0.5, -6.25];
        let [stat] = &out[..] else { panic!("one job") };
        assert_eq!((stat.rows, stat.negative_rows, stat.negative), (2.0, 1.0, -6.25));
        assert!((stat.outcome - (s[0] + 2.0 * s[1])).abs() < 1e-12);
        assert!((stat.squares - (s[0] * s[0] + s[1] * s[1])).abs() < 1e-12);
        let zz = [3.0, 6.0, 36.0, s[0] + s[1], 6.0 * s[1], 36.0 * s[1]];
        for (at, want) in [0, 1, 3, 4, 5, 7].into_iter().zip(zz) {
            assert!((stat.zz[at] - want).abs() < 1e-12, "{at}");
        }
        assert_eq!((stat.scores[25], stat.scores[49]), (2.0, 1.0));
        // The raw covariate is 10 + 2 x: 10 and 22.
        assert_eq!((stat.covariates[1], stat.covariates[13]), (2.0, 1.0));
        assert!((stat.covariates[COVARIATE_BINS + 13] - s[1]).abs() < 1e-12);
        assert!((kept[3] - s[0]).abs() < 1e-12 && kept[5].is_nan());
        assert_eq!(&kept[6..8], [0.0, 1.0]);
    }

    #[test]
    fn what_lies_beyond_is_in_the_outer_parts() {
        assert_eq!([-3.0, 0.0, 1.9, 4.0, 1e300].map(|place| bin(place, 4)), [0, 0, 1, 3, 3]);
        assert_eq!(bin(f64::NAN, 4), 0);
    }
}
