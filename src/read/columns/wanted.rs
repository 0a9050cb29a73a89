//! Which columns of the data are needed, and what for.

use super::names::not_found;
use crate::base::error::Result;

/// What counts of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its values.
    Value,
    /// Which of its values are equal, and their order.
    Label,
}

/// A column that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub column: String,
    /// What it is for, as messages say it.
    pub role: &'static str,
    pub kind: Kind,
}

/// The columns that are asked for, in the order in which they are looked for; one may have several roles.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted(Vec<Asked>);

impl Wanted {
    /// Asks for columns of one role, too.
    #[must_use]
    pub fn and<'a>(
        mut self,
        role: &'static str,
        kind: Kind,
        columns: impl IntoIterator<Item = &'a String>,
    ) -> Self {
        let asked = |column: &String| Asked { column: column.clone(), role, kind };
        self.0.extend(columns.into_iter().map(asked));
        self
    }

    /// The requested columns.
    pub fn asked(&self) -> &[Asked] {
        &self.0
    }

    /// Names of all columns needed, ascending and without duplicates.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.iter().map(|asked| asked.column.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// An error naming the first column that is not among the names.
    pub fn find_in(&self, names: &[&str]) -> Result<()> {
        match self.0.iter().find(|asked| !names.contains(&asked.column.as_str())) {
            None => Ok(()),
            Some(Asked { column, role, .. }) => Err(not_found(column, role, names.iter().copied())),
        }
    }

    /// Whether a column is a label in all its roles.
    pub fn is_label(&self, name: &str) -> bool {
        let mut roles = self.0.iter().filter(|asked| asked.column == name).peekable();
        roles.peek().is_some() && roles.all(|asked| asked.kind == Kind::Label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_nothing_else() {
        let name = |name: &str| name.to_owned();
        let wanted = Wanted::default()
            .and("outcome", Kind::Value, [&name("y")])
            .and("unit", Kind::Label, [&name("id")])
            .and("cluster", Kind::Label, [&name("y"), &name("state")]);
        assert_eq!(wanted.names(), ["id", "state", "y"]);
        let labels = ["id", "state", "y", "z"].map(|name| wanted.is_label(name));
        assert_eq!(labels, [true, true, false, false]);
        let error = wanted.find_in(&["y", "id"]).unwrap_err().to_string();
        assert!(error.contains("`state` (cluster)"), "{error}");
    }
}
