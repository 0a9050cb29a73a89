//! The estimator of de Chaisemartin and D'Haultfœuille, of a treatment that starts in the group's period and stays.

use polars::prelude::{BooleanChunked, Column, DataFrame, NewChunkedArray};

use super::JointStudy;
use super::estimators::{FittedStudy, Fitting, by_code, foreign};
use super::sample::StudyRows;
use super::steps::Steps;
use crate::base::calendar::{TimeGrid, shown};
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Message, Result};
use crate::base::options::ControlGroup;
use crate::engine::backend::DidBackend;
use crate::estimator::switching::{DidMultiplegt, DidMultiplegtResult};
use crate::read::columns::{MISSING, Table};
use crate::read::panel::changing_group;

/// Rows with a column of who is treated.
struct TreatedRows {
    frame: DataFrame,
    treatment: String,
    /// Rows left out without a group.
    dropped: usize,
}

impl<B: DidBackend> Fitting<'_, B> {
    pub(super) fn did_multiplegt(&self) -> Result<FittedStudy> {
        let Self { config, specification, sample, rows, .. } = self;
        let steps = Steps::of(rows);
        let TreatedRows { frame, treatment, dropped } = rows.with_treatment(config, &steps.grid)?;
        // The first effect is at event time 0, the first placebo two periods before; a placebo needs the effect of its number.
        let most = rows.periods.len();
        let until = |end: Option<f64>| end.map_or(most, |end| most.min(steps.within(end) as usize));
        let [first, last] = config.ends(&steps.grid);
        let placebos = until(first.map(|first| -first - rows.shift)).saturating_sub(1);
        let effects = (until(last.map(|last| last + rows.shift)) + 1).max(placebos);
        let estimator = DidMultiplegt::builder()
            .outcome(&*config.outcome)
            .unit(&*config.unit)
            .time(&*config.time)
            .maybe_frequency(rows.frequency)
            .treatment(treatment)
            .effects(effects)
            .placebos(placebos)
            .only_never_switchers(self.control_group() == ControlGroup::NeverTreated)
            .covariates(&*specification.covariates)
            .maybe_weights(config.weights.clone())
            .cluster(&*sample.cluster)
            .alpha(config.alpha)
            .missing_values(Vec::<String>::new())
            .build();
        let fitted = estimator.fit_with_influence(&frame);
        let (mut fit, influence) = fitted.map_err(|error| of_group(error, &config.group))?;
        let renamed = |warning: DidWarning| warning.renamed(&sample.cluster, config.clustered_by());
        fit.warnings = fit.warnings.into_iter().map(renamed).collect();
        let step = steps.between(&config.time, rows, &fit.audit.periods)?;
        let study = fit.event_study().in_time(Some(step));
        let influence = by_code(sample, &influence.ok_or_else(foreign)?)?;
        let event_time = |horizon: i64| (horizon - 1) as f64 * step - rows.shift;
        let dropped = DidWarning::dropped(dropped, vec![(config.group.clone(), dropped)]);
        let dropped = dropped.map(|warning| warning.message(config.frequency));
        let warnings = dropped.into_iter().chain(words_of(&fit, &event_time)).collect();
        Ok(FittedStudy { study, influence, n_rows: fit.audit.cells, warnings })
    }
}

/// The error in the words of the group column, as the column of treatments is not one of the data.
fn of_group(error: DidError, group: &str) -> DidError {
    match error {
        DidError::NoSwitchers { .. } => DidError::NoSwitchers {
            column: group.to_owned(),
            why: "no unit that is first treated after its first period has a comparison unit, which is treated later or never",
        },
        other => other,
    }
}

/// What should be known of the fit. That there are no more effects or placebos is seen from those that there are, and what is said of
/// tests is of tests that are not shown.
fn words_of(fit: &DidMultiplegtResult, event_time: &dyn Fn(i64) -> f64) -> Vec<Message> {
    let dropped = &fit.audit.dropped;
    let counts = [
        (
            dropped.rows_averaged,
            "row was averaged with others of its unit and period",
            "rows were averaged with others of their unit and period",
        ),
        (
            dropped.groups_of_unknown_switch,
            "unit without a row in the first treated period or in the one before is a comparison unit until then",
            "units without a row in the first treated period or in the one before are comparison units until then",
        ),
    ];
    let there = counts.into_iter().filter(|(count, ..)| *count > 0);
    let mut words: Vec<Message> =
        there.map(|(count, one, several)| counted(count, one, several).into()).collect();
    let at = |horizons: &mut dyn Iterator<Item = i64>| {
        let times: Vec<String> = horizons.map(|horizon| shown(event_time(horizon), None)).collect();
        times.join(", ")
    };
    let coded = |warning: &DidWarning, text| Message { code: Some(warning.code().into()), text };
    words.extend(fit.warnings.iter().filter_map(|warning| match warning {
        DidWarning::FewerEffects { .. }
        | DidWarning::FewerPlacebos { .. }
        | DidWarning::SingularTest { .. } => None,
        DidWarning::NoSwitchersAt { horizon } => {
            let time = at(&mut std::iter::once(*horizon));
            let text = format!(
                "no estimate at event time {time}: no treated unit has a comparison unit there"
            );
            Some(coded(warning, text))
        }
        // The average total effect, 0, is not shown.
        DidWarning::NoStandardError { horizons, .. } => {
            let times = at(&mut horizons.iter().copied().filter(|horizon| *horizon != 0));
            let text = format!("no standard error at event time {times}");
            (!times.is_empty()).then(|| coded(warning, text))
        }
        other => Some(other.message(fit.settings.frequency)),
    }));
    words
}

impl StudyRows {
    /// The rows that have a group, with a column of who is treated.
    fn with_treatment<B: DidBackend>(
        &self,
        config: &JointStudy<B>,
        grid: &TimeGrid,
    ) -> Result<TreatedRows> {
        let table = Table::plain(&self.frame);
        let time = table.periods(&config.time, self.frequency)?;
        let group = table.first_periods(&config.group, self.frequency)?;
        let units = table.labels(&config.unit, "unit")?;
        let codes = units.codes();
        let mut group_of: Vec<Option<u16>> = vec![None; codes.labels.len()];
        for (row, (unit, code)) in codes.codes.iter().zip(&group.codes).enumerate() {
            if *unit == MISSING || time.is_missing(row) || group.is_missing(row) {
                continue;
            }
            let known = *group_of[*unit as usize].get_or_insert(*code);
            if known != *code {
                return Err(DidError::TimeVarying {
                    column: config.group.clone(),
                    role: "group",
                    unit: units.text(row),
                    remedy: changing_group([known, *code].map(|code| group.value(code))),
                });
            }
        }
        let is_treated = |(first, period): (&u16, &u16)| {
            u8::from(grid.elapsed(group.value(*first), time.value(*period)) >= 0.0)
        };
        let treated: Vec<u8> = group.codes.iter().zip(&time.codes).map(is_treated).collect();
        let has_group: Vec<bool> = (0..treated.len()).map(|row| !group.is_missing(row)).collect();
        drop(table);
        let mut name = "treatment".to_owned();
        while self.frame.column(&name).is_ok() {
            name.push('_');
        }
        let mut frame = self.frame.clone();
        frame.with_column(Column::new(name.as_str().into(), treated))?;
        let dropped = has_group.iter().filter(|has| !**has).count();
        if dropped > 0 {
            frame = frame.filter(&BooleanChunked::from_slice("kept".into(), &has_group))?;
        }
        Ok(TreatedRows { frame, treatment: name, dropped })
    }
}
