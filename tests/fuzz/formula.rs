//! Covariate formulas with the columns that they stand for, written out by hand.

/// Covariates of one row as they are in the data; `None` if missing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Raw {
    pub x1: Option<f64>,
    pub x2: Option<f64>,
    /// Changes over time.
    pub v: Option<f64>,
    /// One of a few levels.
    pub f: Option<u8>,
}

/// A group of design columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    One,
    X1,
    X2,
    V,
    X1Squared,
    X1X2,
    /// Twice the first: collinear.
    TwiceX1,
    /// Dummies of all levels but the first.
    F,
    /// Dummies of all levels.
    AllOfF,
    /// The first covariate times the dummies of all levels but the first.
    X1F,
}

/// A formula.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    pub text: &'static str,
    /// Distinct columns of the data.
    pub variables: usize,
    pub pieces: &'static [Piece],
}

use Piece::{AllOfF, F, One, TwiceX1, V, X1, X1F, X1Squared, X1X2, X2};

const fn formula(text: &'static str, variables: usize, pieces: &'static [Piece]) -> Formula {
    Formula { text, variables, pieces }
}

/// No covariates.
pub const CONSTANT: Formula = formula("~ 1", 0, &[One]);

/// Formulas of one to three covariates.
pub const COVARIATES: [Formula; 15] = [
    formula("~ x1", 1, &[One, X1]),
    formula("~ x1 + x2", 2, &[One, X1, X2]),
    formula("~ x1 + v", 2, &[One, X1, V]),
    formula("~ v", 1, &[One, V]),
    formula("~ x1 + x2 + v", 3, &[One, X1, X2, V]),
    formula("~ x1 * x2", 2, &[One, X1, X2, X1X2]),
    formula("~ x1 + I(x1^2)", 1, &[One, X1, X1Squared]),
    formula("~ x1 + f", 2, &[One, X1, F]),
    formula("~ C(k)", 1, &[One, F]),
    formula("~ x1 * f", 2, &[One, X1, F, X1F]),
    formula("~ v + x1:x2", 3, &[One, V, X1X2]),
    formula("~ 0 + x1 + x2", 2, &[X1, X2]),
    formula("~ x1 - 1", 1, &[X1]),
    formula("~ 0 + f + x2", 2, &[AllOfF, X2]),
    formula("~ x1 + I(2 * x1) + x2", 2, &[One, X1, TwiceX1, X2]),
];

impl Formula {
    pub fn is_constant(&self) -> bool {
        self.pieces == [One]
    }

    pub fn has_constant(&self) -> bool {
        self.pieces.first() == Some(&One)
    }

    /// Whether all covariates of the formula have a value.
    pub fn is_complete(&self, raw: &Raw) -> bool {
        self.pieces.iter().all(|piece| match piece {
            One => true,
            X1 | X1Squared | TwiceX1 => raw.x1.is_some(),
            X2 => raw.x2.is_some(),
            V => raw.v.is_some(),
            X1X2 => raw.x1.is_some() && raw.x2.is_some(),
            F | AllOfF => raw.f.is_some(),
            X1F => raw.x1.is_some() && raw.f.is_some(),
        })
    }

    /// Design columns of a row; `levels` are those of the sample, ascending.
    pub fn columns(&self, raw: &Raw, levels: &[u8]) -> Vec<f64> {
        let [x1, x2, v] = [raw.x1, raw.x2, raw.v].map(Option::unwrap_or_default);
        let dummies = |skip: usize, value: f64| -> Vec<f64> {
            let dummy = |level: &u8| if raw.f == Some(*level) { value } else { 0.0 };
            levels.iter().skip(skip).map(dummy).collect()
        };
        self.pieces
            .iter()
            .flat_map(|piece| match piece {
                One => vec![1.0],
                X1 => vec![x1],
                X2 => vec![x2],
                V => vec![v],
                X1Squared => vec![x1 * x1],
                X1X2 => vec![x1 * x2],
                TwiceX1 => vec![2.0 * x1],
                F => dummies(1, 1.0),
                AllOfF => dummies(0, 1.0),
                X1F => dummies(1, x1),
            })
            .collect()
    }
}
