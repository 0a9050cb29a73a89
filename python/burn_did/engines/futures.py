"""Fits by the processes of ``concurrent.futures``, or of anything with its interface."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, as_completed
from functools import partial

from ._worker import BUILD, MEMORY, run_task


class Futures:
    """An engine on an executor, whose answers come as they are done.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Processes, started with ``spawn`` or ``forkserver``: a process that is forked from one that has fitted before lacks its threads.
        An executor of MPI (``mpi4py.futures``) or of ``loky`` will do as well.
    workers : int, optional
        How many tasks are worked on at the same time; by default what the executor says, or the processors here.
    backend, memory
        As in :func:`~burn_did.engines.run_task`.
    """

    def __init__(
        self, executor: Executor, *, workers: int | None = None, backend: str = "cpu", memory: int = MEMORY
    ) -> None:
        self.executor = executor
        self.workers = workers or getattr(executor, "_max_workers", None)
        self.backend = backend
        self.memory = memory

    def answers(self, stage: str, tasks: list[bytes]) -> Iterator[tuple[int, bytes | str]]:
        """Answers with the numbers of their tasks."""
        run = partial(run_task, backend=self.backend, memory=self.memory, build=BUILD)
        numbers = {self.executor.submit(run, task): number for number, task in enumerate(tasks)}
        try:
            for future in as_completed(numbers):
                try:
                    yield numbers[future], future.result()
                except (BrokenExecutor, CancelledError) as lost:
                    yield numbers[future], f"{type(lost).__name__}: {lost}"
        finally:
            for future in numbers:
                future.cancel()
