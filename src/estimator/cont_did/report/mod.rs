//! Effects of a continuous treatment in print.

mod compare;
#[cfg(feature = "plot")]
mod plot;

use std::fmt;

use crate::base::error::{DidWarning, Message, Result};
use crate::base::options::{CohortShares, CurveErrors, DoseAggregation, DoseMethod, DoseTarget};
use crate::estimator::aggregate::{Aggregated, Aggregation, LeftOut};
use crate::estimator::cont_did::{ContDidResult, DoseCurve, DoseRow, DoseTable};
use crate::report::contract::Report;
use crate::report::declare::result;
use crate::report::estimates::{Estimates, Variable};
use crate::report::number::{Digits, counted, point};
#[cfg(feature = "plot")]
use crate::report::plot::{Picture, PlotOptions};
use crate::report::table::{Align, EstimateColumns, Section, Table, columns};
use crate::report::{facts, foot};
use crate::result::inference::Estimate;

impl Report for ContDidResult {
    const KIND: &'static str = "cont_did";

    fn table(&self) -> Table {
        match self.aggregation {
            DoseAggregation::Dose => self.table_of(DoseTable::Dose),
            DoseAggregation::EventStudy => match self.dynamic(self.target) {
                Ok(study) => study.to_table(),
                // What cannot be averaged is shown as it is.
                Err(_) => self.table_of(DoseTable::Cells),
            },
        }
    }

    fn estimates(&self) -> Vec<Estimates> {
        let both = [DoseTarget::Level, DoseTarget::Slope];
        let parameter =
            |target: DoseTarget, n| Variable::words("parameter", vec![Some(target.parameter()); n]);
        let overall = both.map(|target| Some(target.parameter()));
        let overall = vec![Variable::words("parameter", overall)];
        let overall = Estimates::new("overall", overall, [self.overall.att, self.overall.acrt]);
        let curves = both.map(|target| {
            let rows = &self.dose.rows;
            let name = match target {
                DoseTarget::Level => "effects",
                DoseTarget::Slope => "slopes",
            };
            let keys = vec![
                parameter(target, rows.len()),
                Variable::numbers("dose", rows.iter().map(|row| Some(row.dose))),
            ];
            let estimates = rows.iter().map(|row| match target {
                DoseTarget::Level => row.att,
                DoseTarget::Slope => row.acrt,
            });
            let extrapolated = rows.iter().map(|row| Some(row.extrapolated));
            let statuses = facts::curve_statuses(estimates.clone().map(|e| e.estimate));
            Estimates::new(name, keys, estimates)
                .with([Variable::counts("extrapolated", extrapolated)])
                .with(statuses)
        });
        let cells = both.map(|target| {
            let name = match target {
                DoseTarget::Level => "effect_cells",
                DoseTarget::Slope => "slope_cells",
            };
            let cells = self.cells_of(target);
            cells.cell_estimates(name, vec![parameter(target, cells.cells.len())])
        });
        let study = self.asked_event_study().and_then(Result::ok);
        let study =
            study.iter().flat_map(Report::estimates).zip(["event_study", "event_study_overall"]);
        let study = study.map(|(table, name)| table.named(name));
        std::iter::once(overall).chain(curves).chain(cells).chain(study).collect()
    }

    fn about(&self) -> Vec<Variable> {
        let failed = self.asked_event_study().and_then(Result::err);
        let facts_of_doses = [
            Variable::fact("event_study_code", failed.as_ref().map(|error| error.code())),
            Variable::fact("event_study_error", failed.map(|error| error.to_string())),
            Variable::fact("curve_method", self.method.word()),
            Variable::fact("target", self.target.parameter()),
            Variable::fact("degree", self.knots.degree),
            Variable::fact("n_knots", self.knots.interior.len()),
            Variable::fact("overall_att", self.overall.att.estimate),
            Variable::fact("overall_att_se", self.overall.att.se),
            Variable::fact("overall_acrt", self.overall.acrt.estimate),
            Variable::fact("overall_acrt_se", self.overall.acrt.se),
            Variable::fact("critical_value_att", self.dose.critical_att),
            Variable::fact("critical_value_acrt", self.dose.critical_acrt),
            Variable::fact("n_warnings", self.messages().len()),
        ];
        facts::settings_without(&self.level.settings, &["method"])
            .into_iter()
            .chain(facts_of_doses)
            .collect()
    }

    /// Warnings of the fit, and those that only its averages have.
    fn messages(&self) -> Vec<Message> {
        let frequency = self.level.settings.frequency;
        let study = self.asked_event_study();
        let formed = study.as_ref().and_then(|study| study.as_ref().ok());
        let both = [DoseTarget::Level, DoseTarget::Slope].into_iter().filter(|_| formed.is_none());
        let overall = both.flat_map(|target| {
            let average = self.aggregate(target, Aggregation::group().na_rm(true));
            let said = average.map_or_else(|_| Vec::new(), |average| average.warnings);
            let said = said.into_iter().filter(DidWarning::is_of_average);
            said.map(move |w| w.message(frequency).about(target.parameter())).collect::<Vec<_>>()
        });
        let of_doses = facts::messages(&self.warnings, frequency).into_iter().chain(overall);
        let of_study = formed.into_iter().flat_map(|study| &study.warnings);
        let of_study = of_study.filter(|warning| !self.warnings.contains(warning));
        let of_study = of_study.map(|warning| warning.message(frequency).about("event study"));
        of_doses.chain(of_study).collect()
    }

    #[cfg(feature = "plot")]
    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        self.drawn(options)
    }
}

impl ContDidResult {
    /// Cells without an estimate that the overall effect, or the overall slope, was averaged without; `None` if nothing was left out.
    #[must_use]
    pub fn overall_left_out(&self, target: DoseTarget) -> Option<LeftOut> {
        self.aggregate(target, Aggregation::group().na_rm(true)).ok()?.left_out
    }

    /// The event study, if that was asked for.
    fn asked_event_study(&self) -> Option<Result<Aggregated>> {
        let by_exposure = Aggregation::dynamic().na_rm(true);
        (self.aggregation == DoseAggregation::EventStudy)
            .then(|| self.aggregate(self.target, by_exposure))
    }

    /// One of the tables.
    pub fn table_of(&self, table: DoseTable) -> Table {
        match table {
            DoseTable::Dose => self.doses(),
            DoseTable::Cells => self.cells_of(self.target).to_table(),
        }
    }

    fn doses(&self) -> Table {
        let alpha = self.level.settings.inference.alpha;
        let [lower, upper] = foot::overall_heads(alpha);
        let overall = [("ATT", &self.overall.att), ("ACRT", &self.overall.acrt)];
        let digits = Digits::of(overall.iter().map(|(_, e)| *e));
        let row = |(name, e): (&str, &Estimate)| {
            let mut row = vec![name.to_owned()];
            row.extend(columns(e, digits));
            row.extend(vec![String::new(); 5]);
            row
        };
        let header = |words: &[&str]| -> Vec<String> {
            let mut header: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            header.resize(11, String::new());
            header
        };
        let summary = Section {
            caption: Some("Averages over all treated units:".into()),
            header: header(&["", "Estimate", "Std. Error", &lower, &upper]),
            rows: overall.into_iter().map(row).collect(),
        };
        Table {
            title: "Effects of a Continuous Treatment".into(),
            align: self.dose.align(),
            sections: vec![summary, self.dose.section()],
            notes: self.notes(),
            caption: Some(foot::caption(
                "Effects of a Continuous Treatment",
                &self.level.settings.outcome,
            )),
            label: Some("cont-did".into()),
            estimates: [1, 6].map(EstimateColumns::from).into(),
            ..Table::default()
        }
    }

    /// The averages that the tables and pictures show, which say what they leave out.
    fn averages(&self) -> Vec<Aggregated> {
        let by_group = Aggregation::group().na_rm(true);
        let averages = match self.aggregation {
            DoseAggregation::Dose => {
                [DoseTarget::Level, DoseTarget::Slope].map(|of| self.aggregate(of, by_group)).into()
            }
            DoseAggregation::EventStudy => vec![self.dynamic(self.target)],
        };
        averages.into_iter().flatten().collect()
    }

    /// What the averages leave out, each with its parameter.
    fn left_out_notes(&self) -> Vec<String> {
        let said = |average: &Aggregated| {
            let left_out = average.left_out_summary()?;
            Some(format!("{}: {left_out}", average.settings.parameter()))
        };
        self.averages().iter().filter_map(said).collect()
    }

    fn notes(&self) -> Vec<String> {
        let settings = &self.level.settings;
        let mut notes = self.left_out_notes();
        notes.extend([foot::SIGNIF.to_owned(), String::new()]);
        notes.extend(foot::comparison(settings));
        let dose = settings.dose().unwrap_or_default();
        notes.push(format!(
            "Outcome: {}, Dose: {dose}, Curves: {}",
            settings.outcome,
            self.curves()
        ));
        let (low, high) = self.knots.range;
        notes.push(format!("Doses: {} to {}", point(low), point(high)));
        notes.push(foot::sample(settings));
        notes.push(format!("Std. Errors: {}{}", foot::errors(settings, None), self.more_errors()));
        notes.extend(foot::data(&self.level.audit, settings.frequency));
        let shown = |w: &&DidWarning| !matches!(w, DidWarning::NoPretest { .. });
        notes.extend(foot::warnings(settings, self.warnings.iter().filter(shown)));
        notes
    }

    /// A note on the standard errors of curves and slopes, in addition to the general one.
    pub(super) fn more_errors(&self) -> String {
        let groups = self.knots.groups.len();
        let shares = match self.curves.shares {
            CohortShares::Fixed if groups > 1 => ", given the groups' shares",
            CohortShares::Fixed | CohortShares::Estimated => "",
        };
        let errors = match self.curves.errors {
            CurveErrors::Hc0 => "",
            CurveErrors::Hc1 => ", curves and slopes HC1",
        };
        format!("{shares}{errors}")
    }

    fn curves(&self) -> String {
        let (degree, knots) = (self.knots.degree, self.knots.interior.len());
        let chosen = match self.method {
            DoseMethod::Parametric => "",
            DoseMethod::Cck => ", chosen by the data",
        };
        let knots = counted(knots, "interior knot", "interior knots");
        format!("splines of degree {degree} with {knots}{chosen}")
    }
}

impl DoseCurve {
    /// The table that `Display` prints.
    pub fn to_table(&self) -> Table {
        Table {
            title: "Effects by Dose".into(),
            align: self.align(),
            sections: vec![self.section()],
            notes: vec![foot::SIGNIF.to_owned()],
            label: Some("dose".into()),
            estimates: [1, 6].map(EstimateColumns::from).into(),
            ..Table::default()
        }
    }

    fn align(&self) -> Vec<Align> {
        let five = [vec![Align::Right; 4], vec![Align::Mark]].concat();
        [vec![Align::Right], five.clone(), five].concat()
    }

    fn section(&self) -> Section {
        let [att_lower, att_upper] = foot::interval_heads(self.band_att, self.alpha);
        let [acrt_lower, acrt_upper] = foot::interval_heads(self.band_acrt, self.alpha);
        let header = [
            "Dose",
            "ATT(d)",
            "Std. Error",
            &att_lower,
            &att_upper,
            "",
            "ACRT(d)",
            "Std. Error",
            &acrt_lower,
            &acrt_upper,
            "",
        ];
        let att = Digits::of(self.rows.iter().map(|row| &row.att));
        let acrt = Digits::of(self.rows.iter().map(|row| &row.acrt));
        let row = |row: &DoseRow| {
            let mut out = vec![point(row.dose)];
            for (e, digits) in [(&row.att, att), (&row.acrt, acrt)] {
                out.extend(columns(e, digits));
            }
            out
        };
        Section {
            caption: Some("Effects by dose, and their slopes:".into()),
            header: header.map(ToOwned::to_owned).into(),
            rows: self.rows.iter().map(row).collect(),
        }
    }
}

result!(ContDidResult);

impl fmt::Display for DoseCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_table().fmt(f)
    }
}
