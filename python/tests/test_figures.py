"""Figures of matplotlib show what pictures show, or say that they do not; groups and periods go by the names that results show."""

from __future__ import annotations

import datetime
from functools import cache
from typing import Any

import polars as pl
import pytest
from conftest import golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def data() -> pl.DataFrame:
    return golden_data("mpdta")


@cache
def fit() -> did.GroupTimeResult:
    return did.att_gt(data(), **COLUMNS, base_period="universal")


def bars(axes: Any) -> list[tuple[float, float]]:
    """Ends of all intervals."""
    return [(segment[0][1], segment[1][1]) for held in axes.containers for line in held[2] for segment in line.get_segments()]


def test_averages_by_period() -> None:
    pytest.importorskip("matplotlib")
    years = did.aggte(fit(), "calendar")
    axes = years.figure().axes[0]
    rows = years.tidy().to_dict()
    assert axes.get_xlabel() == "Time" and axes.get_legend() is None
    assert list(axes.lines[0].get_ydata()) == [e for e, of in zip(rows["estimate"], rows["table"]) if of == "rows"]


def test_each_estimator_has_a_colour() -> None:
    pytest.importorskip("matplotlib")
    study = did.joint_study(data(), **COLUMNS, estimators=["cs", "sa", "bjs"])
    axes = study.figure().axes[0]
    assert axes.get_legend().get_title().get_text() == "Estimator"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["cs", "sa", "bjs"]
    assert len(axes.containers) == 3 and len({held[0].get_color() for held in axes.containers}) == 3
    places = [set(held[0].get_xdata()) for held in axes.containers]
    assert not places[0] & places[1] and not places[1] & places[2]


def test_sensitivity_has_its_intervals() -> None:
    pytest.importorskip("matplotlib")
    honest = did.honest_did(did.aggte(fit(), "dynamic"), m_vec=[0, 0.01, 0.02])
    axes = honest.figure().axes[0]
    rows = honest.tidy().to_dict()
    want = list(zip(rows["ci_lower"], rows["ci_upper"]))
    assert [pytest.approx(ends) for ends in want] == bars(axes)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["Original", "0", "0.01", "0.02"]


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
