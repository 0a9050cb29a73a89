//! How long a map waits for its next answer.

use std::time::Duration;

/// Patience: a multiple of the slowest task so far, and never less than a floor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    floor: Duration,
    multiple: u32,
    slowest: Duration,
}

impl Deadline {
    /// A deadline that has seen a task of that length.
    pub(super) fn new(floor: Duration, multiple: u32, slowest: Duration) -> Self {
        Self { floor, multiple, slowest }
    }

    /// Takes the time of a task into account.
    pub(super) fn seen(&mut self, task: Duration) {
        self.slowest = self.slowest.max(task);
    }

    /// The slowest task.
    pub(super) fn slowest(&self) -> Duration {
        self.slowest
    }

    /// The longest time without any answer.
    pub(super) fn limit(&self) -> Duration {
        self.floor.max(self.slowest.saturating_mul(self.multiple))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_slowest_task_above_the_floor() {
        let seconds = Duration::from_secs;
        let mut deadline = Deadline::new(seconds(10), 4, Duration::ZERO);
        assert_eq!(deadline.limit(), seconds(10));
        deadline.seen(seconds(5));
        deadline.seen(seconds(1));
        assert_eq!(deadline.limit(), seconds(20));
    }
}
