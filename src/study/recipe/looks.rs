//! The first chapters: what the data are, how outcomes moved, and whether groups are alike.

use super::run::{Plan, Run, said};
use crate::base::options::ControlGroup;
use crate::report::number::counted;
use crate::study::explore::Explore;

pub(super) fn data(run: &mut Run<'_>) {
    let columns = said(run.study.columns_of_covariates());
    let named = columns.clone().unwrap_or_default();
    let plan = Plan {
        name: "describe".into(),
        title: "Description and rollout".into(),
        command: run.study.describe(&named).drawn(run.study, "describe"),
        alt: Some("Share of units that are treated, by period; the table has the numbers".into()),
    };
    let look = |columns: Vec<String>| {
        let mut explore = run.explore(&columns);
        explore.cluster.clone_from(&run.study.cluster);
        said(explore.describe(run.study.data.clone()))
    };
    let made = columns.and_then(look);
    if let Some(found) = run.show(plan, made) {
        let cohorts = found.cohorts.iter().filter(|cohort| cohort.group.is_some()).count();
        let value = [
            counted(found.n_units, "unit", "units"),
            counted(found.n_rows, "row", "rows"),
            counted(found.periods.len(), "period", "periods"),
            counted(cohorts, "cohort", "cohorts"),
        ];
        run.find("Data", value.join(", "), "describe");
    }
    panelview(run);
}

/// Who is observed and treated when; rows that are units of their own have no such picture.
fn panelview(run: &mut Run<'_>) {
    if run.study.unit.is_none() {
        return;
    }
    let plan = Plan {
        name: "panelview".into(),
        title: "Treatment status by unit and period".into(),
        command: run.study.look("panelview").drawn(run.study, "panelview"),
        alt: Some("Units by periods, coloured by whether they are observed and treated".into()),
    };
    let made = said(run.explore(&[]).panelview(run.study.data.clone()));
    run.show(plan, made);
}

pub(super) fn means(run: &mut Run<'_>) {
    for relative in [false, true] {
        let (name, title) = match relative {
            false => ("means", "Mean outcomes by cohort"),
            true => {
                ("means-relative", "Mean outcomes relative to the last period before treatment")
            }
        };
        let plan = Plan {
            name: name.into(),
            title: title.into(),
            command: run.study.means(relative).drawn(run.study, name),
            alt: Some(format!("{title}: {} over time, with intervals", run.study.outcome)),
        };
        let explore = Explore { relative, ..run.explore(&[]) };
        let made = said(explore.means(run.study.data.clone()));
        run.show(plan, made);
    }
}

pub(super) fn balance(run: &mut Run<'_>) {
    let columns = said(run.study.columns_of_covariates());
    let mut asked: Vec<ControlGroup> = Vec::new();
    for variant in &run.study.variants {
        if !asked.contains(&variant.control_group) {
            asked.push(variant.control_group);
        }
    }
    for control_group in asked {
        let look = |columns: Vec<String>| {
            said(run.explore(&columns).balance(run.study.data.clone(), control_group))
        };
        let made = columns.clone().and_then(look);
        let last = made.as_ref().is_ok_and(|balance| balance.last_cohort.is_some());
        let (name, units) = match control_group {
            ControlGroup::NeverTreated if last => ("balance", "the cohort that is treated last"),
            ControlGroup::NeverTreated => ("balance", "units that are never treated"),
            ControlGroup::NotYetTreated => ("balance-not-yet-treated", "units not yet treated"),
        };
        let named = columns.clone().unwrap_or_default();
        let plan = Plan {
            name: name.into(),
            title: format!("Cohorts beside {units}"),
            command: run.study.balance(&named, control_group).drawn(run.study, name),
            alt: Some(format!("Normalised differences of each cohort and {units}, by variable")),
        };
        run.show(plan, made);
    }
}
