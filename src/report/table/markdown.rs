//! GitHub-flavoured markdown.

use super::{Align, Section, Table, cell, one_line};

impl Table {
    /// Markdown (GitHub flavour), with names escaped.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        self.published().markdown()
    }

    fn markdown(&self) -> String {
        let mut blocks = Vec::new();
        if !self.printed_title().is_empty() {
            blocks.push(format!("**{}**\n", escape(self.printed_title())));
        }
        let parts = self.blocks();
        for (part, section) in parts.iter().flat_map(|p| p.sections.iter().map(move |s| (p, s))) {
            if let Some(caption) = &section.caption {
                blocks.push(format!("*{}*\n", escape(caption.trim())));
            }
            match blocks.last_mut() {
                Some(last) if section.header.is_empty() && last.starts_with('|') => {
                    last.push_str(&rows(part, &section.rows));
                }
                _ => blocks.push(block(part, section)),
            }
        }
        if !self.notes.is_empty() {
            let notes = self.notes.iter().map(|n| n.trim()).filter(|n| !n.is_empty());
            blocks.push(notes.flat_map(|n| ["- ".into(), escape(n), "\n".into()]).collect());
        }
        blocks.join("\n")
    }
}

fn block(table: &Table, section: &Section) -> String {
    let rules: Vec<&str> = (0..table.columns()).map(|c| rule(table.align(c))).collect();
    let head = line((0..table.columns()).map(|c| escape(cell(&section.header, c).trim())));
    format!("{head}|{}|\n{}", rules.join("|"), rows(table, &section.rows))
}

fn rule(align: Align) -> &'static str {
    match align {
        Align::Left | Align::Mark => ":---",
        Align::Right => "---:",
        Align::Centre => ":---:",
    }
}

fn rows(table: &Table, rows: &[Vec<String>]) -> String {
    let columns = table.columns();
    rows.iter().map(|row| line((0..columns).map(|c| escape(cell(row, c).trim())))).collect()
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if "\\`*_[]<>|~$#&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
