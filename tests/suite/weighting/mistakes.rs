//! What has no scores or no weights says so.

use burn_did::backend::Cpu;
use burn_did::data::{self, TwoPeriodSimulation};
use burn_did::group_time::{PanelCell, RepeatedCell, TwoByTwo, TwoByTwoEstimate};
use burn_did::options::{DrdidMethod, EstimationMethod};
use burn_did::report::PlotOptions;
use burn_did::{AttGt, Drdid};

use super::{cells, rows};

fn config(covariates: &str, method: EstimationMethod) -> AttGt<Cpu> {
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").covariates(covariates).method(method);
    config.keep_scores(true).weighting(true).build()
}

#[test]
fn without_covariates_scores_are_constant_and_it_is_said() {
    let fit = config("~ 1", EstimationMethod::DoublyRobust).fit(data::mpdta()).unwrap();
    let scores = fit.scores.as_ref().unwrap();
    assert!(scores.remarks()[0].contains("without covariates"), "{:?}", scores.remarks());
    for cell in cells(&rows(scores)) {
        let treated = cell.iter().filter(|row| row.treated).count();
        let share = treated as f64 / cell.len() as f64;
        assert!(cell.iter().all(|row| (row.score - share).abs() < 1e-12 && !row.trimmed));
    }
    let weighting = fit.weighting.as_ref().unwrap();
    assert!(weighting.remarks[0].contains("nothing to balance"), "{weighting}");
    let error = weighting.to_svg(&PlotOptions::new()).unwrap_err().to_string();
    assert!(error.contains("no covariates"), "{error}");
    let error = fit.overlap_by_cell().to_svg(&PlotOptions::new()).unwrap_err().to_string();
    assert!(error.contains("--weighting"), "{error}");
}

#[test]
fn a_regression_has_no_scores_and_may_have_negative_weights() {
    let fit = config("~ lpop", EstimationMethod::OutcomeRegression).fit(data::mpdta()).unwrap();
    assert!(fit.scores.as_ref().unwrap().remarks()[0].contains("no propensity score"));
    let overlap = fit.overlap_by_cell();
    assert_eq!(overlap.trim_level, None);
    let error = overlap.to_svg(&PlotOptions::new()).unwrap_err().to_string();
    assert!(error.contains("no propensity score"), "{error}");
    let df = TwoPeriodSimulation::builder().units(500).seed(4).build().frame();
    let two = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    let two = two.covariates("~ x1 + x2 + x3 + x4").method(DrdidMethod::OutcomeRegression);
    let fit = two.weighting(true).build().fit(&df).unwrap();
    let weighting = fit.weighting.unwrap();
    let negative = weighting.comparisons[0].negative;
    assert!(negative > 0 && weighting.to_string().contains("with a negative weight"));
}

#[test]
fn what_has_no_such_weights_is_refused() {
    struct Mine;
    impl TwoByTwo for Mine {
        fn panel(&self, _: &PanelCell<'_>) -> Result<TwoByTwoEstimate, String> {
            Err("never asked".into())
        }
        fn repeated(&self, _: &RepeatedCell<'_>) -> Result<TwoByTwoEstimate, String> {
            Err("never asked".into())
        }
    }
    let own = config("~ lpop", EstimationMethod::Ipw).fit_with(data::mpdta(), &Mine);
    let error = own.unwrap_err().to_string();
    assert!(error.contains("user-supplied"), "{error}");
    let df = TwoPeriodSimulation::builder().units(200).seed(4).build().frame();
    let two = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    let error = two.method(DrdidMethod::Twfe).weighting(true).build().fit(&df).unwrap_err();
    assert!(error.to_string().contains("fixed effects"), "{error}");
    let fit = config("~ lpop", EstimationMethod::Ipw).fit(data::mpdta()).unwrap();
    let error = fit.scores.unwrap().write("scores.txt").unwrap_err().to_string();
    assert!(error.contains(".parquet or .csv"), "{error}");
    let error = fit.weighting.unwrap().of_cells(Some(1999.0), None).unwrap_err().to_string();
    assert!(error.contains("group 1999"), "{error}");
}

/// Workers add up what weighting does, with the bits of a fit at home, and keep the rows.
#[cfg(feature = "cluster")]
#[test]
fn a_cluster_has_the_sums_and_no_rows() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("data")).unwrap();
    let path = directory.path().join("data/mpdta.parquet");
    let writer = polars::prelude::ParquetWriter::new(std::fs::File::create(&path).unwrap());
    writer.finish(&mut data::mpdta()).unwrap();
    let cluster = burn_did::Cluster::threads::<Cpu>(&[(); 2].map(|()| Default::default()), 1 << 20);
    let cluster = cluster.with_directory(directory.path());
    let mut asked = config("~ lpop", EstimationMethod::DoublyRobust);
    let error = asked.fit_cluster(&cluster, &path).unwrap_err().to_string();
    assert!(error.contains("keep_scores") && error.contains("cluster"), "{error}");
    asked.keep_scores = false;
    let there = asked.fit_cluster(&cluster, &path).unwrap().weighting.unwrap();
    let here = asked.fit(path.as_path()).unwrap().weighting.unwrap();
    assert_eq!(there.comparisons, here.comparisons);
}
