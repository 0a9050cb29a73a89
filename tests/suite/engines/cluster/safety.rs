//! What neither a damaged file nor anybody on the machine may do to a cluster, and what processes that are told to end leave behind.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv6Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ballista_core::serde::protobuf::executor_grpc_client::ExecutorGrpcClient;
use ballista_core::serde::protobuf::{LaunchMultiTaskParams, StopExecutorParams};
use burn_did::cluster::{RunningCluster, SchedulerConfig, cluster_status, run_scheduler};
use burn_did::{AttGt, Cluster, DidError, backend::Cpu};

use super::{Files, PROGRAM, Running, certificates, kill_with, local, named, panel};

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Executors that are registered, and were from the start.
fn alive(running: &RunningCluster) -> usize {
    cluster_status(&running.address(), None).unwrap().executors.len()
}

/// The port behind the one with certificates is reached by everybody on the machine.
#[test]
fn a_plain_call_on_loopback_is_not_obeyed() {
    let place = tempfile::tempdir().unwrap();
    let ring = certificates(place.path(), "ring");
    let (send, receive) = std::sync::mpsc::channel();
    let mut config = SchedulerConfig::default();
    config.bind = "127.0.0.1:0".parse().unwrap();
    config.certificates = Some(ring.clone());
    std::thread::spawn(move || {
        run_scheduler(&config, |address| send.send(address.to_owned()).unwrap())
    });
    let address = receive.recv_timeout(Duration::from_secs(20)).unwrap();
    let port = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let mut executor = Running(
        Command::new(PROGRAM)
            .args(["executor", "--scheduler", address.trim_start_matches("df://")])
            .args(["--ports", "0", &port.to_string(), "--tls-ca"])
            .args([&ring.authority, Path::new("--tls-cert"), &ring.certificate])
            .args([Path::new("--tls-key"), &ring.key])
            .stdin(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let executors = || cluster_status(&address, Some(&ring)).unwrap().executors;
    until("an executor", || !executors().is_empty());
    let id = executors()[0].id.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let behind = format!("http://[::1]:{port}");
        let mut client = ExecutorGrpcClient::connect(behind).await.unwrap();
        let stop =
            StopExecutorParams { executor_id: id.clone(), reason: String::new(), force: true };
        let _ = client.stop_executor(stop).await;
        let none =
            LaunchMultiTaskParams { multi_tasks: Vec::new(), scheduler_endpoint: String::new() };
        let _ = client.launch_multi_task(none).await;
    });
    std::thread::sleep(Duration::from_secs(1));
    assert!(executor.0.try_wait().unwrap().is_none(), "it was stopped");
    let files = Files::new(&panel().frame());
    let cluster = Cluster::connect_with(&address, Some(&ring)).unwrap();
    let there = named().fit_cluster(&cluster, files.path()).unwrap();
    assert_eq!(there.cells, named().fit(files.path()).unwrap().cells);
    assert_eq!(executors()[0].id, id);
}

#[test]
fn pages_are_to_be_looked_at_only() {
    let running = RunningCluster::start(&local(1)).unwrap();
    let address = running.address().replace("df://", "");
    let ask = |method: &str, page: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "{method} {page} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.lines().next().unwrap_or_default().to_owned()
    };
    assert!(ask("GET", "/api/state").contains(" 200 "), "{}", ask("GET", "/api/state"));
    for method in ["PATCH", "POST", "DELETE", "PUT"] {
        let answer = ask(method, "/api/job/x");
        assert!(answer.contains(" 405 "), "{method}: {answer}");
    }
}

/// One user's damaged file is an error of one fit.
#[test]
fn a_damaged_file_ends_no_executor() {
    let running = RunningCluster::start(&local(2)).unwrap();
    let cluster = Cluster::connect(&running.address()).unwrap();
    let before = running.processes();
    let damaged =
        AttGt::<Cpu>::builder().outcome("y").unit("id").time("time").group("group").build();
    for name in ["decl1", "decl2"] {
        let file =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/damaged/{name}.parquet"));
        let error = damaged.fit_cluster(&cluster, &file).unwrap_err();
        assert!(matches!(error, DidError::Worker { .. }), "{error}");
        assert!(error.to_string().contains("its pages have 1600"), "{error}");
    }
    // A file that is cut and written again and again.
    let files = Files::new(&panel().frame());
    let file = files.path().join("1.parquet");
    let bytes = fs::read(&file).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for share in (1..7).cycle() {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                fs::write(&file, &bytes[..bytes.len() * share / 7]).unwrap();
                std::thread::sleep(Duration::from_millis(3));
                fs::write(&file, &bytes).unwrap();
                std::thread::sleep(Duration::from_millis(9));
            }
        });
        for _ in 0..8 {
            if let Err(error) = named().fit_cluster(&cluster, files.path()) {
                assert!(error.to_string().contains("1.parquet"), "{error}");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    fs::write(&file, &bytes).unwrap();
    assert_eq!((alive(&running), running.processes()), (2, before.clone()));
    assert!(before.iter().all(|process| kill_with("-0", *process)), "an executor has ended");
    let there = named().fit_cluster(&cluster, files.path()).unwrap();
    assert_eq!(there.cells, named().fit(files.path()).unwrap().cells);
}

/// Names in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap().flatten();
    entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

#[cfg(unix)]
#[test]
fn who_is_told_to_end_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::ExitStatusExt;
    let running = RunningCluster::start(&local(1)).unwrap();
    let files = Files::new(&panel().frame());
    let place = tempfile::tempdir().unwrap();
    let columns = ["--yname", "y", "--idname", "id", "--tname", "period", "--gname", "group"];
    let mut interrupted = 0;
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut driver = Running(
            Command::new(PROGRAM)
                .env("TMPDIR", place.path())
                .arg("att-gt")
                .arg(files.path())
                .args(columns)
                .args(["--cluster", &running.address()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
        );
        until("a directory", || {
            !names(place.path()).is_empty() || driver.0.try_wait().unwrap().is_some()
        });
        for name in names(place.path()) {
            let mode =
                fs::metadata(place.path().join(name)).map(|found| found.permissions().mode());
            assert!(mode.is_ok_and(|mode| mode & 0o077 == 0), "others can enter");
        }
        kill_with(signal, driver.0.id());
        let status = driver.0.wait().unwrap();
        interrupted += usize::from(status.signal().is_some());
        assert_eq!(names(place.path()), [""; 0], "{signal}");
    }
    assert!(interrupted > 0, "all fits were faster than the signals");
    // An executor, too, and it says good-bye.
    let address = running.address().replace("df://", "");
    let mut executor = Running(
        Command::new(PROGRAM)
            .env("TMPDIR", place.path())
            .args(["executor", "--scheduler", &address])
            .stdin(Stdio::null())
            .spawn()
            .unwrap(),
    );
    until("another executor", || alive(&running) == 2);
    assert_eq!(names(place.path()).len(), 1);
    kill_with("-TERM", executor.0.id());
    executor.0.wait().unwrap();
    assert_eq!(names(place.path()), [""; 0]);
    until("a good-bye", || alive(&running) == 1);
}
