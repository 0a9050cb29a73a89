//! The report as one page of HTML that needs no other file and is XML, too.

use super::step::{Chapter, Step};
use super::{FileDigest, StudyReport};
use crate::report::table::escaped;

/// How the page looks, on light and dark screens and on paper.
const STYLE: &str = include_str!("style.css");

impl StudyReport {
    /// The page. It needs no other file, no network and no scripts.
    #[must_use]
    pub fn to_html(&self) -> String {
        let (title, software) = (escaped(&self.title), Self::software());
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"generator\" content=\"{software}\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        );
        out.push_str(&self.head());
        out.push_str(&contents(&self.chapters));
        out.push_str("<main>\n");
        for (number, chapter) in (1..).zip(&self.chapters) {
            out.push_str(&of_chapter(number, chapter));
        }
        out.push_str(&self.provenance());
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    /// Title, and the numbers that are looked for first.
    fn head(&self) -> String {
        let mut out = format!("<header>\n<h1>{}</h1>\n", escaped(&self.title));
        if let Some(date) = &self.date {
            out.push_str(&format!("<p class=\"date\">{}</p>\n", escaped(date)));
        }
        let failures = self.failures();
        if !failures.is_empty() {
            let failed = |(step, error): &(&str, &str)| {
                format!("<li><a href=\"#{step}\">{step}</a>: {}</li>\n", escaped(error))
            };
            let failed: String = failures.iter().map(failed).collect();
            out.extend([
                "<div class=\"error\">\n<p>Not everything could be made.</p>\n<ul>\n",
                &failed,
                "</ul>\n</div>\n",
            ]);
        }
        if !self.findings.is_empty() {
            out.push_str("<dl class=\"findings\">\n");
            for finding in &self.findings {
                let (name, value) = (escaped(&finding.name), escaped(&finding.value));
                let step = escaped(&finding.step);
                out.push_str(&format!(
                    "<dt>{name}</dt>\n<dd><a href=\"#{step}\">{value}</a></dd>\n"
                ));
            }
            out.push_str("</dl>\n");
        }
        out.push_str("</header>\n");
        out
    }

    /// Software, data and commands: what is needed to do it again.
    fn provenance(&self) -> String {
        let mut out = String::from("<section id=\"provenance\">\n<h2>How to do it again</h2>\n");
        let commands = escaped(&self.folder.join("commands.sh").display().to_string());
        out.push_str(&format!(
            "<p>Made by {}. The command over each table gives the numbers in it; later commands read what earlier ones save, and \
             <code>{commands}</code> has all of them in order. Paths are relative to the folder in which the report was made.</p>\n",
            Self::software()
        ));
        if let Some(command) = &self.command {
            out.push_str(&of_command(command));
        }
        out.push_str("<div class=\"scroll\">\n<table>\n<caption>Files of the data, with their SHA-256</caption>\n<tbody>\n");
        for FileDigest { path, sha256 } in &self.files {
            let digest = sha256.as_deref().unwrap_or("in an object store, not read for a digest");
            let path = escaped(path);
            out.push_str(&format!(
                "<tr><td class=\"left\">{path}</td><td class=\"left digest\">{digest}</td></tr>\n"
            ));
        }
        out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
        out
    }
}

fn contents(chapters: &[Chapter]) -> String {
    let mut out = String::from("<nav aria-label=\"Contents\">\n<ol>\n");
    for Chapter { name, title, steps, .. } in chapters {
        out.push_str(&format!("<li><a href=\"#chapter-{name}\">{}</a>", escaped(title)));
        if steps.len() > 1 {
            let step = |step: &Step| {
                format!(
                    "<li><a href=\"#{}\">{}</a></li>",
                    escaped(&step.name),
                    escaped(&step.title)
                )
            };
            out.extend(["<ul>", &steps.iter().map(step).collect::<String>(), "</ul>"]);
        }
        out.push_str("</li>\n");
    }
    out.push_str("<li><a href=\"#provenance\">How to do it again</a></li>\n</ol>\n</nav>\n");
    out
}

fn of_chapter(number: usize, chapter: &Chapter) -> String {
    let Chapter { name, title, about, steps } = chapter;
    let mut out =
        format!("<section id=\"chapter-{name}\">\n<h2>{number}. {}</h2>\n", escaped(title));
    let paragraphs = about.iter().map(|text| format!("<p>{}</p>\n", escaped(text)));
    out.extend(paragraphs);
    out.extend(steps.iter().map(of_step));
    out.push_str("</section>\n");
    out
}

fn of_step(step: &Step) -> String {
    let mut out = format!(
        "<article id=\"{}\">\n<h3>{}</h3>\n{}",
        escaped(&step.name),
        escaped(&step.title),
        of_command(&step.command)
    );
    let list = |class: &str, texts: &[String]| {
        let texts: String =
            texts.iter().map(|text| format!("<p>{}</p>\n", escaped(text))).collect();
        if texts.is_empty() { texts } else { format!("<div class=\"{class}\">\n{texts}</div>\n") }
    };
    out.push_str(&list("error", &step.errors));
    if let Some(picture) = &step.picture {
        let words = format!("<svg role=\"img\" aria-label=\"{}\" ", escaped(&picture.alt));
        let svg = picture.svg.trim().replacen("<svg ", &words, 1);
        out.extend(["<figure>\n", &svg, "\n</figure>\n"]);
    }
    if let Some(table) = &step.table {
        out.push_str(&table.to_html());
    }
    out.push_str(&list("warning", &step.warnings));
    out.push_str("</article>\n");
    out
}

/// A command, whose options are kept on one line each.
fn of_command(command: &str) -> String {
    let word = |word: &str| match word.starts_with("--") {
        true => format!("<b>{}</b>", escaped(word)),
        false => escaped(word),
    };
    let words: Vec<String> = command.split(' ').map(word).collect();
    format!("<pre class=\"command\"><code>{}</code></pre>\n", words.join(" "))
}
