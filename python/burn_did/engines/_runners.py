"""What does the tasks of a fit on the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from burn_did._errors import exception

from ._worker import run_task

#: Seconds between looks at the cluster while no answer comes.
PAUSE = 1.0


class Runner:
    """Does tasks on one worker, in threads of its own.

    It is an actor of Dask, whose calls are not scheduled: a call and its answer take about 6 ms, a task that is submitted 40 ms.
    """

    def __init__(self, threads: int, options: dict[str, Any]) -> None:
        self._threads = ThreadPoolExecutor(threads)
        self._run = partial(run_task, **options)

    async def run(self, task: bytes) -> bytes:
        """The answer to a task."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, task)


class Runners:
    """The runners of a cluster, one a worker.

    Parameters
    ----------
    client : distributed.Client
    options : dict
        Arguments of :func:`run_task` beside the task.
    patience : float
        Seconds to wait for workers when there are none.
    """

    def __init__(self, client: Any, options: dict[str, Any], patience: float) -> None:
        self._client = client
        self._options = options
        self._patience = patience
        self._made: dict[str, Any] = {}
        self._last = 0.0

    def wait(self) -> None:
        """Waits for a worker; an error if none comes."""
        until = time.monotonic() + self._patience
        while not self._client.nthreads():
            if time.monotonic() > until:
                raise exception(
                    "engine", f"the Dask cluster has had no worker for {self._patience:.0f} seconds; start workers, and fit again", [], "start workers"
                )
            time.sleep(min(PAUSE, self._patience / 10))

    def ready(self) -> list[Any]:
        """Runners that may be called, as futures of Dask, each as often as its worker has threads.

        Workers that came since the last call get a runner. A worker that has not made its own within a second, as others keep it busy, is
        left out for now, unless all are busy: then this waits for the first.
        """
        threads = dict(sorted(self._client.nthreads().items()))
        self._made = {worker: runner for worker, runner in self._made.items() if worker in threads and not _is_lost(runner)}
        for worker in threads.keys() - self._made.keys():
            self._made[worker] = self._client.submit(Runner, threads[worker], self._options, actor=True, workers=[worker], pure=False)
            self._last = time.monotonic()
        self._wait_for_runners()
        return [self._made[worker] for worker, count in threads.items() if self._made[worker].status == "finished" for _ in range(count)]

    def _wait_for_runners(self) -> None:
        """Waits for all runners; for the first of them once the last is a second old."""
        while any(runner.status == "pending" for runner in self._made.values()):
            is_late = time.monotonic() - self._last > PAUSE
            if is_late:
                if any(runner.status == "finished" for runner in self._made.values()):
                    return
                self._alive()
            time.sleep(PAUSE if is_late else 0.002)

    def problem(self) -> str:
        """Why no runner may be called."""
        failed = [runner.exception() for runner in self._made.values() if runner.status == "error"]
        return f"{type(failed[0]).__name__}: {failed[0]}" if failed else "all workers were lost"

    def call(self, runner: Any, task: bytes) -> Any:
        """Has a runner do a task. The future of its answer, or why there will be none."""
        from distributed import CancelledError, KilledWorker

        try:
            # An actor talks by the current client, which need not be this one.
            with self._client.as_current():
                return runner.result().run(task)
        except (CancelledError, KilledWorker, OSError, RuntimeError) as lost:
            return f"{type(lost).__name__}: {lost}"

    def answer(self, runner: Any, call: Any) -> bytes | str:
        """The answer to a call, once it is there, or why there is none."""
        from distributed import TimeoutError as Late

        while not isinstance(call, str):
            try:
                answer: bytes = call.result(timeout=PAUSE)
                return answer
            except (Late, OSError) as lost:
                if call.done():
                    return f"{type(lost).__name__}: {lost}"
                self._alive()
                if _is_lost(runner):
                    return "its worker was lost"
        return call

    def _alive(self) -> None:
        """An error if no answer can come any more."""
        if self._client.status not in ("running", "connecting"):
            raise exception("engine", f"the Dask client is {self._client.status}; the scheduler is gone", [], "connect again, and fit again")
        self.wait()


def _is_lost(runner: Any) -> bool:
    return runner.status not in ("pending", "finished")

