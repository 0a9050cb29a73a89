//! Saved results: read back to the last bit, and whatever was done to a file in between, an answer or an error that names the
//! field.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use burn_did::backend::Cpu;
use burn_did::data::{TripleSimulation, TwoPeriodSimulation};
use burn_did::{
    Aggregation, Ddd, DidError, Drdid, DrdidResult, GroupTimeResult, compare,
    options::{Band, Bootstrap, Resampling},
    report::{Comparable, PlotOptions},
};
use serde_json::{Value, json};

use crate::support::spec::Spec;
use crate::support::splitmix;

/// A file that is removed at the end of a test.
struct Saved(PathBuf);

impl Saved {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("burn-did-{name}-{}.json", std::process::id())))
    }

    fn write(&self, text: &str) {
        std::fs::write(&self.0, text).unwrap();
    }

    fn read(&self) -> Value {
        serde_json::from_str(&std::fs::read_to_string(&self.0).unwrap()).unwrap()
    }
}

impl Drop for Saved {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Group-time effects with everything that a result can have.
fn group_time() -> GroupTimeResult {
    let bootstrap = Some(Bootstrap::draws(3).seed(u64::MAX));
    let spec = Spec { bootstrap, band: Band::Uniform, ..Spec::default().covariates("~ x1") };
    spec.cluster("cl").fit(&splitmix::panel(42, 60, [3, 3, 5, 0]))
}

fn triple() -> GroupTimeResult {
    let data = TripleSimulation::builder().units(400).periods(4).cohorts([3, 4]).build();
    let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.eligible("eligible").build().fit(data.frame()).unwrap()
}

fn two_periods() -> DrdidResult {
    let data = TwoPeriodSimulation::builder().units(200).covariates(2).seed(3).build();
    let config =
        Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    let config = config.bootstrap(Bootstrap::draws(5)).resampling(Resampling::Weighted).build();
    config.fit(data.frame()).unwrap()
}

#[test]
fn every_bit_survives() {
    let file = Saved::new("bits");
    for mut result in [group_time(), triple()] {
        result.timings.read = 5e-324;
        result.timings.ingest = f64::MIN_POSITIVE / 3.0;
        result.timings.estimate = -0.0;
        result.timings.total = f64::MAX;
        result.timings.inference = 0.1 + 0.2;
        result.save(&file.0).unwrap();
        let loaded = GroupTimeResult::load(&file.0).unwrap();
        let bits = |r: &GroupTimeResult| {
            let timings = r.timings;
            let seconds = [timings.read, timings.ingest, timings.estimate, timings.total];
            let own = r.cells.iter().flat_map(|c| [c.estimate.estimate, c.estimate.se]).flatten();
            let all = r.vcov().unwrap().into_iter().flatten().flatten();
            let numbers = own.chain(all).chain(seconds).chain([timings.inference]);
            numbers.map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(bits(&loaded), bits(&result));
        assert_eq!(loaded, result);
        for aggregation in [Aggregation::simple(), Aggregation::dynamic(), Aggregation::group()] {
            let (a, b) = (result.aggregate(aggregation), loaded.aggregate(aggregation));
            assert_eq!(a.unwrap(), b.unwrap());
        }
        let document = file.read();
        assert_eq!(document["format"], json!(2));
        assert_eq!(document["result"]["estimates"].as_object().unwrap().len(), 9);
    }
    let result = two_periods();
    result.save(&file.0).unwrap();
    assert_eq!(DrdidResult::load(&file.0).unwrap(), result);
    assert_eq!(file.read()["format"], json!(2));
}

#[test]
fn what_could_not_be_loaded_is_not_saved() {
    let file = Saved::new("unsaved");
    let refused = |change: &dyn Fn(&mut GroupTimeResult), field: &str| {
        let mut result = group_time();
        change(&mut result);
        let message = result.save(&file.0).unwrap_err().to_string();
        assert!(message.contains(field), "{message}");
        assert!(!file.0.exists());
    };
    refused(&|r| r.cells[1].group = f64::INFINITY, "cells[1]");
    refused(&|r| r.cells[0].estimate.se = Some(f64::NAN), "cells[0]");
    refused(&|r| r.cells[0].estimate.ci_upper = Some(f64::INFINITY), "cells[0]");
    refused(&|r| r.cells[0].estimate.band_lower = Some(0.0), "cells[0]");
    refused(&|r| r.cells[0].estimate = r.cells[0].estimate.with_band(f64::INFINITY), "cells[0]");
    refused(&|r| r.critical_value = f64::INFINITY, "critical_value");
    refused(&|r| r.settings.inference.alpha = 1e-17, "settings.inference");
    refused(&|r| drop(r.cells.pop()), "cells");
}

/// Errors of a changed file.
fn loaded(file: &Saved, base: &Value, pointer: &str, value: Value) -> String {
    let mut document = base.clone();
    *document.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
    file.write(&document.to_string());
    let error = GroupTimeResult::load(&file.0).expect_err(pointer);
    assert!(matches!(error, DidError::Json(_)), "{error:?}");
    error.to_string()
}

#[test]
fn errors_name_the_field() {
    let file = Saved::new("fields");
    let result = group_time();
    result.save(&file.0).unwrap();
    let base = file.read();
    let numbers = |pointer: &str| base.pointer(pointer).unwrap().as_array().unwrap().clone();
    let all = numbers("/result/estimates/covariance");
    let m = all.len().isqrt();
    let but = |index: usize, value: f64| {
        let mut changed = all.clone();
        changed[index] = json!(value);
        Value::Array(changed)
    };
    for (pointer, value, field) in [
        ("/format", json!(1), "`format` is 1"),
        ("/format", json!(3), "`format` is 3"),
        ("/kind", json!("drdid"), "`kind` is `drdid`"),
        ("/format", json!(u64::MAX), "`format` is 18446744073709551615"),
        ("/result/estimates/covariance", json!([]), "`estimates.covariance` has 0 numbers"),
        ("/result/estimates/covariance", json!(all[..m]), "`estimates.covariance` has"),
        ("/result/estimates/covariance", but(m + 1, -1e-9), "negative variance"),
        ("/result/estimates/covariance", but(1, 1e3), "not symmetric"),
        ("/result/estimates/covariance", Value::Null, "`estimates.draws`"),
        ("/result/estimates/draws", json!([1.0]), "`estimates.draws` has 1 numbers"),
        ("/result/estimates/draws", Value::Null, "`estimates.draws` are missing"),
        ("/result/estimates/inference/bootstrap/draws", json!(usize::MAX), "`estimates.inference`"),
        (
            "/result/estimates/inference/bootstrap/draws",
            json!(4_000_000_000u32),
            "`estimates.draws`",
        ),
        ("/result/estimates/inference/alpha", json!(1e-17), "`estimates.inference`"),
        ("/result/settings/inference/alpha", json!(0.1), "`settings.inference`"),
        ("/result/estimates/shares", json!([]), "estimates.cells[0]"),
        ("/result/estimates/shares/0/share", json!(-0.5), "`estimates.shares`"),
        ("/result/estimates/shares/0/group", json!(99.0), "`estimates.shares`"),
        ("/result/estimates/periods", json!([3.0, 2.0]), "`estimates.periods`"),
        ("/result/estimates/periods", json!([1.0]), "`estimates.periods`"),
        ("/result/estimates/cells", json!([]), "`estimates.cells`"),
        ("/result/estimates/cells/0/time", json!(99.0), "`estimates.cells[0]`"),
        ("/result/estimates/cells/0/estimate", Value::Null, "`estimates.cells[0]`"),
        ("/result/estimates/n", json!(0), "`estimates.n`"),
        ("/result/estimates/n_clusters", json!(0), "`estimates.n_clusters`"),
        ("/result/estimates/n_clusters", json!(61), "`estimates.n_clusters`"),
        ("/result/settings/n_units", json!(61), "`settings.n_units`"),
        ("/result/settings/layout", json!("round"), "`settings.layout`"),
        ("/result/settings/estimator", json!("a,b\n"), "`settings.estimator`"),
        ("/result/cells", json!([]), "`cells`"),
        ("/result/cells/2/estimate", json!(17.0), "`cells[2]`"),
        ("/result/cells/2/se", json!(-1.0), "`cells[2]`"),
        ("/result/cells/2/p_value", json!(7.0), "`cells[2]`"),
        ("/result/cells/2/ci_lower", json!(1e9), "`cells[2]`"),
        ("/result/wald/df", json!(0), "`wald`"),
        ("/result/critical_value", json!(-1.0), "`critical_value`"),
        ("/result/audit/periods", json!([2.0, 1.0]), "`audit.periods`"),
    ] {
        let message = loaded(&file, &base, pointer, value);
        assert!(message.contains(field), "{pointer}: `{field}` is not in: {message}");
    }
    let mut old = base.clone();
    old.as_object_mut().unwrap().remove("kind");
    file.write(&old.to_string());
    let message = GroupTimeResult::load(&file.0).expect_err("no kind").to_string();
    assert!(message.contains("`kind`"), "{message}");
}

#[test]
fn hostile_documents_are_errors() {
    let file = Saved::new("hostile");
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let nested = format!("{{\"cells\":{deep}}}");
    let unknown = format!("{{\"unknown\":{deep}}}");
    let object = "{\"a\":".repeat(100_000);
    for text in [
        "",
        "null",
        "{}",
        "[]",
        "1e999",
        &deep,
        &nested,
        &unknown,
        &object,
        "{\"format\":1e999}",
        "{\"format\":99999999999999999999999999}",
        "{\"cells\":[{\"group\":1e400}]}",
        "\u{feff}{}",
        "{\"format\":2,\"format\":2}",
    ] {
        file.write(text);
        for error in [GroupTimeResult::load(&file.0).err(), DrdidResult::load(&file.0).err()] {
            assert!(matches!(error, Some(DidError::Json(_))), "{error:?}");
        }
    }
    std::fs::write(&file.0, b"\xff\xfe\x00").unwrap();
    assert!(GroupTimeResult::load(&file.0).is_err());
}

/// Pointers of all values of a document.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Array(values) => {
            // Long lists of numbers are all alike.
            let some = (0..values.len()).filter(|i| *i < 2 || i + 2 > values.len());
            some.for_each(|i| pointers(&values[i], &format!("{at}/{i}"), out));
        }
        Value::Object(map) => {
            map.iter().for_each(|(key, v)| pointers(v, &format!("{at}/{key}"), out));
        }
        _ => {}
    }
}

/// What may stand in place of a value.
fn mutations(value: &Value) -> Vec<Value> {
    let mut out = vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(u64::MAX),
        json!(1u64 << 61),
        json!("text"),
        json!([]),
        json!({}),
        json!([0.0]),
    ];
    if let Value::Array(values) = value {
        let mut longer = values.clone();
        longer.extend(values.iter().take(2).cloned());
        let shorter = values[..values.len().saturating_sub(1)].to_vec();
        let reversed = values.iter().rev().cloned().collect();
        out.extend([longer, shorter, reversed].map(Value::Array));
    }
    if let Some(number) = value.as_f64() {
        out.extend([json!(-number), json!(2.0 * number), json!(number + 1.0)]);
    }
    out
}

/// Every use of a result; all numbers must be finite, and standard errors positive.
fn use_all(fit: &GroupTimeResult) {
    let finite = |v: Option<f64>| assert!(v.is_none_or(f64::is_finite), "{v:?}");
    let positive = |v: Option<f64>| assert!(v.is_none_or(|v| v.is_finite() && v > 0.0), "{v:?}");
    for cell in &fit.cells {
        positive(cell.estimate.se);
        finite(cell.estimate.estimate);
    }
    let options = PlotOptions::new().size(900, 700);
    let mut tables = vec![fit.to_string(), fit.to_latex(), fit.to_markdown()];
    tables.extend(fit.to_svg(&options).ok());
    tables.extend(fit.to_csv());
    tables.push(fit.glance().unwrap().to_string());
    let _ = (fit.vcov().unwrap(), fit.plot_data());
    let _ = (fit.test_post_effects(), fit.test_equal_groups());
    let terms: Vec<_> = fit.cells.iter().take(3).map(|c| ((c.group, c.time), 1.0)).collect();
    if let Ok(contrast) = fit.contrast(&terms) {
        positive(contrast.se);
    }
    let kinds = [
        Aggregation::simple(),
        Aggregation::dynamic(),
        Aggregation::group(),
        Aggregation::calendar(),
    ];
    for kind in kinds {
        for aggregation in [kind, kind.na_rm(true), kind.balance_e(1).min_e(-1.0), kind.max_e(1.0)]
        {
            let Ok(aggregated) = fit.aggregate(aggregation) else { continue };
            for e in aggregated.rows.iter().map(|r| r.estimate).chain([aggregated.overall]) {
                positive(e.se);
                finite(e.estimate);
            }
            tables.extend(aggregated.to_svg(&options).ok());
            let models: [(&str, &dyn Comparable); 2] = [("a", fit), ("b", &aggregated)];
            tables.push(compare(&models).to_string());
            tables.push(aggregated.to_string());
        }
    }
    assert!(tables.iter().all(|t| !t.contains("NaN") && !t.contains("inf ")));
}

/// One place of each kind: what differs by its number in a list alone is of one kind.
fn representative(pointers: &[String]) -> Vec<&String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let kind = |pointer: &String| -> String {
        pointer.split('/').map(|part| if is_number(part) { "/" } else { part }).collect()
    };
    let mut is_new = |pointer: &&String| {
        let count = seen.entry(kind(pointer)).or_default();
        *count += 1;
        *count == 1
    };
    pointers.iter().filter(|pointer| is_new(pointer)).collect()
}

#[test]
fn no_change_to_a_file_makes_a_panic() {
    let file = Saved::new("mutated");
    let (mut panics, mut accepted, mut refused) = (Vec::new(), 0, 0);
    for result in [group_time(), triple()] {
        result.save(&file.0).unwrap();
        let base = file.read();
        let mut all = Vec::new();
        pointers(&base["result"], "/result", &mut all);
        for pointer in representative(&all) {
            let value = base.pointer(pointer).unwrap();
            for mutation in mutations(value) {
                let mut document = base.clone();
                *document.pointer_mut(pointer).unwrap() = mutation.clone();
                file.write(&document.to_string());
                let done = catch_unwind(AssertUnwindSafe(|| {
                    let loaded = GroupTimeResult::load(&file.0);
                    loaded.map(|fit| use_all(&fit)).map_err(|e| e.to_string())
                }));
                match done {
                    Ok(Ok(())) => accepted += 1,
                    Ok(Err(message)) => {
                        assert!(!message.is_empty());
                        refused += 1;
                    }
                    Err(_) => panics.push(format!("{pointer} = {mutation}")),
                }
            }
        }
    }
    assert!(panics.is_empty(), "{} panics: {panics:#?}", panics.len());
    assert!(refused > accepted && accepted > 30, "{refused} refused, {accepted} accepted");
}

#[test]
fn no_change_to_a_two_period_file_makes_a_panic() {
    let file = Saved::new("mutated-drdid");
    two_periods().save(&file.0).unwrap();
    let base = file.read();
    let mut all = Vec::new();
    pointers(&base["result"], "/result", &mut all);
    for pointer in &all {
        for mutation in mutations(base.pointer(pointer).unwrap()) {
            let mut document = base.clone();
            *document.pointer_mut(pointer).unwrap() = mutation;
            file.write(&document.to_string());
            if let Ok(fit) = DrdidResult::load(&file.0) {
                let text = [fit.to_string(), fit.to_latex(), fit.to_csv().unwrap()].concat();
                assert!(!text.contains("NaN"), "{pointer}: {text}");
                assert!(fit.estimate.se.is_none_or(|se| se > 0.0 && se.is_finite()));
                let _ = (fit.glance().unwrap(), compare(&[("a", &fit)]).to_string());
            }
        }
    }
    let refused = |pointer: &str, value: Value, field: &str| {
        let mut document = base.clone();
        *document.pointer_mut(pointer).unwrap() = value;
        file.write(&document.to_string());
        let message = DrdidResult::load(&file.0).expect_err(pointer).to_string();
        assert!(message.contains(field), "{message}");
    };
    refused("/result/draws", json!([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), "`draws` has 6 numbers");
    refused("/result/draws", Value::Null, "`draws`");
    refused("/result/estimate/se", json!(0.0), "`estimate`");
    refused("/result/trim_level", json!(1.0), "`trim_level`");
    refused("/result/settings/estimator", json!("att_gt"), "`settings.estimator`");
    refused("/result/resampling", Value::Null, "`resampling`");
    refused("/format", json!(9), "`format` is 9");
}
