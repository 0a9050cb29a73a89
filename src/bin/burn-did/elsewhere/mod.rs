//! What to write instead of an option or a command that another program has.

use std::borrow::Cow;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// Commands by their names in other programs.
const COMMANDS: &[(&str, &str)] = &[
    ("aggte", "aggregate"),
    ("bacondecomp", "bacon"),
    ("csdid", "att-gt"),
    ("did", "att-gt"),
    ("did2s", "two-stage"),
    ("did_imputation", "imputation"),
    ("didimputation", "imputation"),
    ("didhonest", "honest"),
    ("ggdid", "plot"),
    ("honest_did", "honest"),
    ("honestdid", "honest"),
    ("jwdid", "etwfe"),
    ("reghdfe", "feols"),
    ("twowayfeweights", "twfe-weights"),
];

/// Options by their names in other programs, the option that they are here, and how it is written.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("--xname", "xformla", "covariates are a formula, as in --xformla \"~ lpop\""),
    ("--first-treat", "gname", FIRST_TREATED),
    ("--gvar", "gname", FIRST_TREATED),
    ("--ivar", "idname", "the column of units is named by --idname"),
    ("--min-e", "aggregate", "a window is part of an average, as in --aggregate dynamic:min_e=-2"),
    ("--max-e", "aggregate", "a window is part of an average, as in --aggregate dynamic:max_e=5"),
    (
        "--balance-e",
        "aggregate",
        "a window is part of an average, as in --aggregate dynamic:balance_e=1",
    ),
    (
        "--na-rm",
        "aggregate",
        "averages leave out cells without an estimate by --aggregate dynamic:na_rm=true",
    ),
];

const FIRST_TREATED: &str = "the column of first treated periods is named by --gname";

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
            known(context(ContextKind::InvalidSubcommand)?, arguments, program)
        }
        ErrorKind::UnknownArgument => {
            let of_command = program.find_subcommand(&*command);
            of_option(context(ContextKind::InvalidArg)?, &command, of_command, arguments)
                .map(Cow::Borrowed)
        }
        _ => None,
    }
}

/// The command that another name stands for, or the one below a command that has commands, such as `simulate`.
fn known(name: &str, arguments: &[OsString], program: &Command) -> Option<Cow<'static, str>> {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    let above = words.find(|word| word != "help").unwrap_or_default();
    let below = program.find_subcommand(&*above).filter(|command| command.has_subcommands());
    let (within, path) = match below {
        Some(command) => (command, format!("burn-did {above}")),
        None => (program, "burn-did".to_owned()),
    };
    let name = name.to_lowercase();
    let here = COMMANDS.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
    let meant = here.map_or_else(|| name.replace('_', "-"), str::to_owned);
    within.find_subcommand(&meant)?;
    Some(format!("the command is `{path} {meant}`").into())
}

/// What to write instead of an option of a command.
fn of_option(
    option: &str,
    command: &str,
    parser: Option<&Command>,
    arguments: &[OsString],
) -> Option<&'static str> {
    let (regression, doses) =
        (matches!(command, "feols" | "sunab" | "etwfe"), command == "cont-did");
    let follows = |before: &str| {
        let pair = |pair: &[OsString]| pair[0] == before && pair[1] == option;
        arguments.windows(2).any(pair)
    };
    let has =
        |ours: &str| parser.is_some_and(|p| p.get_arguments().any(|a| a.get_long() == Some(ours)));
    match option {
        "--xformla" | "--covariates" | "--xname" if doses => {
            Some("a continuous treatment has no covariates; leave the option out")
        }
        "--repeated-cross-sections" if doses => {
            Some("a continuous treatment needs a panel; name its unit by --idname")
        }
        "--cluster" | "--clustervars" | "--clusters" if regression => {
            Some("clusters are part of --vcov, as in --vcov cluster:firm")
        }
        "--cluster" if has("clustervars") => Some(
            "the column of clusters is named by --clustervars; a cluster of machines needs a build with the feature `ballista`",
        ),
        "--robust" | "--se" if regression => Some("add --vcov hetero"),
        value if !value.starts_with('-') && (follows("--boot") || follows("--bootstrap")) => {
            Some("--boot has no value; the number of draws is --biters, as in --boot --biters 999")
        }
        _ => {
            let written = option.replace('_', "-");
            let known = |(theirs, ours, _): &&(&str, &str, &str)| *theirs == written && has(ours);
            OPTIONS.iter().find(known).map(|(_, _, hint)| *hint)
        }
    }
}

/// What the parser says, without its proposals.
pub(crate) fn without_tips(text: &str) -> String {
    let kept = text.split("\n\n").filter(|part| !part.trim_start().starts_with("tip:"));
    kept.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_of_the_parser_are_left_out() {
        let text = "error: no\n\n  tip: a similar\n\nUsage: x\n\nFor more\n";
        assert_eq!(without_tips(text), "error: no\n\nUsage: x\n\nFor more\n");
    }

    #[test]
    fn commands_of_other_programs_are_known() {
        let program =
            Command::new("burn-did").subcommands(["att-gt", "two-stage"].map(Command::new));
        let simulate = Command::new("simulate").subcommand(Command::new("att-gt"));
        let program = program.subcommand(simulate);
        let said = |words: &[&str]| {
            let arguments: Vec<OsString> =
                ["burn-did"].iter().chain(words).map(OsString::from).collect();
            known(words.last()?, &arguments, &program)
        };
        assert_eq!(said(&["did2s"]).as_deref(), Some("the command is `burn-did two-stage`"));
        assert_eq!(said(&["att_gt"]).as_deref(), Some("the command is `burn-did att-gt`"));
        assert_eq!(said(&["help", "att_gt"]), said(&["att_gt"]));
        assert_eq!(said(&["other"]), None);
        let below = Some("the command is `burn-did simulate att-gt`");
        assert_eq!(said(&["simulate", "att_gt"]).as_deref(), below);
        assert_eq!(said(&["help", "simulate", "att_gt"]).as_deref(), below);
        assert_eq!(said(&["simulate", "did2s"]), None);
    }
}
