//! What the rows say about outcomes without treatment: which effects of cohorts, units and periods, and which cells, they tell apart.

use super::degrees::components;
use crate::engine::demean::Factor;

/// Rows of cohorts (or units) in periods, some of them in a cell that has an effect of its own.
pub(in crate::estimator) struct CellRows<'a> {
    /// Number of each row's cohort.
    pub cohorts: &'a [u32],
    /// Number of its period.
    pub periods: &'a [u32],
    /// Number of its cell; [`u32::MAX`] without an effect.
    pub cells: &'a [u32],
    /// How many rows each stands for, if not one.
    pub stand_for: Option<&'a [usize]>,
    /// How many cohorts, periods and cells there are.
    pub counts: [usize; 3],
}

/// What is identified, up to a constant that all cohorts have in common.
#[derive(Debug, PartialEq)]
pub(in crate::estimator) struct Identified {
    pub cohorts: Vec<bool>,
    pub periods: Vec<bool>,
    pub cells: Vec<bool>,
}

impl Identified {
    /// Of `y = cohort + period + cell`: rows without an effect tie cohorts to periods. What is tied to most rows is known, and a treated row
    /// of a cohort and a period that are known makes its cell known, as one of a cell and a period makes its cohort.
    pub fn new(rows: &CellRows<'_>) -> Self {
        let [cohorts, periods, cells] = rows.counts;
        let each = || {
            let pairs = rows.cohorts.iter().zip(rows.periods).zip(rows.cells);
            pairs.map(|((cohort, period), cell)| (*cohort as usize, *period as usize, *cell))
        };
        let of_untreated = |codes: &[u32]| {
            let own = codes.iter().zip(rows.cells).filter(|(_, cell)| **cell == u32::MAX);
            own.map(|(code, _)| *code).collect::<Vec<u32>>()
        };
        let tied = Factor { codes: of_untreated(rows.cohorts), levels: cohorts };
        let to = Factor { codes: of_untreated(rows.periods), levels: periods };
        let (count, [of_cohorts, of_periods]) = components(&tied, &to);
        let mut sizes = vec![0_usize; count];
        for (place, (cohort, _, cell)) in each().enumerate() {
            if cell == u32::MAX {
                let rows = rows.stand_for.map_or(1, |stand_for| stand_for[place]);
                sizes[of_cohorts[cohort] as usize] += rows;
            }
        }
        let most = sizes.iter().copied().max().unwrap_or(0);
        let main = sizes.iter().position(|size| *size == most);
        let is_main = |component: &u32| main == Some(*component as usize);
        let mut known = Self {
            cohorts: of_cohorts.iter().map(is_main).collect(),
            periods: of_periods.iter().map(is_main).collect(),
            cells: vec![false; cells],
        };
        while each().filter(|row| known.learns(*row)).count() > 0 {}
        known
    }

    /// Whether a row makes something known that was not.
    fn learns(&mut self, (cohort, period, cell): (usize, usize, u32)) -> bool {
        let Self { cohorts, periods, cells } = self;
        let (one, other) = match cell {
            u32::MAX => (&mut cohorts[cohort], &mut periods[period]),
            cell if periods[period] => (&mut cohorts[cohort], &mut cells[cell as usize]),
            _ => return false,
        };
        let learns = *one != *other;
        (*one, *other) = (*one || *other, *one || *other);
        learns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u32 = u32::MAX;

    /// Of triples of cohort, period and cell.
    fn known(rows: &[[u32; 3]], counts: [usize; 3]) -> Identified {
        let column = |j: usize| rows.iter().map(|row| row[j]).collect::<Vec<u32>>();
        let [cohorts, periods, cells] = [0, 1, 2].map(column);
        Identified::new(&CellRows {
            cohorts: &cohorts,
            periods: &periods,
            cells: &cells,
            stand_for: None,
            counts,
        })
    }

    fn is_all(known: &Identified) -> bool {
        [&known.cohorts, &known.periods, &known.cells].into_iter().flatten().all(|known| *known)
    }

    #[test]
    fn cohorts_without_untreated_rows_are_not_known() {
        // Cohort 0 is never treated, 1 and 2 from period 1 on; 2 has no row in period 0.
        let rows = [[0, 0, NONE], [0, 1, NONE], [1, 0, NONE], [1, 1, 0], [2, 1, 1]];
        let found = known(&rows, [3, 2, 2]);
        assert_eq!(found.cohorts, [true, true, false]);
        assert_eq!(
            (found.periods.as_slice(), found.cells.as_slice()),
            (&[true; 2][..], &[true, false][..])
        );
        assert!(!is_all(&found) && is_all(&known(&rows[..4], [2, 2, 1])));
    }

    #[test]
    fn periods_without_untreated_rows_are_not_known() {
        let rows = [[0, 0, NONE], [1, 0, NONE], [1, 1, 0]];
        let found = known(&rows, [2, 2, 1]);
        assert_eq!((found.periods, found.cells), (vec![true, false], vec![false]));
    }

    #[test]
    fn a_unit_without_untreated_rows_is_known_by_the_cell_of_others() {
        // Unit 2 is treated in both periods; its cells are those of unit 1, which has been untreated in period 0.
        let rows = [
            [0, 0, NONE],
            [0, 1, NONE],
            [0, 2, NONE],
            [1, 0, NONE],
            [1, 1, 0],
            [2, 1, 0],
            [2, 2, 1],
        ];
        assert!(is_all(&known(&rows, [3, 3, 2])));
        // Without unit 1 nothing is known of unit 2.
        let alone = [[0, 0, NONE], [0, 1, NONE], [0, 2, NONE], [2, 1, 0], [2, 2, 1]];
        assert_eq!(known(&alone, [3, 3, 2]).cells, [false, false]);
    }
}
