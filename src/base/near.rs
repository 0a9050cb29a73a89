//! Names that are nearly the same.

/// The name that differs in case or punctuation only, or else in fewest letters if these are few.
pub(crate) fn nearest<'a>(asked: &str, names: &[&'a str]) -> Option<&'a str> {
    let nearest = names.iter().min_by_key(|name| distance(asked, name))?;
    are_near(asked, nearest).then_some(nearest)
}

/// Whether at most a third of the letters of what was asked for differ.
#[must_use]
pub fn are_near(asked: &str, name: &str) -> bool {
    distance(asked, name) <= plain(asked).chars().count() / 3
}

fn distance(asked: &str, name: &str) -> usize {
    strsim::osa_distance(&plain(asked), &plain(name))
}

/// A name without case and punctuation.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_if_few_letters_differ() {
        for (asked, name) in [("yaer", "year"), ("first.treated", "first_treat"), ("sed", "seed")] {
            assert!(are_near(asked, name), "{asked}");
        }
        for (asked, name) in [("level", "device"), ("trim", "time"), ("robust", "rows")] {
            assert!(!are_near(asked, name), "{asked}");
        }
        assert_eq!(nearest("yaer", &["id", "year"]), Some("year"));
    }
}
