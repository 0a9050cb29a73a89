//! A whole study as one page: `study/report.html`, with the same as markdown, LaTeX tables and pictures beside it.

use burn_did::options::{ControlGroup, EstimationMethod};
use burn_did::{Honest, Result, Study, backend::Cpu, recipe::Variant};

fn main() -> Result<()> {
    let study = Study::builder()
        .title("Minimum wages and teen employment")
        .data(concat!(env!("CARGO_MANIFEST_DIR"), "/src/data/mpdta.csv"))
        .folder("study")
        .outcome("lemp")
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .covariates("~ lpop")
        .variants([
            Variant::new("Doubly robust"),
            Variant::new("Regression").method(EstimationMethod::OutcomeRegression),
            Variant::new("Not yet treated").control_group(ControlGroup::NotYetTreated),
        ])
        .sensitivity([Honest::relative_magnitude().m_bar([0.5, 1.0, 1.5, 2.0])])
        .build();
    let report = study.report::<Cpu>()?;
    report.write()?;
    for finding in &report.findings {
        println!("{}: {}", finding.name, finding.value);
    }
    for (step, error) in report.failures() {
        println!("{step} could not be made: {error}");
    }
    Ok(())
}
