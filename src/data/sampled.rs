//! How simulations of staggered treatments sample units and rows.

/// Defines such a simulation: its own options, and how units and rows are sampled.
macro_rules! sampled {
    ($(#[$about:meta])* $visibility:vis struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, bon::Builder)]
        #[non_exhaustive]
        $visibility struct $name {
            $($own)*
            /// Standard deviation of a cluster's shock in a period.
            #[builder(default = 0.5)]
            pub cluster_sd: f64,
            /// Adds a column `weight` of sampling weights, uniform on [0.5, 2] and independent of all else.
            #[builder(default = false)]
            pub weights: bool,
            /// Share of rows missing at random, which unbalances the panel.
            #[builder(default = 0.0)]
            pub attrition: f64,
            /// Draws new units in every period.
            #[builder(default = false)]
            pub repeated_cross_sections: bool,
            /// Seed of the streams.
            #[builder(default = 0)]
            pub seed: u64,
        }

        impl $name {
            /// Units that are drawn, and the rows of each.
            pub(super) fn drawn(&self) -> (usize, usize) {
                let periods = self.periods as usize;
                match self.repeated_cross_sections {
                    true => (self.units.saturating_mul(periods), 1),
                    false => (self.units, periods),
                }
            }

            /// The periods of a unit.
            fn periods_of(&self, unit: usize) -> std::ops::RangeInclusive<u32> {
                match self.repeated_cross_sections {
                    true => {
                        let period = (unit % self.periods as usize) as u32 + 1;
                        period..=period
                    }
                    false => 1..=self.periods,
                }
            }
        }
    };
}

pub(super) use sampled;
