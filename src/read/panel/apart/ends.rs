//! Where the units of the files' parts end, and the shards that follow if they are in order.

use serde::{Deserialize, Serialize};

use super::rows::{RowRange, RowReading};
use crate::base::error::Result;
use crate::read::columns::Label;

/// Labels of a part that there are at least, for every bucket that it may be cut into.
const SAMPLE: usize = 256;

/// What a part shows of the order of its rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ends {
    /// Labels of the first and the last row.
    first: Option<Label>,
    last: Option<Label>,
    /// Rows at the start that have the first label.
    leading: usize,
    /// Whether the labels ascend.
    ascend: bool,
    /// Some of the labels, at equal distances.
    pub(super) sample: Vec<Label>,
}

impl RowReading {
    /// Looks at what orders the rows of a part.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn ends(&self, part: &RowRange) -> Result<Ends> {
        let (keys, rows) = (self.keys(part)?, part.rows);
        let first = keys.label(0);
        Ok(Ends {
            last: keys.label(rows.saturating_sub(1)),
            leading: (0..rows).take_while(|row| keys.label(*row) == first).count(),
            ascend: first.is_some() && keys.ascend(),
            sample: (0..rows)
                .step_by((rows / SAMPLE).max(1))
                .filter_map(|row| keys.label(row))
                .collect(),
            first,
        })
    }
}

/// Shards of whole units, one for each part that a unit starts in; `None` unless all labels ascend throughout.
pub(crate) fn ordered_shards(parts: &[RowRange], ends: &[Ends]) -> Option<Vec<Vec<RowRange>>> {
    let mut shards: Vec<Vec<RowRange>> = Vec::new();
    let mut last: &Option<Label> = &None;
    for (part, ends) in parts.iter().zip(ends) {
        if !ends.ascend || ends.first < *last {
            return None;
        }
        // The rows of a unit that started before go with it.
        let before = if ends.first == *last { ends.leading } else { 0 };
        let (head, tail) = part.cut(before);
        if let Some(shard) = shards.last_mut() {
            shard.extend(head);
        }
        shards.extend(tail.map(|tail| vec![tail]));
        last = &ends.last;
    }
    Some(shards)
}

impl RowRange {
    /// The first `at` rows, and the others.
    fn cut(&self, at: usize) -> (Option<Self>, Option<Self>) {
        let part = |start: usize, rows: usize| {
            (rows > 0).then(|| Self { start: self.start + start, rows, ..self.clone() })
        };
        (part(0, at), part(at, self.rows - at))
    }
}
