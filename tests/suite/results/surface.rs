//! What every result can do: tables, frames, documents, pictures, files and comparisons, under the same words.

use burn_did::backend::Cpu;
use burn_did::data::{self, DoseSimulation, SwitchingSimulation, TwoPeriodSimulation};
use burn_did::{
    Aggregation, AttGt, Bacon, ContDid, DidMultiplegt, Drdid, Etwfe, FixedEffects, Honest,
    Imputation, JointStudy, LocalProjections, Npiv, Pretrends, SavedResult, Stacked, SunAbraham,
    TwfeWeights, TwoStage, compare,
    joint_study::Variation,
    options::Bootstrap,
    report::{PlotOptions, Reportable},
};
use serde_json::Value;

/// A result of every kind.
fn every_result() -> Vec<Box<dyn Reportable>> {
    let mpdta = data::mpdta();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let fit = config.group("first.treat").build().fit(&mpdta).unwrap();
    let average = fit.aggregate(Aggregation::dynamic()).unwrap();
    let honest = average.honest(Honest::relative_magnitude().m_bar([0.5])).unwrap();
    let pretrends = average.pretrends(Pretrends::new().threshold(0.1)).unwrap();
    let study = average.event_study().unwrap();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates("~ lpop").weighting(true).build();
    let weighed = config.fit(&mpdta).unwrap();
    let overlap = weighed.overlap_by_cell();
    let weighting = weighed.weighting.expect("asked for");

    let two = TwoPeriodSimulation::builder().units(300).seed(1).build().frame();
    let config =
        Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    let two_periods = config.build().fit(&two).unwrap();

    let doses = DoseSimulation::builder().units(600).seed(1).build().frame();
    let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let curves = config.dose("dose").build().fit(&doses).unwrap();

    let switching = SwitchingSimulation::builder().groups(400).seed(1).build().frame();
    let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    let switching = config.effects(2).placebos(1).build().fit(&switching).unwrap();

    let formula = "lemp ~ i(year, treat, ref = 2003) | countyreal + year";
    let regression = FixedEffects::<Cpu>::builder().formula(formula).build();
    let regression = regression.fit(&mpdta).unwrap();
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let sun_abraham = config.group("first.treat").build().fit(&mpdta).unwrap();

    let config = Npiv::builder().outcome("lemp").regressors(["lpop"]);
    let function =
        config.x_segments(1).bootstrap(Bootstrap::draws(50)).build().fit(&mpdta).unwrap();

    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    let imputed = config.group("first.treat").build().fit(&mpdta).unwrap();
    let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year");
    let two_stages = config.group("first.treat").build().fit(&mpdta).unwrap();

    let config = Bacon::builder().outcome("lemp").unit("countyreal").time("year");
    let comparisons = config.group("first.treat").build().fit(&mpdta).unwrap();
    let config = TwfeWeights::builder().outcome("lemp").unit("countyreal").time("year");
    let weights = config.group("first.treat").build().fit(&mpdta).unwrap();
    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(2).post_window(2);
    let projections = config.build().fit(&mpdta).unwrap();
    let config = Stacked::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(2).post_window(1);
    let stacked = config.build().fit(&mpdta).unwrap();
    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let extended = config.group("first.treat").build().fit(&mpdta).unwrap();
    let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").build();
    let several = config.fit(&mpdta).unwrap();
    let vary = Variation::read("control_group").unwrap();
    let curve = config.specification_curve(&mpdta, &vary).unwrap();
    vec![
        Box::new(fit),
        Box::new(average),
        Box::new(honest),
        Box::new(pretrends),
        Box::new(study),
        Box::new(overlap),
        Box::new(weighting),
        Box::new(two_periods),
        Box::new(curves),
        Box::new(switching),
        Box::new(regression),
        Box::new(sun_abraham),
        Box::new(function),
        Box::new(imputed),
        Box::new(two_stages),
        Box::new(comparisons),
        Box::new(weights),
        Box::new(projections),
        Box::new(stacked),
        Box::new(extended),
        Box::new(several),
        Box::new(curve),
    ]
}

/// The words that have given way to others.
const OLD_WORDS: [&str; 6] =
    ["\"att\":", "\"att_lower\"", "\"h_lower\"", "\"lb\"", "\"ub\"", "\"d\":"];

#[test]
fn every_result_has_the_whole_surface() {
    let directory = tempfile::tempdir().unwrap();
    let mut kinds = Vec::new();
    for result in every_result() {
        let kind = result.kind();
        let text = result.to_json().unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&document["kind"], &document["format"]), (&kind.into(), &2.into()));
        let parts = [&document["notes"], &document["warnings"]];
        assert!(
            document["about"].is_object() && parts.iter().all(|part| part.is_array()),
            "{kind}"
        );
        // Names of fields of the library's curves are its own.
        let words = OLD_WORDS.iter().filter(|_| kind != "cont_did");
        assert!(words.into_iter().all(|word| !text.contains(word)), "{kind}");

        let path = directory.path().join(kind).with_extension("json");
        result.save(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{kind}");
        let saved = SavedResult::load(&path).unwrap();
        assert_eq!(saved.report().to_json().unwrap(), text, "{kind}");

        let csv = burn_did::report::csv(&[&*result]).unwrap();
        let header = csv.lines().next().unwrap();
        assert!(header.split(',').any(|name| name == "ci_lower"), "{kind}: {header}");
        let frame = result.to_dataframe().unwrap();
        assert_eq!(frame.height() + 1, csv.lines().count(), "{kind}");
        assert_eq!(result.glance().unwrap().height(), 1, "{kind}");
        assert!(result.to_latex().contains(r"\toprule") && result.to_markdown().contains('|'));
        assert!(!compare(&[("own", &*result)]).to_string().is_empty(), "{kind}");
        let picture = path.with_extension("svg");
        result.plot_with(&picture, &PlotOptions::new()).unwrap();
        assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"), "{kind}");
        kinds.push(kind);
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), 22);
}

#[test]
fn a_file_of_another_kind_is_refused_by_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("fit.json");
    let results = every_result();
    results[0].save(&path).unwrap();
    let error = burn_did::DrdidResult::load(&path).unwrap_err().to_string();
    assert!(error.contains("`kind` is `group_time`") && error.contains("`drdid`"), "{error}");
    std::fs::write(&path, "{\"kind\": \"other\", \"format\": 2, \"result\": {}}").unwrap();
    let error = SavedResult::load(&path).unwrap_err().to_string();
    assert!(error.contains("`kind` is `other`"), "{error}");
}
