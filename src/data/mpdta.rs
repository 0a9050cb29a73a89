use std::io::Cursor;

use polars::prelude::{CsvReader, DataFrame, SerReader};

/// County teen employment and the minimum wage, 2003–2007: 500 counties, 5 years, 2,500 rows.
///
/// Columns: `year`, `countyreal` (county), `lpop` (log of population in thousands), `lemp` (log of teen employment),
/// `first.treat` (year in which the state raised its minimum wage, 0 for never) and `treat` (1 for counties that are
/// ever treated). It is the example of Callaway and Sant'Anna (2021, *Journal of Econometrics* 225(2), 200–230),
/// known as `mpdta` from the R package `did`; this copy is the one that moderndid 0.2.0 distributes under the MIT
/// licence.
///
/// ```
/// let counties = burn_did::data::mpdta();
/// assert_eq!(counties.shape(), (2_500, 6));
/// ```
#[must_use]
#[allow(clippy::missing_panics_doc, reason = "the file is part of the program")]
pub fn mpdta() -> DataFrame {
    CsvReader::new(Cursor::new(include_bytes!("mpdta.csv"))).finish().expect("shipped data parse")
}

#[cfg(test)]
mod tests {
    use polars::prelude::DataType;

    use super::*;

    #[test]
    fn holds_the_published_panel() {
        let df = mpdta();
        assert_eq!(df.height(), 2_500);
        let types: Vec<_> = df.dtypes();
        let names: Vec<_> = df.get_column_names().into_iter().map(|n| n.as_str()).collect();
        assert_eq!(names, ["year", "countyreal", "lpop", "lemp", "first.treat", "treat"]);
        for (name, dtype) in names.iter().zip(&types) {
            let expected = if name.starts_with('l') { DataType::Float64 } else { DataType::Int64 };
            assert_eq!(*dtype, expected, "{name}");
        }
        let counties = df.column("countyreal").unwrap().n_unique().unwrap();
        assert_eq!(counties, 500);
        let mut sizes = df.column("first.treat").unwrap().i64().unwrap().to_vec();
        sizes.sort_unstable();
        let size = |g: i64| sizes.iter().filter(|s| **s == Some(g)).count() / 5;
        assert_eq!([size(0), size(2004), size(2006), size(2007)], [309, 20, 40, 131]);
        assert_eq!(df.column("lemp").unwrap().null_count(), 0);
    }
}
