//! `burn-did pretrends`

use burn_did::{Pretrends, pretrends::PreTest};
use clap::Args;

use super::saved::EventStudyArgs;
use crate::args::OutputArgs;
use crate::defaults;
use crate::error::Result;
use crate::parse;
use crate::words::OneOf;

/// What a test of pre-trends would detect, and what passing it leaves (Roth 2022).
///
/// The power of the test against violations of parallel trends, the slope that it detects with given power, the estimates to be
/// expected after passing it, and equivalence tests (Dette and Schumann 2024).
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the event study with the violations to this .png, .svg or .pdf file")))]
#[command(next_help_heading = "Test")]
pub(crate) struct PretrendsArgs {
    #[command(flatten)]
    study: EventStudyArgs,
    /// The test of the coefficients before the reference period.
    #[arg(
        long,
        value_name = "TEST",
        default_value_t = defaults::pretrends().test,
        value_parser = OneOf::<PreTest>::all()
    )]
    test: PreTest,
    /// What the t statistics of individual tests are compared with.
    #[arg(
        long,
        value_name = "T",
        default_value_t = defaults::pretrends().critical,
        value_parser = parse::not_negative
    )]
    critical: f64,
    /// Level of the joint test and of the equivalence tests.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        default_value_t = defaults::pretrends().alpha,
        value_parser = parse::alpha
    )]
    alp: f64,
    /// Powers for which the slope of a linear violation is found.
    #[arg(
        long,
        value_name = "POWER,...",
        value_delimiter = ',',
        value_parser = parse::fraction,
        default_values_t = defaults::pretrends().power,
        help_heading = "Violations"
    )]
    power: Vec<f64>,
    /// Slopes of linear violations, per unit of event time.
    #[arg(
        long,
        value_name = "SLOPE,...",
        value_delimiter = ',',
        value_parser = parse::finite,
        allow_hyphen_values = true,
        help_heading = "Violations"
    )]
    slope: Vec<f64>,
    /// A violation at every event time but the reference, in order of time.
    #[arg(
        long,
        value_name = "VIOLATION,...",
        value_delimiter = ',',
        value_parser = parse::finite,
        allow_hyphen_values = true,
        help_heading = "Violations"
    )]
    violations: Vec<f64>,
    /// Violations below this are negligible; equivalence tests test whether they are below it.
    #[arg(
        long,
        value_name = "EFFECT",
        value_parser = parse::finite,
        help_heading = "Violations"
    )]
    threshold: Option<f64>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &PretrendsArgs) -> Result<()> {
    args.output.check(&args.study.file)?;
    args.output.emit(&args.study.read()?.pretrends(args.options())?)
}

impl PretrendsArgs {
    fn options(&self) -> Pretrends {
        let mut options = defaults::pretrends()
            .test(self.test)
            .critical(self.critical)
            .alpha(self.alp)
            .target_power(self.power.clone());
        options.slopes.clone_from(&self.slope);
        options.violations = (!self.violations.is_empty()).then(|| self.violations.clone());
        options.threshold = self.threshold;
        options
    }
}
