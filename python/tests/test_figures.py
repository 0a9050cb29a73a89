"""Figures of matplotlib show what pictures show, or say that they do not; groups and periods go by the names that results show."""

from __future__ import annotations

import datetime
import math
from functools import cache
from typing import Any

import polars as pl
import pytest
from conftest import golden_data

import burn_did as did
from burn_did._figure import _kept
from burn_did._figure_curves import draw_curves
from burn_did._figure_words import Facts

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def data() -> pl.DataFrame:
    return golden_data("mpdta")


@cache
def fit() -> did.GroupTimeResult:
    return did.att_gt(data(), **COLUMNS, base_period="universal")


def bars(axes: Any, kind: str | None = None) -> list[tuple[float, float]]:
    """Ends of all intervals, or of those of a kind."""
    held = [bars for bars in axes.containers if kind is None or bars.get_label() == f"_{kind}"]
    return [(segment[0][1], segment[1][1]) for bars in held for line in bars[2] for segment in line.get_segments()]


def points(axes: Any, *, are_hollow: bool = False) -> list[tuple[float, float, Any]]:
    """Places, estimates and colours of the points."""
    lines = [line for line in axes.lines if line.get_label() == "_estimates" and (line.get_markerfacecolor() == "white") == are_hollow]
    return [(x, y, line.get_color()) for line in lines for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]


def dashed(axes: Any) -> list[float]:
    """Where the line at treatment is."""
    return [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == "--"]


def explained(axes: Any) -> list[str]:
    """The words of the legend."""
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_averages_by_period() -> None:
    pytest.importorskip("matplotlib")
    years = did.aggte(fit(), "calendar")
    axes = years.figure().axes[0]
    rows = years.tidy().to_dict()
    assert axes.get_xlabel() == "Period" and axes.get_ylabel() == "ATT (lemp)"
    assert explained(axes) == ["95% pointwise interval"]
    assert [y for _, y, _ in points(axes)] == [e for e, of in zip(rows["estimate"], rows["table"]) if of == "rows"]


def test_before_at_and_after_treatment_are_told_apart() -> None:
    pytest.importorskip("matplotlib")
    study = did.aggte(fit(), "dynamic", alpha=0.1)
    axes = study.figure().axes[0]
    assert axes.get_xlabel() == "Periods since first treatment" and axes.get_ylabel() == "ATT (lemp)"
    assert explained(axes) == ["Pre-treatment", "Reference period", "Post-treatment", "90% pointwise interval"]
    assert [(x, y) for x, y, _ in points(axes, are_hollow=True)] == [(-1.0, 0.0)]
    colours = {x: colour for x, _, colour in points(axes)}
    assert colours[-3.0] == colours[-2.0] and colours[0.0] == colours[3.0] and colours[-2.0] != colours[0.0]
    assert dashed(axes) == [-0.5]


def test_the_line_at_treatment_is_before_it_without_an_estimate_there() -> None:
    pytest.importorskip("matplotlib")
    rows = [
        {"id": unit, "t": t, "g": 3 if unit % 2 else 0, "y": math.sin(unit * 7.0 + t * 3.0)} for unit in range(20) for t in (1, 2, 6, 7)
    ]
    study = did.aggte(did.att_gt(pl.DataFrame(rows), "y", "t", "id", "g", base_period="universal"), "dynamic")
    axes = study.figure().axes[0]
    assert sorted(x for x, _, _ in points(axes) + points(axes, are_hollow=True)) == [-2.0, -1.0, 3.0, 4.0]
    assert dashed(axes) == [-0.5]


def test_a_result_without_estimates_has_no_figure() -> None:
    pytest.importorskip("matplotlib")
    rows = [
        {"id": unit, "t": t, "g": 2 if unit % 2 else 0, "p": int(unit % 2 == 0), "y": math.sin(unit * 7.0 + t * 3.0)}
        for unit in range(20) for t in (1, 2, 3)
    ]
    without = did.ddd(pl.DataFrame(rows), "y", "t", "id", "g", "p")
    assert without.tidy().to_dict()["estimate"] == [None, None]
    with pytest.raises(did.OptionError, match="there is no estimate to draw"):
        without.figure()
    with pytest.raises(did.BurnDidError, match="there is no estimate to draw"):
        without.plot()
    curve: dict[str, list[Any]] = {"table": ["function", "function"], "x": [0.0, 1.0], "estimate": [None, None]}
    with pytest.raises(did.OptionError, match="there is no estimate to draw"):
        draw_curves(curve, "x", Facts(fit(), fit().tidy().to_dict()), None)


def test_averages_by_level_are_not_drawn_among_those_over_all_levels() -> None:
    rows: dict[str, list[Any]] = {
        "table": ["event_times", "event_times", "level_event_times", "level_event_times"], "event_time": [0.0, 1.0, 0.0, 1.0],
        "level": [None, None, "a", "a"], "estimate": [2.0, None, 3.0, 4.0],
    }
    assert _kept(rows, "event_time", None) == [0]


def test_bands_stand_around_intervals() -> None:
    pytest.importorskip("matplotlib")
    band = did.aggte(did.att_gt(data(), **COLUMNS, cband=True), "dynamic")
    axes = band.figure().axes[0]
    rows = band.tidy().to_dict()
    there = [i for i, of in enumerate(rows["table"]) if of == "rows"]
    for kind, name in (("interval", "ci"), ("band", "band")):
        assert bars(axes, kind) == [pytest.approx((rows[f"{name}_lower"][i], rows[f"{name}_upper"][i])) for i in there]
    assert explained(axes)[-2:] == ["95% pointwise interval", "95% uniform band"]


def test_the_legend_covers_no_estimate() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = fit().figure()
    FigureCanvasAgg(figure).draw()
    axes = figure.axes[0]
    assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1
    assert axes.get_legend().get_window_extent().x1 <= figure.bbox.x1


def test_each_estimator_has_a_colour() -> None:
    pytest.importorskip("matplotlib")
    study = did.joint_study(data(), **COLUMNS, estimators=["cs", "sa", "bjs"])
    axes = study.figure().axes[0]
    assert axes.get_legend().get_title().get_text() == "Estimator"
    assert explained(axes)[:3] == ["cs", "sa", "bjs"] and "Reference period" in explained(axes)
    places = {colour: x for x, _, colour in points(axes) if round(x) == 1}
    assert len(places) == 3 and len(set(places.values())) == 3


def test_means_are_levels_or_changes() -> None:
    pytest.importorskip("matplotlib")
    levels = did.means(data(), **COLUMNS).figure().axes[0]
    assert levels.get_ylabel() == "Mean (lemp)" and levels.get_ylim()[0] > 4
    changes = did.means(data(), **COLUMNS, relative=True).figure().axes[0]
    assert changes.get_ylabel() == "Change of mean (lemp)" and "Base period" in explained(changes)
    assert {y for _, y, _ in points(changes, are_hollow=True)} == {0.0} and max(y for _, y, _ in points(changes)) < 1
    assert explained(changes)[:4] == ["2004", "2006", "2007", "never treated"]


def test_treatments_that_switch_have_their_reference() -> None:
    pytest.importorskip("matplotlib")
    treated = data().with_columns(d=(pl.col("first.treat") > 0) & (pl.col("year") >= pl.col("first.treat")))
    axes = did.did_multiplegt(treated, "lemp", "year", "countyreal", "d", effects=2, placebo=1).figure().axes[0]
    assert [(x, y) for x, y, _ in points(axes, are_hollow=True)] == [(0, 0.0)]
    assert sorted(x for x, _, _ in points(axes)) == [-1, 1, 2]
    assert axes.get_ylabel() == "Effect (lemp)" and "last pre-switch period" in axes.get_xlabel()
    assert dashed(axes) == [0.5]


def test_references_that_are_no_rows_are_drawn() -> None:
    pytest.importorskip("matplotlib")
    fits = (did.did2s(data(), **COLUMNS, ref=-1), did.pretrends(did.aggte(fit(), "dynamic")))
    for result in fits:
        assert [(x, y) for x, y, _ in points(result.figure().axes[0], are_hollow=True)] == [(-1.0, 0.0)]


def test_coefficients_by_year_are_beside_their_reference() -> None:
    pytest.importorskip("matplotlib")
    study = did.event_study(did.feols("lemp ~ i(year, lpop, ref = 2003) | countyreal + year", data()))
    axes = study.figure().axes[0]
    assert axes.get_xlabel() == "year" and axes.get_ylabel() == "Coefficient (lemp)"
    assert explained(axes)[:2] == ["Reference", "After the reference"]


def many(groups: int, frequency: str | None = None) -> did.GroupTimeResult:
    """A fit with so many groups."""
    def when(period: int) -> Any:
        return datetime.date(2000 + period // 12, period % 12 + 1, 1) if frequency else period

    rows = [
        {"id": unit, "t": when(t), "g": when(g) if g else None, "y": math.sin(unit * 7.0 + t * 3.0)}
        for unit in range(6 * (groups + 1)) for g in [unit % (groups + 1) + 1 if unit % (groups + 1) else 0] for t in range(groups + 2)
    ]
    return did.att_gt(pl.DataFrame(rows), "y", "t", "id", "g", frequency=frequency)


@pytest.mark.parametrize("frequency", [None, "month"])
def test_many_groups_stand_beside_their_periods(frequency: str | None) -> None:
    pytest.importorskip("matplotlib")
    figure = many(20, frequency).figure()
    axes = figure.axes[0]
    at = [x for x, _, _ in points(axes)]
    base = round(min(at))
    spread = [x - base - round(x - base) for x in at]
    assert max(spread) - min(spread) <= 0.6 and len({round(shift, 9) for shift in spread}) == 20
    after = {colour for line in axes.lines if line.get_label() == "_estimates" for colour in [tuple(line.get_color())] if min(colour) < 0.55}
    assert len(after) == 20
    assert explained(axes) == ["Pre-treatment", "Post-treatment", "95% pointwise interval"]
    bar = axes.child_axes[0]
    assert bar.get_ylabel() == "Group" and len(bar.get_yticks()) > 3
    if frequency:
        assert all(len(text.get_text()) == 7 and text.get_text().startswith("200") for text in axes.get_xticklabels())


def test_legends_name_fifteen_groups() -> None:
    pytest.importorskip("matplotlib")
    axes = many(15).figure().axes[0]
    assert explained(axes)[:15] == [str(group) for group in range(2, 17)] and not axes.child_axes
    assert len({text for text in map(str, (handle.get_color() for handle in axes.get_legend().legend_handles[:15]))}) == 15


@pytest.mark.parametrize("frequency", ["week", "day", "quarter", "year"])
def test_dates_stand_as_far_apart_as_they_are(frequency: str) -> None:
    pytest.importorskip("matplotlib")
    steps = {"week": 7, "day": 1, "quarter": 91.4, "year": 365.3}
    dates = [datetime.date(2019, 12, 2) + datetime.timedelta(days=round(steps[frequency] * step)) for step in (0, 1, 2, 4)]
    rows = [
        {"id": unit, "t": t, "g": [None, dates[2], dates[3]][unit % 3], "y": math.sin(unit * 7.0 + i)}
        for unit in range(30) for i, t in enumerate(dates)
    ]
    axes = did.att_gt(pl.DataFrame(rows), "y", "t", "id", "g", frequency=frequency, base_period="universal").figure().axes[0]
    ticks = [float(tick) for tick in axes.get_xticks()]
    assert [tick - ticks[0] for tick in ticks] == pytest.approx([0, 1, 2, 4]) and len(axes.get_xticklabels()) == 4
    at = [x for x, _, _ in points(axes) + points(axes, are_hollow=True)]
    assert all(min(abs(x - tick) for tick in ticks) == pytest.approx(0.06) for x in at)


def test_sensitivity_has_its_intervals() -> None:
    pytest.importorskip("matplotlib")
    honest = did.honest_did(did.aggte(fit(), "dynamic"), m_vec=[0, 0.01, 0.02])
    axes = honest.figure().axes[0]
    rows = honest.tidy().to_dict()
    want = list(zip(rows["ci_lower"], rows["ci_upper"]))
    assert [pytest.approx(ends) for ends in want] == bars(axes)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["Original", "0", "0.01", "0.02"]
    assert list(axes.get_xticks()) == pytest.approx([-0.01, 0, 0.01, 0.02])
    assert axes.get_xlabel().endswith("(M)") and axes.get_ylabel() == "Effect at event time 0 (lemp)"


def test_original_and_robust_intervals_have_other_colours() -> None:
    pytest.importorskip("matplotlib")
    honest = did.honest_did(did.aggte(fit(), "dynamic"), sensitivity_type="rm", m_bar_vec=[0.5, 1, 1.5], grid_points=100)
    axes = honest.figure().axes[0]
    assert explained(axes)[:2] == ["95% original interval", "95% robust interval\n(C-LF, DeltaRM)"]
    assert len({tuple(held[2][0].get_color()[0]) for held in axes.containers}) == 2
    assert len({tuple(handle.get_color()[0]) for handle in axes.get_legend().legend_handles[:2]}) == 2
    assert r"\bar{M}" in axes.get_xlabel()


def test_curves_go_from_left_to_right() -> None:
    pytest.importorskip("matplotlib")
    drawn = did.simulate("npiv", n=200, random_state=1).data.to_polars().rename({"x": "size"})
    figure = did.npiv(drawn, "y", "size").figure()
    for axes in figure.axes:
        x = list(axes.lines[0].get_xdata())
        assert x == sorted(x)
    assert figure.axes[-1].get_xlabel() == "size" and figure.axes[0].get_ylabel() == "h (y)"
    assert explained(figure.axes[0]) == ["95% pointwise interval", "95% uniform band"]
    with pytest.raises(did.OptionError, match="one regressor"):
        did.npiv(drawn.with_columns(other=pl.col("size") ** 2), "y", ["size", "other"]).figure()


@pytest.mark.parametrize("kind", ["twfe_weights", "bacon", "panelview", "describe", "balance", "overlap"])
def test_other_pictures_are_drawn_by_plot(kind: str) -> None:
    pytest.importorskip("matplotlib")
    looks: dict[str, Any] = {"tname": "year", "idname": "countyreal", "gname": "first.treat"}
    results = {
        "twfe_weights": lambda: did.twfe_weights(data(), **COLUMNS),
        "bacon": lambda: did.bacon(data(), **COLUMNS),
        "panelview": lambda: did.panelview(data(), **looks),
        "describe": lambda: did.describe(data(), **looks),
        "balance": lambda: did.balance(data(), **looks, xname="lpop"),
        "overlap": lambda: did.att_gt(data(), **COLUMNS, xformla="~ lpop").overlap(),
    }
    with pytest.raises(did.OptionError, match=r"`plot\(\)` draws it"):
        results[kind]().figure()


def monthly() -> did.GroupTimeResult:
    month = [datetime.date(2003 + i // 12, i % 12 + 1, 1) for i in range(0, 60, 12)]
    starts = dict(zip(range(2003, 2008), month, strict=True))
    dated = data().with_columns(
        year=pl.col("year").replace_strict(starts, return_dtype=pl.Date),
        **{"first.treat": pl.col("first.treat").replace_strict(starts, default=None, return_dtype=pl.Date)},
    )
    return did.att_gt(dated, **COLUMNS, frequency="year", weighting=True)


def test_groups_and_periods_by_the_names_that_results_show() -> None:
    dated = monthly()
    group, time = dated.groups[0], dated.times[0]
    at = dated.att_gt[0]
    for name in (str, lambda value: value):
        assert dated.contrast({(name(group), name(time)): 1.0})["estimate"] == at
    assert dated.contrast({(datetime.date(2004, 1, 1), datetime.datetime(2004, 1, 1)): 1.0})["estimate"] == at
    pandas = pytest.importorskip("pandas")
    assert dated.contrast({(pandas.Timestamp("2004-01-01"),) * 2: 1.0})["estimate"] == at
    assert dated.contrast({(2004.0, 2004.0): 1.0})["estimate"] == at
    chosen = dated.weighting(group, time)
    assert chosen == dated.weighting(datetime.date(2004, 1, 1), "2004-01-01")
    with pytest.raises(did.OptionError, match="`group` and `time`"):
        dated.weighting("1999")
    with pytest.raises(did.OptionError, match="`group` must be"):
        dated.weighting("soon")
    with pytest.raises(did.OptionError, match="`weights` must have"):
        dated.contrast({("soon", "later"): 1.0})
    for weight in (float("nan"), float("inf")):
        with pytest.raises(did.BurnDidError, match="finite numbers"):
            fit().contrast({(2004, 2004): weight})
    assert fit().contrast({(2004, 2004): 1.0}) == fit().contrast({("2004", 2004.0): 1.0})


def test_months_have_names() -> None:
    rows = data().with_columns(year=pl.format("{}-01", "year"), **{"first.treat": pl.format("{}-01", "first.treat")})
    rows = rows.with_columns(pl.col("first.treat").replace("0-01", None))
    dated = did.att_gt(rows, **COLUMNS, frequency="month")
    assert dated.groups[0] == "2004-01"
    named = {(group, time): 1.0 for group, time in zip(dated.groups[:1], dated.times[:1], strict=True)}
    assert dated.contrast(named)["estimate"] == dated.att_gt[0]


def test_effects_at_one_dose() -> None:
    doses = did.simulate("cont_did", n=200, random_state=1).data.to_polars()
    curve = did.cont_did(doses, "y", "period", "id", "group", "dose")
    assert curve.at(0.5).to_dict() == curve.at([0.5]).to_dict()
