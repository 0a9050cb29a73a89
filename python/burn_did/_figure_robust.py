"""Robust intervals by how large violations of parallel trends may be, beside the original one."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ._figure_axes import Rows, beside, colours, new_axes, slant_labels
from ._figure_words import Facts

if TYPE_CHECKING:
    import matplotlib.figure

_METHODS = {"flci": "FLCI", "conditional": "Conditional", "c_f": "C-F", "c_lf": "C-LF"}
_RELATIVE = r"Largest violation after treatment, relative to the largest before ($\bar{M}$)"
_SMOOTH = "Largest change of the slope of the difference in trends (M)"


def draw_robust(rows: Rows, facts: Facts, ax: Any) -> matplotlib.figure.Figure:
    """The original interval with its estimate one step before the robust ones, which stand where M or Mbar is."""
    robust = sorted((i for i, table in enumerate(rows["table"]) if table == "intervals"), key=lambda i: rows["m"][i])
    figure, (panel,) = new_axes(ax, 1, len(robust) + 1)
    original, marks = rows["table"].index("original"), colours(2)
    before = _before([rows["m"][i] for i in robust])
    handles = [
        _stroke(panel, rows, [(before, original)], marks[1], facts.interval("original interval")),
        _stroke(panel, rows, [(rows["m"][i], i) for i in robust], marks[0], facts.interval(_robust_words(facts))),
    ]
    if rows["estimate"][original] is not None:
        panel.plot([before], [rows["estimate"][original]], "o", color=marks[1], zorder=3)
    handles += [_empty(panel, rows, robust), _open(panel, rows, robust, marks[0]), _breakdown(panel, rows, robust, facts)]
    panel.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    panel.set_xticks([before, *(rows["m"][i] for i in robust)], ["Original", *(f"{rows['m'][i]:.4g}" for i in robust)])
    if len(robust) > 8:
        slant_labels(panel)
    panel.set_xlabel(_RELATIVE if _is_relative(facts) else _SMOOTH)
    parameter = str(facts.glance.get("parameter") or "effect")
    panel.set_ylabel(facts.measured(parameter[:1].upper() + parameter[1:]))
    beside(panel, [handle for handle in handles if handle is not None])
    return figure


def _before(m: list[float]) -> float:
    """The place of the original interval: one step before the first robust one, as far as the closest of these are from each other."""
    gaps = [later - earlier for earlier, later in pairwise(m) if later > earlier]
    return m[0] - (min(gaps) if gaps else max(abs(m[0]), 1.0)) if m else 0.0


def _is_relative(facts: Facts) -> bool:
    return "RM" in str(facts.glance.get("delta"))


def _robust_words(facts: Facts) -> str:
    method = str(facts.glance.get("method"))
    return f"robust interval\n({_METHODS.get(method, method)}, {facts.glance.get('delta')})"


def _stroke(ax: Any, rows: Rows, placed: list[tuple[float, int]], colour: Any, label: str) -> Any:
    """Intervals as strokes, which the legend explains; None without any."""
    there = [(at, rows["ci_lower"][i], rows["ci_upper"][i]) for at, i in placed if None not in (rows["ci_lower"][i], rows["ci_upper"][i])]
    if not there:
        return None
    middle, half = [(lower + upper) / 2 for _, lower, upper in there], [(upper - lower) / 2 for _, lower, upper in there]
    return ax.errorbar([at for at, _, _ in there], middle, yerr=half, fmt="none", ecolor=colour, elinewidth=2.2, label=label)


def _empty(ax: Any, rows: Rows, robust: list[int]) -> Any:
    """Crosses where no effect is consistent with the data and the assumption."""
    empty = [rows["m"][i] for i in robust if None in (rows["ci_lower"][i], rows["ci_upper"][i])]
    return ax.plot(empty, [0.0] * len(empty), "x", color="0.4", label="Empty interval", linestyle="none")[0] if empty else None


def _open(ax: Any, rows: Rows, robust: list[int], colour: Any) -> Any:
    """Arrows at ends that the grid of effects cut off."""
    ends = [(rows["m"][i], rows[end][i], mark) for i in robust for end, of, mark in _OPEN if of in rows and rows[of][i] and rows[end][i] is not None]
    drawn = [ax.plot([at], [end], mark, color=colour, linestyle="none", label="May be longer than drawn")[0] for at, end, mark in ends]
    return drawn[0] if drawn else None


#: Ends of intervals, the columns that say whether they are open, and their marks.
_OPEN = (("ci_upper", "open_above", "^"), ("ci_lower", "open_below", "v"))


def _breakdown(ax: Any, rows: Rows, robust: list[int], facts: Facts) -> Any:
    """A line where robust intervals begin to have zero in them, if that is among those that are drawn."""
    value = facts.glance.get("breakdown")
    m = [rows["m"][i] for i in robust]
    if value is None or not m or not min(m) <= value <= max(m):
        return None
    return ax.axvline(value, color="0.4", linewidth=1.0, zorder=0, label=f"Breakdown value ({value:.4g})")
