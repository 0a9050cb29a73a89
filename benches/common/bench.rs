//! A bench of some cases against Python packages, with a section of its own in the results.

use super::case::Case;
use super::contestant::Contestant;
use super::options::Options;
use super::{Result, duel, results, tables};

/// Cases that one section reports.
pub struct Bench {
    /// Marker of the section.
    pub section: &'static str,
    /// What the section says before its tables.
    pub words: &'static str,
    /// The cases.
    pub cases: Vec<Case>,
    /// Whether ModernDiD is asked, beside this crate from Python.
    pub moderndid: fn(&Case) -> bool,
}

impl Bench {
    /// Runs what the command line asks for, and writes the section after every case.
    pub fn run(&self) -> Result<()> {
        let Some(options) = Options::asked()? else { return Ok(()) };
        let ours = Contestant::ours()?;
        let (wheel, moderndid) = match &options.earlier {
            Some(bench) => (Some(Contestant::earlier(bench.clone())), None),
            None => {
                let python = options.interpreter()?;
                let moderndid =
                    Contestant::python("moderndid", python.clone(), "peers/moderndid.py");
                (Contestant::wheel(&python), Some(moderndid.at_most(2)))
            }
        };
        for case in options.chosen(&self.cases)? {
            let moderndid = moderndid.iter().filter(|_| (self.moderndid)(&case));
            let asked = wheel.iter().chain(moderndid).filter(|c| options.wants(c.name)).cloned();
            duel::run(&case, &ours, &asked.collect::<Vec<_>>(), options.runs)?;
            results::write_section(&options.results()?, self.section, &self.report(&options)?)?;
        }
        Ok(())
    }

    fn report(&self, options: &Options) -> Result<String> {
        let summaries = options.summaries(&self.cases)?;
        Ok(format!(
            "{}\n\n{} Columns are those of the first table of this page.\n\n{}\n{}\nContestants:\n\n{}",
            tables::places(&summaries),
            self.words,
            tables::speeds(&summaries),
            tables::agreements(&summaries),
            tables::contestants(&summaries),
        ))
    }
}
