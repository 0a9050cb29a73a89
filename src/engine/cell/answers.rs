//! What a pass answers, by what was asked: an answer that is missing, or of another shape, is an error and not a zero.

use crate::base::error::{DidError, Result};
use crate::engine::pass::{Gram, LogitStat};

/// The error of sums that are not there.
pub(super) fn incomplete(problem: String) -> DidError {
    DidError::Engine { problem }
}

/// Cross-products `[k, k]` and `[k, P]` with the keys of their jobs.
///
/// # Errors
/// [`DidError::Engine`] for another number of answers than jobs, or an answer of another shape.
pub(super) fn grams<K>(
    keys: Vec<K>,
    answers: Vec<Gram>,
    k: usize,
    columns: usize,
) -> Result<Vec<(K, Gram)>> {
    keyed(keys, answers, |gram| gram.zz.len() == k * k && gram.zy.len() == k * columns)
}

/// Scores `[k]` and information `[k, k]` with the models of their jobs.
///
/// # Errors
/// As [`grams`].
pub(super) fn logit<K>(
    keys: Vec<K>,
    answers: Vec<LogitStat>,
    k: usize,
) -> Result<Vec<(K, LogitStat)>> {
    keyed(keys, answers, |stat| stat.score.len() == k && stat.hessian.len() == k * k)
}

fn keyed<K, A>(
    keys: Vec<K>,
    answers: Vec<A>,
    has_shape: impl Fn(&A) -> bool,
) -> Result<Vec<(K, A)>> {
    if keys.len() != answers.len() {
        let (jobs, answers) = (keys.len(), answers.len());
        return Err(incomplete(format!("{answers} answers to {jobs} jobs")));
    }
    match answers.iter().position(|answer| !has_shape(answer)) {
        Some(job) => Err(incomplete(format!("the answer to job {job} has another shape"))),
        None => Ok(keys.into_iter().zip(answers).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_the_keys_of_their_jobs() {
        let mut second = Gram::zero(2, 3);
        second.zz[0] = 5.0;
        let answers = vec![Gram::zero(2, 3), second.clone()];
        let found = grams(vec!["first", "second"], answers, 2, 3).unwrap();
        assert_eq!(found[1], ("second", second));
    }

    #[test]
    fn a_missing_answer_is_an_error() {
        let error = grams(vec![0, 1], vec![Gram::zero(2, 3)], 2, 3).unwrap_err();
        assert!(error.to_string().contains("1 answers to 2 jobs"), "{error}");
        assert!(logit(vec![0], vec![LogitStat::zero(2); 2], 2).is_err());
    }

    #[test]
    fn an_answer_of_another_shape_is_an_error() {
        assert!(grams(vec![0], vec![Gram::zero(2, 2)], 2, 3).is_err());
        assert!(grams(vec![0], vec![Gram::zero(3, 3)], 2, 3).is_err());
        let short = LogitStat { score: vec![0.0; 2], hessian: vec![0.0; 3], max_p: 0.0 };
        assert!(logit(vec![0], vec![short], 2).is_err());
    }
}
