"""Fits by the workers of a Dask cluster."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from burn_did._errors import exception

from ._runners import Made, Runners, check_open
from ._worker import BUILD, MEMORY, check_build

#: A task's number, the runner that was asked to do it, and the future of its answer, or why there will be none.
_Call = tuple[int, Made, Any]

#: Tasks that a thread of a worker has been sent and has not answered, at most.
_AHEAD = 4


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
    Each worker gets an actor, to which tasks go without being scheduled, and a task that tells the scheduler that it is not idle. A task goes to
    the worker that had the same part of the sample before; those of a worker that dies are given to the others. Workers that come during a fit
    are used from its next pass on. An adaptive cluster starts a worker where it has none, and no further ones for a fit: scale it before.

    After a fit the actors stay for the next one, and Dask retires no worker that has one: ``client.retire_workers`` gives an empty dictionary
    and logs that the worker holds actors. ``end()`` takes them away, as does ``end()`` of a prepared sample with what that has made; a fit
    that is given no engine does so itself.
    """

    def __init__(
        self, client: Any = None, *, backend: str = "cpu", memory: int = MEMORY, patience: float = 60.0
    ) -> None:
        self.client = client if client is not None else _client()
        if getattr(self.client, "asynchronous", False):
            raise exception("config", "`client` is asynchronous; a fit waits for answers and needs a client that does", [], None)
        self._check()
        self._runners = Runners(self.client, {"backend": backend, "memory": memory, "build": BUILD}, patience)

    def _check(self) -> None:
        """An error if a worker that is there lacks this build."""
        said = self._open().run(_build_there, BUILD, on_error="return")
        for worker, problem in said.items():
            if isinstance(problem, OSError):
                # A worker that was lost since it was listed lacks nothing.
                continue
            if isinstance(problem, ModuleNotFoundError):
                problem = f"burn_did is not installed there ({problem}); install the wheel of the driver, build {BUILD}"
            if problem is not None:
                raise exception("engine", f"worker {worker}: {problem}", [], "install the same wheel on all machines")

    def _open(self) -> Any:
        """The client; an error if it is closed."""
        check_open(self.client)
        return self.client

    def workers(self) -> int:
        """Threads of all workers."""
        return sum(self._runners.wait().values())

    def is_here(self) -> bool:
        """Whether all workers are on this machine."""
        return all(_is_own(worker) for worker in self._runners.wait())

    def answers(self, stage: str, tasks: list[bytes]) -> Iterator[tuple[int, bytes | str]]:
        """Answers with the numbers of their tasks."""
        runners = self._runners.ready()
        if not runners:
            problem = self._runners.problem()
            yield from ((number, problem) for number in range(len(tasks)))
            return
        batch, calls = uuid.uuid4().hex, deque[_Call]()
        try:
            for number, task in enumerate(tasks):
                if len(calls) == _AHEAD * len(runners):
                    yield self._oldest(calls)
                runner = _chosen(runners, number)
                calls.append((number, runner, self._runners.call(runner, batch, task)))
            while calls:
                yield self._oldest(calls)
        finally:
            # Of a fit that ends before its answers are there.
            for runner in {id(runner): runner for _, runner, _ in calls}.values():
                self._runners.drop(runner, batch)

    def end(self) -> None:
        """Ends what a fit has on the workers. The next fit makes it anew."""
        self._runners.end()

    def _oldest(self, calls: deque[_Call]) -> tuple[int, bytes | str]:
        """The answer to the first of some calls, which it takes out once the answer is there."""
        number, runner, call = calls[0]
        answer = self._runners.answer(runner, call)
        calls.popleft()
        return number, answer

    def without_categories(self, frame: Any, columns: list[str], factors: list[str]) -> Any:
        """A frame with values in place of the categories of some columns, and with texts where these are of factors."""
        types = zip(frame.columns, frame.dtypes, strict=True)
        of = {name: str(name) in factors for name, dtype in types if str(name) in columns and str(dtype) == "category"}
        if not of:
            return frame
        with self._open().as_current():
            known = frame.categorize(columns=list(of), index=False)
        return known.map_partitions(_plain, of, meta=_plain(known._meta, of))

    def write(self, frame: Any, columns: list[str], directory: str) -> None:
        """Has the workers write columns of a Dask data frame as parquet files."""
        chosen = frame[[column for column in frame.columns if str(column) in columns]]
        chosen.to_parquet(directory, write_index=False, engine="pyarrow", compute_kwargs={"scheduler": self._open()})


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


def _chosen(runners: list[Made], number: int) -> Made:
    """The runner of a task, or the next one after it that is not lost."""
    home = number % len(runners)
    return next((runner for runner in runners[home:] + runners[:home] if not runner.is_lost()), runners[home])


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
