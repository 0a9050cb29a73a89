//! Objects of S3, of stores that speak its protocol, of Google Cloud Storage and of Azure.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::buffered::BufWriter;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path as Key;
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt, RetryConfig};

use super::secrets::without_secrets;
use super::split;
use crate::base::parallel::held;

/// Where a machine in a cloud is asked for the credentials of its role.
const ROLE: &str = "169.254.169.254";

/// Bytes that one request asks for at most.
const PIECE: u64 = 8 << 20;
/// Requests for one object at the same time.
const REQUESTS: usize = 8;
/// A request is made again after a problem that may pass.
const RETRIES: usize = 6;
const RETRY_FOR: Duration = Duration::from_secs(60);

/// An object, or the place of one.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    key: Key,
    /// The path's beginning, up to the key.
    root: String,
}

/// What an object is at a time, until somebody writes it anew.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Version {
    /// Bytes that it has.
    pub length: u64,
    tag: Option<String>,
    modified: DateTime<Utc>,
}

impl Version {
    /// What the store calls it, and when it was written: seconds since 1970, and nanoseconds.
    pub fn tag_and_time(&self) -> (Option<String>, (i64, u32)) {
        (self.tag.clone(), (self.modified.timestamp(), self.modified.timestamp_subsec_nanos()))
    }
}

impl Object {
    /// The object of a path; `None` for paths of directories.
    ///
    /// # Errors
    /// If the path or the environment's settings for the store are not valid.
    pub fn of(path: &Path) -> io::Result<Option<Self>> {
        let Some((scheme, rest)) = split(path) else { return Ok(None) };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let key = Key::parse(key).map_err(|e| invalid(&e))?;
        Ok(Some(Self { store: store(scheme, bucket)?, key, root: format!("{scheme}://{bucket}/") }))
    }

    pub fn exists(&self) -> io::Result<bool> {
        match self.length() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What it is now.
    pub fn version(&self) -> io::Result<Version> {
        if self.key.is_root() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let Self { store, key, .. } = self.clone();
        let meta = wait(async move { store.head(&key).await })?;
        Ok(Version { length: meta.size, tag: meta.e_tag, modified: meta.last_modified })
    }

    /// Bytes that it has.
    pub fn length(&self) -> io::Result<u64> {
        self.version().map(|version| version.length)
    }

    /// So many of its bytes.
    ///
    /// # Errors
    /// If it has fewer, too.
    pub fn range(&self, start: u64, length: u64) -> io::Result<Vec<u8>> {
        self.bytes(start, length, None)
    }

    /// So many of the bytes that it had in a version.
    ///
    /// # Errors
    /// If it was written anew, too, where the store tells versions apart.
    pub fn range_of(&self, version: &Version, start: u64, length: u64) -> io::Result<Vec<u8>> {
        self.bytes(start, length, version.tag.clone())
    }

    /// Calls `put` with where each piece of some ranges of a version begins, and with its bytes.
    ///
    /// # Errors
    /// As of [`Self::range_of`], and those of `put`.
    pub fn ranges_of(
        &self,
        version: &Version,
        ranges: &[Range<u64>],
        put: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        self.pieces(ranges, version.tag.clone(), put)
    }

    fn bytes(&self, start: u64, length: u64, tag: Option<String>) -> io::Result<Vec<u8>> {
        let (mut bytes, range) = (Vec::new(), start..start.saturating_add(length));
        self.pieces(std::slice::from_ref(&range), tag, &mut |_, piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Calls `put` with where each piece of some ranges begins, and with its bytes, in order. Pieces of all ranges are asked for at the
    /// same time.
    fn pieces(
        &self,
        ranges: &[Range<u64>],
        tag: Option<String>,
        put: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let of_range = |range: &Range<u64>| {
            let end = range.end;
            let piece = move |from: u64| from..from.saturating_add(PIECE).min(end);
            range.clone().step_by(PIECE as usize).map(piece)
        };
        let pieces: Vec<Range<u64>> = ranges.iter().flat_map(of_range).collect();
        let places = pieces.clone();
        let Self { store, key, .. } = self.clone();
        let (send, receive) = mpsc::channel();
        runtime()?.spawn(async move {
            let ask = |range| {
                let (store, key) = (Arc::clone(&store), key.clone());
                let range = Some(GetRange::Bounded(range));
                let options = GetOptions { range, if_match: tag.clone(), ..GetOptions::default() };
                async move { store.get_opts(&key, options).await?.bytes().await }
            };
            let mut asked = stream::iter(pieces).map(ask).buffered(REQUESTS);
            while let Some(piece) = asked.next().await {
                // Who no longer listens has met an error.
                if send.send(piece).is_err() {
                    break;
                }
            }
        });
        for place in places {
            let bytes = receive.recv().map_err(|_| stopped())?.map_err(told)?;
            if bytes.len() as u64 != place.end - place.start {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            put(place.start, &bytes)?;
        }
        Ok(())
    }

    /// Its path.
    pub fn name(&self) -> String {
        format!("{}{}", self.root, self.key)
    }

    /// Paths of the objects below it, as below a directory.
    pub fn below(&self) -> io::Result<Vec<PathBuf>> {
        let Self { store, key, root } = self.clone();
        wait(async move {
            let listed = store.list(Some(&key));
            listed
                .map_ok(|meta| PathBuf::from(format!("{root}{}", meta.location)))
                .try_collect()
                .await
        })
    }

    /// Deletes the objects below it.
    pub fn delete_below(&self) -> io::Result<()> {
        let Self { store, key, .. } = self.clone();
        wait(async move {
            let listed = store.list(Some(&key)).map_ok(|meta| meta.location).boxed();
            store.delete_stream(listed).try_for_each(|_| async { Ok(()) }).await
        })
    }

    /// Moves it to the place of another of the same store, which does so without sending it.
    pub fn rename(&self, to: &Self) -> io::Result<()> {
        if self.root != to.root {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let (Self { store, key, .. }, to) = (self.clone(), to.key.clone());
        wait(async move { store.rename(&key, &to).await })
    }

    /// Begins to write it; it is there when that is finished.
    pub fn create(&self) -> io::Result<Upload> {
        let writer = BufWriter::with_capacity(self.store.clone(), self.key.clone(), PIECE as usize);
        Ok(Upload { writer: Some(writer.with_max_concurrency(REQUESTS)) })
    }
}

/// An object that is being written.
#[derive(Debug)]
pub(crate) struct Upload {
    /// `None` while others work with it, and after it was finished.
    writer: Option<BufWriter>,
}

impl Upload {
    /// Adds bytes.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut writer = self.writer.take().ok_or_else(gone)?;
        let bytes = bytes.to_vec().into();
        self.writer = Some(wait(async move {
            writer.put(bytes).await?;
            Ok(writer)
        })?);
        Ok(())
    }

    /// Has it appear.
    pub fn finish(mut self) -> io::Result<()> {
        let mut writer = self.writer.take().ok_or_else(gone)?;
        wait(async move {
            let shut = tokio::io::AsyncWriteExt::shutdown(&mut writer).await;
            shut.map_err(|e| Error::Generic { store: "upload", source: Box::new(e) })
        })
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            // Parts that cannot be deleted are left to the rules of the bucket.
            let _ = wait(async move { writer.abort().await });
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("the object could not be written before")
}

/// The client of a bucket, by the settings of the environment.
fn store(scheme: &str, bucket: &str) -> io::Result<Arc<dyn ObjectStore>> {
    type Clients = Mutex<HashMap<(String, String), Arc<dyn ObjectStore>>>;
    static CLIENTS: OnceLock<Clients> = OnceLock::new();
    let name = (scheme.to_owned(), bucket.to_owned());
    let mut clients = held(CLIENTS.get_or_init(Mutex::default));
    if let Some(client) = clients.get(&name) {
        return Ok(Arc::clone(client));
    }
    let retry =
        RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_FOR, ..RetryConfig::default() };
    let client: Arc<dyn ObjectStore> = match scheme {
        "s3" => {
            let mut builder =
                AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry);
            // Who names an endpoint without encryption wants it without.
            let is_plain =
                |name| std::env::var(name).is_ok_and(|url: String| url.starts_with("http:"));
            if ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"].into_iter().any(is_plain)
            {
                builder = builder.with_allow_http(true);
            }
            Arc::new(builder.build().map_err(|e| invalid(&e))?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
            Arc::new(builder.with_retry(retry).build().map_err(|e| invalid(&e))?)
        }
        _ => {
            let builder = MicrosoftAzureBuilder::from_env().with_container_name(bucket);
            Arc::new(builder.with_retry(retry).build().map_err(|e| invalid(&e))?)
        }
    };
    clients.insert(name, Arc::clone(&client));
    Ok(client)
}

fn invalid(error: &dyn std::error::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, problem(error))
}

/// What is wrong, in words that others may see: an address may have a password in it.
fn problem(error: &dyn std::error::Error) -> String {
    let text = without_secrets(&error.to_string());
    if text.contains(ROLE) {
        let process = "this process has no credentials for the store (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set)";
        return format!("{process}, and its machine has no role: {text}");
    }
    text
}

/// Waits for what goes on in the threads that talk to object stores. It may be called from any thread, which cannot wait for a
/// runtime if it belongs to one.
fn wait<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> io::Result<T> {
    let (send, receive) = mpsc::sync_channel(1);
    runtime()?.spawn(async move {
        // Whoever asked is waiting.
        let _ = send.send(work.await);
    });
    receive.recv().map_err(|_| stopped())?.map_err(told)
}

/// The threads that talk to object stores.
fn runtime() -> io::Result<&'static tokio::runtime::Runtime> {
    static RUNTIME: OnceLock<Result<tokio::runtime::Runtime, String>> = OnceLock::new();
    let start = || {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(2).thread_name("object store").enable_all().build()
    };
    let runtime = RUNTIME.get_or_init(|| start().map_err(|e| e.to_string()));
    runtime.as_ref().map_err(|e| io::Error::other(e.as_str()))
}

fn stopped() -> io::Error {
    io::Error::other("the object store's client stopped")
}

/// An error of a store in the words of this crate.
fn told(error: Error) -> io::Error {
    match error {
        Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, "no such object"),
        Error::Precondition { .. } => {
            io::Error::other("the object was written anew while it was read; read it again")
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            io::Error::new(io::ErrorKind::PermissionDenied, problem(&error))
        }
        other => io::Error::other(problem(&other)),
    }
}
