//! CSV files read the plain way: byte after byte, fields by the reader of polars, and types by one look after another at all fields.

use std::io::Cursor;

use polars::prelude::*;

use crate::read::columns::{MissingValues, MissingWords, ReadAsMissing, TokenCounts};
use crate::read::files::csv::field::Field as Is;
use crate::read::files::csv::kinds::is_rounded;

type Plain<T> = std::result::Result<T, String>;

/// Columns of a text in commas by the places of their fields, with their types, and what of them was read as missing.
pub(super) fn read(
    text: &str,
    columns: &[(usize, &str, bool)],
    missing: &MissingValues,
) -> Plain<(Vec<Series>, Vec<ReadAsMissing>)> {
    let (whole, fields, rows) = records(text)?;
    let schema = (0..fields).map(|i| Field::new(i.to_string().into(), DataType::String));
    let schema: Arc<Schema> = Arc::new(schema.collect());
    let texts = CsvReadOptions::default()
        .with_has_header(true)
        .with_schema(Some(schema))
        .into_reader_with_file_handle(Cursor::new(whole))
        .finish()
        .map_err(|e| e.to_string())?;
    assert_eq!(texts.height(), rows);
    let (mut all, mut counts) = (Vec::new(), Vec::new());
    for (place, name, label) in columns {
        let texts = texts.column(&place.to_string()).unwrap().str().unwrap();
        let texts: Vec<&str> = texts.iter().map(Option::unwrap_or_default).collect();
        let is_read = |name: &str| columns.iter().any(|(_, read, _)| *read == name);
        let (series, words) = typed(name, &texts, &missing.words(name, is_read), *label);
        counts.extend(words.of(name));
        all.push(series);
    }
    Ok((all, counts))
}

/// Lines with something in them, how many fields each has, and how many there are below the header.
fn records(text: &str) -> Plain<(Vec<u8>, usize, usize)> {
    let (mut whole, mut open, mut header, mut rows) = (Vec::new(), Vec::new(), None, 0);
    let (mut state, mut fields, mut filled) = (' ', 1, false);
    let (mut line, mut first_line) = (1, 1);
    let text = text.trim_start_matches('\u{feff}');
    let ended = text.bytes().chain((!text.ends_with('\n')).then_some(b'\n'));
    let last = ended.clone().count();
    for (at, byte) in ended.enumerate() {
        if at + 1 == last && at == text.len() && state == 'q' {
            break;
        }
        open.push(byte);
        state = match (state, byte) {
            ('q', b'"') => 'c',
            ('q', byte) => {
                line += usize::from(byte == b'\n');
                'q'
            }
            (_, b'\n') => {
                let record = std::mem::take(&mut open);
                if std::mem::take(&mut filled) {
                    whole.extend(record);
                    match header {
                        None => header = Some(fields),
                        Some(header) if header == fields => rows += 1,
                        Some(header) => {
                            return Err(format!(
                                "line {first_line} has {fields} fields and the header has {header};"
                            ));
                        }
                    }
                }
                fields = 1;
                line += 1;
                first_line = line;
                ' '
            }
            (_, b',') => {
                fields += 1;
                filled = true;
                ' '
            }
            (state, b'\r') => state,
            (' ' | 'c', b'"') => {
                filled = true;
                'q'
            }
            ('p', b'"') => return Err(format!("line {line}: a quote within a field")),
            ('c', _) => return Err(format!("line {line}: text after a closing quote")),
            _ => {
                filled = true;
                'p'
            }
        };
    }
    if state == 'q' {
        return Err(format!("line {first_line}: the quote of a field is not closed"));
    }
    Ok((whole, header.unwrap_or(0), rows))
}

/// A column of fields in the type that holds them.
fn typed(name: &str, texts: &[&str], missing: &MissingWords, label: bool) -> (Series, TokenCounts) {
    let fields: Vec<Is<'_>> = texts.iter().map(|t| Is::new(t.trim(), missing, false)).collect();
    let is_word = |field: &Is<'_>| matches!(field, Is::Missing | Is::NotANumber);
    let any = |test: &dyn Fn(&Is<'_>) -> bool| fields.iter().any(test);
    let integers: Vec<i128> = fields
        .iter()
        .filter_map(|f| if let Is::Integer(i) = f { Some(*i) } else { None })
        .collect();
    let (booleans, floats) =
        (any(&|f| matches!(f, Is::Boolean(_))), any(&|f| matches!(f, Is::Float(_))));
    let digits = any(&|f| matches!(f, Is::Digits(_)));
    let numbers = floats || digits || !integers.is_empty();
    let exact = integers.iter().all(|i| i.unsigned_abs() <= 1 << 53);
    let rounded = fields.iter().zip(texts).any(|(field, text)| {
        matches!(field, Is::Float(value) if label && is_rounded(text.trim(), *value))
    });
    let leading = fields.iter().zip(texts).any(|(field, text)| {
        let (number, text) = (matches!(field, Is::Integer(_) | Is::Digits(_)), text.trim());
        number && text.starts_with('0') && text[1..].starts_with(|c: char| c.is_ascii_digit())
    });
    let mut words = TokenCounts::default();
    let mut count = |is_word: &dyn Fn(usize) -> bool| {
        (0..texts.len())
            .filter(|row| is_word(*row))
            .for_each(|row| words.add(texts[row].trim(), 1));
    };
    let double = |field: &Is<'_>| match field {
        Is::Integer(i) => Some(*i as f64),
        Is::Float(v) | Is::Digits(v) => Some(*v),
        Is::NotANumber => Some(f64::NAN),
        _ => None,
    };
    let wide = |field: &Is<'_>| if let Is::Integer(i) = field { Some(*i) } else { None };
    let name: PlSmallStr = name.into();
    let series = if any(&|f| matches!(f, Is::Text(_))) || (booleans && numbers) {
        count(&|row| missing.among_texts(texts[row].trim()));
        let kept = texts.iter().map(|t| Some(*t).filter(|t| !missing.among_texts(t.trim())));
        Series::new(name, kept.collect::<Vec<_>>())
    } else {
        count(&|row| is_word(&fields[row]));
        let no_number = any(&|f| *f == Is::NotANumber);
        if booleans {
            let truth = |f: &Is<'_>| if let Is::Boolean(b) = f { Some(*b) } else { None };
            Series::new(name, fields.iter().map(truth).collect::<Vec<_>>())
        } else if label && (leading || ((digits || floats) && (digits || rounded || !exact))) {
            let kept = texts.iter().zip(&fields).map(|(t, f)| (!is_word(f)).then_some(t.trim()));
            Series::new(name, kept.collect::<Vec<_>>())
        } else if floats || digits || integers.is_empty() || (no_number && exact && !label) {
            Series::new(name, fields.iter().map(double).collect::<Vec<_>>())
        } else if integers.iter().all(|i| i64::try_from(*i).is_ok()) {
            let values = fields.iter().map(|f| wide(f).map(|i| i as i64));
            Series::new(name, values.collect::<Vec<_>>())
        } else if integers.iter().all(|i| u64::try_from(*i).is_ok()) {
            let values = fields.iter().map(|f| wide(f).map(|i| i as u64));
            Series::new(name, values.collect::<Vec<_>>())
        } else {
            let values: Vec<Option<i128>> = fields.iter().map(wide).collect();
            Int128Chunked::from_slice_options(name, &values).into_series()
        }
    };
    (series, words)
}
