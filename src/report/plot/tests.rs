use super::*;
use crate::report::sample;

#[test]
fn dump() {
    let dir = Path::new("/tmp/plots");
    std::fs::create_dir_all(dir).unwrap();
    let o = PlotOptions::new();
    for ext in ["png", "svg"] {
        let p = |n: &str| dir.join(format!("{n}.{ext}"));
        sample::dynamic_uniform().plot(p("es_uniform")).unwrap();
        sample::dynamic_universal().plot(p("es_universal")).unwrap();
        sample::uniform().plot(p("gt_uniform")).unwrap();
        sample::universal().plot(p("gt_universal")).unwrap();
        sample::group().plot(p("group")).unwrap();
        sample::calendar().plot(p("calendar")).unwrap();
        sample::dynamic_uniform().plot_with(p("small"), &o.clone().size(480, 300)).unwrap();
    }
}
