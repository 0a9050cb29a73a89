"""Estimates as a matplotlib figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import BurnDidError
from ._figure_axes import Rows, new_axes, no_estimate, period_number
from ._figure_curves import draw_curves
from ._figure_points import Point, draw_points
from ._figure_robust import draw_robust
from ._figure_words import Facts
from ._table import Table
from ._types import refused

if TYPE_CHECKING:
    import matplotlib.figure

    from ._result import Result

#: Columns of places, of which the first that has values is the axis.
_KEYS = ("event_time", "horizon", "time", "group", "term")

#: Places that are times since treatment.
_EVENT_TIMES = ("event_time", "horizon")

#: Kinds whose pictures are no estimates with their intervals.
_OTHER_PICTURES = ("bacon", "twfe_weights", "description", "panel_view", "balance", "overlap", "weighting", "specification_curve")


def drawn(result: Result, ax: Any = None) -> matplotlib.figure.Figure:
    """Estimates with their intervals as points by time, group or term, or as curves by dose or regressor.

    Of several tables of curves each has a panel, and the first is drawn on axes that are given. Points of further tables join those of
    the first where they are at other places, as placebos do.
    """
    if result.kind in _OTHER_PICTURES:
        raise refused("`figure` draws estimates with their intervals, which this result does not have; `plot()` draws it", "draw it by `plot()`")
    rows = result.tidy().to_dict()
    facts = Facts(result, rows)
    if result.kind == "honest":
        return draw_robust(rows, facts, ax)
    key = next((name for name in _KEYS if _has(rows, name)), None)
    # A treatment with doses has event times, too, if its event study is asked for.
    curve = None if key in _EVENT_TIMES else _curve(result.kind, rows)
    if curve is not None:
        return draw_curves(rows, curve, facts, ax)
    if key is None or "estimate" not in rows:
        raise refused("the result has no estimates by event time, period, group, dose or term to draw")
    kept = _kept(rows, key, "relative" if facts.are_changes else None)
    if not kept:
        raise no_estimate()
    series = _series(rows, key, kept)
    points = _points(rows, key, series, kept, facts)
    points += [_reference(at) for at in _further_references(result, key) if at not in {point.at for point in points}]
    figure, axes = new_axes(ax, 1, len({point.at for point in points}))
    draw_points(axes[0], points, key, series, facts)
    return figure


def _has(rows: Rows, name: str) -> bool:
    return any(value is not None for value in rows.get(name, []))


def _curve(kind: str, rows: Rows) -> str | None:
    """The column that a curve goes along, if the result is one."""
    if kind == "npiv":
        names = list(rows)
        regressors = names[names.index("table") + 1 : names.index("estimate")]
        if len(regressors) > 1:
            raise refused("`figure` draws a function of one regressor; a function of several has no one picture")
        return regressors[0]
    return "dose" if _has(rows, "dose") else None


def _points(rows: Rows, key: str, series: str | None, kept: list[int], facts: Facts) -> list[Point]:
    """The estimates that are drawn, one a place and series."""
    found: dict[tuple[Any, Any], Point] = {}
    for i in kept:
        name = None if series is None else rows[series][i]
        point = Point(
            rows[key][i], rows["estimate"][i], _ends(rows, "ci", i), _ends(rows, "band", i), name,
            is_post=_is_post(rows, key, i, facts), is_reference=_is_reference(rows, i),
        )
        found.setdefault((point.at, name), point)
    return list(found.values())


def _is_reference(rows: Rows, i: int) -> bool:
    """Whether an estimate is the zero that others are compared with."""
    if "status" in rows:
        return bool(rows["status"][i] == "reference")
    return rows["estimate"][i] == 0.0 and rows.get("se", [0.0] * (i + 1))[i] is None


def _reference(at: float) -> Point:
    return Point(at, 0.0, None, None, None, is_post=False, is_reference=True)


def _further_references(result: Result, key: str) -> list[float]:
    """Places of references that are no rows of a result."""
    if key == "horizon":
        return [0]
    if result.kind != "two_stage" or key != "event_time":
        return []
    try:
        study = Table(_native.event_study(result._native).estimates()).to_dict()
    except BurnDidError:
        # A second stage of other terms has no event study.
        return []
    return [at for at, status in zip(study["event_time"], study["status"], strict=True) if status == "reference"]


def _kept(rows: Rows, key: str, table: str | None) -> list[int]:
    """The rows with a place and an estimate: those of a table, or of the first, and those of others that are at other places.

    Averages by level are at the places of those over all levels, and are not drawn among them.
    """
    levels = rows.get("level", [None] * len(rows[key]))
    of_all = [i for i, level in enumerate(levels) if level is None]
    there = [i for i in of_all if None not in (rows[key][i], rows["estimate"][i])]
    if "table" not in rows or not there:
        return there
    table = table or rows["table"][there[0]]
    first = [i for i in there if rows["table"][i] == table]
    taken = {rows[key][i] for i in first}
    return first + [i for i in there if rows["table"][i] != table and rows[key][i] not in taken]


def _series(rows: Rows, key: str, kept: list[int]) -> str | None:
    """The column that tells apart estimates at one place: estimators of a study, and groups by period."""
    columns = ("estimator", "group") if key == "time" else ("estimator",)
    return next((name for name in columns if name in rows and any(rows[name][i] is not None for i in kept)), None)


def _is_post(rows: Rows, key: str, i: int, facts: Facts) -> bool | None:
    """Whether an estimate is at or after treatment; None where nothing is before it."""
    at = rows[key][i]
    if key == "horizon":
        return bool(at > 0)
    if key == "event_time":
        return bool(at > facts.reference if facts.reference is not None else at >= 0)
    time = period_number(at)
    group = period_number(rows["group"][i]) if key == "time" and "group" in rows else None
    return None if time is None or group is None else time >= group


def _ends(rows: Rows, kind: str, i: int) -> tuple[float, float] | None:
    """The ends of the interval (``ci``) or of the uniform band (``band``) of an estimate, if it has one."""
    lower, upper = rows.get(f"{kind}_lower"), rows.get(f"{kind}_upper")
    if lower is None or upper is None or lower[i] is None or upper[i] is None:
        return None
    return lower[i], upper[i]
