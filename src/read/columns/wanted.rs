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
    /// Both, as it is written again.
    Carried,
    /// How they are written, as in a CSV file it is written again.
    Verbatim,
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

    /// The same with carried columns as they are written, but for those that are compared.
    #[must_use]
    pub fn verbatim(mut self, is_compared: impl Fn(&str) -> bool) -> Self {
        let is_carried =
            |asked: &&mut Asked| asked.kind == Kind::Carried && !is_compared(&asked.column);
        let carried = self.0.iter_mut().filter(is_carried);
        carried.for_each(|asked| asked.kind = Kind::Verbatim);
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

    /// What counts of a column: its values if they do in one of its roles.
    pub fn kind_of(&self, name: &str) -> Kind {
        let roles = || self.0.iter().filter(|asked| asked.column == name);
        let has = |kind| roles().any(|asked| asked.kind == kind);
        [Kind::Value, Kind::Label, Kind::Carried, Kind::Verbatim]
            .into_iter()
            .find(|kind| has(*kind))
            .unwrap_or(Kind::Value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_no_role_as_a_value() {
        let name = |name: &str| name.to_owned();
        let wanted = Wanted::default()
            .and("outcome", Kind::Value, [&name("y")])
            .and("unit", Kind::Label, [&name("id")])
            .and("cluster", Kind::Label, [&name("y"), &name("state")])
            .and("column", Kind::Carried, [&name("y"), &name("id"), &name("x")]);
        assert_eq!(wanted.names(), ["id", "state", "x", "y"]);
        let kinds = ["id", "state", "y", "x", "z"].map(|name| wanted.kind_of(name));
        assert_eq!(kinds, [Kind::Label, Kind::Label, Kind::Value, Kind::Carried, Kind::Value]);
        let error = wanted.find_in(&["y", "id", "x"]).unwrap_err().to_string();
        assert!(error.contains("`state` (cluster)"), "{error}");
    }
}
