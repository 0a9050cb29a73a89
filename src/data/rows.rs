use std::ops::Range;

use polars::prelude::{Column, DataFrame};

use crate::base::parallel;

/// Makes the rows of some units, counted from 0, of a simulation.
pub type Parts<'a> = Box<dyn Fn(Range<usize>) -> DataFrame + Sync + 'a>;

/// Units generated together; the result does not depend on it.
const BLOCK: usize = 8_192;

/// What `block` makes of the blocks of some units, in parallel and in order.
pub(super) fn blocks<T: Send>(
    units: Range<usize>,
    block: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T> {
    parallel::map(units.len().div_ceil(BLOCK), |index| {
        let part = parallel::part(index, BLOCK, units.len());
        block(units.start + part.start..units.start + part.end)
    })
}

/// The frames that `block` makes of the blocks of some units, below each other. All have the same columns.
pub(super) fn stacked(
    units: Range<usize>,
    block: impl Fn(Range<usize>) -> DataFrame + Sync,
) -> DataFrame {
    let empty = units.start..units.start;
    let mut frames = blocks(units, &block).into_iter();
    let mut first = frames.next().unwrap_or_else(|| block(empty));
    for frame in frames {
        first.vstack_mut(&frame).expect("blocks have the same columns");
    }
    first.rechunk_mut();
    first
}

/// Columns of a simulated panel: `id`, `period`, the labels, `y`, `x1`, …, and `weight` and `cluster` where asked for.
pub(super) struct SimulatedColumns {
    /// Names of the integer columns that do not change within a unit.
    pub(super) labels: &'static [&'static str],
    pub(super) covariates: usize,
    pub(super) weights: bool,
    pub(super) clusters: bool,
}

impl SimulatedColumns {
    /// The rows that `push_unit` appends for these units, made in parallel and in order.
    pub(super) fn frame(
        &self,
        units: Range<usize>,
        rows_per_unit: usize,
        push_unit: impl Fn(usize, &mut SimulatedRows) + Sync,
    ) -> DataFrame {
        let mut blocks: Vec<SimulatedRows> = blocks(units, |block| {
            let mut rows = SimulatedRows::with_capacity(self, block.len() * rows_per_unit);
            for unit in block {
                push_unit(unit, &mut rows);
            }
            rows
        });
        let height = blocks.iter().map(|b| b.id.len()).sum();
        let mut columns = vec![
            Column::new("id".into(), gather(&mut blocks, height, |r| &mut r.id)),
            Column::new("period".into(), gather(&mut blocks, height, |r| &mut r.period)),
        ];
        for (l, name) in self.labels.iter().enumerate() {
            let label = gather(&mut blocks, height, |r| &mut r.labels[l]);
            columns.push(Column::new((*name).into(), label));
        }
        columns.push(Column::new("y".into(), gather(&mut blocks, height, |r| &mut r.y)));
        for j in 0..self.covariates {
            let name = format!("x{}", j + 1).into();
            columns.push(Column::new(name, gather(&mut blocks, height, |r| &mut r.x[j])));
        }
        if self.weights {
            let weight = gather(&mut blocks, height, |r| r.weight.get_or_insert_default());
            columns.push(Column::new("weight".into(), weight));
        }
        if self.clusters {
            let cluster = gather(&mut blocks, height, |r| r.cluster.get_or_insert_default());
            columns.push(Column::new("cluster".into(), cluster));
        }
        DataFrame::new(height, columns).expect("columns have one length and distinct names")
    }
}

/// Columns of a block of units.
pub(super) struct SimulatedRows {
    id: Vec<i64>,
    period: Vec<i64>,
    labels: Vec<Vec<i64>>,
    y: Vec<f64>,
    x: Vec<Vec<f64>>,
    weight: Option<Vec<f64>>,
    cluster: Option<Vec<i64>>,
}

/// What does not change within a unit.
pub(super) struct Unit<'a> {
    pub(super) id: i64,
    pub(super) labels: &'a [i64],
    pub(super) x: &'a [f64],
    pub(super) weight: f64,
    pub(super) cluster: i64,
}

impl SimulatedRows {
    fn with_capacity(layout: &SimulatedColumns, rows: usize) -> Self {
        Self {
            id: Vec::with_capacity(rows),
            period: Vec::with_capacity(rows),
            labels: layout.labels.iter().map(|_| Vec::with_capacity(rows)).collect(),
            y: Vec::with_capacity(rows),
            x: (0..layout.covariates).map(|_| Vec::with_capacity(rows)).collect(),
            weight: layout.weights.then(|| Vec::with_capacity(rows)),
            cluster: layout.clusters.then(|| Vec::with_capacity(rows)),
        }
    }

    /// One period of a unit, to be closed when it has no more.
    pub(super) fn push(&mut self, period: i64, y: f64) {
        self.period.push(period);
        self.y.push(y);
    }

    /// Gives the rows pushed since the last unit what they have in common. Columns not in the layout are left out.
    pub(super) fn close(&mut self, unit: &Unit<'_>) {
        let end = self.y.len();
        self.id.resize(end, unit.id);
        for (column, label) in self.labels.iter_mut().zip(unit.labels) {
            column.resize(end, *label);
        }
        for (column, x) in self.x.iter_mut().zip(unit.x) {
            column.resize(end, *x);
        }
        if let Some(weight) = &mut self.weight {
            weight.resize(end, unit.weight);
        }
        if let Some(cluster) = &mut self.cluster {
            cluster.resize(end, unit.cluster);
        }
    }
}

/// Joins one column of all blocks, freeing each block's part.
fn gather<T: Copy>(
    blocks: &mut [SimulatedRows],
    height: usize,
    column: impl Fn(&mut SimulatedRows) -> &mut Vec<T>,
) -> Vec<T> {
    let mut out = Vec::with_capacity(height);
    for block in blocks {
        out.append(&mut std::mem::take(column(block)));
    }
    out
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    pub(in crate::data) fn column(df: &DataFrame, name: &str) -> Vec<f64> {
        let column = df.column(name).unwrap().cast(&polars::prelude::DataType::Float64).unwrap();
        column.f64().unwrap().into_no_null_iter().collect()
    }

    pub(in crate::data) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
        let (sum, n) = values.into_iter().fold((0.0, 0.0), |(s, n), v| (s + v, n + 1.0));
        sum / n
    }

    /// The frame, which one and three threads must agree on.
    pub(in crate::data) fn same_on_any_thread_count(
        frame: impl Fn() -> DataFrame + Sync,
    ) -> DataFrame {
        let [one, three] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(&frame)
        });
        assert!(one.equals(&three));
        one
    }

    /// ATT of the last period and of the one group that the column `group` has, by the crate's estimator.
    #[cfg(feature = "cpu")]
    pub(in crate::data) fn att(
        df: &DataFrame,
        covariates: &str,
        method: crate::options::EstimationMethod,
    ) -> f64 {
        let spec = crate::AttGt::<crate::engine::backend::Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("period")
            .group("group")
            .covariates(covariates)
            .method(method)
            .build();
        let fit = spec.fit(df).unwrap();
        fit.cells.last().unwrap().estimate.estimate.unwrap()
    }
}
