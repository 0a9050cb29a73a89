//! Numbers of a small balanced panel, computed elsewhere.

use burn_did::LocalProjectionsResult;
use burn_did::projections::{ProjectionBase, ProjectionMethod};
use polars::prelude::*;

use super::{at, projections};
use crate::by_unit::textbook;
use crate::support::frames::{floats, with};

/// Numbers have ten decimals, and R's fixed effects are good to about as many.
const DIGITS: f64 = 5e-10;

#[track_caller]
fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

fn frame() -> DataFrame {
    let df = textbook();
    let x: Vec<f64> = floats(&df, "x").iter().zip(floats(&df, "t")).map(|(x, t)| x * t).collect();
    with(&df, "xt", x)
}

#[test]
fn effects_are_the_known_ones() {
    let df = frame();
    let mut config = projections(3, 2);
    let check = |config: &burn_did::LocalProjections,
                 expected: &[(i64, f64, f64, usize)]|
     -> LocalProjectionsResult {
        let fit = config.fit(&df).unwrap();
        for (event_time, estimate, se, n) in expected {
            let effect = fit.effects.iter().find(|effect| effect.event_time == *event_time);
            let effect = effect.unwrap();
            near(effect.estimate.estimate.unwrap(), *estimate, DIGITS);
            if *se > 0.0 {
                near(effect.estimate.se.unwrap(), *se, DIGITS);
            }
            assert!(*n == 0 || effect.n_rows == *n, "{event_time}");
        }
        fit
    };
    let fit = check(
        &config,
        &[
            (-3, 0.036_682_239_5, 0.079_812_825_7, 180),
            (-2, -0.033_535_043_1, 0.078_745_439_7, 270),
            (0, 0.980_346_814_3, 0.076_593_519, 360),
            (1, 1.288_869_146_1, 0.104_352_437_3, 255),
            (2, 1.522_203_332, 0.131_739_529_5, 165),
        ],
    );
    near(fit.pooled.estimate.estimate.unwrap(), 1.233_427_244_6, DIGITS);
    near(fit.pooled.estimate.se.unwrap(), 0.119_678_377_1, DIGITS);
    assert_eq!(fit.pooled.n_rows, 165);
    config.method = ProjectionMethod::Reweighted;
    let _ = check(
        &config,
        &[
            (-3, 0.037_303_464_3, 0.079_804_205_3, 180),
            (-2, -0.031_469_552_1, 0.074_799_62, 270),
            (0, 0.984_245_557_1, 0.076_218_006_8, 270),
            (1, 1.292_147_144_3, 0.104_135_333_7, 180),
            (2, 1.523_307_665_3, 0.128_049_030_8, 105),
        ],
    );
    config.method = ProjectionMethod::Variance;
    config.base = ProjectionBase::Mean(2);
    let _ = check(
        &config,
        &[
            (-3, 0.047_931_669_4, 0.0, 0),
            (-2, -0.016_767_521_6, 0.0, 0),
            (-1, 0.016_767_521_6, 0.0, 0),
            (0, 0.997_114_335_8, 0.0, 0),
            (1, 1.303_240_592_8, 0.0, 0),
            (2, 1.547_085_348_7, 0.0, 0),
        ],
    );
    config.base = ProjectionBase::Last;
    config.no_composition_changes = true;
    let _ = check(
        &config,
        &[
            (0, 0.931_710_268_6, 0.0, 165),
            (1, 1.246_368_133, 0.0, 165),
            (2, 1.522_203_332, 0.0, 165),
        ],
    );
    config.no_composition_changes = false;
    config.covariates = vec!["xt".into()];
    let _ = check(&config, &[(0, 0.988_387_035_4, 0.074_134_070_5, 360)]);
    config.covariates.clear();
    config.cluster = Some("cl".into());
    near(at(&config.fit(&df).unwrap(), 0).1.unwrap(), 0.044_945_465_2, DIGITS);
}
