"""Curves and their slopes, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._figure_axes import Rows, beside, new_axes, no_estimate
from ._figure_words import Facts

if TYPE_CHECKING:
    import matplotlib.figure

#: What each table of a curve has, and the parameter.
_PARAMETERS = {"effects": "ATT(d)", "slopes": "ACRT(d)", "function": "h", "derivative": "Derivative"}

#: Kinds of intervals, from the widest, with their words and how much of a colour they have.
_KINDS = (("band", "uniform band", 0.2), ("ci", "pointwise interval", 0.4))


def draw_curves(rows: Rows, key: str, facts: Facts, ax: Any) -> matplotlib.figure.Figure:
    """A curve and its slope in a panel each; on axes that are given, the first of them."""
    kept = [i for i, (at, estimate) in enumerate(zip(rows[key], rows["estimate"], strict=True)) if None not in (at, estimate)]
    tables = list(dict.fromkeys(rows["table"][i] for i in kept))
    if not tables:
        raise no_estimate()
    figure, axes = new_axes(ax, len(tables), 0)
    for panel, table in zip(axes, tables, strict=False):
        of_table = sorted((i for i in kept if rows["table"][i] == table), key=lambda i: rows[key][i])
        handles = _draw_curve(panel, rows, key, of_table, facts)
        if panel is axes[0]:
            beside(panel, handles)
        parameter = _PARAMETERS.get(table, str(table).capitalize())
        panel.set_ylabel(parameter if table == "derivative" else facts.measured(parameter))
    axes[-1].set_xlabel(key if facts.kind == "npiv" else _dose(facts))
    return figure


def _dose(facts: Facts) -> str:
    name = facts.settings.get("dose") or "dose"
    return "Dose" if name.lower() == "dose" else f"Dose ({name})"


def _draw_curve(ax: Any, rows: Rows, key: str, kept: list[int], facts: Facts) -> list[Any]:
    """A line, and areas of its intervals, which it gives for the legend."""
    (line,) = ax.plot([rows[key][i] for i in kept], [rows["estimate"][i] for i in kept], label="_estimates")
    areas = []
    for kind, words, share in _KINDS:
        lower, upper = f"{kind}_lower", f"{kind}_upper"
        there = [i for i in kept if lower in rows and None not in (rows[lower][i], rows[upper][i])]
        if there:
            ends = ([rows[lower][i] for i in there], [rows[upper][i] for i in there])
            label = facts.interval(words)
            areas.append(ax.fill_between([rows[key][i] for i in there], *ends, color=line.get_color(), alpha=share, linewidth=0, label=label))
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    return areas[::-1]
