//! Where the rows of a frame's units go: the strata's units in canonical order, and the row of each in each period.

use std::ops::Range;

use polars::prelude::PlHashMap;

use super::patterns::{Pattern, Patterns};
use super::rows::Rows;
use super::rules::{Rules, UnitPlace};
use super::strata::{Cohort, Layout};
use super::units::Units;
use crate::base::parallel;
use crate::read::columns::MISSING;

/// Rows of one stratum of a frame: `[P][n]`.
pub(super) struct Grid {
    /// Units (rows, for repeated cross sections).
    pub n: usize,
    /// Canonical rank of each among the frame's units; of rows, for repeated cross sections, within the stratum.
    pub rank: Vec<u32>,
    /// First row in the sample of each.
    pub first: Vec<u32>,
    rows: GridRows,
}

enum GridRows {
    /// The row of period `p` is this far from the unit's first.
    Regular(Vec<u32>),
    /// `[P][n]`, [`MISSING`] where a unit is not observed.
    Listed(Vec<u32>),
}

impl Grid {
    /// Whether the rows of a unit are as far apart as those of the others.
    pub fn is_regular(&self) -> bool {
        matches!(self.rows, GridRows::Regular(_))
    }

    pub fn periods(&self) -> usize {
        match &self.rows {
            GridRows::Regular(offsets) => offsets.len(),
            GridRows::Listed(rows) => rows.len() / self.n.max(1),
        }
    }

    /// Rows of a period, [`MISSING`] where a unit is not observed; `buffer` is working space.
    pub fn rows<'a>(
        &'a self,
        period: usize,
        units: &Range<usize>,
        buffer: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        match &self.rows {
            GridRows::Regular(offsets) => {
                let offset = offsets[period];
                buffer.clear();
                buffer.extend(self.first[units.clone()].iter().map(|row| row + offset));
                buffer
            }
            GridRows::Listed(rows) => {
                &rows[period * self.n + units.start..period * self.n + units.end]
            }
        }
    }

    /// As [`rows`](Self::rows), with a unit's first row in place of missing ones.
    pub fn filled<'a>(
        &'a self,
        period: usize,
        units: &Range<usize>,
        buffer: &'a mut Vec<u32>,
    ) -> &'a [u32] {
        if let GridRows::Regular(_) = self.rows {
            return self.rows(period, units, buffer);
        }
        let mut unused = Vec::new();
        let rows = self.rows(period, units, &mut unused);
        let first = &self.first[units.clone()];
        buffer.clear();
        buffer.extend(rows.iter().zip(first).map(|(r, f)| if *r == MISSING { *f } else { *r }));
        buffer
    }
}

/// Places a frame's rows, by stratum.
pub(super) fn place(rows: &Rows, patterns: &Patterns, rules: &Rules) -> Vec<Grid> {
    match (&rows.units, patterns.of_unit.is_empty()) {
        (Some(units), false) => place_units(rows, units, patterns, rules),
        _ => place_rows(rows, rules),
    }
}

/// Units in the order of their labels.
fn place_units(rows: &Rows, units: &Units, patterns: &Patterns, rules: &Rules) -> Vec<Grid> {
    let places: Vec<Option<UnitPlace>> =
        patterns.found.iter().map(|found| rules.place(&found.pattern)).collect();
    let stratum = |place: &Option<UnitPlace>| place.as_ref().map(|p| rules.strata.of(p.cohort, 0));
    let strata: Vec<Option<usize>> = places.iter().map(stratum).collect();
    let members = |block: Range<usize>| {
        let mut kept = 0;
        let mut members: Vec<StratumMembers> =
            (0..rules.strata.len()).map(|_| StratumMembers::default()).collect();
        for (unit, pattern) in (0u32..).skip(block.start).zip(&patterns.of_unit[block]) {
            if let Some(stratum) = strata[*pattern as usize] {
                let members = &mut members[stratum];
                members.units.push(unit);
                members.rank.push(kept);
                kept += 1;
            }
        }
        (kept, members)
    };
    let blocks: Vec<(u32, Vec<StratumMembers>)> = units.order.blocks(members);
    let regular = regular_offsets(units, patterns, rules, &places);
    let mut grids: Vec<Grid> = (0..rules.strata.len())
        .map(|stratum| {
            let n = blocks.iter().map(|(_, members)| members[stratum].units.len()).sum();
            let rows = match &regular {
                Some((_, offsets)) => {
                    GridRows::Regular(offsets.iter().map(|o| o - offsets[0]).collect())
                }
                None => GridRows::Listed(vec![0; rules.periods.len() * n]),
            };
            Grid { n, rank: vec![0; n], first: vec![0; n], rows }
        })
        .collect();
    let pieces = grids.iter_mut().enumerate().flat_map(|(s, grid)| grid.pieces(s, &blocks));
    parallel::map_items(pieces.collect(), |_, mut piece: GridPiece<'_>| {
        for (out, rank) in piece.rank.iter_mut().zip(&piece.members.rank) {
            *out = piece.before + rank;
        }
        if let Some((rows_at, offsets)) = &regular {
            for (first, unit) in piece.first.iter_mut().zip(&piece.members.units) {
                *first = rows_at[*unit as usize] + offsets[0];
            }
            return;
        }
        let place = |unit: u32| places[patterns.of_unit[unit as usize] as usize].as_ref();
        piece.list(|unit| {
            let complete = units.order.unit(unit as usize).filter(|row| rows.is_complete(*row));
            let wanted = place(unit).map_or(&[][..], |place| &place.rows[..]);
            (complete, wanted)
        });
    });
    grids
}

/// Units of a block that belong to a stratum, and their ranks among those of the block that are in the sample.
#[derive(Default)]
struct StratumMembers {
    units: Vec<u32>,
    rank: Vec<u32>,
}

/// Places of a block's units in a stratum's grid.
struct GridPiece<'a> {
    members: &'a StratumMembers,
    /// Units of the sample in the blocks before.
    before: u32,
    rank: &'a mut [u32],
    first: &'a mut [u32],
    /// By period, if rows are listed.
    listed: Vec<&'a mut [u32]>,
}

impl Grid {
    /// Cuts the grid of a stratum into the places of the blocks' units.
    fn pieces<'a>(
        &'a mut self,
        stratum: usize,
        blocks: &'a [(u32, Vec<StratumMembers>)],
    ) -> Vec<GridPiece<'a>> {
        let (mut rank, mut first, mut before) = (&mut self.rank[..], &mut self.first[..], 0);
        let mut listed: Vec<&mut [u32]> = match &mut self.rows {
            GridRows::Regular(_) => Vec::new(),
            GridRows::Listed(rows) => rows.chunks_exact_mut(self.n.max(1)).collect(),
        };
        let mut pieces = Vec::with_capacity(blocks.len());
        for (kept, members) in blocks {
            let members = &members[stratum];
            let n = members.units.len();
            pieces.push(GridPiece {
                members,
                before,
                rank: cut(&mut rank, n),
                first: cut(&mut first, n),
                listed: listed.iter_mut().map(|rows| cut(rows, n)).collect(),
            });
            before += kept;
        }
        pieces
    }
}

/// Takes the first `n` of some values.
fn cut<'a>(values: &mut &'a mut [u32], n: usize) -> &'a mut [u32] {
    let (own, later) = std::mem::take(values).split_at_mut(n);
    *values = later;
    own
}

impl GridPiece<'_> {
    /// Lists the rows of units: their complete rows, and which of these are in which period of the sample.
    fn list<'p, R: Iterator<Item = usize>>(
        &mut self,
        unit: impl Fn(u32) -> (R, &'p [(usize, usize)]),
    ) {
        self.first.fill(MISSING);
        self.listed.iter_mut().for_each(|rows| rows.fill(MISSING));
        for (i, (number, first)) in self.members.units.iter().zip(&mut *self.first).enumerate() {
            let (complete, wanted) = unit(*number);
            let mut wanted = wanted.iter().peekable();
            for (position, row) in complete.enumerate() {
                if let Some((period, _)) = wanted.next_if(|(_, at)| *at == position) {
                    let row = u32::try_from(row).unwrap_or(MISSING);
                    self.listed[*period][i] = row;
                    if *first == MISSING {
                        *first = row;
                    }
                }
            }
        }
    }
}

/// First row of each unit in the frame, and the distance of each period's row from it, if that is the same for all units.
fn regular_offsets<'a>(
    units: &'a Units,
    patterns: &Patterns,
    rules: &Rules,
    places: &[Option<UnitPlace>],
) -> Option<(&'a [u32], Vec<u32>)> {
    let (first, stride) = units.order.strided()?;
    if rules.layout != Layout::Balanced {
        return None;
    }
    let mut kept = patterns.found.iter().zip(places).filter_map(|(found, place)| {
        Some((found.whole, place.as_ref()?.rows.iter().map(|(_, at)| *at).collect::<Vec<usize>>()))
    });
    let (whole, offsets) = kept.next()?;
    let same = whole && kept.all(|(whole, other)| whole && other == offsets);
    let offset = |at: &usize| u32::try_from(*at).unwrap_or(MISSING) * stride;
    same.then(|| (first, offsets.iter().map(offset).collect()))
}

/// Every row by itself: by unit where there is one, else in the order of the frame.
fn place_rows(rows: &Rows, rules: &Rules) -> Vec<Grid> {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); rules.strata.len()];
    let mut strata: PlHashMap<(u16, bool, u16), Option<usize>> = PlHashMap::default();
    let mut last = ((0, false, 0), None);
    let mut add = |row: usize| {
        let key =
            (rows.group.codes[row], rows.eligibility(row).unwrap_or(true), rows.time.codes[row]);
        if key != last.0 || last.1.is_none() {
            let stratum = strata.entry(key).or_insert_with(|| {
                let cohort = Cohort { group: rows.group.value(key.0), eligible: key.1 };
                let place = rules.place(&Pattern { cohort, periods: vec![rows.time.value(key.2)] });
                place.map(|place| rules.strata.of(place.cohort, place.rows[0].0))
            });
            last = (key, *stratum);
        }
        if let Some(stratum) = last.1 {
            lists[stratum].push(u32::try_from(row).unwrap_or(MISSING));
        }
    };
    match &rows.units {
        Some(units) => (0..units.order.units())
            .flat_map(|u| units.order.unit(u))
            .filter(|row| rows.is_complete(*row))
            .for_each(&mut add),
        None => (0..rows.len).filter(|row| rows.is_complete(*row)).for_each(&mut add),
    }
    let grid = |list: Vec<u32>| {
        let ranks = (0..).take(list.len()).collect();
        Grid { n: list.len(), rank: ranks, first: list.clone(), rows: GridRows::Listed(list) }
    };
    lists.into_iter().map(grid).collect()
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;
    use crate::read::panel::audit::SampleAudit;
    use crate::read::panel::fixture::{NEVER, frame, request, roles, staggered};
    use crate::read::panel::frame::Frame;
    use crate::read::panel::roles::Roles;
    use crate::read::panel::rules::SampleOptions;
    use crate::read::panel::survey::Survey;

    type Row = (i64, f64, f64, f64);

    fn grids(df: &DataFrame, roles: &Roles, options: SampleOptions) -> Vec<Grid> {
        let frame = Frame::new(df, request(roles, options).reader()).unwrap();
        let survey = Survey::of(&frame);
        frame.place(&survey.rules(&request(roles, options), SampleAudit::default()).unwrap())
    }

    /// Rows of every period of a grid.
    fn rows(grid: &Grid) -> Vec<Vec<u32>> {
        let mut buffer = Vec::new();
        (0..grid.periods()).map(|p| grid.rows(p, &(0..grid.n), &mut buffer).to_vec()).collect()
    }

    /// Units 5, 6, 7 and 9 in order; unit 6 is treated in the first period.
    const ORDERED: [Row; 8] = [
        (5, 1.0, NEVER, 0.0),
        (5, 2.0, NEVER, 0.1),
        (6, 1.0, 1.0, 0.2),
        (6, 2.0, 1.0, 0.3),
        (7, 1.0, 2.0, 0.4),
        (7, 2.0, 2.0, 0.5),
        (9, 1.0, NEVER, 0.6),
        (9, 2.0, NEVER, 0.7),
    ];

    #[test]
    fn ranks_count_the_units_of_the_sample_in_the_order_of_labels() {
        let found = grids(&frame(&ORDERED), &roles("~ 1"), staggered());
        assert!(found.iter().all(|g| matches!(g.rows, GridRows::Regular(_))));
        assert_eq!((found[0].rank.clone(), rows(&found[0])), (vec![1], vec![vec![4], vec![5]]));
        assert_eq!(
            (found[1].rank.clone(), rows(&found[1])),
            (vec![0, 2], vec![vec![0, 6], vec![1, 7]])
        );
    }

    #[test]
    fn rows_in_another_order_have_the_same_ranks() {
        let reversed: Vec<Row> = ORDERED.into_iter().rev().collect();
        let found = grids(&frame(&reversed), &roles("~ 1"), staggered());
        assert!(found.iter().all(|g| matches!(g.rows, GridRows::Listed(_))));
        assert_eq!((found[0].rank.clone(), rows(&found[0])), (vec![1], vec![vec![3], vec![2]]));
        assert_eq!(
            (found[1].rank.clone(), rows(&found[1])),
            (vec![0, 2], vec![vec![7, 1], vec![6, 0]])
        );
    }

    #[test]
    fn labels_of_text_are_in_the_order_of_text() {
        let mut df = frame(&ORDERED);
        let labels = ["10", "10", "x", "x", "9", "9", "2", "2"];
        df.with_column(Column::new("id".into(), labels)).unwrap();
        let found = grids(&df, &roles("~ 1"), staggered());
        assert_eq!((&found[0].rank, &found[0].first), (&vec![2], &vec![4]));
        assert_eq!((&found[1].rank, &found[1].first), (&vec![0, 1], &vec![0, 6]));
    }

    #[test]
    fn periods_in_which_a_unit_is_missing_have_no_row() {
        let some: Vec<Row> =
            ORDERED.into_iter().enumerate().filter(|(i, _)| *i != 6).map(|(_, r)| r).collect();
        let options = SampleOptions { allow_unbalanced: true, ..staggered() };
        let found = grids(&frame(&some), &roles("~ 1"), options);
        assert_eq!(rows(&found[1]), [[0, MISSING], [1, 6]]);
        let mut buffer = Vec::new();
        assert_eq!(found[1].filled(0, &(0..2), &mut buffer), [0, 6]);
        assert_eq!(found[1].filled(1, &(1..2), &mut buffer), [6]);
        let dropped = grids(&frame(&some), &roles("~ 1"), staggered());
        assert_eq!((&dropped[1].rank, rows(&dropped[1])), (&vec![0], vec![vec![0], vec![1]]));
    }

    #[test]
    fn rows_of_cross_sections_are_ranked_within_their_stratum() {
        let options = SampleOptions { repeated_cross_sections: true, ..staggered() };
        let reversed: Vec<Row> = ORDERED.into_iter().rev().collect();
        let by_unit = grids(&frame(&reversed), &roles("~ 1"), options);
        let found: Vec<_> = by_unit.iter().map(|g| (g.rank.clone(), g.first.clone())).collect();
        let (one, two) = (vec![0], vec![0, 1]);
        let expected =
            [(one.clone(), vec![3]), (one, vec![2]), (two.clone(), vec![7, 1]), (two, vec![6, 0])];
        assert_eq!(found, expected);
        let without_units = Roles { unit: None, ..roles("~ 1") };
        let as_read = grids(&frame(&reversed), &without_units, options);
        assert_eq!((&as_read[2].first, &as_read[3].first), (&vec![1, 7], &vec![0, 6]));
    }
}
