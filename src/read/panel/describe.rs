//! The description of a sample, before its columns are conditioned.

use super::blueprint::Blueprint;
use super::counts::Counts;
use super::request::Request;
use super::rules::{Rules, smallest_cohort};
use super::sample::{DesignInfo, Sample, WeightLayout};
use super::strata::Layout;
use super::stratum::StratumShape;
use crate::base::calendar::Calendar;
use crate::base::error::DidWarning;
use crate::read::formula::Design;
use crate::read::panel::sample::Weight;

/// Everything about the sample that needs no sums over its columns.
pub(super) fn describe(
    blueprint: &Blueprint,
    request: &Request<'_>,
    counts: Counts,
    design: &Design,
) -> Sample {
    let Blueprint { rules, levels, shape } = blueprint;
    let Rules { layout, periods, two_periods, cohorts, groups, strata, .. } = rules.clone();
    let rows = counts.of_strata(&strata);
    let n = rows.iter().sum();
    let n_clusters = request.roles.cluster.as_ref().map(|_| levels.clusters.len());
    let mut audit = rules.audit.clone();
    audit.rows = counts.rows.iter().flatten().sum();
    audit.units = n;
    let never = (0..cohorts.len()).filter(|c| cohorts[*c].group.is_infinite());
    audit.never_treated = never.flat_map(|c| strata.of_cohorts(&(c..c + 1))).map(|s| rows[s]).sum();
    audit.periods.clone_from(&periods);
    let design = unconditioned(design, shape);
    audit.covariates = design.names[usize::from(!design.intercept)..].to_vec();
    let unweighted = shape.weights == WeightLayout::Constant;
    Sample {
        layout,
        periods,
        calendar: Calendar { grid: rules.grid, frequency: request.roles.frequency },
        two_periods,
        warnings: warnings(blueprint, request, &counts, n_clusters.unwrap_or(n)),
        cohorts,
        groups,
        strata,
        pairs: None,
        counts: counts.rows,
        n,
        design,
        weights: match (shape.presence, unweighted) {
            (true, false) => WeightLayout::Varying,
            _ => shape.weights,
        },
        weight_columns: shape.weight_columns(),
        presence: shape.presence.then(|| shape.sampling_columns()),
        omega: match (unweighted, shape.presence) {
            (true, _) => Weight::Ones,
            (false, true) => Weight::Column(2 * shape.periods),
            (false, false) => Weight::Column(0),
        },
        shares: Vec::new(),
        doses: None,
        offsets: Vec::new(),
        n_clusters,
        cluster_labels: n_clusters.map(|_| levels.clusters.labels().to_vec()),
        labels: None,
        y_scale: 1.0,
        y_size: 1.0,
        audit,
    }
}

/// Warnings of the rules, and those about what the sample came to be.
fn warnings(
    blueprint: &Blueprint,
    request: &Request<'_>,
    counts: &Counts,
    clusters: usize,
) -> Vec<DidWarning> {
    let Blueprint { rules, shape, .. } = blueprint;
    let mut warnings = rules.warnings.clone();
    let by_row = rules.layout == Layout::RepeatedCrossSections;
    let is_chosen = request.fix_weights.is_some();
    if shape.weights == WeightLayout::Varying && !by_row && !is_chosen {
        warnings.push(DidWarning::TimeVaryingWeights);
    }
    if request.options.design.anticipation() > 0 {
        warnings.push(DidWarning::Anticipation);
    }
    let required = smallest_cohort(request.roles.covariates.variables().len()) as f64;
    let sizes = counts.cohort_sizes();
    let shown = |group: f64| if group.is_finite() { group } else { 0.0 };
    let small = |is_small: &dyn Fn(f64) -> bool| {
        let cohorts = rules.cohorts.iter().zip(&sizes).filter(|(_, size)| is_small(**size));
        let mut groups: Vec<f64> = cohorts.map(|(cohort, _)| shown(cohort.group)).collect();
        groups.dedup();
        groups
    };
    let groups = small(&|size| size < required);
    if !groups.is_empty() {
        let single = small(&|size| size > 0.0 && size <= 1.0);
        warnings.push(DidWarning::SmallGroups { groups, single });
    }
    if request.cells.has_errors() {
        warnings.extend(DidWarning::few_clusters(clusters));
    }
    warnings
}

/// The design before any conditioning.
fn unconditioned(design: &Design, shape: &StratumShape) -> DesignInfo {
    let covariates = design.names()[design.covariates()].iter().cloned();
    let names: Vec<String> = std::iter::once("(Intercept)".to_owned()).chain(covariates).collect();
    let k = names.len();
    let transform = (0..k * k).map(|e| f64::from(u8::from(e / k == e % k))).collect();
    let intercept = design.covariates().start > 0;
    DesignInfo { names, intercept, versions: shape.versions, transform }
}
