//! What is wrong with a specification, in the words of its keys.

use serde::de::DeserializeOwned;

/// Names that are this alike are taken for one another.
const ALIKE: f64 = 0.8;

/// Where keys stand: in the whole study or in one of its tables.
pub(super) struct Place {
    /// As it is written, such as `[[estimate]]`; of the whole study, in words.
    pub(super) name: &'static str,
    pub(super) keys: Vec<String>,
}

/// A document, or the line of what is wrong with it, what that is, and what to do.
pub(super) fn parsed<T: DeserializeOwned>(
    text: &str,
    places: &[Place],
) -> std::result::Result<T, (usize, String, String)> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let show = "`burn-did report --example` shows all keys with what they mean".to_owned();
        (line, in_words(error.message(), key_at(text, line), places), show)
    })
}

/// The keys that a table of this form has.
pub(super) fn keys_of<T: DeserializeOwned>() -> Vec<String> {
    let refused = toml::from_str::<T>("' ' = 0").err();
    let message = refused.map(|error| error.message().to_owned()).unwrap_or_default();
    in_backticks(&message).skip(1).map(str::to_owned).collect()
}

/// What is wrong: a key that does not exist where it stands, one that is missing, or a value of another type.
fn in_words(message: &str, key: Option<&str>, places: &[Place]) -> String {
    let problem = message.lines().next().unwrap_or_default();
    let mut names = in_backticks(message);
    if let Some(name) = names.next() {
        if problem.starts_with("unknown field") {
            return unknown(name, &names.collect::<Vec<_>>(), places);
        }
        if problem.starts_with("missing field") {
            return format!("the key `{name}` is missing");
        }
    }
    let of_type = problem.strip_prefix("invalid type: ");
    let of_type = of_type.or_else(|| problem.strip_prefix("invalid value: "));
    match (of_type.and_then(|text| text.rsplit_once(", expected ")), key) {
        (Some((got, expected)), Some(key)) => match table(key, places) {
            Some(name) => format!("`{key}` must be {name}, got {}", given(got)),
            None => format!("`{key}` must be {}, got {}", wanted(expected), given(got)),
        },
        _ => problem.to_owned(),
    }
}

/// A key that its place does not have: one of another place, or one that is like a key of this place.
fn unknown(name: &str, known: &[&str], places: &[Place]) -> String {
    let has = |place: &&Place| place.keys.iter().any(|key| key == name);
    let elsewhere: Vec<&str> = places.iter().filter(has).map(|place| place.name).collect();
    if !elsewhere.is_empty() {
        return format!(
            "`{name}` is a key of {}, and not of this place",
            elsewhere.join(" and of ")
        );
    }
    let alike = known.iter().map(|other| (strsim::jaro_winkler(name, other), other));
    let best = alike.max_by(|(a, _), (b, _)| a.total_cmp(b)).filter(|(alike, _)| *alike >= ALIKE);
    let meant = best.map_or_else(String::new, |(_, other)| format!("; did you mean `{other}`?"));
    format!("no key is called `{name}`{meant}")
}

/// The key whose value has this line, or begins before it.
fn key_at(text: &str, line: usize) -> Option<&str> {
    let lines: Vec<&str> = text.lines().take(line).collect();
    lines.into_iter().rev().find_map(|line| {
        let line = line.trim();
        let table = line.strip_prefix('[').and_then(|line| line.split_once(']'));
        let name = match table {
            Some((name, _)) => name.trim_matches(['[', ' ']),
            None => line.split_once('=')?.0.trim(),
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        (!name.is_empty() && name.chars().all(is_part)).then_some(name)
    })
}

/// What a key takes that is the name of a table.
fn table(key: &str, places: &[Place]) -> Option<String> {
    let is_table = |place: &&Place| place.name.trim_matches(['[', ']']) == key;
    let name = places.iter().find(is_table)?.name;
    Some(match name.starts_with("[[") {
        true => format!("tables {name}, each with two brackets"),
        false => format!("one table {name}, with one bracket"),
    })
}

/// What a key takes that is no table.
fn wanted(expected: &str) -> &str {
    match expected {
        "a sequence" | "sequence" => "a list in brackets",
        "f64" => "a number",
        "u32" | "u64" | "usize" => "a whole number that is not negative",
        "a boolean" => "true or false",
        text if text.ends_with("string") => "text in quotation marks",
        other => other,
    }
}

/// What stands there.
fn given(got: &str) -> String {
    let (kind, value) = got.split_once(' ').unwrap_or((got, ""));
    match kind {
        "map" => "a table".to_owned(),
        "sequence" => "a list".to_owned(),
        "string" => format!("the text {value}"),
        "boolean" | "integer" => value.trim_matches('`').to_owned(),
        "floating" => value.trim_start_matches("point ").trim_matches('`').to_owned(),
        _ => got.to_owned(),
    }
}

fn in_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}
