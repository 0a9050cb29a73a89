use polars::prelude::*;

use super::*;

fn sum(frame: &DataFrame, name: &str) -> f64 {
    let column = frame.column(name).unwrap().cast(&DataType::Float64).unwrap();
    column.f64().unwrap().iter().flatten().sum()
}

#[test]
fn every_column_is_described() {
    for data in Teaching::ALL {
        let frame = data.frame();
        let names: Vec<&str> = frame.get_column_names().into_iter().map(|n| n.as_str()).collect();
        let described: Vec<&str> = data.columns().iter().map(|column| column.name).collect();
        assert_eq!(names, described, "{data}");
        for column in frame.columns() {
            let known = [DataType::Int64, DataType::Float64, DataType::String];
            assert!(known.contains(column.dtype()), "{data}: {}", column.name());
        }
        assert!(data.description().contains(data.example()), "{data}");
        assert_eq!(data.to_string().parse(), Ok(data));
    }
}

/// The rates are those of the study's own file, to the last bit.
#[test]
fn counties_are_those_of_the_study() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/studies/jel/counties.parquet");
    let published = ParquetReader::new(std::fs::File::open(path).unwrap()).finish().unwrap();
    let ours = Teaching::Medicaid.frame();
    assert_eq!(ours.shape(), (28_644, 13));
    for column in published.columns() {
        let name = column.name();
        assert!(ours.column(name).unwrap().equals(column), "{name}");
    }
}

/// Cheng and Hoekstra (2013, table 1): the year in which each of 21 laws took effect.
#[test]
fn castle_has_the_laws_of_the_paper() {
    let frame = Teaching::Castle.frame();
    assert_eq!(frame.shape(), (550, 30));
    let column = |name: &str| -> Vec<i64> {
        frame.column(name).unwrap().i64().unwrap().iter().flatten().collect()
    };
    let [year, state, first, post] = ["year", "sid", "treat_year", "post"].map(column);
    let laws = |of: i64| {
        let rows = (0..550).filter(|row| first[*row] == of);
        rows.map(|row| state[row]).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!([2005, 2006, 2007, 2008, 2009, 0].map(laws), [1, 13, 4, 2, 1, 29]);
    for row in 0..550 {
        let under_law = first[row] > 0 && year[row] > first[row];
        assert_eq!(post[row], i64::from(under_law), "state {} in {}", state[row], year[row]);
    }
}

/// Dehejia and Wahba (1999): the experimental benchmark is 1,794 dollars.
#[test]
fn the_program_has_its_experimental_benchmark() {
    let frame = Teaching::Nsw.frame();
    assert_eq!(frame.shape(), (2 * (185 + 260 + 15_992), 12));
    let of = |sample: &str, treat: i64, year: i64| -> (f64, f64) {
        let text = |row: usize| frame.column("sample").unwrap().str().unwrap().get(row);
        let whole = |name: &str, row: usize| frame.column(name).unwrap().i64().unwrap().get(row);
        let earnings = frame.column("re").unwrap().f64().unwrap();
        let rows = (0..frame.height()).filter(|row| {
            text(*row) == Some(sample)
                && whole("treat", *row) == Some(treat)
                && whole("year", *row) == Some(year)
        });
        let values: Vec<f64> = rows.filter_map(|row| earnings.get(row)).collect();
        (values.len() as f64, values.iter().sum::<f64>() / values.len() as f64)
    };
    let (treated, after) = of("nsw", 1, 1978);
    let (controls, others) = of("nsw", 0, 1978);
    assert_eq!((treated, controls, of("cps", 0, 1975).0), (185.0, 260.0, 15_992.0));
    assert!((after - others - 1_794.34).abs() < 0.01, "{}", after - others);
}

#[test]
fn banks_are_those_of_the_package() {
    let frame = Teaching::FavaraImbs.frame();
    assert_eq!(frame.shape(), (12_538, 6));
    assert_eq!(frame.column("Dl_vloans_b").unwrap().null_count(), 200);
    let largest = frame.column("inter_bra").unwrap().i64().unwrap().max();
    assert_eq!(largest, Some(4));
    assert!(sum(&frame, "w1") > 0.0);
}
