//! A user-supplied two-by-two estimator in place of the built-in ones: the difference of mean changes.

use burn_did::{
    Aggregation, AttGt,
    backend::Cpu,
    data,
    group_time::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate},
    options::EstimationMethod,
};

struct DifferenceInMeans;

impl TwoByTwo for DifferenceInMeans {
    fn panel(&self, cell: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
        let n = cell.d.len();
        let change = |i: usize| cell.y1[i] - cell.y0[i];
        // Weight of unit i in the mean of its arm, 1 for the treated and 0 for the comparison.
        let weight = |i: usize, arm: f64| if cell.d[i] == arm { cell.w[i] } else { 0.0 };
        let total = |arm: f64| (0..n).map(|i| weight(i, arm)).sum::<f64>();
        let mean = |arm: f64| (0..n).map(|i| weight(i, arm) * change(i)).sum::<f64>() / total(arm);
        let ([n0, n1], [m0, m1]) = ([total(0.0), total(1.0)], [mean(0.0), mean(1.0)]);
        if n0 == 0.0 || n1 == 0.0 {
            return Err("an arm is empty".into());
        }
        let psi = |i: usize| {
            let treated = weight(i, 1.0) * (change(i) - m1) / n1;
            let control = weight(i, 0.0) * (change(i) - m0) / n0;
            n as f64 * (treated - control)
        };
        Ok(TwoByTwoEstimate::new(m1 - m0, (0..n).map(psi).collect()))
    }

    fn repeated(&self, _: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
        Err("this estimator needs a balanced panel".into())
    }
}

fn main() -> burn_did::Result<()> {
    let spec = AttGt::<Cpu>::builder()
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .method(EstimationMethod::OutcomeRegression)
        .build();
    let own = spec.fit_with(data::mpdta(), &DifferenceInMeans)?;
    println!("{own}");
    println!("{}", own.aggregate(Aggregation::dynamic())?);

    // Without covariates, outcome regression is the same estimator.
    let built_in = spec.fit(data::mpdta())?;
    for (a, b) in own.cells.iter().zip(&built_in.cells) {
        let gap = |a: Option<f64>, b: Option<f64>| (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs();
        assert!(gap(a.estimate.estimate, b.estimate.estimate) < 1e-12);
        assert!(gap(a.estimate.se, b.estimate.se) < 1e-12);
    }
    Ok(())
}
