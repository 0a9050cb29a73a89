//! The columns of a dose in the chunks.

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::base::splines::Splines;
use crate::engine::pass::TILE;

/// How the columns of a stratum follow from the versions of a dose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Expansion {
    /// Version with which the units of each stratum are treated; their columns are zero without.
    versions: Vec<Option<usize>>,
    /// Splines of each stratum and the number of functions of any, at most; the dose itself is the column without.
    splines: Option<(Vec<Option<Splines>>, usize)>,
}

impl Expansion {
    pub(super) fn new(
        versions: Vec<Option<usize>>,
        splines: Option<(Vec<Option<Splines>>, usize)>,
    ) -> Self {
        Self { versions, splines }
    }

    /// Whether it has this number of strata.
    #[cfg(feature = "cluster")]
    pub fn is_of(&self, strata: usize) -> bool {
        let fits = |(splines, functions): &(Vec<Option<Splines>>, usize)| {
            let known = |s: &Splines| s.is_valid() && s.len() <= *functions;
            splines.len() == strata && splines.iter().flatten().all(known)
        };
        self.versions.len() == strata && self.splines.as_ref().is_none_or(fits)
    }

    /// Columns of a stratum.
    pub fn columns(&self) -> usize {
        self.splines.as_ref().map_or(1, |(_, functions)| 2 * (functions - 1))
    }

    /// The columns `[columns, rows]` of some rows of a stratum, from the versions `[V, rows]` of their dose: the splines from
    /// the second on, then the derivatives of these.
    ///
    /// # Errors
    /// [`DidError::Engine`] if it knows no such stratum, or the rows have no such version.
    pub fn columns_of(&self, stratum: usize, rows: usize, doses: &[f64]) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.columns() * rows];
        let version = self.versions.get(stratum).copied().ok_or_else(foreign)?;
        let (Some(version), true) = (version, rows > 0) else { return Ok(out) };
        let doses = doses.get(version * rows..(version + 1) * rows).ok_or_else(foreign)?;
        let Some((splines, functions)) = &self.splines else {
            out.copy_from_slice(doses);
            return Ok(out);
        };
        let Some(splines) = splines.get(stratum).ok_or_else(foreign)? else { return Ok(out) };
        let tile = |t: usize| {
            let doses = &doses[parallel::part(t, TILE, rows)];
            (doses.len(), block(splines, *functions, doses))
        };
        let tiles = parallel::map(rows.div_ceil(TILE), tile);
        for (t, (n, block)) in tiles.iter().enumerate() {
            for (column, values) in out.chunks_exact_mut(rows).zip(block.chunks_exact(*n)) {
                column[t * TILE..t * TILE + n].copy_from_slice(values);
            }
        }
        Ok(out)
    }
}

fn foreign() -> DidError {
    DidError::Engine { problem: "the doses to be expanded are those of another sample".into() }
}

/// The columns of some doses.
fn block(splines: &Splines, functions: usize, doses: &[f64]) -> Vec<f64> {
    let n = doses.len();
    let mut out = vec![0.0; 2 * (functions - 1) * n];
    let mut local = vec![0.0; splines.degree() + 1];
    for (order, columns) in out.chunks_exact_mut((functions - 1) * n).enumerate() {
        for (row, dose) in doses.iter().enumerate() {
            let first = splines.nonzero(*dose, order, &mut local);
            for (j, value) in (first..).zip(&local) {
                if j > 0 {
                    columns[(j - 1) * n + row] = *value;
                }
            }
        }
    }
    out
}
