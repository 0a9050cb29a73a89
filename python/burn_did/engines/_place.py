"""Where a fit runs: here, or by the workers of an engine; and where its data are."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from burn_did import _native
from burn_did._anywhere import PLACE
from burn_did._errors import BurnDidError, exception
from burn_did._types import expanded, names, selected

from . import dask, spark
from ._base import Adapter

class Sample:
    """A sample that workers have read and arranged once, for several fits.

    Give it to an estimator in place of the data, with the arguments that it was prepared with, except for those that leave the sample as it
    is: the method, the comparison group, the bootstrap, or fewer covariates. Its files are deleted with it.
    """

    def __init__(self, native: _native.Sample, engine: Any) -> None:
        self._native = native
        self._engine = engine

    def end(self) -> None:
        """Ends what the engine has on the workers, as the actors of Dask. The next fit makes it anew."""
        _end(self._engine)

    def keep(self) -> str:
        """Leave the files where they are; gives the path by which :meth:`open` finds them."""
        return str(self._native.keep())

    @classmethod
    def open(cls, path: str | os.PathLike[str], engine: Any = None, *, client: Any = None, spark: Any = None) -> Sample:
        """Open a sample that was kept, for the same build of burn_did."""
        made = _engine(None, {"engine": engine, "client": client, "spark": spark}, "cpu")
        workers = _native.Cluster(Adapter(made), os.path.dirname(expanded(path)))
        return cls(workers.open(expanded(path)), made)


def prepare(estimator: Callable[..., Any], data: Any, /, **arguments: Any) -> Sample:
    """Have workers read and arrange a sample once, for several fits.

    Parameters
    ----------
    estimator : function
        ``burn_did.att_gt``, ``drdid``, ``ddd`` or ``cont_did``.
    data
        As for the estimator: a Dask or Spark data frame, or parquet files with ``engine``.
    **arguments
        The estimator's arguments.

    Returns
    -------
    Sample

    Examples
    --------
    >>> sample = prepare(did.att_gt, frame, yname="y", tname="t", idname="id", gname="g", xformla="~ x1 + x2")  # doctest: +SKIP
    >>> did.att_gt(sample, yname="y", tname="t", idname="id", gname="g", est_method="ipw")  # doctest: +SKIP
    """
    return estimator(_Preparing(data), **arguments)  # type: ignore[no-any-return]


class _Preparing:
    """Data whose sample is only to be prepared."""

    def __init__(self, data: Any) -> None:
        self.data = data


def fitted(name: str, data: Any, options: dict[str, Any]) -> Any:
    """What the native function of an estimator gives of data that are elsewhere."""
    place = {key: options.pop(key, None) for key in PLACE}
    fit = getattr(_native, name)
    if isinstance(data, Sample):
        _none_given(place, "a sample has the engine that prepared it")
        return fit(data._native, {**options, "backend": None})
    preparing = isinstance(data, _Preparing)
    data = data.data if preparing else data
    backend = options.pop("backend", None) or "cpu"
    if not isinstance(backend, str):
        raise exception("config", "`backend` must be one text where an engine has workers: the device of each", [], None)
    engine = _engine(data, place, backend)
    with _ended(engine, place, preparing), _files(name, data, engine, place["scratch"], options) as (path, scratch):
        influence = options.get("influence")
        directory = expanded(influence) if isinstance(influence, (str, os.PathLike)) else None
        if directory is not None:
            options = {**options, "influence": True}
        workers = _native.Cluster(Adapter(engine), scratch, directory)
        options = {**options, "workers": workers}
        if preparing:
            return Sample(_native.prepare(name, path, options), engine)
        return fit(path, options)


@contextmanager
def _ended(engine: Any, place: dict[str, Any], preparing: bool) -> Iterator[None]:
    """Ends what a fit has on workers, if its engine is of this call alone."""
    try:
        yield
    finally:
        if place.get("engine") is None and not preparing:
            _end(engine)


def _end(engine: Any) -> None:
    """Ends what an engine has on workers, if it has something there between fits."""
    if isinstance(engine, dask.Dask):
        engine.end()


def _none_given(place: dict[str, Any], why: str) -> None:
    given = [name for name in place if place[name] is not None]
    if given:
        raise exception("config", f"leave out `{given[0]}`: {why}", [], None)


def _engine(data: Any, place: dict[str, Any], backend: str) -> Any:
    """The engine of a call."""
    named = [name for name in ("engine", "client", "spark") if place.get(name) is not None]
    if len(named) > 1:
        raise exception("config", f"`{named[0]}` and `{named[1]}` are both given; give one", [], None)
    for name, what, method in (("client", "a client of Dask", "run"), ("spark", "a Spark session", "createDataFrame")):
        given = place.get(name)
        if given is not None and not hasattr(given, method):
            raise exception("config", f"`{name}` must be {what}, got {type(given).__name__}", [], None)
    if place.get("engine") is not None:
        return place["engine"]
    if place.get("client") is not None or dask.is_frame(data):
        return dask.Dask(place.get("client"), backend=backend)
    if place.get("spark") is not None or spark.is_frame(data):
        session = place.get("spark")
        return spark.Spark(session if session is not None else getattr(data, "sparkSession", None), backend=backend)
    raise exception("config", "there are no workers; give `engine`, `client` or `spark`", [], None)


@contextmanager
def _files(name: str, data: Any, engine: Any, scratch: Any, options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Parquet files that all workers see, and a directory that they all see. Files that are written for a call go with it."""
    here = getattr(engine, "is_here", lambda: True)
    if scratch is None and not here():
        raise exception(
            "config",
            "`scratch` is needed: a directory that this process and all workers see under one name, for the arranged sample",
            [],
            "give `scratch`",
        )
    directory = expanded(scratch) if scratch is not None else tempfile.gettempdir()
    in_store = "://" in directory
    directory = directory if in_store else os.path.abspath(directory)
    if isinstance(data, (str, os.PathLike)):
        yield expanded(data), directory
        return
    if isinstance(data, _native.DataFiles):
        raise exception(
            "config",
            "`DataFiles` is for fits on this machine; workers take all rows of parquet files: write files that have only the rows wanted, and give their path",
            [],
            "write files that have only the rows wanted, and give their path",
        )
    if in_store:
        raise exception(
            "config",
            "with `scratch` in an object store a frame is not written for a fit; write it to parquet files there, and give their path",
            [],
            "write the frame to parquet files, and give their path",
        )
    written = os.path.join(directory, f"burn-did-data-{uuid.uuid4().hex}")
    # In a directory that was named for it, workers may run as other users.
    os.mkdir(written, 0o700 if scratch is None else 0o777)
    try:
        _write(name, data, engine, os.path.join(written, "data"), options)
        yield os.path.join(written, "data", "*.parquet"), directory
    finally:
        shutil.rmtree(written, ignore_errors=True)


def _write(name: str, data: Any, engine: Any, directory: str, options: dict[str, Any]) -> None:
    """Writes the columns of a frame that the options of an estimator name."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as missing:
        raise exception("config", "a data frame is passed to workers as parquet, for which pyarrow is needed; pip install pyarrow", [], None) from missing
    if dask.is_frame(data) or spark.is_frame(data):
        columns = [str(column) for column in data.columns]
        module = dask if dask.is_frame(data) else spark
        kind = module.Dask if module is dask else module.Spark
        if not isinstance(engine, kind):
            raise exception(
                "config", f"a frame of {kind.__name__} is written by {kind.__name__}; leave out the other engine, or write it to parquet files", [], None
            )
        _check_columns(name, columns, options)
        read, factors = _native.named_columns(columns, options)
        data = engine.without_categories(data, read, factors) if module is dask else data
        engine.write(data, read, directory)
        return
    converted = names(data)
    table: Any = None if converted else pyarrow.table(data)
    columns = sum(converted, []) if converted else table.column_names
    _check_columns(name, columns, options)
    read, factors = _native.named_columns(columns, options)
    table = pyarrow.table(selected(data, read, factors)) if converted else table.select(read)
    for number, column in enumerate(table.column_names):
        kind = table.schema.types[number]
        if column in factors and pyarrow.types.is_dictionary(kind):
            texts = table.column(number).cast(kind.value_type).cast(pyarrow.string())
            table = table.set_column(number, column, texts)
    Path(directory).mkdir()
    parquet.write_table(table, os.path.join(directory, "part-0.parquet"))


def _check_columns(name: str, columns: list[str], options: dict[str, Any]) -> None:
    """The error of a fit here if a column is missing."""
    import pyarrow

    none = pyarrow.array([], pyarrow.float64())
    try:
        getattr(_native, name)(pyarrow.table({column: none for column in columns}), {**options, "progress": None, "influence": None})
    except BurnDidError as error:
        # Others are about the rows, of which there are none.
        if error.code == "column_not_found":
            raise
