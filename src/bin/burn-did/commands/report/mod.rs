//! `burn-did report`

mod mistakes;
mod spec;

use std::path::PathBuf;

use burn_did::backend::DidBackend;
use burn_did::command_line::{option, path};
use burn_did::{DidError, Study, StudyReport};
use clap::Args;

use crate::args::{DeviceArgs, MemoryArgs};
use crate::backend::{self, Fit, On};
use crate::error::{CliError, Result};
use crate::messages;
use crate::output;
use spec::Spec;

/// A specification with every key, each with a comment.
const EXAMPLE: &str = include_str!("example.toml");

/// A whole study as one page: what the data are, how outcomes moved, balance, the estimates by several methods side by side, averages, the
/// event study, the power of the test of pre-trends and the sensitivity to violations of parallel trends.
///
/// The folder has the page (report.html, which needs no other file and no network), the same as markdown, the tables in LaTeX, the
/// pictures as SVG and PDF, the saved results, and the commands that give the numbers of every step, which the page shows, too. A step
/// that fails carries its error, and the rest goes on. The same study gives the same bytes.
#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Specification of the study, a .toml file whose keys are the words of the options of other commands; `--example` shows one. Paths in
    /// it are relative to the folder in which the command runs.
    #[arg(value_name = "SPEC", required_unless_present = "example")]
    spec: Option<PathBuf>,
    /// Folder to write to: a new or empty one, or one with a report, whose files are replaced.
    #[arg(long, value_name = "FOLDER", required_unless_present = "example")]
    out: Option<PathBuf>,
    /// Write a specification with every key, each with a comment, to standard output.
    #[arg(long, conflicts_with_all = ["spec", "out"])]
    example: bool,
    /// Date to print in the report, which otherwise has none.
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    memory: MemoryArgs,
    /// No progress on standard error.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command. It fails if a step could not be made, after all that could.
pub(crate) fn run(args: &ReportArgs) -> Result<()> {
    let (Some(spec), Some(folder)) = (&args.spec, &args.out) else {
        return output::results(EXAMPLE);
    };
    let text = std::fs::read_to_string(spec)
        .map_err(|source| DidError::Io { path: spec.display().to_string(), source })?;
    let mut study = Spec::read(&spec.display().to_string(), &text)?.study(folder)?;
    StudyReport::make_room(folder)?;
    output::spare(study.data.path(), &folder.join("report.html"))?;
    study.date = args.date.clone().or(study.date);
    study.command = Some(args.typed(spec, folder));
    study.device_options = args.device_options();
    let report = backend::fit(&Asked { args, study }, &args.device, args.quiet)?;
    report.write()?;
    let steps: usize = report.chapters.iter().map(|chapter| chapter.steps.len()).sum();
    let page = folder.join("report.html");
    output::results(&format!(
        "{}: {} chapters, {steps} steps\n",
        page.display(),
        report.chapters.len()
    ))?;
    let failures = report.failures();
    for (step, error) in &failures {
        messages::not_made(step, error);
    }
    if failures.is_empty() { Ok(()) } else { Err(CliError::Said) }
}

impl ReportArgs {
    /// The command as it is shown in the report.
    fn typed(&self, spec: &std::path::Path, folder: &std::path::Path) -> String {
        let mut words = vec!["burn-did report".to_owned()];
        words.push(path(&spec.display().to_string()));
        words.push(format!("--out {}", path(&folder.display().to_string())));
        words.extend(self.date.as_ref().map(|date| option("date", date)));
        words.extend(self.device_options());
        words.join(" ")
    }

    /// What the device is, where it is not the default.
    fn device_options(&self) -> Option<String> {
        let DeviceArgs { backend, devices, precision } = &self.device;
        let mut words = Vec::new();
        if *backend != burn_did::backend::BackendName::Cpu {
            words.push(format!("--backend {backend}"));
        }
        if !devices.is_empty() {
            let devices: Vec<String> = devices.iter().map(usize::to_string).collect();
            words.push(format!("--devices {}", devices.join(",")));
        }
        words.extend(precision.map(|precision| format!("--precision {precision}")));
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// A study as work for devices.
struct Asked<'a> {
    args: &'a ReportArgs,
    study: Study,
}

impl Fit for Asked<'_> {
    type Result = StudyReport;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<StudyReport> {
        let mut study = self.study.clone();
        study.precision = on.precision;
        study.memory_budget = self.args.memory.memory_budget;
        study.progress = on.progress;
        Ok(study.report_on_devices::<B>(on.devices)?)
    }
}
