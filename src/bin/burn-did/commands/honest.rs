//! `burn-did honest`

use std::str::FromStr;

use burn_did::{
    Honest,
    sensitivity::{Delta, Effect, HonestMethod, Restriction, Search},
};
use clap::Args;

use super::saved::EventStudyArgs;
use crate::args::OutputArgs;
use crate::defaults;
use crate::error::{CliError, Result};
use crate::parse;
use crate::words::OneOf;

/// How robust an event study is to violations of parallel trends (Rambachan and Roth 2023).
///
/// Robust confidence intervals by how large violations may be, and the breakdown value: the largest at which the effect stays
/// significant.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the intervals to this .png, .svg or .pdf file")))]
#[command(next_help_heading = "Inference")]
pub(crate) struct HonestArgs {
    #[command(flatten)]
    study: EventStudyArgs,
    /// Set of violations: sd (the slope changes by at most M), rm (changes are at most Mbar times the largest before treatment)
    /// or sdrm (changes of slope are at most Mbar times the largest before treatment). A suffix restricts the bias: pb or nb (its
    /// sign), i or d (its direction). The default is rm, or sd with --m.
    #[arg(long, value_name = "SET", help_heading = "Restrictions")]
    delta: Option<Violations>,
    /// Values of M for sd, as in 0,0.05,0.1; by default ten values up to a bound estimated from the periods before treatment.
    #[arg(
        long,
        value_name = "M,...",
        value_delimiter = ',',
        value_parser = parse::not_negative,
        help_heading = "Restrictions"
    )]
    m: Vec<f64>,
    /// Values of Mbar for rm and sdrm, as in 0.5,1,2; by default ten values from 0 to 2.
    #[arg(
        long,
        value_name = "MBAR,...",
        value_delimiter = ',',
        value_parser = parse::not_negative,
        conflicts_with = "m",
        help_heading = "Restrictions"
    )]
    mbar: Vec<f64>,
    /// Sign of the bias after treatment.
    #[arg(
        long,
        value_name = "SIGN",
        value_parser = OneOf::of([Restriction::PositiveBias, Restriction::NegativeBias]),
        visible_alias = "bias-direction",
        help_heading = "Restrictions"
    )]
    bias: Option<Restriction>,
    /// Direction of the bias over time.
    #[arg(
        long,
        value_name = "DIRECTION",
        value_parser = OneOf::of([Restriction::Increasing, Restriction::Decreasing]),
        visible_alias = "monotonicity-direction",
        conflicts_with = "bias",
        help_heading = "Restrictions"
    )]
    monotonicity: Option<Restriction>,
    /// Effect: first (in the period in which treatment starts), avg (the average from then on), or one weight per period after
    /// the reference, as in 0.5,0.5.
    #[arg(
        long,
        value_name = "WEIGHTS",
        default_value = "first",
        allow_hyphen_values = true,
        visible_alias = "l_vec",
        help_heading = "Parameter"
    )]
    l_vec: Effect,
    /// Effect at this event time.
    #[arg(
        long,
        value_name = "E",
        value_parser = parse::finite,
        allow_hyphen_values = true,
        conflicts_with = "l_vec",
        help_heading = "Parameter"
    )]
    event_time: Option<f64>,
    /// Method of the intervals. The default is flci for sd, `c_f` for sd with a restriction, and `c_lf` for rm and sdrm.
    #[arg(
        long,
        value_name = "METHOD",
        value_parser = OneOf::<HonestMethod>::all()
    )]
    method: Option<HonestMethod>,
    /// One minus the confidence level. The default is the level of a saved result, or else 0.05.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        value_parser = parse::alpha
    )]
    alp: Option<f64>,
    /// Level of the first stage of C-F and C-LF; by default a tenth of alpha.
    #[arg(long, value_name = "LEVEL", value_parser = parse::fraction)]
    kappa: Option<f64>,
    /// Points of R's grid of effects; an interval that reaches the end of the grid is reported as open. The default is 1000, and
    /// more beyond the ends where needed.
    #[arg(long, value_name = "N")]
    grid_points: Option<usize>,
    /// Lower end of the grid.
    #[arg(
        long,
        value_name = "EFFECT",
        value_parser = parse::finite,
        allow_hyphen_values = true,
        requires = "grid_ub"
    )]
    grid_lb: Option<f64>,
    /// Upper end of the grid.
    #[arg(
        long,
        value_name = "EFFECT",
        value_parser = parse::finite,
        allow_hyphen_values = true,
        requires = "grid_lb"
    )]
    grid_ub: Option<f64>,
    /// Test every point of the grid, or assume that the confidence set is an interval and bisect its ends.
    #[arg(
        long,
        value_name = "HOW",
        default_value_t = defaults::honest().search,
        value_parser = OneOf::<Search>::all()
    )]
    search: Search,
    /// Draws for the critical value of C-LF.
    #[arg(long, value_name = "N", default_value_t = defaults::honest().draws)]
    draws: usize,
    /// Seed of the draws.
    #[arg(long, value_name = "SEED", default_value_t = defaults::honest().seed)]
    seed: u64,
    #[command(flatten)]
    output: OutputArgs,
}

/// A set of violations of parallel trends: sd, rm or sdrm, with R's suffix of a restriction or without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Violations {
    pub delta: Delta,
    pub restriction: Option<Restriction>,
}

impl FromStr for Violations {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let name = lower.strip_prefix("delta").unwrap_or(&lower);
        let sets = [
            ("sdrm", Delta::RelativeSmoothness),
            ("sd", Delta::Smoothness),
            ("rm", Delta::RelativeMagnitude),
        ];
        let set_found =
            sets.into_iter().find_map(|(set, delta)| Some((name.strip_prefix(set)?, delta)));
        let restriction = |suffix: &str| match suffix {
            "" => Some(None),
            "pb" | "b" => Some(Some(Restriction::PositiveBias)),
            "nb" => Some(Some(Restriction::NegativeBias)),
            "i" | "m" => Some(Some(Restriction::Increasing)),
            "d" => Some(Some(Restriction::Decreasing)),
            _ => None,
        };
        let set = set_found
            .and_then(|(suffix, delta)| Some(Self { delta, restriction: restriction(suffix)? }));
        set.ok_or_else(|| {
            "expected sd, rm or sdrm, or one of them with a restriction: pb, nb, i or d, as in sdpb"
                .to_owned()
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &HonestArgs) -> Result<()> {
    let options = args.options()?;
    args.output.check(&args.study.file)?;
    let study = args.study.read()?;
    let options = options.alpha(args.alp.unwrap_or(study.alpha));
    args.output.emit(&study.honest(options)?)
}

impl HonestArgs {
    fn options(&self) -> Result<Honest> {
        let Violations { delta, restriction } = self.violations()?;
        let effect = match self.event_time {
            Some(at) => Effect::At(at),
            None => self.l_vec.clone(),
        };
        let m = if self.m.is_empty() { &self.mbar } else { &self.m };
        let mut options = defaults::honest();
        options.delta = delta;
        options.restriction = restriction;
        options.method = self.method;
        options.m = (!m.is_empty()).then(|| m.clone());
        options.effect = effect;
        options.kappa = self.kappa;
        options.search = self.search;
        options.grid_points = self.grid_points;
        options.grid = self.grid_lb.zip(self.grid_ub);
        Ok(options.draws(self.draws, self.seed))
    }

    /// The set, from its name and from the options that say more.
    fn violations(&self) -> Result<Violations> {
        let default = if self.m.is_empty() { Delta::RelativeMagnitude } else { Delta::Smoothness };
        let named = self.delta.unwrap_or(Violations { delta: default, restriction: None });
        let smooth = named.delta == Delta::Smoothness;
        if smooth && !self.mbar.is_empty() {
            return Err(CliError::usage(
                "--mbar applies to --delta rm and sdrm only",
                "give the M of sd by --m",
            ));
        }
        if !smooth && !self.m.is_empty() {
            return Err(CliError::usage(
                "--m applies to --delta sd only",
                "give the Mbar of rm and sdrm by --mbar",
            ));
        }
        let further = self.bias.or(self.monotonicity);
        if let (Some(a), Some(b)) = (named.restriction, further)
            && a != b
        {
            return Err(CliError::usage(
                "--delta names one restriction of the bias, and another is given",
                "leave out one of them",
            ));
        }
        Ok(Violations { restriction: further.or(named.restriction), ..named })
    }
}
