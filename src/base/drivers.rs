//! Pieces of work that each drive the pool of rayon, beside each other.
//!
//! A fit shares what it can with the pool, and does the rest on the thread that drives it, while the pool waits. With several drivers the pool
//! has work meanwhile. They are threads of their own, not the pool's: a thread of the pool that waits begins other work within the first.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::parallel::{held, stays};
use super::progress::{Progress, tell};
use super::threads::{ThreadTask, beside, receive};

/// `work` of `0..count`, in order, by up to so many `drivers` at once. The watcher of this thread hears of all of them, on this thread. Within
/// the pool, and in work that stays on its thread, this thread does all alone.
pub(crate) fn drive<T: Send>(
    count: usize,
    drivers: usize,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let drivers = drivers.min(count);
    if drivers < 2 || stays() || rayon::current_thread_index().is_some() {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Done<T>>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let (events, heard) = channel();
    let task = || {
        let events = events.clone();
        let (next, slots, work) = (&next, &slots, &work);
        let progress = Progress::new(move |event| {
            // The watcher has panicked, so that nobody listens.
            if events.send(event).is_err() {
                resume_unwind(Box::new("stopped"));
            }
        });
        let all = move || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(slot) = slots.get(index) else { break };
                let done = catch_unwind(AssertUnwindSafe(|| work(index)));
                if done.is_err() {
                    next.store(count, Ordering::Relaxed);
                }
                *held(slot) = Some(done);
            }
        };
        Box::new(move || progress.watch(all)) as ThreadTask<'_>
    };
    let tasks = (0..drivers).map(|_| task()).collect();
    drop(events);
    beside(tasks, || {
        let _rest = Rest { next: &next, count };
        while let Ok(event) = receive(&heard, Duration::MAX) {
            tell(event.stage, event.done, event.total);
        }
        drop(heard);
    });
    let done = slots
        .into_iter()
        .filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
    // Where one is missing, another has panicked.
    done.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

/// What came of a piece of work.
type Done<T> = Result<T, Box<dyn Any + Send>>;

/// Work that nobody begins any more when this is dropped.
struct Rest<'a> {
    next: &'a AtomicUsize,
    count: usize,
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.next.store(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;
    use std::thread;

    use super::*;
    use crate::base::parallel;

    #[test]
    fn results_are_in_order_for_any_number_of_drivers() {
        let squares: Vec<usize> = (0..50).map(|i| i * i).collect();
        for drivers in [0, 1, 2, 7, 100] {
            let sum = |i: usize| parallel::map(100, |_| i).into_iter().sum::<usize>() * i / 100;
            assert_eq!(drive(50, drivers, sum), squares, "{drivers}");
        }
        assert!(drive(0, 4, |i| i).is_empty());
    }

    #[test]
    fn within_the_pool_one_thread_does_all() {
        let on = || drive(20, 4, |_| thread::current().id());
        let (here, done_by) = rayon::scope(|_| (thread::current().id(), on()));
        assert_eq!(done_by, [here; 20]);
    }

    #[test]
    fn the_watcher_hears_of_all_work_on_its_thread() {
        let (heard, here) = (Arc::new(AtomicU64::new(0)), thread::current().id());
        let sum = heard.clone();
        let listener = Progress::new(move |event| {
            assert_eq!(thread::current().id(), here);
            sum.fetch_add(event.done, Ordering::Relaxed);
        });
        listener.watch(|| drive(10, 3, |i| tell("a test", i as u64, 10)));
        assert_eq!(heard.load(Ordering::Relaxed), 45);
    }

    #[test]
    fn a_panic_of_the_watcher_ends_all_work() {
        let begun = AtomicU64::new(0);
        let refuses = Progress::new(|_| resume_unwind(Box::new(7_u8)));
        let work = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            loop {
                tell("a test", 0, 1);
            }
        };
        let ended = catch_unwind(AssertUnwindSafe(|| refuses.watch(|| drive::<()>(100, 2, work))));
        assert_eq!(ended.expect_err("it goes on").downcast_ref(), Some(&7_u8));
        assert!(begun.load(Ordering::Relaxed) <= 2);
    }

    #[test]
    fn a_panic_of_the_work_reaches_the_caller() {
        let work = |i: usize| if i == 3 { resume_unwind(Box::new("third")) } else { i };
        let ended = catch_unwind(AssertUnwindSafe(|| drive(1_000, 2, work)));
        assert_eq!(ended.expect_err("it goes on").downcast_ref(), Some(&"third"));
    }
}
