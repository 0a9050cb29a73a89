//! Parquet files and arranged samples in an S3 bucket: the bits of the same files in a directory.
//!
//! `BURN_DID_S3` names the bucket as `s3://bucket`; the endpoint and the credentials are those of the environment (`AWS_ENDPOINT_URL`
//! and so on). Without it the tests say that they were skipped.

use std::fs::{self, File};
use std::path::PathBuf;

use burn_did::backend::Cpu;
use burn_did::cluster::LocalCluster;
use burn_did::data::Simulation;
use burn_did::{AttGt, Cluster, Data, GroupTimeResult, Result, audit::Timings};
use object_store::aws::AmazonS3Builder;
use object_store::{ObjectStore, ObjectStoreExt};
use polars::prelude::*;

use crate::support::but;

/// A prefix of the bucket that no other test has, which is emptied in the end.
struct Bucket {
    runtime: tokio::runtime::Runtime,
    store: Arc<dyn ObjectStore>,
    /// Of the bucket.
    root: String,
    prefix: String,
}

impl Bucket {
    fn open(name: &str) -> Option<Self> {
        let Ok(root) = std::env::var("BURN_DID_S3") else {
            println!("skipped: BURN_DID_S3 names no bucket");
            return None;
        };
        let bucket = root.trim_start_matches("s3://").trim_end_matches('/');
        let store = AmazonS3Builder::from_env().with_bucket_name(bucket).with_allow_http(true);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let prefix = format!("burn-did-test/{name}-{}", std::process::id());
        let (store, root) = (Arc::new(store.build().unwrap()), format!("s3://{bucket}"));
        Some(Self { runtime, store, root, prefix })
    }

    fn path(&self, name: &str) -> PathBuf {
        format!("{}/{}/{name}", self.root, self.prefix).into()
    }

    fn put(&self, name: &str, bytes: Vec<u8>) {
        let key = object_store::path::Path::parse(format!("{}/{name}", self.prefix)).unwrap();
        self.runtime.block_on(self.store.put(&key, bytes.into())).unwrap();
    }

    /// Keys below a name.
    fn keys(&self, name: &str) -> Vec<String> {
        use futures::TryStreamExt;
        let key = object_store::path::Path::parse(format!("{}/{name}", self.prefix)).unwrap();
        let found = self.store.list(Some(&key)).map_ok(|meta| meta.location.to_string());
        self.runtime.block_on(found.try_collect()).unwrap()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        for key in self.keys("") {
            let key = object_store::path::Path::parse(key).unwrap();
            self.runtime.block_on(self.store.delete(&key)).unwrap();
        }
    }
}

fn named() -> AttGt<Cpu> {
    let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    named.covariates("~ x1 + x2").build()
}

fn rows() -> DataFrame {
    Simulation::builder().units(20_000).periods(4).cohorts([3, 4]).covariates(2).build().frame()
}

/// The rows in two files of several row groups, in a directory and in the bucket; of a column that nobody asks for, too. One
/// covariate has half precision.
fn files(rows: &DataFrame, bucket: &Bucket, name: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let half = rows.height().div_ceil(2);
    for number in 0..2 {
        let mut part = rows.slice((number * half) as i64, half);
        let unused: Vec<i64> = (0..part.height() as i64).map(|row| row * 7_919).collect();
        part.with_column(Column::new("unused".into(), unused)).unwrap();
        let short = part.column("x2").unwrap().cast(&DataType::Float16).unwrap();
        part.with_column(short).unwrap();
        let path = directory.path().join(format!("{number}.parquet"));
        let writer = ParquetWriter::new(File::create(&path).unwrap());
        writer.with_row_group_size(Some(half / 5)).finish(&mut part).unwrap();
        bucket.put(&format!("{name}/{number}.parquet"), fs::read(path).unwrap());
    }
    bucket.put(&format!("{name}/_SUCCESS"), Vec::new());
    directory
}

/// Every bit of a result, but for its timings and the names of its files.
fn bits(fit: Result<GroupTimeResult>) -> String {
    let mut fit = fit.unwrap();
    fit.timings = Timings::default();
    fit.audit.files = Default::default();
    format!("{fit:?}")
}

fn error(fit: Result<GroupTimeResult>) -> String {
    fit.unwrap_err().to_string()
}

#[test]
fn parquet_files_in_a_bucket() {
    let Some(bucket) = Bucket::open("files") else { return };
    let directory = files(&rows(), &bucket, "panel");
    let here = bits(named().fit(directory.path()));
    for path in ["panel", "panel/", "panel/*.parquet", "pan*/[01].parquet"] {
        assert!(bits(named().fit(bucket.path(path).as_path())) == here, "{path}");
    }
    let in_pieces = but(named(), |e| e.memory_budget = Some(2 << 20));
    let pieces = in_pieces.fit(Data::in_pieces(bucket.path("panel").to_str().unwrap()));
    assert!(bits(pieces) == here);
    let other = rows().lazy().with_column(col("y") * lit(2.0)).collect().unwrap();
    let directory = files(&other, &bucket, "panel");
    let here = bits(named().fit(directory.path()));
    let anew = bits(named().fit(bucket.path("panel").as_path()));
    assert!(anew == here, "what was known of the files of before");
    let fit = |path: &str| error(named().fit(bucket.path(path).as_path()));
    assert!(fit("nothing").contains("no such"), "{}", fit("nothing"));
    assert!(fit("panel/9.parquet").contains("9.parquet"));
    bucket.put("rows.csv", b"y,id\n1,2\n".to_vec());
    assert!(fit("rows.csv").contains("write them to parquet"));
    bucket.put("table/_delta_log/0.json", Vec::new());
    bucket.put("table/a.parquet", Vec::new());
    assert!(fit("table").contains("Delta"));
    bucket.put("damaged.parquet", b"PAR1 and no more PAR1".to_vec());
    assert!(fit("damaged.parquet").contains("damaged.parquet"));
    bucket.put("empty.parquet", Vec::new());
    assert!(fit("empty.parquet").contains("empty.parquet"));
}

#[test]
fn samples_of_a_cluster_in_a_bucket() {
    let Some(bucket) = Bucket::open("samples") else { return };
    let local = LocalCluster::builder().executors(2).threads(1);
    let local = local.program(env!("CARGO_BIN_EXE_burn-did")).build();
    let cluster = Cluster::local(&local).unwrap().with_directory(bucket.path("scratch"));
    let ordered = rows();
    let disordered = ordered.sort(["y"], Default::default()).unwrap();
    for (name, rows) in [("ordered", ordered), ("disordered", disordered)] {
        let directory = files(&rows, &bucket, name);
        let here = bits(named().fit(directory.path()));
        assert!(bits(named().fit_cluster(&cluster, bucket.path(name))) == here, "{name}");
        assert_eq!(bucket.keys("scratch"), Vec::<String>::new(), "{name}: what is left");
    }
    let keeping = but(named(), |e| e.keep_influence = true);
    let values = cluster.clone().with_influence(bucket.path("influence"));
    let files = keeping.fit_cluster(&values, bucket.path("ordered")).unwrap().influence_files;
    let here = keeping.fit(bucket.path("ordered").as_path()).unwrap();
    let files = files.unwrap();
    assert_eq!(files.load().unwrap(), here.influence.unwrap());
    assert_eq!(bucket.keys("influence").len(), files.files.len());
    assert!(
        error(keeping.fit_cluster(&values, bucket.path("ordered"))).contains("has files already")
    );
    let sample = named().prepare(&cluster, bucket.path("ordered")).unwrap();
    let kept = sample.keep().unwrap();
    let first = bits(named().fit_sample(&sample));
    drop(sample);
    assert!(kept.starts_with(bucket.path("scratch")), "{}", kept.display());
    let again = cluster.open(&kept).unwrap();
    assert!(bits(named().fit_sample(&again)) == first);
    let nowhere = cluster.with_directory("s3://burn-did-no-such-bucket/scratch");
    let error = named().fit_cluster(&nowhere, bucket.path("ordered")).unwrap_err();
    assert!(error.to_string().contains("burn-did-no-such-bucket"), "{error}");
}

/// A directory that executors do not see is found before they read a sample.
#[test]
fn a_directory_that_is_not_shared_is_named() {
    let local = LocalCluster::builder().executors(1).program(env!("CARGO_BIN_EXE_burn-did"));
    let cluster = Cluster::local(&local.build()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("panel.parquet");
    ParquetWriter::new(File::create(&path).unwrap()).finish(&mut rows()).unwrap();
    let open = File::open(directory.path()).unwrap();
    let own = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
    let error = named().fit_cluster(&cluster.with_directory(&own), &path).unwrap_err().to_string();
    assert!(error.starts_with("executor ") && error.contains(&own), "{error}");
}
