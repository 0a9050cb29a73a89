//! Looks at shards, and the sample that is decided from them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choice::CovariateChoice;
use super::looks::Looks;
use super::place::{PlacementPlan, Position};
use super::reading::{Reading, Shard};
use crate::base::error::{DidError, Result};
use crate::read::formula::Present;
use crate::read::panel::additive::Additive;
use crate::read::panel::arrange::{DecidedSample, decide};
use crate::read::panel::audit::SampleAudit;
use crate::read::panel::changes::Changes;
use crate::read::panel::counts::Counts;
use crate::read::panel::frame::Placed;
use crate::read::panel::frame_source::FrameSource;
use crate::read::panel::levels::Levels;
use crate::read::panel::patterns::Pattern;
use crate::read::panel::placement::Placement;
use crate::read::panel::request::Request;
use crate::read::panel::rules::Rules;
use crate::read::panel::sample::Sample;
use crate::read::panel::survey::Survey;

/// What is asked about the rows of a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrameLook(Asked);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Asked {
    Survey,
    Levels(Rules),
    Changes(Rules, Present),
}

/// What a shard shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FrameStat(Found);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Found {
    Survey(Survey),
    Levels(Levels),
    Changes(Changes),
}

impl Shard {
    /// Looks at the rows.
    ///
    /// # Errors
    /// If something is wrong with them.
    pub fn look(&self, look: &FrameLook) -> Result<FrameStat> {
        let frame = &self.frame;
        let placed = |rules: &Rules| frame.place(rules);
        Ok(FrameStat(match &look.0 {
            Asked::Survey => Found::Survey(Survey::of(frame)),
            Asked::Levels(rules) => {
                let placed = Placed { rows: &frame.rows, grids: &placed(rules) };
                Found::Levels(Levels::of(placed))
            }
            Asked::Changes(rules, present) => {
                let placed = Placed { rows: &frame.rows, grids: &placed(rules) };
                Found::Changes(Changes::of(placed, present, rules.layout)?)
            }
        }))
    }
}

/// Whoever has shards looked at.
pub(crate) trait RemoteFrames {
    /// Hands over what each shard shows, in their order.
    ///
    /// # Errors
    /// What is wrong with the rows of the first shard with which something is, what `take` returns, or if shards cannot be
    /// asked.
    fn look(&self, look: &FrameLook, take: &mut Take<'_>) -> Result<()>;
}

/// Takes what a shard shows.
pub(crate) type Take<'a> = dyn FnMut(FrameStat) -> Result<()> + 'a;

/// A sample whose rows are still in the files.
pub(crate) struct Arrangement {
    pub sample: Sample,
    pub plan: PlacementPlan,
    /// Rows of each stratum.
    pub rows: Vec<usize>,
    /// Of each shard.
    pub positions: Vec<Position>,
    pub looks: Looks,
}

/// Decides the sample from what the shards show; `audit` says where the rows come from.
///
/// # Errors
/// As for a data frame.
pub(crate) fn arrange_apart(
    shards: &dyn RemoteFrames,
    audit: SampleAudit,
    request: &Request<'_>,
) -> Result<Arrangement> {
    let apart = ShardLooks { shards, units: RefCell::default(), looks: RefCell::default() };
    let DecidedSample { blueprint, sample, rows } = decide(&apart, audit, request)?;
    let strata = &blueprint.rules.strata;
    let mut next = Placement::first(strata, &rows);
    let positions = apart.units.into_inner().into_iter().map(|units| {
        let rows = Counts::new(&units, &blueprint.rules).of_strata(strata);
        let after = next.after(&rows);
        Position::new(std::mem::replace(&mut next, after), rows)
    });
    let (positions, looks) = (positions.collect(), apart.looks.into_inner());
    Ok(Arrangement { sample, plan: PlacementPlan::new(blueprint, request), rows, positions, looks })
}

/// Decides the sample once more, for another estimate from rows that were read by `reading` and arranged by `plan`; with the
/// covariates that it has, if these are not all.
///
/// # Errors
/// As for a data frame, and [`DidError::Config`] if it is another sample.
pub(crate) fn arrange_again(
    (reading, looks, plan): (&Reading, &Looks, &PlacementPlan),
    audit: SampleAudit,
    request: &Request<'_>,
) -> Result<(Sample, Option<CovariateChoice>)> {
    let (roles, formula) = (&reading.roles, &request.roles.covariates);
    let chosen = match roles.covariates == *formula {
        true => None,
        false => Some(looks.select(roles, formula)?),
    };
    let looks = chosen.as_ref().map_or(looks, |(looks, _)| looks);
    let DecidedSample { blueprint, sample, .. } = decide(&Again { looks, plan }, audit, request)?;
    let versions = blueprint.shape.versions;
    if !PlacementPlan::new(blueprint, request).is_within(plan, &looks.levels.factors) {
        return Err(another_sample());
    }
    if chosen.is_some() && request.sorts_by_content() {
        return Err(DidError::config(
            "covariates",
            "those of the sample, where rows without units are in the order of their content",
            format!("`{formula}` for a sample that was prepared with `{}`", roles.covariates),
        ));
    }
    Ok((sample, chosen.map(|(_, covariates)| CovariateChoice::new(versions, covariates))))
}

/// Shards, and what was found in them.
struct ShardLooks<'a> {
    shards: &'a dyn RemoteFrames,
    /// Units of each shard.
    units: RefCell<Vec<BTreeMap<Pattern, usize>>>,
    looks: RefCell<Looks>,
}

impl ShardLooks<'_> {
    fn merged<L: Additive>(&self, look: Asked, of: impl Fn(Found) -> Option<L>) -> Result<L> {
        let mut all = L::default();
        self.shards
            .look(&FrameLook(look), &mut |stat| all.merge(of(stat.0).ok_or_else(foreign)?))?;
        Ok(all)
    }
}

impl FrameSource for ShardLooks<'_> {
    fn survey(&self, request: &Request<'_>) -> Result<Survey> {
        let mut all = Survey::default();
        self.shards.look(&FrameLook(Asked::Survey), &mut |stat| {
            let Found::Survey(survey) = stat.0 else { return Err(foreign()) };
            self.units.borrow_mut().push(survey.units.clone());
            all.merge(survey)?;
            all.check_values(request.roles)
        })?;
        self.looks.borrow_mut().survey = all.clone();
        Ok(all)
    }

    fn levels(&self, rules: &Rules, _: &Request<'_>) -> Result<Levels> {
        let levels = self.merged(Asked::Levels(rules.for_placing()), |found| match found {
            Found::Levels(levels) => Some(levels),
            Found::Survey(_) | Found::Changes(_) => None,
        })?;
        self.looks.borrow_mut().levels = levels.clone();
        Ok(levels)
    }

    fn changes(&self, rules: &Rules, levels: &Levels, _: &Request<'_>) -> Result<Changes> {
        let look = Asked::Changes(rules.for_placing(), levels.factors.clone());
        let changes = self.merged(look, |found| match found {
            Found::Changes(changes) => Some(changes),
            Found::Survey(_) | Found::Levels(_) => None,
        })?;
        self.looks.borrow_mut().changes = changes.clone();
        Ok(changes)
    }
}

/// Looks that were taken under a plan's rules.
struct Again<'a> {
    looks: &'a Looks,
    plan: &'a PlacementPlan,
}

impl Again<'_> {
    /// Checks that what was found belongs to the rows of the plan's sample.
    fn under<T: Clone>(&self, rules: &Rules, found: &T) -> Result<T> {
        if self.plan.has_rules(rules) { Ok(found.clone()) } else { Err(another_sample()) }
    }
}

impl FrameSource for Again<'_> {
    fn survey(&self, _: &Request<'_>) -> Result<Survey> {
        Ok(self.looks.survey.clone())
    }

    fn levels(&self, rules: &Rules, _: &Request<'_>) -> Result<Levels> {
        self.under(rules, &self.looks.levels)
    }

    fn changes(&self, rules: &Rules, _: &Levels, _: &Request<'_>) -> Result<Changes> {
        self.under(rules, &self.looks.changes)
    }
}

fn another_sample() -> DidError {
    DidError::config(
        "the prepared sample",
        "options under which the sample has the units, periods, groups and columns that were prepared",
        "others (control group, anticipation or balance); prepare a sample with these options",
    )
}

fn foreign() -> DidError {
    DidError::Engine { problem: "a shard answered another question".into() }
}
