//! Extended two-way fixed effects, step by step.

use std::cell::RefCell;

use polars::prelude::{Column, DataFrame, IdxCa};

use super::apart::UsedRows;
use super::design::Design;
use super::levels::Levels;
use super::margins::Fitted;
use super::options::{Etwfe, EtwfeAbsorb};
use super::result::{EtwfeResult, SeparatedRows};
use super::sample::Sample;
use super::separated::RowsOfFit;
use super::wanted::Parts;
use crate::base::error::Result;
use crate::base::memory;
use crate::engine::backend::DidBackend;
use crate::estimator::fitting::fits;
use crate::estimator::fixed_effects::{
    CellRows, EstimatedRegression, FixedEffects, Identified, RegressionResult, Vcov, gather,
};
use crate::read::columns::{MISSING, MissingValues};
use crate::read::formula::name_label;
use crate::read::input::Data;

fits!(<B> Etwfe<B>, device: B::Device, output: EtwfeResult);

impl<B: DidBackend> Etwfe<B> {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data), on the default device.
    ///
    /// # Errors
    /// As [`FixedEffects::fit`]; [`DidError::NoValidGroups`](crate::DidError::NoValidGroups) if no cohort is first treated inside the sample,
    /// and [`DidError::NoNeverTreated`](crate::DidError::NoNeverTreated) or [`DidError::NoComparison`](crate::DidError::NoComparison)
    /// without rows to compare with.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<EtwfeResult> {
        self.fit_on(data, &B::Device::default())
    }

    /// As [`fit`](Self::fit), on this device.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_on<'a>(&self, data: impl Into<Data<'a>>, device: &B::Device) -> Result<EtwfeResult> {
        self.validate()?;
        let data: Data<'_> = data.into();
        let missing = MissingValues::new(self.missing_values.as_deref());
        let sample = data.reading(&missing, |data| Sample::read(self, data, &missing))?;
        let names: Vec<&str> =
            self.covariates.iter().chain(&self.moderator).map(String::as_str).collect();
        let explicit = !self.family.is_linear();
        let slopes = self.covariates.len() + sample.moderator_terms();
        self.check_size(&sample, slopes)?;
        let design = Design::new(&sample, self.control_group, &names, explicit, self.frequency);
        let frame = self.frame(&sample)?;
        let rows_of_fit = RefCell::new(RowsOfFit::default());
        let regressors = |rows: &[u32]| {
            rows_of_fit.borrow_mut().hear(rows);
            design.regressors(rows)
        };
        let EstimatedRegression { result: mut regression, regressors: of_coefficients, .. } =
            self.regression(&sample).fit_regressors(&frame, device, &regressors).map_err(
                // Its rows are some of those of the data, in another order.
                |mut error| {
                    if let Some((row, _)) = error.row() {
                        *row = sample.rows.get(*row).map_or(*row, |own| *own as usize);
                    }
                    error
                },
            )?;
        let rows_of_fit = rows_of_fit.take();
        let separated = rows_of_fit.separated(&sample, &design);
        let identified = self.identified(&sample, &design);
        let has_untreated = separated.iter().map(|of| *of != Some(SeparatedRows::Untreated));
        let known: Vec<bool> = identified.iter().zip(has_untreated).map(|(a, b)| *a && b).collect();
        let fitted = self.fitted(&design, &regression, &of_coefficients, &known);
        let levels = Levels::new(&sample);
        let sums = 8 * design.cells.len() * levels.len() * regression.coefficients.len();
        let remedy = "take a moderator with fewer levels, or longer periods (`frequency`)";
        memory::check("effects of cohorts in periods by level", sums as u128, remedy)?;
        let apart = self.apart(
            &sample,
            &design,
            &levels,
            &fitted,
            UsedRows { frame: &frame, used: rows_of_fit.used() },
            device,
        )?;
        let weights = |row: usize| self.weight_in_averages(&sample, row);
        let parts = Parts {
            sample: &sample,
            design: &design,
            margins: &fitted.margins(&design, &levels, &weights),
            control_group: self.control_group,
            apart,
            separated,
        };
        self.describe(&sample, &mut regression);
        Ok(self.result(&parts, &levels, regression))
    }

    /// The weight of a row in averages.
    pub(super) fn weight_in_averages(&self, sample: &Sample, row: usize) -> f64 {
        if self.unweighted_averages { 1.0 } else { sample.weight(row) }
    }

    /// Columns whose levels are the clusters, as far as they are columns of the data.
    pub(super) fn clusters(&self) -> impl Iterator<Item = &String> {
        let factors = match &self.vcov {
            Some(Vcov::Cluster(factors)) => factors.as_slice(),
            _ => &[],
        };
        factors.iter().filter(|name| Some(*name) != self.unit.as_ref())
    }

    /// Whether rows need a unit: for the covariance, or for effects of units.
    pub(super) fn uses_unit(&self) -> bool {
        let is_cluster = match &self.vcov {
            None => true,
            Some(Vcov::Cluster(factors)) => {
                factors.iter().any(|name| Some(name) == self.unit.as_ref())
            }
            Some(_) => false,
        };
        is_cluster || self.absorbs_units()
    }

    /// Whether effects of units are absorbed, if there is a column of them.
    pub(super) fn absorbs_units(&self) -> bool {
        self.absorb == EtwfeAbsorb::Unit && self.family.is_linear()
    }

    /// Indicators of cells alone need no value for each row.
    fn check_size(&self, sample: &Sample, covariates: usize) -> Result<()> {
        if covariates == 0 && self.family.is_linear() {
            return Ok(());
        }
        let (rows, cohorts, periods) =
            (sample.rows.len() as u128, sample.cohorts.len() as u128, sample.periods.len() as u128);
        let columns = cohorts * periods * (1 + covariates as u128);
        memory::check(
            "regressors of cohorts in periods",
            3 * 8 * rows * columns,
            "count longer periods (`frequency`), or take fewer covariates",
        )
    }

    fn vcov(&self) -> Vcov {
        let of_unit = || match &self.unit {
            Some(unit) => Vcov::cluster([name_label(unit)]),
            None => Vcov::Hetero,
        };
        self.vcov.clone().unwrap_or_else(of_unit)
    }

    /// The data of the regression.
    fn frame(&self, sample: &Sample) -> Result<DataFrame> {
        let mut names: Vec<&String> = vec![&self.outcome, &self.time];
        names.extend(self.unit.iter().chain(&self.weights).chain(self.clusters()));
        names.extend(self.covariates.iter().chain(&self.moderator));
        names.sort();
        names.dedup();
        let mut frame = sample.frame.select(names.into_iter().map(String::as_str))?;
        if sample.rows.len() < frame.height() || !sample.rows.is_sorted() {
            frame = frame.take(&IdxCa::from_vec("".into(), sample.rows.clone()))?;
        }
        if let Some((name, values)) = self.moderator.as_ref().zip(sample.moderator()) {
            // Categories by their numbers, which order rows as well.
            frame.with_column(Column::new(name.as_str().into(), values))?;
        }
        frame.with_column(Column::new(
            sample.cohort_column.as_str().into(),
            sample.cohorts_of_rows(),
        ))?;
        Ok(frame)
    }

    /// The regression; its regressors are the columns that those of the design are formed of.
    pub(super) fn regression(&self, sample: &Sample) -> FixedEffects<B> {
        let names = self.covariates.iter().chain(&self.moderator).map(String::as_str);
        let names: Vec<String> =
            names.chain([sample.cohort_column.as_str()]).map(name_label).collect();
        let level = match (&self.unit, self.absorb) {
            (Some(unit), EtwfeAbsorb::Unit) => unit,
            _ => &sample.cohort_column,
        };
        let absorb = match self.family.is_linear() {
            true => vec![name_label(level), name_label(&self.time)],
            false => Vec::new(),
        };
        FixedEffects::<B>::builder()
            .outcome(&*self.outcome)
            .regressors(names.join(" + "))
            .absorb(absorb)
            .maybe_weights(self.weights.clone())
            .vcov(self.vcov())
            .ssc(self.ssc)
            .family(self.family)
            .keep_singletons(true)
            .solver(self.solver)
            .fixef_tol(self.fixef_tol)
            .fixef_maxiter(self.fixef_maxiter)
            .glm_tol(self.glm_tol)
            .glm_maxiter(self.glm_maxiter)
            .keep_influence(self.keep_influence)
            // Its rows have all that is needed, and the words for missing values may be numbers of cohorts or categories.
            .missing_values(Vec::<String>::new())
            .alpha(self.alpha)
            .precision(self.precision)
            .build()
    }

    /// Which cells the rows tell apart: of units that were observed before treatment, or beside some that were.
    fn identified(&self, sample: &Sample, design: &Design) -> Vec<bool> {
        let Some(units) = sample.units.as_ref().filter(|_| self.absorbs_units()) else {
            return vec![true; design.cells.len()];
        };
        let rows: Vec<u32> =
            (0..).zip(units).filter(|(_, u)| **u != MISSING).map(|(at, _)| at).collect();
        let units = gather(&rows, |at| units[at]);
        let count = units.iter().max().map_or(0, |last| *last as usize + 1);
        let rows = CellRows {
            cohorts: &units,
            periods: &gather(&rows, |at| sample.periods_of_rows()[at]),
            cells: &gather(&rows, |at| design.cell_of[at]),
            stand_for: None,
            counts: [count, sample.periods.len(), design.cells.len()],
        };
        Identified::new(&rows).cells
    }

    /// What the regression found, by the number of each coefficient's regressor. Cells that are not `known` have no effect.
    fn fitted(
        &self,
        design: &Design,
        regression: &RegressionResult,
        of_coefficients: &[Option<usize>],
        known: &[bool],
    ) -> Fitted {
        let place = |regressor: usize| of_coefficients.iter().position(|of| *of == Some(regressor));
        let cells = design.cells.len();
        Fitted {
            family: self.family,
            scale: self.scale,
            of_cells: (0..cells).map(|cell| place(cell).filter(|_| known[cell])).collect(),
            of_covariates: (cells..cells + design.covariates.len()).map(place).collect(),
            coefficients: regression.coefficients.iter().map(|c| c.estimate).collect(),
            constant: of_coefficients.iter().position(Option::is_none),
        }
    }

    /// Says what was regressed on what.
    fn describe(&self, sample: &Sample, regression: &mut RegressionResult) {
        let slopes: Vec<&str> =
            self.covariates.iter().chain(&self.moderator).map(String::as_str).collect();
        let words = match slopes.is_empty() {
            true => String::new(),
            false => format!(", slopes of {}", slopes.join(", ")),
        };
        let absorbed = regression.absorbed.iter().map(|absorbed| match absorbed.name.as_str() {
            name if name.trim_matches('`') == sample.cohort_column => self.group.clone(),
            name => name.to_owned(),
        });
        let absorbed: Vec<String> = absorbed.collect();
        let effects = match absorbed.is_empty() {
            true => format!(" + {} + {}", self.group, self.time),
            false => format!(" | {}", absorbed.join(" + ")),
        };
        for (own, name) in regression.absorbed.iter_mut().zip(absorbed) {
            own.name = name;
        }
        regression.settings.formula =
            format!("{} ~ cohorts in periods{words}{effects}", self.outcome);
        regression.settings.estimator = "etwfe".into();
    }
}
