//! Commands by their names in other programs.

use std::borrow::Cow;
use std::ffi::OsString;

use clap::Command;

/// Names elsewhere, the command that does it here, and how it is called where the name alone does not say so.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("aggte", "aggregate", ""),
    ("areg", "feols", FIXED_EFFECTS),
    ("bacondecomp", "bacon", ""),
    ("contdid", "cont-did", ""),
    ("coefplot", "plot", SAVED),
    ("csdid", "att-gt", ""),
    ("csdid2", "att-gt", ""),
    ("csdid_plot", "plot", SAVED),
    ("did", "att-gt", ""),
    ("did2s", "two-stage", ""),
    ("did_imputation", "imputation", ""),
    ("did_multiplegt_dyn", "did-multiplegt", ""),
    ("didhonest", "honest", ""),
    ("didimputation", "imputation", ""),
    ("didregress", "feols", REGRESSED_BY_GROUP),
    ("esttab", "compare", SAVED),
    ("estout", "compare", SAVED),
    ("event_plot", "plot", SAVED),
    ("eventstudyinteract", "sunab", ""),
    ("feglm", "feols", ", with --family poisson, logit or probit"),
    ("fepois", "feols", POISSON),
    ("fixest", "feols", ""),
    ("ggdid", "plot", SAVED),
    ("hdidregress", "att-gt", HETEROGENEOUS),
    ("honest_did", "honest", ""),
    ("honestdid", "honest", ""),
    ("iplot", "plot", SAVED),
    ("jwdid", "etwfe", ""),
    ("logit", "feols", ", with --family logit"),
    ("poisson", "feols", POISSON),
    ("ppmlhdfe", "feols", POISSON),
    ("probit", "feols", ", with --family probit"),
    ("reghdfe", "feols", FIXED_EFFECTS),
    ("stackedev", "stacked", ""),
    ("triplediff", "ddd", ""),
    ("twfe", "feols", REGRESSED),
    ("twowayfeweights", "twfe-weights", ""),
    ("xtdidregress", "feols", REGRESSED),
    ("xthdidregress", "att-gt", HETEROGENEOUS),
    ("xtreg", "feols", FIXED_EFFECTS),
];

const FIXED_EFFECTS: &str = ", with fixed effects behind a bar, as in \"y ~ x | firm + year\"";
const HETEROGENEOUS: &str =
    ", with --est-method dr (its aipw), reg (ra) or ipw; its twfe is `burn-did etwfe`";
const POISSON: &str = ", with --family poisson";
const REGRESSED: &str = ", with fixed effects of units and periods, as in \"y ~ treated | unit + year\" --vcov cluster:unit";
const REGRESSED_BY_GROUP: &str = ", with fixed effects of groups and periods, as in \"y ~ treated | group + year\" --vcov cluster:group";
const SAVED: &str = ", of results that --save wrote";

/// What follows a fit elsewhere, in several commands here.
const AFTER_A_FIT: &str = "averages of a saved fit are `burn-did aggregate fit.json --aggregate dynamic`; the test of `estat pretrend` stands below the table of `burn-did att-gt`, and `burn-did pretrends fit.json` has its power";

/// What to write instead of a command, or of one below a command that has commands, such as `simulate`.
pub(super) fn instead_of(
    name: &str,
    arguments: &[OsString],
    program: &Command,
) -> Option<Cow<'static, str>> {
    let mut words = arguments.iter().skip(1).map(|word| word.to_string_lossy());
    let above = words.find(|word| word != "help").unwrap_or_default();
    let below = program.find_subcommand(&*above).filter(|command| command.has_subcommands());
    let (within, path) = match below {
        Some(command) => (command, format!("burn-did {above}")),
        None => (program, "burn-did".to_owned()),
    };
    let name = name.to_lowercase();
    if matches!(&*name, "estat" | "csdid_estat" | "csdid_stats") && below.is_none() {
        return Some(AFTER_A_FIT.into());
    }
    let here = COMMANDS.iter().find(|(theirs, ..)| *theirs == name);
    let (meant, called) = match here {
        Some((_, ours, called)) => ((*ours).to_owned(), *called),
        None => (name.replace('_', "-"), ""),
    };
    within.find_subcommand(&meant)?;
    Some(format!("the command is `{path} {meant}`{called}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_other_programs_are_known() {
        let program =
            Command::new("burn-did").subcommands(["att-gt", "two-stage"].map(Command::new));
        let simulate = Command::new("simulate").subcommand(Command::new("att-gt"));
        let program = program.subcommand(simulate);
        let said = |words: &[&str]| {
            let arguments: Vec<OsString> =
                ["burn-did"].iter().chain(words).map(OsString::from).collect();
            instead_of(words.last()?, &arguments, &program)
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
