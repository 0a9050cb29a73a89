//! Conditions on columns of every type.

use polars::prelude::*;

use super::{Choice, RowCondition};
use crate::base::error::Result;
use crate::read::columns::MissingValues;
use crate::read::files::FilesRead;

/// Six rows, of which the last has nothing.
fn frame() -> DataFrame {
    let big = 1_i64 << 53;
    let days = [16_000, 16_130, 16_435, 16_436, 17_000].map(Some);
    let days: Vec<Option<i32>> = days.into_iter().chain([None]).collect();
    let texts = ["CA", " CA", "New York", "NA", "a,b"].map(Some).into_iter().chain([None]);
    let texts: Vec<Option<&str>> = texts.collect();
    let text = Column::new("text".into(), &texts);
    let cents = Int128Chunked::from_slice_options(
        "decimal".into(),
        &[Some(10), Some(25), Some(-5), Some(300), Some(0), None],
    );
    let numbers = [Some(1.5), Some(f64::NAN), Some(-2.0), Some(f64::INFINITY), Some(0.1), None];
    let numbers = Column::new("number".into(), numbers);
    let single = numbers.cast(&DataType::Float32).unwrap().with_name("single".into());
    let small = Column::new("small".into(), [1_u8, 2, 3, 4, 5, 6]);
    let column = |name: &str, series: Series| series.with_name(name.into()).into_column();
    DataFrame::new(
        6,
        vec![
            Column::new("row".into(), [0_i64, 1, 2, 3, 4, 5]),
            Column::new(
                "whole".into(),
                [Some(1), Some(2), Some(3), Some(big), Some(big + 1), None],
            ),
            numbers,
            single,
            small,
            column("decimal", cents.into_decimal(10, 2).unwrap().into_series()),
            Column::new(
                "flag".into(),
                [Some(true), Some(false), Some(true), Some(true), None, None],
            ),
            column("date", Series::new("d".into(), days).cast(&DataType::Date).unwrap()),
            Column::new(
                "month".into(),
                ["2014-01", "2014-02", "2014-03", "2014-12", "2015-01", ""],
            ),
            column(
                "category",
                text.as_materialized_series()
                    .cast(&DataType::from_categories(Categories::global()))
                    .unwrap(),
            ),
            text,
            Column::full_null("nothing".into(), 6, &DataType::Null),
        ],
    )
    .unwrap()
}

fn read(condition: &str) -> RowCondition {
    condition.parse().unwrap_or_else(|error| panic!("{condition}: {error}"))
}

/// Rows left out by a condition, and how many of them because the column is missing.
type LeftOut = (usize, usize);

/// The numbers of the rows that meet the conditions, and who was left out, by condition.
fn chosen(conditions: &[&str], missing: &MissingValues) -> Result<(Vec<i64>, Vec<LeftOut>)> {
    let conditions: Vec<RowCondition> = conditions.iter().map(|text| read(text)).collect();
    let mut choice = Choice::new(&conditions, missing);
    let kept = choice.keep(frame(), &["row".to_owned()])?;
    let rows = kept.column("row")?.i64()?.into_no_null_iter().collect();
    let counted = choice.finish(FilesRead::default())?.chosen.expect("there are conditions");
    assert_eq!(counted.rows, 6);
    assert_eq!(counted.chosen, kept.height());
    Ok((rows, counted.left_out.iter().map(|left| (left.rows, left.missing)).collect()))
}

#[test]
fn every_type_is_compared_as_it_is_written() {
    let usual = MissingValues::default();
    for (condition, expected) in [
        ("whole >= 2", &[1, 2, 3, 4][..]),
        ("whole > 2.5", &[2, 3, 4]),
        ("whole == 9007199254740993", &[4]),
        ("whole <= 9007199254740992", &[0, 1, 2, 3]),
        ("whole == 1,3,7.5", &[0, 2]),
        ("whole != 1,3", &[1, 3, 4]),
        ("whole == 1e0", &[0]),
        ("number < 1.5", &[2, 4]),
        ("number == inf", &[3]),
        ("number != 1.5", &[2, 3, 4]),
        ("number is missing", &[1, 5]),
        ("number is not missing", &[0, 2, 3, 4]),
        ("single == 0.1", &[4]),
        ("single <= 0.1", &[2, 4]),
        ("single > 0.1", &[0, 3]),
        ("small > -1", &[0, 1, 2, 3, 4, 5]),
        ("small < 300", &[0, 1, 2, 3, 4, 5]),
        ("decimal <= 0.1", &[0, 2, 4]),
        ("decimal == 3", &[3]),
        ("decimal == 0.25,-0.05", &[1, 2]),
        ("flag == TRUE", &[0, 2, 3]),
        ("flag != true", &[1]),
        ("flag == 0", &[1]),
        ("date <= 2014", &[0, 1, 2]),
        ("date < 2014-10-01", &[0, 1]),
        ("date == 2014-12-31", &[2]),
        ("date == 2014-12,2015-Q1", &[2, 3]),
        ("date != 2014", &[0, 3, 4]),
        ("date is missing", &[5]),
        ("month <= 2014-03", &[0, 1, 2]),
        ("month > 2014-Q1", &[3, 4]),
        ("month >= 2015", &[4]),
        ("month == 2014-02", &[1]),
        ("text == CA", &[0, 1]),
        ("text != CA", &[2, 4]),
        ("text == 'New York',\"a,b\"", &[2, 4]),
        ("text is missing", &[3, 5]),
        ("category == CA", &[0, 1]),
        ("category != CA", &[2, 4]),
        ("nothing is missing", &[0, 1, 2, 3, 4, 5]),
    ] {
        let (rows, _) = chosen(&[condition], &usual).unwrap_or_else(|e| panic!("{condition}: {e}"));
        assert_eq!(rows, expected, "{condition}");
    }
}

#[test]
fn a_row_counts_for_the_first_condition_that_it_does_not_meet() {
    let usual = MissingValues::default();
    let (rows, left_out) = chosen(&["whole > 1", "number != 1.5", "flag == TRUE"], &usual).unwrap();
    assert_eq!(rows, [2, 3]);
    assert_eq!(left_out, [(2, 1), (1, 1), (1, 1)]);
    let (rows, left_out) = chosen(&["flag == TRUE", "whole > 1"], &usual).unwrap();
    assert_eq!((rows, left_out), (vec![2, 3], vec![(3, 2), (1, 0)]));
}

#[test]
fn words_of_the_user_are_missing_in_conditions_too() {
    let words = MissingValues::new(Some(&["3".to_owned(), "CA".to_owned()]));
    assert_eq!(chosen(&["whole is missing"], &words).unwrap().0, [2, 5]);
    assert_eq!(chosen(&["whole != 1"], &words).unwrap().0, [1, 3, 4]);
    assert_eq!(chosen(&["text != \"a,b\""], &words).unwrap().0, [2, 3]);
}

#[test]
fn what_cannot_be_asked_of_a_column_is_an_error() {
    let usual = MissingValues::default();
    for (condition, part) in [
        ("whole == CA", "column `whole` has integers"),
        ("whole < 2014-03", "column `whole` has integers"),
        ("whole == nan", "column `whole` has integers"),
        ("text < 5", "`text < 5`, and column `text` has text"),
        ("flag > 0", "column `flag` has true and false"),
        ("flag == yes", "column `flag` has true and false"),
        ("date == 5", "column `date` has dates"),
        ("month < 2014-03-01", "month"),
        ("nowhere == 1", "`nowhere` (condition on rows)"),
        ("whole > 1e300", "`whole > 1e300`, of 6 rows"),
        ("nothing == 1", "of 6 rows"),
    ] {
        let error = chosen(&[condition], &usual).expect_err(condition).to_string();
        assert!(error.contains(part), "{condition}: {error}");
    }
}

#[test]
fn a_chosen_row_has_its_number_among_all_rows() {
    let conditions = [read("flag == TRUE")];
    let usual = MissingValues::default();
    let place = |row| Choice::new(&conditions, &usual).place(row, &frame()).unwrap();
    assert_eq!([0, 1, 2, 3].map(place), [Some(0), Some(2), Some(3), None]);
}
