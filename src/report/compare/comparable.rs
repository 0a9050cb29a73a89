//! What a result has to say of itself to be a column of a comparison.

use crate::base::calendar::Frequency;
use crate::base::error::Message;
#[cfg(feature = "plot")]
use crate::base::error::{DidError, Result};
use crate::base::options::{Band, BasePeriod};
use crate::read::files::{ChosenRows, FilesRead};
use crate::report::foot;
#[cfg(feature = "plot")]
use crate::report::plot::{PlotOptions, chart::Chart};
use crate::result::inference::Estimate;
use crate::result::settings::Settings;

/// What event times begin with in the order of rows, and what effects of groups in periods.
const EVENT_TIMES: f64 = 2.0;
const CELLS: f64 = 5.0;

/// How overall effects average.
pub(crate) const OVER_EVENT_TIMES: &str = "over event times that count alike";
const OVER_TREATED_ROWS: &str = "over treated rows";

/// What effects before treatment are relative to.
pub(crate) const TO_REFERENCE: &str = "relative to the reference period";
pub(crate) const NOT_TO_REFERENCE: &str = "not relative to the reference period";

/// One estimate of a model, with the row of the comparison that it belongs to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Term {
    /// Name of the row; equal names share a row.
    pub name: String,
    /// Rows stand in ascending order of this.
    pub order: [f64; 3],
    /// The estimate.
    pub estimate: Estimate,
    /// The kind of its interval.
    pub band: Band,
    /// The name of the row in tables, if it is another.
    pub shown: Option<String>,
}

impl Term {
    /// The estimate of the row `name`, which stands in the order of these numbers.
    #[must_use]
    pub fn new(name: impl Into<String>, order: [f64; 3], estimate: Estimate, band: Band) -> Self {
        Self { name: name.into(), order, estimate, band, shown: None }
    }

    /// Whether it is an effect before treatment: by event time, or of a group in a period.
    pub(super) fn is_before_treatment(&self) -> bool {
        match self.order {
            [EVENT_TIMES, at, _] => at < 0.0,
            [CELLS, group, time] => time < group,
            _ => false,
        }
    }

    /// Sets another name for tables, such as `year = 2004` for the coefficient `year::2004`.
    #[must_use]
    pub fn shown(mut self, name: impl Into<String>) -> Self {
        self.shown = Some(name.into());
        self
    }
}

/// A result that can be a column of [`compare`](crate::compare()).
///
/// ```
/// use burn_did::{Estimate, compare, options::Band, report::{Comparable, Term}};
///
/// /// An estimate from elsewhere.
/// struct Published(f64, f64);
///
/// impl Comparable for Published {
///     fn terms(&self) -> Vec<Term> {
///         let estimate = Estimate::new(Some(self.0), Some(self.1), 1.96);
///         let (name, order, band) = ("Overall ATT", [0.0; 3], Band::Pointwise);
///         vec![Term::new(name, order, estimate, band)]
///     }
///     fn facts(&self) -> Vec<(String, String)> {
///         vec![("Source".into(), "table 2".into())]
///     }
///     fn alpha(&self) -> f64 {
///         0.05
///     }
/// }
///
/// let table = compare(&[("Published", &Published(-0.04, 0.012))]);
/// assert!(table.to_string().contains("-0.0400"));
/// ```
pub trait Comparable {
    /// The estimates.
    fn terms(&self) -> Vec<Term>;
    /// What stands under the estimates: name and value.
    fn facts(&self) -> Vec<(String, String)>;
    /// One minus the level of the intervals.
    fn alpha(&self) -> f64;
    /// The outcome, which stands under the name of the model.
    fn outcome(&self) -> Option<String> {
        None
    }
    /// The fixed effects of a regression; `None` for what is no regression.
    fn absorbed(&self) -> Option<Vec<String>> {
        None
    }
    /// The picture of its effects by event time, group or period, which other results can stand beside.
    ///
    /// # Errors
    /// [`DidError::Plot`](crate::DidError::Plot) if it has no such effects.
    #[cfg(feature = "plot")]
    #[doc(hidden)]
    fn comparable_chart(&self, _: &PlotOptions) -> Result<Chart> {
        Err(DidError::Plot("it has no effects by event time, group or period".into()))
    }
    /// What a reader must know of the estimates, such as warnings and cells that an average leaves out: for the foot of the table.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// How its standard errors were made, such as `analytic, clustered by state (29 clusters)`, where no fact says it: for the foot of the table.
    fn standard_errors(&self) -> Option<String> {
        None
    }
    /// How its overall effect averages others, such as `over treated rows`, if it has one: the foot of a table says it where
    /// the results differ.
    fn overall_averages(&self) -> Option<String> {
        None
    }
    /// What its event times count, such as quarters, if that is known: the foot of a table says it where the results differ.
    fn event_times_count(&self) -> Option<&'static str> {
        None
    }
    /// What its effects before treatment are relative to, such as `relative to the reference period`, if it has some: the foot of
    /// a table says it where the results differ.
    fn before_treatment(&self) -> Option<String> {
        None
    }
}

/// The texts of messages.
pub(crate) fn texts(messages: impl IntoIterator<Item = Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.text).collect()
}

/// What times since first treatment count.
pub(crate) fn units_of_time(frequency: Option<Frequency>) -> &'static str {
    match frequency {
        None => "units of the time column",
        Some(Frequency::Year) => "years",
        Some(Frequency::Quarter) => "quarters",
        Some(Frequency::Month) => "months",
        Some(Frequency::Week) => "weeks",
        Some(Frequency::Day) => "days",
    }
}

/// What effects before treatment are relative to in fits of group-time effects.
pub(crate) fn before_treatment(settings: &Settings) -> Option<String> {
    let words = match settings.base_period()? {
        BasePeriod::Varying => "relative to the period before each",
        BasePeriod::Universal if settings.anticipation() > 0 => {
            "relative to the last period before anticipation"
        }
        BasePeriod::Universal => TO_REFERENCE,
    };
    Some(words.to_owned())
}

/// An average over treated rows, which may be weighted.
pub(crate) fn over_treated_rows(weights: Option<&String>) -> String {
    weights.map_or_else(
        || OVER_TREATED_ROWS.to_owned(),
        |weights| format!("{OVER_TREATED_ROWS}, weighted by {weights}"),
    )
}

/// Covariates, weights and the rows chosen by conditions, of results without such settings.
pub(crate) fn sample_facts(
    covariates: &[String],
    weights: Option<&String>,
    files: &FilesRead,
) -> Vec<(String, String)> {
    let covariates = (!covariates.is_empty()).then(|| format!("~ {}", covariates.join(" + ")));
    let facts = [("Covariates", covariates), ("Weights", weights.cloned())];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    facts.chain(rows_chosen(files.chosen.as_ref())).collect()
}

/// The conditions by which rows were chosen, if they were.
pub(crate) fn rows_chosen(chosen: Option<&ChosenRows>) -> Option<(String, String)> {
    let conditions = chosen?.left_out.iter().map(|left_out| left_out.condition.as_str());
    Some(("Rows chosen".to_owned(), conditions.collect::<Vec<&str>>().join("; ")))
}

/// What is said of fits of group-time effects.
pub(crate) fn facts(settings: &Settings) -> Vec<(String, String)> {
    let units = if settings.rows_are_units() { "Rows" } else { "Units" };
    let dose = settings.dose();
    let facts = [
        ("Control group", settings.comparison_units()),
        ("Base period", settings.base_period().map(|base| foot::base_period(base).to_owned())),
        ("Method", foot::method(settings).map(ToOwned::to_owned)),
        ("Anticipation", Some(settings.anticipation()).filter(|n| *n > 0).map(|n| n.to_string())),
        // The dose is in the place of covariates.
        ("Covariates", dose.is_none().then(|| settings.covariates.clone())),
        ("Weights", settings.weights.clone()),
        (units, Some(settings.n_units.to_string())),
        ("Dose", dose.map(ToOwned::to_owned)),
        ("Clusters", settings.n_clusters.map(|n| n.to_string())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
