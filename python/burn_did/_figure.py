"""Estimates as a matplotlib figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import matplotlib.figure

from ._errors import OptionError

_KEYS = ("event_time", "horizon", "dose", "time", "group", "m", "x", "term")


def drawn(rows: dict[str, list[Any]], ax: Any = None) -> matplotlib.figure.Figure:
    """Points with their intervals, by the first of the keys that the rows have; of several groups, one colour each."""
    key = next((name for name in _KEYS if name in rows and any(v is not None for v in rows[name])), None)
    if key is None or "estimate" not in rows:
        raise OptionError("the result has no estimates by event time, period, group, dose or term to draw")
    if ax is None:
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        ax = figure.subplots()
    else:
        figure = ax.get_figure()
    by = rows["group"] if key == "time" and "group" in rows else [None] * len(rows[key])
    lower = rows.get("band_lower", rows.get("ci_lower", []))
    upper = rows.get("band_upper", rows.get("ci_upper", []))
    names = list(dict.fromkeys(by))
    for offset, name in enumerate(names):
        kept = [
            i for i in range(len(by))
            if by[i] == name and rows[key][i] is not None and rows["estimate"][i] is not None
        ]
        at = [rows[key][i] for i in kept]
        if all(isinstance(value, (int, float)) for value in at):
            at = [value + 0.06 * (offset - (len(names) - 1) / 2) for value in at]
        estimates = [rows["estimate"][i] for i in kept]
        below = [e - lower[i] if lower and lower[i] is not None else 0.0 for i, e in zip(kept, estimates, strict=True)]
        above = [upper[i] - e if upper and upper[i] is not None else 0.0 for i, e in zip(kept, estimates, strict=True)]
        label = None if name is None else str(name)
        ax.errorbar(at, estimates, yerr=[below, above], fmt="o", capsize=2, label=label)
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    ax.set_xlabel(key.replace("_", " ").capitalize())
    ax.set_ylabel("Estimate")
    if len(names) > 1:
        ax.legend(title="Group")
    return figure
