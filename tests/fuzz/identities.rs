//! What estimators have in common: the same number by two ways through the library, on every random design.
//!
//! | estimates | are | where |
//! |---|---|---|
//! | weights of Goodman-Bacon's comparisons times their estimates, summed | the two-way coefficient | balanced, unweighted |
//! | two stages | imputation | any panel, with weights |
//! | ETWFE against the not-yet-treated | imputation | balanced, with weights of units |
//! | ETWFE and Sun and Abraham against the never-treated | Callaway and Sant'Anna's, with a universal base period | balanced, unweighted |
//! | reweighted local projections | Callaway and Sant'Anna's | balanced, with weights of units |
//! | effects of de Chaisemartin and D'Haultfœuille, of treatments that stay | Callaway and Sant'Anna's | balanced, with weights of units |
//! | a stack with one period before treatment, at its last event time | reweighted local projections | as above |

use burn_did::backend::Cpu;
use burn_did::options::{BasePeriod, ControlGroup};
use burn_did::projections::ProjectionMethod;
use burn_did::regression::Vcov;
use burn_did::{
    Aggregation, AttGt, Bacon, DidMultiplegt, Etwfe, EventStudy, FixedEffects, Imputation,
    LocalProjections, Result, Stacked, SunAbraham, TwoStage,
};
use polars::prelude::*;

use crate::random::Random;
use crate::run::run;
use crate::tally::{Expected, Tally};

/// Share of the outcome's size by which two ways to a number may differ.
const ROUNDING: f64 = 1e-9;

/// A panel, and what its estimates have in common.
struct Design {
    frame: DataFrame,
    size: f64,
    balanced: bool,
    weighted: bool,
    has_never: bool,
    last: u32,
    words: String,
}

impl Design {
    fn new(random: &mut Random) -> Self {
        let last = random.between(4, 8);
        let mut cohorts: Vec<usize> = (2..=last).collect();
        random.shuffle(&mut cohorts);
        cohorts.truncate(random.between(1, 3));
        let has_never = random.chance(0.8) || cohorts.len() == 1;
        let (balanced, weighted) = (random.chance(0.75), random.chance(0.5));
        let scale = random.pick(&[1.0, 1.0, 1e-3, 1e4]);
        let origin = random.pick(&[0.0, 0.0, 30.0]);
        let mut columns: [Vec<f64>; 6] = Default::default();
        let mut id = 0.0;
        let kinds: Vec<usize> = has_never.then_some(0).into_iter().chain(cohorts.clone()).collect();
        for group in kinds {
            for _ in 0..random.between(6, 14) {
                id += 1.0;
                let (level, weight) = (random.normal(), random.uniform(0.5, 2.0));
                for t in 1..=last {
                    let treated = group > 0 && t >= group;
                    let effect = if treated { random.uniform(0.0, 2.0) } else { 0.0 };
                    let y = scale * (origin + level + 0.1 * t as f64 + effect + random.normal());
                    // The first and the last period of each unit are there.
                    let kept = balanced || t == 1 || t == last || random.chance(0.85);
                    if kept {
                        let d = f64::from(u8::from(treated));
                        let row = [id, t as f64, group as f64, y, weight, d];
                        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
                    }
                }
            }
        }
        let words = format!(
            "{last} periods, cohorts {cohorts:?}, never treated {has_never}, balanced {balanced}, weighted {weighted}, {} rows",
            columns[0].len()
        );
        let [id, t, g, y, w, d] = columns;
        let frame = df!("id" => id, "t" => t, "g" => g, "y" => y, "w" => w, "d" => d).unwrap();
        let (size, last) = (scale * (1.0 + origin), last as u32);
        Self { frame, size, balanced, weighted, has_never, last, words }
    }

    fn weights(&self) -> Option<String> {
        self.weighted.then(|| "w".to_owned())
    }

    fn expected(&self, value: Option<f64>) -> Expected {
        Expected { value, tolerance: ROUNDING * self.size }
    }

    /// Two ways to the effects of all event times that `is_meant`; both have to have all of them.
    fn alike(
        &self,
        tally: &mut Tally,
        kind: &'static str,
        [got, want]: [Result<EventStudy>; 2],
        is_meant: impl Fn(f64) -> bool,
    ) {
        let studies = match (got, want) {
            (Ok(got), Ok(want)) => [got, want],
            (Err(got), Err(want)) if got.code() == want.code() => {
                *tally.refused.entry(got.code().to_owned()).or_default() += 1;
                return;
            }
            // One has nothing at these event times, and the other says so.
            (Err(error), Ok(study)) | (Ok(study), Err(error))
                if !rows(&study).iter().any(|(at, _)| is_meant(*at)) =>
            {
                *tally.refused.entry(error.code().to_owned()).or_default() += 1;
                return;
            }
            (got, want) => {
                let error = |of: Result<EventStudy>| of.err().map(|error| error.to_string());
                return tally.differ(format!("{kind}: {:?} and {:?}", error(got), error(want)));
            }
        };
        let [got, want] = studies.map(|study| {
            rows(&study).into_iter().filter(|(at, _)| is_meant(*at)).collect::<Vec<_>>()
        });
        let times = |rows: &[(f64, Option<f64>)]| rows.iter().map(|row| row.0).collect::<Vec<_>>();
        tally.same(kind, &times(&got), &times(&want));
        for ((at, got), (_, want)) in got.iter().zip(&want) {
            tally.cells += 1;
            tally.close(kind, &format!("event time {at}"), *got, self.expected(*want));
        }
    }

    fn callaway_santanna(&self, controls: ControlGroup) -> Result<EventStudy> {
        let config = AttGt::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        let config = config.maybe_weights(self.weights()).control_group(controls);
        let fit = config.base_period(BasePeriod::Universal).build().fit(&self.frame)?;
        fit.aggregate(Aggregation::dynamic())?.event_study()
    }

    fn imputation(&self) -> Result<EventStudy> {
        let config = Imputation::builder().outcome("y").unit("id").time("t").group("g");
        let fit = config.maybe_weights(self.weights()).build().fit(&self.frame)?;
        Ok(fit.event_study())
    }

    fn etwfe(&self, controls: ControlGroup) -> Result<EventStudy> {
        let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        let config = config.maybe_weights(self.weights()).control_group(controls);
        Ok(config.build().fit(&self.frame)?.event_study())
    }

    fn projections(&self, controls: ControlGroup, after: u32) -> Result<EventStudy> {
        let config = LocalProjections::builder().outcome("y").unit("id").time("t").group("g");
        let config = config.maybe_weights(self.weights()).control_group(controls);
        let config = config.pre_window(self.last).post_window(after);
        let config = config.method(ProjectionMethod::Reweighted).build();
        Ok(config.fit(&self.frame)?.event_study())
    }

    fn stack(&self, controls: ControlGroup, after: u32) -> Result<EventStudy> {
        let config = Stacked::builder().outcome("y").unit("id").time("t").group("g");
        let config = config.maybe_weights(self.weights()).control_group(controls);
        let config = config.pre_window(1).post_window(after).build();
        Ok(config.fit(&self.frame)?.event_study())
    }

    fn switching(&self, controls: ControlGroup) -> Result<EventStudy> {
        let config = DidMultiplegt::builder().outcome("y").unit("id").time("t").treatment("d");
        let config = config.maybe_weights(self.weights()).effects(self.last as usize);
        let config = config.only_never_switchers(controls == ControlGroup::NeverTreated);
        Ok(config.build().fit(&self.frame)?.event_study())
    }

    /// The sum of Goodman-Bacon's comparisons, and the regression.
    fn bacon(&self, tally: &mut Tally) {
        let config = Bacon::builder().outcome("y").unit("id").time("t").group("g").build();
        let fit = config.fit(&self.frame).unwrap();
        let parts = fit.comparisons.iter().map(|of| of.weight * of.estimate).sum::<f64>();
        let weights = fit.comparisons.iter().map(|of| of.weight).sum::<f64>();
        let config = FixedEffects::<Cpu>::builder().formula("y ~ d | id + t");
        let config = config.vcov(Vcov::cluster(["id"])).build();
        let regression = config.fit(&self.frame).unwrap().coefficients[0].estimate;
        tally.cells += 1;
        tally.close("Bacon's comparisons", "sum", Some(parts), self.expected(Some(regression)));
        let one = Expected { value: Some(1.0), tolerance: ROUNDING };
        tally.close("Bacon's weights", "sum", Some(weights), one);
    }

    fn check(&self) -> Tally {
        let mut tally = Tally::default();
        let after = |at: f64| at >= 0.0;
        let config = TwoStage::builder().outcome("y").unit("id").time("t").group("g");
        let stages = config.maybe_weights(self.weights()).build().fit(&self.frame);
        let stages = stages.map(|fit| fit.event_study());
        self.alike(&mut tally, "two stages, imputation", [stages, self.imputation()], after);
        if !self.balanced {
            return tally;
        }
        let never = ControlGroup::NeverTreated;
        let not_yet = ControlGroup::NotYetTreated;
        if self.has_never {
            let both = [self.etwfe(not_yet), self.imputation()];
            self.alike(&mut tally, "ETWFE, imputation", both, after);
        }
        for controls in [never, not_yet].into_iter().filter(|c| self.has_never || *c == not_yet) {
            let both = [self.projections(controls, self.last), self.callaway_santanna(controls)];
            // Against the never-treated as against all others: not the reference, where projections have no number.
            self.alike(&mut tally, "projections, Callaway-Sant'Anna", both, |at| at != -1.0);
            let both = [self.switching(controls), self.callaway_santanna(controls)];
            self.alike(&mut tally, "switching, Callaway-Sant'Anna", both, after);
            for last in 0..self.last - 2 {
                let both = [self.stack(controls, last), self.projections(controls, last)];
                let at_end = |at: f64| at == f64::from(last);
                self.alike(&mut tally, "stack, projections", both, at_end);
            }
        }
        if self.weighted {
            return tally;
        }
        self.bacon(&mut tally);
        if self.has_never {
            let both = [self.etwfe(never), self.callaway_santanna(never)];
            self.alike(&mut tally, "ETWFE, Callaway-Sant'Anna", both, |at| at != -1.0);
            let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
            let sun = config.build().fit(&self.frame).map(|fit| fit.event_study);
            let both = [sun, self.callaway_santanna(never)];
            self.alike(&mut tally, "Sun-Abraham, Callaway-Sant'Anna", both, |at| at != -1.0);
        }
        tally
    }
}

/// Event times with their effects.
fn rows(study: &EventStudy) -> Vec<(f64, Option<f64>)> {
    let with_effect = study.rows.iter().filter(|row| row.estimate.estimate.is_some());
    with_effect.map(|row| (row.at, row.estimate.estimate)).collect()
}

#[test]
fn estimators_agree_where_they_are_the_same() {
    run("identities", 150, |seed| {
        let design = Design::new(&mut Random::new(seed, 9));
        design.check().described(&design.words)
    });
}
