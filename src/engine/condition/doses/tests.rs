use super::*;
use crate::engine::condition::look::Piece;
use crate::read::panel::StratumData;

#[cfg(feature = "cluster")]
impl Expansion {
    /// Of strata that are not treated, have one dose, and have many.
    pub(crate) fn example() -> Self {
        let splines = Splines::new(2, &[f64::MIN_POSITIVE / 3.0, 0.1 + 0.2, f64::MAX]);
        Self::new(vec![None, Some(0), Some(9)], Some((vec![None, None, splines], 4)))
    }
}

fn stratum(doses: &[f64]) -> StratumData {
    let rows = doses.len();
    StratumData { rows, x: doses.to_vec(), rank: vec![0; rows], ..StratumData::default() }
}

/// Quantiles of the doses of strata.
fn found(strata: &[&[f64]], probabilities: &[f64]) -> Vec<f64> {
    let total = strata.iter().map(|doses| doses.len() as u64).sum();
    let count = |question| {
        let look = DoseLook { versions: vec![Some(0); strata.len()], question };
        let answer = |(stratum, doses): (usize, &&[f64])| {
            let data = &self::stratum(doses);
            let mut stat = look.none();
            let piece = Piece { stratum, first: 0, data, start: 0, rows: data.rows };
            look.add(&piece, &mut stat).map(|()| stat)
        };
        strata.iter().enumerate().map(answer).collect()
    };
    quantiles(probabilities, total, count).unwrap()
}

#[test]
fn counting_finds_the_quantiles_that_sorting_finds() {
    let doses: Vec<f64> =
        (0..101).map(|i| 0.15 + 0.8 * (0.77 * f64::from(i) + 0.4).sin().abs()).collect();
    let mut sorted = doses.clone();
    sorted.sort_by(f64::total_cmp);
    let got = found(&[&doses[..40], &doses[40..]], &[0.0, 0.25, 0.333, 1.0]);
    let at = 0.333 * 100.0;
    let between = sorted[33] + (at - 33.0) * (sorted[34] - sorted[33]);
    assert_eq!(got, [sorted[0], sorted[25], between, sorted[100]]);
}

#[test]
fn equal_doses_count_as_often_as_they_are_there() {
    let got = found(&[&[1.0, 1.0, 1.0], &[2.0, 1e-300, 5.0]], &[0.0, 0.2, 0.6, 0.8, 1.0]);
    assert_eq!(got, [1e-300, 1.0, 1.0, 2.0, 5.0]);
}

#[test]
fn columns_are_splines_and_their_derivatives_from_the_second_on() {
    let splines = Splines::new(2, &[1.0, 2.0, 4.0]).unwrap();
    let expansion = Expansion::new(
        vec![None, Some(1), Some(1)],
        Some((vec![None, Some(splines.clone()), None], 5)),
    );
    assert_eq!(expansion.columns(), 8);
    #[cfg(feature = "cluster")]
    assert!(expansion.is_of(3) && !expansion.is_of(2));
    let doses = [9.0, 9.0, 9.0, 1.0, 2.5, 4.0];
    let columns = expansion.columns_of(1, 3, &doses).unwrap();
    for (row, dose) in doses[3..].iter().enumerate() {
        for order in 0..2 {
            let expected = splines.row(*dose, order);
            // One function less than others may have.
            for j in 1..5 {
                let expected = expected.get(j).copied().unwrap_or(0.0);
                assert_eq!(columns[(order * 4 + j - 1) * 3 + row], expected);
            }
        }
    }
    let untreated = expansion.columns_of(0, 3, &doses).unwrap();
    assert!(untreated.len() == 24 && untreated.iter().all(|v| *v == 0.0));
    let plain = Expansion::new(vec![Some(1)], None);
    assert_eq!(plain.columns_of(0, 3, &doses).unwrap(), doses[3..]);
}

#[test]
fn doses_that_are_not_there_are_an_error_and_not_zero() {
    let splines = Splines::new(1, &[1.0, 2.0]).unwrap();
    let with = |splines| Expansion::new(vec![Some(1), Some(0)], splines);
    let doses = [1.0, 2.0];
    for (expansion, stratum) in [
        (with(None), 0),
        (with(None), 2),
        (with(Some((vec![None], 2))), 1),
        (with(Some((vec![Some(splines)], 2))), 0),
    ] {
        let error = expansion.columns_of(stratum, 2, &doses).expect_err("another sample");
        assert!(error.to_string().contains("another sample"), "{error}");
    }
}

#[test]
fn knots_outside_a_cohorts_range_are_dropped_there() {
    let mut doses = Doses {
        splines: Vec::new(),
        distinct: Vec::new(),
        knots: vec![1.0, 2.0, 2.0, 3.0],
        dropped: Vec::new(),
        range: (0.0, 4.0),
        percentiles: Vec::new(),
        quantiles: Vec::new(),
        functions: 8,
    };
    let range = |lowest, highest| DoseStat::Range { lowest, highest, distinct: vec![lowest] };
    for stat in [
        range(0.0, 4.0),
        range(1.0, 2.5),
        range(3.0, 3.0),
        DoseLook { versions: vec![], question: DoseQuestion::Range { distinct: 2 } }.none(),
    ] {
        doses.add_stratum(&stat, 3);
    }
    assert_eq!(doses.dropped, [1, 3, 4, 0]);
    let lengths: Vec<Option<usize>> =
        doses.splines.iter().map(|s| s.as_ref().map(Splines::len)).collect();
    assert_eq!(lengths, [Some(7), Some(5), None, None]);
}
