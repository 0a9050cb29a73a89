"""Types of arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from ._errors import OptionError


class ArrowStream(Protocol):
    """A data frame that gives its columns by the Arrow C stream interface: polars, pandas from 2.2, pyarrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...


Data = ArrowStream | str | os.PathLike[str]
Names = str | Sequence[str]
Backend = str | Sequence[str] | None
Missing = Sequence[str | float] | None


def source(data: Any) -> Any:
    """The data as the compiled module reads them: lazy frames are collected, and older pandas goes by pyarrow."""
    if hasattr(data, "__arrow_c_stream__") or isinstance(data, (str, os.PathLike)):
        return data
    if hasattr(data, "collect"):
        return data.collect()
    if hasattr(data, "columns") and type(data).__module__.startswith("pandas"):
        import pyarrow

        return pyarrow.Table.from_pandas(data, preserve_index=False)
    return data


def only(name: str, value: object, allowed: object, reason: str) -> None:
    """Refuse an argument of another package that can only have one value here."""
    if value != allowed:
        raise refused(f"`{name}` must be {allowed!r}, got {value!r}: {reason}", reason)


def refused(message: str, remedy: str | None = None) -> OptionError:
    """The error of an argument that has a value that it cannot have."""
    error = OptionError(message)
    error.code, error.remedy = "config", remedy
    return error
