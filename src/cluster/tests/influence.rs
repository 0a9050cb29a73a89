//! Influence values by unit that workers write: the rows, the order and the bits of a fit at home.

use std::fs;

use polars::prelude::*;

use super::faults::{Fault, Faulty, reversed};
use super::fits::but;
use super::fits::{Shared, staggered, workers};
use crate::base::options::{Bootstrap, DrdidMethod, EstimationMethod, Precision};
use crate::cluster::{Cluster, PrepareOptions, Session};
use crate::data::{DoseSimulation, Simulation, TripleSimulation, TwoPeriodSimulation};
use crate::engine::backend::Cpu;
use crate::engine::pass::TILE;
use crate::engine::source::{HostStrata, LocalOptions, LocalStrata};
use crate::engine::source::{Influence, InfluenceFiles};
use crate::estimator::shell::through::{remotely, through};
use crate::estimator::{AttGt, ContDid, Ddd, Drdid};

/// The values of a fit here and those that workers wrote, who lose and double answers.
macro_rules! kept {
    ($estimator:expr, $data:expr, $fault:expr) => {{
        let (estimator, data): (_, &DataFrame) = (&$estimator, $data);
        let devices = [Default::default()];
        let here = through(estimator, data, |strata| {
            let host = HostStrata::with_segments(strata, TILE);
            Box::new(LocalStrata::<Cpu>::new(host, &devices, LocalOptions::default()))
        });
        let rows = (data.height() / 5).max(1);
        let shared = Shared::new(data, 2, rows);
        let session = Session::new(Arc::new(Faulty::new(workers(3), $fault)));
        let to = shared.directory().join("influence");
        fs::create_dir(&to).unwrap();
        let options = PrepareOptions {
            directory: shared.directory().to_owned(),
            influence: Some(to.clone()),
            precision: Precision::F64,
            part_rows: Some(rows),
            segment_rows: Some(TILE),
        };
        let there = remotely(estimator, shared.path(), session, &options).unwrap();
        assert!(there.influence.is_none());
        let files = there.influence_files.unwrap();
        let left: Vec<_> = fs::read_dir(&to).unwrap().map(|f| f.unwrap().path()).collect();
        assert_eq!(left.len(), files.files.len(), "nothing but the files: {left:?}");
        assert_eq!(fs::read_dir(shared.directory()).unwrap().count(), 2, "no sample is left");
        let loaded = files.load().unwrap();
        (here.unwrap().influence.unwrap(), loaded, files)
    }};
}

fn assert_same(name: &str, (here, there, files): (Influence, Influence, InfluenceFiles)) {
    assert_eq!(here.units, there.units, "{name}");
    assert_eq!(here.names, there.names, "{name}");
    let bits = |influence: &Influence| -> Vec<Vec<u64>> {
        let columns = influence.columns.iter();
        columns.map(|column| column.iter().map(|v| v.to_bits()).collect()).collect()
    };
    assert!(bits(&here) == bits(&there), "{name}");
    assert!(files.files.len() > 1 && here.columns.iter().flatten().any(|v| *v != 0.0), "{name}");
}

/// Half of the answers are lost at first, and all come twice.
const LOST_AND_DOUBLED: Fault = |map, mut answers| {
    answers.truncate(if map % 2 == 0 { answers.len() / 2 } else { answers.len() });
    answers.extend(answers.clone());
    answers
};

fn named() -> AttGt<Cpu> {
    let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    named.covariates("~ x1 + x2").keep_influence(true).build()
}

#[test]
fn values_of_group_time_effects() {
    let plain = staggered().frame();
    let drawn = but(named(), |e| e.bootstrap = Some(Bootstrap::draws(40).seed(5)));
    assert_same("panel", kept!(drawn, &plain, LOST_AND_DOUBLED));
    let shuffled = plain.sort(["y"], Default::default()).unwrap();
    assert_same("in no order", kept!(named(), &shuffled, LOST_AND_DOUBLED));
    let data = Simulation { clusters: 90, weights: true, ..staggered() }.frame();
    let clustered = but(named(), |e| {
        (e.weights, e.cluster) = (Some("weight".into()), Some("cluster".into()));
    });
    assert_same("clusters", kept!(clustered, &data, reversed));
    let data = Simulation { attrition: 0.1, ..staggered() }.frame();
    let unbalanced = but(named(), |e| e.allow_unbalanced_panel = true);
    assert_same("unbalanced", kept!(unbalanced, &data, reversed));
    let data = Simulation { repeated_cross_sections: true, ..staggered() }.frame();
    let sections = but(named(), |e| e.repeated_cross_sections = true);
    assert_same("sections of units", kept!(sections, &data, reversed));
    let sections = but(sections, |e| e.unit = None);
    assert_same("sections", kept!(sections, &data, LOST_AND_DOUBLED));
}

#[test]
fn values_of_other_estimators() {
    let data = TwoPeriodSimulation::builder().units(20_000).weights(true).build().frame();
    let two = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    let two = two.covariates("~ x1 + x2").weights("weight").keep_influence(true).build();
    assert_same("two periods", kept!(two, &data, reversed));
    // Two columns of the pass, which are one for users.
    let twfe = but(two, |e| e.method = DrdidMethod::Twfe);
    assert_same("fixed effects", kept!(twfe, &data, reversed));
    let data = TripleSimulation::builder().units(40_000).periods(3).cohorts([2, 3]).build();
    let triple = Ddd::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let triple = triple.eligible("eligible").covariates("~ x1").keep_influence(true).build();
    assert_same("triple", kept!(triple, &data.frame(), LOST_AND_DOUBLED));
    let data = DoseSimulation::builder().units(30_000).periods(3).groups(2);
    let data = data.dose_begins_with_treatment(true).build().frame();
    let doses = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").dose("dose");
    let doses = doses.knots(1).keep_influence(true).build();
    assert_same("doses", kept!(doses, &data, reversed));
}

/// Where no cell has an estimate, nothing reads the rows of those who are never treated; they have labels and no values.
#[test]
fn cells_without_estimates_have_no_values() {
    let mut data = staggered().frame();
    let group = data.column("group").unwrap().cast(&DataType::Float64).unwrap();
    let is_treated =
        |g: Option<f64>| f64::from(u8::from(g.is_some_and(|g| g > 0.0 && g.is_finite())));
    let separating: Vec<f64> = group.f64().unwrap().iter().map(is_treated).collect();
    data.with_column(Column::new("separating".into(), separating)).unwrap();
    let failing = but(named(), |e| {
        (e.method, e.covariates) = (EstimationMethod::Ipw, "~ separating".into());
    });
    let (here, there, files) = kept!(failing, &data, reversed);
    assert!(here.columns.iter().all(Vec::is_empty) && here.units.len() == 27_000);
    assert_eq!(here, there);
    assert!(files.column("att(3,3)").unwrap().is_empty());
    assert!(files.column("att(3,9)").unwrap_err().to_string().contains("att(3,9)"));
}

#[test]
fn a_place_that_will_not_do_is_refused_before_any_work() {
    let shared = Shared::new(&staggered().frame(), 2, 20_000);
    let cluster = Cluster::threads::<Cpu>(&[Default::default(); 2], 1 << 24);
    let cluster = cluster.with_directory(shared.directory());
    let occupied = cluster.clone().with_influence(shared.path());
    let refused = |cluster: &Cluster| named().fit_cluster(cluster, shared.path()).unwrap_err();
    assert!(refused(&occupied).to_string().contains("has files already"));
    let file = cluster.clone().with_influence(shared.file(0));
    assert!(refused(&file).to_string().contains("000.parquet"));
    assert!(
        refused(&cluster).to_string().contains("`keep_influence` must be `false`, or a directory")
    );
    // A sample has labels only if they were asked for.
    let place = |name: &str| cluster.clone().with_influence(shared.directory().join(name));
    let without = but(named(), |e| e.keep_influence = false).prepare(&place("a"), shared.path());
    let error = named().fit_sample(&without.unwrap()).unwrap_err().to_string();
    assert!(error.contains("prepared without the units' labels"), "{error}");
    let sample = named().prepare(&place("b"), shared.path()).unwrap();
    let plain = but(named(), |e| e.keep_influence = false).fit_sample(&sample).unwrap();
    let fit = named().fit_sample(&sample).unwrap();
    assert!(plain.influence_files.is_none() && plain.cells == fit.cells);
    let saved = shared.directory().join("fit.json");
    fit.save(&saved).unwrap();
    let files = crate::GroupTimeResult::load(&saved).unwrap().influence_files.unwrap();
    let here = named().fit(shared.path()).unwrap().influence.unwrap();
    assert_eq!(files.load().unwrap(), here);
    fs::remove_file(&files.files[1]).unwrap();
    assert!(files.load().unwrap_err().to_string().contains("00001.parquet"));
}
