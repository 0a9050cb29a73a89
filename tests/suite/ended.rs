//! A watcher hears of the steps of work without passes over the data, and can end it at each.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use burn_did::backend::Cpu;
use burn_did::data::{self, CurveSimulation, Simulation, SwitchingSimulation};
use burn_did::options::{Band, Inference};
use burn_did::{
    Aggregation, AttGt, DidMultiplegt, Etwfe, Honest, JointStudy, Npiv, Pretrends, Progress,
};

fn can_be_ended(name: &str, work: &dyn Fn()) {
    let heard = Arc::new(AtomicU64::new(0));
    let count = heard.clone();
    Progress::new(move |event| {
        assert!(event.done <= event.total, "{event:?}");
        count.fetch_add(1, Ordering::Relaxed);
    })
    .watch(work);
    assert!(heard.load(Ordering::Relaxed) > 0, "{name}");
    let ends = Progress::new(|_| resume_unwind(Box::new("enough")));
    let ended = catch_unwind(AssertUnwindSafe(|| ends.watch(work))).expect_err(name);
    assert_eq!(ended.downcast_ref(), Some(&"enough"), "{name}");
}

#[test]
fn estimators_without_passes_can_be_ended() {
    let frame = SwitchingSimulation::builder().groups(200).seed(7).build().frame();
    let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    let config = config.effects(2).placebos(1).build();
    can_be_ended("did_multiplegt", &|| drop(config.fit(&frame).unwrap()));
    let frame = CurveSimulation::builder().units(2_000).seed(7).build().frame();
    let config = Npiv::builder().outcome("y").regressors(["x"]).build();
    can_be_ended("npiv", &|| drop(config.fit(&frame).unwrap()));
    let frame = Simulation::builder().units(1_500).periods(6).seed(5).build().frame();
    let config = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period");
    let config = config.group("group").build();
    can_be_ended("a joint study", &|| drop(config.fit(&frame).unwrap()));
}

/// After the solver, most of the time of many rows with covariates goes into cross-products.
#[test]
fn cross_products_of_many_rows_can_be_ended() {
    let frame =
        Simulation::builder().units(20_000).periods(4).covariates(1).seed(5).build().frame();
    let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    let config = config.covariates(["x1"]).build();
    let heard = Arc::new(AtomicU64::new(0));
    let count = heard.clone();
    let listener = Progress::new(move |event| {
        count.fetch_add(u64::from(event.stage == "cross-products"), Ordering::Relaxed);
    });
    drop(listener.watch(|| config.fit(&frame)).unwrap());
    assert!(heard.load(Ordering::Relaxed) > 5, "{heard:?}");
    can_be_ended("etwfe", &|| drop(config.fit(&frame).unwrap()));
}

#[test]
fn analyses_can_be_ended() {
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let fit = config.group("first.treat").build().fit(data::mpdta()).unwrap();
    let study = fit.aggregate(Aggregation::dynamic()).unwrap();
    let uniform = Inference::new(0.05).band(Band::Uniform);
    can_be_ended("bands", &|| drop(fit.aggregate_with(Aggregation::dynamic(), &uniform).unwrap()));
    can_be_ended("honest", &|| drop(study.honest(Honest::relative_magnitude()).unwrap()));
    can_be_ended("pretrends", &|| drop(study.pretrends(Pretrends::new()).unwrap()));
}
