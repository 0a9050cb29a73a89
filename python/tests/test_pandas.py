"""Frames of pandas: their index, columns that no Arrow type has, categories, periods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import burn_did as did

COLUMNS = {"yname": "lemp", "tname": "year", "idname": "countyreal", "gname": "first.treat"}
KEYS = ("countyreal", "year")


@pytest.fixture
def frame() -> pd.DataFrame:
    return did.load_mpdta().to_pandas()


@pytest.fixture
def quarters(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(q=pd.qcut(frame.lpop, 4, labels=False))


def numbers(result: did.Result) -> Any:
    return result.tidy().to_dict()


@pytest.mark.parametrize("estimator", [did.att_gt, did.etwfe, did.imputation, did.sunab, did.stacked])
def test_groups_that_are_never_treated_are_zero_infinite_or_null(frame: pd.DataFrame, estimator: Any) -> None:
    more = {"kappa_pre": 1, "kappa_post": 0} if estimator is did.stacked else {}
    rows = pl.from_pandas(frame).with_columns(pl.col("first.treat").cast(pl.Float64))
    some = (pl.col("first.treat") == 0) & (pl.col("countyreal") % 2 == 0)

    def with_group(value: float | None) -> pl.DataFrame:
        return rows.with_columns(pl.when(some).then(pl.lit(value, dtype=pl.Float64)).otherwise("first.treat").alias("first.treat"))

    want = numbers(estimator(rows, **COLUMNS, **more))
    for value in (np.inf, None):
        assert numbers(estimator(with_group(value), **COLUMNS, **more)) == want
    left_out = estimator(with_group(np.nan), **COLUMNS, **more)
    assert numbers(left_out) == numbers(estimator(rows.filter(~some), **COLUMNS, **more)) != want
    assert any("dropped" in warning for warning in left_out.warnings)
    assert numbers(estimator(with_group(np.nan).to_pandas(), **COLUMNS, **more)) == want


def test_an_index_without_a_name_is_no_column(frame: pd.DataFrame) -> None:
    twice = pd.concat([frame, frame.iloc[[0, 7]]], ignore_index=True).query("lpop > 0.5")
    once = did.panel.deduplicate(twice, *KEYS, "equal")
    assert once.columns == list(frame.columns)
    wide = did.panel.to_wide(twice.drop_duplicates(), *KEYS)
    assert not any("index" in column for column in wide.columns)
    # A table that pandas made has the index as a column, too.
    table = pa.Table.from_pandas(twice.drop_duplicates())
    assert table.column_names[-1] == "__index_level_0__"
    assert did.panel.lag(table, *KEYS, "lemp").columns == [*frame.columns, "lemp_lag1"]


def test_an_index_is_a_column_if_an_argument_has_its_name(frame: pd.DataFrame) -> None:
    indexed = frame.set_index(list(KEYS))
    assert numbers(did.att_gt(indexed, **COLUMNS)) == numbers(did.att_gt(frame, **COLUMNS))
    assert set(did.panel.lag(indexed, *KEYS, "lemp").columns) == {*frame.columns, "lemp_lag1"}
    row = frame.rename_axis("row")
    assert did.panel.lag(row, *KEYS, "lemp").columns == [*frame.columns, "lemp_lag1"]


def test_rows_of_tools_are_in_order(frame: pd.DataFrame) -> None:
    shuffled = frame.sample(frac=1, random_state=2)
    made = did.panel.lag(shuffled, *KEYS, "lemp").to_pandas()
    assert made.equals(made.sort_values(list(KEYS), ignore_index=True))
    for tool in ("first_treated", "balance", "fill_gaps", "deduplicate", "lag", "difference", "long_difference", "to_wide"):
        assert "Rows come in the order of units" in (getattr(did.panel, tool).__doc__ or ""), tool


@pytest.mark.parametrize("kind", ["mixed", "objects", "complex", "sparse", "twice"])
def test_columns_that_are_not_named_do_not_matter(kind: str, frame: pd.DataFrame) -> None:
    junk: dict[str, Any] = {
        "mixed": [1, "a"] * (len(frame) // 2), "objects": [object() for _ in frame.index],
        "complex": np.ones(len(frame), complex), "sparse": pd.arrays.SparseArray([0] * len(frame)),
    }
    if kind == "twice":
        wider = frame.assign(a=1, b="x").rename(columns={"a": "junk", "b": "junk"})
    else:
        wider = frame.assign(junk=junk[kind])
    assert numbers(did.att_gt(wider, **COLUMNS, xformla="~ lpop")) == numbers(did.att_gt(frame, **COLUMNS, xformla="~ lpop"))
    with pytest.raises(did.DataError, match="did you mean|not in the data") as missing:
        did.att_gt(wider, **{**COLUMNS, "yname": "lem"})
    assert missing.value.columns == ["lem"]
    if kind in ("mixed", "objects", "complex"):
        with pytest.raises(did.DataError, match="column `junk` cannot be read") as problem:
            did.feols("lemp ~ junk", wider)
        assert problem.value.columns == ["junk"] and "leave it out" in (problem.value.remedy or "")
    if kind == "twice":
        with pytest.raises(did.DataError, match="two columns are called `junk`"):
            did.feols("lemp ~ junk", wider)


def test_two_columns_of_one_name_in_a_table(frame: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.append_column("junk", table["lpop"]).append_column("junk", table["lpop"])
    assert numbers(did.att_gt(table, **COLUMNS)) == numbers(did.att_gt(frame, **COLUMNS))
    with pytest.raises(did.DataError, match="two columns are called `junk`"):
        did.feols("lemp ~ junk", table)


def test_sparse_columns_are_read(quarters: pd.DataFrame) -> None:
    dummies = pd.get_dummies(quarters.q, prefix="q", sparse=True, dtype=float)
    dense = pd.get_dummies(quarters.q, prefix="q", dtype=float)
    formula = "lemp ~ q_1 + q_2 + q_3"
    assert did.feols(formula, quarters.join(dummies)).coef() == did.feols(formula, quarters.join(dense)).coef()


def test_lazy_frames_read_the_columns_that_are_named(frame: pd.DataFrame) -> None:
    failing = pl.from_pandas(frame).lazy().with_columns(junk=pl.col("lemp").map_elements(lambda _: 1 / 0, return_dtype=pl.Float64))
    assert numbers(did.att_gt(failing, **COLUMNS)) == numbers(did.att_gt(frame, **COLUMNS))
    with pytest.raises(did.DataError, match="did you mean|not in the data"):
        did.att_gt(failing, **{**COLUMNS, "yname": "lem"})


def test_categories_of_numbers_are_levels_in_formulas(quarters: pd.DataFrame) -> None:
    want = did.feols("lemp ~ C(q)", quarters)
    for categories in (
        pd.Categorical(quarters.q), pd.Categorical(quarters.q, ordered=True), pd.Categorical(quarters.q.astype("float32")),
    ):
        fit = did.feols("lemp ~ q", quarters.assign(q=categories))
        assert list(fit.coef().values()) == list(want.coef().values())
    got = did.feols("lemp ~ q", quarters.assign(q=pd.Categorical(quarters.q)))
    assert list(got.coef()) == ["(Intercept)", "q1", "q2", "q3"]
    assert got.predict(quarters.assign(q=pd.Categorical(quarters.q))) == did.feols("lemp ~ C(q)", quarters).predict(quarters)
    codes = pa.array(quarters.q).dictionary_encode()
    table = pa.Table.from_pandas(quarters[["lemp"]], preserve_index=False).append_column("q", codes)
    assert did.feols("lemp ~ q", table).coef() == got.coef()
    of_groups = did.att_gt(quarters.assign(q=pd.Categorical(quarters.q)), **COLUMNS, xformla="~ q")
    assert of_groups.att_gt == did.att_gt(quarters, **COLUMNS, xformla="~ C(q)").att_gt


def test_categories_keep_their_order(quarters: pd.DataFrame) -> None:
    order = [3, 1, 0, 2]
    for categories in (pd.Categorical(quarters.q, order), pd.Categorical(quarters.q.astype(str), list(map(str, order)))):
        assert list(did.feols("lemp ~ q", quarters.assign(q=categories)).coef()) == ["(Intercept)", "q1", "q0", "q2"]
    some = quarters.assign(q=pd.Categorical(quarters.q, order)).query("q != 3")
    assert list(did.feols("lemp ~ q", some).coef()) == ["(Intercept)", "q0", "q2"]
    cut = quarters.assign(q=pd.cut(quarters.lpop, [0, 2, 4, 9]))
    assert list(did.feols("lemp ~ q", cut).coef()) == ["(Intercept)", "q(2, 4]", "q(4, 9]"]


def test_categories_of_dates_are_dates(frame: pd.DataFrame) -> None:
    dates = pd.to_datetime(frame.year.astype(str))
    typed = frame.assign(year=pd.Categorical(dates), when=pd.Categorical(dates), **{"first.treat": pd.to_datetime(frame["first.treat"].where(frame.treat > 0), format="%Y")})
    assert did.att_gt(typed, **COLUMNS, frequency="year").att_gt == did.att_gt(frame, **COLUMNS).att_gt
    assert len(did.feols("lemp ~ when", typed).coef()) == 5


def test_columns_of_samples_are_numbers(quarters: pd.DataFrame) -> None:
    def rows(data: pd.DataFrame) -> Any:
        vary = {"covariates": ["~ 1", "~ q"], "sample": ["all", "large"]}
        return numbers(did.specification_curve(data, **COLUMNS, vary=vary, estimators=["cs"]))["estimate"]

    plain = quarters.assign(large=(quarters.q > 1).astype(int), q=quarters.q.astype(str))
    got = rows(quarters.assign(large=pd.Categorical(plain.large), q=pd.Categorical(quarters.q)))
    assert None not in got and got == rows(plain)


def test_categories_of_numbers_are_numbers_elsewhere(frame: pd.DataFrame) -> None:
    typed = frame.assign(year=frame.year.astype("category"), countyreal=frame.countyreal.astype("category"))
    assert numbers(did.att_gt(typed, **COLUMNS)) == numbers(did.att_gt(frame, **COLUMNS))
    with pytest.raises(did.DataError, match="`year` has categories.*copy"):
        did.att_gt(typed, **COLUMNS, xformla="~ year")
    copied = typed.assign(when=typed.year)
    formula = "lemp ~ i(when, treat, ref=2005) | countyreal + when"
    assert did.feols(formula, copied).coef() == pytest.approx(did.feols(formula, frame.assign(when=frame.year)).coef())


def test_periods_are_dates(frame: pd.DataFrame) -> None:
    first = frame["first.treat"].where(frame["first.treat"] > 0)
    years = pd.PeriodIndex([f"{year:.0f}" if year == year else None for year in first], freq="Y")
    dated = frame.assign(year=pd.PeriodIndex(frame.year.astype(str), freq="Y"), **{"first.treat": years})
    with pytest.raises(did.DataError, match="frequency"):
        did.att_gt(dated, **COLUMNS)
    fit = did.att_gt(dated, **COLUMNS, frequency="year")
    assert fit.att_gt == did.att_gt(frame, **COLUMNS).att_gt
    assert did.panel.lag(dated, *KEYS, "lemp", frequency="year").to_dict()["lemp_lag1"] == did.panel.lag(frame, *KEYS, "lemp").to_dict()["lemp_lag1"]
    indexed = dated.set_index("year")
    assert did.att_gt(indexed, **COLUMNS, frequency="year").att_gt == fit.att_gt
    with pytest.raises(did.BurnDidError, match="date|frequency"):
        did.att_gt(dated.assign(**{"first.treat": frame["first.treat"]}), **COLUMNS)
