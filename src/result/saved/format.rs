//! What a file of results says of itself, before the result is read.

use serde::Deserialize;

/// The number of the form in which results are saved: 1 had no kind, and other words for some numbers.
pub(crate) const FORMAT: u64 = 2;

/// The first members of a document.
#[derive(Deserialize)]
pub(crate) struct Head {
    kind: Option<String>,
    format: Option<u64>,
}

impl Head {
    /// The kind of a result in the form that this version reads; an error that says why it cannot.
    pub(crate) fn kind(self) -> Result<String, String> {
        match (self.format, self.kind) {
            (Some(FORMAT), Some(kind)) => Ok(kind),
            (Some(newer), _) if newer > FORMAT => Err(format!(
                "`format` is {newer}, and this version of burn-did reads {FORMAT}; read it with the version that wrote it, or a newer one"
            )),
            (Some(1), _) => Err(format!(
                "`format` is 1, and this version of burn-did reads {FORMAT}; estimate again, and save the result"
            )),
            (Some(0), _) => Err("`format` is 0, and the first is 1".into()),
            _ => Err(
                "has no `kind` and `format`, and is no saved result of this version of burn-did"
                    .into(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Result<String, String> {
        serde_json::from_str::<Head>(text).map_err(|e| e.to_string())?.kind()
    }

    #[test]
    fn other_formats_are_refused_by_name() {
        assert_eq!(kind("{\"kind\":\"drdid\",\"format\":2,\"more\":[]}").as_deref(), Ok("drdid"));
        for other in ["3", "1", "0", "18446744073709551615"] {
            let error = kind(&format!("{{\"format\":{other}}}")).expect_err("unknown");
            assert!(error.contains(&format!("`format` is {other}")), "{error}");
        }
        for wrong in ["-1", "1.5", "\"1\""] {
            assert!(
                kind(&format!("{{\"kind\":\"drdid\",\"format\":{wrong}}}")).is_err(),
                "{wrong}"
            );
        }
        assert!(kind("{\"cells\":[]}").is_err_and(|e| e.contains("`kind`")));
    }
}
