//! Which rows are in the sample: the rules of R `did`, one unit after another.

use std::collections::BTreeMap;

use super::linear::independent;
use crate::formula::{Formula, Raw};
use crate::records::Record;

/// What the estimator asks of its sample.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub formula: Formula,
    pub weighted: bool,
    pub clustered: bool,
    pub triple: bool,
    pub sections: bool,
    /// Keeps units with missing periods.
    pub unbalanced: bool,
    /// Whether cells use those of them that are observed in both periods.
    pub pairs: bool,
    pub never_treated: bool,
    pub anticipation: f64,
    pub timing: Timing,
    /// Whether shares of groups count their eligible units only.
    pub eligible_shares: bool,
}

/// What values of the group column mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    Staggered,
    /// Treated or not, from the second of two periods on.
    TwoPeriods,
    /// That if there are two periods and one group with a value, else first treated periods.
    Either,
}

/// A row of the sample.
#[derive(Clone, Debug)]
pub struct Observation {
    pub y: f64,
    pub w: f64,
    pub x: Vec<f64>,
    raw: Raw,
}

/// A unit, or a row of repeated cross sections.
#[derive(Clone, Debug)]
pub struct Unit {
    pub id: i64,
    pub group: f64,
    pub eligible: bool,
    pub cluster: i64,
    /// By period.
    pub rows: Vec<Option<Observation>>,
    /// Weight in the groups' shares.
    pub omega: f64,
}

/// The sample.
pub struct Sample {
    pub periods: Vec<f64>,
    /// Groups that are estimated, ascending.
    pub groups: Vec<f64>,
    pub units: Vec<Unit>,
    pub balanced: bool,
    pub two_periods: bool,
    /// Whether the first design column is a constant.
    pub constant: bool,
    /// Whether shares of groups count their eligible units only.
    pub eligible_shares: bool,
}

/// Why there is no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Empty,
    TooFewPeriods,
    NoNeverTreated,
    NoComparison,
    NoGroups,
    SmallNeverTreated,
    SmallGroup,
}

struct Kept {
    unit: Unit,
    rows: Vec<(f64, Observation)>,
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

/// Complete rows, by unit.
fn complete(records: &[Record], request: &Request) -> Vec<Kept> {
    let mut units: BTreeMap<i64, Kept> = BTreeMap::new();
    for (number, r) in records.iter().enumerate() {
        let (Some(t), Some(g), Some(y)) = (r.t, r.g, r.y) else { continue };
        if (request.weighted && r.w.is_none())
            || (request.clustered && r.cluster.is_none())
            || (request.triple && r.eligible.is_none())
            || !request.formula.is_complete(&r.raw)
        {
            continue;
        }
        let key = if request.sections { Some(number as i64) } else { r.id };
        let Some(id) = key else { continue };
        let w = if request.weighted { r.w.unwrap_or(1.0) } else { 1.0 };
        let observation = Observation { y, w, x: Vec::new(), raw: r.raw };
        let unit = || Unit {
            id,
            group: if g == 0.0 { f64::INFINITY } else { g },
            eligible: r.eligible.unwrap_or(true),
            cluster: r.cluster.unwrap_or(0),
            rows: Vec::new(),
            omega: 0.0,
        };
        let kept = units.entry(id).or_insert_with(|| Kept { unit: unit(), rows: Vec::new() });
        kept.rows.push((t, observation));
    }
    units.into_values().collect()
}

/// Applies the rules in their order.
pub fn sample(records: &[Record], request: &Request) -> Result<Sample, Refusal> {
    let mut units = complete(records, request);
    if units.is_empty() {
        return Err(Refusal::Empty);
    }
    let periods_of =
        |units: &[Kept]| distinct(units.iter().flat_map(|u| u.rows.iter().map(|r| r.0)));
    let all = periods_of(&units);
    let (Some(&first), Some(&end)) = (all.first(), all.last()) else { return Err(Refusal::Empty) };
    if all.len() < 2 {
        return Err(Refusal::TooFewPeriods);
    }
    let finite = distinct(units.iter().map(|u| u.unit.group).filter(|g| g.is_finite())).len();
    let two_periods = match request.timing {
        Timing::Staggered => false,
        Timing::TwoPeriods => true,
        Timing::Either => all.len() == 2 && finite == 1,
    };
    for u in &mut units {
        let g = u.unit.group;
        u.unit.group = match two_periods {
            true if g.is_finite() => end,
            false if g > end + request.anticipation => f64::INFINITY,
            _ => g,
        };
    }
    let mut only_compared = None;
    if units.iter().all(|u| u.unit.group.is_finite()) {
        if two_periods || (request.never_treated && request.triple) {
            return Err(Refusal::NoNeverTreated);
        }
        let last = units.iter().map(|u| u.unit.group).fold(0.0, f64::max);
        let later = |g: f64| g > first + request.anticipation;
        if later(last) && !units.iter().any(|u| u.unit.group != last && later(u.unit.group)) {
            return Err(Refusal::NoComparison);
        }
        let cutoff = last - request.anticipation;
        for u in &mut *units {
            u.rows.retain(|(t, _)| *t < cutoff);
        }
        units.retain(|u| !u.rows.is_empty());
        if all.iter().filter(|t| **t < cutoff).count() < 2 {
            return Err(Refusal::TooFewPeriods);
        }
        if request.never_treated {
            let stands_in = units.iter_mut().filter(|u| u.unit.group == last);
            stands_in.for_each(|u| u.unit.group = f64::INFINITY);
        } else {
            only_compared = Some(last);
        }
    }
    units.retain(|u| u.unit.group > first + request.anticipation);
    let periods = periods_of(&units);
    if periods.len() < 2 {
        return Err(Refusal::TooFewPeriods);
    }
    let incomplete = units.iter().any(|u| u.rows.len() < periods.len());
    if !request.sections && !request.unbalanced {
        units.retain(|u| u.rows.len() == periods.len());
        if units.is_empty() {
            return Err(Refusal::Empty);
        }
    }
    let balanced = !request.sections && (!request.unbalanced || !incomplete);
    let estimated = |g: &f64| {
        g.is_finite() && *g > periods[0] + request.anticipation && Some(*g) != only_compared
    };
    let groups: Vec<f64> =
        distinct(units.iter().map(|u| u.unit.group)).into_iter().filter(estimated).collect();
    if groups.is_empty() {
        return Err(Refusal::NoGroups);
    }
    let constant = request.formula.has_constant();
    let mut sample = Sample {
        periods,
        groups,
        units: Vec::new(),
        balanced,
        two_periods,
        constant,
        eligible_shares: request.eligible_shares,
    };
    sample.units = units.into_iter().map(|kept| sample.unit(kept)).collect();
    sample.check_sizes(request)?;
    sample.design(request.formula);
    Ok(sample)
}

impl Sample {
    fn unit(&self, kept: Kept) -> Unit {
        let mut rows: Vec<Option<Observation>> = vec![None; self.periods.len()];
        let weights: Vec<f64> = kept.rows.iter().map(|(_, o)| o.w).collect();
        for (t, observation) in kept.rows {
            let at = self.periods.iter().position(|p| *p == t);
            if let Some(place) = at.and_then(|at| rows.get_mut(at)) {
                *place = Some(observation);
            }
        }
        let first = rows.first().and_then(|row| row.as_ref()).map_or(0.0, |o| o.w);
        let mean = weights.iter().sum::<f64>() / weights.len() as f64;
        Unit { rows, omega: if self.balanced { first } else { mean }, ..kept.unit }
    }

    /// Rows a period of the units that satisfy `keep`.
    fn size(&self, keep: impl Fn(&Unit) -> bool) -> f64 {
        let rows: usize =
            self.units.iter().filter(|u| keep(u)).map(|u| u.rows.iter().flatten().count()).sum();
        rows as f64 / self.periods.len() as f64
    }

    fn check_sizes(&self, request: &Request) -> Result<(), Refusal> {
        let required = request.formula.variables as f64 + 5.0;
        let never = |u: &Unit| u.group.is_infinite();
        if !self.two_periods {
            let size = if request.triple { self.count(never) } else { self.size(never) };
            let small = request.never_treated && size < required;
            return if small { Err(Refusal::SmallNeverTreated) } else { Ok(()) };
        }
        let small = if request.triple {
            let compared = |u: &Unit| !request.pairs || u.rows.iter().all(Option::is_some);
            let few = |treated: bool, eligible: bool| {
                let own = |u: &Unit| u.group.is_finite() == treated && u.eligible == eligible;
                self.count(|u| own(u) && compared(u)) < 5.0
            };
            few(true, true) || few(true, false) || few(false, true) || few(false, false)
        } else {
            self.size(never) < required || self.size(|u| !never(u)) < required
        };
        if small { Err(Refusal::SmallGroup) } else { Ok(()) }
    }

    /// Units that satisfy `keep`, by which R `triplediff` judges.
    fn count(&self, keep: impl Fn(&Unit) -> bool) -> f64 {
        self.units.iter().filter(|u| keep(u)).count() as f64
    }

    /// Design columns; levels that the sample lacks have none.
    fn design(&mut self, formula: Formula) {
        let rows = || self.units.iter().flat_map(|u| u.rows.iter().flatten());
        let mut levels: Vec<u8> = rows().filter_map(|o| o.raw.f).collect();
        levels.sort_unstable();
        levels.dedup();
        for o in self.units.iter_mut().flat_map(|u| u.rows.iter_mut().flatten()) {
            o.x = formula.columns(&o.raw, &levels);
        }
    }

    pub fn rows(&self) -> usize {
        self.units.iter().map(|u| u.rows.iter().flatten().count()).sum()
    }

    /// Whether a unit is counted in a group's share.
    pub fn shares(&self, unit: &Unit, group: f64) -> bool {
        unit.group == group && (unit.eligible || !self.eligible_shares)
    }

    /// Weighted share of a group among all units.
    pub fn share(&self, group: f64) -> f64 {
        let of_group = self.units.iter().filter(|u| self.shares(u, group));
        of_group.map(|u| u.omega).sum::<f64>() / self.units.len() as f64
    }
}

impl Sample {
    /// Leaves out design columns that depend on the ones before them in the rows of some periods (positions), of all units or of
    /// those with a row in each; `None` if that is a matter of rounding.
    pub fn drop_dependent(&mut self, periods: &[usize], complete: bool) -> Option<()> {
        let counts = |u: &&Unit| !complete || periods.iter().all(|p| u.rows[*p].is_some());
        let rows = self
            .units
            .iter()
            .filter(counts)
            .flat_map(|u| periods.iter().filter_map(|p| u.rows[*p].as_ref()))
            .map(|o| o.x.as_slice());
        let kept = independent(&rows.collect::<Vec<_>>(), self.constant)?;
        for o in self.units.iter_mut().flat_map(|u| u.rows.iter_mut().flatten()) {
            o.x = kept.iter().map(|j| o.x[*j]).collect();
        }
        Some(())
    }
}
