//! What does the estimator's weighting do to the comparison? Overlap, balance before and after, scores by unit, and the pictures
//! `love.svg`, `covariates.svg` and `scores.svg`.

use burn_did::report::PlotOptions;
use burn_did::{AttGt, Result, backend::Cpu, data, options::EstimationMethod};

fn main() -> Result<()> {
    let fit = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop + I(lpop^2)")
        .method(EstimationMethod::Ipw)
        .weighting(true)
        .keep_scores(true)
        .build()
        .fit(data::mpdta())?;
    let overlap = fit.overlap_by_cell();
    println!("{overlap}");
    overlap.plot("scores.svg")?;

    if let Some(weighting) = &fit.weighting {
        let treated_in_2004 = weighting.of_cells(Some(2004.0), Some(2004.0))?;
        println!("{treated_in_2004}");
        treated_in_2004.plot("love.svg")?;
        treated_in_2004.plot_distributions("covariates.svg", &PlotOptions::default())?;
    }
    if let Some(scores) = &fit.scores {
        println!("{} scores", scores.len());
        scores.write("scores.parquet")?;
    }
    Ok(())
}
