"""Tools of ``did.panel`` by the names, the arguments and the kinds of data frames of ModernDiD."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import panel
from ._errors import DataError, exception
from ._types import Data, refused, shown

if TYPE_CHECKING:
    import polars


def get_group(data: Data, idname: str, tname: str, treatname: str, treat_period: int | None = None) -> Any:
    """Add the column ``G``: the first period in which a unit is treated, 0 if it never is; rows keep their order.

    A unit that enters treated has its first row's period, and rows that are absent before its first treated row are passed over, as in
    ModernDiD. ``did.panel.first_treated`` refuses such units unless told what to do with them, tells units whose treatment ends or is
    missing, and takes periods that are dates.

    Parameters
    ----------
    data : data frame
        A panel.
    idname, tname, treatname : str
        Columns of the unit, the period and the treatment, all above 0 of which are treated.
    treat_period : int, optional
        The period of all units that are ever treated, if the treatment column is the same in all periods.

    Returns
    -------
    data frame
        Of the kind of the data: polars, pandas or pyarrow; of other data a polars data frame.
    """
    import polars

    frame = _polars(data)
    for name in (idname, tname, treatname):
        if name not in frame.columns:
            there = ", ".join(f"`{column}`" for column in frame.columns)
            raise exception("column_not_found", f"column `{name}` is not in the data; its columns are {there}", [name], f"one of {there}")
    for name in (tname, treatname):
        if not frame.schema[name].is_numeric() and frame.schema[name] != polars.Boolean:
            remedy = "`did.panel.first_treated` takes dates"
            raise exception("column_type", f"column `{name}` must have numbers, got {frame.schema[name]}; {remedy}", [name], remedy)
    is_treated = polars.col(treatname).cast(polars.Float64).fill_nan(None) > 0
    period = polars.col(tname) if treat_period is None else polars.lit(treat_period)
    first = polars.when(is_treated).then(period).min().over(idname).fill_null(0)
    group = polars.when(polars.col(idname).is_not_null()).then(first).cast(polars.Int64)
    return _like(frame.with_columns(group.alias("G")), data)


def make_balanced_panel(data: Data, idname: str, tname: str) -> Any:
    """Keep the units that have every period: ``did.panel.balance``.

    Parameters
    ----------
    data : data frame
        A panel.
    idname, tname : str
        Columns of the unit and the period.

    Returns
    -------
    data frame
        Of the kind of the data, polars, pandas or pyarrow, with rows in the order of units and periods; of other data a ``Panel``.
    """
    return _like(panel.balance(data, idname, tname), data)


def fill_panel_gaps(data: Data, idname: str, tname: str) -> Any:
    """Add rows for the periods of the data that a unit lacks: ``did.panel.fill_gaps``; arguments are those of ``make_balanced_panel``.

    Returns
    -------
    data frame
        As that of ``make_balanced_panel``, from ``data``, ``idname`` and ``tname``.
    """
    return _like(panel.fill_gaps(data, idname, tname, all_periods=True), data)


def deduplicate_panel(data: Data, idname: str, tname: str, strategy: str = "last") -> Any:
    """Keep one row for a unit and period: ``did.panel.deduplicate``; other arguments are those of ``make_balanced_panel``.

    Parameters
    ----------
    strategy : {"first", "last", "mean", "equal"}
        Of rows that differ: the first, the last, means of numbers, or an error.

    Returns
    -------
    data frame
        As that of ``make_balanced_panel``, from ``data``, ``idname`` and ``tname``.
    """
    return _like(panel.deduplicate(data, idname, tname, strategy), data)


def panel_to_wide(data: Data, idname: str, tname: str, separator: str = "_") -> Any:
    """Make one row of a unit: ``did.panel.to_wide``; other arguments are those of ``make_balanced_panel``.

    Parameters
    ----------
    separator : str
        What is between the column and the period in the names of the new columns.

    Returns
    -------
    data frame
        As that of ``make_balanced_panel``, from ``data``, ``idname`` and ``tname``.
    """
    return _like(panel.to_wide(data, idname, tname, names=f"{{column}}{separator}{{period}}"), data)


def has_gaps(data: Data, idname: str, tname: str) -> bool:
    """Whether a unit lacks a period that the data have; arguments are those of ``make_balanced_panel``.

    Returns
    -------
    bool
        Of ``data`` by ``idname`` and ``tname``.
    """
    # Both leave out rows without a unit or a period.
    pairs = panel.deduplicate(data, idname, tname, "first")
    filled = panel.fill_gaps(pairs, idname, tname, all_periods=True)
    try:
        return len(panel.balance(pairs, idname, tname)) < len(filled)
    except DataError:
        # No unit has every period.
        return True


def is_balanced_panel(data: Data, idname: str, tname: str) -> bool:
    """Whether every unit has every period; arguments are those of ``make_balanced_panel``.

    Returns
    -------
    bool
        Of ``data`` by ``idname`` and ``tname``.
    """
    return not has_gaps(data, idname, tname)


def _polars(data: Any) -> polars.DataFrame:
    """The data as a polars data frame."""
    import polars

    if isinstance(data, polars.DataFrame):
        return data
    if not hasattr(data, "__arrow_c_stream__"):
        raise refused(f"`data` must be a data frame, got {shown(data)}")
    return polars.DataFrame(data)


def _like(made: Any, data: Any) -> Any:
    """A frame of polars, or a panel, as a data frame of the kind of the data."""
    kinds = (("polars", "DataFrame", "to_polars"), ("pandas", "DataFrame", "to_pandas"), ("pyarrow", "Table", "to_arrow"))
    for library, name, convert in kinds:
        # Data of a library are there only if it was imported.
        loaded = sys.modules.get(library)
        if loaded is not None and isinstance(data, getattr(loaded, name)):
            return made if isinstance(made, type(data)) else getattr(made, convert)()
    return made
