"""Fits by the executors of Spark (3.5 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from burn_did._errors import exception

from ._worker import BUILD, MEMORY


class Spark:
    """An engine on the executors of Spark: tasks are rows of bytes, and ``mapInArrow`` does them.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession, optional
        By default the active one.
    backend : str
        Device of each executor. With ``"cuda"``, an executor to which Spark's resource scheduling has given GPUs uses the one of the task.
    memory : int
        Bytes of the sample that a Python process of an executor keeps between tasks; Spark must keep its processes
        (``spark.python.worker.reuse``, which is the default) for it to be of use.
    workers : int, optional
        How many tasks are worked on at the same time; by default Spark's default parallelism.

    Notes
    -----
    The answers of a pass come together when its job has ended. Spark itself runs tasks again whose executor died.
    """

    def __init__(
        self, spark: Any = None, *, backend: str = "cpu", memory: int = MEMORY, workers: int | None = None
    ) -> None:
        self.spark = spark if spark is not None else _session()
        self.backend = backend
        self.memory = memory
        self._workers = workers
        self._context = _context(self.spark)

    def workers(self) -> int:
        """How many tasks Spark works on at the same time."""
        if self._workers is not None:
            return self._workers
        if self._context is not None:
            return int(self._context.defaultParallelism)
        return int(self.spark.conf.get("spark.default.parallelism", "2") or 2)

    def is_here(self) -> bool:
        """Whether all executors are on this machine."""
        return self._context is not None and str(self._context.master).startswith("local")

    def answers(self, stage: str, tasks: list[bytes]) -> Iterator[tuple[int, bytes | str]]:
        """Answers with the numbers of their tasks."""
        rows = [(number, bytearray(task)) for number, task in enumerate(tasks)]
        schema = "number long, task binary"
        if self._context is not None:
            # A partition a task, so that Spark runs again only what was lost.
            frame = self.spark.createDataFrame(self._context.parallelize(rows, len(rows)), schema)
        else:
            frame = self.spark.createDataFrame(rows, schema)
        work = _work(self.backend, self.memory, BUILD)
        try:
            done = frame.mapInArrow(work, "number long, answer binary").collect()
        except Exception as failed:
            raise _clear(failed) from failed
        for row in done:
            yield row["number"], bytes(row["answer"])

    def write(self, frame: Any, columns: list[str], directory: str) -> None:
        """Has the executors write columns of a Spark frame as parquet files."""
        frame.select(*["`" + column.replace("`", "``") + "`" for column in columns]).write.mode("overwrite").parquet(directory)


def _work(backend: str, memory: int, build: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What an executor does with batches of tasks."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from burn_did.engines import run_task
        from burn_did.engines.spark import device

        on = device(backend)
        for batch in batches:
            numbers, tasks = batch.column(0), batch.column(1)
            answers = [run_task(task.as_py(), backend=on, memory=memory, build=build) for task in tasks]
            answers = pyarrow.array(answers, pyarrow.binary())
            yield pyarrow.RecordBatch.from_arrays([numbers, answers], ["number", "answer"])

    return work


def device(backend: str) -> str:
    """The device of this task: a GPU that Spark's resource scheduling assigned, where it did."""
    if backend != "cuda":
        return backend
    from pyspark import TaskContext

    context = TaskContext.get()
    assigned = context.resources().get("gpu") if context is not None else None
    return f"cuda:{assigned.addresses[0]}" if assigned else backend


def _clear(failed: Exception) -> Exception:
    """The error of a job, in the words of what is known to go wrong."""
    text = str(failed)
    for module in ("burn_did", "pyarrow", "pyspark", "pandas"):
        if f"No module named '{module}'" in text:
            remedy = "install it there, or name the Python that has it by PYSPARK_PYTHON"
            wheel = f" (the wheel of the driver, build {BUILD})" if module == "burn_did" else ""
            return exception("engine", f"executors of Spark have no Python module {module}{wheel}; {remedy}", [], remedy)
    for line in text.splitlines():
        if "install the same wheel on all machines" in line:
            return exception("engine", line.split("DidError: ")[-1].strip(), [], "install the same wheel on all machines")
    return failed


def _session() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as missing:
        raise exception("config", "PySpark is not installed; pip install pyspark", [], "pip install pyspark") from missing
    session = SparkSession.getActiveSession()
    if session is None:
        raise exception("config", "there is no active Spark session; make one, or give `spark`", [], "give `spark`")
    return session


def _context(session: Any) -> Any:
    """The context of a session; Spark Connect has none."""
    try:
        return session.sparkContext
    except Exception:
        return None


def is_frame(data: Any) -> bool:
    """Whether data are a Spark data frame."""
    return type(data).__module__.startswith("pyspark.sql") and hasattr(data, "write")
