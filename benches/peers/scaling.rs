//! How this crate's time and memory grow with units, cells, covariates and draws.

use super::common::Result;
use super::common::case::{Case, Estimator, Ids, Order, Task, thousands};
use super::common::contestant::Contestant;
use super::common::machine;
use super::common::options::Options;
use super::common::results::{digits, mebibytes, table};
use super::common::statistics::{exponent, median};

/// A line of cases that differ in one number.
struct Growth {
    what: &'static str,
    fixed: &'static str,
    /// The number, and the case.
    points: Vec<(usize, Case)>,
    /// Whether time is a power of the number, so that an exponent says something.
    power: bool,
}

/// Measured at one point.
struct Point {
    x: usize,
    seconds: f64,
    peak: f64,
    added: f64,
}

/// Measures all lines and writes the section.
pub fn measure(options: &Options) -> Result<String> {
    let ours = Contestant::ours()?;
    let mut text = format!(
        "Machine: {}. Measured: {}. Build: {}.\n\n\
         Doubly robust, never-treated comparison units, analytic unless draws are given; the frame is made in memory, in \
         order of unit and period. Medians of {} runs, each in a fresh process; `peak` is the largest resident memory during \
         the fit, `added` is that less what was resident before it, in MiB.\n",
        machine::describe(),
        machine::today(),
        machine::build(),
        options.runs,
    );
    for growth in growths() {
        let points: Result<Vec<Point>> =
            growth.points.iter().map(|(x, case)| point(&ours, *x, case, options)).collect();
        text += &growth.write(&points?);
    }
    Ok(text)
}

fn point(ours: &Contestant, x: usize, case: &Case, options: &Options) -> Result<Point> {
    let task = Task::new(&case.clone().scaled(options.scale), None);
    let runs: std::result::Result<Vec<_>, String> =
        (0..options.runs).map(|_| ours.run(&task)).collect();
    let runs = runs?;
    let peak = |r: &super::common::run::Run| r.memory.peak_fit as f64;
    let point = Point {
        x,
        seconds: median(runs.iter().map(|r| r.seconds)),
        peak: median(runs.iter().map(peak)),
        added: median(runs.iter().map(|r| peak(r) - r.memory.loaded as f64)),
    };
    println!("{:>10} {:>12} {:10.4} s", case.name, thousands(x), point.seconds);
    Ok(point)
}

impl Growth {
    fn write(&self, points: &[Point]) -> String {
        let rows: Vec<Vec<String>> = points
            .iter()
            .map(|p| vec![thousands(p.x), digits(p.seconds), mebibytes(p.peak), mebibytes(p.added)])
            .collect();
        let head = [self.what, "seconds", "peak", "added"];
        let mut text = format!("\n{}:\n\n{}", self.fixed, table(&head, &rows));
        if self.power {
            let of = |value: fn(&Point) -> f64| {
                let logs: Vec<(f64, f64)> = points.iter().map(|p| (p.x as f64, value(p))).collect();
                exponent(&logs)
            };
            text += &format!(
                "\nExponent by least squares in logarithms: time {:.2}, added memory {:.2}.\n",
                of(|p| p.seconds),
                of(|p| p.added.max(1.0))
            );
        }
        text
    }
}

fn growths() -> Vec<Growth> {
    let base = Case {
        name: String::new(),
        estimator: Estimator::AttGt,
        units: 100_000,
        periods: 5,
        cohorts: vec![3, 4, 5],
        never_treated: 0.4,
        covariates: 0,
        panel: true,
        control_group: burn_did::options::ControlGroup::NeverTreated,
        draws: 0,
        law: burn_did::options::Multiplier::Mammen,
        shuffled: false,
        order: Order::Units,
        ids: Ids::Integers,
        repeats: 1,
        published: None,
    };
    let vary = |name: &str, values: &[usize], change: &dyn Fn(&mut Case, usize)| {
        let case = |x: &usize| {
            let mut case = Case { name: name.into(), ..base.clone() };
            change(&mut case, *x);
            (*x, case)
        };
        values.iter().map(case).collect::<Vec<_>>()
    };
    let cells = vary("cells", &[5, 10, 20, 40, 100, 200], &|case, periods| {
        case.units = 50_000;
        case.periods = periods as u32;
        case.cohorts = (3..=periods as i64).collect();
    });
    vec![
        Growth {
            what: "units",
            fixed: "Units, with 5 periods, 3 cohorts and no covariates",
            points: vary("units", &[10_000, 100_000, 1_000_000, 10_000_000], &|case, units| {
                case.units = units;
            }),
            power: true,
        },
        Growth {
            what: "cells",
            fixed: "Cells, by periods T = 5, 10, 20, 40, 100, 200 with cohorts 3, …, T; 50,000 units, no covariates",
            points: cells
                .into_iter()
                .map(|(t, case)| ((t - 1) * case.cohorts.len(), case))
                .collect(),
            power: true,
        },
        Growth {
            what: "covariates",
            fixed: "Covariates, with 100,000 units, 5 periods and 3 cohorts",
            points: vary("covariates", &[0, 1, 2, 5, 10, 20], &|case, k| case.covariates = k),
            power: false,
        },
        Growth {
            what: "draws",
            fixed: "Draws of Mammen's law, with 100,000 units, 5 periods, 3 cohorts and no covariates",
            points: vary("draws", &[0, 100, 1_000, 10_000], &|case, draws| case.draws = draws),
            power: false,
        },
    ]
}
