//! What holds of the tools whatever the panel.

use burn_did::data::Simulation;
use burn_did::panel::{
    self, BalanceRule, FillGaps, FirstTreated, Keep, PanelKeys, PanelTool, ToLong, ToWide,
};
use burn_did::{AttGt, backend::Cpu, data};
use polars::prelude::*;

use super::{keys, panel};

/// A panel with gaps, and its rows in another order.
fn with_gaps(seed: u64) -> (DataFrame, DataFrame) {
    let full = Simulation::builder().units(200).seed(seed).build().frame();
    let rows = full.height();
    let step = |row: usize| (row * 7_919 + seed as usize) % rows;
    let kept: Vec<IdxSize> =
        (0..rows).filter(|row| step(*row) % 9 > 0).map(|row| row as IdxSize).collect();
    let mut mixed = kept.clone();
    mixed.sort_by_key(|row| step(*row as usize));
    let take = |rows| full.take(&IdxCa::from_vec("".into(), rows)).unwrap();
    (take(kept), take(mixed))
}

fn simulated() -> PanelKeys {
    PanelKeys::builder().unit("id").time("period").build()
}

fn tools(keys: &PanelKeys) -> Vec<PanelTool> {
    let carry = FillGaps::builder().carry_constant(true).all_periods(true).build();
    vec![
        panel::balance(keys, BalanceRule::Units),
        panel::balance(keys, BalanceRule::Periods),
        panel::balance(keys, BalanceRule::Largest),
        panel::balance(keys, BalanceRule::Fill),
        panel::fill_gaps(keys, FillGaps::default()),
        panel::fill_gaps(keys, carry),
        panel::deduplicate(keys, Keep::Equal),
        panel::lag(keys, ["y"], 2),
        panel::difference(keys, ["y"], 1),
        panel::to_wide(keys, ToWide::default()),
    ]
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for seed in 1..4 {
        let (ordered, mixed) = with_gaps(seed);
        for tool in tools(&simulated()) {
            let [a, b] = [&ordered, &mixed].map(|df| tool.apply(df));
            match (a, b) {
                (Ok(a), Ok(b)) => assert!(a.0.equals_missing(&b.0) && a.1 == b.1, "{}", a.1),
                // No period that all have.
                (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
                (a, b) => panic!("{:?} {:?}", a.err(), b.err()),
            }
        }
    }
}

#[test]
fn balancing_twice_is_balancing_once() {
    let (df, _) = with_gaps(5);
    for rule in [BalanceRule::Units, BalanceRule::Largest, BalanceRule::Fill] {
        let tool = panel::balance(&simulated(), rule);
        let (once, _) = tool.apply(&df).unwrap();
        let (twice, change) = tool.apply(&once).unwrap();
        assert!(once.equals_missing(&twice) && change.rows_in == change.rows_out, "{rule}");
    }
    let largest = panel::balance(&simulated(), BalanceRule::Largest).apply(&df).unwrap().0.height();
    let units = panel::balance(&simulated(), BalanceRule::Units).apply(&df).unwrap().0.height();
    assert!(largest >= units);
}

#[test]
fn wide_and_back_is_the_same_panel() {
    let df = data::mpdta();
    let keys = PanelKeys::builder().unit("countyreal").time("year").build();
    let (wide, _) = panel::to_wide(&keys, ToWide::default()).apply(&df).unwrap();
    let back = ToLong::builder().columns(["lemp"]).time("year").build();
    let (long, _) = panel::to_long(back).apply(&wide).unwrap();
    let (ordered, _) = panel::deduplicate(&keys, Keep::Equal).apply(&df).unwrap();
    let long = long.select(ordered.get_column_names_owned()).unwrap();
    assert!(long.equals_missing(&ordered));
    let (gaps, _) = with_gaps(2);
    let (wide, _) = panel::to_wide(&simulated(), ToWide::default()).apply(&gaps).unwrap();
    let long = ToLong::builder().columns(["y"]).time("period").build();
    let (long, _) = panel::to_long(long).apply(&wide).unwrap();
    let columns = gaps.get_column_names_owned();
    assert!(long.select(columns).unwrap().equals_missing(&gaps));
}

#[test]
fn the_first_treated_period_is_that_of_the_groups() {
    let mut df = data::mpdta();
    let (year, group) = (df.column("year").unwrap(), df.column("first.treat").unwrap());
    let year = year.cast(&DataType::Float64).unwrap();
    let group = group.cast(&DataType::Float64).unwrap();
    let treated = year.f64().unwrap().iter().zip(group.f64().unwrap().iter());
    let treated: Vec<bool> = treated.map(|(t, g)| g.unwrap() > 0.0 && t >= g).collect();
    df.with_column(Column::new("d".into(), treated)).unwrap();
    let keys = PanelKeys::builder().unit("countyreal").time("year").build();
    let zero = FirstTreated::builder().never_as_zero(true).build();
    let (df, _) = panel::first_treated(&keys, "d", zero).apply(&df).unwrap();
    let fit = |group: &str| {
        let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        config.group(group).build().fit(&df).unwrap()
    };
    let (a, b) = (fit("first.treat"), fit("first_treated"));
    let att = |fit: &burn_did::GroupTimeResult| {
        fit.cells.iter().map(|c| c.estimate.estimate.map(f64::to_bits)).collect::<Vec<_>>()
    };
    assert_eq!(att(&a), att(&b));
}

#[test]
fn a_lead_of_a_lag_is_the_value_where_there_is_a_row_before() {
    let (df, _) = panel::lag(&keys(), ["y"], 1).apply(panel()).unwrap();
    let (df, _) = panel::lag(&keys(), ["y_lag1"], -1).apply(&df).unwrap();
    let pairs = super::numbers(&df, "y").into_iter().zip(super::numbers(&df, "y_lag1_lead1"));
    assert!(pairs.into_iter().all(|(value, back)| back.is_none() || back == value));
}
