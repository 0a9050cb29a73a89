//! Memory of this process as Linux counts it.

use serde::{Deserialize, Serialize};

/// Resident memory of a contestant, in bytes; zero where `/proc` is missing.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// With the frame loaded and the fit that warms up done, before the fit.
    pub loaded: u64,
    /// Largest during the fit.
    pub peak_fit: u64,
    /// Largest at any time.
    pub peak: u64,
}

/// Memory before a fit.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    loaded: u64,
    peak: u64,
}

/// Takes note of the memory and lets the peak count from now.
pub fn before() -> Before {
    let before = Before { loaded: status("VmRSS"), peak: status("VmHWM") };
    // Without the right to reset, the peak of the fit is that of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    before
}

impl Before {
    /// The memory of the fit that has just ended.
    pub fn after(self) -> Memory {
        let peak_fit = status("VmHWM");
        Memory { loaded: self.loaded, peak_fit, peak: self.peak.max(peak_fit) }
    }
}

/// A field of `/proc/self/status`, in bytes.
fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(field)?.strip_prefix(':'));
    let kibibytes = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}
