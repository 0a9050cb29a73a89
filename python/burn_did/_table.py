"""Tables of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """A table of rows that any data frame library reads: it has ``__arrow_c_stream__``."""

    def __init__(self, native: _native.Table) -> None:
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

    def __repr__(self) -> str:
        return f"Table of {self.shape[0]} rows: {', '.join(self.columns)}"

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
