//! What to write instead of an option or a command that another program has.

mod commands;
mod options;

use std::borrow::Cow;
use std::ffi::OsString;

use burn_did::command_line::are_near;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// What to write instead of an option that another program has, or another command, among the commands of the `program`.
pub(crate) fn hint_for(
    error: &Error,
    arguments: &[OsString],
    program: &Command,
) -> Option<Cow<'static, str>> {
    let command = arguments.get(1).map_or("".into(), |command| command.to_string_lossy());
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::MissingRequiredArgument if command == "panelview" => Some(
            "the column of first treated periods is --gname, that of a treatment in every period --treatment".into(),
        ),
        ErrorKind::InvalidSubcommand if command == "cluster" => {
            Some("clusters of machines need a build with the feature `ballista`".into())
        }
        ErrorKind::InvalidSubcommand => {
            commands::instead_of(context(ContextKind::InvalidSubcommand)?, arguments, program)
        }
        ErrorKind::UnknownArgument => {
            let of_command = program.find_subcommand(&*command);
            options::instead_of(context(ContextKind::InvalidArg)?, &command, of_command, arguments)
                .map(Cow::Borrowed)
        }
        ErrorKind::InvalidValue => {
            let value = context(ContextKind::InvalidValue)?;
            options::instead_of_value(context(ContextKind::InvalidArg)?, value).map(Cow::Borrowed)
        }
        _ => None,
    }
}

/// The parser's words for an error of a command: with its proposals if there is no better hint, and of these only names that are near what
/// was written. The parser proposes others, too, which are other options.
pub(crate) fn said(
    error: &mut Error,
    has_hint: bool,
    arguments: &[OsString],
    program: &Command,
) -> String {
    let written = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let written = written.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    });
    let is_meant = |name: &String| {
        !has_hint && written.as_ref().is_some_and(|written| is_meant(written, name))
    };
    // An option that a command does not have is no value.
    error.remove(ContextKind::Suggested);
    if has_hint {
        error.remove(ContextKind::SuggestedValue);
    }
    for kind in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
        let proposed = match error.remove(kind) {
            Some(ContextValue::String(name)) => vec![name],
            Some(ContextValue::Strings(names)) => names,
            _ => continue,
        };
        let kept: Vec<String> = proposed.into_iter().filter(is_meant).collect();
        match kept.as_slice() {
            [] if kind == ContextKind::SuggestedArg => {
                // The usage is that of the proposal.
                let usage = usage_of(arguments, program);
                error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
            }
            [] => {}
            [only] => {
                error.insert(kind, ContextValue::String(only.clone()));
            }
            _ => {
                error.insert(kind, ContextValue::Strings(kept));
            }
        }
    }
    error.render().to_string()
}

/// How the command that is called, or the one below it, is used.
fn usage_of(arguments: &[OsString], program: &Command) -> StyledStr {
    let words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    let mut command = program;
    for word in words {
        let Some(below) = command.find_subcommand(&*word) else { break };
        command = below;
    }
    command.clone().render_usage()
}

/// Whether what was written is the beginning of a name, or nearly the name.
fn is_meant(written: &str, name: &str) -> bool {
    name.starts_with(written) || are_near(written, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_are_near() {
        for (written, name) in
            [("--agg", "--aggregate"), ("--rseed", "--seed"), ("estudy", "study")]
        {
            assert!(is_meant(written, name), "{written}");
        }
        for (written, name) in
            [("--level", "--device"), ("--reps", "--precision"), ("areg", "aggregate")]
        {
            assert!(!is_meant(written, name), "{written}");
        }
    }
}
