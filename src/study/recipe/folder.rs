//! A report as files: the page, markdown, LaTeX tables, pictures, saved results and the commands.

use std::fs;
use std::path::Path;

use super::command::script;
use super::step::Step;
use super::{FileDigest, StudyReport};
use crate::base::error::{DidError, Result};
use crate::base::written;
use crate::report::Table;

/// The page, by which a folder is known to have a report.
const PAGE: &str = "report.html";

impl StudyReport {
    /// Writes the report to its folder, which is made if it is not there:
    ///
    /// | file | what it is |
    /// |---|---|
    /// | `report.html` | the page |
    /// | `report.md` | the same in markdown, with the pictures beside it |
    /// | `tables/NAME.tex` | the table of each step in LaTeX, for the package `booktabs`, with the label `tab:NAME` |
    /// | `pictures/NAME.svg`, `.pdf` | the picture of each step |
    /// | `results/NAME.json` | saved estimates, which the commands of later steps read; without the seconds that they took |
    /// | `commands.sh` | the commands of all steps |
    ///
    /// # Errors
    /// [`DidError::File`] if the folder has files and no report, whose files would be replaced; [`DidError::Io`] for what cannot be written.
    pub fn write(&self) -> Result<()> {
        Self::make_room(&self.folder)?;
        for name in ["tables", "pictures", "results"] {
            let folder = self.folder.join(name);
            fs::create_dir_all(&folder).map_err(|source| DidError::io(&folder, source))?;
        }
        let steps = || self.chapters.iter().flat_map(|chapter| &chapter.steps);
        for step in steps() {
            self.write_step(step)?;
        }
        let commands: Vec<&str> = steps().map(|step| step.command.as_str()).collect();
        written::text(&self.folder.join("commands.sh"), &script(&self.folder, &commands))?;
        written::text(&self.folder.join("report.md"), &self.to_markdown())?;
        written::text(&self.folder.join(PAGE), &self.to_html())
    }

    /// An error if a folder has files and no report: before any work.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn make_room(folder: &Path) -> Result<()> {
        let problem = |problem: &str| DidError::File {
            path: folder.display().to_string(),
            problem: problem.to_owned(),
        };
        if folder.exists() && !folder.is_dir() {
            return Err(problem("is a file; name a folder for the report"));
        }
        let has_files = fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some());
        if has_files && !folder.join(PAGE).exists() {
            return Err(problem("has files that are no report; name a new or empty folder"));
        }
        Ok(())
    }

    fn write_step(&self, step: &Step) -> Result<()> {
        let file = |folder: &str, ending: &str| {
            self.folder.join(folder).join(format!("{}.{ending}", step.name))
        };
        if let Some(table) = &step.table {
            // Kinds of results have labels that several steps would share.
            let labelled = Table { label: Some(step.name.clone()), ..table.clone() };
            written::text(&file("tables", "tex"), &labelled.to_latex())?;
        }
        if let Some(picture) = &step.picture {
            written::text(&file("pictures", "svg"), &picture.svg)?;
            written::bytes(&file("pictures", "pdf"), &picture.pdf)?;
        }
        if let Some(saved) = &step.saved {
            written::text(&file("results", "json"), saved)?;
        }
        Ok(())
    }

    /// The report in markdown (GitHub flavour), which names pictures beside it.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut blocks = vec![format!("# {}", plain(&self.title))];
        blocks.extend(self.date.as_deref().map(plain));
        let failed = |(step, error): &(&str, &str)| format!("- **{step}**: {}", plain(error));
        let failures: Vec<String> = self.failures().iter().map(failed).collect();
        if !failures.is_empty() {
            blocks.push(format!("Not everything could be made:\n\n{}", failures.join("\n")));
        }
        let findings: Vec<String> = self
            .findings
            .iter()
            .map(|finding| format!("- {}: {}", plain(&finding.name), plain(&finding.value)))
            .collect();
        if !findings.is_empty() {
            blocks.push(findings.join("\n"));
        }
        for (number, chapter) in (1..).zip(&self.chapters) {
            blocks.push(format!("## {number}. {}", chapter.title));
            blocks.extend(chapter.about.iter().map(|text| (*text).to_owned()));
            chapter.steps.iter().for_each(|step| blocks.extend(of_step(step)));
        }
        blocks.push("## How to do it again".into());
        blocks.push(format!(
            "Made by {}. The command over each table gives the numbers in it, and `commands.sh` has all of them in order.",
            Self::software()
        ));
        blocks.extend(self.command.as_deref().map(of_command));
        let files: Vec<String> = self
            .files
            .iter()
            .map(|FileDigest { path, sha256 }| {
                let digest =
                    sha256.as_deref().unwrap_or("in an object store, not read for a digest");
                format!("- `{path}`: SHA-256 {digest}")
            })
            .collect();
        blocks.push(files.join("\n"));
        blocks.join("\n\n") + "\n"
    }
}

fn of_step(step: &Step) -> Vec<String> {
    let mut blocks = vec![format!("### {}", plain(&step.title)), of_command(&step.command)];
    blocks
        .extend(step.errors.iter().map(|error| format!("**Could not be made:** {}", plain(error))));
    if let Some(picture) = &step.picture {
        blocks.push(format!("![{}](pictures/{}.svg)", plain(&picture.alt), step.name));
    }
    blocks
        .extend(step.table.as_ref().map(|table| table.to_markdown().trim_matches('\n').to_owned()));
    blocks.extend(step.warnings.iter().map(|warning| format!("**Warning:** {}", plain(warning))));
    blocks
}

fn of_command(command: &str) -> String {
    format!("```sh\n{}\n```", crate::report::table::one_line(command))
}

/// Text on one line that markdown shows as it is.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::report::table::one_line(text).chars() {
        if "\\`*_[]<>|~$#".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
