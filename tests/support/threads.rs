//! Many fits at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `f` of every seed, in their order, by as many threads as there are cores.
///
/// The threads are none of rayon's: one of those takes up another seed while it waits for parts of a fit, and so on until its stack is full.
pub fn of_all<T: Send>(seeds: &[u64], f: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(seeds.len())));
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let value = f(*seed);
                    done.lock().unwrap().push((*seed, value));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(seed, _)| *seed);
    done.into_iter().map(|(_, value)| value).collect()
}
