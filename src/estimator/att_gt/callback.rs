//! User-supplied two-by-two estimators, on the host.

use crate::base::error::{DidError, Result};
use crate::base::options::{Precision, SharesOf};
use crate::base::parallel;
use crate::engine::backend::host::{self, Sink};
use crate::engine::cell::{Outcome, PlannedCell, Side, TRIM};
use crate::engine::pass::{Consumers, InfluenceStat, Weight};
use crate::estimator::group_time::finish::SolvedCell;
use crate::estimator::shell::kept::{KeptValues, ValuesHere};
use crate::read::panel::{Panel, Sample, StratumData};
use crate::result::estimates::CellStatus;

/// One cell of a panel: an entry of each slice a unit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PanelCell<'a> {
    /// Outcome in the cell's period, `[n]`.
    pub y1: &'a [f64],
    /// Outcome in the base period, `[n]`.
    pub y0: &'a [f64],
    /// 1 if treated, else 0, `[n]`.
    pub d: &'a [f64],
    /// Design `[k, n]`, one column after the other, the constant first if the formula has one.
    pub x: &'a [f64],
    /// Sampling weights, `[n]`.
    pub w: &'a [f64],
}

/// One cell of repeated cross sections: an entry of each slice a row.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RepeatedCell<'a> {
    /// Outcome, `[n]`.
    pub y: &'a [f64],
    /// 1 in the cell's period, 0 in the base period, `[n]`.
    pub post: &'a [f64],
    /// 1 if treated, else 0, `[n]`.
    pub d: &'a [f64],
    /// Design `[k, n]`, one column after the other, the constant first if the formula has one.
    pub x: &'a [f64],
    /// Sampling weights, `[n]`.
    pub w: &'a [f64],
}

/// What a two-by-two estimator returns.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TwoByTwoEstimate {
    /// Effect.
    pub att: f64,
    /// Influence values `ψ`, `[n]`, in the order of the input: the variance of the effect is `Σ ψ² / n²`.
    pub influence: Vec<f64>,
}

impl TwoByTwoEstimate {
    /// An effect with its influence values.
    #[must_use]
    pub fn new(att: f64, influence: Vec<f64>) -> Self {
        Self { att, influence }
    }
}

/// A two-by-two estimator in place of the built-in ones. An error makes the cell carry its message.
///
/// ```
/// use burn_did::{AttGt, backend::Cpu, data, group_time::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate}};
///
/// /// The difference of mean changes.
/// struct Means;
///
/// impl TwoByTwo for Means {
///     fn panel(&self, cell: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
///         let n = cell.d.len();
///         let change = |i: usize| cell.y1[i] - cell.y0[i];
///         let share = |arm: f64| cell.d.iter().filter(|d| **d == arm).count() as f64 / n as f64;
///         let mean = |arm: f64| {
///             let of_arm = (0..n).filter(|i| cell.d[*i] == arm);
///             of_arm.map(change).sum::<f64>() / (share(arm) * n as f64)
///         };
///         let psi = |i: usize| {
///             let sign = if cell.d[i] == 1.0 { 1.0 } else { -1.0 };
///             sign * (change(i) - mean(cell.d[i])) / share(cell.d[i])
///         };
///         let influence = (0..n).map(psi).collect();
///         Ok(TwoByTwoEstimate::new(mean(1.0) - mean(0.0), influence))
///     }
///
///     fn repeated(&self, _: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
///         Err("a balanced panel is needed".into())
///     }
/// }
///
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let config = config.group("first.treat").build();
/// let by_callback = config.fit_with(&data::mpdta(), &Means)?;
/// // Without covariates the built-in estimators are the same.
/// let built_in = config.fit(&data::mpdta())?;
/// let (a, b) = (by_callback.cells[0].estimate.se.unwrap(), built_in.cells[0].estimate.se.unwrap());
/// assert!((a - b).abs() < 1e-12);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[doc(alias = "est_method")]
pub trait TwoByTwo: Sync {
    /// Estimates a cell of a balanced panel.
    ///
    /// # Errors
    /// A message for the cell's status.
    fn panel(&self, cell: &PanelCell<'_>) -> std::result::Result<TwoByTwoEstimate, String>;

    /// Estimates a cell of repeated cross sections or of an unbalanced panel.
    ///
    /// # Errors
    /// A message for the cell's status.
    fn repeated(&self, cell: &RepeatedCell<'_>) -> std::result::Result<TwoByTwoEstimate, String>;
}

/// Point estimates of all cells, the sums over their influence values, and the values if they are kept.
type Estimation =
    (Vec<std::result::Result<SolvedCell, CellStatus>>, InfluenceStat, Option<KeptValues>);

/// Influence values of a cell by stratum, `[n]` each.
type ByStratum = Vec<(usize, Vec<f64>)>;

/// Estimates of all cells, and the sums over their influence values.
pub(crate) fn estimate(
    panel: &Panel,
    cells: &[PlannedCell],
    consumers: Consumers,
    estimator: &dyn TwoByTwo,
) -> Result<Estimation> {
    let strata = panel.resident()?;
    let done = parallel::map(cells.len(), |cell| match &cells[cell].status {
        Some(status) => Ok(Err(status.clone())),
        None => estimate_cell(&panel.sample, strata, &cells[cell], estimator),
    });
    let done: Vec<_> = done.into_iter().collect::<Result<_>>()?;
    let mut columns: Vec<Vec<(usize, Vec<f64>)>> = vec![Vec::new(); strata.len()];
    let mut solved = Vec::with_capacity(cells.len());
    for (j, cell) in done.into_iter().enumerate() {
        solved.push(cell.map(|(att, influence)| {
            let unknown = influence.is_none();
            for (stratum, values) in influence.into_iter().flatten() {
                columns[stratum].push((j, values));
            }
            SolvedCell { att, not_converged: false, sample_sd: false, unknown, overlap: None }
        }));
    }
    let (stat, kept) = consume(&panel.sample, strata, cells.len(), columns, consumers)?;
    Ok((solved, stat, kept))
}

/// One cell's rows, gathered from the strata.
#[derive(Default)]
struct Gathered {
    y: [Vec<f64>; 2],
    post: Vec<f64>,
    d: Vec<f64>,
    x: Vec<Vec<f64>>,
    w: Vec<f64>,
    /// Stratum and row of each observation.
    from: Vec<(usize, usize)>,
}

/// The estimate of a cell, and its influence values if they are finite.
fn estimate_cell(
    sample: &Sample,
    strata: &[StratumData],
    cell: &PlannedCell,
    estimator: &dyn TwoByTwo,
) -> Result<std::result::Result<(f64, Option<ByStratum>), CellStatus>> {
    let mut rows = Gathered::default();
    for (t, side) in cell.sides.iter().enumerate() {
        rows.add_side(sample, strata, side, t as f64);
    }
    let x: Vec<f64> = rows.x.concat();
    let answer = if cell.sides.len() == 1 {
        let [y0, y1] = &rows.y;
        estimator.panel(&PanelCell { y1, y0, d: &rows.d, x: &x, w: &rows.w })
    } else {
        let (y, post) = (&rows.y[1], &rows.post);
        estimator.repeated(&RepeatedCell { y, post, d: &rows.d, x: &x, w: &rows.w })
    };
    let answer = match answer {
        Err(message) => return Ok(Err(CellStatus::Estimator { message })),
        Ok(answer) if !answer.att.is_finite() => {
            let message = "the estimate is not finite".into();
            return Ok(Err(CellStatus::Estimator { message }));
        }
        Ok(answer) => answer,
    };
    let n = rows.from.len();
    if answer.influence.len() != n {
        return Err(DidError::Callback {
            group: sample.cohorts[cell.cohort].group,
            time: sample.periods[cell.time],
            expected: n,
            got: answer.influence.len(),
        });
    }
    if answer.influence.iter().any(|psi| !psi.is_finite()) {
        return Ok(Ok((answer.att, None)));
    }
    let mut by_stratum: ByStratum = Vec::new();
    for ((stratum, row), psi) in rows.from.iter().zip(&answer.influence) {
        let at = by_stratum.iter().position(|(s, _)| s == stratum).unwrap_or_else(|| {
            by_stratum.push((*stratum, vec![0.0; strata[*stratum].rows]));
            by_stratum.len() - 1
        });
        by_stratum[at].1[*row] += psi / n as f64;
    }
    Ok(Ok((answer.att, Some(by_stratum))))
}

impl Gathered {
    fn add_side(&mut self, sample: &Sample, strata: &[StratumData], side: &Side, post: f64) {
        let design = &sample.design;
        let arms = side.treated.iter().map(|p| (p, 1.0));
        for (part, d) in arms.chain(side.control.iter().map(|p| (p, 0.0))) {
            let stratum = &strata[part.stratum];
            let rows: Vec<usize> =
                (0..stratum.rows).filter(|i| weight(stratum, part.presence, *i) > 0.0).collect();
            let y = |column: usize| {
                rows.iter().map(move |i| stratum.y[column * stratum.rows + i]).collect::<Vec<_>>()
            };
            match side.outcome {
                Outcome::Change { post, base } => {
                    self.y[0].extend(y(base));
                    self.y[1].extend(y(post));
                }
                Outcome::Level(column) => self.y[1].extend(y(column)),
            }
            self.post.extend(rows.iter().map(|_| post));
            self.d.extend(rows.iter().map(|_| d));
            self.w.extend(rows.iter().map(|i| weight(stratum, part.w, *i)));
            self.from.extend(rows.iter().map(|i| (part.stratum, *i)));
            let first = usize::from(!design.intercept);
            self.x.resize(design.k() - first, Vec::new());
            for (j, out) in (first..design.k()).zip(&mut self.x) {
                let kx = design.k() - 1;
                out.extend(rows.iter().map(|i| match j {
                    0 => 1.0,
                    _ => stratum.x[(part.x * kx + j - 1) * stratum.rows + i],
                }));
            }
        }
    }
}

fn weight(stratum: &StratumData, weight: Weight, row: usize) -> f64 {
    let column = |j: usize| stratum.w[j * stratum.rows + row];
    match weight {
        Weight::Ones => 1.0,
        Weight::Column(j) => column(j),
        Weight::Product(i, j) => column(i) * column(j),
    }
}

/// Feeds the given influence values, and the group shares, to the consumers.
fn consume(
    sample: &Sample,
    strata: &[StratumData],
    cells: usize,
    columns: Vec<Vec<(usize, Vec<f64>)>>,
    consumers: Consumers,
) -> Result<(InfluenceStat, Option<KeptValues>)> {
    let none = (0..cells).map(|_| None);
    let pass = crate::engine::cell::influence_pass(
        sample,
        none,
        SharesOf::default(),
        consumers,
        Precision::F64,
        TRIM,
    );
    let mut stat = InfluenceStat::zero(pass.columns, &consumers);
    let mut kept_values = consumers.keep_rows.then(|| ValuesHere::new(sample, cells));
    for (s, (data, given)) in strata.iter().zip(columns).enumerate() {
        let share = pass.strata[s].share;
        let active: Vec<usize> =
            given.iter().map(|(j, _)| *j).chain(share.map(|s| s.column)).collect();
        let sink = Sink { active: &active, consumers: &consumers };
        let form = |tile: &std::ops::Range<usize>, block: &mut [f64]| {
            let mut blocks = block.chunks_exact_mut(tile.len());
            for ((_, values), out) in given.iter().zip(&mut blocks) {
                out.copy_from_slice(&values[tile.clone()]);
            }
            if let (Some(share), Some(out)) = (share, blocks.next()) {
                for (i, o) in tile.clone().zip(out) {
                    *o = weight(data, share.w, i) * share.scale;
                }
            }
        };
        let rows = host::consume(data.rows, &data.rank, &data.cluster, form, &sink, &mut stat);
        if let (Some(kept_values), Some(rows)) = (&mut kept_values, rows) {
            kept_values.keep(&rows)?;
        }
    }
    Ok((stat, kept_values.map(KeptValues::Here)))
}
