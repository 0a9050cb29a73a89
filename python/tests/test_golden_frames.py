"""Golden cases of every estimator, from every kind of frame: what is saved is the same, byte by byte."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import GOLDEN, golden_data, golden_json

import burn_did as did

#: How long steps took, which no two fits have in common.
TIMINGS = re.compile(r'"timings": ?\{"read":[^{}]*\}')
#: What a fit says of the files that it read.
FILES = '{"number":%d,"paths":[%s],"chosen":null,"warnings":[]}'


def of_file(data: pl.DataFrame, folder: Path) -> Path:
    path = folder / "data.parquet"
    data.write_parquet(path)
    return path


def of_duckdb(data: pl.DataFrame) -> Any:
    return pytest.importorskip("duckdb").from_arrow(data.to_arrow())


def of_narwhals(native: Any) -> Any:
    return pytest.importorskip("narwhals").from_native(native)


def in_pieces(data: pl.DataFrame) -> pl.DataFrame:
    """As ``read_parquet`` gives a frame: a piece for each row group."""
    size = len(data) // 3 + 1
    return pl.concat([data[first : first + size] for first in range(0, len(data), size)], rechunk=False)


KINDS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "polars, in pieces": lambda data, _: in_pieces(data),
    "pandas": lambda data, _: data.to_pandas(),
    "pyarrow": lambda data, _: data.to_arrow(),
    "duckdb": lambda data, _: of_duckdb(data),
    "narwhals": lambda data, _: of_narwhals(data),
    "parquet": of_file,
}
OTHER_KINDS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    **KINDS,
    "polars, lazy": lambda data, _: data.lazy(),
    "narwhals, lazy": lambda data, _: of_narwhals(data.lazy()),
    "narwhals of pandas": lambda data, _: of_narwhals(data.to_pandas()),
    "narwhals of pyarrow": lambda data, _: of_narwhals(data.to_arrow()),
    "narwhals of duckdb": lambda data, _: of_narwhals(of_duckdb(data)),
}

STAGGERED = {"yname": "y", "tname": "t", "idname": "id", "gname": "g"}
TRIPLE = {"yname": "y", "tname": "time", "gname": "group", "pname": "partition", "xformla": "~ cov1 + cov2 + cov3 + cov4"}
TWO_PERIODS = {"yname": "y", "tname": "t", "idname": "id", "treatname": "d", "xformla": "~ x1 + x2", "weightsname": "w"}
DOSES = {"yname": "Y", "tname": "time_period", "idname": "id", "gname": "G", "dname": "D"}
SWITCHING = {"yname": "y", "tname": "t", "idname": "id", "dname": "d", "effects": 3, "placebo": 2}
SPLINES = {"j_x_degree": 2, "j_x_segments": 1, "k_w_degree": 3, "k_w_segments": 3}
COUNTIES: dict[str, Any] = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}

#: Function, data and arguments, mostly of cases whose numbers the other tests compare with those of R.
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "att_gt": ("att_gt", "tvw_a", {**STAGGERED, "xformla": "~ x1 + x2", "weightsname": "w", "fix_weights": "first_period"}),
    "att_gt, unbalanced": (
        "att_gt", "unbal_a", {**STAGGERED, "xformla": "~ x1 + x2", "weightsname": "w", "clustervars": "cl", "allow_unbalanced_panel": True},
    ),
    "att_gt, cross-sections": (
        "att_gt", "rcs_a", {**STAGGERED, "idname": None, "xformla": "~ x1 + x2", "panel": False, "clustervars": "cl"},
    ),
    "att_gt, draws": ("att_gt", "small_a", {**STAGGERED, "boot": True, "biters": 200, "random_state": 1, "multiplier": "rademacher"}),
    "drdid": ("drdid", "two_a", {**TWO_PERIODS, "est_method": "imp"}),
    "drdid, draws": ("drdid", "two_a_rc", {**TWO_PERIODS, "idname": None, "panel": False, "boot": True, "biters": 50, "random_state": 11}),
    "ordid": ("ordid", "two_a", TWO_PERIODS),
    "ipwdid": ("ipwdid", "two_a", TWO_PERIODS),
    "ddd": ("ddd", "dddmp_a", {**TRIPLE, "idname": "id", "control_group": "notyettreated", "base_period": "universal"}),
    "ddd, cross-sections": ("ddd", "dddmp_rc_a", {**TRIPLE, "panel": False, "shares_of": "eligible"}),
    "cont_did": ("cont_did", "cont_a", {**DOSES, "degree": 2, "num_knots": 1}),
    "cont_did, cck": ("cont_did", "cont2_a, 60 units", {**DOSES, "dose_est_method": "cck"}),
    "did_multiplegt": ("did_multiplegt", "multiplegt_mgt_a", {**SWITCHING, "cluster": "cl"}),
    "did_multiplegt, missing values": (
        "did_multiplegt", "multiplegt_oracle_0", {**SWITCHING, "xformla": "~ x + z", "weightsname": "w", "cluster": "cl"},
    ),
    "feols": ("feols", "fe3_a", {"fml": "y ~ x1 + x2 | worker + firm^year", "vcov": "cluster:state"}),
    "fepois": ("fepois", "fepois", {"fml": "y ~ x1 + x2 | firm + year", "vcov": "cluster:sector"}),
    "feglm": ("feglm", "fepois", {"fml": "share ~ x1 + x2 | firm + year", "family": "probit", "vcov": "cluster:firm", "weights": "w"}),
    "demean": ("demean", "fe_easy_a", {"columns": ["y", "x1"], "absorb": ["worker", "firm^year"], "weightsname": "w"}),
    "sunab": ("sunab", "unbal_a", {**STAGGERED, "xformla": "x1", "weightsname": "w"}),
    "imputation": ("imputation", "stag_a", {**STAGGERED, "horizon": [0, 1, 3], "pretrends": [-3, -2, -1]}),
    "did_imputation": ("did_imputation", "stag_a", {**STAGGERED, "first_stage": "~ x3 | id + t"}),
    "did2s": ("did2s", "stag_a", {**STAGGERED, "ref": [-1.0], "clustervars": "cl"}),
    "etwfe": ("etwfe", "mpdta", {**COUNTIES, "xformla": "~ lpop", "vcov": {"CRV1": "countyreal"}}),
    "stacked": ("stacked", "stag_a", {**STAGGERED, "kappa_pre": 2, "kappa_post": 2}),
    "lpdid": ("lpdid", "stag_a", {**STAGGERED, "window": (-3, 3), "method": "reweighted"}),
    "bacon": ("bacon", "tvw_a", {**STAGGERED, "xname": ["x3"]}),
    "twfe_weights": ("twfe_weights", "stag_a", {**STAGGERED, "weightsname": "w", "type": "feTR", "cells": "cohort"}),
    "npiv": ("npiv", "npiv", {"yname": "y", "xname": ["x1", "x2"], "wname": ["w1", "w2"], **SPLINES}),
    "joint_study": ("joint_study", "mpdta", {**COUNTIES, "xformla": "~ lpop", "estimators": ["cs", "sa", "bjs"]}),
    "specification_curve": ("specification_curve", "mpdta", {**COUNTIES, "vary": {"covariates": ["~ lpop", "~ 1"]}, "estimators": ["cs"]}),
    "describe": ("describe", "unbal_a", {**STAGGERED, "xname": ["x1", "x2"], "weightsname": "w", "clustervars": "cl"}),
    "panelview": ("panelview", "unbal_a", STAGGERED),
    "means": ("means", "unbal_a", {**STAGGERED, "weightsname": "w"}),
    "balance": ("balance", "unbal_a", {**STAGGERED, "xname": ["x1", "x2"], "weightsname": "w"}),
}


@cache
def data_of(name: str) -> pl.DataFrame:
    if name == "npiv":
        columns = golden_json("npiv.json")["data"]
        return pl.DataFrame({column: columns[column] for column in ("y", "x1", "x2", "w1", "w2")})
    if name.startswith("multiplegt"):
        return pl.read_csv(GOLDEN / f"{name}.csv", infer_schema_length=None)
    if name == "fepois":
        return golden_data(name).with_columns(share=pl.col("y") / (pl.col("y") + 3.0))
    # The number of splines is chosen by draws, which take a second of all 700 units.
    return golden_data("cont2_a").filter(pl.col("id") <= 60) if name == "cont2_a, 60 units" else golden_data(name)


def written(fit: Any, path: Path | None = None) -> str:
    """What is saved of a fit, but for how long it took and for the path of a file that it read; tables are not saved."""
    if not isinstance(fit, did.Result):
        return json.dumps(fit.to_dict())
    text = TIMINGS.sub("", fit.to_json())
    if path is not None:
        file = FILES % (1, json.dumps(str(path)))
        assert file in text
        text = text.replace(file, FILES % (0, "")).replace(f"burn-did att-gt {path} ", "burn-did att-gt DATA ")
    return text


def fitted(case: str, data: Any) -> Any:
    function, _, arguments = CASES[case]
    return getattr(did, function)(data=data, **arguments)


@cache
def written_from_polars(case: str) -> str:
    return written(fitted(case, data_of(CASES[case][1])))


def is_estimator(name: str) -> bool:
    function = getattr(did, name)
    if not inspect.isfunction(function) or "data" not in inspect.signature(function).parameters:
        return False
    returned = getattr(did, str(inspect.signature(function).return_annotation), object)
    return issubclass(returned, (did.Result, did.Table))


def test_every_estimator_has_a_case() -> None:
    assert {name for name in did.__all__ if is_estimator(name)} == {function for function, _, _ in CASES.values()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES)
def test_every_frame_gives_the_same_bytes(case: str, kind: str, tmp_path: Path) -> None:
    data = KINDS[kind](data_of(CASES[case][1]), tmp_path)
    fit = fitted(case, data)
    assert written(fit, data if kind == "parquet" else None) == written_from_polars(case)
    if isinstance(fit, did.Result):
        fit.save(tmp_path / "saved.json")
        assert (tmp_path / "saved.json").read_bytes() == fit.to_json().encode()


def counties() -> pl.DataFrame:
    large = pl.when(pl.col("lpop") > 4).then(pl.lit("large"))
    size = large.when(pl.col("lpop") > 3).then(pl.lit("middle")).otherwise(pl.lit("small"))
    return golden_data("mpdta").with_columns(size=size, state=pl.col("countyreal") // 1000)


def with_nulls() -> pl.DataFrame:
    """Some rows of every column are null; a group that is null is never treated."""
    row = pl.int_range(pl.len())
    some = {"lemp": 101, "lpop": 103, "year": 211, "countyreal": 223, "state": 227, "size": 229, "treat": 233}
    data = counties().with_columns(pl.when(row % every != 7).then(pl.col(name)).alias(name) for name, every in some.items())
    return data.with_columns(pl.when(pl.col("first.treat") > 0).then("first.treat").alias("first.treat"))


def with_categories() -> pl.DataFrame:
    """Categories have no order that DuckDB keeps, so levels of the factor are in that of their names."""
    texts = counties().with_columns(pl.format("county {}", "countyreal").alias("countyreal"), pl.format("state {}", "state").alias("state"))
    size = pl.col("size").cast(pl.Enum(["large", "middle", "small"]))
    return texts.with_columns(pl.col("countyreal", "state").cast(pl.Categorical), size)


def with_dates() -> pl.DataFrame:
    first = pl.when(pl.col("first.treat") > 0).then(pl.date("first.treat", 1, 1))
    return counties().with_columns(pl.date("year", 1, 1).alias("year"), first.alias("first.treat"))


COLUMNS = {"nulls": with_nulls, "categories": with_categories, "dates": with_dates}


def all_that_is_known(data: Any, columns: str) -> list[Any]:
    """A fit by group and period and a regression, with what is not saved of them."""
    path = data if isinstance(data, Path) else None
    frequency = "year" if columns == "dates" else None
    effects = did.att_gt(
        data, **COUNTIES, xformla="~ lpop + size", clustervars="state", allow_unbalanced_panel=True, frequency=frequency,
        influence=True, keep_scores=True,
    )
    regression = did.feols("lemp ~ lpop + size | state + treat", data, "cluster:state", residuals=True, fixef=True)
    influence, scores = effects.influence(), effects.scores()
    assert influence is not None and scores is not None
    known = [written(effects, path), written(regression, path), influence.to_dict(), scores.to_dict(), effects.warnings]
    return [json.dumps(part) for part in (*known, regression.resid(), regression.fixef(), regression.predict(data))]


@cache
def known_from_polars(columns: str) -> list[Any]:
    return all_that_is_known(COLUMNS[columns](), columns)


@pytest.mark.parametrize("kind", OTHER_KINDS)
@pytest.mark.parametrize("columns", COLUMNS)
def test_nulls_categories_and_dates_are_the_same_in_every_frame(columns: str, kind: str, tmp_path: Path) -> None:
    got = all_that_is_known(OTHER_KINDS[kind](COLUMNS[columns](), tmp_path), columns)
    assert got == known_from_polars(columns)


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_dates_are_the_same_levels_as_their_timestamps(unit: Any) -> None:
    dates = with_dates()
    fit = did.feols("lemp ~ lpop | year", dates, fixef=True)
    stamps = dates.with_columns(pl.col("year").cast(pl.Datetime(unit)))
    assert fit.predict(stamps) == fit.predict(dates)
    assert did.feols("lemp ~ lpop | year", stamps, fixef=True).fixef() == fit.fixef()


MADE: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "order": ("lemp ~ lpop + made", lambda pandas, data: pandas.Categorical(data["size"], ["small", "middle", "large"])),
    "intervals": ("lemp ~ lpop + made", lambda pandas, data: pandas.cut(data["lpop"], [0, 2, 4, 9])),
    "periods": ("lemp ~ lpop | made", lambda pandas, data: pandas.PeriodIndex(data["year"].astype(str), freq="Y")),
    "objects that nothing names": ("lemp ~ lpop", lambda _, data: [object() for _ in data.index]),
}


@pytest.mark.parametrize("made", MADE)
def test_narwhals_frames_of_pandas_are_those_of_pandas(made: str) -> None:
    formula, column = MADE[made]
    data = counties().to_pandas()
    data["made"] = column(pytest.importorskip("pandas"), data)
    assert written(did.feols(formula, of_narwhals(data), fixef=True)) == written(did.feols(formula, data, fixef=True))


def test_periods_of_pandas_in_a_table_are_those_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    data = counties().to_pandas()
    data["made"] = MADE["periods"][1](pandas, data)
    formula = MADE["periods"][0]
    assert written(did.feols(formula, pyarrow.Table.from_pandas(data))) == written(did.feols(formula, data))


def test_periods_of_pandas_in_a_file_are_refused_by_name(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    data = counties().to_pandas()
    data["made"] = MADE["periods"][1](pandas, data)
    path = tmp_path / "periods.parquet"
    data.to_parquet(path)
    with pytest.raises(did.BurnDidError, match="`made` has periods of pandas"):
        did.feols("lemp ~ lpop | made", path)
    assert did.feols("lemp ~ lpop", path).coef() == did.feols("lemp ~ lpop", data).coef()


def test_frames_in_pieces_are_read_where_they_are() -> None:
    data = in_pieces(golden_data("mpdta")).with_columns(unread=pl.lit([1, 2]), name=(pl.col("countyreal") % 50).cast(pl.String).cast(pl.Categorical))
    before = data.n_chunks("all")
    assert max(before) > 1
    fit = did.att_gt(data, **COUNTIES, clustervars="name")
    # polars puts the pieces together, and holds both, where it hands over a whole frame.
    assert data.n_chunks("all") == before
    assert written(fit, None) == written(did.att_gt(data.rechunk(), **COUNTIES, clustervars="name"), None)
