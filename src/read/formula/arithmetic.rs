//! Arithmetic on whole columns, a cache-sized block of rows at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{Expr, Function, Operator};
use super::column::{MISSING, RawColumn};
use super::{BLOCK, Formula};
use crate::base::error::{DidError, Result};
use crate::base::parallel;

/// Rows that one task computes.
const PART: usize = 16 * BLOCK;

/// Values of an expression on `rows` rows, `columns` being keyed by variable.
///
/// # Errors
/// [`DidError::ColumnType`] if it uses a column of strings or categories.
pub(super) fn evaluate(
    formula: &Formula,
    expr: &Expr,
    columns: &BTreeMap<usize, Arc<RawColumn>>,
    rows: usize,
) -> Result<Vec<f64>> {
    let kernel = Kernel::compile(formula, expr, columns)?;
    let mut out = vec![0.0; rows];
    parallel::chunks(&mut out, PART, |part, out| {
        let mut spare = Vec::new();
        for (first, out) in (part * PART..).step_by(BLOCK).zip(out.chunks_mut(BLOCK)) {
            kernel.run(first, out, &mut spare);
        }
    });
    Ok(out)
}

/// An expression with its columns at hand and its constants folded.
enum Kernel<'a> {
    Constant(f64),
    Numeric(&'a [f64]),
    /// A boolean as 0 and 1.
    Boolean(&'a [u32]),
    Negate(Box<Self>),
    Map(Function, Box<Self>),
    ScalarRight(Operator, Box<Self>, f64),
    ScalarLeft(Operator, f64, Box<Self>),
    Pair(Operator, Box<Self>, Box<Self>),
}

impl<'a> Kernel<'a> {
    fn compile(
        formula: &Formula,
        expr: &Expr,
        columns: &'a BTreeMap<usize, Arc<RawColumn>>,
    ) -> Result<Self> {
        let compile = |inner: &Expr| Self::compile(formula, inner, columns);
        Ok(match expr {
            Expr::Number(value) => Self::Constant(*value),
            Expr::Column(variable) => match &*columns[variable] {
                RawColumn::Numeric(values) => Self::Numeric(values),
                RawColumn::Factor { codes, levels } if *levels == ["FALSE", "TRUE"] => {
                    Self::Boolean(codes)
                }
                RawColumn::Factor { .. } => return Err(not_numeric(&formula.variables[*variable])),
            },
            Expr::Group(inner) => compile(inner)?,
            Expr::Negate(inner) => match compile(inner)? {
                Self::Constant(value) => Self::Constant(-value),
                inner => Self::Negate(Box::new(inner)),
            },
            Expr::Call(function, inner) => Self::map(*function, compile(inner)?),
            Expr::Binary(operator, left, right) => {
                Self::binary(*operator, compile(left)?, compile(right)?)
            }
        })
    }

    fn map(function: Function, inner: Self) -> Self {
        match (function, inner) {
            (Function::AsIs, inner) => inner,
            (function, Self::Constant(mut value)) => {
                function.apply(std::slice::from_mut(&mut value));
                Self::Constant(value)
            }
            (function, inner) => Self::Map(function, Box::new(inner)),
        }
    }

    fn binary(operator: Operator, left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Constant(mut left), Self::Constant(right)) => {
                operator.apply_scalar(std::slice::from_mut(&mut left), right);
                Self::Constant(left)
            }
            (left, Self::Constant(right)) => Self::ScalarRight(operator, Box::new(left), right),
            (Self::Constant(left), right) => Self::ScalarLeft(operator, left, Box::new(right)),
            (left, right) => Self::Pair(operator, Box::new(left), Box::new(right)),
        }
    }

    /// Values of rows `start..start + out.len()`; `spare` keeps blocks for reuse.
    fn run(&self, start: usize, out: &mut [f64], spare: &mut Vec<Vec<f64>>) {
        let rows = start..start + out.len();
        match self {
            Self::Constant(value) => out.fill(*value),
            Self::Numeric(values) => out.copy_from_slice(&values[rows]),
            Self::Boolean(codes) => {
                for (out, code) in out.iter_mut().zip(&codes[rows]) {
                    *out = if *code == MISSING { f64::NAN } else { f64::from(*code) };
                }
            }
            Self::Negate(inner) => {
                inner.run(start, out, spare);
                map(out, |value| -value);
            }
            Self::Map(function, inner) => {
                inner.run(start, out, spare);
                function.apply(out);
            }
            Self::ScalarRight(operator, inner, scalar) => {
                inner.run(start, out, spare);
                operator.apply_scalar(out, *scalar);
            }
            Self::ScalarLeft(operator, scalar, inner) => {
                inner.run(start, out, spare);
                operator.apply_to_scalar(*scalar, out);
            }
            Self::Pair(operator, left, right) => {
                left.run(start, out, spare);
                let mut other = spare.pop().unwrap_or_default();
                other.resize(out.len(), 0.0);
                right.run(start, &mut other, spare);
                operator.apply(out, &other);
                spare.push(other);
            }
        }
    }
}

fn not_numeric(column: &str) -> DidError {
    DidError::ColumnType {
        column: column.to_owned(),
        role: "covariate in arithmetic",
        expected: "numbers or booleans; use the column by itself to get its dummies",
        got: "strings or categories".to_owned(),
    }
}

fn map(values: &mut [f64], f: impl Fn(f64) -> f64) {
    for value in values {
        *value = f(*value);
    }
}

impl Function {
    fn apply(self, values: &mut [f64]) {
        match self {
            Self::AsIs => {}
            Self::Log => map(values, f64::ln),
            Self::Log2 => map(values, f64::log2),
            Self::Log10 => map(values, f64::log10),
            Self::Log1p => map(values, f64::ln_1p),
            Self::Exp => map(values, f64::exp),
            Self::Sqrt => map(values, f64::sqrt),
            Self::Abs => map(values, f64::abs),
        }
    }
}

impl Operator {
    fn apply(self, left: &mut [f64], right: &[f64]) {
        fn zip(left: &mut [f64], right: &[f64], f: impl Fn(f64, f64) -> f64) {
            for (left, right) in left.iter_mut().zip(right) {
                *left = f(*left, *right);
            }
        }
        match self {
            Self::Add => zip(left, right, |a, b| a + b),
            Self::Subtract => zip(left, right, |a, b| a - b),
            Self::Multiply => zip(left, right, |a, b| a * b),
            Self::Divide => zip(left, right, |a, b| a / b),
            Self::Power => zip(left, right, f64::powf),
        }
    }

    fn apply_scalar(self, left: &mut [f64], right: f64) {
        match (self, right) {
            (Self::Add, _) => map(left, |a| a + right),
            (Self::Subtract, _) => map(left, |a| a - right),
            (Self::Multiply, _) => map(left, |a| a * right),
            (Self::Divide, _) => map(left, |a| a / right),
            (Self::Power, 2.0) => map(left, |a| a * a),
            (Self::Power, _) => map(left, |a| a.powf(right)),
        }
    }

    fn apply_to_scalar(self, left: f64, right: &mut [f64]) {
        match self {
            Self::Add => map(right, |b| left + b),
            Self::Subtract => map(right, |b| left - b),
            Self::Multiply => map(right, |b| left * b),
            Self::Divide => map(right, |b| left / b),
            Self::Power => map(right, |b| left.powf(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, rows: usize) -> Vec<f64> {
        let column = |name: &str| {
            Ok(match name {
                "x" => {
                    RawColumn::Numeric((0..rows).map(|i| i as f64 + 1.0).collect::<Vec<_>>().into())
                }
                "z" => {
                    RawColumn::Numeric((0..rows).map(|i| 0.5 - i as f64).collect::<Vec<_>>().into())
                }
                _ => RawColumn::Factor {
                    codes: (0..rows).map(|i| (i % 2) as u32).collect(),
                    levels: vec!["FALSE".to_owned(), "TRUE".to_owned()],
                },
            })
        };
        let evaluated = Formula::parse(text).unwrap().evaluate(rows, &column).unwrap();
        let RawColumn::Numeric(values) = evaluated.atom(0) else { panic!("numeric") };
        values.to_vec()
    }

    #[test]
    fn precedence_is_that_of_r() {
        type Expected = fn(f64, f64) -> f64;
        let cases: [(&str, Expected); 14] = [
            ("I(-x^2)", |x, _| -(x * x)),
            ("I(2^-x)", |x, _| 2_f64.powf(-x)),
            ("I(x^2^3)", |x, _| x.powf(8.0)),
            ("I(x - z - 1)", |x, z| x - z - 1.0),
            ("I(x - (z - 1))", |x, z| x - (z - 1.0)),
            ("I(x / z * 2)", |x, z| x / z * 2.0),
            ("I(1 + x * z)", |x, z| 1.0 + x * z),
            ("I(x * -z)", |x, z| x * -z),
            ("I(x**2)", |x, _| x * x),
            ("log(x + 2 * 3)", |x, _| (x + 6.0).ln()),
            ("exp(log(x) / 2)", |x, _| (x.ln() / 2.0).exp()),
            ("I((x + z) * (x - z) / (1 + x))", |x, z| (x + z) * (x - z) / (1.0 + x)),
            ("I(10 - 4 / x)", |x, _| 10.0 - 4.0 / x),
            ("sqrt(abs(z)) ", |_, z| z.abs().sqrt()),
        ];
        for (text, expected) in cases {
            let found = values(text, 5);
            let expected: Vec<f64> =
                (0..5).map(f64::from).map(|i| expected(i + 1.0, 0.5 - i)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn every_function() {
        type Expected = fn(f64) -> f64;
        let cases: [(&str, Expected); 7] = [
            ("log", f64::ln),
            ("log2", f64::log2),
            ("log10", f64::log10),
            ("log1p", f64::ln_1p),
            ("exp", f64::exp),
            ("sqrt", f64::sqrt),
            ("abs", f64::abs),
        ];
        for (name, expected) in cases {
            let expected: Vec<f64> = (1..4).map(|x| expected(f64::from(x))).collect();
            assert_eq!(values(&format!("{name}(x)"), 3), expected, "{name}");
        }
    }

    #[test]
    fn blocks_join_and_booleans_count_as_numbers() {
        let rows = 2 * BLOCK + 3;
        let found = values("I(b * (x - 1) + (z - z))", rows);
        assert!(found.iter().enumerate().all(|(i, v)| *v == ((i % 2) * i) as f64));
    }
}
