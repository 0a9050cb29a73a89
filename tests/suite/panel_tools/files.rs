//! From files, in pieces or not, to files.

use std::fs::{self, File};
use std::path::Path;

use burn_did::Data;
use burn_did::data::Simulation;
use burn_did::panel::{
    self, BalanceRule, FillGaps, FirstTreated, Keep, PanelKeys, PanelTool, ToLong, ToWide,
};
use polars::prelude::*;

/// A panel in four files of several row groups, in no order of units.
fn written(folder: &Path) -> DataFrame {
    let full = Simulation::builder().units(300).seed(3).build().frame();
    let rows = full.height();
    let mut kept: Vec<IdxSize> = (0..rows as IdxSize).filter(|row| row % 11 > 0).collect();
    kept.sort_by_key(|row| (*row as usize * 7_919) % rows);
    let mut mixed = full.take(&IdxCa::from_vec("".into(), kept)).unwrap();
    let group = mixed.column("group").unwrap().cast(&DataType::Float64).unwrap();
    let period = mixed.column("period").unwrap().cast(&DataType::Float64).unwrap();
    let pairs = period.f64().unwrap().iter().zip(group.f64().unwrap().iter());
    let treated: Vec<bool> = pairs.map(|(t, g)| g.unwrap() > 0.0 && t >= g).collect();
    mixed.with_column(Column::new("d".into(), treated)).unwrap();
    let part = mixed.height().div_ceil(4);
    for number in 0..4 {
        let mut piece = mixed.slice((number * part) as i64, part);
        let file = File::create(folder.join(format!("{number}.parquet"))).unwrap();
        ParquetWriter::new(file).with_row_group_size(Some(100)).finish(&mut piece).unwrap();
    }
    mixed
}

fn read(path: &Path) -> DataFrame {
    ParquetReader::new(File::open(path).unwrap()).finish().unwrap()
}

fn tools(keys: &PanelKeys) -> Vec<PanelTool> {
    let carry = FillGaps::builder().carry_constant(true).all_periods(true).build();
    vec![
        panel::first_treated(keys, "d", FirstTreated::builder().first_observed(true).build()),
        panel::first_treated(keys, "d", FirstTreated::builder().missing_as_unknown(true).build()),
        panel::balance(keys, BalanceRule::Units),
        panel::balance(keys, BalanceRule::Largest),
        panel::fill_gaps(keys, carry),
        panel::deduplicate(keys, Keep::Equal),
        panel::lag(keys, ["y"], 1),
        panel::difference(keys, ["y"], 1),
        panel::long_difference(keys, ["y"], panel::Base::BeforeTreatment),
    ]
}

#[test]
fn pieces_of_files_become_the_same_as_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let frame = written(&data);
    let keys = |budget| {
        let keys = PanelKeys::builder().unit("id").time("period").group("group");
        keys.maybe_memory_budget(budget).build()
    };
    let out = folder.path().join("out.parquet");
    for (whole, pieces) in tools(&keys(None)).iter().zip(tools(&keys(Some(100_000)))) {
        let (expected, change) = whole.apply(&frame).unwrap();
        let streamed = pieces.write(Data::in_pieces(&data), &out).unwrap();
        assert!(read(&out).equals_missing(&expected), "{change}");
        assert_eq!((streamed.files.number, streamed.rows_out), (4, change.rows_out));
        assert_eq!(
            (&streamed.counts, &streamed.notes, &streamed.cohorts),
            (&change.counts, &change.notes, &change.cohorts)
        );
        let at_once = whole.write(data.as_path(), &out).unwrap();
        assert!(read(&out).equals_missing(&expected));
        assert_eq!(at_once, streamed);
    }
}

#[test]
fn pieces_of_several_row_groups_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let [data, out] = ["data.parquet", "out.parquet"].map(|name| folder.path().join(name));
    let frame = Simulation::builder().units(300).seed(3).build().frame();
    let file = File::create(&data).unwrap();
    ParquetWriter::new(file).with_row_group_size(Some(90)).finish(&mut frame.clone()).unwrap();
    let keys = |budget| {
        let keys = PanelKeys::builder().unit("id").time("period").group("group");
        keys.memory_budget(budget).build()
    };
    // As they are in the file, rows are by unit: nothing puts the row groups of a piece together.
    for budget in [10_000, 100_000, 1_000_000] {
        for tool in &tools(&keys(budget))[2..] {
            let (expected, _) = tool.apply(&frame).unwrap();
            tool.write(Data::in_pieces(&data), &out).unwrap();
            assert!(read(&out).equals_missing(&expected), "{budget}: {tool:?}");
        }
    }
}

#[test]
fn long_tables_are_written_in_pieces_and_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut wide = df!("id" => 0..500_i64, "y_1" => (0..500).map(f64::from).collect::<Vec<_>>(), "y_2" => vec![0.5; 500]).unwrap();
    ParquetWriter::new(File::create(at("wide.parquet")).unwrap())
        .with_row_group_size(Some(60))
        .finish(&mut wide)
        .unwrap();
    let options = || ToLong::builder().columns(["y"]).time("t");
    let (expected, change) = panel::to_long(options().build()).apply(&wide).unwrap();
    let small = panel::to_long(options().memory_budget(20_000).build());
    let streamed = small.write(Data::in_pieces(at("wide.parquet")), at("long.parquet")).unwrap();
    assert!(read(&at("long.parquet")).equals_missing(&expected));
    assert_eq!((streamed.rows_in, &streamed.counts), (500, &change.counts));
    small.write(Data::in_pieces(at("wide.parquet")), at("long.csv")).unwrap();
    let text = fs::read_to_string(at("long.csv")).unwrap();
    assert_eq!(text.lines().take(3).collect::<Vec<_>>(), ["id,t,y", "0,1,0.0", "0,2,0.5"]);
    assert_eq!(text.lines().count(), 1_001);
    let keys = PanelKeys::builder().unit("id").time("t").build();
    let back = panel::to_wide(&keys, ToWide::default()).apply(at("long.csv")).unwrap().0;
    assert!(back.equals_missing(&wide));
}

/// As from a frame: in pieces, too, columns are written that have no rows, and columns without a value have no type.
#[test]
fn pieces_without_rows_or_values_are_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let fold = || panel::to_long(ToLong::builder().columns(["y"]).memory_budget(1_000).build());
    let written = |tool: &PanelTool, text: &str| {
        fs::write(at("a.csv"), text).unwrap();
        tool.write(at("a.csv").as_path(), at("whole.csv")).unwrap();
        tool.write(Data::in_pieces(at("a.csv")), at("pieces.csv")).unwrap();
        let [whole, pieces] =
            ["whole.csv", "pieces.csv"].map(|name| fs::read_to_string(at(name)).unwrap());
        assert_eq!(pieces, whole, "{tool:?}");
        pieces
    };
    let keys = PanelKeys::builder().unit("id").time("t").build();
    let lag = panel::lag(&keys, ["y"], 1);
    assert_eq!(written(&lag, "id,t,y\n"), "id,t,y,y_lag1\n");
    assert_eq!(written(&fold(), "id,y_1,y_2\n"), "id,time,y\n");
    let rows: String = (0..100).map(|unit| format!("{unit},,a{unit}\n")).collect();
    let long = written(&fold(), &format!("id,y_1,y_2\n{rows}"));
    assert_eq!(long.lines().nth(100), Some("99,2,a99"));
}

#[test]
fn codes_of_digits_keep_their_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from.csv"), folder.path().join("to.csv"));
    let keys = PanelKeys::builder().unit("id").time("t").build();
    for (codes, kept) in
        [(["007", "10", "NA"], ["007", "10", ""]), (["007", "1.5", "2"], ["007", "1.5", "2"])]
    {
        let rows = codes.iter().enumerate().map(|(t, code)| format!("1,{t},{code}\n"));
        std::fs::write(&from, format!("id,t,fips\n{}", rows.collect::<String>())).unwrap();
        panel::deduplicate(&keys, Keep::Equal).write(&*from, &to).unwrap();
        let written = std::fs::read_to_string(&to).unwrap();
        let fips: Vec<&str> =
            written.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().1).collect();
        assert_eq!(fips, kept);
    }
}

/// A group that is no number is left out by estimators, and one that is empty is never treated.
#[test]
fn what_is_no_number_does_not_become_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("from.csv"), folder.path().join("to.csv"));
    let keys = PanelKeys::builder().unit("id").time("t").build();
    for (group, kept) in [
        (["2007.0", "NaN", "NA"], ["2007.0", "NaN", ""]),
        (["2007", "NaN", ""], ["2007", "NaN", ""]),
    ] {
        let rows = group.iter().enumerate().map(|(id, g)| format!("{id},1,{g},2\n"));
        fs::write(&from, format!("id,t,g,y\n{}", rows.collect::<String>())).unwrap();
        for data in [Data::from(&*from), Data::in_pieces(&from)] {
            panel::lag(&keys, ["y"], 1).write(data, &to).unwrap();
            let written = fs::read_to_string(&to).unwrap();
            let groups: Vec<&str> =
                written.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
            assert_eq!(groups, kept);
        }
    }
    // Values that are compared are those of numbers.
    fs::write(&from, "id,t,g\n1,1,2007.0\n2,1,NaN\n3,1,\n").unwrap();
    panel::deduplicate(&keys, Keep::Equal).write(&*from, &to).unwrap();
    let written = fs::read_to_string(&to).unwrap();
    assert_eq!(written, "id,t,g\n1,1,2007.0\n2,1,NaN\n3,1,\n");
}

#[test]
fn csv_files_are_read_by_the_rules_of_the_estimators() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    fs::write(&path, "name,t,id,y\nx y,2001,1,NA\n\"a,b\",2002,1,3\n,NA,2,.\n").unwrap();
    let keys = PanelKeys::builder().unit("id").time("t").build();
    let change = panel::difference(&keys, ["y"], 1).write(&path, &out).unwrap();
    assert_eq!(change.rows_without_key, 1);
    assert!(change.to_string().contains("Read as missing in y: `.` (1), `NA` (1)"), "{change}");
    let text = fs::read_to_string(&out).unwrap();
    assert_eq!(text, "name,t,id,y,y_diff1\nx y,2001,1,,\n\"a,b\",2002,1,3,\n,,2,,\n");
}

#[test]
fn what_is_read_is_not_overwritten_and_what_fails_leaves_the_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    fs::write(&path, "id,t\n1,1\n1,1\n").unwrap();
    fs::write(&out, "earlier").unwrap();
    let keys = PanelKeys::builder().unit("id").time("t").build();
    let error = panel::balance(&keys, BalanceRule::Units).write(&path, &path).unwrap_err();
    assert!(error.to_string().contains("another file than those that are read"), "{error}");
    let error = panel::balance(&keys, BalanceRule::Units).write(&path, &out).unwrap_err();
    assert!(error.to_string().contains("unit 1 has two rows for period 1"), "{error}");
    let error = panel::balance(&keys, BalanceRule::Units).write(&path, folder.path().join("b.txt"));
    assert_eq!(error.unwrap_err().code(), "config");
    assert_eq!(fs::read_to_string(&out).unwrap(), "earlier");
    panel::deduplicate(&keys, Keep::Equal).write(&path, &out).unwrap();
    assert_eq!(fs::read_to_string(&out).unwrap(), "id,t\n1,1\n");
}
