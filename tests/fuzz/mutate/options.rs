//! Random command lines, most of them sensible.

use std::path::Path;

use super::dice::Dice;
use super::seeds::Command;

/// Values that make sense, and values that hardly do.
struct Choice(&'static [&'static str], &'static [&'static str]);

/// How often values do not make sense.
const SILLY: f64 = 0.12;

/// Sizes that no memory holds, or that overflow when multiplied.
const HUGE: [&str; 8] = [
    "0",
    "1000000000000",
    "9007199254740993",
    "1152921504606846976",
    "2305843009213693951",
    "2305843009213693952",
    "4611686018427387905",
    "18446744073709551615",
];

const FORMULAS: Choice = Choice(
    &[
        "~ 1",
        "~ x1",
        "~ x1 + x2t",
        "~ x1 * x2t",
        "~ C(region)",
        "~ region + x1",
        "~ log(w)",
        "~ exp(x2t) + x1",
        "~ I(x1^2) + x1",
        "~ 0 + x1",
        "~ x1:region + w",
    ],
    &[
        "~ log(x1)",
        "~ sqrt(x1) + exp(x2t)",
        "~ I(x1*1e200)",
        "~ I(x1*1e-170)",
        "~ I(x1/0)",
        "~ exp(I(1000*x1))",
        "~ . - x1",
        "~ C(id)",
        "~ C(x1)",
        "~ I(t - 2003)",
        "~ y + g",
        "~ nothing",
        "~ x1 +",
        "~ ((((((((((((x1))))))))))))",
        "~ I(x1^1e9)",
        "~ `x1` + x1^20",
    ],
);

const AGGREGATES: Choice = Choice(
    &[
        "simple:na_rm=true",
        "dynamic:na_rm=true",
        "group:na_rm=true",
        "calendar:na_rm=true",
        "simple",
        "dynamic",
        "group",
        "calendar",
        "dynamic:min_e=-1,max_e=1,na_rm=true",
        "dynamic:balance_e=1,na_rm=true",
    ],
    &[
        "dynamic:balance_e=4294967295,na_rm=true",
        "dynamic:min_e=1e308,max_e=-1e308",
        "dynamic:min_e=-1e308,na_rm=true",
        "group:max_e=-9",
        "dynamic:min_e=NaN",
        "weekly",
    ],
);

const ALPHAS: Choice = Choice(
    &["0.05", "0.1", "0.01", "0.5"],
    &["0.999999", "0", "1", "-0.1", "NaN", "1e-9", "1e-17", "1e-300", "5e-324", "inf"],
);

const TITLES: [&str; 7] = [
    "",
    "A title",
    "\u{1b}[31mred\u{7}\u{8}",
    "<&]]>\"'\u{fffe}\u{ffff}",
    "ünïcode 漢字 العربية",
    "\u{202e}backwards",
    "line\nbreak\ttab\r",
];

const ESTIMATORS: [&str; 14] = [
    "drdid_panel",
    "drdid_imp_panel",
    "reg_did_panel",
    "ipw_did_panel",
    "std_ipw_did_panel",
    "twfe_did_panel",
    "drdid_rc",
    "drdid_rc1",
    "drdid_imp_rc",
    "drdid_imp_rc1",
    "reg_did_rc",
    "ipw_did_rc",
    "std_ipw_did_rc",
    "twfe_did_rc",
];

/// Columns of the data, and some that are not.
const COLUMNS: [&str; 14] =
    ["y", "t", "id", "g", "q", "d", "x1", "x2t", "w", "wt", "cl", "region", "", "none"];

/// A command line in the making.
pub struct Line<'a> {
    pub words: Vec<String>,
    dice: &'a mut Dice,
}

impl<'a> Line<'a> {
    /// A fit of a file.
    pub fn fit(command: Command, data: &Path, directory: &Path, dice: &'a mut Dice) -> Self {
        let mut line = Self { words: vec![command.name().into()], dice };
        line.words.push(data.display().to_string());
        for (option, column) in [("--yname", "y"), ("--tname", "t"), ("--idname", "id")] {
            line.column(option, column);
        }
        match command {
            Command::AttGt => line.column("--gname", "g"),
            Command::Drdid => line.column("--treatname", "d"),
            Command::Ddd => {
                line.column("--gname", "g");
                line.column("--pname", "q");
            }
        }
        line.sample(command);
        line.inference(command);
        line.output(command, directory);
        line
    }

    /// Averages of a saved result.
    pub fn aggregate(saved: &Path, directory: &Path, dice: &'a mut Dice) -> Self {
        let words = vec!["aggregate".into(), saved.display().to_string()];
        let mut line = Self { words, dice };
        for _ in 0..line.dice.between(1, 3) {
            line.choose(1.0, "--aggregate", &AGGREGATES);
        }
        line.choose(0.2, "--alp", &ALPHAS);
        line.band();
        line.format();
        line.plot(0.2, "--plot", directory);
        line
    }

    /// A picture of a saved result.
    pub fn plot_of(saved: &Path, directory: &Path, dice: &'a mut Dice) -> Self {
        let words = vec!["plot".into(), saved.display().to_string()];
        let mut line = Self { words, dice };
        line.plot(1.0, "--out", directory);
        line.choose(0.7, "--aggregate", &AGGREGATES);
        for label in ["--title", "--x-label", "--y-label"] {
            line.choice(0.3, label, &TITLES);
        }
        if line.dice.chance(0.02) {
            line.push("--title", "long title ".repeat(9_000));
        }
        if line.dice.chance(0.3) {
            let large = &["1", "0", "17", "65535", "4294967295", "100000"];
            let sizes = Choice(&["640", "480", "300"], large);
            line.choose(1.0, "--width", &sizes);
            line.choose(1.0, "--height", &sizes);
        }
        line
    }

    fn push(&mut self, option: &str, value: impl Into<String>) {
        self.words.extend([option.to_owned(), value.into()]);
    }

    fn flag(&mut self, probability: f64, option: &str) {
        if self.dice.chance(probability) {
            self.words.push(option.into());
        }
    }

    fn choice(&mut self, probability: f64, option: &str, of: &[&str]) {
        if self.dice.chance(probability) {
            let value = self.dice.pick(of).to_owned();
            self.push(option, value);
        }
    }

    fn choose(&mut self, probability: f64, option: &str, choice: &Choice) {
        let Choice(sensible, silly) = choice;
        let of = if self.dice.chance(SILLY) { silly } else { sensible };
        self.choice(probability, option, of);
    }

    /// The column, or sometimes another one or none.
    fn column(&mut self, option: &str, column: &str) {
        if self.dice.chance(0.004) {
            return;
        }
        let other = self.dice.chance(0.015);
        let column = if other { self.dice.pick(&COLUMNS) } else { column };
        self.push(option, column);
    }

    fn sample(&mut self, command: Command) {
        self.choose(0.5, "--xformla", &FORMULAS);
        let weights = Choice(&["w", "wt", "id"], &["x1", "y", "region", "none", "g"]);
        self.choose(0.3, "--weightsname", &weights);
        let clusters = Choice(&["cl", "region", "id", "id,cl"], &["t", "y", "x1,x1", "g"]);
        self.choose(0.25, "--clustervars", &clusters);
        let sections = self.dice.chance(0.2);
        if sections {
            self.words.push("--repeated-cross-sections".into());
        }
        match command {
            Command::Drdid => {
                self.choice(0.6, "--estimator", &ESTIMATORS);
                self.choice(
                    0.2,
                    "--trim-level",
                    &["0.5", "0.995", "1e-300", "0.9999999", "1", "0"],
                );
            }
            Command::AttGt => {
                let large = &["5", "1000", "2147483647", "4294967295", "4294967296", "-1"];
                self.choose(0.25, "--anticipation", &Choice(&["0", "1", "2"], large));
                let periods = ["varying", "base_period", "first_period"];
                self.choice(0.15, "--fix-weights", &periods);
            }
            Command::Ddd => {
                self.choice(0.3, "--unbalanced", &["drop", "pairs", "rows"]);
                self.flag(0.1, "--covariates-of-cell");
            }
        }
        if command != Command::Drdid {
            self.flag(0.3, "--allow-unbalanced-panel");
            self.choice(0.4, "--control-group", &["nevertreated", "notyettreated"]);
            self.choice(0.6, "--method", &["dr", "ipw", "reg"]);
            self.choice(0.4, "--base-period", &["varying", "universal"]);
        }
    }

    fn inference(&mut self, command: Command) {
        if self.dice.chance(0.35) {
            self.words.push("--boot".into());
            let few = Choice(&["1", "2", "9", "25", "60"], &HUGE);
            self.choose(1.0, "--biters", &few);
            self.choice(0.5, "--multiplier", &["mammen", "rademacher", "webb", "gaussian"]);
            self.choice(0.3, "--seed", &["0", "7", "18446744073709551615"]);
            if command == Command::Drdid {
                self.choice(0.6, "--boot-type", &["weighted", "multiplier"]);
            }
        }
        self.choose(0.2, "--alp", &ALPHAS);
        self.choice(
            0.1,
            "--memory-budget",
            &["1", "20kB", "100MB", "18446744073709551615", "9GiB"],
        );
        self.choice(0.03, "--precision", &["f32", "f64"]);
        self.choice(0.03, "--device", &["0", "1", "99"]);
        if command != Command::Drdid {
            self.band();
        }
    }

    fn output(&mut self, command: Command, directory: &Path) {
        self.format();
        if command != Command::Drdid {
            let json = self.words.last().is_some_and(|w| w == "json");
            self.flag(if json { 0.2 } else { 0.01 }, "--vcov");
            for _ in 0..self.dice.below(3) {
                self.choose(1.0, "--aggregate", &AGGREGATES);
            }
            self.plot(0.05, "--plot", directory);
        }
        if self.dice.chance(0.15) {
            self.push("--save", directory.join("saved.json").display().to_string());
        }
        self.flag(0.1, "--quiet");
    }

    fn band(&mut self) {
        let chosen = self.dice.unit();
        self.flag(if chosen < 0.2 { 1.0 } else { 0.01 }, "--cband");
        self.flag(if chosen > 0.9 { 1.0 } else { 0.01 }, "--no-cband");
    }

    fn format(&mut self) {
        let format = if self.dice.chance(0.6) { "json" } else { "csv" };
        let shown = self.dice.chance(0.15);
        let format = if shown { self.dice.pick(&["table", "markdown", "latex"]) } else { format };
        self.push("--format", format);
    }

    fn plot(&mut self, probability: f64, option: &str, directory: &Path) {
        if self.dice.chance(probability) {
            let rare = self.dice.chance(0.05);
            let names: &[&str] = match rare {
                true => &["none/plot.svg", "plot.gif"],
                false => &["plot.svg", "plot.png", "plot.pdf"],
            };
            let name = self.dice.pick(names);
            self.push(option, directory.join(name).display().to_string());
            self.choice(0.5, "--style", &["points", "line", "ribbon", "bars"]);
            self.choice(0.2, "--grid", &["horizontal", "vertical", "both", "none"]);
            self.choice(0.2, "--hide", &["overall", "band,legend", "treatment"]);
            self.choice(0.1, "--text-scale", &["0.5", "3", "0", "nan"]);
            self.choice(0.1, "--y-ticks", &["2", "100", "1"]);
            self.flag(0.2, "--caps");
        }
    }
}
