"""Tools that bring a panel into shape."""

from __future__ import annotations

import datetime

import polars as pl
import pytest

import burn_did as did


@pytest.fixture
def rows() -> pl.DataFrame:
    return pl.DataFrame(
        {"id": [1, 1, 1, 2, 2, 3], "t": [1, 2, 3, 1, 3, 2], "d": [0, 1, 1, 0, 0, 1], "y": [1.0, 3.0, 6.0, 2.0, 4.0, 5.0]}
    )


def test_first_treated(rows: pl.DataFrame) -> None:
    made = did.panel.first_treated(rows, "id", "t", "d", never_as_zero=True, first_observed=True)
    assert made.to_dict()["first_treated"] == [2, 2, 2, 0, 0, 2]
    assert "seen to be treated" in made.change
    # Unit 3 may have been treated in period 1, of which it has no row.
    with pytest.raises(did.DataError, match="`first_observed=True`"):
        did.panel.first_treated(rows, "id", "t", "d")
    assert set(did.panel.first_treated(rows, "id", "t", "d", missing_as_unknown=True).to_dict()["id"]) == {1, 2}
    assert "never treated" in made.change.lower()
    with pytest.raises(did.DataError, match="ends|unit 1"):
        did.panel.first_treated(rows.with_columns(d=1 - pl.col("d")), "id", "t", "d")


def test_balance_gaps_and_duplicates(rows: pl.DataFrame) -> None:
    assert set(did.panel.balance(rows, "id", "t").to_dict()["id"]) == {1}
    assert len(did.panel.balance(rows, "id", "t", "fill")) == 9
    assert len(did.panel.fill_gaps(rows, "id", "t")) == 7
    twice = pl.concat([rows, rows[:1].with_columns(y=pl.lit(9.0))])
    assert did.panel.deduplicate(twice, "id", "t", "mean").to_polars().filter(id=1, t=1)["y"].to_list() == [5.0]
    with pytest.raises(did.BurnDidError):
        did.panel.deduplicate(twice, "id", "t", "equal")


def test_lags_and_differences(rows: pl.DataFrame) -> None:
    assert did.panel.lag(rows, "id", "t", "y").to_dict()["y_lag1"] == [None, 1.0, 3.0, None, None, None]
    assert did.panel.lag(rows, "id", "t", "y", -1).to_dict()["y_lead1"][0] == 3.0
    assert did.panel.difference(rows, "id", "t", ["y"]).to_dict()["y_diff1"][:3] == [None, 2.0, 3.0]
    assert did.panel.long_difference(rows, "id", "t", "y", base=1).to_dict()["y_long_diff"][:3] == [0.0, 2.0, 5.0]
    with pytest.raises(did.OptionError, match="columns"):
        did.panel.lag(rows, "id", "t", None)  # type: ignore[arg-type]


def test_wide_tables_and_other_types(rows: pl.DataFrame) -> None:
    wide = did.panel.to_wide(rows, "id", "t", ["y", "d"])
    assert len(wide) == 3 and "y_1" in wide.columns
    dated = rows.with_columns(day=pl.lit(datetime.date(2020, 2, 1)))
    made = did.panel.balance(dated, "id", "t")
    assert made.to_polars()["day"].to_list() == [datetime.date(2020, 2, 1)] * 3
    assert made.to_dict()["day"] == ["2020-02-01"] * 3
