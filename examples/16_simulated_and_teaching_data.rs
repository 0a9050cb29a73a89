//! Data whose truth is known: a panel that is written piece by piece, its truth, and estimates beside it; then the field's teaching data.

use burn_did::data::{Simulate, Simulation, Teaching};
use burn_did::{Aggregation, AttGt, Result, backend::Cpu};

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join("burn-did-example-16");
    std::fs::create_dir_all(&folder).ok();
    let simulation = Simulation::builder().units(5_000).heterogeneity(0.5).seed(7).build();
    let file = folder.join("panel.parquet");
    let written = simulation.write(&file, None)?;
    written.save_truth(folder.join("truth.json"))?;
    println!("{written}");

    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let fit = config.covariates("~ x1").build().fit(file.as_path())?;
    for row in fit.aggregate(Aggregation::dynamic())?.rows {
        let truth = simulation.event_study().into_iter().find(|(e, _)| *e as f64 == row.at);
        if let (Some((e, truth)), Some(estimate)) = (truth, row.estimate.estimate) {
            println!("event time {e}: {estimate:.3}, truth {truth:.3}");
        }
    }

    for data in Teaching::ALL {
        println!("\n{}", data.description());
    }
    let castle = AttGt::<Cpu>::builder().outcome("l_homicide").unit("sid").time("year");
    let castle = castle.group("treat_year").weights("popwt").build();
    println!("{}", castle.fit(Teaching::Castle.frame())?.aggregate(Aggregation::simple())?);
    Ok(())
}
