//! Work on all cores in parts of many rows.
//!
//! A parallel iterator is compiled anew, with its scheduler, for every closure that it is given: some five thousand lines of
//! LLVM code each. These are given closures behind a pointer, called once a part, and are compiled once.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rayon::prelude::*;

use super::progress::tell;
use super::threads;

thread_local! {
    /// Whether work that this thread begins stays on it.
    static STAYS: Cell<bool> = const { Cell::new(false) };
}

/// Does work, and all that it would share, on this thread if it is `small`, or if the thread is one of the pool's: its other threads have work
/// of the caller's. A thread that waited would begin the next of the caller's tasks meanwhile, and within that the next, until its stack is full.
pub(crate) fn on_its_own_thread<T>(small: bool, work: impl FnOnce() -> T) -> T {
    struct Restored(bool);
    impl Drop for Restored {
        fn drop(&mut self) {
            STAYS.set(self.0);
        }
    }
    let stays = small || stays() || rayon::current_thread_index().is_some();
    let _restored = Restored(STAYS.replace(stays));
    work()
}

/// Whether work that this thread begins [stays](on_its_own_thread) on it.
pub(crate) fn stays() -> bool {
    STAYS.get()
}

/// Calls `task` with each of `0..count`. One alone is done here: handing it to the pool and waiting takes ten microseconds.
pub(crate) fn each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    if count == 1 || stays() {
        return (0..count).for_each(task);
    }
    (0..count).into_par_iter().for_each(task);
}

/// Whether `test` holds for all of `0..count`; ends early if it does not.
pub(crate) fn all(count: usize, test: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    if count == 1 || stays() {
        return (0..count).all(test);
    }
    (0..count).into_par_iter().all(test)
}

/// `f` of `0..count`, in order.
pub(crate) fn map<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let all = map_all(count, |i| Some(f(i)));
    all.unwrap_or_else(|| unreachable!("every call gives a value, and a panic goes on"))
}

/// `f` of `0..count`, in order; `None` as soon as one is.
pub(crate) fn map_all<T: Send>(
    count: usize,
    f: impl Fn(usize) -> Option<T> + Sync,
) -> Option<Vec<T>> {
    let slots: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let stopped = AtomicBool::new(false);
    each(count, &|i| {
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        match f(i) {
            None => stopped.store(true, Ordering::Relaxed),
            value => *held(&slots[i]) = value,
        }
    });
    slots
        .into_iter()
        .map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// `f` of each item and its number, in order.
pub(crate) fn map_items<I: Send, T: Send>(
    items: Vec<I>,
    f: impl Fn(usize, I) -> T + Sync,
) -> Vec<T> {
    let items: Vec<Mutex<Option<I>>> = items.into_iter().map(|i| Mutex::new(Some(i))).collect();
    let taken = |i: usize| held(&items[i]).take().map(|item| f(i, item));
    let all = map_all(items.len(), taken);
    all.unwrap_or_else(|| unreachable!("every item is taken once, and a panic goes on"))
}

/// Calls `f` with the number of each chunk of `size` values, and the chunk.
pub(crate) fn chunks<T: Send>(values: &mut [T], size: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    let chunks: Vec<Mutex<&mut [T]>> = values.chunks_mut(size).map(Mutex::new).collect();
    each(chunks.len(), &|i| f(i, &mut held(&chunks[i])));
}

/// Has all cores do `task`, each until it returns, while `take` is called on this thread with what they send, as it comes. Work that
/// is not `large`, or [stays](on_its_own_thread), is done on this thread alone.
pub(crate) fn sending<T: Send>(
    large: bool,
    task: &(dyn Fn(&Sender<T>) + Sync),
    take: &mut dyn FnMut(T),
) {
    let (send, receive) = channel();
    let threads = rayon::current_num_threads();
    if !large || threads == 1 || stays() {
        task(&send);
        drop(send);
        return receive.into_iter().for_each(take);
    }
    // The receiver goes with a panic of `take`, and with it the tasks end.
    rayon::in_place_scope(move |scope| {
        for _ in 0..threads {
            let send = send.clone();
            scope.spawn(move |_| task(&send));
        }
        drop(send);
        while let Ok(sent) = threads::receive(&receive, Duration::MAX) {
            take(sent);
        }
    });
}

/// As [`map`], for long work: after each value, the watcher of this thread hears how many are done, and can end the work.
pub(crate) fn map_telling<T: Send>(
    stage: &'static str,
    count: usize,
    f: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let mut slots: Vec<Option<T>> = (0..count).map(|_| None).collect();
    let mut done = 0;
    let mut take = |(index, value): (usize, T)| {
        slots[index] = Some(value);
        done += 1;
        tell(stage, done, count as u64);
    };
    if stays() || count == 1 || rayon::current_num_threads() == 1 {
        (0..count).for_each(|index| take((index, f(index))));
    } else {
        let task = |send: &Sender<(usize, T)>| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count || send.send((index, f(index))).is_err() {
                    break;
                }
            }
        };
        sending(true, &task, &mut take);
    }
    slots.into_iter().flatten().collect()
}

/// As [`map_telling`] where there are several values, and as [`map`] of one, which is done before anybody would want to end it.
pub(crate) fn map_telling_of_several<T: Send>(
    stage: &'static str,
    count: usize,
    f: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    if count > 1 { map_telling(stage, count, f) } else { map(count, f) }
}

/// The rows of a part of `size` of `rows` rows.
pub(crate) fn part(index: usize, size: usize, rows: usize) -> Range<usize> {
    index * size..rows.min((index + 1) * size)
}

/// The value behind a lock, even if another task panicked: the panic goes on by itself.
pub(crate) fn held<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
    use std::sync::Arc;
    use std::thread::sleep;

    use super::*;
    use crate::base::progress::Progress;

    #[test]
    fn results_are_in_order() {
        assert_eq!(map(1_000, |i| 2 * i), (0..1_000).map(|i| 2 * i).collect::<Vec<_>>());
        assert!(map(0, |i| i).is_empty());
        assert_eq!(map_all(100, |i| (i < 100).then_some(i)).map(|v| v.len()), Some(100));
        assert_eq!(map_all(100, |i| (i != 57).then_some(i)), None);
    }

    #[test]
    fn chunks_know_their_numbers() {
        let mut values = vec![0; 25];
        chunks(&mut values, 10, |chunk, values| values.fill(chunk + values.len()));
        assert_eq!((values[0], values[10], values[20]), (10, 11, 7));
        assert_eq!((part(2, 10, 25), part(1, 10, 25)), (20..25, 10..20));
    }

    #[test]
    fn items_are_handed_over() {
        let items: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let got = map_items(items, |i, item| format!("{item}{i}"));
        assert!((0..100).all(|i| got[i] == format!("{i}{i}")));
    }

    #[test]
    fn what_is_sent_is_taken_once() {
        for large in [true, false] {
            let next = std::sync::atomic::AtomicUsize::new(0);
            let task = |send: &Sender<usize>| loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= 1_000 || send.send(number).is_err() {
                    break;
                }
            };
            let mut sum = 0;
            sending(large, &task, &mut |number| sum += number);
            assert_eq!(sum, 499_500);
            // Within the pool, too.
            let sums = map(8, |_| {
                let (next, mut sum) = (AtomicBool::new(false), 0);
                let once = |send: &Sender<usize>| {
                    if !next.swap(true, Ordering::Relaxed) {
                        let _ = send.send(7);
                    }
                };
                sending(large, &once, &mut |number| sum += number);
                sum
            });
            assert_eq!(sums, [7; 8]);
        }
    }

    #[test]
    fn work_that_tells_is_in_order_and_can_be_ended() {
        let heard = Arc::new(AtomicUsize::new(0));
        let count = heard.clone();
        let listener = Progress::new(move |event| {
            assert_eq!((event.stage, event.total), ("a test", 100));
            count.fetch_add(1, Ordering::Relaxed);
        });
        let squares = || map_telling("a test", 100, |i| i * i);
        let expected: Vec<usize> = (0..100).map(|i| i * i).collect();
        assert_eq!(listener.watch(squares), expected);
        assert_eq!(listener.watch(|| on_its_own_thread(true, squares)), expected);
        assert_eq!(heard.load(Ordering::Relaxed), 200);
        assert!(map_telling("none", 0, |i| i).is_empty());
        let (begun, refuses) =
            (AtomicUsize::new(0), Progress::new(|_| resume_unwind(Box::new("stop"))));
        let work = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(1));
        };
        let all = || refuses.watch(|| map_telling("a test", 100_000, work));
        assert!(catch_unwind(AssertUnwindSafe(all)).is_err());
        assert!(begun.load(Ordering::Relaxed) < 50_000);
    }

    #[test]
    fn one_task_is_not_told_of() {
        let heard = Arc::new(AtomicUsize::new(0));
        let count = heard.clone();
        let listener = Progress::new(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let of = |count| listener.watch(|| map_telling_of_several("a test", count, |i| i)).len();
        assert_eq!((of(1), heard.load(Ordering::Relaxed)), (1, 0));
        assert_eq!((of(2), heard.load(Ordering::Relaxed)), (2, 2));
    }

    #[test]
    fn work_within_the_pool_stays_on_its_thread() {
        let threads = |work: &dyn Fn() -> Vec<Option<usize>>| {
            let mut seen = on_its_own_thread(false, work);
            seen.dedup();
            seen
        };
        let parts = || map(100, |_| rayon::current_thread_index());
        let within = rayon::scope(|_| (rayon::current_thread_index(), threads(&parts)));
        assert_eq!(within.1, [within.0]);
        assert!(!stays());
        // Outside the pool the pool works.
        assert!(on_its_own_thread(false, parts).iter().all(Option::is_some));
        assert!(on_its_own_thread(true, parts).iter().all(Option::is_none));
    }

    #[test]
    fn tests_see_every_number() {
        assert!(all(0, &|_| false) && all(300, &|i| i < 300));
        assert!(!all(300, &|i| i != 299));
    }
}
