//! What are the data? Who is treated when, how outcomes moved, whether groups are alike, and the picture in `means.svg`.

use burn_did::{Result, data, explore::Explore, options::ControlGroup};

fn main() -> Result<()> {
    let look = Explore::builder()
        .unit("countyreal")
        .time("year")
        .group("first.treat")
        .outcome("lemp")
        .covariates(["lpop"])
        .build();
    let description = look.describe(data::mpdta())?;
    println!("{description}");
    for cohort in &description.cohorts {
        println!("{:?}: {} of {} units", cohort.group, cohort.units, description.n_units);
    }

    let means = look.means(data::mpdta())?;
    println!("{means}");
    means.plot("means.svg")?;

    println!("{}", look.balance(data::mpdta(), ControlGroup::NotYetTreated)?);
    Ok(())
}
