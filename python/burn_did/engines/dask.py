"""Fits by the workers of a Dask cluster."""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from burn_did._errors import exception

from ._worker import BUILD, MEMORY, check_build, run_task

#: Seconds between looks at the cluster while no answer comes.
_PAUSE = 1.0


class Dask:
    """An engine on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        By default the one that is there.
    backend : str
        Device of each worker. With ``dask-cuda``, which shows each worker one GPU, ``"cuda"``.
    memory : int
        Bytes of the sample that a worker keeps between tasks.
    patience : float
        Seconds to wait for workers when there are none.

    Notes
    -----
    The tasks of a worker that dies are given to others by Dask; those of which Dask despairs are asked for again. A task goes to the worker
    that had the same part of the sample before.
    """

    def __init__(
        self, client: Any = None, *, backend: str = "cpu", memory: int = MEMORY, patience: float = 60.0
    ) -> None:
        self.client = client if client is not None else _client()
        if getattr(self.client, "asynchronous", False):
            raise exception("config", "`client` is asynchronous; a fit waits for answers and needs a client that does", [], None)
        self.backend = backend
        self.memory = memory
        self.patience = patience
        self._check()

    def _check(self) -> None:
        """An error if a worker that is there lacks this build."""
        said = self.client.run(_build_there, BUILD, on_error="return")
        for worker, problem in said.items():
            if isinstance(problem, ModuleNotFoundError):
                problem = f"burn_did is not installed there ({problem}); install the wheel of the driver, build {BUILD}"
            if problem is not None:
                raise exception("engine", f"worker {worker}: {problem}", [], "install the same wheel on all machines")

    def workers(self) -> int:
        """Threads of all workers."""
        self._wait()
        return sum(self.client.nthreads().values())

    def is_here(self) -> bool:
        """Whether all workers are on this machine."""
        return all(_is_own(worker) for worker in self.client.nthreads())

    def _wait(self) -> None:
        """Waits for a worker; an error if none comes."""
        until = time.monotonic() + self.patience
        while not self.client.nthreads():
            if time.monotonic() > until:
                raise exception(
                    "engine", f"the Dask cluster has had no worker for {self.patience:.0f} seconds; start workers, and fit again", [], "start workers"
                )
            time.sleep(min(_PAUSE, self.patience / 10))

    def answers(self, stage: str, tasks: list[bytes]) -> Iterator[tuple[int, bytes | str]]:
        """Answers with the numbers of their tasks."""
        from distributed import CancelledError, KilledWorker

        self._wait()
        homes = [worker for worker, threads in sorted(self.client.nthreads().items()) for _ in range(threads)]
        name = f"burn-did {stage} {uuid.uuid4().hex[:12]}"
        done: queue.SimpleQueue[int] = queue.SimpleQueue()
        open_: dict[int, Any] = {}
        try:
            for number, task in enumerate(tasks):
                future = self.client.submit(
                    run_task, task, backend=self.backend, memory=self.memory, build=BUILD, key=f"{name}-{number}", pure=False,
                    workers=[homes[number % len(homes)]], allow_other_workers=True,
                )
                open_[number] = future
                future.add_done_callback(lambda _, number=number: done.put(number))
            while open_:
                try:
                    number = done.get(timeout=_PAUSE)
                except queue.Empty:
                    self._alive()
                    continue
                future = open_.pop(number)
                try:
                    yield number, future.result()
                except (CancelledError, KilledWorker, OSError) as lost:
                    yield number, f"{type(lost).__name__}: {lost}"
        finally:
            if open_:
                self.client.cancel(list(open_.values()), force=True)

    def _alive(self) -> None:
        """An error if no answer can come any more."""
        if self.client.status not in ("running", "connecting"):
            raise exception("engine", f"the Dask client is {self.client.status}; the scheduler is gone", [], "connect again, and fit again")
        self._wait()

    def without_categories(self, frame: Any, columns: list[str], factors: list[str]) -> Any:
        """A frame with values in place of the categories of some columns, and with texts where these are of factors."""
        types = zip(frame.columns, frame.dtypes, strict=True)
        of = {name: str(name) in factors for name, dtype in types if str(name) in columns and str(dtype) == "category"}
        if not of:
            return frame
        with self.client.as_current():
            known = frame.categorize(columns=list(of), index=False)
        return known.map_partitions(_plain, of, meta=_plain(known._meta, of))

    def write(self, frame: Any, columns: list[str], directory: str) -> None:
        """Has the workers write columns of a Dask data frame as parquet files."""
        frame[[column for column in frame.columns if str(column) in columns]].to_parquet(directory, write_index=False, engine="pyarrow", compute_kwargs={"scheduler": self.client})


#: Types that have missing values, by the kind of categories; others are texts.
_TYPES = {"i": "Int64", "u": "UInt64", "f": "float64", "b": "boolean"}


def _plain(part: Any, factors: dict[Any, bool]) -> Any:
    """A part of a frame with values in place of some categories, and with texts where these are of factors."""
    part = part.copy()
    for column, is_factor in factors.items():
        kind = part[column].cat.categories.dtype
        plain = kind if kind.kind == "M" else _TYPES.get(kind.kind, "string")
        part[column] = part[column].cat.rename_categories(str).astype("string") if is_factor else part[column].astype(plain)
    return part


def _is_own(worker: str) -> bool:
    """Whether the address of a worker is on this machine."""
    scheme, _, address = worker.rpartition("://")
    return scheme == "inproc" or address.rsplit(":", 1)[0] in ("127.0.0.1", "localhost", "[::1]")


def _client() -> Any:
    try:
        distributed = import_module("distributed")
    except ImportError as missing:
        raise exception("config", "Dask's `distributed` is not installed; pip install 'dask[distributed]'", [], "pip install 'dask[distributed]'") from missing
    try:
        return distributed.default_client()
    except ValueError as missing:
        raise exception(
            "config", "there is no Dask client; make one, as by `client = distributed.Client()`, or give `client`", [], "give `client`"
        ) from missing


def _build_there(build: str) -> None:
    check_build(build)


def is_frame(data: Any) -> bool:
    """Whether data are a Dask data frame."""
    module = type(data).__module__
    return module.startswith(("dask.", "dask_expr")) and hasattr(data, "to_parquet")
