//! The library's defaults, which options have that are not given, and which their help shows.

use burn_did::backend::Cpu;
use burn_did::{
    AttGt, ContDid, Ddd, DidMultiplegt, Drdid, Etwfe, FixedEffects, Honest, Imputation, JointStudy,
    LocalProjections, Npiv, Pretrends, Stacked, SunAbraham, TwfeWeights, options::Bootstrap,
    report::PlotOptions,
};

/// Group-time effects without an option. The backend does not matter.
pub(crate) fn att_gt() -> AttGt<Cpu> {
    AttGt::builder().outcome("").time("").group("").build()
}

/// Triple differences without an option.
pub(crate) fn ddd() -> Ddd<Cpu> {
    Ddd::builder().outcome("").time("").group("").eligible("").build()
}

/// A continuous treatment without an option.
pub(crate) fn cont_did() -> ContDid<Cpu> {
    ContDid::builder().outcome("").time("").dose("").build()
}

/// A function estimated by sieves without an option.
pub(crate) fn npiv() -> Npiv {
    Npiv::builder().outcome("").regressors([""]).build()
}

/// A two-period comparison without an option.
pub(crate) fn drdid() -> Drdid<Cpu> {
    Drdid::builder().outcome("").time("").treatment("").build()
}

/// A treatment that may switch on and off without an option.
pub(crate) fn did_multiplegt() -> DidMultiplegt {
    DidMultiplegt::builder().outcome("").unit("").time("").treatment("").build()
}

/// A regression without an option.
pub(crate) fn fixed_effects() -> FixedEffects<Cpu> {
    FixedEffects::builder().build()
}

/// The event study of Sun and Abraham without an option.
pub(crate) fn sun_abraham() -> SunAbraham<Cpu> {
    SunAbraham::builder().outcome("").unit("").time("").group("").build()
}

/// Effects by imputation without an option.
pub(crate) fn imputation() -> Imputation {
    Imputation::builder().outcome("").unit("").time("").group("").build()
}

/// A sensitivity analysis without an option. What is assumed does not matter.
pub(crate) fn honest() -> Honest {
    Honest::smoothness()
}

/// An analysis of pre-trends without an option.
pub(crate) fn pretrends() -> Pretrends {
    Pretrends::new()
}

/// Weights of a two-way regression without an option.
pub(crate) fn twfe_weights() -> TwfeWeights {
    TwfeWeights::builder().outcome("").unit("").time("").group("").build()
}

/// Local projections without an option.
pub(crate) fn lpdid() -> LocalProjections {
    LocalProjections::builder().outcome("").unit("").time("").pre_window(0).post_window(0).build()
}

/// Extended two-way fixed effects without an option. The backend does not matter.
pub(crate) fn etwfe() -> Etwfe<Cpu> {
    Etwfe::builder().outcome("").time("").group("").build()
}

/// Stacked difference-in-differences without an option.
pub(crate) fn stacked() -> Stacked {
    let config = Stacked::builder().outcome("").unit("").time("").group("");
    config.pre_window(1).post_window(0).build()
}

/// Several estimators without an option. The backend does not matter.
pub(crate) fn joint_study() -> JointStudy<Cpu> {
    JointStudy::builder().outcome("").unit("").time("").group("").build()
}

/// A picture without an option.
pub(crate) fn picture() -> PlotOptions {
    PlotOptions::new()
}

/// The bootstrap without further options; the library leaves the number of draws to its users.
pub(crate) fn bootstrap() -> Bootstrap {
    Bootstrap::draws(1000)
}
