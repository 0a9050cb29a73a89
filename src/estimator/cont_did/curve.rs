//! Curves over the dose, as linear maps of their coefficients.

use serde::{Deserialize, Serialize};

use crate::base::error::{DidWarning, Result};
use crate::base::memory;
use crate::base::options::defaults::ALPHA;
use crate::base::options::{Band, Bootstrap, CohortShares, CurveErrors, DoseTarget, Inference};
use crate::base::spectrum::Undetermined;
use crate::base::splines::Splines;
use crate::result::estimates::check::{Checked, ensure, ensure_finite};
use crate::result::inference::{Combination, Critical, Estimate, Joint, pointwise};

use super::law::{no_law, unit};

/// Normal numbers for each dose that a thread holds while it integrates over the joint law of the curve.
const NORMALS: u128 = 5_000;

/// The curve of one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CohortCurve {
    /// First treated period.
    pub group: f64,
    pub splines: Splines,
    /// Position of its first coefficient, the constant; the coefficients of the splines from the second on follow.
    pub first: usize,
    /// Directions of the coefficients of the splines that the data do not tell apart; none of results saved before.
    #[serde(default, skip_serializing_if = "Undetermined::is_empty")]
    pub undetermined: Undetermined,
}

impl CohortCurve {
    /// Whether the data determine the curve, or its slope, at a dose.
    fn determines(&self, dose: f64, order: usize) -> bool {
        self.undetermined.leaves(self.splines.row(dose, order).iter().copied().enumerate())
    }
}

/// Curves of all groups, and what they are averaged by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Curves {
    pub cohorts: Vec<CohortCurve>,
    /// Of the coefficients of all groups, and of the groups' shares behind them.
    pub joint: Joint,
    pub shares: CohortShares,
    #[serde(default)]
    pub errors: CurveErrors,
    /// Size of the outcomes, by which standard errors are judged.
    #[serde(default = "one")]
    pub size: f64,
    /// Critical values of uniform bands of `ATT(d)` and `ACRT(d)`, if they come with the curve.
    pub bands: Option<(f64, f64)>,
}

fn one() -> f64 {
    1.0
}

/// Derivative of the curve that it is.
fn order(target: DoseTarget) -> usize {
    match target {
        DoseTarget::Level => 0,
        DoseTarget::Slope => 1,
    }
}

/// A curve at one dose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DoseRow {
    /// The dose.
    pub dose: f64,
    /// Effect of the dose, `ATT(d)`.
    pub att: Estimate,
    /// Slope of the effect, `ACRT(d)`.
    pub acrt: Estimate,
    /// Groups none of whose doses is as small, or as large: their curves are continued beyond their doses.
    pub extrapolated: usize,
}

/// Effects by dose.
///
/// ```
/// use burn_did::{ContDid, backend::Cpu, data::DoseSimulation};
///
/// let data = DoseSimulation::builder().units(1_000).seed(1).build().frame();
/// let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
/// let fit = config.dose("dose").build().fit(&data)?;
/// assert_eq!(fit.dose.rows.len(), 50);
/// assert!(fit.dose.rows.iter().all(|row| row.att.ci_lower < row.att.ci_upper));
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct DoseCurve {
    /// One row a dose, in the order in which they were asked for.
    pub rows: Vec<DoseRow>,
    /// Critical value of the intervals of `ATT(d)`.
    pub critical_att: f64,
    /// Critical value of the intervals of `ACRT(d)`.
    pub critical_acrt: f64,
    /// What the intervals of `ATT(d)` are.
    pub band_att: Band,
    /// What the intervals of `ACRT(d)` are.
    pub band_acrt: Band,
    /// One minus the confidence level.
    pub alpha: f64,
}

impl DoseCurve {
    /// Critical value of the intervals of `ATT(d)` or of `ACRT(d)`.
    fn critical(&self, target: DoseTarget) -> Critical {
        let (value, band) = match target {
            DoseTarget::Level => (self.critical_att, self.band_att),
            DoseTarget::Slope => (self.critical_acrt, self.band_acrt),
        };
        Critical { value, band }
    }
}

impl Default for DoseCurve {
    fn default() -> Self {
        let alpha = ALPHA;
        let (critical, band) = (pointwise(alpha), Band::Pointwise);
        Self {
            rows: Vec::new(),
            critical_att: critical,
            critical_acrt: critical,
            band_att: band,
            band_acrt: band,
            alpha,
        }
    }
}

impl Curves {
    /// An error that names the field at fault unless everything fits together.
    pub fn check(&self, bootstrap: Option<Bootstrap>) -> Checked {
        let mut first = 0;
        for (index, cohort) in self.cohorts.iter().enumerate() {
            let field = format!("curves.cohorts[{index}]");
            ensure(cohort.splines.is_valid() && cohort.splines.degree() > 0, &field, || {
                "has knots that are none".into()
            })?;
            ensure(cohort.first == first, &field, || "has other coefficients".into())?;
            ensure(cohort.undetermined.is_of(cohort.splines.len()), &field, || {
                "has directions of other coefficients".into()
            })?;
            first += cohort.splines.len();
        }
        ensure(!self.cohorts.is_empty(), "curves.cohorts", || "is empty".into())?;
        let parameters = format!("{first} coefficients and {} groups", self.cohorts.len());
        ensure(self.joint.len() == first + self.cohorts.len(), "curves.joint", || {
            format!("is not of {parameters}")
        })?;
        ensure(self.joint.values.iter().all(Option::is_some), "curves.joint", || {
            "lacks a coefficient".into()
        })?;
        ensure_finite("curves.joint", self.joint.values.iter().flatten())?;
        ensure(self.joint.covariance.is_some(), "curves.joint", || "has no covariance".into())?;
        let bands = self.bands.iter().flat_map(|(att, acrt)| [att, acrt]);
        ensure_finite("curves.bands", bands)?;
        ensure_finite("curves.size", [&self.size])?;
        self.joint.check_covariance("curves.joint.covariance", &parameters)?;
        self.joint.check_draws("curves.joint.draws", &parameters, bootstrap)
    }

    /// Coefficients of all groups.
    pub fn coefficients(&self) -> usize {
        self.cohorts.iter().map(|cohort| cohort.splines.len()).sum()
    }

    fn share(&self, cohort: usize) -> f64 {
        self.joint.values[self.coefficients() + cohort].unwrap_or(0.0)
    }

    /// Shares of the groups, which add up to one.
    fn weights(&self) -> Vec<f64> {
        let shares: Vec<f64> = (0..self.cohorts.len()).map(|c| self.share(c)).collect();
        let total: f64 = shares.iter().sum();
        if total > 0.0 {
            shares.iter().map(|share| share / total).collect()
        } else {
            vec![1.0 / shares.len() as f64; shares.len()]
        }
    }

    /// Whether there is something that the data do not determine.
    pub fn lack_some(&self) -> bool {
        self.cohorts.iter().any(|cohort| !cohort.undetermined.is_empty())
    }

    /// Whether the data determine `ATT(d)` or `ACRT(d)`.
    fn determine(&self, dose: f64, target: DoseTarget) -> bool {
        self.cohorts.iter().all(|cohort| cohort.determines(dose, order(target)))
    }

    /// `ATT(d)` or `ACRT(d)`, averaged over groups.
    pub fn at(&self, dose: f64, target: DoseTarget) -> Result<Combination> {
        let order = order(target);
        let weights = self.weights();
        let mut all = Vec::new();
        let mut of_cohorts = Vec::with_capacity(self.cohorts.len());
        for (cohort, weight) in self.cohorts.iter().zip(&weights) {
            let mut row = cohort.splines.row(dose, order);
            row[0] = if order == 0 { 1.0 } else { 0.0 };
            let terms: Vec<(usize, f64)> = (cohort.first..).zip(row).collect();
            let value = self.joint.combination(terms.iter().copied()).map_err(|_| no_law())?.value;
            of_cohorts.push(value);
            all.extend(terms.into_iter().map(|(j, b)| (j, weight * b)));
        }
        if self.shares == CohortShares::Estimated {
            let mean: f64 =
                of_cohorts.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
            let total: f64 = (0..self.cohorts.len()).map(|c| self.share(c)).sum();
            let shares = (self.coefficients()..).zip(&of_cohorts);
            let value = self.joint.combination(all.iter().copied()).map_err(|_| no_law())?.value;
            all.extend(shares.map(|(j, value)| (j, (value - mean) / total)));
            // A share moves the average by its group's distance from it; its value is no part of the average.
            let combination = self.joint.combination(all).map_err(|_| no_law())?;
            return Ok(Combination { value, ..combination });
        }
        self.joint.combination(all).map_err(|_| no_law())
    }

    /// The curve at some doses. A uniform band is over these doses, or has the critical values of a curve that is given.
    pub fn table(
        &self,
        doses: &[f64],
        inference: &Inference,
        given: Option<&DoseCurve>,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<DoseCurve> {
        let of = |target| given.map(|curve| curve.critical(target));
        let mut estimates = |target| {
            let critical = of(target);
            self.estimates(doses, target, (inference, critical), warnings)
        };
        let (levels, att) = estimates(DoseTarget::Level)?;
        let (slopes, acrt) = estimates(DoseTarget::Slope)?;
        let outside = |dose: f64| {
            let beyond = |cohort: &&CohortCurve| {
                let (low, high) = cohort.splines.range();
                dose < low || dose > high
            };
            self.cohorts.iter().filter(beyond).count()
        };
        let row = |((dose, att), acrt): ((&f64, Estimate), Estimate)| DoseRow {
            dose: *dose,
            att,
            acrt,
            extrapolated: outside(*dose),
        };
        let rows: Vec<DoseRow> = doses.iter().zip(levels).zip(slopes).map(row).collect();
        let pairs = rows.iter().map(|row| row.extrapolated).sum();
        if pairs > 0 {
            let doses = rows.iter().filter(|row| row.extrapolated > 0).count();
            warnings.push(DidWarning::Extrapolated { doses, pairs });
        }
        Ok(DoseCurve {
            rows,
            critical_att: att.value,
            critical_acrt: acrt.value,
            band_att: att.band,
            band_acrt: acrt.band,
            alpha: inference.alpha,
        })
    }

    /// Intervals at some doses, each by itself unless the width of a band depends on all of them.
    fn estimates(
        &self,
        doses: &[f64],
        target: DoseTarget,
        (inference, given): (&Inference, Option<Critical>),
        warnings: &mut Vec<DidWarning>,
    ) -> Result<(Vec<Estimate>, Critical)> {
        let ranges = self.cohorts.iter().map(|cohort| cohort.splines.range());
        let range = ranges.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (l, h)| {
            (low.min(l), high.max(h))
        });
        let unit = unit(target, self.size, range);
        let is_banded = inference.band == Band::Uniform;
        let of_curve = self.bands.map(|(att, acrt)| match target {
            DoseTarget::Level => att,
            DoseTarget::Slope => acrt,
        });
        let of_curve = of_curve.map(|value| Critical { value, band: Band::Uniform });
        let critical = match given.or(of_curve).filter(|_| is_banded) {
            Some(critical) => critical,
            None if is_banded => return self.banded(doses, (target, unit), inference, warnings),
            None => {
                let value = self.joint.pointwise(inference.alpha);
                Critical { value, band: Band::Pointwise }
            }
        };
        let estimate = |dose: &f64| -> Result<Estimate> {
            if !self.determine(*dose, target) {
                return Ok(Estimate::default());
            }
            let combination = self.at(*dose, target)?;
            let joint = self.joint.combined([&combination]).ok_or_else(no_law)?;
            let se = Joint { unit, ..joint }.standard_errors().pop().flatten();
            let att = Some(combination.value);
            Ok(match inference.band {
                Band::Pointwise => self.joint.of_one_law(att, se, inference.alpha),
                Band::Uniform => critical.estimate(att, se, inference.alpha),
            })
        };
        let estimates = doses.iter().map(estimate).collect::<Result<_>>()?;
        Ok((estimates, critical))
    }

    /// Intervals from the joint law of the curve at all doses.
    fn banded(
        &self,
        doses: &[f64],
        (target, unit): (DoseTarget, f64),
        inference: &Inference,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<(Vec<Estimate>, Critical)> {
        self.check_room(doses.len())?;
        let combinations: Vec<Combination> =
            doses.iter().map(|dose| self.at(*dose, target)).collect::<Result<_>>()?;
        let joint = self.joint.combined(&combinations).ok_or_else(no_law)?;
        let joint = Joint { unit, ..joint };
        let errors = joint.standard_errors();
        warnings.extend(joint.missing(&errors, |_| false));
        let critical = joint.critical(inference, &errors, true, warnings);
        let estimate = |(c, se): (&Combination, &Option<f64>)| {
            critical.estimate(Some(c.value), *se, inference.alpha)
        };
        Ok((combinations.iter().zip(&errors).map(estimate).collect(), critical))
    }

    /// An error unless the joint law of the curve at so many doses has room.
    fn check_room(&self, doses: usize) -> Result<()> {
        let (doses, parameters) = (doses as u128, self.joint.len().max(1) as u128);
        let drawn = self.joint.draws.as_ref().map(|draws| draws.len() as u128 / parameters);
        // What is collected has up to twice its room while it grows. Without draws the covariance becomes a correlation and its
        // roots.
        let (squares, rows) = match drawn {
            Some(drawn) => (3, 3 * drawn),
            None => (8, rayon::current_num_threads() as u128 * NORMALS),
        };
        memory::check(
            "the uniform band of the curve (`dvals`)",
            8 * doses * (squares * doses + rows + 2 * parameters),
            "ask for fewer doses, or for pointwise intervals",
        )
    }
}
