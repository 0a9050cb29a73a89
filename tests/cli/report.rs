//! A whole study as one page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use roxmltree::{Document, Node, ParsingOptions};

use crate::run::{MPDTA, failure, root, stdout, temporary, text};

/// A folder with the data and a specification.
fn folder(name: &str, spec: &str) -> PathBuf {
    let folder = PathBuf::from(temporary(name));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(root().join(MPDTA), folder.join("mpdta.csv")).unwrap();
    fs::write(folder.join("study.toml"), spec).unwrap();
    folder
}

/// Runs a command line in a folder, as a shell does.
fn shell(folder: &Path, line: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_burn-did")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", path).output().unwrap()
}

fn report(folder: &Path, code: i32) -> String {
    let done = shell(folder, "burn-did report study.toml --out 'the report'");
    assert_eq!(done.status.code(), Some(code), "{}", text(&done.stderr));
    fs::read_to_string(folder.join("the report/report.html")).unwrap()
}

fn example() -> String {
    stdout(&["report", "--example"])
}

/// The page as XML, which it is, too.
fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap()
}

fn named<'a>(page: &'a Document<'a>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    page.descendants().filter(move |node| node.tag_name().name() == name)
}

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

#[test]
fn every_command_of_a_report_gives_its_table_and_its_picture() {
    let spec = format!("rows = [\"countyreal != 8001\"]\n{}", example());
    let folder = folder("report-commands", &spec);
    let page = report(&folder, 0);
    let markdown = fs::read_to_string(folder.join("the report/report.md")).unwrap();
    // The never treated are no cohort.
    assert!(
        markdown.contains("- Data: 499 units, 2495 rows, 5 periods, 3 cohorts\n"),
        "{markdown}"
    );
    // Smoothness is bounded by a number, and differences of methods have standard errors of their own.
    assert!(markdown.contains("bounded, by a given number or by what was seen"), "{markdown}");
    assert!(!markdown.contains("by more than their standard errors"), "{markdown}");
    let pictures = files(&folder.join("the report/pictures"));
    let page = parsed(&page);
    let steps: Vec<_> = named(&page, "article").collect();
    assert!(steps.len() >= 18, "{}", steps.len());
    for step in &steps {
        let command = step.descendants().find(|node| node.tag_name().name() == "code").unwrap();
        let command: String =
            command.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect();
        let done = shell(&folder, &format!("{command} --format markdown"));
        assert_eq!(done.status.code(), Some(0), "{command}: {}", text(&done.stderr));
        let table = text(&done.stdout).trim();
        assert!(table.contains("| "), "{command}");
        assert!(markdown.contains(table), "{command} gives\n{table}\nwhich is not in\n{markdown}");
    }
    assert!(pictures.len() >= 2 * 12, "{}", pictures.len());
    for (path, drawn) in &pictures {
        assert!(fs::read(path).unwrap() == *drawn, "{}", path.display());
    }
    for (path, table) in files(&folder.join("the report/tables")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let label = format!("\\label{{tab:{name}}}");
        let table = text(&table).to_owned();
        assert_eq!(table.matches("\\label{").count(), 1, "{name}");
        assert!(table.contains(&label), "{label}: {table}");
    }
    // The script has the same commands.
    let done = shell(&folder, "sh 'the report/commands.sh'");
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
}

#[test]
fn a_page_stands_alone_and_is_the_same_bytes_again() {
    let [first, second] = ["report-bytes-1", "report-bytes-2"].map(|name| folder(name, &example()));
    let page = report(&first, 0);
    report(&second, 0);
    let bare = |(path, bytes): (PathBuf, Vec<u8>), folder: &Path| {
        (path.strip_prefix(folder).unwrap().to_owned(), bytes)
    };
    let all = |folder: &Path| {
        files(&folder.join("the report"))
            .into_iter()
            .map(|file| bare(file, folder))
            .collect::<Vec<_>>()
    };
    assert!(all(&first) == all(&second), "two runs differ");
    // A second run replaces the first.
    report(&first, 0);
    assert!(all(&first) == all(&second), "a run over a report differs");

    let page = parsed(&page);
    for outside in ["script", "link", "img", "iframe", "object", "use", "image"] {
        assert_eq!(named(&page, outside).count(), 0, "{outside}");
    }
    let style = named(&page, "style").next().unwrap().text().unwrap();
    assert!(!style.contains("url(") && !style.contains("@import"));
    let ids: Vec<&str> = page.descendants().filter_map(|node| node.attribute("id")).collect();
    let different: BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(different.len(), ids.len(), "{ids:?}");
    let links: Vec<&str> = named(&page, "a").filter_map(|a| a.attribute("href")).collect();
    assert!(links.len() > 20);
    for link in links {
        assert!(ids.contains(&link.strip_prefix('#').unwrap()), "{link}");
    }
    let pictures: Vec<_> = named(&page, "svg").collect();
    assert!(pictures.len() >= 12, "{}", pictures.len());
    for picture in pictures {
        assert!(picture.attribute("aria-label").is_some_and(|words| words.len() > 20));
    }
    let digest = named(&page, "td").find(|cell| cell.attribute("class") == Some("left digest"));
    let sum = shell(&first, "sha256sum mpdta.csv");
    assert!(text(&sum.stdout).starts_with(digest.unwrap().text().unwrap()));
    assert!(
        fs::read_to_string(first.join("the report/tables/simple.tex"))
            .unwrap()
            .contains("\\toprule")
    );
}

#[test]
fn a_step_that_fails_says_why_and_the_rest_goes_on() {
    let more = "[[estimate]]\nname = 'Another'\nxformla = '~ lpop + nothere'\n";
    let spec = example()
        .replace("[[honest]]\ndelta = \"sd\"", &format!("{more}\n[[honest]]\ndelta = \"sd\""));
    let folder = folder("report-failure", &spec);
    let done = shell(&folder, "burn-did report study.toml --out out");
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("error: step another: ") && said.contains("nothere"), "{said}");
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    let page = parsed(&page);
    let failed: Vec<_> = named(&page, "article")
        .filter(|step| step.children().any(|node| node.attribute("class") == Some("error")))
        .filter_map(|step| step.attribute("id"))
        .collect();
    assert_eq!(failed, ["describe", "balance", "balance-not-yet-treated", "another"]);
    let table = |id: &str| {
        let step = named(&page, "article").find(|step| step.attribute("id") == Some(id)).unwrap();
        step.descendants().any(|node| node.tag_name().name() == "table")
    };
    assert!(table("doubly-robust") && table("compare-dynamic") && table("honest-rm"));
}

#[test]
fn what_cannot_be_a_report_is_refused_before_any_work() {
    let folder = folder("report-mistakes", &example().replace("idname", "idnme"));
    let done = shell(&folder, "burn-did report study.toml --out out");
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains("study.toml, line ") && said.contains("did you mean `idname`?"),
        "{said}"
    );
    assert!(!folder.join("out").exists());

    fs::write(folder.join("study.toml"), example()).unwrap();
    let done = shell(&folder, "burn-did report study.toml --out .");
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("has files that are no report"), "{said}");

    fs::write(folder.join("study.toml"), example().replace("mpdta.csv", "other.csv")).unwrap();
    let done = shell(&folder, "burn-did report study.toml --out out");
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("other.csv"), "{said}");

    fs::write(folder.join("study.toml"), format!("biters = 99\n{}", example())).unwrap();
    let done = shell(&folder, "burn-did report study.toml --out out");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("`biters` has no effect without `boot = true`"));

    // Files of a variant would be those of a step.
    for name in ["Overlap", "Compare simple", "Dynamic"] {
        let named = example().replace("name = \"Weighting\"", &format!("name = \"{name}\""));
        fs::write(folder.join("study.toml"), named).unwrap();
        let done = shell(&folder, "burn-did report study.toml --out out");
        let said = text(&done.stderr);
        assert_ne!(done.status.code(), Some(0), "{said}");
        assert!(said.contains("other names than those of the report's steps"), "{said}");
        assert!(said.contains("[[estimate]]") && !said.contains("variants"), "{said}");
        assert!(!folder.join("out").exists());
    }
    assert!(failure(1, &["report", "nowhere.toml", "--out", "x"]).contains("nowhere.toml"));
    assert!(failure(2, &["report"]).contains("--out"));
}

/// A browser draws the page on a wide and on a narrow screen without a network, and prints it.
#[test]
fn a_browser_shows_the_page() {
    let browser = ["chromium", "chromium-browser", "google-chrome"];
    let found = browser.iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(browser) = found else {
        let demanded = std::env::var_os("BURN_DID_BROWSER").is_some();
        assert!(!demanded, "BURN_DID_BROWSER is set, and Chromium is not installed");
        eprintln!(
            "skipped: Chromium is not installed (Debian package chromium); BURN_DID_BROWSER=1 demands it"
        );
        return;
    };
    let folder = folder("report-browser", &example());
    report(&folder, 0);
    let page =
        format!("file://{}", folder.join("the report/report.html").display()).replace(' ', "%20");
    let shown = |more: &[String]| {
        let home = format!("--user-data-dir={}", folder.join("home").display());
        let usual = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            &home,
        ];
        let done = Command::new(browser).args(usual).args(more).arg(&page).output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    };
    for (name, size) in [("wide", "1400,3000"), ("narrow", "420,3000")] {
        let file = folder.join(format!("{name}.png"));
        shown(&[format!("--screenshot={}", file.display()), format!("--window-size={size}")]);
        let drawn = fs::read(&file).unwrap();
        assert!(
            drawn.starts_with(b"\x89PNG") && drawn.len() > 60_000,
            "{name}: {} bytes",
            drawn.len()
        );
    }
    let file = folder.join("page.pdf");
    shown(&[format!("--print-to-pdf={}", file.display())]);
    assert!(fs::read(&file).unwrap().starts_with(b"%PDF"));
}

#[test]
fn other_estimators_and_choices_are_chapters_if_they_are_asked_for() {
    let more = "estimators = [\"cs\", \"bjs\"]\nvary = \"control_group,covariates=~lpop,~1\"\ntwo-way = true\n";
    let example = example();
    let (before, after) = example.split_once("[[estimate]]").unwrap();
    let folder = folder("report-others", &format!("{before}{more}\n[[estimate]]{after}"));
    let page = report(&folder, 0);
    for words in ["Specification Curve", "bjs", "Imputation", "--vary", "twfe-weights", "bacon"] {
        assert!(page.contains(words), "{words}");
    }
    let wrong = format!("{before}vary = \"borders\"\n[[estimate]]{after}");
    fs::write(folder.join("study.toml"), wrong).unwrap();
    let done = shell(&folder, "burn-did report study.toml --out other");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("borders"), "{}", text(&done.stderr));
}

/// The window of the page is that of the other estimators, too, and the headline says which event times are averaged.
#[test]
fn the_window_of_the_event_study_is_that_of_all_estimators() {
    let more = "estimators = [\"cs\", \"bjs\"]\nvary = \"control_group\"\n\
                aggregate = [\"dynamic:min_e=-2,max_e=1\"]\nhonest = []\n";
    let example = example();
    let (before, _) = example.split_once("[[estimate]]").unwrap();
    let folder = folder("report-window", &format!("{before}{more}"));
    let page = report(&folder, 0);
    let markdown = fs::read_to_string(folder.join("the report/report.md")).unwrap();
    assert!(markdown.contains("- Specifications, averages over event times 0, 1: "), "{markdown}");
    assert!(
        markdown.contains("### Effects by time since treatment (from -2 to 1)\n"),
        "{markdown}"
    );
    let headline = "- Overall effect, average of times since treatment from 0 to 1: ";
    assert!(markdown.contains(headline), "{markdown}");
    let page = parsed(&page);
    for name in ["estimators", "specifications"] {
        let step = named(&page, "article").find(|step| step.attribute("id") == Some(name)).unwrap();
        let command = step.descendants().find(|node| node.tag_name().name() == "code").unwrap();
        let command: String =
            command.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect();
        assert!(command.contains("--min-e -2 --max-e 1"), "{command}");
        let done = shell(&folder, &format!("{command} --format markdown"));
        assert_eq!(done.status.code(), Some(0), "{command}: {}", text(&done.stderr));
        assert!(markdown.contains(text(&done.stdout).trim()), "{command}");
    }
}

#[test]
fn a_study_of_two_periods_says_that_it_has_none_before_treatment() {
    let spec = format!("rows = [\"year >= 2006\"]\n{}", example());
    let folder = folder("report-two", &spec);
    let page = report(&folder, 0);
    assert!(!page.contains("Not everything could be made") && !page.contains("id=\"pretrends\""));
    let markdown = fs::read_to_string(folder.join("the report/report.md")).unwrap();
    let said = "- Tests of pre-trends, and violations of them: left out: the event study has no effect before treatment\n";
    assert!(markdown.contains(said) && markdown.contains(" rows, 2 periods, "), "{markdown}");
}

/// Where no unit is never treated, cohorts stand beside the last one, as in the estimates.
#[test]
fn a_study_without_never_treated_units_is_whole() {
    let spec = "data = 'mpdta.csv'\nyname = 'lemp'\ntname = 'year'\nidname = 'countyreal'\ngname = 'first.treat'\n";
    let spec = format!("{spec}rows = ['first.treat != 0']\nxformla = '~ lpop'\n");
    let page = report(&folder("report-without-never", &spec), 0);
    assert!(page.contains("Cohorts beside the cohort that is treated last"));
    assert!(page.contains("Comparison units: first treated in 2007, as none are never treated"));
}
