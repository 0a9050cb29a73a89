//! One run: a mutated file, a command line, and the check of what came of it.

use std::fs;
use std::path::{Path, PathBuf};

use super::dice::Dice;
use super::options::Line;
use super::process::Outcome;
use super::seeds::{Base, Bases};
use super::{bytes, check, json, parquet, process};

/// The exit code, or what is wrong, how to run it again, and where the files are.
pub fn run(seed: u64, bases: &Bases) -> Result<u8, String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutation-{seed}"));
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    let mut dice = Dice::new(seed);
    let mut steps = Vec::new();
    let done = match dice.below(10) {
        0..=3 => fit(table(&directory, bases, &mut dice), &directory, &mut dice, &mut steps),
        4..=6 => fit(columns(&directory, bases, &mut dice), &directory, &mut dice, &mut steps),
        _ => {
            let saved = result(&directory, bases, &mut dice);
            again(&saved, &directory, &mut dice, &mut steps)
        }
    };
    if done.is_ok() {
        let _ = fs::remove_dir_all(&directory);
    }
    done.map_err(|what| {
        let last = steps.last().map_or_else(String::new, |words| words.join("' '"));
        format!("{what}\n  in {}\n  burn-did '{last}'", directory.display())
    })
}

/// Runs a command line and checks it.
fn step(words: Vec<String>, directory: &Path, steps: &mut Vec<Vec<String>>) -> Result<u8, String> {
    steps.push(words);
    let Some(words) = steps.last() else { return Ok(0) };
    let outcome: Outcome = process::run(words, directory);
    check::outcome(words, directory, &outcome)
}

fn fit(
    (base, data): (&Base, PathBuf),
    directory: &Path,
    dice: &mut Dice,
    steps: &mut Vec<Vec<String>>,
) -> Result<u8, String> {
    let line = Line::fit(base.command, &data, directory, dice).words;
    let code = step(line, directory, steps)?;
    let saved = directory.join("saved.json");
    // What was saved can be read again.
    if code == 0 && saved.exists() && base.command.name() != "drdid" {
        let words = Line::aggregate(&saved, directory, dice).words;
        step(words, directory, steps)?;
    }
    Ok(code)
}

fn again(
    saved: &Path,
    directory: &Path,
    dice: &mut Dice,
    steps: &mut Vec<Vec<String>>,
) -> Result<u8, String> {
    let line = if dice.chance(0.6) {
        Line::aggregate(saved, directory, dice)
    } else {
        Line::plot_of(saved, directory, dice)
    };
    let words = line.words;
    step(words, directory, steps)
}

/// How many changes a file gets: none in one of five, for the options' sake.
fn mutations(dice: &mut Dice) -> usize {
    [0, 1, 1, 2, 3][dice.below(5)]
}

/// A CSV file, mutated as a table, as bytes, both or not at all.
fn table<'a>(directory: &Path, bases: &'a Bases, dice: &mut Dice) -> (&'a Base, PathBuf) {
    let base = &bases.data[dice.below(bases.data.len())];
    let mut table = base.table.clone();
    for _ in 0..mutations(dice) {
        table.mutate(dice);
    }
    let mut text = table.text().into_bytes();
    if dice.chance(0.2) {
        (0..dice.between(1, 3)).for_each(|_| bytes::mutate(&mut text, dice));
    }
    let path = directory.join("data.csv");
    fs::write(&path, text).unwrap();
    (base, path)
}

/// A parquet file or two, mutated as columns, and sometimes as bytes.
fn columns<'a>(directory: &Path, bases: &'a Bases, dice: &mut Dice) -> (&'a Base, PathBuf) {
    let base = &bases.data[dice.below(bases.data.len())];
    let mut frame = base.frame.clone();
    for _ in 0..mutations(dice) {
        frame = parquet::mutate(&frame, dice);
    }
    if dice.chance(0.3) {
        let data = directory.join("data");
        fs::create_dir_all(&data).unwrap();
        let rows = frame.height();
        let cut = dice.below(rows + 1);
        let mut pieces = [frame.slice(0, cut), frame.slice(cut as i64, rows - cut)];
        if dice.chance(0.6) {
            let chosen = dice.below(2);
            pieces[chosen] = parquet::mutate(&pieces[chosen], dice);
        }
        for (i, piece) in pieces.iter().enumerate() {
            let bytes = parquet::bytes(piece, dice.between(1, 300));
            fs::write(data.join(format!("{i}.parquet")), bytes).unwrap();
        }
        return (base, data);
    }
    let mut file = parquet::bytes(&frame, dice.between(1, 600));
    if dice.chance(0.3) {
        (0..dice.between(1, 3)).for_each(|_| bytes::mutate(&mut file, dice));
    }
    let path = directory.join("data.parquet");
    fs::write(&path, file).unwrap();
    (base, path)
}

/// A saved result, mutated as a document or as bytes.
fn result(directory: &Path, bases: &Bases, dice: &mut Dice) -> PathBuf {
    let mut document = bases.results[dice.below(bases.results.len())].clone();
    for _ in 0..mutations(dice) {
        json::mutate(&mut document, dice);
    }
    let mut text = serde_json::to_vec(&document).unwrap();
    if dice.chance(0.25) {
        (0..dice.between(1, 3)).for_each(|_| bytes::mutate(&mut text, dice));
    }
    let path = directory.join("result.json");
    fs::write(&path, text).unwrap();
    path
}
