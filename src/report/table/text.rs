//! Plain text: aligned columns.

use std::fmt;

use unicode_width::UnicodeWidthStr;

use super::{Align, Section, Table, cell, one_line};

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.title.is_empty() {
            writeln!(f, "{}", one_line(&self.title))?;
        }
        let table = &self.without_blank_columns();
        let widths = widths(table);
        for (index, section) in table.sections.iter().enumerate() {
            match (index, &section.caption) {
                (0, _) if self.title.is_empty() => {}
                (0, _) | (_, Some(_)) => writeln!(f)?,
                _ => writeln!(f, "{}", "-".repeat(total(self, &widths)))?,
            }
            write_section(f, table, section, &widths)?;
        }
        if !self.notes.is_empty() {
            writeln!(f, "---")?;
        }
        for note in &self.notes {
            writeln!(f, "{}", one_line(note))?;
        }
        Ok(())
    }
}

fn widths(table: &Table) -> Vec<usize> {
    let width = |c: usize| {
        let lines = table.sections.iter().flat_map(|s| s.rows.iter().chain([&s.header]));
        lines.map(|row| one_line(cell(row, c)).width()).max().unwrap_or(0)
    };
    (0..table.columns()).map(width).collect()
}

fn gap(align: Align, column: usize) -> usize {
    match align {
        Align::Mark => 1,
        _ if column == 0 => 1,
        _ => 2,
    }
}

fn total(table: &Table, widths: &[usize]) -> usize {
    widths.iter().enumerate().map(|(c, w)| w + gap(table.align(c), c)).sum()
}

fn write_section(
    f: &mut fmt::Formatter<'_>,
    table: &Table,
    section: &Section,
    widths: &[usize],
) -> fmt::Result {
    if let Some(caption) = &section.caption {
        writeln!(f, "{}", one_line(caption))?;
    }
    if !section.header.is_empty() {
        writeln!(f, "{}", line(table, &section.header, widths))?;
    }
    for row in &section.rows {
        writeln!(f, "{}", line(table, row, widths))?;
    }
    Ok(())
}

fn line(table: &Table, row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (c, width) in widths.iter().enumerate() {
        let align = table.align(c);
        let text = one_line(cell(row, c));
        let fill = " ".repeat(width.saturating_sub(text.width()));
        line.push_str(&" ".repeat(gap(align, c)));
        match align {
            Align::Left | Align::Mark => line.extend([text.as_str(), &fill]),
            Align::Right | Align::Centre => line.extend([fill.as_str(), &text]),
        }
    }
    line.trim_end().to_owned()
}
