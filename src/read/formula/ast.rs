//! Parsed pieces of a formula, and their labels in R's notation.

use std::fmt;

use super::lex;

/// Atoms of an interaction, as sorted indices; a main effect has one.
pub(super) type FormulaTerm = Vec<usize>;

/// A variable of the model frame: one column, or one set of dummies.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Atom {
    /// Label in R's notation; equal labels are the same atom.
    pub(super) label: String,
    pub(super) source: AtomSource,
}

/// Where an atom's values come from; columns are indices into the formula's variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AtomSource {
    Column(usize),
    /// `C(column)` or `factor(column)`.
    Factor(usize),
    Arithmetic(Expr),
    /// `column` of `i(column, …)`: the dummies of its levels.
    Indicators {
        column: usize,
        chosen: Chosen,
    },
    /// `by` of `i(column, by, …)`, whose first atom is `of`: as it is if it has numbers, else the dummies of its levels.
    By {
        column: usize,
        of: usize,
        factor: bool,
        chosen: Chosen,
    },
}

/// Which levels of a factor have a dummy.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chosen {
    /// Levels without one.
    pub(super) references: References,
    /// The only ones that have one, if any are named.
    pub(super) keep: Vec<Value>,
}

/// The levels of a factor without a dummy.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum References {
    #[default]
    None,
    /// What R `fixest` does where nothing is said, which depends on the term.
    Unsaid,
    /// The first that occurs, or the first pair of two factors.
    First,
    Given(Vec<Value>),
}

/// A level as it stands in a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    /// The numbers from the first in steps of one, up or down to the last.
    Range {
        from: f64,
        to: f64,
    },
    Text(String),
}

impl Chosen {
    /// Whether the formula says nothing of levels.
    pub(super) fn is_unsaid(&self) -> bool {
        matches!(self.references, References::None | References::Unsaid) && self.keep.is_empty()
    }
}

impl Value {
    /// Whether a level is this one.
    pub(super) fn is(&self, level: &str) -> bool {
        match self {
            // Levels in single precision have fewer digits.
            Self::Number(value) => level.parse::<f64>().is_ok_and(|level| {
                level == *value
                    || level as f32 == *value as f32 && f64::from(*value as f32) == *value
            }),
            Self::Range { from, to } => level.parse::<f64>().is_ok_and(|level| {
                (from.min(*to)..=from.max(*to)).contains(&level) && (level - from).fract() == 0.0
            }),
            Self::Text(text) => text == level,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::Range { from, to } => write!(f, "{from}:{to}"),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl AtomSource {
    pub(super) fn uses(&self, variable: usize) -> bool {
        match self {
            Self::Column(column)
            | Self::Factor(column)
            | Self::Indicators { column, .. }
            | Self::By { column, .. } => *column == variable,
            Self::Arithmetic(expr) => expr.uses(variable),
        }
    }

    /// Which levels of an `i()` have a dummy.
    pub(super) fn chosen(&self) -> Option<&Chosen> {
        match self {
            Self::Indicators { chosen, .. } | Self::By { chosen, .. } => Some(chosen),
            _ => None,
        }
    }

    /// Whether the atom is an `i()` term.
    pub(super) fn is_indicator(&self) -> bool {
        matches!(self, Self::Indicators { .. } | Self::By { .. })
    }
}

/// Arithmetic on columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Number(f64),
    Column(usize),
    Negate(Box<Self>),
    /// A pair of parentheses, kept for the label.
    Group(Box<Self>),
    Call(Function, Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
}

impl Expr {
    pub(super) fn uses(&self, variable: usize) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Column(column) => *column == variable,
            Self::Negate(inner) | Self::Group(inner) | Self::Call(_, inner) => inner.uses(variable),
            Self::Binary(_, left, right) => left.uses(variable) || right.uses(variable),
        }
    }

    pub(super) fn has_columns(&self) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Column(_) => true,
            Self::Negate(inner) | Self::Group(inner) | Self::Call(_, inner) => inner.has_columns(),
            Self::Binary(_, left, right) => left.has_columns() || right.has_columns(),
        }
    }

    /// The expression as R deparses it.
    pub(super) fn label(&self, variables: &[String]) -> String {
        let of = |inner: &Self| inner.label(variables);
        match self {
            Self::Number(value) => number_label(*value),
            Self::Column(column) => name_label(&variables[*column]),
            Self::Negate(inner) => format!("-{}", of(inner)),
            Self::Group(inner) => format!("({})", of(inner)),
            Self::Call(function, inner) => format!("{}({})", function.name(), of(inner)),
            Self::Binary(operator, left, right) => {
                format!("{}{}{}", of(left), operator.label(), of(right))
            }
        }
    }
}

/// Functions of one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Function {
    /// `I()`.
    AsIs,
    Log,
    Log2,
    Log10,
    Log1p,
    Exp,
    Sqrt,
    Abs,
}

impl Function {
    const ALL: [Self; 8] = [
        Self::AsIs,
        Self::Log,
        Self::Log2,
        Self::Log10,
        Self::Log1p,
        Self::Exp,
        Self::Sqrt,
        Self::Abs,
    ];

    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::AsIs => "I",
            Self::Log => "log",
            Self::Log2 => "log2",
            Self::Log10 => "log10",
            Self::Log1p => "log1p",
            Self::Exp => "exp",
            Self::Sqrt => "sqrt",
            Self::Abs => "abs",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Operator {
    fn label(self) -> &'static str {
        match self {
            Self::Add => " + ",
            Self::Subtract => " - ",
            Self::Multiply => " * ",
            Self::Divide => "/",
            Self::Power => "^",
        }
    }
}

/// A column name, in backticks where R's syntax needs them.
pub(crate) fn name_label(name: &str) -> String {
    if lex::is_bare_name(name) { name.to_owned() } else { format!("`{name}`") }
}

/// A number as R prints it: the shorter of plain and scientific notation, plain on a tie.
fn number_label(value: f64) -> String {
    let plain = format!("{value}");
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    let scientific = format!("{mantissa}e{sign}{digits:0>2}");
    if plain.len() <= scientific.len() { plain } else { scientific }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_in_r() {
        let cases = [
            (2.0, "2"),
            (0.1, "0.1"),
            (0.0001, "1e-04"),
            (1e5, "1e+05"),
            (123_456.0, "123456"),
            (1e300, "1e+300"),
            (2.5e-12, "2.5e-12"),
        ];
        for (value, expected) in cases {
            assert_eq!(number_label(value), expected);
        }
    }
}
