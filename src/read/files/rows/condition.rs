//! A condition on the rows of data.

/// A condition on one column, by which rows of files are chosen: `year <= 2014`, `state != CA,NY`, `wage is missing`.
///
/// The column comes first, between backticks if its name has one of `<`, `>`, `=` and `!`. Then follow
///
/// - `==` (or `=`) or `!=` and one value or several, separated by commas, of which the row is to have one, or none;
/// - `<`, `<=`, `>` or `>=` and a number, or a date;
/// - `is missing` or `is not missing`.
///
/// Values of text with commas, quotation marks or one of `<>=!&|()` stand between quotation marks, as in `firm == "Smith & Co"`. Dates are
/// written as `2014-03-01`, `2014-03`, `2014-Q1`, `2014-W05` or `2014`, and rows are compared by the day, month, quarter, week or year that the
/// value names: `date <= 2014-03` holds on each day of that March. A row in which the column is missing meets no condition but `is missing`.
/// Blanks around texts do not count: `state == CA` holds for ` CA`, too, though units, clusters and levels keep the two apart.
///
/// ```
/// use burn_did::{DataFiles, options::RowCondition};
///
/// let until: RowCondition = "year <= 2014".parse()?;
/// assert_eq!(until.to_string(), "year <= 2014");
/// let files = DataFiles::new("wages.csv").rows([until, "state != CA,NY".parse()?]);
/// # let _ = files;
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowCondition {
    pub(super) column: String,
    pub(super) test: Test,
}

/// What is asked of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// Whether it has one of these values.
    Among(Vec<String>),
    /// Whether it has a value that is none of these.
    NotAmong(Vec<String>),
    Ordered(Order, String),
    Missing,
    Present,
}

/// How a column is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Order {
    pub fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether it holds of two values.
    pub fn holds<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

impl RowCondition {
    /// The column.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.column
    }
}
