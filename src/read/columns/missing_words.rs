//! Which texts and numbers stand for a missing value in one column.

use polars::prelude::*;

use super::read_as_missing::TokenCounts;
use super::token::Token;
use crate::base::parallel;

/// Words for a missing value among numbers, in lower case, besides `.a` to `.z` of Stata and SAS.
const AMONG_NUMBERS: [&str; 9] = ["na", "n/a", "nan", "null", "none", ".", "#n/a", "#na", "<na>"];

/// The word for a missing value in a column of text, as R reads it.
const AMONG_TEXTS: &str = "NA";

/// Rows that one task looks at.
const PART: usize = 8_192;

/// What stands for a missing value in a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MissingWords {
    /// Whether the words above do.
    pub usual: bool,
    /// Words of the user.
    pub named: Vec<Token>,
}

impl MissingWords {
    /// The usual words alone.
    pub fn usual() -> Self {
        Self { usual: true, named: Vec::new() }
    }

    /// Whether a text without blanks around it is missing in a column of numbers.
    pub fn among_numbers(&self, text: &str) -> bool {
        (self.usual && is_usual_among_numbers(text)) || self.is_named(text) || self.is_number(text)
    }

    /// Whether a text without blanks around it is missing in a column of text.
    pub fn among_texts(&self, text: &str) -> bool {
        (self.usual && text == AMONG_TEXTS) || self.is_named(text)
    }

    /// Whether the user has named this text.
    pub fn names(&self, text: &str) -> bool {
        self.named.iter().any(|token| token.text == text)
    }

    /// Whether some words are numbers.
    pub fn has_numbers(&self) -> bool {
        self.named.iter().any(|token| token.number.is_some())
    }

    fn is_named(&self, text: &str) -> bool {
        text.is_empty() || self.names(text)
    }

    fn is_number(&self, text: &str) -> bool {
        let has = |is: &dyn Fn(&Token) -> bool| self.named.iter().any(is);
        self.has_numbers()
            && match text.parse::<i128>() {
                Ok(integer) => has(&|token| token.integer == Some(integer)),
                Err(_) => text.parse().is_ok_and(|number| has(&|t| t.number == Some(number))),
            }
    }

    /// The column with null for what stands for a missing value, unless nothing does: texts and categories, and numbers if the
    /// words are the user's own.
    pub fn clean(&self, series: &Series) -> PolarsResult<Option<(Series, TokenCounts)>> {
        match series.dtype() {
            DataType::String => self.without_words(series, series.str()?),
            DataType::Categorical(_, mapping) | DataType::Enum(_, mapping) => {
                let bound = mapping.num_cats_upper_bound();
                let gone = |at: usize| {
                    let category = u32::try_from(at).ok().and_then(|at| mapping.cat_to_str(at));
                    category.is_some_and(|category| self.among_texts(trimmed(category)))
                };
                let clean = |part| !parallel::part(part, PART, bound).any(gone);
                if parallel::all(bound.div_ceil(PART), &clean) {
                    return Ok(None);
                }
                let texts = series.cast(&DataType::String)?;
                self.without_words(series, texts.str()?)
            }
            dtype if dtype.is_primitive_numeric() || dtype.is_decimal() => {
                self.without_numbers(series)
            }
            _ => Ok(None),
        }
    }

    fn without_words(
        &self,
        series: &Series,
        texts: &StringChunked,
    ) -> PolarsResult<Option<(Series, TokenCounts)>> {
        let gone = |text: Option<&str>| text.is_some_and(|text| self.among_texts(trimmed(text)));
        let clean = texts.downcast_iter().all(|array| {
            let rows = array.views().len();
            let clean = |part| !parallel::part(part, PART, rows).any(|row| gone(array.get(row)));
            parallel::all(rows.div_ceil(PART), &clean)
        });
        if clean {
            return Ok(None);
        }
        let mut counts = TokenCounts::default();
        texts
            .iter()
            .filter(|text| gone(*text))
            .flatten()
            .for_each(|text| counts.add(text.trim(), 1));
        let keep = texts.iter().map(|text| Some(!gone(text))).collect();
        Ok(Some((kept(series, &keep)?, counts)))
    }

    fn without_numbers(&self, series: &Series) -> PolarsResult<Option<(Series, TokenCounts)>> {
        let (mut series, mut counts) = (series.clone(), TokenCounts::default());
        for token in &self.named {
            let Some(keep) = token.differs(&series)? else { continue };
            let values = keep.len() - keep.sum().unwrap_or_default() as usize;
            if values > 0 {
                counts.add(&token.text, values);
                series = kept(&series, &keep)?;
            }
        }
        Ok((!counts.is_empty()).then_some((series, counts)))
    }
}

/// A text without the blanks around it.
fn trimmed(text: &str) -> &str {
    match text.as_bytes() {
        [b'!'..=b'~', .., b'!'..=b'~'] => text,
        _ => text.trim(),
    }
}

/// The column with null in the rows that are not kept.
fn kept(series: &Series, keep: &BooleanChunked) -> PolarsResult<Series> {
    let none = Series::full_null(series.name().clone(), series.len(), series.dtype());
    series.zip_with(keep, &none)
}

fn is_usual_among_numbers(text: &str) -> bool {
    let stata = matches!(text.as_bytes(), [b'.', b'a'..=b'z' | b'A'..=b'Z']);
    let usual = |word: &&str| text.eq_ignore_ascii_case(word);
    stata || (text.len() <= 4 && AMONG_NUMBERS.iter().any(usual))
}

#[cfg(test)]
mod tests {
    use super::super::missing::MissingValues;
    use super::*;

    fn given(words: &[&str]) -> MissingWords {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        MissingValues::new(Some(&words)).words("x", |_| false)
    }

    #[test]
    fn the_usual_words() {
        let usual = MissingWords::usual();
        for word in ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".", "#N/A", ".a", ".Z"]
        {
            assert!(usual.among_numbers(word), "{word}");
        }
        for word in ["-", "n.a.", ".5", "..", "nano", "0", "-99"] {
            assert!(!usual.among_numbers(word), "{word}");
        }
        assert!(usual.among_texts("NA") && usual.among_texts(""));
        assert!([".", "na", "null", "None"].iter().all(|word| !usual.among_texts(word)));
    }

    #[test]
    fn words_given_replace_them() {
        let own = given(&["-99", "?"]);
        for word in ["", "-99", "-99.0", "?"] {
            assert!(own.among_numbers(word), "{word}");
        }
        assert!(!own.among_numbers("NA") && !own.among_numbers("99") && !own.among_texts("NA"));
        assert!(own.among_texts("?") && own.among_texts("-99") && !own.among_texts("-99.0"));
    }

    #[test]
    fn columns_of_frames() {
        let (usual, own) = (MissingWords::usual(), given(&["-99", "b"]));
        let numbers = Series::new("x".into(), [1_i64, -99, 3]);
        assert!(usual.clean(&numbers).unwrap().is_none());
        let (cleaned, counts) = own.clean(&numbers).unwrap().unwrap();
        assert_eq!(cleaned, Series::new("x".into(), [Some(1_i64), None, Some(3)]));
        assert_eq!(
            counts.of("x").iter().map(|c| (c.token.as_str(), c.values)).collect::<Vec<_>>(),
            [("-99", 1)]
        );
        let texts = Series::new("f".into(), ["a", "b", "NA", " "]);
        let (cleaned, _) = usual.clean(&texts).unwrap().unwrap();
        assert_eq!(cleaned, Series::new("f".into(), [Some("a"), Some("b"), None, None]));
        let (cleaned, _) = own.clean(&texts).unwrap().unwrap();
        assert_eq!(cleaned, Series::new("f".into(), [Some("a"), None, Some("NA"), None]));
        let categorical = DataType::from_categories(Categories::global());
        let (cleaned, _) = usual.clean(&texts.cast(&categorical).unwrap()).unwrap().unwrap();
        assert_eq!((cleaned.dtype(), cleaned.null_count()), (&categorical, 2));
    }

    #[test]
    fn numbers_are_compared_as_the_column_has_them() {
        let nulls = |series: &Series, token: &str| {
            let cleaned = given(&[token]).clean(series).unwrap();
            cleaned.map_or(0, |(series, _)| series.null_count())
        };
        let doubles = Series::new("x".into(), [-99.9, 1.0, 16_777_216.0]);
        let singles = doubles.cast(&DataType::Float32).unwrap();
        let halves = doubles.cast(&DataType::Float16).unwrap();
        for series in [&doubles, &singles, &halves] {
            assert_eq!(nulls(series, "-99.9"), 1, "{}", series.dtype());
            assert_eq!(nulls(series, "-99.8"), 0, "{}", series.dtype());
        }
        let gaps = Series::new("x".into(), [Some(f64::NAN), Some(1.0), None]);
        assert_eq!((nulls(&gaps, "NaN"), nulls(&gaps, "nan"), nulls(&gaps, "1")), (2, 2, 2));
        assert_eq!(nulls(&doubles, "NaN"), 0);
        // As single precision has it, in a column that other files have in double precision.
        assert_eq!(nulls(&singles.cast(&DataType::Float64).unwrap(), "-99.9"), 1);
        assert_eq!((nulls(&doubles, "16777217"), nulls(&singles, "16777217")), (0, 1));
        let digits = Int128Chunked::from_slice("x".into(), &[-9_900, -9_990, 7]);
        let decimals = digits.into_decimal(20, 2).unwrap().into_series();
        for (token, count) in [
            ("-99", 1),
            ("-99.0", 1),
            ("-99.9", 1),
            ("7e-2", 1),
            ("-99.901", 0),
            ("0.7", 0),
            ("x", 0),
        ] {
            assert_eq!(nulls(&decimals, token), count, "{token}");
        }
    }
}
