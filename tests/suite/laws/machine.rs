//! Neither the order of rows nor how the work is cut and shared changes a bit; a seed decides the draws, and it alone.

use burn_did::options::{Bootstrap, Multiplier, Resampling};

use super::report::{Report, Within};
use super::subject::{Case, Change, Numbers};
use crate::support::frames::{permutation, rows};

/// Units whose rows fill several tiles.
const MANY: i64 = 9_000;

law!(the_order_of_rows);

fn the_order_of_rows(case: &Case, report: &mut Report) {
    let laws = [Multiplier::Rademacher, Multiplier::Mammen, Multiplier::Webb];
    for (seed, multiplier) in (1..).zip(laws) {
        let bootstrap = Bootstrap::draws(11).seed(seed).multiplier(multiplier);
        let drawn = case.drawn();
        let case = drawn.changed(Change::Bootstrap(bootstrap)).unwrap_or(drawn);
        let mixed = rows(&case.frame, &permutation(case.frame.height(), seed));
        let what = format!("{}: order {seed}, {multiplier:?}", case.name);
        report.same_as(&what, &case.numbers(), case.try_fit(&mixed), Within::Bits);
    }
}

law!(the_number_of_threads);

fn the_number_of_threads(case: &Case, report: &mut Report) {
    let case = case.drawn();
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| case.numbers())
    };
    let plain = fit(1);
    for threads in [2, 4] {
        report.same(
            &format!("{}: {threads} threads", case.name),
            &plain,
            &fit(threads),
            Within::Bits,
        );
    }
}

/// Chunks of rows, bytes on the device, and devices.
fn cut(case: &Case, report: &mut Report, plain: &Numbers, budgets: [u64; 2]) {
    for rows in [64, 4_096, 1_000_000] {
        let Some(chunked) = case.changed(Change::ChunkRows(rows)) else { return report.skip() };
        let what = format!("{}: chunks of {rows} rows", case.name);
        report.same_as(&what, plain, chunked.try_fit(&case.frame), Within::Bits);
    }
    for bytes in budgets {
        let small = case.changed(Change::MemoryBudget(Some(bytes)));
        let small = small.expect("chunks come with a budget");
        let what = format!("{}: {bytes} bytes", case.name);
        report.same_as(&what, plain, small.try_fit(&case.frame), Within::Bits);
    }
    if let Some(fit) = case.subject.fit_on_devices(&case.frame, 3) {
        report.same_as(&format!("{}: three devices", case.name), plain, fit, Within::Bits);
    }
}

law!(chunks_and_devices, some);

fn chunks_and_devices(case: &Case, report: &mut Report) {
    let case = case.drawn();
    cut(&case, report, &case.numbers(), [300_000, 100_000_000]);
}

/// One case of a subject with many units.
fn many(cases: Vec<Case>, report: &mut Report) {
    let case = cases.into_iter().find(|case| !case.covariates.is_empty() || !case.doses.is_empty());
    let case = case.expect("a case with covariates or doses");
    let frame = (case.frame_of)(MANY);
    let drawn = Case { frame, ..case }.drawn();
    for resampling in [Resampling::Multiplier, Resampling::Weighted] {
        let Some(case) = drawn.changed(Change::Resampling(resampling)) else { continue };
        cut(&case, report, &case.numbers(), [1_500_000, 100_000_000]);
    }
    let plain = drawn.numbers();
    cut(&drawn, report, &plain, [1_500_000, 100_000_000]);
    let mixed = rows(&drawn.frame, &permutation(drawn.frame.height(), 5));
    report.same_as(&format!("{}: order", drawn.name), &plain, drawn.try_fit(&mixed), Within::Bits);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let alone = one.install(|| drawn.numbers());
    report.same(&format!("{}: one thread", drawn.name), &plain, &alone, Within::Bits);
}

#[test]
fn many_units() {
    let mut report = Report::default();
    use super::subjects;
    for cases in [
        subjects::att_gt::cases(),
        subjects::drdid::cases(),
        subjects::ddd::cases(),
        subjects::doses::cases(),
        subjects::switching::cases(),
        subjects::fixed_effects::cases(),
        subjects::projections::cases(),
        subjects::stacked::cases(),
    ] {
        many(cases, &mut report);
    }
    report.finish();
}

law!(seeds);

fn seeds(case: &Case, report: &mut Report) {
    let drawn = |seed| {
        let bootstrap = Bootstrap::draws(40).seed(seed);
        case.changed(Change::Bootstrap(bootstrap)).map(|case| case.numbers())
    };
    let Some([first, same, other]) =
        drawn(1).zip(drawn(1)).zip(drawn(2)).map(|((a, b), c)| [a, b, c])
    else {
        return report.skip();
    };
    report.same(&format!("{}: the same seed", case.name), &first, &same, Within::Bits);
    for (a, b) in report.pairs(&case.name, &first, &other) {
        report.check(a.value == b.value, || format!("{}: {a:?} and {b:?}", case.name));
    }
    let errors = |fit: &Numbers| fit.estimates.iter().map(|e| e.se).collect::<Vec<_>>();
    report.check(errors(&first) != errors(&other), || format!("{}: seeds draw alike", case.name));
}
