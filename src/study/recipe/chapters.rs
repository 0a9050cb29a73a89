//! The chapters of a report, in the order of the recipe.

use super::looks;
use super::options::{Study, file_name};
use super::run::{Made, Plan, Run, said};
use super::step::Step;
use crate::base::calendar::label;
use crate::base::error::DidWarning;
use crate::base::options::EstimationMethod;
use crate::estimator::GroupTimeResult;
use crate::estimator::aggregate::{Aggregated, Aggregation, AggregationKind, EventStudy};
use crate::estimator::honest::{Breakdown, Delta, Honest};
use crate::report::compare::{Comparable, Comparison};
use crate::report::foot::{p_value, percent};
use crate::report::number::{counted, short};
use crate::report::plot::PlotOptions;
use crate::result::inference::Estimate;
use crate::result::timings::Timings;

/// A chapter, and what fills it.
pub(super) struct Opening {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static [&'static str],
    pub fill: fn(&mut Run<'_>),
}

/// Another chapter is an entry here, with a function that adds its steps; one without steps is left out.
pub(super) const CHAPTERS: [Opening; 12] = [
    Opening {
        name: "data",
        title: "What the data are",
        about: &[
            "What kind of panel this is, who is treated when, and what the estimators would use of it. Look for units that are \
            missing in some periods, for cohorts of a few units, and for what is left out.",
        ],
        fill: looks::data,
    },
    Opening {
        name: "means",
        title: "How outcomes moved",
        about: &[
            "Mean outcomes of each cohort over time. Before treatment, cohorts should move alike, at whatever level; what moves \
            differently then is not likely to have moved alike afterwards.",
        ],
        fill: looks::means,
    },
    Opening {
        name: "balance",
        title: "Whether groups are alike",
        about: &[
            "Each cohort beside its comparison units in the last period before treatment. A normalised difference beyond 0.25 is \
            commonly taken to be large; outcomes that depend on such a covariate need it in the formula.",
        ],
        fill: looks::balance,
    },
    Opening {
        name: "effects",
        title: "Effects by group and period",
        about: &[
            "The average effect on each cohort in each period, by each method that was asked for. Effects before treatment are \
            placebos: they are zero under parallel trends and without anticipation.",
        ],
        fill: effects,
    },
    Opening {
        name: "overlap",
        title: "What the weighting does",
        about: &[
            "The main method weights the comparison units so that their covariates are those of the treated. Scores near one, few \
            effective units and differences that remain after weighting say that the groups have little in common.",
        ],
        fill: overlap,
    },
    Opening {
        name: "comparison",
        title: "The methods side by side",
        about: &[
            "The same averages by each method, with standard errors in parentheses. The methods share the data, so that a difference \
            between two of them is as a rule known more precisely than either: one that is within the standard errors of both \
            may still say that covariates or comparison units matter. Combinations of choices, which the key `vary` asks for, \
            have tests of such differences.",
        ],
        fill: comparison,
    },
    Opening {
        name: "two-way",
        title: "What a two-way regression would average",
        about: &[super::others::TWO_WAY],
        fill: super::others::two_way,
    },
    Opening {
        name: "estimators",
        title: "Other estimators, and other choices",
        about: &[super::others::ESTIMATORS],
        fill: super::others::estimators,
    },
    Opening {
        name: "averages",
        title: "Averages of the effects",
        about: &[
            "The effects of the main method as one number, by cohort and by period. The simple average weighs every treated unit and \
            period alike, so that cohorts that are treated early count for more.",
        ],
        fill: averages,
    },
    Opening {
        name: "event-study",
        title: "The event study",
        about: &[
            "Effects of the main method by the time since treatment. Each event time is an average over the cohorts that are \
            observed at it. Where these are not the same, event times differ for the cohorts, too; `balance_e` of an average \
            keeps the same cohorts from treatment on.",
        ],
        fill: event_study,
    },
    Opening {
        name: "pre-trends",
        title: "What a test of pre-trends would have found",
        about: &[
            "Passing a test of pre-trends says little if it has no power. Here are the slopes of a difference in trends that the \
            test would have missed often, and the bias that each would leave.",
        ],
        fill: pretrends,
    },
    Opening {
        name: "sensitivity",
        title: "What violations of parallel trends would change",
        about: &[
            "Intervals that remain valid if the difference in trends after treatment is bounded, by a given number or by what was \
            seen before treatment, and the breakdown value: the largest violation at which the effect stays significant.",
        ],
        fill: sensitivity,
    },
];

/// Whether a step has this name, which no variant can have then.
pub(super) fn is_step(name: &str, study: &Study) -> bool {
    const NAMES: [&str; 13] = [
        "describe",
        "panelview",
        "means",
        "means-relative",
        "balance",
        "balance-not-yet-treated",
        "balance-weighted",
        "overlap",
        "pretrends",
        "bacon",
        "twfe-weights",
        "estimators",
        "specifications",
    ];
    let averages = study.aggregations.iter().copied().chain([study.event_study()]);
    NAMES.contains(&name)
        || name.starts_with("compare-")
        || name.starts_with("honest-")
        || averages.into_iter().any(|average| name == file_name(&average.to_string()))
}

fn effects(run: &mut Run<'_>) {
    for variant in &run.study.variants {
        let name = variant.file_name();
        let plan = Plan {
            command: run.study.att_gt(variant, &name),
            title: variant.name.clone(),
            alt: Some(format!("Effects by group and period, {}, with intervals", variant.name)),
            name,
        };
        // A saved result has no seconds here, which would differ from run to run.
        let untimed = |fit: GroupTimeResult| GroupTimeResult { timings: Timings::default(), ..fit };
        let made = said((run.fit.variant)(variant).map(untimed));
        let made = run.show(plan, made);
        if let (Some(fit), Some(step)) = (&made, run.steps.last_mut()) {
            match fit.to_json() {
                Ok(json) => step.saved = Some(json),
                Err(error) => step.errors.push(format!("the saved result: {error}")),
            }
        }
        run.fits.push(made);
    }
    let name = run.study.variants[0].file_name();
    if let Some(wald) = run.fits[0].as_ref().and_then(|fit| fit.wald) {
        let is_crowded =
            |warning: &DidWarning| matches!(warning, DidWarning::CrowdedPretest { .. });
        let warnings = run.fits[0].iter().flat_map(|fit| &fit.warnings);
        let caveat = match warnings.into_iter().any(is_crowded) {
            true => ", of too many estimates for its units: it rejects too often",
            false => "",
        };
        let value = format!("p {}{caveat}", equal(&p_value(wald.p_value)));
        run.find("Test that all effects before treatment are zero", value, &name);
    }
}

/// `= 0.2`, or `< 0.00001` as it is.
fn equal(p: &str) -> String {
    if p.starts_with('<') { p.to_owned() } else { format!("= {p}") }
}

/// Overlap, and balance before and after weighting, of the main variant if it has covariates.
fn overlap(run: &mut Run<'_>) {
    let variant = &run.study.variants[0];
    if !run.study.weighs(variant) {
        return;
    }
    let has_scores = variant.method != EstimationMethod::OutcomeRegression;
    let (fit, main) = run.main();
    let made = fit.map(GroupTimeResult::overlap_by_cell);
    let command = run.study.of_saved("overlap", &main);
    let plan = Plan {
        name: "overlap".into(),
        title: "Overlap by group and period".into(),
        command: if has_scores { command.drawn(run.study, "overlap") } else { command },
        alt: has_scores.then(|| {
            "Propensity scores of treated and comparison units, with the trimming bound".into()
        }),
    };
    run.show(plan, made);
    let (fit, main) = run.main();
    let none = || "the fit has no balance".to_owned();
    let made = fit.and_then(|fit| fit.weighting.clone().ok_or_else(none));
    let plan = Plan {
        name: "balance-weighted".into(),
        title: "Balance before and after weighting".into(),
        command: run.study.of_saved("weighting", &main).drawn(run.study, "balance-weighted"),
        alt: Some("Normalised differences of the covariates before and after weighting".into()),
    };
    run.show(plan, made);
}

fn comparison(run: &mut Run<'_>) {
    let fits: Vec<_> = run.study.variants.iter().zip(&run.fits).collect();
    let there: Vec<_> =
        fits.iter().filter_map(|(variant, fit)| Some((*variant, fit.as_ref()?))).collect();
    if there.len() < 2 {
        return;
    }
    let missing: Vec<String> = fits
        .iter()
        .filter(|(_, fit)| fit.is_none())
        .map(|(variant, _)| format!("`{}` could not be estimated and is left out", variant.name))
        .collect();
    let mut steps = Vec::new();
    for aggregation in &run.study.aggregations {
        let of_steps: Vec<(&str, String)> =
            there.iter().map(|(variant, _)| (variant.name.as_str(), variant.file_name())).collect();
        let name = format!("compare-{}", file_name(&aggregation.to_string()));
        let drawn = aggregation.kind != AggregationKind::Simple;
        let command = run.study.compare(&of_steps, *aggregation);
        let plan = Plan {
            command: if drawn { command.drawn(run.study, &name) } else { command },
            title: title(aggregation),
            alt: drawn.then(|| format!("{}, by each method, with intervals", title(aggregation))),
            name,
        };
        let mut step = Step::of(&plan);
        step.warnings.extend(missing.iter().cloned());
        if let Err(error) = compare(&mut step, plan.alt, &there_aggregated(&there, *aggregation)) {
            step.errors.push(error);
        }
        steps.push(step);
    }
    run.steps = steps;
}

/// The average of each method, by the name of its column.
fn there_aggregated<'a>(
    fits: &[(&'a super::options::Variant, &GroupTimeResult)],
    aggregation: Aggregation,
) -> Vec<(&'a str, Made<Aggregated>)> {
    let average = |fit: &GroupTimeResult| said(fit.aggregate(aggregation));
    fits.iter().map(|(variant, fit)| (variant.name.as_str(), average(fit))).collect()
}

fn compare(
    step: &mut Step,
    alt: Option<String>,
    averages: &[(&str, Made<Aggregated>)],
) -> std::result::Result<(), String> {
    let mut models: Vec<(&str, &dyn Comparable)> = Vec::new();
    for (name, average) in averages {
        let average = average.as_ref().map_err(|error| format!("{name}: {error}"))?;
        models.push((name, average));
    }
    let comparison = said(Comparison::new(&models))?;
    step.put(said(comparison.table())?, Vec::new());
    step.draw(alt, || comparison.documents(&PlotOptions::default()));
    Ok(())
}

fn averages(run: &mut Run<'_>) {
    let dynamic = |aggregation: &&Aggregation| aggregation.kind != AggregationKind::Dynamic;
    for aggregation in run.study.aggregations.iter().filter(dynamic) {
        average(run, *aggregation);
    }
}

fn event_study(run: &mut Run<'_>) {
    let dynamic = |aggregation: &&Aggregation| aggregation.kind == AggregationKind::Dynamic;
    let asked: Vec<Aggregation> = run.study.aggregations.iter().filter(dynamic).copied().collect();
    for aggregation in if asked.is_empty() { vec![run.study.event_study()] } else { asked } {
        average(run, aggregation);
    }
}

fn average(run: &mut Run<'_>, aggregation: Aggregation) {
    let (fit, main) = run.main();
    let made = fit.and_then(|fit| said(fit.aggregate(aggregation)));
    let name = file_name(&aggregation.to_string());
    let drawn = aggregation.kind != AggregationKind::Simple;
    let command = run.study.aggregate(&main, aggregation);
    let plan = Plan {
        command: if drawn { command.drawn(run.study, &name) } else { command },
        title: title(&aggregation),
        alt: drawn
            .then(|| format!("{} on {}, with intervals", title(&aggregation), run.study.outcome)),
        name: name.clone(),
    };
    let Some(average) = run.show(plan, made) else { return };
    if let Some(value) = interval(&average.overall, average.alpha) {
        run.find(format!("Overall effect, {}", words(&average)), value, &name);
    }
}

fn title(aggregation: &Aggregation) -> String {
    let title = match aggregation.kind {
        AggregationKind::Simple => "Average effect",
        AggregationKind::Group => "Effects by cohort",
        AggregationKind::Calendar => "Effects by period",
        AggregationKind::Dynamic => "Effects by time since treatment",
    };
    let balanced = aggregation.balance_e.map(|periods| {
        let periods = counted(periods as usize, "period", "periods");
        format!("of cohorts observed for {periods} after treatment")
    });
    let left_out = aggregation.na_rm.then(|| "without cells that have no estimate".to_owned());
    let said = [window(aggregation.min_e, aggregation.max_e), balanced, left_out];
    let said: Vec<String> = said.into_iter().flatten().collect();
    if said.is_empty() { title.to_owned() } else { format!("{title} ({})", said.join(", ")) }
}

/// A range of event times in words.
fn window(min: Option<f64>, max: Option<f64>) -> Option<String> {
    match (min, max) {
        (Some(min), Some(max)) => Some(format!("from {} to {}", label(min), label(max))),
        (Some(min), None) => Some(format!("from {} on", label(min))),
        (None, Some(max)) => Some(format!("up to {}", label(max))),
        (None, None) => None,
    }
}

/// What an overall effect is an average of.
fn words(average: &Aggregated) -> String {
    let of = match average.aggregation.kind {
        AggregationKind::Simple => "average of treated units and periods",
        AggregationKind::Group => "average of cohorts",
        AggregationKind::Calendar => "average of periods",
        AggregationKind::Dynamic => "average of times since treatment",
    };
    let times = average.rows.iter().map(|row| row.at).filter(|at| *at >= 0.0);
    let (first, last) = (times.clone().reduce(f64::min), times.reduce(f64::max));
    match average.aggregation.kind {
        AggregationKind::Dynamic if first != last => match window(first, last) {
            Some(window) => format!("{of} {window}"),
            None => of.to_owned(),
        },
        _ => of.to_owned(),
    }
}

/// An estimate with its interval in words.
fn interval(estimate: &Estimate, alpha: f64) -> Option<String> {
    let value = short(estimate.estimate?);
    let (lower, upper) = (short(estimate.ci_lower?), short(estimate.ci_upper?));
    Some(format!("{value} ({}% interval from {lower} to {upper})", percent(alpha)))
}

fn pretrends(run: &mut Run<'_>) {
    let Some((study, main)) = analysed(run) else {
        let value = "left out: the event study has no effect before treatment";
        let step = file_name(&run.study.event_study().to_string());
        run.find("Tests of pre-trends, and violations of them", value, &step);
        return;
    };
    let made = study.and_then(|study| said(study.pretrends(run.study.pretrends.clone())));
    let plan = Plan {
        name: "pretrends".into(),
        title: "Power of the test, and equivalence".into(),
        command: run.study.pretrends(&main).drawn(run.study, "pretrends"),
        alt: Some("The event study with the violations of parallel trends that the test detects with given power".into()),
    };
    let Some(result) = run.show(plan, made) else { return };
    let slopes = result.alternatives.iter().filter_map(|alternative| {
        let slope = short(alternative.slope?);
        Some(format!("{slope} with {:.0}%", 100.0 * alternative.power))
    });
    let slopes: Vec<String> = slopes.collect();
    if !slopes.is_empty() {
        run.find("Slopes that the test of pre-trends detects", slopes.join(", "), "pretrends");
    }
}

/// The event study whose pre-trends are analysed, and the step that it is from; `None` if it has no effect before treatment.
fn analysed(run: &Run<'_>) -> Option<(Made<EventStudy>, String)> {
    let (fit, main) = run.main();
    let study = fit.and_then(|fit| {
        let average = said(fit.aggregate(run.study.event_study()))?;
        said(average.event_study())
    });
    let is_testable = |study: &EventStudy| study.event_times().iter().any(|at| *at < 0.0);
    study.as_ref().map_or(true, is_testable).then_some((study, main))
}

fn sensitivity(run: &mut Run<'_>) {
    let Some((study, main)) = analysed(run) else { return };
    for (number, asked) in run.study.sensitivity.iter().enumerate() {
        let asked = Honest { alpha: run.study.alpha, ..asked.clone() };
        let set = super::command::set(asked.delta, asked.restriction);
        let again = run.study.sensitivity[..number]
            .iter()
            .filter(|other| (other.delta, other.restriction) == (asked.delta, asked.restriction))
            .count();
        let name = match again {
            0 => format!("honest-{set}"),
            more => format!("honest-{set}-{}", more + 1),
        };
        let made = study.clone().and_then(|study| said(study.honest(asked.clone())));
        let plan = Plan {
            title: bound(asked.delta).into(),
            command: run.study.honest(&main, &asked).drawn(run.study, &name),
            alt: Some(format!("Robust intervals: {}", bound(asked.delta))),
            name: name.clone(),
        };
        let Some(result) = run.show(plan, made) else { continue };
        let value = match result.breakdown {
            Breakdown::At(m) => short(m),
            Breakdown::NotSignificant => {
                "none: the effect is not significant without violations".into()
            }
            Breakdown::AlwaysSignificant(m) => {
                format!("beyond {}, the largest that was tried", short(m))
            }
        };
        let symbol = if asked.delta == Delta::Smoothness { "M" } else { "Mbar" };
        run.find(format!("Breakdown value {symbol} ({set}), {}", result.parameter), value, &name);
    }
}

/// What bounds the violations.
fn bound(delta: Delta) -> &'static str {
    match delta {
        Delta::Smoothness => "Changes of slope at most M",
        Delta::RelativeMagnitude => "Changes at most Mbar times the largest before treatment",
        Delta::RelativeSmoothness => {
            "Changes of slope at most Mbar times the largest before treatment"
        }
    }
}
