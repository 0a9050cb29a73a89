//! Cells of a continuous treatment (Callaway, Goodman-Bacon and Sant'Anna 2024, "Difference-in-differences with a continuous
//! treatment", sections 3 and 4).
//!
//! Outcome changes `Δ` of the treated units are regressed on `x = (1, B_2(D), …, B_J(D))`, splines of their dose, those of the
//! comparison units are averaged. With weights `w`, `A_T = Σ_T w`, `A_C = Σ_C w`, `B = Σ_T w x x'`, residuals `e = Δ - x'β`, and
//! derivatives `ẋ` of the splines:
//!
//! ```text
//! ATT(d)  = x(d)'β - m            u = w e x'B⁻¹x(d)  on T,   -w (Δ - m) / A_C  on C        m = Σ_C w Δ / A_C
//! ACRT(d) = ẋ(d)'β                u = w e x'B⁻¹ẋ(d)  on T
//! ATT     = Σ_T w Δ / A_T - m     u = w (Δ - mean) / A_T  on T,   -w (Δ - m) / A_C  on C
//! ACRT    = Σ_T w ẋ'β / A_T       u = w [ (ẋ'β - ACRT) / A_T + e x'B⁻¹ Σ_T w ẋ / A_T ]  on T
//! ```
//!
//! Curves are linear in `β - (m, 0, …)`, so influence is formed of these coefficients, whatever doses are asked for. The chunks
//! have the columns `B_2, …, B_J` and then their derivatives.

use super::algebra::Moments;
use super::centre::{Centre, restore};
use super::sides::{CellResult, PlannedCell, Side, StratumRows};
use super::sums::{Sums, Weighting};
use super::terms::{CellEstimate, Coefficients, CombinedTerms, InfluenceTerm};
use crate::base::error::Result;
use crate::base::options::CurveErrors;
use crate::base::solve::{SINGULAR, Spd, dot, multiply, reciprocal_condition};
use crate::engine::pass::UNTRIMMED;
use crate::engine::source::Source;
use crate::read::panel::Doses;
use crate::read::panel::Sample;
use crate::result::estimates::CellStatus;

/// What a cell of a continuous treatment has.
#[derive(Clone, Debug)]
pub(crate) struct DoseCell {
    /// Average effect on the treated, which needs no curve.
    pub att: CellEstimate,
    /// The curve, or why there is none; empty if none was asked for.
    pub curve: CellResult<CellCurve>,
}

/// The curve of a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellCurve {
    /// Average causal response of the treated: the mean slope of the curve at their doses.
    pub acrt: CellEstimate,
    /// Coefficients of the curve `[J]`: the first is the constant less the mean change of the comparison units.
    pub coefficients: Vec<CellEstimate>,
}

/// Estimates every cell from one pass: curves if asked for, with standard errors of this kind.
///
/// # Errors
/// What the source reports, and [`DidError::Engine`](crate::DidError::Engine) for sums that are not there. A cell that cannot be
/// estimated is none.
pub(crate) fn dose_cells(
    source: &dyn Source,
    cells: &[PlannedCell],
    curves: Option<CurveErrors>,
) -> Result<Vec<CellResult<DoseCell>>> {
    Ok(dose_cells_and_totals(source, cells, curves, &[])?.0)
}

/// As [`dose_cells`], with the summed weights of further rows, from the same pass.
///
/// # Errors
/// As [`dose_cells`].
pub(crate) fn dose_cells_and_totals(
    source: &dyn Source,
    cells: &[PlannedCell],
    curves: Option<CurveErrors>,
    rows: &[StratumRows],
) -> Result<(Vec<CellResult<DoseCell>>, Vec<f64>)> {
    let sample = source.sample();
    let mut sums = Sums::new(sample.design.k(), sample.outcome_columns());
    for rows in rows {
        sums.request(rows, Weighting::Sampling, &[]);
    }
    for side in cells.iter().filter(|c| c.status.is_none()).flat_map(|c| &c.sides) {
        for rows in side.treated.iter().chain(&side.control) {
            sums.request(rows, Weighting::Sampling, &side.outcome.columns());
        }
    }
    sums.run(source, UNTRIMMED)?;
    let solve = |cell: &PlannedCell| match (&cell.status, &cell.sides[..]) {
        (Some(status), _) => Ok(Err(status.clone())),
        (None, [side]) => solve(sample, &sums, (cell, side), curves),
        (None, _) => {
            let message = "a continuous treatment needs a balanced panel".into();
            Ok(Err(CellStatus::Estimator { message }))
        }
    };
    let solved = cells.iter().map(solve).collect::<Result<_>>()?;
    let total = |rows: &StratumRows| sums.total(rows, Weighting::Sampling);
    Ok((solved, rows.iter().map(total).collect::<Result<_>>()?))
}

/// The mean of several estimates of one cohort.
pub(crate) fn average<'a>(
    estimates: impl ExactSizeIterator<Item = &'a CellEstimate>,
) -> CellEstimate {
    let share = 1.0 / estimates.len() as f64;
    let mut terms = CombinedTerms::default();
    let mut att = 0.0;
    for estimate in estimates {
        att += share * estimate.att;
        estimate.terms.iter().for_each(|term| terms.add(share, term));
    }
    CellEstimate { att, terms: terms.into_terms(), ..CellEstimate::default() }
}

fn solve(
    sample: &Sample,
    sums: &Sums,
    (cell, side): (&PlannedCell, &Side),
    curves: Option<CurveErrors>,
) -> Result<CellResult<DoseCell>> {
    let weight = |rows: &StratumRows| sums.total(rows, Weighting::Sampling);
    let centre = Centre::new(sample, side, weight)?;
    let columns = side.outcome.columns();
    let moments = |arm: &[StratumRows], treated| -> Result<Moments> {
        let gram = |rows: &StratumRows| {
            let gram = sums.get(rows, Weighting::Sampling, &columns)?;
            Ok((gram, centre.lift(sample, rows, side.outcome, treated)))
        };
        let grams: Vec<_> = arm.iter().map(gram).collect::<Result<_>>()?;
        Ok(Moments::new(grams, side.outcome, sample.design.k()))
    };
    let arms = DosedArms {
        side,
        n_treated: cell.n_treated,
        treated: moments(&side.treated, true)?,
        control: moments(&side.control, false)?,
    };
    if let Err(status) = arms.check_weights() {
        return Ok(Err(status));
    }
    let mut att = arms.mean_effect();
    let mut curve = match curves {
        None => Ok(CellCurve::default()),
        Some(errors) => arms.curve(sample, errors),
    };
    // What has the mean change of the comparison units in it is measured from their level.
    let first = curve.as_mut().ok().and_then(|curve| curve.coefficients.first_mut());
    for estimate in std::iter::once(&mut att).chain(first) {
        restore(estimate, sample, std::slice::from_ref(side), &[centre])?;
    }
    let not_finite = || CellStatus::Estimator { message: "the estimate is not finite".into() };
    if !att.att.is_finite() {
        return Ok(Err(not_finite()));
    }
    let curve = curve.and_then(|curve| {
        let mut all = std::iter::once(&curve.acrt).chain(&curve.coefficients);
        if all.all(|estimate| estimate.att.is_finite()) { Ok(curve) } else { Err(not_finite()) }
    });
    Ok(Ok(DoseCell { att, curve }))
}

/// A cell's rows and sums.
struct DosedArms<'a> {
    side: &'a Side,
    n_treated: usize,
    treated: Moments,
    control: Moments,
}

impl DosedArms<'_> {
    fn check_weights(&self) -> CellResult<()> {
        if self.treated.total() <= 0.0 {
            Err(CellStatus::NoTreatedWeight)
        } else if self.control.total() <= 0.0 {
            Err(CellStatus::NoControlWeight)
        } else {
            Ok(())
        }
    }

    fn terms(&self, treated: bool, coefficients: &Coefficients) -> Vec<InfluenceTerm> {
        let rows = if treated { &self.side.treated } else { &self.side.control };
        let term = |rows| InfluenceTerm::new(rows, self.side.outcome, treated, None, coefficients);
        rows.iter().map(term).collect()
    }

    /// `sign · mean` of an arm: its influence on the rows.
    fn mean(&self, treated: bool, sign: f64) -> Vec<InfluenceTerm> {
        let moments = if treated { &self.treated } else { &self.control };
        let (total, mean) = (moments.total(), moments.d() / moments.total());
        let c = sign / total;
        self.terms(treated, &Coefficients { c, f: -c * mean, ..Coefficients::default() })
    }

    fn control_mean(&self) -> f64 {
        self.control.d() / self.control.total()
    }

    fn mean_effect(&self) -> CellEstimate {
        let att = self.treated.d() / self.treated.total() - self.control_mean();
        let terms = [self.mean(true, 1.0), self.mean(false, -1.0)].concat();
        CellEstimate { att, terms, ..CellEstimate::default() }
    }

    /// The curve, with influence values whose residuals are corrected as `errors` says.
    fn curve(&self, sample: &Sample, errors: CurveErrors) -> CellResult<CellCurve> {
        let stratum = self.side.treated.first().map_or(0, |rows| rows.stratum);
        let (doses, functions) = curve(sample, stratum)?;
        let k = sample.design.k();
        let zz = |i: usize, j: usize| self.treated.zz[i * k + j];
        let cross: Vec<f64> =
            (0..functions * functions).map(|e| zz(e / functions, e % functions)).collect();
        let singular = CellStatus::SingularCurve { rcond: 0.0 };
        let factor = Spd::regular(&cross, functions).ok_or(singular)?;
        let inverse = factor.inverse();
        let rcond = reciprocal_condition(&cross, &inverse, functions);
        if rcond <= SINGULAR {
            return Err(CellStatus::SingularCurve { rcond });
        }
        let coefficients = factor.solve(&self.treated.zd[..functions]);
        let padded = |v: &[f64], from: usize| {
            let mut all = vec![0.0; k];
            all[from..from + v.len()].copy_from_slice(v);
            all
        };
        let beta = padded(&coefficients, 0);
        // `Σ_T w ẋ / A_T`; the constant has no derivative.
        let total = self.treated.total();
        let first = doses.functions;
        let slopes: Vec<f64> = (0..functions)
            .map(|j| if j == 0 { 0.0 } else { zz(0, first + j - 1) / total })
            .collect();
        let acrt = dot(&slopes, &coefficients);
        let of_residuals = errors.factor(self.n_treated, functions);
        let scaled = |v: &[f64]| v.iter().map(|b| of_residuals * b).collect::<Vec<_>>();
        let of_mean = Coefficients {
            beta: Some(beta.clone()),
            b: Some(padded(&scaled(&multiply(&inverse, &slopes)), 0)),
            e: Some(padded(
                &coefficients[1..].iter().map(|b| b / total).collect::<Vec<_>>(),
                first,
            )),
            f: -acrt / total,
            ..Coefficients::default()
        };
        let acrt = CellEstimate {
            att: acrt,
            terms: self.terms(true, &of_mean),
            ..CellEstimate::default()
        };
        let coefficient = |(j, row): (usize, &[f64])| {
            let b = Some(padded(&scaled(row), 0));
            let of_one = Coefficients { beta: Some(beta.clone()), b, ..Coefficients::default() };
            let mut terms = self.terms(true, &of_one);
            let mut att = coefficients[j];
            if j == 0 {
                att -= self.control_mean();
                terms.extend(self.mean(false, -1.0));
            }
            CellEstimate { att, terms, ..CellEstimate::default() }
        };
        let coefficients = inverse.chunks_exact(functions).enumerate().map(coefficient).collect();
        Ok(CellCurve { acrt, coefficients })
    }
}

/// The doses of the sample, and the number of splines of a stratum.
fn curve(sample: &Sample, stratum: usize) -> CellResult<(&Doses, usize)> {
    let none = || CellStatus::Estimator { message: "the sample has no doses".into() };
    let doses = sample.doses.as_ref().ok_or_else(none)?;
    let (splines, distinct) = (&doses.splines[stratum], doses.distinct[stratum]);
    let needed = splines.as_ref().map_or(doses.functions.max(2), |s| s.len());
    if splines.is_none() || distinct < needed {
        return Err(CellStatus::FewDoses { distinct, needed });
    }
    Ok((doses, needed))
}

#[cfg(feature = "cluster")]
#[cfg(test)]
mod tests;
