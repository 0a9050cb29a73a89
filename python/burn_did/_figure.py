"""Estimates as a matplotlib figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ._types import refused

if TYPE_CHECKING:
    import matplotlib.figure

_KEYS = ("event_time", "horizon", "dose", "x", "time", "group", "term")
_CURVES = ("dose", "x")

#: Kinds whose pictures are no estimates with their intervals.
_OTHER_PICTURES = ("bacon", "twfe_weights", "description", "panel_view", "balance", "overlap", "weighting", "specification_curve")


def drawn(kind: str, rows: dict[str, list[Any]], ax: Any = None) -> matplotlib.figure.Figure:
    """Estimates with their intervals by the first of the keys that the rows have: curves as lines, of several groups or estimators a colour each.

    Of several tables of curves each has a panel, and the first is drawn on axes that are given. Points of further tables join those of
    the first where they are at other places, as placebos do.
    """
    if kind in _OTHER_PICTURES:
        raise refused("`figure` draws estimates with their intervals, which this result does not have; `plot()` draws it", "draw it by `plot()`")
    if kind == "honest":
        return _robust(rows, ax)
    key = next((name for name in _KEYS if any(value is not None for value in rows.get(name, []))), None)
    if key is None or "estimate" not in rows:
        raise refused("the result has no estimates by event time, period, group, dose or term to draw")
    kept = [i for i, (at, estimate) in enumerate(zip(rows[key], rows["estimate"], strict=True)) if None not in (at, estimate)]
    table_of = rows.get("table", [None] * len(rows[key]))
    tables = list(dict.fromkeys(table_of[i] for i in kept))
    if key not in _CURVES:
        first = [i for i in kept if table_of[i] == tables[0]]
        taken = {rows[key][i] for i in first}
        kept = first + [i for i in kept if table_of[i] != tables[0] and rows[key][i] not in taken]
        tables = [None]
    figure, axes = _axes(len(tables), ax)
    for panel, table in zip(axes, tables, strict=False):
        _panel(panel, rows, key, [i for i in kept if table is None or table_of[i] == table])
        if len(tables) > 1:
            panel.set_title(str(table).replace("_", " ").capitalize())
    axes[-1].set_xlabel(key.replace("_", " ").capitalize())
    return figure


def _axes(panels: int, ax: Any) -> tuple[matplotlib.figure.Figure, list[Any]]:
    """The figure of the axes that are given, or a new one with so many."""
    if ax is not None:
        return cast("matplotlib.figure.Figure", ax.get_figure()), [ax]
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    return figure, list(figure.subplots(panels, 1, sharex=True, squeeze=False)[:, 0])


def _panel(ax: Any, rows: dict[str, list[Any]], key: str, kept: list[int]) -> None:
    series = _series(rows, key, kept)
    names = [None] if series is None else list(dict.fromkeys(rows[series][i] for i in kept))
    for place, name in enumerate(names):
        of = [i for i in kept if series is None or rows[series][i] == name]
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
    if series is not None and len(names) > 1:
        ax.legend(title=series.capitalize())


def _series(rows: dict[str, list[Any]], key: str, kept: list[int]) -> str | None:
    """The column that tells apart estimates at one place: estimators of a study, and groups by period."""
    columns = ("estimator", "group") if key == "time" else ("estimator",)
    return next((name for name in columns if any(rows.get(name, [None] * (i + 1))[i] is not None for i in kept)), None)


def _robust(rows: dict[str, list[Any]], ax: Any) -> matplotlib.figure.Figure:
    """The original interval with its estimate, and robust ones by how large violations may be."""
    figure, (panel,) = _axes(1, ax)
    numbers = [i for i, (lower, upper) in enumerate(zip(rows["ci_lower"], rows["ci_upper"], strict=True)) if None not in (lower, upper)]
    original = [i for i in numbers if rows["table"][i] == "original"]
    robust = [i for i in numbers if rows["table"][i] != "original"]
    for place, of, label in (([0], original, "Original"), (range(1, len(robust) + 1), robust, "Robust")):
        middle = [(rows["ci_lower"][i] + rows["ci_upper"][i]) / 2 for i in of]
        half = [(rows["ci_upper"][i] - rows["ci_lower"][i]) / 2 for i in of]
        (bars,) = panel.errorbar(list(place)[: len(of)], middle, yerr=half, fmt="none", capsize=2, label=label)[2]
        points = [(at, rows["estimate"][i]) for at, i in zip(place, of, strict=False) if rows["estimate"][i] is not None]
        panel.plot([at for at, _ in points], [estimate for _, estimate in points], "o", color=bars.get_color()[0])
    panel.set_xticks(range(len(robust) + 1), ["Original", *(f"{rows['m'][i]:g}" for i in robust)])
    panel.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    panel.set_xlabel("M")
    panel.set_ylabel("Estimate")
    panel.legend()
    return figure


def _interval(rows: dict[str, list[Any]], i: int) -> tuple[float, float]:
    """The band of an estimate if there is one, else its interval; the estimate itself where it has none."""
    for kind in ("band", "ci"):
        lower, upper = rows.get(f"{kind}_lower"), rows.get(f"{kind}_upper")
        if lower and upper and lower[i] is not None and upper[i] is not None:
            return lower[i], upper[i]
    estimate: float = rows["estimate"][i]
    return estimate, estimate
