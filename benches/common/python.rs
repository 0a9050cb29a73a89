//! A Python environment of the benches' own.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Result, work_folder};

/// The interpreter of an environment with what `requirements` pins, made if absent or if the file has changed.
pub fn environment(name: &str, requirements: &Path) -> Result<PathBuf> {
    let folder = work_folder("")?.join(name);
    let interpreter = folder.join("bin/python");
    let wanted = std::fs::read_to_string(requirements)?;
    let installed = folder.join("requirements.txt");
    if std::fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
        return Ok(interpreter);
    }
    println!("making a Python environment in {}", folder.display());
    succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    succeed(Command::new(&interpreter).args(pip).arg(requirements))?;
    std::fs::write(installed, wanted)?;
    Ok(interpreter)
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
