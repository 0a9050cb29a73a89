"""The runners on the workers of a Dask cluster, as the driver of a fit has them."""

from __future__ import annotations

import asyncio
import time
import uuid
from dataclasses import dataclass
from typing import Any
from weakref import finalize

from burn_did._errors import BurnDidError, exception

from ._runner import Runner, hold

#: Seconds between looks at the cluster while no answer comes.
PAUSE = 1.0


@dataclass
class Made:
    """A runner on a worker."""

    worker: str
    name: str
    #: The future of Dask by which it is alive.
    future: Any
    #: What calls it, once it is there.
    actor: Any = None
    #: The future of the task that holds its worker.
    held: Any = None

    def is_lost(self) -> bool:
        """Whether it cannot be called any more."""
        return self.future.status not in ("pending", "finished")

    def release(self) -> None:
        """Lets Dask forget it. What calls it is in cycles of Dask's own, and would keep it until Python collects these."""
        own = getattr(self.actor, "_future", None)
        for future in (self.held, own, self.future):
            if future is not None:
                future.release()


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
        finalize(self, _release, self._made)

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
            check_open(self._client)
            try:
                return {worker: threads for worker, threads in sorted(self._client.nthreads().items()) if threads}
            except _silences() as silent:
                if time.monotonic() > until:
                    raise _gone(f"the Dask scheduler does not answer ({silent})") from silent
                time.sleep(min(PAUSE, self._patience / 10))

    def ready(self) -> list[Made]:
        """Runners that may be called, each as often as its worker has threads.

        Workers that came since the last call get a runner. A worker that has not made its own within a second, as others keep it busy, is
        left out for now, unless all are busy: then this waits for the first.
        """
        while True:
            threads = self.wait()
            self._renew(threads)
            if self._are_decided():
                there = {worker: made for worker, made in self._made.items() if self._is_callable(made)}
                return [there[worker] for worker, count in threads.items() if worker in there for _ in range(count)]

    def _renew(self, threads: dict[str, int]) -> None:
        """Forgets runners that were lost, and has one made on each worker that has none."""
        for worker, made in list(self._made.items()):
            if worker not in threads or made.is_lost():
                self._made.pop(worker).release()
        for worker in threads.keys() - self._made.keys():
            name = f"burn-did-{uuid.uuid4().hex}"
            future = self._client.submit(Runner, name, threads[worker], self._options, key=name, actor=True, workers=[worker])
            self._made[worker] = Made(worker, name, future)
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

    def _is_callable(self, made: Made) -> bool:
        """Whether a runner is there; its worker is then held."""
        if made.future.status != "finished":
            return False
        if made.actor is None:
            try:
                # An actor talks by the current client, which need not be this one.
                with self._client.as_current():
                    made.actor = made.future.result(timeout=self._patience)
            except _losses():
                return False
        if made.held is None or made.held.done():
            made.held = self._client.submit(hold, made.name, workers=[made.worker], pure=False)
        return True

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
        while not isinstance(call, str):
            try:
                answer: bytes = call.result(timeout=PAUSE)
                return answer
            except _silences() as lost:
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

    def end(self) -> None:
        """Ends all runners; those of a later fit are made anew."""
        there = [made for made in self._made.values() if made.actor is not None and not made.is_lost()]
        try:
            calls = [made.actor.end() for made in there]
            for call in calls:
                call.result(timeout=2 * PAUSE)
        except _losses():
            # Of a cluster that is gone nothing is left to end.
            pass
        finally:
            _release(self._made)


def _release(runners: dict[str, Made]) -> None:
    """Lets Dask forget runners."""
    while runners:
        runners.popitem()[1].release()


def check_open(client: Any) -> None:
    """An error if a client is closed, or about to be."""
    if client.status not in ("running", "connecting"):
        raise _gone(f"the Dask client is {client.status}")


def _gone(why: str) -> BurnDidError:
    return exception("engine", f"{why}; the scheduler is gone", [], "connect again, and fit again")


def _silences() -> tuple[type[BaseException], ...]:
    """What is raised where no answer comes: in time, from a worker that is lost, or by a client that is closed."""
    from distributed import CancelledError, TimeoutError as Late

    return Late, OSError, CancelledError, asyncio.CancelledError


def _losses() -> tuple[type[BaseException], ...]:
    """What is raised where a runner is lost: also the error of its future."""
    from distributed import KilledWorker

    return (*_silences(), KilledWorker, RuntimeError, ValueError)
