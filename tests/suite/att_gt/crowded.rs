//! Pre-tests of more estimates than there is data for.

use burn_did::backend::Cpu;
use burn_did::{AttGt, DidWarning, GroupTimeResult, TooFew};
use polars::prelude::DataFrame;

use crate::support::frames::{filter, floats, with};
use crate::support::panels::staggered;

fn fit(df: &DataFrame, cluster: Option<&str>) -> GroupTimeResult {
    let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    config.maybe_cluster(cluster.map(str::to_owned)).build().fit(df).unwrap()
}

fn found(fit: &GroupTimeResult) -> Option<(TooFew, usize)> {
    fit.warnings.iter().find_map(|warning| match warning {
        DidWarning::CrowdedPretest { few, units, .. } => Some((*few, *units)),
        _ => None,
    })
}

#[test]
fn treated_units_comparison_units_and_clusters_may_be_too_few() {
    let df = staggered(800);
    assert_eq!(found(&fit(&df, None)), None);
    let [ids, groups] = ["id", "g"].map(|name| floats(&df, name));
    // Units of a group beyond the twelfth are left out.
    let few = |group: f64| {
        let mut own: Vec<f64> =
            ids.iter().zip(&groups).filter(|(_, g)| **g == group).map(|(id, _)| *id).collect();
        own.dedup();
        let beyond = own[12..].to_vec();
        filter(&df, "id", |id| !beyond.contains(&id))
    };
    assert_eq!(found(&fit(&few(6.0), None)), Some((TooFew::Treated, 12)));
    let compared = fit(&few(0.0), None);
    assert_eq!(found(&compared), Some((TooFew::Comparison, 12)));
    assert!(compared.to_string().contains("which is compared with 12 units"), "{compared}");
    let states = ids.iter().map(|id| id % 40.0).collect();
    let clustered = fit(&with(&df, "state", states), Some("state"));
    assert_eq!(found(&clustered), Some((TooFew::Clusters, 40)));
    assert!(clustered.to_string().contains("estimates and 40 clusters"), "{clustered}");
}
