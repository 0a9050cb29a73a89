//! What separates decimals in CSV files.

use crate::base::words::words;

words! {
    /// What separates the decimals of a number in CSV files.
    pub enum DecimalMark: "decimal" {
        /// A point: `1,234` is text.
        Point = "point" | ".",
        /// A comma: `1,234` is a little more than one.
        Comma = "comma" | ",",
    }
}
