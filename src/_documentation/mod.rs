//! What is computed, how, and how it compares.

#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("comparison.md")]
pub mod comparison {}

#[doc = include_str!("estimands.md")]
pub mod estimands {}

#[doc = include_str!("mechanics.md")]
pub mod mechanics {}

#[doc = include_str!("moving.md")]
pub mod moving {}

#[doc = include_str!("numerics.md")]
pub mod numerics {}

#[cfg(feature = "ballista")]
#[doc = include_str!("on_many_machines.md")]
pub mod on_many_machines {}

#[doc = include_str!("performance.md")]
pub mod performance {}

#[doc = include_str!("study.md")]
pub mod study {}

#[doc = include_str!("tour.md")]
pub mod tour {}

#[doc = include_str!("what_can_go_wrong.md")]
pub mod what_can_go_wrong {}

/// The program of the README, which compiles as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    /// Names of the variants of an enumeration, from its source.
    fn variants<'a>(source: &'a str, name: &str) -> Vec<&'a str> {
        let (_, rest) = source.split_once(&format!("pub enum {name} {{\n")).expect("the enum");
        let (body, _) = rest.split_once("\n}\n").expect("its end");
        let start = |line: &'a str| {
            let line = line.strip_prefix("    ")?;
            let end = line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len());
            line.starts_with(|c: char| c.is_ascii_uppercase()).then(|| &line[..end])
        };
        body.lines().filter_map(start).collect()
    }

    #[test]
    fn everything_that_can_go_wrong_is_on_its_page() {
        let page = include_str!("what_can_go_wrong.md");
        for (source, name, least) in [
            (include_str!("../base/error/mod.rs"), "DidError", 25),
            (include_str!("../base/error/warning.rs"), "DidWarning", 20),
            (include_str!("../result/estimates/status.rs"), "CellStatus", 10),
        ] {
            let variants = variants(source, name);
            assert!(variants.len() >= least, "{name}: {variants:?}");
            for variant in variants {
                let missing = !page.contains(&format!("`{variant}`"));
                assert!(!missing, "{name}::{variant} is not on the page");
            }
        }
    }
}
