//! The form in which group-time effects are saved.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::check::Checked;
use super::{Cell, CellStatus, GroupTimeEffects};
use crate::base::calendar::Calendar;
use crate::base::options::Inference;
use crate::result::inference::{Covariance, Joint};

/// Group-time effects as they are written.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedEffects<'a> {
    cells: Vec<SavedCell>,
    shares: Vec<SavedShare>,
    periods: Cow<'a, [f64]>,
    calendar: Calendar,
    n: usize,
    n_clusters: Option<usize>,
    covariance: Option<Cow<'a, Covariance>>,
    draws: Option<Cow<'a, [f64]>>,
    inference: Inference,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    unit: f64,
    #[serde(default, skip_serializing_if = "is_empty")]
    unknown: Cow<'a, [usize]>,
}

fn is_empty(unknown: &[usize]) -> bool {
    unknown.is_empty()
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_one(unit: &f64) -> bool {
    unit.to_bits() == 1f64.to_bits()
}

#[derive(Serialize, Deserialize)]
struct SavedCell {
    group: f64,
    time: f64,
    estimate: Option<f64>,
    status: CellStatus,
    n_treated: usize,
    n_control: usize,
    sample_sd: bool,
}

#[derive(Serialize, Deserialize)]
struct SavedShare {
    group: f64,
    share: f64,
}

impl Serialize for GroupTimeEffects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Joint { values, covariance, draws, n, n_clusters, unit, unknown } = &self.joint;
        let cell = |(cell, att): (&Cell, &Option<f64>)| {
            let Cell { group, time, status, n_treated, n_control, sample_sd } = cell.clone();
            SavedCell { group, time, estimate: *att, status, n_treated, n_control, sample_sd }
        };
        let shares = values[self.cells.len()..].iter().flatten();
        let share = |(group, share): (&f64, &f64)| SavedShare { group: *group, share: *share };
        let saved = SavedEffects {
            cells: self.cells.iter().zip(values).map(cell).collect(),
            shares: self.groups.iter().zip(shares).map(share).collect(),
            periods: Cow::Borrowed(&self.periods),
            calendar: self.calendar,
            n: *n,
            n_clusters: *n_clusters,
            covariance: covariance.as_ref().map(Cow::Borrowed),
            draws: draws.as_deref().map(Cow::Borrowed),
            inference: self.inference,
            unit: *unit,
            unknown: Cow::Borrowed(unknown),
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GroupTimeEffects {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SavedEffects::<'static>::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl TryFrom<SavedEffects<'_>> for GroupTimeEffects {
    type Error = String;

    fn try_from(saved: SavedEffects<'_>) -> Checked<Self> {
        let atts = saved.cells.iter().map(|c| c.estimate);
        let values = atts.chain(saved.shares.iter().map(|s| Some(s.share))).collect();
        let cell = |saved: SavedCell| {
            let SavedCell { group, time, status, n_treated, n_control, sample_sd, .. } = saved;
            Cell { group, time, status, n_treated, n_control, sample_sd }
        };
        let effects = Self {
            groups: saved.shares.iter().map(|s| s.group).collect(),
            cells: saved.cells.into_iter().map(cell).collect(),
            periods: saved.periods.into_owned(),
            calendar: saved.calendar,
            joint: Joint {
                values,
                covariance: saved.covariance.map(Cow::into_owned),
                draws: saved.draws.map(Cow::into_owned),
                n: saved.n,
                n_clusters: saved.n_clusters,
                unit: saved.unit,
                unknown: saved.unknown.into_owned(),
            },
            inference: saved.inference,
        };
        effects.check()?;
        Ok(effects)
    }
}
