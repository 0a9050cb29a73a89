//! `FixedEffects`: linear, Poisson, logit and probit regressions against dense computations with every dummy written out.

mod dense;
mod design;
mod likelihood;
mod sun;
mod terms;

use burn_did::backend::Cpu;
use burn_did::{DidWarning, FixedEffects, RegressionResult, regression::Family};

use self::dense::{Orthonormal, clustered, dot, positive, regress};
use self::design::{Covariance, Design, Sample, dense as coded};
use self::terms::columns;
use crate::oracle::linear::gauss;
use crate::random::Random;
use crate::run::run;
use crate::tally::{Expected, Tally};

/// A variance below this part of those that it is a difference of is rounding, of one without a difference below its square.
const ROUNDING: f64 = 1e-9;

/// Columns in the sample and what they are regressed on.
struct Problem {
    /// Regressors that do not depend on fixed effects and earlier ones.
    kept: Vec<usize>,
    names: Vec<String>,
    regressors: Vec<Vec<f64>>,
    dummies: Vec<Vec<f64>>,
    y: Vec<f64>,
    weights: Vec<f64>,
    /// Whether the first regressor is a constant of its own.
    own_constant: bool,
}

/// The regression, its columns multiplied by the roots of these weights.
struct Fitted {
    b: Vec<f64>,
    influence: Vec<Vec<f64>>,
    bread: Vec<Vec<f64>>,
    leverage: Vec<f64>,
    e: Vec<f64>,
    rss: f64,
}

/// Columns times the roots of weights.
fn weighed(columns: &[Vec<f64>], weights: &[f64]) -> Vec<Vec<f64>> {
    let times = |c: &Vec<f64>| c.iter().zip(weights).map(|(x, w)| x * w.sqrt()).collect();
    columns.iter().map(times).collect()
}

/// `None` if dependence is a matter of rounding.
fn problem(design: &Design, sample: &Sample, by_row: &[Vec<usize>]) -> Option<Problem> {
    let rows = &sample.rows;
    let weight = |row: &usize| design.weights.as_ref().map_or(1.0, |w| w[*row]);
    let raw: Vec<f64> = rows.iter().map(weight).collect();
    // In a unit of its own, so that nothing here depends on that of the weights.
    let total: f64 = raw.iter().sum();
    let weights: Vec<f64> = raw.iter().map(|w| w * rows.len() as f64 / total).collect();
    let mut dummies = Vec::new();
    for factor in &design.effects {
        let (codes, levels) = coded(&rows.iter().map(|r| by_row[*factor][*r]).collect::<Vec<_>>());
        for level in 0..levels {
            dummies.push(codes.iter().map(|c| f64::from(u8::from(*c == level))).collect());
        }
    }
    let own_constant = design.effects.is_empty() && design.intercept;
    let named = columns(&design.table, &design.pieces, rows, design.intercept);
    let (mut names, mut regressors): (Vec<String>, Vec<Vec<f64>>) = named.into_iter().unzip();
    if own_constant {
        names.insert(0, "(Intercept)".to_owned());
        regressors.insert(0, vec![1.0; rows.len()]);
    }
    let mut basis = Orthonormal::default();
    for dummy in weighed(&dummies, &weights) {
        basis.add(&dummy, dot(&dummy, &dummy))?;
    }
    let mut kept = Vec::new();
    let of_weights: f64 = weights.iter().sum();
    for (j, column) in regressors.iter().enumerate() {
        let mean = column.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() / of_weights;
        let about = if design.intercept && !(own_constant && j == 0) { mean } else { 0.0 };
        let size: f64 = column.iter().zip(&weights).map(|(x, w)| w * (x - about).powi(2)).sum();
        let raw: f64 = column.iter().zip(&weights).map(|(x, w)| w * x * x).sum();
        let size = if size > 1e-20 * raw { size } else { 0.0 };
        let weighed: Vec<f64> = column.iter().zip(&weights).map(|(x, w)| x * w.sqrt()).collect();
        if basis.add(&weighed, size)? {
            kept.push(j);
        }
    }
    let y = rows.iter().map(|r| design.y[*r] / design.scale).collect();
    Some(Problem { kept, names, regressors, dummies, y, weights, own_constant })
}

impl Problem {
    /// Least squares of `z` with weights.
    fn fit(&self, z: &[f64], weights: &[f64]) -> Fitted {
        let mut fixed = Orthonormal::default();
        for dummy in weighed(&self.dummies, weights) {
            fixed.add(&dummy, dot(&dummy, &dummy));
        }
        let kept: Vec<Vec<f64>> = self.kept.iter().map(|j| self.regressors[*j].clone()).collect();
        let x: Vec<Vec<f64>> = weighed(&kept, weights).iter().map(|x| fixed.rest(x)).collect();
        let z = fixed.rest(&weighed(&[z.to_vec()], weights)[0]);
        let found = regress(&x, &z);
        let of_dummies =
            |row: usize| -> f64 { fixed.columns().iter().map(|q| q[row] * q[row]).sum() };
        let leverage = found.leverage.iter().enumerate().map(|(row, h)| h + of_dummies(row));
        Fitted {
            rss: dot(&found.residuals, &found.residuals),
            b: found.b,
            influence: found.influence,
            bread: found.bread,
            leverage: leverage.collect(),
            e: found.residuals,
        }
    }
}

/// The covariance before its correction for parameters, what its variances are differences of, and its rank at most.
fn covariance(
    design: &Design,
    fitted: &Fitted,
    clusters: &[Vec<usize>],
    dispersion: f64,
) -> (Vec<Vec<f64>>, Vec<f64>, usize) {
    let n = fitted.e.len() as f64;
    let times = |v: Vec<Vec<f64>>, scale: f64| -> Vec<Vec<f64>> {
        v.into_iter().map(|row| row.into_iter().map(|v| v * scale).collect()).collect()
    };
    let alone: Vec<usize> = (0..fitted.e.len()).collect();
    let robust = |power: f64| {
        let e: Vec<f64> =
            fitted.e.iter().zip(&fitted.leverage).map(|(e, h)| e / (1.0 - h).powf(power)).collect();
        times(clustered(&fitted.influence, &e, &alone), n / (n - 1.0))
    };
    let whole = |v: Vec<Vec<f64>>| {
        let parts = (0..v.len()).map(|j| v[j][j]).collect();
        (v, parts, usize::MAX)
    };
    match &design.vcov {
        Covariance::Iid => whole(times(fitted.bread.clone(), dispersion)),
        Covariance::Hetero => whole(robust(0.0)),
        Covariance::Hc2 => whole(robust(0.5)),
        Covariance::Hc3 => whole(robust(1.0)),
        Covariance::Cluster(factors) => {
            let mut all: Vec<(Vec<usize>, usize)> =
                factors.iter().map(|f| coded(&clusters[*f])).collect();
            if let [(a, _), (b, _)] = all.as_slice() {
                let both: Vec<usize> = a.iter().zip(b).map(|(a, b)| a * 1_000 + b).collect();
                all.push(coded(&both));
            }
            let smallest = all.iter().map(|c| c.1).min().unwrap_or(0) as f64;
            let rank = all.iter().map(|c| c.1 - 1).sum();
            let k = fitted.b.len();
            let (mut total, mut parts) = (vec![vec![0.0; k]; k], vec![0.0; k]);
            for (at, (codes, _)) in all.iter().enumerate() {
                let sign = if at == 2 { -1.0 } else { 1.0 };
                let v = clustered(&fitted.influence, &fitted.e, codes);
                for a in 0..k {
                    parts[a] += v[a][a] * smallest / (smallest - 1.0);
                    for b in 0..k {
                        total[a][b] += sign * v[a][b] * smallest / (smallest - 1.0);
                    }
                }
            }
            (total, parts, rank)
        }
    }
}

/// Parameters, as the default correction counts them.
fn parameters(design: &Design, k: usize, sample: &Sample, by_row: &[Vec<usize>]) -> usize {
    let of = |f: usize| -> Vec<usize> { sample.rows.iter().map(|r| by_row[f][*r]).collect() };
    let clusters: Vec<Vec<usize>> = match &design.vcov {
        Covariance::Cluster(factors) => factors.iter().map(|f| of(*f)).collect(),
        _ => Vec::new(),
    };
    let nested = |codes: &[usize]| {
        clusters.iter().any(|cluster| {
            let pairs: Vec<(usize, usize)> =
                codes.iter().copied().zip(cluster.iter().copied()).collect();
            pairs.iter().all(|(a, b)| pairs.iter().all(|(c, d)| a != c || b == d))
        })
    };
    let factors: Vec<(usize, bool)> = design
        .effects
        .iter()
        .map(|f| {
            let codes = of(*f);
            (coded(&codes).1, nested(&codes))
        })
        .collect();
    let rank = |counted: &dyn Fn(bool) -> bool| {
        let levels: Vec<usize> =
            factors.iter().filter(|(_, n)| counted(*n)).map(|(levels, _)| *levels).collect();
        if levels.is_empty() { 0 } else { levels.iter().sum::<usize>() + 1 - levels.len() }
    };
    let of_nested = rank(&|nested| nested);
    k + rank(&|_| true) - of_nested + usize::from(of_nested > 0)
}

fn fit(design: &Design, by_row: &[Vec<usize>]) -> burn_did::Result<RegressionResult> {
    FixedEffects::<Cpu>::builder()
        .formula(design.formula())
        .vcov(design.vcov())
        .family(design.family)
        .maybe_weights(design.weights.is_some().then_some("w"))
        .keep_singletons(design.keep_singletons)
        .fixef_tol(1e-12)
        .glm_maxiter(100)
        .build()
        .fit(design.frame(by_row))
}

/// Compares one design.
fn check(seed: u64, family: Family) -> Tally {
    let stream = match family {
        Family::Gaussian => 40,
        Family::Poisson => 41,
        Family::Logit => 42,
        _ => 43,
    };
    let mut random = Random::new(seed, stream);
    let (design, by_row) = Design::new(&mut random, family);
    compared(&design, &by_row).described(&design.words())
}

/// Whether the formula names a level that only rows outside the sample have.
fn names_an_absent_level(design: &Design, sample: &Sample) -> bool {
    let all: Vec<usize> = (0..design.y.len()).collect();
    design.table.factors.iter().any(|(_, codes, _)| {
        all.iter().any(|row| sample.rows.iter().all(|kept| codes[*kept] != codes[*row]))
    })
}

fn compared(design: &Design, by_row: &[Vec<usize>]) -> Tally {
    let mut tally = Tally { cells: 1, ..Tally::default() };
    let sample = design.sample(by_row);
    let of = |f: &Vec<usize>| sample.rows.iter().map(|r| f[*r]).collect::<Vec<usize>>();
    let clusters: Vec<Vec<usize>> = by_row.iter().map(of).collect();
    if let Covariance::Cluster(factors) = &design.vcov
        && factors.iter().any(|f| coded(&clusters[*f]).1 < 2)
    {
        tally.skip("one cluster");
        return tally;
    }
    let Some(problem) = problem(design, &sample, by_row) else {
        tally.undecided = 1;
        tally.skip("rank at a threshold");
        return tally;
    };
    let found = match design.family {
        Family::Gaussian => None,
        family => match likelihood::fit(&problem, family) {
            None => {
                tally.skip("no maximum");
                return tally;
            }
            found => found,
        },
    };
    let got = match fit(design, by_row) {
        Ok(got) => got,
        Err(error) => {
            let nothing = problem.kept.len() <= usize::from(problem.own_constant);
            let no_level = error.to_string().contains("is no level of");
            if sample.rows.is_empty() || nothing {
                *tally.refused.entry("nothing to estimate".to_owned()).or_default() += 1;
            } else if no_level && names_an_absent_level(design, &sample) {
                *tally
                    .refused
                    .entry("a level that is not in the sample".to_owned())
                    .or_default() += 1;
            } else {
                tally.differ(format!("refused: {error}"));
            }
            return tally;
        }
    };
    let n = sample.rows.len();
    let (b, fitted, rss) = match found {
        Some(found) => (found.b, found.last, Some(found.deviance)),
        None => {
            let fitted = problem.fit(&problem.y, &problem.weights);
            (fitted.b.clone(), fitted, None)
        }
    };
    tally.same("rows", &got.n, &n);
    tally.same("singletons", &got.audit.rows_singleton, &sample.singletons);
    tally.same("separated", &got.audit.rows_separated, &sample.separated);
    let kept: Vec<String> = problem.kept.iter().map(|j| problem.names[*j].clone()).collect();
    let names: Vec<String> = got.names().map(str::to_owned).collect();
    tally.same("coefficients", &names, &kept);
    if names != kept {
        return tally;
    }
    let k = kept.len();
    let counted = parameters(design, k, &sample, by_row);
    tally.same("parameters", &got.df_k, &counted);
    let left = n as f64 - counted as f64;
    if left <= 0.0 {
        tally.same("covariance", &got.vcov.len(), &0);
        tally.skip("no degrees of freedom");
        return tally;
    }
    // Weights were brought to a mean of one, and the outcome to a scale of one.
    let mean_weight = match &design.weights {
        None => 1.0,
        Some(w) => sample.rows.iter().map(|r| w[*r]).sum::<f64>() / n as f64,
    };
    let likely = design.family != Family::Gaussian;
    let unit = if likely { mean_weight * design.scale } else { mean_weight };
    let dispersion = match likely {
        true => 1.0 / unit,
        false => fitted.rss / (n as f64 - 1.0),
    };
    let (mut v, parts, rank) = covariance(design, &fitted, &clusters, dispersion);
    let has_leverage = matches!(design.vcov, Covariance::Hc2 | Covariance::Hc3);
    // With fixed effects leverage corrects alone.
    let freedom = if has_leverage && !design.effects.is_empty() { n as f64 } else { left };
    let factor = (n as f64 - 1.0) / freedom;
    let exact = match rss {
        Some(deviance) => deviance < 1e-18 * dot(&problem.y, &problem.weights),
        None => fitted.rss < 1e-18 * dot(&problem.y, &problem.y),
    };
    if exact {
        tally.skip("exact fit");
        return tally;
    }
    if has_leverage && fitted.leverage.iter().any(|h| 1.0 - h < 1e-6) {
        tally.skip("full leverage");
        return tally;
    }
    let reach = |j: usize| -> f64 {
        let each = fitted.influence.iter().zip(&fitted.e).map(|(i, e)| (i[j] * e).abs());
        each.sum::<f64>().powi(2)
    };
    // What rounding leaves of rows that are fitted exactly: of the outcome, or of the logarithms of its means.
    let outcome: f64 = match likely {
        true => 400.0 * dot(&problem.y, &problem.weights),
        false => problem.y.iter().zip(&problem.weights).map(|(y, w)| w * y * y).sum(),
    };
    let of_outcome = |j: usize| ROUNDING.powi(2) * fitted.bread[j][j] * outcome;
    let is_rounding = |j: usize| {
        let differs = if rank == usize::MAX { 0.0 } else { ROUNDING * parts[j] };
        v[j][j].abs() <= differs + 1e-16 * reach(j) + of_outcome(j)
    };
    let zero: Vec<bool> = (0..k).map(is_rounding).collect();
    let negative = (0..k).any(|j| !zero[j] && v[j][j] < 0.0);
    if zero.contains(&true) && negative {
        tally.skip("a variance that is rounding, and one that is negative");
        return tally;
    }
    if (0..k).any(|j| parts[j] <= of_outcome(j)) {
        tally.skip("a coefficient of rows that are fitted exactly");
        return tally;
    }
    if negative {
        v = positive(&v, &parts);
    }
    let repaired = got.warnings.contains(&DidWarning::RepairedCovariance);
    tally.same("repaired", &repaired, &negative);
    let shift = if likely { design.scale.ln() } else { 0.0 };
    for j in 0..k {
        let size = (fitted.bread[j][j] * if likely { 1.0 } else { fitted.rss / left }).sqrt();
        let tolerance = 1e-7 * size + 1e-8 * b[j].abs();
        let own = problem.own_constant && j == 0;
        let value = Some(if own { b[j] + shift } else { b[j] });
        let tolerance = if own { tolerance + 1e-12 * shift.abs() } else { tolerance };
        tally.close(
            "coefficient",
            &names[j],
            Some(got.coefficients[j].estimate),
            Expected { value, tolerance },
        );
        if zero[j] {
            tally.skip("a variance that is rounding");
            continue;
        }
        let se = (v[j][j] * factor).sqrt();
        if negative && se < 1e-4 * (parts[j] * factor).sqrt() {
            tally.skip("a variance of which the repair leaves little");
            continue;
        }
        // A difference of variances has their error.
        let tolerance = 1e-6 * se * (parts[j] / v[j][j].abs()).max(1.0);
        let value = Some(se);
        tally.close(
            "standard error",
            &names[j],
            got.coefficients[j].se,
            Expected { value, tolerance },
        );
    }
    let rss = rss.map_or(fitted.rss * mean_weight, |deviance| deviance * unit);
    tally.close(
        "rss",
        "",
        Some(got.rss),
        Expected { value: Some(rss), tolerance: 1e-7 * rss + 1e-13 * unit },
    );
    if !zero.contains(&true) && !negative {
        f_test(&mut tally, &got, &b, &v, factor, rank, problem.own_constant);
    }
    tally
}

/// The F statistic of all coefficients but the constant's.
fn f_test(
    tally: &mut Tally,
    got: &RegressionResult,
    b: &[f64],
    v: &[Vec<f64>],
    factor: f64,
    rank: usize,
    own_constant: bool,
) {
    let own = usize::from(own_constant);
    let tested: Vec<usize> = (own..b.len()).collect();
    if tested.is_empty() || tested.len() > rank {
        tally.same("F", &got.f.is_none(), &true);
        return;
    }
    let scale = |j: usize| (v[j][j] * factor).sqrt();
    let correlation: Vec<Vec<f64>> = tested
        .iter()
        .map(|i| tested.iter().map(|j| v[*i][*j] * factor / scale(*i) / scale(*j)).collect())
        .collect();
    let t: Vec<f64> = tested.iter().map(|j| b[*j] / scale(*j)).collect();
    let (solved, condition) = gauss(&correlation, &t);
    if condition < 1e-8 {
        tally.skip("F of a nearly singular covariance");
        return;
    }
    let stat = dot(&t, &solved) / tested.len() as f64;
    // A covariance by two factors may have negative eigenvalues, and then there is no test.
    if stat <= 0.0 || dense::eigen(&correlation).0.iter().any(|value| *value < 0.0) {
        tally.skip("F of an indefinite covariance");
        return;
    }
    let tolerance = stat.abs() * 1e-6 / condition.sqrt() + 1e-16;
    tally.close("F", "", got.f.map(|f| f.stat), Expected { value: Some(stat), tolerance });
}

#[test]
fn linear_regressions() {
    run("linear", 300, |seed| check(seed, Family::Gaussian));
}

#[test]
fn poisson_regressions() {
    run("poisson", 200, |seed| check(seed, Family::Poisson));
}

/// Slopes of numbers around 2000 without a level of their own are nearly levels: they nearly separate the eight rows of a cell without a positive
/// outcome, whose means are small and not zero.
#[test]
fn rows_that_are_nearly_separated_have_means() {
    let tally = check(366, Family::Poisson);
    assert!(tally.differences.is_empty() && tally.undecided == 0, "{:?}", tally.differences);
}

#[test]
fn logit_regressions() {
    run("logit", 200, |seed| check(seed, Family::Logit));
}

#[test]
fn probit_regressions() {
    run("probit", 200, |seed| check(seed, Family::Probit));
}
