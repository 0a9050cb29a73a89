//! Thousands of cells, whose covariance is formed in parts, beside the same with the covariance whole, as fits form it that keep influence
//! values.

use burn_did::backend::Cpu;
use burn_did::options::{Bootstrap, ControlGroup, Multiplier};
use burn_did::{Aggregated, Aggregation, AttGt, Ddd, GroupTimeResult};
use polars::prelude::{Column, DataFrame};

use crate::support::but;
use crate::support::frames::{floats, with};
use crate::support::splitmix::SplitMix64;

/// Cohorts, one a period from the third on.
const COHORTS: usize = 20;

/// So many that there are more than 2,048 cells.
const PERIODS: usize = 104;

/// Random walks of units that are treated early or never, with a drift that the units of a cohort have in common.
pub fn panel(units: usize, drift: f64) -> DataFrame {
    let mut random = SplitMix64(7);
    let mut columns: [Vec<f64>; 6] = Default::default();
    for unit in 0..units {
        let group = match unit % (COHORTS + 6) {
            late @ 0..COHORTS => (late + 3) as f64,
            _ => 0.0,
        };
        let weight = 0.5 + random.uniform();
        let mut y = 3.0 * random.bell();
        for period in 1..=PERIODS {
            y += random.bell() + drift * (group + 1.0);
            let exposure = (period as f64 - group + 1.0).max(0.0);
            let effect = if group > 0.0 { 0.1 * exposure } else { 0.0 };
            let eligible = (unit / (COHORTS + 6) % 2) as f64;
            let row = [unit as f64, period as f64, group, y + effect, weight, eligible];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
    }
    let named = ["id", "t", "g", "y", "w", "eligible"].into_iter().zip(columns);
    let named = named.map(|(name, values)| Column::new(name.into(), values));
    DataFrame::new(units * PERIODS, named.collect()).expect("columns of one length")
}

pub fn config() -> AttGt<Cpu> {
    AttGt::builder().outcome("y").unit("id").time("t").group("g").build()
}

fn averages(fit: &GroupTimeResult) -> Vec<Aggregated> {
    let all = [
        Aggregation::simple(),
        Aggregation::dynamic(),
        Aggregation::group(),
        Aggregation::calendar(),
        Aggregation::dynamic().min_e(-2.0).max_e(9.0),
    ];
    all.map(|aggregation| fit.aggregate(aggregation).expect("an average")).into()
}

fn assert_near(what: &str, a: Option<f64>, b: Option<f64>) {
    match (a, b) {
        (Some(a), Some(b)) => {
            assert!((a - b).abs() <= 1e-8 * b.abs().max(1e-12), "{what}: {a} {b}");
        }
        (a, b) => assert_eq!(a, b, "{what}"),
    }
}

/// The same cells, averages and draws, but for rounding.
fn assert_same(parts: &GroupTimeResult, whole: &GroupTimeResult) {
    assert!(whole.cells.len() > 2_048, "{}", whole.cells.len());
    for (a, b) in parts.cells.iter().zip(&whole.cells) {
        assert_eq!(a.estimate.estimate, b.estimate.estimate);
        assert_near(&format!("cell {} {}", a.group, a.time), a.estimate.se, b.estimate.se);
    }
    for (a, b) in averages(parts).iter().zip(averages(whole)) {
        assert_near("overall", a.overall.se, b.overall.se);
        for (a, b) in a.rows.iter().zip(&b.rows) {
            assert_near(&format!("average {}", a.at), a.estimate.se, b.estimate.se);
        }
        let pairs = a.vcov.iter().flatten().zip(b.vcov.iter().flatten());
        let size = b.vcov.iter().flatten().fold(0.0f64, |largest, v| largest.max(v.abs()));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() <= 1e-8 * size));
    }
}

fn both(config: &AttGt<Cpu>, frame: &DataFrame) -> [GroupTimeResult; 2] {
    let keeping = but(config.clone(), |config| config.keep_influence = true);
    [config, &keeping].map(|config| config.fit(frame).expect("a fit"))
}

#[test]
fn parts_of_the_sample_give_the_covariance() {
    let frame = panel(260, 0.0);
    for control_group in [ControlGroup::NeverTreated, ControlGroup::NotYetTreated] {
        let config = but(config(), |config| {
            config.control_group = control_group;
            config.weights = Some("w".into());
        });
        let [parts, whole] = both(&config, &frame);
        assert_same(&parts, &whole);
        let difference = [((5.0, 90.0), 1.0), ((9.0, 50.0), -1.0)];
        let [a, b] = [&parts, &whole].map(|fit| fit.contrast(&difference).expect("a contrast"));
        assert_near("contrast", a.se, b.se);
        let [a, b] = [&parts, &whole].map(|fit| fit.vcov().expect("it fits into memory"));
        assert_near("covariance", a[3][700], b[3][700]);
        assert_eq!(parts.wald.map(|wald| wald.df), whole.wald.map(|wald| wald.df));
    }
}

/// Squares of changes in common would hide what varies between units.
#[test]
fn drifts_of_cohorts_take_no_digits() {
    let [parts, whole] = both(&config(), &panel(260, 1e4));
    assert_same(&parts, &whole);
}

/// Effects of other periods are small beside the change from the one in which all units stand far apart.
#[test]
fn a_covariance_that_would_lose_digits_is_formed_whole() {
    let frame = panel(260, 0.0);
    let far = |((unit, period), y): ((f64, f64), f64)| match period {
        1.0 => y + 1e7 * (unit * 1.7).sin(),
        _ => y,
    };
    let rows = floats(&frame, "id").into_iter().zip(floats(&frame, "t"));
    let y: Vec<f64> = rows.zip(floats(&frame, "y")).map(far).collect();
    let [parts, whole] = both(&config(), &with(&frame, "y", y));
    let errors = |fit: &GroupTimeResult| -> Vec<Option<f64>> {
        fit.cells.iter().map(|cell| cell.estimate.se).collect()
    };
    for (a, b) in errors(&parts).into_iter().zip(errors(&whole)) {
        assert_near("cell", a, b);
    }
}

#[test]
fn draws_are_those_of_the_whole() {
    let frame = panel(260, 0.0);
    let mammen = but(config(), |config| config.bootstrap = Some(Bootstrap::draws(40).seed(5)));
    let [parts, whole] = both(&mammen, &frame);
    assert_same(&parts, &whole);
    let gaussian = but(mammen, |config| {
        let draws = Bootstrap::draws(400).multiplier(Multiplier::Gaussian);
        config.bootstrap = Some(draws);
    });
    let [drawn, analytic] = [&gaussian, &config()].map(|config| config.fit(&frame).unwrap());
    let ratios =
        drawn.cells.iter().zip(&analytic.cells).filter_map(|(drawn, analytic)| {
            Some((drawn.estimate.se? / analytic.estimate.se?).ln())
        });
    let ratios: Vec<f64> = ratios.collect();
    assert!(ratios.len() > 2_000);
    assert!((ratios.iter().sum::<f64>() / ratios.len() as f64).abs() < 0.03);
    assert!(ratios.iter().all(|ratio| ratio.abs() < 0.35));
}

#[test]
fn saved_parts_are_read_back() {
    let fit = config().fit(panel(130, 0.0)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("fit.json");
    fit.save(&file).unwrap();
    // A whole covariance takes more than 4 million numbers.
    assert!(file.metadata().unwrap().len() < 20_000_000);
    let read = GroupTimeResult::load(&file).unwrap();
    assert_eq!(averages(&fit), averages(&read));
    assert_eq!(fit.cells, read.cells);
}

#[test]
fn triple_differences_have_parts_too() {
    let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let mut config = config.eligible("eligible").build();
    let frame = panel(520, 0.0);
    let parts = config.fit(&frame).unwrap();
    config.keep_influence = true;
    assert_same(&parts, &config.fit(&frame).unwrap());
}
