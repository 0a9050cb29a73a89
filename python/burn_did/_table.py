"""Tables of results."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Rows that are shown from each end of a long table.
_ENDS = 10


class Table:
    """A table of rows that any data frame library reads: it has ``__arrow_c_stream__``."""

    def __init__(self, native: _native.Table | _Chosen) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any:
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

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column, with None for null."""
        if column not in self.columns:
            raise KeyError(f"{column!r} is not among the columns {', '.join(self.columns)}")
        return self.to_dict()[column]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, each by the names of the columns."""
        columns = self.to_dict()
        return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))

    def __repr__(self) -> str:
        shown = self._shown()
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in shown]
        return "\n".join([f"Table of {self.shape[0]} rows and {self.shape[1]} columns", *lines])

    def _repr_html_(self) -> str:
        head, *rows = [[escape(cell) for cell in row] for row in self._shown()]
        lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        names = "".join(f"<th>{name}</th>" for name in head)
        return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table><p>{self.shape[0]} rows</p>"

    def _shown(self) -> list[list[str]]:
        """Names and values of the first and the last rows as texts."""
        left_out = len(self) > 2 * _ENDS + 1
        parts = [self._native.rows(0, _ENDS), self._native.rows(-_ENDS, _ENDS)] if left_out else [self._native]
        tables = [list(zip(*part.to_dict().values(), strict=True)) for part in parts]
        rows = [[_text(value) for value in row] for row in tables[0]]
        if left_out:
            rows += [["…"] * self.shape[1], *([_text(value) for value in row] for row in tables[1])]
        return [self.columns, *rows]

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the columns as lists, with None for null."""
        return self._native.to_dict()

    def to_arrow(self) -> pyarrow.Table:
        """Give a ``pyarrow.Table``."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """Give a ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Give a ``pandas.DataFrame``; with pandas before 2.2, by pyarrow."""
        return self.to_arrow().to_pandas()


def chosen(table: Table, numbers: list[int]) -> Table:
    """Some rows of a table, by their numbers."""
    first, count = numbers[0] if numbers else 0, len(numbers)
    if numbers == list(range(first, first + count)):
        return Table(table._native.rows(first, count))
    return Table(_Chosen(table._native, numbers))


class _Chosen:
    """Rows of a native table that do not follow each other, in place of a table of these alone."""

    def __init__(self, whole: _native.Table | _Chosen, numbers: list[int]) -> None:
        self._whole = whole
        self._numbers = numbers

    @property
    def columns(self) -> list[str]:
        return self._whole.columns

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self._whole.shape[1]

    def __len__(self) -> int:
        return len(self._numbers)

    def to_dict(self) -> dict[str, list[Any]]:
        return {name: [values[number] for number in self._numbers] for name, values in self._whole.to_dict().items()}

    def rows(self, first: int, count: int) -> _Chosen:
        return _Chosen(self._whole, self._numbers[first:][:count])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        try:
            import pyarrow
        except ImportError:
            import polars

            return polars.DataFrame(self._whole)[self._numbers].__arrow_c_stream__(requested_schema)
        return pyarrow.table(self._whole).take(self._numbers).__arrow_c_stream__(requested_schema)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) and not value.is_integer() else f"{value:.0f}" if isinstance(value, float) else str(value)


class Tidy:
    """What has its estimates as one table, for data frame libraries."""

    def tidy(self) -> Table:
        """One row an estimate."""
        raise NotImplementedError

    def to_arrow(self) -> pyarrow.Table:
        """Give ``tidy()`` as a ``pyarrow.Table``."""
        return self.tidy().to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """Give ``tidy()`` as a ``polars.DataFrame``."""
        return self.tidy().to_polars()

    def to_pandas(self) -> pandas.DataFrame:
        """Give ``tidy()`` as a ``pandas.DataFrame``."""
        return self.tidy().to_pandas()
