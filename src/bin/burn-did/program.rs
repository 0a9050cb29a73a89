//! The commands, and a run of one.

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

#[cfg(any(feature = "wgpu", feature = "cuda"))]
use crate::backend;
#[cfg(feature = "ballista")]
use crate::cluster;
use crate::commands::{
    self, aggregate, att_gt, compare, cont_did, data, ddd, demean, did_multiplegt, drdid, etwfe,
    explore, feols, honest, lpdid, npiv, overlap, panel, plot, pretrends, report, simulate,
    stacked, study, sunab, weighting,
};
use crate::{elsewhere, messages, output, panics, signals};

/// Difference-in-differences estimators: estimates, standard errors, event studies and plots.
///
/// Results go to standard output; errors, warnings and progress to standard error. Exit status: 0 if everything asked for was
/// made; 1 if the data or the estimation is at fault; 2 if the command line is.
#[derive(Parser)]
#[command(name = "burn-did", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Describe(Box<explore::describe::DescribeArgs>),
    Panelview(Box<explore::panelview::PanelviewArgs>),
    Means(Box<explore::means::MeansArgs>),
    Balance(Box<explore::balance::BalanceArgs>),
    AttGt(Box<att_gt::AttGtArgs>),
    Ddd(Box<ddd::DddArgs>),
    DidMultiplegt(Box<did_multiplegt::DidMultiplegtArgs>),
    Drdid(Box<drdid::DrdidArgs>),
    ContDid(Box<cont_did::ContDidArgs>),
    Npiv(Box<npiv::NpivArgs>),
    Feols(Box<feols::FeolsArgs>),
    Sunab(Box<sunab::SunabArgs>),
    Etwfe(Box<etwfe::EtwfeArgs>),
    Study(Box<study::StudyArgs>),
    Lpdid(Box<lpdid::LpdidArgs>),
    Stacked(Box<stacked::StackedArgs>),
    Imputation(Box<commands::first_stage::imputation::ImputationArgs>),
    TwoStage(Box<commands::first_stage::two_stage::TwoStageArgs>),
    Bacon(Box<commands::twfe::bacon::BaconArgs>),
    TwfeWeights(Box<commands::twfe::weights::TwfeWeightsArgs>),
    Demean(Box<demean::DemeanArgs>),
    Panel(Box<panel::PanelArgs>),
    Aggregate(aggregate::AggregateArgs),
    Overlap(Box<overlap::OverlapArgs>),
    Weighting(Box<weighting::WeightingOfResultArgs>),
    Honest(Box<honest::HonestArgs>),
    Pretrends(Box<pretrends::PretrendsArgs>),
    #[command(visible_alias = "etable")]
    Compare(Box<compare::CompareArgs>),
    Plot(plot::PlotArgs),
    Report(Box<report::ReportArgs>),
    Simulate(simulate::SimulateArgs),
    Data(data::DataOutArgs),
    #[cfg(feature = "ballista")]
    Cluster(cluster::ClusterArgs),
    #[cfg(feature = "ballista")]
    Scheduler(cluster::SchedulerArgs),
    #[cfg(feature = "ballista")]
    Executor(cluster::ExecutorArgs),
}

/// Runs a command line, whose first word is the name of the program. Gives the exit status.
pub(crate) fn run(arguments: &[OsString]) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(mut error) if error.use_stderr() => {
            let mut program = Cli::command();
            program.build();
            let hint = elsewhere::hint_for(&error, arguments, &program);
            let text = elsewhere::said(&mut error, hint.is_some(), arguments, &program);
            messages::usage(&text, hint.as_deref());
            return 2;
        }
        // Help, or the version.
        Err(error) => {
            return match output::printed(error.print()) {
                Ok(()) => 0,
                Err(error) => {
                    messages::error(&error);
                    error.code()
                }
            };
        }
    };
    panics::keep_caught_ones_quiet();
    signals::clear_away_at_the_end();
    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    backend::ignore_configuration_files();
    let done = match cli.command {
        Command::Describe(args) => explore::describe::run(&args),
        Command::Panelview(args) => explore::panelview::run(&args),
        Command::Means(args) => explore::means::run(&args),
        Command::Balance(args) => explore::balance::run(&args),
        Command::AttGt(args) => att_gt::run(&args),
        Command::Ddd(args) => ddd::run(&args),
        Command::DidMultiplegt(args) => did_multiplegt::run(&args),
        Command::Drdid(args) => drdid::run(&args),
        Command::ContDid(args) => cont_did::run(&args),
        Command::Npiv(args) => npiv::run(&args),
        Command::Feols(args) => feols::run(&args),
        Command::Sunab(args) => sunab::run(&args),
        Command::Etwfe(args) => etwfe::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Lpdid(args) => lpdid::run(&args),
        Command::Stacked(args) => stacked::run(&args),
        Command::Imputation(args) => commands::first_stage::imputation::run(&args),
        Command::TwoStage(args) => commands::first_stage::two_stage::run(&args),
        Command::Bacon(args) => commands::twfe::bacon::run(&args),
        Command::TwfeWeights(args) => commands::twfe::weights::run(&args),
        Command::Demean(args) => demean::run(&args),
        Command::Panel(args) => panel::run(&args),
        Command::Aggregate(args) => aggregate::run(&args),
        Command::Overlap(args) => overlap::run(&args),
        Command::Weighting(args) => weighting::run(&args),
        Command::Honest(args) => honest::run(&args),
        Command::Pretrends(args) => pretrends::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Data(args) => data::run(&args),
        #[cfg(feature = "ballista")]
        Command::Cluster(args) => cluster::start(&args),
        #[cfg(feature = "ballista")]
        Command::Scheduler(args) => cluster::schedule(&args),
        #[cfg(feature = "ballista")]
        Command::Executor(args) => cluster::execute(&args),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            messages::error(&error);
            error.code()
        }
    }
}
