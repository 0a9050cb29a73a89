//! Effects of cohorts in periods, whose regressors units share, beside the same regression on written-out indicators.

use burn_did::audit::Influence;
use burn_did::backend::Cpu;
use burn_did::regression::{Ssc, Vcov};
use burn_did::{FixedEffects, RegressionResult, SunAbraham};
use polars::prelude::DataFrame;

use super::properties::near;
use crate::support::frames::{filter, floats, rows, with};
use crate::support::splitmix;

/// Cohorts 3, 4 and 6 and the never-treated, in six periods.
fn panel() -> DataFrame {
    splitmix::panel(7, 300, [3, 4, 6, 0])
}

/// Event times of the cohorts with an effect, in the order of the coefficients.
fn cells() -> Vec<(i64, i64)> {
    let cohorts = [3, 4, 6];
    let of_time = |at: i64| cohorts.into_iter().map(move |cohort| (at, cohort));
    let in_sample = |(at, cohort): &(i64, i64)| (1..=6).contains(&(cohort + at)) && *at != -1;
    (-5..=3).flat_map(of_time).filter(in_sample).collect()
}

/// With a column for each cell.
fn written_out(data: &DataFrame, absorb: &str, weights: Option<&str>) -> FixedEffectsOn {
    let (time, group) = (floats(data, "t"), floats(data, "g"));
    let mut data = data.clone();
    let mut names = Vec::new();
    for (number, (at, cohort)) in cells().into_iter().enumerate() {
        let is_in = |(t, g): (&f64, &f64)| i64::from(*g == cohort as f64 && *t - *g == at as f64);
        let name = format!("cell{number}");
        data = with(&data, &name, time.iter().zip(&group).map(is_in).collect::<Vec<i64>>());
        names.push(name);
    }
    FixedEffectsOn {
        formula: format!("y ~ {} | {absorb}", names.join(" + ")),
        weights: weights.map(str::to_owned),
        data,
    }
}

struct FixedEffectsOn {
    formula: String,
    weights: Option<String>,
    data: DataFrame,
}

impl FixedEffectsOn {
    fn fit(&self, vcov: Vcov, ssc: Ssc, influence: bool) -> RegressionResult {
        FixedEffects::<Cpu>::builder()
            .formula(self.formula.clone())
            .maybe_weights(self.weights.clone())
            .vcov(vcov)
            .ssc(ssc)
            .keep_influence(influence)
            .build()
            .fit(&self.data)
            .unwrap()
    }
}

#[track_caller]
fn assert_same(by_patterns: &RegressionResult, by_rows: &RegressionResult) {
    assert_eq!((by_patterns.n, by_patterns.df_k), (by_rows.n, by_rows.df_k));
    assert_eq!(by_patterns.coefficients.len(), by_rows.coefficients.len());
    assert_eq!(by_patterns.dropped.len(), by_rows.dropped.len());
    for (a, b) in by_patterns.coefficients.iter().zip(&by_rows.coefficients) {
        near(a.estimate, b.estimate, 1e-9);
        near(a.se.unwrap(), b.se.unwrap(), 1e-9);
    }
    let variances: Vec<f64> = (0..by_rows.vcov.len()).map(|j| by_rows.vcov[j][j]).collect();
    for (i, (a, b)) in by_patterns.vcov.iter().zip(&by_rows.vcov).enumerate() {
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            assert!((a - b).abs() <= 1e-9 * (variances[i] * variances[j]).sqrt(), "{a} {b}");
        }
    }
    near(by_patterns.rss, by_rows.rss, 1e-9);
    near(by_patterns.r2_within.unwrap(), by_rows.r2_within.unwrap(), 1e-9);
    let (a, b) = (by_patterns.influence.as_ref(), by_rows.influence.as_ref());
    assert_eq!(a.map(|i| &i.units), b.map(|i| &i.units));
    let columns = |of: Option<&Influence>| of.map_or_else(Vec::new, |of| of.columns.clone());
    for (a, b) in columns(a).iter().zip(&columns(b)) {
        let size = b.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * size));
    }
}

/// Balanced panels, panels with gaps in some units, and shuffled ones; without weights, with weights of units, and with weights that
/// differ within units, which no other unit shares.
#[test]
fn regressions_by_patterns_are_those_on_indicators() {
    let whole = panel();
    let gaps = filter(
        &with(
            &whole,
            "left",
            floats(&whole, "id")
                .iter()
                .zip(floats(&whole, "t"))
                .map(|(id, t)| {
                    i64::from(*id % 9.0 == 2.0 && t == 4.0 || *id % 7.0 == 3.0 && t < 3.0)
                })
                .collect::<Vec<i64>>(),
        ),
        "left",
        |left| left == 0.0,
    );
    let order: Vec<usize> = (0..whole.height()).map(|row| row * 7919 % whole.height()).collect();
    let shuffled = rows(&whole, &order);
    let vcovs = [
        Vcov::Iid,
        Vcov::Hetero,
        Vcov::Hc3,
        Vcov::cluster(["id"]),
        Vcov::cluster(["cl"]),
        Vcov::cluster(["id", "t"]),
    ];
    for data in [&whole, &gaps, &shuffled] {
        for weights in [None, Some("w"), Some("wt")] {
            let by_rows = written_out(data, "id + t", weights);
            for vcov in &vcovs {
                let influence = matches!(vcov, Vcov::Cluster(factors) if factors.len() == 1);
                let by_patterns = SunAbraham::<Cpu>::builder()
                    .outcome("y")
                    .unit("id")
                    .time("t")
                    .group("g")
                    .maybe_weights(weights)
                    .vcov(vcov.clone())
                    .keep_influence(influence)
                    .build()
                    .fit(data)
                    .unwrap()
                    .regression;
                assert_same(&by_patterns, &by_rows.fit(vcov.clone(), Ssc::default(), influence));
            }
        }
    }
}

/// A further fixed effect that units keep leaves them patterns of their own within its levels.
#[test]
fn patterns_know_of_further_fixed_effects() {
    let data = panel();
    let third: Vec<i64> = floats(&data, "id")
        .iter()
        .zip(floats(&data, "t"))
        .map(|(id, t)| (*id as i64 % 3) * 10 + i64::from(t > 3.0))
        .collect();
    let data = with(&data, "third", third);
    let by_patterns = SunAbraham::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("t")
        .group("g")
        .absorb(["third"])
        .build()
        .fit(&data)
        .unwrap()
        .regression;
    let by_rows = written_out(&data, "id + t + third", None);
    assert_same(&by_patterns, &by_rows.fit(Vcov::cluster(["id"]), Ssc::default(), false));
}
