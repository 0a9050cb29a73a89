"""Tools that bring a panel into shape.

Each gives a table that any data frame library reads, with all columns of the data, and with a report on what it did in ``change``. Columns
``idname`` and ``tname`` are those of the unit and the period; ``frequency`` is the length of a period, if periods are dates.

Rows come in the order of units and periods, whatever their order in the data: do not assign a column of the table back to the data, but go on
with the table, or join by unit and period. The index of a pandas frame is no column, unless it has a name that an argument has.
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._table import Table
from ._types import Data, Missing, Names, only, source

__all__ = [
    "Panel",
    "balance",
    "deduplicate",
    "difference",
    "fill_gaps",
    "first_treated",
    "lag",
    "long_difference",
    "to_wide",
]


class Panel(Table):
    """A panel that a tool made, and a report on what it did."""

    def __init__(self, native: _native.Table, change: str) -> None:
        super().__init__(native)
        self.change = change


def _made(tool: str, options: dict[str, Any]) -> Panel:
    data = source(options.pop("data"))
    return Panel(*_native.panel_tool(data, tool, options))


def first_treated(
    data: Data,
    idname: str,
    tname: str,
    treatname: str,
    *,
    name: str | None = None,
    never_as_zero: bool = False,
    keep_first: bool = False,
    missing_as_unknown: bool = False,
    first_observed: bool = False,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Add the period in which a unit is first treated, from a treatment of zeros and ones.

    Rows come in the order of units and periods; join by these in place of assigning the column back.

    Parameters
    ----------
    treatname : str
        Column of the treatment. One that ends is an error, as are a missing one and absent rows in which it may have begun.
    name : str, optional
        Name of the column that is added; ``first_treated`` by default.
    never_as_zero : bool
        Write 0 for units that are never treated, in place of null.
    keep_first : bool
        Keep the first treated period of units whose treatment ends, in place of an error.
    missing_as_unknown : bool
        Take missing treatments, and those of absent rows, as unknown, in place of an error: units whose first treated period they
        hide are dropped.
    first_observed : bool
        Take a unit's first treated row for its first treatment even if rows before it are absent, in place of an error.
    """
    return _made("first_treated", locals())


def balance(
    data: Data,
    idname: str,
    tname: str,
    rule: str = "units",
    *,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Make a panel in which every unit has every period.

    Rows come in the order of units and periods.

    Parameters
    ----------
    rule : {"units", "periods", "largest", "fill"}
        Keep the units with all periods, the periods with all units, what makes the largest panel, or add what lacks.
    """
    return _made("balance", locals())


def fill_gaps(
    data: Data,
    idname: str,
    tname: str,
    *,
    all_periods: bool = False,
    carry_constant: bool = False,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Add rows for the periods of the data that a unit lacks.

    Rows come in the order of units and periods.

    Parameters
    ----------
    all_periods : bool
        Also before the first and after the last period of a unit.
    carry_constant : bool
        Carry columns that do not change within units into the rows that are added.
    """
    return _made("fill_gaps", locals())


def deduplicate(
    data: Data,
    idname: str,
    tname: str,
    strategy: str = "last",
    *,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Keep one row for a unit and period.

    Rows come in the order of units and periods.

    Parameters
    ----------
    strategy : {"equal", "first", "last", "mean"}
        Of rows that differ: an error, the first, the last, or means of numbers. The default is that of ModernDiD; ``change`` says of how
        many pairs of unit and period rows differed.
    """
    return _made("deduplicate", locals())


def lag(
    data: Data,
    idname: str,
    tname: str,
    columns: Names,
    periods: int = 1,
    *,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Add the values of so many ``periods`` before, or after if the number is negative: ``y_lag1``, ``y_lead1``.

    Rows come in the order of units and periods; join by these in place of assigning the column back.
    """
    return _made("lag", locals())


def difference(
    data: Data,
    idname: str,
    tname: str,
    columns: Names,
    periods: int = 1,
    *,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Add changes since so many ``periods`` before: ``y_diff1``.

    Rows come in the order of units and periods; join by these in place of assigning the column back.
    """
    return _made("difference", locals())


def long_difference(
    data: Data,
    idname: str,
    tname: str,
    columns: Names,
    gname: str | None = None,
    *,
    base: float | str | None = None,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Add changes since a base period: ``y_long_diff``.

    Rows come in the order of units and periods; join by these in place of assigning the column back.

    Parameters
    ----------
    gname : str, optional
        Column of first treated periods, if the base is the last period before treatment.
    base : float or str, optional
        Another base period, in place of ``gname``.
    """
    if base is not None:
        only("gname", gname, None, "`base` is given, which is the base of all units; leave out one")
    return _made("long_difference", locals())


def to_wide(
    data: Data,
    idname: str,
    tname: str,
    columns: Names | None = None,
    *,
    names: str | None = None,
    frequency: str | None = None,
    missing_values: Missing = None,
) -> Panel:
    """Make one row of a unit, with a column for each period.

    Rows come in the order of units.

    Parameters
    ----------
    columns : list of str, optional
        Columns that change over time; by default those that do.
    names : str, optional
        Names of the new columns, as in ``"{column}_{period}"``.
    """
    return _made("to_wide", locals())
