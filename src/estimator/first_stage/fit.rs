//! The regression of untreated outcomes, and solutions of its normal equations for targets.

use std::sync::OnceLock;

use super::columns::StageColumns;
use super::design::Design;
use super::imputable::imputable;
use super::influence::add;
use super::normal::{NormalEquations, Untreated};
use super::reading::StageReading;
use super::sample::{StageSample, none_imputed};
use super::shared::SharedDesign;
use super::weights::RowWeights;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::solve::Spd;
use crate::base::{memory, parallel};
use crate::estimator::fixed_effects::{Basis, Before, by_cluster, inner, regressors};

/// Targets whose equations are solved together.
const TOGETHER: usize = 8;

/// How precisely fixed effects are taken to be projected out where a column counts as spanned by them, as in regressions.
pub(super) const COLLINEAR: f64 = 1e-8;

/// What a covariate may differ from what others make of it, of its size, where it follows from them.
const FOLLOWS: f64 = 1e-6;

/// The first stage.
pub(in crate::estimator) struct FirstStage<'a> {
    pub sample: &'a StageSample,
    pub(super) shared: Option<&'a SharedDesign>,
    untreated: &'a Untreated,
    /// Formed when they are first asked for: what units share has equations of its own.
    normal: OnceLock<NormalEquations<'a>>,
    /// Covariates without the fixed effects, of all rows.
    pub(super) covariates: Vec<Vec<f64>>,
    /// Coefficients of the covariates, and the inverse `[k, k]` of their cross-products.
    pub b: Vec<f64>,
    bread: Vec<f64>,
    pub names: Vec<String>,
    /// Outcome less what the regression predicts without treatment, by row: residuals of untreated rows, effects on treated ones.
    pub residuals: Vec<f64>,
    pub warnings: Vec<DidWarning>,
}

/// `λ` of a target: effects and coefficients of covariates.
pub(in crate::estimator) struct Fitted<'a> {
    effects: FittedEffects<'a>,
    b: Vec<f64>,
}

/// What the effects of a target make of rows.
enum FittedEffects<'a> {
    /// The effects themselves.
    OfLevels(Vec<f64>),
    /// Their sums, by slot.
    BySlot(&'a SharedDesign, Vec<f64>),
}

impl FittedEffects<'_> {
    /// What the effects make of a row.
    fn fitted(&self, design: &Design, row: usize) -> f64 {
        match self {
            Self::OfLevels(effects) => design.fitted(row, effects),
            Self::BySlot(shared, values) => values[shared.slots()[row] as usize],
        }
    }
}

/// A first stage's rows, without those that cannot be imputed.
pub(in crate::estimator) struct Prepared {
    pub sample: StageSample,
    shared: Option<SharedDesign>,
    untreated: Untreated,
}

impl Prepared {
    /// Reads the sample, and leaves out the rows that cannot be imputed.
    ///
    /// # Errors
    /// As [`StageSample::new`], of the normal equations, and [`DidError::Memory`].
    pub fn new(reading: &mut StageReading, columns: &StageColumns) -> Result<Self> {
        let mut sample = StageSample::new(reading, columns)?;
        let bytes = sample.design.rows() as u128 * 8 * 12;
        memory::check("the regression of untreated outcomes", bytes, "use fewer rows")?;
        let untreated = Untreated::new(&sample.design);
        let mut shared = SharedDesign::find(&sample);
        let kept = match &shared {
            Some(shared) => shared.imputable()?,
            None => {
                let normal = NormalEquations::new(&sample.design, &untreated)?;
                Some(imputable(&sample.design, &normal)?).filter(|kept| kept.contains(&false))
            }
        };
        if let Some(kept) = kept {
            let lost = kept.iter().filter(|kept| !**kept).count();
            let first = kept.iter().position(|kept| !kept).unwrap_or_default();
            let row = sample.rows[first] as usize;
            let texts = reading.used.iter().map(|f| {
                let factor = &reading.rows.factors[*f];
                format!("{} {}", factor.name, factor.text(row))
            });
            let example = texts.collect::<Vec<_>>().join(", ");
            sample.warnings.push(DidWarning::NotConnected { rows: lost, example });
            let any = (0..kept.len()).any(|row| kept[row] && sample.design.treated[row]);
            if !any {
                let words = sample.warnings.iter().map(|w| w.shown(columns.frequency));
                return Err(none_imputed(&words.collect::<Vec<_>>()));
            }
            sample.retain(&kept, reading);
            shared = SharedDesign::find(&sample);
        }
        Ok(Self { sample, shared, untreated })
    }

    /// Regresses the untreated outcomes.
    ///
    /// # Errors
    /// [`DidError::Panel`] for a covariate that says something of treated rows alone, and those of the normal equations.
    pub fn fit(&self, reading: &StageReading) -> Result<FirstStage<'_>> {
        let sample = &self.sample;
        let design = &sample.design;
        let evaluated = &reading.rows.regressors;
        let columns =
            regressors(&evaluated.design(&evaluated.present(&sample.rows))?, &sample.rows)?;
        let bytes = (columns.len() as u128 * 3 + 4) * design.rows() as u128 * 8;
        memory::check(
            "the covariates",
            bytes,
            "use fewer covariates, or fixed effects for factors",
        )?;
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let values: Vec<Vec<f64>> = columns.into_iter().map(|column| column.values).collect();
        let mut stage = FirstStage {
            sample,
            shared: self.shared.as_ref(),
            untreated: &self.untreated,
            normal: OnceLock::new(),
            covariates: Vec::new(),
            b: Vec::new(),
            bread: Vec::new(),
            names: Vec::new(),
            residuals: Vec::new(),
            warnings: Vec::new(),
        };
        let mut projected = stage.project(&[("the outcome", &sample.outcome)])?;
        let outcome = projected.pop().unwrap_or_default();
        stage.regress(outcome, &names, values)?;
        Ok(stage)
    }
}

impl<'a> FirstStage<'a> {
    pub fn design(&self) -> &Design {
        &self.sample.design
    }

    fn normal(&self) -> Result<&NormalEquations<'a>> {
        if let Some(normal) = self.normal.get() {
            return Ok(normal);
        }
        let normal = NormalEquations::new(self.design(), self.untreated)?;
        Ok(self.normal.get_or_init(|| normal))
    }

    /// Columns less what the fixed effects explain of them on untreated rows; of all rows.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn project(&self, columns: &[(&str, &[f64])]) -> Result<Vec<Vec<f64>>> {
        let design = self.design();
        let total = design.total(|row| design.regression_weight(row));
        let mut out = Vec::with_capacity(columns.len());
        for (name, column) in columns {
            let mean = design.total(|row| design.regression_weight(row) * column[row]) / total;
            if let Some(shared) = self.shared
                && let Some(left) = shared.residuals(design, (name, column), mean)?
            {
                out.push(left);
                continue;
            }
            let sums = design.sums(|row| design.regression_weight(row) * (column[row] - mean));
            let effects = self.normal()?.solve(design, &[sums], name)?.pop().unwrap_or_default();
            // Less the mean first: beside a large one the effects would lose their digits.
            let left = |row: usize| column[row] - mean - design.fitted(row, &effects);
            out.push(design.column(left));
        }
        Ok(out)
    }

    /// A column's untreated rows, times the roots of the weights.
    pub fn weighted(&self, column: &[f64]) -> Vec<f64> {
        self.of_untreated_rows(|row| column[row])
    }

    /// Values of untreated rows, times the roots of the weights.
    pub(super) fn of_untreated_rows(&self, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        let design = self.design();
        let parts = design.by_block(|rows| {
            let rows = rows.filter(|row| !design.treated[*row]);
            rows.map(|row| value(row) * design.weight(row).sqrt()).collect::<Vec<f64>>()
        });
        parts.concat()
    }

    /// Adds the covariates to a regression of the outcome on the fixed effects.
    fn regress(
        &mut self,
        outcome: Vec<f64>,
        names: &[String],
        values: Vec<Vec<f64>>,
    ) -> Result<()> {
        self.residuals = outcome;
        if names.is_empty() {
            return Ok(());
        }
        let named: Vec<(&str, &[f64])> =
            names.iter().zip(&values).map(|(name, values)| (name.as_str(), &values[..])).collect();
        let projected = self.project(&named)?;
        let before: Vec<Before> = values.iter().map(|column| self.before(column)).collect();
        let weighted = projected.iter().map(|of| self.weighted(of)).collect();
        let basis = Basis::find(weighted, &before, COLLINEAR, true);
        let y = self.weighted(&self.residuals);
        let k = basis.kept.len();
        let (b, bread) = solved(&basis, &y)?;
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        for (j, of) in projected.into_iter().enumerate() {
            if basis.kept.contains(&j) { kept.push(of) } else { dropped.push((j, of)) }
        }
        self.names = basis.kept.iter().map(|j| names[*j].clone()).collect();
        (self.covariates, self.b, self.bread) = (kept, b, bread);
        for (j, of) in &dropped {
            let target = self.weighted(of);
            let (combination, _) = solved(&basis, &target)?;
            self.check_follows(&names[*j], of, &combination, before[*j])?;
        }
        if !dropped.is_empty() {
            let columns = dropped.iter().map(|(j, _)| names[*j].clone()).collect();
            self.warnings.push(DidWarning::CollinearRegressors { columns });
        }
        let fitted = |row: usize| (0..k).map(|j| self.b[j] * self.covariates[j][row]).sum::<f64>();
        self.residuals = self.design().column(|row| self.residuals[row] - fitted(row));
        Ok(())
    }

    /// Sums of squares of a column on untreated rows.
    fn before(&self, column: &[f64]) -> Before {
        let design = self.design();
        let weight = |row: usize| design.regression_weight(row);
        let total = design.total(weight);
        let mean = design.total(|row| weight(row) * column[row]) / total;
        Before {
            raw: design.total(|row| weight(row) * column[row] * column[row]),
            centred: design.total(|row| weight(row) * (column[row] - mean).powi(2)),
        }
    }

    /// An error if a covariate that follows from others on untreated rows does not on treated ones.
    fn check_follows(&self, name: &str, values: &[f64], b: &[f64], before: Before) -> Result<()> {
        let design = self.design();
        let total = design.total(|row| design.regression_weight(row));
        let size = (before.raw / total).sqrt();
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let off = |row: usize| {
            let fitted: f64 = b.iter().zip(&self.covariates).map(|(b, of)| b * of[row]).sum();
            (values[row] - fitted).abs()
        };
        let bound = FOLLOWS * if size > 0.0 { size } else { largest };
        let rows =
            (0..design.rows()).filter(|row| design.treated[*row] && off(*row) > bound).count();
        match rows {
            0 => Ok(()),
            _ => Err(DidError::Panel {
                problem: format!(
                    "covariate `{name}` follows from the fixed effects or other covariates on untreated rows and does not on {rows} treated ones, so that nothing says what its coefficient is there; leave it out, or leave out these rows"
                ),
            }),
        }
    }

    /// `Σ p r` over all rows, of each target's weights `p`.
    pub fn values(&self, targets: &[&RowWeights]) -> Vec<f64> {
        let design = self.design();
        let of_cells = self.sample.by_cell(|row| design.weight(row) * self.residuals[row]);
        let value = |p: &&RowWeights| match p {
            RowWeights::Cells(cells) => cells.iter().zip(&of_cells).map(|(p, r)| p * r).sum(),
            RowWeights::Rows(rows) => design.total(|row| rows[row] * self.residuals[row]),
        };
        targets.iter().map(value).collect()
    }

    /// `λ` with `Z0'W0 Z0 λ = Σ p z`, of each target's weights `p`.
    ///
    /// # Errors
    /// Those of the normal equations.
    pub fn solve(&self, targets: &[&RowWeights]) -> Result<Vec<Fitted<'a>>> {
        let design = self.design();
        let k = self.covariates.len();
        let mut out = Vec::with_capacity(targets.len());
        for part in targets.chunks(TOGETHER) {
            let effects = self.solve_effects(part)?;
            for (p, effects) in part.iter().zip(effects) {
                let p = |row: usize| p.of(self.sample, row);
                let of = |of: &Vec<f64>| design.total(|row| p(row) * of[row]);
                let q: Vec<f64> = self.covariates.iter().map(of).collect();
                let b: Vec<f64> = self
                    .bread
                    .chunks_exact(k.max(1))
                    .map(|row| row.iter().zip(&q).map(|(a, q)| a * q).sum())
                    .collect();
                // Of the covariates as they were projected, so that the effects need no correction.
                out.push(Fitted { effects, b });
            }
        }
        Ok(out)
    }

    fn solve_effects(&self, targets: &[&RowWeights]) -> Result<Vec<FittedEffects<'a>>> {
        let by_cell: Option<Vec<&[f64]>> = targets.iter().map(|p| p.of_cells()).collect();
        if let (Some(shared), Some(by_cell)) = (self.shared, by_cell) {
            let fitted = shared.solve(&by_cell)?;
            let by_slot = |values| FittedEffects::BySlot(shared, values);
            return Ok(fitted.into_iter().map(by_slot).collect());
        }
        let design = self.design();
        let sums: Vec<Vec<f64>> =
            targets.iter().map(|p| design.sums(|row| p.of(self.sample, row))).collect();
        let effects = self.normal()?.solve(design, &sums, "a target's weights")?;
        Ok(effects.into_iter().map(FittedEffects::OfLevels).collect())
    }

    /// What untreated rows contribute to the influence values of targets, by cluster: `Σ (p - w z'λ) r`.
    pub fn of_untreated(&self, targets: &[&RowWeights], solved: &[Fitted<'_>]) -> Vec<Vec<f64>> {
        let (sample, design) = (self.sample, self.design());
        let untreated = |row: usize| design.regression_weight(row) * self.residuals[row];
        let scores = design.column(untreated);
        let of_covariates = parallel::map(self.covariates.len(), |k| {
            let mut sums = vec![0.0; sample.n_clusters];
            add(sample, &mut sums, |row| scores[row] * self.covariates[k][row]);
            sums
        });
        let less_covariates = |psi: &mut [f64], b: &[f64]| {
            for (b, sums) in b.iter().zip(&of_covariates) {
                psi.iter_mut().zip(sums).for_each(|(psi, sum)| *psi -= b * sum);
            }
        };
        if let Some(shared) = self.shared
            && let Some(values) = less_fitted(shared, targets, solved)
        {
            let clusters = (sample.clusters.as_slice(), sample.n_clusters);
            let sums = by_cluster(&values, shared.slots(), |row| scores[row], clusters);
            return parallel::map_items(sums, |j, mut psi| {
                less_covariates(&mut psi, &solved[j].b);
                psi
            });
        }
        parallel::map(solved.len(), |j| {
            let mut psi = vec![0.0; sample.n_clusters];
            add(sample, &mut psi, |row| match design.treated[row] {
                true => 0.0,
                false => {
                    let fitted = solved[j].effects.fitted(design, row);
                    targets[j].of(sample, row) * self.residuals[row] - fitted * scores[row]
                }
            });
            less_covariates(&mut psi, &solved[j].b);
            psi
        })
    }
}

/// Targets' weights of cells less what their effects make of slots; none if any is not of cells.
fn less_fitted(
    shared: &SharedDesign,
    targets: &[&RowWeights],
    solved: &[Fitted<'_>],
) -> Option<Vec<Vec<f64>>> {
    let values = targets.iter().zip(solved).map(|(target, solved)| match &solved.effects {
        FittedEffects::BySlot(_, slots) => Some(shared.less(target.of_cells()?, slots)),
        FittedEffects::OfLevels(_) => None,
    });
    values.collect()
}

/// Coefficients of the kept columns, and the inverse of their cross-products.
pub(in crate::estimator) fn solved(basis: &Basis, y: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    let k = basis.columns.len();
    if k == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let spd = Spd::regular(&basis.gram, k).ok_or(DidError::Singular { what: "least squares" })?;
    let cross: Vec<f64> = basis.columns.iter().map(|column| inner(column, y)).collect();
    let b = basis.back(spd.solve(&cross));
    let inverse = spd.inverse();
    let bread = match &basis.turn {
        None => inverse,
        Some(turn) => crate::base::solve::sandwich(turn, &inverse, k),
    };
    Ok((b, bread))
}
