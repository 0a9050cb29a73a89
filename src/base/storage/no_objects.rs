//! What stands for object stores in builds that do not read them.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An object; without the feature there are none.
#[derive(Debug)]
pub(crate) enum Object {}

/// An object that is being written.
#[cfg(feature = "cluster")]
#[derive(Debug)]
pub(crate) enum Upload {}

/// What an object is at a time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Version {
    /// Bytes that it has.
    pub length: u64,
}

impl Version {
    pub fn tag_and_time(&self) -> (Option<String>, (i64, u32)) {
        (None, (0, 0))
    }
}

impl Object {
    /// Nothing, for paths of directories.
    ///
    /// # Errors
    /// For paths of object stores.
    pub fn of(path: &Path) -> io::Result<Option<Self>> {
        match super::split(path) {
            None => Ok(None),
            Some(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "object stores are read by builds with the feature `object-store`",
            )),
        }
    }

    pub fn exists(&self) -> io::Result<bool> {
        match *self {}
    }

    pub fn version(&self) -> io::Result<Version> {
        match *self {}
    }

    pub fn range_of(&self, _: &Version, _: u64, _: u64) -> io::Result<Vec<u8>> {
        match *self {}
    }

    pub fn ranges_of(
        &self,
        _: &Version,
        _: &[Range<u64>],
        _: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        match *self {}
    }

    pub fn name(&self) -> String {
        match *self {}
    }

    pub fn below(&self) -> io::Result<Vec<PathBuf>> {
        match *self {}
    }
}

#[cfg(feature = "cluster")]
impl Object {
    pub fn length(&self) -> io::Result<u64> {
        match *self {}
    }

    pub fn range(&self, _: u64, _: u64) -> io::Result<Vec<u8>> {
        match *self {}
    }

    pub fn create(&self) -> io::Result<Upload> {
        match *self {}
    }

    pub fn delete_below(&self) -> io::Result<()> {
        match *self {}
    }

    pub fn rename(&self, _: &Self) -> io::Result<()> {
        match *self {}
    }
}

#[cfg(feature = "cluster")]
impl Upload {
    pub fn put(&mut self, _: &[u8]) -> io::Result<()> {
        match *self {}
    }

    pub fn finish(self) -> io::Result<()> {
        match self {}
    }
}
