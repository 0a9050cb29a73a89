//! The program within limits of time and memory.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Seconds that a run may take. Machines are busy: what takes longer is tried once more with [`PATIENCE`].
const LIMIT: Duration = Duration::from_secs(10);

/// What a run that took too long gets in the second attempt.
const PATIENCE: Duration = Duration::from_secs(40);

/// Kilobytes of address space.
const MEMORY: u64 = 8_000_000;

/// What a run did.
pub struct Outcome {
    /// `None` if it was ended by a signal, or by us.
    pub code: Option<i32>,
    pub hang: bool,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

pub fn run(words: &[String], directory: &Path) -> Outcome {
    let first = within(LIMIT, words, directory);
    if first.hang { within(PATIENCE, words, directory) } else { first }
}

fn within(limit: Duration, words: &[String], directory: &Path) -> Outcome {
    let mut child = command(words)
        .current_dir(directory)
        .env_clear()
        .envs(["PATH", "TMPDIR"].iter().filter_map(|v| Some((*v, std::env::var_os(v)?))))
        .env("RAYON_NUM_THREADS", "1")
        .env("POLARS_MAX_THREADS", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut err = child.stderr.take().unwrap();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let status = std::thread::scope(|scope| {
        scope.spawn(|| out.read_to_end(&mut stdout));
        scope.spawn(|| err.read_to_end(&mut stderr));
        wait(&mut child, limit)
    });
    Outcome { code: status.and_then(|s| s.code()), hang: status.is_none(), stdout, stderr }
}

/// The status, or `None` for a process that had to be ended.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

const BINARY: &str = env!("CARGO_BIN_EXE_burn-did");

/// A shell sets the limit, since nothing in the standard library does.
#[cfg(unix)]
fn command(words: &[String]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {MEMORY}; ulimit -c 0; exec \"$0\" \"$@\"");
    command.args(["-c", &script, BINARY]).args(words);
    command
}

#[cfg(not(unix))]
fn command(words: &[String]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(words);
    command
}
