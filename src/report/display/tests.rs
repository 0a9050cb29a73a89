use super::super::compare::compare;
use super::super::sample;

#[test]
fn dump() {
    let (u, v, f) = (sample::uniform(), sample::universal(), sample::failed());
    let (d, e) = (sample::dynamic_uniform(), sample::dynamic_universal());
    let out = [
        u.to_string(),
        f.to_string(),
        d.to_string(),
        sample::simple().to_string(),
        sample::calendar().to_string(),
        f.to_markdown(),
        f.to_latex(),
        d.to_markdown(),
        d.to_latex(),
        compare(&[("No covariates", &e), ("With lpop", &d)]).to_string(),
        compare(&[("No covariates", &e), ("With lpop", &d), ("G_1", &sample::group())])
            .to_markdown(),
        compare(&[("No covariates", &e), ("With lpop", &d)]).to_latex(),
        compare(&[("a", &u), ("b", &v), ("c", &sample::simple())]).to_string(),
        compare(&[]).to_string(),
        format!("{:?}", f.to_dataframe().unwrap()),
        f.to_csv().unwrap(),
        d.to_csv().unwrap(),
        format!("{:?}", f.glance().unwrap()),
        format!("{:?}", d.glance().unwrap()),
    ];
    std::fs::write("/tmp/dump.txt", out.join("\n=====\n")).unwrap();
}
