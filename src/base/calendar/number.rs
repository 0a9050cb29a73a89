//! Instants and times between them as people read them, if they are no dates.

/// A group, period or event time.
pub(crate) fn label(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-9) {
        format!("{value:e}")
    } else {
        (value + 0.0).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_more_digits_than_they_need() {
        assert_eq!(label(-0.0), "0");
        assert_eq!(label(2004.5), "2004.5");
        assert_eq!(label(1e300), "1e300");
    }
}
