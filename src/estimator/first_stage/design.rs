//! Fixed effects, and trends of the leading factor, as an operator on rows that are sorted by the leading factor.
//!
//! Parameters are one vector `θ`: the effects of the leading factor, its slopes behind them if there are trends, and then the
//! effects of the other factors.

use std::ops::Range;

use crate::base::parallel;

/// Fewest rows of a block, and most blocks.
const BLOCK: usize = 1 << 14;
const BLOCKS: usize = 64;

/// Rows with their levels.
pub(in crate::estimator) struct Design {
    /// Level of the leading factor, ascending.
    pub lead: Vec<u32>,
    pub leads: usize,
    /// Levels of the other factors, counted on from factor to factor.
    pub rest: Vec<Vec<u32>>,
    /// First level of each of these, and their number.
    pub offsets: Vec<usize>,
    /// What the slopes are of.
    pub slope: Option<Vec<f64>>,
    /// Weights of rows; all 1 if there are none.
    pub weights: Option<Vec<f64>>,
    /// Whether a row is treated, and so no part of the regression.
    pub treated: Vec<bool>,
    blocks: Vec<Range<usize>>,
}

/// The columns of a design.
pub(in crate::estimator) struct DesignColumns {
    pub lead: (Vec<u32>, usize),
    pub rest: Vec<(Vec<u32>, usize)>,
    pub slope: Option<Vec<f64>>,
    pub weights: Option<Vec<f64>>,
    pub treated: Vec<bool>,
}

impl Design {
    pub fn new(columns: DesignColumns) -> Self {
        let DesignColumns { lead: (lead, leads), rest, slope, weights, treated } = columns;
        let mut offsets = vec![0];
        let mut shifted = Vec::with_capacity(rest.len());
        for (mut codes, levels) in rest {
            let offset = offsets[offsets.len() - 1];
            for code in &mut codes {
                *code += offset as u32;
            }
            shifted.push(codes);
            offsets.push(offset + levels);
        }
        let mut design =
            Self { lead, leads, rest: shifted, offsets, slope, weights, treated, blocks: vec![] };
        design.cut();
        design
    }

    /// Cuts the rows where levels of the leading factor end, into as many blocks as the room for their sums allows.
    fn cut(&mut self) {
        let rows = self.rows();
        let most = (4 * rows / self.width().max(1)).clamp(1, BLOCKS);
        let size = rows.div_ceil(most).max(BLOCK);
        self.blocks.clear();
        let mut start = 0;
        while start < rows {
            let mut end = (start + size).min(rows);
            while end < rows && self.lead[end] == self.lead[end - 1] {
                end += 1;
            }
            self.blocks.push(start..end);
            start = end;
        }
    }

    pub fn rows(&self) -> usize {
        self.lead.len()
    }

    /// Levels of the other factors.
    pub fn width(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// Parameters of the leading factor.
    pub fn of_lead(&self) -> usize {
        self.leads * if self.slope.is_some() { 2 } else { 1 }
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.of_lead() + self.width()
    }

    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// The weight of a row in the regression: none if it is treated.
    pub fn regression_weight(&self, row: usize) -> f64 {
        if self.treated[row] { 0.0 } else { self.weight(row) }
    }

    /// `z'θ` of a row.
    pub fn fitted(&self, row: usize, theta: &[f64]) -> f64 {
        let lead = self.lead[row] as usize;
        let mut sum = theta[lead];
        if let Some(slope) = &self.slope {
            sum += slope[row] * theta[self.leads + lead];
        }
        let rest = &theta[self.of_lead()..];
        for codes in &self.rest {
            sum += rest[codes[row] as usize];
        }
        sum
    }

    /// `Σ value(row) z` over rows with a value.
    pub fn sums(&self, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        let parts = parallel::map(self.blocks.len(), |b| {
            let block = self.blocks[b].clone();
            let first = self.lead[block.start] as usize;
            let leads = self.lead[block.end - 1] as usize + 1 - first;
            let mut lead = vec![0.0; leads];
            let mut slopes = vec![0.0; if self.slope.is_some() { leads } else { 0 }];
            let mut rest = vec![0.0; self.width()];
            for row in block {
                let value = value(row);
                if value == 0.0 {
                    continue;
                }
                let at = self.lead[row] as usize - first;
                lead[at] += value;
                if let Some(slope) = &self.slope {
                    slopes[at] += value * slope[row];
                }
                for codes in &self.rest {
                    rest[codes[row] as usize] += value;
                }
            }
            (first, lead, slopes, rest)
        });
        let mut out = vec![0.0; self.parameters()];
        let add = |out: &mut [f64], part: &[f64]| {
            out.iter_mut().zip(part).for_each(|(out, part)| *out += part);
        };
        for (first, lead, slopes, rest) in parts {
            add(&mut out[first..], &lead);
            if self.slope.is_some() {
                add(&mut out[self.leads + first..], &slopes);
            }
            let others = self.of_lead();
            add(&mut out[others..], &rest);
        }
        out
    }

    /// `Z0'W0 Z0 θ`.
    pub fn product(&self, theta: &[f64]) -> Vec<f64> {
        self.sums(|row| match self.treated[row] {
            true => 0.0,
            false => self.weight(row) * self.fitted(row, theta),
        })
    }

    /// The sum over rows, in the order of the blocks.
    pub fn total(&self, value: impl Fn(usize) -> f64 + Sync) -> f64 {
        self.by_block(|rows| rows.map(&value).sum::<f64>()).into_iter().sum()
    }

    /// What `f` makes of each block of rows, none of which cuts a level of the leading factor.
    pub fn by_block<T: Send>(&self, f: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        parallel::map(self.blocks.len(), |b| f(self.blocks[b].clone()))
    }

    /// A value for each row; `fill` writes those of a block, which cuts no level of the leading factor.
    pub fn filled(&self, fill: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Vec<f64> {
        let mut values = vec![0.0; self.rows()];
        let mut rest = values.as_mut_slice();
        let mut parts = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let (own, after) = rest.split_at_mut(block.len());
            parts.push(own);
            rest = after;
        }
        parallel::map_items(parts, |b, own| fill(self.blocks[b].clone(), own));
        values
    }

    /// The value of each row.
    pub fn column(&self, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        self.filled(|rows, out| out.iter_mut().zip(rows).for_each(|(out, row)| *out = value(row)))
    }

    /// Leaves out rows.
    pub fn retain(&mut self, kept: &[bool]) {
        retain(&mut self.lead, kept);
        self.rest.iter_mut().for_each(|codes| retain(codes, kept));
        self.slope.iter_mut().chain(&mut self.weights).for_each(|values| retain(values, kept));
        retain(&mut self.treated, kept);
        self.cut();
    }
}

/// Keeps some of the values.
pub(super) fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next().copied().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of several blocks of rows, of which the last begins far behind the few other levels, against a walk over the rows.
    #[test]
    fn blocks_add_up_with_and_without_slopes() {
        let (units, periods) = (3 * BLOCK / 8, 8);
        for has_slope in [false, true] {
            let rows = 0..units * periods;
            let lead: Vec<u32> = rows.clone().map(|row| (row / periods) as u32).collect();
            let times: Vec<u32> = rows.clone().map(|row| (row % periods) as u32).collect();
            let design = Design::new(DesignColumns {
                lead: (lead.clone(), units),
                rest: vec![(times.clone(), periods)],
                slope: has_slope.then(|| times.iter().map(|time| f64::from(*time)).collect()),
                weights: None,
                treated: vec![false; units * periods],
            });
            assert!(design.blocks.len() > 2);
            let mut expected = vec![0.0; design.parameters()];
            for row in rows {
                let value = (row % 5) as f64;
                expected[lead[row] as usize] += value;
                if has_slope {
                    expected[units + lead[row] as usize] += value * f64::from(times[row]);
                }
                expected[design.of_lead() + times[row] as usize] += value;
            }
            assert_eq!(design.sums(|row| (row % 5) as f64), expected, "slopes: {has_slope}");
        }
    }
}
