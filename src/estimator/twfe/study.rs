//! What the rows of a study must be like.

use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::panel::overview::{Overview, PanelColumns};

/// An error unless units have one row a period, one group and one cluster, and there are two periods.
pub(in crate::estimator) fn check(overview: &Overview, columns: &PanelColumns) -> Result<()> {
    let found = &overview.found;
    let example = |example: &Option<String>| example.clone().unwrap_or_default();
    let unit = columns.unit.as_deref().unwrap_or_default();
    if found.duplicates.units > 0 {
        return Err(DidError::Panel {
            problem: format!(
                "{} two rows in a period (column `{unit}`), such as {}; keep one row per unit and period, as `panel::deduplicate` (`burn-did panel deduplicate`) does",
                counted(found.duplicates.units, "unit has", "units have"),
                example(&found.duplicates.example)
            ),
        });
    }
    if found.group_changes.units > 0 {
        let status = overview.group_values().iter().all(|g| matches!(*g, 1.0 | f64::INFINITY));
        return Err(DidError::TimeVarying {
            column: columns.group.clone().unwrap_or_default(),
            role: "group",
            unit: example(&found.group_changes.example),
            remedy: match status {
                true => {
                    "it looks like a treatment status of 0 and 1; `panel::first_treated` (`burn-did panel first-treated`) makes the first treated period of it, and says where treatment turns off"
                }
                false => {
                    "treatment must be irreversible, with one first treated period for all rows of a unit; for treatments that turn off see `DidMultiplegt` (`burn-did did-multiplegt`)"
                }
            },
        });
    }
    if found.cluster_changes.units > 0 {
        return Err(DidError::TimeVarying {
            column: columns.cluster.clone().unwrap_or_default(),
            role: "cluster",
            unit: example(&found.cluster_changes.example),
            remedy: "each unit must stay in one cluster",
        });
    }
    let [first, _, ..] = overview.periods() else {
        return Err(DidError::TooFewPeriods { periods: overview.periods().len() });
    };
    if overview.group_values().iter().any(|group| group > first && group.is_finite()) {
        return Ok(());
    }
    overview.status_as_group(columns.group.as_ref(), columns.frequency).map_or(Ok(()), Err)
}

/// An error for a control that is no number.
pub(super) fn check_controls(overview: &Overview, covariates: &[String]) -> Result<()> {
    let numbers = overview.number_names();
    match covariates.iter().find(|name| !numbers.contains(name)) {
        Some(column) => Err(DidError::ColumnType {
            column: column.clone(),
            role: "covariate",
            expected: "numbers, of which cells have means: an indicator for each text",
            got: "text".into(),
        }),
        None => Ok(()),
    }
}

/// Says which controls were left out, by their places.
pub(super) fn left_out(covariates: &[String], dependent: &[usize]) -> Option<DidWarning> {
    let columns: Vec<String> = dependent.iter().map(|at| covariates[*at].clone()).collect();
    (!columns.is_empty()).then_some(DidWarning::CollinearRegressors { columns })
}

/// Units with complete rows in some periods and not in all.
pub(super) fn units_with_gaps(overview: &Overview) -> usize {
    let periods = overview.periods().len();
    let gaps = overview.units().filter(|(_, observed, _)| observed.len() < periods);
    gaps.map(|(_, _, units)| units).sum()
}

/// An error unless every unit has a complete row in every period.
pub(super) fn check_balance(overview: &Overview, columns: &PanelColumns) -> Result<()> {
    let gaps = units_with_gaps(overview);
    if gaps == 0 {
        return Ok(());
    }
    let units: usize = overview.units().map(|(_, _, units)| units).sum();
    let periods = "keep the units with all periods (`panel::balance`; `burn-did panel balance`";
    let (lacking, remedy) = match overview.incomplete {
        0 => (String::new(), format!("{periods})")),
        rows => {
            let columns: Vec<&str> = overview.missing.iter().map(|(name, _)| &**name).collect();
            let present = columns.iter().map(|name| format!("--rows \"{name} is not missing\""));
            let present: Vec<String> = present.collect();
            (
                format!(
                    " ({} a value of {})",
                    counted(rows, "row lacks", "rows lack"),
                    columns.join(", ")
                ),
                format!("leave out these rows, and {periods} with `{}`)", present.join(" ")),
            )
        }
    };
    Err(DidError::Panel {
        problem: format!(
            "the decomposition is of balanced panels, and {gaps} of {units} units (column `{}`) have no complete row in some of the {} periods{lacking}; {remedy}, or use `TwfeWeights` (`burn-did twfe-weights`), which takes unbalanced panels",
            columns.unit.as_deref().unwrap_or_default(),
            overview.periods().len()
        ),
    })
}

/// The error of a treatment that effects of groups and periods determine, or these and the covariates.
pub(super) fn no_variation(columns: &PanelColumns, covariates: &[String]) -> DidError {
    if !covariates.is_empty() {
        return DidError::Panel {
            problem: format!(
                "effects of groups and periods and the covariates ({}) determine the treatment, so that no weight is left; leave out covariates, or add units that are never treated, or treated at other times",
                covariates.join(", ")
            ),
        };
    }
    DidError::Panel {
        problem: format!(
            "effects of groups and periods determine the treatment: in the periods of column `{}`, no treatment starts while other units (column `{}`) have none or had it all along; add units that are never treated, or treated at other times",
            columns.time,
            columns.group.as_deref().unwrap_or_default()
        ),
    }
}
