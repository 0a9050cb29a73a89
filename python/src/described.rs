//! A description of data with calls of Python in place of command lines.

use burn_did::explore::Description;

use crate::arguments;

/// The description as Python shows it.
pub(crate) fn in_python(description: &Description) -> Description {
    let mut shown = description.clone();
    for design in &mut shown.designs {
        let words = words(&design.options).into_iter();
        design.options = listed(words, &mut OfFiles::default(), "dname");
        design.refused = design.refused.as_deref().map(arguments::in_python);
    }
    for finding in &mut shown.findings {
        *finding = arguments::in_python(finding);
    }
    shown.command = call(&description.command);
    shown
}

/// What a command says of files beside their path.
#[derive(Default)]
struct OfFiles {
    decimal: Option<String>,
    conditions: Vec<String>,
}

impl OfFiles {
    /// Files of this path, as an argument.
    fn of(&self, path: &str) -> String {
        let decimal = self.decimal.as_ref().map(|mark| format!(", decimal={mark:?}"));
        let rows = (!self.conditions.is_empty()).then(|| format!(", rows={:?}", self.conditions));
        match (decimal, rows) {
            (None, None) => format!("{path:?}"),
            (decimal, rows) => {
                let [decimal, rows] = [decimal, rows].map(Option::unwrap_or_default);
                format!("did.DataFiles({path:?}{decimal}{rows})")
            }
        }
    }
}

/// The call that does what a command line does; empty if that is.
fn call(command: &str) -> String {
    let words = words(command);
    let (function, of_treatment, rest) = match words.get(1).map(String::as_str) {
        Some("att-gt") => ("att_gt", "dname", 2),
        Some("panel") => ("panel.first_treated", "treatname", 3),
        _ => return String::new(),
    };
    let mut words = words.into_iter().skip(rest);
    let path = words.next().unwrap_or_default();
    let mut of_files = OfFiles::default();
    let arguments = listed(words, &mut of_files, of_treatment);
    let data = match path.as_str() {
        "DATA" => "data".to_owned(),
        path => of_files.of(path),
    };
    format!("did.{function}({data}, {arguments})")
}

/// Options of the command line as arguments; what is said of files is set apart.
fn listed(
    words: impl Iterator<Item = String>,
    of_files: &mut OfFiles,
    of_treatment: &str,
) -> String {
    let mut words = words.peekable();
    let mut arguments = Vec::new();
    while let Some(option) = words.next() {
        let value = words.next_if(|word| !word.starts_with("--")).unwrap_or_default();
        let name = option.trim_start_matches("--").replace('-', "_");
        match (name.as_str(), value.as_str()) {
            ("rows", _) => of_files.conditions.push(value),
            ("decimal", _) => of_files.decimal = Some(value),
            ("out", _) => {}
            ("repeated_cross_sections", _) => arguments.push("panel=False".to_owned()),
            (_, "") => arguments.push(format!("{name}=True")),
            ("anticipation", _) => arguments.push(format!("{name}={value}")),
            ("dname", _) => arguments.push(format!("{of_treatment}={value:?}")),
            ("na", _) => {
                let words: Vec<&str> = value.split(',').collect();
                arguments.push(format!("missing_values={words:?}"));
            }
            ("control_group", _) => arguments.push(format!("{name}={:?}", value.replace('_', ""))),
            _ => arguments.push(format!("{name}={value:?}")),
        }
    }
    arguments.join(", ")
}

/// The words of a command line, as a shell reads them.
fn words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut quoted, mut begun) = (false, false);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                quoted = !quoted;
                if !begun {
                    words.push(String::new());
                }
                begun = true;
            }
            ' ' if !quoted => begun = false,
            letter => {
                let letter = match letter {
                    '\\' if !quoted => letters.next().unwrap_or('\\'),
                    letter => letter,
                };
                if !begun {
                    words.push(String::new());
                }
                begun = true;
                if let Some(word) = words.last_mut() {
                    word.push(letter);
                }
            }
        }
    }
    words
}
