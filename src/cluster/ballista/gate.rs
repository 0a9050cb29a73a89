//! What executors agree to run.

use super::function;
use ballista_core::JobId;
use ballista_core::execution_plans::ShuffleWriterExec;
use ballista_executor::execution_engine::{
    DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor,
};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::prelude::SessionConfig;
use std::sync::Arc;

/// Ballista's engine for plans of our shape only: a table in memory, and the one function on it. A task is data; no query of
/// anybody else, and no file that it names, is opened.
pub(super) struct Gate(DefaultExecutionEngine);

impl Gate {
    pub(super) fn new() -> Self {
        Self(DefaultExecutionEngine::new())
    }
}

impl ExecutionEngine for Gate {
    fn create_query_stage_exec(
        &self,
        job: JobId,
        stage: usize,
        task: usize,
        partitions: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        if !is_ours(&plan) {
            return plan_err!(
                "this executor runs `{}` on tables in memory, nothing else",
                function::NAME
            );
        }
        self.0.create_query_stage_exec(job, stage, task, partitions, plan, work_dir, config)
    }
}

/// Whether a stage writes the answers of our function for a table in memory.
fn is_ours(stage: &Arc<dyn ExecutionPlan>) -> bool {
    let only_child = |plan: &Arc<dyn ExecutionPlan>| match plan.children().as_slice() {
        [child] => Some(Arc::clone(child)),
        _ => None,
    };
    let Some(calls) = stage.downcast_ref::<ShuffleWriterExec>().and_then(|_| only_child(stage))
    else {
        return false;
    };
    let Some(projection) = calls.downcast_ref::<ProjectionExec>() else {
        return false;
    };
    let columns = projection.expr().iter().all(|column| is_our_column(&column.expr));
    columns && only_child(&calls).is_some_and(|table| is_in_memory(&table))
}

fn is_our_column(column: &Arc<dyn PhysicalExpr>) -> bool {
    let is_column = |value: &Arc<dyn PhysicalExpr>| value.downcast_ref::<Column>().is_some();
    is_column(column)
        || column.downcast_ref::<ScalarFunctionExpr>().is_some_and(|call| {
            call.fun().name() == function::NAME && call.args().iter().all(is_column)
        })
}

fn is_in_memory(table: &Arc<dyn ExecutionPlan>) -> bool {
    table.downcast_ref::<DataSourceExec>().is_some_and(|table| {
        let source: &dyn std::any::Any = table.data_source().as_ref();
        source.downcast_ref::<MemorySourceConfig>().is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::super::plan::plan;
    use super::*;
    use datafusion::arrow::datatypes::Schema;
    use datafusion::physical_plan::empty::EmptyExec;

    fn stage(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let stage = ShuffleWriterExec::try_new("job".into(), 1, plan, String::new());
        Arc::new(stage.unwrap())
    }

    #[test]
    fn our_plan_has_a_partition_for_each_task_and_passes() {
        let plan = plan(5, &[b"one".to_vec(), b"two".to_vec(), Vec::new()]).unwrap();
        assert_eq!(plan.properties().output_partitioning().partition_count(), 3);
        assert!(is_ours(&stage(Arc::clone(&plan))));
        assert!(!is_ours(&plan));
    }

    #[test]
    fn other_plans_are_refused() {
        let empty: Arc<dyn ExecutionPlan> = Arc::new(EmptyExec::new(Arc::new(Schema::empty())));
        assert!(!is_ours(&stage(Arc::clone(&empty))));
        let nothing: Vec<(Arc<dyn PhysicalExpr>, String)> = Vec::new();
        let projection = ProjectionExec::try_new(nothing, empty).unwrap();
        assert!(!is_ours(&stage(Arc::new(projection))));
    }
}
