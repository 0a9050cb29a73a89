//! The words under a table: what the numbers are and how they were made.

use crate::base::calendar::{Frequency, exact, shown};
use crate::base::counted::counted;
use crate::base::error::DidWarning;
use crate::base::options::{
    Band, BasePeriod, EstimationMethod, FixWeights, Inference, Multiplier, Precision, Resampling,
    SharesOf,
};
use crate::result::fit_notes::FitNotes;
use crate::result::inference::Wald;

use crate::read::columns::ReadAsMissing;
use crate::read::files::{ChosenRows, FilesRead, RowsLeftOut};
use crate::read::panel::SampleAudit;
use crate::result::settings::{EstimatorSettings, Settings};

pub(crate) fn base_period(base: BasePeriod) -> &'static str {
    match base {
        BasePeriod::Varying => "Varying",
        BasePeriod::Universal => "Universal",
    }
}

pub(crate) fn group_shares(of: SharesOf) -> &'static str {
    match of {
        SharesOf::Eligible => "Eligible Units",
        SharesOf::All => "All Units",
    }
}

/// The two-by-two estimator, where there is a choice.
pub(crate) fn method(settings: &Settings) -> Option<&'static str> {
    match (settings.method(), &settings.estimator) {
        (Some(method), _) => Some(method_name(method)),
        (None, EstimatorSettings::AttGt { .. }) => Some("User-Supplied"),
        (None, _) => None,
    }
}

/// What tables call a two-by-two estimator.
pub(crate) fn method_name(method: EstimationMethod) -> &'static str {
    match method {
        EstimationMethod::DoublyRobust => "Doubly Robust",
        EstimationMethod::Ipw => "Inverse Probability Weighting",
        EstimationMethod::OutcomeRegression => "Outcome Regression",
    }
}

pub(crate) fn multiplier(law: Multiplier) -> &'static str {
    match law {
        Multiplier::Mammen => "Mammen",
        Multiplier::Rademacher => "Rademacher",
        Multiplier::Webb => "Webb",
        Multiplier::Gaussian => "Gaussian",
    }
}

/// Confidence level in percent, as `95` or `99.9`. The digits are those of the least alpha that is allowed, 1e-10.
pub(crate) fn percent(alpha: f64) -> String {
    exact((100.0 * (1.0 - alpha) * 1e10).round() / 1e10)
}

/// The two heads over the ends of the intervals.
pub(crate) fn interval_heads(band: Band, alpha: f64) -> [String; 2] {
    let level = percent(alpha);
    match band {
        Band::Uniform => [format!("[{level}% Uniform"), "Conf. Band]".into()],
        Band::Pointwise => [format!("[{level}% Pointwise"), "Conf. Band]".into()],
    }
}

/// The two heads over the ends of an overall effect's interval.
pub(crate) fn overall_heads(alpha: f64) -> [String; 2] {
    [format!("[{}% Pointwise", percent(alpha)), "Conf. Int.]".into()]
}

pub(crate) fn p_value(p: f64) -> String {
    if p < 0.000_01 { "< 0.00001".into() } else { format!("{p:.5}") }
}

/// A p-value in a table.
pub(crate) fn p_cell(p: Option<f64>) -> String {
    p.map_or("NA".into(), p_value)
}

/// A p-value in an equation or after a colon.
pub(crate) fn p_equals(p: f64) -> String {
    let shown = p_value(p);
    if shown.starts_with('<') { format!("p {shown}") } else { format!("p = {shown}") }
}

/// The two heads over the ends of the interval of a regression's coefficient.
pub(crate) fn coefficient_heads(alpha: f64) -> [String; 2] {
    [format!("{}% CI from", percent(alpha)), "to".into()]
}

/// How standard errors were formed: `resampled`, if there was another bootstrap than that by multipliers.
pub(crate) fn errors(settings: &Settings, resampled: Option<String>) -> String {
    let Inference { bootstrap, .. } = settings.inference;
    let multiplied = bootstrap.map(|b| match settings.resampling() {
        Some(Resampling::Weighted) => {
            format!("weighted bootstrap ({} draws, seed {})", b.draws, b.seed)
        }
        Some(Resampling::Empirical) => {
            let units = if settings.n_clusters.is_some() { "clusters" } else { "units" };
            format!("empirical bootstrap ({} draws of {units}, seed {})", b.draws, b.seed)
        }
        Some(Resampling::Multiplier) | None => format!(
            "multiplier bootstrap ({}, {} draws, seed {})",
            multiplier(b.multiplier),
            b.draws,
            b.seed
        ),
    });
    let mut out = resampled.or(multiplied).unwrap_or_else(|| "analytic".to_owned());
    if let Some(cluster) = &settings.cluster {
        out.extend([", clustered by ", cluster]);
    }
    if let Some(n) = settings.n_clusters {
        out.extend([" (", &counted(n, "cluster", "clusters"), ")"]);
    }
    out
}

/// A table's title with what it is about, for print.
pub(crate) fn caption(title: &str, outcome: &str) -> String {
    format!("{title}: {outcome}")
}

/// What stars mean where intervals may be uniform bands, and where they are pointwise.
pub(crate) const SIGNIF: &str = "Signif. codes: `*' confidence band does not cover 0";
pub(crate) const SIGNIF_POINTWISE: &str = "Signif. codes: `*' confidence interval does not cover 0";

pub(crate) fn notes(settings: &Settings, wald: Option<&Wald>) -> Vec<String> {
    let mut notes = vec![SIGNIF.to_owned(), String::new()];
    if let Some(wald) = wald {
        let p = p_value(wald.p_value);
        notes.push(format!("P-value for pre-test of parallel trends assumption: {p}"));
    }
    notes.extend(comparison(settings));
    if let Some(of) = settings.shares_of() {
        notes.push(format!("Group Shares: {}", group_shares(of)));
    }
    let Settings { outcome, covariates, .. } = settings;
    notes.push(match (method(settings), settings.dose()) {
        (_, Some(dose)) => format!("Outcome: {outcome}, Dose: {dose}"),
        (Some(method), None) => {
            format!("Estimation Method: {method}, Outcome: {outcome}, Covariates: {covariates}")
        }
        (None, None) => format!("Outcome: {outcome}, Covariates: {covariates}"),
    });
    notes.push(sample(settings));
    notes.push(format!("Std. Errors: {}", errors(settings, None)));
    notes
}

/// What treated units are compared with, and since when.
pub(crate) fn comparison(settings: &Settings) -> Option<String> {
    let (controls, base) = (settings.comparison_units()?, base_period(settings.base_period()?));
    Some(match settings.eligible() {
        Some(eligible) => {
            format!("Eligibility: {eligible}, Control Group: {controls}, Base Period: {base}")
        }
        None => {
            let periods = settings.anticipation();
            format!(
                "Control Group: {controls}, Anticipation Periods: {periods}, Base Period: {base}"
            )
        }
    })
}

pub(crate) fn sample(settings: &Settings) -> String {
    let Settings { n_units, n_rows, layout, .. } = settings;
    let mut out = if settings.rows_are_units() {
        format!("Rows: {n_rows} ({})", layout.label())
    } else {
        format!("Units: {n_units}, Rows: {n_rows} ({})", layout.label())
    };
    if let Some(weights) = &settings.weights {
        out.extend([", Weights: ", weights]);
        out.extend(settings.fix_weights().map(|which| match which {
            FixWeights::Varying => " (each row its own)",
            FixWeights::BasePeriod => " (of the base period)",
            FixWeights::FirstPeriod => " (of the first period)",
        }));
    }
    if settings.precision == Precision::F32 {
        out.push_str(", Precision: single (f32)");
    }
    out
}

/// How many rows a regression has, and how many were left out as they alone have a level of a fixed effect.
pub(crate) fn rows_of_regression(rows: usize, singletons: usize) -> String {
    match singletons {
        0 => format!("Rows: {rows}"),
        _ => format!("Rows: {rows} ({} dropped)", counted(singletons, "singleton", "singletons")),
    }
}

/// Which of several files were read, and what was read as missing.
pub(crate) fn data(audit: &SampleAudit, frequency: Option<Frequency>) -> Vec<String> {
    let missing = audit.read_as_missing.iter().filter(|entry| !entry.never_treated).cloned();
    let mut lines = reading(&audit.files, &missing.collect::<Vec<_>>());
    lines.extend(never_treated(audit, frequency).map(|units| format!("{NEVER_TREATED}{units}")));
    lines
}

/// What the line begins with that says what stands for never treated.
const NEVER_TREATED: &str = "Never treated: ";

/// Groups that are named, at most.
const NAMED: usize = 5;

/// How many units are never treated, if something else than 0 says so.
pub(crate) fn never_treated(audit: &SampleAudit, frequency: Option<Frequency>) -> Option<String> {
    let mut signs = without_group(&audit.read_as_missing);
    if !audit.groups_after.is_empty() {
        let units: usize = audit.groups_after.iter().map(|(_, units)| units).sum();
        let mut groups: Vec<String> =
            audit.groups_after.iter().take(NAMED).map(|(g, _)| shown(*g, frequency)).collect();
        if audit.groups_after.len() > NAMED {
            groups.push("and so on".into());
        }
        let groups = groups.join(", ");
        let units = counted(units, "unit has", "units have");
        signs.push(format!("{units} a group after the last period: {groups}"));
    }
    let units = counted(audit.never_treated, "unit", "units");
    (!signs.is_empty()).then(|| format!("{units} ({})", signs.join("; ")))
}

/// In how many rows which word of the group column, or none, stands for never treated, and whether a code does in others.
fn without_group(missing: &[ReadAsMissing]) -> Vec<String> {
    let sign = |entry: &ReadAsMissing| {
        let is = match entry.token.as_str() {
            "" => "missing".to_owned(),
            token => format!("`{token}`"),
        };
        format!("`{}` is {is} in {}", entry.column, counted(entry.values, "row", "rows"))
    };
    let stand = missing.iter().filter(|entry| entry.never_treated);
    let mut signs: Vec<String> = stand.clone().map(sign).collect();
    let beside = stand.clone().find(|entry| entry.beside_code);
    signs.extend(beside.map(|entry| format!("`{}` is 0 or infinite in others", entry.column)));
    signs
}

/// As [`data`], of whatever audit.
pub(crate) fn reading(files: &FilesRead, missing: &[ReadAsMissing]) -> Vec<String> {
    let mut lines = Vec::new();
    let FilesRead { number, paths, chosen } = files;
    if let (Some(first), 2..) = (paths.first(), *number) {
        lines.push(match paths.last().filter(|_| *number == paths.len()) {
            Some(last) => format!("Files: {number}, {first} to {last}"),
            None => format!("Files: {number}, {first} and so on"),
        });
    }
    lines.extend(chosen.as_ref().map(rows));
    let mut read: Vec<&ReadAsMissing> =
        missing.iter().filter(|entry| !entry.never_treated).collect();
    read.sort_by(|a, b| a.column.cmp(&b.column));
    for of_column in read.chunk_by(|a, b| a.column == b.column) {
        let shown = of_column.iter().map(|entry| match entry.token.as_str() {
            "" => format!("empty ({})", entry.values),
            token => format!("`{token}` ({})", entry.values),
        });
        let shown: Vec<String> = shown.collect();
        lines.push(format!("Read as missing in {}: {}", of_column[0].column, shown.join(", ")));
    }
    let never = without_group(missing);
    if !never.is_empty() {
        lines.push(format!("{NEVER_TREATED}units whose {}", never.join("; ")));
    }
    lines
}

/// How many rows of the files were chosen, and which conditions left out the others.
fn rows(chosen: &ChosenRows) -> String {
    let ChosenRows { rows, chosen, left_out } = chosen;
    let conditions = left_out.iter().map(|left_out| {
        let RowsLeftOut { condition, rows, missing } = left_out;
        let missing = match missing {
            0 => String::new(),
            missing => format!(", {missing} of them missing"),
        };
        format!("`{condition}` leaves out {rows}{missing}")
    });
    let conditions: Vec<String> = conditions.collect();
    format!("Rows chosen: {chosen} of {rows} ({})", conditions.join("; "))
}

/// The lines of a foot that say what the numbers are: without those on the marks and rows of the printed table, and without `warnings`, which a
/// document has beside them.
pub(crate) fn of_document<'a>(foot: &'a [String], warnings: &[String]) -> Vec<&'a str> {
    let is_of_table = |line: &str| {
        let footnote = line.strip_prefix('(').and_then(|rest| rest.split_once(") "));
        line.is_empty()
            || ["Signif. codes: ", "Shown: "].iter().any(|start| line.starts_with(start))
            || footnote.is_some_and(|(mark, _)| mark.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_warning = |line: &str| {
        let said = line.strip_prefix(WARNING);
        said.is_some_and(|said| warnings.iter().any(|warning| warning == said))
    };
    let lines = foot.iter().map(String::as_str);
    lines.filter(|line| !is_of_table(line) && !is_warning(line)).collect()
}

/// What the line of a warning begins with.
const WARNING: &str = "Warning: ";

/// What the fit behind a result said of its data.
pub(crate) fn of_fit(notes: &FitNotes) -> impl Iterator<Item = String> {
    let warnings = notes.warnings.iter().map(|warning| format!("{WARNING}{warning}"));
    let never = notes.never_treated.iter().map(|units| format!("{NEVER_TREATED}{units}"));
    notes.rows.iter().map(rows).chain(never).chain(warnings)
}

pub(crate) fn warnings<'a>(
    settings: &Settings,
    warnings: impl IntoIterator<Item = &'a DidWarning>,
) -> impl Iterator<Item = String> {
    let frequency = settings.frequency;
    warnings.into_iter().map(move |w| format!("{WARNING}{}", w.shown(frequency)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_what_the_foot_says_of_the_numbers() {
        let foot = [
            SIGNIF,
            "",
            "(1) no units",
            "(a) is a name",
            "Rows: 5",
            "Warning: few",
            "Warning: of the fit",
        ];
        let foot = foot.map(str::to_owned);
        let said = of_document(&foot, &["few".to_owned()]);
        assert_eq!(said, ["(a) is a name", "Rows: 5", "Warning: of the fit"]);
    }

    #[test]
    fn levels_have_all_their_digits() {
        for (alpha, shown) in [
            (0.05, "95"),
            (0.1, "90"),
            (1.0 / 3.0, "66.6666666667"),
            (0.001, "99.9"),
            (1e-9, "99.9999999"),
            (1e-10, "99.99999999"),
        ] {
            assert_eq!(percent(alpha), shown);
        }
    }
}
