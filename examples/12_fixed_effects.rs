//! Regressions with fixed effects: event studies by dummies and by Sun and Abraham's estimator beside group-time effects, a Poisson
//! and a logit regression, and several regressions in one table.

use burn_did::{
    Aggregation, AttGt, FixedEffects, Result, SunAbraham,
    backend::Cpu,
    compare, data,
    regression::{Family, Vcov, etable},
    report::Comparable,
};

fn main() -> Result<()> {
    let panel = data::mpdta();
    let config = |formula: &str| {
        let config = FixedEffects::<Cpu>::builder().formula(formula);
        config.vcov(Vcov::cluster(["countyreal"]))
    };
    let plain = config("lemp ~ treat + lpop").build().fit(&panel)?;
    let years = config("lemp ~ treat + lpop | year").build().fit(&panel)?;
    let event = "lemp ~ i(year, treat, ref = 2003) | countyreal + year";
    let event = config(event).keep_fixed_effects(true).build().fit(&panel)?;
    println!("{}", etable(&[("OLS", &plain), ("Years", &years), ("Event study", &event)]));

    let joint = event.wald(&[vec![("year::2006:treat", 1.0)], vec![("year::2007:treat", 1.0)]])?;
    println!("No effect in 2006 and 2007: F = {:.3}, p = {:.4}", joint.stat, joint.p_value);
    println!("{:?}\n", event.fixed_effects()?[1]);

    let sun_abraham = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let sun_abraham = sun_abraham.group("first.treat").build().fit(&panel)?.event_study;
    let group_time = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let group_time = group_time.group("first.treat").build().fit(&panel)?;
    let group_time = group_time.aggregate(Aggregation::dynamic())?;
    let models: [(&str, &dyn Comparable); 2] =
        [("Sun-Abraham", &sun_abraham), ("Callaway-Sant'Anna", &group_time)];
    println!("{}", compare(&models));

    let counts = config("exp(lemp) ~ lpop | year").family(Family::Poisson).build();
    println!("{}", counts.fit(&panel)?);
    let treated = config("treat ~ lpop | year").family(Family::Logit).build();
    println!("{}", treated.fit(&panel)?);
    sun_abraham.plot("sun_abraham.svg")
}
