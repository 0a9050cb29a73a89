//! Extended two-way fixed effects, step by step.

use polars::prelude::{Column, DataFrame, IdxCa};

use super::averages::{Average, RandomShares, covariance};
use super::design::{Cell, Design, Level};
use super::margins::{Fitted, Margins};
use super::options::{Etwfe, EtwfeAbsorb};
use super::result::{EtwfeEffect, EtwfeResult, EtwfeSettings};
use super::sample::Sample;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::options::ControlGroup;
use crate::engine::backend::DidBackend;
use crate::engine::source::Influence;
use crate::estimator::aggregate::reference_row;
use crate::estimator::fitting::fits;
use crate::estimator::fixed_effects::{
    CellRows, Coefficient, EstimatedRegression, FixedEffects, Identified, Law, RegressionResult,
    Vcov, gather,
};
use crate::read::columns::{MISSING, MissingValues};
use crate::read::formula::name_label;
use crate::read::input::Data;
use crate::result::inference::Estimate;

fits!(<B> Etwfe<B>, device: B::Device, output: EtwfeResult);

/// An average that is asked for, and what it is of.
struct Wanted {
    key: EtwfeEffect,
    average: Option<Average>,
}

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
        self.check_size(&sample, names.len())?;
        let design = Design::new(
            &sample,
            self.control_group,
            &names,
            self.moderator.is_some(),
            explicit,
            self.frequency,
        );
        let frame = self.frame(&sample)?;
        let regressors = |rows: &[u32]| design.regressors(rows);
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
        let known = self.identified(&sample, &design);
        let fitted = self.fitted(&design, &regression, &of_coefficients, &known);
        let margins = fitted.margins(&sample, &design, !self.unweighted_averages);
        self.describe(&sample, &mut regression);
        self.result(&sample, &design, &margins, regression)
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
        is_cluster || self.absorb == EtwfeAbsorb::Unit && self.family.is_linear()
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
        frame.with_column(Column::new(
            sample.cohort_column.as_str().into(),
            sample.cohorts_of_rows(),
        ))?;
        Ok(frame)
    }

    /// The regression; its regressors are the columns that those of the design are formed of.
    fn regression(&self, sample: &Sample) -> FixedEffects<B> {
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
            .keep_influence(self.keep_influence)
            .solver(self.solver)
            .maybe_missing_values(self.missing_values.clone())
            .alpha(self.alpha)
            .precision(self.precision)
            .build()
    }

    /// Which cells the rows tell apart: of units that were observed before treatment, or beside some that were.
    fn identified(&self, sample: &Sample, design: &Design) -> Vec<bool> {
        let by_unit = self.family.is_linear() && self.absorb == EtwfeAbsorb::Unit;
        let Some(units) = sample.units.as_ref().filter(|_| by_unit) else {
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

    /// What the regression found, by the number of each coefficient's regressor. Cells that are not `known` have no effect, nor do those of
    /// cohorts and periods whose untreated rows were left out as separated.
    fn fitted(
        &self,
        design: &Design,
        regression: &RegressionResult,
        of_coefficients: &[Option<usize>],
        known: &[bool],
    ) -> Fitted {
        let place = |regressor: usize| of_coefficients.iter().position(|of| *of == Some(regressor));
        let cells = design.cells.len();
        let separating = regression.separating();
        let without_rows: Vec<Level> = (cells..)
            .zip(&design.covariates)
            .filter(|(at, of)| separating.contains(&of.label.as_str()) && place(*at).is_none())
            .filter_map(|(_, covariate)| covariate.level)
            .collect();
        let is_known = |(cell, own): (usize, &Cell)| {
            let levels = [Level::Cohort(own.cohort), Level::Period(own.period)];
            known[cell] && !levels.iter().any(|level| without_rows.contains(level))
        };
        let is_known: Vec<bool> = design.cells.iter().enumerate().map(is_known).collect();
        Fitted {
            family: self.family,
            of_cells: (0..cells).map(|cell| place(cell).filter(|_| is_known[cell])).collect(),
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

    fn result(
        &self,
        sample: &Sample,
        design: &Design,
        margins: &Margins,
        regression: RegressionResult,
    ) -> Result<EtwfeResult> {
        let numbered = || design.cells.iter().enumerate();
        let of = |holds: &dyn Fn(&Cell) -> bool| -> Vec<usize> {
            numbered().filter(|(_, cell)| holds(cell)).map(|(number, _)| number).collect()
        };
        let wanted = |key: EtwfeEffect, cells: Vec<usize>| Wanted {
            key,
            average: Some(Average::of(margins, cells)),
        };
        let mut all = vec![wanted(EtwfeEffect::default(), of(&|cell| cell.treated))];
        let distinct = |of: &dyn Fn(&Cell) -> f64, treated: bool| -> Vec<f64> {
            let own = design.cells.iter().filter(|cell| cell.treated || !treated);
            let mut values: Vec<f64> = own.map(of).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            values
        };
        let events = distinct(&|cell| cell.event_time, false);
        let first = all.len();
        let before = events.iter().position(|at| *at >= 0.0).unwrap_or(events.len());
        let leads = self.control_group == ControlGroup::NeverTreated;
        for (place, at) in events.iter().enumerate() {
            if leads && place == before {
                all.extend(self.reference(sample, design));
            }
            let key = EtwfeEffect { event_time: Some(*at), ..EtwfeEffect::default() };
            all.push(wanted(key, of(&|cell| cell.event_time == *at)));
        }
        let end = all.len();
        let group = |cell: &Cell| sample.cohorts[cell.cohort].group;
        let groups = distinct(&group, true);
        for own in &groups {
            let key = EtwfeEffect { group: Some(*own), ..EtwfeEffect::default() };
            all.push(wanted(key, of(&|cell| cell.treated && group(cell) == *own)));
        }
        let time = |cell: &Cell| sample.periods[cell.period];
        let times = distinct(&time, true);
        for own in &times {
            let key = EtwfeEffect { time: Some(*own), ..EtwfeEffect::default() };
            all.push(wanted(key, of(&|cell| cell.treated && time(cell) == *own)));
        }
        for (number, cell) in numbered() {
            let key = EtwfeEffect {
                group: Some(group(cell)),
                time: Some(time(cell)),
                event_time: Some(cell.event_time),
                ..EtwfeEffect::default()
            };
            all.push(wanted(key, vec![number]));
        }
        let influence = regression.influence.as_ref().map(|of_coefficients| {
            let rows = &all[first..end];
            let column = |wanted: &Wanted| {
                wanted.average.as_ref().map_or_else(Vec::new, |of| of.influence(of_coefficients))
            };
            Influence {
                units: of_coefficients.units.clone(),
                names: rows
                    .iter()
                    .filter_map(|row| Some(row.key.event_time?.to_string()))
                    .collect(),
                columns: rows.iter().map(column).collect(),
            }
        });
        let estimated = self.estimated(sample, design, margins, &regression, all)?;
        let (effects, vcov) = estimated;
        let mut rest = effects.into_iter();
        let overall = rest.next().map_or_else(Estimate::default, |effect| effect.estimate);
        let by_event_time: Vec<EtwfeEffect> = rest.by_ref().take(end - first).collect();
        let by_group = rest.by_ref().take(groups.len()).collect();
        let by_period = rest.by_ref().take(times.len()).collect();
        let treated = design.cells.iter().zip(&margins.cells).filter(|(cell, _)| cell.treated);
        Ok(EtwfeResult {
            n_treated: treated.map(|(_, sums)| sums.rows).sum(),
            settings: self.settings(sample),
            alpha: self.alpha,
            overall,
            by_event_time,
            vcov: vcov[first..end].iter().map(|row| row[first..end].to_vec()).collect(),
            by_group,
            by_period,
            cells: rest.collect(),
            regression,
            warnings: sample.warnings.clone(),
            influence,
        })
    }

    /// The event time that leads and lags are compared with, the same for all cohorts, if it is.
    fn reference(&self, sample: &Sample, design: &Design) -> Option<Wanted> {
        let treated = sample.cohorts.iter().enumerate().filter(|(_, cohort)| !cohort.reference);
        let times: Vec<f64> =
            treated.map(|(number, cohort)| sample.event_time(number, cohort.start - 1)).collect();
        let at = *times.first()?;
        let taken = design.cells.iter().any(|cell| cell.event_time == at);
        if taken || times.iter().any(|other| *other != at) {
            return None;
        }
        let key = EtwfeEffect {
            event_time: Some(at),
            estimate: reference_row(at).estimate,
            reference: true,
            ..EtwfeEffect::default()
        };
        Some(Wanted { key, average: None })
    }

    /// The averages with their standard errors, and their covariance.
    fn estimated(
        &self,
        sample: &Sample,
        design: &Design,
        margins: &Margins,
        regression: &RegressionResult,
        all: Vec<Wanted>,
    ) -> Result<(Vec<EtwfeEffect>, Vec<Vec<f64>>)> {
        let k = regression.coefficients.len();
        let coefficients = match regression.vcov.is_empty() {
            true => vec![f64::NAN; k * k],
            false => regression.vcov.concat(),
        };
        let clusters = self.random_shares.then(|| sample.drawn());
        let weights = |row: usize| if self.unweighted_averages { 1.0 } else { sample.weight(row) };
        let shares =
            clusters.as_ref().map(|clusters| RandomShares { clusters, design, weights: &weights });
        let averages: Vec<&Average> = all.iter().filter_map(|w| w.average.as_ref()).collect();
        let covariance = covariance(&averages, &coefficients, margins, shares.as_ref());
        let m = averages.len();
        // As R's and ModernDiD's averages have it; the coefficients of a linear regression have the t law of `fixest`.
        let law = Law::Normal;
        let critical = law.critical(self.alpha);
        let place: Vec<Option<usize>> = all
            .iter()
            .scan(0, |next, wanted| {
                let own = wanted.average.as_ref().map(|_| *next);
                *next += usize::from(own.is_some());
                Some(own)
            })
            .collect();
        let known = |a: usize| averages[a].value.is_some();
        let entry = |a: &Option<usize>, b: &Option<usize>| match (a, b) {
            (Some(a), Some(b)) if known(*a) && known(*b) => {
                let value = covariance[a * m + b];
                if value.is_finite() { value } else { 0.0 }
            }
            _ => 0.0,
        };
        let vcov = place.iter().map(|a| place.iter().map(|b| entry(a, b)).collect()).collect();
        let effect = |(wanted, place): (&Wanted, &Option<usize>)| {
            let Some(average) = &wanted.average else { return wanted.key.clone() };
            let estimate = average.value.map_or_else(Estimate::default, |value| {
                let variance = place.map_or(f64::NAN, |at| covariance[at * m + at]);
                Coefficient::new(String::new(), value, variance, law, critical).as_estimate()
            });
            EtwfeEffect { estimate, n_rows: average.rows, ..wanted.key.clone() }
        };
        let effects = all.iter().zip(&place).map(effect).collect();
        Ok((effects, vcov))
    }

    fn settings(&self, sample: &Sample) -> EtwfeSettings {
        EtwfeSettings {
            outcome: self.outcome.clone(),
            unit: self.unit.clone(),
            time: self.time.clone(),
            group: self.group.clone(),
            covariates: self.covariates.clone(),
            moderator: self.moderator.clone(),
            weights: self.weights.clone(),
            control_group: self.control_group,
            family: self.family,
            absorb: self.absorb,
            unweighted_averages: self.unweighted_averages,
            random_shares: self.random_shares,
            frequency: self.frequency,
            files: sample.files.clone(),
            read_as_missing: sample.read_as_missing.clone(),
            n_rows: sample.rows_in,
            rows_missing: sample.rows_missing,
        }
    }
}
