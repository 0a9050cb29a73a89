//! A description of data with calls of Python in place of command lines.

use burn_did::explore::Description;

use crate::arguments;

/// The description as Python shows it.
pub(crate) fn in_python(description: &Description) -> Description {
    let mut shown = description.clone();
    for design in &mut shown.designs {
        design.options = listed(words(&design.options).into_iter(), &mut Vec::new(), "dname");
        design.refused = design.refused.as_deref().map(arguments::in_python);
    }
    for finding in &mut shown.findings {
        *finding = arguments::in_python(finding);
    }
    shown.command = call(&description.command);
    shown
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
    let mut conditions = Vec::new();
    let arguments = listed(words, &mut conditions, of_treatment);
    let data = match path.as_str() {
        "DATA" => "data".to_owned(),
        path if conditions.is_empty() => format!("{path:?}"),
        path => format!("did.DataFiles({path:?}, rows={conditions:?})"),
    };
    format!("did.{function}({data}, {arguments})")
}

/// Options of the command line as arguments; conditions on rows are set apart.
fn listed(
    words: impl Iterator<Item = String>,
    conditions: &mut Vec<String>,
    of_treatment: &str,
) -> String {
    let mut words = words.peekable();
    let mut arguments = Vec::new();
    while let Some(option) = words.next() {
        let value = words.next_if(|word| !word.starts_with("--")).unwrap_or_default();
        let name = option.trim_start_matches("--").replace('-', "_");
        match (name.as_str(), value.as_str()) {
            ("rows", _) => conditions.push(value),
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
