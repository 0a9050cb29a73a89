//! Sensitivity of the mpdta event study: `cargo bench --bench honest`, and `benches/peers/honest.py` for ModernDiD.

use std::hint::black_box;

use burn_did::{
    EventStudy, Honest,
    sensitivity::{HonestMethod, Search},
};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::Value;

fn mpdta() -> EventStudy {
    let golden: Value =
        serde_json::from_str(include_str!("../tests/golden/honest.json")).expect("JSON");
    serde_json::from_value(golden["mpdta"]["study"].clone()).expect("an event study")
}

fn analyses(c: &mut Criterion) {
    let study = mpdta();
    let mut group = c.benchmark_group("honest/mpdta");
    group.sample_size(10);
    for (name, options) in [
        ("rm/C-LF", Honest::relative_magnitude()),
        ("rm/C-LF/draws=1000", Honest::relative_magnitude().draws(1000, 0)),
        ("rm/C-LF/bisection", Honest::relative_magnitude().search(Search::Bisection)),
        ("rm/Conditional", Honest::relative_magnitude().method(HonestMethod::Conditional)),
        ("sd/FLCI", Honest::smoothness()),
        ("sd/C-F", Honest::smoothness().method(HonestMethod::ConditionalFixedLength)),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(study.honest(options.clone()))));
    }
}

criterion_group!(benches, analyses);
criterion_main!(benches);
