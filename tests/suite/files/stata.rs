//! Stata files: the numbers of the same data in a CSV file.

use std::path::Path;

use burn_did::backend::Cpu;
use burn_did::{AttGt, Data};

#[test]
fn stata_files_are_the_same_data() {
    let config = |group: &str| {
        let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        config.group(group).covariates("~ lpop").build()
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let expected = config("first.treat").fit(root.join("src/data/mpdta.csv")).unwrap();
    // Without points in names, and with `.` for never treated.
    let path = root.join("tests/cases/mpdta_118.dta");
    let read = config("first_treat").fit(path.as_path()).unwrap();
    assert_eq!((&expected.cells, expected.vcov().unwrap()), (&read.cells, read.vcov().unwrap()));
    assert_eq!((expected.audit.rows, 1), (read.audit.rows, read.audit.files.number));
    let error = config("first_treat").fit(Data::in_pieces(&path)).unwrap_err().to_string();
    assert!(error.contains("Stata files cannot be read in pieces"), "{error}");
    // A folder of several files, as one.
    let folder = tempfile::tempdir().unwrap();
    for name in ["1.dta", "2.DTA"] {
        std::fs::copy(&path, folder.path().join(name)).unwrap();
    }
    let error = config("first_treat").fit(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("countyreal") || error.contains("unit"),
        "every row is there twice: {error}"
    );
}
