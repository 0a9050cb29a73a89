//! `burn-did feols`

use std::path::{Path, PathBuf};

use burn_did::backend::DidBackend;
use burn_did::report::{Comparable, Comparison, Reportable, Stars};
use burn_did::{FixedEffects, RegressionResult, regression::Family};
use clap::Args;

use super::compare::text;
use super::one_device;
use super::saved::event_study;
use crate::args::{
    DataArgs, DeviceArgs, LikelihoodArgs, OutputArgs, ProjectionArgs, RegressionArgs,
};
use crate::backend::{self, Fit, On};
use crate::defaults;
use crate::error::Result;
use crate::messages;
use crate::output;
use crate::parse;
use crate::words::OneOf;

/// A linear, Poisson, logit or probit regression with fixed effects, in the way of R's `fixest::feols`, `fepois` and `feglm`.
#[derive(Args)]
#[command(mut_arg("vcov", |arg| arg.default_value("iid")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the coefficients of the first `i()` by their levels, as an event study, to this .png, .svg or .pdf file; i(year, i.treated) gives one panel for each level of the second factor")))]
pub(crate) struct FeolsArgs {
    #[command(flatten)]
    source: DataArgs,
    /// Outcome, regressors and fixed effects, as in "log(y) ~ x1 + i(year, treated, ref = 2005) | worker + firm^year".
    #[arg(allow_hyphen_values = true, value_parser = parse::formula, help_heading = None)]
    formula: String,
    /// Further formulas. All are estimated on the same data and stand side by side, with stars as in LaTeX tables of R's etable; --save writes one file a
    /// formula, fits-1.json and so on for fits.json, which `burn-did compare` puts side by side in other ways.
    #[arg(value_name = "FORMULA", help_heading = None)]
    more: Vec<String>,
    #[command(flatten)]
    regression: RegressionArgs,
    /// Model: least squares for the outcome, or maximum likelihood for counts (poisson) and for probabilities (logit, probit).
    #[arg(
        long,
        value_name = "FAMILY",
        default_value_t = defaults::fixed_effects().family,
        value_parser = OneOf::<Family>::all(),
        help_heading = "Estimation"
    )]
    family: Family,
    /// Keep singletons: rows that are the only ones of a level of a fixed effect.
    #[arg(long, help_heading = "Estimation")]
    keep_singletons: bool,
    #[command(flatten)]
    projection: ProjectionArgs,
    #[command(flatten)]
    likelihood: LikelihoodArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &FeolsArgs) -> Result<()> {
    args.output.check(&args.source.data)?;
    if !args.more.is_empty() {
        return several(args);
    }
    let fit = fitted(args, &args.formula)?;
    let plot = args.output.plot.as_deref();
    let drawable = plot.map_or(Ok(()), |_| {
        event_study(&fit, "--plot draws the coefficients of i(), and the formula has none")
            .map(|_| ())
    });
    let emitted = args.output.emit_with(&fit, plot.filter(|_| drawable.is_ok()));
    output::all([emitted, drawable])
}

/// Estimates all formulas, and shows them side by side.
fn several(args: &FeolsArgs) -> Result<()> {
    let output = &args.output;
    let formulas: Vec<&String> = [&args.formula].into_iter().chain(&args.more).collect();
    let saved = output.save.as_ref();
    let files: Vec<PathBuf> =
        saved.map_or(Vec::new(), |file| (1..=formulas.len()).map(|n| numbered(file, n)).collect());
    let outputs: Vec<Option<&PathBuf>> =
        files.iter().map(Some).chain([output.plot.as_ref()]).collect();
    output::keep_apart(&args.source.data, &outputs)?;
    let fits: Vec<RegressionResult> =
        formulas.iter().map(|formula| fitted(args, formula)).collect::<Result<_>>()?;
    let names: Vec<String> = (1..=fits.len()).map(|n| format!("({n})")).collect();
    let models: Vec<(&str, &dyn Comparable)> = names
        .iter()
        .zip(&fits)
        .map(|(name, fit)| (name.as_str(), fit as &dyn Comparable))
        .collect();
    let comparison = Comparison::new(&models)?.stars(Stars::Levels);
    output::results(&text(&comparison, output.format)?)?;
    if !output.quiet {
        for (name, fit) in names.iter().zip(&fits) {
            let warnings = fit.messages().into_iter();
            warnings.for_each(|warning| messages::remark(&warning.about(name)));
        }
    }
    let draw = |file: &PathBuf| output.picture.draw_comparison(&comparison, file, output.quiet);
    let drawn = output.plot.as_ref().map(draw);
    let saved = fits.iter().zip(&files).map(|(fit, file)| Ok(fit.save(file)?));
    output::all(saved.chain(drawn))
}

/// The file of the `n`-th result: `fits-1.json` for `fits.json`.
fn numbered(file: &Path, n: usize) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{n}"));
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

fn fitted(args: &FeolsArgs, formula: &str) -> Result<RegressionResult> {
    backend::fit(&OneFormula { args, formula }, &args.device, args.output.quiet)
}

/// One of the formulas, with the options of all.
struct OneFormula<'a> {
    args: &'a FeolsArgs,
    formula: &'a str,
}

impl Fit for OneFormula<'_> {
    type Result = RegressionResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<RegressionResult> {
        let args = self.args;
        let config = FixedEffects::<B>::builder()
            .formula(self.formula)
            .maybe_weights(args.regression.weightsname.clone())
            .maybe_missing_values(args.source.na.clone())
            .maybe_vcov(args.regression.vcov.clone())
            .ssc(args.regression.ssc)
            .alpha(args.regression.level.alp)
            .family(args.family)
            .keep_singletons(args.keep_singletons)
            .solver(args.projection.solver)
            .fixef_tol(args.projection.fixef_tol)
            .fixef_maxiter(args.projection.fixef_maxiter)
            .glm_tol(args.likelihood.glm_tol)
            .glm_maxiter(args.likelihood.glm_maxiter)
            .precision(on.precision)
            .build();
        Ok(config.fit_on(args.source.files(), one_device(&on)?)?)
    }
}
