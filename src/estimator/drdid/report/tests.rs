use crate::base::options::{Bootstrap, DrdidMethod};
use crate::data::TwoPeriodSimulation;
use crate::engine::backend::Cpu;
use crate::{Drdid, DrdidResult, compare};

fn fit(method: DrdidMethod, bootstrap: Option<Bootstrap>) -> DrdidResult {
    let data = TwoPeriodSimulation::builder().units(300).covariates(2).seed(4).build();
    Drdid::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .treatment("treated")
        .covariates("~ x1 + x2")
        .method(method)
        .maybe_bootstrap(bootstrap)
        .build()
        .fit(data.frame())
        .expect("a fit")
}

#[test]
fn the_table_names_estimator_sample_and_standard_errors() {
    let text = fit(DrdidMethod::DoublyRobust, None).to_string();
    for part in [
        "Std. Error",
        "[95% Pointwise",
        "Estimator: Doubly Robust (drdid_panel)",
        "Units: 300, Rows: 600 (balanced panel), Treated: ",
        "Std. Errors: analytic",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let text = fit(DrdidMethod::DoublyRobust, Some(Bootstrap::draws(20).seed(3))).to_string();
    assert!(text.contains("Std. Errors: weighted bootstrap (20 draws, seed 3)"), "{text}");
}

#[test]
fn frames_have_a_row_and_models_stand_side_by_side() {
    let imp = fit(DrdidMethod::DoublyRobustImproved, None);
    let reg = fit(DrdidMethod::OutcomeRegression, None);
    let frame = imp.to_dataframe().expect("a frame");
    assert_eq!((frame.height(), frame.width()), (1, 16));
    let glance = imp.glance().expect("a frame");
    assert_eq!(glance.height(), 1);
    assert!(imp.to_csv().expect("CSV").starts_with("estimate,se,ci_lower,"));
    let table = compare(&[("Improved", &imp), ("Regression", &reg)]).to_string();
    assert!(table.contains("Improved Doubly Robust") && table.contains("ATT"), "{table}");
}

#[test]
fn a_saved_result_reads_back() {
    let fit = fit(DrdidMethod::Ipw, Some(Bootstrap::draws(9)));
    let text = serde_json::to_string(&fit).expect("JSON");
    let read: DrdidResult = serde_json::from_str(&text).expect("a result");
    assert_eq!(read.to_string(), fit.to_string());
}
