//! Analyses of the violations of parallel trends, for results that have an event study.

/// Gives results with a method `event_study` the analyses of an [`EventStudy`](crate::EventStudy).
macro_rules! analysed {
    ($result:ident $(, $(#[$example:meta])+)?) => {
        impl $result {
            /// Robust intervals and the breakdown value of the [event study](Self::event_study()) (Rambachan and Roth 2023).
            $(
                ///
                $(#[$example])+
            )?
            ///
            /// # Errors
            /// As [`EventStudy::honest`](crate::EventStudy::honest).
            #[doc(alias = "honest_did")]
            pub fn honest(
                &self,
                options: $crate::estimator::honest::Honest,
            ) -> $crate::base::error::Result<$crate::estimator::honest::HonestResult> {
                self.event_study().honest(options)
            }

            /// Power of the test of the [event study](Self::event_study())'s pre-trends, and equivalence tests.
            ///
            /// # Errors
            /// As [`EventStudy::pretrends`](crate::EventStudy::pretrends).
            pub fn pretrends(
                &self,
                options: $crate::estimator::pretrends::Pretrends,
            ) -> $crate::base::error::Result<$crate::estimator::pretrends::PretrendsResult> {
                self.event_study().pretrends(options)
            }
        }
    };
}

pub(crate) use analysed;
