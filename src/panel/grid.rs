//! Where the rows of a frame's units go: the strata's units in canonical order, and the row of each in each period.

use std::ops::Range;

use polars::prelude::PlHashMap;
use rayon::prelude::*;

use super::codes::MISSING;
use super::columns::{Rows, Units};
use super::rules::{Place, Rules};
use super::sample::Cohort;
use super::survey::{Observed, Survey};

/// Rows of one stratum of a frame: `[P][n]`.
pub(super) struct Grid {
    /// Units (rows, for repeated cross sections).
    pub n: usize,
    /// Canonical rank of each.
    pub rank: Vec<u64>,
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
                buffer.clear();
                buffer.extend(self.first[units.clone()].iter().map(|row| row + offsets[period]));
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

/// Places a frame's rows; its first unit in the sample has the rank `first_rank`.
pub(super) fn place(rows: &Rows, survey: &Survey, rules: &Rules, first_rank: u64) -> Vec<Grid> {
    let places: Vec<Option<Place>> =
        survey.patterns.iter().map(|p| rules.place(&p.observed)).collect();
    match (&rows.units, survey.of_unit.is_empty()) {
        (Some(units), false) => place_units(rows, units, survey, rules, &places, first_rank),
        _ => place_rows(rows, rules, first_rank),
    }
}

/// One grid a cohort, units in the order of their labels.
fn place_units(
    rows: &Rows,
    units: &Units,
    survey: &Survey,
    rules: &Rules,
    places: &[Option<Place>],
    first_rank: u64,
) -> Vec<Grid> {
    let mut members: Vec<Members> = (0..rules.cohorts.len()).map(|_| Members::default()).collect();
    let mut rank = first_rank;
    for (unit, pattern) in (0u32..).zip(&survey.of_unit) {
        if let Some(place) = &places[*pattern as usize] {
            let members = &mut members[place.cohort];
            members.units.push(unit);
            members.rank.push(rank);
            rank += 1;
        }
    }
    let regular = regular_offsets(units, survey, rules, places);
    members
        .into_par_iter()
        .map(|Members { units: list, rank }| {
            let n = list.len();
            if let Some(offsets) = &regular {
                let shift = offsets[0];
                let first = list.iter().map(|u| units.order.starts[*u as usize] + shift).collect();
                let offsets = offsets.iter().map(|o| o - shift).collect();
                return Grid { n, rank, first, rows: GridRows::Regular(offsets) };
            }
            let mut first = vec![MISSING; n];
            let mut listed = vec![MISSING; rules.periods.len() * n];
            for (i, unit) in list.iter().enumerate() {
                let place = places[survey.of_unit[*unit as usize] as usize].as_ref();
                let mut wanted = place.map_or(&[][..], |p| &p.rows[..]).iter().peekable();
                let complete = units.order.unit(*unit as usize).filter(|r| rows.is_complete(*r));
                for (position, row) in complete.enumerate() {
                    if let Some((period, _)) = wanted.next_if(|(_, at)| *at == position) {
                        let row = u32::try_from(row).unwrap_or(MISSING);
                        listed[period * n + i] = row;
                        if first[i] == MISSING {
                            first[i] = row;
                        }
                    }
                }
            }
            Grid { n, rank, first, rows: GridRows::Listed(listed) }
        })
        .collect()
}

#[derive(Default)]
struct Members {
    units: Vec<u32>,
    rank: Vec<u64>,
}

/// Distance of each period's row from a unit's first, if it is the same for all units.
fn regular_offsets(
    units: &Units,
    survey: &Survey,
    rules: &Rules,
    places: &[Option<Place>],
) -> Option<Vec<u32>> {
    if !units.order.is_natural() || !rules.balanced {
        return None;
    }
    let mut kept = survey.patterns.iter().zip(places).filter_map(|(p, place)| {
        Some((p.whole, place.as_ref()?.rows.iter().map(|(_, at)| *at).collect::<Vec<usize>>()))
    });
    let (whole, offsets) = kept.next()?;
    let same = whole && kept.all(|(whole, other)| whole && other == offsets);
    same.then(|| offsets.iter().map(|at| u32::try_from(*at).unwrap_or(MISSING)).collect())
}

/// One grid a cohort and period: by unit where there is one, else in the order of the frame.
fn place_rows(rows: &Rows, rules: &Rules, first_rank: u64) -> Vec<Grid> {
    let periods = rules.periods.len();
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); rules.cohorts.len() * periods];
    let mut strata: PlHashMap<(u16, bool, u16), Option<usize>> = PlHashMap::default();
    let mut last = ((0, false, 0), None);
    let mut add = |row: usize| {
        let key =
            (rows.group.codes[row], rows.eligibility(row).unwrap_or(true), rows.time.codes[row]);
        if key != last.0 || last.1.is_none() {
            let stratum = strata.entry(key).or_insert_with(|| {
                let observed = Observed {
                    cohort: Cohort { group: rows.group.value(key.0), eligible: key.1 },
                    periods: vec![rows.time.value(key.2)],
                    units: 1,
                };
                rules.place(&observed).map(|place| place.cohort * periods + place.rows[0].0)
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
    let mut rank = first_rank;
    lists
        .into_iter()
        .map(|list| {
            let n = list.len();
            let ranks = (rank..).take(n).collect();
            rank += n as u64;
            Grid { n, rank: ranks, first: list.clone(), rows: GridRows::Listed(list) }
        })
        .collect()
}
