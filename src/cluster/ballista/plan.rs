//! Tasks as a plan of one stage, and the answers in what comes back.

use super::{function, problem};
use crate::base::error::Result;
use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::arrow::array::{ArrayRef, AsArray, BinaryArray, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt64Type};
use datafusion::common::config::ConfigOptions;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use std::sync::Arc;
use std::time::Duration;

/// The plan of a job: a table in memory with a partition of one row for each task, and the call of the function on it.
///
/// Ballista sends a task its own partition only. The function's argument is a column, so nobody can call it while planning.
pub(super) fn plan(
    first: usize,
    tasks: &[Vec<u8>],
) -> datafusion::common::Result<Arc<dyn ExecutionPlan>> {
    let schema: SchemaRef = Arc::new(Schema::new(vec![
        Field::new("number", DataType::UInt64, false),
        Field::new("task", DataType::Binary, false),
    ]));
    let partitions: Vec<Vec<RecordBatch>> = tasks
        .iter()
        .zip(first as u64..)
        .map(|(task, number)| {
            let columns: Vec<ArrayRef> = vec![
                Arc::new(UInt64Array::from(vec![number])),
                Arc::new(BinaryArray::from_vec(vec![task.as_slice()])),
            ];
            Ok(vec![RecordBatch::try_new(Arc::clone(&schema), columns)?])
        })
        .collect::<datafusion::common::Result<_>>()?;
    let call = ScalarFunctionExpr::try_new(
        function::without_worker(),
        vec![Arc::new(Column::new("task", 1))],
        &schema,
        Arc::new(ConfigOptions::default()),
    )?;
    let table = MemorySourceConfig::try_new_exec(&partitions, schema, None)?;
    let columns: Vec<(Arc<dyn PhysicalExpr>, String)> = vec![
        (Arc::new(Column::new("number", 0)), "number".to_owned()),
        (Arc::new(call), "answer".to_owned()),
    ];
    Ok(Arc::new(ProjectionExec::try_new(columns, table)?))
}

/// The plan of a job as it travels.
pub(super) fn encode(first: usize, tasks: &[Vec<u8>]) -> Result<Vec<u8>> {
    let encode = || -> datafusion::common::Result<Vec<u8>> {
        let codec = BallistaPhysicalExtensionCodec::default();
        let node = PhysicalPlanNode::try_from_physical_plan(plan(first, tasks)?, &codec)?;
        let mut bytes = Vec::new();
        node.try_encode(&mut bytes)?;
        Ok(bytes)
    };
    encode().map_err(|error| problem(format!("tasks cannot be written as a plan: {error}")))
}

/// A task's number, its time on the executor and its answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TaskAnswer {
    pub(super) task: usize,
    pub(super) time: Duration,
    pub(super) bytes: Vec<u8>,
}

/// The answers in a batch of results.
pub(super) fn answers(batch: &RecordBatch) -> Result<Vec<TaskAnswer>> {
    let wrong = || problem("a result has not the columns of an answer");
    let [numbers, answers] = batch.columns() else {
        return Err(wrong());
    };
    let numbers = numbers.as_primitive_opt::<UInt64Type>().ok_or_else(wrong)?;
    let answers = answers.as_binary_opt::<i32>().ok_or_else(wrong)?;
    numbers
        .iter()
        .zip(answers)
        .map(|(number, returned)| {
            let (time, bytes) = returned.and_then(function::split).ok_or_else(wrong)?;
            let task = number.and_then(|number| usize::try_from(number).ok()).ok_or_else(wrong)?;
            Ok(TaskAnswer { task, time, bytes: bytes.to_vec() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::engine::TaskRunner;
    use datafusion::execution::TaskContext;
    use datafusion::execution::context::SessionContext;
    use datafusion::physical_plan::collect;

    #[derive(Debug)]
    struct Backwards;

    impl TaskRunner for Backwards {
        fn run(&self, task: &[u8]) -> Vec<u8> {
            task.iter().rev().copied().collect()
        }
    }

    fn context(function: Arc<datafusion::logical_expr::ScalarUDF>) -> Arc<TaskContext> {
        let context = SessionContext::new();
        context.register_udf(function.as_ref().clone());
        context.task_ctx()
    }

    async fn run(context: Arc<TaskContext>) -> datafusion::common::Result<Vec<RecordBatch>> {
        let bytes = encode(3, &[b"abc".to_vec(), Vec::new()]).unwrap();
        let codec = BallistaPhysicalExtensionCodec::default();
        let plan =
            PhysicalPlanNode::try_decode(&bytes)?.try_into_physical_plan(&context, &codec)?;
        collect(plan, context).await
    }

    #[tokio::test]
    async fn tasks_come_back_as_answers_where_there_is_a_worker() {
        let batches = run(context(function::with_worker(Arc::new(Backwards)))).await.unwrap();
        let found: Vec<TaskAnswer> =
            batches.iter().flat_map(|batch| answers(batch).unwrap()).collect();
        let found: Vec<_> =
            found.iter().map(|answer| (answer.task, answer.bytes.as_slice())).collect();
        assert_eq!(found, [(3, b"cba".as_slice()), (4, b"".as_slice())]);
        let error = run(context(function::without_worker())).await.unwrap_err();
        assert!(error.to_string().contains("runs on executors only"), "{error}");
    }

    #[test]
    fn other_results_are_errors() {
        let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
        assert!(answers(&empty).is_err());
        let short = BinaryArray::from_vec(vec![b"short"]);
        let columns: Vec<(&str, ArrayRef)> =
            vec![("number", Arc::new(UInt64Array::from(vec![1]))), ("answer", Arc::new(short))];
        assert!(answers(&RecordBatch::try_from_iter(columns).unwrap()).is_err());
    }
}
