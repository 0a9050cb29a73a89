//! Samples that are read in shards: rows in whatever order, what is wrong with them, and samples for several fits.

use std::fs;

use polars::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::faults::reversed;
use super::fits::but;
use super::fits::{Shared, assert_same, local, remote};
use crate::base::options::{Bootstrap, ControlGroup, EstimationMethod, Precision};
use crate::cluster::Cluster;
use crate::data::Simulation;
use crate::engine::backend::Cpu;
use crate::engine::pass::TILE;
use crate::estimator::AttGt;

fn estimator() -> AttGt<Cpu> {
    let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    named.covariates("~ x1").build()
}

fn data(units: usize) -> DataFrame {
    let simulation = Simulation::builder().units(units).periods(4).cohorts([3, 4]).covariates(2);
    simulation.build().frame()
}

pub(super) fn shuffled(data: &DataFrame) -> DataFrame {
    let mut rows: Vec<IdxSize> = (0..data.height() as IdxSize).collect();
    rows.shuffle(&mut SmallRng::seed_from_u64(4));
    data.take(&IdxCa::from_vec("".into(), rows)).unwrap()
}

fn with(data: &DataFrame, column: Column) -> DataFrame {
    let mut data = data.clone();
    data.with_column(column).unwrap();
    data
}

fn assert_as_at_home(name: &str, estimator: &AttGt<Cpu>, data: &DataFrame, group: usize) {
    let here = local(estimator, data, TILE);
    for (files, rows) in [(1, group), (3, group), (2, 4 * group)] {
        let shared = Shared::new(data, files, group);
        let there = remote(estimator, &shared, (2, rows, TILE), reversed);
        assert_same(&format!("{name}, {files} files, {rows} rows"), &here, &there);
    }
}

/// Parts end within units, whose rows are then in two parts or, with parts of one row, in many.
#[test]
fn units_may_cross_parts() {
    for (units, group) in [(60, 1), (60, 3), (400, 7), (3_000, 1_001)] {
        assert_as_at_home("ascending", &estimator(), &data(units), group);
    }
}

#[test]
fn rows_may_be_in_any_order() {
    let data = data(500);
    assert_as_at_home("shuffled", &estimator(), &shuffled(&data), 111);
    let unit = |id: i64| format!("county {:04}", id * 7 % 1_000);
    let ids = data.column("id").unwrap().cast(&DataType::Int64).unwrap();
    let texts: Vec<String> = ids.i64().unwrap().iter().flatten().map(unit).collect();
    let texts = with(&data, Column::new("id".into(), texts));
    assert_as_at_home("texts", &estimator(), &texts, 97);
    let floats: Vec<Option<f64>> = ids
        .i64()
        .unwrap()
        .iter()
        .flatten()
        .map(|id| (id % 11 > 0).then_some(-0.5 * id as f64))
        .collect();
    assert_as_at_home(
        "missing units",
        &estimator(),
        &with(&data, Column::new("id".into(), floats)),
        97,
    );
}

/// Rows without units are in the order of their content, wherever equal outcomes are.
#[test]
fn rows_without_units_are_ordered_across_shards() {
    let simulation = Simulation::builder().units(900).periods(4).cohorts([3, 4]).covariates(2);
    let data = simulation.repeated_cross_sections(true).build().frame();
    let y = data.column("y").unwrap().cast(&DataType::Float64).unwrap();
    let coarse = |round: f64| -> Vec<Option<f64>> {
        let values = y.f64().unwrap().iter().flatten().enumerate();
        values.map(|(i, y)| (i % 50 > 0).then_some((y * round).round() / round)).collect()
    };
    let mut sections = estimator();
    (sections.unit, sections.repeated_cross_sections) = (None, true);
    sections.bootstrap = Some(Bootstrap::draws(20).seed(1));
    for round in [1e6, 4.0, 0.5] {
        let data = with(&data, Column::new("y".into(), coarse(round)));
        let mut here = String::new();
        for data in [&data, &shuffled(&data)] {
            assert_as_at_home(&format!("rounded {round}"), &sections, data, 203);
            let now = local(&sections, data, TILE);
            assert!(here.is_empty() || here == now);
            here = now;
        }
    }
}

#[test]
fn categories_and_dates_are_read_as_at_home() {
    let data = data(300);
    let names = ["north", "south", "east"];
    let region: Vec<&str> = (0..data.height()).map(|row| names[row / 4 % 3]).collect();
    let region = Series::new("region".into(), region);
    let categories = Categories::new("regions".into(), "".into(), CategoricalPhysical::U8);
    let category = region.cast(&DataType::from_categories(categories)).unwrap();
    let mut by_region = estimator();
    by_region.covariates = "~ x1 + region".into();
    for column in [region.clone(), category] {
        assert_as_at_home("regions", &by_region, &with(&data, column.into_column()), 101);
    }
}

/// What is wrong with the data is said in the same words, with the row's number among all.
#[test]
fn errors_are_those_of_a_fit_at_home() {
    let data = data(100);
    let doubles = |name: &str| {
        let column = data.column(name).unwrap().cast(&DataType::Float64).unwrap();
        column.f64().unwrap().iter().flatten().collect::<Vec<f64>>()
    };
    let changed = |name: &str, row: usize, value: f64| {
        let mut values = doubles(name);
        values[row] = value;
        with(&data, Column::new(name.into(), values))
    };
    let weights = |row: usize| {
        let mut values = vec![1.0; data.height()];
        values[row] = -2.0;
        with(&data, Column::new("w".into(), values))
    };
    let mut weighted = estimator();
    weighted.weights = Some("w".into());
    for (name, estimator, data) in [
        ("negative group", estimator(), changed("group", 311, -3.0)),
        ("period with digits", estimator(), changed("period", 250, 3.0 + 1e-17_f64.sqrt())),
        ("duplicate row", estimator(), changed("period", 203, 1.0)),
        ("negative weight", weighted.clone(), weights(333)),
        (
            "all weights zero",
            weighted,
            with(&data, Column::new("w".into(), vec![0.0; data.height()])),
        ),
        ("text", estimator(), with(&data, Column::new("y".into(), vec!["a"; data.height()]))),
        ("no such column", but(estimator(), |e| e.outcome = "z".into()), data.clone()),
        (
            "no group",
            estimator(),
            with(&data, Column::new("group".into(), vec![0.0; data.height()])),
        ),
    ] {
        let here = local(&estimator, &data, TILE);
        assert!(!here.contains("Estimated"), "{name}: {here:.300}");
        let shared = Shared::new(&data, 2, 37);
        let there = remote(&estimator, &shared, (2, 37, TILE), reversed);
        let there = there.replace(&format!("{}: ", shared.file(0).display()), "");
        assert_same(name, &here, &there);
    }
}

/// Names that are not plain words, files without rows or with one, and columns in another order.
#[test]
fn files_may_be_odd() {
    let data = data(300);
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("sp ace #1 %41 ünï [x]");
    fs::create_dir(&place).unwrap();
    let turned = ["x2", "x1", "group", "period", "id", "y"];
    let turned = data.select(turned).unwrap();
    let cuts = [0, 0, 1, 2, 700, 700, 1_199, 1_200];
    for (number, pair) in cuts.windows(2).enumerate() {
        let rows = if number % 2 == 0 { &data } else { &turned };
        let name = format!("part #{number} 100%.parquet");
        let file = fs::File::create(place.join(name)).unwrap();
        ParquetWriter::new(file)
            .finish(&mut rows.slice(pair[0], (pair[1] - pair[0]) as usize))
            .unwrap();
    }
    let cluster = Cluster::threads::<Cpu>(&[Default::default(); 2], 1);
    let scratch = directory.path().join("scr atch %20 #ü");
    fs::create_dir(&scratch).unwrap();
    let cluster = cluster.with_directory(&scratch);
    let here = estimator().fit(&data).unwrap();
    for path in [place.clone(), directory.path().join("sp ace*/*.parquet")] {
        assert_eq!(estimator().fit_cluster(&cluster, &path).unwrap().cells, here.cells);
    }
    assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0);
}

fn cluster(shared: &Shared) -> Cluster {
    Cluster::threads::<Cpu>(&[Default::default(); 2], 1 << 20).with_directory(shared.directory())
}

#[test]
fn a_sample_serves_many_fits() {
    let data = data(2_000);
    let shared = Shared::new(&data, 2, 700);
    let cluster = cluster(&shared);
    let sample = estimator().prepare(&cluster, shared.path()).unwrap();
    let weighting = but(estimator(), |e| e.method = EstimationMethod::Ipw);
    let single = but(estimator(), |e| e.precision = Precision::F32);
    let drawn = but(estimator(), |e| e.bootstrap = Some(Bootstrap::draws(30).seed(2)));
    let later = but(estimator(), |e| e.control_group = ControlGroup::NotYetTreated);
    for other in [estimator(), weighting, single, drawn, later, estimator()] {
        let here = other.fit(&data).unwrap();
        let there = other.fit_sample(&sample).unwrap();
        assert_eq!(format!("{:?}", here.cells), format!("{:?}", there.cells));
        assert_eq!(here.settings, there.settings);
    }
    let refused = |other: AttGt<Cpu>| other.fit_sample(&sample).unwrap_err().to_string();
    let error = refused(but(estimator(), |e| e.covariates = "~ x1 + x2".into()));
    assert!(error.contains("prepared with `~ x1`, and has no column `x2`"), "{error}");
    assert!(refused(but(estimator(), |e| e.outcome = "x2".into())).contains("outcome"));
    let words = Some(vec!["-9".into()]);
    assert!(refused(but(estimator(), |e| e.missing_values = words)).contains("missing values"));
    let keeping = refused(but(estimator(), |e| e.keep_influence = true));
    assert!(keeping.contains("a directory for the values named"), "{keeping}");
    // Kept, it outlives its handles; else nothing is left.
    let kept = sample.keep().unwrap();
    drop(sample);
    let again = cluster.open(&kept).unwrap();
    let fit = estimator().fit_sample(&again).unwrap();
    assert_eq!(fit.cells, estimator().fit(&data).unwrap().cells);
    assert!(cluster.open(shared.file(0)).is_err());
}

/// Fits with some of a sample's covariates have the bits of fits at home, where nothing else was ever read.
#[test]
fn a_sample_serves_formulas_of_its_columns() {
    let mut data = data(2_000);
    let rows = data.height();
    let names = ["north", "south", "east"];
    let region: Vec<&str> = (0..rows).map(|row| names[row / 4 % 3]).collect();
    let moving: Vec<f64> = (0..rows).map(|row| (row % 4) as f64 + (row / 9 % 5) as f64).collect();
    // Only in rows that have no outcome either.
    let scarce: Vec<Option<f64>> = (0..rows).map(|row| (row != 5).then_some(1.0)).collect();
    let y = data.column("y").unwrap().cast(&DataType::Float64).unwrap();
    let y: Vec<Option<f64>> =
        y.f64().unwrap().iter().enumerate().map(|(row, y)| y.filter(|_| row != 5)).collect();
    for column in [
        Column::new("region".into(), region),
        Column::new("moving".into(), moving),
        Column::new("scarce".into(), scarce),
        Column::new("y".into(), y),
    ] {
        data.with_column(column).unwrap();
    }
    let shared = Shared::new(&data, 2, 700);
    let cluster = cluster(&shared);
    let with = |formula: &str| but(estimator(), |e| e.covariates = formula.into());
    let all = with("~ x1 + x2 + log(moving + 1) + region + scarce + x1:x2");
    let clustered = |e: AttGt<Cpu>| but(e, |e| e.cluster = Some("region".into()));
    let sample = all.prepare(&cluster, shared.path()).unwrap();
    for formula in [
        "~ 1",
        "~ x2",
        "~ x2 + x1",
        "~ region",
        "~ region + x1",
        "~ x1:x2",
        "~ log(moving + 1) + x2",
        "~ 0 + x1 + x2",
        "~ x1 + x2 + log(moving + 1) + region + scarce + x1:x2",
    ] {
        let other = with(formula);
        let here = other.fit(&data).unwrap();
        let there = other.fit_sample(&sample).unwrap();
        assert_eq!(format!("{:?}", here.cells), format!("{:?}", there.cells), "{formula}");
        let audit =
            crate::audit::SampleAudit { files: there.audit.files.clone(), ..here.audit.clone() };
        assert_eq!(audit, there.audit, "{formula}");
        assert_eq!((here.settings, here.warnings), (there.settings, there.warnings), "{formula}");
    }
    let refused = |formula: &str| with(formula).fit_sample(&sample).unwrap_err().to_string();
    for (formula, lacks) in
        [("~ x1 + y2", "`y2`"), ("~ log(x1)", "`log(x1)`"), ("~ C(x1)", "`C(x1)`")]
    {
        assert!(
            refused(formula).contains(&format!("has no column {lacks}")),
            "{}",
            refused(formula)
        );
    }
    assert!(clustered(with("~ x1")).fit_sample(&sample).is_err());
}

/// Rows that were left out for want of a covariate are rows of a fit without it; and rows without units are in the order of all
/// their columns.
#[test]
fn a_sample_of_other_rows_is_refused() {
    let mut data = data(500);
    let holes: Vec<Option<f64>> =
        (0..data.height()).map(|row| (row % 90 != 7).then_some((row % 13) as f64)).collect();
    data.with_column(Column::new("holes".into(), holes)).unwrap();
    let shared = Shared::new(&data, 2, 700);
    let cluster = cluster(&shared);
    let unbalanced = but(estimator(), |e| e.allow_unbalanced_panel = true);
    let all = but(unbalanced.clone(), |e| e.covariates = "~ x1 + holes".into());
    let sample = all.prepare(&cluster, shared.path()).unwrap();
    let error = unbalanced.fit_sample(&sample).unwrap_err().to_string();
    assert!(error.contains("rows were left out that have no `holes`"), "{error}");
    let holes = but(unbalanced, |e| e.covariates = "~ holes".into());
    let here = holes.fit(&data).unwrap();
    assert_eq!(here.cells, holes.fit_sample(&sample).unwrap().cells);
    let sections = but(estimator(), |e| {
        (e.unit, e.repeated_cross_sections) = (None, true);
        e.covariates = "~ x1 + x2".into();
    });
    let sample = sections.prepare(&cluster, shared.path()).unwrap();
    let fewer = but(sections, |e| e.covariates = "~ x1".into());
    let error = fewer.fit_sample(&sample).unwrap_err().to_string();
    assert!(error.contains("in the order of their content"), "{error}");
}

/// Files that vanish, shrink or are damaged after they were arranged are errors.
#[test]
fn damaged_samples_are_errors() {
    let shared = Shared::new(&data(400), 1, 300);
    let sample = estimator().prepare(&cluster(&shared), shared.path()).unwrap();
    let kept = sample.keep().unwrap();
    // Workers that have read nothing yet.
    let fit = || cluster(&shared).open(&kept).and_then(|sample| estimator().fit_sample(&sample));
    assert!(fit().is_ok());
    let files = fs::read_dir(kept.parent().unwrap()).unwrap();
    let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let mut changed = bytes.clone();
        changed[bytes.len() / 2] ^= 16;
        for damaged in [None, Some(&bytes[..bytes.len() - 1]), Some(changed.as_slice())] {
            match damaged {
                None => fs::remove_file(&file).unwrap(),
                Some(damaged) => fs::write(&file, damaged).unwrap(),
            }
            let error = fit().unwrap_err().to_string();
            let named = file.file_name().unwrap().to_str().unwrap();
            assert!(error.contains(named) || error.contains("cannot be read"), "{named}: {error}");
        }
        fs::write(&file, bytes).unwrap();
    }
    assert!(fit().is_ok());
}
