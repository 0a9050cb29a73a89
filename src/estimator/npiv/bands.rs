//! From chosen dimensions to curves with standard errors and uniform bands (Chen, Christensen and Kankanala 2025, procedures 2
//! and 4).

use super::choose::{Candidates, DimensionChoice, Spaces, candidates, choose};
use super::draws::{CurveDraws, in_errors, quantile};
use super::level::{Observations, SieveLevel};
use super::levels::{Residuals, SieveLevels};
use super::sieve::Derivative;
use crate::base::error::Result;
use crate::base::progress::tell;

/// The requested bands.
pub(crate) struct CurveQuestion<'a> {
    /// Segments of regressors and instruments; chosen by the data without.
    pub segments: Option<(usize, usize)>,
    /// Instruments have `2^smooth` times as many segments as regressors, if they are chosen by the data.
    pub smooth: u32,
    /// Whether dimensions with few observations for their functions are damped, if the data choose.
    pub damping: bool,
    /// Points at which dimensions are compared.
    pub grid: &'a [Vec<f64>],
    /// Points at which the curve is evaluated.
    pub points: &'a [Vec<f64>],
    pub derivative: Derivative,
    /// Variance of what is added to the level of the curve, independently of it.
    pub shift: f64,
    pub alpha: f64,
    pub draws: usize,
    pub seed: u64,
}

/// A curve with its uncertainty.
pub(crate) struct FittedCurve {
    pub levels: SieveLevels,
    /// Position of the chosen dimension.
    pub level: usize,
    pub segments: (usize, usize),
    pub choice: Option<DimensionChoice>,
    /// Segments of the dimensions that were compared.
    pub compared: Vec<(usize, usize)>,
    /// Values and standard errors of the curve and of its derivative, where the data determine them.
    pub h: Vec<Option<(f64, f64)>>,
    pub slope: Vec<Option<(f64, f64)>>,
    /// Critical values of their uniform bands.
    pub critical: (f64, f64),
}

/// Points whose rows are held at a time.
const AT_ONCE: usize = 4_096;

/// The curve.
///
/// # Errors
/// As [`Spaces::sieves`] and [`CurveDraws::new`].
pub(crate) fn fit(
    data: &Observations<'_>,
    spaces: &Spaces<'_>,
    question: &CurveQuestion<'_>,
) -> Result<FittedCurve> {
    let Candidates { levels, segments, alpha } = match question.segments {
        Some((x, w)) => {
            let level = SieveLevel::new(data, spaces.sieves(x, w)?)?;
            level.check_instruments(data.len())?;
            Candidates { levels: vec![level], segments: vec![(x, w)], alpha: 0.5 }
        }
        None => candidates(data, spaces, question.smooth, question.damping)?,
    };
    // Differences of dimensions are judged by residuals that do not get smaller with the dimension.
    let compared = (question.segments.is_none() && question.damping)
        .then(|| SieveLevels::new(data, levels.clone(), Residuals::LeftOut));
    let levels = SieveLevels::new(data, levels, Residuals::Plain);
    let draws = CurveDraws::new(&levels, question.draws, question.seed)?;
    let choice = match (question.segments, compared) {
        (Some(_), _) => None,
        (None, None) => Some(choose(&levels, alpha, question.grid, &draws)),
        (None, Some(compared)) => {
            let draws = CurveDraws::new(&compared, question.draws, question.seed)?;
            Some(choose(&compared, alpha, question.grid, &draws))
        }
    };
    let level = choice.map_or(0, |choice| choice.level);
    let count = segments.len();
    // Dimensions up to the chosen one, and at least the third largest.
    let last = if count > 2 { level.max(count - 3) } else { count - 1 };
    let largest = |derivative, shift: f64| -> Vec<f64> {
        let mut largest = vec![0.0f64; draws.count];
        for at in 0..=last {
            tell("bands", at as u64, last as u64 + 1);
            for points in question.points.chunks(AT_ONCE) {
                let mut rows = levels.levels[at].rows(points, derivative);
                rows.retain(|row| levels.levels[at].determines(row));
                let floor = |row: &Vec<_>| levels.rounding(at, row);
                let errors = errors(&levels, at, &rows, shift).into_iter().zip(&rows);
                let errors: Vec<f64> = errors.map(|(error, row)| error.max(floor(row))).collect();
                draws.raise(&mut largest, |draw| {
                    let moved = shift.sqrt() * draw.shift;
                    let statistics = rows.iter().zip(&errors).map(|(row, error)| {
                        in_errors(draw.curve(levels.first[at], row) + moved, *error)
                    });
                    statistics.fold(0.0, f64::max)
                });
            }
        }
        largest
    };
    // The logarithm of the logarithm pays for the bias that the choice leaves.
    let extra =
        choice.map_or(0.0, |choice| (choice.functions as f64).ln().ln().max(0.0) * choice.theta);
    let critical =
        |derivative, shift| quantile(&mut largest(derivative, shift), 1.0 - question.alpha) + extra;
    let slope = Some(question.derivative);
    let critical = (critical(None, question.shift), critical(slope, 0.0));
    Ok(FittedCurve {
        h: values(&levels, level, question.points, None, question.shift),
        slope: values(&levels, level, question.points, slope, 0.0),
        critical,
        segments: segments[level],
        compared: segments,
        choice,
        level,
        levels,
    })
}

fn errors(levels: &SieveLevels, level: usize, rows: &[Vec<(usize, f64)>], shift: f64) -> Vec<f64> {
    let error =
        |row: &Vec<(usize, f64)>| (levels.quadratic(level, level, row, row).abs() + shift).sqrt();
    rows.iter().map(error).collect()
}

/// Values and standard errors at some points; none where the data do not determine them.
fn values(
    levels: &SieveLevels,
    level: usize,
    points: &[Vec<f64>],
    derivative: Option<Derivative>,
    shift: f64,
) -> Vec<Option<(f64, f64)>> {
    let beta = &levels.levels[level].beta;
    let value = |row: &Vec<(usize, f64)>| row.iter().map(|(j, v)| v * beta[*j]).sum();
    let of = |points: &[Vec<f64>]| -> Vec<Option<(f64, f64)>> {
        let rows = levels.levels[level].rows(points, derivative);
        let errors = errors(levels, level, &rows, shift);
        let estimate = |(row, error): (&Vec<(usize, f64)>, f64)| {
            levels.levels[level].determines(row).then(|| (value(row), error))
        };
        rows.iter().zip(errors).map(estimate).collect()
    };
    points.chunks(AT_ONCE).flat_map(of).collect()
}
