//! The verbs of every estimator, by the trait that has them.

use burn_did::data::{
    self, DoseSimulation, SwitchingSimulation, TripleSimulation, TwoPeriodSimulation,
};
use burn_did::prelude::*;
use burn_did::{Etwfe, JointStudy};
use polars::prelude::DataFrame;

use crate::support::frames::{floats, rows, with};

/// The frame, and the rows of its first unit once more for a unit without outcomes.
fn with_empty_unit(data: &DataFrame) -> DataFrame {
    let is_simulated = data.column("id").is_ok();
    let (unit, outcome) = if is_simulated { ("id", "y") } else { ("countyreal", "lemp") };
    let units = floats(data, unit);
    let largest = units.iter().copied().fold(0.0, f64::max);
    let of_first: Vec<usize> = (0..units.len()).filter(|row| units[*row] == units[0]).collect();
    let order: Vec<usize> = (0..units.len()).chain(of_first.iter().copied()).collect();
    let and_new = |values: Vec<f64>, new: Option<f64>| -> Vec<Option<f64>> {
        values.into_iter().map(Some).chain(vec![new; of_first.len()]).collect()
    };
    let frame = rows(data, &order);
    let frame = with(&frame, outcome, and_new(floats(data, outcome), None));
    with(&frame, unit, and_new(units, Some(largest + 1.0)))
}

/// Rows that a fit used, as it says, but for those that serve without an outcome.
fn rows_used(result: &impl Reportable) -> Option<f64> {
    let glance = result.glance().unwrap();
    let fact = |name: &str| Some(floats(&glance, glance.column(name).ok()?.name())[0]);
    Some(fact("n_rows")? - fact("rows_with_gaps").unwrap_or(0.0))
}

/// Estimates twice without naming the estimator, and asks for a file that there is not. Rows without an outcome are none of those used.
fn fits<E: Estimator<Output: Reportable>>(estimator: &E, data: &DataFrame) {
    let used = rows_used(&estimator.fit(data).unwrap());
    match estimator.fit(with_empty_unit(data)) {
        Ok(fit) => assert_eq!(used, rows_used(&fit)),
        Err(error) => assert!(error.to_string().contains("is of balanced panels"), "{error}"),
    }
    estimator.validate().unwrap();
    let rows = |result: E::Output| result.to_dataframe().unwrap();
    let on_default = rows(estimator.fit(data).unwrap());
    let on_device = rows(estimator.fit_on(data.clone(), &E::Device::default()).unwrap());
    assert!(on_default.height() > 0 && on_default.equals_missing(&on_device));
    let Err(error) = estimator.fit("no such file.csv") else { panic!("there is no file") };
    assert!(error.to_string().contains("no such file.csv"), "{error}");
}

#[test]
fn every_estimator_has_the_same_verbs() {
    let mpdta = data::mpdta();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat");
    fits(&config.clone().build(), &mpdta);
    fits(&config.control_group(ControlGroup::NotYetTreated).build(), &mpdta);

    let two = TwoPeriodSimulation::builder().units(300).seed(1).build().frame();
    let config =
        Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    fits(&config.build(), &two);

    let triple = TripleSimulation::builder().units(400).seed(1).build().frame();
    let config = Ddd::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    fits(&config.eligible("eligible").build(), &triple);

    let doses = DoseSimulation::builder().units(600).seed(1).build().frame();
    let config = ContDid::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    fits(&config.dose("dose").build(), &doses);

    let switching = SwitchingSimulation::builder().groups(400).seed(1).build().frame();
    let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    fits(&config.effects(2).build(), &switching);

    let config = FixedEffects::<Cpu>::builder().formula("lemp ~ lpop | year");
    fits(&config.build(), &mpdta);

    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    fits(&config.group("first.treat").build(), &mpdta);

    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    fits(&config.group("first.treat").build(), &mpdta);

    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    fits(&config.group("first.treat").build(), &mpdta);

    let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year");
    fits(&config.group("first.treat").build(), &mpdta);

    let config = LocalProjections::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(2).post_window(1);
    fits(&config.build(), &mpdta);

    let config = Stacked::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").pre_window(2).post_window(1);
    fits(&config.build(), &mpdta);

    let config = Bacon::builder().outcome("lemp").unit("countyreal").time("year");
    // Builders are copied, to go on in several ways.
    let config = config.group("first.treat");
    fits(&config.clone().build(), &mpdta);
    assert!(Estimator::validate(&config.alpha(1.5).build()).is_err());

    let config = TwfeWeights::builder().outcome("lemp").unit("countyreal").time("year");
    fits(&config.group("first.treat").build(), &mpdta);

    let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    fits(&config.group("first.treat").build(), &mpdta);

    let config = Npiv::builder().outcome("lemp").regressors(["lpop"]);
    fits(&config.x_segments(1).bootstrap(Bootstrap::draws(50)).build(), &mpdta);

    let demean = Demean::<Cpu>::builder().columns(["lemp"]).absorb(["countyreal", "year"]).build();
    assert!(Estimator::validate(&demean).is_ok());
    assert_eq!(Estimator::fit(&demean, &mpdta).unwrap().residuals[0].len(), mpdta.height());
}

/// The analyses of a result with an event study are those of the event study.
#[test]
fn results_with_an_event_study_have_its_analyses() {
    let mpdta = data::mpdta();
    let config = Imputation::builder().outcome("lemp").unit("countyreal").time("year");
    let imputed = config.group("first.treat").build().fit(&mpdta).unwrap();
    let config = TwoStage::builder().outcome("lemp").unit("countyreal").time("year");
    let two_stages = config.group("first.treat").build().fit(&mpdta).unwrap();
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let sun_abraham = config.group("first.treat").build().fit(&mpdta).unwrap();
    let asked = || Honest::smoothness().m([0.0]);
    let found = [
        (imputed.event_study(), imputed.honest(asked()), imputed.pretrends(Pretrends::new())),
        (
            two_stages.event_study(),
            two_stages.honest(asked()),
            two_stages.pretrends(Pretrends::new()),
        ),
        (
            sun_abraham.event_study(),
            sun_abraham.honest(asked()),
            sun_abraham.pretrends(Pretrends::new()),
        ),
    ];
    for (study, honest, pretrends) in found {
        assert_eq!(honest.unwrap(), study.honest(asked()).unwrap());
        assert_eq!(pretrends.unwrap(), study.pretrends(Pretrends::new()).unwrap());
    }
}
