//! What every run must keep to.

use std::path::Path;

use serde_json::Value;

use super::process::Outcome;

/// Checks a run and the files it wrote; the exit code, or what is wrong.
pub fn outcome(words: &[String], directory: &Path, outcome: &Outcome) -> Result<u8, String> {
    if outcome.hang {
        return Err("hangs".into());
    }
    let Some(code @ 0..=2) = outcome.code else {
        let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
        return Err(format!("ends with {:?}: {}", outcome.code, clipped(&text)));
    };
    let stderr = printable("standard error", &outcome.stderr)?;
    let stdout = printable("standard output", &outcome.stdout)?;
    if stderr.contains("panicked") {
        return Err(format!("panics: {}", clipped(stderr)));
    }
    let told = stderr.lines().any(|l| l.starts_with("error: "));
    if told != (code != 0) {
        return Err(format!("code {code} with {}", clipped(stderr)));
    }
    // What a fit saved is named so; mutated results have another name.
    if stderr.contains("saved result") && words.iter().any(|w| w.ends_with("saved.json")) {
        return Err(format!("what was saved cannot be read: {}", clipped(stderr)));
    }
    if code == 0 {
        let format = words.iter().position(|w| w == "--format").map(|i| words[i + 1].as_str());
        match format {
            Some("json") => json(stdout)?,
            Some("csv") => csv(stdout)?,
            _ => {}
        }
        pictures(directory)?;
    }
    Ok(code as u8)
}

fn clipped(text: &str) -> String {
    text.chars().take(400).collect()
}

/// Text without control characters, which a terminal would obey.
fn printable<'a>(what: &str, bytes: &'a [u8]) -> Result<&'a str, String> {
    let text = std::str::from_utf8(bytes).map_err(|e| format!("{what} is not UTF-8: {e}"))?;
    match text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\n' | '\t')) {
        Some((at, c)) => {
            let around: String = text[..at].chars().rev().take(80).collect();
            let before: String = around.chars().rev().collect();
            Err(format!("{what} has {c:?} after {before:?}"))
        }
        None => Ok(text),
    }
}

/// Every estimate of the document.
fn json(text: &str) -> Result<(), String> {
    let document: Value = serde_json::from_str(text).map_err(|e| format!("JSON: {e}"))?;
    let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
    for cell in list("cells") {
        estimate(&cell, cell["status"] == "ok")?;
    }
    if let Some(effect) = document.get("effect") {
        estimate(effect, effect["status"] == "ok")?;
    }
    for (i, row) in list("vcov").iter().enumerate() {
        if row[i].as_f64().is_some_and(|v| v < 0.0) {
            return Err(format!("variance {}", row[i]));
        }
    }
    if let Some(wald) = document["result"].get("wald").and_then(Value::as_object)
        && wald.values().any(Value::is_null)
    {
        return Err(format!("Wald test {wald:?}"));
    }
    let no_event = |w: &Value| w.as_str().is_some_and(|w| w.contains("no event time at or after"));
    let aggregates = match &document {
        Value::Array(several) => several.clone(),
        one if one["kind"] == "aggregated" => vec![one.clone()],
        _ => list("aggregates"),
    };
    for aggregate in aggregates {
        if aggregate.get("error").is_some() {
            continue;
        }
        if aggregate["about"]["critical_value"].is_null() {
            return Err(format!("critical value of {aggregate}"));
        }
        let own = aggregate["warnings"].as_array().cloned().unwrap_or_default();
        let without_overall = list("warnings").iter().chain(&own).any(no_event);
        estimate(&aggregate["overall"], !without_overall)?;
        for row in aggregate["rows"].as_array().into_iter().flatten() {
            estimate(row, row["status"] != "no_estimate")?;
            let place = ["event_time", "group", "time"]
                .map(|key| row.get(key))
                .into_iter()
                .flatten()
                .next();
            if place.is_none_or(Value::is_null) {
                return Err(format!("place of {row}"));
            }
        }
    }
    Ok(())
}

/// An estimate has its numbers, an interval around it, and a standard error above 0 or none.
fn estimate(value: &Value, expected: bool) -> Result<(), String> {
    let number = |key: &str| value[key].as_f64();
    let [att, se, low, high] = ["estimate", "se", "ci_lower", "ci_upper"].map(number);
    let wrong = |what: &str| Err(format!("{what}: {}", clipped(&value.to_string())));
    if expected && att.is_none() {
        return wrong("no estimate");
    }
    if se.is_some_and(|se| se <= 0.0) {
        return wrong("standard error");
    }
    if se.is_some() != (low.is_some() && high.is_some()) {
        return wrong("interval");
    }
    if let (Some(att), Some(low), Some(high)) = (att, low, high)
        && !(low <= att && att <= high)
    {
        return wrong("order of the interval");
    }
    if let (Some(p), Some(_)) = (value.get("p_value"), se)
        && p.as_f64().is_none_or(|p| !(0.0..=1.0).contains(&p))
    {
        return wrong("p-value");
    }
    Ok(())
}

/// Fields of a line; those in quotes may have commas.
fn fields(line: &str) -> Vec<&str> {
    let mut quoted = false;
    let comma = |c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    };
    line.split(comma).collect()
}

/// Every row of the table.
fn csv(text: &str) -> Result<(), String> {
    let mut lines = text.lines();
    let header = fields(lines.next().unwrap_or_default());
    let place = |name: &str| header.iter().position(|head| *head == name);
    let names = ["estimate", "se", "ci_lower", "ci_upper", "p_value", "statistic"];
    for line in lines {
        let row = fields(line);
        let field = |name: &str| place(name).and_then(|at| row.get(at)).copied();
        let numbers = names.map(|name| field(name).unwrap_or("no column"));
        let parsed = numbers.map(|v| v.parse::<f64>());
        let empty = numbers.map(str::is_empty);
        let bad = |i: usize| !empty[i] && !parsed[i].as_ref().is_ok_and(|v| v.is_finite());
        let interval = empty[1] == empty[2] && empty[1] == empty[3];
        let negative = parsed[1].as_ref().is_ok_and(|se| *se <= 0.0);
        let missing = field("status") == Some("ok") && empty[0];
        if row.len() != header.len() || (0..6).any(bad) || !interval || negative || missing {
            return Err(format!("CSV row {line}"));
        }
    }
    Ok(())
}

/// Pictures are whole, and an SVG has only what XML allows.
fn pictures(directory: &Path) -> Result<(), String> {
    if let Ok(svg) = std::fs::read(directory.join("plot.svg")) {
        let text = std::str::from_utf8(&svg).map_err(|e| format!("SVG: {e}"))?;
        let allowed = |c: char| {
            matches!(c, '\n' | '\t' | '\r')
                || !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'))
        };
        if let Some(c) = text.chars().find(|c| !allowed(*c)) {
            return Err(format!("SVG has {c:?}"));
        }
        if !text.trim_end().ends_with("</svg>") || text.contains("NaN") {
            return Err("SVG is not whole, or has NaN".into());
        }
    }
    if let Ok(png) = std::fs::read(directory.join("plot.png"))
        && !(png.starts_with(b"\x89PNG") && png.ends_with(b"IEND\xaeB`\x82"))
    {
        return Err("PNG is not whole".into());
    }
    if let Ok(pdf) = std::fs::read(directory.join("plot.pdf"))
        && !(pdf.starts_with(b"%PDF-") && pdf.ends_with(b"%%EOF"))
    {
        return Err("PDF is not whole".into());
    }
    Ok(())
}
