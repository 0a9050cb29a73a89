//! Tasks that no driver would give: workers answer them with a problem, and live on.

use std::borrow::Cow;

use proptest::prelude::*;

use super::messages::{awkward, passes, unfinished};
use crate::base::options::Precision;
use crate::cluster::engine::TaskRunner;
use crate::cluster::manifest::SampleFile;
use crate::cluster::task::{Message, Task};
use crate::cluster::wire::{TAIL, decode, digest, encode, sealed};
use crate::cluster::worker::Worker;
use crate::engine::backend::Cpu;
use crate::engine::condition::Change;

fn worker() -> Worker<Cpu> {
    Worker::new("worker".into(), Default::default(), 1 << 20)
}

/// Whether the worker has a problem with the bytes.
fn refuses(task: &[u8]) -> bool {
    let message: Message = decode(&worker().run(task)).unwrap();
    assert_eq!(message.question, digest(task));
    message.outcome.is_err()
}

fn tasks() -> Vec<Vec<u8>> {
    let sample = SampleFile { path: "/nowhere/manifest".into(), digest: 3 };
    let task = |pass| {
        let change = Cow::Owned(Change::example(&awkward()));
        let (sample, pass) = (Cow::Borrowed(&sample), Cow::Borrowed(pass));
        let (segments, precision) = (vec![0, 1], Precision::F64);
        let keep = Some(Cow::Borrowed("/nowhere".as_ref()));
        encode(&Task::Pass { sample, segments, choice: None, change, k: 8, precision, pass, keep })
            .unwrap()
    };
    let influence = encode(&Task::Influence(unfinished())).unwrap();
    passes().iter().map(task).chain([influence]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(refuses(&bytes));
        prop_assert!(refuses(&sealed(bytes)));
    }

    /// Changed and cut tasks with digests that are right.
    #[test]
    fn changed_tasks_are_refused(
        number in 0usize..7,
        at in any::<prop::sample::Index>(),
        value in any::<u8>(),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = tasks()[number].clone();
        bytes.truncate(bytes.len() - TAIL);
        let at = at.index(bytes.len());
        bytes[at] = value;
        prop_assert!(refuses(&sealed(bytes.clone())));
        bytes.truncate(end.index(bytes.len()));
        prop_assert!(refuses(&sealed(bytes)));
    }
}
