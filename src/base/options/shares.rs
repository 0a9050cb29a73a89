//! Which units the shares of groups count in averages of triple differences.

use crate::base::words::words;

words! {
    /// Which units of a group its share counts when effects of [`Ddd`](crate::Ddd) are averaged over groups.
    ///
    /// The effects are those on eligible units. Only with [`SharesOf::Eligible`] is their average the mean effect over treated units; the
    /// other choice gives a group with few eligible units the weight of all its units.
    ///
    /// ```
    /// use burn_did::options::SharesOf;
    /// assert_eq!(SharesOf::default().to_string(), "eligible");
    /// ```
    #[derive(Default)]
    pub enum SharesOf: "shares_of" {
        /// The eligible units of the group: its treated units (Ortiz-Villavicencio and Sant'Anna 2025, eqs. 2.3 and 4.13).
        #[default]
        Eligible = "eligible",
        /// All units of the group, as in R `triplediff` 0.2.4.
        All = "all",
    }
}
