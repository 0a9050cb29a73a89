use crate::ContDid;
use crate::base::options::{Band, DoseAggregation};
use crate::data::DoseSimulation;
use crate::engine::backend::Cpu;
use crate::estimator::aggregate::Aggregated;
use crate::estimator::group_time::report::fixtures;
use crate::report::{Below, Comparable, Comparison, Stars, Table, compare};

fn comparison<'a>(models: &[(&str, &'a dyn Comparable)]) -> Comparison<'a> {
    Comparison::new(models).expect("results with different names")
}

/// The part of the note that explains the stars.
fn stars(model: &dyn Comparable) -> String {
    let table = comparison(&[("a", model)]).stars(Stars::Interval).table().expect("a table");
    let note = table.notes[0].split_once("`*' ").and_then(|(_, of)| of.split_once(" confidence"));
    note.expect("a note on stars").0.to_owned()
}

#[test]
fn models_stand_side_by_side() {
    let (universal, uniform) = (fixtures::dynamic_universal(), fixtures::dynamic_uniform());
    let table = comparison(&[("No covariates", &universal), ("With lpop", &uniform)]);
    let table = table.stars(Stars::Interval).table().expect("a table");
    let expected = "                No covariates       With lpop
 Outcome                 lemp            lemp
----------------------------------------------
 Overall ATT          -0.0772*        -0.0804*
                      (0.0200)        (0.0201)
 Event time -4         0.0033
                      (0.0245)
 Event time -3         0.0250          0.0267
                      (0.0181)        (0.0142)
 Event time -2         0.0245         -0.0036
                      (0.0142)        (0.0131)
 Event time -1         0.0000         -0.0232
                                      (0.0147)
 Event time 0         -0.0199         -0.0211
                      (0.0118)        (0.0118)
 Event time 1         -0.0510*        -0.0530*
                      (0.0169)        (0.0164)
 Event time 2         -0.1373*        -0.1404*
                      (0.0364)        (0.0375)
 Event time 3         -0.1008*        -0.1069*
                      (0.0344)        (0.0343)
----------------------------------------------
 Control group  Never Treated   Never Treated
 Base period        Universal         Varying
 Method         Doubly Robust   Doubly Robust
 Covariates               ~ 1          ~ lpop
 Units                    500             500
---
Standard errors in parentheses. `*' confidence band does not cover 0: 95% pointwise for No covariates, 95% uniform (Overall ATT: pointwise) for With lpop
Std. Errors: analytic for No covariates; multiplier bootstrap (Mammen, 20000 draws, seed 42) for With lpop
Before treatment: relative to the reference period for No covariates; relative to the period before each for With lpop
";
    assert_eq!(table.to_string(), expected);
}

#[test]
fn averages_of_different_weights_are_told_apart() {
    let (events, simple, group) =
        (fixtures::dynamic_uniform(), fixtures::simple(), fixtures::group());
    let models: [(&str, &dyn Comparable); 4] =
        [("CS", &events), ("Simple", &simple), ("again", &events), ("By group", &group)];
    let expected = "Overall ATT: over event times that count alike for CS, again; \
        over groups in periods by the size of groups for Simple; over groups by their size for By group";
    let table = comparison(&models).table().expect("a table");
    let errors = "Std. Errors: multiplier bootstrap (Mammen, 20000 draws, seed 42) for CS, again, By group; analytic for Simple";
    assert_eq!(table.notes[1..], [errors, expected]);
    for text in [table.to_string(), table.to_latex(), table.to_markdown()] {
        assert!(text.contains(expected), "{text}");
    }
    let document = comparison(&models).to_json().expect("a document");
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["remarks"], serde_json::json!([errors, expected]));
    // Where the row is not in the table, nothing is said of it; where it has another name, that is used.
    let without = comparison(&models).drop(["Overall ATT"]).table().expect("a table");
    assert!(without.notes.iter().all(|note| !note.contains(": over ")), "{:?}", without.notes);
    let named = comparison(&models).label("Overall ATT", "Average").table().expect("a table");
    let is_named = |note: &String| note.starts_with("Average: over event times");
    assert!(named.notes.iter().any(is_named), "{:?}", named.notes);
    let alike = comparison(&[("a", &events), ("b", &events)]).table().expect("a table");
    assert!(alike.notes.iter().all(|note| !note.contains(": over ")), "{:?}", alike.notes);
}

#[test]
fn kinds_of_results_mix() {
    let (cells, simple, failed) = (fixtures::uniform(), fixtures::simple(), fixtures::failed());
    let table = compare(&[("cells", &cells), ("a_b", &simple), ("failed", &failed)]);
    let estimates = &table.sections[1].rows;
    assert_eq!(estimates[0][0], "Overall ATT");
    assert_eq!(estimates[0][1..], ["", "-0.0400 ", ""]);
    assert_eq!(estimates[2], ["ATT(2004, 2003)", "", "", "0.0000 "]);
    assert_eq!(estimates[5], ["ATT(2004, 2005)", "-0.0764 ", "", "NA "]);
    assert_eq!(estimates[6][1..], ["(0.0303)", "", ""]);
    assert_eq!(estimates.iter().filter(|row| !row[0].is_empty()).count(), 1 + 1 + 12);
    let facts = &table.sections[2].rows;
    assert_eq!(facts[5], ["Pre-test p-value", "0.23267 ", "", ""]);
    assert_eq!(facts[6], ["Clusters", "", "", "29 "]);
    assert!(table.to_latex().contains("a\\_b") && table.to_latex().contains("$-$0.0400 &"));
    assert!(table.to_markdown().contains("| Overall ATT |  | -0.0400 |  |"));
}

#[test]
fn nothing_to_compare() {
    assert_eq!(compare(&[]), Table::default());
}

#[test]
fn notes_tell_bands_from_pointwise_intervals() {
    assert_eq!(stars(&fixtures::uniform()), "95% uniform");
    assert_eq!(stars(&fixtures::universal()), "95% pointwise");
    assert_eq!(stars(&fixtures::group()), "95% uniform (Overall ATT: pointwise)");
    assert_eq!(stars(&fixtures::calendar()), "95% pointwise");
    // There is no row that the band would be of.
    let asked = Aggregated { band: Band::Uniform, ..fixtures::simple() };
    assert_eq!(stars(&asked), "95% pointwise");
}

#[test]
fn curves_have_bands_of_their_own() {
    let data = DoseSimulation::builder().units(300).seed(2).build().frame();
    let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let fit = config.dose("dose").build().fit(&data);
    let mut fit = fit.expect("a fit");
    assert_eq!(stars(&fit), "95% pointwise");
    fit.dose.band_acrt = Band::Uniform;
    assert_eq!(stars(&fit), "95% uniform (Overall ATT, Overall ACRT, ATT: pointwise)");
    fit.dose.band_att = Band::Uniform;
    assert_eq!(stars(&fit), "95% uniform (Overall ATT, Overall ACRT: pointwise)");
    fit.aggregation = DoseAggregation::EventStudy;
    assert_eq!(stars(&fit), "95% pointwise");
    fit.level.settings.inference.band = Band::Uniform;
    assert_eq!(stars(&fit), "95% uniform (Overall ATT: pointwise)");
}

#[test]
fn rows_are_chosen_ordered_and_labelled() {
    let (universal, uniform) = (fixtures::dynamic_universal(), fixtures::dynamic_uniform());
    let chosen = comparison(&[("(1)", &universal), ("(2)", &uniform)])
        .keep(["Event time ?", "Overall *"])
        .drop(["Event time 3", "Base period", "Method", "Covariates", "Outcome"])
        .label("Event time 0", "On impact")
        .label("Units", "Counties")
        .stars(Stars::Levels)
        .below(Below::Interval)
        .digits(3);
    let expected = "                            (1)                 (2)
 On impact               -0.020*             -0.021*
                 [-0.043, 0.003]     [-0.051, 0.009]
 Event time 1            -0.051***           -0.053***
                [-0.084, -0.018]    [-0.095, -0.011]
 Event time 2            -0.137***           -0.140***
                [-0.209, -0.066]    [-0.235, -0.045]
 Overall ATT             -0.077***           -0.080***
                [-0.116, -0.038]    [-0.120, -0.041]
------------------------------------------------------
 Control group    Never Treated       Never Treated
 Counties                   500                 500
---
Confidence band in brackets: 95% pointwise for (1), 95% uniform (Overall ATT: pointwise) for (2). Signif. codes: `***' 0.01, `**' 0.05, `*' 0.1
Std. Errors: analytic for (1); multiplier bootstrap (Mammen, 20000 draws, seed 42) for (2)
";
    assert_eq!(chosen.table().expect("a table").to_string(), expected);
}
