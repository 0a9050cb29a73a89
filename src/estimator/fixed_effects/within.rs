//! Columns without their fixed effects, for their own sake.

use std::path::Path;
use std::time::Instant;

use polars::prelude::{Column as FrameColumn, DataFrame, NamedFrom, Series};

use super::finish::residuals;
use super::fit::read;
use super::options::OutcomeRange;
use super::problem::{Where, centre, columns, project};
use super::regressed::named;
use super::result::{RegressionAudit, SolverReport};
use super::sample::{RegressionSample, SampleRules};
use super::{FixedEffects, check_iterations, sums};
use crate::base::error::{DidError, DidWarning, Result};
use crate::engine::backend::DidBackend;
use crate::engine::demean::{DemeanOptions, On};
use crate::estimator::fitting::fits;
use crate::estimator::shell::options;
use crate::read::formula::{Interaction, name_label};
use crate::read::input::Data;
use crate::{base::storage, base::written};

options! {
    /// Subtracts from columns what fixed effects fit of them: weighted residuals on the dummies of all factors.
    ///
    /// ```
    /// use burn_did::{Demean, backend::Cpu, data};
    ///
    /// let config = Demean::<Cpu>::builder().columns(["lemp", "lpop"]).absorb(["countyreal", "year"]).build();
    /// let done = config.fit(&data::mpdta())?;
    /// assert_eq!((done.residuals.len(), done.residuals[0].len()), (2, 2_500));
    /// println!("{} in {} iterations", done.solver.solver, done.solver.columns[0].iterations);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    pub struct Demean<B: DidBackend> with [solver, fixef_tol, missing_values, precision, backend] {
        /// Columns of numbers.
        #[builder(with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
        pub columns: Vec<String>,
        /// Fixed effects, as in `["worker", "firm^year"]`.
        #[builder(with = |factors: impl IntoIterator<Item = impl Into<String>>| factors.into_iter().map(Into::into).collect())]
        pub absorb: Vec<String>,
        /// Weights; rows with a weight of zero have no residual.
        pub weights: Option<String>,
    }
}

/// Columns without their fixed effects.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct DemeanResult {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Residuals of each column by input row; `None` for rows with a missing value in any column, or without a weight.
    pub residuals: Vec<Vec<Option<f64>>>,
    /// The solver, and for each column its iterations, why it stopped, and what was reached.
    pub solver: SolverReport,
    /// Levels of each factor.
    pub levels: Vec<(String, usize)>,
    /// What happened to the rows.
    pub audit: RegressionAudit,
    /// Warnings about the sample, the estimates and the options.
    pub warnings: Vec<DidWarning>,
}

impl DemeanResult {
    /// The residuals under the columns' names, with null for rows without one.
    ///
    /// # Errors
    /// [`DidError::Polars`] if polars cannot form the frame.
    pub fn to_dataframe(&self) -> Result<DataFrame> {
        let columns = self.names.iter().zip(&self.residuals);
        let columns = columns.map(|(name, values)| {
            FrameColumn::from(Series::new(name.as_str().into(), values.as_slice()))
        });
        Ok(DataFrame::new(self.audit.rows_in, columns.collect())?)
    }

    /// Writes [that frame](Self::to_dataframe) to a parquet file, which takes the place of what was there when it is complete.
    ///
    /// # Errors
    /// [`DidError::Io`] for a file that cannot be written, and as [`Self::to_dataframe`].
    pub fn write_parquet(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut frame = self.to_dataframe()?;
        written::whole(path.as_ref(), |_, file| {
            storage::parquet(file).finish(&mut frame).map(drop).map_err(written::of_polars)
        })
    }
}

fits!(<B> Demean<B>, device: B::Device, output: DemeanResult);

impl<B: DidBackend> Demean<B> {
    /// Checks the options; the first thing [`fit`](Self::fit) does.
    ///
    /// # Errors
    /// [`DidError::Config`] or [`DidError::Formula`].
    pub fn validate(&self) -> Result<()> {
        check_iterations(self.fixef_tol, self.fixef_maxiter)?;
        let given = |option, expected, got: &[String]| {
            Err(DidError::config(option, expected, format!("[{}]", got.join(", "))))
        };
        if self.columns.is_empty() {
            return given("columns", "at least one column", &self.columns);
        }
        if Interaction::parse(&self.absorb.join(" + "))?.is_empty() {
            return given("absorb", "at least one factor", &self.absorb);
        }
        Ok(())
    }

    /// The columns of a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data) without their fixed effects,
    /// computed on the default device.
    ///
    /// # Errors
    /// [`DidError`] naming the option, column or device at fault, or a column that did not converge.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<DemeanResult> {
        self.fit_on(data, &B::Device::default())
    }

    /// As [`fit`](Self::fit), on this device.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub fn fit_on<'a>(
        &self,
        data: impl Into<Data<'a>>,
        device: &B::Device,
    ) -> Result<DemeanResult> {
        let start = Instant::now();
        self.validate()?;
        B::probe(device, self.precision)?;
        let regressors: Vec<String> = self.columns.iter().map(|c| name_label(c)).collect();
        let config = FixedEffects::<B>::builder()
            .outcome("")
            .regressors(regressors.join(" + "))
            .absorb(self.absorb.iter().map(String::as_str))
            .maybe_weights(self.weights.clone())
            .maybe_missing_values(self.missing_values.clone())
            .build();
        let formula = config.source()?.formula()?;
        let mut wanted = config.columns(formula)?;
        wanted.with_outcome = false;
        let reading = read(data.into(), &wanted, config.family, &config.missing(), start)?;
        let rules = SampleRules { keep_singletons: true, range: OutcomeRange::ALL };
        let sample = RegressionSample::new(
            &reading.rows,
            rules,
            &[],
            ("", self.weights.as_deref().unwrap_or_default()),
        )?;
        let evaluated = &reading.rows.regressors;
        let design = evaluated.design(&evaluated.present(&sample.rows))?;
        let mut all = columns(&design, &sample.rows)?;
        let names: Vec<String> = self.unique();
        let read_names: Vec<String> = all.iter().map(|c| c.name.clone()).collect();
        let labels: Vec<String> = names.iter().map(|name| name_label(name)).collect();
        if let Some(column) =
            names.iter().zip(&labels).find(|(_, label)| !read_names.contains(label))
        {
            return Err(DidError::ColumnType {
                column: column.0.clone(),
                role: "column to demean",
                expected: "numbers",
                got: "text, booleans or categories".to_owned(),
            });
        }
        let weights = sample.weights.as_deref();
        let n = sample.rows.len();
        let total = weights.map_or(n as f64, |w| sums::sum(n, |row| w[row]));
        for column in &mut all {
            centre(&mut column.values, weights, total);
        }
        let options = DemeanOptions {
            solver: self.solver,
            tolerance: self.fixef_tol,
            iterations: self.fixef_maxiter,
        };
        let place =
            Where { options: &options, place: &On::<B> { device, precision: self.precision } };
        let demeaner = place.demeaner(&sample, weights)?;
        let values: Vec<Vec<f64>> = all.into_iter().map(|c| c.values).collect();
        let columns = &named("", &[], &names, &values)[1..];
        let done = project(demeaner.as_ref(), columns, None)?;
        let (solver, device, columns) = done.solved.map_or_else(
            || (String::new(), String::new(), Vec::new()),
            |report| (report.solver.to_owned(), report.place, report.columns),
        );
        let by_row = |values: &Vec<f64>| residuals(&sample, reading.rows.len, values);
        let factors = wanted.formula.absorb.iter().map(ToString::to_string);
        Ok(DemeanResult {
            names,
            residuals: done.residuals.iter().map(by_row).collect(),
            solver: SolverReport { solver, asked: self.solver, device, columns },
            levels: factors.zip(sample.factors.iter().map(|f| f.levels)).collect(),
            audit: RegressionAudit { rows: n, ..reading.audit.clone() },
            warnings: done.warnings,
        })
    }

    fn unique(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.columns.len());
        for name in &self.columns {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}
