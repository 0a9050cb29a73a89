//! Extended two-way fixed effects: effects of cohorts in periods, their averages, counts by a Poisson regression, and the picture in
//! `extended.svg`.

use burn_did::backend::Cpu;
use burn_did::options::ControlGroup;
use burn_did::regression::Family;
use burn_did::{Etwfe, Honest, Result, data};

fn main() -> Result<()> {
    let data = data::mpdta();
    let config = Etwfe::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let mut config = config.group("first.treat").covariates(["lpop"]).build();
    let fit = config.fit(&data)?;
    println!("{fit}");

    // Against the never treated there are leads, and so a sensitivity analysis.
    config.control_group = ControlGroup::NeverTreated;
    let leads = config.fit(&data)?;
    println!("{}", leads.honest(Honest::relative_magnitude().m_bar([0.5, 1.0]))?);
    leads.plot("extended.svg")?;

    // The same of a positive outcome by its mean's logarithm.
    config.covariates.clear();
    config.family = Family::Poisson;
    println!("{}", config.fit(&data)?);
    Ok(())
}
