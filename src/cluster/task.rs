//! What a worker can be told, and what it answers: closed lists of plain data.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::manifest::{SampleFile, ShardFile};
use crate::base::options::Precision;
use crate::engine::by_unit::{AnyScores, AnyTiles, AnyUnitPass, Between, Kept, UnitValues};
use crate::engine::condition::{Change, Look, LookStat};
use crate::engine::pass::Seal;
use crate::engine::source::{Answer, AnyPass, AnyStat, KeptColumn, Scale};
use crate::read::panel::apart::{
    CovariateChoice, Cuts, Ends, FrameLook, FrameStat, PlacementPlan, Position, Reading, RowRange,
    RowReading, UnitReading,
};
use crate::read::panel::overview::{Overview, TimesFound};

/// Work for one worker. Where it names files, all workers see them under these names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Task<'a> {
    /// To say whether it can do the arithmetic and sees the directory that others are to write to, and where the units of a part
    /// end.
    Ends {
        rows: Cow<'a, RowReading>,
        part: Cow<'a, RowRange>,
        directory: Cow<'a, Path>,
        /// Another directory to write to.
        influence: Option<Cow<'a, Path>>,
        /// Of the arithmetic, if a device is to do any.
        precision: Option<Precision>,
    },
    /// To look for the row that is at fault; the part's first has this number among all.
    Check { reading: Cow<'a, Reading>, part: Cow<'a, RowRange>, first_row: usize },
    /// To write a part once more, in buckets.
    Split {
        rows: Cow<'a, RowReading>,
        part: Cow<'a, RowRange>,
        cuts: Cow<'a, Cuts>,
        directory: Cow<'a, Path>,
    },
    /// To look at a shard before there are strata. It is shown for the sample of a directory, and may be kept until it is arranged
    /// there.
    Show {
        reading: Cow<'a, Reading>,
        shard: Cow<'a, [RowRange]>,
        directory: Cow<'a, Path>,
        look: Cow<'a, FrameLook>,
    },
    /// To write the rows of a shard by stratum, in pieces of segments of so many rows.
    Arrange {
        reading: Cow<'a, Reading>,
        shard: Cow<'a, [RowRange]>,
        plan: Cow<'a, PlacementPlan>,
        position: Cow<'a, Position>,
        length: usize,
        directory: Cow<'a, Path>,
    },
    /// To look at segments as they were read.
    Look {
        sample: Cow<'a, SampleFile>,
        segments: Vec<u32>,
        /// The covariates that are looked at, if not all.
        choice: Option<CovariateChoice>,
        look: Cow<'a, Look>,
    },
    /// To run a pass over segments, changed.
    Pass {
        sample: Cow<'a, SampleFile>,
        segments: Vec<u32>,
        /// The covariates that are changed, if not all.
        choice: Option<CovariateChoice>,
        change: Cow<'a, Change>,
        /// Design columns, the constant included.
        k: usize,
        precision: Precision,
        pass: Cow<'a, AnyPass>,
        /// Where to leave the rows that the pass keeps.
        keep: Option<Cow<'a, Path>>,
    },
    /// To write influence values of units that follow on each other.
    Influence(Unfinished<'a>),
    /// To find the periods and groups of a part whose units are asked one by one.
    Times { reading: Cow<'a, UnitReading>, part: Cow<'a, RowRange> },
    /// As `Check`, of such a part.
    CheckUnits { reading: Cow<'a, UnitReading>, part: Cow<'a, RowRange>, first_row: usize },
    /// To ask the units of a shard one by one. Its rows may be kept, for the fit that writes to a directory.
    Units {
        reading: Cow<'a, UnitReading>,
        shard: Cow<'a, [RowRange]>,
        directory: Cow<'a, Path>,
        /// Groups that are taken as others.
        moved: Cow<'a, [(f64, f64)]>,
        asked: UnitQuestion<'a>,
    },
}

/// What is asked of a shard's units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum UnitQuestion<'a> {
    /// The first values of each number column, by which sums are shifted.
    FirstValues,
    /// What they show, with sums that are less so much, and these periods.
    Overview { shifts: Cow<'a, [f64]>, periods: Cow<'a, [f64]> },
    /// Sums of tiles of some of them.
    Sums { pass: Cow<'a, AnyUnitPass>, between: Between },
    /// Their influence values.
    Values { scores: Cow<'a, AnyScores>, kept: Kept },
}

/// What a shard's units answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum UnitAnswer {
    FirstValues(Vec<Vec<f64>>),
    /// With the number of units that have a usable row.
    Overview(Box<Overview>, usize),
    Sums(AnyTiles),
    Values(UnitValues),
}

/// Influence values of units that follow on each other, as passes left them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Unfinished<'a> {
    pub parts: Vec<KeptPart>,
    /// Rank of the first unit.
    pub first: u64,
    /// How many units there are.
    pub rows: usize,
    pub finishing: Cow<'a, Finishing>,
    pub directory: Cow<'a, Path>,
}

/// What is made of the columns of a pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Finishing {
    pub columns: Vec<KeptColumn>,
    pub scale: Scale,
}

/// What a pass left of a segment: its pieces one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptFile {
    pub path: PathBuf,
    /// Columns of the pass that the rows have values in.
    pub columns: Vec<usize>,
    /// Digest of each piece.
    pub digests: Vec<u64>,
}

/// What a pass left of a piece: ranks, then columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct KeptPart {
    pub path: PathBuf,
    pub offset: u64,
    pub rows: usize,
    pub digest: u64,
    pub columns: Vec<usize>,
    /// The file with the labels of a shard, and which of them is the first row's.
    pub labels: Option<(PathBuf, usize)>,
}

impl KeptPart {
    /// Bytes that it has; `None` for more than there can be.
    pub fn bytes(&self) -> Option<u64> {
        let row = 8u64.checked_mul(1 + self.columns.len() as u64)?;
        row.checked_mul(self.rows as u64)
    }
}

/// What comes of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Reply {
    Ends(Ends),
    Checked,
    /// The file, and the rows of each bucket.
    Split(PathBuf, Vec<usize>),
    Shown(FrameStat),
    Arranged(ShardFile),
    Looked(Vec<Answer<LookStat>>),
    /// With what was kept of each segment, if rows are.
    Passed(Vec<Answer<AnyStat>>, Vec<KeptFile>),
    /// The file, and the units that it covers.
    Influence(PathBuf, Seal),
    Times(TimesFound),
    Units(UnitAnswer),
}

/// Why nothing comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Problem {
    pub text: String,
    pub kind: ProblemKind,
}

/// What a problem lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ProblemKind {
    /// In the data or the device, so that it would be the same again.
    Lasting,
    /// As before, in a row that the text names by its number in the shard.
    OfARow,
    /// In what reached the worker, or is missing there for now.
    Passing,
}

/// What a worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Message {
    /// Digest of the task, as it arrived.
    pub question: u64,
    /// Who answers.
    pub worker: String,
    /// Backend and precision of its arithmetic.
    pub arithmetic: String,
    /// Bytes of arranged rows that it read from storage for this.
    pub bytes_read: u64,
    pub outcome: std::result::Result<Reply, Problem>,
}

impl Reply {
    /// What it is an answer to, in errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ends(_) => "where units end",
            Self::Checked => "that rows are well",
            Self::Split(..) => "rows in buckets",
            Self::Shown(_) => "what a shard shows",
            Self::Arranged(_) => "rows in strata",
            Self::Looked(_) => "a look",
            Self::Passed(..) => "a pass",
            Self::Influence(..) => "influence values by unit",
            Self::Times(_) => "periods and groups",
            Self::Units(UnitAnswer::FirstValues(_)) => "first values",
            Self::Units(UnitAnswer::Overview(..)) => "what units show",
            Self::Units(UnitAnswer::Sums(_)) => "sums over units",
            Self::Units(UnitAnswer::Values(_)) => "influence values of units",
        }
    }
}
