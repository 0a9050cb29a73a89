//! Texts of others that may have credentials in them.

/// What stands in the place of a secret.
const HIDDEN: &str = "***";

/// Names of the parameters of an address whose values let somebody in.
const PARAMETERS: [&str; 6] = [
    "sig",
    "x-amz-signature",
    "x-amz-credential",
    "x-amz-security-token",
    "x-goog-signature",
    "token",
];

/// A text without users and passwords in addresses, and without signatures.
pub(super) fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let address = &after[..after.find(ends_address).unwrap_or(after.len())];
        rest = &after[address.len()..];
        let host = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
        let known = host.rfind('@').map_or(0, |at| {
            shown.push_str(HIDDEN);
            at
        });
        shown.push_str(&without_signatures(&address[known..]));
    }
    shown.push_str(rest);
    shown
}

/// Whether an address has ended before a character.
fn ends_address(next: char) -> bool {
    next.is_whitespace() || matches!(next, '"' | '\'' | '<' | '>' | ')' | '`')
}

/// An address without the values of parameters that are secrets.
fn without_signatures(address: &str) -> String {
    let Some((path, query)) = address.split_once('?') else { return address.to_owned() };
    let hidden = |parameter: &str| match parameter.split_once('=') {
        Some((name, _)) if PARAMETERS.contains(&name.to_lowercase().as_str()) => {
            format!("{name}={HIDDEN}")
        }
        _ => parameter.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(hidden).collect();
    format!("{path}?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_signatures_are_not_shown() {
        for (text, expected) in [
            ("no address: a@b", "no address: a@b"),
            ("(http://host:1/a@b?x=1) and https://h", "(http://host:1/a@b?x=1) and https://h"),
            (
                "error sending request for url (http://user:hunter2pass@host:9000/b/k)",
                "error sending request for url (http://***@host:9000/b/k)",
            ),
            ("`http://u:p@ss@host`", "`http://***@host`"),
            (
                "https://a.blob.core/c/k?sv=1&sig=abc%3D&se=2 \"s3://x\"",
                "https://a.blob.core/c/k?sv=1&sig=***&se=2 \"s3://x\"",
            ),
            (
                "http://h/k?X-Amz-Signature=00&X-Amz-Credential=K",
                "http://h/k?X-Amz-Signature=***&X-Amz-Credential=***",
            ),
        ] {
            assert_eq!(without_secrets(text), expected);
        }
    }
}
