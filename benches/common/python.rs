//! A Python environment of the benches' own.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Result, work_folder};

/// The interpreter of an environment with what `requirements` pins, made if absent or if the file has changed.
///
/// A file `without_dependencies.txt` beside it lists packages that declare a newer Python than they need.
pub fn environment(name: &str, requirements: &Path) -> Result<PathBuf> {
    let folder = work_folder("")?.join(name);
    let interpreter = folder.join("bin/python");
    let forced = requirements.with_file_name("without_dependencies.txt");
    let forced_text = std::fs::read_to_string(&forced).unwrap_or_default();
    let wanted = std::fs::read_to_string(requirements)? + &forced_text;
    let installed = folder.join("requirements.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(interpreter);
    }
    println!("making a Python environment in {}", folder.display());
    succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if !forced_text.is_empty() {
        let any_python = ["--no-deps", "--ignore-requires-python", "-r"];
        succeed(Command::new(&interpreter).args(pip).args(any_python).arg(forced))?;
    }
    succeed(Command::new(&interpreter).args(pip).arg("-r").arg(requirements))?;
    std::fs::write(installed, wanted)?;
    Ok(interpreter)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
