//! Options that several estimators have.

/// Defines a struct of options with a builder: its own, and from a list those that others have in the same words. `backend` stands
/// for the type of the backend, `B`.
macro_rules! options {
    (
        $(#[$about:meta])*
        $visibility:vis struct $name:ident $(<$backend:ident: $bound:path>)? with [$($listed:ident),* $(,)?] { $($own:tt)* }
    ) => {
        $crate::estimator::shell::options! {
            @ [$($listed)*]
            {
                $(#[$about])*
                #[derive(Clone, Debug, bon::Builder)]
                #[non_exhaustive]
                #[builder(on(String, into), derive(Clone))]
                $visibility struct $name $(<$backend: $bound>)?
            }
            { $($own)* }
        }
    };
    (@ [] { $($head:tt)* } { $($options:tt)* }) => {
        $($head)* { $($options)* }
    };
    (@ [outcome $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Outcome: numbers or booleans.
            #[doc(alias = "yname")]
            pub outcome: String,
        } }
    };
    (@ [unit $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Unit.
            #[doc(alias = "idname")]
            pub unit: String,
        } }
    };
    (@ [unit_or_rows $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Unit: integers, floats or strings; needed unless rows are repeated cross sections.
            #[doc(alias = "idname")]
            pub unit: Option<String>,
        } }
    };
    (@ [time $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Period: a number, or a date with [`frequency`](Self::frequency).
            #[doc(alias = "tname")]
            pub time: String,
        } }
    };
    (@ [group $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// First treated period; 0, infinity or null if the unit is never treated. Rows with NaN are left out.
            #[doc(alias = "gname")]
            pub group: String,
        } }
    };
    (@ [frequency $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Length of a period, if periods and groups are dates: results count periods and show dates. Groups of 0 are never treated, as
            /// among numbers.
            pub frequency: Option<$crate::base::calendar::Frequency>,
        } }
    };
    (@ [sampling_weights $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Sampling weights.
            #[doc(alias = "weightsname")]
            pub weights: Option<String>,
        } }
    };
    (@ [row_weights $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Weights; rows with a weight of zero are left out.
            #[doc(alias = "weightsname")]
            pub weights: Option<String>,
        } }
    };
    (@ [anticipation $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Periods before treatment in which units may already react.
            #[builder(default)]
            pub anticipation: u32,
        } }
    };
    (@ [base_period $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Base period.
            #[builder(default)]
            pub base_period: $crate::base::options::BasePeriod,
        } }
    };
    (@ [band $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Uniform bands or pointwise intervals; uniform with a bootstrap and pointwise without if not given.
            #[doc(alias = "cband")]
            pub band: Option<$crate::base::options::Band>,
        } }
    };
    (@ [solver $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// How fixed effects are projected out.
            #[builder(default)]
            pub solver: $crate::engine::demean::Solver,
            /// Iterations of the solver, at most.
            #[doc(alias = "fixef.iter")]
            #[builder(default = $crate::engine::demean::DemeanOptions::default().iterations)]
            pub fixef_maxiter: usize,
        } }
    };
    (@ [fixef_tol $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Relative tolerance of the solver.
            #[doc(alias = "fixef.tol")]
            #[builder(default = $crate::engine::demean::DemeanOptions::default().tolerance)]
            pub fixef_tol: f64,
        } }
    };
    (@ [likelihood $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Relative change of the deviance at which a regression by maximum likelihood has converged.
            #[doc(alias = "glm.tol")]
            #[builder(default = 1e-10)]
            pub glm_tol: f64,
            /// Steps of iterated least squares, at most.
            #[doc(alias = "glm.iter")]
            #[builder(default = 25)]
            pub glm_maxiter: usize,
        } }
    };
    (@ [ssc $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Corrections for small samples.
            #[builder(default)]
            pub ssc: $crate::estimator::fixed_effects::Ssc,
        } }
    };
    (@ [in_pieces $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Bytes of unit data that may be in memory where parquet files are read [in pieces](crate::Data::in_pieces).
            pub memory_budget: Option<u64>,
            /// Hears how far the work has come.
            pub progress: Option<$crate::base::progress::Progress>,
        } }
    };
    (@ [repeated_cross_sections $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Treats every row as a unit of its own.
            #[doc(alias = "panel")]
            #[builder(default)]
            pub repeated_cross_sections: bool,
        } }
    };
    (@ [weighting $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Forms what the estimator's own weighting does to the comparison, as [`Weighting`](crate::weighting::Weighting): two more
            /// passes over the rows.
            #[builder(default)]
            pub weighting: bool,
            /// Keeps propensity scores and weights by unit, as [`Scores`](crate::weighting::Scores): 25 bytes a unit and cell. Not on a
            /// cluster.
            #[doc(alias = "ps")]
            #[builder(default)]
            pub keep_scores: bool,
        } }
    };
    (@ [missing_values $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Words and numbers that stand for a missing value, instead of the [usual words](crate::Data): texts in every column
            /// that are equal to one, and numbers equal to one that is a number, as in `["NA", "-99"]`, rounded to the column's type
            /// (half precision in parquet files counts as single). An empty field or text is missing in any case. A word such as `start=0`
            /// is one of the column `start` alone, if a column of that name is read, and else as it is; words with `=` add to the others.
            #[doc(alias = "na.strings")]
            #[builder(with = |values: impl IntoIterator<Item = impl Into<String>>| values.into_iter().map(Into::into).collect())]
            pub missing_values: Option<Vec<String>>,
        } }
    };
    (@ [alpha $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// One minus the confidence level.
            #[doc(alias = "alp")]
            #[builder(default = $crate::base::options::defaults::ALPHA)]
            pub alpha: f64,
        } }
    };
    (@ [precision $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            /// Floating-point type of the device.
            #[builder(default)]
            pub precision: $crate::base::options::Precision,
        } }
    };
    (@ [backend $($more:tt)*] $head:tt { $($options:tt)* }) => {
        $crate::estimator::shell::options! { @ [$($more)*] $head {
            $($options)*
            #[builder(skip)]
            backend: std::marker::PhantomData<fn() -> B>,
        } }
    };
}

pub(crate) use options;
