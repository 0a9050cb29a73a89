//! Regressions side by side.

use super::{groups, stars};
use crate::estimator::fixed_effects::{Coefficient, RegressionResult};
use crate::report::foot;
use crate::report::number::Digits;
use crate::report::table::{Align, Section, Table};
use crate::result::inference::Estimate;

/// Regressions side by side, as R `fixest`'s `etable`: coefficients with stars, standard errors in parentheses under them, fixed
/// effects, observations and fit; one column a regression.
///
/// ```
/// use burn_did::{FixedEffects, backend::Cpu, data, regression::etable};
///
/// let fits = ["lemp ~ lpop", "lemp ~ lpop | year"].map(|formula| {
///     let config = FixedEffects::<Cpu>::builder().formula(formula).build();
///     config.fit(&data::mpdta())
/// });
/// let [plain, years] = fits;
/// let table = etable(&[("(1)", &plain?), ("(2)", &years?)]);
/// println!("{table}\n{}", table.to_latex());
/// assert!(table.to_string().contains("Observations"));
/// # Ok::<(), burn_did::DidError>(())
/// ```
pub fn etable(models: &[(&str, &RegressionResult)]) -> Table {
    if models.is_empty() {
        return Table::default();
    }
    let fits: Vec<&RegressionResult> = models.iter().map(|(_, fit)| *fit).collect();
    let line = |name: &str, cell: &dyn Fn(&RegressionResult) -> String| {
        let cells = fits.iter().map(|fit| cell(fit));
        [name.to_owned()].into_iter().chain(cells).collect::<Vec<String>>()
    };
    let mut header = vec![String::new()];
    header.extend(models.iter().map(|(name, _)| (*name).to_owned()));
    let outcome = line("Dependent variable", &|fit| fit.settings.outcome.clone());
    let first = Section { caption: None, header, rows: vec![outcome] };
    let mut sections = vec![first, Section { rows: coefficients(&fits), ..Section::default() }];
    let factors = unique(fits.iter().flat_map(|fit| fit.absorbed.iter().map(|a| a.name.as_str())));
    if !factors.is_empty() {
        let has = |fit: &RegressionResult, name: &str| fit.absorbed.iter().any(|a| a.name == name);
        let yes = |fit: &RegressionResult, name: &str| {
            (if has(fit, name) { "Yes" } else { "No" }).to_owned()
        };
        let rows = factors.iter().map(|name| line(name, &|fit| yes(fit, name))).collect();
        sections.push(Section {
            caption: Some("Fixed effects".into()),
            rows,
            ..Section::default()
        });
    }
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.5}"));
    let is_linear = |fit: &RegressionResult| fit.settings.family.is_linear();
    let mut rows = vec![
        line("S.E. type", &|fit| format!("{}{}", fit.settings.vcov.label(), groups(fit))),
        line("Observations", &|fit| fit.n.to_string()),
        line("R2", &|fit| number(fit.r2.filter(|_| is_linear(fit)))),
        line("Within R2", &|fit| number(fit.r2_within)),
        line("Pseudo R2", &|fit| number(fit.r2.filter(|_| !is_linear(fit)))),
    ];
    rows.retain(|row| row[1..].iter().any(|cell| !cell.is_empty()));
    sections.push(Section { rows, ..Section::default() });
    let mut align = vec![Align::Left];
    align.resize(models.len() + 1, Align::Centre);
    let notes = vec![
        "Standard errors in parentheses. Signif. codes: `***' 0.01, `**' 0.05, `*' 0.1".to_owned(),
    ];
    let mut outcomes: Vec<&str> = fits.iter().map(|fit| fit.settings.outcome.as_str()).collect();
    outcomes.dedup();
    let caption = match outcomes[..] {
        [one] => foot::caption("Regressions", one),
        _ => "Regressions".to_owned(),
    };
    Table {
        align,
        sections,
        notes,
        caption: Some(caption),
        label: Some("regressions".into()),
        ..Table::default()
    }
}

fn coefficients(fits: &[&RegressionResult]) -> Vec<Vec<String>> {
    let all: Vec<Estimate> =
        fits.iter().flat_map(|fit| fit.coefficients.iter().map(Coefficient::as_estimate)).collect();
    let digits = Digits::of(&all);
    let mut rows = Vec::new();
    for name in unique(fits.iter().flat_map(|fit| fit.names())) {
        let (mut above, mut below) = (vec![name.to_owned()], vec![String::new()]);
        for fit in fits {
            let found = fit.coefficient(name);
            above.push(found.map_or(String::new(), |c| {
                format!("{}{}", digits.show(Some(c.estimate)), stars(c))
            }));
            let se = found.and_then(|c| c.se);
            below.push(se.map_or(String::new(), |se| format!("({})", digits.show(Some(se)))));
        }
        rows.extend([above, below]);
    }
    rows
}

/// Names in the order in which they first occur.
fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = std::collections::HashSet::new();
    names.filter(|name| known.insert(*name)).collect()
}
