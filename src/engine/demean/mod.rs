//! Columns less what fixed effects explain of them.
//!
//! The residual of a column `x` on the indicators `D` of all levels of some factors, with weights `W`, is `x - D θ` where `θ`
//! minimises `(x - D θ)'W(x - D θ)`. No level is left out: `θ` is not unique, and the residual is.
//!
//! | step | file |
//! |---|---|
//! | rows of the same levels are one cell; the leading factor | `cells.rs`, `weights.rs` |
//! | a pass over cells or rows | `sweep.rs`, `stripes.rs` |
//! | conjugate gradients on the other factors | `conjugate.rs`, `schur.rs`, `factor.rs` |
//! | the Schwarz preconditioner | `schwarz.rs` |
//! | conjugate gradients on a device, of any backend | `device.rs`, `place.rs` |
//! | LSMR | `lsmr.rs` |
//! | alternating projections | `alternate.rs` |
//! | residuals, effects, and what is left of `A'r` | `columns.rs` |
//! | the normal equations of given sums | `normal.rs` |

mod alternate;
mod cells;
mod columns;
mod conjugate;
mod device;
mod factor;
mod lsmr;
mod normal;
mod options;
mod place;
mod schur;
#[cfg(feature = "schwarz")]
mod schwarz;
mod stripes;
mod sweep;
mod weights;

#[cfg(all(test, feature = "cpu"))]
pub(crate) mod device_tests;
#[cfg(all(test, feature = "cpu"))]
mod tests;

use std::borrow::Cow;
use std::sync::OnceLock;

use self::cells::LevelCells;
use self::device::Device;
use self::factor::Cholesky;
use self::schur::Entries;
use self::sweep::WeightedDesign;
use self::weights::Weights;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::Precision;
use crate::base::progress;

pub use options::{ColumnReport, Solver};
pub(crate) use place::{On, OnHost, Place};

/// The stage of a solver's steps, of at most so many.
const SOLVING: &str = "fixed effects";

/// The stage of one set of columns after another.
const COLUMNS: &str = "columns";

/// One factor: a level for each row; every level in `0..levels` occurs.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    pub codes: Vec<u32>,
    pub levels: usize,
}

#[cfg(test)]
impl Factor {
    /// The factor of these codes, which are all below the number of levels that the largest implies.
    pub fn of(codes: &[u32]) -> Self {
        let levels = codes.iter().max().map_or(0, |last| *last as usize + 1);
        Self { codes: codes.to_vec(), levels }
    }
}

/// How to demean.
#[derive(Clone, Debug)]
pub(crate) struct DemeanOptions {
    pub solver: Solver,
    /// Largest error of a residual, and largest `‖A'r‖`, relative to the norm of the residual.
    pub tolerance: f64,
    pub iterations: usize,
}

impl Default for DemeanOptions {
    /// A tolerance that leaves standard errors seven digits, and more iterations than any but hopeless designs need.
    fn default() -> Self {
        Self { solver: Solver::Auto, tolerance: 1e-8, iterations: 10_000 }
    }
}

/// A column to demean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<'a> {
    pub name: &'a str,
    pub values: &'a [f64],
}

/// Columns without their fixed effects.
#[derive(Clone, Debug)]
pub(crate) struct DemeanedColumns {
    /// `x - D θ`, by column `[n]`.
    pub residuals: Vec<Vec<f64>>,
    /// `θ`, by column `[G]`: levels of the first factor, then of the second, and so on.
    pub effects: Vec<Vec<f64>>,
    pub columns: Vec<ColumnReport>,
    /// What was done: `means`, `balanced`, `cg`, `lsmr`, `map` or `schwarz`.
    pub solver: &'static str,
    /// The device that iterated; none where the host did all.
    pub device: Option<String>,
    /// Whether the host went on where the device got no further.
    pub host: bool,
    pub warnings: Vec<DidWarning>,
}

/// What is done for a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemeanMethod {
    Means,
    Balanced,
    Cg,
    Lsmr,
    Map,
    #[cfg(feature = "schwarz")]
    Schwarz,
}

impl DemeanMethod {
    fn name(self) -> &'static str {
        match self {
            Self::Means => "means",
            Self::Balanced => "balanced",
            Self::Cg => "cg",
            Self::Lsmr => "lsmr",
            Self::Map => "map",
            #[cfg(feature = "schwarz")]
            Self::Schwarz => "schwarz",
        }
    }
}

/// Factors and weights, prepared.
#[derive(Debug)]
pub(crate) struct Demeaner<'a> {
    factors: &'a [Factor],
    options: DemeanOptions,
    design: WeightedDesign<'a>,
    method: DemeanMethod,
    /// The normal equations written out, once they were needed.
    entries: OnceLock<Option<Entries>>,
    /// A factor of them, once it was needed.
    factor: OnceLock<Option<Cholesky>>,
    /// The preconditioner, once it was needed.
    #[cfg(feature = "schwarz")]
    schwarz: OnceLock<schwarz::Schwarz>,
    /// The device that iterates, if one does.
    device: Option<Device>,
    place: &'a dyn Place,
}

impl<'a> Demeaner<'a> {
    /// Prepares factors for rows with these weights, all of them positive; rows are sorted by one of the factors, by that of
    /// most levels at best.
    ///
    /// Conjugate gradients, and LSMR in double precision, run on the device, if its backend has [a way](DidBackend::levels); all else is the host's.
    ///
    /// # Errors
    /// What [`DidBackend::probe`] finds, [`DidError::Engine`] for rows in another order, and [`DidError::TooManyValues`] for more rows or levels than 2^32.
    pub fn new(
        factors: &'a [Factor],
        weights: Option<&'a [f64]>,
        options: &DemeanOptions,
        place: &'a dyn Place,
    ) -> Result<Self> {
        place.probe()?;
        let rows = factors.first().map_or(0, |f| f.codes.len());
        let levels: usize = factors.iter().map(|f| f.levels).sum();
        let limit = u32::MAX as usize;
        if rows.max(levels) >= limit {
            let distinct = rows.max(levels);
            let (column, role) = ("rows and levels".into(), "fixed effects");
            return Err(DidError::TooManyValues { column, role, distinct, limit });
        }
        let cells = LevelCells::new(factors, rows).map_err(|cells::Unordered| {
            DidError::Engine { problem: "rows are sorted by none of the fixed effects".into() }
        })?;
        let weights = Weights::new(&cells, weights.map(Cow::Borrowed));
        let design = WeightedDesign { cells, weights };
        let method = method(&design, options.solver)?;
        let mut demeaner = Self {
            factors,
            options: options.clone(),
            design,
            method,
            entries: OnceLock::new(),
            factor: OnceLock::new(),
            #[cfg(feature = "schwarz")]
            schwarz: OnceLock::new(),
            device: None,
            place,
        };
        demeaner.hold()?;
        Ok(demeaner)
    }

    /// Has the device hold the design with its weights, where it is to iterate.
    fn hold(&mut self) -> Result<()> {
        // In single precision LSMR does not refine what it found, so that it is the host's.
        let double = self.place.precision() == Precision::F64;
        if self.method != DemeanMethod::Cg && !(self.method == DemeanMethod::Lsmr && double) {
            self.device = None;
            return Ok(());
        }
        match &mut self.device {
            Some(device) => device.weigh(&self.design),
            None => {
                self.device = Device::hold(&self.design, self.place)?;
                Ok(())
            }
        }
    }

    /// Other weights for the same rows.
    ///
    /// # Errors
    /// [`DidError::Engine`] if there is not one for each row, and [`DidError::Config`] for a solver that this build lacks, and what the device reports.
    pub fn weigh(&mut self, weights: Vec<f64>) -> Result<()> {
        if weights.len() != self.design.cells.rows {
            let (got, rows) = (weights.len(), self.design.cells.rows);
            return Err(DidError::Engine { problem: format!("{got} weights for {rows} rows") });
        }
        self.design.weights = Weights::new(&self.design.cells, Some(Cow::Owned(weights)));
        self.method = method(&self.design, self.options.solver)?;
        self.entries = OnceLock::new();
        self.factor = OnceLock::new();
        #[cfg(feature = "schwarz")]
        {
            self.schwarz = OnceLock::new();
        }
        self.hold()
    }

    /// Residuals and effects of columns `[n]`. `start` are effects `[G]` by column to begin with.
    ///
    /// # Errors
    /// [`DidError::NotDemeaned`] for a column that does not converge, [`DidError::CovariateRange`] for one whose squares overflow
    /// or underflow, and what the device reports.
    pub fn demean(
        &self,
        columns: &[Column<'_>],
        start: Option<&[Vec<f64>]>,
    ) -> Result<DemeanedColumns> {
        let mut out = DemeanedColumns {
            residuals: Vec::with_capacity(columns.len()),
            effects: Vec::with_capacity(columns.len()),
            columns: Vec::with_capacity(columns.len()),
            solver: self.method.name(),
            device: None,
            host: false,
            warnings: Vec::new(),
        };
        let device = self.device.as_ref();
        let most = device.map_or(8, Device::columns);
        let mut done = 0;
        while done < columns.len() {
            let remaining = &columns[done..];
            let start = start.map(|s| &s[done..]);
            done += match remaining.len().min(most) {
                1 => self.demean_set::<1>(remaining, start, &mut out)?,
                2 => self.demean_set::<2>(remaining, start, &mut out)?,
                3 | 4 => self.demean_set::<4>(remaining, start, &mut out)?,
                _ => self.demean_set::<8>(remaining, start, &mut out)?,
            };
            if done < columns.len() {
                progress::tell(COLUMNS, done as u64, columns.len() as u64);
            }
        }
        out.device = device.map(|device| device.name.clone());
        Ok(out)
    }
}

#[cfg(feature = "schwarz")]
impl Demeaner<'_> {
    fn schwarz(&self) -> Result<&schwarz::Schwarz> {
        if self.schwarz.get().is_none() {
            let built = schwarz::Schwarz::new(self.factors, &self.design)?;
            return Ok(self.schwarz.get_or_init(|| built));
        }
        self.schwarz.get().ok_or_else(|| DidError::Engine { problem: "no preconditioner".into() })
    }
}

/// What a design needs.
fn method(design: &WeightedDesign<'_>, solver: Solver) -> Result<DemeanMethod> {
    Ok(match (design.cells.others(), solver) {
        (0, _) => DemeanMethod::Means,
        (1, Solver::Auto) if balanced(design) => DemeanMethod::Balanced,
        (_, Solver::Auto | Solver::Cg) => DemeanMethod::Cg,
        (_, Solver::Lsmr) => DemeanMethod::Lsmr,
        (_, Solver::Map) => DemeanMethod::Map,
        #[cfg(feature = "schwarz")]
        (_, Solver::Schwarz) => DemeanMethod::Schwarz,
        #[cfg(not(feature = "schwarz"))]
        (_, Solver::Schwarz) => {
            return Err(DidError::config(
                "solver",
                "auto, cg, lsmr or map in a build without the feature `schwarz`",
                "schwarz",
            ));
        }
    })
}

/// Whether all levels of two factors occur together, with weights that are products of theirs: then the effects of the second
/// are means of what the first leaves.
fn balanced(design: &WeightedDesign<'_>) -> bool {
    let (cells, weights) = (&design.cells, &design.weights);
    if cells.cells() != cells.segments() * cells.width() {
        return false;
    }
    let total: f64 = weights.lead.iter().sum();
    let by_cell = weights.cells();
    (0..cells.segments()).all(|s| {
        cells.segment(s).zip(&weights.rest).all(|(cell, level)| {
            let product = weights.lead[s] * level;
            let weight_of_cell = by_cell.map_or(1.0, |w| w[cell]) * total;
            cells.codes[cell] as usize == cell - cells.segment(s).start
                && (weight_of_cell - product).abs() <= 4.0 * f64::EPSILON * product
        })
    })
}
