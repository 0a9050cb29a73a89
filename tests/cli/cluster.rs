//! `burn-did cluster`

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that ends with its value.
struct Running(Child);

impl Running {
    fn start(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_burn-did"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }

    fn reader(&mut self) -> BufReader<ChildStdout> {
        BufReader::new(self.0.stdout.take().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line.trim().to_owned()
}

/// As with `| head`.
#[test]
fn watching_ends_with_the_reader() {
    let mut scheduler = Running::start(&["scheduler", "--port", "0"]);
    let address = line(&mut scheduler.reader());
    let mut watching = Running::start(&["cluster", "status", &address, "--watch"]);
    let mut reader = watching.reader();
    assert!(line(&mut reader).starts_with("EXECUTOR"));
    drop(reader);
    let start = Instant::now();
    let status = loop {
        if let Some(status) = watching.0.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it goes on without a reader");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(status.success());
}
