//! Results for tests, with R `did` 2.5.1's numbers on `mpdta` (doubly robust, never-treated controls).

use crate::base::error::DidWarning;
use crate::base::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, DoseTarget, EstimationMethod, Inference, Multiplier,
    Precision, SharesOf,
};
use crate::estimator::aggregate::{Aggregated, AggregatedRow, Aggregation};
use crate::estimator::{GroupTimeCell, GroupTimeResult};
use crate::read::panel::{Layout, SampleAudit};
use crate::result::estimates::{CellStatus, GroupTimeEffects};
use crate::result::fit_notes::FitNotes;
use crate::result::inference::{Critical, Estimate, Joint, Wald};
use crate::result::settings::{EstimatorSettings, Settings};
use crate::result::timings::Timings;

pub(crate) const POINTWISE: f64 = 1.959_963_984_540_05;

pub(crate) fn settings(inference: Inference) -> Settings {
    Settings {
        estimator: EstimatorSettings::AttGt {
            control_group: ControlGroup::NeverTreated,
            last_cohort: None,
            base_period: BasePeriod::Varying,
            method: Some(EstimationMethod::DoublyRobust),
            anticipation: 0,
            fix_weights: None,
        },
        backend: "ndarray".into(),
        precision: Precision::F64,
        outcome: "lemp".into(),
        covariates: "~ 1".into(),
        weights: None,
        cluster: None,
        frequency: None,
        layout: Layout::Balanced,
        n_units: 500,
        n_rows: 2500,
        n_clusters: None,
        inference,
    }
}

fn set_universal(settings: &mut Settings) {
    if let EstimatorSettings::AttGt { base_period, .. } = &mut settings.estimator {
        *base_period = BasePeriod::Universal;
    }
}

/// Triple differences.
pub(crate) fn ddd() -> EstimatorSettings {
    EstimatorSettings::Ddd {
        eligible: "eligible".into(),
        shares_of: SharesOf::Eligible,
        control_group: ControlGroup::NeverTreated,
        last_cohort: None,
        base_period: BasePeriod::Varying,
        method: EstimationMethod::DoublyRobust,
    }
}

/// Slopes in a dose.
pub(crate) fn slopes() -> EstimatorSettings {
    EstimatorSettings::ContDid {
        dose: "dose".into(),
        target: DoseTarget::Slope,
        control_group: ControlGroup::NeverTreated,
        last_cohort: None,
        base_period: BasePeriod::Varying,
        anticipation: 0,
        resampling: None,
    }
}

fn analytic() -> Inference {
    Inference { alpha: 0.05, bootstrap: None, band: Band::Pointwise }
}

fn bootstrapped() -> Inference {
    let bootstrap = Bootstrap { draws: 20_000, seed: 42, multiplier: Multiplier::Mammen };
    Inference { alpha: 0.05, bootstrap: Some(bootstrap), band: Band::Uniform }
}

pub(crate) fn att_gt(
    cells: &[(f64, f64, f64, Option<f64>)],
    critical_value: f64,
    inference: Inference,
) -> GroupTimeResult {
    let critical = Critical { value: critical_value, band: inference.band };
    let cell = |&(group, time, att, se): &(f64, f64, f64, Option<f64>)| GroupTimeCell {
        group,
        time,
        estimate: critical.estimate(Some(att), se, inference.alpha),
        status: if se.is_some() { CellStatus::Estimated } else { CellStatus::Reference },
        n_treated: 20,
        n_control: 309,
        overlap: None,
    };
    GroupTimeResult {
        cells: cells.iter().map(cell).collect(),
        critical_value,
        band: inference.band,
        wald: None,
        audit: SampleAudit::default(),
        warnings: Vec::new(),
        settings: settings(inference),
        comparisons: None,
        timings: Timings::default(),
        effects: GroupTimeEffects {
            cells: Vec::new(),
            groups: Vec::new(),
            periods: Vec::new(),
            calendar: Default::default(),
            joint: Joint {
                values: Vec::new(),
                covariance: None,
                draws: None,
                n: 500,
                n_clusters: None,
                unit: 1.0,
                unknown: Vec::new(),
            },
            inference,
        },
        influence: None,
        influence_of_shares: None,
        influence_files: None,
        weighting: None,
        scores: None,
        by_cluster: None,
    }
}

/// Covariate `lpop`, varying base, 20,000 draws, uniform band.
pub(crate) fn uniform() -> GroupTimeResult {
    let cells = [
        (2004.0, 2004.0, -0.014_529_668_3, Some(0.023_115_743_5)),
        (2004.0, 2005.0, -0.076_421_881_7, Some(0.030_299_798_6)),
        (2004.0, 2006.0, -0.140_448_336_8, Some(0.038_147_578_8)),
        (2004.0, 2007.0, -0.106_903_898_1, Some(0.034_526_083_4)),
        (2006.0, 2004.0, -0.000_472_146_1, Some(0.022_621_765_3)),
        (2006.0, 2005.0, -0.006_202_524_6, Some(0.019_004_423_0)),
        (2006.0, 2006.0, 0.000_960_573_7, Some(0.019_698_040_5)),
        (2006.0, 2007.0, -0.041_293_865_6, Some(0.019_876_293_9)),
        (2007.0, 2004.0, 0.026_727_796_2, Some(0.014_237_708_9)),
        (2007.0, 2005.0, -0.004_576_570_8, Some(0.015_611_098_8)),
        (2007.0, 2006.0, -0.028_447_487_2, Some(0.018_444_758_9)),
        (2007.0, 2007.0, -0.028_781_361_0, Some(0.016_851_839_9)),
    ];
    let mut result = att_gt(&cells, 2.650_744_684_414_9, bootstrapped());
    result.settings.covariates = "~ lpop".into();
    result.wald = Some(Wald { stat: 6.841_825, df: 5, df2: None, p_value: 0.232_67 });
    result
}

/// No covariates, universal base (with its reference cells), analytic.
pub(crate) fn universal() -> GroupTimeResult {
    let cells = [
        (2004.0, 2003.0, 0.0, None),
        (2004.0, 2004.0, -0.010_503_246_2, Some(0.023_251_036_4)),
        (2004.0, 2005.0, -0.070_423_158_1, Some(0.030_984_766_8)),
        (2004.0, 2006.0, -0.137_258_738_9, Some(0.036_435_664_3)),
        (2004.0, 2007.0, -0.100_811_363_1, Some(0.034_359_225_8)),
        (2006.0, 2003.0, -0.003_769_293_7, Some(0.031_342_027_6)),
        (2006.0, 2004.0, 0.002_750_818_8, Some(0.019_558_561_0)),
        (2006.0, 2005.0, 0.0, None),
        (2006.0, 2006.0, -0.004_594_607_0, Some(0.017_755_196_7)),
        (2006.0, 2007.0, -0.041_224_471_5, Some(0.020_229_180_7)),
        (2007.0, 2003.0, 0.003_306_356_7, Some(0.024_451_872_9)),
        (2007.0, 2004.0, 0.033_813_012_3, Some(0.021_129_174_9)),
        (2007.0, 2005.0, 0.031_087_119_4, Some(0.017_877_511_3)),
        (2007.0, 2006.0, 0.0, None),
        (2007.0, 2007.0, -0.026_054_410_7, Some(0.016_655_435_3)),
    ];
    let mut result = att_gt(&cells, POINTWISE, analytic());
    set_universal(&mut result.settings);
    result.wald = Some(Wald { stat: 7.791_236_6, df: 5, df2: None, p_value: 0.168_12 });
    result
}

/// [`universal`] with clusters, a failed cell and warnings.
pub(crate) fn failed() -> GroupTimeResult {
    let mut result = universal();
    result.cells.truncate(5);
    let reason = CellStatus::NoControls { period: Some(2006.0) };
    for index in [2, 3] {
        result.cells[index].estimate = Estimate::default();
        result.cells[index].status = reason.clone();
        result.warnings.push(DidWarning::FailedCell {
            group: 2004.0,
            time: result.cells[index].time,
            reason: reason.to_string(),
        });
    }
    result.cells[4].estimate = Estimate::default();
    result.cells[4].status = CellStatus::NoTreatedWeight;
    result.warnings.push(DidWarning::DroppedRows { rows: 3, columns: vec![("lemp".into(), 3)] });
    result.settings.cluster = Some("state".into());
    result.settings.n_clusters = Some(29);
    result.wald = None;
    result
}

fn aggregated(
    aggregation: Aggregation,
    overall: (f64, f64),
    rows: &[(f64, f64, Option<f64>)],
    critical_value: f64,
    inference: Inference,
) -> Aggregated {
    let critical = Critical { value: critical_value, band: inference.band };
    let row = |&(at, att, se): &(f64, f64, Option<f64>)| AggregatedRow {
        at,
        estimate: critical.estimate(Some(att), se, inference.alpha),
        reference: se.is_none(),
    };
    Aggregated {
        aggregation,
        overall: Estimate::new(Some(overall.0), Some(overall.1), POINTWISE),
        rows: rows.iter().map(row).collect(),
        critical_value,
        band: inference.band,
        alpha: inference.alpha,
        vcov: Vec::new(),
        left_out: None,
        without_share: None,
        window: None,
        warnings: Vec::new(),
        settings: settings(inference),
        fit_notes: FitNotes::default(),
        universal: None,
        influence: None,
    }
}

/// Event study with covariate `lpop`, varying base, uniform band.
pub(crate) fn dynamic_uniform() -> Aggregated {
    let rows = [
        (-3.0, 0.026_727_796_2, Some(0.014_237_708_9)),
        (-2.0, -0.003_616_471_4, Some(0.013_110_567_0)),
        (-1.0, -0.023_243_987_2, Some(0.014_745_429_6)),
        (0.0, -0.021_060_359_8, Some(0.011_795_445_9)),
        (1.0, -0.053_003_204_3, Some(0.016_441_029_9)),
        (2.0, -0.140_448_336_8, Some(0.037_509_412_2)),
        (3.0, -0.106_903_898_1, Some(0.034_258_024_0)),
    ];
    let overall = (-0.080_353_949_8, 0.020_142_986_1);
    let mut result =
        aggregated(Aggregation::dynamic(), overall, &rows, 2.533_315_643, bootstrapped());
    result.settings.covariates = "~ lpop".into();
    result
}

/// Event study without covariates, universal base (with its reference row), analytic.
pub(crate) fn dynamic_universal() -> Aggregated {
    let rows = [
        (-4.0, 0.003_306_356_7, Some(0.024_451_872_9)),
        (-3.0, 0.025_021_829_6, Some(0.018_118_920_7)),
        (-2.0, 0.024_458_745_0, Some(0.014_236_402_2)),
        (-1.0, 0.0, None),
        (0.0, -0.019_931_816_8, Some(0.011_826_364_1)),
        (1.0, -0.050_957_367_1, Some(0.016_893_476_3)),
        (2.0, -0.137_258_738_9, Some(0.036_435_664_3)),
        (3.0, -0.100_811_363_1, Some(0.034_359_225_8)),
    ];
    let overall = (-0.077_239_821_5, 0.019_964_989_1);
    let mut result = aggregated(Aggregation::dynamic(), overall, &rows, POINTWISE, analytic());
    set_universal(&mut result.settings);
    result
}

/// Average effects by group, uniform band.
pub(crate) fn group() -> Aggregated {
    let rows = [
        (2004.0, -0.084_575_946_2, Some(0.027_322_141_9)),
        (2006.0, -0.020_166_645_9, Some(0.017_460_181_4)),
        (2007.0, -0.028_781_361_0, Some(0.016_664_195_1)),
    ];
    let overall = (-0.032_819_597_2, 0.012_230_744_3);
    aggregated(Aggregation::group(), overall, &rows, 2.203_480_23, bootstrapped())
}

/// Average effects by calendar period, analytic.
pub(crate) fn calendar() -> Aggregated {
    let rows = [
        (2004.0, -0.010_503_246_2, Some(0.023_251_036_4)),
        (2005.0, -0.070_423_158_1, Some(0.030_984_766_8)),
        (2006.0, -0.048_815_984_3, Some(0.020_125_861_3)),
        (2007.0, -0.037_059_339_9, Some(0.013_747_079_1)),
    ];
    let overall = (-0.041_700_432_1, 0.015_971_851_9);
    aggregated(Aggregation::calendar(), overall, &rows, POINTWISE, analytic())
}

/// One average over all post-treatment cells.
pub(crate) fn simple() -> Aggregated {
    let overall = (-0.039_951_275_2, 0.012_034_012_8);
    aggregated(Aggregation::simple(), overall, &[], POINTWISE, analytic())
}
