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
            /// (half precision in parquet files counts as single). An empty field or text is missing in any case.
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
