//! What a thread has had a device do.

use std::cell::Cell;

use crate::engine::backend::DeviceWork;

thread_local! {
    static DONE: Cell<DeviceWork> = const { Cell::new(DeviceWork {
        passes: 0, launches: 0, reads: 0, bytes_up: 0, bytes_down: 0, resident_bytes: 0,
    }) };
}

/// Notes more work.
pub(crate) fn note(change: impl FnOnce(&mut DeviceWork)) {
    let mut done = DONE.get();
    change(&mut done);
    DONE.set(done);
}

/// What was noted since the last call.
pub(crate) fn take() -> DeviceWork {
    DONE.take()
}
