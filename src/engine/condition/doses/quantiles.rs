//! Order statistics by counting.

use super::{DoseQuestion, DoseStat};
use crate::base::error::{DidError, Result};
use crate::base::quantile::ranks_around;
use crate::engine::condition::look::{DIGITS, VALUES};

/// An order statistic in the making: its first digits, and its rank among the doses that share them.
#[derive(Clone, Copy)]
struct RankTarget {
    prefix: u64,
    rank: u64,
}

/// Quantiles with linear interpolation (R's type 7) at these probabilities, of the doses of all strata; `total` is their number, and
/// `count` answers questions stratum by stratum.
///
/// # Errors
/// What `count` returns, and [`DidError::Engine`] for counts that are not of these doses.
pub(super) fn quantiles(
    probabilities: &[f64],
    total: u64,
    count: impl Fn(DoseQuestion) -> Result<Vec<DoseStat>>,
) -> Result<Vec<f64>> {
    if total == 0 {
        return Err(lost());
    }
    let around = |p: &f64| ranks_around(total as usize, p.clamp(0.0, 1.0));
    let ranks = probabilities.iter().map(around).flat_map(|(below, above, _)| [below, above]);
    let mut targets: Vec<RankTarget> =
        ranks.map(|rank| RankTarget { prefix: 0, rank: rank as u64 }).collect();
    for digit in 0..DIGITS {
        let mut prefixes: Vec<u64> = targets.iter().map(|t| t.prefix).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        let answers = count(DoseQuestion::Digits { digit, prefixes: prefixes.clone() })?;
        let mut counts = vec![0u64; prefixes.len() * VALUES];
        for answer in &answers {
            let DoseStat::Digits(own) = answer else { return Err(lost()) };
            counts.iter_mut().zip(own).for_each(|(count, own)| *count += own);
        }
        for target in &mut targets {
            let at = prefixes.partition_point(|prefix| *prefix < target.prefix);
            let counts_of_target = &counts[at * VALUES..(at + 1) * VALUES];
            let mut before = 0;
            let value = counts_of_target.iter().position(|count| {
                let here = target.rank < before + count;
                before += if here { 0 } else { *count };
                here
            });
            let value = value.ok_or_else(lost)?;
            *target = RankTarget {
                prefix: target.prefix * VALUES as u64 + value as u64,
                rank: target.rank - before,
            };
        }
    }
    let values: Vec<f64> = targets.iter().map(|target| f64::from_bits(target.prefix)).collect();
    let quantile = |(p, pair): (&f64, &[f64])| {
        let (_, _, share) = around(p);
        pair[0] + share * (pair[1] - pair[0])
    };
    Ok(probabilities.iter().zip(values.chunks_exact(2)).map(quantile).collect())
}

fn lost() -> DidError {
    DidError::Engine { problem: "the doses that were counted are not those of the sample".into() }
}
