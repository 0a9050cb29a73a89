"""Points with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ._figure_axes import beside, colours, label_places, numbers, shifts, step
from ._figure_words import Facts

Ends = tuple[float, float]

#: Series that a legend names, at most; more have a colour bar, which names so many of them.
_NAMED, _TICKS = 15, 8

#: The bar beside axes: left, bottom, width and height in parts of theirs.
_BAR = (1.03, 0.0, 0.03, 0.5)

_GREY, _LIGHT = "0.4", "0.8"

#: The first place after treatment, where places count from it.
_FIRST_TREATED = {"event_time": 0.0, "horizon": 1.0}


@dataclass(frozen=True)
class Point:
    """An estimate and where it stands."""

    #: Place: event time, period, group or term.
    at: Any
    estimate: float
    interval: Ends | None
    band: Ends | None
    #: Group or estimator, where several have estimates at one place.
    series: Any
    #: Whether it is at or after treatment; None where nothing is before it.
    is_post: bool | None
    is_reference: bool


@dataclass(frozen=True)
class _Shades:
    """Colours of a series before, at and after the reference."""

    before: Any
    reference: Any
    after: Any


@dataclass(frozen=True)
class _Marks:
    """Sizes of points, of the strokes of intervals and bands, and of caps, in points of print."""

    size: float
    interval: float
    band: float
    cap: float


def draw_points(ax: Any, points: list[Point], key: str, series: str | None, facts: Facts) -> None:
    """Points with their intervals: those before treatment, at the reference and after treatment, of each series in colours of its own."""
    at = numbers([point.at for point in points], are_names=key == "term")
    names = list(dict.fromkeys(point.series for point in points))
    marks, shades = _marks(ax, len(at), len(names)), _shades(len(names))
    for name, shift, colour in zip(names, shifts(list(at.values()), len(names)), shades, strict=True):
        of_series = [(at[point.at] + shift, point) for point in points if point.series == name]
        sides = {
            colour.before: [(x, point) for x, point in of_series if point.is_post is False and not point.is_reference],
            colour.after: [(x, point) for x, point in of_series if point.is_post is not False and not point.is_reference],
        }
        for shade, side in sides.items():
            _draw_intervals(ax, side, shade, marks)
            _draw_marks(ax, side, shade, shade, marks)
        _draw_marks(ax, [(x, point) for x, point in of_series if point.is_reference], colour.reference, "white", marks)
    if not facts.are_levels:
        ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    treatment = _treatment(points, at, _FIRST_TREATED[key], facts) if key in _FIRST_TREATED else None
    if treatment is not None:
        ax.axvline(treatment, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
    label_places(ax, at)
    ax.set_xlabel(facts.along(key, at))
    ax.set_ylabel(facts.measured(facts.parameter()))
    _explain(ax, points, names if series is not None and len(names) > 1 else [], series, facts)


def _marks(ax: Any, places: int, series: int) -> _Marks:
    """Marks that do not lie over each other, as far as the axes are wide enough."""
    between_places = 72.0 * ax.bbox.width / ax.get_figure().dpi / places
    size = min(6.0, max(1.5, between_places * (0.5 if series == 1 else 1.2 * step(series))))
    return _Marks(size, interval=0.36 * size, band=0.16 * size, cap=0.5 * size)


def _shades(series: int) -> list[_Shades]:
    """Of one series two colours; of several one each, which is paler before treatment."""
    if series == 1:
        after, before = colours(2)
        return [_Shades(before, before, after)]
    from matplotlib.colors import to_rgb

    full = [to_rgb(colour) for colour in colours(series)]
    return [_Shades(tuple(0.55 + 0.45 * part for part in colour), colour, colour) for colour in full]


def _draw_intervals(ax: Any, placed: list[tuple[float, Point]], colour: Any, marks: _Marks) -> None:
    """Uniform bands as thin strokes with caps, and pointwise intervals as thick ones."""
    for kind, width, cap in (("band", marks.band, marks.cap), ("interval", marks.interval, 0.0)):
        there = [(x, getattr(point, kind)) for x, point in placed if getattr(point, kind) is not None]
        if there:
            middle = [(lower + upper) / 2 for _, (lower, upper) in there]
            half = [(upper - lower) / 2 for _, (lower, upper) in there]
            style = {"ecolor": colour, "elinewidth": width, "capsize": cap, "capthick": width}
            ax.errorbar([x for x, _ in there], middle, yerr=half, fmt="none", label=f"_{kind}", **style)


def _draw_marks(ax: Any, placed: list[tuple[float, Point]], colour: Any, face: Any, marks: _Marks) -> None:
    if placed:
        at, estimates = [x for x, _ in placed], [point.estimate for _, point in placed]
        ax.plot(at, estimates, "o", color=colour, markerfacecolor=face, markersize=marks.size, label="_estimates", zorder=3)


def _treatment(points: list[Point], at: dict[Any, float], first: float, facts: Facts) -> float | None:
    """Where treatment starts, if there are estimates on both sides: at the reference of coefficients by a column, or between periods.

    The period first treated counts whether it has an estimate or not, and the one before it is as far from it as the closest estimates are
    from each other, or closer.
    """
    if facts.reference is not None:
        return facts.reference
    before = [at[point.at] for point in points if point.is_post is False]
    after = [at[point.at] for point in points if point.is_post]
    if not before or not after:
        return None
    smallest = min(later - earlier for earlier, later in pairwise(sorted({*before, *after})))
    return (max(*before, first - smallest) + first) / 2


def _explain(ax: Any, points: list[Point], names: list[Any], series: str | None, facts: Facts) -> None:
    """Says beside the axes what colours, hollow points and strokes are. Names are those of several series."""
    has_legend = 0 < len(names) <= _NAMED
    own = _shades(1)[0] if not names else _Shades(_LIGHT, _GREY, _GREY)
    handles = [_point(shade.after, _shown(name)) for name, shade in zip(names, _shades(len(names)), strict=True)] if has_legend else []
    beside(
        ax, [*handles, *_point_handles(points, own, facts), *_interval_handles(points, facts)],
        str(series).capitalize() if has_legend else None,
    )
    if names and not has_legend:
        _colour_bar(ax, names, str(series).capitalize())


def _point(colour: Any, label: str, face: Any = None) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, marker="o", markerfacecolor=face or colour, linestyle="none", label=label)


def _point_handles(points: list[Point], shades: _Shades, facts: Facts) -> list[Any]:
    """Points before, at and after the reference, where there are."""
    before, reference, after = facts.points
    handles = []
    if any(point.is_post is False and not point.is_reference for point in points):
        handles.append(_point(shades.before, before))
    if any(point.is_reference for point in points):
        handles.append(_point(shades.reference, reference, face="white"))
    if any(point.is_post and not point.is_reference for point in points):
        handles.append(_point(shades.after, after))
    return handles


def _interval_handles(points: list[Point], facts: Facts) -> list[Any]:
    from matplotlib.lines import Line2D

    kinds = (("interval", 2.2, "", "pointwise interval"), ("band", 1.0, "_", "uniform band"))
    return [
        Line2D([], [], color=_GREY, linewidth=width, marker=marker or None, label=facts.interval(words))
        for kind, width, marker, words in kinds if any(getattr(point, kind) is not None for point in points)
    ]


def _colour_bar(ax: Any, names: list[Any], title: str) -> None:
    """The colours of more series than a legend has room for."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    full = [shade.after for shade in _shades(len(names))]
    mapped = ScalarMappable(Normalize(-0.5, len(names) - 0.5), ListedColormap(full))
    named = list(range(0, len(names), -(-len(names) // _TICKS)))
    bar = ax.get_figure().colorbar(mapped, cax=ax.inset_axes(_BAR), label=title)
    bar.set_ticks(named, labels=[_shown(names[rank]) for rank in named])


def _shown(name: Any) -> str:
    return f"{name:g}" if isinstance(name, float) else str(name)
