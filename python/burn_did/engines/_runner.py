"""What does tasks on one worker of a Dask cluster."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from ._worker import run_task

#: Seconds after its last task for which a worker is held.
_HELD = 60.0

#: Runners of this process by their names.
_HERE: WeakValueDictionary[str, Runner] = WeakValueDictionary()


class Runner:
    """Does tasks on one worker, in threads of its own.

    It is an actor of Dask, whose calls are not scheduled: a call and its answer take about 6 ms, tasks that are submitted 40 ms.
    """

    def __init__(self, name: str, threads: int, options: dict[str, Any]) -> None:
        self._threads = ThreadPoolExecutor(threads)
        self._run = partial(run_task, **options)
        self._open: dict[str, set[Future[bytes]]] = {}
        self.used = time.monotonic()
        #: Whether nothing is asked of it any more.
        self.ended = threading.Event()
        #: Whether there is a task that holds its worker.
        self.is_held = False
        _HERE[name] = self

    def __del__(self) -> None:
        self.ended.set()

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
            self.used = time.monotonic()
            self._forget(batch, work)

    def _forget(self, batch: str, work: Future[bytes]) -> None:
        of_batch = self._open.get(batch, set())
        of_batch.discard(work)
        if not of_batch:
            self._open.pop(batch, None)

    def is_idle(self) -> bool:
        """Whether it has had no task for a while."""
        return not self._open and time.monotonic() - self.used > _HELD

    async def drop(self, batch: str) -> None:
        """Gives up the tasks of a batch that have not begun."""
        for work in self._open.pop(batch, set()):
            work.cancel()

    async def end(self) -> None:
        """Gives up all that has not begun, and waits for the task that holds the worker."""
        self.ended.set()
        for batch in list(self._open):
            await self.drop(batch)
        until = time.monotonic() + 1.0
        while self.is_held and time.monotonic() < until:
            await asyncio.sleep(0.002)


def hold(name: str) -> None:
    """A task that lasts as long as a runner has something to do, and leaves its thread to others.

    The scheduler does not see the calls of actors. Without a task, it takes workers for idle that do them, and an adaptive cluster closes
    these, as an idle timeout does with the whole cluster.
    """
    from distributed import secede

    ended = _marked(name, is_held=True)
    if ended is None:
        return
    secede()
    while not ended.wait(1.0) and not _is_idle(name):
        continue
    _marked(name, is_held=False)


def _marked(name: str, *, is_held: bool) -> threading.Event | None:
    """Has a runner know of the task that holds its worker, which must not keep the runner. Its event, if it is still there."""
    runner = _HERE.get(name)
    if runner is None:
        return None
    runner.is_held = is_held
    return runner.ended


def _is_idle(name: str) -> bool:
    runner = _HERE.get(name)
    return runner is None or runner.is_idle()
