//! The function that every task calls.

use crate::cluster::engine::TaskRunner;
use datafusion::arrow::array::{AsArray, BinaryBuilder};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_datafusion_err, internal_datafusion_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Name of the function in plans.
pub(super) const NAME: &str = "burn_did_task";

/// Bytes before an answer: the microseconds that it took.
const HEAD: usize = size_of::<u64>();

/// The function as executors have it.
pub(super) fn with_worker(worker: Arc<dyn TaskRunner>) -> Arc<ScalarUDF> {
    Arc::new(TaskFunction::new(Some(worker)).into())
}

/// The function as clients and schedulers have it: plans may name it, calling it is an error.
pub(super) fn without_worker() -> Arc<ScalarUDF> {
    Arc::new(TaskFunction::new(None).into())
}

/// Splits what the function returned into the time of the task and its answer.
pub(super) fn split(returned: &[u8]) -> Option<(Duration, &[u8])> {
    let (head, answer) = returned.split_first_chunk::<HEAD>()?;
    Some((Duration::from_micros(u64::from_le_bytes(*head)), answer))
}

#[derive(Debug)]
struct TaskFunction {
    signature: Signature,
    worker: Option<Arc<dyn TaskRunner>>,
}

impl TaskFunction {
    fn new(worker: Option<Arc<dyn TaskRunner>>) -> Self {
        let signature = Signature::exact(vec![DataType::Binary], Volatility::Volatile);
        Self { signature, worker }
    }
}

// There is one such function, whatever worker it has.
impl PartialEq for TaskFunction {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for TaskFunction {}

impl Hash for TaskFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        NAME.hash(state);
    }
}

impl ScalarUDFImpl for TaskFunction {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let worker = self
            .worker
            .as_ref()
            .ok_or_else(|| exec_datafusion_err!("`{NAME}` runs on executors only"))?;
        let rows = args.number_rows;
        let tasks = args.args.into_iter().next();
        let tasks = tasks.ok_or_else(|| internal_datafusion_err!("`{NAME}` has no argument"))?;
        let tasks = tasks.into_array(rows)?;
        let tasks = tasks
            .as_binary_opt::<i32>()
            .ok_or_else(|| internal_datafusion_err!("`{NAME}` takes bytes"))?;
        let mut answers = BinaryBuilder::new();
        let mut length = 0;
        for task in tasks {
            let start = Instant::now();
            let answer = catch_unwind(AssertUnwindSafe(|| worker.run(task.unwrap_or_default())))
                .map_err(|_| exec_datafusion_err!("the worker panicked"))?;
            let time = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            length += HEAD + answer.len();
            if i32::try_from(length).is_err() {
                return Err(exec_datafusion_err!(
                    "an answer of {length} bytes is too long to travel"
                ));
            }
            answers.write_all(&time.to_le_bytes())?;
            answers.write_all(&answer)?;
            answers.append_value([]);
        }
        Ok(ColumnarValue::Array(Arc::new(answers.finish())))
    }
}
