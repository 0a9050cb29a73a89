//! The estimators once more, from the papers and as slowly as one likes: loops over units, dense matrices, and nothing of the
//! library. Notation of Sant'Anna and Zhao (2020): `w` sampling weight, `p` propensity score, `q` its odds, `u` influence with
//! `Var = Σ u²`.

pub mod affine;
pub mod aggregate;
pub mod cells;
#[cfg(test)]
mod derivatives;
pub mod dose;
pub mod inequalities;
pub mod linear;
pub mod logit;
pub mod overlap;
pub mod panel;
pub mod sample;
pub mod score;
pub mod sections;
pub mod switching;
pub mod triple;
pub mod twfe;

/// Two-by-two estimators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Regression,
    Ipw,
    HorvitzThompson,
    DoublyRobust,
    Improved,
}

impl Method {
    pub fn has_score(self) -> bool {
        self != Self::Regression
    }

    pub fn has_regression(self) -> bool {
        matches!(self, Self::Regression | Self::DoublyRobust | Self::Improved)
    }
}

/// How a comparison is made.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub method: Method,
    /// Whether a propensity score of 0.999 fails the cell.
    pub guarded: bool,
    pub trim: f64,
    /// Whether repeated cross sections model the treated rows too.
    pub efficient: bool,
}

/// Rows of a comparison. `post` is empty for a panel, whose outcomes are changes.
#[derive(Default)]
pub struct Rows {
    /// Covariates as they are, in which rank is judged.
    pub raw: Vec<Vec<f64>>,
    /// Whether rank is judged in centred and scaled covariates instead.
    pub scaled_rank: bool,
    /// Covariates to calculate with.
    pub x: Vec<Vec<f64>>,
    pub d: Vec<bool>,
    pub w: Vec<f64>,
    pub y: Vec<f64>,
    pub post: Vec<bool>,
}

/// An estimate with the influence of every row.
#[derive(Clone, Debug, Default)]
pub struct Did {
    pub att: f64,
    pub u: Vec<f64>,
    /// Relative error that double precision may leave in a program that forms cross-products.
    pub loss: f64,
    /// Whether propensity scores are estimated, and some of them nearly one.
    pub scored: bool,
    pub extreme: bool,
    /// Whether the likelihood has no maximum, and the scores are its limit.
    pub limit: bool,
    /// Whether the calibration was solved; true where there is none.
    pub calibrated: bool,
    /// Of a single comparison.
    pub overlap: Option<overlap::Overlap>,
}

impl Did {
    /// Relative distance of standard errors that two good programs may have. An information matrix may be that of the step
    /// before the last one, which is of size 1e-9.
    pub fn precision(&self) -> f64 {
        (if self.scored { 5e-8 } else { 1e-9 }) + 300.0 * self.loss
    }
}

/// Why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    NoTreated,
    NoControls,
    Overlap,
    Singular,
    /// Both of these.
    SingularOrOverlap,
    NoWeight,
    /// At a threshold: programs may differ.
    Undecided(&'static str),
}

/// `1 / (‖K‖₁ ‖K⁻¹‖₁)` below which cross-products are singular.
pub const SINGULAR: f64 = f64::EPSILON;

/// Largest standard error that counts as none.
pub const DEGENERATE: f64 = 1.490_116_119_384_765_6e-7;

impl Rows {
    pub fn len(&self) -> usize {
        self.d.len()
    }

    /// Sets the covariates to calculate with: less their means, if one of the columns is a constant.
    pub fn centre(&mut self, constant: bool) {
        self.x.clone_from(&self.raw);
        let n = self.x.len() as f64;
        for j in usize::from(constant)..self.x.first().map_or(0, Vec::len) {
            let mean = self.x.iter().map(|x| x[j]).sum::<f64>() / n;
            if constant {
                self.x.iter_mut().for_each(|x| x[j] -= mean);
            }
        }
    }

    pub fn x(&self) -> Vec<&[f64]> {
        self.x.iter().map(Vec::as_slice).collect()
    }

    /// Positions of the rows of an arm (and period).
    pub fn arm(&self, treated: bool, post: Option<bool>) -> Vec<usize> {
        let in_period = |i: usize| post.is_none_or(|post| self.post[i] == post);
        (0..self.len()).filter(|i| self.d[*i] == treated && in_period(*i)).collect()
    }

    /// `Σ v x` over rows.
    pub fn total(&self, on: &[usize], v: &[f64]) -> Vec<f64> {
        let k = self.x.first().map_or(0, Vec::len);
        (0..k).map(|j| on.iter().map(|i| v[*i] * self.x[*i][j]).sum()).collect()
    }

    /// Regression over some rows with these weights; fails by the rule of rank.
    pub fn regression(&self, on: &[usize], v: &[f64]) -> Result<linear::Regression, Failure> {
        let pick = |values: &[f64]| on.iter().map(|i| values[*i]).collect::<Vec<f64>>();
        let x: Vec<&[f64]> = on.iter().map(|i| self.x[*i].as_slice()).collect();
        let fit = linear::regress(&x, &pick(v), &pick(&self.y));
        let raw: Vec<&[f64]> = on.iter().map(|i| self.raw[*i].as_slice()).collect();
        let raw = linear::factor(&raw, &pick(v)).reciprocal_condition();
        self.judge(raw, fit.factor.scaled_reciprocal_condition())?;
        Ok(fit)
    }

    /// The rule of rank of these rows, given the reciprocal condition in the units of the columns, and that of scaled columns.
    pub fn judge(&self, raw: f64, scaled: f64) -> Result<(), Failure> {
        judge(if self.scaled_rank { 1.0 } else { raw }, scaled)
    }
}

/// The rule of rank: in the units of the columns, except at the threshold.
pub fn judge(raw: f64, scaled: f64) -> Result<(), Failure> {
    const NEAR: Failure = Failure::Undecided("a regression is nearly singular");
    match (raw, scaled) {
        (_, scaled) if scaled < 1e-19 => Err(Failure::Singular),
        (_, scaled) if scaled < 1e-13 => Err(NEAR),
        (raw, _) if raw < SINGULAR / 4.0 => Err(Failure::Singular),
        (raw, _) if raw < SINGULAR * 4.0 => Err(NEAR),
        _ => Ok(()),
    }
}
