//! Doses of a continuous treatment: knots from exact order statistics, and the splines that take a dose's place in the chunks.
//!
//! A cohort's splines are on the range of its doses, with the interior knots that all cohorts share. Order statistics are
//! found digit by digit of the doses' bits, a look for each, so that no machine ever sorts the doses.

mod expansion;
mod quantiles;
#[cfg(test)]
mod tests;

use super::look::{DoseLook, DoseQuestion, DoseStat, Look};
use super::{LookStat, Raw};
use crate::base::error::{DidError, Result};
use crate::base::splines::Splines;
use crate::read::panel::{DesignInfo, Doses, Sample};
pub(crate) use expansion::Expansion;
use quantiles::quantiles;

/// Percentiles that are always found: from the smallest dose to the largest.
const PERCENTILES: usize = 100;

/// What is to be known of the doses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DoseQuery {
    /// Degree of the splines and number of interior knots; the doses themselves stay in the chunks without.
    pub splines: Option<(usize, usize)>,
    /// Probabilities of further quantiles.
    pub probabilities: Vec<f64>,
}

/// Doses and how the chunks' columns follow from them.
pub(super) struct FoundDoses {
    pub doses: Doses,
    versions: Vec<Option<usize>>,
    expanded: bool,
}

/// The design of rows without covariates.
pub(super) fn no_covariates() -> DesignInfo {
    design(vec!["(Intercept)".into()])
}

fn design(names: Vec<String>) -> DesignInfo {
    let k = names.len();
    let transform = (0..k * k).map(|e| f64::from(u8::from(e / k == e % k))).collect();
    DesignInfo { names, intercept: true, versions: 1, transform }
}

impl FoundDoses {
    /// The design of the chunks: a constant, splines from the second on, and their derivatives; or a constant and the dose.
    pub fn design(&self) -> DesignInfo {
        let mut names = vec!["(Intercept)".to_owned()];
        if self.expanded {
            let numbers = 2..=self.doses.functions;
            names.extend(numbers.clone().map(|j| format!("B{j}(dose)")));
            names.extend(numbers.map(|j| format!("B{j}'(dose)")));
        } else {
            names.push("dose".into());
        }
        design(names)
    }

    /// How the columns are formed.
    pub fn expansion(&self) -> Expansion {
        let Doses { splines, functions, .. } = &self.doses;
        let splines = if self.expanded { Some((splines.clone(), *functions)) } else { None };
        Expansion::new(self.versions.clone(), splines)
    }
}

/// Looks at the doses of a sample whose covariate is the dose, in so many versions.
pub(super) fn find_doses(
    raw: &dyn Raw,
    sample: &Sample,
    versions: usize,
    query: &DoseQuery,
) -> Result<FoundDoses> {
    let (degree, interior) = query.splines.unwrap_or((1, 0));
    let functions = degree + interior + 1;
    let treated = treated_from(sample);
    let from = |first: usize| if versions > 1 { first } else { 0 };
    let versions: Vec<Option<usize>> = treated.iter().map(|own| own.map(from)).collect();
    let look = |question| DoseLook { versions: versions.clone(), question };
    let ranges = ask(raw, look(DoseQuestion::Range { distinct: functions.max(2) }))?;
    let rows = raw.rows();
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    for stat in &ranges {
        if let DoseStat::Range { lowest: low, highest: high, .. } = stat {
            lowest = lowest.min(*low);
            highest = highest.max(*high);
        }
    }
    if lowest > highest {
        let problem = "no treated unit of the sample has a dose".into();
        return Err(DidError::Doses { problem });
    }
    let mut probabilities: Vec<f64> =
        (0..=PERCENTILES).map(|p| p as f64 / PERCENTILES as f64).collect();
    probabilities.extend((1..=interior).map(|j| j as f64 / (interior + 1) as f64));
    probabilities.extend(&query.probabilities);
    // A treated unit counts once, however long it is treated.
    let treated = rows.iter().zip(&treated).filter(|(_, first)| first.is_some());
    let units: u64 = treated.map(|(rows, _)| *rows as u64).sum();
    let count = |question| ask(raw, look(question));
    let quantiles_found = quantiles(&probabilities, units, count)?;
    let (percentiles, rest) = quantiles_found.split_at(PERCENTILES + 1);
    let (knots, further) = rest.split_at(interior);
    let mut doses = Doses {
        splines: Vec::new(),
        distinct: Vec::new(),
        knots: knots.to_vec(),
        dropped: Vec::new(),
        range: (lowest, highest),
        percentiles: percentiles.to_vec(),
        quantiles: further.to_vec(),
        functions,
    };
    for stat in &ranges {
        doses.add_stratum(stat, degree);
    }
    let expanded = query.splines.is_some();
    Ok(FoundDoses { doses, versions, expanded })
}

impl Doses {
    /// The splines of a stratum with this range.
    fn add_stratum(&mut self, stat: &DoseStat, degree: usize) {
        let (low, high, distinct) = match stat {
            DoseStat::Range { lowest, highest, distinct } => (*lowest, *highest, distinct.len()),
            DoseStat::Digits(_) => (0.0, 0.0, 0),
        };
        let mut breakpoints = vec![low];
        for knot in &self.knots {
            if *knot > breakpoints[breakpoints.len() - 1] && *knot < high {
                breakpoints.push(*knot);
            }
        }
        let treated = low <= high;
        let distinct_knots = breakpoints.len() - 1;
        breakpoints.push(high);
        self.dropped.push(if treated { self.knots.len() - distinct_knots } else { 0 });
        self.splines.push(Splines::new(degree, &breakpoints).filter(|_| treated));
        self.distinct.push(distinct);
    }
}

/// First period, as its position, in which the units of each stratum are treated.
fn treated_from(sample: &Sample) -> Vec<Option<usize>> {
    let of_cohort = |cohort: usize| {
        let group = sample.cohorts[cohort].group;
        let first = sample.periods.partition_point(|t| *t < group);
        (group.is_finite() && first < sample.periods.len()).then_some(first)
    };
    sample.strata.keys().iter().map(|key| of_cohort(key.cohort)).collect()
}

fn ask(raw: &dyn Raw, look: DoseLook) -> Result<Vec<DoseStat>> {
    let answers: Vec<LookStat> = raw.answer(&Look::Doses(look))?;
    answers.into_iter().map(DoseStat::try_from).collect()
}
