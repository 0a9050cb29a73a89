//! What is done before a signal ends the program.

#[cfg(unix)]
use std::sync::Arc;

use burn_did::command_line::clear_away;

/// Removes temporary files and says good-bye when the program is interrupted, told to end, or loses its terminal; then it ends as
/// without this. Signals that were to be ignored from the start, as under `nohup`, stay ignored.
#[cfg(unix)]
pub(crate) fn clear_away_at_the_end() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file that may not become as large is then an error of writing.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal));
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    // Where no thread can be started, the work says so at once.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            clear_away();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
            std::process::exit(128 + signal);
        }
    });
}

/// Nothing is known of signals here.
#[cfg(not(unix))]
pub(crate) fn clear_away_at_the_end() {
    let _ = clear_away;
}

/// Whether a signal is ignored, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
