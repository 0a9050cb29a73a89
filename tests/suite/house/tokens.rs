//! The paths that a source file names, without its tests.

use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// `use a::b as c;`: the path and the name that it has here (`*` for all).
#[derive(Clone, Debug)]
pub(super) struct Import {
    pub(super) module: Vec<String>,
    pub(super) path: Vec<String>,
    pub(super) name: String,
}

/// What one file says: its imports, the other paths that begin with `crate`, `self` or `super`, and its modules of tests.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) imports: Vec<Import>,
    /// Inline module around the path, below the file's own, and the path.
    pub(super) paths: Vec<(Vec<String>, Vec<String>)>,
    /// Files `mod x;` that only tests compile.
    pub(super) tests: Vec<String>,
    /// Files `mod x;` of this one.
    pub(super) children: Vec<String>,
}

/// What a source file says.
pub(super) fn said(source: &str) -> Said {
    let tokens = TokenStream::from_str(source).expect("a source file that compiles");
    let mut said = Said::default();
    walk(tokens, &[], &mut said);
    said
}

fn walk(tokens: TokenStream, module: &[String], said: &mut Said) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    let mut for_tests = false;
    while at < tokens.len() {
        at = match (&tokens[at], tokens.get(at + 1)) {
            (TokenTree::Punct(mark), Some(TokenTree::Group(attribute)))
                if mark.as_char() == '#' =>
            {
                for_tests |= is_test_only(&attribute.stream().to_string());
                at + 2
            }
            (TokenTree::Ident(word), Some(TokenTree::Group(scope)))
                if *word == "pub" && scope.delimiter() == Delimiter::Parenthesis =>
            {
                at + 2
            }
            (TokenTree::Ident(word), _) if *word == "pub" => at + 1,
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if *word == "mod" => {
                let name = name.to_string();
                match tokens.get(at + 2) {
                    Some(TokenTree::Group(_)) if for_tests => {}
                    Some(TokenTree::Group(body)) => {
                        let inner = [module, std::slice::from_ref(&name)].concat();
                        walk(body.stream(), &inner, said);
                    }
                    _ if for_tests => said.tests.push(name),
                    _ => said.children.push(name),
                }
                for_tests = false;
                at + 3
            }
            (TokenTree::Ident(word), _) if *word == "use" => {
                let mut found = Vec::new();
                let next = use_tree(&tokens, at + 1, &[], &mut found);
                if !for_tests {
                    let import = |(path, name)| Import { module: module.to_vec(), path, name };
                    said.imports.extend(found.into_iter().map(import));
                }
                for_tests = false;
                next
            }
            (TokenTree::Ident(word), _) if is_root(&word.to_string()) => {
                let (path, next) = path(&tokens, at);
                if path.len() > 1 {
                    said.paths.push((module.to_vec(), path));
                }
                next
            }
            (TokenTree::Group(group), _) => {
                if !for_tests {
                    walk(group.stream(), module, said);
                }
                // The body of what the attribute was about.
                for_tests &= group.delimiter() != Delimiter::Brace;
                at + 1
            }
            (TokenTree::Punct(mark), _) if mark.as_char() == ';' => {
                for_tests = false;
                at + 1
            }
            _ => at + 1,
        };
    }
}

/// Whether an attribute keeps what follows out of every build but that of the tests.
fn is_test_only(attribute: &str) -> bool {
    let attribute: String = attribute.split_whitespace().collect();
    attribute == "cfg(test)" || attribute.starts_with("cfg(all(test,") || attribute == "test"
}

fn is_root(word: &str) -> bool {
    ["crate", "self", "super"].contains(&word)
}

fn is_colon(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Punct(mark)) if mark.as_char() == ':')
}

/// The names of a path that begins here, and where it ends.
fn path(tokens: &[TokenTree], start: usize) -> (Vec<String>, usize) {
    let mut names = Vec::new();
    let mut at = start;
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        names.push(name.to_string());
        at += 1;
        if !(is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1))) {
            break;
        }
        at += 2;
    }
    (names, at)
}

/// Reads a tree of imports, and says where it ends.
fn use_tree(
    tokens: &[TokenTree],
    start: usize,
    before: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> usize {
    let (names, mut at) = path(tokens, start);
    let path = [before, &names].concat();
    match tokens.get(at) {
        Some(TokenTree::Group(group)) => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut next = 0;
            while next < inner.len() {
                next = use_tree(&inner, next, &path, found) + 1;
            }
            at + 1
        }
        Some(TokenTree::Punct(mark)) if mark.as_char() == '*' => {
            found.push((path, "*".into()));
            at + 1
        }
        Some(TokenTree::Ident(word)) if *word == "as" => {
            let name = tokens.get(at + 1).map(ToString::to_string).unwrap_or_default();
            found.push((path, name));
            at + 2
        }
        _ => {
            let mut path = path;
            if path.last().is_some_and(|name| name == "self") && path.len() > 1 {
                path.pop();
            }
            let name = path.last().cloned().unwrap_or_default();
            found.push((path, name));
            at = at.max(start + 1);
            at
        }
    }
}
