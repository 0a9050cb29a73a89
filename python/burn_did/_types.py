"""Types of arguments."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from ._errors import OptionError, exception
from ._native import DataFiles


class ArrowStream(Protocol):
    """A data frame that gives its columns by the Arrow C stream interface: polars, pandas from 2.2, pyarrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...


Data = ArrowStream | str | os.PathLike[str] | DataFiles
Names = str | Sequence[str]
Backend = str | Sequence[str] | None
Missing = Sequence[str | float] | None


def expanded(path: str | os.PathLike[str]) -> str:
    """A path in which ``~`` at the beginning is the home directory."""
    return os.path.expanduser(os.fspath(path))


def source(data: Any) -> Any:
    """The data, unless they are elsewhere; of a frame of narwhals what it wraps."""
    if type(data).__module__.startswith("narwhals.") and hasattr(data, "to_native"):
        data = data.to_native()
    if type(data).__module__.startswith(("dask.", "dask_expr.", "pyspark.")):
        collected = "data.compute()" if type(data).__module__.startswith("dask") else "data.toPandas()"
        raise exception(
            "arrow",
            f"frames of Dask and Spark are for `att_gt`, `drdid`, `ddd`, `cont_did`, `lpdid` and `stacked`; give `{collected}`",
            [],
            f"give `{collected}`",
        )
    return data


def names(data: Any) -> tuple[list[str], list[str]] | None:
    """The columns, and those of the index, of a frame whose columns are chosen and converted before they are read; None of all else."""
    if _is_pandas(data):
        columns = [str(name) for name in data.columns]
        return columns, [str(name) for name in data.index.names if name is not None and str(name) not in columns]
    if hasattr(data, "collect_schema") and hasattr(data, "collect"):
        return list(data.collect_schema().names()), []
    if any(_are_periods(field.type) for field in _arrow_fields(data)):
        return list(data.column_names), []
    return None


def selected(data: Any, columns: list[str], factors: list[str]) -> Any:
    """These columns of such a frame. The categories of factors keep their order."""
    if hasattr(data, "collect"):
        return data.select(columns).collect()
    import pyarrow

    if not _is_pandas(data):
        read = {name: data.column(name) for name in columns}
        starts = {name: values.to_pandas().dt.to_timestamp() for name, values in read.items() if _are_periods(values.type)}
        return pyarrow.table({**read, **{name: pyarrow.array(values, from_pandas=True) for name, values in starts.items()}})

    known = [str(name) for name in data.columns]
    found = {}
    for name in columns:
        if known.count(name) > 1:
            raise exception("arrow", f"two columns are called `{name}`; rename one", [name], "rename one")
        values = data.iloc[:, known.index(name)] if name in known else data.index.to_frame(index=False)[_level(data, name)]
        try:
            found[name] = pyarrow.array(_readable(values, name in factors), from_pandas=True)
        except Exception as problem:
            remedy = "convert it to numbers, texts or dates, or leave it out of the data"
            raise exception("column_type", f"column `{name}` cannot be read: {problem}; {remedy}", [name], remedy) from problem
    return pyarrow.table(found)


def _is_pandas(data: Any) -> bool:
    # A frame of pandas is there only if pandas was imported.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _arrow_fields(data: Any) -> Any:
    """The fields of a table of pyarrow; none of all else."""
    return getattr(data, "schema", ()) if type(data).__module__ == "pyarrow.lib" and hasattr(data, "column") else ()


def _are_periods(dtype: Any) -> bool:
    """Whether a type of Arrow is that of periods of pandas, which are integers that count from 1970 to all else."""
    return getattr(dtype, "extension_name", None) == "pandas.period"


def _level(data: Any, name: str) -> Any:
    return next(level for level in data.index.names if str(level) == name)


def _readable(values: Any, is_factor: bool) -> Any:
    """A column of pandas in a type that Arrow has: starts of periods, sparse values in full, intervals as texts."""
    import pandas

    dtype = values.dtype
    if isinstance(dtype, pandas.PeriodDtype):
        return values.dt.to_timestamp()
    if isinstance(dtype, pandas.SparseDtype):
        return values.sparse.to_dense()
    if isinstance(dtype, pandas.CategoricalDtype):
        if isinstance(dtype.categories.dtype, (pandas.IntervalDtype, pandas.PeriodDtype)):
            values = values.cat.rename_categories(str)
        return values.cat.as_ordered() if is_factor else values
    return values


#: Characters of a value that a message shows at most.
_SHOWN = 80


def shown(value: object) -> str:
    """A value in a message: short ones as they are written, and what long ones are."""
    if hasattr(value, "columns") or hasattr(value, "__arrow_c_stream__"):
        return "a data frame"
    written = repr(value)
    if len(written) <= _SHOWN and "\n" not in written:
        return written
    if isinstance(value, (str, bytes, list, tuple, dict, set)):
        return f"{' '.join(written.split())[:_SHOWN]}…"
    shape = getattr(value, "shape", None)
    return type(value).__name__ if shape is None else f"{type(value).__name__} of shape {tuple(shape)}"


def only(name: str, value: object, allowed: object, reason: str) -> None:
    """Refuse an argument of another package that can only have one value here."""
    if not equals(value, allowed):
        raise refused(f"`{name}` must be {allowed!r}, got {shown(value)}: {reason}", reason)


def equals(value: object, other: object) -> bool:
    """Whether an argument has a value. Arrays, which compare element by element, and what cannot be compared have not."""
    try:
        return bool(value == other)
    except (TypeError, ValueError):
        return False


def flag(name: str, value: Any, takes: str = "True or False") -> bool:
    """An argument that is True or False, those of numpy among them, or what else it takes and is not."""
    if isinstance(value, bool):
        return value
    if type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise refused(f"`{name}` must be {takes}, got {shown(value)}")


def is_asked(name: str, value: Any) -> bool:
    """Whether an argument is True, which it is not if it was not given."""
    return value is not None and flag(name, value)


def text(name: str, value: Any) -> str:
    """An argument that is a text."""
    if isinstance(value, str):
        return value
    raise refused(f"`{name}` must be a text, got {shown(value)}")


def for_bootstrap(multiplier: str | None, boot: bool | None, boot_type: str = "multiplier") -> None:
    """Refuse a distribution of multipliers where nothing is multiplied."""
    if not is_asked("boot", boot):
        only("multiplier", multiplier, None, "it is of the bootstrap; give `boot=True`, too")
    if not equals(boot_type, "multiplier"):
        only("multiplier", multiplier, None, 'give `boot_type="multiplier"`, too')


def refused(message: str, remedy: str | None = None) -> OptionError:
    """The error of an argument that has a value that it cannot have."""
    error = OptionError(message)
    error.code, error.remedy = "config", remedy
    return error
