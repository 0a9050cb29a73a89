//! Effects of treatments that switch beside this crate from Python and ModernDiD: same parquet file, every fit in a fresh process.
//!
//! `cargo bench --features cli --bench switching`; of a million groups: `… -- --scale 10 --without moderndid`.

#[path = "../common/mod.rs"]
mod common;

use std::process::ExitCode;

use common::bench::Bench;
use common::case::Case;

const WORDS: &str = "Groups that switch in alone. Effects and placebos are compared.";

fn main() -> ExitCode {
    let cases = vec![Case::switching("s1")];
    common::exit(Bench { section: "switching", words: WORDS, cases, moderndid: |_| true }.run())
}
