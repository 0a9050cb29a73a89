//! Who is observed and treated when.

use burn_did::explore::{Explore, PanelView};
use burn_did::report::PlotOptions;
use burn_did::{Data, DidError, SavedResult, data};
use polars::prelude::*;

use super::{explore, panel, parquet, shuffled};

/// Cohort, letters and units of each row.
fn rows(view: &PanelView) -> Vec<(Option<f64>, String, usize)> {
    view.patterns.iter().map(|p| (p.group, p.letters(), p.units)).collect()
}

/// Units 1 to 7 over four periods: never, from 2 on, from 3 on, on and off and on, on and off, always, and always with a gap.
fn switching() -> DataFrame {
    switched(&["0000", "0111", "0011", "0101", "0110", "1111", "1.11"])
}

/// Units with these paths of treatment.
fn switched(paths: &[&str]) -> DataFrame {
    let (mut id, mut t, mut d) = (Vec::new(), Vec::new(), Vec::new());
    for (unit, path) in (1..).zip(paths) {
        for (period, letter) in (1..).zip(path.chars()).filter(|(_, letter)| *letter != '.') {
            id.push(unit);
            t.push(period);
            d.push(i32::from(letter == '1'));
        }
    }
    df!("id" => id, "t" => t, "d" => d).unwrap()
}

fn by_treatment() -> Explore {
    Explore::builder().unit("id").time("t").treatment("d").build()
}

#[test]
fn patterns_are_those_of_the_units() {
    let mut look = explore();
    look.outcome = None;
    let view = look.panelview(panel()).unwrap();
    let expected = [
        (Some(1.0), "aaa".to_owned(), 1),
        (Some(2.0), "oxx".to_owned(), 1),
        (Some(3.0), "oox".to_owned(), 1),
        (Some(3.0), "o.x".to_owned(), 1),
        (None, "nnn".to_owned(), 1),
    ];
    assert_eq!(rows(&view), expected);
    assert_eq!((view.n_units, view.read.n_rows, view.periods.len()), (5, 14, 3));
    // A row without an outcome is not observed, if there is to be one.
    let mut df = panel();
    let y: Vec<Option<f64>> = (0..14).map(|row| (row != 1).then_some(f64::from(row))).collect();
    df.with_column(Column::new("y".into(), y)).unwrap();
    assert_eq!(rows(&look.panelview(&df).unwrap()), expected);
    let view = explore().panelview(&df).unwrap();
    assert_eq!((rows(&view)[1].1.as_str(), view.read.rows_missing), ("o.x", 1));
}

#[test]
fn a_treatment_may_end_and_begin_again() {
    let expected = [
        (Some(1.0), "aaaa", 1),
        (Some(1.0), "a.aa", 1),
        (Some(2.0), "oxxx", 1),
        (Some(2.0), "oxxe", 1),
        (Some(2.0), "oxex", 1),
        (Some(3.0), "ooxx", 1),
        (None, "nnnn", 1),
    ];
    let expected = expected.map(|(group, letters, units)| (group, letters.to_owned(), units));
    for df in [switching(), shuffled(&switching())] {
        let view = by_treatment().panelview(&df).unwrap();
        assert_eq!(rows(&view), expected);
        assert_eq!(view.units_that_change_group, 0);
    }
    let mut look = by_treatment();
    look.by_cohort = true;
    let view = look.panelview(switching()).unwrap();
    let cohorts = [(Some(1.0), "aaaa", 2), (Some(2.0), "oxxx", 3), (Some(3.0), "ooxx", 1)];
    let cohorts = cohorts.into_iter().chain([(None, "nnnn", 1)]);
    let cohorts: Vec<_> = cohorts.map(|(g, letters, n)| (g, letters.to_owned(), n)).collect();
    assert_eq!(rows(&view), cohorts);
    assert_eq!(
        (&view.patterns[1].observed, &view.patterns[1].ended),
        (&vec![3; 4], &vec![0, 0, 1, 1])
    );
    assert_eq!(view.patterns[0].observed, [2, 1, 2, 2]);
}

#[test]
fn units_whose_treatment_ends_are_not_always_treated() {
    let view = by_treatment().panelview(switched(&["1100", "1011", "1111"])).unwrap();
    let letters: Vec<String> = rows(&view).into_iter().map(|(_, letters, _)| letters).collect();
    assert_eq!(letters, ["xxee", "xexx", "aaaa"]);
    assert!(view.to_string().contains("1 or before"), "{view}");
}

#[test]
fn a_treatment_gives_the_rollout_of_its_groups() {
    let frame = data::mpdta();
    let look = || Explore::builder().unit("countyreal").time("year");
    let by_group = look().group("first.treat").build().panelview(&frame).unwrap();
    let mut status = frame.clone();
    let column = |name: &str| -> Vec<f64> {
        let column = frame.column(name).unwrap().cast(&DataType::Float64).unwrap();
        column.f64().unwrap().into_no_null_iter().collect()
    };
    let treated = column("year").into_iter().zip(column("first.treat"));
    let treated: Vec<bool> = treated.map(|(year, group)| group > 0.0 && year >= group).collect();
    status.with_column(Column::new("d".into(), treated)).unwrap();
    let by_status = look().treatment("d").build().panelview(&status).unwrap();
    assert_eq!(rows(&by_status), rows(&by_group));
}

#[test]
fn order_and_pieces_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    for (look, frame) in [(explore(), panel()), (by_treatment(), switching())] {
        for by_cohort in [false, true] {
            let mut look = look.clone();
            look.by_cohort = by_cohort;
            let whole = look.panelview(&frame).unwrap();
            for frame in [frame.clone(), shuffled(&frame)] {
                assert_eq!(look.panelview(&frame).unwrap(), whole);
                parquet(&frame, &path, 4);
                look.memory_budget = Some(64);
                let mut pieces = look.panelview(Data::in_pieces(&path)).unwrap();
                pieces.read.files = whole.read.files.clone();
                assert_eq!(pieces, whole);
            }
        }
    }
}

#[test]
fn cohorts_after_the_last_period_are_never_treated() {
    let mut df = panel();
    let g = [2, 2, 2, 9, 9, 9, 9, 9, 1, 1, 1, 0, 0, 0];
    df.with_column(Column::new("g".into(), g)).unwrap();
    let view = explore().panelview(&df).unwrap();
    let never = [(None, "nnn".to_owned(), 2), (None, "n.n".to_owned(), 1)];
    assert_eq!(rows(&view)[2..], never);
    let mut look = explore();
    look.by_cohort = true;
    assert_eq!(rows(&look.panelview(&df).unwrap())[2..], [(None, "nnn".to_owned(), 3)]);
}

#[test]
fn what_is_irregular_is_said() {
    let double = panel().vstack(&panel().slice(3, 2)).unwrap();
    let view = explore().panelview(&double).unwrap();
    assert_eq!((view.units_with_duplicates, view.n_units), (1, 5));
    assert!(view.to_string().contains("1 unit has several rows in a period"), "{view}");
    let mut moving = panel();
    let g = [2, 2, 3, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0];
    moving.with_column(Column::new("g".into(), g)).unwrap();
    let view = explore().panelview(&moving).unwrap();
    assert!(view.to_string().contains("1 unit has several first treated periods"), "{view}");
}

#[test]
fn it_is_shown_saved_and_drawn() {
    let view = by_treatment().panelview(switching()).unwrap();
    let shown = view.to_string();
    for words in ["never treated  nnnn", "oxex", "14.3%", "Letters: . missing"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert!(view.to_csv().unwrap().starts_with("group,pattern,estimate"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("view.json");
    view.save(&path).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().contains("\"a.aa\""));
    let SavedResult::PanelView(loaded) = SavedResult::load(&path).unwrap() else {
        panic!("another kind")
    };
    assert_eq!(*loaded, view);
    let svg = view.to_svg(&PlotOptions::default()).unwrap();
    for words in ["Missing", "Always treated", "Treatment ended", "Each row is one unit.", "2 (3)"]
    {
        assert!(svg.contains(words), "{words}");
    }
    view.plot(folder.path().join("view.png")).unwrap();
    view.plot(folder.path().join("view.pdf")).unwrap();
    let hidden = view.to_svg(&PlotOptions::new().show_legend(false).title("Mine")).unwrap();
    assert!(hidden.contains("Mine") && !hidden.contains("Treatment ended"));
    let mut changed = view;
    changed.n_units = 8;
    assert!(changed.save(&path).unwrap_err().to_string().contains("n_units"));
}

#[test]
fn many_units_are_thinned_and_it_is_said() {
    // 5,000 units that are never treated, 5,000 treated from 2 on, and one whose treatment ends.
    let (mut id, mut t, mut d) = (Vec::new(), Vec::new(), Vec::new());
    for unit in 0..10_001 {
        for period in 0..3 {
            id.push(unit);
            t.push(period);
            d.push(match unit {
                ..5_000 => 0,
                5_000..10_000 => i32::from(period > 1),
                _ => i32::from(period == 1),
            });
        }
    }
    let df = df!("id" => id, "t" => t, "d" => d).unwrap();
    let view = by_treatment().panelview(&df).unwrap();
    assert_eq!(view.patterns.iter().map(|p| p.units).collect::<Vec<_>>(), [1, 5_000, 5_000]);
    let svg = view.to_svg(&PlotOptions::default()).unwrap();
    assert!(svg.contains("A row of one pixel stands for"), "{svg}");
    assert!(svg.contains("Too few for a row: 1 pattern of 1 unit together (0.0%)."), "{svg}");
    assert!(svg.len() < 20_000, "{} bytes", svg.len());
    let mut look = by_treatment();
    look.by_cohort = true;
    let svg = look.panelview(&df).unwrap().to_svg(&PlotOptions::default()).unwrap();
    assert!(svg.contains("but for the smallest cohorts, which are drawn higher"), "{svg}");
    let tiny = view.to_svg(&PlotOptions::new().size(200, 150).text_scale(5.0)).unwrap_err();
    assert!(matches!(tiny, DidError::Plot(_)), "{tiny}");
}

#[test]
fn columns_that_are_needed_are_asked_for() {
    let mut look = explore();
    look.treatment = Some("y".into());
    assert!(matches!(look.panelview(panel()), Err(DidError::Config { option: "group", .. })));
    (look.group, look.treatment) = (None, None);
    assert!(matches!(look.panelview(panel()), Err(DidError::Config { option: "group", .. })));
    assert!(matches!(look.describe(panel()), Err(DidError::Config { option: "group", .. })));
    look.treatment = Some("c".into());
    assert!(matches!(look.panelview(panel()), Err(DidError::ColumnType { .. })));
    let mut look = explore();
    look.unit = None;
    assert!(matches!(look.panelview(panel()), Err(DidError::Config { option: "unit", .. })));
}
