//! Pictures: comparisons by weight, and weights by time since treatment.

use super::{bacon, weights};
use crate::base::words::Words;
use crate::estimator::twfe::{BaconResult, ComparisonKind, TwfeWeightsResult};
use crate::report::number::short;
use crate::report::plot::chart::since_treatment;
use crate::report::plot::scatter::{Scatter, ScatterKind};

impl BaconResult {
    /// Each comparison's estimate by its weight, and the coefficient as a line.
    pub(super) fn scatter(&self) -> Scatter {
        let kind = |kind: ComparisonKind| {
            let of_kind = self.comparisons.iter().filter(|of| of.kind == kind);
            let points: Vec<(f64, f64)> = of_kind.map(|of| (of.weight, of.estimate)).collect();
            (!points.is_empty()).then(|| ScatterKind { label: kind.name().into(), points })
        };
        let line = |value: f64| {
            (value, format!("Two-way coefficient ({})", short(value).replace('-', "−")))
        };
        Scatter {
            kinds: ComparisonKind::WORDS.iter().filter_map(|entry| kind(entry.value)).collect(),
            line: self.coefficient.estimate.map(line),
            whole: false,
            title: bacon::TITLE.into(),
            x: "Weight".into(),
            y: format!("2×2 estimate ({})", self.settings.columns.outcome),
        }
    }
}

impl TwfeWeightsResult {
    /// Each group's weights by time since treatment, and their average as a line.
    pub(super) fn scatter(&self) -> Scatter {
        let kind = |label: &str, negative: bool| {
            let of_sign = self.rows.iter().filter(|row| (row.weight < 0.0) == negative);
            let points: Vec<(f64, f64)> =
                of_sign.map(|row| (row.time - row.group, row.weight)).collect();
            (!points.is_empty()).then(|| ScatterKind { label: label.into(), points })
        };
        let kinds = [kind("Positive weight", false), kind("Negative weight", true)];
        let mut times: Vec<f64> = self.rows.iter().map(|row| row.time - row.group).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let average = 1.0 / self.rows.len().max(1) as f64;
        Scatter {
            kinds: kinds.into_iter().flatten().collect(),
            line: Some((average, format!("Average weight ({})", short(average)))),
            whole: true,
            title: weights::TITLE.into(),
            x: since_treatment(&times, self.settings.columns.frequency).into(),
            y: "Weight on ATT(g, t)".into(),
        }
    }
}
