//! Samples small enough to follow by hand.

use super::sides::{PlannedCell, Side, StratumRows};
use crate::base::calendar::Calendar;
use crate::engine::pass::Weight;
use crate::read::panel::{
    Cohort, DesignInfo, Layout, Sample, SampleAudit, StratumTable, WeightLayout,
};

/// A design of a constant and further columns, in raw coordinates.
pub(super) fn design(columns: &[&str]) -> DesignInfo {
    let names: Vec<String> =
        std::iter::once(&"(Intercept)").chain(columns).map(|name| (*name).to_owned()).collect();
    let k = names.len();
    let transform = (0..k * k).map(|e| f64::from(u8::from(e / k == e % k))).collect();
    DesignInfo { names, intercept: true, versions: 1, transform }
}

/// Rows of a stratum with sampling weights.
pub(super) fn rows(stratum: usize) -> StratumRows {
    StratumRows { stratum, x: 0, w: Weight::Column(0), presence: Weight::Ones }
}

/// A cell of the first cohort in the second period, with so many treated and comparison rows.
pub(super) fn cell(sides: Vec<Side>, n_treated: usize, n_control: usize) -> PlannedCell {
    PlannedCell {
        cohort: 0,
        time: 1,
        base: 0,
        controls: vec![1],
        n_treated,
        n_control,
        status: None,
        incomplete_weights: None,
        sides,
    }
}

/// A sample in which every cohort, given by its first treated period, has ten units in every period.
pub(super) fn sample(layout: Layout, periods: &[f64], first_treated: &[f64]) -> Sample {
    let cohort = |group: &f64| Cohort { group: *group, eligible: true };
    let cohorts: Vec<Cohort> = first_treated.iter().map(cohort).collect();
    let treated = first_treated.iter().filter(|g| g.is_finite()).count();
    sample_of(layout, periods, cohorts, (0..treated).map(|c| c..c + 1).collect())
}

/// A sample of a triple difference: every group has ten eligible and ten ineligible units.
pub(super) fn triple_sample(periods: &[f64], first_treated: &[f64]) -> Sample {
    let both = |group: &f64| [false, true].map(|eligible| Cohort { group: *group, eligible });
    let cohorts: Vec<Cohort> = first_treated.iter().flat_map(both).collect();
    let treated = first_treated.iter().filter(|g| g.is_finite()).count();
    let groups = (0..treated).map(|g| 2 * g..2 * g + 2).collect();
    sample_of(Layout::Balanced, periods, cohorts, groups)
}

fn sample_of(
    layout: Layout,
    periods: &[f64],
    cohorts: Vec<Cohort>,
    groups: Vec<std::ops::Range<usize>>,
) -> Sample {
    let n = 10 * cohorts.len();
    let strata = StratumTable::new(layout, cohorts.len(), periods.len());
    Sample {
        layout,
        periods: periods.to_vec(),
        calendar: Calendar::default(),
        two_periods: false,
        groups,
        counts: vec![vec![10; periods.len()]; cohorts.len()],
        pairs: None,
        n,
        design: design(&["x"]),
        weights: WeightLayout::Constant,
        weight_columns: 0,
        presence: None,
        omega: Weight::Ones,
        shares: vec![1.0 / cohorts.len() as f64; cohorts.len()],
        offsets: vec![vec![0.0; periods.len()]; strata.len()],
        doses: None,
        n_clusters: None,
        cluster_labels: None,
        labels: None,
        y_scale: 1.0,
        y_size: 1.0,
        audit: SampleAudit::default(),
        warnings: Vec::new(),
        strata,
        cohorts,
    }
}
