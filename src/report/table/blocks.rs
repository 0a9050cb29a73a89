//! Sections that have their columns in common.

use super::{Align, Section, Table, cell};

impl Table {
    /// Sections under heads at the same columns, with those without heads that follow, as tables of the columns that have something in them.
    pub(super) fn blocks(&self) -> Vec<Self> {
        let block = |sections: &&[Section]| {
            let columns = self.used(sections);
            let chosen = |cells: &Vec<String>| match cells.is_empty() {
                true => Vec::new(),
                false => columns.iter().map(|c| cell(cells, *c).to_owned()).collect(),
            };
            let section = |section: &Section| Section {
                caption: section.caption.clone(),
                header: chosen(&section.header),
                rows: section.rows.iter().map(chosen).collect(),
            };
            Self {
                align: columns.iter().map(|c| self.align(*c)).collect(),
                sections: sections.iter().map(section).collect(),
                siunitx: self.siunitx,
                ..Self::default()
            }
        };
        self.groups().iter().map(block).collect()
    }

    /// The table without heads over columns that are blank in all sections that share them.
    pub(super) fn without_blank_columns(&self) -> Self {
        let mut table = self.clone();
        let used = self.groups().into_iter().flat_map(|group| {
            let used = self.used(group);
            group.iter().map(move |_| used.clone())
        });
        for (section, used) in table.sections.iter_mut().zip(used) {
            let heads = section.header.iter_mut().enumerate();
            heads.filter(|(c, _)| !used.contains(c)).for_each(|(_, head)| head.clear());
        }
        table
    }

    fn groups(&self) -> Vec<&[Section]> {
        let heads = |section: &Section| -> Vec<usize> {
            let columns = 0..section.header.len();
            columns.filter(|c| !cell(&section.header, *c).trim().is_empty()).collect()
        };
        let mut last = Vec::new();
        let mut groups = Vec::new();
        let mut start = 0;
        for (index, section) in self.sections.iter().enumerate() {
            let own = heads(section);
            if own.is_empty() {
                continue;
            }
            if index > 0 && own != last {
                groups.push(&self.sections[start..index]);
                start = index;
            }
            last = own;
        }
        if start < self.sections.len() {
            groups.push(&self.sections[start..]);
        }
        groups
    }

    /// Columns with something in a row of these sections; those with a head if there is no row.
    fn used(&self, sections: &[Section]) -> Vec<usize> {
        let rows = || sections.iter().flat_map(|section| &section.rows);
        let is_blank = |row: &Vec<String>, column: usize| cell(row, column).trim().is_empty();
        // A result that has none of the rows of a comparison is in it.
        let is_model = |column: usize| {
            let has_head = |of: &Section| !cell(&of.header, column).trim().is_empty();
            self.align(column) == Align::Centre && sections.iter().any(has_head)
        };
        let all = 0..self.columns();
        match rows().next() {
            Some(_) => {
                all.filter(|c| rows().any(|row| !is_blank(row, *c)) || is_model(*c)).collect()
            }
            None => all.filter(|c| sections.iter().any(|of| !is_blank(&of.header, *c))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An overall effect over effects by event time and by period, of which one has no weights.
    fn table() -> Table {
        let overall = Section::new(["", "ATT", "SE"]).row(["", "0.1", "0.2"]);
        let events = Section::new(["e", "ATT", "SE"]).row(["0", "0.3", "0.4"]);
        let cells = Section::new(["Period", "Rows", "Weight", "Share"]).row(["1", "7", "", "0.5"]);
        Table::new("T").section(overall).section(events).section(cells)
    }

    #[test]
    fn columns_without_anything_are_left_out() {
        let markdown = table().to_markdown();
        for line in ["| ATT | SE |\n", "| 0.1 | 0.2 |\n", "| e | ATT | SE |\n"] {
            assert!(markdown.contains(line), "{markdown}");
        }
        assert!(markdown.contains("| Period | Rows | Share |\n"), "{markdown}");
        assert!(!markdown.contains("|  |"), "{markdown}");
        let latex = table().to_latex();
        for tabular in ["\\begin{tabular}{rr}\n", "\\begin{tabular}{rrr}\n"] {
            assert!(latex.contains(tabular), "{latex}");
        }
        assert!(!latex.contains("Weight") && latex.matches("\\bottomrule").count() == 3, "{latex}");
        let html = table().to_html();
        assert_eq!(html.matches("<table>").count(), 3, "{html}");
        assert!(!html.contains("Weight") && html.matches("<caption>").count() == 1, "{html}");
        assert!(!table().to_string().contains("Weight"));
    }

    #[test]
    fn sections_with_the_same_heads_stay_together() {
        let group = |name: &str, effect: &str| {
            Section::new([name, "ATT", "Ratio"]).row(["1", "0.1", effect])
        };
        let facts = Section { rows: vec![vec!["n".into(), "500".into()]], ..Section::default() };
        let table = Table::new("T").section(group("a", "")).section(group("b", "2"));
        let markdown = table.section(facts).to_markdown();
        assert_eq!(markdown.matches("Ratio").count(), 2, "{markdown}");
        assert!(markdown.contains("| n | 500 |  |\n"), "{markdown}");
    }
}
