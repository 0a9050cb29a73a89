//! Memory of this process as Linux counts it.

use serde::{Deserialize, Serialize};

use super::machine;

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
    // What the allocator keeps of the loading of the data is no memory of the fit.
    #[cfg(feature = "cli")]
    super::allocator::release();
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

/// Resident memory of a process, in bytes.
pub fn resident(process: u32) -> u64 {
    field(&format!("/proc/{process}/status"), "VmRSS")
}

/// Memory of the machine, in bytes.
pub fn of_machine() -> u64 {
    field("/proc/meminfo", "MemTotal")
}

/// A field of `/proc/self/status`, in bytes.
fn status(name: &str) -> u64 {
    field("/proc/self/status", name)
}

/// A field of a file that counts in KiB, in bytes.
fn field(path: &str, name: &str) -> u64 {
    let kibibytes = machine::field(path, name)
        .and_then(|value| value.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}
