"""Axes of figures: their sizes, the places of their estimates, and their colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from ._errors import OptionError
from ._types import refused

if TYPE_CHECKING:
    import matplotlib.figure

#: Inches: the height of a figure, the width that its axes have at least and at most, the width of each place, and of the legend.
_HEIGHT, _NARROWEST, _WIDEST, _PLACE, _LEGEND = 4.8, 6.0, 14.0, 0.25, 2.2

#: Of the smallest distance between places, what several series beside each other have together, and what lies between two at most.
_SPREAD, _STEP = 0.6, 0.12

#: Dates that have labels, and letters of names that stand beside each other, at most.
_LABELS, _LETTERS = 8, 50

#: The columns of a table by their names.
Rows = dict[str, list[Any]]

Place = float


def no_estimate() -> OptionError:
    """The error of a figure that would have nothing in it."""
    return refused("there is no estimate to draw")


def new_axes(ax: Any, panels: int, places: int) -> tuple[matplotlib.figure.Figure, list[Any]]:
    """The figure of the axes that are given, or a new one with so many panels for so many places."""
    if ax is not None:
        return cast("matplotlib.figure.Figure", ax.get_figure()), [ax]
    from matplotlib.figure import Figure

    width = min(max(_NARROWEST, _PLACE * places), _WIDEST) + _LEGEND
    figure = Figure(figsize=(width, _HEIGHT * (1 if panels == 1 else 0.75 * panels)), layout="constrained")
    return figure, list(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])


def colours(count: int) -> list[Any]:
    """So many colours that differ: those of the style if it has enough, or of a continuous map."""
    import matplotlib

    of_style = matplotlib.rcParams["axes.prop_cycle"].by_key().get("color", [])
    distinct = list(dict.fromkeys(of_style))
    if count <= len(distinct):
        return distinct[:count]
    shades = matplotlib.colormaps["viridis"]
    # The last tenth of the map is too pale for points on white.
    return [shades(0.9 * rank / (count - 1)) for rank in range(count)]


def period_number(period: Any) -> Place | None:
    """A period as a number, so that those that follow each other are one apart; None of what is no period."""
    if isinstance(period, (int, float)):
        return period
    year, separator, rest = str(period).partition("-")
    if re.fullmatch(r"\d{4}", year) is None or bool(separator) != bool(rest):
        return None
    if not separator:
        return int(year)
    if re.fullmatch(r"Q[1-4]", rest):
        return 4 * int(year) + int(rest[1]) - 1
    if re.fullmatch(r"W\d\d", rest):
        return date.fromisocalendar(int(year), int(rest[1:]), 1).toordinal() / 7
    if re.fullmatch(r"\d\d", rest):
        return 12 * int(year) + int(rest) - 1
    return date.fromisoformat(str(period)).toordinal() if re.fullmatch(r"\d\d-\d\d", rest) else None


def numbers(places: Sequence[Any], *, are_names: bool) -> dict[Any, Place]:
    """Places with the numbers at which they stand: periods by the calendar, and names in their order, one apart."""
    found = {place: None if are_names else period_number(place) for place in places}
    if any(number is None for number in found.values()):
        return {place: rank for rank, place in enumerate(found)}
    return {place: number for place, number in found.items() if number is not None}


def step(series: int) -> float:
    """Of the smallest distance between places, what lies between two of so many series."""
    return min(_STEP, _SPREAD / series)


def shifts(places: Sequence[Place], series: int) -> list[float]:
    """By how much each of several series stands beside its place."""
    there = sorted(set(places))
    smallest = min((later - earlier for earlier, later in pairwise(there)), default=1.0)
    return [smallest * step(series) * (rank - (series - 1) / 2) for rank in range(series)]


def label_places(ax: Any, at: dict[Any, Place]) -> None:
    """Has the places of an axis named: numbers by whole ones if they are, dates and names by themselves."""
    if all(isinstance(place, (int, float)) for place in at):
        if all(float(number).is_integer() for number in at.values()):
            from matplotlib.ticker import MaxNLocator

            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        return
    there = sorted(at, key=at.__getitem__)
    are_dates = all(period_number(place) is not None for place in there)
    labelled = there[:: -(-len(there) // _LABELS)] if are_dates else there
    ax.set_xticks([at[place] for place in labelled], [str(place) for place in labelled])
    if not are_dates and sum(len(str(place)) for place in labelled) > _LETTERS:
        slant_labels(ax)


def slant_labels(ax: Any) -> None:
    """Turns the labels of the horizontal axis, so that long ones do not lie over each other."""
    for label in ax.get_xticklabels():
        label.set(rotation=40, horizontalalignment="right", rotation_mode="anchor")


def beside(ax: Any, handles: list[Any], title: str | None = None) -> None:
    """A legend to the right of axes, where it covers no estimate."""
    if handles:
        legend = ax.legend(handles=handles, title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
        legend.set_alignment("left")
