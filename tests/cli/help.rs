//! Help texts, which are the reference of the command line.

use std::fs;

use crate::run::{root, stdout};

#[test]
fn help_is_as_documented() {
    let commands = [
        "",
        "att-gt",
        "ddd",
        "drdid",
        "cont-did",
        "npiv",
        "did-multiplegt",
        "feols",
        "sunab",
        "imputation",
        "two-stage",
        "etwfe",
        "lpdid",
        "stacked",
        "study",
        "bacon",
        "twfe-weights",
        "demean",
        "panel",
        "panel first-treated",
        "panel balance",
        "panel fill-gaps",
        "panel deduplicate",
        "panel lag",
        "panel difference",
        "panel long-difference",
        "panel to-wide",
        "panel to-long",
        "aggregate",
        "compare",
        "honest",
        "pretrends",
        "plot",
        "report",
        "describe",
        "panelview",
        "means",
        "balance",
        "simulate",
        "simulate att-gt",
        "simulate pretrends",
        "simulate drdid",
        "simulate ddd",
        "simulate cont-did",
        "simulate did-multiplegt",
        "simulate feols",
        "simulate npiv",
        "data",
        "overlap",
        "weighting",
    ];
    for command in commands {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let name =
            if command.is_empty() { "burn-did".to_owned() } else { command.replace(' ', "-") };
        let path = root().join(format!("tests/snapshots/{name}.txt"));
        // These offer another solver where it is built.
        if cfg!(feature = "schwarz") && ["feols", "demean"].contains(&command) {
            continue;
        }
        let help = stdout(&args);
        if std::env::var_os("BURN_DID_UPDATE").is_some() {
            fs::write(&path, &help).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(help, expected, "rewrite {} with BURN_DID_UPDATE=1", path.display());
    }
}
