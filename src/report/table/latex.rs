//! LaTeX with the package `booktabs`, and `longtable` for tables that are longer than a page.

use super::{Align, Section, Table, cell, one_line};

/// Lines that a page has room for, with the caption and notes of a table.
const PAGE: usize = 40;

impl Table {
    /// A `table` environment for LaTeX with the package `booktabs`, and `siunitx` if [`Self::siunitx`] asks for it, with names escaped. More
    /// than 40 lines, which may not fit on a page, are `longtable` environments of the package of that name, which go on on the next one.
    #[must_use]
    pub fn to_latex(&self) -> String {
        let table = self.published();
        let lines = |section: &Section| {
            let heads = [section.caption.is_some(), !section.header.is_empty()];
            section.rows.len() + heads.into_iter().filter(|there| *there).count()
        };
        match table.sections.iter().map(lines).sum::<usize>() > PAGE {
            true => table.long_latex(),
            false => table.latex(),
        }
    }

    fn latex(&self) -> String {
        let mut out = String::from("\\begin{table}[htbp]\n\\centering\n");
        self.heading().iter().for_each(|line| push(&mut out, line));
        let tabulars: Vec<String> = self.blocks().iter().map(tabular).collect();
        push(&mut out, &tabulars.join("\n\\par\\medskip\n"));
        if !self.notes.is_empty() {
            out.push_str(&notes(&self.notes));
        }
        push(&mut out, "\\end{table}");
        out
    }

    fn long_latex(&self) -> String {
        let heading = self.heading();
        let heading = (!heading.is_empty()).then(|| heading.concat() + " \\\\\n");
        let mut heading = heading.unwrap_or_default();
        let mut has_caption = !self.printed_title().is_empty();
        let mut out = String::new();
        for block in self.blocks() {
            push(&mut out, &long_tabular(&block, &std::mem::take(&mut heading)));
            // A `longtable` counts as a table whether it has a caption or not.
            if !std::mem::take(&mut has_caption) {
                push(&mut out, "\\addtocounter{table}{-1}");
            }
        }
        if !self.notes.is_empty() {
            out.push_str(&notes(&self.notes));
        }
        out
    }

    /// Caption and label.
    fn heading(&self) -> Vec<String> {
        let title = self.printed_title();
        let caption = (!title.is_empty()).then(|| format!("\\caption{{{}}}", escape(title)));
        let label = self.label.as_ref().map(|label| format!("\\label{{{}}}", reference(label)));
        caption.into_iter().chain(label).collect()
    }
}

/// A name that LaTeX takes as a label: one with a colon as it is, any other as words of letters and digits after `tab:`.
fn reference(label: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ":-_.".contains(c);
    if label.contains(':') && label.chars().all(is_plain) {
        return label.to_owned();
    }
    let words = label.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    format!("tab:{}", words.map(str::to_lowercase).collect::<Vec<_>>().join("-"))
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// A column of numbers on their decimal points. `siunitx` sets what is around a number as it stands there.
const DECIMAL: &str = "S[parse-numbers=false,input-open-uncertainty=,input-close-uncertainty=,\
    table-align-text-pre=false,table-align-text-post=false]";

fn is_decimal(table: &Table, column: usize) -> bool {
    table.siunitx && table.align(column) == Align::Centre
}

fn column(table: &Table, column: usize) -> &'static str {
    match table.align(column) {
        _ if is_decimal(table, column) => DECIMAL,
        Align::Left => "l",
        Align::Right => "r",
        Align::Centre => "c",
        Align::Mark => "@{\\,}l",
    }
}

/// Columns of one form; those that take long to say are said once.
fn repeated(columns: &[&str]) -> String {
    match columns {
        [one, _, ..] if one.len() > 20 => format!("*{{{}}}{{{one}}}", columns.len()),
        _ => columns.concat(),
    }
}

/// The sections of a table under each other.
fn tabular(table: &Table) -> String {
    let (spec, sections) = (spec(table), sections(table, &table.sections));
    format!("\\begin{{tabular}}{{{spec}}}\n\\toprule\n{sections}\\bottomrule\n\\end{{tabular}}")
}

/// The same over several pages, on each of which the head stands again if there is one section; caption and label stand on the first.
fn long_tabular(table: &Table, heading: &str) -> String {
    let spec = spec(table);
    let (head, rows) = match table.sections.as_slice() {
        [only] => (head(table, only), rows(table, only)),
        several => (String::new(), sections(table, several)),
    };
    let first = match heading.is_empty() {
        true => String::new(),
        false => format!("{heading}\\toprule\n{head}\\endfirsthead\n"),
    };
    format!(
        "\\begin{{longtable}}{{{spec}}}\n{first}\\toprule\n{head}\\endhead\n\\bottomrule\n\\endfoot\n{rows}\\end{{longtable}}"
    )
}

fn spec(table: &Table) -> String {
    let columns: Vec<&str> = (0..table.columns()).map(|c| column(table, c)).collect();
    columns.chunk_by(|a, b| a == b).map(repeated).collect()
}

fn sections(table: &Table, sections: &[Section]) -> String {
    let section = |section: &Section| head(table, section) + &rows(table, section);
    sections.iter().map(section).collect::<Vec<String>>().join("\\midrule\n")
}

fn line(table: &Table, row: &[String]) -> String {
    let text = |column: usize| match is_decimal(table, column) {
        true => decimal(cell(row, column)),
        false => cell_text(cell(row, column)),
    };
    let cells: Vec<String> = (0..table.columns()).map(text).collect();
    format!("{} \\\\\n", cells.join(" & "))
}

fn head(table: &Table, section: &Section) -> String {
    let mut out = String::new();
    if let Some(caption) = &section.caption {
        let (columns, caption) = (table.columns(), escape(caption.trim()));
        push(&mut out, &format!("\\multicolumn{{{columns}}}{{l}}{{\\textit{{{caption}}}}} \\\\"));
    }
    if !section.header.is_empty() {
        out.push_str(&line(table, &section.header));
        push(&mut out, "\\midrule");
    }
    out
}

fn rows(table: &Table, section: &Section) -> String {
    section.rows.iter().map(|row| line(table, row)).collect()
}

fn notes(notes: &[String]) -> String {
    let mut out = String::from("\\par\\smallskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n");
    for note in notes.iter().filter(|n| !n.trim().is_empty()) {
        push(&mut out, &format!("{}\\par", escape(note.trim())));
    }
    push(&mut out, "\\end{minipage}");
    out
}

/// A number gets a true minus sign and a raised star; anything else is escaped.
fn cell_text(text: &str) -> String {
    let text = text.trim();
    let number = text.trim_end_matches('*');
    if number.parse::<f64>().is_err() {
        return match text {
            "*" => "$^{*}$".into(),
            // A star after the end of a row would be part of it.
            _ if text.starts_with('*') => format!("{{}}{}", escape(text)),
            _ => with_powers(text),
        };
    }
    let sign = if number.starts_with('-') { "$-$" } else { "" };
    let stars = &text[number.len()..];
    let star = if stars.is_empty() { String::new() } else { format!("$^{{{stars}}}$") };
    match number.split_once('e') {
        Some(parts) => power_of_ten(parts) + &star,
        None => format!("{sign}{}{star}", number.trim_start_matches('-')),
    }
}

/// A text with powers of ten for the numbers in it that have an exponent, as those of an interval have.
fn with_powers(text: &str) -> String {
    let has_exponent = |word: &str| word.contains('e') && word.parse::<f64>().is_ok();
    let is_between = |c: char| " ([,])".contains(c);
    if !text.split(is_between).any(has_exponent) {
        return escape(text);
    }
    let piece = |piece: &str| {
        let word = piece.trim_end_matches(is_between);
        match word.split_once('e').filter(|_| has_exponent(word)) {
            Some(parts) => power_of_ten(parts) + &piece[word.len()..],
            None => escape(piece),
        }
    };
    text.split_inclusive(is_between).map(piece).collect()
}

fn power_of_ten((digits, power): (&str, &str)) -> String {
    format!("${digits}\\times10^{{{power}}}$")
}

/// A cell of a column of numbers: a number, bare or in parentheses, with its stars; anything else in braces, which keep it as text.
fn decimal(text: &str) -> String {
    let text = text.trim();
    let number = text.trim_end_matches('*');
    let inside = number.strip_prefix('(').and_then(|n| n.strip_suffix(')')).unwrap_or(number);
    let is_fixed = inside.contains('.')
        && inside.chars().all(|c| c.is_ascii_digit() || "-.".contains(c))
        && inside.parse::<f64>().is_ok();
    match &text[number.len()..] {
        _ if text.is_empty() => String::new(),
        _ if !is_fixed => format!("{{{}}}", cell_text(text)),
        "" => number.to_owned(),
        stars => format!("{number}^{{{stars}}}"),
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let text = one_line(text);
    let mut letters = text.chars().peekable();
    let (mut before, mut quoted) = (' ', false);
    while let Some(c) = letters.next() {
        match c {
            '-' if " ([".contains(before) && letters.peek().is_some_and(char::is_ascii_digit) => {
                out.push_str("$-$");
            }
            // Two hyphens would be set as a dash, of which no command can be copied.
            '-' if before == '-' => out.push_str("{}-"),
            '\\' => out.push_str("\\textbackslash{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '[' | ']' => out.extend(['{', c, '}']),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            // Quotes of the shell stay straight, so that commands can be copied; apostrophes do not open.
            '\'' if quoted || before == ' ' => {
                quoted = !quoted;
                out.push_str("\\textquotesingle{}");
            }
            // `\textquotedbl` is undefined in LaTeX's default font encoding.
            '"' => out.push_str("\\char34{}"),
            '−' => out.push_str("$-$"),
            '±' => out.push_str("$\\pm$"),
            '≤' => out.push_str("$\\leq$"),
            '≥' => out.push_str("$\\geq$"),
            '×' => out.push_str("$\\times$"),
            _ => out.push(c),
        }
        before = c;
    }
    out
}
