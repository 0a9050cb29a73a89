//! Names of jobs.

use std::fmt;
use std::str::FromStr;

/// The content of a job's name: the map that it belongs to, and its tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobLabel {
    /// Session of the client.
    pub(super) session: String,
    /// Number of the map within its session.
    pub(super) map: u64,
    /// What the map does.
    pub(super) stage: String,
    /// Number of the job's first task.
    pub(super) first: usize,
    /// Tasks of the job.
    pub(super) tasks: usize,
    /// Tasks of the map.
    pub(super) total: usize,
}

/// First word of every name.
const MARK: &str = "burn-did";

impl JobLabel {
    /// What the names of all jobs of a map begin with.
    pub(super) fn prefix(session: &str, map: u64) -> String {
        format!("{MARK} {session} {map} ")
    }
}

impl fmt::Display for JobLabel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = Self::prefix(&self.session, self.map);
        let Self { first, tasks, total, stage, .. } = self;
        write!(out, "{prefix}{first} {tasks} {total} {stage}")
    }
}

/// A name that is not one of ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Foreign;

impl FromStr for JobLabel {
    type Err = Foreign;

    fn from_str(name: &str) -> Result<Self, Foreign> {
        let mut words = name.splitn(7, ' ');
        let mut word = || words.next().ok_or(Foreign);
        if word()? != MARK {
            return Err(Foreign);
        }
        let session = word()?.to_owned();
        let map = word()?.parse().map_err(|_| Foreign)?;
        let mut number = || word()?.parse::<usize>().map_err(|_| Foreign);
        let (first, tasks, total) = (number()?, number()?, number()?);
        let stage = word()?.to_owned();
        let inside = first.checked_add(tasks).is_some_and(|end| end <= total);
        // More tasks than any map has would only cost the scheduler memory.
        if !inside || total > MOST {
            return Err(Foreign);
        }
        Ok(Self { session, map, stage, first, tasks, total })
    }
}

/// The most tasks of a map whose places are planned.
const MOST: usize = 1 << 22;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_written() {
        let label = JobLabel {
            session: "a-b".into(),
            map: 3,
            stage: "look at shards".into(),
            first: 4,
            tasks: 2,
            total: 9,
        };
        assert_eq!(label.to_string().parse(), Ok(label.clone()));
        assert!(label.to_string().starts_with(&JobLabel::prefix("a-b", 3)));
    }

    #[test]
    fn other_names_are_foreign() {
        for name in [
            "",
            "burn-did",
            "select 1",
            "burn-did s 1 8 2 9 look",
            "burn-did s 1 0 1 99999999999 x",
            "burn-did s 1 18446744073709551615 1 2 x",
        ] {
            assert_eq!(name.parse::<JobLabel>(), Err(Foreign), "{name}");
        }
    }
}
