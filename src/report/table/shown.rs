//! What every result with a table has of it.

/// Gives results the texts of their `to_table`: plain, markdown and LaTeX.
macro_rules! shown_as_table {
    ($($result:ty),+) => {$(
        impl $result {
            /// The table in markdown.
            #[must_use]
            pub fn to_markdown(&self) -> String {
                self.to_table().to_markdown()
            }

            /// The table in LaTeX, for the package `booktabs`.
            #[must_use]
            pub fn to_latex(&self) -> String {
                self.to_table().to_latex()
            }
        }

        impl std::fmt::Display for $result {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.to_table().fmt(f)
            }
        }
    )+};
}

pub(in crate::report) use shown_as_table;
