//! What does a two-way regression average? Comparisons of cohorts, weights on effects, and the picture in `bacon.svg`.

use burn_did::{
    Bacon, Result, TwfeWeights, data,
    twfe::{TwfeCells, TwfeRegression},
};

fn main() -> Result<()> {
    let data = data::mpdta();
    let config = Bacon::builder().outcome("lemp").unit("countyreal").time("year");
    let decomposition = config.group("first.treat").build().fit(&data)?;
    println!("{decomposition}");
    for sum in &decomposition.sums {
        println!("{}: {:.3} of the weight, {:.4} on average", sum.kind, sum.weight, sum.estimate);
    }
    decomposition.plot("bacon.svg")?;

    let config = TwfeWeights::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").build();
    println!("{}", config.fit(&data)?);
    config.cells = TwfeCells::Unit;
    config.regression = TwfeRegression::FdTr;
    let changes = config.fit(&data)?;
    println!(
        "Regression of changes: {:.4}, {} negative weights",
        changes.coefficient, changes.n_negative
    );
    Ok(())
}
