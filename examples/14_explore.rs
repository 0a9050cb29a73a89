//! What are the data? Who is treated when, how outcomes moved, whether groups are alike, and pictures in `rollout.svg`, `means.svg` and `relative.svg`.

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

    let rollout = look.panelview(data::mpdta())?;
    println!("{rollout}");
    rollout.plot("rollout.svg")?;

    let mut means = look.means(data::mpdta())?;
    println!("{means}");
    means.plot("means.svg")?;
    means.relative = true;
    means.plot("relative.svg")?;

    println!("{}", look.balance(data::mpdta(), ControlGroup::NotYetTreated)?);
    Ok(())
}
