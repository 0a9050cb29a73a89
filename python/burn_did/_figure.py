"""Estimates as a matplotlib figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ._errors import OptionError

if TYPE_CHECKING:
    import matplotlib.figure

_KEYS = ("event_time", "horizon", "dose", "x", "time", "group", "m", "term")
_CURVES = ("dose", "x")


def drawn(rows: dict[str, list[Any]], ax: Any = None) -> matplotlib.figure.Figure:
    """Estimates with their intervals by the first of the keys that the rows have: curves as lines, of several groups a colour each.

    Of several tables of curves each has a panel, and the first is drawn on axes that are given. Points of further tables join those of
    the first where they are at other places, as placebos do.
    """
    key = next((name for name in _KEYS if any(value is not None for value in rows.get(name, []))), None)
    if key is None or "estimate" not in rows:
        raise OptionError("the result has no estimates by event time, period, group, dose or term to draw")
    kept = [i for i, (at, estimate) in enumerate(zip(rows[key], rows["estimate"], strict=True)) if None not in (at, estimate)]
    table_of = rows.get("table", [None] * len(rows[key]))
    tables = list(dict.fromkeys(table_of[i] for i in kept))
    if key not in _CURVES:
        first = [i for i in kept if table_of[i] == tables[0]]
        taken = {rows[key][i] for i in first}
        kept = first + [i for i in kept if table_of[i] != tables[0] and rows[key][i] not in taken]
        tables = [None]
    figure: Any
    if ax is None:
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        axes = list(figure.subplots(len(tables), 1, sharex=True, squeeze=False)[:, 0])
    else:
        figure, axes = ax.get_figure(), [ax]
    for panel, table in zip(axes, tables, strict=False):
        _panel(panel, rows, key, [i for i in kept if table is None or table_of[i] == table])
        if len(tables) > 1:
            panel.set_title(str(table).replace("_", " ").capitalize())
    axes[-1].set_xlabel(key.replace("_", " ").capitalize())
    return cast("matplotlib.figure.Figure", figure)


def _panel(ax: Any, rows: dict[str, list[Any]], key: str, kept: list[int]) -> None:
    grouped = key == "time" and any(rows["group"][i] is not None for i in kept)
    names = list(dict.fromkeys(rows["group"][i] for i in kept)) if grouped else [None]
    for place, name in enumerate(names):
        of = [i for i in kept if not grouped or rows["group"][i] == name]
        at = [rows[key][i] for i in of]
        estimates = [rows["estimate"][i] for i in of]
        ends = [_interval(rows, i) for i in of]
        lower, upper = [end[0] for end in ends], [end[1] for end in ends]
        if key in _CURVES:
            (line,) = ax.plot(at, estimates)
            ax.fill_between(at, lower, upper, color=line.get_color(), alpha=0.2, linewidth=0)
            continue
        if all(isinstance(value, (int, float)) for value in at):
            at = [value + 0.06 * (place - (len(names) - 1) / 2) for value in at]
        below = [estimate - end for estimate, end in zip(estimates, lower, strict=True)]
        above = [end - estimate for estimate, end in zip(estimates, upper, strict=True)]
        label = f"{name:g}" if isinstance(name, float) else name
        ax.errorbar(at, estimates, yerr=[below, above], fmt="o", capsize=2, label=label)
    ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    ax.set_ylabel("Estimate")
    if all(isinstance(rows[key][i], (int, float)) and float(rows[key][i]).is_integer() for i in kept):
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(names) > 1:
        ax.legend(title="Group")


def _interval(rows: dict[str, list[Any]], i: int) -> tuple[float, float]:
    """The band of an estimate if there is one, else its interval; the estimate itself where it has none."""
    for kind in ("band", "ci"):
        lower, upper = rows.get(f"{kind}_lower"), rows.get(f"{kind}_upper")
        if lower and upper and lower[i] is not None and upper[i] is not None:
            return lower[i], upper[i]
    estimate: float = rows["estimate"][i]
    return estimate, estimate
