//! Golden cases, and samples of every layout, by executors in processes of their own: the bits of a fit on this machine. Then what
//! becomes of a fit when processes die, and who is let in.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use burn_did::backend::Cpu;
use burn_did::cluster::{
    Certificates, RunningCluster, SchedulerConfig, cluster_status, run_scheduler,
};
use burn_did::data::{TripleSimulation, TwoPeriodSimulation};
use burn_did::{
    Cluster, Ddd, DidError, Drdid,
    audit::Timings,
    options::{Bootstrap, Multiplier, Precision, Resampling},
};
use polars::prelude::*;

use super::{Files, PROGRAM, Running, certificates, kill, local, named, panel};
use crate::support::frames::golden_data;
use crate::support::{but, ddd, drdid, golden};

/// Asserts that a fit here and one by a cluster are the same.
macro_rules! same {
    ($name:expr, $estimator:expr, $data:expr, $cluster:expr) => {
        let files = Files::new($data);
        let mut estimator = $estimator;
        estimator.keep_influence = false;
        let here = shown!(estimator.fit(files.path()));
        let there = shown!(estimator.fit_cluster($cluster, files.path()));
        let there = match there.split_once("): ") {
            Some((name, error)) if name.starts_with("executor ") => error.to_owned(),
            _ => there,
        };
        let same = here.bytes().zip(there.bytes()).take_while(|(a, b)| a == b).count();
        let around =
            |text: &str| text.chars().skip(same.max(60) - 60).take(200).collect::<String>();
        assert!(here == there, "{}:\n{}\n{}", $name, around(&here), around(&there));
    };
}

/// One case in ten.
#[test]
fn golden_cases_on_one_two_and_three_executors() {
    let clusters = [1, 2, 3].map(|executors| Cluster::local(&local(executors)).unwrap());
    let mut turn = clusters.iter().cycle();
    for name in golden::DATASETS {
        let (set, data) = (golden::Dataset::load(name), golden_data(name));
        for case in set.cases.iter().step_by(10) {
            let estimator = set.spec(case).estimator::<Cpu>(Precision::F64);
            same!(case.id, estimator, &data, turn.next().unwrap());
        }
    }
    for name in drdid::DATASETS {
        let set = drdid::Dataset::load(name);
        let data = golden_data(&set.dataset);
        for case in set.cases.iter().step_by(10) {
            let estimator = set.estimator::<Cpu>(case, Precision::F64);
            same!(case.id, estimator, &data, turn.next().unwrap());
        }
    }
    for name in ddd::DATASETS.into_iter().chain(["oracle"]) {
        let set = ddd::Dataset::load(name);
        for case in set.cases.iter().step_by(10) {
            let data = golden_data(case.data.as_deref().unwrap_or(&set.dataset));
            let estimator = set.estimator::<Cpu>(case, Precision::F64);
            same!(case.id, estimator, &data, turn.next().unwrap());
        }
    }
}

#[test]
fn every_layout() {
    let cluster = Cluster::local(&local(2)).unwrap();
    let bootstrap = Some(Bootstrap::draws(40).seed(5).multiplier(Multiplier::Mammen));
    let drawn = || but(named(), |e| e.bootstrap = bootstrap);
    same!("bootstrap", drawn(), &panel().frame(), &cluster);
    let data = but(panel(), |s| {
        s.clusters = 90;
        s.weights = true;
    })
    .frame();
    let clustered = but(drawn(), |e| {
        (e.weights, e.cluster) = (Some("weight".into()), Some("cluster".into()));
    });
    same!("clusters", clustered, &data, &cluster);
    let data = but(panel(), |s| s.attrition = 0.1).frame();
    same!("unbalanced", but(named(), |e| e.allow_unbalanced_panel = true), &data, &cluster);
    let data = but(panel(), |s| s.repeated_cross_sections = true).frame();
    let sections = but(named(), |e| e.repeated_cross_sections = true);
    same!("sections of units", sections.clone(), &data, &cluster);
    same!("sections", but(sections, |e| e.unit = None), &data, &cluster);
    let data = TwoPeriodSimulation::builder().units(5_000).build().frame();
    let two = Drdid::<Cpu>::builder().outcome("y").unit("id").time("period").treatment("treated");
    let two = two.covariates("~ x1 + x2").bootstrap(Bootstrap::draws(20).seed(3));
    same!("weighted bootstrap", two.resampling(Resampling::Weighted).build(), &data, &cluster);
    let data = TripleSimulation::builder().units(5_000).periods(3).cohorts([2, 3]).build().frame();
    let triple = Ddd::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    same!("triple", triple.eligible("eligible").build(), &data, &cluster);
}

#[test]
fn what_executors_keep_is_not_read_again() {
    let files = Files::new(&panel().frame());
    let cluster = Cluster::local(&local(2)).unwrap();
    let sample = named().prepare(&cluster, files.path()).unwrap();
    let work = || named().fit_sample(&sample).unwrap().timings.cluster.unwrap();
    let first = work();
    assert_eq!((first.workers, first.tasks_again), (2, 0));
    assert!(first.bytes_read >= first.bytes_arranged && first.bytes_arranged > 0, "{first:?}");
    assert!(first.bytes_read <= 3 * first.bytes_arranged, "{first:?}");
    let fewer = but(named(), |e| e.covariates = "~ x1".into());
    let here = fewer.fit(files.path()).unwrap();
    assert_eq!(fewer.fit_sample(&sample).unwrap().cells, here.cells);
    let missing = but(named(), |e| e.covariates = "~ x1 + y".into()).fit_sample(&sample);
    assert!(matches!(missing, Err(DidError::Config { option: "covariates", .. })));
}

/// One of two executors is killed while a fit is running: at some moment of it, in each of the fits another.
#[test]
fn executors_may_die() {
    let files = Files::new(&panel().frame());
    let drawn = but(named(), |e| e.bootstrap = Some(Bootstrap::draws(2_000).seed(5)));
    let here = shown!(drawn.fit(files.path()));
    let mut running = RunningCluster::start(&local(2)).unwrap();
    let mut alive = running.processes();
    for moment in [5, 150, 400] {
        let (address, path, estimator) = (running.address(), files.path(), &drawn);
        let there = std::thread::scope(|scope| {
            let fit = scope.spawn(move || {
                let cluster = Cluster::connect(&address)?;
                estimator.fit_cluster(&cluster, path)
            });
            std::thread::sleep(Duration::from_millis(moment));
            kill(alive.remove(0));
            running.add().unwrap();
            fit.join().unwrap()
        });
        alive.extend(running.processes().last());
        assert!(shown!(there) == here, "after {moment} ms");
    }
}

#[test]
fn a_lost_scheduler_is_an_error() {
    let files = Files::new(&panel().frame());
    let running = RunningCluster::start(&local(1)).unwrap();
    let cluster = Cluster::connect(&running.address()).unwrap();
    assert!(named().fit_cluster(&cluster, files.path()).is_ok());
    let status = cluster_status(&running.address(), None).unwrap();
    assert_eq!(status.executors.len(), 1);
    assert!(status.executors[0].description.contains("ndarray"), "{status:?}");
    drop(running);
    let start = Instant::now();
    let error = named().fit_cluster(&cluster, files.path()).unwrap_err();
    assert!(matches!(error, DidError::Cluster { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(Cluster::connect("df://127.0.0.1:1").is_err());
}

/// The command's results, as JSON without its timings.
fn command(files: &Path, more: &[&str]) -> String {
    let columns = ["--yname", "y", "--idname", "id", "--tname", "period", "--gname", "group"];
    let formula = ["--xformla", "~ x1", "--format", "json"];
    let mut command = Command::new(PROGRAM);
    command.arg("att-gt").arg(files).args(columns).args(formula).args(more);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    result["result"].as_object_mut().unwrap().remove("timings").expect("timings");
    result.to_string()
}

#[test]
fn the_command_line_takes_the_address_of_a_scheduler() {
    let files = Files::new(&panel().frame());
    let running = RunningCluster::start(&local(2)).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().to_str().unwrap();
    let there = ["--cluster", &running.address(), "--scratch", directory];
    assert_eq!(command(files.path(), &there), command(files.path(), &[]));
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left");
    let status = Command::new(PROGRAM).args(["cluster", "status", &running.address()]).output();
    let status = String::from_utf8(status.unwrap().stdout).unwrap();
    assert_eq!(status.matches("0 of 1").count(), 2, "{status}");
}

/// Executors write influence values, one of them dies meanwhile, and the command does the same; files are as at home.
#[test]
fn influence_values_are_written_by_executors() {
    let files = Files::new(&panel().frame());
    let keeping = but(named(), |e| e.keep_influence = true);
    let here = keeping.fit(files.path()).unwrap().influence.unwrap();
    let mut running = RunningCluster::start(&local(2)).unwrap();
    let place = tempfile::tempdir().unwrap();
    let cluster = Cluster::connect(&running.address()).unwrap();
    let cluster = cluster.with_directory(place.path());
    let mut alive = running.processes();
    for (number, moment) in [None, Some(200), Some(500)].into_iter().enumerate() {
        let to = place.path().join(format!("influence {number} %41#ü"));
        let fit = std::thread::scope(|scope| {
            let fit = scope
                .spawn(|| keeping.fit_cluster(&cluster.clone().with_influence(&to), files.path()));
            if let Some(moment) = moment {
                std::thread::sleep(Duration::from_millis(moment));
                kill(alive.remove(0));
                running.add().unwrap();
            }
            fit.join().unwrap()
        });
        alive.extend(running.processes().last());
        assert!(fit.unwrap().influence_files.unwrap().load().unwrap() == here, "{moment:?}");
    }
    let [there, at_home] = ["there", "home"].map(|name| place.path().join(name));
    let (there, at_home) = (there.to_str().unwrap(), at_home.to_str().unwrap());
    command(files.path(), &["--scheduler", &running.address(), "--influence", there]);
    command(files.path(), &["--influence", at_home]);
    let rows = |directory: &str| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(directory).unwrap().map(|f| f.unwrap().path()).collect();
        paths.sort();
        let read = |path: &PathBuf| ParquetReader::new(File::open(path).unwrap()).finish().unwrap();
        let mut all = read(&paths[0]);
        for path in &paths[1..] {
            all.vstack_mut(&read(path)).unwrap();
        }
        all
    };
    assert!(rows(there).equals(&rows(at_home)));
}

/// Files that executors do not see: the error says who does not see what.
#[test]
fn a_path_that_executors_do_not_see_is_named() {
    let cluster = Cluster::local(&local(1)).unwrap();
    let files = Files::new(&panel().frame());
    let hidden = Path::new("/proc/self/fd");
    let file = File::open(files.path().join("0.parquet")).unwrap();
    let own = hidden.join(format!("{}", std::os::fd::AsRawFd::as_raw_fd(&file)));
    let link = files.path().join("own.parquet");
    std::os::unix::fs::symlink(&own, &link).unwrap();
    let error = named().fit_cluster(&cluster, &link).unwrap_err().to_string();
    assert!(error.starts_with("executor ") && error.contains("own.parquet"), "{error}");
}

#[test]
fn who_has_no_certificate_of_the_ring_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let (ring, other) = (certificates(place.path(), "ring"), certificates(place.path(), "other"));
    let (send, receive) = std::sync::mpsc::channel();
    let mut config = SchedulerConfig::default();
    config.bind = "127.0.0.1:0".parse().unwrap();
    config.certificates = Some(ring.clone());
    std::thread::spawn(move || {
        run_scheduler(&config, |address| send.send(address.to_owned()).unwrap())
    });
    let address = receive.recv_timeout(Duration::from_secs(20)).unwrap();
    let _executor = Running(
        Command::new(PROGRAM)
            .args(["executor", "--scheduler", address.trim_start_matches("df://"), "--tls-ca"])
            .args([&ring.authority, Path::new("--tls-cert"), &ring.certificate])
            .args([Path::new("--tls-key"), &ring.key])
            .stdin(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let files = Files::new(&panel().frame());
    let fit = |certificates: Option<&Certificates>| {
        let cluster = Cluster::connect_with(&address, certificates)?;
        named().fit_cluster(&cluster, files.path())
    };
    let start = Instant::now();
    assert!(fit(Some(&other)).is_err());
    assert!(fit(None).is_err());
    assert!(start.elapsed() < Duration::from_secs(120));
    let here = named().fit(files.path());
    assert_eq!(shown!(fit(Some(&ring))), shown!(here));
}
