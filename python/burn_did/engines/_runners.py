"""What does the tasks of a fit on the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import time
import uuid
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from burn_did._errors import BurnDidError, exception

from ._worker import run_task

#: Seconds between looks at the cluster while no answer comes.
PAUSE = 1.0

#: Seconds between looks whether a runner is still there.
_LOOK = 0.25

#: Runners of this process by their names.
_HERE: WeakValueDictionary[str, Runner] = WeakValueDictionary()


class Runner:
    """Does tasks on one worker, in threads of its own.

    It is an actor of Dask, whose calls are not scheduled: a call and its answer take about 6 ms, a task that is submitted 40 ms.
    """

    def __init__(self, name: str, threads: int, options: dict[str, Any]) -> None:
        self._threads = ThreadPoolExecutor(threads)
        self._run = partial(run_task, **options)
        self._open: dict[str, set[Future[bytes]]] = {}
        _HERE[name] = self

    async def run(self, batch: str, task: bytes) -> bytes:
        """The answer to a task of a batch."""
        try:
            work = self._threads.submit(self._run, task)
        except RuntimeError as closing:
            # The threads of a process that ends take no work: for the driver, a worker that is lost.
            raise OSError(f"the worker is closing: {closing}") from closing
        self._open.setdefault(batch, set()).add(work)
        try:
            return await asyncio.wrap_future(work)
        except asyncio.CancelledError:
            if work.cancelled():
                raise OSError("the task was given up") from None
            raise
        finally:
            of_batch = self._open.get(batch, set())
            of_batch.discard(work)
            if not of_batch:
                self._open.pop(batch, None)

    async def drop(self, batch: str) -> None:
        """Gives up the tasks of a batch that have not begun."""
        for work in self._open.pop(batch, set()):
            work.cancel()


def hold(name: str) -> None:
    """A task that lasts as long as a runner is on its worker, whose thread it leaves to others.

    The scheduler does not see the calls of actors. Without a task, it takes workers for idle that do them, and an adaptive cluster closes
    these, as an idle timeout does with the whole cluster.
    """
    from distributed import get_worker, secede

    worker = get_worker()
    secede()
    while name in _HERE and worker.status.name not in ("closing", "closed", "failed"):
        time.sleep(_LOOK)


@dataclass
class Made:
    """A runner as the driver has it."""

    name: str
    #: The future of Dask that the runner is alive by.
    future: Any
    #: What calls the runner, once it is there.
    actor: Any = None
    #: The future of the task that lasts as long as it.
    held: Any = None

    def is_lost(self) -> bool:
        """Whether it cannot be called any more."""
        return self.future.status not in ("pending", "finished")


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
        self._made: dict[str, Made] = {}
        self._last = 0.0

    def wait(self) -> dict[str, int]:
        """Waits for a worker; an error if none comes. The threads of all workers."""
        until = time.monotonic() + self._patience
        asked = None
        while not (threads := self._threads(until)):
            if time.monotonic() > until:
                raise exception(
                    "engine", f"the Dask cluster has had no worker for {self._patience:.0f} seconds; start workers, and fit again", [], "start workers"
                )
            # Adaptive clusters start workers for tasks that wait for one.
            asked = asked or self._client.submit(abs, 0, pure=False)
            time.sleep(min(PAUSE, self._patience / 10))
        return threads

    def _threads(self, until: float) -> dict[str, int]:
        """The threads of the workers that have some. An error if the scheduler is gone, or does not answer until then."""
        while True:
            if self._client.status not in ("running", "connecting"):
                raise self._gone(f"the Dask client is {self._client.status}")
            try:
                return {worker: threads for worker, threads in sorted(self._client.nthreads().items()) if threads}
            except OSError as silent:
                if time.monotonic() > until:
                    raise self._gone(f"the Dask scheduler does not answer ({silent})") from silent
                time.sleep(min(PAUSE, self._patience / 10))

    def _gone(self, why: str) -> BurnDidError:
        return exception("engine", f"{why}; the scheduler is gone", [], "connect again, and fit again")

    def ready(self) -> list[Made]:
        """Runners that may be called, each as often as its worker has threads.

        Workers that came since the last call get a runner. A worker that has not made its own within a second, as others keep it busy, is
        left out for now, unless all are busy: then this waits for the first.
        """
        while True:
            threads = self.wait()
            self._renew(threads)
            if self._are_decided():
                there = {worker: made for worker, made in self._made.items() if self._has_actor(made)}
                return [there[worker] for worker, count in threads.items() if worker in there for _ in range(count)]

    def _renew(self, threads: dict[str, int]) -> None:
        """Forgets runners that were lost, and has one made on each worker that has none."""
        self._made = {worker: made for worker, made in self._made.items() if worker in threads and not made.is_lost()}
        for worker in threads.keys() - self._made.keys():
            name = f"burn-did-{uuid.uuid4().hex}"
            future = self._client.submit(Runner, name, threads[worker], self._options, key=name, actor=True, workers=[worker])
            self._made[worker] = Made(name, future)
            self._last = time.monotonic()

    def _are_decided(self) -> bool:
        """Waits for all runners, and for the first of them once the last is a second old; False if workers should be looked at again."""
        while any(made.future.status == "pending" for made in self._made.values()):
            if time.monotonic() - self._last > PAUSE:
                if any(made.future.status == "finished" for made in self._made.values()):
                    return True
                time.sleep(PAUSE)
                return False
            time.sleep(0.002)
        return True

    def _has_actor(self, made: Made) -> bool:
        """Whether a runner can be called, which is then held."""
        if made.actor is None and made.future.status == "finished":
            try:
                # An actor talks by the current client, which need not be this one.
                with self._client.as_current():
                    made.actor = made.future.result(timeout=self._patience)
            except _losses():
                return False
            workers = [worker for worker, other in self._made.items() if other is made]
            made.held = self._client.submit(hold, made.name, key=f"{made.name}-held", workers=workers)
        return made.actor is not None and not made.is_lost()

    def problem(self) -> str:
        """Why no runner may be called."""
        failed = [made.future.exception() for made in self._made.values() if made.future.status == "error"]
        return f"{type(failed[0]).__name__}: {failed[0]}" if failed else "all workers were lost"

    def call(self, made: Made, batch: str, task: bytes) -> Any:
        """Has a runner do a task. The future of its answer, or why there will be none."""
        try:
            return made.actor.run(batch, task)
        except _losses() as lost:
            return f"{type(lost).__name__}: {lost}"

    def answer(self, made: Made, call: Any) -> bytes | str:
        """The answer to a call, once it is there, or why there is none."""
        from distributed import TimeoutError as Late

        while not isinstance(call, str):
            try:
                answer: bytes = call.result(timeout=PAUSE)
                return answer
            except (Late, OSError) as lost:
                if call.done():
                    return f"{type(lost).__name__}: {lost}"
                self.wait()
                if made.is_lost():
                    return "its worker was lost"
        return call

    def drop(self, made: Made, batch: str) -> None:
        """Has a runner give up the tasks of a batch, whose answers nobody waits for."""
        if not made.is_lost():
            try:
                made.actor.drop(batch)
            except _losses():
                return


def _losses() -> tuple[type[BaseException], ...]:
    """What is raised where a worker is lost: an error of a runner's future is one of these, too."""
    from distributed import CancelledError, KilledWorker, TimeoutError as Late

    return CancelledError, KilledWorker, Late, OSError, RuntimeError, ValueError
