//! What people call the types of columns.

use polars::prelude::DataType;

/// The type of a column in words, as in "holds text".
pub(crate) fn kind(dtype: &DataType) -> String {
    let words = match dtype {
        DataType::String => "text",
        DataType::Boolean => "true and false",
        DataType::Date => "dates",
        DataType::Datetime(_, None) => "timestamps",
        DataType::Datetime(_, Some(zone)) => return format!("timestamps of the time zone {zone}"),
        DataType::Duration(_) => "durations",
        DataType::Time => "times of day",
        DataType::Categorical(..) | DataType::Enum(..) => "categories",
        DataType::Null => "no values",
        DataType::Binary => "bytes",
        DataType::List(_) => "lists",
        DataType::Struct(_) => "groups of fields",
        other if other.is_integer() => "integers",
        other if other.is_primitive_numeric() || other.is_decimal() => "numbers",
        other => return other.to_string(),
    };
    words.to_owned()
}

/// Two different types in words: by their exact names if the words are the same.
pub(crate) fn kinds(a: &DataType, b: &DataType) -> [String; 2] {
    let words = [kind(a), kind(b)];
    if has_twice(&words) { [a.to_string(), b.to_string()] } else { words }
}

/// Several types in words, each once: by their exact names if the words of two are the same.
pub(crate) fn different(types: &[&DataType]) -> String {
    let mut once: Vec<&DataType> = Vec::new();
    for dtype in types {
        if !once.contains(dtype) {
            once.push(dtype);
        }
    }
    let words: Vec<String> = once.iter().map(|dtype| kind(dtype)).collect();
    let exact = || once.iter().map(ToString::to_string).collect();
    let words: Vec<String> = if has_twice(&words) { exact() } else { words };
    words.join(", ")
}

fn has_twice(words: &[String]) -> bool {
    (1..words.len()).any(|at| words[..at].contains(&words[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_words_that_tell_them_apart() {
        assert_eq!(kind(&DataType::String), "text");
        assert_eq!([kind(&DataType::Int8), kind(&DataType::Float32)], ["integers", "numbers"]);
        assert_eq!(kinds(&DataType::Date, &DataType::Int64), ["dates", "integers"]);
        assert_eq!(kinds(&DataType::Int64, &DataType::UInt64), ["i64", "u64"]);
        let several = |types: [DataType; 3]| different(&types.each_ref());
        use DataType::{Boolean, Date, Int8, Int64, String};
        assert_eq!(several([Int64, String, Int64]), "integers, text");
        assert_eq!(several([Int64, Boolean, Int8]), "i64, bool, i8");
        assert_eq!(several([Date, Date, Date]), "dates");
    }
}
