//! HTML that is XML, too.

use super::{Align, Section, Table, cell, one_line};

impl Table {
    /// HTML: a `table` with its title as `caption`, set as in print, and the notes in a `div` of class `notes` after it.
    ///
    /// ```
    /// use burn_did::report::{Section, Table};
    /// let effects = Section::new(["e", "ATT"]).row(["0", "<0.01"]);
    /// let html = Table::new("Effects").section(effects).to_html();
    /// assert!(html.contains(r#"<td class="right">&lt;0.01</td>"#));
    /// ```
    #[must_use]
    pub fn to_html(&self) -> String {
        self.published().html()
    }

    fn html(&self) -> String {
        let mut out = String::from("<div class=\"scroll\">\n");
        let title = match self.printed_title() {
            "" => String::new(),
            title => format!("<caption>{}</caption>\n", escaped(title)),
        };
        let parts = self.blocks();
        if parts.is_empty() {
            out.extend(["<table>\n", &title, "</table>\n"]);
        }
        for (index, part) in parts.iter().enumerate() {
            let sections: String = part.sections.iter().map(|s| block(part, s)).collect();
            let title = if index == 0 { &*title } else { "" };
            out.extend(["<table>\n", title, &sections, "</table>\n"]);
        }
        out.push_str("</div>\n");
        let notes = self.notes.iter().map(|note| note.trim()).filter(|note| !note.is_empty());
        let notes: Vec<String> = notes.map(|note| format!("<p>{}</p>\n", escaped(note))).collect();
        if !notes.is_empty() {
            out.extend(["<div class=\"notes\">\n", &notes.concat(), "</div>\n"]);
        }
        out
    }
}

fn block(table: &Table, section: &Section) -> String {
    let columns = table.columns();
    let mut out = String::from("<tbody>\n");
    if let Some(caption) = &section.caption {
        let caption = escaped(caption.trim());
        out.push_str(&format!(
            "<tr class=\"section\"><th colspan=\"{columns}\" scope=\"rowgroup\">{caption}</th></tr>\n"
        ));
    }
    if !section.header.is_empty() {
        let heads = (0..columns).map(|column| {
            let text = escaped(cell(&section.header, column).trim());
            let scope = if text.is_empty() { "" } else { " scope=\"col\"" };
            let tag = if text.is_empty() { "td" } else { "th" };
            format!("<{tag} class=\"{}\"{scope}>{text}</{tag}>", class(table.align(column)))
        });
        out.extend(["<tr class=\"head\">", &heads.collect::<String>(), "</tr>\n"]);
    }
    for row in &section.rows {
        let cells = (0..columns).map(|column| {
            let text = cell_text(cell(row, column).trim());
            format!("<td class=\"{}\">{text}</td>", class(table.align(column)))
        });
        let is_blank = |text: &String| text.trim().is_empty();
        let below = row.iter().any(|text| text.starts_with('('))
            && row.iter().all(|text| is_blank(text) || text.starts_with(['(', '[']));
        let start = if below { "<tr class=\"below\">" } else { "<tr>" };
        out.extend([start, &cells.collect::<String>(), "</tr>\n"]);
    }
    out.push_str("</tbody>\n");
    out
}

fn class(align: Align) -> &'static str {
    match align {
        Align::Left | Align::Mark => "left",
        Align::Right => "right",
        Align::Centre => "centre",
    }
}

/// A cell, with a true minus before a number.
fn cell_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut before, mut rest) = (' ', text.chars().peekable());
    while let Some(c) = rest.next() {
        let minus =
            c == '-' && " ([".contains(before) && rest.peek().is_some_and(char::is_ascii_digit);
        out.push(if minus { '−' } else { c });
        before = c;
    }
    escaped(&out)
}

/// Text of a page, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
