//! Tells builds of different sources or dependencies apart, so that machines of a cluster compute with the same ones. Cargo features
//! are no part of it: a driver need not have the backends of its executors, and each answer names the arithmetic that it was formed by.

use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // Without clusters, tests alone write messages, and read only their own.
    if std::env::var_os("CARGO_FEATURE_CLUSTER").is_none() {
        println!("cargo::rustc-env=BURN_DID_SOURCE=tests");
        return Ok(());
    }
    println!("cargo::rerun-if-changed=src");
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files)?;
    let lock = PathBuf::from("Cargo.lock");
    if lock.is_file() {
        println!("cargo::rerun-if-changed=Cargo.lock");
        files.push(lock);
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in &files {
        for byte in fs::read(file)? {
            // FNV-1a.
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=BURN_DID_SOURCE={hash:016x}");
    Ok(())
}

/// The Rust files of a directory and of those within it.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
