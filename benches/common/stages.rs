//! Where the time of a fit goes: the library's `tracing` spans, added up by name.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Seconds inside each span of target `burn_did`, spans within it included.
#[derive(Clone, Debug, Default)]
pub struct Stages(Arc<Listener>);

#[derive(Debug, Default)]
struct Listener {
    next: AtomicU64,
    spans: Mutex<Spans>,
}

#[derive(Debug, Default)]
struct Spans {
    names: HashMap<u64, &'static str>,
    entered: HashMap<u64, Instant>,
    seconds: BTreeMap<String, f64>,
}

impl Stages {
    /// Listens to all threads of the process from now on; only the first call of a process does.
    pub fn listen() -> Self {
        let stages = Self::default();
        // A second listener would hear nothing, and the caller sees no stages.
        let _ = tracing::subscriber::set_global_default(stages.clone());
        stages
    }

    /// Seconds by name, since the last call.
    pub fn take(&self) -> BTreeMap<String, f64> {
        self.with(|spans| std::mem::take(&mut spans.seconds))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Spans) -> T) -> T {
        work(&mut self.0.spans.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Subscriber for Stages {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target().starts_with("burn_did")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.with(|spans| spans.names.insert(id, span.metadata().name()));
        Id::from_u64(id)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.with(|spans| spans.entered.insert(id.into_u64(), Instant::now()));
    }

    fn exit(&self, id: &Id) {
        self.with(|spans| {
            let Some(start) = spans.entered.remove(&id.into_u64()) else { return };
            let name = spans.names.get(&id.into_u64()).copied().unwrap_or_default();
            *spans.seconds.entry(name.to_owned()).or_default() += start.elapsed().as_secs_f64();
        });
    }
}
