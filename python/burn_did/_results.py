"""Results: what all of them can do, and what each kind can do besides."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, TypeVar

from . import _native
from ._errors import BurnDidWarning

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

R = TypeVar("R", bound="Result")


class Table:
    """A table of rows that any data frame library reads: it has ``__arrow_c_stream__``."""

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.columns

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows, number of columns."""
        return self._native.shape

    def __len__(self) -> int:
        return len(self._native)

    def to_arrow(self) -> pyarrow.Table:
        """Give a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """Give a ``polars.DataFrame``."""
        import polars

        frame = polars.DataFrame(self)
        return frame

    def to_pandas(self) -> pandas.DataFrame:
        """Give a ``pandas.DataFrame``."""
        return self.to_arrow().to_pandas()


class Result:
    """The result of an estimator."""

    def __init__(self, native: _native.Native) -> None:
        self._native = native

    @property
    def kind(self) -> str:
        """Kind of result, as in saved files."""
        return self._native.kind

    def __str__(self) -> str:
        return str(self._native)

    def __repr__(self) -> str:
        return str(self._native)

    def _repr_html_(self) -> str:
        return self._native.to_html()

    def _repr_markdown_(self) -> str:
        return self._native.to_markdown()

    def _repr_latex_(self) -> str:
        return self._native.to_latex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._native == other._native

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _from_json, (self.to_json(),)

    def tidy(self) -> Table:
        """One row an estimate."""
        return Table(self._native.estimates())

    def glance(self) -> Table:
        """One row about the fit."""
        return Table(self._native.glance())

    def to_arrow(self) -> pyarrow.Table:
        """Give the estimates as a ``pyarrow.Table``."""
        return self.tidy().to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """Give the estimates as a ``polars.DataFrame``."""
        return self.tidy().to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """Give the estimates as a ``pandas.DataFrame``."""
        return self.tidy().to_pandas()

    def to_json(self) -> str:
        """Give the result as the JSON that ``save`` writes."""
        return self._native.to_json()

    def to_markdown(self) -> str:
        """Give the table in markdown."""
        return self._native.to_markdown()

    def to_latex(self) -> str:
        """Give the table in LaTeX, for the package ``booktabs``."""
        return self._native.to_latex()

    def to_html(self) -> str:
        """Give the table in HTML."""
        return self._native.to_html()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON, every number to the last bit; ``load`` reads it."""
        self._native.save(os.fspath(path))

    @property
    def warnings(self) -> list[str]:
        """Warnings of the fit in words."""
        return self._native.warnings()


class GroupTimeResult(Result):
    """Effects on groups in periods."""

    def aggregate(self, type: str = "dynamic", **window: Any) -> AggregatedResult:
        """Average the effects; see ``aggte``."""
        return _result(_native.aggte(self._native, {"type": type, **window}), AggregatedResult)


class AggregatedResult(Result):
    """Averages of group-time effects."""


_KINDS: dict[str, type[Result]] = {
    "group_time": GroupTimeResult,
    "aggregated": AggregatedResult,
}


def _result(native: _native.Native, kind: type[R]) -> R:
    """Wrap what a fit gave, and warn of what it warns of."""
    result = kind(native)
    for message in result.warnings:
        warnings.warn(message, BurnDidWarning, stacklevel=3)
    return result


def _from_json(text: str) -> Result:
    native = _native.from_json(text)
    return _KINDS.get(native.kind, Result)(native)


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that ``save`` or the command line wrote, of the kind that the file names."""
    native = _native.load(os.fspath(path))
    return _KINDS.get(native.kind, Result)(native)
