//! From a raw table to group-time effects: duplicates, gaps, the first treated period of a treatment of zeros and ones, and balance, each with
//! its report; then lags and a wide table.

use burn_did::panel::{self, BalanceRule, FirstTreated, Keep, PanelKeys, PanelTool, ToWide};
use burn_did::{Aggregation, AttGt, Result, backend::Cpu, data::Simulation};
use polars::prelude::{Column, DataFrame};

/// Simulated rows with a treatment of zeros and ones in place of first treated periods, some of them twice.
fn raw() -> Result<DataFrame> {
    let simulation = Simulation::builder().units(500).attrition(0.05).seed(7).build();
    let rows = simulation.frame();
    let (period, group) = (rows.column("period")?.i64()?, rows.column("group")?.i64()?);
    let pairs = period.into_no_null_iter().zip(group.into_no_null_iter());
    let treated: Vec<i32> = pairs.map(|(t, g)| i32::from(g > 0 && t >= g)).collect();
    let mut rows = rows.drop("group")?;
    rows.with_column(Column::new("treated".into(), treated))?;
    rows.vstack_mut(&rows.slice(100, 20))?;
    Ok(rows)
}

/// Applies a tool and shows what it did.
fn apply(tool: &PanelTool, rows: &DataFrame) -> Result<DataFrame> {
    let (rows, change) = tool.apply(rows)?;
    println!("{change}");
    Ok(rows)
}

fn main() -> Result<()> {
    let keys = PanelKeys::builder().unit("id").time("period").build();
    let rows = apply(&panel::deduplicate(&keys, Keep::Equal), &raw()?)?;
    // Units may have been treated in rows that are absent: those whose first treated period is not known are left out.
    let known = FirstTreated::builder().missing_as_unknown(true).build();
    let rows = apply(&panel::first_treated(&keys, "treated", known), &rows)?;
    let by_cohort = PanelKeys::builder().unit("id").time("period").group("first_treated").build();
    let balanced = apply(&panel::balance(&by_cohort, BalanceRule::Largest), &rows)?;

    let fit = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("first_treated");
    println!("{}", fit.build().fit(&balanced)?.aggregate(Aggregation::dynamic())?);

    let lagged = apply(&panel::lag(&keys, ["y", "treated"], 1), &balanced)?;
    apply(&panel::to_wide(&keys, ToWide::builder().columns(["y"]).build()), &lagged)?;
    Ok(())
}
