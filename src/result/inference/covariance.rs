//! Covariances as one matrix, and of very many parameters as a sum of parts.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::gaussian_draws;
use crate::base::options::Bootstrap;
use crate::base::parallel;

/// Weights other than zero, with the parameters or columns that they belong to, ascending.
pub(crate) type Terms = Vec<(usize, f64)>;

/// Rows of a covariance that one task forms.
const ROWS: usize = 16;

/// Covariance of `m` parameters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Covariance {
    /// All of it, `[m, m]`, row-major.
    Whole(Vec<f64>),
    /// As a sum over parts of the sample, in each of which the parameters are combinations of few columns.
    Parts(Vec<CovariancePart>),
}

/// What a part of the sample adds to a covariance: `C M C'`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CovariancePart {
    /// `M`: second moments of the part's columns, `[b, b]`, row-major.
    pub moments: Vec<f64>,
    /// `C`: parameters, ascending, as combinations of the columns.
    pub rows: Vec<(usize, Terms)>,
}

impl From<Vec<f64>> for Covariance {
    fn from(whole: Vec<f64>) -> Self {
        Self::Whole(whole)
    }
}

impl Covariance {
    /// Variances of the `m` parameters.
    pub fn variances(&self, m: usize) -> Vec<f64> {
        match self {
            Self::Whole(whole) => (0..m).map(|j| whole[j * m + j]).collect(),
            Self::Parts(parts) => {
                let mut variances = vec![0.0; m];
                for part in parts {
                    let of = parallel::map(part.rows.len(), |row| part.variance(row));
                    part.rows.iter().zip(of).for_each(|((j, _), v)| variances[*j] += v);
                }
                variances
            }
        }
    }

    /// Covariance `[k, k]` of combinations of the `m` parameters.
    pub fn of(&self, m: usize, combinations: &[Terms]) -> Vec<f64> {
        match self {
            Self::Whole(whole) => {
                let half: Vec<Vec<f64>> =
                    combinations.iter().map(|terms| weighted_sum(whole, m, terms)).collect();
                let value = |terms: &Terms, h: &[f64]| terms.iter().map(|(j, w)| w * h[*j]).sum();
                combinations.iter().flat_map(|w| half.iter().map(move |h| value(w, h))).collect()
            }
            Self::Parts(parts) => {
                let k = combinations.len();
                let mut sum = vec![0.0; k * k];
                for part in parts {
                    let rows = parallel::map(k, |i| (i, part.combined(&combinations[i])));
                    part.add(&rows, k, &mut sum);
                }
                sum
            }
        }
    }

    /// All of it, `[m, m]`.
    pub fn whole(&self, m: usize) -> Cow<'_, [f64]> {
        match self {
            Self::Whole(whole) => Cow::Borrowed(whole),
            Self::Parts(parts) => {
                let mut sum = vec![0.0; m * m];
                for part in parts {
                    part.add(&part.rows, m, &mut sum);
                }
                Cow::Owned(sum)
            }
        }
    }

    /// The same by rows, `[m][m]`.
    pub fn rows(&self, m: usize) -> Vec<Vec<f64>> {
        self.whole(m).chunks(m.max(1)).map(<[f64]>::to_vec).collect()
    }

    /// The covariance of some of the `m` parameters, in this order.
    pub fn select(&self, m: usize, parameters: &[usize]) -> Self {
        match self {
            Self::Whole(whole) => {
                let mut selected = Vec::with_capacity(parameters.len().pow(2));
                for i in parameters {
                    let row = &whole[i * m..(i + 1) * m];
                    selected.extend(parameters.iter().map(|j| row[*j]));
                }
                Self::Whole(selected)
            }
            Self::Parts(parts) => {
                let mut places = vec![Vec::new(); m];
                for (place, j) in parameters.iter().enumerate() {
                    places[*j].push(place);
                }
                let parts = parts.iter().map(|part| part.placed(&places));
                Self::Parts(parts.filter(|part| !part.rows.is_empty()).collect())
            }
        }
    }

    /// Measures each parameter in another unit; those with a factor of zero have no covariance.
    pub fn scale(&mut self, factors: &[f64]) {
        let times = |v: f64, factor: f64| if factor == 0.0 { 0.0 } else { v * factor };
        match self {
            Self::Whole(whole) => {
                for (row, factor) in whole.chunks_exact_mut(factors.len().max(1)).zip(factors) {
                    for (v, other) in row.iter_mut().zip(factors) {
                        *v = times(times(*v, *factor), *other);
                    }
                }
            }
            Self::Parts(parts) => {
                for part in parts {
                    part.rows.retain(|(j, _)| factors[*j] != 0.0);
                    for (j, terms) in &mut part.rows {
                        for (_, c) in terms {
                            *c *= factors[*j];
                        }
                    }
                }
            }
        }
    }

    /// Draws `[m, R]` of a normal vector with this covariance: the exact law of Gaussian multiplier sums.
    pub fn gaussian_draws(&self, m: usize, bootstrap: &Bootstrap) -> Vec<f64> {
        match self {
            Self::Whole(whole) => gaussian_draws(whole, m, bootstrap),
            Self::Parts(parts) => {
                let mut draws = vec![0.0; m * bootstrap.draws];
                for (number, part) in (1u64..).zip(parts) {
                    let seed = bootstrap.seed.wrapping_add(number.wrapping_mul(SPREAD));
                    let of_part = Bootstrap { seed, ..*bootstrap };
                    let of_columns = gaussian_draws(&part.moments, part.columns(), &of_part);
                    part.add_draws(&of_columns, bootstrap.draws, &mut draws);
                }
                draws
            }
        }
    }
}

/// An odd number whose multiples are seeds far from each other.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl CovariancePart {
    /// Columns `b`.
    pub fn columns(&self) -> usize {
        self.moments.len().isqrt()
    }

    /// The second moment of a row, which rounding does not make negative.
    pub fn variance(&self, row: usize) -> f64 {
        let (b, terms) = (self.columns(), &self.rows[row].1);
        let with = |(i, c): &(usize, f64)| {
            c * terms.iter().map(|(j, d)| d * self.moments[i * b + j]).sum::<f64>()
        };
        terms.iter().map(with).sum::<f64>().max(0.0)
    }

    /// Adds multiplied sums `[m, R]` of the parameters, from those of the columns, `[b, R]`.
    pub fn add_draws(&self, of_columns: &[f64], draws: usize, sums: &mut [f64]) {
        for (j, terms) in &self.rows {
            let sum = &mut sums[j * draws..(j + 1) * draws];
            for (column, c) in terms {
                let values = &of_columns[column * draws..(column + 1) * draws];
                sum.iter_mut().zip(values).for_each(|(s, v)| *s += c * v);
            }
        }
    }

    /// A combination of parameters as one of the columns.
    fn combined(&self, parameters: &Terms) -> Terms {
        let mut weights = vec![0.0; self.columns()];
        for (j, weight) in parameters {
            let Ok(row) = self.rows.binary_search_by_key(j, |(j, _)| *j) else { continue };
            self.rows[row].1.iter().for_each(|(column, c)| weights[*column] += weight * c);
        }
        nonzero(&weights)
    }

    /// Adds the second moments of combinations of the columns to `sum`, `[size, size]`, at the places that they come with, ascending.
    fn add(&self, combinations: &[(usize, Terms)], size: usize, sum: &mut [f64]) {
        let b = self.columns();
        parallel::chunks(sum, (ROWS * size).max(1), |chunk, rows| {
            for (row, of_row) in rows.chunks_exact_mut(size).enumerate() {
                let place = chunk * ROWS + row;
                let found = combinations.binary_search_by_key(&place, |(place, _)| *place);
                let Ok(found) = found else { continue };
                let half = weighted_sum(&self.moments, b, &combinations[found].1);
                for (other, terms) in combinations {
                    of_row[*other] += terms.iter().map(|(j, c)| c * half[*j]).sum::<f64>();
                }
            }
        });
    }

    /// The part of parameters that have other places, or none.
    fn placed(&self, places: &[Vec<usize>]) -> Self {
        let rows = self
            .rows
            .iter()
            .flat_map(|(j, terms)| places[*j].iter().map(move |place| (*place, terms.clone())));
        let mut rows: Vec<(usize, Terms)> = rows.collect();
        rows.sort_by_key(|(place, _)| *place);
        Self { moments: self.moments.clone(), rows }
    }
}

pub(super) fn nonzero(weights: &[f64]) -> Terms {
    weights.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect()
}

/// `Σ_j w_j d_j` of rows `d_j` of `count` entries.
pub(super) fn weighted_sum(rows: &[f64], count: usize, weights: &[(usize, f64)]) -> Vec<f64> {
    let mut out = vec![0.0; count];
    for (j, w) in weights {
        let row = &rows[j * count..(j + 1) * count];
        out.iter_mut().zip(row).for_each(|(o, d)| *o += w * d);
    }
    out
}

/// A whole covariance is a list of numbers, one of parts an object.
impl Serialize for Covariance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Whole(whole) => whole.serialize(serializer),
            Self::Parts(parts) => Named { parts: Cow::Borrowed(parts) }.serialize(serializer),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Named<'a> {
    parts: Cow<'a, [CovariancePart]>,
}

impl<'de> Deserialize<'de> for Covariance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

/// Reads either form.
struct Written;

impl<'de> Visitor<'de> for Written {
    type Value = Covariance;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of numbers, or an object of `parts`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Covariance, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(values)).map(Covariance::Whole)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Covariance, A::Error> {
        let named = Named::deserialize(MapAccessDeserializer::new(members))?;
        Ok(Covariance::Parts(named.parts.into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three parameters of two parts, and the same as a whole.
    fn both() -> [Covariance; 2] {
        let first = CovariancePart {
            moments: vec![4.0, 1.0, 1.0, 9.0],
            rows: vec![(0, vec![(0, 1.0)]), (2, vec![(0, 2.0), (1, -1.0)])],
        };
        let second = CovariancePart {
            moments: vec![2.0],
            rows: vec![(1, vec![(0, 3.0)]), (2, vec![(0, 1.0)])],
        };
        let whole = vec![4.0, 0.0, 7.0, 0.0, 18.0, 6.0, 7.0, 6.0, 23.0];
        [Covariance::Parts(vec![first, second]), Covariance::Whole(whole)]
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let [parts, whole] = both();
        assert_eq!(parts.whole(3), whole.whole(3));
        assert_eq!(parts.variances(3), whole.variances(3));
        let combinations = [vec![(0, 1.0), (2, -2.0)], vec![(1, 0.5)], vec![]];
        assert_eq!(parts.of(3, &combinations), whole.of(3, &combinations));
        for order in [&[2, 0][..], &[1, 1], &[]] {
            let selected = parts.select(3, order);
            assert_eq!(selected.whole(order.len()), whole.select(3, order).whole(order.len()));
        }
        let mut scaled = both();
        for of in &mut scaled {
            of.scale(&[10.0, 0.0, 0.5]);
        }
        assert_eq!(scaled[0].whole(3), scaled[1].whole(3));
        assert_eq!(scaled[0].variances(3)[1], 0.0);
    }

    #[test]
    fn draws_of_parts_have_their_covariance() {
        let [parts, whole] = both();
        let bootstrap = Bootstrap::draws(20_000).seed(3);
        let draws = parts.gaussian_draws(3, &bootstrap);
        let (count, whole) = (20_000.0, whole.whole(3));
        for (e, expected) in whole.iter().enumerate() {
            let of = |j: usize| &draws[j * 20_000..(j + 1) * 20_000];
            let sum: f64 = of(e / 3).iter().zip(of(e % 3)).map(|(a, b)| a * b).sum();
            let size = (whole[e / 3 * 4] * whole[e % 3 * 4]).sqrt();
            assert!(
                (sum / count - expected).abs() < 0.04 * size,
                "{e}: {} {expected}",
                sum / count
            );
        }
    }

    #[test]
    fn both_forms_are_read_as_they_were_written() {
        for covariance in both() {
            let written = serde_json::to_string(&covariance).expect("it is written");
            assert_eq!(
                serde_json::from_str::<Covariance>(&written).expect("it is read"),
                covariance
            );
        }
        assert!(serde_json::from_str::<Covariance>("{\"other\": []}").is_err());
    }
}
