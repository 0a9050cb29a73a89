//! Where the time of a fit goes, by the library's `tracing` spans.

use std::collections::BTreeSet;

use super::common::case::{Case, Task};
use super::common::results::{digits, table};
use super::common::{Result, data};
use super::devices::Device;

/// Seconds in each span of one fit, analytic and with draws, for each device: columns are fits.
///
/// Spans of the library's target are taken as they come (`ingest`, `upload`, `cells`, `influence`, …), spans
/// within a span included in it; what is in none of them is the difference from the whole.
pub fn measure(devices: &[Device], case: &Case) -> Result<String> {
    let with_draws = Case { draws: 500, ..case.clone() };
    let analytic = Case { draws: 0, ..case.clone() };
    let mut head = vec!["stage".to_owned()];
    let mut fits = Vec::new();
    for device in devices {
        for (case, inference) in [(&analytic, "analytic"), (&with_draws, "500 draws")] {
            let task = Task { stages: true, ..Task::new(case, Some(data::parquet(case)?)) };
            head.push(format!("{}, {inference}", device.title()));
            fits.push(device.contestant()?.run(&task)?);
        }
    }
    let names: BTreeSet<&String> = fits.iter().flat_map(|fit| fit.stages.keys()).collect();
    let mut rows: Vec<Vec<String>> = names
        .iter()
        .map(|name| {
            let seconds = fits.iter().map(|fit| fit.stages.get(*name).copied().unwrap_or(f64::NAN));
            std::iter::once(format!("`{name}`")).chain(seconds.map(digits)).collect()
        })
        .collect();
    let whole = fits.iter().map(|fit| digits(fit.seconds));
    rows.push(std::iter::once("the fit".to_owned()).chain(whole).collect());
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    Ok(format!("{}:\n\n{}", analytic.describe(), table(&head, &rows)))
}
