//! `RESULTS.md`: one section of it is replaced, the others stay.

use std::path::Path;

use super::Result;

/// Sections in order: marker and heading.
const SECTIONS: [(&str, &str); 7] = [
    ("cases", "Against other packages, on a CPU"),
    ("doses", "Continuous treatments"),
    ("switching", "Treatments that switch"),
    ("feols", "Regressions with fixed effects"),
    ("fepois", "Poisson regressions with fixed effects"),
    ("scaling", "How time and memory grow"),
    ("gpu", "On a GPU"),
];

const HEAD: &str = "# Results of the benches\n\n\
    Written by the benches, see [README.md](README.md); every section says where and when it was measured.\n";

/// Replaces the section between its markers.
pub fn write_section(path: &Path, section: &str, text: &str) -> Result<()> {
    let old = std::fs::read_to_string(path).unwrap_or_default();
    let mut new = HEAD.to_owned();
    for (name, heading) in SECTIONS {
        let kept = between(&old, name).unwrap_or("Not measured yet.");
        let body = if name == section { text } else { kept };
        new += &format!("\n## {heading}\n\n<!-- {name} -->\n{}\n<!-- /{name} -->\n", body.trim());
    }
    std::fs::write(path, new)?;
    println!("wrote section `{section}` of {}", path.display());
    Ok(())
}

fn between<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n"))?;
    Some(rest.split_once(&format!("<!-- /{name} -->"))?.0)
}

/// A table; the first column is left-aligned, the others right-aligned.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let rules = (0..head.len()).map(|j| if j == 0 { "---" } else { "---:" });
    let mut out = line(head.to_vec()) + &line(rules.collect());
    for row in rows {
        out += &line(row.iter().map(String::as_str).collect());
    }
    out
}

/// Three significant digits.
pub fn digits(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let whole = value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32;
    format!("{value:.*}", usize::try_from(2 - whole.clamp(-3, 2)).unwrap_or(0))
}

/// Mebibytes.
pub fn mebibytes(bytes: f64) -> String {
    format!("{:.0}", bytes / f64::from(1 << 20))
}
