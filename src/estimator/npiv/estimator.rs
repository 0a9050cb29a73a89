//! [`Npiv`]: configuration, fit and result.

use super::bands::{CurveQuestion, FittedCurve, fit};
use super::choose::Spaces;
use super::few_values::{few_values, nearest};
use super::grid::SieveGrid;
use super::level::Observations;
use super::result::{NpivChoice, NpivResult, NpivRow, NpivSettings};
use super::rows::{drop_weightless, sort_by_content, to_unit_size};
use super::sieve::{Derivative, SieveBasis, SieveKnots};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::base::options::{Band, Bootstrap, Inference};
use crate::estimator::fitting::fits;
use crate::estimator::shell::options;
use crate::read::columns::{CompleteNumbers, Kind, MissingValues, Table, Wanted};
use crate::read::files::FilesRead;
use crate::read::input::{Data, Read};
use crate::result::inference::{Estimate, pointwise, without_variance};

options! {
    /// A function of regressors, by splines: nonparametric regression or, with other instruments than the regressors, nonparametric
    /// instrumental variables. The dimension is chosen by the data unless the number of segments is given, and uniform bands are
    /// undersmoothed (Chen, Christensen and Kankanala 2025, <https://arxiv.org/abs/2107.11869>).
    ///
    /// ```
    /// use burn_did::{Npiv, sieve::SieveGrid};
    /// use polars::prelude::df;
    ///
    /// let x: Vec<f64> = (0..200).map(|i| 0.5 + 0.45 * f64::from(i).sin()).collect();
    /// let y: Vec<f64> = x.iter().zip(0..).map(|(x, i)| (3.0 * x).sin() + 0.3 * (91.7 * f64::from(i)).sin()).collect();
    /// let data = df!("x" => x, "y" => y)?;
    /// let config = Npiv::builder().outcome("y").regressors(["x"]).grid(SieveGrid::Even(5));
    /// let fit = config.build().fit(&data)?;
    /// println!("{fit}");
    /// assert!(fit.rows.iter().all(|row| row.h.ci_lower < row.h.ci_upper));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    #[doc(alias = "npiv")]
    pub struct Npiv with [sampling_weights, missing_values, alpha] {
        /// Outcome.
        pub outcome: String,
        /// Regressors.
        #[builder(with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub regressors: Vec<String>,
        /// Instruments; the regressors themselves if empty.
        #[builder(default, with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub instruments: Vec<String>,
        /// Combination of the splines of several regressors, or instruments.
        #[builder(default)]
        pub basis: SieveBasis,
        /// Position of the knots.
        #[builder(default)]
        pub knots: SieveKnots,
        /// Degree of the regressors' splines.
        #[builder(default = 3)]
        pub x_degree: usize,
        /// Number of spline segments per regressor; chosen by the data if `None`.
        pub x_segments: Option<usize>,
        /// Degree of the instruments' splines, where these are not the regressors.
        #[builder(default = 4)]
        pub w_degree: usize,
        /// Number of spline segments per instrument when `x_segments` is set; `2^w_smooth` times as many as these if `None`.
        pub w_segments: Option<usize>,
        /// Instruments have `2^w_smooth` times as many segments as regressors, unless `w_segments` is set.
        #[builder(default = 2)]
        pub w_smooth: u32,
        /// Where the data choose, whether dimensions are damped that have few observations for their functions: those with fewer than 5
        /// for each function are not compared, and differences are judged by residuals of each observation from the curve of the others.
        /// R `npiv` does neither.
        #[builder(default = true)]
        pub damping: bool,
        /// Range of evenly spaced knots of the regressors; the range of their values if `None`.
        pub x_range: Option<(f64, f64)>,
        /// Range of evenly spaced knots of the instruments; the range of their values if `None`.
        pub w_range: Option<(f64, f64)>,
        /// Points at which the function is evaluated. The dimension is chosen on a grid of its own, whatever these are.
        #[builder(default)]
        pub grid: SieveGrid,
        /// Regressor of the derivative, counted from 0.
        #[builder(default)]
        pub derivative_index: usize,
        /// Order of the derivative.
        #[builder(default = 1)]
        pub derivative_order: usize,
        /// Bootstrap that decides the dimension and the bands. Coefficients are drawn, so the time does not depend on the number of
        /// observations but on the number of points of the [`grid`](Self::grid) (the observations by default). The draws are normal: a
        /// [`multiplier`](Bootstrap::multiplier) with another distribution is refused, except for the default.
        #[doc(alias = "biters")]
        #[builder(default = Bootstrap::draws(DRAWS))]
        pub bootstrap: Bootstrap,
    }
}

/// Draws that decide the dimension and the bands unless another number is asked for.
pub(crate) const DRAWS: usize = 9_999;

/// Largest degree, and numbers of segments, of draws and of points.
const MOST_DEGREE: usize = 20;
const MOST: usize = 10_000_000;

/// Observations below which a warning is given, and points of the grid on which dimensions are compared.
pub(crate) const FEW_OBSERVATIONS: usize = 50;
const COMPARED: usize = 50;

/// Outcome, regressors, instruments and weights.
type NpivColumns<'a> = (&'a [f64], &'a [Vec<f64>], &'a [Vec<f64>], Option<&'a [f64]>);

/// An error unless so many points of so many variables, and what is estimated at them, have room.
fn check_room(points: usize, variables: usize) -> Result<()> {
    // The points, values with standard errors, and rows of the result, which have the points again.
    let point = size_of::<Vec<f64>>() + variables * size_of::<f64>();
    let row = size_of::<NpivRow>() + variables * size_of::<f64>();
    let each = (point + row + 2 * size_of::<(f64, f64)>()) as u128;
    memory::check(
        "the function at all points (`grid`, `--x-eval`)",
        points as u128 * each,
        "ask for it at fewer points, as at 100 that are evenly spaced",
    )
}

/// These points with values that occur in place of those between them, of variables that have few: nothing is known between them.
fn at_values(mut points: Vec<Vec<f64>>, sorted: &[Vec<f64>], degree: usize) -> Vec<Vec<f64>> {
    for (variable, values) in sorted.iter().enumerate() {
        let Some(few) = few_values(values, degree) else { continue };
        for point in &mut points {
            point[variable] = nearest(&few, point[variable]);
        }
    }
    points
}

fits!(Npiv, output: NpivResult);

impl Npiv {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] naming the option.
    pub fn validate(&self) -> Result<()> {
        if self.regressors.is_empty() {
            return Err(DidError::config("regressors", "at least one column", "none"));
        }
        for (option, degree) in [("x_degree", self.x_degree), ("w_degree", self.w_degree)] {
            if !(1..=MOST_DEGREE).contains(&degree) {
                return Err(DidError::config(option, "between 1 and 20", degree));
            }
        }
        for (option, segments) in [("x_segments", self.x_segments), ("w_segments", self.w_segments)]
        {
            if segments.is_some_and(|s| !(1..=1_000).contains(&s)) {
                let got = segments.map_or(String::new(), |s| s.to_string());
                return Err(DidError::config(option, "between 1 and 1000", got));
            }
        }
        if let (None, Some(segments)) = (self.x_segments, self.w_segments) {
            return Err(DidError::config(
                "w_segments",
                "given with `x_segments` or not at all: where the data choose, `w_smooth` says how many segments instruments have",
                segments,
            ));
        }
        if self.w_smooth > 6 {
            return Err(DidError::config("w_smooth", "at most 6", self.w_smooth));
        }
        if self.derivative_index >= self.regressors.len() {
            return Err(DidError::config(
                "derivative_index",
                "the position of a regressor, counted from 0",
                self.derivative_index,
            ));
        }
        if !(1..=MOST_DEGREE).contains(&self.derivative_order) {
            return Err(DidError::config(
                "derivative_order",
                "between 1 and 20",
                self.derivative_order,
            ));
        }
        for (option, range) in [("x_range", self.x_range), ("w_range", self.w_range)] {
            let Some((low, high)) = range else { continue };
            if !(low < high && low.is_finite() && high.is_finite()) {
                return Err(DidError::config(
                    option,
                    "two ascending numbers",
                    format!("{low} to {high}"),
                ));
            }
            if self.knots == SieveKnots::Quantiles {
                return Err(DidError::config(
                    option,
                    "none with knots at quantiles",
                    format!("{low} to {high}"),
                ));
            }
        }
        let draws = self.bootstrap.draws;
        if !(1..=MOST).contains(&draws) {
            return Err(DidError::config("bootstrap draws", "between 1 and 10000000", draws));
        }
        self.bootstrap.check_normal()?;
        if let SieveGrid::Points(points) = &self.grid {
            let wrong = |p: &&Vec<f64>| {
                p.len() != self.regressors.len() || p.iter().any(|v| !v.is_finite())
            };
            if let Some(point) = points.iter().find(wrong) {
                return Err(DidError::config(
                    "grid",
                    "points with a finite number for each regressor",
                    format!("{point:?}"),
                ));
            }
        }
        let (bootstrap, band) = (None, Band::Uniform);
        Inference { alpha: self.alpha, bootstrap, band }.validate()
    }

    /// Fits the function.
    ///
    /// # Errors
    /// [`DidError`] for options out of range, columns that are not there or not numeric, or nothing left of the data.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<NpivResult> {
        self.validate()?;
        let data = data.into();
        let missing = MissingValues::new(self.missing_values.as_deref());
        let wanted = self.wanted();
        let (files, complete) = data.reading(&missing, |data| {
            let Read { frame, files, .. } = data.read(&wanted, &missing, None)?;
            let table = Table::read(&frame, &wanted, &missing, 0)?;
            Ok((files, table.complete_numbers(&wanted)?))
        })?;
        let CompleteNumbers { mut columns, rows_missing, missing } = complete;
        self.check_points(columns[0].len())?;
        let weightless = self.weights.as_ref().map_or(0, |_| drop_weightless(&mut columns));
        let points = self.observed(&columns);
        sort_by_content(&mut columns);
        let weights = self.weights.as_ref().and_then(|_| columns.pop());
        let mut y = columns.remove(0);
        let w = columns.split_off(self.regressors.len());
        let scale = to_unit_size(&mut y);
        let mut result = self.estimate(points, (&y, &columns, &w, weights.as_deref()), scale)?;
        result.files = files;
        result.rows_missing = rows_missing;
        let said = [
            DidWarning::dropped(rows_missing, missing),
            DidWarning::weightless(weightless),
            self.points_outside(&columns),
        ];
        result.warnings.splice(0..0, said.into_iter().flatten());
        Ok(result)
    }

    /// A warning if points that were asked for lie outside the range of these regressors.
    fn points_outside(&self, regressors: &[Vec<f64>]) -> Option<DidWarning> {
        let SieveGrid::Points(points) = &self.grid else { return None };
        let range = |values: &Vec<f64>| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            values.iter().fold(ends, |(low, high), v| (low.min(*v), high.max(*v)))
        };
        let ranges: Vec<(f64, f64)> = regressors.iter().map(range).collect();
        let is_outside = |point: &&Vec<f64>| {
            point.iter().zip(&ranges).any(|(at, (low, high))| at < low || at > high)
        };
        let points = points.iter().filter(is_outside).count();
        (points > 0).then_some(DidWarning::PointsOutside { points })
    }

    /// An error unless there is room for the points and what is estimated at them.
    fn check_points(&self, observations: usize) -> Result<()> {
        let points = match &self.grid {
            SieveGrid::Observations => observations,
            SieveGrid::Even(count) => (*count).clamp(1, MOST),
            SieveGrid::Points(points) => points.len(),
        };
        check_room(points, self.regressors.len())
    }

    /// The regressors of each row, as the rows were given.
    fn observed(&self, columns: &[Vec<f64>]) -> Vec<Vec<f64>> {
        if self.grid != SieveGrid::Observations {
            return Vec::new();
        }
        let x = &columns[1..=self.regressors.len()];
        (0..columns[0].len()).map(|row| x.iter().map(|column| column[row]).collect()).collect()
    }

    /// The columns, in the order in which they are used.
    fn wanted(&self) -> Wanted {
        Wanted::default()
            .and("outcome", Kind::Value, [&self.outcome])
            .and("regressor", Kind::Value, &self.regressors)
            .and("instrument", Kind::Value, &self.instruments)
            .and("weights", Kind::Value, &self.weights)
    }

    fn estimate(
        &self,
        observed: Vec<Vec<f64>>,
        (y, x, w, weights): NpivColumns<'_>,
        scale: f64,
    ) -> Result<NpivResult> {
        if let Some(total) = weights.map(|w| w.iter().sum::<f64>()).filter(|total| *total <= 0.0) {
            return Err(DidError::Weights {
                column: self.weights.clone().unwrap_or_default(),
                problem: format!("the weights of all rows add up to {total}"),
            });
        }
        // Instruments that are the regressors are no other instruments.
        let w = Some(w).filter(|w| !w.is_empty() && *w != x);
        let data = Observations { y, x, w, weights, clusters: None };
        let sorted = |columns: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let sort = |column: &Vec<f64>| {
                let mut sorted = column.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted
            };
            columns.iter().map(sort).collect()
        };
        let (x_sorted, w_sorted) = (sorted(x), w.map(sorted));
        let range = |range: Option<(f64, f64)>| (range.map(|r| r.0), range.map(|r| r.1));
        let spaces = Spaces {
            basis: self.basis,
            knots: self.knots,
            x_degree: self.x_degree,
            w_degree: if w.is_some() { self.w_degree } else { self.x_degree },
            x_range: range(self.x_range),
            w_range: range(self.w_range),
            x: &x_sorted,
            w: w_sorted.as_deref(),
        };
        let even = |count: usize| -> Vec<Vec<f64>> {
            let at = |i: usize| {
                let share = i as f64 / (count.max(2) - 1) as f64;
                let point = |v: &Vec<f64>| v[0] + share * (v[v.len() - 1] - v[0]);
                x_sorted.iter().map(point).collect()
            };
            (0..count).map(at).collect()
        };
        let points = match &self.grid {
            SieveGrid::Observations => observed,
            SieveGrid::Even(count) => even((*count).clamp(1, MOST)),
            SieveGrid::Points(points) => points.clone(),
        };
        let question = CurveQuestion {
            segments: self.segments(w.is_some()),
            smooth: self.w_smooth,
            damping: self.damping,
            // Not the points asked for: the dimension is a matter of the function as a whole.
            grid: &at_values(even(COMPARED), &x_sorted, self.x_degree),
            points: &points,
            derivative: Derivative {
                variable: self.derivative_index,
                order: self.derivative_order,
            },
            shift: 0.0,
            alpha: self.alpha,
            draws: self.bootstrap.draws,
            seed: self.bootstrap.seed,
        };
        let fitted = fit(&data, &spaces, &question)?;
        let mut estimates = fitted.h.iter().chain(&fitted.slope).flatten();
        if !estimates.all(|(value, _)| value.is_finite()) {
            let problem = "the function or its derivative is beyond the range of numbers; divide the outcome by a larger unit";
            return Err(DidError::OutOfRange { problem: problem.into() });
        }
        let result = self.result(&points, fitted, y.len(), scale);
        let settings = NpivSettings { w_degree: Some(spaces.w_degree), ..result.settings };
        Ok(NpivResult { settings, ..result })
    }

    /// Requested segments of regressors and instruments, the latter `2^w_smooth` times as many if not set; `None` if the data choose.
    fn segments(&self, has_instruments: bool) -> Option<(usize, usize)> {
        let x = self.x_segments?;
        // Regressors that are their own instruments have one sieve.
        let usual = if has_instruments { x << self.w_smooth } else { x };
        Some((x, self.w_segments.filter(|_| has_instruments).unwrap_or(usual)))
    }

    fn result(&self, points: &[Vec<f64>], fitted: FittedCurve, n: usize, scale: f64) -> NpivResult {
        let (h, slope) = fitted.critical;
        let rows = points.iter().zip(fitted.h.iter().zip(&fitted.slope));
        let positive = |se: f64| Some(se).filter(|se| *se > 0.0 && se.is_finite());
        let estimate = |determined: &Option<(f64, f64)>, critical| {
            let value = determined.map(|(value, _)| value * scale);
            let se = determined.and_then(|(_, se)| positive(se * scale));
            Estimate::new(value, se, pointwise(self.alpha)).with_band(critical)
        };
        let level = &fitted.levels.levels[fitted.level];
        let breakpoints = level.sieves.x.splines.iter().map(|s| s.breakpoints().to_vec());
        let mut warnings = Vec::new();
        if n < FEW_OBSERVATIONS {
            warnings.push(DidWarning::FewObservations { observations: n });
        }
        warnings.extend(level.many_instruments(n));
        warnings.extend(level.collinear());
        let sides = [
            (&self.regressors, Some(&level.sieves.x), fitted.segments.0),
            (&self.instruments, level.sieves.w.as_ref(), fitted.segments.1),
        ];
        for (columns, sieve, segments) in sides {
            let splines = sieve.into_iter().flat_map(|sieve| &sieve.splines);
            let coincident = columns.iter().zip(splines).filter_map(|(column, splines)| {
                DidWarning::coincident_knots(column, segments, splines.breakpoints().len() - 1)
            });
            warnings.extend(coincident);
        }
        let rows: Vec<NpivRow> = rows
            .map(|(x, (value, derivative))| NpivRow {
                x: x.clone(),
                h: estimate(value, h),
                derivative: estimate(derivative, slope),
            })
            .collect();
        let without = |row: &&NpivRow| row.h.estimate.is_some() && row.h.se.is_none();
        warnings.extend(without_variance(rows.iter().filter(without).count(), false));
        NpivResult {
            rows,
            critical_value: h,
            critical_value_derivative: slope,
            coefficients: level.beta.iter().map(|b| b * scale).collect(),
            breakpoints: breakpoints.collect(),
            x_segments: fitted.segments.0,
            w_segments: fitted.segments.1,
            choice: fitted.choice.map(|choice| NpivChoice {
                accepted: fitted.compared[choice.untruncated].0,
                compared: fitted.compared.clone(),
                theta: choice.theta,
            }),
            n,
            files: FilesRead::default(),
            rows_missing: 0,
            warnings,
            settings: NpivSettings {
                outcome: self.outcome.clone(),
                regressors: self.regressors.clone(),
                instruments: self.instruments.clone(),
                degree: self.x_degree,
                w_degree: None,
                alpha: self.alpha,
                draws: (self.bootstrap.draws, self.bootstrap.seed),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_without_room_are_refused() {
        let refused = check_room(1 << 50, 2).unwrap_err().to_string();
        assert!(refused.contains("--x-eval") && refused.contains("fewer points"), "{refused}");
        assert!(check_room(1_000, 2).is_ok());
    }
}
