//! Saved results side by side on the command line.

use std::fs;
use std::process::Command;

use crate::run::{COLUMNS, MPDTA, burn_did, failure, mpdta, parsed, root, stdout, temporary, text};

/// Fits that several tests compare, saved once: group-time effects, an average, a regression and the estimator of Sun and Abraham.
struct Saved {
    plain: String,
    adjusted: String,
    event_study: String,
    regression: String,
    sunab: String,
}

impl Saved {
    fn new(test: &str) -> Self {
        let file = |name: &str| temporary(&format!("{test}-{name}.json"));
        let saved = Self {
            plain: file("plain"),
            adjusted: file("adjusted"),
            event_study: file("event_study"),
            regression: file("regression"),
            sunab: file("sunab"),
        };
        stdout(&mpdta(&["--save", &saved.plain, "--quiet"]));
        stdout(&mpdta(&["--xformla", "~ lpop", "--save", &saved.adjusted, "--quiet"]));
        let average = ["--aggregate", "dynamic", "--save", &saved.event_study, "--quiet"];
        stdout(&[&["aggregate", &saved.plain][..], &average].concat());
        let formula = "lemp ~ lpop + i(year, treat, ref = 2003) | countyreal";
        stdout(&["feols", MPDTA, formula, "--save", &saved.regression, "--quiet"]);
        let sunab: Vec<&str> = ["sunab", MPDTA].into_iter().chain(COLUMNS).collect();
        stdout(&[&sunab[..], &["--save", &saved.sunab, "--quiet"]].concat());
        saved
    }
}

fn snapshot(name: &str, text: &str) {
    let path = root().join("tests/snapshots").join(name);
    if std::env::var_os("BURN_DID_UPDATE").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "rewrite {} with BURN_DID_UPDATE=1", path.display());
}

/// Equal numbers of columns in every row, balanced braces, and no paper that does not compile where LaTeX is installed.
pub fn check_latex(name: &str, latex: &str) {
    let rows = latex.lines().filter(|line| line.ends_with("\\\\") && !line.contains("multicolumn"));
    let columns: Vec<usize> =
        rows.map(|line| line.replace("\\&", "").matches('&').count()).collect();
    assert!(columns.len() > 3 && columns.iter().all(|count| *count == columns[0]), "{latex}");
    let bare = latex.replace("\\{", "").replace("\\}", "");
    assert_eq!(bare.matches('{').count(), bare.matches('}').count(), "{latex}");
    let folder = temporary(&format!("{name}-latex"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let paper = format!(
        "\\documentclass{{article}}\n\\usepackage{{booktabs,longtable,siunitx}}\n\\begin{{document}}\n{latex}\\end{{document}}\n"
    );
    fs::write(format!("{folder}/paper.tex"), paper).unwrap();
    let compiled = Command::new("pdflatex")
        .current_dir(&folder)
        .args(["-interaction=nonstopmode", "-halt-on-error", "paper.tex"])
        .output();
    // Machines without LaTeX check the structure alone.
    if let Ok(compiled) = compiled {
        let said = String::from_utf8_lossy(&compiled.stdout);
        assert!(compiled.status.success() || said.contains("siunitx.sty' not found"), "{said}");
    }
}

#[test]
fn results_of_many_kinds_stand_side_by_side() {
    let saved = Saved::new("kinds");
    let Saved { plain, adjusted, event_study, regression, sunab } = &saved;
    let honest = temporary("kinds-honest.json");
    stdout(&["honest", event_study, "--mbar", "1", "--save", &honest, "--quiet"]);
    let files = [plain, adjusted, event_study, sunab, &honest, regression].map(String::as_str);
    let names = "(1),(2),(3),(4),(5),(6)";
    let options = ["--names", names, "--aggregate", "dynamic"];
    let all = [&["compare"][..], &files, &options].concat();
    snapshot("compare-table.txt", &stdout(&all));
    let markdown = stdout(&[&all[..], &["--format", "markdown"]].concat());
    snapshot("compare-markdown.txt", &markdown);
    let latex = stdout(&[&all[..], &["--format", "latex"]].concat());
    snapshot("compare-latex.txt", &latex);
    check_latex("kinds", &latex);
    // Groups by periods have rows of their own.
    let cells = stdout(&["compare", plain, adjusted]);
    assert!(cells.contains("ATT(2004, 2004)") && cells.contains("kinds-plain"), "{cells}");
    assert_eq!(cells, stdout(&["etable", plain, adjusted]));
}

#[test]
fn tables_are_as_a_paper_wants_them() {
    let Saved { event_study, sunab, .. } = Saved::new("paper");
    let latex = stdout(&[
        "compare",
        &event_study,
        &sunab,
        "--names=Callaway & Sant'Anna,Sun & Abraham",
        "--keep=Event time ?",
        "--keep=Overall ATT",
        "--drop=S.E. type",
        "--drop=*Base*",
        "--drop=year",
        "--label=Event time 0=On impact",
        "--label=lemp=Log employment",
        "--label=countyreal=County fixed effects",
        "--stars",
        "--digits=3",
        "--caption=Minimum wages & teen employment",
        "--tex-label=main_results",
        "--siunitx",
        "--format=latex",
    ]);
    snapshot("compare-siunitx.txt", &latex);
    check_latex("paper", &latex);
}

#[test]
fn numbers_are_written_for_programs() {
    let Saved { event_study, sunab, .. } = Saved::new("numbers");
    let all = ["compare", &event_study, &sunab, "--names", "a,b", "--keep", "Event time 0"];
    let csv = stdout(&[&all[..], &["--format", "csv"]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("model,term,estimate,se,ci_lower,ci_upper,"), "{csv}");
    assert!(lines[1].starts_with("a,Event time 0,-0.0") && lines[2].starts_with("b,Event time 0,"));
    assert_eq!(lines.len(), 3);
    let document = parsed(&[&all[..], &["--format", "json"]].concat());
    assert_eq!(document["kind"], "comparison");
    let [first, second] = [0, 1].map(|index| &document["models"][index]);
    assert_eq!((&first["name"], &first["outcome"]), (&"a".into(), &"lemp".into()));
    assert_eq!(first["fixed_effects"], serde_json::Value::Null);
    assert_eq!(second["fixed_effects"], serde_json::json!(["countyreal", "year"]));
    assert_eq!(second["facts"]["Observations"], "2500");
    assert_eq!(first["estimates"].as_array().unwrap().len(), 1);
}

#[test]
fn several_formulas_stand_side_by_side() {
    let (saved, first) = (temporary("several.json"), temporary("several-1.json"));
    let second = temporary("several-2.json");
    let data = "tests/golden/fepois.csv";
    let formulas = ["y ~ x1", "log(y + 1) ~ x1 + x2 + sector | firm + year"];
    let all = [&["feols", data][..], &formulas].concat();
    let text = stdout(&[&all[..], &["--save", &saved]].concat());
    snapshot("feols-several.txt", &text);
    assert!(!std::path::Path::new(&saved).exists());
    let again = stdout(&["etable", &first, &second, "--names", "(1),(2)", "--stars"]);
    assert_eq!(again, text);
    let latex = stdout(&[&all[..], &["--format", "latex", "--quiet"]].concat());
    check_latex("several", &latex);
    assert!(stdout(&[&all[..], &["--format", "csv", "--quiet"]].concat()).contains("\n(2),x2,"));
    let document = parsed(&[&all[..], &["--format", "json", "--quiet"]].concat());
    assert_eq!(document["models"].as_array().unwrap().len(), 2);
    // The first formula alone, as ever.
    assert!(stdout(&["feols", data, formulas[0]]).starts_with("Ordinary Least Squares"));
}

#[test]
fn what_is_wrong_is_said() {
    let Saved { plain, event_study, regression, .. } = Saved::new("wrong");
    let ten = temporary("wrong-ten.json");
    let dynamic = ["--aggregate", "dynamic", "--alp", "0.1", "--save", &ten, "--quiet"];
    stdout(&[&["aggregate", &plain][..], &dynamic].concat());
    for (code, more, expected) in [
        (1, &[MPDTA][..], "mpdta.csv: this is no JSON document"),
        (1, &["no-such-file.json"], "no-such-file.json"),
        (2, &[&event_study, &event_study], "two columns would be called wrong-event_study"),
        (
            2,
            &[&event_study, "--names", "a,b"],
            "the number of names (--names) is 2, and that of results 1",
        ),
        (2, &[&plain, &event_study], "error: the files must be results with a row in common"),
        (2, &[&regression, &event_study], "results with a row in common"),
        (2, &[&plain, "--keep", "Event*"], "the rows are ATT(2004, 2004); "),
        (2, &[&event_study, "--drop", "Method?"], "`Method?`"),
        (2, &[&event_study, "--drop", "Event*", "--drop", "Over*"], "some rows of estimates"),
        (2, &[&event_study, "--label", "lpop=Population"], "`lpop`"),
        (2, &[&event_study, "--label", "lpop"], "a name and a label"),
        (2, &[&event_study, "--digits", "16"], "15 at most"),
        (2, &[&event_study, "--tex-label", "a}b"], "`a}b`"),
        (2, &[&event_study, "--stars=many"], "levels"),
        (2, &[&event_study, "--stars", "interval"], "as in --stars=interval"),
        (2, &[&event_study, "--aggregate", "dynamic"], "no file has any"),
        (2, &[], "<RESULT>"),
    ] {
        let message = failure(code, &[&["compare"], more].concat());
        assert!(message.contains(expected), "{more:?}: {message}");
    }
    // Levels that differ are said where they matter.
    let table = |more: &[&str]| {
        let files = ["compare", &event_study, &ten, "--names", "a,b"];
        stdout(&[&files[..], more].concat())
    };
    assert!(!table(&[]).contains("90%"));
    let note = "Confidence band in brackets: 95% pointwise for a, 90% pointwise for b";
    assert!(table(&["--below", "ci"]).contains(note));
    assert!(table(&["--stars=interval"]).contains("90% pointwise for b"));
    assert!(table(&["--stars"]).contains("`***' 0.01"));
}

/// The words in a picture, and how many shapes of each kind it has.
pub struct Drawn {
    words: Vec<String>,
    svg: String,
}

impl Drawn {
    pub fn new(name: &str, args: &[&str]) -> Self {
        let file = temporary(&format!("{name}.svg"));
        stdout(&[args, &["--plot", &file]].concat());
        let svg = fs::read_to_string(&file).unwrap();
        let words = svg.split("</text>").filter_map(|part| part.rsplit('>').next());
        let words = words.map(|word| word.trim().replace("&amp;", "&")).collect();
        Self { words, svg }
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub fn count(&self, word: &str) -> usize {
        self.words.iter().filter(|known| *known == word).count()
    }

    /// Shapes of a kind and a colour.
    pub fn shapes(&self, kind: &str, colour: &str) -> usize {
        let shapes = self.svg.split('<').filter(|shape| shape.starts_with(kind));
        shapes.filter(|shape| shape.to_lowercase().contains(colour)).count()
    }
}

#[test]
fn pictures_have_results_side_by_side() {
    let Saved { plain, adjusted, event_study, regression, sunab } = Saved::new("pictures");
    let three = ["compare", &plain, &adjusted, &sunab, "--names", "Plain,Adjusted,Sun & Abraham"];
    let dynamic = [&three[..], &["--aggregate", "dynamic"]].concat();
    let beside = Drawn::new("pictures-beside", &dynamic);
    for name in ["Plain", "Adjusted", "Sun & Abraham", "Periods since first treatment"] {
        assert_eq!(beside.count(name), 1, "{name}: {:?}", beside.words);
    }
    assert_eq!(beside.count("Pre-treatment"), 0);
    // The axis has the outcome by its label.
    assert_eq!(beside.count("ATT (lemp)"), 1, "{:?}", beside.words);
    let label = ["--label", "lemp=Log employment"];
    let labelled = Drawn::new("pictures-labelled", &[&dynamic[..], &label].concat());
    assert_eq!(labelled.count("ATT (Log employment)"), 1, "{:?}", labelled.words);
    let bases = "Before treatment: relative to the period before each for Plain";
    assert!(beside.words.iter().any(|word| word.starts_with(bases)), "{:?}", beside.words);
    // Seven event times and the key, as discs, squares and triangles.
    assert_eq!(beside.shapes("circle", "#0072b2"), 8);
    assert_eq!(beside.shapes("polygon", "#d55e00"), 8);
    assert_eq!(beside.shapes("polygon", "#009e73"), 8 + 1);
    let apart = Drawn::new("pictures-apart", &[&dynamic[..], &["--facets"]].concat());
    assert_eq!((apart.count("Plain"), apart.count("Pre-treatment")), (1, 1));
    // Groups of one result, and results by group.
    let groups = Drawn::new("pictures-groups", &["compare", &plain]);
    assert_eq!((groups.count("Group 2004"), groups.count("Group 2007")), (1, 1));
    let by_group = ["compare", &plain, &adjusted, "--names", "a,b"];
    let panels = Drawn::new("pictures-panels", &by_group);
    assert_eq!((panels.count("Group 2004"), panels.count("a"), panels.count("b")), (1, 1, 1));
    let by_result = Drawn::new("pictures-results", &[&by_group[..], &["--facets"]].concat());
    assert_eq!((by_result.count("Group 2004"), by_result.count("a")), (1, 1));
    // Averages by group stand at names.
    let averages = [&by_group[..], &["--aggregate", "group"]].concat();
    let averages = Drawn::new("pictures-averages", &averages);
    assert_eq!((averages.count("2004"), averages.count("a")), (1, 1), "{:?}", averages.words);
    for (name, more) in [
        ("beside", &["--title", "Three estimators"][..]),
        ("facets", &["--facets"]),
        ("line", &["--style", "line", "--caps"]),
        ("ribbon", &["--style", "ribbon"]),
        ("bars", &["--style", "bars"]),
    ] {
        let file = temporary(&format!("pictures-{name}.png"));
        stdout(&[&dynamic[..], more, &["--plot", &file]].concat());
    }
    for (name, args) in [
        ("groups", &["compare", &plain][..]),
        ("panels", &by_group),
        ("results", &[&by_group[..], &["--facets"]].concat()),
        ("averages", &[&by_group[..], &["--aggregate", "calendar"]].concat()),
    ] {
        let file = temporary(&format!("pictures-{name}.png"));
        stdout(&[args, &["--plot", &file]].concat());
    }
    let formulas = ["feols", MPDTA, "lemp ~ i(year, treat, ref = 2003) | countyreal + year"];
    let more = "lemp ~ lpop + i(year, treat, ref = 2003) | year";
    let formulas = Drawn::new("pictures-formulas", &[&formulas[..], &[more, "--quiet"]].concat());
    assert_eq!((formulas.count("(1)"), formulas.count("year")), (1, 1), "{:?}", formulas.words);
    let refused = |code: i32, args: &[&str], expected: &str| {
        let file = temporary("pictures-refused.svg");
        let done = burn_did(&[&["compare"], args, &["--plot", &file]].concat());
        let message = text(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{message}");
        assert!(message.contains(expected), "{message}");
    };
    let axes =
        "pictures-event_study has effects by `Periods since first treatment` and pictures-plain";
    refused(1, &[&event_study, &plain], axes);
    let none = temporary("pictures-none.json");
    stdout(&["feols", MPDTA, "lemp ~ lpop", "--save", &none, "--quiet"]);
    refused(1, &[&none, &regression], "pictures-none: the regression has no i()");
    let ten = temporary("pictures-ten.json");
    let average = ["--aggregate", "dynamic", "--alp", "0.1", "--save", &ten, "--quiet"];
    stdout(&[&["aggregate", &plain][..], &average].concat());
    refused(1, &[&event_study, &ten], "pictures-event_study has intervals of 95%");
}

#[test]
fn a_row_has_effects_at_one_time_since_treatment() {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut rows = "t,id,y,g,d\n".to_owned();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [year, group] = [0, 4].map(|at| 2 * fields[at].parse::<i32>().unwrap());
        let on = i32::from(group > 0 && year >= group);
        rows += &format!("{year},{},{},{group},{on}\n", fields[1], fields[3]);
    }
    let data = temporary("biennial.csv");
    fs::write(&data, rows).unwrap();
    let columns = ["--yname", "y", "--tname", "t", "--idname", "id"];
    let fits: [(&str, &[&str]); 4] = [
        ("imputation", &["--gname", "g"]),
        ("lpdid", &["--gname", "g", "--window=-3,1"]),
        ("stacked", &["--gname", "g", "--kappa-pre", "2", "--kappa-post", "1"]),
        ("did-multiplegt", &["--dname", "d", "--effects", "2", "--placebos", "1"]),
    ];
    let saved: Vec<String> =
        fits.iter().map(|(command, _)| temporary(&format!("biennial-{command}.json"))).collect();
    for ((command, more), saved) in fits.iter().zip(&saved) {
        let save = ["--save", saved, "--quiet"];
        stdout(&[&[*command, &data][..], &columns, more, &save].concat());
    }
    let files: Vec<&str> = saved.iter().map(String::as_str).collect();
    let compare = [&["compare"][..], &files].concat();
    let table = stdout(&compare);
    assert!(!table.contains("Event time 1 ") && table.contains("Event time 2"), "{table}");
    // The second period of treatment is two years after the first.
    let document = parsed(&[&compare[..], &["--format", "json"]].concat());
    for (model, counts) in [false, true, true, true].into_iter().enumerate() {
        let remarks = document["models"][model]["remarks"].to_string();
        assert_eq!(remarks.contains("counts periods, of a length of 2"), counts, "{remarks}");
    }
    let local =
        parsed(&[&["lpdid", &data][..], &columns, fits[1].1, &["--format", "json"]].concat());
    let estimate_of = |rows: &serde_json::Value, key: &str, value: serde_json::Value| {
        let row = rows.as_array().unwrap().iter().find(|row| row[key] == value).cloned();
        row.unwrap_or_else(|| panic!("{value} is not in {rows}"))["estimate"].clone()
    };
    let own = estimate_of(&local["effects"], "event_time", 1.into());
    let beside = &document["models"][1]["estimates"];
    assert_eq!(estimate_of(beside, "term", "Event time 2".into()), own);
    // Counted periods that are not evenly spaced have no time.
    let uneven = fs::read_to_string(&data).unwrap().replace("4014,", "4016,");
    fs::write(&data, uneven).unwrap();
    let ranked = ["--rank-periods", "--save", &saved[1], "--quiet"];
    stdout(&[&["lpdid", &data][..], &columns, fits[1].1, &ranked].concat());
    let document = parsed(&["compare", &saved[0], &saved[1], "--format", "json"]);
    let remarks = document["models"][1]["remarks"].to_string();
    assert!(remarks.contains("count periods and not the time since treatment"), "{remarks}");
}

#[test]
fn ways_of_standard_errors_warnings_and_long_formulas_are_notes() {
    let file = |name: &str| temporary(&format!("ways-{name}"));
    let data = file("data.csv");
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    // A unit lacks a period.
    let with_state = text.lines().enumerate().filter(|(row, _)| *row != 1).map(|(row, line)| {
        let unit = line.split(',').nth(1).unwrap();
        let state = if row == 0 { "state" } else { &unit[..unit.len() - 3] };
        format!("{line},{state}\n")
    });
    fs::write(&data, with_state.collect::<String>()).unwrap();
    let [plain, clustered, boot] = ["plain.json", "clustered.json", "boot.json"].map(file);
    let fit = |saved: &str, more: &[&str]| {
        stdout(&[&["att-gt", &data][..], &COLUMNS, &["--save", saved, "--quiet"], more].concat())
    };
    let long = "~ lpop + I(lpop^2) + I(lpop^3) + I(lpop^4)";
    fit(&plain, &["--xformla", long]);
    fit(&clustered, &["--clustervars", "state"]);
    fit(&boot, &["--boot", "--biters", "50", "--seed", "3"]);
    let names = ["--names", "a,b,c", "--aggregate", "dynamic"];
    let table = stdout(&[&["compare", &plain, &clustered, &boot][..], &names].concat());
    let of = |from: &str| table.lines().find(|line| line.starts_with(from)).unwrap_or(&table);
    let errors = of("Std. Errors: ");
    assert!(errors.contains("analytic for a; analytic, clustered by state ("), "{errors}");
    assert!(
        errors.ends_with("multiplier bootstrap (Rademacher, 50 draws, seed 3) for c"),
        "{errors}"
    );
    assert_eq!(of("Covariates: "), format!("Covariates: {long} for a; ~ 1 for b, c"));
    assert!(table.lines().all(|line| !line.starts_with(" Covariates")), "{table}");
    // What the table of one says as a warning is said of it, once where it is said of several.
    let alone = stdout(&["aggregate", &plain, "--aggregate", "dynamic"]);
    let warnings: Vec<&str> =
        alone.lines().filter_map(|line| line.strip_prefix("Warning: ")).collect();
    assert!(!warnings.is_empty(), "{alone}");
    for warning in warnings {
        let said = table.lines().filter(|line| line.ends_with(warning)).count();
        assert_eq!(said, 1, "{warning}: {table}");
    }
}
