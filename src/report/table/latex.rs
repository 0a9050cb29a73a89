//! LaTeX with the package `booktabs`.

use super::{Align, Section, Table, cell, one_line};

impl Table {
    /// A `table` environment for LaTeX with the package `booktabs`, and `siunitx` if [`Self::siunitx`] asks for it, with names escaped.
    #[must_use]
    pub fn to_latex(&self) -> String {
        self.published().latex()
    }

    fn latex(&self) -> String {
        let mut out = String::from("\\begin{table}[htbp]\n\\centering\n");
        if !self.printed_title().is_empty() {
            push(&mut out, &format!("\\caption{{{}}}", escape(self.printed_title())));
        }
        if let Some(label) = &self.label {
            push(&mut out, &format!("\\label{{{}}}", reference(label)));
        }
        let tabulars: Vec<String> = self.blocks().iter().map(tabular).collect();
        push(&mut out, &tabulars.join("\n\\par\\medskip\n"));
        if !self.notes.is_empty() {
            out.push_str(&notes(&self.notes));
        }
        push(&mut out, "\\end{table}");
        out
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
    let columns: Vec<&str> = (0..table.columns()).map(|c| column(table, c)).collect();
    let spec: String = columns.chunk_by(|a, b| a == b).map(repeated).collect();
    let sections: Vec<String> = table.sections.iter().map(|s| block(table, s)).collect();
    let sections = sections.join("\\midrule\n");
    format!("\\begin{{tabular}}{{{spec}}}\n\\toprule\n{sections}\\bottomrule\n\\end{{tabular}}")
}

fn block(table: &Table, section: &Section) -> String {
    let mut out = String::new();
    let columns = table.columns();
    let line = |row: &[String]| {
        let text = |column: usize| match is_decimal(table, column) {
            true => decimal(cell(row, column)),
            false => cell_text(cell(row, column)),
        };
        let cells: Vec<String> = (0..columns).map(text).collect();
        format!("{} \\\\", cells.join(" & "))
    };
    if let Some(caption) = &section.caption {
        let caption = escape(caption.trim());
        push(&mut out, &format!("\\multicolumn{{{columns}}}{{l}}{{\\textit{{{caption}}}}} \\\\"));
    }
    if !section.header.is_empty() {
        push(&mut out, &line(&section.header));
        push(&mut out, "\\midrule");
    }
    for row in &section.rows {
        push(&mut out, &line(row));
    }
    out
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
