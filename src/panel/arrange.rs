//! The rows of the sample as strata: units in canonical order, periods contiguous.

use rayon::prelude::*;

use super::canonical::sort_by_content;
use super::columns::Roles;
use super::counts::{Counts, Pairs};
use super::fill::Shape;
use super::findings::Findings;
use super::formula::Evaluated;
use super::intake::{Intake, Request, Visit};
use super::rules::{Rules, SampleOptions};
use super::sample::{Cohort, Layout, Panel, Sample, Strata, WeightLayout};
use super::sizes::{FEW_CLUSTERS, check_design};
use super::store::Store;
use crate::calendar::Calendar;
use crate::error::{DidError, DidWarning, Result};
use crate::options::ControlGroup;
use crate::pass::Weight;

/// Units below which a subgroup of a triple difference is too small, as in R `triplediff`.
const SMALLEST_SUBGROUP: usize = 5;

/// Arranges the rows that `frames` shows as often as it is asked to.
pub(super) fn arrange(
    rules: &Rules,
    intake: &Intake,
    covariates: &Evaluated,
    request: &Request<'_>,
    frames: &dyn Fn(&mut Visit<'_>) -> Result<()>,
) -> Result<Panel> {
    let layout = match (request.options.repeated_cross_sections, rules.balanced) {
        (true, _) => Layout::RepeatedCrossSections,
        (false, true) => Layout::Balanced,
        (false, false) => Layout::Unbalanced,
    };
    let counts = Counts::new(&intake.units, rules);
    check_sizes(rules, request.roles, &request.options, &counts)?;
    let findings = Findings::new(request, layout, covariates, frames)?;
    if let Some(column) = request.roles.weights.as_ref().filter(|_| findings.weightless()) {
        let rows: usize = counts.rows.iter().flatten().sum();
        let positive = intake.weighted;
        let problem = format!(
            "all {rows} rows of the sample have weight zero; the {positive} rows with a positive weight are not in it (missing values, units already treated or not in every period); see what was dropped, or leave the weights out"
        );
        return Err(DidError::Weights { column: column.clone(), problem });
    }
    check_clusters(findings.clusters(), request)?;
    let shape = findings.shape(rules.periods.len(), layout, request);
    let rows = counts.strata(layout);
    check_design(shape, rows.len())?;
    let mut store = Store::new(shape, &rows, request.storage)?;
    let labels = findings.fill(shape, request, frames, &mut store, rows.iter().sum())?;
    let mut strata = store.finish()?;
    if let (Layout::RepeatedCrossSections, None, Strata::Resident(strata)) =
        (layout, &request.roles.unit, &mut strata)
    {
        strata.par_iter_mut().for_each(sort_by_content);
    }
    let mut sample = describe(rules, request, layout, counts, &findings, shape);
    sample.labels = labels;
    if layout == Layout::Unbalanced && (request.fix_weights.is_some() || request.options.pairs) {
        sample.pairs = Some(Pairs::new(&intake.units, rules));
    }
    Ok(Panel { sample, strata })
}

/// The never-treated group must be large enough for the covariates if it is the only comparison.
fn check_sizes(
    rules: &Rules,
    roles: &Roles,
    options: &SampleOptions,
    counts: &Counts,
) -> Result<()> {
    let required = smallest_cohort(roles);
    if rules.two_periods {
        return check_two_groups(rules, roles, counts);
    }
    let never = (0..rules.cohorts.len()).filter(|c| rules.cohorts[*c].group.is_infinite());
    let size: f64 = never.map(|c| counts.cohort_size(c)).sum();
    if size < required as f64 && options.control_group == ControlGroup::NeverTreated {
        return Err(DidError::SmallNeverTreated { size: size as usize, required });
    }
    Ok(())
}

/// One cluster has no variance: all that its sum differs from zero by is rounding.
fn check_clusters(clusters: Option<usize>, request: &Request<'_>) -> Result<()> {
    match (clusters, &request.roles.cluster) {
        (Some(clusters @ ..2), Some(column)) if request.cells.has_errors() => {
            Err(DidError::TooFewClusters { column: column.clone(), clusters })
        }
        _ => Ok(()),
    }
}

/// Both groups of a two-period comparison must be large enough for the covariates, and their eligible and ineligible units
/// for a standard error, as in R `DRDID` and `triplediff`.
fn check_two_groups(rules: &Rules, roles: &Roles, counts: &Counts) -> Result<()> {
    let size = |keep: &dyn Fn(&Cohort) -> bool| {
        let kept = (0..rules.cohorts.len()).filter(|c| keep(&rules.cohorts[*c]));
        kept.map(|c| counts.cohort_size(c)).sum::<f64>()
    };
    let check = |group: &'static str, size: f64, required: usize| {
        let small = size < required as f64;
        if small {
            Err(DidError::SmallGroup { group, size: size as usize, required })
        } else {
            Ok(())
        }
    };
    let required = smallest_cohort(roles);
    check("treated", size(&|c| c.group.is_finite()), required)?;
    check("comparison", size(&|c| c.group.is_infinite()), required)?;
    if roles.eligible.is_none() {
        return Ok(());
    }
    for (group, treated, eligible) in [
        ("treated and eligible", true, true),
        ("treated and ineligible", true, false),
        ("untreated and eligible", false, true),
        ("untreated and ineligible", false, false),
    ] {
        let same = |c: &Cohort| c.group.is_finite() == treated && c.eligible == eligible;
        check(group, size(&same), SMALLEST_SUBGROUP)?;
    }
    Ok(())
}

/// Rows a period below which R `did` calls a cohort small.
fn smallest_cohort(roles: &Roles) -> usize {
    roles.covariates.variables().len() + 5
}

/// Everything about the sample that needs no sums over its columns.
fn describe(
    rules: &Rules,
    request: &Request<'_>,
    layout: Layout,
    counts: Counts,
    findings: &Findings,
    shape: Shape,
) -> Sample {
    let Rules { periods, two_periods, cohorts, groups, mut audit, mut warnings, .. } =
        rules.clone();
    if findings.weights() == WeightLayout::Varying && layout != Layout::RepeatedCrossSections {
        warnings.push(DidWarning::TimeVaryingWeights);
    }
    if rules.two_periods && layout == Layout::Balanced && shape.versions > 1 {
        warnings.push(DidWarning::TimeVaryingCovariates);
    }
    if request.options.anticipation > 0 {
        warnings.push(DidWarning::Anticipation);
    }
    let required = smallest_cohort(request.roles) as f64;
    let small = |c: &usize| counts.cohort_size(*c) < required;
    let shown = |c: usize| if cohorts[c].group.is_finite() { cohorts[c].group } else { 0.0 };
    let mut small: Vec<f64> = (0..cohorts.len()).filter(small).map(shown).collect();
    small.dedup();
    if !small.is_empty() {
        warnings.push(DidWarning::SmallGroups { groups: small });
    }
    let strata = counts.strata(layout);
    let n = strata.iter().sum();
    let never = (0..cohorts.len()).filter(|c| cohorts[*c].group.is_infinite());
    let clusters = findings.clusters().unwrap_or(n);
    if clusters < FEW_CLUSTERS && request.cells.has_errors() {
        warnings.push(DidWarning::FewClusters { clusters });
    }
    audit.rows = counts.rows.iter().flatten().sum();
    audit.units = n;
    audit.never_treated = never
        .map(|c| match layout {
            Layout::RepeatedCrossSections => counts.rows[c].iter().sum(),
            Layout::Balanced | Layout::Unbalanced => counts.units[c],
        })
        .sum();
    audit.periods.clone_from(&periods);
    let design = findings.design(shape);
    audit.covariates = design.names[usize::from(!design.intercept)..].to_vec();
    let unweighted = shape.weights == WeightLayout::Constant;
    let presence = shape.presence.then(|| shape.sampling_columns());
    let omega = match (unweighted, shape.presence) {
        (true, _) => Weight::Ones,
        (false, true) => Weight::Column(2 * shape.periods),
        (false, false) => Weight::Column(0),
    };
    Sample {
        layout,
        periods,
        calendar: Calendar { grid: rules.grid, frequency: request.roles.frequency },
        two_periods,
        cohorts,
        groups,
        pairs: None,
        counts: counts.rows,
        n,
        design,
        weights: match (shape.presence, unweighted) {
            (true, false) => WeightLayout::Varying,
            _ => shape.weights,
        },
        weight_columns: shape.weight_columns(),
        presence,
        omega,
        shares: Vec::new(),
        offsets: Vec::new(),
        n_clusters: findings.clusters(),
        labels: None,
        y_scale: 1.0,
        audit,
        warnings,
    }
}
