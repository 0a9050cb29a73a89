//! Threads of their own beside the pool of rayon, and waiting for what they send.
//!
//! Who calls may be a thread of the pool: fits inside a parallel iterator. If it only slept, and all of them did, the work that the
//! other threads leave to the pool would never be done. So it does the pool's work while it waits.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::thread::scope;
use std::time::Duration;

use rayon::Yield;

/// How long a thread of the pool sleeps where there is nothing to do before it looks for work again.
const PAUSE: Duration = Duration::from_micros(100);

/// Waits no longer than this for a message; time spent on the pool's work does not count.
///
/// # Errors
/// [`RecvTimeoutError`], as the channel's own.
pub(crate) fn receive<T>(from: &Receiver<T>, mut limit: Duration) -> Result<T, RecvTimeoutError> {
    if rayon::current_thread_index().is_none() {
        return from.recv_timeout(limit);
    }
    loop {
        match from.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        if rayon::yield_now() == Some(Yield::Executed) {
            continue;
        }
        match from.recv_timeout(PAUSE.min(limit)) {
            Err(RecvTimeoutError::Timeout) if limit > PAUSE => limit -= PAUSE,
            answer => return answer,
        }
    }
}

/// What a thread of its own is to do.
pub(crate) type ThreadTask<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Runs each of `tasks` on a thread of its own and `here` on this one. When it returns all have ended, which tasks do once nobody
/// receives what they send: `here` is to drop its receivers.
pub(crate) fn beside<R>(tasks: Vec<ThreadTask<'_>>, here: impl FnOnce() -> R) -> R {
    scope(|scope| {
        let (running, ended) = channel::<()>();
        for task in tasks {
            let running = running.clone();
            scope.spawn(move || {
                let _running = running;
                task();
            });
        }
        drop(running);
        let result = here();
        // Nothing is ever sent: the last task to end closes the channel.
        let _ = receive(&ended, Duration::MAX);
        result
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use rayon::prelude::*;

    use super::*;
    use crate::base::parallel;

    /// More callers than the pool has threads, each waiting for a thread that needs the pool.
    #[test]
    fn threads_of_the_pool_work_while_they_wait() {
        let wait = |caller: usize| {
            let (send, receiver) = sync_channel(1);
            let sum = move || {
                let parts = parallel::map(1_000, |i| i + caller);
                let _ = send.send(parts.into_iter().sum::<usize>());
            };
            beside(vec![Box::new(sum)], move || receive(&receiver, Duration::MAX))
        };
        let callers = 4 * rayon::current_num_threads();
        let sums: Vec<_> = (0..callers).into_par_iter().map(wait).collect();
        for (caller, sum) in sums.into_iter().enumerate() {
            assert_eq!(sum, Ok(499_500 + 1_000 * caller));
        }
    }

    #[test]
    fn waiting_has_an_end() {
        let (send, receiver) = channel::<()>();
        let wait = || receive(&receiver, Duration::from_millis(2));
        assert_eq!(wait(), Err(RecvTimeoutError::Timeout));
        let on_the_pool = rayon::scope(|_| {
            let (_send, receiver) = channel::<()>();
            receive(&receiver, Duration::from_millis(2))
        });
        assert_eq!(on_the_pool, Err(RecvTimeoutError::Timeout));
        drop(send);
        assert_eq!(receive(&receiver, Duration::MAX), Err(RecvTimeoutError::Disconnected));
    }
}
