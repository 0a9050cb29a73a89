//! The page for users of other programs.

use serde_json::Value;

use super::run::{root, temporary, text};

const PAGE: &str = include_str!("../../src/_documentation/moving.md");

/// The commands of the page's shell blocks, in their order.
fn commands() -> Vec<String> {
    let blocks = PAGE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    blocks.flat_map(|(block, _)| block.lines().map(str::to_owned)).collect()
}

fn run(folder: &str, command: &str) -> String {
    let program = env!("CARGO_BIN_EXE_burn-did");
    let words = command.strip_prefix("burn-did ").expect("a command of burn-did");
    let done = std::process::Command::new("sh")
        .args(["-c", &format!("'{program}' {words}")])
        .current_dir(folder)
        .output()
        .expect("a shell");
    assert_eq!(done.status.code(), Some(0), "{command}: {}", text(&done.stderr));
    text(&done.stdout).to_owned()
}

#[test]
fn the_commands_run_and_give_the_numbers_of_the_page() {
    let folder = temporary("moving");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let commands = commands();
    assert!(commands.len() >= 6, "{commands:?}");
    for command in &commands {
        run(&folder, command);
    }
    let last = commands.last().unwrap();
    let found: Value =
        serde_json::from_str(&run(&folder, &format!("{last} --format json"))).unwrap();
    let reference = std::fs::read_to_string(root().join("tests/golden/mpdta.json")).unwrap();
    assert!(reference.contains("0.0115028381"), "the reference case is another");
    let averages = found["aggregates"].as_array().unwrap();
    assert_eq!(averages.len(), 4);
    for average in averages {
        let overall = &average["result"]["overall"];
        let number = |name: &str| format!("{:.9}", overall[name].as_f64().unwrap());
        let (estimate, se) = (number("estimate"), number("se"));
        let asked = average["asked"].as_str().unwrap();
        let row = format!("| {asked} | {estimate} | {se} | {estimate} | {se} |");
        assert!(PAGE.contains(&row), "{row}");
    }
}
