//! Memory of this machine, and what may be taken of it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sysinfo::{MemoryRefreshKind, System};

use crate::base::error::{DidError, Result};

/// What is taken to be free where the system does not tell: no more than this is ever needed by mistake.
const UNKNOWN: u64 = 1 << 40;

/// Below this nothing is asked of the system.
const SMALL: u128 = 1 << 24;

/// How the program's allocator gives back what it keeps.
static RELEASE: OnceLock<fn()> = OnceLock::new();

/// Has `release` called before a fit is refused for want of memory, or is made in pieces for want of it. Of several, the first counts.
///
/// A program with an allocator that keeps freed memory for what is allocated next, such as mimalloc or jemalloc, says here how to give it
/// back to the system: what is kept looks taken from outside.
///
/// ```
/// fn release() {
///     // With mimalloc: unsafe { libmimalloc_sys::mi_collect(true) }
/// }
/// burn_did::release_memory_by(release);
/// ```
pub fn release_memory_by(release: fn()) {
    let _ = RELEASE.set(release);
}

/// An error unless `needed` bytes are free. Sums of sizes that users choose are formed in 128 bits, where none overflows.
///
/// # Errors
/// [`DidError::Memory`].
pub(crate) fn check(what: &'static str, needed: u128, remedy: &'static str) -> Result<()> {
    if needed < SMALL {
        return Ok(());
    }
    let available = free_for(needed).unwrap_or(UNKNOWN);
    if needed <= u128::from(available) {
        return Ok(());
    }
    let needed = u64::try_from(needed).unwrap_or(u64::MAX);
    Err(DidError::Memory { what, needed, available, remedy })
}

/// Whether data of so many bytes take more than a budget, or more than is free if they are held in so many `copies`.
pub(crate) fn exceeds(bytes: u64, budget: Option<u64>, copies: u64) -> bool {
    let room = free_for(u128::from(bytes) * u128::from(copies)).map(|free| free / copies);
    budget.into_iter().chain(room).any(|limit| bytes > limit)
}

/// Bytes that are [`free`]: if these are fewer than `needed`, after the allocator gave back what it keeps.
pub(crate) fn free_for(needed: u128) -> Option<u64> {
    let before = free()?;
    match RELEASE.get().filter(|_| u128::from(before) < needed) {
        Some(release) => {
            release();
            free()
        }
        None => Some(before),
    }
}

/// Bytes that can be taken without swapping, where the system tells: of the machine, and on Linux of this process's control
/// group and of its address space, the least.
pub(crate) fn free() -> Option<u64> {
    [machine(), control_group(), address_space()].into_iter().flatten().min()
}

fn machine() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    Some(system.available_memory()).filter(|available| *available > 0)
}

/// What the limits of this process's control group and of those above it leave (versions 2 and 1). `sysinfo` knows the group at
/// the root only.
fn control_group() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let left = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        if controllers.is_empty() {
            let root = Path::new("/sys/fs/cgroup");
            least(root, path, "memory.max", "memory.current", "inactive_file ")
        } else if controllers.split(',').any(|c| c == "memory") {
            let root = Path::new("/sys/fs/cgroup/memory");
            let (limit, used) = ("memory.limit_in_bytes", "memory.usage_in_bytes");
            least(root, path, limit, used, "total_inactive_file ")
        } else {
            None
        }
    };
    groups.lines().filter_map(left).min()
}

/// The least that a group and those above it leave. What is used for files read can be taken back.
fn least(root: &Path, path: &str, limit: &str, used: &str, cached: &str) -> Option<u64> {
    let number = |path: PathBuf| read(path)?.trim().parse::<u64>().ok();
    let groups = root.join(path);
    let within = groups.ancestors().take_while(|group| group.starts_with(root));
    let left = |group: &Path| {
        let (limit, used) = (number(group.join(limit))?, number(group.join(used))?);
        let stat = read(group.join("memory.stat")).unwrap_or_default();
        let line = stat.lines().find_map(|line| line.strip_prefix(cached));
        let cached = line.and_then(|value| value.trim().parse().ok()).unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(cached)))
    };
    within.filter_map(left).min()
}

/// What is left of the address space where it is limited (`ulimit -v`).
fn address_space() -> Option<u64> {
    let limits = read("/proc/self/limits")?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let used = kibibytes(&read("/proc/self/status")?, "VmSize:")?;
    Some(limit.saturating_sub(used))
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Bytes of the line that starts with `name` and counts in kB.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert!(check("a test", 1 << 20, "ask for less").is_ok());
        for needed in [1 << 62, u128::from(u64::MAX), 1 << 100] {
            let error = check("a test", needed, "ask for less").expect_err("too much");
            let message = error.to_string();
            let shown = needed.min(u128::from(u64::MAX));
            assert!(message.contains(&shown.to_string()), "{message}");
            assert!(message.ends_with("; ask for less"), "{message}");
        }
    }

    #[test]
    fn the_system_tells_what_is_free() {
        assert!(free().is_some_and(|free| free > 1 << 20));
    }

    #[test]
    fn memory_is_released_before_work_is_refused() {
        static RELEASED: AtomicUsize = AtomicUsize::new(0);
        let released = || RELEASED.load(Ordering::SeqCst);
        release_memory_by(|| {
            RELEASED.fetch_add(1, Ordering::SeqCst);
        });
        let before = released();
        check("a test", SMALL, "ask for less").expect("sixteen mebibytes are free");
        assert!(exceeds(1 << 60, None, 1) && released() > before);
        let before = released();
        assert!(check("a test", 1 << 62, "ask for less").is_err() && released() > before);
    }
}
