"""Fields of results by the names of ModernDiD, without ModernDiD."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import polars as pl
import pytest
from conftest import close, golden_data

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}


def error(column: list[float]) -> float:
    return math.sqrt(sum(value * value for value in column)) / len(column)


@pytest.mark.parametrize("kind", ["simple", "dynamic", "group", "calendar"])
def test_influence_values_of_averages_give_their_standard_errors(kind: str) -> None:
    fit = did.att_gt(golden_data("mpdta"), **COLUMNS, xformla="~ lpop", influence=True)
    study = did.aggte(fit, kind)
    kept, of_fit = study.influence(), fit.influence()
    assert kept is not None and of_fit is not None and kept["unit"] == of_fit["unit"]
    assert close(error(study.influence_func_overall or []), study.overall_se, 1e-12)
    assert kept["overall"] == study.influence_func_overall
    if kind == "simple":
        assert study.influence_func == study.influence_func_overall
        return
    assert kept.columns == ["unit", "overall", *(f"{at:g}" for at in study.event_times)]
    for column, se in zip(zip(*study.influence_func, strict=True), study.se_by_event, strict=True):
        assert close(error(column), se, 1e-12)


def test_a_reference_has_no_influence() -> None:
    study = did.aggte(did.att_gt(golden_data("mpdta"), **COLUMNS, base_period="universal", influence=True), "dynamic")
    at = study.event_times.index(-1)
    assert study.se_by_event[at] is None and {row[at] for row in study.influence_func} == {0.0}


def test_saved_results_do_not_have_what_grows_with_the_data(tmp_path: Any) -> None:
    study = did.aggte(did.att_gt(golden_data("mpdta"), **COLUMNS, influence=True), "dynamic")
    study.save(tmp_path / "study.json")
    again = did.load(tmp_path / "study.json")
    assert isinstance(again, did.AggregatedResult) and again.influence_func is None and again.tidy().to_dict() == study.tidy().to_dict()


def staggered() -> pl.DataFrame:
    """Units of three groups over four periods."""
    rows = did.simulate("ddd", n=400, random_state=3).data.to_polars()
    assert rows["period"].n_unique() == 2
    of_group = pl.col("id") % 3
    first = pl.when(of_group == 0).then(0).otherwise(of_group + 2)
    later = [rows.with_columns(pl.col("period") + at, pl.col("y") + (at * pl.col("id")).sin()) for at in (0, 2)]
    return pl.concat(later).with_columns(group=first)


def triple(**options: Any) -> did.GroupTimeResult:
    return did.ddd(did.simulate("ddd", n=400, random_state=3).data, "y", "period", "id", "group", "eligible", **options)


def test_triple_differences_in_two_periods_have_their_parts() -> None:
    fit = triple(influence=True, boot=True, biters=2000, random_state=1)
    parts = fit.did_atts
    assert parts is not None and close(parts["att_4v3"] + parts["att_4v2"] - parts["att_4v1"], fit.att, 1e-12)
    assert fit.att_inf_func is not None and len(fit.att_inf_func) == fit.n
    assert fit.boots is not None and len(fit.boots) == 2000
    spread = math.sqrt(sum(draw * draw for draw in fit.boots) / len(fit.boots)) / math.sqrt(fit.n)
    assert close(spread, fit.se, 0.15)
    plain = triple()
    assert plain.boots is None and plain.att_inf_func is None and plain.did_atts == parts
    many = did.ddd(staggered(), "y", "period", "id", "group", "eligible", influence=True, boot=True)
    assert many.boots is None and many.att_inf_func is None and many.did_atts is None


MISSING = {
    "unit_groups": "join those of the data to the units that `influence\\(\\)` names", "subgroup_counts": "count the units",
    "args": "`estimation_params` and `glance\\(\\)`",
}


@pytest.mark.parametrize("field", MISSING)
def test_fields_that_lack_say_what_to_use(field: str) -> None:
    fit = did.att_gt(golden_data("mpdta"), **COLUMNS)
    for way in (fit, copy.copy(fit), copy.deepcopy(fit), pickle.loads(pickle.dumps(fit))):
        with pytest.raises(AttributeError, match=f"GroupTimeResult has no field `{field}`, which ModernDiD has: .*{MISSING[field]}"):
            getattr(way, field)
        assert not hasattr(way, field)
    with pytest.raises(AttributeError, match="GroupTimeResult has no attribute 'att_gtt'"):
        fit.att_gtt  # type: ignore[attr-defined]  # noqa: B018
