//! The dimension of the sieve by Lepski's method (Chen, Christensen and Kankanala 2025, procedures 1 and 3).

use super::draws::{CurveDraws, in_errors, quantile};
use super::few_values::few_values;
use super::level::{Observations, SieveLevel, Sieves};
use super::levels::SieveLevels;
use super::sieve::{Sieve, SieveBasis, SieveKnots, breakpoints, dimension};
use crate::base::counted::counted;
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::splines::Splines;

/// How sieves follow from a number of segments.
pub(crate) struct Spaces<'a> {
    pub basis: SieveBasis,
    pub knots: SieveKnots,
    pub x_degree: usize,
    pub w_degree: usize,
    pub x_range: (Option<f64>, Option<f64>),
    pub w_range: (Option<f64>, Option<f64>),
    /// The values of each variable, ascending.
    pub x: &'a [Vec<f64>],
    pub w: Option<&'a [Vec<f64>]>,
}

/// Functions of instruments beyond which their products are decomposed for hours.
const MOST_INSTRUMENTS: u128 = 3_000;

/// Observations for each function of the largest dimension that is compared, at least. The dimension that is chosen is at most the
/// second largest, and has about twice as many.
const MIN_PER_FUNCTION: usize = 5;

/// Dimensions that are compared however few observations there are.
const ALWAYS: usize = 2;

impl Spaces<'_> {
    /// The sieves of so many segments of each regressor and instrument.
    ///
    /// # Errors
    /// [`DidError::Sieve`] for a variable that does not vary or instruments that cannot identify the function, [`DidError::Memory`]
    /// for sieves that have no room.
    pub fn sieves(&self, x_segments: usize, w_segments: usize) -> Result<Sieves> {
        let make = |sorted: &[Vec<f64>], degree, segments, range, what: &str| -> Result<Sieve> {
            let splines = |values: &Vec<f64>| {
                let points = breakpoints(values, segments, self.knots, range);
                Splines::new(degree, &points).ok_or_else(|| DidError::Sieve {
                    problem: format!(
                        "{what} has too few distinct values for {} of a sieve",
                        counted(segments, "segment", "segments")
                    ),
                })
            };
            let splines = sorted.iter().map(splines).collect::<Result<_>>()?;
            Ok(Sieve { basis: self.basis, splines })
        };
        let functions = self.x_dimension(x_segments) as u128;
        let instruments = self.w_dimension(w_segments).map_or(0, |k| k as u128);
        let most = functions.max(instruments);
        if self.w.is_some() && instruments < functions {
            let problem = format!(
                "{instruments} functions of the instruments cannot identify {functions} functions of the regressors; choose more segments (`w_segments`, `w_smooth`) or a higher degree (`w_degree`) of the instruments, or fewer segments of the regressors"
            );
            return Err(DidError::Sieve { problem });
        }
        if instruments > MOST_INSTRUMENTS {
            let problem = format!(
                "the sieve of the instruments would have {instruments} functions; choose an additive basis, fewer segments, or a smaller `w_smooth`"
            );
            return Err(DidError::Sieve { problem });
        }
        memory::check(
            "the sieve",
            8 * 6 * most * most,
            "choose fewer segments or an additive basis",
        )?;
        let x = make(self.x, self.x_degree, x_segments, self.x_range, "the regressor")?;
        let instruments =
            |w: &[Vec<f64>]| make(w, self.w_degree, w_segments, self.w_range, "the instrument");
        Ok(Sieves { x, w: self.w.map(instruments).transpose()? })
    }

    /// Segments of a variable with these ascending values that have a length.
    fn lengths(&self, sorted: &[f64], segments: usize) -> usize {
        match self.knots {
            SieveKnots::Uniform => segments,
            SieveKnots::Quantiles => {
                breakpoints(sorted, segments, self.knots, (None, None)).len().saturating_sub(1)
            }
        }
    }

    fn x_dimension(&self, segments: usize) -> usize {
        let splines = |values: &Vec<f64>| self.x_degree + self.lengths(values, segments);
        dimension(self.basis, self.x.iter().map(splines))
    }

    fn w_dimension(&self, segments: usize) -> Option<usize> {
        let splines = |values: &Vec<f64>| self.w_degree + self.lengths(values, segments);
        Some(dimension(self.basis, self.w?.iter().map(splines)))
    }

    /// Functions of so many segments that data can tell apart: of a variable of few values, whatever its knots, as many as it has values.
    fn most_told_apart(&self, segments: usize) -> usize {
        let of = |values: &Vec<f64>| match few_values(values, self.x_degree) {
            Some(few) => few.len(),
            None => self.x_degree + self.lengths(values, segments),
        };
        dimension(self.basis, self.x.iter().map(of))
    }

    /// Whether the instruments of so many segments project on less than all of `n` observations, in reasonable time.
    fn project(&self, segments: usize, n: usize) -> bool {
        self.w_dimension(segments).is_none_or(|k| k < n && k as u128 <= MOST_INSTRUMENTS)
    }
}

/// The dimensions that are compared, ascending.
pub(crate) struct Candidates {
    pub levels: Vec<SieveLevel>,
    pub segments: Vec<(usize, usize)>,
    /// Level of the test.
    pub alpha: f64,
}

/// Dimensions whose estimates are not too noisy; instruments have `2^smooth` times as many segments.
///
/// Standard errors of dimensions with a handful of observations for each function are too small, so that Lepski's method would
/// reject smaller dimensions for no reason: with `damping`, these are not compared, and nor are those, beyond the first, of whose
/// functions the data tell fewer apart than data with as many values can. Nor are, in any case, those whose instruments have as many
/// functions as there are observations, which is least squares, and those that have no function more than the one before, because all
/// their knots coincide with its knots.
///
/// # Errors
/// As [`Spaces::sieves`].
pub(crate) fn candidates(
    data: &Observations<'_>,
    spaces: &Spaces<'_>,
    smooth: u32,
    damping: bool,
) -> Result<Candidates> {
    let n = data.len() as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let last = ((n.ln() / (2.0 * spaces.x.len() as f64).ln()).floor() as u32).max(3);
    let penalty = (0.1 * n.ln()).powi(4);
    let bound = 10.0 * n.sqrt();
    let segments: Vec<(usize, usize)> = (0..=last)
        .map(|l| if data.w.is_some() { (1 << l, 1usize << (l + smooth)) } else { (1 << l, 1 << l) })
        .collect();
    let independent = data.independent();
    let is_compared = |(at, (x, w)): (usize, &(usize, usize))| {
        let functions = spaces.x_dimension(*x).max(spaces.w_dimension(*w).unwrap_or(0));
        let many = MIN_PER_FUNCTION.saturating_mul(functions) > independent;
        let enough = at < ALWAYS || !damping || !many;
        enough && (at == 0 || spaces.project(*w, data.len()))
    };
    let compared = segments.iter().enumerate().take_while(|pair| is_compared(*pair)).count();
    let mut noise: Vec<f64> = Vec::new();
    let mut levels = Vec::new();
    for (at, (x, w)) in segments[..compared].iter().enumerate() {
        if at > 1 && noise[at - 2] > bound {
            noise.push(noise[at - 1]);
            continue;
        }
        let j = spaces.x_dimension(*x) as f64;
        // Where the regressors are their own instruments, this needs no estimate.
        let strength = match data.w {
            None => penalty.max(1.0),
            Some(_) => {
                let level = SieveLevel::new(data, spaces.sieves(*x, *w)?)?;
                level.check_instruments(data.len())?;
                // Functions that the instruments, or the data, do not tell apart have no strength, and infinite noise.
                let strength = level.strength.unwrap_or(0.0);
                levels.push(level);
                strength
            }
        };
        noise.push(j * j.ln().sqrt() * penalty.max(strength.recip()));
    }
    let crossing = noise.windows(2).position(|pair| pair[0] <= bound && bound < pair[1]);
    // Without a crossing, all but the last as in R.
    let candidates = crossing.map_or(compared.min(last as usize), |at| at + 1);
    let mut made = levels.into_iter();
    let (mut levels, mut kept): (Vec<SieveLevel>, Vec<_>) = (Vec::new(), Vec::new());
    for (x, w) in segments[..candidates].iter().copied() {
        let level = match made.next() {
            Some(level) => level,
            None => SieveLevel::new(data, spaces.sieves(x, w)?)?,
        };
        if let Some(before) = levels.last() {
            if level.len() <= before.len() {
                continue;
            }
            let is_told_apart =
                level.rank() > before.rank() && level.rank() == spaces.most_told_apart(x);
            // Functions of more segments contain these.
            if damping && !is_told_apart {
                break;
            }
        }
        levels.push(level);
        kept.push((x, w));
    }
    let j = levels.last().map_or(1, SieveLevel::len) as f64;
    Ok(Candidates { levels, segments: kept, alpha: (j.ln() / j).sqrt().min(0.5) })
}

/// What Lepski's method chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DimensionChoice {
    /// Position of the dimension among the candidates.
    pub level: usize,
    /// Position of the dimension before truncation.
    pub untruncated: usize,
    /// Number of functions that the width of bands depends on.
    pub functions: usize,
    /// Critical value of the comparisons.
    pub theta: f64,
}

/// A difference of two estimates whose variance is at most this share of their variances is rounding.
const SAME: f64 = 1e-10;

/// A comparison accepts up to this multiple of its critical value.
const SLACK: f64 = 1.1;

/// Rows of a level's sieve at the points of the grid.
type SieveRows = Vec<Vec<(usize, f64)>>;

/// The estimates of two dimensions on the grid.
struct DimensionPair {
    a: usize,
    b: usize,
    /// Standard errors of their differences.
    errors: Vec<f64>,
    /// The largest difference, in standard errors.
    statistic: f64,
}

impl DimensionPair {
    fn new(levels: &SieveLevels, rows: &[SieveRows], a: usize, b: usize) -> Self {
        let value = |level: usize, at: usize| -> f64 {
            let beta = &levels.levels[level].beta;
            rows[level][at].iter().map(|(j, v)| v * beta[*j]).sum()
        };
        let error = |at: usize| {
            let (one, other) = (&rows[a][at], &rows[b][at]);
            // What the data do not determine agrees with anything.
            if !levels.levels[a].determines(one) || !levels.levels[b].determines(other) {
                return f64::INFINITY;
            }
            let sum_of_variances =
                levels.quadratic(a, a, one, one) + levels.quadratic(b, b, other, other);
            let variance = sum_of_variances - 2.0 * levels.quadratic(a, b, one, other);
            // Estimates that are the same function of the data there differ by rounding only, as at the values of a
            // regressor that has few.
            if sum_of_variances > 0.0 && variance <= SAME * sum_of_variances {
                return f64::INFINITY;
            }
            let rounding = levels.rounding(a, one).max(levels.rounding(b, other));
            variance.max(0.0).sqrt().max(rounding)
        };
        let points = rows[a].len();
        let errors: Vec<f64> = (0..points).map(error).collect();
        let statistics = (0..points).map(|at| in_errors(value(a, at) - value(b, at), errors[at]));
        let statistic = statistics.fold(0.0, f64::max);
        let statistic = if statistic.is_finite() { statistic } else { f64::INFINITY };
        Self { a, b, errors, statistic }
    }

    /// The largest difference of their curves in a draw, in standard errors.
    fn largest(&self, curves: &[Vec<f64>]) -> f64 {
        let paths = curves[self.a].iter().zip(&curves[self.b]).zip(&self.errors);
        paths.map(|((one, other), error)| in_errors(one - other, *error)).fold(0.0, f64::max)
    }
}

/// The smallest dimension whose estimate agrees with the estimates of all larger dimensions on a grid of points.
pub(crate) fn choose(
    levels: &SieveLevels,
    alpha: f64,
    grid: &[Vec<f64>],
    draws: &CurveDraws,
) -> DimensionChoice {
    let count = levels.levels.len();
    let rows: Vec<SieveRows> = levels.levels.iter().map(|level| level.rows(grid, None)).collect();
    let pairs: Vec<DimensionPair> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
        .map(|(a, b)| DimensionPair::new(levels, &rows, a, b))
        .collect();
    let mut largest = vec![f64::NEG_INFINITY; draws.count];
    draws.raise(&mut largest, |draw| {
        let curve = |(rows, first): (&SieveRows, &usize)| -> Vec<f64> {
            rows.iter().map(|row| draw.curve(*first, row)).collect()
        };
        let curves: Vec<Vec<f64>> = rows.iter().zip(&levels.first).map(curve).collect();
        pairs.iter().map(|pair| pair.largest(&curves)).fold(f64::NEG_INFINITY, f64::max)
    });
    // One dimension alone is compared with none.
    let theta = if count > 1 { quantile(&mut largest, 1.0 - alpha) } else { 0.0 };
    let agrees = |a: usize| {
        pairs.iter().filter(|pair| pair.a == a).all(|pair| pair.statistic <= SLACK * theta)
    };
    let accepted = (0..count.saturating_sub(1)).find(|a| agrees(*a)).unwrap_or(count - 1);
    let truncated = count.saturating_sub(2);
    let level = if count > 1 { accepted.min(truncated) } else { accepted };
    let functions = levels.levels[level].len();
    DimensionChoice { level, untruncated: accepted, functions, theta }
}
