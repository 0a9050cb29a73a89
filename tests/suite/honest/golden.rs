//! Sensitivity analyses: golden cases of R `HonestDiD`, and event studies of this crate's estimators.

use burn_did::backend::Cpu;
use burn_did::data;
use burn_did::{
    Aggregation, AttGt, DidError, DidWarning, EventStudy, GroupTimeResult, Honest, HonestResult,
    options::BasePeriod,
    report::PlotOptions,
    sensitivity::{Breakdown, Delta, HonestMethod, Restriction},
};
use serde_json::Value;

use crate::support::departures::{Departure, of_honest};

fn golden() -> Value {
    serde_json::from_str(include_str!("../../golden/honest.json")).unwrap()
}

/// The case as options; `None` for the original interval.
fn options(case: &Value) -> Option<Honest> {
    let method = match case["method"].as_str()? {
        "FLCI" => HonestMethod::FixedLength,
        "Conditional" => HonestMethod::Conditional,
        "C-F" => HonestMethod::ConditionalFixedLength,
        "C-LF" => HonestMethod::ConditionalLeastFavourable,
        other => panic!("{other}"),
    };
    let mut options = match case["delta"].as_str()? {
        "sd" => Honest::smoothness(),
        "rm" => Honest::relative_magnitude(),
        "sdrm" => Honest::relative_smoothness(),
        other => panic!("{other}"),
    };
    options.restriction = match (case["bias"].as_str(), case["monotonicity"].as_str()) {
        (None, None) => None,
        (Some("positive"), None) => Some(Restriction::PositiveBias),
        (None, Some("increasing")) => Some(Restriction::Increasing),
        other => panic!("{other:?}"),
    };
    if case["l_vec"] == "avg" {
        options = options.average();
    }
    let points = usize::try_from(case["grid_points"].as_u64()?).unwrap();
    let m = case["m"].as_array()?.iter().map(|m| m.as_f64().unwrap());
    Some(options.method(method).m(m).grid_points(points))
}

fn ends(rows: &Value) -> Vec<[f64; 2]> {
    let row = |r: &Value| [0, 1].map(|i| r[i].as_f64().unwrap());
    rows.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn golden_cases_agree() {
    let golden = golden();
    let mut tested = 0;
    for (name, entry) in golden.as_object().unwrap() {
        let study = EventStudy::from_json(&entry["study"].to_string()).unwrap();
        for case in entry["cases"].as_array().unwrap() {
            let id = case["id"].as_str().unwrap();
            let expected = ends(&case["rows"]);
            let Some(options) = options(case) else {
                let original = study.honest(Honest::smoothness().m([0.0])).unwrap().original;
                for (found, expected) in
                    [original.ci_lower, original.ci_upper].iter().zip(expected[0])
                {
                    assert!((found.unwrap() - expected).abs() < 1e-10, "{id}");
                }
                continue;
            };
            let result = study.honest(options.clone()).unwrap();
            let found: Vec<[f64; 2]> =
                result.intervals.iter().map(|i| [i.lower.unwrap(), i.upper.unwrap()]).collect();
            assert_eq!(found.len(), expected.len(), "{id}");
            for (j, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let off = (0..2).map(|i| (found[i] - expected[i]).abs()).fold(0.0, f64::max);
                if !of_honest(case).contains(&Departure::HonestGrids) {
                    let length = expected[1] - expected[0];
                    assert!(off < 0.015 * length, "{name} {id} {j}: {found:?} {expected:?}");
                    if let Some(conic) = case.get("conic").map(|c| ends(c)[j]) {
                        let off = ((found[1] - found[0]) - (conic[1] - conic[0])).abs();
                        assert!(off < 1e-5 * length, "{name} {id} {j}: {found:?} {conic:?}");
                        let shift = 0.5 * (found[0] + found[1] - conic[0] - conic[1]);
                        assert!(
                            shift.abs() < 2e-3 * length,
                            "{name} {id} {j}: {found:?} {conic:?}"
                        );
                    }
                } else {
                    let width = 40.0 * result.original.se.unwrap();
                    // The grid of a smooth set is wider by the identified set.
                    let width = match options.delta {
                        Delta::Smoothness => width + 2.0 * 6.0 * result.intervals[j].m,
                        _ => width,
                    };
                    let step = width / (options.grid_points.unwrap() - 1) as f64;
                    assert!(off <= 1.001 * step, "{name} {id} {j}: {found:?} {expected:?} {step}");
                }
            }
            tested += 1;
        }
    }
    assert_eq!(tested, 39);
}

fn fit(base: BasePeriod) -> GroupTimeResult {
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").base_period(base).build();
    config.fit(data::mpdta()).unwrap()
}

#[test]
fn a_varying_base_becomes_the_universal_one() {
    let [varying, universal] = [BasePeriod::Varying, BasePeriod::Universal].map(fit);
    for aggregation in [
        Aggregation::dynamic(),
        Aggregation::dynamic().min_e(-3.0).max_e(2.0),
        Aggregation::dynamic().balance_e(1),
    ] {
        let [varying, universal] =
            [&varying, &universal].map(|fit| fit.aggregate(aggregation).unwrap());
        let [a, b] = [&varying, &universal].map(|a| a.event_study().unwrap().universal_base());
        assert_eq!(a.event_times(), b.event_times());
        for (a, b) in a.coefficients().iter().zip(b.coefficients()) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        let options = || Honest::relative_magnitude().m([0.5, 1.0]);
        let [a, b] = [&varying, &universal].map(|a| a.honest(options()).unwrap());
        for (a, b) in a.intervals.iter().zip(&b.intervals) {
            for (a, b) in [(a.lower, b.lower), (a.upper, b.upper)] {
                assert!((a.unwrap() - b.unwrap()).abs() < 1e-9, "{a:?} {b:?}");
            }
        }
        assert_eq!(a.warnings, [DidWarning::ConvertedBasePeriod]);
        assert!(b.warnings.is_empty());
    }
}

#[test]
fn anticipation_moves_the_reference() {
    // Without the group of 2004, which may anticipate in the first year, and with the reference two years before treatment.
    for base in [BasePeriod::Varying, BasePeriod::Universal] {
        let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        let config = config.group("first.treat").anticipation(1).base_period(base).build();
        let fit = config.fit(data::mpdta());
        let study = fit.unwrap().event_study().unwrap();
        assert_eq!(study.universal_base().event_times(), [-4.0, -3.0, -1.0, 0.0, 1.0]);
        let honest = study.honest(Honest::relative_magnitude().m([1.0])).unwrap();
        assert_eq!(honest.weights, [0.0, 1.0, 0.0]);
        let average = study.honest(Honest::relative_magnitude().m([1.0]).average()).unwrap();
        assert_eq!(average.weights, [0.0, 0.5, 0.5]);
    }
}

#[test]
fn other_aggregates_are_refused() {
    let fit = fit(BasePeriod::Universal);
    let refused = |aggregation: Aggregation, words: &str| {
        let honest = fit.aggregate(aggregation).unwrap().honest(Honest::smoothness());
        let error = honest.unwrap_err();
        assert!(matches!(error, DidError::EventStudy { .. }));
        assert!(error.to_string().contains(words), "{error}");
    };
    refused(Aggregation::simple(), "the aggregation is simple");
    refused(Aggregation::group(), "the aggregation is group");
    refused(Aggregation::dynamic().min_e(0.0), "no event time is the base period");
    refused(Aggregation::dynamic().min_e(-1.0), "no period before");
    refused(Aggregation::dynamic().max_e(-1.0), "no period after");
}

fn analysis() -> HonestResult {
    let event_study = fit(BasePeriod::Universal).aggregate(Aggregation::dynamic()).unwrap();
    event_study.honest(Honest::relative_magnitude().m([0.0, 0.5, 1.0]).average()).unwrap()
}

#[test]
fn tables_have_every_interval() {
    let result = analysis();
    let text = result.to_string();
    for words in [
        "Sensitivity to Violations of Parallel Trends",
        "Mbar",
        "Original",
        "C-LF",
        "average effect after treatment",
        "Breakdown Value",
        "DeltaRM",
        "Outcome: lemp",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    let times = "Event times: -4 to -2 before treatment, 0 to 3 after";
    let latex = r"Event times: $-$4 to $-$2 before treatment, 0 to 3 after\par";
    assert!(text.contains(times) && result.to_markdown().contains(times), "{text}");
    assert!(result.to_latex().contains(latex), "{}", result.to_latex());
    let window = Aggregation::dynamic().min_e(-3.0).max_e(0.0);
    let window = fit(BasePeriod::Universal).aggregate(window).unwrap();
    let window = window.honest(Honest::relative_magnitude().m([1.0])).unwrap().to_string();
    assert!(window.contains("Event times: -3 to -2 before treatment, 0 after"), "{window}");
    assert_eq!(result.to_dataframe().unwrap().height(), 4);
    let csv = result.to_csv().unwrap();
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    for name in ["m", "ci_lower", "ci_upper", "open", "open_below", "open_above", "method", "delta"]
    {
        assert!(header.contains(&name), "{name} in {header:?}");
    }
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(result.to_markdown().contains("| 0.5"), "{}", result.to_markdown());
    assert!(result.to_latex().contains(r"\toprule"));
    let [lower, upper] = [0.0, 1.0];
    let smooth = Honest::smoothness().m([lower, upper]).restriction(Restriction::Decreasing);
    let study = fit(BasePeriod::Universal).aggregate(Aggregation::dynamic()).unwrap();
    let smooth = study.honest(smooth).unwrap();
    assert_eq!((smooth.name.as_str(), smooth.method.label()), ("DeltaSDD", "C-F"));
    assert!(smooth.to_string().contains("does not rise"), "{smooth}");
}

#[test]
fn plots_show_original_and_robust_intervals_and_the_breakdown_value() {
    let result = analysis();
    let svg = result.to_svg(&PlotOptions::new().title("How robust?")).unwrap();
    for words in ["How robust?", "original interval", "robust interval (C-LF, DeltaRM)"] {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!(svg.contains("Breakdown value"), matches!(result.breakdown, Breakdown::At(_)));
    let path = std::env::temp_dir().join(format!("burn-did-honest-{}.png", std::process::id()));
    result.plot(&path).unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
    std::fs::remove_file(path).unwrap();
    // One interval alone.
    let study = result.study.honest(Honest::relative_magnitude().m([0.0])).unwrap();
    assert!(study.to_svg(&PlotOptions::new()).is_ok());
}

#[test]
fn saved_analyses_are_read_back_and_checked() {
    let result = analysis();
    let path = std::env::temp_dir().join(format!("burn-did-honest-{}.json", std::process::id()));
    result.save(&path).unwrap();
    assert_eq!(HonestResult::load(&path).unwrap(), result);
    let text = std::fs::read_to_string(&path).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    for (pointer, value) in [
        ("/result/weights", serde_json::json!([1.0])),
        ("/result/options/alpha", serde_json::json!(2.0)),
        ("/result/original/se", serde_json::json!(-1.0)),
        ("/result/intervals/0/upper", serde_json::json!(-9.0)),
        ("/result/intervals/0/lower", Value::Null),
        ("/result/study/rows", serde_json::json!([])),
        ("/format", serde_json::json!(99)),
    ] {
        let mut changed = whole.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        std::fs::write(&path, changed.to_string()).unwrap();
        assert!(matches!(HonestResult::load(&path), Err(DidError::Json(_))), "{pointer}");
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn aggregates_survive_json_with_their_universal_base() {
    let aggregate = fit(BasePeriod::Varying).aggregate(Aggregation::dynamic()).unwrap();
    let text = serde_json::to_string(&aggregate).unwrap();
    let back: burn_did::Aggregated = serde_json::from_str(&text).unwrap();
    assert_eq!(back, aggregate);
    assert_eq!(back.event_study().unwrap(), aggregate.event_study().unwrap());
}
